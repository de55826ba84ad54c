"""Candidates: pawns that may become passed, because their helpers are as many as their sentries.

A number on every square, in binary: four sets, of the ones, twos, fours and eights. Adding two such boards, all
squares at once, is a ripple-carry adder; smearing sums along files as fills do counts the pawns of a span.
"""

from __future__ import annotations

from typing import TypeAlias

from setwise.compiler import Set, pattern, routine
from setwise.patterns.bits import EIGHT, EMPTY, PAWN_RANKS, SIXTEEN, THIRTY_TWO
from setwise.patterns.compass import east, south, west
from setwise.patterns.pawns.passers import open_pawns, passed
from setwise.patterns.pawns.spans import rear_span

#: A number on each square, in four sets of bits, the lowest first.
Counts: TypeAlias = tuple[Set, Set, Set, Set]


@routine
def _add(a: Counts, b: Counts) -> Counts:
    one = a[0] & b[0]
    two = a[1] & b[1] | one & (a[1] ^ b[1])
    four = a[2] & b[2] | two & (a[2] ^ b[2])
    return a[0] ^ b[0], a[1] ^ b[1] ^ one, a[2] ^ b[2] ^ two, a[3] ^ b[3] ^ four


@routine
def _count_at_or_behind(pawns: Set) -> Counts:
    """On each square, how many pawns stand on the files beside it, on its rank or behind."""
    n: Counts = east(pawns) ^ west(pawns), east(pawns) & west(pawns), EMPTY, EMPTY
    n = _add(n, (n[0] << EIGHT, n[1] << EIGHT, EMPTY, EMPTY))
    n = _add(n, (n[0] << SIXTEEN, n[1] << SIXTEEN, n[2] << SIXTEEN, EMPTY))
    return _add(n, (n[0] << THIRTY_TWO, n[1] << THIRTY_TWO, n[2] << THIRTY_TWO, n[3] << THIRTY_TWO))


@routine
def _count_ahead(pawns: Set) -> Counts:
    """On each square, how many pawns stand on the files beside it, ahead of its rank."""
    pawns = south(pawns)
    n: Counts = east(pawns) ^ west(pawns), east(pawns) & west(pawns), EMPTY, EMPTY
    n = _add(n, (n[0] >> EIGHT, n[1] >> EIGHT, EMPTY, EMPTY))
    n = _add(n, (n[0] >> SIXTEEN, n[1] >> SIXTEEN, n[2] >> SIXTEEN, EMPTY))
    return _add(n, (n[0] >> THIRTY_TWO, n[1] >> THIRTY_TWO, n[2] >> THIRTY_TWO, n[3] >> THIRTY_TWO))


@routine
def _less(a: Counts, b: Counts) -> Set:
    """The squares on which a is less than b."""
    less = ~a[0] & b[0]
    less = ~a[1] & b[1] | less & ~(a[1] ^ b[1])
    less = ~a[2] & b[2] | less & ~(a[2] ^ b[2])
    return ~a[3] & b[3] | less & ~(a[3] ^ b[3])


@pattern
def candidate(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the candidates: open pawns, not passed yet, with at least as many helpers as sentries.

    Helpers are own pawns on the files beside, on the pawn's rank or behind; sentries are enemy pawns on the files
    beside, ahead. Every one of them counts, doubled ones too. Of own pawns on one file the foremost alone can be a
    candidate. An open pawn with fewer helpers than sentries is a faker.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.candidate(Bitboard("b5 c4 f4"), Bitboard("c7 e6"))
        Bitboard('b5')
        >>> pawns.candidate(Bitboard("b5 c4 f4"), Bitboard("a7 c7 e6"))
        Bitboard('')
        >>> pawns.candidate(Bitboard("b4 b5 c4"), Bitboard("c7"))
        Bitboard('b5')

    Why:
        Helpers and sentries are counted for all squares at once, in binary: a set for the ones, one for the twos, and
        so on, added as one adds on paper. The comparison goes digit by digit, too, for all squares at once.

    Traps:
        Whether the advance works move by move is not examined: blockers and pieces are ignored. The wiki's open pawn
        has no enemy pawn ahead, but may have own pawns ahead; by that definition b4 in the last example would
        be a candidate, too, though it can force nothing before b5 has gone.

    Names:
        candidate passed pawn, candidates, helpers and sentries.

    Source:
        Chess Programming Wiki, "Candidates (Bitboards)"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    outnumbered = _less(_count_at_or_behind(pawns), _count_ahead(enemy_pawns))
    foremost = open_pawns(pawns, enemy_pawns) & ~rear_span(pawns) & PAWN_RANKS
    return foremost & ~passed(pawns, enemy_pawns) & ~outnumbered
