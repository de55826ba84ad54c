"""Columns of the move that was played in a position."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import ONE_SQUARE, TEXTS, between, column, numbers, one_of, written
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


@column(
    "move",
    TEXTS,
    "the move played in this position (UCI), 0000 for a null move; null at the end of the game",
    domain=_UCI,
)
def _move(positions: Positions) -> pa.Array:
    """Return the moves; Parquet requires each text once in a dictionary, and castling can read like a king's move."""
    known, (numbers, rows) = np.full(MOVE_TEXTS, -1, np.int32), np.empty((2, len(positions)), np.int32)
    count = number_moves(positions.moves, positions.chess960, known, numbers, rows)
    texts = cast("Positions", positions[rows[:count]]).uci().dictionary_encode()
    numbers = texts.indices.to_numpy()[numbers] if count else numbers
    return pa.DictionaryArray.from_arrays(pa.array(numbers, mask=positions.moves == 0), texts.dictionary)


column("san", pa.string(), "the same in SAN", needs="move", domain=_SAN)(lambda p: p.san())


def _letters(pieces: np.ndarray) -> pa.Array:
    """Return the letters of pieces by their numbers; null for 0."""
    return pa.DictionaryArray.from_arrays(numbers(pieces - np.uint8(1), pa.int8(), pieces != 0), _PIECES)


def _known(positions: Positions, values: np.ndarray) -> pa.Array:
    return numbers(values, pa.bool_(), positions.moves != 0)


def _of_pieces(positions: Positions, values: np.ndarray) -> pa.Array:
    """Return the values, with null also for a null move, which moves no piece."""
    return numbers(values, pa.from_numpy_dtype(values.dtype), (positions.moves != 0) & (positions.moves != NULL_MOVE))


column(
    "piece",
    _LETTER,
    "the piece that moves: P N B R Q K; null for a null move",
    needs="move",
    domain=one_of("pieces are", *_LETTERS),
)(lambda p: _letters(p.played().piece))
column(
    "captured",
    _LETTER,
    "the piece that the move takes, or null",
    needs="move",
    domain=one_of("captured pieces are", *_LETTERS[:-1]),
)(lambda p: _letters(p.played().captured))
column(
    "promotion",
    _LETTER,
    "the piece that a pawn becomes, or null",
    needs="move",
    domain=one_of("pawns become", *_LETTERS[1:-1]),
)(lambda p: _letters(p.played().promotion))
column(
    "from_square",
    pa.uint64(),
    "the square that the move starts from, a set",
    is_set=True,
    needs="move",
    domain=ONE_SQUARE,
)(lambda p: _of_pieces(p, p.played().from_square))
column(
    "to_square",
    pa.uint64(),
    "the square that the moving piece arrives on, a set",
    is_set=True,
    needs="move",
    domain=ONE_SQUARE,
)(lambda p: _of_pieces(p, p.played().to_square))
column("gives_check", pa.bool_(), "whether the move gives check", needs="move")(
    lambda p: _known(p, checks_given(p.sets, p.white_to_move, p.moves))
)
column("is_castling", pa.bool_(), "whether the move castles", needs="move")(lambda p: _known(p, p.played().is_castling))
column("is_en_passant", pa.bool_(), "whether the move captures en passant", needs="move")(
    lambda p: _known(p, p.played().is_en_passant)
)
column(
    "see", pa.int16(), "what the exchange wins that the move begins, in pawns; less than 0 where it loses", needs="move"
)(lambda p: _of_pieces(p, p.see().astype(np.int16)))
column(
    "sacrifice",
    pa.bool_(),
    "whether the exchange that the move begins loses two pawns' worth or more, `see <= -2`; 78 % of 300 good "
    "(Stockfish, 11/2026)",
    needs="move",
)(lambda p: _known(p, p.see() <= _SACRIFICED))


@column(
    "sound_sacrifice",
    pa.bool_(),
    "whether the move is a sacrifice that wins two pawns by force all the same, whatever the reply; 96 % of 300 good "
    "(Stockfish, 11/2026)",
    needs="move",
)
def _sound_sacrifice(positions: Positions) -> pa.Array:
    wins = np.zeros(len(positions), np.bool_)
    rows = np.flatnonzero((positions.moves != 0) & (positions.see() <= _SACRIFICED))
    at, won = cast("Positions", positions[rows]), np.empty(len(rows), np.uint8)
    played_gains(np.ascontiguousarray(at.sets), at.white_to_move, np.ascontiguousarray(at.moves), won)
    wins[rows] = won >= _WON
    return _known(positions, wins)


column(
    "quiet_move",
    pa.bool_(),
    "whether the move neither captures, promotes, checks nor answers a check, and attacks no piece from its new square",
    needs="move",
)(lambda p: _known(p, quiet_moves(p.sets, p.white_to_move, p.moves)))
column(
    "move_index",
    pa.int16(),
    "the index that the move has for a network, 0 to 1857, as seen by the mover",
    needs="move",
    domain=between(0, 1857),
)(lambda p: _of_pieces(p, p.move_indices().astype(np.int16)))
