"""The wheel by itself: in an empty environment, without a Rust toolchain and without what is optional."""

import os
import subprocess
import sys
import venv
import zipfile

import pytest

WHEEL = os.environ.get("CLMATCH_WHEEL")

pytestmark = pytest.mark.skipif(WHEEL is None, reason="CLMATCH_WHEEL does not name the wheel; cargo xtask test builds it")

PROGRAM = """
import sys
import clmatch

iris = clmatch.read("iris")
result = clmatch.evaluate(iris.X, iris.labels)
assert isinstance(result.pairs, list) and len(result.pairs) == 3
assert len(clmatch.catalogue()) == 92 and isinstance(clmatch.catalogue(), list)
assert clmatch.explain(iris.X, iris.labels).label_issues[0]["row"] == 0
assert clmatch.scorers.clm.measure == "clm"
for name, needed in [("FeatureImprover", "sklearn"), ("SilhouetteDisplay", "matplotlib")]:
    try:
        thing = getattr(clmatch, name)
        thing.from_labels(iris.X, iris.labels).plot()
    except ImportError as error:
        assert needed in str(error), error
    else:
        raise AssertionError(name)
extra = {"pandas", "sklearn", "scipy", "matplotlib", "polars", "pyarrow", "tqdm"} & set(sys.modules)
assert not extra, extra
print(round(clmatch.score(iris.X, iris.labels), 3))
"""


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEEL]
    subprocess.run(pip, check=True, timeout=600, env=plain(folder))
    return folder


def plain(folder):
    """Nothing on the path but the environment and the system: no cargo, no rustc."""
    return {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(folder)}


def run(folder, *words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=folder, env=plain(folder))


def test_it_needs_numpy_alone(empty):
    done = run(empty, empty / "bin" / "python", "-c", PROGRAM)
    assert (done.returncode, done.stdout) == (0, "0.85\n"), done.stderr
    listed = run(empty, empty / "bin" / "python", "-m", "pip", "list", "--format", "freeze").stdout
    assert {line.split("==")[0].split(" @")[0] for line in listed.splitlines()} - {"pip", "setuptools"} == {"clmatch", "numpy"}


def test_the_command_is_on_the_path(empty):
    done = run(empty, empty / "bin" / "clmatch", "score", "iris", "--measures", "clm", "--format", "csv")
    assert done.returncode == 0 and "0.850" in done.stdout, done.stderr
    same = run(empty, empty / "bin" / "python", "-m", "clmatch", "score", "iris", "--measures", "clm", "--format", "csv")
    assert same.stdout == done.stdout


def test_one_wheel_serves_all_versions_of_python():
    assert "-cp311-abi3-" in os.path.basename(WHEEL)
    names = zipfile.ZipFile(WHEEL).namelist()
    assert "clmatch/py.typed" in names and "clmatch/_clmatch.pyi" in names
    assert [name for name in names if name.endswith(".so")] == ["clmatch/_clmatch.abi3.so"]
    assert not [name for name in names if "tests" in name]
    assert sys.version_info >= (3, 11)
