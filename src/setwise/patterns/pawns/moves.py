"""Where pawns push, attack, capture and promote.

Args:
    pawns: squares of our pawns, a set.
    empty: the empty squares, a set.
    enemy: squares of enemy pieces, a set.
    ep_square: the square that an enemy pawn has just stepped over, a set of at most one square.
"""

from __future__ import annotations

from setwise.compiler import Set, pattern, routine
from setwise.patterns.bits import RANK_4, RANK_8
from setwise.patterns.compass import north, north_east, north_west, south_east, south_west


@pattern
def single_pushes(pawns: Set, empty: Set) -> Set:
    """Return the squares that pawns push to by one step.

    Example:
        >>> pawns.single_pushes(Bitboard("a2 e4"), ~Bitboard("a2 e4 e5"))
        Bitboard('a3')

    Why:
        A rank is eight bits, so that a shift by eight moves every pawn one square ahead; those that meet a piece are
        dropped.

    Traps:
        A push from rank 7 is a promotion: four moves, not one.

    Names:
        wSinglePushTargets, single push, pawn push.

    Source:
        Chess Programming Wiki, "Pawn Pushes (Bitboards)".
    """
    return north(pawns) & empty


@pattern
def double_pushes(pawns: Set, empty: Set) -> Set:
    """Return the squares of rank 4 that pawns of rank 2 push to by two steps over two empty squares.

    Example:
        >>> pawns.double_pushes(Bitboard("a2 c2 e2 g3"), ~Bitboard("a2 c2 e2 g3 c3 e4"))
        Bitboard('a4')

    Why:
        A double step is two single ones, each over an empty square; only a pawn of rank 2 ends on rank 4 that way, so a
        mask of rank 4 leaves just the double steps.

    Traps:
        Both squares must be empty, the one stepped over too.

    Names:
        wDblPushTargets, double push.

    Source:
        Chess Programming Wiki, "Pawn Pushes (Bitboards)".
    """
    return north(north(pawns) & empty) & empty & RANK_4


@pattern
def east_attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack one step north-east.

    East and west are kept apart where the attacker of a square matters: each square has one attacker from each side.

    Example:
        >>> pawns.east_attacks(Bitboard("a2 h2"))
        Bitboard('b3')

    Why:
        North-east is a shift by nine; the mask drops what came from the h-file and wrapped to the a-file.

    Traps:
        A shift by nine alone carries a pawn of the h-file to the a-file two ranks up: from h2 to a4.

    Slips:
        In a tutorial on move generation a shift by 9 wraps from the a-file to the h-file; with a1 as bit 0 it wraps
        from the h-file to the a-file, two ranks up, and the shift by 7 from the a-file to the h-file of the same rank.
        Its remedy, a mask of the rank captured on, is right for one pawn at a time; a set of pawns needs masks of
        files.

    Names:
        wPawnEastAttacks, rank mask.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns)


@pattern
def west_attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack one step north-west.

    Example:
        >>> pawns.west_attacks(Bitboard("a2 h2"))
        Bitboard('g3')

    Why:
        North-west is a shift by seven; the mask drops what came from the a-file and wrapped to the h-file.

    Traps:
        A shift by seven alone carries a pawn of the a-file to the h-file of its own rank.

    Slips:
        A tutorial on move generation calls the shift by 7 north-east: see `setwise.compass.north_west`.

    Names:
        wPawnWestAttacks.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_west(pawns)


@pattern
def attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack, to either side.

    Example:
        >>> print(pawns.attacks(Bitboard("a2 d4 h3")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . 1 . 1 . . .
        . . . . . . 1 .
        . 1 . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        One step north-east and one step north-west, each masked as every sideways step is.

    Traps:
        A pawn does not push to the squares that it attacks. It attacks them whether or not anything stands there.

    Names:
        wPawnAnyAttacks, arrPawnAttacks.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns) | north_west(pawns)


@routine
def attacks_down(squares: Set) -> Set:
    """What enemy pawns on these squares attack; and where pawns of ours stand that attack them."""
    return south_east(squares) | south_west(squares)


@pattern
def east_captures(pawns: Set, enemy: Set) -> Set:
    """Return the squares on which pawns capture one step north-east; the pawn comes from south-west.

    Example:
        >>> pawns.east_captures(Bitboard("d4 h4"), Bitboard("e5 a6 c5"))
        Bitboard('e5')

    Why:
        A pawn captures where it attacks and an enemy stands.

    Names:
        wPawnsAble2CaptureEast, pawn captures.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns) & enemy


@pattern
def west_captures(pawns: Set, enemy: Set) -> Set:
    """Return the squares on which pawns capture one step north-west; the pawn comes from south-east.

    Example:
        >>> pawns.west_captures(Bitboard("a4 d4"), Bitboard("e5 h4 c5"))
        Bitboard('c5')

    Why:
        A pawn captures where it attacks and an enemy stands.

    Names:
        wPawnsAble2CaptureWest.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_west(pawns) & enemy


@pattern
def en_passant(pawns: Set, ep_square: Set) -> Set:
    """Return the pawns that may capture en passant: none, one or two.

    Example:
        >>> pawns.en_passant(Bitboard("a5 c5 h5"), Bitboard("b6"))
        Bitboard('a5 c5')

    Why:
        The pawns that attack the square stand where an enemy pawn on it would attack: one step back and one aside. On
        the board's edge one of the two is masked away.

    Traps:
        The capture empties two squares of one rank at once and may uncover a check along it: test separately whether it
        is legal.

    Names:
        passant capture, ep.

    Source:
        Chess Programming Wiki, "En passant".
    """
    return pawns & attacks_down(ep_square)


@pattern
def promotions(pawns: Set, empty: Set, enemy: Set) -> Set:
    """Return the squares of rank 8 that pawns promote on with their next move, by a push or by a capture.

    Example:
        >>> pawns.promotions(Bitboard("a7 d7 h6"), ~Bitboard("a7 d7 h6 a8 b8 e8"), Bitboard("b8 e8"))
        Bitboard('b8 d8 e8')

    Why:
        A pawn of rank 7 ends on rank 8, whether it pushes or captures; the mask of that rank drops all other
        moves.

    Names:
        promotion squares.

    Source:
        Chess Programming Wiki, "Promotions".
    """
    return (north(pawns) & empty | attacks(pawns) & enemy) & RANK_8
