"""Which piece moves: where it stood when its game began, and how often it has moved, through castling and promotion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import Move, Square, entry, routine
from setwise.compiler.signatures import boolean, int16, reads, uint8, uint16, uint64, void, writes
from setwise.patterns.bits import EIGHT, EMPTY, ZERO, bit
from setwise.rules.board import board_at, mirrored
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    FIFTY_SIX,
    NULL,
    castling_targets,
    kind_of,
    origin_of,
    target_of,
    turned,
)
from setwise.rules.pieces import piece_bits, piece_on

__all__ = ["Identities", "identities"]


class Identities(NamedTuple):
    """Of the move of each position: where its piece, and the one it captures, stood at the start; its moves before.

    The first two are sets, empty where there is no such piece.
    """

    origin: np.ndarray
    captured_origin: np.ndarray
    piece_moves: np.ndarray


@routine
def _carry(came: np.ndarray, moved: np.ndarray, start: Square, end: Square) -> None:
    """Move a piece, with what is known of it, from a square to another."""
    came[end], moved[end] = came[start], np.int16(moved[start] + 1)


@routine
def _play(came: np.ndarray, moved: np.ndarray, move: Move, flip: np.uint64) -> None:
    """Play a move, which the mover sees; ``flip`` turns its squares into those of the board."""
    start, end, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == NULL:
        return
    if kind == CASTLING:
        king, rook = castling_targets(start, end)
        rook_came, rook_moved = came[end ^ flip], moved[end ^ flip]
        _carry(came, moved, start ^ flip, king ^ flip)
        came[rook ^ flip], moved[rook ^ flip] = rook_came, np.int16(rook_moved + 1)
        return
    _carry(came, moved, start ^ flip, end ^ flip)


@entry(
    void,
    reads(uint64, 2, "A"), reads(boolean), reads(uint16), reads(uint16), reads(boolean),
    writes(uint8), writes(int16), writes(uint64, 2), writes(int16),
)  # fmt: skip
def _identify(
    sets: np.ndarray,
    white_to_move: np.ndarray,
    moves: np.ndarray,
    led: np.ndarray,
    begins: np.ndarray,
    came: np.ndarray,
    moved: np.ndarray,
    origins: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Write for the move of each position the origins of its piece and of the captured one, and the piece's moves.

    ``led`` has the move that led to each position from the one before it, ``begins`` whether a game begins there.
    ``came`` and ``moved`` are scratch of 64 squares.
    """
    for k in range(moves.size):
        white = white_to_move[k]
        if begins[k]:
            for square in range(64):
                came[square], moved[square] = square, 0
        else:
            last = np.uint64(led[k])
            _play(came, moved, turned(last) if white else last, FIFTY_SIX if white else ZERO)
        origins[0, k] = origins[1, k] = EMPTY
        counts[k] = 0
        move: Move = np.uint64(moves[k])
        if move == ZERO:
            continue
        board, flip = board_at(sets, k), ZERO
        if not white:
            board, move, flip = mirrored(board), turned(move), FIFTY_SIX
        start, end, kind = origin_of(move), target_of(move), kind_of(move)
        if kind == NULL:
            continue
        origins[0, k], counts[k] = bit(np.uint64(came[start ^ flip])), moved[start ^ flip]
        if kind == EN_PASSANT:
            origins[1, k] = bit(np.uint64(came[(end - EIGHT) ^ flip]))
        elif kind != CASTLING and piece_on(piece_bits(board), end) != ZERO:
            origins[1, k] = bit(np.uint64(came[end ^ flip]))


def identities(
    sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, led: np.ndarray, begins: np.ndarray
) -> Identities:
    """Return where the pieces that move and those that are captured came from, a value for each position.

    Args:
        sets: the sets of positions, one after the other along their games.
        white_to_move: whether White moves next.
        moves: the move played in each position.
        led: the move that led to each position from the one before it.
        begins: whether a game begins with the position.
    """
    count = len(moves)
    origins, counts = np.empty((2, count), np.uint64), np.empty(count, np.int16)
    _identify(sets, white_to_move, moves, led, begins, np.empty(64, np.uint8), np.empty(64, np.int16), origins, counts)
    return Identities(origins[0], origins[1], counts)
