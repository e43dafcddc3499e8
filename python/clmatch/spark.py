"""Scores of Spark data frames, where they are: each partition is summarised by its executor, in batches of Arrow.

>>> import clmatch.spark
>>> result = clmatch.spark.score(df, label="species")  # doctest: +SKIP

Rows do not leave the executors: what comes to the driver is one summary. Summaries are merged by Spark, a few at a time.
A task that fails, or is run twice by speculation, is a matter of Spark, which hands on one result of each task: no row is lost
or counted twice. The package must be installed where executors run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._arrow import add_batch, columns_of
from ._engines import MERGED_AT_ONCE, engine_settings
from ._summarised import SummarisedEvaluation
from ._summary import SecondPass, Summary, merged

__all__ = ["score"]


def score(
    df: Any,
    *,
    label: str = "label",
    features: Iterable[str] | None = None,
    second_pass: bool = True,
    **options: Any,
) -> SummarisedEvaluation:
    """Scores a Spark data frame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The rows. Cache it if it is expensive to compute: it is read twice where that makes more scores exact.
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
    chosen = columns_of(df.columns, label, features)
    picked = df.select(*[_quoted(name) for name in [*chosen, label]])

    found = _reduced(picked, lambda at: Summary._with(settings, at, 1), Summary.from_bytes, label, chosen)
    summary = Summary._with(settings, 0, None) if found is None else Summary.from_bytes(found)
    second = None
    if second_pass and summary.needs_second_pass():
        empty = summary.second_pass().to_bytes()
        found = _reduced(picked, lambda _: SecondPass.from_bytes(empty), SecondPass.from_bytes, label, chosen)
        second = None if found is None else SecondPass.from_bytes(found)
    return summary.finish(second)


def _quoted(name: str) -> str:
    """A name of a column, which may hold dots."""
    return "`" + name.replace("`", "``") + "`"


def _reduced(
    df: Any,
    make: Callable[[int], Any],
    from_bytes: Callable[[bytes], Any],
    label: str,
    features: list[str],
) -> bytes | None:
    """The parts of all partitions in one, as bytes; none if there is no row."""

    def summarise(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        at = 0 if context is None else context.partitionId()
        part = make(at)
        part._threads = 1
        try:
            for batch in batches:
                add_batch(part, batch, label, features)
        except (TypeError, ValueError) as error:
            raise type(error)(f"partition {at}: {error}") from error
        if part.rows:
            yield _row(part.to_bytes())

    def merge(batches: Iterator[Any]) -> Iterator[Any]:
        parts = [from_bytes(one) for batch in batches for one in batch.column(0).to_pylist()]
        if parts:
            yield _row(merged(parts).to_bytes())

    # Rows in one batch are bounded by Spark's own setting; a batch of summaries is a few rows.
    level, count = df.mapInArrow(summarise, "part binary"), df.rdd.getNumPartitions()
    while count > 1:
        count = -(-count // MERGED_AT_ONCE)
        level = level.repartition(count).mapInArrow(merge, "part binary")
    found = level.collect()
    return bytes(found[0][0]) if found else None


def _row(data: bytes) -> Any:
    import pyarrow

    return pyarrow.RecordBatch.from_arrays([pyarrow.array([data], pyarrow.binary())], ["part"])
