"""Whatever holds points or labels becomes NumPy arrays, without a copy where that is possible."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable
from datetime import date
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._anndata import is_anndata, select
from ._containers import array_of, is_table

# More threads would cost more than they do.
MOST_THREADS = 4 * max(os.cpu_count() or 1, 16)

Points = NDArray[np.float64] | NDArray[np.float32]


class DataWarning(UserWarning):
    """Something about a dataset that probably spoils its scores."""


class Labels(NamedTuple):
    """Labels as small numbers: ``names[codes[row]]`` is the label of a row."""

    codes: NDArray[np.uint32]
    names: list[str]


def points_of(X: ArrayLike) -> Points:
    """Rows of numbers: C-ordered float64 or float32, the array itself where it is that already.

    float16 becomes float32, all other numbers float64.
    """
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError("Input X contains NaN.\nValues of the masked array are masked.")
    array = array_of(X, "X")
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    if array.ndim < 2:
        hint = (
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )
        kind = "scalar array" if array.ndim == 0 else f"{array.ndim}D array"
        raise ValueError(f"Expected 2D array, got {kind} instead:\narray={array}.\n{hint}")
    for axis, what in enumerate(["sample", "feature"]):
        if array.shape[axis] == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required."
            )
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "mM":
        raise TypeError(f"X must hold numbers, not values of dtype {array.dtype}")
    dtype = np.float32 if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else np.float64
    try:
        return np.require(array, dtype=dtype, requirements=["C", "A"])
    except TypeError as error:
        raise ValueError(f"X has a value that is no number: {error}") from error


def feature_names_of(X: Any, count: int) -> list[str]:
    """The names of the columns of a data frame, else x0, x1 and so on, as in scikit-learn."""
    columns = getattr(X, "column_names", getattr(X, "columns", None))
    if columns is None or len(columns) != count:
        return [f"x{at}" for at in range(count)]
    return [str(column) for column in columns]


def labels_of(labels: ArrayLike) -> Labels:
    """Labels of any kind: numbers, texts, booleans, objects that can be hashed."""
    if isinstance(labels, str):
        raise TypeError(f"labels is the text {labels!r}: only where X is an AnnData object may it name a column")
    if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
        raise ValueError("Input y contains NaN.\nValues of the masked array are masked.")
    if isinstance(labels, (list, tuple)) and len({type(label) for label in labels}) > 1:
        # NumPy would make texts of all of them, of missing ones, too.
        return _objects([label.item() if isinstance(label, np.generic) else label for label in labels])
    array = np.asarray(labels) if is_table(labels) else array_of(labels, "labels")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    kind = array.dtype.kind
    if kind == "f" and not np.isfinite(array).all():
        missing = np.isnan(array)
        if missing.any():
            raise _missing_label(int(missing.argmax()))
        raise ValueError(f"Input y contains infinity or a value too large for {array.dtype!r}.")
    if kind in "iu" and array.size:
        return _integers(array)
    if kind in "mM":
        if np.isnat(array).any():
            raise _missing_label(int(np.isnat(array).argmax()))
        moments, codes = np.unique(array, return_inverse=True)
        return Labels(codes.reshape(-1).astype(np.uint32), [name_of(moment) for moment in moments])
    if kind in "OV":
        return _objects(array.tolist())
    values, codes = np.unique(array, return_inverse=True)
    return Labels(codes.reshape(-1).astype(np.uint32), [name_of(value) for value in values.tolist()])


def _integers(array: NDArray[Any]) -> Labels:
    """Without sorting all of them, where they lie close together."""
    least, most = int(array.min()), int(array.max())
    if most - least > 2 * array.size + 1000:
        values, places = np.unique(array, return_inverse=True)
        return Labels(places.reshape(-1).astype(np.uint32), [str(value) for value in values.tolist()])
    # Differences of integers are right modulo 2**32, whatever their type, and these are small.
    codes: NDArray[np.uint32] = np.subtract(array.astype(np.uint32), np.uint32(least % 2**32), dtype=np.uint32)
    used = np.flatnonzero(np.bincount(codes))
    if len(used) < most - least + 1:
        code_of = np.zeros(most - least + 1, np.uint32)
        code_of[used] = np.arange(len(used), dtype=np.uint32)
        codes = code_of[codes]
    return Labels(codes, [str(least + at) for at in used.tolist()])


def _objects(values: list[Hashable]) -> Labels:
    known: dict[Hashable, int] = {}
    codes = np.empty(len(values), np.uint32)
    for at, value in enumerate(values):
        try:
            if value is None or value != value:
                raise _missing_label(at)
            codes[at] = known.setdefault(value, len(known))
        except TypeError as error:
            if type(value).__name__ == "NAType":  # pandas.NA is neither equal to itself nor different
                raise _missing_label(at) from None
            raise TypeError(f"the label in row {at} cannot be told from others: {error}") from error
    names = [name_of(value) for value in known]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"labels of different types have the same name {double!r}: make all of them texts")
    return Labels(codes, names)


def _missing_label(row: int) -> ValueError:
    return ValueError(
        f"Input y contains NaN.\nThe label in row {row} (counted from 0) is missing: leave such rows out, or give them a label."
    )


def name_of(value: object) -> str:
    """What the class of a label is called."""
    if isinstance(value, (np.datetime64, date)) and getattr(value, "tzinfo", None) is None:
        return str(np.datetime_as_string(np.datetime64(value), unit="auto"))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)


def check_lengths(*lengths: int) -> None:
    """As many labels as points."""
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {list(lengths)}")


class Labelled(NamedTuple):
    """Points, as many labels, and the names of the features."""

    points: Points
    labels: Labels
    features: list[str]


def labelled(X: ArrayLike, labels: ArrayLike | str, rep: str | None = None) -> Labelled:
    """Points with labels; ``rep`` chooses a matrix of an AnnData object, of which labels may name a column."""
    features: list[str] | None = None
    if is_anndata(X):
        X, labels, features = select(X, labels, rep)
    elif rep is not None:
        raise TypeError(f"rep chooses a matrix of an AnnData object, and X is a {type(X).__name__}")
    points, encoded = points_of(X), labels_of(labels)
    check_lengths(len(points), len(encoded.codes))
    if features is None:
        features = feature_names_of(X, points.shape[1])
    return Labelled(points, encoded, features)


def given_labels(X: Any, labels: ArrayLike | str) -> ArrayLike:
    """The labels themselves, where they may be named."""
    if isinstance(labels, str) and is_anndata(X):
        named: ArrayLike = X.obs[labels]
        return named
    return labels


def pair_of(X: ArrayLike, labels: ArrayLike | str, rep: str | None = None) -> tuple[Points, Labels]:
    """Points and as many labels."""
    points, encoded, _ = labelled(X, labels, rep)
    return points, encoded


def threads_of(n_jobs: int | None) -> int | None:
    """The number of threads; ``None`` for all processors."""
    if n_jobs is None:
        return None
    n_jobs = index(n_jobs)
    if n_jobs == -1:
        return None
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning: give a number of threads, or -1 for all processors")
    if n_jobs < 0:
        return max((os.cpu_count() or 1) + 1 + n_jobs, 1)
    return min(n_jobs, MOST_THREADS)


def seed_of(random_state: Any) -> int:
    """A seed from what scikit-learn takes: ``None`` (0 here: results do not change), a number or a generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    if random_state is np.random:
        return int(np.random.randint(2**31 - 1))
    return count_of("random_state", random_state)


def count_of(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """A whole number that is not too small and not too large; ``name`` is the argument."""
    try:
        found = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if not least <= found <= most:
        end = f"at least {least}" if found < least else f"at most {most}"
        raise ValueError(f"{name} must be {end}, got {found}")
    return found


def table_of(rows: list[dict[str, Any]], *columns: str) -> Any:
    """A DataFrame where pandas can be imported, else the rows. ``columns`` are those of a table that may have no rows."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows) if rows else pandas.DataFrame(columns=list(columns))


def stack_level() -> int:
    """How far up the first caller is that is not in this package, for warnings."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("clmatch."):
        frame = frame.f_back
        level += 1
    return level
