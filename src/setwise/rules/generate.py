"""Move generation in two stages: how pieces move, and which of these moves the safety of the king allows.

Both stages are one generator under different ``Limits``; ``patterns.moves`` explains how checks, pins and attacked
squares become sets. ``no_limits()`` gives the pseudo-legal moves: tables for knights and kings, shifts for pawns, lines
for sliders. ``legality(board)`` computes the limits once per position, and under them the same generator lists exactly
the legal moves: none is made and unmade. ``patterns.moves.limits.king_safety`` computes them; here it follows eight
lines of one board at once, and for many boards the lines of eight boards, one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Count, Move, Set, Square, popcount, routine, scratch, subroutine
from setwise.compiler.lanes import broadcast, packed
from setwise.compiler.lanes import total as count_all
from setwise.compiler.signatures import uint16
from setwise.patterns import king, knight
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    NINE,
    ONE,
    RANK_3,
    RANK_8,
    SEVEN,
    SIXTEEN,
    THREE,
    as_int,
    bit,
    lowest,
    without_lowest,
)
from setwise.patterns.compass import north, north_east, north_west
from setwise.patterns.geometry import LINE
from setwise.patterns.moves.limits import Limits, king_safety, may_castle, movers
from setwise.patterns.moves.limits import en_passant_captors as captors_of
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import Board, king_square
from setwise.rules.moves import CASTLING, EN_PASSANT, NORMAL, TO_KNIGHT, TO_QUEEN, encoded
from setwise.rules.rays import knight_attacks, lines_of_lanes, rays

#: Room for the moves of any position with 16 pieces a side: fifteen have at most 27 each, the king 8 and two castlings.
#: It is more than that, because moves are written four at a time and read eight at a time.
MOST_MOVES = 424
_move_list = scratch(MOST_MOVES)


@routine
def no_limits() -> Limits:
    return Limits(ALL, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY)


@routine
def legality(board: Board) -> Limits:
    """The limits of the legal moves."""
    return king_safety(*board[:8], board.en_passant, lines_of_lanes)[0]


# ------------------------------------------------------------------------------------------ the targets of each piece


@routine
def landing(board: Board, limits: Limits) -> Set:
    """Where pieces other than the king may land. No move takes a king, not even that of a side that passed in check."""
    return limits.check_mask & ~board.kings


@routine
def king_targets(board: Board, limits: Limits) -> Set:
    return king.ATTACKS[king_square(board)] & ~(board.own | board.kings | limits.attacked)


@routine
def officer_targets(board: Board, limits: Limits, square: Square) -> Set:
    """Targets of a knight, bishop, rook or queen; a pinned one stays on the line of the pin."""
    here, occupied = bit(square), board.own | board.enemy
    orthogonal, diagonal = board.rooks | board.queens, board.bishops | board.queens
    on_line = limits.on_file | limits.on_rank | limits.on_diagonal | limits.on_antidiagonal
    targets = knight.ATTACKS[square] if board.knights & here != EMPTY else EMPTY
    targets |= rook_attacks(square, occupied) if orthogonal & here != EMPTY else EMPTY
    targets |= bishop_attacks(square, occupied) if diagonal & here != EMPTY else EMPTY
    targets &= LINE[king_square(board), square] if on_line & here != EMPTY else ALL
    return targets & ~board.own & landing(board, limits)


@routine
def pawn_targets(board: Board, limits: Limits) -> tuple[Set, Set, Set, Set]:
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
def en_passant_captors(board: Board, limits: Limits) -> Set:
    """The pawns that may capture en passant."""
    return captors_of(board.own, board.pawns, board.en_passant, limits)


@routine
def castling_rooks(board: Board, limits: Limits) -> Set:
    """The rooks with which the king may castle now."""
    return may_castle(board.own, board.enemy, board.kings, board.castling, limits)


# ----------------------------------------------------------------------------------------------------- lists and counts


@routine
def _list(moves: Any, n: int, start: Square, step: np.uint64, targets: Set) -> int:
    """List a move to each target; its origin is ``start + step * target``.

    Four are written at a time, even if fewer are left: the next moves overwrite the surplus. This takes two thirds of
    the time of a loop with a branch at every move, which processors cannot predict.
    """
    end = n + as_int(popcount(targets))
    at = n
    while True:
        for _ in range(4):
            target = lowest(targets)
            moves[at] = encoded(start + step * target, target, NORMAL)
            targets = without_lowest(targets)
            at += 1
        if at >= end:
            return end


@routine
def _list_pawns(moves: Any, n: int, targets: Set, step: np.uint64) -> int:
    """List pawn moves by their targets, promotions four times, the queen first."""
    n = _list(moves, n, EMPTY - step, ONE, targets & ~RANK_8)
    targets &= RANK_8
    while targets != EMPTY:
        target = lowest(targets)
        kind = TO_QUEEN
        while kind >= TO_KNIGHT:
            moves[n] = encoded(target - step, target, kind)
            n += 1
            kind -= ONE
        targets = without_lowest(targets)
    return n


@routine
def generate(board: Board, limits: Limits, moves: Any, n: int) -> int:
    """Write the moves that the limits allow, as the mover sees them, from ``moves[n]`` on; return the new n.

    Up to three items after the last move may be overwritten.
    """
    return generate_to(board, limits, ALL, moves, n)


@routine
def generate_to(board: Board, limits: Limits, squares: Set, moves: Any, n: int) -> int:
    """Write only the moves whose target, as encoded in the move, is one of some squares.

    The target of castling is the rook's square, of a capture en passant the passed one. Whether a move ends a check is
    part of the limits, not of ``squares``: a capture en passant may take the checking pawn, which is not on its target.
    """
    steps, doubles, east, west = pawn_targets(board, limits)
    n = _list_pawns(moves, n, east & squares, NINE)
    n = _list_pawns(moves, n, west & squares, SEVEN)
    n = _list_pawns(moves, n, steps & squares, EIGHT)
    n = _list(moves, n, EMPTY - SIXTEEN, ONE, doubles & squares)
    captors = en_passant_captors(board, limits) if board.en_passant & squares != EMPTY else EMPTY
    while captors != EMPTY:
        moves[n] = encoded(lowest(captors), lowest(board.en_passant), EN_PASSANT)
        n += 1
        captors = without_lowest(captors)

    officers = board.own & ~(board.pawns | board.kings)
    while officers != EMPTY:
        square = lowest(officers)
        n = _list(moves, n, square, EMPTY, officer_targets(board, limits, square) & squares)
        officers = without_lowest(officers)

    square = king_square(board)
    n = _list(moves, n, square, EMPTY, king_targets(board, limits) & squares)
    rooks = castling_rooks(board, limits) & squares
    while rooks != EMPTY:
        moves[n] = encoded(square, lowest(rooks), CASTLING)
        n += 1
        rooks = without_lowest(rooks)
    return n


@routine
def count_moves(board: Board, limits: Limits) -> Count:
    """How many moves ``generate`` would list: the same targets, only counted."""
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
    orthogonal, diagonal = board.rooks | board.queens, board.bishops | board.queens
    on_files, on_ranks = orthogonal & on_files, orthogonal & on_ranks
    on_diagonals, on_antidiagonals = diagonal & on_diagonals, diagonal & on_antidiagonals
    sliders = packed(
        on_files, on_diagonals, on_ranks, on_antidiagonals, on_files, on_diagonals, on_ranks, on_antidiagonals
    )
    allowed = broadcast(~board.own & landing(board, limits))
    total += count_all(knight_attacks(broadcast(board.knights & free)) & allowed)
    total += count_all(rays(sliders, ~(board.own | board.enemy)) & allowed)
    if board.castling != EMPTY:
        total += popcount(castling_rooks(board, limits))
    return total


@subroutine
def is_legal(board: Board, move: Move) -> bool:
    """Whether a move is among the legal ones."""
    moves = _move_list(uint16)
    for i in range(generate(board, legality(board), moves, 0)):
        if moves[i] == move:
            return True
    return False
