"""Forcing moves, found without listing other moves: checks, and captures and promotions that gain enough.

A search needs the forcing moves of one board at every node: lookups from the enemy king's square say where each kind of
piece checks, and only moves to these squares are listed. The first sections list moves: arrivals, checks, captures,
mates. The next sections compute how much a move wins: `gain` at once, `falls` by an exchange on one square,
`wins_by_force` against every reply of the enemy, `line_value` by all lines of a fixed depth. `wins_most` compares a
move with the moves of other pieces, so that features return only the best move. The last section computes these
values for many positions. Worth is counted in pawns, and a mate wins more than any material.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, Square, byteswap, entry, popcount, routine, scratch, subroutine
from setwise.compiler.kinds import boolean, int8, int64, named, reads, tuple_of, uint8, uint16, uint64, void, writes
from setwise.compiler.words import mixed, union
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    FIVE,
    NINE,
    ONE,
    RANK_1,
    RANK_7,
    RANK_8,
    SEVEN,
    SIXTEEN,
    THREE,
    TWO,
    bit,
    lowest,
    only_lowest,
    without_lowest,
)
from setwise.patterns.compass import north, north_east, north_west
from setwise.patterns.geometry import BETWEEN
from setwise.patterns.pawns import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    NULL_MOVE,
    TO_BISHOP,
    TO_KNIGHT,
    TO_QUEEN,
    TO_ROOK,
    Board,
    attackers,
    board_at,
    castling_targets,
    child,
    encoded,
    in_check,
    kind_of,
    king_square,
    mirrored,
    origin_of,
    rays,
    target_of,
    turned,
)
from setwise.rules.exchange import see, value_on
from setwise.rules.generate import (
    MOST_MOVES,
    castling_rooks,
    count_moves,
    en_passant_captors,
    is_mated,
    king_targets,
    legality,
    moves_to,
    officer_targets,
    pawn_targets,
)

# ------------------------------------------------------------------- moves that force, found without listing the others


_move_list = scratch(MOST_MOVES)


# ---------------------------------------------------------------------------------------------------- who attacks what


@routine
def reached(board: Board) -> Set:
    """All squares that own pieces attack."""
    return _attacked(board, board.own | board.enemy)


@routine
def _attacked(board: Board, blockers: Set) -> Set:
    """All squares that own pieces attack when only the squares in ``blockers`` block their lines."""
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
    """Whether the own king is not attacked after a move that is neither en passant nor castling."""
    start, end = bit(origin), bit(target)
    square = target if start & board.kings != EMPTY else king_square(board)
    return attackers(board, square, (board.own | board.enemy) & ~start | end) & ~end == EMPTY


@subroutine
def list_arrivals(board: Board, pieces: Set, squares: Set, moves: Any) -> int:
    """Write the legal moves of some own pieces to some squares without own pieces; return how many there are.

    Pawns arrive only by captures, and must not promote. For few squares this is faster than listing all moves.
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
    """The squares where the piece on a square (no pawn, no king) checks; all squares if any move uncovers a check."""
    here = bit(square)
    squares = checks.by_knight if here & board.knights != EMPTY else EMPTY
    squares |= checks.along if here & (board.rooks | board.queens) != EMPTY else EMPTY
    squares |= checks.across if here & (board.bishops | board.queens) != EMPTY else EMPTY
    return ALL if here & checks.screens != EMPTY else squares


@routine
def _list(moves: Any, n: int, start: Square, step: np.uint64, targets: Set) -> int:
    """List a move to each target; its origin is ``start + step * target``.

    Moves are written one at a time, because there are few: `discovered_attacks` takes 6 % less time than if moves were
    written four at a time, as in `generate`.
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
    """Write the legal moves to ``squares``, and the moves to ``among`` that may give check; return how many there are.

    Promotions are written only if their targets are in ``squares``. Castling and captures en passant always count as
    moves that may give check.
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
    """The cheapest of some pieces; the king comes last."""
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
    """Write captures on some squares, then captures on other squares that may give check; return how many there are.

    The first capture is of the most valuable piece, by the cheapest one. A capture may leave the own king attacked.
    Captures en passant and promotions are left out.
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
    """Where the enemy king may go after any move of ours, if the moved piece does not attack the square.

    Our pieces block no line here, because any piece may leave the line. A capture en passant opens a line through an
    enemy piece, too.
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
    """List the moves that may give check, and all promotions."""
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
    """The squares to which a piece goes and mates; for castling, the square where the king lands."""
    moves = _move_list(uint16)
    number, flights, mating = _list_checks(board, moves), _flights(board), EMPTY
    for i in range(number):
        move = np.uint64(moves[i])
        origin, target = origin_of(move), target_of(move)
        landing = bit(castling_targets(origin, target)[0] if kind_of(move) == CASTLING else target)
        if landing & ~mating != EMPTY and _mates(board, move, flights):
            mating |= landing
    return mating


