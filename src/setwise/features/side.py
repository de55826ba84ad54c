"""A position as one side sees it, and what every feature asks of it: who attacks what."""

from __future__ import annotations

from typing import NamedTuple

from setwise.compiler import Flag, Set, byteswap, popcount, routine
from setwise.patterns import king, knight, pawns, sliders
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_6
from setwise.patterns.pawns.moves import attacks_down
from setwise.rules.board import Board, attackers, king_square, mirrored

__all__ = ["Side"]


class Side(NamedTuple):
    """A position as one side sees it, playing up the board: the ten words of a Board, and whether it is its turn.

    Own pieces, the enemy's, all pawns, all knights and so on; the rooks of both sides that may still castle; the square
    that a pawn has just passed, be it the side's own or the enemy's.
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
def pieces_attacks(side, men, occupied):
    """All squares that the given pieces attack, the pawns among them left out."""
    return (
        knight.attacks(men & side.knights)
        | king.attacks(men & side.kings)
        | sliders.bishops_attacks(men & (side.bishops | side.queens), occupied)
        | sliders.rooks_attacks(men & (side.rooks | side.queens), occupied)
    )


@routine
def own_attacks(side, men, occupied):
    """All squares that the given pieces of ours attack."""
    return pawns.attacks(men & side.pawns) | pieces_attacks(side, men, occupied)


@routine
def enemy_attacks(side, men, occupied):
    """All squares that the given pieces of the enemy's attack."""
    return attacks_down(men & side.pawns) | pieces_attacks(side, men, occupied)


@routine
def other_side(side):
    """The same position as the other side sees it."""
    return Side(
        byteswap(side.enemy), byteswap(side.own), byteswap(side.pawns), byteswap(side.knights), byteswap(side.bishops),
        byteswap(side.rooks), byteswap(side.queens), byteswap(side.kings), byteswap(side.castling),
        byteswap(side.en_passant), side.to_move ^ ONE,
    )  # fmt: skip


@routine
def mover(side):
    """The board with this side to move, whoever's turn it is; en passant only where it has the turn."""
    pushed = side.enemy & side.pawns & ~((side.own | side.enemy) >> EIGHT)
    passed = side.en_passant & RANK_6 & pushed << EIGHT if side.to_move != EMPTY else EMPTY
    return Board(
        side.own, side.enemy, side.pawns, side.knights, side.bishops, side.rooks, side.queens, side.kings,
        side.castling, passed,
    )  # fmt: skip


@routine
def is_ready(board):
    """Whether the mover can move: each side has one king, and the enemy's is not in check."""
    if popcount(board.own & board.kings) != ONE or popcount(board.enemy & board.kings) != ONE:
        return False
    other = mirrored(board)
    return attackers(other, king_square(other), other.own | other.enemy) == EMPTY
