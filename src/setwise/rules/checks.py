"""Checks of columns that others have written: whether they hold positions and legal moves."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, entry, routine
from setwise.compiler.signatures import boolean, int64, reads, uint16, uint64, void, writes
from setwise.patterns.bits import EMPTY, without_lowest
from setwise.rules.board import board_at, mirrored, put_board
from setwise.rules.generate import is_legal
from setwise.rules.moves import NULL_MOVE, turned
from setwise.rules.status import BY_NULL_MOVES, castling_is_standard, faults

__all__ = ["ambiguous", "first_unsound", "standard", "turn_boards"]


_REFUSED = ~np.uint64(BY_NULL_MOVES)


@routine
def ambiguous(
    own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set
) -> Set:  # fmt: skip
    """The squares where a piece has two colours or two kinds, or lacks one of them."""
    overlap, pieces = own & enemy, pawns
    for squares in (knights, bishops, rooks, queens, kings):
        overlap |= pieces & squares
        pieces |= squares
    return overlap | pieces ^ (own | enemy)


@entry(
    int64,
    reads(uint64, 2), reads(boolean),
    reads(uint16), boolean,
)  # fmt: skip
def first_unsound(words: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, chess960: bool) -> int:
    """The first row that is not a position of a game, or whose move (0: none) is not legal; else the number of rows.

    A game may have null moves, and so may the rows. ``moves`` may be empty.
    """
    for k in range(white_to_move.size):
        board = board_at(words, k)
        white = white_to_move[k]
        passed = without_lowest(board.en_passant)
        if ambiguous(*board[:8]) | passed | faults(board, white) & _REFUSED != EMPTY:
            return k
        if not (chess960 or castling_is_standard(board)):
            return k
        if moves.size > 0 and moves[k] != 0 and moves[k] != NULL_MOVE:
            move = moves[k]
            if not is_legal(board if white else mirrored(board), move if white else turned(move)):
                return k
    return white_to_move.size


@entry(void, reads(uint64, 2), writes(boolean))
def standard(words: np.ndarray, out: np.ndarray) -> None:
    """Write for each position whether all its castling rights are possible in standard chess."""
    for k in range(out.size):
        out[k] = castling_is_standard(board_at(words, k))


@entry(void, reads(uint64, 2), reads(boolean), writes(uint64, 2))
def turn_boards(words: np.ndarray, upright: np.ndarray, out: np.ndarray) -> None:
    """Write every board as it is where ``upright`` is true, else as the other side sees it."""
    for k in range(upright.size):
        board = board_at(words, k)
        put_board(board if upright[k] else mirrored(board), out, k)
