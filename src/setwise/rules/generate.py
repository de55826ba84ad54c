"""Move generation in two stages: what pieces can do, and what the safety of the king allows.

Both stages are one generator under different :class:`Limits`. ``no_limits()`` gives the pseudo-legal moves: tables
for knights and kings, shifts for pawns, lines for sliders. ``legality(board)`` finds checks, pins and attacked squares
once per position, and under its limits the same generator gives exactly the legal moves: nothing is played and taken
back, apart from en passant captures, which alone can uncover a check along a rank that holds two vanishing pawns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import popcount, routine, scratch, subroutine, trailing_zeros
from setwise.compiler.lanes import lanes_hit, mixed, spread, union
from setwise.compiler.lanes import total as count_all
from setwise.compiler.signatures import uint16
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    RANK_1,
    RANK_3,
    RANK_8,
    SEVEN,
    SIXTEEN,
)
from setwise.patterns.geometry import BETWEEN
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import attackers, enemy_attacks, king_square
from setwise.rules.moves import CASTLING, EN_PASSANT, NORMAL, TO_KNIGHT, TO_QUEEN, castling_targets, encoded, moved
from setwise.rules.rays import jumps, rays

#: Room for the moves of any position with 16 men a side: fifteen have at most 27 each, the king 8 and two castlings.
MOST_MOVES = 416
_move_list = scratch(MOST_MOVES)


class Limits(NamedTuple):
    """What the king's safety allows.

    ``targets``: squares where a man other than the king may land (all; or those that end a check; or none in double
    check). ``straight`` and ``diagonal``: squares of the lines, pinning piece included, along which a man is pinned
    to the king. ``danger``: squares the king may not enter, attacked with the king lifted off the board. ``exact`` is 0
    for pseudo-legal generation.
    """

    targets: np.uint64
    straight: np.uint64
    diagonal: np.uint64
    danger: np.uint64
    exact: np.uint64


@routine
def no_limits():
    return Limits(ALL, EMPTY, EMPTY, EMPTY, EMPTY)


@routine
def legality(board):
    """The limits of the legal moves: one look from the king along all lines, one over the enemy's attacks."""
    square = king_square(board)
    here = ONE << square
    empty = ~(board.own | board.enemy)
    enemies = mixed(board.enemy & (board.rooks | board.queens), board.enemy & (board.bishops | board.queens))

    view = rays(spread(here), empty)
    behind = rays(view & spread(board.own), empty)
    pins = lanes_hit(view | behind, behind & enemies)

    checkers = union(view & enemies)
    checkers |= knight.ATTACKS[square] & board.knights & board.enemy
    checkers |= pawns.attacks(here) & board.pawns & board.enemy
    targets = ALL
    if checkers != EMPTY:
        targets = EMPTY
        if checkers & (checkers - ONE) == EMPTY:
            targets = checkers | BETWEEN[square, trailing_zeros(checkers)]
    return Limits(
        targets,
        union(pins & mixed(ALL, EMPTY)),
        union(pins & mixed(EMPTY, ALL)),
        enemy_attacks(board, ~empty ^ here),
        ONE,
    )


# ------------------------------------------------------------------------------------------ the targets of each piece


@routine
def king_targets(board, limits):
    return king.ATTACKS[king_square(board)] & ~(board.own | limits.danger)


@routine
def knight_targets(board, limits, square):
    return knight.ATTACKS[square] & ~board.own & limits.targets


@routine
def bishop_targets(board, limits, square):
    """Targets of a bishop (or a queen's diagonals) that no straight pin holds."""
    along = limits.diagonal if limits.diagonal >> square & ONE else ALL
    return bishop_attacks(square, board.own | board.enemy) & ~board.own & limits.targets & along


@routine
def rook_targets(board, limits, square):
    """Targets of a rook (or a queen's lines) that no diagonal pin holds."""
    along = limits.straight if limits.straight >> square & ONE else ALL
    return rook_attacks(square, board.own | board.enemy) & ~board.own & limits.targets & along


@routine
def pawn_targets(board, limits):
    """Targets of all pawns at once: single steps, double steps, captures to the east, captures to the west."""
    pawns = board.own & board.pawns
    empty = ~(board.own | board.enemy)
    walkers = pawns & ~limits.diagonal
    steps = (((walkers & ~limits.straight) << EIGHT) | ((walkers & limits.straight) << EIGHT) & limits.straight) & empty
    doubles = ((steps & RANK_3) << EIGHT) & empty & limits.targets
    fighters = pawns & ~limits.straight
    free, bound = fighters & ~limits.diagonal, fighters & limits.diagonal
    east = ((free << NINE) | (bound << NINE) & limits.diagonal) & NOT_FILE_A & board.enemy & limits.targets
    west = ((free << SEVEN) | (bound << SEVEN) & limits.diagonal) & NOT_FILE_H & board.enemy & limits.targets
    return steps & limits.targets, doubles, east, west


@routine
def en_passant_captors(board, limits):
    """The pawns that may capture en passant: pseudo-legally, or with the king safe after it."""
    square = board.en_passant
    beside = attacks_down(square) & board.own & board.pawns
    captors = EMPTY
    while beside != EMPTY:
        origin = trailing_zeros(beside)
        after = moved(board, encoded(origin, trailing_zeros(square), EN_PASSANT))
        if limits.exact == EMPTY or attackers(after, king_square(after), after.own | after.enemy) == EMPTY:
            captors |= ONE << origin
        beside &= beside - ONE
    return captors