# ---------------------------------------------------- how much a move wins: at once, and by force, after the best reply


#: This bias is added to numbers of pawns that may be negative.
_EVEN = np.uint64(128)
_NULL_MOVE = np.uint64(NULL_MOVE)
#: After the reply, this many plies are searched before an exchange ends the search; moves that check without capturing
#: are searched while more than ``_QUIET`` plies are left.
GAIN_PLIES, _QUIET = np.uint64(4), np.uint64(2)

_gain_moves = scratch(MOST_MOVES)


@routine
def gain(board: Board, move: Move) -> Count:
    """The worth of the captured piece, and the gain of a promotion, in pawns."""
    kind = kind_of(move)
    if kind == CASTLING:
        return EMPTY
    if kind == EN_PASSANT:
        return ONE
    promoted = EIGHT if kind == TO_QUEEN else FIVE - ONE if kind == TO_ROOK else THREE - ONE
    return value_on(board, bit(target_of(move))) + (EMPTY if kind == NORMAL else promoted)


@routine
def falls(board: Board, origin: Square, target: Square) -> np.bool | bool:
    """Whether the piece on one square wins the piece on another by capturing it."""
    move = encoded(origin, target, NORMAL)
    won = see(board, move)
    return won != EMPTY and won <= gain(board, move)


@routine
def _left(least: Count, won: Count) -> Count:
    """How much the other side must win so that less than ``least`` is left after a move that wins ``won``; biased."""
    return _EVEN + _EVEN + ONE + won - least


@routine
def gain_squares(board: Board, least: Count) -> Set:
    """At least the squares where a move captures a piece worth ``least`` or more, or promotes."""
    rooks, pieces = board.rooks | board.queens, board.enemy & ~board.pawns
    worth = board.queens if least > FIVE else rooks if least > THREE else pieces if least > ONE else ALL
    worth = EMPTY if least > NINE else worth & board.enemy
    worth |= board.en_passant if least <= ONE else EMPTY
    if board.own & board.pawns & RANK_7 != EMPTY:
        worth |= RANK_8 & ~board.own
    return worth


@routine
def _is_lesser_promotion(move: Move) -> np.bool | bool:
    return TO_KNIGHT <= kind_of(move) <= TO_ROOK


@routine
def _exchanges(board: Board, origin: Square, target: Square, least: Count) -> np.bool | bool:
    """Whether a piece may go to a square that it reaches, and wins at least ``least``; pawns promote to queens."""
    promotes = bit(origin) & board.pawns & RANK_7 != EMPTY
    move = encoded(origin, target, TO_QUEEN if promotes else NORMAL)
    most = gain(board, move)
    return most >= least and least <= see(board, move) <= most and is_safe(board, origin, target)


@subroutine
def _wins_passing(board: Board, least: Count) -> bool:
    """Whether a capture en passant wins at least ``least``, which is one pawn."""
    moves = _gain_moves(uint16)
    for i in range(moves_to(board, board.en_passant, moves)):
        move = np.uint64(moves[i])
        if kind_of(move) == EN_PASSANT and least <= see(board, move) <= ONE:
            return True
    return False


@subroutine
def _has_exchange(board: Board, least: Count) -> bool:
    """Whether some exchange wins the mover at least ``least``."""
    squares = gain_squares(board, least)
    if squares & board.en_passant != EMPTY and _wins_passing(board, least):
        return True
    captured = squares & board.enemy & ~board.kings
    captured = captured & reached(board) if captured != EMPTY else EMPTY
    while captured != EMPTY:
        target = lowest(captured)
        captured = without_lowest(captured)
        captors = own_attackers(board, target)
        while captors != EMPTY:
            origin = lowest(captors)
            captors = without_lowest(captors)
            if _exchanges(board, origin, target, least):
                return True
    pawns = board.own & board.pawns & RANK_7 & ~((board.own | board.enemy) >> EIGHT)
    while pawns != EMPTY:
        origin = lowest(pawns)
        pawns = without_lowest(pawns)
        if _exchanges(board, origin, origin + EIGHT, least):
            return True
    return False


