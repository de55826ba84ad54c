"""What pawns are to pawns of their own: doubled, isolated, side by side, in chains.

Args:
    pawns: squares of our pawns, a set.
    enemy_pawns: squares of enemy pawns, a set.
"""

from __future__ import annotations

from setwise.compiler import Set, pattern, routine
from setwise.patterns.compass import east, west
from setwise.patterns.compass.steps import sideways
from setwise.patterns.fills import file_fill
from setwise.patterns.pawns.moves import attacks, attacks_down
from setwise.patterns.pawns.spans import front_span, rear_span


@pattern
def doubled(pawns: Set) -> Set:
    """Return the doubled pawns: those with an own pawn somewhere ahead on the file.

    Example:
        >>> pawns.doubled(Bitboard("a2 c2 c5 f2 f3 f4"))
        Bitboard('c2 f2 f3')

    Why:
        A pawn with another one ahead on its file lies in that pawn's rear span.

    Traps:
        Authorities differ: here the foremost pawn of a file is not doubled, so that their number is the number of pawns
        too many. To players both pawns of a pair are doubled: for every pawn of such a file see `stacked`.

    Names:
        wPawnsBehindOwn, doubled pawn.

    Source:
        Chess Programming Wiki, "Double and Triple (Bitboards)", its pawns behind own pawns.
    """
    return pawns & rear_span(pawns)


@pattern
def stacked(pawns: Set) -> Set:
    """Return the pawns that share their file with another own pawn, the foremost included.

    Example:
        >>> pawns.stacked(Bitboard("a2 c2 c5 f2 f3 f4"))
        Bitboard('c2 f2 f3 f4 c5')

    Why:
        The rear span finds the pawns behind another one, the front span those ahead.

    Traps:
        How far apart they stand, and what stands between them, does not matter. Their number is not the number of pawns
        too many: see `doubled`.

    Names:
        double pawns, tripled pawns.

    Source:
        Chess Programming Wiki, "Double and Triple (Bitboards)": those behind own pawns and those in front of them.
    """
    return pawns & (rear_span(pawns) | front_span(pawns))


@pattern
def isolated(pawns: Set) -> Set:
    """Return the isolated pawns: no own pawn on the files beside theirs.

    Example:
        >>> pawns.isolated(Bitboard("a4 c3 d4 h2 h5"))
        Bitboard('h2 a4 h5')

    Why:
        The fill of the files, moved to both sides, has the files with a neighbour; what is outside has none.

    Traps:
        Doubled pawns of one file do not help each other. Neighbouring means the file, at any distance.

    Names:
        wIsolanis, isolani, isolated pawn.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)".
    """
    return pawns & ~sideways(file_fill(pawns))


@pattern
def half_isolated(pawns: Set) -> Set:
    """Return the half-isolated pawns: own pawns on exactly one of the files beside theirs.

    They stand on the border files of pawn islands wider than one file.

    Example:
        >>> pawns.half_isolated(Bitboard("a2 b3 c4 f3 h2"))
        Bitboard('a2 c4')
        >>> pawns.half_isolated(Bitboard("a2 b2 c2 d2 e2 f2 g2 h2"))
        Bitboard('a2 h2')

    Why:
        The filled files moved east are those with a neighbour in the west, moved west those with one in the east; `xor`
        leaves the files with exactly one of the two.

    Traps:
        A rook's pawn has one neighbouring file, and is half-isolated wherever it is not isolated, in the opening
        position, too. The wiki's formula has it so; to find weaknesses, leave out the files a and h. The wiki's page on
        islands has half-isolated pawns on all border files, isolated pawns included: for those files see
        `setwise.islands.east_files` and `west_files`.

    Names:
        half isolanis, half-isolani pawns, wHalfIsolanis.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)" and "Pawn Islands (Bitboards)".
    """
    files = file_fill(pawns)  # the files with pawns
    return pawns & (east(files) ^ west(files))  # pawns with exactly one such file beside them


