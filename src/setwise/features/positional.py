"""Features of the position as a whole: space, outposts of pieces, activity, material."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Set, popcount
from setwise.features.registry import Side, feature
from setwise.patterns import king, knight, pawns, sliders
from setwise.patterns.bits import (
    DARK_SQUARES,
    EMPTY,
    FIVE,
    LIGHT_SQUARES,
    NINE,
    ONE,
    RANK_6,
    RANK_7,
    RANK_8,
    THREE,
    lowest,
    more_than_one,
)
from setwise.patterns.fills import ray_fill_north, ray_fill_south
from setwise.patterns.geometry import BETWEEN
from setwise.patterns.pawns import attacks_down

# --------------------------------------------------------------------------------- features that books of strategy name


_WEST_WING, _EAST_WING = np.uint64(0x0F0F_0F0F_0F0F_0F0F), np.uint64(0xF0F0_F0F0_F0F0_F0F0)


@feature
def bishop_pair(side: Side) -> Set:
    """Return this side's bishops if it has the pair: at least one on light squares and at least one on dark squares.

    Example:
        >>> setwise.Position("2b1k1n1/8/8/8/8/8/8/2B1KB2 w - - 0 1").feature("white_bishop_pair")
        Bitboard('c1 f1')

    Why:
        A bishop never leaves the squares of its colour, so the light squares and the dark squares are tested
        separately.

    Traps:
        Two bishops on squares of the same colour are not a pair. The enemy may have the pair, too.

    Source:
        Chess Programming Wiki, "Bishop Pair".
    """
    bishops = side.own & side.bishops
    return bishops if bishops & LIGHT_SQUARES != EMPTY and bishops & DARK_SQUARES != EMPTY else EMPTY


@feature
def opposite_bishops(side: Side) -> Set:
    """Return this side's bishop if each side has one bishop, and these two are on squares of different colours.

    Example:
        >>> setwise.Position("2b1k3/p7/8/8/8/8/P7/2B1K3 w - - 0 1").feature("white_opposite_bishops")
        Bitboard('c1')

    Why:
        If each side has one bishop, each set has one square; the bishops are of opposite colours if one is on a light
        square and the other is not.

    Traps:
        Other pieces may be on the board, unlike in an ending of opposite bishops. If one side has such a bishop, the
        other side has one, too.

    Source:
        Chess Programming Wiki, "Bishops of Opposite Colors".
    """
    own, enemy = side.own & side.bishops, side.enemy & side.bishops
    single = own != EMPTY and enemy != EMPTY and not more_than_one(own) and not more_than_one(enemy)
    return own if single and (own & LIGHT_SQUARES == EMPTY) != (enemy & LIGHT_SQUARES == EMPTY) else EMPTY


@feature
def rook_on_seventh(side: Side) -> Set:
    """Return this side's rooks on its seventh rank, if the enemy king is on its eighth or an enemy pawn on its seventh.

    Example:
        >>> position = setwise.Position("6k1/R4ppp/8/8/8/8/5PPP/6K1 w - - 0 1")
        >>> position.feature("white_rook_on_seventh")
        Bitboard('a7')

    Why:
        The two ranks are masks: the king on its last rank cannot leave past the rook, and pawns that have not moved are
        attacked from the side.

    Traps:
        A rook on the seventh rank is left out if there is no king to confine and no pawn to attack. For Black the ranks
        are two and one.

    Source:
        Chess Programming Wiki, "Rook on Seventh"; Nimzowitsch, "My System".
    """
    at_work = side.enemy & (side.kings & RANK_8 | side.pawns & RANK_7)
    return side.own & side.rooks & RANK_7 if at_work != EMPTY else EMPTY


@feature
def advanced_pawns(side: Side) -> Set:
    """Return this side's pawns on its sixth and seventh rank.

    Example:
        >>> setwise.Position("4k3/P7/1P6/2P5/8/8/8/4K3 w - - 0 1").feature("white_advanced_pawns")
        Bitboard('b6 a7')

    Why:
        Ranks are counted from the side's own end of the board: the two ranks are one mask for either side.

    Source:
        Lichess, the theme "advancedPawn", which requires a move of such a pawn.
    """
    return side.own & side.pawns & (RANK_6 | RANK_7)


@feature
def connected_passers(side: Side) -> Set:
    """Return this side's connected passed pawns: each has another own passed pawn on a neighbouring file.

    Example:
        >>> setwise.Position("4k3/7p/8/1P6/2P5/8/4P3/4K3 w - - 0 1").feature("white_connected_passers")
        Bitboard('c4 b5')

    Why:
        It is `pawns.connected_passers`, applied to this side: the passed pawns fill their files, the files move one
        step to each side, and the passed pawns there have a passed neighbour.

    Traps:
        Their ranks do not matter. A pawn that is not passed does not connect others here; `connected_pawns` are pawns
        that are side by side or protect one another, passed or not.

    Source:
        Chess Programming Wiki, "Connected Passed Pawns".
    """
    return pawns.connected_passers(side.own & side.pawns, side.enemy & side.pawns)


@feature
def pawn_majority(side: Side) -> Set:
    """Return this side's pawns of each wing, files a to d or e to h, where they outnumber the enemy's.

    Example:
        >>> position = setwise.Position("4k3/p4ppp/8/8/8/8/PP4PP/4K3 w - - 0 1")
        >>> position.feature("white_pawn_majority"), position.feature("black_pawn_majority")
        (Bitboard('a2 b2'), Bitboard('f7 g7 h7'))

    Why:
        The pawns of both sides are counted on each half of the board; a side's pawns are kept on the halves where it
        has more.

    Traps:
        A majority counts even if doubled pawns make it worthless. `white_pawn_majority & files('a-d')` is the majority
        on the queen's side.

    Source:
        Chess Programming Wiki, "Pawn Majority".
    """
    own, enemy = side.own & side.pawns, side.enemy & side.pawns
    west = own & _WEST_WING if popcount(own & _WEST_WING) > popcount(enemy & _WEST_WING) else EMPTY
    east = own & _EAST_WING if popcount(own & _EAST_WING) > popcount(enemy & _EAST_WING) else EMPTY
    return west | east


@feature
def rook_behind_passer(side: Side) -> Set:
    """Return this side's rooks that stand behind a passed pawn, of either side, with nothing between.

    "Behind" is the side where the pawn comes from: below a white pawn, above a black pawn.

    Example:
        >>> position = setwise.Position("4k3/8/8/P7/8/7p/8/R3K2r w - - 0 1")
        >>> position.feature("white_rook_behind_passer"), position.feature("black_rook_behind_passer")
        (Bitboard('a1'), Bitboard(''))

    Why:
        From each passed pawn a ray goes backwards to the first piece: down the board from own pawns, up the board from
        enemy pawns. A rook on the last square of a ray is behind the pawn.

    Source:
        Tarrasch's rule: rooks belong behind passed pawns, one's own and the enemy's.
    """
    own, enemy = side.own & side.pawns, side.enemy & side.pawns
    occupied = side.own | side.enemy
    below = ray_fill_south(pawns.passed(own, enemy), occupied)
    above = ray_fill_north(enemy & ~pawns.front_span(own) & ~pawns.front_attack_span(own), occupied)
    return side.own & side.rooks & (below | above)


@feature
def king_ring_attackers(side: Side) -> Set:
    """Return this side's pieces, except the king, that attack the enemy king or a square next to it.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/6N1/8/3B4/8/3R2K1 w - - 0 1")
        >>> position.feature("white_king_ring_attackers")
        Bitboard('d3 g5')

    Why:
        Lines are the same in both directions: a bishop attacks the ring exactly if a bishop on the ring would attack
        its square. So lines from the squares of the ring find all attackers at once.

    Traps:
        Attacks end at the first piece of either side: of two rooks, one behind the other, only one counts.

    Source:
        Chess Programming Wiki, "King Safety", "Attacking King Zone".
    """
    enemy_king = side.enemy & side.kings
    ring, occupied = enemy_king | king.attacks(enemy_king), side.own | side.enemy
    return side.own & (
        knight.attacks(ring) & side.knights
        | sliders.bishops_attacks(ring, occupied) & (side.bishops | side.queens)
        | sliders.rooks_attacks(ring, occupied) & (side.rooks | side.queens)
        | attacks_down(ring) & side.pawns
    )


@feature
def opposition(side: Side) -> Set:
    """Return this side's king if it has the opposition: the kings face each other, and the enemy king must give way.

    Only kings and pawns are on the board, and the enemy is to move. The kings stand on one file, rank or diagonal, with
    one square between them (direct or diagonal opposition), or three or five (distant opposition), and no pawn there.
    The enemy king has a square to go to.

    Example:
        >>> setwise.Position("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1").feature("white_opposition")
        Bitboard('e4')
        >>> setwise.Position("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1").feature("white_opposition")
        Bitboard('')

    Why:
        The number of squares between two kings on a line is odd if the kings have the opposition.

    Traps:
        Spare moves of pawns are not considered. Before, kings with a pawn between them had it, too, and so had kings
        where the other one is stalemated.

    Source:
        Chess Programming Wiki, "Opposition".
    """
    own_king, enemy_king, own_pawns = side.own & side.kings, side.enemy & side.kings, side.own & side.pawns
    occupied = side.own | side.enemy
    if side.to_move != EMPTY or occupied & ~(side.kings | side.pawns) != EMPTY:
        return EMPTY
    if own_king == EMPTY or enemy_king == EMPTY:
        return EMPTY
    way = BETWEEN[lowest(own_king), lowest(enemy_king)]
    squares = king.attacks(enemy_king) & ~(side.enemy | king.attacks(own_king) | pawns.attacks(own_pawns))
    return own_king if popcount(way) & ONE != EMPTY and way & occupied == EMPTY and squares != EMPTY else EMPTY


# ------------------------------------------------------------------------------------------------- features of material


@feature
def material(side: Side) -> Count:
    """Return the worth of this side's pieces in pawns: a pawn 1, a knight or bishop 3, a rook 5, a queen 9.

    Example:
        >>> setwise.Position("r1b1k3/8/8/8/8/8/PPP5/R2QK1N1 w Qq - 0 1").feature("white_material")
        20

    Why:
        The sum, over all kinds of pieces, of the number of pieces times the worth of one.

    Traps:
        Kings count nothing.

    Source:
        Chess Programming Wiki, "Point Value".
    """
    values = (
        (side.pawns, ONE), (side.knights, THREE), (side.bishops, THREE), (side.rooks, FIVE), (side.queens, NINE),
    )  # fmt: skip
    worth = np.uint64(0)
    for pieces, value in values:
        worth += popcount(side.own & pieces) * value
    return worth
