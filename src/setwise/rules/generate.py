"""Move generation in two stages: what pieces can do, and what the safety of the king allows.

Both stages are one generator under different ``Limits``: ``patterns.moves`` tells how checks, pins and danger become
sets. ``no_limits()`` gives the pseudo-legal moves: tables for knights and kings, shifts for pawns, lines for sliders.
``legality(board)`` finds the limits once per position, and under them the same generator gives exactly the legal moves:
nothing is played and taken back. Here one board is looked at along eight lines at once; where there are many boards,
``patterns.moves.limits.safety`` looks at eight of them along one line after the other, and finds the same.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import popcount, routine, scratch, subroutine, trailing_zeros
from setwise.compiler.lanes import mixed, packed, spread, union, unpacked
from setwise.compiler.lanes import total as count_all
from setwise.compiler.signatures import uint16
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import ALL, EIGHT, EMPTY, NINE, ONE, RANK_3, RANK_8, SEVEN, SIXTEEN, THREE
from setwise.patterns.compass import north, north_east, north_west, south
from setwise.patterns.geometry import LINE
from setwise.patterns.moves.limits import Limits, ending, exposing, may_castle, movers
from setwise.patterns.moves.limits import en_passant_captors as captors_of
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import king_square
from setwise.rules.moves import CASTLING, EN_PASSANT, NORMAL, TO_KNIGHT, TO_QUEEN, encoded
from setwise.rules.rays import downwards, jumps, opposite, rays, steps

#: Room for the moves of any position with 16 pieces a side: fifteen have at most 27 each, the king 8 and two castlings.
#: What is listed four at a time, or read eight at a time, may go beyond them.
MOST_MOVES = 424
_move_list = scratch(MOST_MOVES)


@routine
def no_limits():
    return Limits(ALL, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY)


@routine
def legality(board):
    """The limits of the legal moves: one look from the king along all lines, one of the enemy's sliders."""
    square, men = king_square(board), board.own | board.enemy
    here = ONE << square
    open_board = ~(men ^ here)
    sliders = mixed(board.enemy & (board.rooks | board.queens), board.enemy & (board.bishops | board.queens))
    seen, theirs = rays(spread(here), open_board), rays(sliders, open_board)
    meetings = seen & opposite(theirs)
    file, diagonal, rank, antidiagonal, _, _, _, _ = unpacked(meetings | opposite(meetings))

    checkers = union(seen & sliders)
    checkers |= knight.ATTACKS[square] & board.knights & board.enemy
    checkers |= pawns.attacks(here) & board.pawns & board.enemy
    steppers = spread(board.enemy & board.kings) | downwards(board.enemy & board.pawns)
    attacked = union(theirs | jumps(spread(board.enemy & board.knights)) | steps(steppers))
    straight = board.enemy & (board.rooks | board.queens)
    held = board.own | south(board.en_passant)
    return Limits(
        ending(checkers, union(meetings) & ~men),
        file & board.own,
        rank & held | exposing(here, board.own & board.pawns, straight, men, board.en_passant),
        diagonal & held,
        antidiagonal & held,
        attacked,
    )


# ------------------------------------------------------------------------------------------ the targets of each piece


@routine
def landing(board, limits):
    """Where pieces other than the king may land. No move takes a king, not even that of a side that passed in check."""
    return limits.check_mask & ~board.kings


@routine
def king_targets(board, limits):
    return king.ATTACKS[king_square(board)] & ~(board.own | board.kings | limits.danger)


@routine
def officer_targets(board, limits, square):
    """Targets of a knight, bishop, rook or queen; one that a line holds stays on it."""
    here, men = ONE << square, board.own | board.enemy
    straight, diagonal = board.rooks | board.queens, board.bishops | board.queens
    held = limits.on_file | limits.on_rank | limits.on_diagonal | limits.on_antidiagonal
    targets = knight.ATTACKS[square] if board.knights & here != EMPTY else EMPTY
    targets |= rook_attacks(square, men) if straight & here != EMPTY else EMPTY
    targets |= bishop_attacks(square, men) if diagonal & here != EMPTY else EMPTY
    targets &= LINE[king_square(board), square] if held & here != EMPTY else ALL
    return targets & ~board.own & landing(board, limits)


@routine
def pawn_targets(board, limits):
    """Targets of all pawns at once: single steps, double steps, captures to the east, captures to the west.

    Captures en passant have ``en_passant_captors``: they may end a check from a square outside of the check mask.
    """
    on_files, _, on_diagonals, on_antidiagonals, _ = movers(board.own & board.pawns, limits)
    empty = ~(board.own | board.enemy)
    steps = north(on_files) & empty
    doubles = north(steps & RANK_3) & empty
    east, west = north_east(on_diagonals) & board.enemy, north_west(on_antidiagonals) & board.enemy
    mask = landing(board, limits)
    return steps & mask, doubles & mask, east & mask, west & mask


