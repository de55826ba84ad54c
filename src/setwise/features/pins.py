"""Features of pins and skewers: enemy pieces on a line in front of others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from setwise.compiler import Set, Square, entry, routine, scratch
from setwise.compiler.signatures import named, uint16, uint64
from setwise.features.registry import feature
from setwise.features.side import Side, between, is_ready, mover
from setwise.patterns import lines
from setwise.patterns.bits import EMPTY, TWO, bit, lowest, only_lowest, without_lowest
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
from setwise.patterns.geometry import LINE
from setwise.patterns.sliders import bishop_attacks, bishops_attacks, rook_attacks, rooks_attacks
from setwise.rules.board import Board
from setwise.rules.exchange import see, value_on
from setwise.rules.forcing import list_arrivals
from setwise.rules.gains import falls, gain
from setwise.rules.generate import MOST_MOVES
from setwise.rules.moves import make_move, target_of
from setwise.rules.winning_lines import FIRST, NOT_KNOWN, wins_most

__all__ = ["pins", "skewers"]

_move_list = scratch(MOST_MOVES)


# ---------------------------------------------------------------------------------------------------------------- pins


@routine
def _shielding_pieces(side: Side) -> Set:
    """Enemy pieces that shield their king, or a piece of more worth."""
    minors, heavy = side.knights | side.bishops, side.rooks | side.queens
    enemy = side.enemy
    return (
        between(side, enemy, enemy & side.kings)
        | between(side, enemy & side.pawns, enemy & (minors | heavy))
        | between(side, enemy & minors, enemy & heavy)
        | between(side, enemy & side.rooks, enemy & side.queens)
    )


@routine
def _without(board: Board, squares: Set) -> Board:
    """The board without the enemy pieces on some squares."""
    stay = ~squares
    return Board(
        board.own, board.enemy & stay, board.pawns & stay, board.knights & stay, board.bishops & stay,
        board.rooks & stay, board.queens & stay, board.kings & stay, board.castling, board.en_passant,
    )  # fmt: skip


@entry(uint64, named(Side), uint64)
def _pinned(side: Side, pieces: Set) -> Set:
    """Those of the enemy pieces that cannot leave the line without losing the piece behind."""
    pinned = between(side, pieces, side.enemy & side.kings)
    pieces ^= pinned
    board = mover(side)
    if pieces == EMPTY or not is_ready(board):
        return pinned
    occupied = board.own | board.enemy
    own_king, orthogonal_enemies = board.own & board.kings, board.enemy & (board.rooks | board.queens)
    diagonal_enemies = board.enemy & (board.bishops | board.queens)
    own_pinned = lines.pinned(own_king, board.own, orthogonal_enemies, diagonal_enemies, occupied)
    while pieces != EMPTY:
        piece = only_lowest(pieces)
        pieces ^= piece
        square, lifted = lowest(piece), _without(board, piece)
        sliders = board.own & (
            rook_attacks(square, occupied) & (board.rooks | board.queens)
            | bishop_attacks(square, occupied) & (board.bishops | board.queens)
        )
        while sliders != EMPTY:
            origin = lowest(sliders)
            sliders = without_lowest(sliders)
            line = LINE[origin, square]
            if own_pinned & bit(origin) != EMPTY and own_king & line == EMPTY:
                continue
            orthogonal = rook_attacks(origin, bit(square)) & line != EMPTY
            seen = (rook_attacks(origin, occupied ^ piece) | bishop_attacks(origin, occupied ^ piece)) & line
            behind = seen & ~rook_attacks(origin, occupied) & ~bishop_attacks(origin, occupied) & board.enemy
            movers = board.rooks | board.queens if orthogonal else board.bishops | board.queens
            is_more = behind != EMPTY and piece & movers == EMPTY and value_on(board, behind) > value_on(board, piece)
            if is_more and falls(lifted, origin, lowest(behind)):
                pinned |= piece
    return pinned


@feature(among=_shielding_pieces)
def pins(side: Side, pieces: Set) -> Set:
    """Return the enemy pieces that this side's sliders pin: to the king, or to a piece of more worth that would fall.

    A piece pinned to its king may only move along the line of the pin. A piece in front of a piece of more worth is
    pinned if the piece behind falls once the piece in front leaves: exchanges are counted. A slider that itself moves
    along the line is not pinned to another piece, and a slider that is pinned to its own king pins only along the line
    of its own pin.

    Example:
        >>> position = setwise.Position("r1bqk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R b KQkq - 0 6")
        >>> position.feature("white_pins")
        Bitboard('f6')

    Why:
        Only pieces that stand alone between a slider of ours and another piece can be pinned, and sets of lines find
        them without any exchange. A piece before the king is pinned by the rules; a piece before another piece is
        pinned if the piece behind falls once the piece in front is lifted off the board.

    Traps:
        These are enemy pieces; `pinned` are this side's own pieces that stand before their king. Enemy pieces pinned to
        their king are always here. Other pins are computed as if it were this side's turn, and as if no knight or pawn
        gave check to its king: a pin outlasts the answer to a check. They are left out while the enemy stands in check,
        and unless each side has one king.

    Source:
        Chess Programming Wiki, "Pin".
    """
    return _pinned(side, pieces)


# ------------------------------------------------------------------------------------------------------------- skewers


@routine
def _is_skewer(board: Board, square: Square) -> bool:
    """Whether the slider on a square attacks a king, or a piece that falls, in front of a piece of no more worth.

    The piece behind falls once the one in front has gone.
    """
    here, occupied = bit(square), board.own | board.enemy
    orthogonal = rook_attacks(square, occupied) if here & (board.rooks | board.queens) != EMPTY else EMPTY
    diagonal = bishop_attacks(square, occupied) if here & (board.bishops | board.queens) != EMPTY else EMPTY
    fronts = (orthogonal | diagonal) & board.enemy & ~board.pawns
    while fronts != EMPTY:
        front = only_lowest(fronts)
        fronts ^= front
        there = lowest(front)
        through = occupied ^ front
        beyond = rook_attacks(square, through) if front & orthogonal != EMPTY else bishop_attacks(square, through)
        behind = beyond & LINE[square, there] & ~(orthogonal | diagonal) & board.enemy & ~(board.pawns | board.kings)
        if behind != EMPTY:
            is_less = value_on(board, behind) <= value_on(board, front) and falls(board, square, there)
            must_go = is_less or front & board.kings != EMPTY
            if must_go and falls(_without(board, front), square, lowest(behind)):
                return True
    return False


@entry(uint64, named(Side), uint64)
def _skewering(side: Side, squares: Set) -> Set:
    """Those of the squares to which a slider goes, cannot be won, and skewers."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    moves = _move_list(uint16)
    sliders = board.bishops | board.rooks | board.queens
    skewering, known = EMPTY, NOT_KNOWN
    for i in range(list_arrivals(board, sliders, squares, moves)):
        move = np.uint64(moves[i])
        here = bit(target_of(move))
        if here & ~skewering == EMPTY:
            continue
        if not _is_skewer(make_move(board, move), target_of(move)) or see(board, move) != gain(board, move):
            continue
        known, wins = wins_most(board, move, TWO, TWO, FIRST, known)
        if wins:
            skewering |= here
    return skewering


