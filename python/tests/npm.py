"""Packages of npm for tests, kept below target/: nothing of them is committed."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target" / "npm-of-tests"


def package(name, version):
    """The folder of a package; skips the test in words where it cannot be had."""
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("node and npm are not installed")
    folder = FOLDER / f"{name}-{version}"
    found = folder / "node_modules" / name
    if not found.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-save", "--prefix", str(folder), f"{name}@{version}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        if not found.is_dir():
            pytest.skip(f"npm cannot install {name}: {(done.stderr or done.stdout).strip()[:200]}")
    return found
