"""Pawn patterns: where pawns move and attack, and the structures that they form.

Our pawns come first, the enemy's second; ours move up the board. Everything is a relation of pawns to pawns: other men
matter only where an argument names them. Pawns stand on ranks 2 to 7; on the first and last rank they are no pawns, and
what a pattern says about them means nothing.
"""

from __future__ import annotations

import numpy as np

from setwise.bits import EIGHT, EMPTY, RANK_1, RANK_2, RANK_3, RANK_4, RANK_5, RANK_6, RANK_8
from setwise.compass import east, north, north_east, north_west, south, south_east, south_west, west
from setwise.fills import file_fill, north_fill, south_fill
from setwise.kernel import Fileset, Set, pattern, routine

__all__ = [
    "attacks",
    "backward",
    "backward_or_rammed",
    "candidate",
    "chain_base",
    "chain_head",
    "connected",
    "double_pushes",
    "doubled",
    "east_attacks",
    "east_captures",
    "en_passant",
    "front_attack_span",
    "front_span",
    "half_isolated",
    "half_open_files",
    "hanging_pair",
    "holes",
    "isolated",
    "lever",
    "open_files",
    "open_pawns",
    "outposts",
    "passed",
    "passed_foremost",
    "passed_free",
    "phalanx",
    "promotions",
    "ram",
    "rear_span",
    "single_pushes",
    "stacked",
    "stop",
    "straggler",
    "supported",
    "telestop",
    "west_attacks",
    "west_captures",
]

SIXTEEN, THIRTY_TWO = np.uint64(16), np.uint64(32)
OUTPOST_RANKS = RANK_4 | RANK_5 | RANK_6


# ---------------------------------------------------------------------------------------------------------- movement


@pattern
def single_pushes(pawns: Set, empty: Set) -> Set:
    """Return the squares that pawns push to by one step.

    Args:
        pawns: squares of our pawns, a set.
        empty: the empty squares, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.single_pushes(Bitboard("a2 e4"), ~Bitboard("a2 e4 e5"))
        Bitboard('a3')

    Traps:
        A push from rank 7 is a promotion: four moves, not one.

    Source:
        Chess Programming Wiki, "Pawn Pushes (Bitboards)".
    """
    return north(pawns) & empty


@pattern
def double_pushes(pawns: Set, empty: Set) -> Set:
    """Return the squares of rank 4 that pawns of rank 2 push to by two steps over two empty squares.

    Args:
        pawns: squares of our pawns, a set.
        empty: the empty squares, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.double_pushes(Bitboard("a2 c2 e2 g3"), ~Bitboard("a2 c2 e2 g3 c3 e4"))
        Bitboard('a4')

    Traps:
        Both squares must be empty, the one stepped over too.

    Source:
        Chess Programming Wiki, "Pawn Pushes (Bitboards)".
    """
    return north(north(pawns) & empty) & empty & RANK_4


@pattern
def east_attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack one step north-east.

    East and west are kept apart where the attacker of a square matters: each square has one attacker from each side.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.east_attacks(Bitboard("a2 h2"))
        Bitboard('b3')

    Traps:
        A shift by nine alone carries a pawn of the h-file to the a-file, one rank further up.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns)


@pattern
def west_attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack one step north-west.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.west_attacks(Bitboard("a2 h2"))
        Bitboard('g3')

    Traps:
        A shift by seven alone carries a pawn of the a-file to the h-file of its own rank.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_west(pawns)


@pattern
def attacks(pawns: Set) -> Set:
    """Return the squares that pawns attack, to either side.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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

    Traps:
        Attacked is not pushable to, and whether anything stands there does not matter.

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns) | north_west(pawns)


@pattern
def east_captures(pawns: Set, enemy: Set) -> Set:
    """Return the squares on which pawns capture one step north-east; the pawn comes from south-west.

    Args:
        pawns: squares of our pawns, a set.
        enemy: squares of the enemy's men, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.east_captures(Bitboard("d4 h4"), Bitboard("e5 a6 c5"))
        Bitboard('e5')

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_east(pawns) & enemy


