"""All that can be said about points and labels, as result objects."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _clmatch
from ._data import Dataset, reading
from ._explain import Explanation, explained
from ._input import count_of, table_of
from ._work import dataset_of, preparation, running, warn

DEFAULT = ("clm", "ch_a", "xb_a", "db_a", "di_a", "sc_a")


@dataclass(frozen=True)
class Verdict:
    """Whether a dataset may serve as ground truth for clustering."""

    decision: str
    """``fit``, ``fit-but-for-pairs``, ``with-care``, ``not-fit`` or ``withheld``."""
    measure: str
    """The id of the measure that decides."""
    text: str
    """One sentence, with pairs that fail or why there is no verdict."""

    def __str__(self) -> str:
        return self.text


class Data(NamedTuple):
    """What was evaluated."""

    X: ArrayLike
    labels: ArrayLike | str
    rep: str | None
    preparation: dict[str, Any]


class Evaluation:
    """The scores of one dataset. Made by ``evaluate`` and ``rank``; can be pickled and compared."""

    def __init__(self, result: dict[str, Any], verdict: str, data: Data | None = None) -> None:
        self._result = result
        self._verdict = verdict
        self._data = data

    def __getstate__(self) -> dict[str, Any]:
        # Results are small and may be kept; the points need not be.
        return {"_result": self._result, "_verdict": self._verdict, "_data": None}

    def explain(self, *, n_jobs: int | None = None, progress: bool | None = None) -> Explanation:
        """What is wrong with the dataset, and what would help: see ``clmatch.explain``.

        It looks at the points again, as they are now: a copy of them is not kept. So it is there for results of ``evaluate``
        only, and not for those that were copied or pickled.
        """
        if self._data is None:
            raise ValueError("this result does not keep the points: call clmatch.explain(X, labels)")
        return explained(*self._data, self.name, n_jobs, progress)

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return str(self._result["dataset"])

    @property
    def n_points(self) -> int:
        """How many points were scored."""
        return int(self._result["points"])

    @property
    def n_features(self) -> int:
        """How many features they have."""
        return int(self._result["features"])

    @property
    def n_classes(self) -> int:
        """How many classes were scored."""
        return int(self._result["classes"])

    @property
    def scores(self) -> dict[str, float]:
        """The value of each measure, by its id."""
        return _numbers(self._result["scores"])

    @property
    def over_pairs(self) -> Any:
        """Of every measure that is a mean over pairs of classes: the mean weighted by points, the worst pair and its score, and
        the class that is worst on average. A DataFrame, or a list of dicts without pandas."""
        rows = []
        for one in self._result.get("over_pairs", []):
            row = {"measure": one["measure"], "weighted_mean": float(one["weighted_mean"])}
            pair, weakest = one["worst_pair"], one["weakest_class"]
            row |= {"worst_a": pair["a"], "worst_b": pair["b"], "worst_score": float(pair["score"])}
            rows.append(row | {"weakest_class": weakest["class"], "weakest_score": float(weakest["score"])})
        columns = ("measure", "weighted_mean", "worst_a", "worst_b", "worst_score", "weakest_class", "weakest_score")
        return table_of(rows, *columns)

    @property
    def terms(self) -> dict[str, float] | None:
        """The means over pairs of classes of the terms of ``clm``, if it was asked for: eta along the line between centres,
        kappa of the spanning tree, nu of neighbours."""
        terms = self._result.get("terms")
        return None if terms is None else _numbers(terms)

    @property
    def pairs(self) -> Any:
        """The values of each pair of classes: a DataFrame, or a list of dicts without pandas."""
        rows = []
        for pair in self._result["pairs"]:
            row = {name: pair[name] for name in ("a", "b", "points")}
            rows.append(row | _numbers(pair["scores"]) | _numbers(pair.get("terms", {})))
        return table_of(rows)

    @property
    def sizes(self) -> dict[str, int]:
        """How many points each class has."""
        return {size["class"]: size["points"] for size in self._result["sizes"]}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """With ``ci=True``: where each score would probably lie with other samples of the same size (95%)."""
        found = self._result.get("intervals", [])
        return {one["measure"]: (float(one["low"]), float(one["high"])) for one in found}

    @property
    def random_labels(self) -> dict[str, dict[str, float]]:
        """With ``null``: what random labels score, by measure: mean, low and high end of their middle 95%, and p, the share of
        labellings that score at least as well as the labels."""
        found = self._result.get("random_labels", {}).get("scores", [])
        return {one["measure"]: _numbers({key: one[key] for key in ("mean", "low", "high", "p")}) for one in found}

    @property
    def verdict(self) -> Verdict:
        """Whether the dataset may serve as ground truth."""
        verdict = self._result["verdict"]
        return Verdict(verdict["decision"], verdict["measure"], self._verdict)

    @property
    def notes(self) -> list[str]:
        """What should be known about the dataset."""
        return list(self._result.get("notes", []))

    @property
    def warnings(self) -> list[str]:
        """Those of the notes that probably spoil the scores."""
        return list(self._result.get("warnings", []))

    def to_dict(self) -> dict[str, Any]:
        """The same object that ``clmatch score --format json`` prints; infinite values are the text ``"inf"``."""
        copy: dict[str, Any] = json.loads(json.dumps(self._result))
        return copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evaluation) and self._result == other._result

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        scores = ", ".join(f"{id}={value:.3f}" for id, value in self.scores.items())
        return f"<Evaluation of {self.name}: {scores}; {self.verdict.decision}>"

    def _repr_html_(self) -> str:
        result = self._result
        counts = f"{result['points']} points, {result['features']} features, {result['classes']} classes"
        extra = [name for name, has in (("95% interval", self.intervals), ("random labels", self.random_labels)) if has]
        worst = {one["measure"]: one["worst_pair"] for one in result.get("over_pairs", [])}
        rows = []
        for id, value in self.scores.items():
            cells = [id, f"{value:.3f}"]
            if self.intervals:
                low, high = self.intervals[id]
                cells.append(f"{low:.3f} to {high:.3f}")
            if self.random_labels:
                chance = self.random_labels[id]
                cells.append(f"{chance['mean']:.3f} (p = {chance['p']:.3g})")
            pair = worst.get(id)
            cells.append(f"{pair['a']} | {pair['b']} ({float(pair['score']):.3f})" if pair else "")
            rows.append(cells)
        table = _html_table(["measure", "score", *extra, "worst pair of classes"], rows)
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            f"<div><strong>{escape(self.name)}</strong>: {counts}{table}"
            f"<p>Verdict: {escape(str(self.verdict))}</p>{f'<ul>{notes}</ul>' if notes else ''}</div>"
        )


class Ranking(Sequence[Evaluation]):
    """Evaluations, best first. Made by ``rank``."""

    def __init__(self, entries: list[dict[str, Any]], verdicts: dict[str, str], by: str, failed: dict[str, str]) -> None:
        self._entries = entries
        self._verdicts = verdicts
        self.by = by
        """The id of the measure that decides the order."""
        self.failed = failed
        """Datasets that could not be scored, by name, with the reason."""

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        if isinstance(at, str):
            return self[self._place(at)]
        entry = self._entries[at]
        result = {key: value for key, value in entry.items() if key not in ("rank", "by", "not_told_apart")}
        return Evaluation(result, self._verdicts[_key(entry)])

    def _place(self, name: str) -> int:
        for at, entry in enumerate(self._entries):
            if entry["dataset"] == name:
                return at
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        """Whether a dataset of this name was scored."""
        return any(entry["dataset"] == name for entry in self._entries)

    def __iter__(self) -> Iterator[Evaluation]:
        return (self[at] for at in range(len(self)))

    @property
    def table(self) -> Any:
        """One row per dataset: a DataFrame, or a list of dicts without pandas."""
        rows = []
        columns = ("rank", "dataset", "points", "features", "classes")
        for entry in self._entries:
            row = {name: entry[name] for name in columns}
            row["verdict"] = entry["verdict"]["decision"]
            rows.append(row | _numbers(entry["scores"]))
        return table_of(rows, *columns, "verdict", self.by)

    def to_list(self) -> list[dict[str, Any]]:
        """The same objects that ``clmatch rank --format json`` prints for datasets that were scored."""
        copy: list[dict[str, Any]] = json.loads(json.dumps(self._entries))
        return copy

    def __repr__(self) -> str:
        best = f", best {self._entries[0]['dataset']}" if self._entries else ""
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<Ranking of {len(self)} datasets by {self.by}{best}{failed}>"

    def _repr_html_(self) -> str:
        ids = list(self._entries[0]["scores"]) if self._entries else []
        rows = []
        for entry in self._entries:
            scores = _numbers(entry["scores"])
            first = [entry["rank"], entry["dataset"], entry["points"], entry["features"], entry["classes"]]
            rows.append([*map(str, first), entry["verdict"]["decision"], *(f"{scores[id]:.3f}" for id in ids)])
        return _html_table(["#", "dataset", "points", "features", "classes", "verdict", *ids], rows)


def _key(entry: Mapping[str, Any]) -> str:
    """What tells one dataset from another."""
    return f"{entry['dataset']}\0{entry.get('path', '')}"


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """JSON has no infinity: it is the text ``inf`` there."""
    return {key: float(value) for key, value in values.items()}


def _html_table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def scoring_of(
    measures: str | Iterable[str] | None,
    by: str | None,
    scale: str,
    noise: object,
    singletons: str,
    ci: bool,
    null: int,
    random_state: Any,
) -> dict[str, Any]:
    if measures is None:
        measures = DEFAULT
    elif measures == "all":
        measures = [measure["id"] for measure in json.loads(_clmatch.describe_measures())]
    elif isinstance(measures, str):
        measures = [measures]
    if not isinstance(ci, (bool, np.bool_)):
        raise TypeError(f"ci must be True or False, got {ci!r}: intervals are always of 95%")
    return {
        "measures": list(dict.fromkeys(measures)),
        "by": by,
        "preparation": preparation(scale, noise, singletons, random_state),
        "intervals": bool(ci),
        "permutations": count_of("null", null),
        "try_standard": by is None,
    }


def evaluate(
    X: ArrayLike,
    labels: ArrayLike | str,
    *,
    measures: str | Iterable[str] | None = None,
    ci: bool = False,
    null: int = 0,
    scale: str = "max-abs",
    noise: object = None,
    singletons: str = "error",
    rep: str | None = None,
    name: str = "data",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Scores, pairs of classes, intervals and a verdict about points and labels: what ``clmatch score`` prints.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, as for ``score``. They are copied once.
    labels : array-like of shape (n_samples,)
        The class of each point, of any type; of an AnnData object, it may be the name of a column of ``obs``.
    measures : list of str, or "all", default=None
        Ids of measures, see ``measures``; by default ``clm`` and the adjusted ones.
    ci : bool, default=False
        Whether to compute a 95% interval for every score.
    null : int, default=0
        How many random labellings to score, too, with classes of the same sizes.
    scale : {"max-abs", "none", "standard", "min-max", "robust"}, default="max-abs"
        How features are scaled. The default divides all numbers by the largest one, as in the paper.
    noise : default=None
        Points with this label are left out.
    singletons : {"error", "drop"}, default="error"
        What becomes of classes of a single point.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    name : str, default="data"
        The name of the dataset in the result.
    random_state : int, RandomState or Generator, default=None
        Decides which points intervals leave out and which labels are drawn; ``None`` is the seed 0.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors. The result does not depend on it.
    progress : bool, default=None
        Whether work of more than a second shows a bar (tqdm); by default in terminals and notebooks where tqdm is installed.

    Returns
    -------
    Evaluation
        With ``scores``, ``pairs``, ``terms``, ``intervals``, ``random_labels``, ``verdict`` and ``to_dict()``.

    Warns
    -----
    DataWarning
        Of what probably spoils the scores.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> result = clmatch.evaluate(iris.X, iris.labels, measures=["clm", "ch_a"])
    >>> {id: round(value, 3) for id, value in result.scores.items()}
    {'clm': 0.879, 'ch_a': 0.875}
    >>> result.verdict.decision
    'fit'
    """
    scoring = scoring_of(measures, None, scale, noise, singletons, ci, null, random_state)
    with running(n_jobs, progress) as how:
        return _evaluated(X, labels, rep, name, scoring, how)


