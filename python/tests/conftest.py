"""Runs the command on arrays, so that tests compare it with other implementations."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import browser as chromium
import npm

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Seconds that a run may take: far more than any does, so that only one that hangs is ended, and fails its test.
LIMIT = 1800
# Where screenshots of pages are kept.
SHOTS = ROOT / "target" / "screenshots"
COMMAND = os.environ.get("CLMATCH", str(ROOT / "target" / "release" / "clmatch"))
# Files that take longest begin first, so that none is left alone at the end.
SLOW = [
    "test_faults.py",
    "test_clustering.py",
    "test_classifiers.py",
    "test_truth.py",
    "test_torture.py",
    "test_engines_spark.py",
    "test_serve_load.py",
    "test_mislabelled.py",
    "test_package_runs.py",
    "test_report_page.py",
    "test_engines_dask.py",
    "test_scaling.py",
    "test_terminal.py",
    "test_package_docs.py",
]


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: SLOW.index(item.path.name) if item.path.name in SLOW else len(SLOW))


@pytest.fixture
def clmatch(tmp_path):
    """Scores points and labels with the command; returns the JSON object."""

    def score(points, labels, measures="all", *options):
        path = tmp_path / "data.csv"
        header = ",".join([f"f{i}" for i in range(points.shape[1])] + ["label"])
        rows = [",".join([repr(float(x)) for x in row] + [str(label)]) for row, label in zip(points, labels)]
        path.write_text("\n".join([header, *rows]) + "\n")
        command = [COMMAND, "score", str(path), "--format", "json", "--measures", measures, "--quiet", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return score


def blobs(seed, classes, per_class, features, spread):
    """Gaussian classes of different sizes around random centres."""
    random = np.random.default_rng(seed)
    sizes = [per_class + 7 * k for k in range(classes)]
    centres = random.normal(size=(classes, features)) * spread
    points = np.concatenate([random.normal(size=(n, features)) + c for n, c in zip(sizes, centres)])
    labels = np.repeat(np.arange(classes), sizes)
    order = random.permutation(len(labels))
    return points[order], labels[order]


CASES = {
    "two": blobs(1, 2, 40, 3, 2.0),
    "five": blobs(2, 5, 30, 8, 1.0),
    "overlap": blobs(3, 3, 60, 2, 0.2),
    "wide": blobs(4, 4, 12, 60, 0.5),
    "offset": (blobs(5, 3, 25, 4, 1.5)[0] + 1e4, blobs(5, 3, 25, 4, 1.5)[1]),
}


@pytest.fixture(params=CASES, ids=list(CASES))
def case(request):
    """Points and labels of one synthetic dataset."""
    return CASES[request.param]


@pytest.fixture(scope="module")
def browser():
    if not chromium.executable():
        pytest.skip("there is no Chromium on this machine")
    started = chromium.Browser()
    yield started
    started.close()


@pytest.fixture(scope="module")
def axe():
    return (npm.package("axe-core", "4.10.3") / "axe.min.js").read_text()


def write_blobs(path, sizes, features, spread, name=lambda at: f"class {at + 1}"):
    """Gaussian classes in a CSV file."""
    random = np.random.default_rng(7)
    lines = [",".join([f"f{i}" for i in range(features)] + ["label"])]
    for at, size in enumerate(sizes):
        centre = random.normal(size=features) * spread
        for row in random.normal(size=(size, features)) + centre:
            label = name(at).replace('"', '""')
            lines.append(",".join([f"{x:.4f}" for x in row] + [f'"{label}"']))
    path.write_text("\n".join(lines) + "\n")
    return path
