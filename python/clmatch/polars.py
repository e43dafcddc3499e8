"""Scores of frames of Polars, batch by batch: a lazy frame is never collected whole.

>>> import clmatch.polars
>>> result = clmatch.polars.score(polars.scan_parquet("*.parquet"), label="species")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._arrow import columns_of
from ._summarised import SummarisedEvaluation
from .batches import score_batches

__all__ = ["score"]

_ROWS = 1 << 16


def score(
    frame: Any, *, label: str = "label", features: Iterable[str] | None = None, **options: Any
) -> SummarisedEvaluation:
    """Scores a DataFrame or a LazyFrame of Polars; a lazy one is computed twice where that makes more scores exact.

    Parameters
    ----------
    frame : polars.DataFrame or polars.LazyFrame
        The rows.
    label : str, default="label"
        The column of labels.
    features : list of str, default=None
        The columns that are features; by default all but the label.
    **options
        Those of ``clmatch.Summary``.

    Returns
    -------
    SummarisedEvaluation
    """
    import polars

    if not isinstance(frame, (polars.DataFrame, polars.LazyFrame)):
        raise TypeError(f"give a polars DataFrame or LazyFrame, not {type(frame).__name__}")
    lazy = isinstance(frame, polars.LazyFrame)
    names = frame.collect_schema().names()
    chosen = columns_of(names, label, features)

    def batches() -> Iterator[Any]:
        picked: Any = frame.select([*chosen, label])
        if not lazy:
            slices = picked.iter_slices(_ROWS)
        elif hasattr(picked, "collect_batches"):
            slices = picked.collect_batches(chunk_size=_ROWS)
        else:  # Polars before 1.34
            slices = picked.collect(engine="streaming").iter_slices(_ROWS)
        for part in slices:
            yield from part.to_arrow().to_batches()

    return score_batches(batches, True, label, chosen, options)
