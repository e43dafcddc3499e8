"""Files to arrays, and the catalogue of well-known datasets."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _clmatch
from ._input import DataWarning, count_of, Points, stack_level, table_of
from ._work import visible

_READING: dict[str, Any] = {
    "label": None,
    "labels_file": None,
    "layer": None,
    "drop": [],
    "keep": [],
    "only": [],
    "drop_text": False,
    "one_hot": [],
    "mixed": False,
    "missing": "error",
    "na": [],
    "decimal_comma": False,
    "header": None,
    "skip_rows": 0,
    "memory": None,
}


def reading(options: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of reading, from those that were given."""
    unknown = [name for name in options if name not in _READING]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is not an option of reading; there are {', '.join(_READING)}")
    settings = {**_READING, **options}
    for name in ("drop", "keep", "only", "one_hot", "na"):
        settings[name] = _columns(settings[name])
    settings["skip_rows"] = count_of("skip_rows", settings["skip_rows"])
    if settings["memory"] is not None:
        settings["memory"] = count_of("memory", settings["memory"], 1)
    if settings["label"] is not None:
        settings["label"] = str(settings["label"])
    # What only ``read`` can show.
    settings["show"] = None
    return settings


def _columns(columns: Any) -> list[str]:
    """Names of columns, or their indices, of which there may be one."""
    if columns is None:
        return []
    several = isinstance(columns, Iterable) and not isinstance(columns, str)
    return [str(column) for column in (columns if several else [columns])]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Points with labels, as they were read."""

    name: str
    """The name of the file or folder, without extensions."""
    X: Points
    """One row per point: float32 where the file is, else float64."""
    labels: NDArray[Any]
    """The class of each point: integers if all names are, else texts."""
    feature_names: list[str]
    """The names of the columns of X."""
    label_name: str | None
    """The column that the labels come from, if it is known."""
    noise: str | None
    """The label that means noise by the convention of the collection, if there is one."""
    notes: list[str]
    """What happened on the way in."""
    shown: dict[str, NDArray[Any]] = field(default_factory=dict)
    """With ``show``: cells of the file as texts, one per point, by the names of their columns. Ids that are no features come first."""

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        counts = f"{rows} points, {columns} features, {len(np.unique(self.labels))} classes"
        return visible(f"<Dataset {self.name}: {counts}>")


def read(path: str | PathLike[str], *, show: str | Iterable[str] | None = None, **options: Any) -> Dataset:
    """Reads a dataset in any format that the command understands, or an embedded one by its name.

    CSV and its kin, JSON, NPY, NPZ, Parquet, Arrow, ARFF, svmlight, AnnData, folders, and all of them packed. The numbers reach
    NumPy without a copy. What probably spoils scores, such as a guessed label column, is warned of with ``DataWarning``.

    Parameters
    ----------
    path : str or path-like
        A file or folder with one dataset, or a name such as ``"iris"``.
    show : str or list of str
        Columns to keep as texts in ``shown``, after ids that were left out; ``[]`` keeps only these. ``explain`` shows them.
    label : str or int
        The label column, by name or index (-1 is the last); found out if not given.
    labels_file : path-like
        A file with one label per row.
    layer : str
        Which matrix of an AnnData file holds the points, such as ``"obsm/X_pca"``.
    drop, keep, only, one_hot : str or list of str
        Columns to leave out; to use although they look like ids; to use alone; to turn into indicators (``"*"``: all texts).
    drop_text : bool
        Whether to leave out all columns of text.
    mixed : bool
        Whether to turn text columns with few values into indicators, and to leave out all other text and dates.
    missing : {"error", "drop", "drop-any", "mean"}
        What to do with missing values: refuse them, leave out their rows (more than half of them only with "drop-any"), or use
        the mean of the column.
    na : str or list of str
        Texts that stand for missing values in all columns; ``"-999"`` stands for all numbers of that value.
    decimal_comma : bool
        Whether numbers in text are written with a decimal comma.
    header : bool
        Whether a text table starts with a header; found out if not given.
    skip_rows : int
        Lines at the start of a text table to pass over.
    memory : int
        How many bytes the points may take; three quarters of what is free if not given.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> iris.X.shape, iris.X.dtype.name, sorted(set(iris.labels.tolist()))
    ((150, 4), 'float64', ['setosa', 'versicolor', 'virginica'])
    """
    found = _clmatch.read(path, {**reading(options), "show": None if show is None else _columns(show)})
    for text in found["warnings"]:
        warnings.warn(text, DataWarning, stacklevel=stack_level())
    return Dataset(
        name=found["name"],
        X=found["points"],
        labels=_values(found["names"])[found["codes"]],
        feature_names=found["features"],
        label_name=found["label"],
        noise=found["noise"],
        notes=found["notes"],
        shown={name: np.array(cells, dtype=str) for name, cells in found["shown"]},
    )


def _values(names: list[str]) -> NDArray[Any]:
    """Integers if every name is one as Python writes it, else texts."""
    try:
        numbers = [int(name) for name in names]
        if [str(number) for number in numbers] == names:
            return np.array(numbers, dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    return np.array(names, dtype=str)


def _range(name: str, range: Any) -> tuple[int, int] | None:
    """Both ends of a range; one that is ``None`` is open."""
    if range is None:
        return None
    if not isinstance(range, (tuple, list)):
        count = count_of(name, range)
        return count, count
    if len(range) != 2:
        raise ValueError(f"{name} must be a number, or the least and the most, got {range!r}")
    least, most = range
    return 0 if least is None else count_of(name, least), 2**63 - 1 if most is None else count_of(name, most)


def catalogue(
    *,
    by: str = "clm",
    scale: str = "max-abs",
    classes: tuple[int | None, int | None] | int | None = None,
    points: tuple[int | None, int | None] | int | None = None,
    features: tuple[int | None, int | None] | int | None = None,
    at_least: Mapping[str, float] | Iterable[tuple[str, float]] = (),
    top_third: bool = False,
) -> Any:
    """Well-known datasets of the literature with their scores, best first.

    Parameters
    ----------
    by : str, default="clm"
        The id of the measure that orders them.
    scale : {"max-abs", "standard"}, default="max-abs"
        How the data were scaled: as in the paper, or with every feature at the same weight.
    classes, points, features : (int, int) or int
        How many of them a dataset has: at least and at most (``None`` for an end that is open), or exactly.
    at_least : dict of id and value
        Only those that score at least as well.
    top_third : bool, default=False
        Only the top third by the measure: those that are fit to serve as ground truth.

    Returns
    -------
    pandas.DataFrame, or a list of dicts without pandas
        With rank, dataset, points, features, classes, third and a column for each measure.

    Examples
    --------
    >>> import clmatch
    >>> len(clmatch.catalogue())
    92
    """
    bars = at_least.items() if isinstance(at_least, Mapping) else at_least
    if scale not in ("max-abs", "standard"):
        raise ValueError(f"scale must be 'max-abs' or 'standard', got {scale!r}: there is no catalogue of other data")
    ranges = (_range("classes", classes), _range("points", points), _range("features", features))
    found = _clmatch.catalogue(by, scale, *ranges, [(id, float(bar)) for id, bar in bars], top_third)
    rows = []
    columns = ("rank", "dataset", "points", "features", "classes")
    for entry in json.loads(found):
        row = {name: entry[name] for name in columns}
        row["third"] = entry.get("standing", {}).get("third")
        row |= {id: float(value) for id, value in entry["scores"].items()}
        rows.append(row)
    return table_of(rows, *columns, "third", by)
