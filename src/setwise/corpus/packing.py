"""How scans stand in Parquet: which encoding each column gets, which columns always have values.

Measured on 557,290 positions of master games: bytes, and nanoseconds of one core, for a position, packed by zstd at
level 1 (``dictionary -1`` and ``plain -2`` at those), without statistics and without nulls:

| column | dictionary | dictionary -1 | plain | plain -2 | byte streams split | deltas |
|---|---|---|---|---|---|---|
| `white_pawns` | 1.05, 23 | 1.12, 23 | **0.57, 14** | 0.72, 10 | 0.64, 14 | 0.86, 26 |
| `white_knights` | **0.35, 12** | 0.38, 14 | 0.42, 13 | 0.48, 11 | 0.39, 12 | 0.67, 23 |
| `white_bishops` | **0.33, 11** | 0.36, 10 | 0.41, 11 | 0.58, 9 | 0.38, 11 | 0.66, 25 |
| `white_rooks` | 0.38, 16 | 0.41, 15 | **0.36, 14** | 0.65, 13 | 0.33, 10 | 0.76, 25 |
| `white_queens` | **0.19, 8** | 0.22, 9 | 0.30, 10 | 0.49, 8 | 0.27, 10 | 0.55, 21 |
| `white_king` | **0.13, 7** | 0.16, 7 | 0.16, 7 | 0.32, 7 | 0.20, 8 | 0.37, 15 |
| `castling_rights` | **0.06, 7** | 0.08, 7 | 0.21, 9 | 0.94, 9 | 0.10, 7 | 0.26, 20 |
| `en_passant` | **0.13, 9** | 0.16, 9 | 0.17, 7 | 0.28, 7 | 0.15, 8 | 0.51, 21 |
| `halfmove_clock` | 0.29, 16 | 0.31, 18 | 0.46, 14 | 0.58, 14 | 0.22, 5 | **0.39, 9** |
| `ply` | 0.10, 8 | 0.10, 8 | **0.09, 4** | 0.11, 3 | 0.06, 4 | 0.12, 7 |
| `key` | 7.15, 50 | 7.19, 49 | 6.70, 20 | **6.75, 12** | 7.12, 23 | 7.93, 24 |
| `move`, a text | **1.35, 21** | 1.39, 20 | 1.97, 32 | – | – | – |
| `moves`, uint16 | 1.33, 65 | 1.37, 56 | 1.64, 54 | – | 1.50, 30 | 1.93, 30 |

Byte streams split are the best for small numbers, but Spark's fast reader knows none. A move as a number is no smaller
than its text, so it stays what people can read; its dictionary is made once for a batch (11 ns, not 21). Statistics,
3 ns a column and 35 for a text, are kept where rows are in order: in ``game``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from setwise.corpus.columns import COLUMNS

__all__ = ["packed_schema", "writer"]

_SIDES = ("white", "black", "own", "enemy")
#: The sets that repeat often enough for a dictionary, and the numbers that do not; counts do so well without.
_REPEATED = frozenset(f"{side}_{pieces}" for side in _SIDES for pieces in ("queens", "king"))
_PLAIN = frozenset(("key", "game", "ply", "fullmove_number"))
#: Other encodings; what LZ4 packs as well, or nearly, in half the time; other levels of zstd than 1.
_ENCODINGS = {"halfmove_clock": "DELTA_BINARY_PACKED"}
_LZ4 = frozenset((*_PLAIN, "castling_rights"))
_LEVELS = {
    "move": -2,
    **{f"{side}_{pieces}": level for side in _SIDES for pieces, level in (("knights", -2), ("bishops", -4))},
}
#: Rows that are encoded at once, and bytes of a page: with Arrow's 1,024 and a megabyte it takes 15 % longer.
_BATCH, _PAGE = 1 << 16, 1 << 22
#: Columns of games that every position has.
_ALWAYS = frozenset(("source", "game", "ply", "white_to_move"))
#: Columns whose least and greatest value in a group of rows tell readers whether to read it.
_IN_ORDER = ("game",)


def packed_schema(schema: pa.Schema, others: Mapping[str, pa.DataType]) -> pa.Schema:
    """Return the same columns, those that have a value in every row marked; ``others`` come from a source."""
    return pa.schema([field.with_nullable(_may_be_missing(field.name, others)) for field in schema])


def _may_be_missing(name: str, others: Mapping[str, pa.DataType]) -> bool:
    """Whether a column may lack values: what boards alone tell is always there, but for names and lists."""
    if name in others or name not in COLUMNS:
        return True
    return name not in _ALWAYS and not (COLUMNS[name].of_boards and pa.types.is_primitive(COLUMNS[name].type))


def writer(place: str | os.PathLike[str], schema: pa.Schema) -> Any:
    """Return a writer of Parquet.

    Arrow's own schema is left out: with it the texts that are told once came back as categories, which join no texts.
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
    )


def _has_dictionary(name: str) -> bool:
    if name not in COLUMNS:
        return True
    if COLUMNS[name].is_set:
        return name in _REPEATED
    return name not in _PLAIN and name not in _ENCODINGS and COLUMNS[name].type != pa.uint8()
