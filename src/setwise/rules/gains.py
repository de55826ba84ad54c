"""What a move wins: on the spot, and by force, after the best reply.

A move wins so many pawns *by force* if, whatever the enemy replies, three captures by turns leave us that much ahead:
one of ours, one of the enemy's, and one of ours that is counted as an exchange. Either side may stop before it
captures.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import entry, routine, scratch, subroutine, trailing_zeros
from setwise.compiler.signatures import boolean, named, uint16, uint64
from setwise.patterns.bits import ALL, EIGHT, EMPTY, FIVE, NINE, ONE, RANK_7, RANK_8, THREE
from setwise.patterns.moves import Limits
from setwise.rules.board import Board, attackers, king_square
from setwise.rules.exchange import less, see, value_on
from setwise.rules.generate import MOST_MOVES, castling_rooks, generate, legality
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    TO_KNIGHT,
    TO_QUEEN,
    TO_ROOK,
    encoded,
    kind_of,
    origin_of,
    played,
    target_of,
)

__all__ = ["best_exchange", "falls", "gain", "moves_to", "wins_by_force"]

_move_list = scratch(MOST_MOVES)


@routine
def gain(board, move):
    """What a move takes, and what its pawn becomes, in pawns."""
    kind = kind_of(move)
    if kind == CASTLING:
        return EMPTY
    if kind == EN_PASSANT:
        return ONE
    promoted = EIGHT if kind == TO_QUEEN else FIVE - ONE if kind == TO_ROOK else THREE - ONE
    return value_on(board, ONE << target_of(move)) + (EMPTY if kind == NORMAL else promoted)


@routine
def falls(board, origin, target):
    """Whether the piece on a square wins what stands on another one, capturing it."""
    move = encoded(origin, target, NORMAL)
    won = see(board, move)
    return won != EMPTY and won <= gain(board, move)


@subroutine
def moves_to(board, squares, moves):
    """Write the legal moves to some squares into a uint16 array, and return how many.

    Castling goes to the rook's square, as moves are written; en passant to the pawn's that is taken, or to its own.
    """
    limits = legality(board)
    narrowed = Limits(
        limits.targets & squares, limits.on_file, limits.on_rank, limits.on_diagonal, limits.on_antidiagonal,
        limits.danger | ~squares,
    )  # fmt: skip
    uncastled = Board(
        board.own, board.enemy, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        EMPTY, board.en_passant,
    )  # fmt: skip
    n = generate(uncastled, narrowed, moves, 0)
    rooks = castling_rooks(board, limits) & squares
    while rooks != EMPTY:
        moves[n] = encoded(king_square(board), trailing_zeros(rooks), CASTLING)
        n += 1
        rooks &= rooks - ONE
    return n


@subroutine
def _list_gains(board, least, moves):
    """Write the moves that take something worth at least so much, or promote, and maybe others, and return how many."""
    rooks, pieces = board.rooks | board.queens, board.enemy & ~board.pawns
    worth = board.queens if least > FIVE else rooks if least > THREE else pieces if least > ONE else ALL
    worth = EMPTY if least > NINE else worth & board.enemy
    if board.own & board.pawns & RANK_7 != EMPTY:
        worth |= RANK_8 & ~board.own
    return moves_to(board, worth, moves)


@routine
def _is_lesser_promotion(move):
    return TO_KNIGHT <= kind_of(move) <= TO_ROOK


@entry(uint64, named(Board))
def best_exchange(board):
    """What the mover's best exchange wins, promotions included; nothing if none wins."""
    moves = _move_list(uint16)
    best = EMPTY
    for i in range(_list_gains(board, ONE, moves)):
        move = np.uint64(moves[i])
        most = gain(board, move)
        if most > best and not _is_lesser_promotion(move):
            won = see(board, move)
            if won <= most and won > best:
                best = won
    return best


@subroutine
def _has_exchange(board, least):
    """Whether some exchange wins the mover so much."""
    moves = _move_list(uint16)
    for i in range(_list_gains(board, least, moves)):
        move = np.uint64(moves[i])
        most = gain(board, move)
        if most >= least and not _is_lesser_promotion(move) and least <= see(board, move) <= most:
            return True
    return False


@subroutine
def _can_win(board, least):
    """Whether a capture wins the mover at least so much, less what an exchange then gives back."""
    moves = _move_list(uint16)
    for i in range(_list_gains(board, least, moves)):
        move = np.uint64(moves[i])
        most = gain(board, move)
        is_enough = most >= least and not _is_lesser_promotion(move)
        if is_enough and not _has_exchange(played(board, move), most - least + ONE):
            return True
    return False


@subroutine
def _takes(board, least):
    """Whether a capture wins the mover at least so much, whatever the enemy captures then."""
    moves = _move_list(uint16)
    for i in range(_list_gains(board, least, moves)):
        move = np.uint64(moves[i])
        most = gain(board, move)
        if most >= least and not _is_lesser_promotion(move) and not _can_win(played(board, move), most - least + ONE):
            return True
    return False


@entry(boolean, named(Board), uint64, uint64)
def wins_by_force(board, move, least):
    """Whether a move wins at least so much, whatever the reply; mate wins anything."""
    moves = _move_list(uint16)
    first, after = gain(board, move), played(board, move)
    number = moves_to(after, ALL, moves)
    threatened = legality(after).danger
    for is_first in (True, False):  # if anybody refutes the move, it is one of those that we attack
        for i in range(number):
            reply = np.uint64(moves[i])
            if (threatened >> origin_of(reply) & ONE != EMPTY) != is_first:
                continue
            lack = less(least + gain(after, reply), first)
            if lack != EMPTY and not _takes(played(after, reply), lack):
                return False
    return number != 0 or attackers(after, king_square(after), after.own | after.enemy) != EMPTY
