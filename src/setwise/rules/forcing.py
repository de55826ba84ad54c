"""Moves that force, found without listing the others: checks, captures and promotions of some worth.

A search of forcing moves asks for them at every node, of one board at a time: lookups from the enemy king's square say
where each kind of piece checks, and only moves to these squares are listed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Move, Set, Square, entry, routine, scratch, subroutine
from setwise.compiler.lanes import mixed, union
from setwise.compiler.signatures import boolean, named, uint16, uint64
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    NINE,
    ONE,
    RANK_1,
    RANK_7,
    RANK_8,
    SEVEN,
    SIXTEEN,
    bit,
    lowest,
    only_lowest,
    without_lowest,
)
from setwise.patterns.compass import north, north_east, north_west
from setwise.patterns.geometry import BETWEEN
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import Board, attackers, king_square
from setwise.rules.generate import (
    MOST_MOVES,
    castling_rooks,
    en_passant_captors,
    king_targets,
    legality,
    officer_targets,
    pawn_targets,
)
from setwise.rules.mates import is_mated
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    TO_BISHOP,
    TO_KNIGHT,
    TO_QUEEN,
    TO_ROOK,
    castling_targets,
    child,
    encoded,
    kind_of,
    origin_of,
    target_of,
)
from setwise.rules.rays import rays

__all__ = ["has_mate", "is_safe", "list_arrivals", "list_captures", "list_forcing", "mates", "own_attackers", "reached"]

_move_list = scratch(MOST_MOVES)


# ---------------------------------------------------------------------------------------------------- who attacks what


@routine
def reached(board: Board) -> Set:
    """All squares that own pieces attack."""
    return _attacked(board, board.own | board.enemy)


@routine
def _attacked(board: Board, blockers: Set) -> Set:
    """All squares that own pieces attack where only some pieces block their lines."""
    orthogonal, diagonal = board.own & (board.rooks | board.queens), board.own & (board.bishops | board.queens)
    return (
        union(rays(mixed(orthogonal, diagonal), ~blockers))
        | knight.attacks(board.own & board.knights)
        | pawns.attacks(board.own & board.pawns)
        | king.ATTACKS[king_square(board)]
    )


@routine
def own_attackers(board: Board, square: Square) -> Set:
    """The own pieces that attack a square."""
    occupied = board.own | board.enemy
    return board.own & (
        attacks_down(bit(square)) & board.pawns
        | knight.ATTACKS[square] & board.knights
        | king.ATTACKS[square] & board.kings
        | rook_attacks(square, occupied) & (board.rooks | board.queens)
        | bishop_attacks(square, occupied) & (board.bishops | board.queens)
    )


@routine
def is_safe(board: Board, origin: Square, target: Square) -> bool:
    """Whether a move of a piece, not en passant and not castling, leaves its king unattacked."""
    start, end = bit(origin), bit(target)
    square = target if start & board.kings != EMPTY else king_square(board)
    return attackers(board, square, (board.own | board.enemy) & ~start | end) & ~end == EMPTY


@subroutine
def list_arrivals(board: Board, pieces: Set, squares: Set, moves: Any) -> int:
    """Write the legal moves of some own pieces to some squares, where no own piece is; return how many.

    Pawns arrive by captures alone, and must not promote. For few squares this is faster than to list all moves.
    """
    n = 0
    while squares != EMPTY:
        target = lowest(squares)
        squares = without_lowest(squares)
        origins = own_attackers(board, target) & pieces
        while origins != EMPTY:
            origin = lowest(origins)
            origins = without_lowest(origins)
            if is_safe(board, origin, target):
                moves[n] = encoded(origin, target, NORMAL)
                n += 1
    return n


# --------------------------------------------------------------------------------------------------------- what checks


class _Checks(NamedTuple):
    """Where rooks, bishops, knights and pawns would check the enemy king; own pieces that check by leaving a line."""

    along: Set
    across: Set
    by_knight: Set
    by_pawn: Set
    screens: Set


@routine
def _checks(board: Board) -> _Checks:
    enemy_king = board.enemy & board.kings
    square, occupied = lowest(enemy_king), board.own | board.enemy
    along, across = rook_attacks(square, occupied), bishop_attacks(square, occupied)
    lifted = occupied & ~(board.own & (along | across))
    behind = board.own & (
        rook_attacks(square, lifted) & ~along & (board.rooks | board.queens)
        | bishop_attacks(square, lifted) & ~across & (board.bishops | board.queens)
    )
    screens = EMPTY
    while behind != EMPTY:
        screens |= BETWEEN[square, lowest(behind)] & board.own
        behind = without_lowest(behind)
    return _Checks(along, across, knight.ATTACKS[square], attacks_down(enemy_king), screens)


@routine
def _checking(board: Board, checks: _Checks, square: Square) -> Set:
    """The squares where the piece on a square, no pawn or king, checks, or uncovers a check by any move."""
    here = bit(square)
    squares = checks.by_knight if here & board.knights != EMPTY else EMPTY
    squares |= checks.along if here & (board.rooks | board.queens) != EMPTY else EMPTY
    squares |= checks.across if here & (board.bishops | board.queens) != EMPTY else EMPTY
    return ALL if here & checks.screens != EMPTY else squares


@routine
def _list(moves: Any, n: int, start: Square, step: np.uint64, targets: Set) -> int:
    """List a move to each target; its origin is ``start + step * target``.

    There are few: one at a time, `discovered_attacks` takes 6 % less than with the four at a time of `generate`.
    """
    while targets != EMPTY:
        target = lowest(targets)
        targets = without_lowest(targets)
        moves[n] = encoded(start + step * target, target, NORMAL)
        n += 1
    return n


@routine
def _list_pawns(moves: Any, n: int, targets: Set, step: np.uint64) -> int:
    n = _list(moves, n, EMPTY - step, ONE, targets & ~RANK_8)
    targets &= RANK_8
    while targets != EMPTY:
        target = lowest(targets)
        targets = without_lowest(targets)
        for kind in (TO_QUEEN, TO_ROOK, TO_BISHOP, TO_KNIGHT):
            moves[n] = encoded(target - step, target, kind)
            n += 1
    return n


@subroutine
def list_forcing(board: Board, squares: Set, among: Set, moves: Any) -> int:
    """Write the legal moves to some squares, and those to others ``among`` which may give check; return how many.

    Promotions are among them only if their squares are. Castling and captures en passant always may give check.
    """
    checks, limits = _checks(board), legality(board)
    steps, doubles, east, west = pawn_targets(board, limits)
    screens = checks.screens & board.pawns
    by_pawn = checks.by_pawn & among | squares
    n = _list_pawns(moves, 0, east & (by_pawn | north_east(screens) & among), NINE)
    n = _list_pawns(moves, n, west & (by_pawn | north_west(screens) & among), SEVEN)
    n = _list_pawns(moves, n, steps & (by_pawn | north(screens) & among), EIGHT)
    n = _list(moves, n, EMPTY - SIXTEEN, ONE, doubles & (by_pawn | north(north(screens)) & among))
    captors = en_passant_captors(board, limits) if board.en_passant & (squares | among) != EMPTY else EMPTY
    while captors != EMPTY:
        moves[n] = encoded(lowest(captors), lowest(board.en_passant), EN_PASSANT)
        n += 1
        captors = without_lowest(captors)

    officers = board.own & ~(board.pawns | board.kings)
    while officers != EMPTY:
        square = lowest(officers)
        wanted = _checking(board, checks, square) & among | squares
        if wanted != EMPTY:
            n = _list(moves, n, square, EMPTY, officer_targets(board, limits, square) & wanted)
        officers = without_lowest(officers)

    square = king_square(board)
    wanted = squares | among if board.own & board.kings & checks.screens != EMPTY else squares
    n = _list(moves, n, square, EMPTY, king_targets(board, limits) & wanted)
    rooks = castling_rooks(board, limits) & (squares | among) if board.castling & RANK_1 != EMPTY else EMPTY
    while rooks != EMPTY:
        moves[n] = encoded(square, lowest(rooks), CASTLING)
        n += 1
        rooks = without_lowest(rooks)
    return n


# ------------------------------------------------------------------------------------------------------------ captures


@routine
def _cheapest(board: Board, pieces: Set) -> Set:
    """One of some pieces that is worth least; the king comes last."""
    for group in (board.pawns, board.knights | board.bishops, board.rooks, board.queens):
        if pieces & group != EMPTY:
            return only_lowest(pieces & group)
    return pieces


@routine
def _list_captors(board: Board, moves: Any, n: int, target: Square, captors: Set) -> int:
    while captors != EMPTY:
        captor = _cheapest(board, captors)
        captors ^= captor
        moves[n] = encoded(lowest(captor), target, NORMAL)
        n += 1
    return n


@subroutine
def list_captures(board: Board, squares: Set, moves: Any) -> int:
    """Write captures of pieces on some squares, then those of others which may give check; return how many.

    The most valuable piece is captured first, by the cheapest. A capture may leave the king attacked. Captures en
    passant and promotions are left out.
    """
    n = 0
    captured = reached(board) & board.enemy & ~board.kings
    for group in (board.queens, board.rooks, board.knights | board.bishops, board.pawns):
        targets = captured & squares & group
        while targets != EMPTY:
            n = _list_captors(board, moves, n, lowest(targets), own_attackers(board, lowest(targets)))
            targets = without_lowest(targets)
    captured &= ~squares
    if captured == EMPTY:
        return n
    checks = _checks(board)
    if checks.screens == EMPTY:
        captured &= checks.along | checks.across | checks.by_knight | checks.by_pawn
    while captured != EMPTY:
        here = only_lowest(captured)
        captured ^= here
        checking = checks.screens
        checking |= board.rooks | board.queens if here & checks.along != EMPTY else EMPTY
        checking |= board.bishops | board.queens if here & checks.across != EMPTY else EMPTY
        checking |= board.knights if here & checks.by_knight != EMPTY else EMPTY
        checking |= board.pawns if here & checks.by_pawn != EMPTY else EMPTY
        n = _list_captors(board, moves, n, lowest(here), own_attackers(board, lowest(here)) & checking)
    return n


# ------------------------------------------------------------------------------------------------------- what mates


@routine
def _flights(board: Board) -> Set:
    """Where the enemy king may go after any move of ours, but for what the piece that moves attacks then.

    Our pieces block no line here: any of them may leave it. A capture en passant opens one through an enemy piece.
    """
    blockers = board.enemy & ~board.kings
    return king.ATTACKS[lowest(board.enemy & board.kings)] & ~board.enemy & ~_attacked(board, blockers)


@routine
def _leaves_flight(board: Board, move: Move, flights: Set) -> bool:
    """Whether a normal move leaves the king one of its flights."""
    start, square = bit(origin_of(move)), target_of(move)
    occupied = (board.own | board.enemy & ~board.kings) & ~start
    covered = pawns.attacks(bit(square)) if start & board.pawns != EMPTY else EMPTY
    covered |= king.ATTACKS[square] if start & board.kings != EMPTY else EMPTY
    covered |= knight.ATTACKS[square] if start & board.knights != EMPTY else EMPTY
    covered |= rook_attacks(square, occupied) if start & (board.rooks | board.queens) != EMPTY else EMPTY
    covered |= bishop_attacks(square, occupied) if start & (board.bishops | board.queens) != EMPTY else EMPTY
    return flights & ~covered != EMPTY


@routine
def _mates(board: Board, move: Move, flights: Set) -> bool:
    """Whether a move that may give check mates."""
    if flights != EMPTY and kind_of(move) == NORMAL and _leaves_flight(board, move, flights):
        return False
    return is_mated(child(board, move))


@routine
def _list_checks(board: Board, moves: Any) -> int:
    """List the moves that may give check, all promotions among them."""
    promotions = RANK_8 if board.own & board.pawns & RANK_7 != EMPTY else EMPTY
    return list_forcing(board, promotions, ALL, moves)


@entry(boolean, named(Board))
def has_mate(board: Board) -> bool:
    """Whether some move mates."""
    moves = _move_list(uint16)
    number, flights = _list_checks(board, moves), _flights(board)
    for i in range(number):
        if _mates(board, np.uint64(moves[i]), flights):
            return True
    return False


@entry(uint64, named(Board))
def mates(board: Board) -> Set:
    """The squares to which a piece goes and mates; for castling the square where the king lands."""
    moves = _move_list(uint16)
    number, flights, mating = _list_checks(board, moves), _flights(board), EMPTY
    for i in range(number):
        move = np.uint64(moves[i])
        origin, target = origin_of(move), target_of(move)
        landing = bit(castling_targets(origin, target)[0] if kind_of(move) == CASTLING else target)
        if landing & ~mating != EMPTY and _mates(board, move, flights):
            mating |= landing
    return mating
