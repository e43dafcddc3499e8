"""What a fitted estimator of scikit-learn says about points: which cluster they belong to, or where they lie."""

from __future__ import annotations

from typing import Any, NamedTuple


class Fitted(NamedTuple):
    """Points and labels that an estimator leads to."""

    points: Any
    labels: Any
    clustered: bool
    """Whether the labels are clusters that the estimator found, not classes that were given."""


def fitted(estimator: Any, X: Any, y: Any, space: str) -> Fitted:
    """The clusters that a clusterer finds in X, or the place where a transformer puts the points of the classes y.

    ``space`` is where the points of a clusterer at the end of a pipeline are looked at: as it sees them (``"transformed"``), or
    as they were given (``"input"``).
    """
    before, last = _last_step(estimator)
    if _is_clusterer(last):
        seen = before.transform(X) if before is not None else X
        return Fitted(X if space == "input" else seen, _clusters(last, seen), True)
    if hasattr(estimator, "transform") or hasattr(estimator, "fit_transform"):
        if y is None:
            raise ValueError(
                f"{type(last).__name__} moves points, and there are no classes y to compare them with: pass y, as in "
                "GridSearchCV(...).fit(X, y)"
            )
        return Fitted(_transformed(estimator, X), y, False)
    raise TypeError(
        f"{type(last).__name__} is neither a clusterer nor a transformer: the scores of clmatch are for clusters that an "
        "estimator finds, or for the place where it puts points of known classes. Of a pipeline that ends in a classifier, "
        "score the steps before it: pipeline[:-1]"
    )


def _last_step(estimator: Any) -> tuple[Any | None, Any]:
    """The steps of a pipeline that come before the last one, and that."""
    if not (hasattr(estimator, "steps") and hasattr(estimator, "named_steps")):
        return None, estimator
    before = estimator[:-1] if len(estimator.steps) > 1 else None
    return before, estimator.steps[-1][1]


def _is_clusterer(estimator: Any) -> bool:
    """Mixture models are no clusterers by their type, but find clusters as those do."""
    try:
        from sklearn.base import is_clusterer

        known = bool(is_clusterer(estimator))
    except (ImportError, AttributeError):
        known = getattr(estimator, "_estimator_type", None) == "clusterer"
    return known or (hasattr(estimator, "fit_predict") and not hasattr(estimator, "transform"))


def _clusters(clusterer: Any, X: Any) -> Any:
    """Those that cannot tell the clusters of other points than they were fitted to, such as DBSCAN, are fitted to X."""
    return clusterer.predict(X) if hasattr(clusterer, "predict") else _unfitted(clusterer).fit_predict(X)


def _transformed(transformer: Any, X: Any) -> Any:
    """Those that cannot move other points than they were fitted to, such as TSNE, are fitted to X."""
    return transformer.transform(X) if hasattr(transformer, "transform") else _unfitted(transformer).fit_transform(X)


def _unfitted(estimator: Any) -> Any:
    from sklearn.base import clone

    return clone(estimator)
