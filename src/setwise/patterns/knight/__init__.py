"""Knight patterns: attacks and walks, forks, and the hunt for a passed pawn.

For an array of sets several words are computed at a time, as many as the processor's vectors hold: four with AVX2, for
which the wiki has a form written by hand, eight with AVX-512. A knight's tour, on which a knight visits every square
once, is a way along ``ATTACKS`` from square to square.

Source: Chess Programming Wiki, "Knight Pattern", "AVX2 Knight Attacks", "Knight-Distance", "Greater One Sets" in
"General Setwise Operations".
"""

from __future__ import annotations

# The names stand in the order of the field, as the pages of the catalogue do.
# isort: off
from setwise.patterns.knight.walks import ATTACKS, attacks, fill, reach, after, distance
from setwise.patterns.knight.fork_squares import fork_targets, forks
from setwise.patterns.knight.pursuit import CATCHES, catches
# isort: on

__all__ = [
    "ATTACKS",
    "CATCHES",
    "after",
    "attacks",
    "catches",
    "distance",
    "fill",
    "fork_targets",
    "forks",
    "reach",
]
