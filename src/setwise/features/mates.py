"""Features of mates on the move: each hit is mate by the rules, and each mate is hit."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, entry, routine, scratch
from setwise.compiler.signatures import named, uint16, uint64
from setwise.features.registry import feature
from setwise.features.side import Side, is_ready, mover, own_attacks
from setwise.patterns import king
from setwise.patterns.bits import EMPTY, ONE, THREE, TWO, bit
from setwise.patterns.fills import (
    ray_fill_east,
    ray_fill_north,
    ray_fill_north_east,
    ray_fill_north_west,
    ray_fill_south,
    ray_fill_south_east,
    ray_fill_south_west,
    ray_fill_west,
)
from setwise.patterns.sliders import bishops_attacks, queens_attacks, rooks_attacks
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import checking_squares, is_mated, mates, moves_to
from setwise.rules.moves import NORMAL, child, kind_of, origin_of, target_of

__all__ = ["distant_mates", "mates_in_one"]

_move_list = scratch(MOST_MOVES)


@routine
def _checking_squares(side: Side) -> Set:
    return checking_squares(mover(side))


@feature(among=_checking_squares)
def mates_in_one(side: Side, squares: Set) -> Set:
    """Return the squares to which a piece of this side goes next and mates.

    All mates by the rules, those by promotion, castling (on the king's square), en passant and discovery too.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
        >>> position.feature("white_mates_in_one")
        Bitboard('a8')

    Why:
        A mate is a check, so that only moves to squares from where the king is attacked, or off a line of ours to it,
        castling and captures en passant need to be played. Each of them is played, and the legal replies are counted:
        where there is none, it is mate.

    Traps:
        It is read as if it were this side's turn; there is nothing while the enemy stands in check, nor where not each
        side has one king.

    Source:
        Chess Programming Wiki, "Checkmate".
    """
    board = mover(side)
    return mates(board, squares) if is_ready(board) else EMPTY


# --------------------------------------------------------------------------------------------------- distant mates


@routine
def _mating_lines(side: Side) -> tuple[Set, Set]:
    """The lines through the enemy king along which a distant check leaves it no escape: first ranks and files."""
    here = side.enemy & side.kings
    occupied = side.own | side.enemy
    lines_of_check = king.distant_checks(here, side.enemy | own_attacks(side, side.own, occupied & ~here))
    rank, file = EMPTY - (lines_of_check & ONE), EMPTY - (lines_of_check >> ONE & ONE)
    diagonal, antidiagonal = EMPTY - (lines_of_check >> TWO & ONE), EMPTY - (lines_of_check >> THREE & ONE)
    orthogonals = rank & (ray_fill_east(here, occupied) | ray_fill_west(here, occupied))
    orthogonals |= file & (ray_fill_north(here, occupied) | ray_fill_south(here, occupied))
    diagonals = diagonal & (ray_fill_north_east(here, occupied) | ray_fill_south_west(here, occupied))
    diagonals |= antidiagonal & (ray_fill_south_east(here, occupied) | ray_fill_north_west(here, occupied))
    far = ~(king.attacks(here) | side.own)
    return orthogonals & far, diagonals & far


@entry(uint64, named(Side), uint64)
def _mating_squares(side: Side, squares: Set) -> Set:
    """Those of the squares to which a slider goes and mates along a line that leaves the king no escape."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    orthogonal, diagonal = _mating_lines(side)
    moves = _move_list(uint16)
    mating = EMPTY
    for i in range(moves_to(board, squares, moves)):
        move = np.uint64(moves[i])
        start, here = bit(origin_of(move)), bit(target_of(move))
        lines = orthogonal if start & (board.rooks | board.queens) != EMPTY else EMPTY
        lines |= diagonal if start & (board.bishops | board.queens) != EMPTY else EMPTY
        if here & squares & lines & ~mating != EMPTY and kind_of(move) == NORMAL and is_mated(child(board, move)):
            mating |= here
    return mating


@routine
def _distant_squares(side: Side) -> Set:
    orthogonal, diagonal = _mating_lines(side)
    queens, occupied = side.own & side.queens, side.own | side.enemy
    by_rooks, by_bishops = (
        rooks_attacks(side.own & side.rooks, occupied),
        bishops_attacks(side.own & side.bishops, occupied),
    )
    return orthogonal & by_rooks | diagonal & by_bishops | (orthogonal | diagonal) & queens_attacks(queens, occupied)


@feature(among=_distant_squares)
def distant_mates(side: Side, squares: Set) -> Set:
    """Return the squares, not next to the enemy king, to which a slider of this side goes and mates along a line.

    The king and all squares that it could step to lie on the line (see `distant_checks`); no piece can interpose, or
    take the slider.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1")
        >>> position.feature("white_distant_mates")
        Bitboard('b8')

    Why:
        Where the king and all its escapes lie on one line, a slider on that line leaves it no way; whether a piece can
        interpose or take is seen by playing the move. Squares next to the king are left out, for there it might take.

    Traps:
        Mates from next to the king are `mate_at_a_glance`; all mates are `mates_in_one`. It is read as if it were this
        side's turn; there is nothing while the enemy stands in check, nor where not each side has one king.

    Source:
        Chess Programming Wiki, "King Pattern" (vulnerable on distant checks).
    """
    return _mating_squares(side, squares)
