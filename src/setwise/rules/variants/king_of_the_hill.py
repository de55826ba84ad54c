"""King of the Hill: a king that reaches d4, e4, d5 or e5 wins."""

from setwise.bitboard import Bitboard
from setwise.rules.variants.variant import Variant

__all__ = ["KING_OF_THE_HILL"]

KING_OF_THE_HILL = Variant(
    "King of the Hill", ("kingofthehill", "koth"), "KingOfTheHillBoard", hill=int(Bitboard("d4 e4 d5 e5"))
)
