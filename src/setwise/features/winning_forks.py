"""Features of forks that win: exchanges are counted, and the enemy's best reply.

A fork attacks two pieces that fall; the enemy saves the better one, so the other must be worth more than a pawn. All
lines of some plies after the fork are searched to see whether it wins: see `setwise.rules.winning_lines`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, Square, entry, routine, scratch, subroutine
from setwise.compiler.signatures import named, uint16, uint64
from setwise.features.fork_texts import winning_fork
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks, is_ready, mover, own_attacks
from setwise.patterns import king, knight, pawns, tactics
from setwise.patterns.bits import EMPTY, ONE, RANK_8, THREE, TWO, bit, lowest, more_than_one, only_lowest
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishop_attacks, bishops_attacks, queens_attacks, rook_attacks, rooks_attacks
from setwise.rules.board import Board, attackers
from setwise.rules.exchange import see
from setwise.rules.forcing import list_arrivals
from setwise.rules.gains import falls, gain
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import moves_to
from setwise.rules.moves import EN_PASSANT, NORMAL, kind_of, make_move, origin_of, target_of
from setwise.rules.winning_lines import FIRST, NOT_KNOWN, PLIES, wins_most

__all__ = [
    "fork_squares_by_bishop",
    "fork_squares_by_king",
    "fork_squares_by_pawn",
    "fork_squares_by_queen",
    "fork_squares_by_rook",
    "safe_fork_squares",
    "safe_royal_fork_squares",
]

_move_list = scratch(MOST_MOVES)


# ------------------------------------------------------------------------------------------------- one move at a time


@routine
def _attacked_from(board: Board, square: Square) -> Set:
    """The squares that the piece on a square attacks."""
    here, occupied = bit(square), board.own | board.enemy
    attacked = pawns.attacks(here & board.pawns)
    if here & board.knights != EMPTY:
        attacked = knight.ATTACKS[square]
    if here & board.kings != EMPTY:
        attacked = king.ATTACKS[square]
    if here & (board.bishops | board.queens) != EMPTY:
        attacked = bishop_attacks(square, occupied)
    if here & (board.rooks | board.queens) != EMPTY:
        attacked |= rook_attacks(square, occupied)
    return attacked


@subroutine
def _falling(board: Board, square: Square) -> Set:
    """The king and the pieces that the piece on a square attacks and wins, if it could capture at once."""
    attacked = _attacked_from(board, square) & board.enemy & ~board.pawns
    falling = attacked & board.kings
    attacked ^= falling
    by_king, occupied = bit(square) & board.kings != EMPTY, (board.own | board.enemy) & ~bit(square)
    while attacked != EMPTY:
        target = only_lowest(attacked)
        attacked ^= target
        there = lowest(target)
        is_won = attackers(board, there, occupied) == EMPTY if by_king else falls(board, square, there)
        falling |= target if is_won else EMPTY
    return falling


@routine
def _is_lost(board: Board, move: Move) -> np.bool | bool:
    """Whether the piece can be won on its new square; a rook or a pawn may be exchanged if that loses nothing."""
    won, most = see(board, move), gain(board, move)
    return won > most if bit(origin_of(move)) & (board.rooks | board.pawns) != EMPTY else won != most


@entry(uint64, named(Side), uint64, uint64, uint64, uint64)
def _forks(side: Side, squares: Set, movers: Set, least: Count, more: Count) -> Set:
    """Those of the squares to which a mover goes, is not lost, and forks; see `wins_most` for how much it wins."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    moves = _move_list(uint16)
    forks, known = EMPTY, NOT_KNOWN
    by_pawns = movers & board.pawns != EMPTY
    first = PLIES if by_pawns else FIRST
    number = moves_to(board, squares, moves) if by_pawns else list_arrivals(board, movers, squares, moves)
    for i in range(number):
        move = np.uint64(moves[i])
        kind, target = kind_of(move), target_of(move)
        here = bit(target)
        if here & squares & ~forks == EMPTY or bit(origin_of(move)) & movers == EMPTY:
            continue
        if (kind != NORMAL and kind != EN_PASSANT) or _is_lost(board, move):
            continue
        forked = _falling(make_move(board, move), target)
        if not more_than_one(forked):
            continue
        known, wins = wins_most(board, move, least, more, first, known)
        if wins:
            forks |= here
    return forks


