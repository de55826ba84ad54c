"""Zobrist keys: a position as one number, which a move changes by a few exclusive ors.

Every piece of a colour on a square has a random number, and so have the turn, each castling rook and each square of an
en passant capture. The key of a position is the exclusive or of the numbers of all that it has. The column `key` and
opening books use the numbers that Polyglot publishes; the numbers here come from a seeded generator.

Pieces are numbers: P N B R Q K are 1 to 6, plus 8 for White, and 0 is none. So are the facts that are no pieces: 7 on
the square of a rook that may castle, 15 on the square of an en passant capture, and 8 on a1 if White is to move.

Args:
    key: a key.
    piece: the piece that moves.
    start: the square that it leaves.
    placed: the piece that arrives: the same, or what a pawn promotes to.
    target: the square where it arrives.
    captured: the piece that is captured, or 0.
    captured_on: the square of the captured piece, which for en passant is not the target.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Square, pattern
from setwise.compiler.kinds import Key, Piece
from setwise.patterns.bit_tricks import splitmix64
from setwise.patterns.bits import EIGHT, ZERO

__all__ = ["after_move", "numbers", "toggled"]


def numbers(seed: int = 0) -> np.ndarray:
    """Return the numbers of keys from a seed, a table of 16 pieces and 64 squares: uint64[16, 64].

    The numbers of no piece are zero, so that "no piece" changes nothing.

    Args:
        seed: any number from 0 to 2**53; each has a sequence of its own.

    Example:
        >>> table = keys.numbers(2026)
        >>> table.shape, int(table[0].any()), np.unique(table[1:]).size
        ((16, 64), 0, 960)

    Names:
        Zobrist numbers, Zobrist table, random numbers for hashing, seeded Zobrist keys.

    Source:
        Albert Zobrist, "A New Hashing Method with Application for Game Playing", 1970.
    """
    table = splitmix64(np.arange(1024 * seed, 1024 * (seed + 1), dtype=np.uint64)).reshape(16, 64)
    table[0] = 0
    return table


#: ``NUMBERS[piece, square]``: the number of a piece on a square, from the seed 0.
NUMBERS = numbers()


@pattern
def toggled(key: Key, piece: Piece, square: Square) -> Key:
    """Return a key after a piece was put on a square or taken from it; twice is as if nothing had happened.

    Args:
        key: a key.
        piece: the piece, 1 to 6 for P N B R Q K, plus 8 for White.
        square: where it stands.

    Example:
        >>> hex(keys.toggled(0, 14, 4))  # the white king on e1
        '0x51996d8170206e76'
        >>> keys.toggled(keys.toggled(0x1234, 14, 4), 14, 4) == 0x1234
        True

    Why:
        The exclusive or with a number, done twice, changes nothing. So the same operation adds and removes, and the
        order makes no difference.

    Names:
        Zobrist hashing, Zobrist hashing step, Zobrist toggle, xor hashing.

    Source:
        Chess Programming Wiki, "Zobrist Hashing".
    """
    return key ^ NUMBERS[piece, square]


@pattern
def after_move(
    key: Key, piece: Piece, start: Square, placed: Piece, target: Square, captured: Piece, captured_on: Square
) -> Key:
    """Return the key after a move: of the pieces and of the turn.

    Castling moves the rook by a second call, between two calls of `toggled` for the turn; rights to castle and to
    capture en passant that begin or end are toggled.

    Example:
        >>> after = keys.after_move(0x1234, 9, 12, 9, 28, 0, 0)  # e2-e4
        >>> keys.after_move(after, 9, 28, 9, 12, 0, 0) == 0x1234  # and back
        True

    Why:
        The key is an exclusive or, so only what the move changes has to be changed: the piece leaves one square and
        arrives on another, a captured piece goes, and the turn passes. That is at most four numbers, however many
        pieces are on the board.

    Traps:
        Two positions may have one key: of 2**32 keys, two are the same with a chance of about one half.

    Names:
        incremental key update, incremental Zobrist, incremental hash update.

    Source:
        Chess Programming Wiki, "Zobrist Hashing", "Incremental Updates".
    """
    key = toggled(key, piece, start) ^ NUMBERS[placed, target]
    return key ^ NUMBERS[captured, captured_on] ^ NUMBERS[EIGHT, ZERO]
