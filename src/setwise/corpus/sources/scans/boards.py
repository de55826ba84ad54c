"""The boards of a scan's positions: replayed from the moves where games begin at the usual position, else read.

The column ``move`` takes a quarter of the bytes that the pieces take, and replaying costs less than unpacking them.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.sources.scans.files import Rows
from setwise.features import COLOURS
from setwise.notation.pgn.replay import replay_rows
from setwise.notation.uci import numbers_of
from setwise.position import arrow_tables
from setwise.position.positions import Positions
from setwise.rules.state import SETS
from setwise.system.pool import pooled

__all__ = ["of_columns", "played", "replayed"]

#: The columns of a scan that make a position, besides its pieces.
_SITUATION = ("white_to_move", "castling_rights", "en_passant", "halfmove_clock", "fullmove_number")
_BOARD = (
    *_SITUATION,
    *(f"{side}_{piece}" for side in COLOURS for piece in ("pawns", "knights", "bishops", "rooks", "queens", "king")),
)  # fmt: skip


def replayed(rows: Rows, begins: np.ndarray, which: np.ndarray | None) -> Positions | None:
    """Return positions with their moves, some rows or all of them for None, given the first row of each game.

    None if a game may begin elsewhere than at the usual position, as the file says, or if a move is not two squares.
    """
    if not rows.group.begin_as_usual:
        return None
    with rows.group.file.reading():
        moves = rows.stored("move").unify_dictionaries().combine_chunks()
    return played(moves, begins, which)


def played(moves: pa.DictionaryArray, begins: np.ndarray, which: np.ndarray | None = None) -> Positions | None:
    """Return positions of games that begin at the usual position with their moves, given the first row of each game.

    None if a move is not two squares, or is missing where it is not the last of a game.
    """
    known = numbers_of(moves.dictionary)
    last = moves.take(pa.array(np.append(begins[1:], len(moves)) - 1))
    if known is None or not last.null_count == moves.null_count == len(begins):
        return None
    which = np.arange(len(moves)) if which is None else which
    is_ordered = bool((which[1:] > which[:-1]).all())
    wanted = which if is_ordered else np.unique(which)
    sets, white_to_move = pooled((len(SETS), len(wanted)), np.uint64), np.empty(len(wanted), np.bool_)
    clocks = np.empty((3, len(wanted)), np.uint16)
    indices = moves.indices
    numbers = np.frombuffer(indices.buffers()[1], np.int32)[indices.offset :][: len(moves)]
    ends = np.append(begins, len(moves)).astype(np.int64)
    replay_rows(ends, wanted.astype(np.int64), numbers, known, sets, white_to_move, clocks)
    positions = Positions(sets, white_to_move, clocks[0], clocks[1], moves=clocks[2])
    return positions if is_ordered else cast("Positions", positions[np.searchsorted(wanted, which)])


def of_columns(rows: Rows, which: np.ndarray | None) -> Positions:
    """Return the positions of some rows, or all of them for None, read from the columns of the pieces.

    Raises:
        SourceError: if they are not positions. Files with checksums have been written by a scan, and are not checked.
    """
    file = rows.group.file
    with file.reading():
        rows.group.read(_BOARD)
        columns = {name: rows.stored(name) for name in _BOARD}
        table = pa.table(columns if which is None else {name: it.take(pa.array(which)) for name, it in columns.items()})
        return Positions.from_arrow(table) if file.expected is None else Positions(*arrow_tables.columns_of(table)[0])
