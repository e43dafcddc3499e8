"""Awkward geometries against extended precision: no score is NaN, and every one is right to the digits that are promised."""

import pathlib
import zlib

import clmatch
import numpy as np
import precise_measures
import pytest
from peers import said
from precise_measures import ADJUSTED, scores

# Absolute for scores between -1 and 1; relative for the others. The geometric median in di_a is iterated.
ERROR, MEDIAN_ERROR = 1e-9, 1e-7
# What was kept of other definitions does not count.
YARDSTICK = zlib.crc32(pathlib.Path(precise_measures.__file__).read_bytes())
ALL = [measure["id"] for measure in clmatch.measures()]


def clusters(sizes, features, apart, seed):
    random = np.random.default_rng(seed)
    points = [random.normal(size=(size, features)) + apart * at for at, size in enumerate(sizes)]
    return np.concatenate(points), np.repeat(np.arange(len(sizes)), sizes)


def duplicates():
    points, labels = clusters([6, 6, 6], 2, 2.0, 1)
    return np.repeat(np.round(points), 3, axis=0), np.repeat(labels, 3)


def collinear():
    points, labels = clusters([8, 9, 7], 1, 1.5, 2)
    return points * np.array([[1.0, 3.0, -2.0]]), labels


def one_far_away(distance):
    points, labels = clusters([10, 10], 3, 1.0, 3)
    points[0] *= distance
    return points, labels


def offset(by):
    points, labels = clusters([10, 12], 3, 2.0, 4)
    return points + by, labels


def scaled(by):
    points, labels = clusters([10, 12], 3, 2.0, 5)
    return points * by, labels


def identical_classes():
    points, _ = clusters([12], 2, 0.0, 6)
    return np.concatenate([points, points]), np.repeat([0, 1], 12)


GEOMETRIES = {
    "duplicates": duplicates,
    "collinear": collinear,
    "one point 1e4 away": lambda: one_far_away(1e4),
    "one point 1e8 away": lambda: one_far_away(1e8),
    "offset 1e6": lambda: offset(1e6),
    "offset 1e9": lambda: offset(1e9),
    "huge": lambda: scaled(1e150),
    "tiny": lambda: scaled(1e-150),
    "largest doubles": lambda: scaled(1e306),
    "subnormal": lambda: scaled(1e-306),
    "one feature": lambda: clusters([11, 9, 8], 1, 2.0, 7),
    "10,000 features, 20 points": lambda: clusters([10, 10], 10_000, 0.05, 8),
    "classes of two points": lambda: clusters([2] * 8, 3, 1.0, 9),
    "identical classes": identical_classes,
    "3 to 60": lambda: clusters([3, 60], 4, 1.0, 10),
    "classes apart": lambda: clusters([9, 9], 2, 1e5, 11),
    "nearly one point": lambda: clusters([9, 9], 2, 0.0, 12),
}


def close(measure, ours, exact):
    if measure == "di_a":
        return abs(ours - exact) <= MEDIAN_ERROR
    if measure in ADJUSTED or measure in ("clm", "clm_pairs", "sc"):
        return abs(ours - exact) <= ERROR
    return ours == exact or abs(ours - exact) <= ERROR * abs(exact)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_scores_are_those_of_extended_precision(name):
    points, labels = GEOMETRIES[name]()
    ours = clmatch.evaluate(points, labels, measures="all", scale="none").scores
    exact = said("mpmath", ["mpmath"], f"{name}, {YARDSTICK:08x}", [points, labels], lambda: scores(points, labels))
    wrong = {measure: (ours[measure], exact[measure]) for measure in exact if not close(measure, ours[measure], exact[measure])}
    assert not wrong
    assert not any(np.isnan(ours[measure]) for measure in ALL)


def far_pairs_of_points(classes):
    points, labels = clusters([2] * classes, 3, 0.0, 13)
    return points + np.random.default_rng(14).normal(scale=20.0, size=(classes, 3)).repeat(2, axis=0), labels


def test_many_classes_are_the_mean_of_their_pairs():
    """All measures of more than 65,536 pairs of classes. Two thousand classes, two million pairs, with measures that are quick."""
    points, labels = far_pairs_of_points(370)
    ours = clmatch.evaluate(points, labels, measures="all")
    assert not any(np.isnan(value) for value in ours.scores.values())
    points, labels = far_pairs_of_points(2000)
    ours = clmatch.evaluate(points, labels, measures=["ch_a", "db_a", "xb_a", "ch_c"])
    assert not any(np.isnan(value) for value in ours.scores.values())
    pairs = [(0, 1), (3, 1999), (700, 1200)]
    for a, b in pairs:
        kept = (labels == a) | (labels == b)
        exact = scores(points[kept], labels[kept])
        alone = clmatch.evaluate(points[kept], labels[kept], measures="all", scale="none").scores
        assert all(close(measure, alone[measure], exact[measure]) for measure in exact)


def test_two_against_a_million():
    """Centroid measures by whole numbers: coordinates are small integers, so that sums of squares are exact."""
    random = np.random.default_rng(15)
    points = random.integers(-8, 9, size=(1_000_002, 2)).astype(float)
    points[:2] = [[40, 0], [44, 0]]
    labels = np.r_[[0, 0], np.ones(1_000_000, int)]
    ours = clmatch.evaluate(points, labels, measures=["ch_a", "xb_a", "db_a", "ch_c", "db_c", "ch"], scale="none").scores
    n, sizes = len(points), np.array([2, 1_000_000])
    sums = np.array([points[:2].sum(0), points[2:].sum(0)])
    centres = sums / sizes[:, None]
    centre = sums.sum(0) / n
    squared = ((points - centre) ** 2).sum(1).astype(np.longdouble)
    s2 = float(np.sqrt(((squared - squared.mean()) ** 2).mean()))
    d = float(((centres[0] - centres[1]) ** 2).sum())
    z = 2 * 1_000_000 * d / n**2 / s2
    assert ours["ch_a"] == pytest.approx(np.tanh(2.2160052679191475 * z * np.exp(z) / 2), rel=1e-10)
    assert all(np.isfinite(value) for value in ours.values())
