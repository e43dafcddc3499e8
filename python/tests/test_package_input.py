"""The Python package: what it takes for points and labels, and what it says about what it does not."""

import os
import tempfile

import clmatch
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import calinski_harabasz_score
from sklearn.metrics import silhouette_score as sklearn_silhouette

RANDOM = np.random.default_rng(4)
# Whole numbers, so that every type holds the same points.
POINTS = RANDOM.integers(0, 100, size=(60, 3)).astype(np.float64)
LABELS = RANDOM.integers(0, 3, size=60)
EXPECTED = clmatch.score(POINTS, LABELS)
NUMBERS = ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
NUMBERS += [f">{dtype}" for dtype in NUMBERS if dtype not in ("g", "i1", "u1")]
ORDERS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": lambda points: np.repeat(np.repeat(points, 3, axis=0), 2, axis=1)[::3, ::2],
    "reversed": lambda points: points[::-1, ::-1].copy()[::-1, ::-1],
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_of_every_type_and_order(dtype, order):
    points = ORDERS[order](POINTS.astype(dtype))
    assert points.dtype == dtype and (points == POINTS).all()
    assert clmatch.score(points, LABELS) == pytest.approx(EXPECTED, rel=1e-12)
    assert clmatch.silhouette_samples(points, LABELS).shape == (60,)


def test_booleans_are_numbers():
    points = POINTS > 50
    assert clmatch.calinski_harabasz(points, LABELS) == clmatch.calinski_harabasz(points.astype(float), LABELS)


def unaligned(points):
    """The same numbers, one byte beside where they belong."""
    memory = np.zeros(points.nbytes + 1, np.uint8)
    view = memory[1:].view(points.dtype).reshape(points.shape)
    view[:] = points
    assert not view.flags.aligned
    return view


def read_only(points):
    copy = points.copy()
    copy.flags.writeable = False
    return copy


def memory_mapped(points):
    with tempfile.NamedTemporaryFile(delete=False) as file:
        np.save(file, points)
    mapped = np.load(file.name, mmap_mode="r")
    os.unlink(file.name)
    assert isinstance(mapped, np.memmap)
    return mapped


class Subclass(np.ndarray):
    """An array that would notice if somebody computed with it."""

    def __array_ufunc__(self, *arguments, **options):
        raise AssertionError("the subclass was asked to compute")


class Array:
    """Something that is no array, but can become one."""

    def __array__(self, dtype=None, copy=None):
        return POINTS if dtype is None else POINTS.astype(dtype)


