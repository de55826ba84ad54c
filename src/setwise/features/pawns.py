"""Features of pawns: islands, weak and strong pawns, passed pawns and races, files and squares.

Nearly all features here apply a pattern of `setwise.patterns.pawns` or `islands` to the pawns of one side; the
docstring of the pattern has the reason and the traps, and the page of the feature refers to it. Only
`unstoppable_passers` does more: with only kings and pawns it follows the race to its end, and considers whose turn it
is. It is empty if the enemy has another piece. It is also the only feature here for which en passant matters.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Set, routine
from setwise.features.registry import Side, feature
from setwise.patterns import islands, king, pawns, race
from setwise.patterns.bits import EIGHT, EMPTY, FIVE, ONE, RANK_2, SEVEN, THREE, TWO, bit, lowest
from setwise.patterns.compass import east, north, west
from setwise.patterns.fills import file_fill
from setwise.patterns.pawns import attacks_down

# ------------------------------------------- features of pawn structure: islands, weak and strong pawns, files, squares


@feature
def pawn_islands(side: Side) -> Count:
    """Return the number of this side's pawn islands, 0 to 4: groups of neighbouring files with own pawns on them.

    Example:
        >>> position = setwise.Position("4k3/pp1pp1pp/8/8/8/1P3P2/P1P3PP/4K3 w - - 0 1")
        >>> position.feature("white_pawn_islands")
        2
        >>> position.feature("black_pawn_islands")
        3

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return islands.count(islands.fileset(side.own & side.pawns))


@feature
def isolated_pawns(side: Side) -> Set:
    """Return this side's isolated pawns: no own pawn stands on a neighbouring file.

    Example:
        >>> position = setwise.Position("4k3/8/8/7P/P2P4/2P5/7P/4K3 w - - 0 1")
        >>> position.feature("white_isolated_pawns")
        Bitboard('h2 a4 h5')

    Traps:
        Doubled pawns of one file do not help each other: all of them are isolated.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)".
    """
    return pawns.isolated(side.own & side.pawns)


@feature
def half_isolated_pawns(side: Side) -> Set:
    """Return this side's half-isolated pawns: own pawns stand on exactly one of the neighbouring files.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/2P5/1P3P2/P6P/4K3 w - - 0 1")
        >>> position.feature("white_half_isolated_pawns")
        Bitboard('a2 c4')

    Traps:
        A pawn on the a-file or the h-file is half-isolated unless it is isolated: there is one file beside it.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)", "Pawn Islands (Bitboards)".
    """
    return pawns.half_isolated(side.own & side.pawns)


@feature
def doubled_pawns(side: Side) -> Set:
    """Return this side's doubled pawns: an own pawn stands somewhere ahead of them on the file.

    Example:
        >>> position = setwise.Position("4k3/8/8/2P5/5P2/5P2/P1P2P2/4K3 w - - 0 1")
        >>> position.feature("white_doubled_pawns")
        Bitboard('c2 f2 f3')

    Traps:
        The foremost pawn of a file is not among them: a file with three pawns has two doubled pawns.

    Source:
        Chess Programming Wiki, "Double and Triple (Bitboards)".
    """
    return pawns.doubled(side.own & side.pawns)


@feature
def backward_pawns(side: Side) -> Set:
    """Return this side's backward pawns: the enemy pawns attack their stop square, which no own pawn can ever defend.

    The stop square is outside the front attack spans of own pawns, and no enemy pawn stands on it.

    Example:
        >>> position = setwise.Position("4k3/6p1/7p/2p1p2P/2P1P3/3P4/8/4K3 w - - 0 1")
        >>> position.feature("white_backward_pawns")
        Bitboard('d3')

    Traps:
        Authorities define this differently; here it is `setwise.pawns.backward`, whose docstring names the others.

    Source:
        Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    return pawns.backward(side.own & side.pawns, side.enemy & side.pawns)


@feature
def stragglers(side: Side) -> Set:
    """Return this side's stragglers: backward pawns on the second or third rank, no enemy pawn ahead on their file.

    Most books call this a backward pawn: it cannot advance safely, and rooks attack it along its half-open file.

    Example:
        >>> position = setwise.Position("4k3/8/6p1/2p1p3/2P1P2P/3P4/8/4K3 w - - 0 1")
        >>> position.feature("white_stragglers")
        Bitboard('d3')

    Traps:
        `backward_pawns` has the backward pawns on all ranks, also on closed files.

    Source:
        Hans Kmoch, "Pawn Power in Chess"; Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    return pawns.straggler(side.own & side.pawns, side.enemy & side.pawns)


