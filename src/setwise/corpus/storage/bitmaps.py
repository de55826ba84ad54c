"""Bitmaps of columns in an index: for each game whether a column has a value in one of its positions.

A value is anything but 0, false and null. A file has a row for each game of a part, with the number of the ``game``
and a column of truths for each column: a bit a game before compression, so that games in which something rare happens
are found in microseconds, and a few bytes a part for what never happens.

Only White's and Black's columns are stored. What own and enemy columns have is one of these.
"""

from __future__ import annotations

import os

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, OF_TABLES, values_of
from setwise.corpus.columns.registry import MADE, is_of_lines
from setwise.features import COLOURS, FEATURES
from setwise.game.provenance import GamePositions
from setwise.system.arrow import pq

__all__ = ["GAME", "bitmap", "has_bitmap", "without_movers", "write"]

#: The column with the numbers of the games.
GAME = "game"
_PACKAGE = "setwise."


def without_movers(name: str) -> tuple[str, ...]:
    """Return White's and Black's columns for an own or enemy column, and any other column alone.

    >>> without_movers("enemy_pinned"), without_movers("is_check")
    (('white_pinned', 'black_pinned'), ('is_check',))
    """
    side, _, stem = name.partition("_")
    return tuple(f"{colour}_{stem}" for colour in COLOURS) if side in {"own", "enemy"} else (name,)


def has_bitmap(name: str) -> bool:
    """Return whether an index can have a bitmap of a column.

    It can of what setwise itself computes from the position or the move: truths, numbers, sets, and texts that can be
    null. Columns that are the same all game long, annotations, exact ends and users' own features have none: the
    definition of a feature can change without a trace, and so can the tables of a machine.

    >>> has_bitmap("white_pinned"), has_bitmap("mate_pattern"), has_bitmap("white_elo"), has_bitmap("fen")
    (True, True, False, False)
    """
    if name not in COLUMNS or name.startswith(tuple(MADE)) or is_of_lines(name) or without_movers(name) != (name,):
        return False
    column, stem = COLUMNS[name], name.partition("_")[2]
    if name.startswith(tuple(COLOURS)) and stem in FEATURES:
        return FEATURES[stem].definition.__module__.startswith(_PACKAGE)
    if column.of_games is not None or column.needs_notes or name in _WITHOUT:
        return False
    return pa.types.is_boolean(column.type) or pa.types.is_integer(column.type) or pa.types.is_dictionary(column.type)


#: Columns that say where a position is, its key, by which an index finds it anyway, and what tables say.
_WITHOUT = frozenset(("source", "game", "ply", "key", *OF_TABLES))


def bitmap(positions: GamePositions, name: str) -> np.ndarray:
    """Return for each game of a batch whether a column has a value in one of its positions."""
    values = values_of(positions, name)
    if pa.types.is_dictionary(values.type):
        has_value = values.is_valid().to_numpy(zero_copy_only=False)
    else:
        nothing = pa.scalar(0).cast(values.type)
        has_value = values.fill_null(nothing).to_numpy(zero_copy_only=False).astype(np.bool_)
    games = np.zeros(len(positions.games), np.bool_)
    games[positions.game[has_value]] = True
    return games


def write(place: str | os.PathLike[str], table: pa.Table) -> None:
    """Write a file of bitmaps."""
    pq.write_table(
        table,
        os.fspath(place),
        row_group_size=max(table.num_rows, 1),
        compression="zstd",
        use_dictionary=False,
        column_encoding={GAME: "DELTA_BINARY_PACKED"},
        write_statistics=False,
        store_schema=False,
        write_page_checksum=True,
    )
