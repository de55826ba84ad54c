"""King patterns: attacks and walks, escapes, pawn shields, and mates next to the king.

A king is given as a set of one square; where several kings make sense, any number may be given at once.

Source: Chess Programming Wiki, "King Pattern", "King Safety", "Mate at a Glance".
"""

from __future__ import annotations

# The names stand in the order of the field, as the pages of the catalogue do.
# isort: off
from setwise.patterns.king.walks import ATTACKS, attacks, fill, distance
from setwise.patterns.king.escapes import escapes, distant_checks, mate_at_a_glance
from setwise.patterns.king.shelter import zone, shield_mask, shield_index, shield_value, open_files, half_open_files
# isort: on

__all__ = [
    "ATTACKS",
    "attacks",
    "distance",
    "distant_checks",
    "escapes",
    "fill",
    "half_open_files",
    "mate_at_a_glance",
    "open_files",
    "shield_index",
    "shield_mask",
    "shield_value",
    "zone",
]