@pattern
def phalanx(pawns: Set) -> Set:
    """Return the pawns of a phalanx (duo): an own pawn stands right beside them on their rank.

    Example:
        >>> pawns.phalanx(Bitboard("a3 c4 d4 e4 h3"))
        Bitboard('c4 d4 e4')

    Why:
        Moved one step aside, a pawn falls on the neighbour beside it.

    Traps:
        The a-file and the h-file are not neighbours.

    Names:
        duo, pawn duo, wDuo, side by side.

    Source:
        Chess Programming Wiki, "Duo Trio Quart (Bitboards)".
    """
    return pawns & sideways(pawns)


@pattern
def supported(pawns: Set) -> Set:
    """Return the pawns that an own pawn defends.

    Example:
        >>> pawns.supported(Bitboard("c3 d4 e5 g4 h4"))
        Bitboard('d4 e5')

    Why:
        A pawn is defended where an own pawn attacks.

    Names:
        wDefendedFromEast, defended pawns, protected pawns.

    Source:
        Chess Programming Wiki, "Defended Pawns (Bitboards)".
    """
    return pawns & attacks(pawns)


@routine
def _defenders(pawns: Set) -> Set:
    return pawns & attacks_down(pawns)


@pattern
def connected(pawns: Set) -> Set:
    """Return the connected pawns: beside an own pawn, defended by one, or defending one.

    Example:
        >>> pawns.connected(Bitboard("a2 b4 d3 e4 g4 h4"))
        Bitboard('d3 e4 g4 h4')

    Why:
        Each of the three relations is a set: beside one another, defended, defending.

    Traps:
        Pawns of neighbouring files that are further apart (a2, b4) are not connected: they are only not isolated.
        Stockfish leaves out the pawn that defends and is not defended: `phalanx | supported`.

    Source:
        Chess Programming Wiki, "Connected Pawns".
    """
    return phalanx(pawns) | supported(pawns) | _defenders(pawns)


@pattern
def chain_base(pawns: Set) -> Set:
    """Return the bases of pawn chains: pawns that defend an own pawn and are defended by none.

    Example:
        >>> pawns.chain_base(Bitboard("b2 c3 d4 e3 g2"))
        Bitboard('b2 e3')

    Why:
        Of the pawns that defend one, those that none defends: where the chain begins.

    Traps:
        A chain has as many bases as rear ends: the wedge above has two.

    Names:
        pawn chain, base of the chain.

    Source:
        Chess Programming Wiki, "Pawn Chain".
    """
    return _defenders(pawns) & ~supported(pawns)


@pattern
def chain_head(pawns: Set) -> Set:
    """Return the heads of pawn chains: pawns that an own pawn defends and that defend none.

    Example:
        >>> pawns.chain_head(Bitboard("b2 c3 d4 e3 g2"))
        Bitboard('d4')

    Why:
        Of the pawns that are defended, those that defend none: where the chain ends.

    Names:
        head of the chain, chain tip.

    Source:
        Chess Programming Wiki, "Pawn Chain".
    """
    return supported(pawns) & ~_defenders(pawns)


@pattern
def hanging_pair(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the hanging pawns: two side by side, no own pawn on the files beside them, no enemy pawn on theirs.

    The usual case is c4 and d4 against e6; the rank is not part of the definition.

    Example:
        >>> print(pawns.hanging_pair(Bitboard("a2 c4 d4 f2 g2 h2"), Bitboard("a7 b6 e6 f7 g7 h7")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . 1 1 . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        The western pawn of a pair has its neighbour one step east, and no own pawn one file west or two files east of
        it. No enemy pawn stands on the two files. The eastern pawn is one step east of it.

    Traps:
        Pawns of the two files that are not abreast (c3 and d4) are not counted. The wiki takes all pawns that are open,
        half-isolated and in a phalanx: of three abreast the outer two, and pairs with an enemy pawn behind them.

    Names:
        hanging pawns, hanging duo.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)"; Hans Kmoch, "Pawn Power in Chess", his hanging duo.
    """
    own, enemy = file_fill(pawns), file_fill(enemy_pawns)
    # The western one of a pair stands for both.
    western = pawns & west(pawns) & ~(east(own) | west(west(own)) | enemy | west(enemy))
    return western | east(western)
