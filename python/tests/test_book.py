"""The pages of the book that are generated are those that the command writes."""

import json
import os
import pathlib
import subprocess

DOCS = pathlib.Path(__file__).parents[2] / "docs"
COMMAND = os.environ["CLMATCH"]


def printed(*words):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, check=True, timeout=60).stdout


def test_pages_of_commands_are_up_to_date(tmp_path):
    printed("man", "--markdown", "--dir", str(tmp_path))
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    there = {path.name: path.read_text() for path in (DOCS / "commands").iterdir()}
    assert there == made, "run `cargo xtask docs`"


def test_pages_of_measures_are_up_to_date():
    ids = [measure["id"] for measure in json.loads(printed("measures", "--format", "json"))]
    there = {path.stem: path.read_text() for path in (DOCS / "measures").iterdir() if path.name != "index.md"}
    assert there == {id: printed("measures", id, "--format", "markdown") for id in ids}, "run `cargo xtask docs`"