@routine
def castling_rooks(board, limits):
    """The rooks with which the king may castle now.

    Between the king, the rook and where they land all squares must be empty, and the king may neither stand on, cross
    nor reach an attacked square (the rook may: b1 can be attacked). A rook pinned along the rank, which only Chess960
    knows, would uncover the king.
    """
    square = king_square(board)
    here, men = ONE << square, board.own | board.enemy
    rooks = board.castling & RANK_1
    found = EMPTY
    while rooks != EMPTY:
        rook = trailing_zeros(rooks)
        if BETWEEN[square, rook] & men == EMPTY:
            there = ONE << rook
            king_to, rook_to = castling_targets(square, rook)
            king_path = BETWEEN[square, king_to] | ONE << king_to
            rook_path = BETWEEN[rook, rook_to] | ONE << rook_to
            blocked = (king_path | rook_path) & men & ~(here | there)
            if blocked | (king_path | here) & limits.danger == EMPTY:
                found |= there & ~limits.straight
        rooks &= rooks - ONE
    return found


# ----------------------------------------------------------------------------------------------------- lists and counts


@routine
def _list(moves, n, origin, targets):
    while targets != EMPTY:
        moves[n] = encoded(origin, trailing_zeros(targets), NORMAL)
        n += 1
        targets &= targets - ONE
    return n


@routine
def _list_pawns(moves, n, targets, step):
    """List pawn moves by their targets, promotions four times, the queen first."""
    while targets != EMPTY:
        target = trailing_zeros(targets)
        if ONE << target & RANK_8 != EMPTY:
            kind = TO_QUEEN
            while kind >= TO_KNIGHT:
                moves[n] = encoded(target - step, target, kind)
                n += 1
                kind -= ONE
        else:
            moves[n] = encoded(target - step, target, NORMAL)
            n += 1
        targets &= targets - ONE
    return n


@routine
def generate(board, limits, moves):
    """Write the moves that the limits allow into a uint16 array, from the mover's side, and return how many."""
    n = 0
    steps, doubles, east, west = pawn_targets(board, limits)
    n = _list_pawns(moves, n, east, NINE)
    n = _list_pawns(moves, n, west, SEVEN)
    n = _list_pawns(moves, n, steps, EIGHT)
    n = _list_pawns(moves, n, doubles, SIXTEEN)
    captors = en_passant_captors(board, limits)
    while captors != EMPTY:
        moves[n] = encoded(trailing_zeros(captors), trailing_zeros(board.en_passant), EN_PASSANT)
        n += 1
        captors &= captors - ONE

    pieces = board.own & board.knights & ~(limits.straight | limits.diagonal)
    while pieces != EMPTY:
        square = trailing_zeros(pieces)
        n = _list(moves, n, square, knight_targets(board, limits, square))
        pieces &= pieces - ONE
    pieces = board.own & (board.bishops | board.queens) & ~limits.straight
    while pieces != EMPTY:
        square = trailing_zeros(pieces)
        n = _list(moves, n, square, bishop_targets(board, limits, square))
        pieces &= pieces - ONE
    pieces = board.own & (board.rooks | board.queens) & ~limits.diagonal
    while pieces != EMPTY:
        square = trailing_zeros(pieces)
        n = _list(moves, n, square, rook_targets(board, limits, square))
        pieces &= pieces - ONE

    n = _list(moves, n, king_square(board), king_targets(board, limits))
    rooks = castling_rooks(board, limits)
    while rooks != EMPTY:
        moves[n] = encoded(king_square(board), trailing_zeros(rooks), CASTLING)
        n += 1
        rooks &= rooks - ONE
    return n


@routine
def count_moves(board, limits):
    """How many moves ``generate`` would list: the same targets, counted and never listed."""
    total = popcount(king_targets(board, limits))
    if limits.targets == EMPTY:
        return total
    steps, doubles, east, west = pawn_targets(board, limits)
    total += popcount(steps) + popcount(doubles) + popcount(east) + popcount(west)
    last = (steps | east | west) & RANK_8
    if last != EMPTY:
        total += (popcount(steps & RANK_8) + popcount(east & RANK_8) + popcount(west & RANK_8)) * np.uint64(3)
    if board.en_passant != EMPTY:
        total += popcount(en_passant_captors(board, limits))
    pinned = limits.straight | limits.diagonal
    rooks, bishops = board.own & (board.rooks | board.queens), board.own & (board.bishops | board.queens)
    empty, allowed = ~(board.own | board.enemy), spread(~board.own & limits.targets)
    total += count_all(jumps(spread(board.own & board.knights & ~pinned)) & allowed)
    total += count_all(rays(mixed(rooks & ~pinned, bishops & ~pinned), empty) & allowed)
    bound_rooks, bound_bishops = rooks & limits.straight, bishops & limits.diagonal
    if bound_rooks | bound_bishops != EMPTY:
        along = mixed(limits.straight, limits.diagonal)
        total += count_all(rays(mixed(bound_rooks, bound_bishops), empty) & allowed & along)
    if board.castling & RANK_1 != EMPTY:
        total += popcount(castling_rooks(board, limits))
    return total


@subroutine
def is_legal(board, move):
    """Whether a move is among the legal ones."""
    found = _move_list(uint16)
    for i in range(generate(board, legality(board), found)):
        if found[i] == move:
            return True
    return False
