"""Rook, bishop and queen attacks: of one square by lookup and by calculation, of whole sets by fills.

The three agree on every square and every occupancy. Attacks end on the first piece of either colour, which they
include. For one slider on one board a lookup is fastest; fills take all sliders of a board at once, and many boards at
a time.
"""

from __future__ import annotations

# The names stand in the order of the field, as the pages of the catalogue do.
# isort: off
from setwise.patterns.sliders.board_lines import (
    RANK_LINES, FILE_LINES, DIAGONALS, ANTIDIAGONALS, ROOK_LINES, BISHOP_LINES, KING_BITS,  # noqa: F401  (its tables)
)  # fmt: skip
from setwise.patterns.sliders.calculation import rook_attacks_by_calculation, bishop_attacks_by_calculation
from setwise.patterns.sliders.lookup import rook_attacks, bishop_attacks, queen_attacks
from setwise.patterns.sliders.of_sets import rooks_attacks, bishops_attacks, queens_attacks
# isort: on

__all__ = [
    "bishop_attacks",
    "bishop_attacks_by_calculation",
    "bishops_attacks",
    "queen_attacks",
    "queens_attacks",
    "rook_attacks",
    "rook_attacks_by_calculation",
    "rooks_attacks",
]
