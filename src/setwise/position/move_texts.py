"""Moves of many positions as text, in one call."""

from __future__ import annotations

import numpy as np

from setwise.compiler import entry
from setwise.compiler.signatures import boolean, int32, int64, reads, uint8, uint16, uint64, void, writes
from setwise.notation.resolve import is_move
from setwise.notation.san import write_san
from setwise.notation.uci import read_uci, write_uci
from setwise.patterns.bits import ZERO
from setwise.rules.board import board_at, mirrored
from setwise.rules.moves import NULL_MOVE, turned

__all__ = ["LONGEST_MOVE", "MOVE_TEXTS", "number_moves", "read_moves", "write_moves"]

#: The length of the longest SAN: ``exd8=Q+``.
LONGEST_MOVE = 8
#: The number of distinct move texts: 16 bits, twice, because Chess960 writes castling differently.
MOVE_TEXTS = 2 << 16

_MOVE_BITS = np.uint64(16)
_FLIP = np.uint64(56)


@entry(void, reads(uint64, 2), reads(boolean), reads(uint16), reads(boolean), boolean, writes(uint8), writes(int64))
def write_moves(
    sets: np.ndarray,
    white_to_move: np.ndarray,
    moves: np.ndarray,
    chess960: np.ndarray,
    san: bool,
    out: np.ndarray,
    offsets: np.ndarray,
) -> None:
    """Write the move of every position in SAN or in UCI, concatenated, with ``offsets``.

    ``sets`` has the ten rows of a Board as White sees it. A move of 0 means no move and has no text. In UCI,
    castling in Chess960 is written as king takes rook.
    """
    at = 0
    for k in range(offsets.size - 1):
        offsets[k] = at
        move = np.uint64(moves[k])
        if move == ZERO:
            continue
        if san:
            board = board_at(sets, k)
            if white_to_move[k]:
                at = write_san(board, move, ZERO, False, out, at)
            else:
                at = write_san(mirrored(board), turned(move), _FLIP, False, out, at)
        else:
            at = write_uci(move, chess960[k], out, at)
    offsets[offsets.size - 1] = at


@entry(int64, reads(uint16), reads(boolean), writes(int32), writes(int32), writes(int32))
def number_moves(
    moves: np.ndarray, chess960: np.ndarray, known: np.ndarray, numbers: np.ndarray, rows: np.ndarray
) -> int:
    """Number distinct UCI texts in order of appearance, from 0; return their count.

    ``numbers`` gets the number of each position's move, 0 where there is none, and ``rows`` the row where each number
    first appears; ``known`` has ``MOVE_TEXTS`` items, initially -1.
    """
    count = 0
    for k in range(moves.size):
        numbers[k] = 0
        if moves[k] == ZERO:
            continue
        move = np.uint64(moves[k]) | np.uint64(chess960[k]) << _MOVE_BITS
        if known[move] < 0:
            known[move] = count
            rows[count] = k
            count += 1
        numbers[k] = known[move]
    return count


@entry(void, reads(uint64, 2), reads(boolean), reads(uint8), reads(int64), writes(uint16))
def read_moves(
    sets: np.ndarray, white_to_move: np.ndarray, text: np.ndarray, offsets: np.ndarray, moves: np.ndarray
) -> None:
    """Read the move of every position in UCI; 0 for a text that is not a legal or null move."""
    for k in range(moves.size):
        board = board_at(sets, k)
        if white_to_move[k]:
            move = read_uci(text, offsets[k], offsets[k + 1], board, ZERO)
        else:
            move = read_uci(text, offsets[k], offsets[k + 1], mirrored(board), _FLIP)
        if move == NULL_MOVE:
            moves[k] = NULL_MOVE
        elif is_move(move):
            moves[k] = move if white_to_move[k] else turned(move)
        else:
            moves[k] = ZERO
