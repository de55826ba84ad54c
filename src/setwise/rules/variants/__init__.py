"""Variants of chess, one file each. A variant that is in ``VARIANTS`` is read, played and written everywhere."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, routine
from setwise.errors import shortened
from setwise.patterns.bits import EMPTY
from setwise.rules.variants.king_of_the_hill import KING_OF_THE_HILL
from setwise.rules.variants.three_check import THREE_CHECK
from setwise.rules.variants.variant import Variant

__all__ = [
    "STANDARD", "THREE_CHECK", "VARIANTS", "Variant", "counts_checks", "has_won", "variant_named", "variant_of_tag",
]  # fmt: skip

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
    """Return the variant that a value of PGN's tag ``Variant`` means; None for standard chess, Chess960, all others."""
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
