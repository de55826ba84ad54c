"""Whether a side is mated, the squares where a move may mate, and legal moves to some squares."""

from __future__ import annotations

from typing import Any

from setwise.compiler import Set, routine, subroutine
from setwise.patterns import knight, lines, pawns
from setwise.patterns.bits import ALL, EMPTY, RANK_1, RANK_7, RANK_8
from setwise.patterns.compass import north
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishops_attacks, rooks_attacks
from setwise.rules.board import Board, in_check
from setwise.rules.generate import count_moves, generate_to, legality

__all__ = ["checking_squares", "is_mated", "moves_to"]


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


@routine
def checking_squares(board: Board) -> Set:
    """All squares to which a move may give check, and so perhaps mate; castling has the rook's square."""
    enemy_king, occupied = board.enemy & board.kings, board.own | board.enemy
    orthogonal, diagonal = board.own & (board.rooks | board.queens), board.own & (board.bishops | board.queens)
    along, across = rooks_attacks(enemy_king, occupied), bishops_attacks(enemy_king, occupied)
    reached = rooks_attacks(orthogonal, occupied) | bishops_attacks(diagonal, occupied)
    movers = board.own & board.pawns
    steps = pawns.single_pushes(movers, ~occupied) | pawns.double_pushes(movers, ~occupied)
    steps |= pawns.attacks(movers) & board.enemy
    by_knight = knight.attacks(enemy_king)
    squares = (along | across) & reached | by_knight & knight.attacks(board.own & board.knights)
    leaving = movers & RANK_7 & (along | across)  # the new piece sees the king through the pawn's old square
    steps &= attacks_down(enemy_king) | RANK_8 & (along | across | by_knight | pawns.attacks(leaving) | north(leaving))
    squares |= steps
    screens = lines.pinned(enemy_king, board.own, orthogonal, diagonal, occupied)
    special = board.castling & RANK_1 | board.en_passant
    squares |= ALL if screens != EMPTY else special
    return squares & ~board.own | special
