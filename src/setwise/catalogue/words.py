"""Sets as 64-bit numbers in any square mapping and any notation of programming languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.errors import QueryError, did_you_mean, shortened
from setwise.patterns import compass

__all__ = ["MAPPINGS", "Mapping", "mapping", "read_word"]


class Mapping(NamedTuple):
    """A square mapping, which bit is which square; named after the squares of bits 0 and 1, such as ``a1b1``.

    ``symmetry`` converts a set from setwise's mapping (``a1b1``) to this one, ``back`` the other way.
    """

    name: str
    symmetry: Callable[..., Any] | None
    back: Callable[..., Any] | None

    @property
    def squares(self) -> np.ndarray:
        """The square of each bit, 0 being a1, 1 b1, 63 h8."""
        return np.array([next(iter(self.read(1 << bit))) for bit in range(64)])

    @property
    def text(self) -> str:
        """The squares of the bits 0, 7, 8 and 63, in words."""
        names = [SQUARE_NAMES[square] for square in self.squares]
        return f"{names[0]} = bit 0, {names[7]} = bit 7, {names[8]} = bit 8, {names[63]} = bit 63"

    def word(self, squares: int) -> int:
        """Return the number that a set is in this mapping."""
        return int(squares if self.symmetry is None else self.symmetry(Bitboard(squares)))

    def read(self, word: int) -> Bitboard:
        """Return the set that a number is in this mapping."""
        return Bitboard(word if self.back is None else self.back(Bitboard(word)))


#: The eight mappings by name, setwise's first.
MAPPINGS: dict[str, Mapping] = {
    name: Mapping(name, symmetry, back)
    for name, symmetry, back in (
        ("a1b1", None, None),
        ("a8b8", compass.flip_vertical, compass.flip_vertical),
        ("h1g1", compass.mirror_horizontal, compass.mirror_horizontal),
        ("h8g8", compass.rotate_180, compass.rotate_180),
        ("a1a2", compass.flip_diagonal, compass.flip_diagonal),
        ("h8h7", compass.flip_antidiagonal, compass.flip_antidiagonal),
        ("a8a7", compass.rotate_90_anticlockwise, compass.rotate_90_clockwise),
        ("h1h2", compass.rotate_90_clockwise, compass.rotate_90_anticlockwise),
    )
}


def mapping(name: str) -> Mapping:
    """Return a mapping by name. Raises ``QueryError`` with the names for an unknown one.

    Example:
        >>> from setwise.catalogue.words import mapping
        >>> mapping("a8b8").text
        'a8 = bit 0, h8 = bit 7, a7 = bit 8, h1 = bit 63'
        >>> hex(mapping("a8b8").word(Bitboard("e8"))), mapping("a8b8").read(0x10)
        ('0x10', Bitboard('e8'))
    """
    if name not in MAPPINGS:
        near = did_you_mean(name, MAPPINGS) or f"; there are {', '.join(MAPPINGS)}"
        raise QueryError(f"there is no square mapping {shortened(name, 20)}{near}")
    return MAPPINGS[name]


#: A number as programs write it: 0x…, 0b…, 0o…, decimal, grouped by _ or ', with the suffixes that languages have.
_NUMBER = re.compile(
    r"(-?)(0[xX]['_]*[0-9a-fA-F][0-9a-fA-F_']*|0[bB]['_]*[01][01_']*|0[oO]['_]*[0-7][0-7_']*|[0-9][0-9_',]*)"
    r"([uUlL]{0,3}|[uUiI]64)"
)
#: Decimal digits that are read: one more than 64 bits have.
_DIGITS = 21


def read_word(text: str) -> int | None:
    """Return the 64 bits that a number means as any programming language writes it; None for any other text.

    Raises:
        QueryError: the number has more than 64 bits.

    Example:
        >>> from setwise.catalogue.words import read_word
        >>> read_word("0x0000_0000_0000_0042ULL"), read_word("0b1000'0010"), read_word("-1") == 2**64 - 1
        (66, 130, True)
        >>> read_word("squares('e4')")
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    digits = re.sub("[_',]", "", match[2])
    number = int(digits, 0) if digits[1:2].isalpha() else int(digits.lstrip("0")[:_DIGITS] or 0)
    number = -number if match[1] else number
    if not -(2**63) <= number < 2**64:
        raise QueryError(f"{shortened(text.strip(), 40)} has more than 64 bits")
    return number % 2**64
