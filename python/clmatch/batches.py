"""Scores of Arrow data in batches: datasets on disk, tables, streams of record batches.

>>> import clmatch.batches
>>> result = clmatch.batches.score("folder/of/parquet", label="species")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import Any

from ._arrow import add_batch, columns_of
from ._summarised import SummarisedEvaluation
from ._summary import SecondPass, Summary

__all__ = ["score"]


def score(
    source: Any, *, label: str = "label", features: Iterable[str] | None = None, **options: Any
) -> SummarisedEvaluation:
    """Scores data that are read batch by batch, twice where that makes more scores exact.

    Parameters
    ----------
    source : pyarrow Dataset, Table, RecordBatchReader, or paths
        Where the rows are. A RecordBatchReader can be read once only: what would need a second pass is estimated. Paths are
        those of files or folders that ``pyarrow.dataset`` reads.
    label : str, default="label"
        The column of labels.
    features : list of str, default=None
        The columns that are features; by default all but the label.
    **options
        Those of ``clmatch.Summary``: ``measures``, ``noise``, ``singletons``, ``sample``, ``memory`` and so on.

    Returns
    -------
    SummarisedEvaluation
    """
    names, batches, again = _opened(source)
    chosen = columns_of(names, label, features)
    return score_batches(lambda: batches([*chosen, label]), again, label, chosen, options)


def score_batches(
    batches: Callable[[], Iterator[Any]], again: bool, label: str, features: list[str], options: dict[str, Any]
) -> SummarisedEvaluation:
    """Scores record batches; ``again`` tells whether they can be read a second time."""
    summary = Summary(**options)
    for batch in batches():
        add_batch(summary, batch, label, features)
    second: SecondPass | None = None
    if again and summary.needs_second_pass():
        second = summary.second_pass()
        for batch in batches():
            add_batch(second, batch, label, features)
    return summary.finish(second)


def _opened(source: Any) -> tuple[list[str], Callable[[list[str]], Iterator[Any]], bool]:
    """Names of columns, a function that reads some of them in batches, and whether it can do so again."""
    import pyarrow
    import pyarrow.dataset

    if isinstance(source, pyarrow.RecordBatchReader):
        return source.schema.names, lambda columns: (batch.select(columns) for batch in source), False
    if isinstance(source, pyarrow.Table):
        return source.schema.names, lambda columns: iter(source.select(columns).to_batches()), True
    if isinstance(source, (str, PathLike, list, tuple)):
        source = pyarrow.dataset.dataset(source)
    if not isinstance(source, pyarrow.dataset.Dataset):
        raise TypeError(
            f"cannot read batches from {type(source).__name__}: give a pyarrow Dataset, Table or RecordBatchReader, or paths"
        )
    return source.schema.names, lambda columns: source.to_batches(columns=columns), True
