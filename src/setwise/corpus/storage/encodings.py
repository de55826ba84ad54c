"""The encodings of the columns of scans in Parquet, and which columns have no nulls.

Measured on 1,262,196 positions of master games: bytes, and nanoseconds of one core, for a position, compressed by
zstd at level 1, at -2, or by LZ4, without statistics and without nulls; the choice is in bold:

| column | dictionary | plain | plain -2 | plain, LZ4 | deltas |
|---|---|---|---|---|---|
| `white_pawns` | 1.09, 17 | **0.58, 14** | 0.73, 9 | 1.12, 9 | 0.87, 27 |
| `white_knights` | 0.34, 10 | 0.42, 9 | **0.48, 7** | 0.69, 5 | 0.66, 24 |
| `black_bishops` | 0.31, 10 | 0.40, 9 | 0.50, 7; **at -4 0.48, 6** | 0.62, 4 | 0.66, 24 |
| `white_rooks` | 0.38, 10 | **0.36, 9** | 0.64, 8 | 0.70, 5 | 0.76, 24 |
| `white_queens` | **0.19, 8** | 0.30, 8 | 0.49, 7 | 0.44, 3 | 0.54, 20 |
| `white_king` | **0.13, 7** | 0.16, 6 | 0.30, 5 | 0.38, 3 | 0.37, 14 |
| `castling_rights` | 0.06, 7 | 0.20, 9 | 0.90, 8 | **0.27, 3** | 0.26, 19 |
| `en_passant` | 0.13, 9 | **0.17, 6** | 0.29, 6 | 0.39, 3 | 0.51, 19 |
| `halfmove_clock` | 0.27, 15 | 0.46, 10 | 0.58, 10 | 0.99, 5 | **0.39, 8** |
| `ply` | 0.11, 8 | 0.09, 4 | 0.11, 4 | **0.14, 2** | 0.12, 7 |
| `fullmove_number` | 0.10, 8 | 0.16, 6 | 0.23, 4 | **0.14, 1** | 0.12, 10 |
| `key` | 7.27, 35 | 6.68, 15 | 6.73, 12 | **6.84, 10** | 7.96, 24 |
| `white_pawn_islands` | 0.07, 7 | **0.11, 5** | 0.13, 5 | 0.26, 2 | 0.10, 7 |
| `move`, a text | 1.38, 12; **at -2 1.38, 10** | 1.96, 35 | 2.53, 36 | 2.95, 25 | – |

LZ4 for all columns would halve the time, but pieces and moves would take more than eight bytes more; only columns that
are small with LZ4, too, use it. `move` is a text that people can read; its dictionary is built once per batch.
Statistics cost 3 ns per column, 35 for a text, and are written only for ``game``, whose rows are in order. Byte stream
split is good for small numbers, but Spark's fast reader does not support it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from setwise.corpus.columns import COLUMNS, OF_TABLES, PLACE
from setwise.features import SIDES
from setwise.system.arrow import pq

__all__ = ["packed_schema", "usual_starts", "with_usual_starts", "writer"]

#: The sets that repeat often enough for a dictionary, and the numbers that do not; counts need none either.
_REPEATED = frozenset(f"{side}_{pieces}" for side in SIDES for pieces in ("queens", "king"))
_PLAIN = frozenset(("key", "game", "ply", "fullmove_number"))
#: Other encodings; columns that LZ4 compresses about as well in half the time; levels of zstd other than 1.
_ENCODINGS = {"halfmove_clock": "DELTA_BINARY_PACKED"}
_LZ4 = frozenset((*_PLAIN, "castling_rights"))
_LEVELS = {
    "move": -2,
    **{f"{side}_{pieces}": level for side in SIDES for pieces, level in (("knights", -2), ("bishops", -4))},
}
#: Rows encoded at once, and bytes of a page: Arrow's defaults, 1,024 and a megabyte, take 15 % longer.
_BATCH, _PAGE = 1 << 16, 1 << 22
#: Columns of games that every position has.
_ALWAYS = frozenset((*PLACE, "white_to_move"))
#: Columns with statistics: from the limits of a row group, readers decide whether to read it.
_IN_ORDER = ("game",)


#: The name in a file's metadata under which it says, for each group of rows, whether all games begin at the usual
#: position.
_STARTS = "setwise.usual_starts"


def with_usual_starts(file: Any, flags: list[bool]) -> None:
    """Record in a file that is being written whether all games of each group of rows begin at the usual position."""
    file.add_key_value_metadata({_STARTS: json.dumps([int(flag) for flag in flags])})


def usual_starts(metadata: pq.FileMetaData) -> list[bool]:
    """Return what ``with_usual_starts`` recorded; an empty list for files of older scans and of other programs."""
    recorded = (metadata.metadata or {}).get(_STARTS.encode())
    return [] if recorded is None else list(map(bool, json.loads(recorded)))


def packed_schema(schema: pa.Schema, others: Mapping[str, pa.DataType]) -> pa.Schema:
    """Return the schema with columns without nulls marked; ``others`` are columns of the source itself."""
    return pa.schema([field.with_nullable(_may_be_missing(field.name, others)) for field in schema])


def _may_be_missing(name: str, others: Mapping[str, pa.DataType]) -> bool:
    """Whether a column can have nulls: columns of boards alone have none, except texts, lists and exact ends."""
    if name in others or name not in COLUMNS:
        return True
    has_all = COLUMNS[name].of_boards and pa.types.is_primitive(COLUMNS[name].type) and name not in OF_TABLES
    return name not in _ALWAYS and not has_all


def writer(place: str | os.PathLike[str], schema: pa.Schema) -> Any:
    """Return a writer of Parquet.

    Arrow's own schema is not stored: with it, dictionary-encoded texts would be read as categories, which cannot be
    joined with texts.
    """
    names = schema.names
    return pq.ParquetWriter(
        os.fspath(place),
        schema,
        compression={name: "lz4" if name in _LZ4 else "zstd" for name in names},
        compression_level={name: _LEVELS.get(name, 1) for name in names if name not in _LZ4} or None,
        use_dictionary=[name for name in names if _has_dictionary(name)],
        column_encoding={name: kind for name, kind in _ENCODINGS.items() if name in names} or None,
        write_statistics=[name for name in names if name in _IN_ORDER],
        write_batch_size=_BATCH,
        data_page_size=_PAGE,
        store_schema=False,
        write_page_checksum=True,
    )


def _has_dictionary(name: str) -> bool:
    if name not in COLUMNS:
        return True
    column = COLUMNS[name]
    if column.is_set:
        return name in _REPEATED
    is_count = column.of_boards and column.type == pa.int16()
    return name not in _PLAIN and name not in _ENCODINGS and not is_count
