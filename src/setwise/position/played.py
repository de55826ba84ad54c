"""Effects of the moves played in many positions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import Move, Set, byteswap, entry, routine, scratch
from setwise.compiler.signatures import boolean, int8, reads, uint8, uint16, uint64, void, writes
from setwise.features.side import own_attacks
from setwise.patterns.bits import EMPTY, ONE, ZERO, bit
from setwise.rules.board import Board, board_at, in_check, mirrored
from setwise.rules.exchange import see
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import moves_to
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    NULL,
    NULL_MOVE,
    castling_targets,
    child,
    kind_of,
    make_move,
    origin_of,
    target_of,
    turned,
)
from setwise.rules.pieces import PAWN, piece_bits, piece_on

__all__ = ["Played", "exchanges", "in_between_moves", "played_moves", "quiet_moves"]

_move_list = scratch(MOST_MOVES)


class Played(NamedTuple):
    """Columns with a value per move; values of positions without a move mean nothing, and a null move has no piece."""

    #: Numbers of pieces, pawn 1 to king 6; 0 for none.
    piece: np.ndarray
    captured: np.ndarray
    promotion: np.ndarray
    #: Sets of one square; castling: the king's.
    from_square: np.ndarray
    to_square: np.ndarray
    gives_check: np.ndarray
    is_castling: np.ndarray
    is_en_passant: np.ndarray


@entry(
    void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(uint8, 2), writes(uint64, 2), writes(boolean, 2)
)
def _describe(
    sets: np.ndarray,
    white_to_move: np.ndarray,
    moves: np.ndarray,
    pieces: np.ndarray,
    squares: np.ndarray,
    flags: np.ndarray,
) -> None:
    """Describe each move: write three rows of pieces, two of squares, three of flags."""
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        pieces[0, k] = pieces[1, k] = pieces[2, k] = 0
        squares[0, k] = squares[1, k] = EMPTY
        flags[0, k] = flags[1, k] = flags[2, k] = False
        if move == ZERO:
            continue
        board, white = board_at(sets, k), white_to_move[k]
        if not white:
            board, move = mirrored(board), turned(move)
        origin, target, kind = origin_of(move), target_of(move), kind_of(move)
        if kind == NULL:
            flags[0, k] = in_check(child(board, move))
            continue
        bits = piece_bits(board)
        pieces[0, k] = np.uint8(piece_on(bits, origin))
        if kind == CASTLING:
            target = castling_targets(origin, target)[0]
        elif kind == EN_PASSANT:
            pieces[1, k] = np.uint8(PAWN)
        else:
            pieces[1, k] = np.uint8(piece_on(bits, target))
            if kind != NORMAL:
                pieces[2, k] = np.uint8(kind + ONE)
        start, end = bit(origin), bit(target)
        squares[0, k], squares[1, k] = (start, end) if white else (byteswap(start), byteswap(end))
        flags[0, k], flags[1, k], flags[2, k] = in_check(child(board, move)), kind == CASTLING, kind == EN_PASSANT


def played_moves(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray) -> Played:
    """Return the effects of the move of each position, from the columns of ``Positions``."""
    count = len(moves)
    pieces, squares = np.empty((3, count), np.uint8), np.empty((2, count), np.uint64)
    flags = np.empty((3, count), np.bool_)
    _describe(sets, white_to_move, moves, pieces, squares, flags)
    return Played(*pieces, *squares, *flags)


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(int8))
def _exchange(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, won: np.ndarray) -> None:
    """Write the gain of the exchange that each move begins."""
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        board = board_at(sets, k)
        if not white_to_move[k]:
            board, move = mirrored(board), turned(move)
        moves_piece = moves[k] != 0 and moves[k] != NULL_MOVE
        won[k] = np.int8(np.int64(see(board, move))) if moves_piece else 0


def exchanges(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return the gain of the exchange that each position's move begins, int8, in pawns; 0 where there is no move."""
    won = np.empty(len(moves), np.int8)
    _exchange(sets, white_to_move, moves, won)
    return won


@routine
def _captures(board: Board, move: Move) -> bool:
    return kind_of(move) == EN_PASSANT or (kind_of(move) != CASTLING and bit(target_of(move)) & board.enemy != EMPTY)


@routine
def _attacked_by_moved(board: Board, move: Move) -> Set:
    """The enemy pieces that the piece that has moved attacks from its new square; castling: that the king attacks."""
    after = make_move(board, move)
    landed = after.own & ~board.own if kind_of(move) != CASTLING else after.own & after.kings
    return own_attacks(after, landed, after.own | after.enemy) & after.enemy


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(boolean))
def _quiet(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, out: np.ndarray) -> None:
    """Write whether each move is quiet."""
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        out[k] = False
        if moves[k] == 0 or moves[k] == NULL_MOVE:
            continue
        board = board_at(sets, k)
        if not white_to_move[k]:
            board, move = mirrored(board), turned(move)
        kind = kind_of(move)
        if _captures(board, move) or (kind != NORMAL and kind != CASTLING) or in_check(board):
            continue
        out[k] = not in_check(child(board, move)) and _attacked_by_moved(board, move) == EMPTY


def quiet_moves(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return whether each position's move is quiet; False where there is no move.

    A quiet move neither captures nor promotes, neither gives check nor answers one, and its piece attacks no enemy
    piece from its new square.
    """
    out = np.empty(len(moves), np.bool_)
    _quiet(sets, white_to_move, moves, out)
    return out


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), reads(uint64), writes(boolean))
def _in_between(
    sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, captors: np.ndarray, out: np.ndarray
) -> None:
    """Write whether each move comes before a recapture on a square, empty for none."""
    list_of_moves = _move_list(uint16)
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        captor = captors[k]
        out[k] = False
        if captor == EMPTY or moves[k] == 0 or moves[k] == NULL_MOVE:
            continue
        board = board_at(sets, k)
        if not white_to_move[k]:
            board, move, captor = mirrored(board), turned(move), byteswap(captor)
        if bit(target_of(move)) == captor or moves_to(board, captor, list_of_moves) == 0:
            continue
        threatened = _attacked_by_moved(board, move) & board.queens
        out[k] = _captures(board, move) or threatened != EMPTY or in_check(child(board, move))


def in_between_moves(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, captors: np.ndarray) -> np.ndarray:
    """Return whether each position's move is played in place of a recapture, and forces the other side to answer.

    Args:
        sets: the sets of the positions, as those of ``Positions``.
        white_to_move: whether White moves.
        moves: the moves.
        captors: the square of the piece that has just captured, a set; empty where the last move was no capture.
    """
    out = np.empty(len(moves), np.bool_)
    _in_between(sets, white_to_move, moves, captors, out)
    return out
