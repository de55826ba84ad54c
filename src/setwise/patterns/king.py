"""King patterns: attacks and walks, escapes, pawn shields, and mates next to the king.

A king is a set of one square; where several kings make sense, the set may have any number of squares.

Source: Chess Programming Wiki, "King Pattern", "King Safety", "Mate at a Glance".
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from setwise.compiler import Count, Directions, Set, Steps, pattern
from setwise.patterns import knight
from setwise.patterns.bits import EIGHT, EMPTY, ONE, SEVEN, THREE, TWO
from setwise.patterns.compass import (
    east,
    grown,
    north,
    north_east,
    north_west,
    sideways,
    south,
    south_east,
    south_west,
    west,
)
from setwise.patterns.fills import NO_WAY, file_fill
from setwise.patterns.geometry import SQUARES

__all__ = [
    "ATTACKS", "attacks", "distance", "distant_checks", "escapes", "fill", "half_open_files", "mate_at_a_glance",
    "open_files", "shield_index", "shield_mask", "shield_value", "zone",
]  # fmt: skip


# --------------------------------------------------------------- where kings go: attacks, fills along a path, distances


@pattern
def attacks(kings: Set) -> Set:
    """Return the squares that kings attack: all neighbours, of any number of kings.

    First the steps east and west, then the steps north and south of their union: four steps do the work of eight.

    Args:
        kings: squares of the kings, a set.

    Example:
        >>> print(king.attacks(Bitboard("g2")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 1 1
        . . . . . 1 . 1
        . . . . . 1 1 1

    Why:
        The king's square and the two squares beside it make a row; the row moved up and down covers the six squares of
        the other two ranks. The steps east and west are masked once; the steps north and south need no mask, because
        bits that leave the board fall off the word.

    Traps:
        A king's own square is attacked only when another king stands next to it.

    Names:
        kingAttacks, Moore neighborhood, Moore neighbourhood.

    Source:
        Chess Programming Wiki, "King Pattern".
    """
    beside = sideways(kings)  # east and west
    row = kings | beside  # with the kings: rows of three
    return beside | north(row) | south(row)  # and these rows, one rank up and down


#: ``ATTACKS[square]``: the squares that a king attacks from there.
ATTACKS: np.ndarray = attacks.plain(SQUARES)
ATTACKS.flags.writeable = False


@pattern
def fill(kings: Set, path: Set) -> Set:
    """Return the squares inside a path that kings reach in at most one step, including their own squares.

    This is one cycle of a fill. Cycles repeated until nothing is added are `fills.flood`.

    Args:
        kings: squares of the kings, a set; kings outside the path are ignored.
        path: squares that may be stepped on.

    Example:
        >>> print(king.fill(Bitboard("g2 b5"), ~Bitboard("g3 h3 f1 b5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 . .
        . . . . . 1 1 1
        . . . . . . 1 1

    Why:
        A king that may step only on squares of the path reaches the neighbours that are on the path, or stays.

    Names:
        kingFill.

    Source:
        Chess Programming Wiki, "King Pattern".
    """
    kings = kings & path  # kings inside the path
    return (kings | attacks(kings)) & path  # and their neighbours inside it


@pattern
def distance(a: Set, b: Set) -> Steps:
    """Return how many steps a king needs from one set to another on an empty board: 0 to 7, -1 if a set is empty.

    This is the Chebyshev distance between the nearest two squares: the larger of the distances in files and in ranks.

    Args:
        a: squares at one end.
        b: squares at the other end.

    Example:
        >>> king.distance(Bitboard("a1"), Bitboard("c8"))
        7
        >>> king.distance(Bitboard("a1 h5"), Bitboard("c8"))
        5
        >>> king.distance(Bitboard("a1"), Bitboard(0))
        -1

    Why:
        A king step changes file and rank by at most one, and can change both: the larger difference decides. So the
        fill of a set after n steps is a square of side 2n + 1 around each king, and the distance is the first n at
        which the fill meets the other set.

    Traps:
        The board is empty here; for a board with obstacles use `fills.shortest_path_length`.

    Names:
        Chebyshev distance, square_distance.

    Source:
        Chess Programming Wiki, "Distance".
    """
    steps = EMPTY
    for _ in range(SEVEN):
        steps += np.uint64(a & b == EMPTY)
        a = a | attacks(a)
    return steps if np.uint64(a & b != EMPTY) else NO_WAY


# ---------------------------------------------------------------------------------------------- kings without a way out


@pattern
def escapes(king: Set, own: Set, enemy_attacks: Set) -> Set:
    """Return the squares that a king can step to: neighbours without own pieces that the enemy does not attack.

    With the correct attacks these are the king's legal moves except castling.

    Args:
        king: square of the king, a set.
        own: squares of the king's own pieces.
        enemy_attacks: squares that the enemy attacks with this king lifted off the board, defended enemy pieces
            included.

    Example:
        A rook on e8 checks a king on e4. It attacks e3 too, through the king:

        >>> print(king.escapes(Bitboard("e4"), Bitboard("d4 f3"), fills.file_fill(Bitboard("e8"))))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . 1 . .
        . . . . . 1 . .
        . . . 1 . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        A king may go to a neighbouring square unless an own piece stands there or the enemy attacks the square. Both
        conditions are sets, their union is taboo, and the neighbours outside the union are the moves.

    Traps:
        If the king is left on the board, it hides the square behind it from the slider that checks, and this square
        looks like an escape. An enemy piece that is defended by another stands on an attacked square, and is not an
        escape either.

    Names:
        moveTargets, king moves, flight squares, escape squares, taboo.

    Source:
        Chess Programming Wiki, "King Pattern".
    """
    return attacks(king) & ~(own | enemy_attacks)


@pattern
def distant_checks(king: Set, taboo: Set) -> Directions:
    """Return along which lines a distant check would leave a king no way off that line, as a set of four bits.

    The result is 15 if the king has no escape at all. If the king and all escapes lie on one line, it is one bit: 1 for
    the rank, 2 for the file, 4 for the diagonal (as a1–h8), 8 for the antidiagonal (as a8–h1). In all other cases, and
    without a king, it is 0.

    Several kings are examined together: a bit means that each of their escapes is next to a king on such a line.

    Args:
        king: square of the king, a set.
        taboo: squares the king must not step to: own pieces and all squares that the enemy attacks (see `escapes`).

    Example:
        A castled king behind its pawns cannot leave the first rank:

        >>> king.distant_checks(Bitboard("g1"), Bitboard("f2 g2 h2"))
        1
        >>> king.distant_checks(Bitboard("g1"), Bitboard("f2 g2 h2 f1 h1"))
        15
        >>> king.distant_checks(Bitboard("g1"), Bitboard("f2 g2"))
        0

    Why:
        All escapes are on a line if no escape is off that line; four such tests make four bits. If there is no escape
        at all, all four tests succeed, and the sum is 15: so no case needs a branch. An escape is next to the king, so
        only the king's two neighbours on a line matter.

    Traps:
        The result shows that a check on the line would be dangerous. It does not show that the enemy has such a check,
        or that no piece can interpose.

    Slips:
        In C `==` binds before `&`: the published `pattern & rankBits[sq] == pattern`, in the form with branches and in
        the branchless form, compares first and then takes the last bit of the pattern, which is a1. It needs
        parentheses, `(pattern & rankBits[sq]) == pattern`; the SSE4 form works as if it had them. Python needs none.

    Names:
        dirSet, vulnerable on distant checks, back-rank weakness.

    Source:
        Chess Programming Wiki, "King Pattern" (vulnerable on distant checks, the branchless form).
    """
    rank, file = sideways(king), north(king) | south(king)
    diagonal, antidiagonal = north_east(king) | south_west(king), north_west(king) | south_east(king)
    escapes = (rank | file | diagonal | antidiagonal) & ~taboo
    lines = (
        np.uint64(escapes & ~rank == EMPTY)
        | np.uint64(escapes & ~file == EMPTY) << ONE
        | np.uint64(escapes & ~diagonal == EMPTY) << TWO
        | np.uint64(escapes & ~antidiagonal == EMPTY) << THREE
    )
    return lines * np.uint64(king != EMPTY)


@pattern
def mate_at_a_glance(king: Set, enemy: Set, own: Set, queen_moves: Set, protected: Set, defended: Set) -> Set:
    """Return the squares next to the enemy king from which one of our queens mates at once.

    The queen moves there legally, another piece of ours protects it there, and no enemy piece except the king attacks
    it; every other square next to the king has an enemy piece on it or is attacked, by the queen or by our other
    pieces. No piece can interpose, and no piece can take the queen: that is mate.

    Call it for each queen, with that queen lifted off the board before the attacks are computed, because the queen no
    longer blocks a line on its old square. If its new square blocks a line of ours, the queen itself attacks along that
    line. So every square returned is mate; some mates are missed (see the traps).

    Args:
        king: square of the enemy king, a set.
        enemy: squares of their pieces.
        own: squares of our pieces, without the queen.
        queen_moves: squares that the queen can legally move to, captures included.
        protected: squares that our other pieces attack, own pieces included, with queen and enemy king lifted.
        defended: squares that their pieces other than the king attack, own pieces included, with the queen lifted.
            Of all these sets only the squares next to the king matter.

    Example:
        Scholar's mate. The queen on h5 may take f7, where the bishop on c4 protects it:

        >>> enemy = Bitboard("a8 c8 d8 e8 f8 h8 a7 b7 c7 d7 f7 g7 h7 c6 f6 e5")
        >>> own = Bitboard("c4 e4 a2 b2 c2 d2 f2 g2 h2 a1 b1 c1 e1 g1 h1")
        >>> queen_moves, protected, defended = Bitboard("f7 h7 e5"), Bitboard("f7"), Bitboard("d7 e7 d8 f8")
        >>> print(king.mate_at_a_glance(Bitboard("e8"), enemy, own, queen_moves, protected, defended))
        . . . . . . . .
        . . . . . 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        The king cannot take a protected queen, so it must step away. A queen next to the king attacks every square
        around the king except squares a knight's move from the queen and squares behind a piece. Other pieces must
        cover such squares, or they must be blocked. The code does not test the holes around each square of the queen:
        for each hole it excludes the squares from which a queen does not cover the hole, which is the same relation.

    Traps:
        A pinned piece counts as a defender here: leave the squares that it cannot move to out of ``defended``, or mates
        are missed. A double check is also missed if an enemy piece attacks the queen. Whether the queen is pinned, or
        our king is in check, must be considered in ``queen_moves``. Squares behind the king count as attacked through
        the king; squares behind any other piece do not.

    Names:
        close queen mate.

    Source:
        Chess Programming Wiki, "Mate at a Glance" (close queen mate); the conditions after Birmingham and Kent.
    """
    ring = attacks(king)  # next to their king
    candidates = ring & queen_moves & protected & ~defended  # where it goes, is protected and not attacked
    # Squares that only the queen can deny the king. From a square of the ring the queen reaches every other square of
    # the ring, directly or through the king, except the squares a knight's move away, and the square two steps along
    # the same side of the ring if a piece stands between.
    holes = ring & ~enemy & ~protected  # squares that only the queen can deny the king
    between = ring & (enemy | own)
    beyond = east(east(holes) & between) | west(west(holes) & between)
    beyond |= north(north(holes) & between) | south(south(holes) & between)
    return candidates & ~(knight.attacks(holes) | beyond)  # from where it denies them all


# ------------------------------------------- the shelter of a king: its zone, the shield of pawns, open files beside it


THIRTEEN = np.uint64(13)
EIGHTEEN, SIXTY_FOUR = np.uint64(18), np.uint64(64)
EAST_WING, WEST_WING = np.uint64(0xE0E0), np.uint64(0x0707)  # files f–h and a–c of ranks 1 and 2
NEAR_ROW, FAR_ROW = np.uint64(0x07), np.uint64(0x38)  # the shield's nearer three squares, and the further three, packed
FIRST_OF_ROW, SECOND_OF_ROW, THIRD_OF_ROW = np.uint64(0x09), np.uint64(0x12), np.uint64(0x24)


@pattern
def zone(kings: Set) -> Set:
    """Return the king's zone: its square, all neighbours, and the three squares one more rank ahead.

    Args:
        kings: squares of the kings, a set.

    Example:
        >>> print(king.zone(Bitboard("g1")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1

    Why:
        The king and its neighbours fill three ranks; the same squares moved one rank ahead add the rank in front, where
        an attack begins.

    Traps:
        Ahead means up the board; for Black mirror the whole board, not only the result.

    Names:
        king zone.

    Source:
        Chess Programming Wiki, "King Safety" (attacking king zone).
    """
    near = grown(kings)  # the king and its neighbours
    return near | north(near)  # and one rank further ahead


@pattern
def shield_mask(king: Set) -> Set:
    """Return the six squares where pawns shield a king that stands on a wing, on one of the first two ranks.

    For a king on files f–h they are f2 g2 h2 f3 g3 h3, on files a–c a2 b2 c2 a3 b3 c3; elsewhere there is no shield.

    Args:
        king: square of the king, a set.

    Example:
        >>> print(king.shield_mask(Bitboard("g1")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . . . .

    Why:
        A wing is a set of three files; a king in it selects the six squares, and the two wings exclude each other.

    Traps:
        A king on rank 2 may stand on a square of its own shield.

    Names:
        pawn shield, pawn-shield pattern, pawnShieldMask, king shelter.

    Source:
        Chess Programming Wiki, "King Pattern" (pawn-shield pattern).
    """
    east = EAST_WING << EIGHT if king & EAST_WING != EMPTY else EMPTY
    west = WEST_WING << EIGHT if king & WEST_WING != EMPTY else EMPTY
    return east | west


@pattern
def shield_index(king: Set, own_pawns: Set) -> Count:
    """Return the pawns of a king's shield packed to a number from 0 to 63, or 64 if there is no shield.

    Bits 0 to 5 stand for f2 g2 h2 f3 g3 h3, and on the other wing for the mirror image, c2 b2 a2 c3 b3 a3: one table of
    65 entries serves both wings, and is indexed without a branch. The bit of each square:

        3  5 4 3 . . 3 4 5
        2  2 1 0 . . 0 1 2
        1  . . . . . . . .
           a b c d e f g h

    Args:
        king: square of the king, a set.
        own_pawns: squares of the pawns of the king's side.

    Example:
        >>> king.shield_index(Bitboard("g1"), Bitboard("a2 f2 g3 h2"))
        21
        >>> king.shield_index(Bitboard("b1"), Bitboard("c2 b3 a2 h2"))
        21
        >>> king.shield_index(Bitboard("e1"), Bitboard("f2 g3 h2"))
        64

    Why:
        The three files of a wing are next to each other, so a shift and a mask pack a row of the shield into three
        bits; on the west wing the outer bits of a row are exchanged, which mirrors the row. The patterns of six squares
        have the numbers from 0 to 63, so 64 is free.

    Traps:
        0 means a shield without pawns; 64 means that the king has left the wings or the first two ranks.

    Names:
        pawn shield index.

    Source:
        Chess Programming Wiki, "King Pattern" (pawn-shield pattern).
    """
    east = np.uint64((own_pawns >> THIRTEEN) & NEAR_ROW | (own_pawns >> EIGHTEEN) & FAR_ROW)
    west = np.uint64((own_pawns >> EIGHT) & NEAR_ROW | (own_pawns >> THIRTEEN) & FAR_ROW)
    west = (west & FIRST_OF_ROW) << TWO | west & SECOND_OF_ROW | (west & THIRD_OF_ROW) >> TWO
    elsewhere = west if king & WEST_WING != EMPTY else SIXTY_FOUR
    return east if king & EAST_WING != EMPTY else elsewhere


def shield_value(index: ArrayLike, table: ArrayLike) -> Any:
    """Return the values for shields from a user's table: ``table[index]``, after a check of both arguments.

    Args:
        index: a number from 0 to 64 or an array of such numbers, as `shield_index` returns them.
        table: 65 numbers, the last one for "no shield".

    Returns:
        A Python number for one index; for an array of indices an array of its shape and of the table's type.

    Raises:
        TypeError: for an index that is not an integer, or a table that does not hold numbers.
        ValueError: for a table whose length is not 65, or an index above 64 or below 0.

    Example:
        >>> pawns_left = [pattern.bit_count() for pattern in range(64)] + [-1]
        >>> king.shield_value(king.shield_index(Bitboard("g1"), Bitboard("f2 g3 h2")), pawns_left)
        3
        >>> king.shield_value(np.array([0, 63, 64]), pawns_left)
        array([ 0,  6, -1])
    """
    values = np.asarray(table)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"the table holds numbers, not {values.dtype}")
    if values.shape != (65,):
        raise ValueError(f"a table of shields has 65 entries, the last for none; this one's shape is {values.shape}")
    if np.ndim(index) == 0:
        number = operator.index(index)  # type: ignore[arg-type]
        if not 0 <= number <= 64:
            raise ValueError(f"the index of a shield is 0 to 64, not {number}")
        return values[number].item()
    indices = np.asarray(index)
    if indices.dtype.kind not in "ui":
        raise TypeError(f"indices of shields are integers, not {indices.dtype}")
    if indices.size and not 0 <= indices.min() <= indices.max() <= 64:
        raise ValueError(f"indices of shields are 0 to 64; these are {indices.min()} to {indices.max()}")
    return values[indices]


@pattern
def open_files(king: Set, pawns: Set) -> Set:
    """Return all squares of the open files at a king or next to it: no pawn of either side stands on them.

    Args:
        king: square of the king, a set.
        pawns: squares of all pawns of both sides.

    Example:
        >>> king.open_files(Bitboard("g1"), Bitboard("f2 a2 a7 f7 h7"))
        Bitboard('g1 g2 g3 g4 g5 g6 g7 g8')

    Why:
        The fill of the king and its neighbours on the rank has the files at the king; the fill of all pawns has the
        files that are not open.

    Names:
        open files at the king.

    Source:
        Chess Programming Wiki, "King Safety", "Open File".
    """
    return file_fill(king | sideways(king)) & ~file_fill(pawns)


@pattern
def half_open_files(king: Set, own_pawns: Set) -> Set:
    """Return all squares of the files at a king or next to it on which its side has no pawn.

    Args:
        king: square of the king, a set.
        own_pawns: squares of the pawns of the king's side.

    Example:
        >>> print(king.half_open_files(Bitboard("g1"), Bitboard("f2 a2")))
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1

    Why:
        As in `open_files`, with only the own pawns.

    Traps:
        An open file has no own pawns either, so it is included, unlike in `pawns.half_open_files`; remove `open_files`
        for a strict result.

    Names:
        half-open files at the king, semi-open files.

    Source:
        Chess Programming Wiki, "King Safety", "Half-open File".
    """
    return file_fill(king | sideways(king)) & ~file_fill(own_pawns)
