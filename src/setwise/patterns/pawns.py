"""Pawn patterns: where pawns move and attack, and the structures that they form.

The first argument is own pawns, the second enemy pawns; own pawns move up the board. For Black's pawns call the
pattern's ``for_black``: ``pawns.passed.for_black(black_pawns, white_pawns)``. Patterns are relations of pawns to pawns:
other pieces matter only if an argument names them. Pawns stand on ranks 2 to 7; for squares on the first and last rank
the result of a pattern means nothing.
"""

from __future__ import annotations

from typing import TypeAlias

from setwise.compiler import Set, pattern, routine
from setwise.patterns.bits import (
    EIGHT,
    EMPTY,
    PAWN_RANKS,
    RANK_2,
    RANK_3,
    RANK_4,
    RANK_5,
    RANK_6,
    RANK_8,
    SIXTEEN,
    THIRTY_TWO,
)
from setwise.patterns.compass import east, north, north_east, north_west, sideways, south, south_east, south_west, west
from setwise.patterns.fills import file_fill, north_fill, south_fill

__all__ = [
    "attacks", "backward", "backward_or_rammed", "candidate", "chain_base", "chain_head", "connected",
    "connected_passers", "double_pushes", "doubled", "east_attacks", "east_captures", "en_passant", "front_attack_span",
    "front_span", "half_isolated", "half_open_files", "hanging_pair", "holes", "isolated", "lever", "open_files",
    "open_pawns", "outposts", "passed", "passed_foremost", "passed_free", "phalanx", "promotions", "ram", "rear_span",
    "single_pushes", "stacked", "stop", "straggler", "supported", "telestop", "west_attacks", "west_captures",
]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------------

"""Where pawns push, attack, capture and promote.

Args:
    pawns: squares of our pawns, a set.
    empty: the empty squares, a set.
    enemy: squares of enemy pieces, a set.
    ep_square: the square that an enemy pawn has just stepped over, a set of at most one square.
"""


@pattern
def single_pushes(pawns: Set, empty: Set) -> Set:
    """Return the squares that pawns push to by one step.

    Example:
        >>> pawns.single_pushes(Bitboard("a2 e4"), ~Bitboard("a2 e4 e5"))
        Bitboard('a3')

    Why:
        A rank is eight bits, so a shift by eight moves every pawn one square ahead; squares with a piece are dropped.

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
        A double step is two single steps, each to an empty square. Only a pawn of rank 2 ends on rank 4 after two
        steps, so a mask of rank 4 keeps exactly the double steps.

    Traps:
        Both squares must be empty, also the square that the pawn steps over.

    Names:
        wDblPushTargets, double push.

    Source:
        Chess Programming Wiki, "Pawn Pushes (Bitboards)".
    """
    return north(north(pawns) & empty) & empty & RANK_4


@pattern
def east_attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack one step north-east.

    Use east and west separately if it matters which pawn attacks: from each side, one pawn at most attacks a square.

    Example:
        >>> pawns.east_attacks(Bitboard("a2 h2"))
        Bitboard('b3')

    Why:
        North-east is a shift by nine; the mask drops bits that wrapped from the h-file to the a-file.

    Traps:
        A shift by nine alone carries a pawn of the h-file to the a-file two ranks up: from h2 to a4.

    Slips:
        A tutorial on move generation says that a shift by 9 wraps from the a-file to the h-file. With a1 as bit 0 it
        wraps from the h-file to the a-file, two ranks up, and a shift by 7 wraps from the a-file to the h-file of the
        same rank. Its remedy, a mask of the rank captured on, is correct for one pawn at a time; a set of pawns needs
        masks of files.

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
        North-west is a shift by seven; the mask drops bits that wrapped from the a-file to the h-file.

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
        One step north-east and one step north-west, each with the mask that every step to the side needs.

    Traps:
        A pawn does not push to the squares that it attacks. It attacks them also if no piece stands there.

    Names:
        wPawnAnyAttacks, arrPawnAttacks.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns) | north_west(pawns)


@routine
def attacks_down(squares: Set) -> Set:
    """The squares that enemy pawns on these squares attack; our pawns attack these squares from the same places."""
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
        The pawns that attack the square stand on the squares that an enemy pawn there would attack: one step back and
        one step to the side. At the edge of the board a mask removes one of these two squares.

    Traps:
        The capture empties two squares of one rank at once and may uncover a check along that rank: test separately
        whether the capture is legal.

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


