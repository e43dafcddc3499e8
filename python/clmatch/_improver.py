"""The search for features as a transformer of scikit-learn. Imported only where it is used, since it needs scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ._improve import improve
from ._input import DataWarning


class FeatureImprover(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Keeps the features, or weighs them, so that the classes become clusters.

    ``fit`` runs ``clmatch.improve``; ``transform`` keeps the features that were found, times the roots of their weights.

    Parameters
    ----------
    objective : {"ch_a", "ch_c", "db_c", "clm", "sc_a"}, default="ch_a"
        The score to raise.
    method : {"auto", "random", "greedy", "weights"}, default="auto"
        How to search.
    budget : float, default=10.0
        How many seconds the search may take; ``None`` for as long as it takes.
    min_features : int, default=2
        The fewest features to keep.
    penalty : float, default=0.01
        Features are dropped only if the score rises by this times their share.
    split : {"half", "none"}, default="half"
        Whether to choose on half of the points or on all.
    shuffles : int, default=0
        How many times to search with shuffled labels, to tell the gain from chance.
    random_state : int, RandomState instance or None, default=None
        The seed of all random choices; ``None`` is the seed 0.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        The weight of every feature, 0 for those that are left out.
    improvement_ : Improvement
        The scores before and after, on all and on held-out points.
    n_features_in_ : int
        The number of features seen during ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names.

    Examples
    --------
    >>> import clmatch
    >>> wine = clmatch.read("wine")
    >>> improver = clmatch.FeatureImprover(method="greedy").fit(wine.X, wine.labels)
    >>> improver.transform(wine.X).shape[1] == len(improver.improvement_.features)
    True
    """

    def __init__(
        self,
        *,
        objective: str = "ch_a",
        method: str = "auto",
        budget: float | None = 10.0,
        min_features: int = 2,
        penalty: float = 0.01,
        split: str = "half",
        shuffles: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.objective = objective
        self.method = method
        self.budget = budget
        self.min_features = min_features
        self.penalty = penalty
        self.split = split
        self.shuffles = shuffles
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike) -> FeatureImprover:
        """Searches for features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            The class of each point.

        Returns
        -------
        self : FeatureImprover
        """
        points, labels = validate_data(self, X, y, dtype=(np.float64, np.float32), ensure_min_samples=2)
        check_classification_targets(labels)
        with warnings.catch_warnings():
            # Whoever asks for no shuffles does not want to know what they tell.
            warnings.filterwarnings("ignore", "0 shuffles", DataWarning)
            self.improvement_ = improve(
                points,
                labels,
                objective=self.objective,
                method=self.method,
                budget=self.budget,
                min_features=min(self.min_features, points.shape[1]),
                penalty=self.penalty,
                split=self.split,
                shuffles=self.shuffles,
                scale="none",
                singletons="drop",
                random_state=self.random_state,
                n_jobs=self.n_jobs,
                progress=False,
            )
        self.weights_ = self.improvement_.weights
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """The features that are kept, times the roots of their weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, number of features kept)
        """
        check_is_fitted(self)
        points = validate_data(self, X, dtype=(np.float64, np.float32), reset=False)
        return self.improvement_.transform(points)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """The names of the features that are kept.

        Parameters
        ----------
        input_features : array-like of str, default=None
            The names of all features; by default those seen during ``fit``, else x0, x1 and so on.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        if input_features is None:
            input_features = getattr(self, "feature_names_in_", [f"x{at}" for at in range(self.n_features_in_)])
        names: NDArray[np.object_] = np.asarray(input_features, dtype=object)
        if len(names) != self.n_features_in_:
            raise ValueError(f"input_features has {len(names)} names, and there are {self.n_features_in_} features")
        return names[self.improvement_.features]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