@feature
def connected_pawns(side: Side) -> Set:
    """Return this side's connected pawns: each is beside an own pawn, is protected by one, or protects one.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/1P2P1PP/3P4/P7/4K3 w - - 0 1")
        >>> position.feature("white_connected_pawns")
        Bitboard('d3 e4 g4 h4')

    Source:
        Chess Programming Wiki, "Connected Pawns".
    """
    return pawns.connected(side.own & side.pawns)


@feature
def holes(side: Side) -> Set:
    """Return the holes in this side's camp: squares of its third and fourth rank that its pawns can never attack.

    Squares with own pawns on them are not holes. For Black the ranks are 6 and 5.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/2P1P3/3P2P1/PP3P1P/4K3 w - - 0 1")
        >>> print(position.feature("white_holes"))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . . . 1 . 1
        . . . . . . . .
        . . . . . . . .

    Traps:
        "Never" considers only pushes: after a capture, a pawn may attack the square. Without pawns all squares of both
        ranks are holes; add a condition that there are some pawns.

    Source:
        Chess Programming Wiki, "Holes".
    """
    return pawns.holes(side.own & side.pawns)


@feature
def outposts(side: Side) -> Set:
    """Return the outposts for this side's pieces: its pawns defend them and the enemy pawns can never attack them.

    They are on the side's fourth to sixth rank (for Black ranks 5 to 3), and no pawn is on them, but a piece may be.

    Example:
        >>> position = setwise.Position("4k3/pp4pp/3p4/4p3/4P3/5P2/PP4PP/4K3 w - - 0 1")
        >>> print(position.feature("white_outposts"))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Outposts".
    """
    return pawns.outposts(side.own & side.pawns, side.enemy & side.pawns)


@feature
def open_files(side: Side) -> Set:
    """Return all squares of the open files: no pawn of either side is on them, so the result is the same for both.

    Example:
        >>> position = setwise.Position("4k3/p4ppp/8/8/8/8/PPP5/4K3 w - - 0 1")
        >>> print(position.feature("white_open_files"))
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return pawns.open_files(side.own & side.pawns, side.enemy & side.pawns)


@feature
def half_open_files(side: Side) -> Set:
    """Return all squares of this side's half-open files: enemy pawns stand on them and none of its own.

    Example:
        >>> position = setwise.Position("4k3/p4ppp/8/8/8/8/PPP5/4K3 w - - 0 1")
        >>> print(position.feature("white_half_open_files"))
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1

    Traps:
        An open file is not half-open here.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return pawns.half_open_files(side.own & side.pawns, side.enemy & side.pawns)


# -------------------------------------------------------- features of passed pawns, and of pawns that may become passed


@feature
def passed_pawns(side: Side) -> Set:
    """Return this side's passed pawns: no enemy pawn is ahead of them on their own file or the files beside it.

    Example:
        >>> position = setwise.Position("4k3/8/7p/2p3P1/P2P4/8/P7/4K3 w - - 0 1")
        >>> position.feature("white_passed_pawns")
        Bitboard('a2 a4')
        >>> position.feature("black_passed_pawns")
        Bitboard('')

    Traps:
        Own pawns ahead do not matter: both pawns of a doubled pair may be passed.

    Source:
        Chess Programming Wiki, "Passed Pawns (Bitboards)".
    """
    return pawns.passed(side.own & side.pawns, side.enemy & side.pawns)