@subroutine
def _settles(board: Board, least: Count, checked: bool) -> bool:
    """Whether one exchange gives the mover enough; in check, whether some move does, and no exchange wins it back."""
    if not checked:
        return _has_exchange(board, least - _EVEN)
    moves = _gain_moves(uint16)
    for i in range(moves_to(board, ALL, moves)):
        move = np.uint64(moves[i])
        lack = _left(least, gain(board, move))
        if lack > _EVEN and not _has_exchange(child(board, move), lack - _EVEN):
            return True
    return False


@routine
def _list_forcing(board: Board, least: Count, plies: Count, moves: Any) -> int:
    """List captures that win enough, and moves that may check: first to any square, in later plies only captures."""
    among = ALL if plies > _QUIET else board.enemy | board.en_passant
    return list_forcing(board, gain_squares(board, least - _EVEN), among, moves)


@subroutine
def _is_threatened(board: Board, surplus: Count) -> bool:
    """Whether the other side would mate, or win more than the surplus by one exchange, if it had the move."""
    other = child(board, _NULL_MOVE)
    return _has_exchange(other, surplus + ONE) or has_mate(other)


@subroutine
def _is_forcing(board: Board, move: Move, least: Count, there: Board) -> np.bool | bool:
    """Whether a move checks, or wins at least ``least`` at once and is not won back on its square."""
    if _is_lesser_promotion(move):
        return False
    won = gain(board, move)
    return in_check(there) or (won != EMPTY and won >= least and see(board, move) <= won)


@entry(boolean, named(Board), uint64, uint64)
def forces(board: Board, least: Count, plies: Count) -> bool:
    """Whether forcing moves win the mover at least ``least - 128``, a number that may be negative.

    Instead of capturing or checking, the mover may stop, unless it is in check: then it makes any move, or is mated.
    The side that made the first move has its turn when the number of plies is even; it stops only if it is not
    threatened, or after a move that answers the threat.
    """
    hurried = in_check(board)
    if not hurried and least <= _EVEN:
        if plies & ONE != EMPTY or plies == EMPTY or not _is_threatened(board, _EVEN - least):
            return True
        hurried = True
    if plies == EMPTY:
        return _settles(board, least, hurried)
    moves = _gain_moves(uint16)
    number = moves_to(board, ALL, moves) if hurried else _list_forcing(board, least, plies, moves)
    for i in range(number):
        move = np.uint64(moves[i])
        there = child(board, move)
        is_tried = hurried or _is_forcing(board, move, least - _EVEN, there)
        if is_tried and not forces(there, _left(least, gain(board, move)), plies - ONE):
            return True
    return False


@subroutine
def promises(answering: Board, least: Count, won: Count) -> np.bool | bool:
    """Whether enough is won already, or an exchange or a mate would win enough if the other side passed."""
    return won >= least or _is_threatened(answering, least - won - ONE)


@entry(boolean, named(Board), uint64, uint64, uint64)
def wins_by_force(board: Board, move: Move, least: Count, plies: Count) -> np.bool | bool:
    """Whether a search of some plies finds that a move wins at least ``least`` after every reply; mate wins enough."""
    moves = _gain_moves(uint16)
    answering = child(board, move)
    lack = _left(_EVEN + least, gain(board, move))
    checked = in_check(answering)
    if not checked and not promises(answering, least, gain(board, move)):
        return False
    is_free = lack > _EVEN and not checked
    number = _list_forcing(answering, lack, GAIN_PLIES, moves) if is_free else moves_to(answering, ALL, moves)
    attacked = legality(answering).attacked
    for stage in range(3):  # captures first, then moves of attacked pieces, because these refute most often
        for i in range(number):
            reply = np.uint64(moves[i])
            is_capture = answering.enemy >> target_of(reply) & ONE != EMPTY
            rank = 0 if is_capture else 1 if attacked >> origin_of(reply) & ONE != EMPTY else 2
            if rank != stage:
                continue
            then = child(answering, reply)
            is_tried = not is_free or _is_forcing(answering, reply, lack - _EVEN, then)
            if is_tried and not forces(then, _left(lack, gain(answering, reply)), plies):
                return False
    return number != 0 or checked or (is_free and count_moves(answering, legality(answering)) != EMPTY)