@pattern
def west_captures(pawns: Set, enemy: Set) -> Set:
    """Return the squares on which pawns capture one step north-west; the pawn comes from south-east.

    Args:
        pawns: squares of our pawns, a set.
        enemy: squares of the enemy's men, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.west_captures(Bitboard("a4 d4"), Bitboard("e5 h4 c5"))
        Bitboard('c5')

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return north_west(pawns) & enemy


@pattern
def en_passant(pawns: Set, ep_square: Set) -> Set:
    """Return the pawns that may capture en passant: none, one or two.

    Args:
        pawns: squares of our pawns, a set.
        ep_square: the square that an enemy pawn has just stepped over, a set of at most one square.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.en_passant(Bitboard("a5 c5 h5"), Bitboard("b6"))
        Bitboard('a5 c5')

    Traps:
        The capture empties two squares of one rank at once and may uncover a check along it: legality looks again.

    Source:
        Chess Programming Wiki, "En passant".
    """
    return pawns & (south_east(ep_square) | south_west(ep_square))


@pattern
def promotions(pawns: Set, empty: Set, enemy: Set) -> Set:
    """Return the squares of rank 8 that pawns promote on with their next move, by a push or by a capture.

    Args:
        pawns: squares of our pawns, a set.
        empty: the empty squares, a set.
        enemy: squares of the enemy's men, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.promotions(Bitboard("a7 d7 h6"), ~Bitboard("a7 d7 h6 a8 b8 e8"), Bitboard("b8 e8"))
        Bitboard('b8 d8 e8')

    Source:
        Chess Programming Wiki, "Promotions".
    """
    return (north(pawns) & empty | (north_east(pawns) | north_west(pawns)) & enemy) & RANK_8


# ------------------------------------------------------------------------------------------------------------- spans


@routine
def _sideways(squares):
    return east(squares) | west(squares)


@pattern
def stop(pawns: Set) -> Set:
    """Return the stop squares: those right ahead of pawns.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.stop(Bitboard("b2 e5"))
        Bitboard('b3 e6')

    Source:
        Chess Programming Wiki, "Pawn Spans"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    return north(pawns)


@pattern
def telestop(pawns: Set) -> Set:
    """Return the telestop squares: those ahead of pawns on their files, without the stop squares.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.telestop(Bitboard("b4 e6"))
        Bitboard('b6 b7 b8 e8')

    Traps:
        A stop square of one doubled pawn can be a telestop square of the other, and is then here.

    Source:
        Chess Programming Wiki, "Pawn Spans"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    return north_fill(pawns << SIXTEEN)


@pattern
def front_span(pawns: Set) -> Set:
    """Return the front spans: all squares ahead of pawns on their files, to rank 8.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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

    Traps:
        The pawn's own square is not in its span, unless another pawn stands behind it on the file.

    Source:
        Chess Programming Wiki, "Pawn Spans".
    """
    return north_fill(north(pawns))


@pattern
def rear_span(pawns: Set) -> Set:
    """Return the rear spans: all squares behind pawns on their files, to rank 1.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.rear_span(Bitboard("b2 e5"))
        Bitboard('b1 e1 e2 e3 e4')

    Source:
        Chess Programming Wiki, "Pawn Spans".
    """
    return south_fill(south(pawns))


@pattern
def front_attack_span(pawns: Set) -> Set:
    """Return the front attack spans: what pawns attack now or, pushing on, may attack later.

    These are the squares ahead of a pawn on the files next to its own. Men in the way do not shorten a span, and
    captures, which change a pawn's file, do not widen it.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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

    Source:
        Chess Programming Wiki, "Attack Spans".
    """
    return _sideways(north_fill(north(pawns)))


@routine
def _enemy_front_spans(enemy_pawns):
    return south_fill(south(enemy_pawns))


# ------------------------------------------------------------------------------------- pawns and what is ahead of them


@pattern
def open_pawns(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the open pawns: those with no enemy pawn ahead on their file.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.open_pawns(Bitboard("b4 e5 g2"), Bitboard("b3 c7 g6"))
        Bitboard('b4 e5')

    Traps:
        An enemy pawn that has gone past on the same file (b3 here) does not close it. Own pawns ahead do not either.

    Source:
        Chess Programming Wiki, "Open Pawns (Bitboards)".
    """
    return pawns & ~_enemy_front_spans(enemy_pawns)