# ----------------------------------------------------------------------------------------------------------- pawn spans


@pattern
def stop(pawns: Set) -> Set:
    """Return the stop squares: the squares directly ahead of pawns.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> pawns.stop(Bitboard("b2 e5"))
        Bitboard('b3 e6')

    Why:
        A pawn moves north: the square ahead is one step away, and one shift moves all pawns at once.

    Names:
        stop square.

    Source:
        Chess Programming Wiki, "Pawn Spans"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    return north(pawns)


@pattern
def telestop(pawns: Set) -> Set:
    """Return the telestop squares: the squares ahead of pawns on their files, without the stop squares.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> pawns.telestop(Bitboard("b4 e6"))
        Bitboard('b6 b7 b8 e8')

    Why:
        The pawns move two ranks on and are filled from there: the result is the front span without its first square.

    Traps:
        The stop square of one doubled pawn can be a telestop square of the other; it is then included.

    Names:
        telestop square, tele stop.

    Source:
        Chess Programming Wiki, "Pawn Spans"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    return north_fill(pawns << SIXTEEN)


@pattern
def front_span(pawns: Set) -> Set:
    """Return the front spans: all squares ahead of pawns on their files, to rank 8.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> print(pawns.front_span(Bitboard("b2 e5")))
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . . . . .
        . 1 . . . . . .
        . 1 . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        The pawns move one step ahead and are filled north, so the pawn's own square is left out.

    Traps:
        The pawn's own square is not in its span, unless another pawn stands behind it on the file.

    Names:
        wFrontSpans.

    Source:
        Chess Programming Wiki, "Pawn Spans".
    """
    return north_fill(north(pawns))


@pattern
def rear_span(pawns: Set) -> Set:
    """Return the rear spans: all squares behind pawns on their files, to rank 1.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> pawns.rear_span(Bitboard("b2 e5"))
        Bitboard('b1 e1 e2 e3 e4')

    Why:
        The pawns move one step back and are filled south, so the pawn's own square is left out.

    Names:
        wRearSpans.

    Source:
        Chess Programming Wiki, "Pawn Spans".
    """
    return south_fill(south(pawns))


@pattern
def front_attack_span(pawns: Set) -> Set:
    """Return the front attack spans: the squares that pawns attack now, or may attack later after pushes.

    These are the squares ahead of a pawn on the files next to its own. Pieces in the way do not shorten a span, and
    captures, which change a pawn's file, do not widen it.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> print(pawns.front_attack_span(Bitboard("a5 e3")))
        . 1 . 1 . 1 . .
        . 1 . 1 . 1 . .
        . 1 . 1 . 1 . .
        . . . 1 . 1 . .
        . . . 1 . 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        After each push a pawn attacks one step ahead on the files beside it: the result is the front span, moved to
        both sides.

    Names:
        wEastAttackFrontSpans, attack span.

    Source:
        Chess Programming Wiki, "Attack Spans".
    """
    return sideways(north_fill(north(pawns)))


@routine
def enemy_front_spans(enemy_pawns: Set) -> Set:
    return rear_span(enemy_pawns)


# ----------------------------------------------------------------------------------------------------------------------

"""What pawns are to pawns of their own: doubled, isolated, side by side, in chains.

Args:
    pawns: squares of our pawns, a set.
    enemy_pawns: squares of enemy pawns, a set.
"""


@pattern
def doubled(pawns: Set) -> Set:
    """Return the doubled pawns: pawns with an own pawn somewhere ahead on the file.

    Example:
        >>> pawns.doubled(Bitboard("a2 c2 c5 f2 f3 f4"))
        Bitboard('c2 f2 f3')

    Why:
        A pawn with another pawn ahead on its file is in the rear span of that pawn.

    Traps:
        Authorities differ: here the foremost pawn of a file is not doubled, so the number of doubled pawns is the
        number of extra pawns on files. Players call both pawns of a pair doubled: for all pawns of such a file see
        `stacked`.

    Names:
        wPawnsBehindOwn, doubled pawn.

    Source:
        Chess Programming Wiki, "Double and Triple (Bitboards)", its pawns behind own pawns.
    """
    return pawns & rear_span(pawns)