# ---------------------------------------------------------------------------------------------- what lines of moves win


#: The largest value: the value of a mate.
MOST = 100
_MATE = np.int64(MOST)
_NONE, _ONE = np.int64(0), np.int64(1)
#: The depth at which the search ends: at most 12 more plies are searched after depth 0.
_LAST = np.int64(-12)
#: The gain of an exchange has this bit if it is a loss, because a loss is a two's complement.
_LOSS = np.uint64(1 << 63)

_material_moves = scratch(MOST_MOVES)


@routine
def _put_best_first(board: Board, moves: Any, first: int, number: int) -> bool:
    """Of the moves from ``first`` on, put the move that gains most at once first; return whether it gains anything."""
    best = first
    most: Count = EMPTY
    for k in range(first, number):
        gained = gain(board, np.uint64(moves[k]))
        if gained > most:
            best, most = k, gained
    move = moves[first]
    moves[first] = moves[best]
    moves[best] = move
    return most != EMPTY


@routine
def _promotes(board: Board) -> np.bool | bool:
    """Whether the mover may promote or capture en passant."""
    return board.own & board.pawns & RANK_7 | board.en_passant != EMPTY


@routine
def _listed(board: Board, moves: Any, is_full: np.bool | bool, is_last: np.bool | bool, least: np.int64) -> int:
    """List the moves that a node tries.

    These are all moves; or, if only moves that gain more than ``least`` or give check can help, the moves that may do
    so. In a node that is not full, these are only captures and promotions, and some may leave the own king attacked.
    """
    if not is_last:
        return moves_to(board, ALL, moves)
    squares = gain_squares(board, np.uint64(least) + ONE)
    if is_full or _promotes(board):
        return list_forcing(board, squares, ALL if is_full else board.enemy | board.en_passant, moves)
    return list_captures(board, squares, moves)


@routine
def _is_lost(board: Board, move: Move, gained: np.int64) -> np.bool | bool:
    """Whether a capture is illegal, or the piece is then lost on its square and costs more than it has gained.

    A piece that captures a piece of at least its own worth is not lost so, unless a pawn recaptures and promotes.
    """
    origin, target = origin_of(move), target_of(move)
    if kind_of(move) != NORMAL:
        return see(board, move) >= _LOSS
    if not is_safe(board, origin, target):
        return True
    risked = np.int64(value_on(board, bit(origin)))
    return (gained < risked or bit(target) & RANK_1 != EMPTY) and see(board, move) >= _LOSS


@entry(int64, named(Board), int64, int64, int64)
def _searched(board: Board, depth: np.int64, least: np.int64, most: np.int64) -> np.int64:
    """The pawns that the mover gains, exact between ``least`` and ``most``."""
    moves = _material_moves(uint16)
    checked = in_check(board)
    is_full = depth > _NONE or (checked and depth > _LAST)
    best = -_MATE
    if not is_full:
        best = _NONE
        if best >= most or depth <= _LAST:
            return best
        least = max(least, best)
    is_last = depth <= _ONE
    if is_last and is_full and not checked and most <= _NONE:  # often nothing is threatened; zugzwang is ignored
        value = -_searched(child(board, _NULL_MOVE), _NONE, -most, -least)
        if value >= most:
            return value
    # The reply to a move without check may be to pass; then the move wins no more than it gains at once.
    gaining_only = is_full and is_last and least >= _NONE
    best = _NONE if gaining_only else best
    number = _listed(board, moves, is_full, gaining_only or not is_full, least)
    if number == 0:
        return -_MATE if checked else _NONE
    some_gain = is_full or _promotes(board)
    for k in range(number):
        some_gain = some_gain and _put_best_first(board, moves, k, number)
        move = np.uint64(moves[k])
        gained = np.int64(gain(board, move))
        if not is_full and (gained == _NONE or _is_lost(board, move, gained)):
            continue
        there = child(board, move)
        if is_last and gained <= least and not in_check(there):
            continue
        value = gained - _searched(there, depth - _ONE, gained - most, gained - least)
        value = max(-_MATE, min(_MATE, value))
        best = max(best, value)
        least = max(least, value)
        if least >= most:
            break
    return best