@pattern
def passed(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the passed pawns: no enemy pawn is ahead of them on their own file or the files beside it.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.passed(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"))
        Bitboard('a2 a4 g5')

    Traps:
        Enemy pawns of the same rank or behind do not matter. This is the wiki's definition, which looks at enemy pawns
        alone: both pawns of a doubled pair may be passed. For the foremost of each file only, as many engines have
        it, see `passed_foremost`; for a path clear of one's own men, `passed_free`.

    Source:
        Chess Programming Wiki, "Passed Pawns (Bitboards)".
    """
    guarded = _enemy_front_spans(enemy_pawns)
    return pawns & ~(guarded | _sideways(guarded))


@pattern
def passed_foremost(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the passed pawns with no own pawn ahead of them: of doubled passed pawns, the one in front.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.passed_foremost(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"))
        Bitboard('a4 g5')

    Source:
        Chess Programming Wiki, "Passed Pawns (Bitboards)"; the foremost only, as in Stockfish's pawn evaluation.
    """
    return passed(pawns, enemy_pawns) & ~south_fill(south(pawns))


@pattern
def passed_free(pawns: Set, enemy_pawns: Set, own: Set) -> Set:
    """Return the passed pawns whose whole path to promotion is clear of own men.

    That enemy pawns cannot attack the path is part of being passed: a pawn that could would stand ahead, beside it.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.
        own: squares of all our men, a set; with or without the pawns, which stand in each other's way in any case.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.passed_free(Bitboard("a4 a2 d5 g5"), Bitboard("c5 e6 h5"), Bitboard("a4 a2 d5 g5 g8"))
        Bitboard('a4')

    Traps:
        Enemy pieces may stand on the path or attack it; see `setwise.race` for races against the king.

    Source:
        Chess Programming Wiki, "Passed Pawn".
    """
    return passed(pawns, enemy_pawns) & ~south_fill(south(own | pawns))


@pattern
def ram(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the rammed pawns: an enemy pawn stands right ahead, so that neither can push.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.ram(Bitboard("b4 d4 g2"), Bitboard("d5 g4 b3"))
        Bitboard('d4')

    Source:
        Chess Programming Wiki, "Pawn Rams (Bitboards)".
    """
    return pawns & south(enemy_pawns)


@pattern
def lever(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the lever pawns: they attack an enemy pawn, and it attacks them.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.lever(Bitboard("c4 e4 h4"), Bitboard("d5 a6 g6"))
        Bitboard('c4 e4')

    Traps:
        En passant is not counted, nor a push that would make a lever, which some books call one too.

    Source:
        Chess Programming Wiki, "Pawn Levers (Bitboards)".
    """
    return pawns & (south_east(enemy_pawns) | south_west(enemy_pawns))


@pattern
def backward(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the backward pawns: an enemy pawn attacks the stop square, and no own pawn can ever defend it.

    Exactly: the stop square is attacked by an enemy pawn, is outside the front attack spans of own pawns, and no enemy
    pawn stands on it.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.backward(Bitboard("c4 d3 e4 h5"), Bitboard("c5 e5 g7 h6"))
        Bitboard('d3')

    Traps:
        Authorities differ. Isolated pawns, levers and pawns of closed files may be backward here. A rammed pawn cannot
        push and is not: h5 above, whose stop square h6 the pawn g7 defends. The wiki's code counts it: see
        `backward_or_rammed`. Kmoch wants a half-open file and rank 2 or 3: see `straggler`.

    Source:
        Chess Programming Wiki, "Backward Pawns (Bitboards)", with the rams left out as its discussion proposes.
    """
    return backward_or_rammed(pawns, enemy_pawns) & ~south(enemy_pawns)


@pattern
def backward_or_rammed(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the pawns whose stop square an enemy pawn attacks and no own pawn can ever defend, rammed ones included.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.backward_or_rammed(Bitboard("c4 d3 e4 h5"), Bitboard("c5 e5 g7 h6"))
        Bitboard('d3 h5')

    Source:
        Chess Programming Wiki, "Backward Pawns (Bitboards)", as its code has it.
    """
    enemy_attacks = south_east(enemy_pawns) | south_west(enemy_pawns)
    return pawns & south(enemy_attacks & ~_sideways(north_fill(north(pawns))))


@pattern
def straggler(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the stragglers: backward pawns on rank 2 or 3 with no enemy pawn ahead on their file.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.straggler(Bitboard("c4 d3 e4 h4"), Bitboard("c5 e5 g6"))
        Bitboard('d3')

    Source:
        Hans Kmoch, "Pawn Power in Chess"; Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    return backward(pawns, enemy_pawns) & open_pawns(pawns, enemy_pawns) & (RANK_2 | RANK_3)


# A number on every square, in binary: four sets, of the ones, twos, fours and eights. Adding two such boards, all
# squares at once, is a ripple-carry adder; smearing sums along files as fills do counts the pawns of a span.


@routine
def _add(a, b):
    one = a[0] & b[0]
    two = a[1] & b[1] | one & (a[1] ^ b[1])
    four = a[2] & b[2] | two & (a[2] ^ b[2])
    return a[0] ^ b[0], a[1] ^ b[1] ^ one, a[2] ^ b[2] ^ two, a[3] ^ b[3] ^ four


@routine
def _count_at_or_behind(pawns):
    """On each square, how many pawns stand on the files beside it, on its rank or behind."""
    n = east(pawns) ^ west(pawns), east(pawns) & west(pawns), EMPTY, EMPTY
    n = _add(n, (n[0] << EIGHT, n[1] << EIGHT, EMPTY, EMPTY))
    n = _add(n, (n[0] << SIXTEEN, n[1] << SIXTEEN, n[2] << SIXTEEN, EMPTY))
    return _add(n, (n[0] << THIRTY_TWO, n[1] << THIRTY_TWO, n[2] << THIRTY_TWO, n[3] << THIRTY_TWO))


@routine
def _count_ahead(pawns):
    """On each square, how many pawns stand on the files beside it, ahead of its rank."""
    pawns = south(pawns)
    n = east(pawns) ^ west(pawns), east(pawns) & west(pawns), EMPTY, EMPTY
    n = _add(n, (n[0] >> EIGHT, n[1] >> EIGHT, EMPTY, EMPTY))
    n = _add(n, (n[0] >> SIXTEEN, n[1] >> SIXTEEN, n[2] >> SIXTEEN, EMPTY))
    return _add(n, (n[0] >> THIRTY_TWO, n[1] >> THIRTY_TWO, n[2] >> THIRTY_TWO, n[3] >> THIRTY_TWO))


@routine
def _less(a, b):
    """The squares on which a is less than b."""
    less = ~a[0] & b[0]
    less = ~a[1] & b[1] | less & ~(a[1] ^ b[1])
    less = ~a[2] & b[2] | less & ~(a[2] ^ b[2])
    return ~a[3] & b[3] | less & ~(a[3] ^ b[3])


@pattern
def candidate(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the candidates: open pawns, not passed yet, with at least as many helpers as sentries.

    Helpers are own pawns on the files beside, on the pawn's rank or behind; sentries are enemy pawns on the files
    beside, ahead. Every pawn counts, doubled ones too. An open pawn that is neither passed nor a candidate is a faker.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.candidate(Bitboard("b5 c4 f4"), Bitboard("c7 e6"))
        Bitboard('b5')
        >>> pawns.candidate(Bitboard("b5 c4 f4"), Bitboard("a7 c7 e6"))
        Bitboard('')

    Traps:
        Whether the advance works move by move is not looked at: blockers and pieces are ignored.

    Source:
        Chess Programming Wiki, "Candidates (Bitboards)"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    outnumbered = _less(_count_at_or_behind(pawns), _count_ahead(enemy_pawns))
    return open_pawns(pawns, enemy_pawns) & ~passed(pawns, enemy_pawns) & ~outnumbered


# ------------------------------------------------------------------------------------------------ pawns and own pawns


@pattern
def doubled(pawns: Set) -> Set:
    """Return the doubled pawns: those with an own pawn somewhere ahead on the file.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.doubled(Bitboard("a2 c2 c5 f2 f3 f4"))
        Bitboard('c2 f2 f3')

    Traps:
        Authorities differ: here the foremost pawn of a file is not doubled, so that the number is the number of pawns
        too many. For every pawn of such a file see `stacked`.

    Source:
        Chess Programming Wiki, "Doubled Pawn", its set of pawns behind own pawns.
    """
    return pawns & south_fill(south(pawns))


@pattern
def stacked(pawns: Set) -> Set:
    """Return the pawns that share their file with another own pawn, the foremost included.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.stacked(Bitboard("a2 c2 c5 f2 f3 f4"))
        Bitboard('c2 f2 f3 f4 c5')

    Source:
        Chess Programming Wiki, "Doubled Pawn".
    """
    return pawns & (south_fill(south(pawns)) | north_fill(north(pawns)))


@pattern
def isolated(pawns: Set) -> Set:
    """Return the isolated pawns: no own pawn on the files beside theirs.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.isolated(Bitboard("a4 c3 d4 h2 h5"))
        Bitboard('h2 a4 h5')

    Traps:
        Doubled pawns of one file do not help each other. Neighbouring means the file, at any distance.

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)".
    """
    return pawns & ~_sideways(file_fill(pawns))


@pattern
def half_isolated(pawns: Set) -> Set:
    """Return the half-isolated pawns: own pawns on exactly one of the files beside theirs.

    They stand on the border files of pawn islands wider than one file.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.half_isolated(Bitboard("a2 b3 c4 f3 h2"))
        Bitboard('a2 c4')

    Source:
        Chess Programming Wiki, "Isolated Pawns (Bitboards)" and "Pawn Islands (Bitboards)".
    """
    files = file_fill(pawns)
    return pawns & (east(files) ^ west(files))


@pattern
def phalanx(pawns: Set) -> Set:
    """Return the pawns of a phalanx (duo): an own pawn stands right beside them on their rank.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.phalanx(Bitboard("a3 c4 d4 e4 h3"))
        Bitboard('c4 d4 e4')

    Traps:
        The a-file and the h-file are no neighbours.

    Source:
        Chess Programming Wiki, "Duo Trio Quart (Bitboards)".
    """
    return pawns & _sideways(pawns)


@pattern
def supported(pawns: Set) -> Set:
    """Return the pawns that an own pawn defends.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.supported(Bitboard("c3 d4 e5 g4 h4"))
        Bitboard('d4 e5')

    Source:
        Chess Programming Wiki, "Defended Pawns (Bitboards)".
    """
    return pawns & (north_east(pawns) | north_west(pawns))


@routine
def _defenders(pawns):
    return pawns & (south_east(pawns) | south_west(pawns))


@pattern
def connected(pawns: Set) -> Set:
    """Return the connected pawns: beside an own pawn, defended by one, or defending one.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.connected(Bitboard("a2 b4 d3 e4 g4 h4"))
        Bitboard('d3 e4 g4 h4')

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

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.chain_base(Bitboard("b2 c3 d4 e3 g2"))
        Bitboard('b2 e3')

    Traps:
        A chain has as many bases as rear ends: the wedge above has two.

    Source:
        Chess Programming Wiki, "Pawn Chain".
    """
    return _defenders(pawns) & ~supported(pawns)


@pattern
def chain_head(pawns: Set) -> Set:
    """Return the heads of pawn chains: pawns that an own pawn defends and that defend none.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> pawns.chain_head(Bitboard("b2 c3 d4 e3 g2"))
        Bitboard('d4')

    Source:
        Chess Programming Wiki, "Pawn Chain".
    """
    return supported(pawns) & ~_defenders(pawns)


@pattern
def hanging_pair(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the hanging pawns: two side by side, no own pawn on the files beside them, no enemy pawn on theirs.

    The usual case is c4 and d4 against e6; the rank is not part of the definition.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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

    Traps:
        Pawns of the two files that are not abreast (c3 and d4) hang no longer.

    Source:
        Chess Programming Wiki, "Hanging Pawns"; Hans Kmoch, "Pawn Power in Chess", his hanging duo.
    """
    own, enemy = file_fill(pawns), file_fill(enemy_pawns)
    western = pawns & west(pawns) & ~(east(own) | west(west(own)) | enemy | west(enemy))
    return western | east(western)


# --------------------------------------------------------------------------------------------------- squares and files


@pattern
def holes(pawns: Set) -> Set:
    """Return the holes in our camp: squares of ranks 3 and 4 that our pawns can never attack, and do not stand on.

    Args:
        pawns: squares of our pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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

    Traps:
        Captures may bring a pawn back into reach; a hole is one as long as pawns only push. The wiki looks at the
        files c to f only: take the intersection for that.

    Source:
        Chess Programming Wiki, "Holes", whose complement of the front attack spans is here without own pawns.
    """
    return (RANK_3 | RANK_4) & ~(_sideways(north_fill(north(pawns))) | pawns)


@pattern
def outposts(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the outposts: squares of ranks 4 to 6 that our pawns defend and enemy pawns can never attack.

    Squares with a pawn of either side on them are not counted: an outpost is for a piece.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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

    Traps:
        It is enough that an enemy pawn may come to attack the square: f5 is none, for g7-g6 does.

    Source:
        Chess Programming Wiki, "Outposts"; the ranks are Stockfish's.
    """
    safe = ~(_sideways(_enemy_front_spans(enemy_pawns)) | pawns | enemy_pawns)
    return (north_east(pawns) | north_west(pawns)) & safe & OUTPOST_RANKS


@routine
def _fileset(pawns):
    """The files that hold a pawn, as a fileset: the fill's bottom rank."""
    return south_fill(pawns) & RANK_1


@pattern
def open_files(pawns: Set, enemy_pawns: Set) -> Fileset:
    """Return the open files, as a fileset: no pawn of either side stands on them.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> f"{pawns.open_files(Bitboard('a2 b2 c2'), Bitboard('a7 f7 g7 h7')):08b}"  # h to a
        '00011000'

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return RANK_1 & ~_fileset(pawns | enemy_pawns)


@pattern
def half_open_files(pawns: Set, enemy_pawns: Set) -> Fileset:
    """Return our half-open files, as a fileset: enemy pawns stand on them and none of ours.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of the enemy's pawns, a set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> f"{pawns.half_open_files(Bitboard('a2 b2 c2'), Bitboard('a7 f7 g7 h7')):08b}"  # h to a
        '11100000'

    Traps:
        An open file is not half-open here; some definitions let the one include the other.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return _fileset(enemy_pawns) & ~_fileset(pawns)
