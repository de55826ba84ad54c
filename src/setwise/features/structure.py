"""Features of pawn structure: islands, weak and strong pawns, files, squares."""

from __future__ import annotations

from setwise import islands, pawns
from setwise.features.registry import feature
from setwise.features.side import Side
from setwise.kernel import Count, Fileset, Set

__all__ = [
    "backward_pawns",
    "connected_pawns",
    "doubled_pawns",
    "half_isolated_pawns",
    "half_open_files",
    "holes",
    "isolated_pawns",
    "open_files",
    "outposts",
    "pawn_islands",
]


@feature
def pawn_islands(side: Side) -> Count:
    """Return the number of this side's pawn islands, 0 to 4: groups of neighbouring files with own pawns on them.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return islands.count(islands.fileset(side.own & side.pawns))


@feature
def isolated_pawns(side: Side) -> Set:
    """Return this side's isolated pawns: no own pawn stands on a neighbouring file.

    Traps:
        Doubled pawns of one file do not help each other: all of them are isolated.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)".
    """
    return pawns.isolated(side.own & side.pawns)


@feature
def half_isolated_pawns(side: Side) -> Set:
    """Return this side's half-isolated pawns: own pawns stand on exactly one of the neighbouring files.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)", "Pawn Islands (Bitboards)".
    """
    return pawns.half_isolated(side.own & side.pawns)


@feature
def doubled_pawns(side: Side) -> Set:
    """Return this side's doubled pawns: an own pawn stands somewhere ahead of them on the file.

    Traps:
        The foremost pawn of a file is not among them: their number is the number of pawns too many.

    Source:
        Chess Programming Wiki, "Doubled Pawn".
    """
    return pawns.doubled(side.own & side.pawns)


@feature
def backward_pawns(side: Side) -> Set:
    """Return this side's backward pawns: the enemy's pawns attack their stop square, which no own pawn can ever defend.

    The stop square is outside the front attack spans of own pawns, and no enemy pawn stands on it.

    Traps:
        Authorities differ; this is `setwise.pawns.backward`, whose docstring names the others.

    Source:
        Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    return pawns.backward(side.own & side.pawns, side.enemy & side.pawns)


@feature
def connected_pawns(side: Side) -> Set:
    """Return this side's connected pawns: beside an own pawn, protected by one, or protecting one.

    Source:
        Chess Programming Wiki, "Connected Pawns".
    """
    return pawns.connected(side.own & side.pawns)


@feature
def holes(side: Side) -> Set:
    """Return the holes in this side's camp: squares of its third and fourth rank that its pawns can never attack.

    Squares with own pawns on them are no holes. For Black the ranks are 6 and 5.

    Traps:
        Never means by pushing alone: captures may bring a pawn back into reach.

    Source:
        Chess Programming Wiki, "Holes".
    """
    return pawns.holes(side.own & side.pawns)


@feature
def outposts(side: Side) -> Set:
    """Return the outposts for this side's pieces: its pawns defend them and the enemy's pawns can never attack them.

    They lie on the side's fourth to sixth rank (for Black ranks 5 to 3), and no pawn stands on them; a piece may.

    Source:
        Chess Programming Wiki, "Outposts".
    """
    return pawns.outposts(side.own & side.pawns, side.enemy & side.pawns)


@feature
def open_files(side: Side) -> Fileset:
    """Return the open files, as a fileset: no pawn of either side stands on them, so both sides have the same.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return pawns.open_files(side.own & side.pawns, side.enemy & side.pawns)


@feature
def half_open_files(side: Side) -> Fileset:
    """Return this side's half-open files, as a fileset: enemy pawns stand on them and none of its own.

    Traps:
        An open file is not half-open here.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return pawns.half_open_files(side.own & side.pawns, side.enemy & side.pawns)
