"""Scorers for ``GridSearchCV``, ``cross_val_score`` and all else in scikit-learn that takes ``scoring``.

There is one for each measure, called by its id: ``clm``, ``ch_a`` and so on; of ``xb`` and ``db``, which are better the lower
they are, ``neg_xb`` and ``neg_db``. What they score depends on the estimator:

* a clusterer: how well the clusters that it finds are apart, whatever ``y`` is. Points of other folds get their clusters from
  ``predict``; clusterers without it, such as DBSCAN, are fitted to them.
* a transformer, or a pipeline of some: how well the classes ``y`` are clusters where it puts them.

Folds must look like the whole: rows that are sorted by class need ``shuffle=True``, and classes ``StratifiedKFold``, which
scikit-learn takes by itself for classifiers only.

>>> from sklearn.cluster import KMeans
>>> from sklearn.model_selection import GridSearchCV, KFold
>>> import clmatch
>>> points = clmatch.read("well-matched").X
>>> clusterers = {"n_clusters": [1, 2, 3, 4, 5, 6]}
>>> folds = KFold(5, shuffle=True, random_state=0)
>>> search = GridSearchCV(KMeans(n_init=3, random_state=0), clusterers, scoring=clmatch.scorers.clm, cv=folds)
>>> search.fit(points).best_params_
{'n_clusters': 4}
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _clmatch
from ._estimators import fitted
from ._input import Labels, name_of, labels_of, check_lengths, points_of, threads_of
from ._measures import measures

__all__ = [
    "Scorer",
    "ch",
    "ch_a",
    "ch_c",
    "clm",
    "clm_pairs",
    "db_a",
    "db_c",
    "di",
    "di_a",
    "ii",
    "make_scorer",
    "neg_db",
    "neg_xb",
    "sc",
    "sc_a",
    "xb_a",
]

_SPACES = ("transformed", "input")


@cache
def _known() -> dict[str, dict[str, Any]]:
    return {measure["id"]: measure for measure in measures()}


@dataclass(frozen=True)
class Scorer:
    """A function of a fitted estimator, points and perhaps classes. Made by ``make_scorer``; higher is better."""

    measure: str = "clm"
    """The id of the measure."""
    space: str = "transformed"
    """Where the points of a clusterer at the end of a pipeline are looked at."""
    noise: object = None
    """Points of a cluster with this label are left out."""
    n_jobs: int | None = None
    """The number of threads."""

    def __post_init__(self) -> None:
        if self.measure not in _known():
            raise ValueError(f"there is no measure {self.measure!r}; there are {', '.join(_known())}")
        if self.space not in _SPACES:
            raise ValueError(f"space must be 'transformed' or 'input', got {self.space!r}")

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """The score of an estimator that was fitted."""
        given = fitted(estimator, X, y, self.space)
        points, labels = points_of(given.points), labels_of(given.labels)
        check_lengths(len(points), len(labels.codes))
        noise = None if self.noise is None else name_of(self.noise)
        rows = np.array([name != noise for name in labels.names], bool)[labels.codes]
        counts = np.bincount(labels.codes[rows], minlength=len(labels.names))
        share = 1.0
        if self._known["kind"] != "standard":
            rows &= (counts > 1)[labels.codes]
            if given.clustered:
                share = _pairs(int((counts > 1).sum())) / max(_pairs(int((counts > 0).sum())), 1)
        left = len(np.unique(labels.codes[rows]))
        if not 2 <= left < rows.sum():
            if given.clustered:
                return self.worst
            raise ValueError(
                f"there are {left} classes of two points or more in y: for cross-validation, choose folds that have points of "
                "every class, with cv=StratifiedKFold(5, shuffle=True)"
            )
        return self._of(points, labels, rows, share)

    def _of(self, points: Any, labels: Labels, rows: NDArray[np.bool_], share: float) -> float:
        codes = labels.codes
        if not rows.all():
            points, codes = points[rows], codes[rows]
        value = _clmatch.measure(points, codes, labels.names, self.measure, None, threads_of(self.n_jobs))
        if self._known["better"] == "lower":
            return -value
        return value if share == 1.0 else self.worst + share * (value - self.worst)

    @property
    def worst(self) -> float:
        """The score of partitions that are none, such as one cluster of all points."""
        if self._known["better"] == "lower":
            return -np.inf
        return float(self._known["range"][0])

    @property
    def _known(self) -> dict[str, Any]:
        return _known()[self.measure]


def _pairs(classes: int) -> int:
    return classes * (classes - 1) // 2


def make_scorer(
    measure: str = "clm", *, space: str = "transformed", noise: object = None, n_jobs: int | None = None
) -> Scorer:
    """A scorer of a measure, for ``scoring=`` in scikit-learn. Those without settings are ready: ``clmatch.scorers.clm``.

    Of measures that are better the lower they are, the scorer has the negative value. What is no partition, such as a single
    cluster or as many clusters as points, gets the worst value of the measure, and the search goes on. So do, of measures that
    are a mean over pairs of clusters, the pairs with a cluster of a single point; classes of a single point are left out.

    Parameters
    ----------
    measure : str, default="clm"
        The id of a measure, see ``measures``.
    space : {"transformed", "input"}, default="transformed"
        Where the points of a clusterer at the end of a pipeline are looked at: as it sees them, after the steps before it, or as
        they were given. Choose ``"input"`` to compare pipelines whose steps before the clusterer differ.
    noise : default=None
        Points that get this label are left out, -1 in many clusterers; by default they are a cluster as any other. A clusterer
        that calls most points noise may look very good without them.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    Returns
    -------
    Scorer
        To be called with a fitted estimator, points and perhaps classes.

    Examples
    --------
    Which preprocessing makes clusters of the classes?

    >>> from sklearn.decomposition import PCA
    >>> from sklearn.model_selection import StratifiedKFold, cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import clmatch
    >>> wine = clmatch.read("wine")
    >>> scorer, folds = clmatch.scorers.make_scorer("sc_a"), StratifiedKFold(5)
    >>> for pipeline in [PCA(2), make_pipeline(StandardScaler(), PCA(2))]:
    ...     print(round(cross_val_score(pipeline, wine.X, wine.labels, scoring=scorer, cv=folds).mean(), 2))
    0.58
    0.9
    """
    return Scorer(measure, space, noise, n_jobs)


clm = make_scorer("clm")
"""The headline score, from 0 to 1."""
clm_pairs = make_scorer("clm_pairs")
"""The half of the headline score that looks at pairs of classes, from 0 to 1."""
ch_a = make_scorer("ch_a")
"""The adjusted Calinski-Harabasz index, from 0 to 1."""
xb_a = make_scorer("xb_a")
"""The adjusted Xie-Beni index, from 0 to 1."""
db_a = make_scorer("db_a")
"""The adjusted Davies-Bouldin index, from 0 to 1."""
di_a = make_scorer("di_a")
"""The adjusted Dunn index, from -1 to 1."""
sc_a = make_scorer("sc_a")
"""The adjusted silhouette coefficient, from -1 to 1."""
ch_c = make_scorer("ch_c")
"""The corrected Calinski-Harabasz index, from -1 to 1."""
db_c = make_scorer("db_c")
"""The corrected Davies-Bouldin index, from -1 to 1."""
ch = make_scorer("ch")
"""The Calinski-Harabasz index, from 0 to infinity."""
di = make_scorer("di")
"""The Dunn index, from 0 to infinity."""
ii = make_scorer("ii")
"""The I index, from 0 to infinity."""
neg_xb = make_scorer("xb")
"""The negative Xie-Beni index, from minus infinity to 0."""
neg_db = make_scorer("db")
"""The negative Davies-Bouldin index, from minus infinity to 0."""
sc = make_scorer("sc")
"""The silhouette coefficient, from -1 to 1."""
