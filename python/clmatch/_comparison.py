"""Representations of the same rows side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from . import _clmatch
from ._input import table_of
from ._results import Result, scoring_of
from ._work import dataset_of, running, visible, warn


class Comparison(Result):
    """Representations of the same rows, compared. Made by ``compare``."""

    @property
    def scores(self) -> Any:
        """The score of each representation by each measure, with the ends of its 95% interval: one row for each."""
        rows = []
        for one in self._result["representations"]:
            intervals = {found["measure"]: found for found in one.get("intervals", [])}
            for id, value in one["scores"].items():
                row = {"representation": one["name"], "measure": id, "score": float(value)}
                found = intervals.get(id, {"low": "nan", "high": "nan"})
                rows.append(row | {"low": float(found["low"]), "high": float(found["high"])})
        return table_of(rows)

    @property
    def differences(self) -> Any:
        """Every pair of representations by each measure: the difference (b less a), its 95% interval, its p-value, the one
        corrected for many comparisons, and whether it is significant."""
        rows = []
        numbers = ("difference", "low", "high", "p_value", "corrected_p_value")
        for measure in self._result["measures"]:
            for one in measure["differences"]:
                row = {"measure": measure["measure"]} | one
                rows.append(row | {key: float(one[key]) for key in numbers})
        return table_of(rows, "measure", "a", "b", *numbers, "significant")

    @property
    def best(self) -> dict[str, str]:
        """The representation with the best score, by measure."""
        return {one["measure"]: one["best"] for one in self._result["measures"]}

    @property
    def winners(self) -> dict[str, str | None]:
        """The same if it differs significantly from every other one, else ``None``, by measure."""
        return {one["measure"]: one["winner"] for one in self._result["measures"]}

    def __repr__(self) -> str:
        names = ", ".join(one["name"] for one in self._result["representations"])
        return visible(f"<Comparison of {names}; best {self.best}>")


def compare(
    representations: Mapping[str, ArrayLike],
    labels: ArrayLike,
    *,
    measures: str | Iterable[str] | None = None,
    scale: str = "max-abs",
    noise: object = None,
    singletons: str = "error",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Compares representations of the same rows: embeddings, layers of a network, ways of preprocessing.

    Intervals and differences come from the same rows left out of all of them, which tells small differences from chance.

    Parameters
    ----------
    representations : dict of name to array-like of shape (n_samples, any number of features)
        The same rows in the same order.
    labels : array-like of shape (n_samples,)
        The class of each row.
    measures, scale, noise, singletons, random_state, n_jobs
        As for ``evaluate``.

    Returns
    -------
    Comparison
        With ``scores``, ``differences``, ``best`` and ``winners``.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> found = clmatch.compare({"petals": iris.X[:, 2:], "sepals": iris.X[:, :2]}, iris.labels, measures="clm")
    >>> found.winners
    {'clm': 'petals'}
    """
    scoring = scoring_of(measures, None, scale, noise, singletons, False, 0, random_state)
    if not isinstance(representations, Mapping):
        raise TypeError(f"representations must be a dict of names to arrays, not a {type(representations).__name__}")
    datasets = [dataset_of(X, labels, str(name)) for name, X in representations.items()]
    with running(n_jobs) as how:
        result, said = _clmatch.compare(datasets, scoring, how)
    warn(said)
    return Comparison(json.loads(result))