@subroutine
def line_value(board: Board, move: Move, depth: np.int64, least: np.int64, most: np.int64) -> np.int64:
    """How many pawns a move gains for the mover, by a search ``depth`` deep; exact between ``least`` and ``most``."""
    gained = np.int64(gain(board, move))
    value = gained - _searched(child(board, move), depth, gained - most, gained - least)
    return max(-_MATE, min(_MATE, value))


@routine
def passing_value(board: Board, least: np.int64, most: np.int64) -> np.int64:
    """How many pawns the mover, who is not in check, gains if it passes and the other side captures; 0 or less."""
    return -_searched(child(board, _NULL_MOVE), _NONE, -most, -least)


@entry(int64, reads(uint64, 2), boolean, uint64, int64, int64, int64)
def bounded_value(
    sets: np.ndarray, white_to_move: np.bool_, move: Move, depth: np.int64, least: np.int64, most: np.int64
) -> np.int64:
    """Return how many pawns a move gains in the first of some positions, exact between ``least`` and ``most``.

    If the exact value is outside of these bounds, the result is outside on the same side. The move is legal, and from
    White's view.
    """
    board = board_at(sets, 0) if white_to_move else mirrored(board_at(sets, 0))
    return line_value(board, move if white_to_move else turned(move), depth, least, most)


@entry(void, reads(uint64, 2), reads(boolean), reads(uint16), int64, writes(int8))
def line_values(
    sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, depth: np.int64, values: np.ndarray
) -> None:
    """Write for each position how many pawns a move gains for the mover, when all replies are searched ``depth`` deep.

    The moves are legal, and from White's view.
    """
    for k in range(values.size):
        white = white_to_move[k]
        board = board_at(sets, k) if white else mirrored(board_at(sets, k))
        number = np.uint64(moves[k])
        values[k] = line_value(board, number if white else turned(number), depth, -_MATE, _MATE)


# ---------------------------------------------------------------------- whether a move wins material whatever the reply


#: How many plies are searched after the move, first and finally, and after each move that it is compared with.
FIRST, LINE_PLIES, _COMPARED = np.int64(2), np.int64(3), np.int64(1)
#: A move that leaves its side this many pawns ahead need not win more than other moves.
_LEAD = np.int64(4)
_MOST, _NO_GAIN, _ONE_MORE = np.int64(MOST), np.int64(0), np.int64(1)


class Known(NamedTuple):
    """Results of the search of one move that help to search the next move of the same board.

    The best move of all pieces except the piece on ``square`` wins from ``at_least`` to ``at_most``; ``refutation`` is
    the last reply that refuted a move.
    """

    square: Square
    at_least: Count
    at_most: Count
    refutation: Move


#: The value to pass with the first move of a board: nothing is known.
NOT_KNOWN = Known(np.uint64(64), EMPTY, EMPTY, EMPTY)

_line_moves = scratch(MOST_MOVES)


@routine
def lead(board: Board) -> np.int64:
    """How many pawns the mover is ahead; negative if it is behind."""
    own = enemy = np.uint64(0)
    for pieces, worth in ((board.pawns, 1), (board.knights | board.bishops, 3), (board.rooks, 5), (board.queens, 9)):
        own += np.uint64(worth) * popcount(pieces & board.own)
        enemy += np.uint64(worth) * popcount(pieces & board.enemy)
    return np.int64(own) - np.int64(enemy)


@routine
def _wins(board: Board, move: Move, least: np.int64, plies: np.int64) -> np.bool | bool:
    return line_value(board, move, plies, least - _ONE_MORE, least) >= least


@routine
def _is_due(answering: Board, reply: Move, stage: int, first: Move, attacked: Set) -> np.bool | bool:
    """Whether a reply is tried in a stage.

    The reply that refuted the last move comes first, then captures of pieces and promotions, captures of pawns, moves
    of ``attacked`` pieces, and all others.
    """
    if stage == 0:
        return reply == first
    if stage == 3:
        return attacked & bit(origin_of(reply)) != EMPTY
    captured = answering.enemy & ~answering.pawns if stage == 1 else answering.enemy
    return stage == 4 or kind_of(reply) != NORMAL or captured & bit(target_of(reply)) != EMPTY


