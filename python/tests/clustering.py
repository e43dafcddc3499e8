"""Runs the clustering techniques, and reads the real datasets where they are.

CLMATCH_PARTITION names the program `partition` (cargo build -p clmatch-cluster --examples).
"""

import json
import os
import subprocess
import zlib

import numpy as np
import pytest
from conftest import LIMIT, ROOT

PARTITION = os.environ.get("CLMATCH_PARTITION", str(ROOT / "target" / "debug" / "examples" / "partition"))
REAL = ROOT.parent / "shared" / "datasets"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason=f"no real datasets: there is no folder {REAL}")


def run(rows, technique, settings):
    """What the program prints."""
    text = "\n".join(",".join(map(repr, row)) for row in rows)
    command = [PARTITION, technique, *(f"{key}={value}" for key, value in settings.items())]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def partition(points, technique, **settings):
    """Labels of the points."""
    return np.array(run(np.asarray(points, float).tolist(), technique, settings).split(), int)


def agreement(classes, labels):
    """External measures by id."""
    rows = np.column_stack([classes, labels]).tolist()
    return {line.split()[0]: float(line.split()[1]) for line in run(rows, "agreement", {}).splitlines()}


def same(a, b):
    """Whether two partitions are equal up to names."""
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


def scaled(points):
    """Divided by the largest absolute value, as everywhere in the project."""
    points = np.asarray(points, float)
    return points / np.abs(points).max()


def read(folder, name):
    """One array of a dataset, in either layout."""
    packed = folder / f"{name}.bin"
    if packed.exists():
        return np.array(json.loads(zlib.decompress(packed.read_bytes())))
    return np.load(folder / f"{name}.npy", allow_pickle=False)


def real(name):
    """Points and labels of a real dataset."""
    return scaled(read(REAL / name, "data")), read(REAL / name, "label").ravel()
