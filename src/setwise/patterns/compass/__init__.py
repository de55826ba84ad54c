"""One step of a whole set in each direction, the eight knight steps, and the symmetries of the board.

A step moves every square of a set at once; squares that would leave the board vanish. Shifting a word by a step east or
west carries the edge file over to the other edge, one rank higher or lower: each such step is masked.

Source: Chess Programming Wiki, "General Setwise Operations", "Knight Pattern", "Flipping Mirroring and Rotating".
"""

from __future__ import annotations

# The names stand in the order of the field, as the pages of the catalogue do.
# isort: off
from setwise.patterns.compass.steps import (
        north, south, east, west, north_east, north_west, south_east, south_west, no_no_ea, no_ea_ea, so_ea_ea,
    so_so_ea, so_so_we, so_we_we, no_we_we, no_no_we,
)  # fmt: skip
from setwise.patterns.compass.symmetries import (
        flip_vertical, mirror_horizontal, rotate_180, flip_diagonal, flip_antidiagonal, rotate_90_clockwise,
    rotate_90_anticlockwise,
)  # fmt: skip

# isort: on

__all__ = [
        "east", "flip_antidiagonal", "flip_diagonal", "flip_vertical", "mirror_horizontal", "no_ea_ea", "no_no_ea",
    "no_no_we", "no_we_we", "north", "north_east", "north_west", "rotate_180", "rotate_90_anticlockwise",
    "rotate_90_clockwise", "so_ea_ea", "so_so_ea", "so_so_we", "so_we_we", "south", "south_east", "south_west",
    "west",
]  # fmt: skip
