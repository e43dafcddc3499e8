"""Datasets as the native part takes them, and how its work runs: threads, progress, warnings."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _clmatch
from ._input import DataWarning, given_labels, labelled, name_of, seed_of, stack_level, threads_of

DEFAULT = ("clm", "ch_a", "xb_a", "db_a", "di_a", "sc_a")
SCALES = ("max-abs", "none", "standard", "min-max", "robust")


def dataset_of(X: ArrayLike, labels: ArrayLike | str, name: str, rep: str | None = None) -> dict[str, Any]:
    """Points and labels as parts of a dataset with a name."""
    points, (codes, names), features = labelled(X, labels, rep)
    return {"name": str(name), "points": points, "features": features, "codes": codes, "names": names}


def label_values(X: ArrayLike, labels: ArrayLike | str, dataset: dict[str, Any]) -> dict[str, Any]:
    """The label itself, of whatever type it is, by the name of its class."""
    values: NDArray[Any] = np.asarray(given_labels(X, labels)).reshape(-1)
    _, first = np.unique(dataset["codes"], return_index=True)
    return {dataset["names"][dataset["codes"][row]]: values[row] for row in first.tolist()}


def chosen_measures(measures: str | Iterable[str] | None) -> list[str]:
    """Ids of measures, each once: those that are named, ``"all"``, or by default the headline score and the adjusted ones."""
    known = [measure["id"] for measure in json.loads(_clmatch.describe_measures())]
    if measures is None:
        measures = DEFAULT
    elif isinstance(measures, str):
        measures = known if measures == "all" else [measures]
    chosen = list(dict.fromkeys(measures))
    for id in chosen:
        if id not in known:
            raise ValueError(f"there is no measure {id!r}; there are {', '.join(known)}")
    return chosen


def preparation(scale: str, noise: object, singletons: str, random_state: Any) -> dict[str, Any]:
    """What becomes of a dataset before it is looked at."""
    if singletons not in ("error", "drop"):
        raise ValueError(f"singletons must be 'error' or 'drop', got {singletons!r}")
    if scale not in SCALES:
        raise ValueError(f"scale must be one of {', '.join(map(repr, SCALES))}, got {scale!r}")
    return {
        "scale": scale,
        "noise": None if noise is None else name_of(noise),
        "drop_singletons": singletons == "drop",
        "seed": seed_of(random_state),
    }


def visible(text: str) -> str:
    """One line for people: control characters, marks of direction and invisible characters in names are shown as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def warn(texts: list[str]) -> None:
    """Says what probably spoils the result, where the package was called."""
    for text in texts:
        warnings.warn(text, DataWarning, stacklevel=stack_level())


@contextmanager
def running(n_jobs: int | None, progress: bool | None = False) -> Iterator[dict[str, Any]]:
    """How work runs. Progress is a bar of tqdm: if asked for, or (``None``) in a terminal or notebook where tqdm is there."""
    bar = _Bar() if progress or (progress is None and _is_interactive()) else None
    if bar is not None and bar.factory is None:
        if progress:
            raise ImportError("progress=True needs tqdm: pip install tqdm")
        bar = None
    try:
        yield {"threads": threads_of(n_jobs), "progress": bar}
    finally:
        if bar is not None:
            bar.close()


def _is_interactive() -> bool:
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


class _Bar:
    """A bar for each kind of step, one after the other; short work shows none."""

    def __init__(self) -> None:
        self.factory: Callable[..., Any] | None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.factory = None
        else:
            self.factory = tqdm
        self._bar: Any = None
        self._what = ""

    def __call__(self, what: str, done: int, of: int) -> None:
        if self.factory is None:
            return
        if self._bar is None or what != self._what:
            self.close()
            # Work of which nobody knows how much there is has no total.
            self._bar, self._what = self.factory(total=of or None, desc=what, delay=1, leave=False), what
        self._bar.update(max(done - self._bar.n, 0))

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
