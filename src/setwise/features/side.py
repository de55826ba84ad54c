"""A position as one side sees it, and the attacks that features need."""

from __future__ import annotations

from typing import NamedTuple

from setwise.compiler import Flag, Set, byteswap, popcount, routine
from setwise.patterns import king, knight, lines, pawns, sliders
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_6
from setwise.patterns.pawns.moves import attacks_down
from setwise.rules.board import Board, attackers, king_square, mirrored

__all__ = ["Side"]


class Side(NamedTuple):
    """A position as one side sees it, playing up the board: the ten words of a Board, and whether it is its turn.

    Own pieces, the enemy's, all pawns, all knights and so on; the rooks of both sides that may still castle; the square
    that a pawn of either side has just passed.
    """

    own: Set
    enemy: Set
    pawns: Set
    knights: Set
    bishops: Set
    rooks: Set
    queens: Set
    kings: Set
    castling: Set
    en_passant: Set
    to_move: Flag


@routine
def pieces_attacks(side: Side | Board, pieces: Set, occupied: Set) -> Set:
    """All squares that these pieces of either side attack; pawns are left out."""
    return (
        knight.attacks(pieces & side.knights)
        | king.attacks(pieces & side.kings)
        | sliders.bishops_attacks(pieces & (side.bishops | side.queens), occupied)
        | sliders.rooks_attacks(pieces & (side.rooks | side.queens), occupied)
    )


@routine
def own_attacks(side: Side | Board, pieces: Set, occupied: Set) -> Set:
    """All squares that these own pieces attack."""
    return pawns.attacks(pieces & side.pawns) | pieces_attacks(side, pieces, occupied)


@routine
def enemy_attacks(side: Side | Board, pieces: Set, occupied: Set) -> Set:
    """All squares that these enemy pieces attack."""
    return attacks_down(pieces & side.pawns) | pieces_attacks(side, pieces, occupied)


@routine
def other_side(side: Side) -> Side:
    """The same position as the other side sees it."""
    return Side(
        byteswap(side.enemy), byteswap(side.own), byteswap(side.pawns), byteswap(side.knights), byteswap(side.bishops),
        byteswap(side.rooks), byteswap(side.queens), byteswap(side.kings), byteswap(side.castling),
        byteswap(side.en_passant), side.to_move ^ ONE,
    )  # fmt: skip


@routine
def mover(side: Side) -> Board:
    """The board with this side to move, even if it is the other's turn; en passant only if it is this side's turn."""
    pushed = side.enemy & side.pawns & ~((side.own | side.enemy) >> EIGHT)
    passed = side.en_passant & RANK_6 & pushed << EIGHT if side.to_move != EMPTY else EMPTY
    return Board(
        side.own, side.enemy, side.pawns, side.knights, side.bishops, side.rooks, side.queens, side.kings,
        side.castling, passed,
    )  # fmt: skip


@routine
def is_ready(board: Board) -> bool:
    """Whether the mover can move: each side has one king, and the enemy's is not in check."""
    if popcount(board.own & board.kings) != ONE or popcount(board.enemy & board.kings) != ONE:
        return False
    other = mirrored(board)
    return attackers(other, king_square(other), other.own | other.enemy) == EMPTY


@routine
def between(side: Side, fronts: Set, behind: Set) -> Set:
    """The pieces of ``fronts`` that stand alone between an own slider and a piece of ``behind``."""
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    return lines.pinned(behind, fronts, side.own & orthogonal, side.own & diagonal, side.own | side.enemy)
