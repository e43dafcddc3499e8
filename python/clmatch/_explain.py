"""What is wrong with a dataset, and labels with the changes made that would help."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _clmatch
from ._anndata import is_anndata
from ._input import table_of
from ._work import dataset_of, label_values, preparation, running, visible, warn


@dataclass(frozen=True)
class Action:
    """A change of the labels that raises the score."""

    kind: str
    """``merge``, ``split`` or ``drop_rows``."""
    classes: tuple[Any, ...]
    """The classes that become one, or the class whose clusters become classes."""
    rows: tuple[int, ...]
    """The rows to leave out, counted from 0."""
    clm: float
    """The score after it."""
    gain: float
    """By how much it rises."""
    held_out: tuple[float, float]
    """By how much it rises on either half of the points, where the other half decides what is changed."""

    def arguments(self) -> dict[str, Any]:
        """The arguments with which ``clmatch.relabel(X, labels, ...)`` makes this change."""
        if self.kind == "merge":
            return {"merge": [self.classes]}
        if self.kind == "split":
            return {"split": list(self.classes)}
        return {"drop_rows": list(self.rows)}


class Explanation:
    """What is wrong with one dataset, and what would help. Made by ``explain``; can be pickled. Rows are counted from 0."""

    def __init__(
        self, result: dict[str, Any], points: dict[str, Any], values: dict[str, Any], shown: dict[str, NDArray[Any]]
    ) -> None:
        self._result = result
        self._points = points
        self._values = values
        self._shown = shown

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return str(self._result["dataset"])

    @property
    def features_used(self) -> list[str]:
        """The names of the features."""
        return list(self._result["features_used"])

    @property
    def clm(self) -> float:
        """The score of the labels as they are."""
        return float(self._result["clm"])

    @property
    def summary(self) -> list[str]:
        """A few sentences: pairs of classes, clusters of classes, wrong labels, outliers, features, what to do."""
        return list(self._result["summary"])

    @property
    def pairs(self) -> Any:
        """Every pair of classes, worst first: verdict (``separate``, ``touching``, ``overlapping``, ``one-cluster``), score and terms, the
        share of each class that is closer to the other one, and the score if both were one class."""
        rows = []
        for pair in self._result["pairs"]:
            row = {"a": self._values[pair["a"]], "b": self._values[pair["b"]], "verdict": pair["verdict"], "clm": pair["clm"]}
            row |= pair["terms"] | {key: pair[key] for key in ("a_closer_to_b", "b_closer_to_a")}
            rows.append(row | {"clm_if_merged": pair.get("clm_if_merged")})
        return table_of(rows)

    @property
    def classes(self) -> Any:
        """Every class: its points, how many clusters they form, a typical row of each, and the score if these were classes."""
        rows = []
        for one in self._result["class_clusters"]:
            clusters = one["clusters"]
            rows.append(
                {
                    "class": self._values[one["class"]],
                    "points": one["points"],
                    "clusters": len(clusters),
                    "cluster_points": [cluster["points"] for cluster in clusters],
                    "typical_rows": [cluster["typical_row"] - 1 for cluster in clusters],
                    "clm_if_split": one.get("clm_if_split"),
                }
            )
        return table_of(rows)

    @property
    def features(self) -> Any:
        """Every feature: how well it alone tells classes apart (eta), and its share of the distances between and within."""
        return table_of([dict(feature) for feature in self._result["feature_shares"]])

    @property
    def mislabelled(self) -> Any:
        """Points that are probably mislabelled, most probable first: row, label, what it looks like, the probability, and the
        columns of ``show``."""
        keys = ("suggested", "probability")
        rows = [self._point(one, *keys) for one in self._result["mislabelled"]]
        return table_of(rows, "row", "label", *keys, *self._shown)

    @property
    def outliers(self) -> Any:
        """Points far from every class, farthest first: row, label, the distance in units of what is usual, and the columns of
        ``show``."""
        rows = [self._point(one, "distance") for one in self._result["outliers"]]
        return table_of(rows, "row", "label", "distance", *self._shown)

    def _point(self, one: Mapping[str, Any], *keys: str) -> dict[str, Any]:
        found = {"row": one["row"] - 1, "label": self._values[one["label"]]} | {key: one[key] for key in keys}
        if "suggested" in found:
            found["suggested"] = self._values[found["suggested"]]
        return found | self._cells(found["row"])

    def _cells(self, row: int) -> dict[str, Any]:
        return {name: cells[row] for name, cells in self._shown.items()}

    @property
    def label_issues(self) -> Any:
        """Every point, as cleanlab has it: ``is_label_issue``, ``label_quality`` (1 less the probability that the label is
        wrong), ``given_label`` and ``predicted_label``. A DataFrame with rows as its index, or a list of dicts with ``row``
        without pandas. Points that do not count (noise, classes of one point) are not in it."""
        wrong = {one["row"] - 1 for one in self._result["mislabelled"]}
        points = self._points
        rows = [
            {
                "row": row,
                "is_label_issue": row in wrong,
                "label_quality": 1.0 - probability,
                "given_label": self._values[given],
                "predicted_label": self._values[suggested],
            }
            for row, probability, given, suggested in zip(
                points["row"].tolist(), points["probability"].tolist(), points["label"], points["suggested"], strict=True
            )
        ]
        table = table_of(rows)
        return table if isinstance(table, list) else table.set_index("row").sort_index()

    @property
    def points(self) -> Any:
        """Every point: row, label, what it looks like, the probability that the label is wrong, how far out it is (above 3
        it counts as an outlier), the share of its neighbours' votes that the strongest other class has, and which cluster of
        its class it belongs to, from 0, and the columns of ``show``."""
        points = self._points
        rows = [
            {
                "row": points["row"][at].item(),
                "label": self._values[points["label"][at]],
                "suggested": self._values[points["suggested"][at]],
                "probability": points["probability"][at].item(),
                "outlier": points["outlier"][at].item(),
                "outvoted": points["outvoted"][at].item(),
                "cluster": points["part"][at].item() - 1,
            }
            | self._cells(points["row"][at].item())
            for at in range(len(points["row"]))
        ]
        return table_of(rows)

    @property
    def actions(self) -> list[Action]:
        """Changes of the labels that raise the score, also on either half, best first. ``relabel`` makes them."""
        found = []
        for action in self._result["actions"]:
            classes: list[str] = []
            rows: list[int] = []
            if "merge" in action:
                kind, classes = "merge", action["merge"]
            elif "split" in action:
                kind, classes = "split", [action["split"]]
            else:
                kind, rows = "drop_rows", [row - 1 for row in action["drop_rows"]]
            named = tuple(self._values[name] for name in classes)
            found.append(Action(kind, named, tuple(rows), action["clm"], action["gain"], tuple(action["held_out"])))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The same object that ``clmatch explain --format json`` prints; rows are counted from 1 there."""
        copy: dict[str, Any] = json.loads(json.dumps(self._result))
        return copy

    def __repr__(self) -> str:
        return visible(f"<Explanation of {self.name}: {' '.join(self.summary)}>")

    def _repr_html_(self) -> str:
        sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.summary)
        return f"<div><strong>{escape(self.name)}</strong> (clm {self.clm:.3f})<ul>{sentences}</ul></div>"


