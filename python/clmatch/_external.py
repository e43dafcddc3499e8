"""How well two labellings of the same points agree, under scikit-learn's names."""

from __future__ import annotations

from numpy.typing import ArrayLike

from . import _clmatch
from ._input import check_lengths, labels_of


def _agreement(labels_true: ArrayLike, labels_pred: ArrayLike) -> tuple[float, float, float, float]:
    truth, found = labels_of(labels_true).codes, labels_of(labels_pred).codes
    check_lengths(len(truth), len(found))
    if len(truth) == 0:
        return 1.0, 1.0, 1.0, 1.0
    return _clmatch.agreement(truth, found)


def adjusted_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "arithmetic"
) -> float:
    """Adjusted mutual information: ``(I - E[I]) / ((H(true) + H(pred)) / 2 - E[I])``.

    1 for equal partitions, about 0 for independent ones. The value of ``sklearn.metrics.adjusted_mutual_info_score``, whose
    other averages than the arithmetic one are not offered.

    Reference: Vinh, Epps and Bailey, JMLR 11 (2010).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.adjusted_mutual_info_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    if average_method != "arithmetic":
        raise ValueError(f"average_method must be 'arithmetic', got {average_method!r}")
    return _agreement(labels_true, labels_pred)[0]


def adjusted_rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """The adjusted Rand index: pairs of points that both labellings treat alike, corrected for chance.

    1 for equal partitions, about 0 for independent ones, -0.5 at worst. The value of ``sklearn.metrics.adjusted_rand_score``.

    Reference: Hubert and Arabie, Journal of Classification 2 (1985).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    """
    return _agreement(labels_true, labels_pred)[1]


def v_measure_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """The V-measure: the harmonic mean of homogeneity and completeness.

    From 0 to 1, higher is better. The value of ``sklearn.metrics.v_measure_score`` with ``beta=1``.

    Reference: Rosenberg and Hirschberg, EMNLP-CoNLL (2007).

    Examples
    --------
    >>> import clmatch
    >>> round(clmatch.v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    return _agreement(labels_true, labels_pred)[2]


def normalized_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "arithmetic"
) -> float:
    """Normalised mutual information: ``I / mean(H(true), H(pred))``.

    From 0 to 1, higher is better. The value of ``sklearn.metrics.normalized_mutual_info_score`` for the averages
    ``"arithmetic"`` (the V-measure is the same) and ``"geometric"``; the other two are not offered.

    Reference: Strehl and Ghosh, JMLR 3 (2002).

    Examples
    --------
    >>> import clmatch
    >>> round(clmatch.normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    if average_method not in ("arithmetic", "geometric"):
        raise ValueError(f"average_method must be 'arithmetic' or 'geometric', got {average_method!r}")
    return _agreement(labels_true, labels_pred)[2 if average_method == "arithmetic" else 3]