@subroutine
def _reply(answering: Board, lack: np.int64, plies: np.int64, first: Move) -> Move:
    """A reply that gains at least ``lack``, by all lines of some plies after it, or 0; ``first`` is tried first.

    The result is the null move if there is no legal move, no check, and nothing to gain.
    """
    moves = _line_moves(uint16)
    number = moves_to(answering, ALL, moves)
    if number == 0:
        return EMPTY if in_check(answering) or lack > _NO_GAIN else _NULL_MOVE
    tried = 0
    attacked: Set = EMPTY
    for stage in range(5):
        due = tried
        attacked = legality(answering).attacked if stage == 3 and tried < number else attacked
        for i in range(tried, number):
            reply = moves[i]
            if _is_due(answering, np.uint64(reply), stage, first, attacked):
                moves[i] = moves[due]
                moves[due] = reply
                due += 1
        while tried < due:
            move = np.uint64(moves[tried])
            if line_value(answering, move, plies, lack - _ONE_MORE, lack) >= lack:
                return move
            tried += 1
    return EMPTY


@subroutine
def _answer(board: Board, move: Move, least: np.int64, first: Move) -> Move:
    """A reply, found by captures alone, after which a move does not win ``least``, or 0; ``first`` is tried first.

    The result is the null move if the other side may pass, or if the reply is not known.
    """
    there, lack = child(board, move), np.int64(gain(board, move)) - least + _ONE_MORE
    checked = in_check(there)
    if not checked and lack > _NO_GAIN:
        return EMPTY if _wins(board, move, least, _COMPARED) else _NULL_MOVE
    if not checked and passing_value(there, lack - _ONE_MORE, lack) >= lack:
        return _NULL_MOVE
    return _reply(there, lack, _NO_GAIN, first)


@subroutine
def _outdone(
    board: Board, move: Move, enough: np.int64, surplus: np.int64, at_once: bool, known: Known
) -> tuple[Known, np.int64]:
    """How many pawns a move must win, at least ``enough``, because of other moves: those that gain at once, or others.

    It need not win more than ``needed`` as long as no move of another piece wins more than ``limit``.
    """
    origin, lacking = origin_of(move), _LEAD - lead(board)
    needed, at_most, at_least, answer = enough, np.int64(known.at_most), np.int64(known.at_least), known.refutation
    moves = _line_moves(uint16)
    for i in range(moves_to(board, ALL, moves)):
        other = np.uint64(moves[i])
        is_same = origin_of(other) == origin
        while other != move and (gain(board, other) != EMPTY) == at_once:
            limit = needed if is_same or lacking <= needed else needed - surplus
            if limit >= (_MOST if is_same else at_most):
                break
            found = _answer(board, other, limit + _ONE_MORE, answer)
            if found != EMPTY:
                answer = found
                break
            if not is_same:
                at_least = limit + _ONE_MORE
            needed = limit + _ONE_MORE if is_same else min(max(lacking, limit + _ONE_MORE), limit + _ONE_MORE + surplus)
    if not at_once:
        at_most = min(at_most, needed if lacking <= needed else needed - surplus)
    return Known(origin, np.uint64(at_least), np.uint64(at_most), known.refutation), needed


