"""Scores of data that do not fit into memory, or lie on several machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _clmatch
from ._input import Labels, Points, count_of, labels_of, name_of, pair_of, seed_of, threads_of
from ._summarised import SummarisedEvaluation
from ._work import chosen_measures


def settings_of(
    measures: str | Iterable[str] | None,
    scale: str,
    noise: object,
    singletons: str,
    sample: int,
    memory: int,
    random_state: Any,
) -> dict[str, Any]:
    """The settings of a summary, checked as far as the native part does not."""
    if scale not in ("max-abs", "none"):
        raise ValueError(
            f"scale={scale!r} needs to know the range of each feature before the first row: scale the features before they are "
            'summarised, and give scale="none"; "max-abs", which divides all numbers by the largest one, is known at the end'
        )
    if singletons not in ("error", "drop"):
        raise ValueError(f'singletons must be "error" or "drop", got {singletons!r}')
    return {
        "measures": chosen_measures(measures),
        "memory": count_of("memory", memory, 1),
        "sample": count_of("sample", sample, 1),
        "seed": seed_of(random_state),
        "noise": None if noise is None else name_of(noise),
        "drop_singletons": singletons == "drop",
        "largest_is_one": scale == "max-abs",
    }


class Summary:
    """Statistics of rows and labels that can be updated with blocks of rows, merged and sent, and that tell scores in the end.

    Scores of measures that look at centroids are exact, the same as those of ``evaluate`` on all rows, whatever the blocks and
    their order were; ``xb_a``, ``ii`` and ``db`` need a second pass over the rows for that. Measures that compare
    points with each other are estimated from a sample of the rows, with a 95% error where one can be known.

    Parameters
    ----------
    measures : list of str, or "all", default=None
        Ids of measures; by default ``clm`` and the adjusted ones.
    scale : {"max-abs", "none"}, default="max-abs"
        "max-abs" divides all numbers by the largest one, which only ``ii`` can tell.
    noise : default=None
        Points with this label are left out.
    singletons : {"error", "drop"}, default="error"
        What becomes of classes of a single point.
    sample : int, default=4096
        How many rows are kept for measures that compare points.
    memory : int, default=2**28
        How many bytes the summary may take.
    random_state : int, RandomState or Generator, default=None
        Decides which rows are kept; ``None`` is the seed 0.
    source : int, default=0
        A number of the file or partition that the rows are from: rows of different sources are told apart by it.
    n_jobs : int, default=None
        The number of threads; ``None`` and -1 mean all processors. The result does not depend on it.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> first = clmatch.Summary().update(iris.X[:70], iris.labels[:70])
    >>> second = clmatch.Summary(source=1).update(iris.X[70:], iris.labels[70:])
    >>> result = (first + second).finish()
    >>> round(result.scores["clm"], 3), result.exact["clm"]
    (0.85, True)
    """

    def __init__(
        self,
        *,
        measures: str | Iterable[str] | None = None,
        scale: str = "max-abs",
        noise: object = None,
        singletons: str = "error",
        sample: int = 4096,
        memory: int = 2**28,
        random_state: Any = None,
        source: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self._settings = settings_of(measures, scale, noise, singletons, sample, memory, random_state)
        self._source = count_of("source", source)
        self._threads = threads_of(n_jobs)
        self._native: _clmatch.Summary | None = None
        self._next_row = 0

    @classmethod
    def _with(cls, settings: dict[str, Any], source: int, threads: int | None) -> Summary:
        made = cls.__new__(cls)
        made._settings, made._source, made._threads = settings, source, threads
        made._native, made._next_row = None, 0
        return made

    def update(self, X: ArrayLike, labels: ArrayLike) -> Summary:
        """Adds rows and their labels, none at all if there are none; returns the summary itself."""
        if _has_no_rows(X) and _has_no_rows(labels):
            return self
        self._add(*pair_of(X, labels))
        return self

    def _add(self, points: Points, labels: Labels) -> None:
        if self._native is None:
            self._native = _clmatch.Summary(points.shape[1], self._settings)
        self._native.update(points, labels.codes, labels.names, self._source, self._next_row, self._threads)
        self._next_row += len(points)

    def merge(self, other: Summary) -> Summary:
        """Adds all rows of another summary with the same settings; returns the summary itself."""
        if not isinstance(other, Summary):
            raise TypeError(f"a summary is merged with a summary, not with {type(other).__name__}")
        if other._native is None:
            if self._settings != other._settings:
                raise ValueError("these summaries do not belong together: their settings differ")
            return self
        if self._native is None:
            self._native = _clmatch.Summary(other._native.features, self._settings)
        same = other is self
        self._native.merge(_clmatch.Summary.from_bytes(other._native.to_bytes()) if same else other._native)
        return self

    def __add__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        return self.copy().merge(other)

    def __iadd__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        return self.merge(other)

    def copy(self) -> Summary:
        """A summary of the same rows."""
        return _restore(self.__getstate__())

    @property
    def rows(self) -> int:
        """How many rows were seen."""
        return 0 if self._native is None else self._native.rows

    def to_bytes(self) -> bytes:
        """All of it as bytes with a version and a checksum."""
        return self._seen().to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Summary:
        """From bytes; ``ValueError`` where they are damaged, or of another version."""
        native = _clmatch.Summary.from_bytes(data)
        made = cls._with(native.settings(), 0, None)
        made._native, made._next_row = native, native.rows
        return made

    def needs_second_pass(self) -> bool:
        """Whether a second pass over the rows would make a score exact that is estimated without it."""
        return self._native is not None and self._native.needs_second_pass()

    def second_pass(self) -> SecondPass:
        """A second pass over the same rows, which has seen none so far."""
        return SecondPass(self._seen().second_pass(), self._threads)

    def finish(self, second: SecondPass | None = None) -> SummarisedEvaluation:
        """The scores, exact where they can be. The summary can be updated further."""
        native = None if second is None else second._native
        return SummarisedEvaluation(self._seen().finish(native, self._threads))

    def _seen(self) -> _clmatch.Summary:
        if self._native is None:
            raise ValueError("this summary has seen no rows")
        return self._native

    def __getstate__(self) -> dict[str, Any]:
        native = None if self._native is None else self._native.to_bytes()
        return {
            "settings": self._settings,
            "source": self._source,
            "threads": self._threads,
            "next_row": self._next_row,
            "native": native,
        }

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], Summary], tuple[dict[str, Any]]]:
        return _restore, (self.__getstate__(),)

    def __repr__(self) -> str:
        return f"<Summary of {self.rows} rows for {', '.join(self._settings['measures'])}>"


def _restore(state: dict[str, Any]) -> Summary:
    made = Summary._with(state["settings"], state["source"], state["threads"])
    made._next_row = state["next_row"]
    if state["native"] is not None:
        made._native = _clmatch.Summary.from_bytes(state["native"])
    return made


class SecondPass:
    """Statistics of a second pass over the rows of a summary. Made by ``Summary.second_pass``; can be merged and pickled."""

    def __init__(self, native: _clmatch.SecondPass, threads: int | None = None) -> None:
        self._native = native
        self._threads = threads
        self._next_row = 0

    def update(self, X: ArrayLike, labels: ArrayLike) -> SecondPass:
        """Adds rows that the summary has seen, and their labels; returns the second pass itself."""
        if _has_no_rows(X) and _has_no_rows(labels):
            return self
        self._add(*pair_of(X, labels))
        return self

    def _add(self, points: Points, labels: Labels) -> None:
        self._native.update(points, labels.codes, labels.names, self._next_row, self._threads)
        self._next_row += len(points)

    def merge(self, other: SecondPass) -> SecondPass:
        """Adds all rows of another second pass of the same summary; returns the second pass itself."""
        if not isinstance(other, SecondPass):
            raise TypeError(f"a second pass is merged with a second pass, not with {type(other).__name__}")
        self._native.merge(SecondPass.from_bytes(other.to_bytes())._native if other is self else other._native)
        return self

    def __add__(self, other: SecondPass) -> SecondPass:
        if not isinstance(other, SecondPass):
            return NotImplemented
        return SecondPass.from_bytes(self.to_bytes()).merge(other)

    @property
    def rows(self) -> int:
        """How many rows were seen."""
        return self._native.rows

    def to_bytes(self) -> bytes:
        """All of it as bytes with a version and a checksum."""
        return self._native.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> SecondPass:
        """From bytes; ``ValueError`` where they are damaged, or of another version."""
        return cls(_clmatch.SecondPass.from_bytes(data))

    def __reduce__(self) -> tuple[Callable[[bytes], SecondPass], tuple[bytes]]:
        return SecondPass.from_bytes, (self.to_bytes(),)


def _has_no_rows(values: Any) -> bool:
    shape = getattr(values, "shape", None)
    return (shape[0] if shape else len(values)) == 0


_Part = TypeVar("_Part", Summary, SecondPass)


def merged(parts: Sequence[_Part]) -> _Part:
    """All parts in one; none of them is changed, because an engine may need them again."""
    whole = parts[0]
    for other in parts[1:]:
        whole = whole + other if whole is parts[0] else whole.merge(other)
    return whole


def encoded_labels(codes: Any, values: list[Any]) -> Labels:
    """Labels that were encoded elsewhere: ``values[codes[row]]`` is the label of a row."""
    known, names = labels_of(np.asarray(values, dtype=object))
    return Labels(known[codes], names)


def rows_of(columns: list[Any]) -> Any:
    """Columns of numbers, side by side: float32 if all of them are, else float64."""
    dtype = np.float32 if all(column.dtype == np.float32 for column in columns) else np.float64
    rows = np.empty((len(columns[0]), len(columns)), dtype)
    for at, column in enumerate(columns):
        rows[:, at] = column
    return rows
