"""Features, or weights on them, that separate the classes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _clmatch
from ._input import count_of, points_of
from ._work import dataset_of, preparation, running, visible, warn


class Improvement:
    """The features, or weights on them, that were found. Made by ``improve``; can be pickled."""

    def __init__(self, result: dict[str, Any], weights: NDArray[np.float64]) -> None:
        self._result = result
        self.weights = weights
        """The weight of every feature on squared differences, 0 for those that are left out."""

    @property
    def features(self) -> NDArray[np.intp]:
        """The features that are kept, counted from 0."""
        return np.flatnonzero(self.weights)

    @property
    def before(self) -> float:
        """The score of all points with all features."""
        return float(self._result["scores"]["all"]["before"])

    @property
    def after(self) -> float:
        """The score of all points with the features that were found. Optimistic: half of the points chose them."""
        return float(self._result["scores"]["all"]["after"])

    @property
    def held_out(self) -> tuple[float, float] | None:
        """The score before and after on points that took no part in the choice; ``None`` where there are none."""
        scores = self._result["scores"].get("held_out")
        return None if scores is None else (float(scores["before"]), float(scores["after"]))

    @property
    def p_value(self) -> float | None:
        """How often the same search gains as much on held-out points with shuffled labels; ``None`` without shuffles."""
        null = self._result.get("null")
        return None if null is None else float(null["p_value"])

    @property
    def significant(self) -> bool:
        """Whether the gain is more than chance."""
        null = self._result.get("null")
        return bool(null is not None and null["significant"])

    @property
    def notes(self) -> list[str]:
        """What speaks against the gain, if anything does."""
        return list(self._result.get("warnings", []))

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """The features that are kept, times the roots of their weights.

        They are not scaled: a score of them with ``scale="none"`` is the one that was found if the search did not scale each
        feature on its own.
        """
        points = points_of(X)
        if points.shape[1] != len(self.weights):
            raise ValueError(f"X has {points.shape[1]} features, but {len(self.weights)} were given to the search")
        kept = self.features
        roots: NDArray[Any] = np.sqrt(self.weights[kept]).astype(points.dtype)
        weighted: NDArray[Any] = points[:, kept] * roots
        return weighted

    def to_dict(self) -> dict[str, Any]:
        """The same object that ``clmatch improve --format json`` prints."""
        copy: dict[str, Any] = json.loads(json.dumps(self._result))
        return copy

    def __repr__(self) -> str:
        result = self._result
        return visible(
            f"<Improvement of {result['dataset']}: {result['kept']} of {result['features']} features, "
            f"{result['objective']} {self.before:.3f} to {self.after:.3f}>"
        )


def improve(
    X: ArrayLike,
    labels: ArrayLike | str,
    *,
    objective: str = "ch_a",
    method: str = "auto",
    budget: float | None = 10.0,
    draws: int = 1000,
    min_features: int = 2,
    penalty: float = 0.01,
    split: str = "half",
    shuffles: int = 39,
    rep: str | None = None,
    scale: str = "max-abs",
    noise: object = None,
    singletons: str = "error",
    name: str = "data",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Improvement:
    """Searches for the features, or weights on them, that separate the classes: what ``clmatch improve`` does.

    Features are chosen on half of the points of each class; the result has the scores of the other half, and what the same
    search gains with shuffled labels.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points. They are copied once.
    labels : array-like of shape (n_samples,)
        The class of each point, of any type.
    objective : {"ch_a", "ch_c", "db_c", "clm", "sc_a"}, default="ch_a"
        The score to raise.
    method : {"auto", "random", "greedy", "weights"}, default="auto"
        How to search; ``auto`` takes the best of all, ``random`` is that of the paper.
    budget : float, default=10.0
        How many seconds the search and its check against chance may take; ``None`` for as long as it takes.
    draws : int, default=1000
        How many random subsets to draw.
    min_features : int, default=2
        The fewest features to keep.
    penalty : float, default=0.01
        Features are dropped only if the score rises by this times their share.
    split : {"half", "none"}, default="half"
        Whether to choose on half of the points or on all, which makes the score too optimistic.
    shuffles : int, default=39
        How many times to search with shuffled labels; 19 or more can tell a gain from chance.
    rep, scale, noise, singletons, name, random_state, n_jobs, progress
        As for ``evaluate``.

    Returns
    -------
    Improvement
        With ``weights``, ``features``, ``before``, ``after``, ``held_out``, ``p_value`` and ``transform(X)``.

    Examples
    --------
    >>> import clmatch
    >>> wine = clmatch.read("wine")
    >>> found = clmatch.improve(wine.X, wine.labels, scale="standard", budget=None, method="greedy", shuffles=19)
    >>> found.after > found.before
    True
    """
    if split not in ("half", "none"):
        raise ValueError(f"split must be 'half' or 'none', got {split!r}")
    search = {
        "method": method,
        "objective": objective,
        "budget": None if budget is None else float(budget),
        "draws": count_of("draws", draws, 1),
        "min_features": count_of("min_features", min_features, 1),
        "penalty": float(penalty),
        "half": split == "half",
        "shuffles": count_of("shuffles", shuffles),
    }
    prepared = preparation(scale, noise, singletons, random_state)
    with running(n_jobs, progress) as how:
        result, weights, said = _clmatch.improve(dataset_of(X, labels, name, rep), search, prepared, how)
    warn(said)
    return Improvement(json.loads(result), weights)