# ------------------------------------------------------------------------------------------------------- candidates
#
# Most positions have no fork, and many are examined together: sets and no branches. No fork may be left out here, so
# only enemy pieces that cannot be pinned to their king count as protectors.


class _View(NamedTuple):
    """The sets that forks by one kind of piece need: enemy pieces, and ``falling``, those that may fall.

    ``free`` are enemy pieces that cannot be pinned; ``lost`` are squares where they, or their king, take an unprotected
    piece. ``openers`` are own pieces that may give check by leaving a line, so that their squares are never left out.
    """

    pieces: Set
    falling: Set
    free: Set
    lost: Set
    openers: Set


@routine
def _view(side: Side, movers: Set) -> _View:
    enemy_king, occupied = side.enemy & side.kings, side.own | side.enemy
    in_line = queens_attacks(enemy_king, side.enemy)
    free = side.enemy & ~(in_line | enemy_king)
    others = side.own if more_than_one(movers) else side.own ^ movers
    own_attacked = own_attacks(side, others, side.enemy)
    guarded = enemy_attacks(side, free, occupied) | king.attacks(enemy_king) & ~own_attacked
    pieces = side.enemy & ~side.pawns
    return _View(pieces, pieces & (~guarded | own_attacked), free, guarded & ~own_attacked, in_line & movers)


@routine
def _landings(side: Side, quiet: Set, coarse: Set, safely: Set, opening: Set) -> Set:
    """Candidates: quiet moves to safe squares that attack enough; captures and openers wherever they attack two."""
    return ((quiet & ~side.enemy | coarse & side.enemy) & safely | coarse & opening) & ~side.own


@routine
def _knight_squares(side: Side) -> Set:
    movers, heavy = side.own & side.knights, side.kings | side.queens | side.rooks
    view = _view(side, movers)
    quiet, coarse = knight.fork_targets(view.pieces & (heavy | view.falling)), knight.fork_targets(view.pieces)
    lost = view.lost | attacks_down(view.free & side.pawns)
    return _landings(side, quiet, coarse, knight.attacks(movers) & ~lost, knight.attacks(view.openers))


@winning_fork(
    "a knight",
    "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1",
    "c7",
    "Knight Pattern",
    among=_knight_squares,
    good=88,
    wins="two pawns' worth at least whatever the reply, and two more",
    traps="The search ends after three plies and the captures that follow: a knight that takes a rook in the corner "
    "may be caught there. Pawns are not forked.",
)
def safe_fork_squares(side: Side, squares: Set) -> Set:
    return _forks(side, squares, side.own & side.knights, TWO, TWO)


@routine
def _royal_squares(side: Side) -> Set:
    royal = knight.attacks(side.enemy & side.kings) & knight.attacks(side.enemy & side.queens)
    return royal & knight.attacks(side.own & side.knights) & ~side.own


@feature(among=_royal_squares)
def safe_royal_fork_squares(side: Side, squares: Set) -> Set:
    """Return the squares where a knight of this side forks king and queen next; Stockfish finds 98 of 100 good.

    The knight cannot be won there, and the queen falls: the move wins three pawns' worth at least whatever the reply,
    and more than any move of another piece, and no less than another of its own; or it leaves this side four pawns
    ahead and no other wins more.

    Example:
        >>> position = setwise.Position("6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1")
        >>> position.feature("white_safe_royal_fork_squares")
        Bitboard('e7')

    Why:
        The squares that attack king and queen are the knight's attacks of both, intersected; hardly a position has one
        within reach. There the move is played: the knight must not be won, the queen must fall, and the best reply must
        leave the win.

    Traps:
        `royal_fork_squares` is the plain pattern, which checks neither legality nor whether the knight can be taken.
        `safe_royal_fork_squares` is computed as if it were this side's turn; it is empty while the enemy stands in
        check, and unless each side has one king.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks).
    """
    return _forks(side, squares, side.own & side.knights, THREE, ONE)


@routine
def _pawn_moves(side: Side, movers: Set) -> Set:
    occupied = side.own | side.enemy
    passed = side.en_passant if side.to_move != EMPTY else EMPTY
    pushes = pawns.single_pushes(movers, ~occupied) | pawns.double_pushes(movers, ~occupied)
    return pushes | pawns.attacks(movers) & (side.enemy | passed)


@routine
def _pawn_steps(side: Side) -> Set:
    movers = side.own & side.pawns
    return tactics.pawn_fork_targets(side.enemy & ~side.pawns) & _pawn_moves(side, movers)


