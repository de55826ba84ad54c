"""Features of mates on the move: each hit is mate by the rules, and each mate is hit."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, entry, routine, scratch
from setwise.compiler.signatures import named, uint16, uint64
from setwise.features.registry import feature
from setwise.features.side import Side, is_ready, mover
from setwise.patterns import king
from setwise.patterns.bits import EMPTY, bit
from setwise.patterns.sliders import bishops_attacks, queens_attacks, rooks_attacks
from setwise.rules.forcing import mates
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import checking_squares, is_mated, moves_to
from setwise.rules.moves import NORMAL, child, kind_of, origin_of, target_of

__all__ = ["distant_mates", "mates_in_one"]

_move_list = scratch(MOST_MOVES)


@routine
def _checking_squares(side: Side) -> Set:
    return checking_squares(mover(side))


@feature(among=_checking_squares)
def mates_in_one(side: Side, squares: Set) -> Set:
    """Return the squares to which a piece of this side goes next and mates.

    All mates by the rules, those by promotion, castling (on the square where the king arrives), en passant and
    discovery too.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
        >>> position.feature("white_mates_in_one")
        Bitboard('a8')

    Why:
        A mate is a check, so that only moves to squares from where the king is attacked, or off a line of ours to it,
        castling and captures en passant need to be played. Each of them is played, and the legal replies are counted:
        if there is none, it is mate.

    Traps:
        The feature is computed as if it were this side's turn; it is empty while the enemy stands in check, and unless
        each side has one king.

    Source:
        Chess Programming Wiki, "Checkmate".
    """
    board = mover(side)
    return mates(board) if is_ready(board) else EMPTY


# --------------------------------------------------------------------------------------------------- distant mates


@routine
def _checking_lines(side: Side) -> tuple[Set, Set]:
    """The squares, not next to the enemy king, from which rooks and bishops would check it."""
    here, occupied = side.enemy & side.kings, side.own | side.enemy
    far = ~(king.attacks(here) | side.own)
    return rooks_attacks(here, occupied) & far, bishops_attacks(here, occupied) & far


@entry(uint64, named(Side), uint64)
def _mating_squares(side: Side, squares: Set) -> Set:
    """Those of the squares to which a slider goes and mates from a distance."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    orthogonal, diagonal = _checking_lines(side)
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
    orthogonal, diagonal = _checking_lines(side)
    queens, occupied = side.own & side.queens, side.own | side.enemy
    by_rooks, by_bishops = (
        rooks_attacks(side.own & side.rooks, occupied),
        bishops_attacks(side.own & side.bishops, occupied),
    )
    return orthogonal & by_rooks | diagonal & by_bishops | (orthogonal | diagonal) & queens_attacks(queens, occupied)


@feature(among=_distant_squares)
def distant_mates(side: Side, squares: Set) -> Set:
    """Return the squares, not next to the enemy king, to which a slider of this side goes, gives check, and mates.

    No piece can interpose or take the slider; the squares around the king may be covered by any piece of this side, the
    slider included.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1")
        >>> position.feature("white_distant_mates")
        Bitboard('b8')

    Why:
        A slider checks from the squares that a slider of its kind attacks from the king's square. Those next to the
        king are left out, and each move to one of the others is played: it is mate if there is no legal reply.

    Traps:
        Mates from next to the king are `mate_at_a_glance`; all mates are `mates_in_one`. `king.distant_checks` asks for
        less: there the king and all its escapes lie on the line of the check. The feature is computed as if it were
        this side's turn; it is empty while the enemy stands in check, and unless each side has one king.

    Source:
        Chess Programming Wiki, "King Pattern" (vulnerable on distant checks).
    """
    return _mating_squares(side, squares)
