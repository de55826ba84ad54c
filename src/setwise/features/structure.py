"""Features of pawn structure: islands, weak and strong pawns, files, squares."""

from __future__ import annotations

from setwise.compiler import Count, Set
from setwise.features.registry import feature
from setwise.features.side import Side
from setwise.patterns import islands, pawns

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
    "stragglers",
]


@feature
def pawn_islands(side: Side) -> Count:
    """Return the number of this side's pawn islands, 0 to 4: groups of neighbouring files with own pawns on them.

    Example:
        >>> position = setwise.Position("4k3/pp1pp1pp/8/8/8/1P3P2/P1P3PP/4K3 w - - 0 1")
        >>> position.feature("white_pawn_islands")
        2
        >>> position.feature("black_pawn_islands")
        3

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return islands.count(islands.fileset(side.own & side.pawns))


@feature
def isolated_pawns(side: Side) -> Set:
    """Return this side's isolated pawns: no own pawn stands on a neighbouring file.

    Example:
        >>> position = setwise.Position("4k3/8/8/7P/P2P4/2P5/7P/4K3 w - - 0 1")
        >>> position.feature("white_isolated_pawns")
        Bitboard('h2 a4 h5')

    Traps:
        Doubled pawns of one file do not help each other: all of them are isolated.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)".
    """
    return pawns.isolated(side.own & side.pawns)


@feature
def half_isolated_pawns(side: Side) -> Set:
    """Return this side's half-isolated pawns: own pawns stand on exactly one of the neighbouring files.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/2P5/1P3P2/P6P/4K3 w - - 0 1")
        >>> position.feature("white_half_isolated_pawns")
        Bitboard('a2 c4')

    Traps:
        A pawn on the a-file or the h-file is half-isolated unless it is isolated: there is one file beside it.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)", "Pawn Islands (Bitboards)".
    """
    return pawns.half_isolated(side.own & side.pawns)


@feature
def doubled_pawns(side: Side) -> Set:
    """Return this side's doubled pawns: an own pawn stands somewhere ahead of them on the file.

    Example:
        >>> position = setwise.Position("4k3/8/8/2P5/5P2/5P2/P1P2P2/4K3 w - - 0 1")
        >>> position.feature("white_doubled_pawns")
        Bitboard('c2 f2 f3')

    Traps:
        The foremost pawn of a file is not among them: their number is the number of pawns too many.

    Source:
        Chess Programming Wiki, "Double and Triple (Bitboards)".
    """
    return pawns.doubled(side.own & side.pawns)


@feature
def backward_pawns(side: Side) -> Set:
    """Return this side's backward pawns: the enemy pawns attack their stop square, which no own pawn can ever defend.

    The stop square is outside the front attack spans of own pawns, and no enemy pawn stands on it.

    Example:
        >>> position = setwise.Position("4k3/6p1/7p/2p1p2P/2P1P3/3P4/8/4K3 w - - 0 1")
        >>> position.feature("white_backward_pawns")
        Bitboard('d3')

    Traps:
        Authorities differ; this is `setwise.pawns.backward`, whose docstring names the others.

    Source:
        Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    return pawns.backward(side.own & side.pawns, side.enemy & side.pawns)


@feature
def stragglers(side: Side) -> Set:
    """Return this side's stragglers: backward pawns on the second or third rank, no enemy pawn ahead on their file.

    This is what most books call a backward pawn: it cannot advance safely, and rooks attack it along
    its half-open file.

    Example:
        >>> position = setwise.Position("4k3/8/6p1/2p1p3/2P1P2P/3P4/8/4K3 w - - 0 1")
        >>> position.feature("white_stragglers")
        Bitboard('d3')

    Traps:
        `backward_pawns` takes backward pawns on any rank, on closed files, too.

    Source:
        Hans Kmoch, "Pawn Power in Chess"; Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    return pawns.straggler(side.own & side.pawns, side.enemy & side.pawns)


@feature
def connected_pawns(side: Side) -> Set:
    """Return this side's connected pawns: beside an own pawn, protected by one, or protecting one.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/1P2P1PP/3P4/P7/4K3 w - - 0 1")
        >>> position.feature("white_connected_pawns")
        Bitboard('d3 e4 g4 h4')

    Source:
        Chess Programming Wiki, "Connected Pawns".
    """
    return pawns.connected(side.own & side.pawns)


@feature
def holes(side: Side) -> Set:
    """Return the holes in this side's camp: squares of its third and fourth rank that its pawns can never attack.

    Squares with own pawns on them are not holes. For Black the ranks are 6 and 5.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/2P1P3/3P2P1/PP3P1P/4K3 w - - 0 1")
        >>> print(position.feature("white_holes"))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . . . 1 . 1
        . . . . . . . .
        . . . . . . . .

    Traps:
        Never means by pushing alone: captures may bring a pawn back into reach. Without pawns all squares of both ranks
        are holes; add a condition that there are some pawns.

    Source:
        Chess Programming Wiki, "Holes".
    """
    return pawns.holes(side.own & side.pawns)


@feature
def outposts(side: Side) -> Set:
    """Return the outposts for this side's pieces: its pawns defend them and the enemy pawns can never attack them.

    They lie on the side's fourth to sixth rank (for Black ranks 5 to 3), and no pawn stands on them; a piece may.

    Example:
        >>> position = setwise.Position("4k3/pp4pp/3p4/4p3/4P3/5P2/PP4PP/4K3 w - - 0 1")
        >>> print(position.feature("white_outposts"))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Outposts".
    """
    return pawns.outposts(side.own & side.pawns, side.enemy & side.pawns)


@feature
def open_files(side: Side) -> Set:
    """Return all squares of the open files: no pawn of either side stands on them, so both sides have the same.

    Example:
        >>> position = setwise.Position("4k3/p4ppp/8/8/8/8/PPP5/4K3 w - - 0 1")
        >>> print(position.feature("white_open_files"))
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return pawns.open_files(side.own & side.pawns, side.enemy & side.pawns)


@feature
def half_open_files(side: Side) -> Set:
    """Return all squares of this side's half-open files: enemy pawns stand on them and none of its own.

    Example:
        >>> position = setwise.Position("4k3/p4ppp/8/8/8/8/PPP5/4K3 w - - 0 1")
        >>> print(position.feature("white_half_open_files"))
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1

    Traps:
        An open file is not half-open here.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return pawns.half_open_files(side.own & side.pawns, side.enemy & side.pawns)
