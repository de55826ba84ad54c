"""Fills: along files and ranks, over empty squares, along rays up to a blocker, and over paths of king steps.

A fill widens a set step by step until nothing is added. Along a ray three doubling steps (Kogge-Stone) do the work of
seven; along a winding path a king step is repeated, at most 63 times, and every loop here ends.

Source: Chess Programming Wiki, "Fill Algorithms", "Kogge-Stone Algorithm", "King Pattern", "All Shortest Paths".
"""

from __future__ import annotations

# The names stand in the order of the field, as the pages of the catalogue do.
# isort: off
from setwise.patterns.fills.files import (
    north_fill, south_fill, file_fill,
)  # fmt: skip
from setwise.patterns.fills.ranks import (
    east_fill, west_fill, rank_fill,
)  # fmt: skip
from setwise.patterns.fills.occluded import (
    north_occluded, south_occluded, east_occluded, west_occluded, north_east_occluded, north_west_occluded,
    south_east_occluded, south_west_occluded,
)  # fmt: skip
from setwise.patterns.fills.rays import (
    ray_fill_north, ray_fill_south, ray_fill_east, ray_fill_west, ray_fill_north_east, ray_fill_north_west,
    ray_fill_south_east, ray_fill_south_west,
)  # fmt: skip
from setwise.patterns.fills.paths import (
    flood, connected, shortest_path_length, shortest_paths,
)  # fmt: skip

# isort: on

__all__ = [
    "connected", "east_fill", "east_occluded", "file_fill", "flood", "north_east_occluded", "north_fill",
    "north_occluded", "north_west_occluded", "rank_fill", "ray_fill_east", "ray_fill_north", "ray_fill_north_east",
    "ray_fill_north_west", "ray_fill_south", "ray_fill_south_east", "ray_fill_south_west", "ray_fill_west",
    "shortest_path_length", "shortest_paths", "south_east_occluded", "south_fill", "south_occluded",
    "south_west_occluded", "west_fill", "west_occluded",
]  # fmt: skip
