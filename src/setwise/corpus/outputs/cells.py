"""Values as numbers, flags and texts, as all formats of rows write them: sets as squares, lists joined."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.bitboard import SQUARE_NAMES
from setwise.corpus.columns import COLUMNS, OF_SETS
from setwise.view.diagram import one_line

__all__ = [
    "NO_SQUARES", "first_of_each_name", "is_number", "is_set", "one_line_texts", "plain", "plain_type", "squares",
]  # fmt: skip

#: The text for the empty set; FEN uses the same sign.
NO_SQUARES = "-"

#: The name of each square and a blank, then the text for the empty set, three bytes each; zeros are dropped.
_NAMES = np.array([[*f"{name} ".encode()] for name in SQUARE_NAMES] + [[ord(NO_SQUARES), 0, 0]], np.uint8)
_NONE = len(SQUARE_NAMES)


def squares(words: np.ndarray) -> pa.StringArray:
    """Return the squares of each set as text.

    >>> squares(np.array([0, 1, 1 << 28 | 1 << 35], np.uint64)).to_pylist()
    ['-', 'a1', 'e4 d5']
    """
    occupied = np.empty((len(words), _NONE + 1), np.bool_)
    occupied[:, :_NONE] = np.unpackbits(
        words.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    )  # a row of squares for each set
    occupied[:, _NONE] = words == 0
    counts = np.bitwise_count(words).astype(np.int64)
    counts[counts == 0] = 1
    data = _NAMES[np.flatnonzero(occupied) % (_NONE + 1)].ravel()
    data[3 * np.cumsum(counts) - 1] = 0  # no blank after the last square
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.where(words == 0, len(NO_SQUARES), 3 * counts - 1), out=offsets[1:])
    texts = pa.LargeStringArray.from_buffers(len(words), pa.py_buffer(offsets), pa.py_buffer(data[data != 0]))
    return texts.cast(pa.string())


def is_set(field: pa.Field) -> bool:
    """Return whether a column holds sets of squares: by its type, and its metadata or its name."""
    if field.type != pa.uint64():
        return False
    return field.metadata == OF_SETS or (field.name in COLUMNS and COLUMNS[field.name].is_set)


def is_number(field: pa.Field, *, raw: bool) -> bool:
    """Return whether the values of a column are written as numbers."""
    kind = field.type
    if is_set(field) and not raw:
        return False
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type without dictionary encoding, because dictionaries differ from batch to batch."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def plain(table: pa.Table, *, raw: bool) -> pa.Table:
    """Return the table with numbers, flags and texts only.

    Sets become names of squares unless ``raw`` is true, lists become texts with blanks between the values, and other
    nested values become JSON.
    """
    columns = [_plain(column, field, raw) for field, column in zip(table.schema, table.columns, strict=True)]
    return pa.table(columns, table.schema.names)


def first_of_each_name(table: pa.Table) -> pa.Table:
    """Return the table with only the first of columns that have the same name, as an answer of ``sql`` may have."""
    names = table.schema.names
    return table.select([names.index(name) for name in dict.fromkeys(names)])


def _plain(column: pa.ChunkedArray, field: pa.Field, raw: bool) -> pa.ChunkedArray:
    kind = field.type
    if is_set(field):
        return column if raw else pa.chunked_array([_squares(chunk) for chunk in column.chunks], pa.string())
    if pa.types.is_dictionary(kind):
        return column.cast(plain_type(kind))
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        return pa.chunked_array(
            [[None if value is None else _text(value) for value in column.to_pylist()]], pa.string()
        )
    return column


def _squares(words: pa.Array) -> pa.Array:
    """The names of the squares of sets; null for null."""
    texts = squares(words.fill_null(0).to_numpy(zero_copy_only=False))
    if not words.null_count:
        return texts
    missing = words.is_null().to_numpy(zero_copy_only=False)
    validity = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.StringArray.from_buffers(len(texts), *texts.buffers()[1:], validity)


def _text(value: object) -> str:
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return " ".join("" if item is None else str(item) for item in value)
    return json.dumps(value, ensure_ascii=False, default=str)


def one_line_texts(table: pa.Table, *, raw: bool) -> list[list[str]]:
    """Return the values of each column as text on one line."""
    return [[_cell(value) for value in column.to_pylist()] for column in plain(table, raw=raw).columns]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    return one_line(str(value))