@routine
def en_passant_captors(board, limits):
    """The pawns that may capture en passant."""
    return captors_of(board.own, board.pawns, board.en_passant, limits)


@routine
def castling_rooks(board, limits):
    """The rooks with which the king may castle now."""
    return may_castle(board.own, board.enemy, board.kings, board.castling, limits)


# ----------------------------------------------------------------------------------------------------- lists and counts


@routine
def _list(found, n, start, step, targets):
    """List a move to each target; its origin is ``start``, or for each ``step`` that its target is on, one further on.

    Four are written without a look whether there are so many: what is too much is written over by the next ones, and
    a branch would be one that nobody predicts. Two thirds of the time of a loop that asks at every move.
    """
    end = n + np.int64(popcount(targets))
    at = n
    while True:
        for _ in range(4):
            target = trailing_zeros(targets)
            found[at] = encoded(start + step * target, target, NORMAL)
            targets &= targets - ONE
            at += 1
        if at >= end:
            return end


@routine
def _list_pawns(found, n, targets, step):
    """List pawn moves by their targets, promotions four times, the queen first."""
    n = _list(found, n, EMPTY - step, ONE, targets & ~RANK_8)
    targets &= RANK_8
    while targets != EMPTY:
        target = trailing_zeros(targets)
        kind = TO_QUEEN
        while kind >= TO_KNIGHT:
            found[n] = encoded(target - step, target, kind)
            n += 1
            kind -= ONE
        targets &= targets - ONE
    return n


@routine
def generate(board, limits, found, n):
    """Write the moves that the limits allow into 16-bit numbers, from the mover's side, from the n-th on; the new n.

    Up to three numbers after the last one may be written over.
    """
    return generate_to(board, limits, ALL, found, n)


@routine
def generate_to(board, limits, squares, found, n):
    """Write those moves only whose target, as the move's number has it, is one of some squares.

    Castling has the rook's square, a capture en passant the passed one. Whether a move ends a check is the limits'
    business and comes first: a capture en passant may take the checking pawn, which is not on its target.
    """
    steps, doubles, east, west = pawn_targets(board, limits)
    n = _list_pawns(found, n, east & squares, NINE)
    n = _list_pawns(found, n, west & squares, SEVEN)
    n = _list_pawns(found, n, steps & squares, EIGHT)
    n = _list(found, n, EMPTY - SIXTEEN, ONE, doubles & squares)
    captors = en_passant_captors(board, limits) if board.en_passant & squares != EMPTY else EMPTY
    while captors != EMPTY:
        found[n] = encoded(trailing_zeros(captors), trailing_zeros(board.en_passant), EN_PASSANT)
        n += 1
        captors &= captors - ONE

    officers = board.own & ~(board.pawns | board.kings)
    while officers != EMPTY:
        square = trailing_zeros(officers)
        n = _list(found, n, square, EMPTY, officer_targets(board, limits, square) & squares)
        officers &= officers - ONE

    square = king_square(board)
    n = _list(found, n, square, EMPTY, king_targets(board, limits) & squares)
    rooks = castling_rooks(board, limits) & squares
    while rooks != EMPTY:
        found[n] = encoded(square, trailing_zeros(rooks), CASTLING)
        n += 1
        rooks &= rooks - ONE
    return n


@routine
def count_moves(board, limits):
    """How many moves ``generate`` would list: the same targets, counted and never listed."""
    total = popcount(king_targets(board, limits))
    if limits.check_mask == EMPTY:
        return total
    steps, doubles, east, west = pawn_targets(board, limits)
    total += popcount(steps) + popcount(doubles) + popcount(east) + popcount(west)
    last = (steps | east | west) & RANK_8
    if last != EMPTY:
        total += THREE * (popcount(steps & RANK_8) + popcount(east & RANK_8) + popcount(west & RANK_8))
    if board.en_passant != EMPTY:
        total += popcount(en_passant_captors(board, limits))
    on_files, on_ranks, on_diagonals, on_antidiagonals, free = movers(board.own, limits)
    straight, diagonal = board.rooks | board.queens, board.bishops | board.queens
    on_files, on_ranks = straight & on_files, straight & on_ranks
    on_diagonals, on_antidiagonals = diagonal & on_diagonals, diagonal & on_antidiagonals
    sliders = packed(
        on_files, on_diagonals, on_ranks, on_antidiagonals, on_files, on_diagonals, on_ranks, on_antidiagonals
    )
    allowed = spread(~board.own & landing(board, limits))
    total += count_all(jumps(spread(board.knights & free)) & allowed)
    total += count_all(rays(sliders, ~(board.own | board.enemy)) & allowed)
    if board.castling != EMPTY:
        total += popcount(castling_rooks(board, limits))
    return total


@subroutine
def is_legal(board, move):
    """Whether a move is among the legal ones."""
    found = _move_list(uint16)
    for i in range(generate(board, legality(board), found, 0)):
        if found[i] == move:
            return True
    return False
