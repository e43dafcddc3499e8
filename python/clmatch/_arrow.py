"""Record batches of Arrow as arrays, with what is missing refused by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ._input import Labels
from ._summary import SecondPass, Summary, encoded_labels, rows_of


def columns_of(names: Iterable[str], label: str, features: Iterable[str] | None) -> list[str]:
    """The columns that are features: all but the label, or those that were asked for."""
    known = list(names)
    if label not in known:
        raise ValueError(f"there is no column {label!r}: there are {', '.join(map(repr, known))}")
    chosen = [name for name in known if name != label] if features is None else list(features)
    for name in chosen:
        if name not in known:
            raise ValueError(f"there is no column {name!r}: there are {', '.join(map(repr, known))}")
    if label in chosen:
        raise ValueError(f"the label {label!r} cannot be a feature")
    if not chosen:
        raise ValueError(f"there is no column but the label {label!r}: at least one feature is needed")
    return chosen


def add_batch(part: Summary | SecondPass, batch: Any, label: str, features: list[str]) -> None:
    """Adds the rows of a record batch."""
    if batch.num_rows == 0:
        return
    first = part._next_row
    columns = [_numbers(batch.column(batch.schema.get_field_index(name)), name, first) for name in features]
    part._add(rows_of(columns), _labels(batch.column(batch.schema.get_field_index(label)), label, first))


def _numbers(column: Any, name: str, first: int) -> Any:
    import pyarrow

    if column.null_count:
        raise ValueError(f"row {first + _first_null(column)}, column {name!r} has no value (rows are counted from 0)")
    kind = column.type
    if not (pyarrow.types.is_floating(kind) or pyarrow.types.is_integer(kind) or pyarrow.types.is_boolean(kind)):
        if not pyarrow.types.is_decimal(kind):
            raise TypeError(f"column {name!r} holds {kind}, not numbers: leave it out, or make it numbers")
        column = column.cast(pyarrow.float64())
    return column.to_numpy(zero_copy_only=False)


def _labels(column: Any, name: str, first: int) -> Labels:
    if column.null_count:
        raise ValueError(f"row {first + _first_null(column)}, label {name!r} has no value (rows are counted from 0)")
    encoded = column if hasattr(column, "dictionary") else column.dictionary_encode()
    return encoded_labels(encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist())


def _first_null(column: Any) -> int:
    return int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
