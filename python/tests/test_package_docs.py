"""The Python package: examples in docstrings and documents, types, and what docstrings must say."""

import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import clmatch
import matplotlib as mpl
import pytest

mpl.use("Agg")

# Seconds for something that takes a few.
LIMIT = 600
ROOT = pathlib.Path(__file__).resolve().parents[2]
NO_EXAMPLES = ("clmatch._clmatch", "clmatch.__main__")
MODULES = [one.name for one in pkgutil.walk_packages(clmatch.__path__, "clmatch.") if one.name not in NO_EXAMPLES]
MEASURES = ["score", "calinski_harabasz", "davies_bouldin", "dunn", "i_index", "silhouette", "xie_beni"]
AGREEMENTS = ["adjusted_mutual_info_score", "adjusted_rand_score", "normalized_mutual_info_score", "v_measure_score"]


def public():
    """Every public function and class, by its name."""
    for module in (clmatch, clmatch.scorers):
        for name in module.__all__:
            thing = getattr(module, name)
            if not name.startswith("__") and not inspect.ismodule(thing):
                yield f"{module.__name__}.{name}", thing


def members():
    """The public parts of public classes."""
    for name, thing in public():
        if inspect.isclass(thing) and thing.__module__.startswith("clmatch"):
            for key, member in vars(thing).items():
                if not key.startswith("_") and (callable(member) or isinstance(member, (property, classmethod))):
                    yield f"{name}.{key}", getattr(thing, key)


@pytest.mark.parametrize("module", ["clmatch", *MODULES])
def test_examples_in_docstrings(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize(("name", "thing"), [*public(), *members()], ids=lambda value: value if isinstance(value, str) else "")
def test_everything_public_has_a_docstring(name, thing):
    assert inspect.getdoc(thing), name
    first = inspect.getdoc(thing).splitlines()[0]
    assert first.endswith((".", ":", ";")) or len(first) > 60, f"{name}: {first}"


@pytest.mark.parametrize(("name", "thing"), list(public()), ids=lambda value: value if isinstance(value, str) else "")
def test_every_public_function_and_display_has_an_example(name, thing):
    if inspect.isfunction(thing) or name.endswith("Display"):
        assert ">>>" in thing.__doc__, name


@pytest.mark.parametrize("name", MEASURES + AGREEMENTS)
def test_measures_say_what_they_are(name):
    """Definition, range, best value, reference and an example."""
    text = inspect.getdoc(getattr(clmatch, name))
    assert "``" in text.split("Parameters")[0], "no definition"
    assert re.search(r"[Ff]rom (-1|0) \(?.*to (1|infinity)|-0\.5 at worst|1 for equal partitions", text, re.DOTALL), "no range"
    assert re.search(r"(higher|\*\*lower\*\*)\s+is\s+better", text), "no best value"
    assert re.search(r"\(\d{4}\)|evaluate", text), "no reference"
    assert "\nExamples\n--------\n>>>" in text, "no example"


@pytest.mark.parametrize(("name", "thing"), list(public()), ids=lambda value: value if isinstance(value, str) else "")
def test_every_parameter_is_described(name, thing):
    if not inspect.isfunction(thing) or "Parameters" not in inspect.getdoc(thing):
        return
    section = inspect.getdoc(thing).split("Parameters\n----------\n")[1].split("\n\n")[0]
    described = set(re.findall(r"[*\w]+", " ".join(line for line in section.splitlines() if line and not line.startswith(" "))))
    for parameter in inspect.signature(thing).parameters.values():
        # Options that are handed on are described one by one.
        assert parameter.name in described or parameter.kind is inspect.Parameter.VAR_KEYWORD, f"{name}: {parameter.name}"


def test_every_measure_has_a_reference():
    assert all(measure["reference"] for measure in clmatch.measures())


def test_types_are_right():
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml", "--cache-dir", os.devnull],
        cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=False,
    )
    assert done.returncode == 0, done.stdout
    assert (pathlib.Path(clmatch.__file__).parent / "py.typed").exists()


def test_types_of_callers_are_right(tmp_path):
    """What a user's program would be told, with mistakes that must be found."""
    (tmp_path / "program.py").write_text(
        "import clmatch, numpy as np\n"
        "from numpy.typing import NDArray\n"
        "value: float = clmatch.score(np.zeros((4, 2)), ['a', 'a', 'b', 'b'])\n"
        "samples: NDArray[np.float64] = clmatch.silhouette_samples([[0.0], [1.0]], [0, 1])\n"
        "scores: dict[str, float] = clmatch.evaluate(np.zeros((4, 2)), [0, 0, 1, 1]).scores\n"
        "wrong: str = clmatch.score(np.zeros((4, 2)), [0, 0, 1, 1])\n"
        "clmatch.score(np.zeros((4, 2)), [0, 0, 1, 1], measures='clm')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "program.py"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": str(pathlib.Path(clmatch.__file__).parents[1]) if "site-packages" not in clmatch.__file__ else ""},
        capture_output=True, text=True, timeout=LIMIT, check=False,
    )
    lines = [int(line.split(":")[1]) for line in done.stdout.splitlines() if line.startswith("program.py:") and ": error:" in line]
    assert lines == [6, 7], done.stdout


def test_the_tutorial_runs(tmp_path, monkeypatch):
    """The blocks of docs/python.md, one after another; what a comment says that a line gives is what it gives."""
    text = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) > 8
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "tutorial"}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for number, block in enumerate(blocks):
        example = parser.get_doctest(block, names, f"docs/python.md, block {number + 1}", None, 0)
        assert example.examples, f"block {number + 1} has no prompt"
        assert runner.run(example, clear_globs=False).failed == 0, block
        names = example.globs
