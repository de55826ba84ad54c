"""Three-check: the third check wins."""

from setwise.rules.variants.variant import Variant

__all__ = ["THREE_CHECK"]

THREE_CHECK = Variant(
    "Three-check", ("three check", "threecheck", "3-check", "3 check", "3check"), "ThreeCheckBoard", checks=3
)
