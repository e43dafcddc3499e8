"""How well two labellings of the same points agree, under scikit-learn's names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _clmatch
from ._input import Labels, check_lengths, labels_of

_AVERAGES: dict[str, Callable[[float, float], float]] = {
    "min": min,
    "geometric": lambda a, b: math.sqrt(a * b),
    "arithmetic": lambda a, b: (a + b) / 2,
    "max": max,
}


class _Agreement(NamedTuple):
    """The four measures, as they are computed together."""

    ami: float
    arand: float
    vm: float
    nmi_geometric: float


class _Information(NamedTuple):
    """Entropies of two labellings and their mutual information, in nats."""

    true: float
    pred: float
    mutual: float


def _pair(labels_true: ArrayLike, labels_pred: ArrayLike) -> tuple[Labels, Labels]:
    both = []
    for name, labels in (("labels_true", labels_true), ("labels_pred", labels_pred)):
        shape = np.shape(labels)
        if len(shape) != 1:
            raise ValueError(f"{name} must be 1D: shape is {shape!r}")
        both.append(labels_of(labels))
    check_lengths(len(both[0].codes), len(both[1].codes))
    return both[0], both[1]


def _agreement(true: Labels, pred: Labels) -> _Agreement:
    if len(true.codes) == 0:
        return _Agreement(1.0, 1.0, 1.0, 1.0)
    return _Agreement(*_clmatch.agreement(true.codes, pred.codes))


def _information(true: Labels, pred: Labels, agreement: _Agreement) -> _Information:
    """The mutual information from the V-measure, which is its ratio to the mean of the entropies."""
    of_true, of_pred = _entropy(true.codes), _entropy(pred.codes)
    return _Information(of_true, of_pred, agreement.vm * (of_true + of_pred) / 2)


def _entropy(codes: NDArray[np.uint32]) -> float:
    counts = np.bincount(codes)
    shares = counts[counts > 0] / len(codes)
    return float(-(shares * np.log(shares)).sum())


def _average(method: str, information: _Information) -> float:
    return _AVERAGES[method](information.true, information.pred)


def _check_average(method: Any) -> None:
    if method not in _AVERAGES:
        raise ValueError(f"average_method must be one of {', '.join(map(repr, _AVERAGES))}, got {method!r}")


def adjusted_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "arithmetic"
) -> float:
    """Adjusted mutual information: ``(I - E[I]) / (mean(H(true), H(pred)) - E[I])``.

    1 for equal partitions, about 0 for independent ones: higher is better. The value of
    ``sklearn.metrics.adjusted_mutual_info_score``; ``average_method`` is the mean: ``"arithmetic"``, ``"geometric"``, ``"min"``
    or ``"max"``.

    Reference: Vinh, Epps and Bailey, JMLR 11 (2010).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.adjusted_mutual_info_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    _check_average(average_method)
    true, pred = _pair(labels_true, labels_pred)
    found = _agreement(true, pred)
    if average_method == "arithmetic" or found.ami in (0.0, 1.0):
        return found.ami
    information = _information(true, pred, found)
    # The expected information is what makes the arithmetic form what it is.
    expected = (information.mutual - found.ami * _average("arithmetic", information)) / (1 - found.ami)
    return (information.mutual - expected) / (_average(average_method, information) - expected)


def adjusted_rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """The adjusted Rand index: pairs of points that both labellings treat alike, corrected for chance.

    1 for equal partitions, about 0 for independent ones, -0.5 at worst: higher is better. The value of
    ``sklearn.metrics.adjusted_rand_score``.

    Reference: Hubert and Arabie, Journal of Classification 2 (1985).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    """
    return _agreement(*_pair(labels_true, labels_pred)).arand


def v_measure_score(labels_true: ArrayLike, labels_pred: ArrayLike, *, beta: float = 1.0) -> float:
    """The V-measure: ``(1 + beta) h c / (beta h + c)``, the weighted harmonic mean of homogeneity h and completeness c.

    From 0 to 1, higher is better. The value of ``sklearn.metrics.v_measure_score``.

    Reference: Rosenberg and Hirschberg, EMNLP-CoNLL (2007).

    Examples
    --------
    >>> import clmatch
    >>> round(clmatch.v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    if not (math.isfinite(beta) and beta >= 0):
        raise ValueError(f"beta must be a number that is not negative, got {beta!r}")
    true, pred = _pair(labels_true, labels_pred)
    found = _agreement(true, pred)
    if beta == 1.0 or found.vm in (0.0, 1.0):
        return found.vm
    information = _information(true, pred, found)
    homogeneity, completeness = information.mutual / information.true, information.mutual / information.pred
    return (1 + beta) * homogeneity * completeness / (beta * homogeneity + completeness)


def normalized_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "arithmetic"
) -> float:
    """Normalised mutual information: ``I / mean(H(true), H(pred))``.

    From 0 to 1, higher is better. The value of ``sklearn.metrics.normalized_mutual_info_score``; ``average_method`` is the mean:
    ``"arithmetic"`` (the V-measure is the same), ``"geometric"``, ``"min"`` or ``"max"``.

    Reference: Strehl and Ghosh, JMLR 3 (2002).

    Examples
    --------
    >>> import clmatch
    >>> round(clmatch.normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    _check_average(average_method)
    true, pred = _pair(labels_true, labels_pred)
    found = _agreement(true, pred)
    if average_method == "arithmetic" or found.vm in (0.0, 1.0):
        return found.vm
    if average_method == "geometric":
        return found.nmi_geometric
    information = _information(true, pred, found)
    return min(information.mutual / _average(average_method, information), 1.0)
