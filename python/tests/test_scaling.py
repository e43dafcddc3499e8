"""Scaling against scikit-learn's scalers, and single against double precision."""

import json
import pathlib
import subprocess
import zlib

import numpy as np
import pytest
from conftest import COMMAND, LIMIT, ROOT
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

SCALERS = {"standard": StandardScaler, "min-max": MinMaxScaler, "robust": RobustScaler}
BUNDLED = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}
# Of the paper's datasets, where they lie beside the checkout: small ones with constant, rare and large columns.
PAPERS = ["boston", "dermatology", "ecoli", "glass_identification", "hepatitis", "ionosphere", "seismic_bumps", "wilt", "zoo"]
# Sums in another order.
VALUES = 1e-12
SCORES = 1e-9


def papers(name):
    """A dataset of the paper, or a skipped test."""
    folder = pathlib.Path(ROOT).parent / "shared" / "datasets" / name
    if (folder / "data.npy").is_file():
        return np.load(folder / "data.npy").astype(float), np.load(folder / "label.npy")
    if not (folder / "data.bin").is_file():
        pytest.skip(f"there is no {folder}")
    read = [json.loads(zlib.decompress((folder / part).read_bytes())) for part in ("data.bin", "label.bin")]
    return np.array(read[0], dtype=float), np.array(read[1])


def load(name):
    if name in BUNDLED:
        return BUNDLED[name](return_X_y=True)
    return papers(name)


def save(path, points, labels):
    np.save(path, points)
    np.save(path.with_name(f"{path.stem}_label.npy"), labels)


def run(*words):
    """Runs the command; returns its JSON and what it said."""
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def score(path, scale, measures="all"):
    return run("score", path, "--scale", scale, "--measures", measures, "--format", "json")


def scaled(tmp_path, points, labels, scale):
    """The command's own scaled columns: what a search writes that must keep every feature."""
    save(tmp_path / "in.npy", points, labels)
    search = ["--method", "greedy", "--min-features", points.shape[1], "--split", "none", "--shuffles", 0]
    out = tmp_path / "out.npy"
    run("improve", tmp_path / "in.npy", "-o", out, "--scale", scale, *search, "--format", "json")
    return np.load(out)


