"""Columns of the move that was played in a position."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import column, numbers, one_of, written
from setwise.position.history import checks_given, quiet_moves
from setwise.position.move import MOVE_TEXTS, number_moves
from setwise.position.positions import Positions
from setwise.rules.board import NULL_MOVE
from setwise.rules.search import played_gains

__all__: list[str] = []

_LETTER = pa.dictionary(pa.int8(), pa.string())
_LETTERS = "PNBRQK"
_PIECES = pa.array([*_LETTERS])
#: In pawns: the value of an exchange, from which on a move is a sacrifice, and the least gain of a sound sacrifice.
_SACRIFICED, _WON = -2, 2
_UCI = written("move is UCI, such as g1f3 or e7e8q; san is SAN", r"[a-h][1-8][a-h][1-8][nbrq]?|0000|--")
_SAN = written(
    "san is SAN, such as Nf3, exd5, O-O or e8=Q+; move is UCI",
    r"(?:O-O(?:-O)?|(?:[a-h]x)?[a-h][1-8](?:=[NBRQ])?|[NBRQK][a-h]?[1-8]?x?[a-h][1-8])[+#]?|--",
)


@column("move", domain=_UCI)
def _move(positions: Positions) -> pa.Array:
    """Return the moves; Parquet requires each text once in a dictionary, and castling can read like a king's move."""
    known, (numbers, rows) = np.full(MOVE_TEXTS, -1, np.int32), np.empty((2, len(positions)), np.int32)
    count = number_moves(positions.moves, positions.chess960, known, numbers, rows)
    texts = cast("Positions", positions[rows[:count]]).uci().dictionary_encode()
    numbers = texts.indices.to_numpy()[numbers] if count else numbers
    return pa.DictionaryArray.from_arrays(pa.array(numbers, mask=positions.moves == 0), texts.dictionary)


column("san", domain=_SAN)(lambda p: p.san())


def _letters(pieces: np.ndarray) -> pa.Array:
    """Return the letters of pieces by their numbers; null for 0."""
    return pa.DictionaryArray.from_arrays(numbers(pieces - np.uint8(1), pa.int8(), pieces != 0), _PIECES)


def _known(positions: Positions, values: np.ndarray) -> pa.Array:
    return numbers(values, pa.bool_(), positions.moves != 0)


def _of_pieces(positions: Positions, values: np.ndarray) -> pa.Array:
    """Return the values, with null also for a null move, which moves no piece."""
    return numbers(values, pa.from_numpy_dtype(values.dtype), (positions.moves != 0) & (positions.moves != NULL_MOVE))


column("piece", domain=one_of("pieces are", *_LETTERS))(lambda p: _letters(p.played().piece))
column("captured", domain=one_of("captured pieces are", *_LETTERS[:-1]))(lambda p: _letters(p.played().captured))
column("promotion", domain=one_of("pawns become", *_LETTERS[1:-1]))(lambda p: _letters(p.played().promotion))
column("from_square")(lambda p: _of_pieces(p, p.played().from_square))
column("to_square")(lambda p: _of_pieces(p, p.played().to_square))
column("gives_check")(lambda p: _known(p, checks_given(p.sets, p.white_to_move, p.moves)))
column("is_castling")(lambda p: _known(p, p.played().is_castling))
column("is_en_passant")(lambda p: _known(p, p.played().is_en_passant))
column("see")(lambda p: _of_pieces(p, p.see().astype(np.int16)))
column("sacrifice")(lambda p: _known(p, p.see() <= _SACRIFICED))


@column("sound_sacrifice")
def _sound_sacrifice(positions: Positions) -> pa.Array:
    wins = np.zeros(len(positions), np.bool_)
    rows = np.flatnonzero((positions.moves != 0) & (positions.see() <= _SACRIFICED))
    at, won = cast("Positions", positions[rows]), np.empty(len(rows), np.uint8)
    played_gains(np.ascontiguousarray(at.sets), at.white_to_move, np.ascontiguousarray(at.moves), won)
    wins[rows] = won >= _WON
    return _known(positions, wins)


column("quiet_move")(lambda p: _known(p, quiet_moves(p.sets, p.white_to_move, p.moves)))
column("move_index")(lambda p: _of_pieces(p, p.move_indices().astype(np.int16)))
