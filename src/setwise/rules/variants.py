"""Variants of chess with other ways to win: King of the Hill, Three-check. Each is an entry of ``VARIANTS``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.bitboard import Bitboard
from setwise.compiler import Set, routine
from setwise.errors import shortened
from setwise.patterns.bits import EMPTY

# --------------------------------------------------------- what a variant of chess adds to the rules: other ways to win


class Variant(NamedTuple):
    """A variant with the moves of standard chess, in which games can also end in other ways."""

    #: The name, as in the tag ``Variant`` of PGN files.
    name: str
    #: Beginnings of other spellings in that tag, in lower case; the name itself is always accepted.
    spellings: tuple[str, ...]
    #: The class of python-chess's boards, in ``chess.variant``.
    board: str
    #: The squares on which a king wins.
    hill: int = 0
    #: How many checks win; 0 if checks do not count.
    checks: int = 0

    def winner(self, white_king: int, black_king: int, checks_given: tuple[int, int]) -> str | None:
        """Return the side that has won by the rules of the variant, ``"white"`` or ``"black"``, or None.

        Args:
            white_king: the square of White's king, as a set.
            black_king: the square of Black's king, as a set.
            checks_given: how many checks White and Black have given.
        """
        for side, king, given in zip(("white", "black"), (white_king, black_king), checks_given, strict=True):
            if king & self.hill or 0 < self.checks <= given:
                return side
        return None

    def can_win(self, *, bare_king: bool) -> bool:
        """Return whether a side has enough material to win: any piece can give check, a bare king can win on a hill."""
        return self.hill != 0 or not bare_king


# ---------------------------------------------------------- king of the Hill: a king that reaches d4, e4, d5 or e5 wins


KING_OF_THE_HILL = Variant(
    "King of the Hill", ("kingofthehill", "koth"), "KingOfTheHillBoard", hill=int(Bitboard("d4 e4 d5 e5"))
)


# ------------------------------------------------------------------------------------ three-check: the third check wins


THREE_CHECK = Variant(
    "Three-check", ("three check", "threecheck", "3-check", "3 check", "3check"), "ThreeCheckBoard", checks=3
)


# ------------------------------------------------------------------------------------- variants of chess, one file each


VARIANTS = (KING_OF_THE_HILL, THREE_CHECK)

#: The number of standard chess in compiled code. Variants have the numbers from 1 in the order of ``VARIANTS``.
STANDARD = 0
_HILLS = np.array([0, *(variant.hill for variant in VARIANTS)], np.uint64)
_CHECKS = np.array([0, *(variant.checks for variant in VARIANTS)], np.int64)


@routine
def counts_checks(variant: int) -> np.bool:
    """Whether checks count in a variant, given by its number."""
    return _CHECKS[variant] > 0


@routine
def has_won(variant: int, king: Set, checks_given: int) -> bool:
    """Whether a side has won by the rules of a variant, given by its number; ``king`` is a set of one square."""
    return _HILLS[variant] & king != EMPTY or 0 < _CHECKS[variant] <= checks_given


def variant_of_tag(value: str) -> Variant | None:
    """Return the variant that a value of PGN's tag ``Variant`` means; None for all other values, as for Chess960."""
    lower = value.lower()
    for variant in VARIANTS:
        if lower.startswith((variant.name.lower(), *variant.spellings)):
            return variant
    return None


def variant_named(name: str) -> Variant:
    """Return the variant with a name; raises ``ValueError`` for other names."""
    variant = variant_of_tag(name)
    if variant is None:
        known = ", ".join(variant.name for variant in VARIANTS)
        raise ValueError(f"there is no variant {shortened(name)}; there are {known}")
    return variant
