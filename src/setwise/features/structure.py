"""Features of pawn structure."""

from __future__ import annotations

from setwise import islands
from setwise.features.registry import Side, feature
from setwise.kernel import Count, Set, routine
from setwise.pawns import isolated

__all__ = ["isolated_pawns", "pawn_islands"]


@routine
def own_pawns(side):
    return side.own & side.pawns


@feature
def pawn_islands(side: Side) -> Count:
    """Return the number of pawn islands, 0 to 4: groups of neighbouring files with own pawns on them.

    Source:
        Chess Programming Wiki, "Pawn Islands".
    """
    return islands.count(islands.fileset(own_pawns(side)))


@feature
def isolated_pawns(side: Side) -> Set:
    """Return the pawns of islands one file wide: no own pawn stands on a neighbouring file.

    Source:
        Chess Programming Wiki, "Pawn Islands".
    """
    return isolated(own_pawns(side))
