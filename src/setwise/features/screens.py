"""Features of own pieces in front of an own slider: discovered attacks and checks, and double checks."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Move, Set, entry, routine, scratch
from setwise.compiler.signatures import named, uint16, uint64
from setwise.features.registry import feature
from setwise.features.side import Side, between, is_ready, mover
from setwise.patterns import knight, lines, pawns
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    ONE,
    RANK_6,
    RANK_7,
    RANK_8,
    THREE,
    TWO,
    bit,
    lowest,
    more_than_one,
    only_lowest,
    without_lowest,
)
from setwise.patterns.geometry import LINE
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import Board, attackers, in_check, king_square
from setwise.rules.exchange import value_on
from setwise.rules.forcing import reached
from setwise.rules.gains import falls
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import moves_to
from setwise.rules.moves import CASTLING, EN_PASSANT, child, kind_of, make_move, origin_of, target_of
from setwise.rules.winning_lines import FIRST, NOT_KNOWN, wins_most

__all__ = ["discovered_attacks", "discovered_check_candidates", "double_check_moves"]

_move_list = scratch(MOST_MOVES)


@feature
def discovered_check_candidates(side: Side) -> Set:
    """Return this side's pieces that check by leaving a line: alone between an own slider and the enemy king.

    Example:
        >>> position = setwise.Position("4k3/8/1q6/4N3/8/8/4R3/4K3 w - - 0 1")
        >>> position.feature("white_discovered_check_candidates")
        Bitboard('e5')

    Traps:
        A candidate need not be able to leave. Moves that discover an attack and win by it are `discovered_attacks`.

    Source:
        Chess Programming Wiki, "Discovered Check".
    """
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    return lines.discovered_check_candidates(
        side.enemy & side.kings, side.own, side.own & orthogonal, side.own & diagonal, side.own | side.enemy
    )


# -------------------------------------------------------------------------------------------------- discovered attacks


@routine
def _captors(side: Side) -> Set:
    """Pawns that may capture en passant."""
    passed = side.en_passant if side.to_move != EMPTY else EMPTY
    return attacks_down(passed) & side.own & side.pawns


@routine
def _discovers(board: Board, move: Move) -> bool:
    """Whether a move opens a line from an own slider to the enemy king, a piece of no less worth, or one that falls."""
    origin, target, after = origin_of(move), target_of(move), make_move(board, move)
    before, occupied = board.own | board.enemy, after.own | after.enemy
    orthogonal, diagonal = board.own & (board.rooks | board.queens), board.own & (board.bishops | board.queens)
    gone = before & ~occupied
    while gone != EMPTY:  # en passant two pieces go
        square = lowest(gone)
        gone = without_lowest(gone)
        sliders = rook_attacks(square, before) & orthogonal | bishop_attacks(square, before) & diagonal
        sliders &= ~(bit(target) | bit(origin))
        while sliders != EMPTY:
            slider = lowest(sliders)
            sliders = without_lowest(sliders)
            seen = rook_attacks(slider, occupied) | bishop_attacks(slider, occupied)
            known = rook_attacks(slider, before) | bishop_attacks(slider, before)
            uncovered = seen & ~known & LINE[slider, square] & after.enemy & ~after.pawns
            if uncovered & after.kings != EMPTY:
                return True
            is_worth_it = uncovered != EMPTY and value_on(after, uncovered) >= value_on(after, bit(slider))
            if is_worth_it or (uncovered != EMPTY and falls(after, slider, lowest(uncovered))):
                return True
    return False


@routine
def _queen_lines(board: Board, occupied: Set) -> Set:
    """What a queen on the enemy king's square would attack."""
    here = lowest(board.enemy & board.kings)
    return rook_attacks(here, occupied) | bishop_attacks(here, occupied)


@routine
def _surely_protected(board: Board, leapers: Set) -> Set:
    """What some enemy pawns and knights protect after any move of ours: no piece of ours attacks them, no line pins.

    Where a pawn of ours would recapture and promote, a protector is not worth much.
    """
    sure = leapers & board.enemy & ~(reached(board) | _queen_lines(board, board.enemy))
    avenged = RANK_8 & pawns.attacks(board.own & board.pawns)
    return (attacks_down(sure & board.pawns) | knight.attacks(sure & board.knights)) & ~avenged


@routine
def _may_open(board: Board, piece: Set, by_pawns: Set, by_knights: Set, uncovering: Set) -> bool:
    """Whether a piece may open a line to the enemy king, a piece of no less worth than the slider, or one that falls.

    A piece of less worth does not fall where pawns or knights surely protect it, unless its king is in check then: by
    the slider that has moved, or by one behind a piece of ``uncovering``. Pawns near promotion change exchanges, too. A
    pawn leaves its file by captures only.
    """
    square, occupied = lowest(piece), board.own | board.enemy
    along, across = rook_attacks(square, occupied), bishop_attacks(square, occupied)
    sliders = board.own & (along & (board.rooks | board.queens) | across & (board.bishops | board.queens))
    is_special = piece & (board.bishops | board.rooks | board.queens | board.pawns & (RANK_6 | RANK_7)) != EMPTY
    stays = piece & board.pawns != EMPTY and pawns.attacks(piece) & board.enemy == EMPTY
    while sliders != EMPTY:
        slider = only_lowest(sliders)
        sliders ^= slider
        line = LINE[lowest(slider), square]
        target = (along | across) & line & board.enemy & ~board.pawns
        if target == EMPTY or (stays and line & piece << EIGHT != EMPTY):
            continue
        worth, risked = value_on(board, target), value_on(board, slider)
        protected = by_pawns | (by_knights if risked >= worth + THREE else EMPTY)
        exposed = target & ~protected | slider & uncovering | target & board.kings
        if exposed != EMPTY or worth >= risked or is_special:
            return True
    return False