def explain(
    X: ArrayLike,
    labels: ArrayLike | str,
    *,
    rep: str | None = None,
    scale: str = "max-abs",
    noise: object = None,
    singletons: str = "error",
    name: str = "data",
    show: Mapping[str, ArrayLike] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Explanation:
    """What is wrong with points and labels, and what would help: what ``clmatch explain`` prints.

    Pairs of classes that touch or overlap, classes of several clusters, points that are probably mislabelled, outliers,
    features that tell classes apart or only scatter, and changes of the labels with the score that they lead to.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points. They are copied once.
    labels : array-like of shape (n_samples,)
        The class of each point, of any type.
    show : dict of name to array, or DataFrame
        What to show of points, such as ids or texts, with one cell for each: ``read(path, show=[...]).shown`` has it for a file.
    rep, scale, noise, singletons, name, random_state, n_jobs, progress
        As for ``evaluate``.

    Returns
    -------
    Explanation
        With ``summary``, ``pairs``, ``classes``, ``mislabelled``, ``label_issues``, ``outliers``, ``features``, ``actions``.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> explanation = clmatch.explain(iris.X, iris.labels)
    >>> explanation.summary[0]
    'Of the 3 pairs of classes, one touches (versicolor | virginica). Every class looks like one cluster.'
    >>> int(explanation.label_issues["is_label_issue"].sum())
    0
    """
    prepared = preparation(scale, noise, singletons, random_state)
    return explained(X, labels, rep, prepared, name, show, n_jobs, progress)


def explained(
    X: ArrayLike,
    labels: ArrayLike | str,
    rep: str | None,
    prepared: dict[str, Any],
    name: str,
    show: Mapping[str, ArrayLike] | None,
    n_jobs: int | None,
    progress: bool | None,
) -> Explanation:
    """With settings that are checked already."""
    dataset = dataset_of(X, labels, name, rep)
    shown = _shown(show, len(dataset["codes"]))
    with running(n_jobs, progress) as how:
        result, points, said = _clmatch.explain(dataset, prepared, how)
    warn(said)
    values = label_values(X, labels, dataset)
    plain = {name: value.item() if _has_plain_form(value) else value for name, value in values.items()}
    found = json.loads(result)
    for one in found["mislabelled"] + found["outliers"]:
        if shown:
            one["shown"] = {name: str(cells[one["row"] - 1]) for name, cells in shown.items()}
    return Explanation(found, points, plain, shown)


_OWN = ("row", "label", "suggested", "probability", "distance", "outlier", "outvoted", "cluster")


def _shown(show: Mapping[str, ArrayLike] | None, count: int) -> dict[str, NDArray[Any]]:
    """What is shown of each point, by names that none of our columns has."""
    if show is None:
        return {}
    if not hasattr(show, "items"):
        raise TypeError(f"show must be a dict of name to array, or a DataFrame, got {type(show).__name__}")
    found: dict[str, NDArray[Any]] = {}
    for name, cells in show.items():
        array = np.asarray(cells)
        if array.shape != (count,):
            raise ValueError(f"show[{name!r}] has the shape {array.shape}, and there are {count} points")
        found[f"{name} (file)" if str(name) in _OWN else str(name)] = array
    return found


def _has_plain_form(value: Any) -> bool:
    """Moments to the nanosecond would become numbers."""
    return isinstance(value, np.generic) and value.dtype.kind not in "mM"


@dataclass(frozen=True, eq=False)
class Relabelled:
    """Points with changed labels. Made by ``relabel``."""

    X: Any
    """The rows that stay: the same object as was given if all do."""
    labels: NDArray[Any]
    """Their labels: of the type that was given if every class has its old name, else texts."""
    rows: NDArray[np.intp]
    """Which rows stay, counted from 0."""
    clm_before: float | None
    """The score of the old labels; ``None`` where they cannot be scored."""
    clm_after: float | None
    """The score of the new labels."""
    result: dict[str, Any]
    """The same object that ``clmatch relabel --format json`` prints; rows are counted from 1 there."""


def relabel(
    X: ArrayLike,
    labels: ArrayLike | str,
    *,
    merge: Iterable[Sequence[Any]] = (),
    split: Iterable[Any] = (),
    rename: Mapping[Any, Any] | None = None,
    drop_rows: Iterable[int] = (),
    rep: str | None = None,
    scale: str = "max-abs",
    noise: object = None,
    singletons: str = "error",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Relabelled:
    """Labels with changes made: what ``clmatch relabel`` writes. All changes are made at once, and nothing that was given is
    changed.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    labels : array-like of shape (n_samples,)
        The class of each point, of any type.
    merge : list of lists of classes
        The classes of each list become one.
    split : list of classes
        The clusters of each become classes of their own, with a number behind the name.
    rename : dict of class to name
        New names, which are given last.
    drop_rows : list of int, or array of bool
        Rows to leave out, counted from 0, or a mask that is true for them.
    rep, scale, noise, singletons, random_state, n_jobs
        As for ``evaluate``, for the scores before and after and for splits.

    Returns
    -------
    Relabelled
        With ``X``, ``labels``, ``rows``, ``clm_before`` and ``clm_after``.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> repaired = clmatch.relabel(iris.X, iris.labels, merge=[["versicolor", "virginica"]])
    >>> round(repaired.clm_before, 3), round(repaired.clm_after, 3)
    (0.85, 1.0)
    """
    dataset = dataset_of(X, labels, "data", rep)
    values = label_values(X, labels, dataset)
    given = {value: name for name, value in values.items()}
    count = len(dataset["codes"])
    dropped = sorted({_row(row, count) for row in _rows(drop_rows, count)})
    merged = list(merge)
    if any(isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable) for classes in merged):
        raise TypeError('merge must be a list of lists of classes, such as [["a", "b"]]')
    changes = {
        "merge": [[_class(one, given) for one in classes] for classes in merged],
        "split": [_class(one, given) for one in ([split] if isinstance(split, (str, bytes)) else split)],
        "rename": [(_class(old, given), str(new)) for old, new in (rename or {}).items()],
        "drop_rows": dropped,
    }
    prepared = preparation(scale, noise, singletons, random_state)
    with running(n_jobs) as how:
        text, codes, names, said = _clmatch.relabel(dataset, changes, prepared, how)
    warn(said)
    result = json.loads(text)
    rows = np.delete(np.arange(count), dropped)
    old = all(name in values for name in names)
    new = np.array([values[name] for name in names]) if old else np.array(names, dtype=str)
    before, after = result["clm"]["before"], result["clm"]["after"]
    kept = _rows_of(X, dataset["points"], rows) if dropped else X
    return Relabelled(kept, new[codes], rows, before, after, result)


def _rows(rows: Any, count: int) -> Any:
    """Rows, or those where a mask is true."""
    if isinstance(rows, np.ndarray) and rows.dtype == bool:
        if rows.shape != (count,):
            raise ValueError(f"drop_rows is a mask of shape {rows.shape}, and there are {count} rows")
        return np.flatnonzero(rows)
    return rows


def _row(row: Any, count: int) -> int:
    if isinstance(row, (bool, np.bool_)):
        raise TypeError("drop_rows must be numbers of rows, or an array of booleans with one for each row")
    try:
        found = index(row)
    except TypeError:
        raise TypeError(f"drop_rows must be numbers of rows, got {row!r}") from None
    if not -count <= found < count:
        raise ValueError(f"there is no row {row}: rows are counted from 0, and there are {count}")
    return found % count


def _class(value: Any, given: Mapping[Any, str]) -> str:
    return given.get(value, str(value))


def _rows_of(X: Any, points: NDArray[Any], rows: NDArray[np.intp]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if is_anndata(X) else points[rows]
