"""Features of pawns among pawns: chains, phalanxes, rams, levers, hanging pawns, borders of islands."""

from __future__ import annotations

from setwise.compiler import Count, Set
from setwise.features.registry import feature
from setwise.features.side import Side
from setwise.patterns import islands, pawns
from setwise.patterns.bits import EMPTY, ONE
from setwise.patterns.pawns.moves import attacks_down

__all__ = [
    "chain",
    "hanging_pair",
    "island_east_files",
    "island_west_files",
    "lever",
    "phalanx",
    "ram",
    "stacked",
    "widest_island",
]


@feature
def stacked(side: Side) -> Set:
    """Return this side's pawns that share their file with another own pawn, the foremost included.

    Example:
        >>> position = setwise.Position("4k3/8/8/2P5/5P2/5P2/P1P2P2/4K3 w - - 0 1")
        >>> position.feature("white_stacked")
        Bitboard('c2 f2 f3 f4 c5')

    Traps:
        `doubled_pawns` leave the foremost out.

    Source:
        Chess Programming Wiki, "Double and Triple (Bitboards)".
    """
    return pawns.stacked(side.own & side.pawns)


@feature
def phalanx(side: Side) -> Set:
    """Return this side's pawns with an own pawn right beside them on their rank.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/2PPP3/P6P/8/4K3 w - - 0 1")
        >>> position.feature("white_phalanx")
        Bitboard('c4 d4 e4')

    Source:
        Chess Programming Wiki, "Duo Trio Quart (Bitboards)".
    """
    return pawns.phalanx(side.own & side.pawns)


@feature
def chain(side: Side) -> Set:
    """Return this side's pawns that are links of a chain: they protect an own pawn, or are protected by one.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/3P4/2P1P3/1P4P1/4K3 w - - 0 1")
        >>> position.feature("white_chain")
        Bitboard('b2 c3 e3 d4')

    Why:
        A link protects an own pawn or is protected by one: the pawns that stand where own pawns attack, and those from
        where they attack.

    Traps:
        Bases and heads are distinguished by `setwise.pawns.chain_base` and `chain_head`.

    Source:
        Chess Programming Wiki, "Pawn Chain".
    """
    own = side.own & side.pawns
    return own & (pawns.attacks(own) | attacks_down(own))


@feature
def ram(side: Side) -> Set:
    """Return this side's pawns that are rammed: an enemy pawn stands right ahead.

    Example:
        >>> position = setwise.Position("4k3/8/8/3p4/1P1P2p1/1p6/6P1/4K3 w - - 0 1")
        >>> position.feature("white_ram")
        Bitboard('d4')

    Source:
        Chess Programming Wiki, "Pawn Rams (Bitboards)".
    """
    return pawns.ram(side.own & side.pawns, side.enemy & side.pawns)


@feature
def lever(side: Side) -> Set:
    """Return this side's pawns that attack an enemy pawn, which attacks them.

    Example:
        >>> position = setwise.Position("4k3/8/p5p1/3p4/2P1P2P/8/8/4K3 w - - 0 1")
        >>> position.feature("white_lever")
        Bitboard('c4 e4')

    Traps:
        En passant is not counted.

    Source:
        Chess Programming Wiki, "Pawn Levers (Bitboards)".
    """
    return pawns.lever(side.own & side.pawns, side.enemy & side.pawns)


@feature
def hanging_pair(side: Side) -> Set:
    """Return this side's hanging pawns: two abreast, no own pawn on the files beside them, no enemy pawn on theirs.

    Example:
        >>> position = setwise.Position("4k3/p4ppp/1p2p3/8/2PP4/8/P4PPP/4K3 w - - 0 1")
        >>> position.feature("white_hanging_pair")
        Bitboard('c4 d4')

    Traps:
        `hanging` pieces are something else: attacked, and not protected.

    Source:
        Chess Programming Wiki, "Hanging Pawns".
    """
    return pawns.hanging_pair(side.own & side.pawns, side.enemy & side.pawns)


@feature
def island_west_files(side: Side) -> Set:
    """Return all squares of the files on which this side's pawn islands begin in the west.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/8/1P3P2/P1P3PP/4K3 w - - 0 1")
        >>> position.feature("white_island_west_files")
        Bitboard('a1 f1 a2 f2 a3 f3 a4 f4 a5 f5 a6 f6 a7 f7 a8 f8')

    Why:
        The fileset of the pawns has a west border for each island; written into all eight ranks it is a set of squares.

    Traps:
        An island one file wide begins and ends on the same file.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return islands.files(islands.west_files(islands.fileset(side.own & side.pawns)))


@feature
def island_east_files(side: Side) -> Set:
    """Return all squares of the files on which this side's pawn islands end in the east.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/8/1P3P2/P1P3PP/4K3 w - - 0 1")
        >>> position.feature("white_island_east_files")
        Bitboard('c1 h1 c2 h2 c3 h3 c4 h4 c5 h5 c6 h6 c7 h7 c8 h8')

    Why:
        The fileset of the pawns has an east border for each island; written into all eight ranks it is a set of
        squares.

    Traps:
        An island one file wide begins and ends on the same file.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return islands.files(islands.east_files(islands.fileset(side.own & side.pawns)))


@feature
def widest_island(side: Side) -> Count:
    """Return the number of files of this side's widest pawn island, 0 without pawns.

    Example:
        >>> position = setwise.Position("4k3/pp1pp1pp/8/8/8/1P3P2/P1P3PP/4K3 w - - 0 1")
        >>> position.feature("white_widest_island")
        3

    Why:
        Each round takes the east file off every island; the widest is the last to vanish, after as many rounds as it
        has files.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    files = islands.fileset(side.own & side.pawns)
    width = EMPTY
    while files != EMPTY:
        files &= files >> ONE
        width += ONE
    return width
