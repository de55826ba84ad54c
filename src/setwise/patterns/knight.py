"""Knight patterns: attacks and walks, forks, and the hunt for a passed pawn.

For an array of sets, several words are computed at a time, as many as a vector of the processor has: four with AVX2,
for which the wiki has a form written by hand, eight with AVX-512. A knight's tour, in which a knight visits every
square once, is a way from square to square along ``ATTACKS``.

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
        A jump goes one file to the side and two ranks up or down, or two files to the side and one rank up or down.
        Only the steps to the side need masks. East and west are united first, then moved up and down together, where
        bits that leave the board fall off the word.

    Traps:
        The union does not show which knight attacks a square; the eight steps of `setwise.compass` are separate sets.

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
    """How many moves knights have to allowed squares: in one direction at most one knight reaches each square."""
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

    This is one cycle of a fill; six cycles cover the board from any corner.

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
        In at most one move, knights reach the squares where they stand and the squares that they attack.

    Names:
        knightFill.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight fill).
    """
    return knights | attacks(knights)


class _Reach(Pattern):
    """A pattern whose last argument, a set, may be left out."""

    def __call__(  # type: ignore[override]
        self, knights: Any, moves: Any, avoid: Any = 0, *, out: np.ndarray | None = None
    ) -> Any:
        return super().__call__(knights, moves, avoid, out=out)


@_Reach
def reach(knights: Set, moves: Count, avoid: Set) -> Set:
    """Return the squares that knights reach within a number of moves without landing on squares to avoid.

    Args:
        knights: squares of the knights, a set; the result includes them, and they may be squares to avoid.
        moves: the largest number of moves.
        avoid: squares not to land on; by default none.

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
        After n rounds the set has exactly the squares that a knight reaches in at most n moves. Squares to avoid are
        removed from each jump, so no later jump starts there. A round that adds nothing is the last round.

    Traps:
        The result is for at most this number of moves, not for exactly this number: a knight cannot lose a move, since
        each move changes the colour of its square.

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
        Each round replaces the squares by all squares that they attack, so the number of moves is exact.

    Traps:
        Each move changes the colour of the square: knights on squares of one colour end on squares of one colour.
        For at most this number of moves use `reach`.

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
        After n fills the set has all squares within n moves. No two squares are more than six moves apart, so six
        rounds are enough; the distance is the number of rounds in which the sets have not met yet.

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

    Attacks go both ways: these are the squares that at least two of the targets would attack if the targets were
    knights. They are found without a loop or a branch.

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
        A knight attacks a target from exactly the squares that a knight on the target would attack. So each of the
        eight jumps of the target set has the squares that see a target in one direction, and a square in two of these
        sets sees two targets. The eight sets make four groups, by the number of ranks that a jump goes up or down; a
        square is a fork if it is in both sets of a group, or in two groups.

    Traps:
        The result may include the square of a target, and squares where the knight is lost: see `forks`.

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
    """Return the squares that one of our knights can jump to now, and from which it forks two or more targets.

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
        The knight must reach the square with its next move, no piece of ours may stand there, and the cheap enemy
        pieces, pawns and knights, must not be able to take the knight. Each condition is a set, and all must hold.

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
        # A knight on the stop square blocks the pawn for one move, and must then leave.
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

    Nothing else is on the board, and both sides must move their only piece. The pawn pushes by one step or, from rank
    2, by two, if those squares are empty; it takes the knight if it can; if a knight in front blocks it, it waits. The
    knight must move at each turn, so it cannot block the pawn for long. Answers are exact: they agree with the solved
    game for every knight, every pawn and both sides to move.

    Args:
        knight: square of the knight, a set; if there are several knights, each hunts alone.
        pawn: square of the pawn, a set of one square on ranks 2 to 7, or on rank 8 if the pawn has just promoted. Of
            several pawns the lowest counts; there are no pawns on rank 1.
        knight_to_move: whether the knight moves next; otherwise the pawn does.

    Example:
        >>> knight.catches(Bitboard("c4"), Bitboard("h6"), True)
        True
        >>> knight.catches(Bitboard("d4"), Bitboard("h6"), True)
        False
        >>> knight.catches(Bitboard("c4"), Bitboard("h6"), False)
        False

    Why:
        The game is solved backwards from promotion, for all knights at once. If the knight is to move, it catches the
        pawn if some jump leads to a position where the pawn is caught; if the pawn is to move, it is caught if each of
        its moves leads to such a position. The answer for each pawn and side to move is a set of squares of the knight,
        so one lookup decides.

    Traps:
        A knight cannot lose a move: from d4, which is nearer, it arrives a move too early or too late. Kings could lose
        a move, but there are no kings here.

    Names:
        knight catches passer, knight against pawn, knight versus pawn.

    Source:
        Chess Programming Wiki, "Knight Pattern"; solved by retrograde analysis.
    """
    return np.uint64(CATCHES[knight_to_move, lowest(pawn) & SIXTY_THREE] & knight != EMPTY)