@routine
def _seen_through(fill: Callable[[Set, Set], Set], side: Side, occupied: Set) -> Set:
    """Squares from which an enemy king or piece is seen, in one direction, in front of a piece of no more worth."""
    minors = (side.knights | side.bishops) & side.enemy
    behind_minors = fill(minors, occupied)
    behind_rooks = behind_minors | fill(side.rooks & side.enemy, occupied)
    behind_any = behind_rooks | fill(side.queens & side.enemy, occupied)
    fronts = minors & behind_minors | side.enemy & (side.rooks & behind_rooks | (side.queens | side.kings) & behind_any)
    return fill(fronts, occupied)


@routine
def _skewer_squares(side: Side) -> Set:
    """Squares that an own slider sees, in line with an enemy king or piece and a piece of no more worth behind it."""
    occupied, own_queens = side.own | side.enemy, side.own & side.queens
    rooks, bishops = own_queens | side.own & side.rooks, own_queens | side.own & side.bishops
    orthogonal = (
        _seen_through(ray_fill_north, side, occupied & ~rooks)
        | _seen_through(ray_fill_east, side, occupied & ~rooks)
        | _seen_through(ray_fill_south, side, occupied & ~rooks)
        | _seen_through(ray_fill_west, side, occupied & ~rooks)
    )
    diagonal = (
        _seen_through(ray_fill_north_east, side, occupied & ~bishops)
        | _seen_through(ray_fill_south_east, side, occupied & ~bishops)
        | _seen_through(ray_fill_south_west, side, occupied & ~bishops)
        | _seen_through(ray_fill_north_west, side, occupied & ~bishops)
    )
    reached, slid = rooks_attacks(rooks, occupied), bishops_attacks(bishops, occupied)
    turned = orthogonal & bishops_attacks(own_queens, occupied) | diagonal & rooks_attacks(own_queens, occupied)
    return (orthogonal & reached | diagonal & slid | turned) & ~side.own


@feature(among=_skewer_squares)
def skewers(side: Side, squares: Set) -> Set:
    """Return the squares where a slider of this side skewers two pieces next; Stockfish finds 94 of 100 good.

    A slider goes where it cannot be won, and attacks the king or a piece that falls; the piece behind is worth no more,
    and falls once the first has gone. The move wins two pawns' worth at least whatever the reply, and two more than any
    move of another piece, and no less than another of its own; or it leaves this side four pawns ahead and no other
    wins more.

    Example:
        >>> position = setwise.Position("8/1q6/8/3k4/8/8/P7/3BK3 w - - 0 1")
        >>> position.feature("white_skewers")
        Bitboard('f3')

    Why:
        A skewer needs two pieces of theirs on a line with nothing between, which look-throughs from the one behind
        find. Each move there is tried: the slider must not be won, the front must be worth leaving, and the piece
        behind must fall without it.

    Traps:
        Pawns are not skewered. The search ends after three plies and the captures that follow. The feature is computed
        as if it were this side's turn; it is empty while the enemy stands in check, and unless each side has one king.

    Source:
        Chess Programming Wiki, "Skewer".
    """
    return _skewering(side, squares)
