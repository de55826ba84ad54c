"""Whether a side is mated, and its legal moves to some squares."""

from __future__ import annotations

from typing import Any

from setwise.compiler import Set, routine, subroutine
from setwise.patterns.bits import EMPTY
from setwise.rules.board import Board, in_check
from setwise.rules.generate import count_moves, generate_to, legality

__all__ = ["is_mated", "moves_to"]


@subroutine
def moves_to(board: Board, squares: Set, moves: Any) -> int:
    """Write the legal moves whose target is one of some squares into a uint16 array, and return how many.

    Castling goes to the rook's square, a capture en passant to the one that was passed.
    """
    return generate_to(board, legality(board), squares, moves, 0)


@routine
def is_mated(board: Board) -> bool:
    """Whether the mover is mated."""
    return in_check(board) and count_moves(board, legality(board)) == EMPTY
