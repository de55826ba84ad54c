"""Open and passed pawns: no enemy pawn is in their way."""

from __future__ import annotations

from setwise.compiler import Set, pattern
from setwise.patterns.bits import PAWN_RANKS
from setwise.patterns.compass.steps import sideways
from setwise.patterns.fills import file_fill
from setwise.patterns.pawns.spans import enemy_front_spans, rear_span


@pattern
def open_pawns(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the open pawns: those with no enemy pawn ahead on their file.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.open_pawns(Bitboard("b4 e5 g2"), Bitboard("b3 c7 g6"))
        Bitboard('b4 e5')

    Why:
        An enemy pawn moves south and stands in the way of every pawn on a square south of it on its file. These squares
        are its front span, and a pawn of ours outside the front spans of all enemy pawns is open.

    Traps:
        An enemy pawn that has gone past on the same file (b3 here) does not close it. Own pawns ahead do not either.

    Names:
        open pawn, wOpenPawns.

    Source:
        Chess Programming Wiki, "Open Pawns (Bitboards)".
    """
    return pawns & ~enemy_front_spans(enemy_pawns)


@pattern
def passed(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the passed pawns: no enemy pawn is ahead of them on their own file or the files beside it.

    On the first and the last rank, where no pawn can stand, none is passed.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.passed(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"))
        Bitboard('a2 a4 g5')

    Why:
        An enemy pawn guards all squares ahead of it, as it sees the board, on its own file by standing there and on the
        files beside by capturing. A pawn of ours on none of these squares can be neither stopped by a pawn nor taken by
        one, except en passant right after a double step.

    Traps:
        Enemy pawns of the same rank or behind do not matter. This is the wiki's definition, which looks at enemy pawns
        alone: both pawns of a doubled pair may be passed. For the foremost of each file only, as many engines have
        it, see `passed_foremost`; for a path clear of one's own pieces, `passed_free`.

    Names:
        wPassedPawns, passed pawn, passer, passers.

    Source:
        Chess Programming Wiki, "Passed Pawns (Bitboards)".
    """
    guarded = enemy_front_spans(enemy_pawns)  # what enemy pawns have ahead of them
    return pawns & ~(guarded | sideways(guarded)) & PAWN_RANKS  # pawns off that, and off the files beside


@pattern
def connected_passers(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the connected passed pawns: another passed pawn of ours is on a file beside theirs.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.connected_passers(Bitboard("c4 b5 e2"), Bitboard("h7"))
        Bitboard('c4 b5')

    Why:
        The files of the passed pawns move one step to each side; a passed pawn that stands there has a neighbour.

    Traps:
        Their ranks do not matter, and a neighbour that is not passed does not count. `connected` takes all pawns,
        passed or not, but only those next to each other: side by side, or one defending the other.

    Names:
        connected passed pawns.

    Source:
        Chess Programming Wiki, "Connected Passed Pawns".
    """
    passers = passed(pawns, enemy_pawns)
    return passers & sideways(file_fill(passers))


@pattern
def passed_foremost(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the passed pawns with no own pawn ahead of them: of doubled passed pawns, the one in front.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.passed_foremost(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"))
        Bitboard('a4 g5')

    Why:
        Of several pawns on a file those behind another lie in its rear span.

    Names:
        front passed pawn.

    Source:
        Chess Programming Wiki, "Passed Pawns (Bitboards)"; the foremost only, as in Stockfish's pawn evaluation.
    """
    return passed(pawns, enemy_pawns) & ~rear_span(pawns)


@pattern
def passed_free(pawns: Set, enemy_pawns: Set, own: Set) -> Set:
    """Return the passed pawns whose whole path to promotion is clear of own pieces.

    That enemy pawns cannot attack the path is part of being passed: a pawn that attacks it would stand ahead, on a
    file beside.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.
        own: squares of all our pieces, a set; with or without the pawns, which stand in each other's way in any case.

    Example:
        >>> pawns.passed_free(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"), Bitboard("a4 a2 d5 g5 g8"))
        Bitboard('a4')

    Why:
        A piece on the way to promotion has the pawn in its rear span.

    Traps:
        Enemy pieces may stand on the path or attack it; see `setwise.race` for races against the king.

    Names:
        free passed pawn, clear path.

    Source:
        Chess Programming Wiki, "Passed Pawn".
    """
    return passed(pawns, enemy_pawns) & ~rear_span(own | pawns)
