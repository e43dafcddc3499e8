"""Figures of pairs of classes, silhouettes and the place among known datasets. matplotlib is needed to draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._data import catalogue
from ._drawing import axes, short, short_names, text_colour
from ._estimators import fitted
from ._input import labels_of
from ._measures import measures, silhouette_samples
from ._results import Evaluation, evaluate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# More values than these are not written into the fields of a matrix, and names are written smaller.
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
        classes = list(evaluation.sizes)
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
        image = self.ax_.imshow(self.matrix, cmap=cmap, vmin=min(float(low), 0.0), vmax=float(high))
        image.cmap.set_bad("0.92")
        size = 9 if count <= _MANY else max(4.5, 9 - 0.11 * count)
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


class SilhouetteDisplay:
    """The silhouette of every point, by class: what lies left of zero is nearer to another class than to its own.

    Made by ``from_labels`` or ``from_estimator``.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        The silhouette of every point, see ``silhouette_samples``.
    labels : array-like of shape (n_samples,)
        The class of each point.
    adjusted : bool, default=False
        Whether the values are those of the adjusted form.

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
    >>> display = clmatch.SilhouetteDisplay.from_labels(iris.X, iris.labels)
    >>> round(float(display.values.mean()), 2)
    0.5
    """

    ax_: Axes
    figure_: Figure

    def __init__(self, values: NDArray[np.float64], labels: ArrayLike, adjusted: bool = False) -> None:
        self.values = np.asarray(values, float)
        self.labels = labels
        self.adjusted = adjusted

    @classmethod
    def from_labels(
        cls,
        X: ArrayLike,
        labels: ArrayLike | str,
        *,
        adjusted: bool = False,
        rep: str | None = None,
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> SilhouetteDisplay:
        """Computes the silhouette of every point and draws it; other options are those of ``plot``."""
        values = silhouette_samples(X, labels, adjusted, rep=rep, n_jobs=n_jobs)
        given = getattr(X, "obs")[labels] if isinstance(labels, str) else labels
        return cls(values, given, adjusted).plot(ax=ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        adjusted: bool = False,
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> SilhouetteDisplay:
        """Of the clusters that a fitted clusterer finds, or of the classes y where a fitted transformer puts them."""
        given = fitted(estimator, X, y, "transformed")
        return cls.from_labels(given.points, given.labels, adjusted=adjusted, n_jobs=n_jobs, ax=ax, **options)

    def plot(self, *, ax: Axes | None = None, cmap: str = "viridis") -> SilhouetteDisplay:
        """Draws a block for each class, its points from low to high values, and a line at the mean of all.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where; by default into a new figure that is large enough for the names.
        cmap : str, default="viridis"
            Colours of the classes, by their mean value.

        Returns
        -------
        SilhouetteDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        codes, names = labels_of(self.labels)
        count = len(names)
        self.ax_, self.figure_ = axes(ax, (6.4, float(np.clip(1.6 + 0.28 * count, 3.6, 11))))
        import matplotlib as mpl

        gap = max(len(codes) // (8 * count), 1)
        colours, start, middles = mpl.colormaps[cmap], 0, []
        for code in range(count):
            values = np.sort(self.values[codes == code])
            places = np.arange(start, start + len(values))
            colour = colours(0.1 + 0.8 * float(np.clip(values.mean(), 0, 1)))
            self.ax_.fill_betweenx(places, 0, values, step="mid", color=colour, linewidth=0)
            middles.append(start + len(values) / 2)
            start += len(values) + gap
        size = 9 if count <= _MANY else max(4.5, 9 - 0.11 * count)
        self.ax_.set_yticks(middles, short_names(names), fontsize=size)
        self.ax_.set_ylim(start, -gap)
        low = float(min(self.values.min(), 0.0))
        self.ax_.set_xlim(max(-1.0, low - 0.05), 1.0)
        mean = float(self.values.mean())
        self.ax_.axvline(0, color="0.3", linewidth=0.8)
        self.ax_.axvline(mean, color="tab:red", linestyle="--", linewidth=1)
        self.ax_.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            self.ax_.spines[side].set_visible(False)
        self.ax_.set_xlabel("adjusted silhouette" if self.adjusted else "silhouette")
        self.ax_.set_title(f"mean of all points: {mean:.3f}", fontsize=10, color="tab:red", loc="right")
        return self


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
    (85, 92)
    """

    ax_: Axes
    figure_: Figure

    def __init__(self, score: float, measure: str = "clm", name: str = "data") -> None:
        rows = catalogue(by=measure)
        values = rows[measure] if hasattr(rows, "columns") else [row[measure] for row in rows]
        self.score = float(score)
        self.measure = measure
        self.name = name
        self.known: NDArray[np.float64] = np.sort(np.asarray(values, float))
        self._falls = next(one["better"] for one in measures() if one["id"] == measure) == "lower"

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
        return cls(evaluation.scores[measure], measure, evaluation.name).plot(ax=ax, **options)

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
        for at, (name, shade) in enumerate([("bottom third", "0.90"), ("middle third", "0.95"), ("top third", "0.99")]):
            self.ax_.axhspan(thirds[at], thirds[at + 1], color=shade, linewidth=0)
            self.ax_.text(
                0.01, (thirds[at] + thirds[at + 1]) / 2, name, transform=self.ax_.get_yaxis_transform(),
                va="center", fontsize=8, color="0.45",
            )  # fmt: skip
        self.ax_.scatter(known, np.arange(count) + 0.5, s=9, color="0.35", zorder=3)
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
