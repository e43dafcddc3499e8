"""The script of the pages: its own tests, and its types."""

import shutil
import subprocess

import npm
import pytest

PAGE = npm.ROOT / "crates" / "clmatch-render"


def test_the_script_passes_its_tests():
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    done = subprocess.run(
        ["node", "--test", str(PAGE / "script")], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout
    assert "# pass 14" in done.stdout, done.stdout


def test_the_script_has_the_types_that_it_says():
    compiler = npm.package("typescript", "5.9.3") / "bin" / "tsc"
    command = ["node", str(compiler), "-p", str(PAGE / "script" / "tsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout
