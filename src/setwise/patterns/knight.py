"""Knight patterns: attacks and walks, forks, and the hunt for a passed pawn.

For an array of sets several words are computed at a time, as many as the processor's vectors hold: four with AVX2, for
which the wiki has a form written by hand, eight with AVX-512. A knight's tour, on which a knight visits every square
once, is a way along ``ATTACKS`` from square to square.

Source: Chess Programming Wiki, "Knight Pattern", "AVX2 Knight Attacks", "Knight-Distance", "Greater One Sets" in
"General Setwise Operations".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Count, Flag, Pattern, Set, Steps, pattern, popcount, routine
from setwise.patterns.bits import EIGHT, EMPTY, NOT_FILES_AB, NOT_FILES_GH, ONE, SIX, SIXTEEN, TWO, ZERO, lowest
from setwise.patterns.compass import (
    east,
    no_ea_ea,
    no_no_ea,
    no_no_we,
    no_we_we,
    sideways,
    so_ea_ea,
    so_so_ea,
    so_so_we,
    so_we_we,
    west,
)
from setwise.patterns.fills import NO_WAY
from setwise.patterns.geometry import SQUARES

__all__ = ["ATTACKS", "CATCHES", "after", "attacks", "catches", "distance", "fill", "fork_targets", "forks", "reach"]


# ------------------------------------------------ where knights attack and walk, and how far squares are apart for them


@pattern
def attacks(knights: Set) -> Set:
    """Return the squares that knights attack, of any number of knights.

    Args:
        knights: squares of the knights, a set.

    Example:
        >>> print(knight.attacks(Bitboard("d4")))
        . . . . . . . .
        . . . . . . . .
        . . 1 . 1 . . .
        . 1 . . . 1 . .
        . . . . . . . .
        . 1 . . . 1 . .
        . . 1 . 1 . . .
        . . . . . . . .

    Why:
        A jump goes one file aside and two ranks away, or two files aside and one rank away. Only the way aside needs
        masks. East and west are united first, and then moved up and down together, where what leaves the board falls
        off the word.

    Traps:
        Which knight attacks a square is lost in the union; the eight steps of `setwise.compass` keep them apart.

    Names:
        knightAttacks, multiple knight attacks.

    Source:
        Chess Programming Wiki, "Knight Pattern" (multiple knight attacks, the form with four masked shifts).
    """
    near = sideways(knights)  # one file aside
    far = (knights >> TWO) & NOT_FILES_GH | (knights << TWO) & NOT_FILES_AB  # two files aside
    return near << SIXTEEN | near >> SIXTEEN | far << EIGHT | far >> EIGHT  # and two ranks away, or one


#: ``ATTACKS[square]``: the squares that a knight attacks from there.
ATTACKS: np.ndarray = attacks.plain(SQUARES)
ATTACKS.flags.writeable = False


@routine
def knight_move_count(knights: Set, allowed: Set) -> Count:
    """How many moves knights have to the squares allowed: in one direction each is reached by one of them at most."""
    return (
        popcount(no_no_ea(knights) & allowed)
        + popcount(no_ea_ea(knights) & allowed)
        + popcount(so_ea_ea(knights) & allowed)
        + popcount(so_so_ea(knights) & allowed)
        + popcount(so_so_we(knights) & allowed)
        + popcount(so_we_we(knights) & allowed)
        + popcount(no_we_we(knights) & allowed)
        + popcount(no_no_we(knights) & allowed)
    )


@pattern
def fill(knights: Set) -> Set:
    """Return the squares that knights reach in at most one move: their attacks and their own squares.

    One cycle of a fill; six of them cover the board from any corner.

    Args:
        knights: squares of the knights, a set.

    Example:
        >>> print(knight.fill(knight.fill(Bitboard("a1"))))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 . 1 . . . . .
        . 1 . 1 . . . .
        1 1 . . 1 . . .
        . . 1 1 . . . .
        1 . 1 . 1 . . .

    Why:
        What knights reach in one move at most is where they stand and where they jump.

    Names:
        knightFill.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight fill).
    """
    return knights | attacks(knights)


class _Reach(Pattern):
    """A pattern whose last argument may be left out."""

    def __call__(  # type: ignore[override]
        self, knights: Any, moves: Any, avoid: Any = 0, *, out: np.ndarray | None = None
    ) -> Any:
        return super().__call__(knights, moves, avoid, out=out)


@_Reach
def reach(knights: Set, moves: Count, avoid: Set) -> Set:
    """Return the squares that knights reach within a number of moves without landing on squares to avoid.

    Args:
        knights: squares of the knights, a set; they belong to the answer, and may start on squares to avoid.
        moves: the largest number of moves.
        avoid: squares not to land on, none of them unless given.

    Example:
        From a corner six moves reach every square, five all but the far corner:

        >>> bits.count(knight.reach(Bitboard("a1"), 6))
        64
        >>> ~knight.reach(Bitboard("a1"), 5)
        Bitboard('h8')

        Two moves, with c2 guarded:

        >>> print(knight.reach(Bitboard("a1"), 2, Bitboard("c2")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 . 1 . . . . .
        . . . 1 . . . .
        . 1 . . . . . .
        . . . 1 . . . .
        1 . 1 . . . . .

    Why:
        After n rounds exactly the squares are held that a knight reaches in at most n moves. Squares to avoid are taken
        out of each jump, so that nothing beyond them is reached over them. A round that adds nothing is the last one.

    Traps:
        In at most so many moves, not in exactly so many: a knight cannot lose a move, and changes the colour of its
        square with each.

    Names:
        knight reach.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    reached = knights
    before: Set = EMPTY
    while moves != EMPTY and reached != before:
        before = reached
        reached = reached | attacks(reached) & ~avoid  # one move more
        moves -= ONE
    return reached


@pattern
def after(knights: Set, moves: Count) -> Set:
    """Return the squares where knights can be after an exact number of moves on an empty board.

    Args:
        knights: squares of the knights, a set.
        moves: the number of moves.

    Example:
        >>> print(knight.after(Bitboard("a1"), 2))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 . 1 . . . . .
        . 1 . 1 . . . .
        1 . . . 1 . . .
        . . . 1 . . . .
        1 . 1 . 1 . . .

    Why:
        Each round replaces the squares by all that they attack, so that the number of moves is exact.

    Traps:
        Each move changes the colour of the square: knights on squares of one colour end on squares of one colour.
        In at most so many moves is `reach`.

    Names:
        exactly n moves.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    reached = knights
    while moves != EMPTY:
        reached = attacks(reached)  # the next move
        moves -= ONE
    return reached


@pattern
def distance(a: Set, b: Set) -> Steps:
    """Return how many moves a knight needs from one set to another on an empty board: 0 to 6, -1 if a set is empty.

    Args:
        a: squares at one end.
        b: squares at the other end; the nearest two squares count.

    Example:
        >>> knight.distance(Bitboard("a1"), Bitboard("h8"))
        6
        >>> knight.distance(Bitboard("d4"), Bitboard("d5"))
        3
        >>> knight.distance(Bitboard("a1"), Bitboard("b2"))
        4

    Why:
        After n fills the set holds all squares within n moves. No two squares are further apart than six, so six rounds
        are enough, and the rounds in which the sets have not met yet are counted.

    Traps:
        The formula for a board without edges is wrong in the corners: a1 to b2 takes four moves, not two.

    Names:
        Knight-Distance, square_knight_distance.

    Source:
        Chess Programming Wiki, "Knight-Distance".
    """
    moves = ZERO
    for _ in range(SIX):
        moves += np.uint64(a & b == EMPTY)
        a = a | attacks(a)
    return moves if a & b != EMPTY else NO_WAY


# -------------------------------------------------------------- squares from which a knight attacks two targets at once


@pattern
def fork_targets(targets: Set) -> Set:
    """Return the squares from which a knight attacks two or more of the targets.

    Attacks go both ways: these are the squares that at least two of the targets would attack, were they knights, found
    without a loop or a branch.

    Args:
        targets: squares worth attacking, a set.

    Example:
        A king on e8, rooks on a8 and h8, a pawn on d5; c7 hits three of them:

        >>> print(knight.fork_targets(Bitboard("e8 a8 h8 d5")))
        . . . . . . . .
        . . 1 . . . . .
        . 1 . . . 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        A knight attacks a target exactly from where a knight on the target would attack it. So eight jumps of the
        target set hold the squares that see a target in each of the eight directions, and a square in two of them sees
        two targets. The eight are taken in four groups, by the ranks that a jump goes up or down; a square is a fork
        where both jumps of a group meet, or two groups do.

    Traps:
        A target's own square may be among them, and so may squares where the knight is lost: see `forks`.

    Names:
        forkTargetSquare, fork target squares, knight forks.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks), "General Setwise Operations" (greater one sets).
    """
    east_east, west_west = (targets << TWO) & NOT_FILES_AB, (targets >> TWO) & NOT_FILES_GH
    near, near_twice = sideways(targets), east(targets) & west(targets)
    far, far_twice = east_east | west_west, east_east & west_west

    upper, lower = near << SIXTEEN, near >> SIXTEEN
    high, low = far << EIGHT, far >> EIGHT
    twice = near_twice << SIXTEEN | near_twice >> SIXTEEN | far_twice << EIGHT | far_twice >> EIGHT
    return twice | upper & lower | high & low | (upper | lower) & (high | low)


@pattern
def forks(own_knights: Set, own: Set, targets: Set, enemy_pawn_attacks: Set, enemy_knight_attacks: Set) -> Set:
    """Return the squares that one of our knights can jump to at once and fork two or more targets from.

    Squares of our own pieces do not count, nor do squares that enemy pawns or knights attack.

    Args:
        own_knights: squares of our knights.
        own: squares of all our pieces.
        targets: squares of the enemy pieces worth forking.
        enemy_pawn_attacks: squares that enemy pawns attack.
        enemy_knight_attacks: squares that enemy knights attack.

    Example:
        >>> knights, targets = Bitboard("b5 e4"), Bitboard("a8 e8 h8")
        >>> knight.forks(knights, knights, targets, pawns.attacks(Bitboard(0)), Bitboard(0))
        Bitboard('c7')

    Why:
        A fork must be reached now, on a square without a piece of ours; and the cheap enemies, pawns and knights, must
        not take the knight. Each condition is a set, and all must hold.

    Traps:
        Pins of the knight are ignored, and so are enemy pieces other than pawns and knights that could take it.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks).
    """
    return fork_targets(targets) & attacks(own_knights) & ~(own | enemy_pawn_attacks | enemy_knight_attacks)


# --------------------------------------------- whether a lone knight catches a passed pawn: the solved game, as a table


SIXTY_THREE = np.uint64(63)


def _catches() -> np.ndarray:
    """Solve the game backwards, rank by rank: all files and all squares of the knight at once."""
    pawn_moves, knight_moves = np.zeros((2, 8, 8), np.uint64)  # by rank and file of the pawn
    pawns = SQUARES.reshape(8, 8)
    knight_moves[7] = ATTACKS[56:]  # the promoted piece is taken at once, or never
    for rank in range(6, 0, -1):
        pawn, stop = pawns[rank], pawns[rank + 1]
        takes = east.plain(stop) | west.plain(stop)
        caught = knight_moves[rank + 1]
        if rank == 1:
            caught = caught & (knight_moves[3] | pawns[3])  # on rank 4 the knight forbids the double step
        free = caught & ~takes & ~pawn
        # A knight on the stop square holds the pawn up for one move, and must then leave.
        blocks = np.where(ATTACKS.reshape(8, 8)[rank + 1] & free != EMPTY, stop, EMPTY)
        pawn_moves[rank] = free | blocks
        knight_moves[rank] = attacks.plain(pawn | pawn_moves[rank]) & ~pawn
    return np.array([pawn_moves.reshape(64), knight_moves.reshape(64)])


#: ``CATCHES[knight_to_move][square of the pawn]``: the squares from which a knight catches that pawn (see `catches`).
CATCHES = _catches()
CATCHES.flags.writeable = False


@pattern
def catches(knight: Set, pawn: Set, knight_to_move: Flag) -> Flag:
    """Return whether a lone knight captures a pawn that runs north, or the promoted piece before that piece can move.

    Nothing else is on the board, and both sides must move what they have. The pawn pushes by one step or, from rank 2,
    by two, if those squares are empty; it takes the knight where it can; held up by a knight in front of it, it waits.
    The knight moves each time, so it cannot hold the pawn up for long. Answers are exact: they agree with the solved
    game for every knight, every pawn and both sides to move.

    Args:
        knight: square of the knight, a set; of several knights each hunts alone.
        pawn: square of the pawn, a set of one square on ranks 2 to 7, or on rank 8 where it has just promoted. The
            lowest counts if there are more; there are no pawns on rank 1.
        knight_to_move: whether the knight moves next; otherwise the pawn does.

    Example:
        >>> knight.catches(Bitboard("c4"), Bitboard("h6"), True)
        True
        >>> knight.catches(Bitboard("d4"), Bitboard("h6"), True)
        False
        >>> knight.catches(Bitboard("c4"), Bitboard("h6"), False)
        False

    Why:
        The game is solved backwards from promotion, all knights at once: with the knight to move it catches from where
        a jump leads to a caught position; with the pawn to move, only if each move of the pawn leads to one. The answer
        for each pawn and side to move is a set of squares of the knight, and one lookup decides.

    Traps:
        A knight cannot lose a move: from d4, which is nearer, it arrives a move too early or too late. Kings, which can
        lose a move, are left out.

    Names:
        knight catches passer, knight against pawn, knight versus pawn.

    Source:
        Chess Programming Wiki, "Knight Pattern"; solved by retrograde analysis.
    """
    return np.uint64(CATCHES[knight_to_move, lowest(pawn) & SIXTY_THREE] & knight != EMPTY)
