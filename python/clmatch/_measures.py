"""One number for points and labels."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _clmatch
from ._input import pair_of, threads_of

# Growth rates of protocol T4, as published with pyivm 0.1.0.
_K_CALINSKI_HARABASZ = 4.432010535838295
_K_DAVIES_BOULDIN = 2.4831185988914117
_K_DUNN = 0.40019810656179045
_K_XIE_BENI = 0.29289310158571386


def _value(
    X: ArrayLike, labels: ArrayLike | str, id: str, k: float | None, rep: str | None, n_jobs: int | None
) -> float:
    points, (codes, names) = pair_of(X, labels, rep)
    return _clmatch.measure(points, codes, names, id, k, threads_of(n_jobs))


def _growth_rate(k: float, published: float, factor: float = 1.0) -> float | None:
    """``None`` for the calibrated rate that the library knows."""
    if k == published:
        return None
    if not (math.isfinite(k) and k > 0):
        raise ValueError(f"k must be a positive number, got {k!r}")
    return float(k) * factor


def score(
    X: ArrayLike, labels: ArrayLike | str, *, measure: str = "clm", rep: str | None = None, n_jobs: int | None = None
) -> float:
    """How well the labels match the clusters that the points form: the headline score ``clm``.

    The mean of two halves, which both are ``((1 - (1 - line)(1 - tree)) + tree + neighbours) / 3``: one of pairs of classes, on average,
    and one of all classes at once. The line tells how far two classes are apart along the line between their centres, or whether k-means
    would keep all of them; the tree how well the cuts of the minimum spanning tree agree with the classes, and neighbours how well
    nearest neighbours do. It can be compared between datasets. ``evaluate`` has more than one number.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points: numbers of any type and layout in arrays, tables, tensors or lists, or an AnnData object. C-ordered float64
        and float32 arrays are handed over without a copy; measures of distances (``clm``, the Dunn index, the silhouette) make
        copies of their own. Sparse matrices are made dense where that takes little memory.
    labels : array-like of shape (n_samples,)
        The class of each point, of any type. Every class needs two points at least. Of an AnnData object, it may be the name
        of a column of ``obs``.
    measure : str, default="clm"
        The id of another measure, see ``measures``.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors. The result does not depend on it.

    Returns
    -------
    float
        From 0 (labels say nothing about clusters) to 1 (every class is a cluster of its own): higher is better.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> round(clmatch.score(iris.X, iris.labels), 3)
    0.85
    """
    return _value(X, labels, measure, None, rep, n_jobs)


def calinski_harabasz(
    X: ArrayLike,
    labels: ArrayLike | str,
    adjusted: bool = False,
    k: float = _K_CALINSKI_HARABASZ,
    *,
    rep: str | None = None,
    n_jobs: int | None = None,
) -> float:
    """The Calinski-Harabasz index: scatter between classes over scatter within.

    ``(n - K)/(K - 1) B/W``, the value of ``sklearn.metrics.calinski_harabasz_score``: from 0 to infinity, higher is better.
    With ``adjusted=True`` the mean over pairs of classes of ``tanh(k/4 z exp(z))``, ``z = B/s2``, where s2 is the standard
    deviation of squared distances to the centre: from 0 to 1, higher is better, comparable between datasets.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, as for ``score``.
    labels : array-like of shape (n_samples,)
        The class of each point.
    adjusted : bool, default=False
        Whether the adjusted form is wanted.
    k : float, default=4.432010535838295
        The growth rate of the adjusted form.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    References
    ----------
    Calinski and Harabasz, Communications in Statistics 3 (1974); adjusted: Jeon et al., IEEE TPAMI (2025).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.calinski_harabasz([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    200.0
    """
    # pyivm divides by the number of classes, 2, where the paper and this library divide by 1.
    rate = _growth_rate(k, _K_CALINSKI_HARABASZ, 0.5) if adjusted else None
    return _value(X, labels, "ch_a" if adjusted else "ch", rate, rep, n_jobs)


def davies_bouldin(
    X: ArrayLike,
    labels: ArrayLike | str,
    adjusted: bool = False,
    k: float = _K_DAVIES_BOULDIN,
    *,
    rep: str | None = None,
    n_jobs: int | None = None,
) -> float:
    """The Davies-Bouldin index: the mean over classes of the worst ratio of extents to gap.

    ``mean_i max_j (S_i + S_j) / d(i, j)``, the value of ``sklearn.metrics.davies_bouldin_score``: from 0 to infinity, **lower**
    is better. (``pyivm`` returns one over it. Where two centres coincide, it is infinite here; scikit-learn leaves them out.)
    With ``adjusted=True`` the mean over pairs of classes of the shifted and rescaled index: from 0 to 1, higher is better,
    comparable between datasets.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, as for ``score``.
    labels : array-like of shape (n_samples,)
        The class of each point.
    adjusted : bool, default=False
        Whether the adjusted form is wanted.
    k : float, default=2.4831185988914117
        The growth rate of the adjusted form.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    References
    ----------
    Davies and Bouldin, IEEE TPAMI 1 (1979); adjusted: Jeon et al., IEEE TPAMI (2025).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.davies_bouldin([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.1
    """
    rate = _growth_rate(k, _K_DAVIES_BOULDIN) if adjusted else None
    return _value(X, labels, "db_a" if adjusted else "db", rate, rep, n_jobs)


def dunn(
    X: ArrayLike,
    labels: ArrayLike | str,
    adjusted: bool = False,
    k: float = _K_DUNN,
    *,
    rep: str | None = None,
    n_jobs: int | None = None,
) -> float:
    """The Dunn index: the smallest distance between classes over the largest within.

    From 0 to infinity, higher is better. (``pyivm`` looks at the distance of the first two classes only.) With
    ``adjusted=True`` the mean over pairs of classes of the form with mean distances, shifted and rescaled: from -1 to 1, higher
    is better, comparable between datasets.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, as for ``score``.
    labels : array-like of shape (n_samples,)
        The class of each point.
    adjusted : bool, default=False
        Whether the adjusted form is wanted.
    k : float, default=0.40019810656179045
        The growth rate of the adjusted form.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    References
    ----------
    Dunn, Journal of Cybernetics 4 (1974); adjusted: Jeon et al., IEEE TPAMI (2025).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.dunn([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    9.0
    """
    rate = _growth_rate(k, _K_DUNN) if adjusted else None
    return _value(X, labels, "di_a" if adjusted else "di", rate, rep, n_jobs)


def i_index(
    X: ArrayLike,
    labels: ArrayLike | str,
    adjusted: bool = False,
    k: float = _K_XIE_BENI,
    *,
    rep: str | None = None,
    n_jobs: int | None = None,
) -> float:
    """The I index: how much nearer points are to the centre of their class than to that of all, times the widest gap.

    ``(1/K E_1/E_K max d)^2``, from 0 to infinity, higher is better; it has the unit of a squared length. With ``adjusted=True``
    the same as ``xie_beni`` with ``adjusted=True``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, as for ``score``.
    labels : array-like of shape (n_samples,)
        The class of each point.
    adjusted : bool, default=False
        Whether the adjusted form is wanted.
    k : float, default=0.29289310158571386
        The growth rate of the adjusted form.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    References
    ----------
    Maulik and Bandyopadhyay, IEEE TPAMI 24 (2002); adjusted: Jeon et al., IEEE TPAMI (2025).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.i_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    2500.0
    """
    rate = _growth_rate(k, _K_XIE_BENI) if adjusted else None
    return _value(X, labels, "xb_a" if adjusted else "ii", rate, rep, n_jobs)


def silhouette(
    X: ArrayLike,
    labels: ArrayLike | str,
    adjusted: bool = False,
    *,
    rep: str | None = None,
    n_jobs: int | None = None,
) -> float:
    """The silhouette coefficient: how much nearer points are to their own class than to the next one.

    The mean over points of ``(b - a) / max(a, b)``, a the mean distance to the other points of the own class, b that to the
    nearest other class: the value of ``sklearn.metrics.silhouette_score``. With ``adjusted=True`` the mean over pairs of
    classes of the shifted form, comparable between datasets. Both from -1 to 1, higher is better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, as for ``score``.
    labels : array-like of shape (n_samples,)
        The class of each point.
    adjusted : bool, default=False
        Whether the adjusted form is wanted.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    References
    ----------
    Rousseeuw, Journal of Computational and Applied Mathematics 20 (1987); adjusted: Jeon et al., IEEE TPAMI (2025).

    Examples
    --------
    >>> import clmatch
    >>> round(clmatch.silhouette([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 4)
    0.8997
    """
    return _value(X, labels, "sc_a" if adjusted else "sc", None, rep, n_jobs)


def silhouette_samples(
    X: ArrayLike,
    labels: ArrayLike | str,
    adjusted: bool = False,
    *,
    rep: str | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """The silhouette of every point, see ``silhouette``.

    Of the adjusted form it is the mean over the pairs of classes that hold the point's class.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, as for ``score``.
    labels : array-like of shape (n_samples,)
        The class of each point.
    adjusted : bool, default=False
        Whether the adjusted form is wanted.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    Returns
    -------
    ndarray of shape (n_samples,)
        From -1 to 1: higher is better.

    Examples
    --------
    >>> import clmatch
    >>> clmatch.silhouette_samples([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).round(3).tolist()
    [0.905, 0.895, 0.895, 0.905]
    """
    points, (codes, names) = pair_of(X, labels, rep)
    id = "sc_a" if adjusted else "sc"
    return _clmatch.point_values(points, codes, names, id, threads_of(n_jobs))


def xie_beni(
    X: ArrayLike,
    labels: ArrayLike | str,
    adjusted: bool = False,
    k: float = _K_XIE_BENI,
    *,
    rep: str | None = None,
    n_jobs: int | None = None,
) -> float:
    """The Xie-Beni index: scatter within classes over the smallest squared gap between centres.

    From 0 to infinity, **lower** is better. With ``adjusted=True`` the mean over pairs of classes of
    ``tanh(k/2 exp(B/s2) d / s1)``: from 0 to 1, higher is better, comparable between datasets.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, as for ``score``.
    labels : array-like of shape (n_samples,)
        The class of each point.
    adjusted : bool, default=False
        Whether the adjusted form is wanted.
    k : float, default=0.29289310158571386
        The growth rate of the adjusted form.
    rep : str, default=None
        Which matrix of an AnnData object holds the points, such as ``"X_pca"``; ``None`` means ``X``.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors.

    References
    ----------
    Xie and Beni, IEEE TPAMI 13 (1991); adjusted: Jeon et al., IEEE TPAMI (2025).

    Examples
    --------
    >>> import clmatch
    >>> clmatch.xie_beni([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.0025
    """
    rate = _growth_rate(k, _K_XIE_BENI) if adjusted else None
    return _value(X, labels, "xb_a" if adjusted else "xb", rate, rep, n_jobs)


def measures() -> list[dict[str, Any]]:
    """Every measure with its id, name, range, which end is good, axioms and reference.

    Examples
    --------
    >>> import clmatch
    >>> [measure["id"] for measure in clmatch.measures()][:3]
    ['clm', 'ch_a', 'xb_a']
    """
    described: list[dict[str, Any]] = json.loads(_clmatch.describe_measures())
    return described
