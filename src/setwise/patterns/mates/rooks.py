"""Mates by rooks, or a queen in their place: along the edge, side by side, between the shoulders.

Args:
    king: square of the enemy king, the mated one, a set.
    blockers: squares of the other pieces of the king's side.
    orthogonal: squares of our rooks and queens.
    occupied: squares of all pieces of both sides.
    attacked: squares that we attack with the mated king lifted off the board, our own pieces' squares included.
    rooks: squares of our rooks.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, pattern
from setwise.patterns.bits import EMPTY, FILE_A, FILE_H, RANK_1, RANK_8
from setwise.patterns.compass import east, north, south, west
from setwise.patterns.compass.steps import sideways
from setwise.patterns.fills import ray_fill_east, ray_fill_north, ray_fill_south, ray_fill_west
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.sliders import rooks_attacks

__all__ = ["back_rank", "blind_swine", "corridor", "epaulette", "ladder", "two_rooks"]


@pattern
def back_rank(king: Set, blockers: Set, orthogonal: Set, occupied: Set, attacked: Set) -> Flag:
    """Return whether a rook or queen checks along the last rank, and the king's own pieces fill the squares before it.

    None of those squares is attacked: a luft would have saved the king.

    Example:
        >>> mate = setwise.Position("3R2k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.back_rank(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & (mate.rooks | mate.queens), mate.occupied,
        ...     sliders.rooks_attacks(own & mate.rooks, mate.occupied)
        ... )
        True

    Why:
        `ahead` is the king's square moved one rank down, with the squares on either side. The ray fills east
        and west of the king end on the first piece; a rook or queen there gives the check. Each square ahead
        must hold a piece of the king's side that we do not attack: on an attacked square the king could not
        have gone in any case.

    Names:
        back-rank mate, backRankMate.

    Source:
        Wikipedia, "Checkmate pattern", "Back-rank mate"; Lichess, the theme "backRankMate".
    """
    ahead = south(king | sideways(king))
    checked = (ray_fill_east(king, occupied) | ray_fill_west(king, occupied)) & orthogonal
    return np.uint64(king & RANK_8 != EMPTY and checked != EMPTY and ahead & ~(blockers & ~attacked) == EMPTY)


@pattern
def corridor(king: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a rook or queen checks a king on the edge along that edge: a corridor with no way out.

    Example:
        >>> mate = setwise.Position("4Q1k1/pp3ppp/8/3p4/2qP4/7P/2P2PPK/8 b - - 0 23")
        >>> own = mate.white_pieces
        >>> mates.corridor(mate.black_pieces & mate.kings, own & (mate.rooks | mate.queens), mate.occupied)
        True

    Why:
        From a king on the first or last rank the ray fills go east and west, from a king on an edge file north and
        south, and from a corner all four ways. Each ends on the first piece: a rook or queen there gives the check.

    Traps:
        Wider than `back_rank`: the squares before the king may be attacked instead of blocked, and the edge may be a
        file. A queen or rook next to the king counts, too, if it is on the edge.

    Names:
        corridor mate.

    Source:
        Chess literature, "corridor mate": a king on the edge, mated along it.
    """
    on_rank, on_file = king & (RANK_1 | RANK_8), king & (FILE_A | FILE_H)
    sides = ray_fill_east(on_rank, occupied) | ray_fill_west(on_rank, occupied)
    ends = ray_fill_north(on_file, occupied) | ray_fill_south(on_file, occupied)
    return np.uint64((sides | ends) & orthogonal != EMPTY)


