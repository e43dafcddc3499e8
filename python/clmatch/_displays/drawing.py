"""What all figures share: axes, names that fit, letters that can be read."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def axes(ax: Axes | None, size: tuple[float, float]) -> tuple[Axes, Figure]:
    """The axes that were given, or those of a new figure of so many inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install matplotlib, or clmatch[plot]") from error
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    figure: Any = ax.figure
    return ax, figure


def short(name: str, length: int = 22) -> str:
    """A name of at most so many letters: the start and the end of a longer one."""
    name = " ".join(name.split())
    if len(name) <= length:
        return plain(name)
    end = length // 3
    return plain(f"{name[: length - end - 1].rstrip()}…{name[-end:].lstrip()}")


def plain(text: str) -> str:
    """A text that matplotlib does not take for mathematics."""
    return text.replace("$", r"\$")


def short_names(names: list[str], length: int = 22) -> list[str]:
    """Names of at most so many letters that can still be told apart: where start and end are alike, what differs is kept."""
    cut = [short(name, length) for name in names]
    if len(set(cut)) == len(names):
        return cut
    alike = len(os.path.commonprefix(names))
    cut = [f"…{short(name[alike:], length - 1)}" for name in names]
    if len(set(cut)) == len(names):
        return cut
    return [f"{short(name, length - 4)} ({at + 1})" for at, name in enumerate(names)]


def natural(name: str) -> list[tuple[int, int, str]]:
    """Orders names as people do: ``c2`` stands before ``c10``."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def text_colour(background: Any) -> str:
    """Black or white, whichever is easier to read on this colour (red, green, blue, opacity)."""
    red, green, blue, _ = background
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
