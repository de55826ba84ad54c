"""Pawns that enemy pawns stop or attack, or whose next square they hold: rams, levers, backward pawns.

Args:
    pawns: squares of our pawns, a set.
    enemy_pawns: squares of enemy pawns, a set.
"""

from __future__ import annotations

from setwise.compiler import Set, pattern
from setwise.patterns.bits import RANK_2, RANK_3
from setwise.patterns.compass import south
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.pawns.passers import open_pawns
from setwise.patterns.pawns.spans import front_attack_span


@pattern
def ram(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the rammed pawns: an enemy pawn stands right ahead, so that neither can push.

    Example:
        >>> pawns.ram(Bitboard("b4 d4 g2"), Bitboard("d5 g4 b3"))
        Bitboard('d4')

    Why:
        A ram is two pawns face to face: ours stands one step south of theirs.

    Names:
        wRammedPawns, pawn ram, blocked pawns, rams.

    Source:
        Chess Programming Wiki, "Pawn Rams (Bitboards)".
    """
    return pawns & south(enemy_pawns)


@pattern
def lever(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the lever pawns: they attack an enemy pawn, and it attacks them.

    Example:
        >>> pawns.lever(Bitboard("c4 e4 h4"), Bitboard("d5 a6 g6"))
        Bitboard('c4 e4')

    Why:
        Pawn attacks are mutual between pawns of two colours: ours stands where theirs attacks.

    Traps:
        En passant is not counted, nor a push that would make a lever, which some books call one too.

    Names:
        wLevers, pawn lever, levers, pawn tension.

    Source:
        Chess Programming Wiki, "Pawn Levers (Bitboards)".
    """
    return pawns & attacks_down(enemy_pawns)


@pattern
def backward(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the backward pawns: an enemy pawn attacks the stop square, and no own pawn can ever defend it.

    Exactly: the stop square is attacked by an enemy pawn, is outside the front attack spans of own pawns, and no enemy
    pawn stands on it.

    Example:
        >>> pawns.backward(Bitboard("c4 d3 e4 h5"), Bitboard("c5 e5 g7 h6"))
        Bitboard('d3')

    Why:
        A pawn is held back where its next square is attacked by an enemy pawn; it is weak where no pawn of ours can
        ever attack that square, which is what lies outside the front attack spans. Both sets are of stop squares, so
        they are moved one step back onto the pawns.

    Traps:
        Authorities differ. Isolated pawns, levers and pawns of closed files may be backward here. A rammed pawn cannot
        push and is not counted: h5 above, whose stop square h6 the pawn g7 defends. The wiki's code counts it: see
        `backward_or_rammed`. Kmoch wants a half-open file and rank 2 or 3: see `straggler`. A double step is no way
        out: with an enemy pawn on b4 or d4 a pawn on c2 is backward though c2-c4 may be possible, for the enemy pawn
        captures en passant on c3, and no own pawn recaptures.

    Names:
        wBackward, backward pawn.

    Source:
        Chess Programming Wiki, "Backward Pawns (Bitboards)", with the rams left out as its discussion proposes.
    """
    return backward_or_rammed(pawns, enemy_pawns) & ~south(enemy_pawns)


@pattern
def backward_or_rammed(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the pawns whose stop square an enemy pawn attacks and no own pawn can ever defend, rammed ones included.

    Example:
        >>> pawns.backward_or_rammed(Bitboard("c4 d3 e4 h5"), Bitboard("c5 e5 g7 h6"))
        Bitboard('d3 h5')

    Why:
        The stop squares that enemy pawns attack, less those that own pawns attack now or later, moved one step back
        onto the pawns.

    Names:
        wBackward as published.

    Source:
        Chess Programming Wiki, "Backward Pawns (Bitboards)", as its code has it.
    """
    return pawns & south(attacks_down(enemy_pawns) & ~front_attack_span(pawns))


@pattern
def straggler(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the stragglers: backward pawns on rank 2 or 3 with no enemy pawn ahead on their file.

    Example:
        >>> pawns.straggler(Bitboard("c4 d3 e4 h4"), Bitboard("c5 e5 g6"))
        Bitboard('d3')

    Why:
        Three conditions, a set each: backward, on a file that no enemy pawn closes, and still at home.

    Names:
        wStragglers, straggling pawns.

    Source:
        Hans Kmoch, "Pawn Power in Chess"; Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    return backward(pawns, enemy_pawns) & open_pawns(pawns, enemy_pawns) & (RANK_2 | RANK_3)