@feature
def candidate_pawns(side: Side) -> Set:
    """Return this side's candidates: open pawns, not passed yet, with at least as many helpers as sentries.

    Helpers are own pawns on the files beside, on the pawn's rank or behind; sentries are enemy pawns on the files
    beside, ahead. A pawn behind another own pawn of its file is not a candidate.

    Example:
        >>> position = setwise.Position("4k3/2p5/4p3/1P6/2P2P2/8/8/4K3 w - - 0 1")
        >>> position.feature("white_candidate_pawns")
        Bitboard('b5')

    Source:
        Chess Programming Wiki, "Candidates (Bitboards)".
    """
    return pawns.candidate(side.own & side.pawns, side.enemy & side.pawns)


@routine
def _outrun(side: Side, waits: Count) -> Set:
    """Squares from which an own pawn promotes later than the most advanced enemy pawn that can run.

    Such an enemy pawn has none of our pieces ahead of it, or may capture one of our pawns; its checks cost us a move.
    """
    enemy_pawns, own_pawns = side.enemy & side.pawns, side.own & side.pawns
    runners = enemy_pawns & (~pawns.front_span(side.own) | pawns.front_attack_span(own_pawns))
    if runners == EMPTY:
        return EMPTY
    pushes = min(lowest(runners) >> THREE, FIVE)  # a pawn that has not moved yet takes two steps at once
    checks = np.uint64(enemy_pawns & pawns.front_attack_span(side.own & side.kings) != EMPTY)
    rank = SEVEN - pushes + waits + checks
    return bit(min(rank, SEVEN) * EIGHT) - ONE if rank > TWO else EMPTY


@routine
def _racing(side: Side) -> Set:
    """Own pawns, if the enemy has only king and pawns."""
    return side.own & side.pawns if side.enemy & ~(side.kings | side.pawns) == EMPTY else EMPTY


@feature(among=_racing)
def unstoppable_passers(side: Side, own_pawns: Set) -> Set:
    """Return this side's passed pawns that the enemy, who has only king and pawns, can neither catch nor stop.

    They are passed, no own piece is in their way, and the enemy king, on an empty board, comes too late by the rule of
    the square. It matters whose turn it is; a side in check must answer the check first, which costs its turn. Two
    kinds of pawns are left out: pawns that may be taken en passant, and pawns that promote later than the most advanced
    enemy pawn that can run (no piece of this side is ahead of it, or it may capture a pawn on its way). The result is
    empty if the enemy has a piece besides king and pawns.

    If only kings and this side's pawns are left, the result also has pawns that promote with the help of their own
    king, even if the king is in front of the pawn. If no single pawn is certain to promote, it has two pawns that the
    enemy king cannot both stop, though it may choose which pawn it stops. The result is empty if the enemy king is to
    move and has no move.

    Example:
        >>> setwise.Position("8/8/8/7P/3k4/8/8/K7 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('h5')
        >>> setwise.Position("8/8/8/7P/3k4/8/8/K7 b - - 0 1").feature("white_unstoppable_passers")
        Bitboard('')

        The king must only step aside:

        >>> setwise.Position("4K3/4P3/8/8/8/8/k7/8 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('e7')

        From d5 the king would catch either pawn, but not both. From f5 it catches only h4, and a4 promotes without
        help:

        >>> setwise.Position("8/8/8/3k4/P6P/8/8/K7 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('a4 h4')
        >>> setwise.Position("8/8/8/5k2/P6P/8/8/K7 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('a4')

    Why:
        With only king and pawns the race is between a pawn and a king: `setwise.race.unstoppable` decides it by the
        rule of the square, `setwise.race.escorted` if the own king helps, `setwise.race.two` if the enemy king cannot
        be in two places. Of the enemy pawns only the most advanced matters: an own pawn must be faster than that one.

    Traps:
        For all positions of kings and one or two pawns of one side, exact ends confirm the result: one of these pawns
        promotes, or the enemy king is mated before. Wins that need more than the race are missing: wins in which the
        king must walk for two moves or more, or take the opposition. With three or more pawns, or pawns of both sides,
        a stalemate that a side plays for is not seen, and neither is an enemy pawn that promotes with check after this
        side's pawn has promoted. Pawns that win only because this side's king stops the enemy pawns meanwhile are
        missing, too: with White's king on a1, the pawn on h5 would promote against a king on d4 and a pawn on b3.
        Without an enemy king the result has all free passers, unless the enemy is to move and has no move; if a side
        has several kings, the result means nothing. Pawns on the first and the last rank are never in the result.

    Source:
        Chess Programming Wiki, "Rule of the Square", "King Pattern" (set-wise rule of the square); see `setwise.race`.
    """
    enemy_pawns = side.enemy & side.pawns
    own_king, enemy_king = side.own & side.kings, side.enemy & side.kings
    checked = np.uint64(pawns.attacks(own_king) & enemy_pawns != EMPTY)
    waits = side.to_move ^ ONE | checked
    captured = side.en_passant & attacks_down(enemy_pawns) if side.to_move == EMPTY else EMPTY
    passers = pawns.passed_free(own_pawns, enemy_pawns, side.own) & ~north(captured)
    free = race.unstoppable(passers, enemy_king, waits) & ~_outrun(side, waits)
    if (side.enemy ^ enemy_king) | (side.own ^ (own_king | own_pawns)) != EMPTY:
        return free
    if (
        side.to_move == EMPTY
        and king.attacks(enemy_king) & ~(king.attacks(own_king) | pawns.attacks(own_pawns)) == EMPTY
    ):
        return EMPTY
    single = free | race.escorted(own_pawns, own_king, enemy_king, waits) & ~pawns.rear_span(own_pawns)
    return single if single != EMPTY else race.two(passers, enemy_king, waits)


