"""The figure of a dataset's place in the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data import catalogue
from .._estimators import fitted
from .._measures import measures
from .._results import Evaluation, evaluate
from .drawing import axes, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class CatalogueDisplay:
    """Where a dataset stands among well-known datasets of the literature.

    Made by ``from_labels``, ``from_estimator`` or ``from_evaluation``.

    Parameters
    ----------
    score : float
        The score of the dataset.
    measure : str, default="clm"
        The id of the measure: one that the catalogue has.
    name : str, default="data"
        The name of the dataset.
    scale : {"max-abs", "standard"}, default="max-abs"
        How the dataset was scaled, and those that it is placed among.

    Attributes
    ----------
    known : ndarray
        The scores of the catalogued datasets, from low to high.
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure
        The figure of these axes.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> display = clmatch.CatalogueDisplay.from_labels(iris.X, iris.labels, name="iris")
    >>> display.above, len(display.known)
    (86, 92)
    """

    ax_: Axes
    figure_: Figure

    def __init__(self, score: float, measure: str = "clm", name: str = "data", scale: str = "max-abs") -> None:
        rows = catalogue(by=measure, scale=scale)
        values = rows[measure] if hasattr(rows, "columns") else [row[measure] for row in rows]
        self.score = float(score)
        self.measure = measure
        self.name = name
        self.known: NDArray[np.float64] = np.sort(np.asarray(values, float))
        described = next(one for one in measures() if one["id"] == measure)
        self._falls = described["better"] == "lower"
        self._unbounded = not np.isfinite(float(described["range"][1]))

    @property
    def above(self) -> int:
        """How many of the catalogued datasets score worse."""
        return int((self.known > self.score).sum() if self._falls else (self.known < self.score).sum())

    @classmethod
    def from_labels(
        cls,
        X: ArrayLike,
        labels: ArrayLike | str,
        *,
        measure: str = "clm",
        rep: str | None = None,
        name: str = "data",
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> CatalogueDisplay:
        """Scores a dataset as those of the catalogue were and draws its place; other options are those of ``plot``."""
        found = evaluate(X, labels, measures=[measure], rep=rep, name=name, n_jobs=n_jobs)
        return cls.from_evaluation(found, measure=measure, ax=ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        measure: str = "clm",
        name: str = "data",
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> CatalogueDisplay:
        """Of the clusters that a fitted clusterer finds, or of the classes y where a fitted transformer puts them."""
        given = fitted(estimator, X, y, "transformed")
        return cls.from_labels(given.points, given.labels, measure=measure, name=name, n_jobs=n_jobs, ax=ax, **options)

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation, *, measure: str = "clm", ax: Axes | None = None, **options: Any
    ) -> CatalogueDisplay:
        """Draws the place of a dataset that was scored before, by ``evaluate``."""
        scale = str(evaluation.to_dict()["scale"])
        return cls(evaluation.scores[measure], measure, evaluation.name, scale).plot(ax=ax, **options)

    def plot(self, *, ax: Axes | None = None, color: str = "tab:red") -> CatalogueDisplay:
        """Draws a point for every catalogued dataset, from the worst to the best, and a line for this one.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where; by default into a new figure.
        color : str, default="tab:red"
            The colour of the dataset.

        Returns
        -------
        CatalogueDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        self.ax_, self.figure_ = axes(ax, (6.4, 3.6))
        known = self.known[::-1] if self._falls else self.known
        count = len(known)
        thirds = [0, count / 3, 2 * count / 3, count]
        # Names stand where the curve of the datasets does not run.
        parts = [("bottom third", "0.90", 0.99), ("middle third", "0.95", 0.99), ("top third", "0.99", 0.01)]
        for at, (name, shade, place) in enumerate(parts):
            self.ax_.axhspan(thirds[at], thirds[at + 1], color=shade, linewidth=0)
            self.ax_.text(
                place, (thirds[at] + thirds[at + 1]) / 2, name, transform=self.ax_.get_yaxis_transform(),
                ha="left" if place < 0.5 else "right", va="center", fontsize=8, color="0.45",
            )  # fmt: skip
        self.ax_.scatter(known, np.arange(count) + 0.5, s=9, color="0.35", zorder=3)
        if self._unbounded and min(known.min(), self.score) > 0:
            self.ax_.set_xscale("log")
        if self._falls:
            self.ax_.invert_xaxis()
        self.ax_.axvline(self.score, color=color, linewidth=1.2, zorder=2)
        self.ax_.scatter([self.score], [self.above], s=46, color=color, edgecolor="white", zorder=4)
        self.ax_.set_ylim(0, count)
        self.ax_.set_xlabel(self.measure)
        self.ax_.set_ylabel("datasets that score worse")
        for side in ("top", "right"):
            self.ax_.spines[side].set_visible(False)
        text = f"{short(self.name, 40)}: {self.score:.3f}, above {self.above} of {count}"
        self.ax_.set_title(text, fontsize=10, color=color, loc="left")
        return self