@winning_fork(
    "a pawn",
    "4k3/pp3ppp/2n1n3/8/3P4/8/PP3PPP/3RK3 w - - 0 1",
    "d5",
    "Pawn Fork",
    among=_pawn_steps,
    good=85,
    traps="A promotion is not a fork here.",
)
def fork_squares_by_pawn(side: Side, squares: Set) -> Set:
    return _forks(side, squares, side.own & side.pawns, ONE, ONE)


@routine
def _bishop_moves(side: Side) -> Set:
    movers, heavy = side.own & side.bishops, side.kings | side.queens | side.rooks
    occupied = (side.own | side.enemy) & ~movers
    view = _view(side, movers)
    quiet = tactics.bishop_fork_targets(view.pieces & (heavy | view.falling), occupied)
    coarse = tactics.bishop_fork_targets(view.pieces, occupied)
    lost = view.lost | attacks_down(view.free & side.pawns)
    safely = bishops_attacks(movers, side.own | side.enemy) & ~lost
    return _landings(side, quiet, coarse, safely, bishops_attacks(view.openers, side.own | side.enemy))


@winning_fork(
    "a bishop",
    "6k1/6pp/8/8/8/8/r5PP/3B2K1 w - - 0 1",
    "b3",
    "Double Attack",
    among=_bishop_moves,
    good=90,
    wins="two pawns' worth at least whatever the reply, and more",
)
def fork_squares_by_bishop(side: Side, squares: Set) -> Set:
    return _forks(side, squares, side.own & side.bishops, TWO, ONE)


@routine
def _avenged(side: Side) -> Set:
    """Squares where an own pawn recaptures and promotes, and so may win more than was lost."""
    return RANK_8 & pawns.attacks(side.own & side.pawns)


@routine
def _rook_moves(side: Side) -> Set:
    movers, heavy = side.own & side.rooks, side.kings | side.queens
    occupied = (side.own | side.enemy) & ~movers
    view = _view(side, movers)
    quiet = tactics.rook_fork_targets(view.pieces & (heavy | view.falling), occupied)
    coarse = tactics.rook_fork_targets(view.pieces, occupied)
    lost = view.lost | enemy_attacks(
        side, view.free & (side.pawns | side.knights | side.bishops), side.own | side.enemy
    )
    reached = rooks_attacks(movers, side.own | side.enemy)
    safely = reached & (side.enemy | ~(lost & ~_avenged(side)))
    return _landings(side, quiet, coarse, safely, rooks_attacks(view.openers, side.own | side.enemy))


@winning_fork("a rook", "1R6/8/8/n5k1/8/7K/8/8 w - - 0 1", "b5", "Double Attack", among=_rook_moves, good=86)
def fork_squares_by_rook(side: Side, squares: Set) -> Set:
    return _forks(side, squares, side.own & side.rooks, ONE, ONE)


@routine
def _queen_moves(side: Side) -> Set:
    movers = side.own & side.queens
    occupied = (side.own | side.enemy) & ~movers
    view = _view(side, movers)
    quiet = tactics.queen_fork_targets(view.pieces & (side.kings | view.falling), occupied)
    coarse = tactics.queen_fork_targets(view.pieces, occupied)
    lost = view.lost | enemy_attacks(side, view.free & ~side.queens, side.own | side.enemy)
    safely = queens_attacks(movers, side.own | side.enemy) & ~(lost & ~_avenged(side))
    return _landings(side, quiet, coarse, safely, queens_attacks(view.openers, side.own | side.enemy))


@winning_fork("a queen", "4Q3/8/5k2/8/8/3b4/1K6/8 w - - 0 1", "d8", "Double Attack", among=_queen_moves, good=84)
def fork_squares_by_queen(side: Side, squares: Set) -> Set:
    return _forks(side, squares, side.own & side.queens, ONE, ONE)


@routine
def _king_steps(side: Side) -> Set:
    movers = side.own & side.kings
    return tactics.king_fork_targets(side.enemy & ~(side.pawns | side.kings)) & king.attacks(movers) & ~side.own


@winning_fork("the king", "8/1b6/1n1K4/8/8/8/7P/3k4 w - - 0 1", "c7", "Double Attack", among=_king_steps)
def fork_squares_by_king(side: Side, squares: Set) -> Set:
    return _forks(side, squares, side.own & side.kings, ONE, ONE)