# ---------------------------------------------------------------------------------------- features of pawns among pawns


@feature
def stacked(side: Side) -> Set:
    """Return this side's pawns that share their file with another own pawn, the foremost included.

    Example:
        >>> position = setwise.Position("4k3/8/8/2P5/5P2/5P2/P1P2P2/4K3 w - - 0 1")
        >>> position.feature("white_stacked")
        Bitboard('c2 f2 f3 f4 c5')

    Traps:
        `doubled_pawns` does not have the foremost pawn.

    Source:
        Chess Programming Wiki, "Double and Triple (Bitboards)".
    """
    return pawns.stacked(side.own & side.pawns)


@feature
def phalanx(side: Side) -> Set:
    """Return this side's pawns with an own pawn right beside them on their rank.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/2PPP3/P6P/8/4K3 w - - 0 1")
        >>> position.feature("white_phalanx")
        Bitboard('c4 d4 e4')

    Source:
        Chess Programming Wiki, "Duo Trio Quart (Bitboards)".
    """
    return pawns.phalanx(side.own & side.pawns)


@feature
def chain(side: Side) -> Set:
    """Return this side's pawns that are links of a chain: they protect an own pawn, or are protected by one.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/3P4/2P1P3/1P4P1/4K3 w - - 0 1")
        >>> position.feature("white_chain")
        Bitboard('b2 c3 e3 d4')

    Why:
        A link protects an own pawn or is protected by one: these are the pawns on squares that own pawns attack, and
        the pawns that attack these squares.

    Traps:
        Bases and heads are distinguished by `setwise.pawns.chain_base` and `chain_head`.

    Source:
        Chess Programming Wiki, "Pawn Chain".
    """
    own = side.own & side.pawns
    return own & (pawns.attacks(own) | attacks_down(own))