LAYOUTS = {
    "C": POINTS,
    "Fortran": np.asfortranarray(POINTS),
    "every second row": np.repeat(POINTS, 2, axis=0)[::2],
    "every second column": np.repeat(POINTS, 2, axis=1)[:, ::2],
    "reversed twice": POINTS[::-1].copy()[::-1],
    "unaligned": unaligned(POINTS),
    "read only": read_only(POINTS),
    "memory-mapped": memory_mapped(POINTS),
    "subclass": POINTS.view(Subclass),
    "matrix": np.matrix(POINTS),
    "lists": POINTS.tolist(),
    "tuples of integers": [tuple(int(x) for x in row) for row in POINTS],
    "objects": POINTS.astype(object),
    "masked array": np.ma.masked_array(POINTS),
    "__array__": Array(),
    "pandas": pd.DataFrame(POINTS, columns=list("abc")),
    "pandas with two types": pd.DataFrame({"a": POINTS[:, 0].astype(int), "b": POINTS[:, 1], "c": POINTS[:, 2]}),
    "polars": pl.DataFrame({"a": POINTS[:, 0], "b": POINTS[:, 1], "c": POINTS[:, 2]}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_points_in_every_layout(layout):
    assert clmatch.score(LAYOUTS[layout], LABELS) == EXPECTED
    assert clmatch.evaluate(LAYOUTS[layout], LABELS, measures="clm").scores["clm"] == EXPECTED


def test_single_precision_stays_single():
    points = (RANDOM.normal(size=(50, 4)) + 1e3).astype(np.float32)
    labels = np.arange(50) % 2
    assert clmatch.silhouette(points, labels) == pytest.approx(
        clmatch.silhouette(points.astype(float), labels), abs=1e-5
    )


TEXTS = np.array(["low", "middle", "high"])[LABELS]
KINDS = {
    "int8": LABELS.astype(np.int8),
    "uint64": LABELS.astype(np.uint64) + np.uint64(2**63),
    "negative": LABELS - 1,
    "far apart": LABELS * 10**12,
    "gaps": LABELS * 7 + 3,
    "int8 from end to end": np.array([-128, 0, 127], np.int8)[LABELS],
    "floats": LABELS.astype(float),
    "halves": LABELS / 2,
    "texts": TEXTS,
    "bytes": TEXTS.astype("S"),
    "objects": TEXTS.astype(object),
    "list": TEXTS.tolist(),
    "tuples": np.array([(int(label), "x") for label in LABELS], dtype="i8,U1"),
    "dates": np.array(["2020-01-01", "2021-01-01", "2022-01-01"], "M8[D]")[LABELS],
    "a column": LABELS.reshape(-1, 1),
    "every second one": np.repeat(LABELS, 2)[::2],
    "pandas": pd.Series(TEXTS),
    "categories": pd.Series(TEXTS).astype("category"),
    "pandas strings": pd.Series(TEXTS, dtype="string"),
    "polars": pl.Series(TEXTS.tolist()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_every_kind(kind):
    assert clmatch.score(POINTS, KINDS[kind]) == pytest.approx(EXPECTED, rel=1e-12)


def test_booleans_are_labels():
    assert clmatch.score(POINTS, LABELS == 1) == clmatch.score(POINTS, np.where(LABELS == 1, "b", "a"))


def test_names_of_classes_are_those_that_people_would_use():
    names = lambda labels: list(clmatch.evaluate(POINTS, labels, measures="ch").sizes)
    assert names(LABELS) == ["0", "1", "2"]
    assert names(LABELS.astype(float)) == ["0", "1", "2"]
    assert names(LABELS / 2) == ["0", "0.5", "1"]
    assert names(TEXTS.astype("S")) == ["high", "low", "middle"]
    assert names(np.array([True, False, True])[LABELS]) == ["False", "True"]


def nan_at(row, column, value=np.nan):
    points = POINTS.copy()
    points[row, column] = value
    return points


def test_errors_are_those_of_scikit_learn():
    """Where scikit-learn refuses the input, so do we, and our text starts with its text."""
    both = nan_at(3, 1, np.inf)
    both[5, 2] = np.nan
    cases = [
        (nan_at(7, 2), LABELS),
        (nan_at(7, 2, -np.inf), LABELS),
        (nan_at(7, 2, np.inf).astype(np.float32), LABELS),
        (both, LABELS),
        (POINTS, LABELS[:-1]),
        (POINTS, np.zeros(60, int)),
        (POINTS, np.arange(60)),
        (POINTS[:0], LABELS[:0]),
        (POINTS[:, :0], LABELS),
        (POINTS[:, 0], LABELS),
        (POINTS.reshape(10, 6, 3), LABELS),
        (POINTS, np.where(LABELS == 1, np.nan, LABELS)),
        (POINTS, np.stack([LABELS, LABELS], axis=1)),
    ]
    for points, labels in cases:
        with pytest.raises(ValueError) as theirs:
            calinski_harabasz_score(points, labels)
        # scikit-learn names the type that it converted to.
        expected = str(theirs.value).splitlines()[0].split(" for dtype")[0]
        for ours in [clmatch.score, clmatch.silhouette, clmatch.evaluate]:
            with pytest.raises(ValueError) as found:
                ours(points, labels)
            assert str(found.value).startswith(expected)


def test_the_place_of_a_bad_number_is_named():
    with pytest.raises(ValueError, match=r"(?s)Input X contains NaN\..*row 7, column 2"):
        clmatch.score(nan_at(7, 2), LABELS)


def test_other_input_is_refused_in_words():
    with pytest.raises(ValueError, match="could not convert string to float"):
        clmatch.score([["a"], ["b"], ["c"]], [0, 0, 1])
    with pytest.raises(ValueError, match="Complex data not supported"):
        clmatch.score(POINTS * 1j, LABELS)
    with pytest.raises(ValueError, match="masked"):
        clmatch.score(np.ma.masked_equal(POINTS, POINTS[0, 0]), LABELS)
    with pytest.raises(ValueError, match="contains NaN"):
        clmatch.score(POINTS, np.array([None, "a", "b"], dtype=object)[LABELS])
    with pytest.raises(ValueError, match="same name '1'"):
        clmatch.score(POINTS, np.array([1, "1", 2], dtype=object)[LABELS])
    with pytest.raises(ValueError, match="no measure 'chi'; there are clm"):
        clmatch.score(POINTS, LABELS, measure="chi")
    with pytest.raises(ValueError, match="n_jobs == 0"):
        clmatch.score(POINTS, LABELS, n_jobs=0)
    for k in [0, -1, np.nan, np.inf]:
        with pytest.raises(ValueError, match="k must be a positive number"):
            clmatch.dunn(POINTS, LABELS, adjusted=True, k=k)
    with pytest.raises(ValueError, match="average_method must be one of 'min'"):
        clmatch.adjusted_mutual_info_score(LABELS, LABELS, average_method="mean")
    with pytest.raises(ValueError, match="singletons"):
        clmatch.evaluate(POINTS, LABELS, singletons="keep")
    with pytest.raises(ValueError, match="scale|none, max-abs"):
        clmatch.evaluate(POINTS, LABELS, scale="unit")


def test_inputs_are_left_alone():
    points, labels = POINTS.copy(), LABELS.copy()
    clmatch.evaluate(points, labels, measures="all", scale="standard")
    clmatch.silhouette_samples(points, labels)
    assert (points == POINTS).all() and (labels == LABELS).all()


def test_both_silhouettes_on_floats_of_all_sizes():
    for factor in [1e-150, 1e150]:
        ours = clmatch.silhouette(POINTS * factor, LABELS)
        assert ours == pytest.approx(sklearn_silhouette(POINTS, LABELS), rel=1e-9)