@pattern
def stacked(pawns: Set) -> Set:
    """Return the pawns that share their file with another own pawn, including the foremost pawn.

    Example:
        >>> pawns.stacked(Bitboard("a2 c2 c5 f2 f3 f4"))
        Bitboard('c2 f2 f3 f4 c5')

    Why:
        The rear span finds the pawns behind another pawn, the front span finds the pawns ahead of another pawn.

    Traps:
        The distance between the pawns, and pieces between them, do not matter. The number of these pawns is not the
        number of extra pawns: see `doubled`.

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
        The files with pawns, moved to both sides, are all files that have a pawn on a neighbouring file; pawns outside
        them have no neighbour.

    Traps:
        Doubled pawns of one file do not help each other. A pawn on a neighbouring file counts at any distance.

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
        The files with pawns, moved east, are the files with a neighbour to the west; moved west, they are the files
        with a neighbour to the east. `xor` keeps the files with exactly one of the two.

    Traps:
        A rook's pawn has only one neighbouring file, so it is half-isolated whenever it is not isolated, also in the
        opening position. The wiki's formula does the same; to find weaknesses, leave out the files a and h. The wiki's
        page on islands calls pawns on all border files half-isolated, including isolated pawns: for those files see
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
        A pawn that is moved one step to the side stands on the square of the neighbour beside it.

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
        A pawn is defended if an own pawn attacks its square.

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
        Pawns of neighbouring files that are further apart (a2, b4) are not connected, though they are not isolated.
        Stockfish leaves out a pawn that only defends and is not defended: `phalanx | supported`.

    Source:
        Chess Programming Wiki, "Connected Pawns".
    """
    return phalanx(pawns) | supported(pawns) | _defenders(pawns)


@pattern
def chain_base(pawns: Set) -> Set:
    """Return the bases of pawn chains: pawns that defend an own pawn and are not defended by an own pawn.

    Example:
        >>> pawns.chain_base(Bitboard("b2 c3 d4 e3 g2"))
        Bitboard('b2 e3')

    Why:
        A chain begins with a pawn that defends another pawn and that no pawn defends.

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
    """Return the heads of pawn chains: pawns that an own pawn defends and that defend no own pawn.

    Example:
        >>> pawns.chain_head(Bitboard("b2 c3 d4 e3 g2"))
        Bitboard('d4')

    Why:
        A chain ends with a pawn that is defended and that defends no pawn.

    Names:
        head of the chain, chain tip.

    Source:
        Chess Programming Wiki, "Pawn Chain".
    """
    return supported(pawns) & ~_defenders(pawns)


@pattern
def hanging_pair(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the hanging pawns: two side by side, no own pawn on the files beside them, no enemy pawn on their files.

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
        The western pawn of a pair has its neighbour one step to the east, and no own pawn is on the file to its west or
        two files to its east. No enemy pawn stands on the two files of the pair. The eastern pawn is one step east of
        the western pawn.

    Traps:
        Two pawns that are not side by side (c3 and d4) are not counted. The wiki takes all pawns that are open,
        half-isolated and in a phalanx: so of three pawns side by side it takes the outer two, and it takes pairs with
        an enemy pawn behind them.

    Names:
        hanging pawns, hanging duo.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)"; Hans Kmoch, "Pawn Power in Chess", his hanging duo.
    """
    own, enemy = file_fill(pawns), file_fill(enemy_pawns)
    # The western pawn of a pair represents both pawns.
    western = pawns & west(pawns) & ~(east(own) | west(west(own)) | enemy | west(enemy))
    return western | east(western)


# ----------------------------------------------------------------- open and passed pawns: no enemy pawn is in their way


