"""The figure of silhouettes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._estimators import fitted
from .._input import given_labels, labels_of
from .._measures import silhouette_samples
from .drawing import axes, natural, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# More classes than these need more space between them for their names.
_MANY = 12


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
        return cls(values, given_labels(X, labels), adjusted).plot(ax=ax, **options)

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

        gap = max(len(codes) // ((8 if count <= _MANY else 3) * count), 1)
        order = sorted(range(count), key=lambda code: natural(names[code]))
        colours, start, middles = mpl.colormaps[cmap], 0, []
        for code in order:
            values = np.sort(self.values[codes == code])
            places = np.arange(start, start + len(values))
            colour = colours(0.1 + 0.8 * float(np.clip(values.mean(), 0, 1)))
            self.ax_.fill_betweenx(places, 0, values, step="mid", color=colour, linewidth=0)
            middles.append(start + len(values) / 2)
            start += len(values) + gap
        # Letters are as high as the distance of the two names that are closest allows.
        closest = min(np.diff(middles, append=np.inf)) / start * self.ax_.bbox.height / self.figure_.dpi * 72
        size = float(np.clip(0.8 * closest, 4, 9))
        self.ax_.set_yticks(middles, short_names([names[code] for code in order]), fontsize=size)
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
