"""Scores of Dask data frames, where they are: each partition is summarised by the worker that holds it.

>>> import clmatch.dask
>>> result = clmatch.dask.score(ddf, label="species")  # doctest: +SKIP

Rows do not leave the workers. Summaries are merged by tasks of the same graph, a few at a time; what is computed on the
driver is the last step from one summary to scores. A task that fails or whose worker is lost is computed again by Dask, which
hands on one result of each task: no row is lost or counted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ._arrow import columns_of
from ._engines import MERGED_AT_ONCE, engine_settings
from ._summarised import SummarisedEvaluation
from ._summary import SecondPass, Summary, encoded_labels, merged, rows_of

__all__ = ["score"]


def score(
    ddf: Any,
    *,
    label: str = "label",
    features: Iterable[str] | None = None,
    second_pass: bool = True,
    **options: Any,
) -> SummarisedEvaluation:
    """Scores a Dask data frame with the scheduler that is active: that of a ``distributed.Client``, if there is one.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        The rows. Persist it if it is expensive to compute: it is read twice where that makes more scores exact.
    label : str, default="label"
        The column of labels.
    features : list of str, default=None
        The columns that are features; by default all but the label.
    second_pass : bool, default=True
        Whether the data may be read a second time.
    **options
        Those of ``clmatch.Summary`` but for ``source`` and ``n_jobs``.

    Returns
    -------
    SummarisedEvaluation
    """
    settings = engine_settings(options)
    chosen = columns_of([str(name) for name in ddf.columns], label, features)
    parts = ddf[[*chosen, label]].to_delayed()

    summary: Summary = _reduced(parts, lambda part, at: _summarised(part, at, label, chosen, settings))
    second = None
    if second_pass and summary.needs_second_pass():
        empty = summary.second_pass().to_bytes()
        second = _reduced(parts, lambda part, at: _seen_again(part, at, label, chosen, empty))
    return summary.finish(second)


def _reduced(parts: list[Any], task: Callable[[Any, int], Any]) -> Any:
    """The parts of all partitions in one: a tree of tasks."""
    import dask

    merge = dask.delayed(merged, pure=False)
    make = dask.delayed(task, pure=False)
    level = [make(part, at) for at, part in enumerate(parts)]
    while len(level) > 1:
        level = [merge(level[at : at + MERGED_AT_ONCE]) for at in range(0, len(level), MERGED_AT_ONCE)]
    (found,) = dask.compute(level[0])
    return found


def _summarised(frame: Any, at: int, label: str, features: list[str], settings: dict[str, Any]) -> Summary:
    """One partition. One thread: the engine runs as many tasks as it has processors."""
    summary = Summary._with(settings, at, 1)
    _add(summary, frame, at, label, features)
    return summary


def _seen_again(frame: Any, at: int, label: str, features: list[str], empty: bytes) -> SecondPass:
    second = SecondPass.from_bytes(empty)
    second._threads = 1
    _add(second, frame, at, label, features)
    return second


def _add(part: Summary | SecondPass, frame: Any, at: int, label: str, features: list[str]) -> None:
    import pandas

    if len(frame) == 0:
        return
    try:
        labels = frame[label]
        if labels.isna().any():
            row = int(labels.isna().to_numpy().argmax())
            raise ValueError(f"row {row}, label {label!r} has no value (rows are counted from 0)")
        columns = [_numbers(frame[name], name) for name in features]
        codes, values = pandas.factorize(labels)
        part._add(rows_of(columns), encoded_labels(codes, list(values)))
    except (TypeError, ValueError) as error:
        raise type(error)(f"partition {at}: {error}") from error


def _numbers(column: Any, name: str) -> Any:
    import numpy as np
    import pandas

    if not (pandas.api.types.is_numeric_dtype(column.dtype) or pandas.api.types.is_bool_dtype(column.dtype)):
        raise TypeError(f"column {name!r} holds {column.dtype}, not numbers: leave it out, or make it numbers")
    if column.isna().any():
        row = int(column.isna().to_numpy().argmax())
        raise ValueError(f"row {row}, column {name!r} has no value (rows are counted from 0)")
    return column.to_numpy(dtype=np.float32 if column.dtype == np.float32 else np.float64)