@pattern
def open_pawns(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the open pawns: pawns with no enemy pawn ahead on their file.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.open_pawns(Bitboard("b4 e5 g2"), Bitboard("b3 c7 g6"))
        Bitboard('b4 e5')

    Why:
        An enemy pawn moves south and blocks every pawn of ours that is south of it on its file. These squares are the
        front span of the enemy pawn, so a pawn of ours outside the front spans of all enemy pawns is open.

    Traps:
        An enemy pawn on the same file that our pawn has already passed (b3 here) does not close the file. Own pawns
        ahead do not close it either.

    Names:
        open pawn, wOpenPawns.

    Source:
        Chess Programming Wiki, "Open Pawns (Bitboards)".
    """
    return pawns & ~enemy_front_spans(enemy_pawns)


@pattern
def passed(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the passed pawns: no enemy pawn is ahead of them on their own file or the files beside it.

    On the first and the last rank, where no pawn can stand, no pawn is passed.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.passed(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"))
        Bitboard('a2 a4 g5')

    Why:
        An enemy pawn guards all squares ahead of it in its own direction: on its file because it blocks them, and on
        the files beside because it can capture there. No pawn can stop or take a pawn of ours that is on none of these
        squares, except en passant directly after a double step.

    Traps:
        Enemy pawns on the same rank or behind do not matter. This is the wiki's definition, which considers only enemy
        pawns: both pawns of a doubled pair may be passed. For only the foremost pawn of each file, as in many engines,
        see `passed_foremost`; for a path without own pieces, `passed_free`.

    Names:
        wPassedPawns, passed pawn, passer, passers.

    Source:
        Chess Programming Wiki, "Passed Pawns (Bitboards)".
    """
    guarded = enemy_front_spans(enemy_pawns)  # what enemy pawns have ahead of them
    return pawns & ~(guarded | sideways(guarded)) & PAWN_RANKS  # pawns off that, and off the files beside


@pattern
def connected_passers(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the connected passed pawns: another own passed pawn is on a file beside theirs.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.connected_passers(Bitboard("c4 b5 e2"), Bitboard("h7"))
        Bitboard('c4 b5')

    Why:
        The files of the passed pawns are moved one step to each side; a passed pawn on these squares has a neighbour.

    Traps:
        The ranks of the pawns do not matter, and a neighbour that is not passed does not count. `connected` takes all
        pawns, passed or not, but only pawns next to each other: side by side, or one defending the other.

    Names:
        connected passed pawns.

    Source:
        Chess Programming Wiki, "Connected Passed Pawns".
    """
    passers = passed(pawns, enemy_pawns)
    return passers & sideways(file_fill(passers))


@pattern
def passed_foremost(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the passed pawns with no own pawn ahead of them: of doubled passed pawns, the front pawn.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> pawns.passed_foremost(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"))
        Bitboard('a4 g5')

    Why:
        A pawn behind another pawn on its file is in the rear span of that pawn.

    Names:
        front passed pawn.

    Source:
        Chess Programming Wiki, "Passed Pawns (Bitboards)"; the foremost only, as in Stockfish's pawn evaluation.
    """
    return passed(pawns, enemy_pawns) & ~rear_span(pawns)


@pattern
def passed_free(pawns: Set, enemy_pawns: Set, own: Set) -> Set:
    """Return the passed pawns whose whole path to promotion is clear of own pieces.

    Enemy pawns cannot attack the path of a passed pawn: a pawn that attacks it would stand ahead, on a file beside.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.
        own: squares of all our pieces, a set; with or without the pawns, which stand in each other's way in any case.

    Example:
        >>> pawns.passed_free(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"), Bitboard("a4 a2 d5 g5 g8"))
        Bitboard('a4')

    Why:
        If a piece stands on the way to promotion, the pawn is in the rear span of that piece.

    Traps:
        Enemy pieces may stand on the path or attack it; see `setwise.race` for races against the king.

    Names:
        free passed pawn, clear path.

    Source:
        Chess Programming Wiki, "Passed Pawn".
    """
    return passed(pawns, enemy_pawns) & ~rear_span(own | pawns)


# ----------------------------------------------------------------------------------------------------------------------

"""Pawns that enemy pawns stop or attack, or whose next square they hold: rams, levers, backward pawns.

Args:
    pawns: squares of our pawns, a set.
    enemy_pawns: squares of enemy pawns, a set.
"""


@pattern
def ram(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the rammed pawns: an enemy pawn stands directly ahead, so neither pawn can push.

    Example:
        >>> pawns.ram(Bitboard("b4 d4 g2"), Bitboard("d5 g4 b3"))
        Bitboard('d4')

    Why:
        A ram is two pawns face to face: our pawn stands one step south of the enemy pawn.

    Names:
        wRammedPawns, pawn ram, blocked pawns, rams.

    Source:
        Chess Programming Wiki, "Pawn Rams (Bitboards)".
    """
    return pawns & south(enemy_pawns)


@pattern
def lever(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the lever pawns: pawns that attack an enemy pawn, which attacks them in turn.

    Example:
        >>> pawns.lever(Bitboard("c4 e4 h4"), Bitboard("d5 a6 g6"))
        Bitboard('c4 e4')

    Why:
        Attacks between pawns of two colours are mutual: our pawn stands on a square that an enemy pawn attacks.

    Traps:
        En passant is not counted. A push that would make a lever is not counted either, though some books call it one.

    Names:
        wLevers, pawn lever, levers, pawn tension.

    Source:
        Chess Programming Wiki, "Pawn Levers (Bitboards)".
    """
    return pawns & attacks_down(enemy_pawns)


@pattern
def backward(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the backward pawns: an enemy pawn attacks the stop square, and no own pawn can ever defend it.

    The exact conditions: an enemy pawn attacks the stop square, the stop square is outside the front attack spans of
    own pawns, and no enemy pawn stands on it.

    Example:
        >>> pawns.backward(Bitboard("c4 d3 e4 h5"), Bitboard("c5 e5 g7 h6"))
        Bitboard('d3')

    Why:
        A pawn is held back if an enemy pawn attacks its stop square. It is weak if no own pawn can ever attack that
        square, that is, if the square is outside the front attack spans. Both conditions are sets of stop squares, so
        the result is moved one step back onto the pawns.

    Traps:
        Authorities differ. Isolated pawns, levers and pawns of closed files may be backward here. A rammed pawn cannot
        push and is not counted, for example h5 above, whose stop square h6 is defended by the pawn g7. The wiki's code
        counts such pawns: see `backward_or_rammed`. Kmoch requires a half-open file and rank 2 or 3: see `straggler`. A
        double step does not help: with an enemy pawn on b4 or d4, a pawn on c2 is backward though c2-c4 may be
        possible, because the enemy pawn captures en passant on c3, and no own pawn recaptures.

    Names:
        wBackward, backward pawn.

    Source:
        Chess Programming Wiki, "Backward Pawns (Bitboards)", with the rams left out as its discussion proposes.
    """
    return backward_or_rammed(pawns, enemy_pawns) & ~south(enemy_pawns)


@pattern
def backward_or_rammed(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the pawns whose stop square an enemy pawn attacks and no own pawn can ever defend, also rammed pawns.

    Example:
        >>> pawns.backward_or_rammed(Bitboard("c4 d3 e4 h5"), Bitboard("c5 e5 g7 h6"))
        Bitboard('d3 h5')

    Why:
        Take the stop squares that enemy pawns attack, remove the squares that own pawns attack now or later, and move
        the rest one step back onto the pawns.

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
        There are three conditions, and each is a set: the pawn is backward, no enemy pawn closes its file, and it is on
        rank 2 or 3.

    Names:
        wStragglers, straggling pawns.

    Source:
        Hans Kmoch, "Pawn Power in Chess"; Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    return backward(pawns, enemy_pawns) & open_pawns(pawns, enemy_pawns) & (RANK_2 | RANK_3)


# ----------------------------------------------------------------------------------------------------------- candidates


#: A number for each square, stored in four sets: one set for each binary digit, the lowest digit first.
Counts: TypeAlias = tuple[Set, Set, Set, Set]


@routine
def _add(a: Counts, b: Counts) -> Counts:
    one = a[0] & b[0]
    two = a[1] & b[1] | one & (a[1] ^ b[1])
    four = a[2] & b[2] | two & (a[2] ^ b[2])
    return a[0] ^ b[0], a[1] ^ b[1] ^ one, a[2] ^ b[2] ^ two, a[3] ^ b[3] ^ four


@routine
def _count_at_or_behind(pawns: Set) -> Counts:
    """For each square, how many pawns stand on the files beside it, on its rank or behind."""
    n: Counts = east(pawns) ^ west(pawns), east(pawns) & west(pawns), EMPTY, EMPTY
    n = _add(n, (n[0] << EIGHT, n[1] << EIGHT, EMPTY, EMPTY))
    n = _add(n, (n[0] << SIXTEEN, n[1] << SIXTEEN, n[2] << SIXTEEN, EMPTY))
    return _add(n, (n[0] << THIRTY_TWO, n[1] << THIRTY_TWO, n[2] << THIRTY_TWO, n[3] << THIRTY_TWO))


@routine
def _count_ahead(pawns: Set) -> Counts:
    """For each square, how many pawns stand on the files beside it, ahead of its rank."""
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
    beside, ahead of the pawn. All of them count, also doubled pawns. Of several own pawns on one file, only the
    foremost can be a candidate. An open pawn with fewer helpers than sentries is a faker.

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
        Helpers and sentries are counted for all squares at once, in binary: a set for the ones, a set for the twos, and
        so on, added digit by digit as on paper. The comparison also goes digit by digit, for all squares at once.

    Traps:
        The pattern does not test whether the advance works move by move: blockers and pieces are ignored. The wiki's
        open pawn has no enemy pawn ahead, but may have own pawns ahead; by that definition b4 in the last example would
        be a candidate, too, though it can force nothing before b5 has moved.

    Names:
        candidate passed pawn, candidates, helpers and sentries.

    Source:
        Chess Programming Wiki, "Candidates (Bitboards)"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    outnumbered = _less(_count_at_or_behind(pawns), _count_ahead(enemy_pawns))
    foremost = open_pawns(pawns, enemy_pawns) & ~rear_span(pawns) & PAWN_RANKS
    return foremost & ~passed(pawns, enemy_pawns) & ~outnumbered


# ------------------------------------------------------------------------------ squares and files that pawns leave open


OUTPOST_RANKS = RANK_4 | RANK_5 | RANK_6


@pattern
def holes(pawns: Set) -> Set:
    """Return the holes in our camp: squares of ranks 3 and 4 without own pawns that own pawns can never attack.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> print(pawns.holes(Bitboard("a2 b2 c4 d3 e4 f2 g3 h2")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . . . 1 . 1
        . . . . . . . .
        . . . . . . . .

    Why:
        The front attack spans are all squares that own pawns attack now or may attack later; the other squares of our
        half of the board are the squares that the pawns can no longer cover.

    Traps:
        A capture may bring a pawn back into reach of a hole; holes are computed as if pawns only push. Without pawns
        all sixteen squares are holes, and with few pawns most of them: no pawn can cover these squares, but with so few
        pawns this means little. The wiki takes only the files c to f, and adds that enemy pawns usually control a hole:
        for either definition, intersect the result with those files or with the attacks of enemy pawns.

    Names:
        hole, pawn holes, weak squares.

    Source:
        Chess Programming Wiki, "Holes", whose complement of the front attack spans is here without own pawns.
    """
    return (RANK_3 | RANK_4) & ~(front_attack_span(pawns) | pawns)


@pattern
def outposts(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the outposts: squares of ranks 4 to 6 that our pawns defend and enemy pawns can never attack.

    Squares with a pawn of either side on them are not counted: an outpost is for a piece.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> print(pawns.outposts(Bitboard("a2 b2 e4 f3 g2 h2"), Bitboard("a7 b7 d6 e5 g7 h7")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        Enemy pawns attack, now or later, the squares beside their front spans; all other squares are permanently safe
        from them. An own pawn must attack the square, and the square must be far enough up the board to matter.

    Traps:
        A square is not an outpost if an enemy pawn could attack it later: f5 above is not an outpost, because after
        g7-g6 a pawn attacks it.

    Names:
        outpost, strong squares, support points.

    Source:
        Chess Programming Wiki, "Outposts"; the ranks are Stockfish's.
    """
    safe = ~(sideways(enemy_front_spans(enemy_pawns)) | pawns | enemy_pawns)  # what enemy pawns can never attack
    return attacks(pawns) & safe & OUTPOST_RANKS  # and pawns of ours defend, far enough up the board


@pattern
def open_files(pawns: Set, enemy_pawns: Set) -> Set:
    """Return all squares of the open files: no pawn of either side stands on them.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> print(pawns.open_files(Bitboard("a2 b2 c2"), Bitboard("a7 f7 g7 h7")))
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .

    Why:
        The fill of all pawns has the files that are not open.

    Names:
        open file, wOpenFiles.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return ~file_fill(pawns | enemy_pawns)


@pattern
def half_open_files(pawns: Set, enemy_pawns: Set) -> Set:
    """Return all squares of our half-open files: enemy pawns stand on them, and no own pawns.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> print(pawns.half_open_files(Bitboard("a2 b2 c2"), Bitboard("a7 f7 g7 h7")))
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1

    Why:
        The result is the files of enemy pawns without the files of own pawns: both are fills.

    Traps:
        An open file is not half-open here; some definitions count open files as half-open.

    Names:
        half-open file, semi-open file, wHalfOpenFiles.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return file_fill(enemy_pawns) & ~file_fill(pawns)


# -------------------------------------------------------------------------------------------------------- pawn patterns


# The names are in the usual order of the field, from moves to squares; the pages of the catalogue follow this order.