def awkward(rows):
    """Columns with little or nothing to divide by."""
    random = np.random.default_rng(5)
    step = np.arange(rows) % 2
    rare = np.zeros(rows)
    rare[: rows // 8] = random.normal(size=rows // 8) * 40
    return {
        "zeros": np.zeros(rows),
        "constant": np.full(rows, 0.1),
        "far constant": np.full(rows, 1e8 + 0.1),
        "rounding": 0.1 * (1 + step * np.finfo(float).eps),
        "rare": rare,
        "rare, far": rare + 1e6,
        "indicator": (np.arange(rows) < rows // 5).astype(float),
        "outlier": np.where(np.arange(rows) == 3, 1e9, random.normal(size=rows)),
        "far": 1e6 + random.normal(size=rows),
        "large": random.normal(size=rows) * 1e12,
        "small": random.normal(size=rows) * 1e-9,
    }


@pytest.mark.parametrize("scale", SCALERS)
@pytest.mark.parametrize("name", [*BUNDLED, *PAPERS])
def test_columns_of_real_data_are_those_of_scikit_learn(tmp_path, name, scale):
    points, labels = load(name)
    expected = SCALERS[scale]().fit_transform(points)
    found = scaled(tmp_path, points, labels, scale)
    np.testing.assert_allclose(found, expected, rtol=VALUES, atol=VALUES * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("scale", SCALERS)
@pytest.mark.parametrize("column", awkward(8))
def test_awkward_columns_are_those_of_scikit_learn(tmp_path, column, scale):
    points, labels = load("iris")
    points = np.column_stack([points, awkward(len(points))[column]])
    expected = SCALERS[scale]().fit_transform(points)[:, -1]
    found = scaled(tmp_path, points, labels, scale)[:, -1]
    # scikit-learn's mean is off by the rounding of a sum: columns that vary less are that far from 0, ours are not.
    rounding = len(points) * np.finfo(float).eps * np.abs(points[:, -1]).max()
    if np.ptp(points[:, -1]) <= rounding:
        assert np.abs(found).max() <= np.ptp(points[:, -1])
        assert np.abs(expected).max() <= rounding
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("scale", SCALERS)
@pytest.mark.parametrize("name", BUNDLED)
def test_scores_are_those_of_data_that_scikit_learn_scaled(tmp_path, name, scale):
    points, labels = load(name)
    points = np.column_stack([points, *awkward(len(points)).values()])
    save(tmp_path / "ours.npy", points, labels)
    save(tmp_path / "theirs.npy", SCALERS[scale]().fit_transform(points), labels)
    ours, _ = score(tmp_path / "ours.npy", scale)
    theirs, _ = score(tmp_path / "theirs.npy", "none")
    for measure, value in theirs["scores"].items():
        assert ours["scores"][measure] == pytest.approx(value, rel=1e-7), measure


def test_max_abs_divides_the_whole_matrix_by_one_number(tmp_path):
    points, labels = load("wine")
    save(tmp_path / "ours.npy", points, labels)
    save(tmp_path / "theirs.npy", points / np.abs(points).max(), labels)
    ours, _ = score(tmp_path / "ours.npy", "max-abs")
    theirs, _ = score(tmp_path / "theirs.npy", "none")
    for measure, value in theirs["scores"].items():
        assert ours["scores"][measure] == pytest.approx(value, rel=SCORES), measure


def test_rounding_of_numbers_of_any_size_is_no_feature(tmp_path):
    """Where we differ from scikit-learn, whose bound of 10 roundings is meant for numbers near 1."""
    points, labels = load("iris")
    step = np.arange(len(points)) % 2
    for size in [1e-20, 1e-3, 1e8, 1e200]:
        column = size * (1 + step * np.finfo(float).eps)
        for scale in SCALERS:
            found = scaled(tmp_path, np.column_stack([points, column]), labels, scale)[:, -1]
            assert np.abs(found).max() <= 1e-15 * size, (scale, size)
        varying = scaled(tmp_path, np.column_stack([points, size * step]), labels, "min-max")[:, -1]
        assert np.array_equal(varying, step)


def test_columns_that_are_not_divided_are_named(tmp_path):
    points, labels = load("digits")
    names = ",".join(f"p{i}" for i in range(64))
    rows = [",".join(map(repr, [*map(float, row), int(label)])) for row, label in zip(points, labels)]
    path = tmp_path / "digits.csv"
    path.write_text("\n".join([f"{names},label", *rows]) + "\n")
    result, said = score(path, "robust", "ch_a")
    quartiles = np.percentile(points, [25, 75], axis=0)
    rare = [i for i in range(64) if quartiles[0, i] == quartiles[1, i] and np.ptp(points[:, i]) > 0]
    first = ", ".join(f"'p{i}'" for i in rare[:3])
    text = f"{len(rare)} columns were centred but not scaled, because their interquartile range is 0: {first}, …"
    assert text in result["notes"]
    assert f"warning: {text}" in said
    for scale in ["none", "max-abs", "standard", "min-max"]:
        assert "not scaled" not in score(path, scale, "ch_a")[1]


LABELS = np.repeat([0, 1, 2], 20)


def classes(seed, spacing=1e-9, features=3):
    """Points of three classes, in double precision."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(60, features)) + 1.5 * LABELS[:, None]
    return np.round(points / spacing) * spacing


def apart(features):
    """Two classes near 1e6 and one near -1e6: what tells the first two apart is small beside their coordinates."""
    return classes(6, features=features) + np.array([1e6, 1e6 + 2, -1e6])[LABELS][:, None]


def outlier(features):
    points = classes(7, features=features)
    points[0] = 1e6
    return points


SINGLE = {
    "near 1e6": classes(0) + 1e6,
    "near 1e6, wide": classes(1, features=30) + 1e6,
    "steps near 1e6": classes(2, spacing=0.25) + 1e6,
    "steps": classes(3, spacing=0.25),
    "near 1e30": classes(4) * 1e30,
    "denormal": classes(5) * 1e-42,
    "classes apart": apart(3),
    "classes apart, wide": apart(30),
    "outlier": outlier(3),
    "outlier, wide": outlier(30),
}


@pytest.mark.parametrize("scale", ["none", "max-abs", *SCALERS])
@pytest.mark.parametrize("name", SINGLE)
def test_single_precision_is_scored_as_the_same_numbers_in_double(tmp_path, name, scale):
    points = SINGLE[name].astype(np.float32)
    save(tmp_path / "single.npy", points, LABELS)
    save(tmp_path / "double.npy", points.astype(float), LABELS)
    for measures, tolerance in [("all", 1e-9), ("sc_a,sc,di_a,di", 1e-6)]:
        single, _ = score(tmp_path / "single.npy", scale, measures)
        double, _ = score(tmp_path / "double.npy", scale, measures)
        for measure, value in double["scores"].items():
            assert single["scores"][measure] == pytest.approx(value, rel=tolerance, abs=1e-15), measure
