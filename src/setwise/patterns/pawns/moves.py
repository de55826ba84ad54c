"""Where pawns push, attack, capture and promote."""

from __future__ import annotations

from setwise.compiler import Set, pattern, routine
from setwise.patterns.bits import RANK_4, RANK_8
from setwise.patterns.compass import north, north_east, north_west, south_east, south_west


@pattern
def single_pushes(pawns: Set, empty: Set) -> Set:
    """Return the squares that pawns push to by one step.

    Args:
        pawns: squares of our pawns, a set.
        empty: the empty squares, a set.

    Example:
        >>> pawns.single_pushes(Bitboard("a2 e4"), ~Bitboard("a2 e4 e5"))
        Bitboard('a3')

    Traps:
        A push from rank 7 is a promotion: four moves, not one.

    Source:
        Chess Programming Wiki, "Pawn Pushes (Bitboards)".
    """
    return north(pawns) & empty


@pattern
def double_pushes(pawns: Set, empty: Set) -> Set:
    """Return the squares of rank 4 that pawns of rank 2 push to by two steps over two empty squares.

    Args:
        pawns: squares of our pawns, a set.
        empty: the empty squares, a set.

    Example:
        >>> pawns.double_pushes(Bitboard("a2 c2 e2 g3"), ~Bitboard("a2 c2 e2 g3 c3 e4"))
        Bitboard('a4')

    Traps:
        Both squares must be empty, the one stepped over too.

    Source:
        Chess Programming Wiki, "Pawn Pushes (Bitboards)".
    """
    return north(north(pawns) & empty) & empty & RANK_4


@pattern
def east_attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack one step north-east.

    East and west are kept apart where the attacker of a square matters: each square has one attacker from each side.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> pawns.east_attacks(Bitboard("a2 h2"))
        Bitboard('b3')

    Traps:
        A shift by nine alone carries a pawn of the h-file to the a-file, one rank further up.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns)


@pattern
def west_attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack one step north-west.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> pawns.west_attacks(Bitboard("a2 h2"))
        Bitboard('g3')

    Traps:
        A shift by seven alone carries a pawn of the a-file to the h-file of its own rank. There are texts that call
        this shift north-east, and let the a-file wrap by nine.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_west(pawns)


@pattern
def attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack, to either side.

    Args:
        pawns: squares of our pawns, a set.

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

    Traps:
        Attacked is not pushable to, and whether anything stands there does not matter.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns) | north_west(pawns)


@routine
def attacks_down(squares):
    """What enemy pawns on these squares attack; and where pawns of ours stand that attack them."""
    return south_east(squares) | south_west(squares)


@pattern
def east_captures(pawns: Set, enemy: Set) -> Set:
    """Return the squares on which pawns capture one step north-east; the pawn comes from south-west.

    Args:
        pawns: squares of our pawns, a set.
        enemy: squares of the enemy's pieces, a set.

    Example:
        >>> pawns.east_captures(Bitboard("d4 h4"), Bitboard("e5 a6 c5"))
        Bitboard('e5')

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns) & enemy


@pattern
def west_captures(pawns: Set, enemy: Set) -> Set:
    """Return the squares on which pawns capture one step north-west; the pawn comes from south-east.

    Args:
        pawns: squares of our pawns, a set.
        enemy: squares of the enemy's pieces, a set.

    Example:
        >>> pawns.west_captures(Bitboard("a4 d4"), Bitboard("e5 h4 c5"))
        Bitboard('c5')

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_west(pawns) & enemy


@pattern
def en_passant(pawns: Set, ep_square: Set) -> Set:
    """Return the pawns that may capture en passant: none, one or two.

    Args:
        pawns: squares of our pawns, a set.
        ep_square: the square that an enemy pawn has just stepped over, a set of at most one square.

    Example:
        >>> pawns.en_passant(Bitboard("a5 c5 h5"), Bitboard("b6"))
        Bitboard('a5 c5')

    Traps:
        The capture empties two squares of one rank at once and may uncover a check along it: legality looks again.

    Source:
        Chess Programming Wiki, "En passant".
    """
    return pawns & attacks_down(ep_square)


@pattern
def promotions(pawns: Set, empty: Set, enemy: Set) -> Set:
    """Return the squares of rank 8 that pawns promote on with their next move, by a push or by a capture.

    Args:
        pawns: squares of our pawns, a set.
        empty: the empty squares, a set.
        enemy: squares of the enemy's pieces, a set.

    Example:
        >>> pawns.promotions(Bitboard("a7 d7 h6"), ~Bitboard("a7 d7 h6 a8 b8 e8"), Bitboard("b8 e8"))
        Bitboard('b8 d8 e8')

    Source:
        Chess Programming Wiki, "Promotions".
    """
    return (north(pawns) & empty | attacks(pawns) & enemy) & RANK_8