@entry(tuple_of(named(Known), boolean), named(Board), uint64, uint64, uint64, int64, named(Known))
def wins_most(
    board: Board, move: Move, least: Count, more: Count, first: np.int64, known: Known
) -> tuple[Known, np.bool | bool]:
    """Whether a move wins at least ``least`` pawns after every reply, and ``more`` than any move of another piece.

    It must win no less than any other move of its own piece. A move that leaves its side four pawns ahead wins enough
    if no other move wins more. If there is a mate in one, other moves do not count. All lines of ``first`` plies after
    the move are searched, then all lines of three plies; after other moves all lines of one ply are searched.

    The facts about the board are returned before the answer, and are passed with the next move of the board; the first
    value is ``NOT_KNOWN``. The difference of ``least`` and ``more`` must be the same for all moves. A reply that
    refutes one move of a piece often refutes the next move, too.
    """
    answering = child(board, move)
    if is_mated(answering):
        return known, True
    if not in_check(answering) and not promises(answering, least, gain(board, move)):
        return known, False
    enough, surplus = np.int64(least), np.int64(more)
    refuted = _reply(answering, np.int64(gain(board, move)) - enough + _ONE_MORE, first - _ONE_MORE, known.refutation)
    if refuted != EMPTY:
        return Known(known.square, known.at_least, known.at_most, refuted), False
    if has_mate(board):
        return known, False
    at_least = np.int64(known.at_least)
    if known.square == origin_of(move):
        needed = max(enough, min(max(_LEAD - lead(board), at_least), at_least + surplus))
    else:
        needed, known = enough, Known(origin_of(move), np.uint64(enough - surplus), np.uint64(MOST), known.refutation)
    known, needed = _outdone(board, move, needed, surplus, True, known)
    is_known = first == LINE_PLIES and needed == enough
    if not is_known and not _wins(board, move, needed, LINE_PLIES):
        return known, False
    known, still_needed = _outdone(board, move, needed, surplus, False, known)
    return known, still_needed == needed or _wins(board, move, still_needed, LINE_PLIES)


# -------------------------------------------------------------------------- what moves win by force, for many positions


#: The value of a mate, in pawns, and the largest value of any move: Lichess limits evaluations in the same way.
MATE = 10
_MOST_CHANCE = np.uint64(MATE)

_chance_moves = scratch(MOST_MOVES)


@subroutine
def _won(board: Board, move: Move, least: Count) -> Count:
    """How many pawns a move wins by force, up to ``MATE``; 0 if it wins less than ``least``."""
    if not wins_by_force(board, move, least, GAIN_PLIES):
        return EMPTY
    won = least
    while won < _MOST_CHANCE and wins_by_force(board, move, won + ONE, GAIN_PLIES):
        won += ONE
    return won


@routine
def _movers(sets: np.ndarray, k: int, white: bool) -> Board:
    board = board_at(sets, k)
    return board if white else mirrored(board)


@entry(void, reads(uint64, 2), reads(boolean), reads(uint64), reads(uint64), writes(uint8), writes(uint16))
def best_moves(
    sets: np.ndarray,
    white_to_move: np.ndarray,
    squares: np.ndarray,
    pieces: np.ndarray,
    won: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Write for each position the move that wins most by force, and how many pawns it wins, 2 to ``MATE``, else 0.

    Only moves of ``pieces`` to ``squares`` are considered; moves are written from White's view.
    """
    listed = _chance_moves(uint16)
    for k in range(won.size):
        white = white_to_move[k]
        board = _movers(sets, k, white)
        targets = squares[k] if white else byteswap(squares[k])
        origins = pieces[k] if white else byteswap(pieces[k])
        most: Count = EMPTY
        best = EMPTY
        for i in range(moves_to(board, targets, listed)):
            move = np.uint64(listed[i])
            if bit(target_of(move)) & targets == EMPTY or bit(origin_of(move)) & origins == EMPTY:
                continue
            least = most + ONE if most >= TWO else TWO
            if least > _MOST_CHANCE:
                break
            gained = _won(board, move, least)
            if gained > most:
                most, best = gained, move
        won[k] = most
        moves[k] = best if white else turned(best) if best != EMPTY else EMPTY


@entry(void, reads(uint64, 2), reads(boolean), writes(uint16))
def mating_moves(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray) -> None:
    """Write for each position a move that mates, from White's view, or 0."""
    listed = _chance_moves(uint16)
    for k in range(moves.size):
        white = white_to_move[k]
        board = _movers(sets, k, white)
        moves[k] = 0
        for i in range(moves_to(board, ALL, listed)):
            move = np.uint64(listed[i])
            if is_mated(child(board, move)):
                moves[k] = move if white else turned(move)
                break


@entry(void, reads(uint64, 2), reads(boolean), reads(uint16), writes(uint8))
def played_gains(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, won: np.ndarray) -> None:
    """Write for each position how many pawns the move played wins by force, 0 to ``MATE``; 0 for a null move."""
    for k in range(won.size):
        white = white_to_move[k]
        move = np.uint64(moves[k])
        won[k] = _won(_movers(sets, k, white), move if white else turned(move), ONE)
