"""How many pieces of each kind both sides have, as one number for a position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from setwise.compiler import Count, Set, entry, popcount, routine
from setwise.compiler.signatures import boolean, reads, uint64, void, writes
from setwise.patterns.bits import EIGHT, EMPTY
from setwise.rules.board import Board, board_at

__all__ = ["KINDS", "counts_in", "has_material", "material_codes"]

#: The pieces that are counted, in the order of the digits.
KINDS = ("queens", "rooks", "bishops", "knights", "pawns")
#: A count is 0 to 64, the digits of a number to this base.
_BASE = np.uint64(65)
#: What the bytes of five counts are worth, the first one most, and their highest bits.
_BYTES = np.uint64(256) ** np.arange(4, -1, -1, dtype=np.uint64)
_TOPS = np.uint64(0x80_80_80_80_80)

#: For each of two sides and each kind, the least and the most.
Form = Sequence[Sequence[tuple[int, int]]]


@routine
def _counts(board: Board, side: Set) -> tuple[Count, Count, Count, Count, Count]:
    """How many queens, rooks, bishops, knights and pawns a side has."""
    return (
        popcount(board.queens & side), popcount(board.rooks & side), popcount(board.bishops & side),
        popcount(board.knights & side), popcount(board.pawns & side),
    )  # fmt: skip


@routine
def _in_bytes(board: Board, side: Set) -> np.uint64:
    """The same counts as the lowest five bytes of a word."""
    word = EMPTY
    for count in _counts(board, side):
        word = np.uint64(word << EIGHT | np.uint64(count))
    return word


@entry(void, reads(uint64, 2, "A"), writes(uint64))
def _encode(sets: np.ndarray, codes: np.ndarray) -> None:
    """Write for each position ten digits: White's queens, rooks, bishops, knights and pawns, then Black's."""
    for k in range(codes.size):
        board, code = board_at(sets, k), EMPTY
        for count in _counts(board, board.own):
            code = np.uint64(code * _BASE + np.uint64(count))
        for count in _counts(board, board.enemy):
            code = np.uint64(code * _BASE + np.uint64(count))
        codes[k] = code


@entry(void, reads(uint64, 2, "A"), reads(uint64, 3), writes(boolean))
def _compare(sets: np.ndarray, forms: np.ndarray, fits: np.ndarray) -> None:
    """Write for each position whether all counts are within the limits of one of the forms.

    A form has two words for each side, the least and the most counts in bytes. Five counts are compared at once: none
    is above 64, so that the highest bit of a byte is free, and is borrowed where the byte subtracted is larger.
    """
    for k in range(fits.size):
        board = board_at(sets, k)
        own, enemy = _in_bytes(board, board.own), _in_bytes(board, board.enemy)
        fits[k] = False
        for form in range(forms.shape[0]):
            kept = (own | _TOPS) - forms[form, 0, 0] & (forms[form, 0, 1] | _TOPS) - own
            kept &= (enemy | _TOPS) - forms[form, 1, 0] & (forms[form, 1, 1] | _TOPS) - enemy
            fits[k] |= kept & _TOPS == _TOPS


def material_codes(sets: np.ndarray) -> np.ndarray:
    """Return for each position one number that tells its pieces; `counts_in` reads it.

    Args:
        sets: the sets of the positions.
    """
    codes = np.empty(sets.shape[1], np.uint64)
    _encode(sets, codes)
    return codes


def has_material(sets: np.ndarray, forms: Sequence[Form]) -> np.ndarray:
    """Return for each position whether its pieces are as one of the forms says.

    Args:
        sets: the sets of the positions.
        forms: for each side, White first, the least and the most of each kind of pieces, 0 to 64.
    """
    limits = np.array(forms, np.uint64).swapaxes(2, 3)  # of each side the least of all kinds, then the most
    fits = np.empty(sets.shape[1], np.bool_)
    _compare(sets, limits @ _BYTES, fits)
    return fits


def counts_in(codes: np.ndarray) -> np.ndarray:
    """Return the counts in such numbers: a row for each of White's kinds of pieces and then each of Black's."""
    places = np.arange(2 * len(KINDS) - 1, -1, -1, dtype=np.uint64)
    return (codes // _BASE ** places[:, None] % _BASE).astype(np.int64)