@pattern
def epaulette(king: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a rook or queen checks a king with a piece on either shoulder, at right angles to the check.

    Example:
        >>> mate = setwise.Position("3rkr2/8/4Q3/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.epaulette(enemy & mate.kings, own & (mate.rooks | mate.queens), mate.occupied)
        True

    Why:
        Ray fills along the file find a rook or queen that checks there. Then the shoulders are east and west of
        the king: `east(occupied) & west(occupied)` are the squares with a piece on both sides. For a check
        along the rank the shoulders are north and south of it.

    Traps:
        The books want the king's own pieces on its shoulders; Lichess counts ours as well, and so does this. Take
        `occupied` without our pieces beside the king to be strict.

    Names:
        epaulette mate, epaulet mate, epauletteMate.

    Source:
        Wikipedia, "Checkmate pattern", "Epaulette mate"; Lichess, the theme "epauletteMate".
    """
    on_file = (ray_fill_north(king, occupied) | ray_fill_south(king, occupied)) & orthogonal
    on_rank = (ray_fill_east(king, occupied) | ray_fill_west(king, occupied)) & orthogonal
    across, along = king & east(occupied) & west(occupied), king & north(occupied) & south(occupied)
    return np.uint64((on_file != EMPTY and across != EMPTY) or (on_rank != EMPTY and along != EMPTY))


@pattern
def blind_swine(king: Set, rooks: Set) -> Flag:
    """Return whether a rook next to the king has another rook at its side.

    Example:
        >>> mate = setwise.Position("5rk1/6RR/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.blind_swine(enemy & mate.kings, own & mate.rooks)
        True

    Why:
        A rook next to the king on its rank or file checks it, and the rook at its side protects it. `in_row`
        are the rooks with another one beside them: they check from above or below. `in_column` are those with
        another one above or below: they check from the side.

    Traps:
        In the books the rooks stand on the seventh rank. Lichess counts them on any rank or file, and so does this.

    Names:
        blind swine mate, blindSwineMate.

    Source:
        Wikipedia, "Checkmate pattern", "Blind swine mate"; Lichess, the theme "blindSwineMate".
    """
    in_row, in_column = rooks & sideways(rooks), rooks & (north(rooks) | south(rooks))
    return np.uint64(king & (north(in_row) | south(in_row) | sideways(in_column)) != EMPTY)


@pattern
def ladder(king: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a rook or queen checks along the edge, and another one attacks the next line beside the king.

    Example:
        >>> mate = setwise.Position("1Q4k1/R7/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.ladder(enemy & mate.kings, own & (mate.rooks | mate.queens), mate.occupied)
        True

    Why:
        `along` is what rooks and queens see along their ranks, `upright` along their files. For a king on the
        eighth rank, `along` must have the king's square, which is the check, and the squares next to the king
        on the seventh rank. The three other edges are the same, rotated.

    Names:
        ladder mate, lawnmower mate, staircase mate.

    Source:
        Wikipedia, "Checkmate pattern", "Ladder mate".
    """
    along = ray_fill_east(orthogonal, occupied) | ray_fill_west(orthogonal, occupied)
    upright = ray_fill_north(orthogonal, occupied) | ray_fill_south(orthogonal, occupied)
    row, column = king | sideways(king), king | north(king) | south(king)
    held = king & RANK_8 & along != EMPTY and south(row) & ~along == EMPTY
    held = held or (king & RANK_1 & along != EMPTY and north(row) & ~along == EMPTY)
    held = held or (king & FILE_A & upright != EMPTY and east(column) & ~upright == EMPTY)
    held = held or (king & FILE_H & upright != EMPTY and west(column) & ~upright == EMPTY)
    return np.uint64(held)


@pattern
def two_rooks(king: Set, blockers: Set, rooks: Set, occupied: Set) -> Flag:
    """Return whether rooks check and attack all squares next to the king, which are free of the king's own pieces.

    Example:
        >>> mate = setwise.Position("1R4k1/R7/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.two_rooks(enemy & mate.kings, enemy & ~mate.kings, own & mate.rooks, mate.occupied)
        True

    Why:
        `taken` is what the rooks attack with the king lifted off the board, so that they see past it. The
        king's square must be in it, which is the check, and so must every square next to the king; a square
        with a piece of the king's side does not count as taken.

    Traps:
        Most of these mates are `ladder`, too.

    Names:
        two rooks mate, rook roller.

    Source:
        Wikipedia, "Checkmate", "Two major pieces".
    """
    around, taken = king_attacks(king), rooks_attacks(rooks, occupied & ~king)
    return np.uint64(king & taken != EMPTY and around & ~(taken & ~blockers) == EMPTY)
