"""All that can be said about the scores of one dataset, as a result object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _clmatch
from ._explain import Explanation, explained
from ._input import count_of, table_of
from ._work import chosen_measures, dataset_of, preparation, running, visible, warn


class Result:
    """A finished result."""

    def __init__(self, result: dict[str, Any]) -> None:
        self._result = result

    def to_dict(self) -> dict[str, Any]:
        """The same object that the command prints as JSON."""
        copy: dict[str, Any] = json.loads(json.dumps(self._result))
        return copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._result == other._result

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Verdict:
    """Whether a dataset may serve as ground truth for clustering."""

    decision: str
    """``fit``, ``fit-after-change``, ``not-fit`` or ``cannot-be-said``."""
    measure: str
    """The id of the measure that it rests on: ``clm``."""
    text: str
    """One sentence, with the changes, the findings, or why nothing can be said."""
    expected_ami: float | None = None
    """What the best clustering can be expected to reach, in adjusted mutual information (off by .12 at most in 9 of 10 datasets)."""
    evidence: dict[str, Any] = field(default_factory=dict, hash=False)
    """What it rests on: the changes, findings or reasons, caveats, and what was found out for it. ``to_dict`` of the result has the shape."""

    def __str__(self) -> str:
        return visible(self.text)


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

    def explain(
        self,
        *,
        show: Mapping[str, ArrayLike] | None = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> Explanation:
        """What is wrong with the dataset, and what would help: see ``clmatch.explain``.

        It looks at the points again, as they are now: a copy of them is not kept. So it is there for results of ``evaluate``
        only, and not for those that were copied or pickled.
        """
        if self._data is None:
            raise ValueError("this result does not keep the points: call clmatch.explain(X, labels)")
        return explained(*self._data, self.name, show, n_jobs, progress)

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
    def features_used(self) -> list[str]:
        """The names of the features; empty for datasets of the catalogue."""
        return list(self._result.get("features_used", []))

    @property
    def n_classes(self) -> int:
        """How many classes were scored."""
        return int(self._result["classes"])

    @property
    def scores(self) -> dict[str, float]:
        """The value of each measure, by its id."""
        return numbers_of(self._result["scores"])

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
    def terms(self) -> dict[str, Any] | None:
        """The halves of ``clm``, if it was asked for: ``pairs``, the mean score of pairs of classes, and ``all``, that of all
        classes at once; and their terms. ``of_pairs`` are means over pairs: eta along the line between centres, kappa of the
        spanning tree, nu of neighbours. ``of_all`` are lambda, which tells whether k-means would keep the classes, kappa and nu
        of all points."""
        terms = self._result.get("terms")
        return None if terms is None else halves_of(terms)

    @property
    def pairs(self) -> Any:
        """The values of each pair of classes: a DataFrame, or a list of dicts without pandas."""
        rows = []
        for pair in self._result["pairs"]:
            row = {name: pair[name] for name in ("a", "b", "points")}
            rows.append(row | numbers_of(pair["scores"]) | numbers_of(pair.get("terms", {})))
        return table_of(rows)

    @property
    def sizes(self) -> dict[str, int]:
        """How many points each class has."""
        return {size["class"]: size["points"] for size in self._result["sizes"]}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """With ``ci=True``: 95% intervals for the mean score of samples of this size, by measure."""
        found = self._result.get("intervals", [])
        return {one["measure"]: (float(one["low"]), float(one["high"])) for one in found}

    @property
    def random_labels(self) -> dict[str, dict[str, float]]:
        """With ``null``: what random labels score, by measure: mean, low and high end of their middle 95%, and p, the share of
        labellings that score at least as well as the labels."""
        found = self._result.get("random_labels", {}).get("scores", [])
        return {one["measure"]: numbers_of({key: one[key] for key in ("mean", "low", "high", "p")}) for one in found}

    @property
    def verdict(self) -> Verdict:
        """Whether the dataset may serve as ground truth."""
        verdict = self._result["verdict"]
        evidence = {key: value for key, value in verdict.items() if key not in ("decision", "measure", "expected")}
        evidence |= self._result.get("evidence", {})
        expected = verdict.get("expected", {}).get("ami")
        return Verdict(verdict["decision"], verdict["measure"], self._verdict, expected, json.loads(json.dumps(evidence)))

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
        return visible(f"<Evaluation of {self.name}: {scores}; {self.verdict.decision}>")

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
        table = html_table(["measure", "score", *extra, "worst pair of classes"], rows)
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            f"<div><strong>{escape(self.name)}</strong>: {counts}{table}"
            f"<p>Verdict: {escape(str(self.verdict))}</p>{f'<ul>{notes}</ul>' if notes else ''}</div>"
        )


def numbers_of(values: Mapping[str, Any]) -> dict[str, float]:
    """JSON has no infinity: it is the text ``inf`` there."""
    return {key: float(value) for key, value in values.items()}


def halves_of(terms: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the halves of ``clm``."""
    return {name: dict(value) if isinstance(value, Mapping) else float(value) for name, value in terms.items()}


def html_table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
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
    """How datasets are scored; ``by`` is the measure of the verdict."""
    if not isinstance(ci, (bool, np.bool_)):
        raise TypeError(f"ci must be True or False, got {ci!r}: intervals are always of 95%")
    return {
        "measures": chosen_measures(measures),
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
        Whether to compute a 95% interval for every score: for the mean score of samples of this size.
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
    {'clm': 0.85, 'ch_a': 0.875}
    >>> result.verdict.decision
    'fit'
    """
    scoring = scoring_of(measures, None, scale, noise, singletons, ci, null, random_state)
    with running(n_jobs, progress) as how:
        return evaluated(X, labels, rep, name, scoring, how)


def evaluated(
    X: ArrayLike, labels: ArrayLike | str, rep: str | None, name: str, scoring: dict[str, Any], how: dict[str, Any]
) -> Evaluation:
    dataset = dataset_of(X, labels, name, rep)
    result, verdict, said = _clmatch.evaluate(dataset, scoring, how)
    warn(said)
    return Evaluation(json.loads(result), verdict, Data(X, labels, rep, scoring["preparation"]))