@feature
def ram(side: Side) -> Set:
    """Return this side's pawns that are rammed: an enemy pawn stands right ahead.

    Example:
        >>> position = setwise.Position("4k3/8/8/3p4/1P1P2p1/1p6/6P1/4K3 w - - 0 1")
        >>> position.feature("white_ram")
        Bitboard('d4')

    Source:
        Chess Programming Wiki, "Pawn Rams (Bitboards)".
    """
    return pawns.ram(side.own & side.pawns, side.enemy & side.pawns)


@feature
def lever(side: Side) -> Set:
    """Return this side's pawns that attack an enemy pawn; the enemy pawn attacks them, too.

    Example:
        >>> position = setwise.Position("4k3/8/p5p1/3p4/2P1P2P/8/8/4K3 w - - 0 1")
        >>> position.feature("white_lever")
        Bitboard('c4 e4')

    Traps:
        En passant is not counted.

    Source:
        Chess Programming Wiki, "Pawn Levers (Bitboards)".
    """
    return pawns.lever(side.own & side.pawns, side.enemy & side.pawns)


@feature
def hanging_pair(side: Side) -> Set:
    """Return this side's hanging pawns: two side by side beyond the second rank, with no own pawn on the files beside.

    At least one of their files has no enemy pawn, and not both of them are passed.

    Example:
        >>> position = setwise.Position("4k3/p4ppp/1p2p3/8/2PP4/8/P4PPP/4K3 w - - 0 1")
        >>> position.feature("white_hanging_pair")
        Bitboard('c4 d4')

    Why:
        The western pawn of a pair stands for both: no own pawn is on the file to its west or two files to its east.

    Traps:
        `hanging` pieces are something else: they are attacked, and not protected. `setwise.pawns.hanging_pair`, which
        this feature was before, also has passed pairs and pairs that have not moved, and no enemy pawn on either file.

    Source:
        Aron Nimzowitsch, "My System"; Chess Programming Wiki, "Hanging Pawns".
    """
    own, enemy = side.own & side.pawns, side.enemy & side.pawns
    files, closed, passed = file_fill(own), file_fill(enemy), pawns.passed(own, enemy)
    western = own & west(own) & ~(RANK_2 | east(files) | west(west(files)) | closed & west(closed))
    western &= ~(passed & west(passed))
    return western | east(western)


@feature
def island_west_files(side: Side) -> Set:
    """Return all squares of the files on which this side's pawn islands begin in the west.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/8/1P3P2/P1P3PP/4K3 w - - 0 1")
        >>> position.feature("white_island_west_files")
        Bitboard('a1 f1 a2 f2 a3 f3 a4 f4 a5 f5 a6 f6 a7 f7 a8 f8')

    Why:
        The fileset of the pawns has a west border for each island; it is copied to all eight ranks to give squares.

    Traps:
        An island one file wide begins and ends on the same file.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return islands.files(islands.west_files(islands.fileset(side.own & side.pawns)))


@feature
def island_east_files(side: Side) -> Set:
    """Return all squares of the files on which this side's pawn islands end in the east.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/8/1P3P2/P1P3PP/4K3 w - - 0 1")
        >>> position.feature("white_island_east_files")
        Bitboard('c1 h1 c2 h2 c3 h3 c4 h4 c5 h5 c6 h6 c7 h7 c8 h8')

    Why:
        The fileset of the pawns has an east border for each island; it is copied to all eight ranks to give squares.

    Traps:
        An island one file wide begins and ends on the same file.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return islands.files(islands.east_files(islands.fileset(side.own & side.pawns)))


@feature
def widest_island(side: Side) -> Count:
    """Return the number of files of this side's widest pawn island, 0 without pawns.

    Example:
        >>> position = setwise.Position("4k3/pp1pp1pp/8/8/8/1P3P2/P1P3PP/4K3 w - - 0 1")
        >>> position.feature("white_widest_island")
        3

    Why:
        Each round removes the east file of every island; the widest island is the last to vanish, after as many rounds
        as it has files.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    files = islands.fileset(side.own & side.pawns)
    width = EMPTY
    while files != EMPTY:
        files &= files >> ONE
        width += ONE
    return width
