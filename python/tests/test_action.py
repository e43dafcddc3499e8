"""The script behind the GitHub action."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / ".github" / "action.sh"
COMMAND = pathlib.Path(os.environ["CLMATCH"]).resolve()

if shutil.which("bash") is None:
    pytest.skip("the action is a script for bash, and there is none", allow_module_level=True)


def run(folder, **inputs):
    given = {"paths": "iris\nwine\n", "measures": "clm,ch_a", "fail_under": "", "baseline": "", "fail_above": "0.02", "options": ""}
    variables = {f"CLMATCH_{name.upper()}": value for name, value in (given | inputs).items()}
    runner = {name: str(folder / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", str(SCRIPT)], cwd=folder, capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | variables | runner | {"PATH": path, "RUNNER_TEMP": str(folder), "CLMATCH_ACTION": "."},
    )  # fmt: skip


def test_a_table_and_a_result_are_left(tmp_path):
    ended = run(tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "| iris |" in (tmp_path / "github_step_summary").read_text()
    result = pathlib.Path((tmp_path / "github_output").read_text().strip().removeprefix("result="))
    assert [scored["dataset"] for scored in json.loads(result.read_text())] == ["iris", "wine"]


def test_a_missed_bar_fails_the_job(tmp_path):
    ended = run(tmp_path, fail_under="clm=0.3\n\nworst:clm=0.3\n")
    assert ended.returncode == 1 and "wine: clm of the worst pair" in ended.stderr


def test_a_drop_against_the_baseline_fails_the_job(tmp_path):
    assert run(tmp_path).returncode == 0
    before = json.loads((tmp_path / "clmatch.json").read_text())
    for name, lost in [("same", 0.0), ("better", 0.1)]:
        changed = json.loads(json.dumps(before))
        changed[1]["scores"]["clm"] += lost
        (tmp_path / f"{name}.json").write_text(json.dumps(changed))
    assert run(tmp_path, baseline="same.json").returncode == 0
    assert run(tmp_path, baseline="better.json").returncode == 1


def test_inputs_are_words_and_never_commands(tmp_path):
    ended = run(tmp_path, paths="$(touch hacked)\n; touch hacked", options="--label=$(touch hacked)")
    assert ended.returncode == 3
    assert not (tmp_path / "hacked").exists()
