"""The figure of pairs of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._estimators import fitted
from .._measures import measures
from .._results import Evaluation, evaluate
from .drawing import axes, natural, short_names, text_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Of more classes than these, values are not written into the fields.
_MANY = 12


class PairMatrixDisplay:
    """The scores of all pairs of classes as a matrix: dark fields are pairs that are not apart.

    Made by ``from_labels``, ``from_estimator`` or ``from_evaluation``.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        The score of every pair of classes, NaN on the diagonal.
    classes : list of str
        The names of the classes.
    measure : str
        The id of the measure.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure
        The figure of these axes.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> display = clmatch.PairMatrixDisplay.from_labels(iris.X, iris.labels)
    >>> display.matrix.round(2).tolist()[1]
    [1.0, nan, 0.64]
    """

    ax_: Axes
    figure_: Figure

    def __init__(self, matrix: NDArray[np.float64], classes: list[str], measure: str) -> None:
        self.matrix = np.asarray(matrix, float)
        self.classes = list(classes)
        self.measure = measure

    @classmethod
    def from_labels(
        cls,
        X: ArrayLike,
        labels: ArrayLike | str,
        *,
        measure: str = "clm",
        rep: str | None = None,
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PairMatrixDisplay:
        """Scores all pairs of classes and draws them; ``measure`` is one that is a mean over pairs, other options are those of ``plot``."""
        found = evaluate(X, labels, measures=[measure], scale="none", rep=rep, n_jobs=n_jobs)
        return cls.from_evaluation(found, measure=measure, ax=ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        measure: str = "clm",
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PairMatrixDisplay:
        """Pairs of the clusters that a fitted clusterer finds, or of the classes y where a fitted transformer puts them."""
        given = fitted(estimator, X, y, "transformed")
        return cls.from_labels(given.points, given.labels, measure=measure, n_jobs=n_jobs, ax=ax, **options)

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation, *, measure: str = "clm", ax: Axes | None = None, **options: Any
    ) -> PairMatrixDisplay:
        """Draws pairs that were scored before, by ``evaluate``."""
        pairs = evaluation.to_dict()["pairs"]
        if not pairs or measure not in pairs[0]["scores"]:
            with_pairs = ", ".join(known["id"] for known in measures() if known["kind"] != "standard")
            raise ValueError(f"the measure {measure!r} has no scores of pairs here; those that can have are {with_pairs}")
        classes = sorted(evaluation.sizes, key=natural)
        at = {name: place for place, name in enumerate(classes)}
        matrix = np.full((len(classes), len(classes)), np.nan)
        for pair in pairs:
            row, column = at[pair["a"]], at[pair["b"]]
            matrix[row, column] = matrix[column, row] = float(pair["scores"][measure])
        return cls(matrix, classes, measure).plot(ax=ax, **options)

    def plot(
        self, *, ax: Axes | None = None, cmap: str = "viridis", values: bool | None = None, colorbar: bool = True
    ) -> PairMatrixDisplay:
        """Draws the matrix.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where; by default into a new figure that is large enough for the names.
        cmap : str, default="viridis"
            Colours from the worst to the best value.
        values : bool, default=None
            Whether the scores are written into the fields; by default for up to 12 classes.
        colorbar : bool, default=True
            Whether there is a scale of colours.

        Returns
        -------
        PairMatrixDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        count = len(self.classes)
        side = float(np.clip(1.8 + 0.42 * count, 3.6, 11))
        self.ax_, self.figure_ = axes(ax, (side + 1.2, side))
        low, high = next((one["range"] for one in measures() if one["id"] == self.measure), (0.0, 1.0))
        # Where no pair is worse than chance, the colours are for the values that there are.
        least = float(low) if (self.matrix < 0).any() else 0.0
        self.ax_.set_facecolor("0.92")  # shows through where there is no value
        image = self.ax_.imshow(self.matrix, cmap=cmap, vmin=least, vmax=float(high))
        size = float(np.clip(300 / count, 4, 9))
        names = short_names(self.classes)
        long = max(map(len, names)) > 4 or count > _MANY
        self.ax_.set_xticks(range(count), names, rotation=90 if long else 0, fontsize=size)
        self.ax_.set_yticks(range(count), names, fontsize=size)
        self.ax_.tick_params(length=0)
        self.ax_.set_title(f"{self.measure} of pairs of classes", fontsize=10)
        for side_ in self.ax_.spines.values():
            side_.set_visible(False)
        if values or (values is None and count <= _MANY):
            for row, column in zip(*np.nonzero(~np.isnan(self.matrix)), strict=True):
                value = self.matrix[row, column]
                colour = text_colour(image.cmap(image.norm(value)))
                self.ax_.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=size - 1)
        if colorbar:
            bar = self.figure_.colorbar(image, ax=self.ax_, fraction=0.046, pad=0.03)
            bar.outline.set_visible(False)
            bar.ax.tick_params(labelsize=8)
        return self