@routine
def _opening(board: Board, pieces: Set) -> Set:
    """Those of the pieces that may open a line and win by it."""
    by_pawns, by_knights = _surely_protected(board, board.pawns), _surely_protected(board, board.knights)
    uncovering = _queen_lines(board, board.own | board.enemy)
    opening = attacks_down(board.en_passant) & board.own & board.pawns
    while pieces != EMPTY:
        piece = only_lowest(pieces)
        pieces ^= piece
        opening |= piece if _may_open(board, piece, by_pawns, by_knights, uncovering) else EMPTY
    return opening


@entry(uint64, named(Side), uint64)
def _discovering(side: Side, pieces: Set) -> Set:
    """The squares to which one of the pieces goes, opening a line, and wins by it."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    pieces = _opening(board, pieces)
    if pieces == EMPTY:
        return EMPTY
    moves = _move_list(uint16)
    targets, known = EMPTY, NOT_KNOWN
    for i in range(moves_to(board, ALL, moves)):
        move = np.uint64(moves[i])
        here = bit(target_of(move))
        opens = bit(origin_of(move)) & pieces != EMPTY or kind_of(move) == EN_PASSANT
        if here & ~targets == EMPTY or not opens or kind_of(move) == CASTLING or not _discovers(board, move):
            continue
        least = ONE if in_check(child(board, move)) else TWO
        known, wins = wins_most(board, move, least, least, FIRST, known)
        if wins:
            targets |= here
    return targets


@routine
def _screens(side: Side) -> Set:
    """Own pieces between an own slider and an enemy king or piece; pawns that may capture en passant."""
    return between(side, side.own, side.enemy & ~side.pawns) | _captors(side)


@feature(among=_screens)
def discovered_attacks(side: Side, pieces: Set) -> Set:
    """Return the squares to which a piece of this side goes next and opens a line; Stockfish finds 90 of 100 good.

    A slider behind it then attacks for the first time the king, a piece of no less worth than itself, or one that
    falls. The move wins two pawns' worth at least whatever the reply, and two more than any move of another piece (one,
    where it gives check), and no less than another of its own; or it leaves this side four pawns ahead and no other
    wins more.

    Example:
        >>> position = setwise.Position("3q1k2/6p1/8/8/3B4/8/6PP/3R2K1 w - - 0 1")
        >>> position.feature("white_discovered_attacks")
        Bitboard('g7')

    Why:
        Only a piece of ours alone between our slider and an enemy piece can open a line, or an en passant capture,
        which lifts two pawns. Each such move is tried, and kept if the slider then attacks such a target and the move
        wins.

    Traps:
        The squares are those to which the piece steps aside. The search ends after three plies and the captures that
        follow. The feature is computed as if it were this side's turn; it is empty while the enemy stands in check, and
        unless each side has one king.

    Source:
        Chess Programming Wiki, "Discovered Attack".
    """
    return _discovering(side, pieces)


# ------------------------------------------------------------------------------------------------------- double checks


@entry(uint64, named(Side), uint64)
def _checking_twice(side: Side, pieces: Set) -> Set:
    """The squares to which one of the pieces goes and gives check together with another piece."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    moves = _move_list(uint16)
    targets = EMPTY
    for i in range(moves_to(board, ALL, moves)):
        move = np.uint64(moves[i])
        here = bit(target_of(move))
        if here & ~targets == EMPTY or (bit(origin_of(move)) & pieces == EMPTY and kind_of(move) != EN_PASSANT):
            continue
        answering = child(board, move)
        checkers = attackers(answering, king_square(answering), answering.own | answering.enemy)
        if more_than_one(checkers):
            targets |= here
    return targets


@routine
def _screens_of_kings(side: Side) -> Set:
    """Own pieces between an own slider and the enemy king; and pawns that may capture en passant."""
    return between(side, side.own, side.enemy & side.kings) | _captors(side)


@feature(among=_screens_of_kings)
def double_check_moves(side: Side, pieces: Set) -> Set:
    """Return the squares to which a piece of this side goes next and gives check together with another one.

    The king must move; nothing else answers two checks.

    Example:
        >>> position = setwise.Position("rnbk1b1r/pp3ppp/2p5/4q3/4n3/8/PPPB1PPP/2KR1BNR w - - 0 10")
        >>> position.feature("white_double_check_moves")
        Bitboard('a5 g5')

    Why:
        Two checks at once need a piece that leaves a line of ours to their king, or an en passant capture, which lifts
        two pawns. Each such move is played, and the pieces that then attack the king are counted.

    Traps:
        A double check need not be good. The feature is computed as if it were this side's turn; it is empty while the
        enemy stands in check, and unless each side has one king.

    Source:
        Chess Programming Wiki, "Double Check".
    """
    return _checking_twice(side, pieces)
