"""Races between a king and passed pawns, and walks of a king.

The pawns run up the board, and the king is the enemy king: the set-wise rule of the square, seen from the king's side.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, Steps, pattern
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    ONE,
    PAWN_RANKS,
    RANK_2,
    RANK_8,
    SIXTEEN,
    THIRTY_TWO,
    lowest,
    only_lowest,
)
from setwise.patterns.compass import grown, sideways, south
from setwise.patterns.fills import shortest_path_length, south_fill
from setwise.patterns.geometry import SQUARES
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.pawns import attacks as pawn_attacks

__all__ = ["CATCHABLE", "CATCHES_BOTH", "catchable", "escorted", "king_path", "two", "unstoppable"]

A8, H8, FIFTEEN, SEVENTEEN = ONE << np.uint64(56), ONE << np.uint64(63), np.uint64(15), np.uint64(17)
BELOW_RANK_8, BELOW_RANK_7, BELOW_RANK_6, BELOW_RANK_5, BELOW_RANK_4 = (ALL >> np.uint64(8 * n) for n in range(1, 6))


@pattern
def catchable(king: Set, king_to_move: Flag) -> Set:
    """Return the squares of ranks 2 to 7 where a pawn running up the board is caught by the enemy king.

    The pawn and this king are alone: the pawn's own king is off the board. The pawn must push if it can, by one step
    or, from rank 2, by two; no piece is in its way except the king. The pawn is caught if the king captures it, or if
    the king's next move captures the piece that it promotes to. The king's own square counts as caught; if there are
    several kings, each acts alone. Answers are exact: they agree with the solved game for every king, pawn and side to
    move.

    A pawn on rank r needs 8 - r pushes to promote; a pawn on rank 2 needs as many as a pawn on rank 3. If the pawn
    moves first, the king makes the same number of moves, the last to the promotion square: so it must stand on rank r
    or above, at most 8 - r files away. If the king moves first, it may be one rank and one file further away, and it
    takes a pawn next to it.

    Args:
        king: square of the enemy king, a set.
        king_to_move: whether the king moves next; otherwise the pawn does.

    Example:
        >>> print(race.catchable(Bitboard("g5"), False))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 1 1 1 1
        . . 1 1 1 1 1 1
        . 1 1 1 1 1 1 1
        . 1 1 1 1 1 1 1
        . . . . . . . .
        >>> print(race.catchable(Bitboard("g5"), True))
        . . . . . . . .
        . . . . . . . .
        . . . 1 1 1 1 1
        . . 1 1 1 1 1 1
        . 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1
        . . . . . . . .

    Why:
        If a pawn needs n more pushes, the king has n moves, the last to the promotion square: the king may be at most n
        files away, and must not be behind the pawn, because ranks cost moves, too. So the number of files within reach
        grows by one with each rank down: this is the square whose corners are the pawn and its promotion square. The
        squares of all pawns are computed at once: the king's set grows file by file and rank by rank.

    Traps:
        Because of the double step, a pawn on rank 2 is as fast as a pawn on rank 3. Each pawn is judged alone: the
        pattern is not about two pawns far apart, or a pawn that its own king supports.

    Slips:
        The published fill is wrong for 54 pairs of king and pawn with the pawn to move: both stand on rank 2, and the
        pawn escapes by the double step. The case of the king to move, and the other colour, are left to the reader;
        here both are in `CATCHABLE`.

    Names:
        caughtable, rule of the square, square of the pawn, set-wise rule of the square, pawn square.

    Source:
        Chess Programming Wiki, "King Pattern", its set-wise rule of the square; solved anew.
    """
    reached = king | grown(king) & (EMPTY - king_to_move)  # where the king is when the pawn starts
    area = reached | south(reached)
    area = area | area >> SIXTEEN
    area = area | area >> THIRTY_TWO  # and all ranks below: it may be ahead of the pawn
    area = area | sideways(area) & BELOW_RANK_8  # below rank 8: a push to go, one file wider
    area = area | sideways(area) & BELOW_RANK_7  # below rank 7: a second push, another file
    area = area | sideways(area) & BELOW_RANK_6  # below rank 6: a third
    area = area | sideways(area) & BELOW_RANK_5  # below rank 5: a fourth
    area = area | sideways(area) & BELOW_RANK_4  # below rank 4: a fifth
    doubles = south(area) & RANK_2  # the double step makes rank 2 worth rank 3
    return (area & ~RANK_2 | doubles | reached) & PAWN_RANKS  # where pawns can stand


def _tables() -> np.ndarray:
    pawn_moves, king_moves = catchable.plain(SQUARES, np.array([[0], [1]], np.uint64))
    mirrored = np.arange(64) ^ 56
    white_king = king_moves[mirrored].byteswap(), pawn_moves[mirrored].byteswap()
    return np.array([white_king, (pawn_moves, king_moves)])


#: ``CATCHABLE[colour of king][side to move][square of king]``, where White is 0 and Black 1: the squares where a pawn
#: of the other side is caught. A black king chases pawns that run up, a white king pawns that run down: the black
#: king cannot catch ``white_passers & ~CATCHABLE[1][0][square]`` when White moves next.
CATCHABLE = _tables()
CATCHABLE.flags.writeable = False


@pattern
def unstoppable(passers: Set, king: Set, king_to_move: Flag) -> Set:
    """Return the passed pawns that the enemy king cannot catch.

    Args:
        passers: squares of our passed pawns with a free path, a set (see `setwise.pawns.passed_free`).
        king: square of the enemy king, a set.
        king_to_move: whether the king moves next; otherwise one of the pawns does.

    Example:
        >>> race.unstoppable(Bitboard("a3 b3 d6"), Bitboard("g5"), False)
        Bitboard('a3 d6')

    Why:
        These are the passers outside the squares where the king catches a pawn.

    Traps:
        Only this king chases the pawns: other enemy pieces, or faster enemy pawns, are ignored. Each pawn is judged as
        if it made the next move; if two pawns need that move, one of them can be caught.

    Names:
        unCaughtable, unstoppable passer, running pawn.

    Source:
        Chess Programming Wiki, "King Pattern" and "Rule of the Square".
    """
    return passers & ~catchable(king, king_to_move)


def _catches_both() -> np.ndarray:
    """Solve the game of a king against two pawns backwards, one more move in each round, for all pairs at once.

    The squares of the king are a set, so one word has 64 games: the king can move to a good square from all squares
    that a king on the good squares attacks.
    """
    pawn, other = SQUARES[:, None], SQUARES
    both, stop, telestop = pawn | other, pawn << EIGHT, (pawn & RANK_2) << SIXTEEN
    of_one = [[np.bitwise_or.reduce(SQUARES[(area & pawn) != EMPTY]) for pawn in SQUARES] for area in CATCHABLE[1]]
    alone = np.array(of_one)
    after_taking = [pawn & caught | other & caught[:, None] for caught in alone]
    guarded = pawn_attacks.plain(both)
    # The squares where a king stops a pawn from pushing by one step, and by two; all squares if the other pawn does.
    blocks = np.where(stop == other, ALL, stop)
    blocks_twice = np.where((telestop == EMPTY) | (stop == other) | (telestop == other), ALL, stop | telestop)
    frozen = blocks & blocks.T
    # A pawn that has promoted must be taken at once, and the king must then catch the other pawn.
    takes = pawn & RANK_8 & alone[0] & ~pawn_attacks.plain(other)
    promoted = king_attacks.plain(takes | takes.T)

    king_moves, before = promoted, np.zeros_like(promoted)
    while not np.array_equal(king_moves, before):
        before = king_moves
        pushed = (np.roll(before, -8, 0) | blocks) & (np.roll(before, -16, 0) | blocks_twice)
        pawn_moves = (pushed & pushed.T & ~frozen | before & frozen) & ~both | after_taking[0]
        king_moves = king_attacks.plain(pawn_moves & ~guarded) & ~both | after_taking[1]
        king_moves = np.where(both & RANK_8, promoted, king_moves)
    solved = np.where(pawn == other, alone[:, None], np.array([pawn_moves, king_moves]))
    return np.where(both & ~PAWN_RANKS, EMPTY, solved)


#: ``CATCHES_BOTH[king_to_move][square of one pawn][of another]``: the squares from which the enemy king catches both
#: (see `two`). With the same pawn twice, these are the squares from which the king catches this one pawn.
CATCHES_BOTH = _catches_both()
CATCHES_BOTH.flags.writeable = False


@pattern
def two(passers: Set, king: Set, king_to_move: Flag) -> Set:
    """Return the passed pawns that are in a pair of which the enemy king cannot catch both.

    The king and the two pawns are alone, as in `catchable`; one of the pawns must push if it can. The king succeeds if
    it captures both; a pawn that has promoted must be taken at once. Of a pair in the result, the king may still stop
    one pawn. Answers are exact: they agree with the solved game for every king, every pair and both sides to move.

    Args:
        passers: squares of our passed pawns with a free path, a set (see `setwise.pawns.passed_free`).
        king: square of the enemy king, a set; if there are several kings, each chases alone.
        king_to_move: whether the king moves next; otherwise one of the pawns does.

    Example:
        From d5 the king catches either pawn if it is alone, but not both:

        >>> race.unstoppable(Bitboard("a4 h4"), Bitboard("d5"), False)
        Bitboard('')
        >>> race.two(Bitboard("a4 h4"), Bitboard("d5"), False)
        Bitboard('a4 h4')

        If the pawns are nearer together, there are squares from which the king catches both:

        >>> print(Bitboard(race.CATCHES_BOTH[0, 26, 29]))  # c4 and f4
        . . . . . . . .
        . . 1 1 1 1 . .
        . . 1 1 1 1 . .
        . . 1 1 1 1 . .
        . . 1 1 1 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        There are finitely many positions of a king and two pawns. From the end of the game backwards, `CATCHES_BOTH`
        marks the squares from which some move of the king, or every push of the pawns, leads to squares that are
        already marked. A pair is returned if the king is not on a square that is marked for this pair.

    Traps:
        A pawn that the king cannot catch makes such a pair with every other pawn, even with a pawn that the king takes
        at once: for positions use the feature `unstoppable_passers`. The pawns' own king, which may wait or help, is
        ignored. Without the enemy king any two pawns make a pair; pawns on the first and the last rank never do.

    Names:
        two distant passers.

    Source:
        Chess Programming Wiki, "King Pattern", whose rule of the square names two distant passers as what it leaves
        out; solved by retrograde analysis.
    """
    pairs, rest = EMPTY, passers & PAWN_RANKS
    while rest != EMPTY:
        pawn = only_lowest(rest)
        rest ^= pawn
        others = rest
        while others != EMPTY:
            other = only_lowest(others)
            others ^= other
            if CATCHES_BOTH[king_to_move, lowest(pawn), lowest(other)] & king == EMPTY:
                pairs |= pawn | other
    return pairs


@pattern
def escorted(passers: Set, own_king: Set, king: Set, king_to_move: Flag) -> Set:
    """Return the passed pawns that promote with the help of their own king, against a lone king.

    Our king attacks every square of the pawn's way, now or after its next move: the enemy king can neither enter these
    squares nor take the pawn on them. Our king may be in front of the pawn and step off the file. Until then the enemy
    king cannot reach the pawn, or the pawn is protected.

    Args:
        passers: squares of our passed pawns with no piece on their way except kings, a set.
        own_king: square of our king, a set.
        king: square of the enemy king, a set.
        king_to_move: whether the enemy king moves next; otherwise we do.

    Example:
        >>> race.escorted(Bitboard("e7"), Bitboard("e8"), Bitboard("a2"), False)
        Bitboard('e7')
        >>> race.escorted(Bitboard("e5 h6"), Bitboard("e7"), Bitboard("e3"), False)
        Bitboard('e5')
        >>> race.escorted(Bitboard("e5"), Bitboard("d7"), Bitboard("e3"), True)
        Bitboard('e5')

    Why:
        A king that attacks every square of the pawn's way keeps the enemy king off all these squares, and guards the
        pawn on each of them: the enemy king can do nothing. This is tested for the present square of our king and for
        each of its safe steps.

    Traps:
        The result is never wrong, but it is not complete: wins in which our king must first make two moves, or take the
        opposition, are missed. A pawn on b6 can stalemate a king on a8, and a pawn on g6 a king on h8: such pawns are
        left out. If the kings are next to each other, or one side has no king or several kings, the result means
        nothing. Pawns on the first and the last rank are never escorted.

    Names:
        supported passer, king and pawn against king, KPK, key squares.

    Source:
        Chess Programming Wiki, "KPK"; judged by the exact game of king and pawn against king.
    """
    first = EMPTY - king_to_move
    there = king | grown(king) & first
    near = there | grown(there)
    attacked = grown(own_king) & ~own_king
    stalemates = (king & A8) >> FIFTEEN | (king & H8) >> SEVENTEEN
    safe = passers & PAWN_RANKS & ~(stalemates | grown(king) & first & ~attacked)
    escorted_pawns = safe & ~south_fill(south(~attacked | king))
    steps = attacked & ~(near | passers)
    while steps != EMPTY:
        step = only_lowest(steps)
        steps ^= step
        attacked = grown(step) & ~step
        escorted_pawns |= safe & ~south_fill(south(~attacked)) & (attacked | ~near)
    return escorted_pawns


@pattern
def king_path(king: Set, target: Set, taboo: Set) -> Steps:
    """Return how many moves the king needs to walk to a target square without entering taboo squares; -1 if it cannot.

    Args:
        king: square of the king, a set; of several kings the nearest counts.
        target: squares to go to, a set; a king that stands on such a square needs 0 moves.
        taboo: squares the king must not step on (because they are occupied or attacked), a set; it may start on one.

    Example:
        >>> race.king_path(Bitboard("e1"), Bitboard("e8"), Bitboard("b4 c4 d4 e4 f4 g4 h4"))
        8
        >>> race.king_path(Bitboard("e1"), Bitboard("e8"), Bitboard("a4 b4 c4 d4 e4 f4 g4 h4"))
        -1

    Why:
        The path is the board without the taboo squares, with the king's own square added in any case. The answer is the
        length of the shortest way on this path.

    Traps:
        A target that is taboo is out of reach. No other piece moves while the king walks.

    Names:
        king walk, king path.

    Source:
        Chess Programming Wiki, "King Pattern", its flood fill.
    """
    return shortest_path_length(king, target, ~taboo | king)