def _evaluated(
    X: ArrayLike, labels: ArrayLike | str, rep: str | None, name: str, scoring: dict[str, Any], how: dict[str, Any]
) -> Evaluation:
    dataset = dataset_of(X, labels, name, rep)
    result, verdict, said = _clmatch.evaluate(dataset, scoring, how)
    warn(said)
    return Evaluation(json.loads(result), verdict, Data(X, labels, rep, scoring["preparation"]))


def rank(
    datasets: Mapping[str, Any] | str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    by: str = "clm",
    measures: str | Iterable[str] | None = None,
    ci: bool = False,
    null: int = 0,
    scale: str = "max-abs",
    noise: object = None,
    singletons: str = "error",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Ranking:
    """Scores many datasets and orders them, best first: what ``clmatch rank`` does.

    Parameters
    ----------
    datasets : dict of name to (X, labels), or paths
        Datasets in memory (a pair, or what ``read`` returns), or files, folders and names of embedded datasets.
    by : str, default="clm"
        The id of the measure that decides.
    measures, ci, null, scale, noise, singletons, random_state, n_jobs, progress
        As for ``evaluate``.
    **options
        How files are read, as for ``read``.

    Returns
    -------
    Ranking
        A sequence of ``Evaluation``, with ``table``, ``to_list()`` and ``failed``: what is wrong with one dataset does not stop
        the others.

    Examples
    --------
    >>> import clmatch
    >>> [result.name for result in clmatch.rank(["wine", "iris"])]
    ['iris', 'wine']
    """
    scoring = scoring_of(measures, by, scale, noise, singletons, ci, null, random_state)
    failed: dict[str, str] = {}
    results: list[tuple[dict[str, Any], str]] = []
    with running(n_jobs, progress) as how:
        if isinstance(datasets, Mapping):
            if options:
                raise TypeError(f"{next(iter(options))!r} is an option of reading, and nothing is read")
            for name, given in _named(datasets).items():
                try:
                    X, labels = _parts(given)
                    found = _evaluated(X, labels, None, name, scoring, how)
                except (TypeError, ValueError) as error:
                    failed[name] = str(error)
                else:
                    results.append((found._result, found._verdict))
        else:
            paths = [datasets] if isinstance(datasets, (str, PathLike)) else list(datasets)
            done, reasons = _clmatch.score_paths([os.fspath(path) for path in paths], reading(options), scoring, how)
            failed = dict(reasons)
            for result, verdict, said in done:
                results.append((json.loads(result), verdict))
                warn([f"{results[-1][0]['dataset']}: {text}" for text in said])
    entries = json.loads(_clmatch.order([json.dumps(result) for result, _ in results], by))
    return Ranking(entries, {_key(result): verdict for result, verdict in results}, by, failed)


def _named(datasets: Mapping[Any, Any]) -> dict[str, Any]:
    """By the texts of their names, which must tell them apart."""
    named = {str(name): given for name, given in datasets.items()}
    if len(named) < len(datasets):
        names = [str(name) for name in datasets]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two datasets are called {double!r}: give each one a name of its own")
    return named


def _parts(given: Any) -> tuple[Any, Any]:
    """Points and labels: of what ``read`` returns, of what scikit-learn's loaders return, or of a pair."""
    if isinstance(given, Dataset):
        return given.X, given.labels
    if hasattr(given, "data") and hasattr(given, "target"):
        return given.data, given.target
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"a dataset must be a pair of points and labels, or what clmatch.read returns, not a {type(given).__name__}")
    return given[0], given[1]
