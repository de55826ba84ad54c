"""Features of mates on the move: each hit is mate by the rules, and each mate is hit."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, entry, routine, scratch
from setwise.compiler.signatures import named, uint16, uint64
from setwise.features.registry import feature
from setwise.features.side import Side, is_ready, mover, own_attacks
from setwise.patterns import king, knight, lines, pawns
from setwise.patterns.bits import (
    ALL,
    EMPTY,
    FILES,
    RANK_1,
    RANK_7,
    RANK_8,
    bit,
    only_lowest,
    without_lowest,
)
from setwise.patterns.compass import north
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishops_attacks, queens_attacks, rooks_attacks
from setwise.rules.board import Board
from setwise.rules.forcing import list_arrivals, mates
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import is_mated
from setwise.rules.moves import child, origin_of, target_of

__all__ = ["distant_mates", "mates_in_one"]

_move_list = scratch(MOST_MOVES)
#: Where a rook that castles may give check: on its file, d or f, and on its rank.
_BY_CASTLING = FILES[3] | FILES[5] | RANK_1


@routine
def _lines(squares: Set, occupied: Set) -> tuple[Set, Set, Set]:
    """Whence rooks, bishops and knights attack a square: everywhere, if there is none."""
    everywhere = ALL if squares == EMPTY else EMPTY
    along, across = rooks_attacks(squares, occupied), bishops_attacks(squares, occupied)
    return along | everywhere, across | everywhere, knight.attacks(squares) | everywhere


@routine
def _checking_pawns(board: Board) -> Set:
    """The squares where a pawn may check, promotions included."""
    enemy_king, occupied, movers = board.enemy & board.kings, board.own | board.enemy, board.own & board.pawns
    along, across = rooks_attacks(enemy_king, occupied), bishops_attacks(enemy_king, occupied)
    steps = pawns.single_pushes(movers, ~occupied) | pawns.double_pushes(movers, ~occupied)
    steps |= pawns.attacks(movers) & board.enemy
    leaving = movers & RANK_7 & (along | across)  # the new piece sees the king through the pawn's old square
    promoted = along | across | knight.attacks(enemy_king) | pawns.attacks(leaving) | north(leaving)
    return steps & (attacks_down(enemy_king) | RANK_8 & promoted)


@routine
def _direct_checks(board: Board) -> tuple[Set, Set]:
    """The squares where a slider, or a knight, checks and attacks two of the king's flights, or as many as it has.

    Where the king may flee is computed as if no piece of ours were in the way of another, because it may leave.
    """
    enemy_king, occupied = board.enemy & board.kings, board.own | board.enemy
    lifted = board.enemy & ~enemy_king
    flights = king.attacks(enemy_king) & ~board.enemy & ~own_attacks(board, board.own, lifted)
    by_rook, by_bishop, by_knight = _lines(enemy_king, occupied)
    first, second = _lines(only_lowest(flights), lifted), _lines(only_lowest(without_lowest(flights)), lifted)
    turns = (by_rook | by_bishop) & (first[0] | first[1]) & (second[0] | second[1])
    squares = rooks_attacks(board.own & board.rooks, occupied) & by_rook & first[0] & second[0]
    squares |= bishops_attacks(board.own & board.bishops, occupied) & by_bishop & first[1] & second[1]
    squares |= queens_attacks(board.own & board.queens, occupied) & turns
    by_knight &= knight.attacks(board.own & board.knights) & first[2] & second[2]
    return squares & ~(flights | board.own), by_knight & ~(flights | board.own)


@routine
def _mating_squares(side: Side) -> Set:
    """At least the squares where a move mates."""
    board = mover(side)
    enemy_king, occupied = board.enemy & board.kings, board.own | board.enemy
    orthogonal, diagonal = board.own & (board.rooks | board.queens), board.own & (board.bishops | board.queens)
    by_slider, by_knight = _direct_checks(board)
    squares = by_slider | by_knight | _checking_pawns(board) | board.en_passant
    uncovered = lines.pinned(enemy_king, board.own, orthogonal, diagonal, occupied) != EMPTY
    castles = enemy_king & _BY_CASTLING != EMPTY
    return squares | (ALL if uncovered else EMPTY) | (board.castling & RANK_1 if castles else EMPTY)


@feature(among=_mating_squares)
def mates_in_one(side: Side, squares: Set) -> Set:
    """Return the squares to which a piece of this side goes next and mates.

    All mates by the rules, those by promotion, castling (on the square where the king arrives), en passant and
    discovery too.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
        >>> position.feature("white_mates_in_one")
        Bitboard('a8')

    Why:
        A mate is a check that leaves no flight: only moves to squares from where the king and its flights are attacked,
        or off a line of ours to it, castling, promotions and captures en passant need to be played. Each of them is
        played, and the legal replies are counted: if there is none, it is mate.

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
def _mating_distantly(side: Side, squares: Set) -> Set:
    """Those of the squares to which a slider goes and mates from a distance."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    orthogonal, diagonal = _checking_lines(side)
    moves = _move_list(uint16)
    mating, sliders = EMPTY, board.bishops | board.rooks | board.queens
    for i in range(list_arrivals(board, sliders, squares, moves)):
        move = np.uint64(moves[i])
        start, here = bit(origin_of(move)), bit(target_of(move))
        lines = orthogonal if start & (board.rooks | board.queens) != EMPTY else EMPTY
        lines |= diagonal if start & (board.bishops | board.queens) != EMPTY else EMPTY
        if here & lines & ~mating != EMPTY and is_mated(child(board, move)):
            mating |= here
    return mating


@routine
def _distant_squares(side: Side) -> Set:
    return _direct_checks(mover(side))[0] & ~king.attacks(side.enemy & side.kings)


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
    return _mating_distantly(side, squares)
