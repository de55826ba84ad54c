"""Words of strategy as textbooks use them: majorities, weak pawns and bishops, plans of attack, exact words of endings.

Each definition was compared with positions that were tagged by hand before it was written; `docs/strategy.md` has the
agreement. Most of them are unions and intersections of fills; those of endings apply only to their material.
"""

from __future__ import annotations

from setwise.compiler import Set, popcount, routine
from setwise.features.registry import Side, enemy_attacks, feature
from setwise.patterns import king, knight, sliders
from setwise.patterns.bits import (
    DARK_SQUARES,
    EMPTY,
    FILES,
    LIGHT_SQUARES,
    ONE,
    RANK_1,
    RANK_2,
    RANK_3,
    RANK_4,
    RANK_5,
    RANK_6,
    RANK_7,
    RANK_8,
    more_than_one,
)
from setwise.patterns.compass import east, north, south, west
from setwise.patterns.fills import (
    file_fill,
    north_fill,
    ray_fill_east,
    ray_fill_south_east,
    ray_fill_south_west,
    ray_fill_west,
    south_fill,
)
from setwise.patterns.pawns import attacks_down

# ------------------------------------------------------------------------------------------------------ pawn structure


_QUEENSIDE, _KINGSIDE = FILES[0] | FILES[1] | FILES[2], FILES[5] | FILES[6] | FILES[7]
_CENTRE = FILES[3] | FILES[4]


@feature
def backward_pawn(side: Side) -> Set:
    """Return this side's backward pawns as textbooks have them: left behind, unable to advance, on a half-open file.

    There are own pawns on the files beside, all of them ahead. An enemy pawn attacks the square in front, and no enemy
    pawn is ahead on the pawn's file.

    Example:
        >>> position = setwise.Position("4k3/pp3ppp/3p4/4p3/4P3/8/PPP2PPP/4K3 w - - 0 1")
        >>> position.feature("black_backward_pawn")
        Bitboard('d6')

    Why:
        The squares beside own pawns, filled up the board, are those from which a pawn of the next file has not gone
        past; a backward pawn is on a file with such squares, but below all of them.

    Traps:
        An isolated pawn has no neighbours, so it is not backward. `backward_pawns` and `stragglers` are wider.

    Source:
        Hans Kmoch, "Pawn Power in Chess"; Chess Programming Wiki, "Backward Pawns (Bitboards)".
    """
    own, enemy = side.own & side.pawns, side.enemy & side.pawns
    beside = east(own) | west(own)
    left_behind = own & file_fill(beside) & ~north_fill(beside)
    return left_behind & south(attacks_down(enemy)) & ~south_fill(south(enemy))


@routine
def _majority(side: Side, wing: Set, centre_file: Set) -> Set:
    """The own pawns of a wing if they outnumber the enemy's; the centre file counts if the enemy has no centre pawn."""
    own, enemy = side.own & side.pawns, side.enemy & side.pawns
    counted = wing | (centre_file if enemy & _CENTRE == EMPTY else EMPTY)
    return own & counted if popcount(own & counted) > popcount(enemy & counted) else EMPTY


@feature
def queenside_majority(side: Side) -> Set:
    """Return this side's pawns on files a to c if they outnumber the enemy's.

    If the enemy has no pawn on files d and e, the d-file belongs to the wing.

    Example:
        >>> position = setwise.Position("6k1/1p3ppp/p3p3/8/2P5/1P6/P4PPP/6K1 w - - 0 1")
        >>> position.feature("white_queenside_majority")
        Bitboard('a2 b3 c4')

    Why:
        Both sides' pawns of the wing are counted, and the larger number is a majority.

    Traps:
        A majority counts even if doubled pawns make it worthless. `pawn_majority` counts halves of the board.

    Source:
        Capablanca, "Chess Fundamentals"; Chess Programming Wiki, "Pawn Majority".
    """
    return _majority(side, _QUEENSIDE, FILES[3])


@feature
def kingside_majority(side: Side) -> Set:
    """Return this side's pawns on files f to h if they outnumber the enemy's.

    If the enemy has no pawn on files d and e, the e-file belongs to the wing: four pawns against three.

    Example:
        >>> position = setwise.Position("4k3/ppp2ppp/2p5/8/4P3/8/PPP2PPP/4K3 w - - 0 1")
        >>> position.feature("white_kingside_majority")
        Bitboard('f2 g2 h2 e4')

    Why:
        Both sides' pawns of the wing are counted, and the larger number is a majority.

    Traps:
        As for `queenside_majority`.

    Source:
        Capablanca, "Chess Fundamentals"; Chess Programming Wiki, "Pawn Majority".
    """
    return _majority(side, _KINGSIDE, FILES[4])


@feature
def centre_majority(side: Side) -> Set:
    """Return this side's pawns on files d and e if they outnumber the enemy's.

    Example:
        >>> position = setwise.Position("4k3/pp2pppp/3p4/8/4P3/8/PPP2PPP/4K3 w - - 0 1")
        >>> position.feature("black_centre_majority")
        Bitboard('d6 e7')

    Why:
        Both sides' pawns of the two files are counted, and the larger number is a majority.

    Source:
        Andrew Soltis, "Pawn Structure Chess".
    """
    return _majority(side, _CENTRE, EMPTY)


# --------------------------------------------------------------------------------------------------- pieces and plans


@feature
def connected_rooks(side: Side) -> Set:
    """Return this side's rooks that protect each other: on one rank or file, with nothing between.

    Example:
        >>> setwise.Position("4k3/8/8/8/8/8/3Q4/R4RK1 w - - 0 1").feature("white_connected_rooks")
        Bitboard('a1 f1')

    Why:
        A rook that an own rook attacks is protected by it.

    Source:
        Tarrasch, by tradition: development is complete when the rooks are connected.
    """
    rooks = side.own & side.rooks
    return rooks & sliders.rooks_attacks(rooks, side.own | side.enemy)


_HOMES_OF_KNIGHTS, _HOMES_OF_BISHOPS = RANK_1 & (FILES[1] | FILES[6]), RANK_1 & (FILES[2] | FILES[5])


@feature
def undeveloped_minors(side: Side) -> Set:
    """Return this side's knights on b1 and g1, and bishops on c1 and f1; for Black on the eighth rank.

    Example:
        >>> position = setwise.Position("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")
        >>> position.feature("white_undeveloped_minors")
        Bitboard('b1 c1')

    Why:
        The squares are those where the knights and bishops stand when a game begins.

    Traps:
        A knight that has gone back to its square is counted, too; in Chess960 games begin otherwise.

    Source:
        Chess Programming Wiki, "Development".
    """
    return side.own & (side.knights & _HOMES_OF_KNIGHTS | side.bishops & _HOMES_OF_BISHOPS)


@feature
def fianchetto(side: Side) -> Set:
    """Return this side's bishops on b2 and g2 (b7, g7) with an own pawn ahead, on the third or fourth rank.

    Example:
        >>> position = setwise.Position("rnbqk2r/ppppppbp/5np1/8/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 2 4")
        >>> position.feature("black_fianchetto")
        Bitboard('g7')

    Why:
        The pawn that stood on the bishop's square has moved one or two steps.

    Source:
        Chess Programming Wiki, "Fianchetto".
    """
    own_pawns = side.own & side.pawns & (RANK_3 | RANK_4)
    return side.own & side.bishops & RANK_2 & (FILES[1] | FILES[6]) & south_fill(own_pawns)


@feature
def rook_lift(side: Side) -> Set:
    """Return this side's lifted rooks: on the third or fourth rank, with a free way to a file of the enemy king.

    That is the king's file or a file beside it. This side has a queen on the board.

    Example:
        >>> position = setwise.Position("r4rk1/ppp2ppp/3q4/8/8/R7/1P3PPP/3Q2K1 w - - 0 1")
        >>> position.feature("white_rook_lift")
        Bitboard('a3')

    Why:
        From the empty squares where these files cross both ranks, rays along the ranks find the rooks.

    Source:
        Vladimir Vuković, "The Art of Attack in Chess".
    """
    enemy_king, occupied = side.enemy & side.kings, side.own | side.enemy
    zone = file_fill(enemy_king | east(enemy_king) | west(enemy_king))
    free = zone & ~occupied & (RANK_3 | RANK_4)
    there = zone | ray_fill_east(free, occupied) | ray_fill_west(free, occupied)
    rooks = side.own & side.rooks & (RANK_3 | RANK_4)
    return rooks & there if side.own & side.queens != EMPTY else EMPTY


@feature
def bad_bishop(side: Side) -> Set:
    """Return this side's bad bishops: half of the own pawns or more, and a blocked centre pawn, are on its colour.

    A centre pawn is on files c to f; it is blocked if an enemy pawn stands right ahead. The bishop is on the first
    three ranks, and the first pawn on one of its two ways forward is an own centre pawn.

    Example:
        >>> position = setwise.Position("2b1k3/pp3ppp/4p3/3pP3/3P4/3B4/PP3PPP/4K3 w - - 0 1")
        >>> position.feature("black_bad_bishop"), position.feature("white_bad_bishop")
        (Bitboard('c8'), Bitboard(''))

    Why:
        Light and dark squares are tested separately, since a bishop never leaves its colour. Rays from the centre
        pawns back to the first pawn meet the bishops behind them.

    Traps:
        A bishop beyond its third rank counts as outside the pawn chain, and is active; so does one whose ways forward
        are free.

    Source:
        Jeremy Silman, "How to Reassess Your Chess"; Chess Programming Wiki, "Bad Bishop".
    """
    own = side.own & side.pawns
    centre = own & ~(FILES[0] | FILES[1] | FILES[6] | FILES[7])
    blocked = centre & south(side.enemy & side.pawns)
    behind = ray_fill_south_east(centre, side.pawns) | ray_fill_south_west(centre, side.pawns)
    half = popcount(own)
    bad = EMPTY
    for colour in (LIGHT_SQUARES, DARK_SQUARES):
        if blocked & colour != EMPTY and popcount(own & colour) << ONE >= half:
            bad |= side.bishops & colour
    return side.own & bad & behind & (RANK_1 | RANK_2 | RANK_3)


@feature
def pawn_storm(side: Side) -> Set:
    """Return this side's pawns that storm the enemy king: on its wing, on the fourth rank or beyond.

    The enemy king stands on its first two ranks, on files a to c or f to h. This side has a queen on the board.

    Example:
        >>> position = setwise.Position("2rq1rk1/pp2ppbp/3p1np1/8/3NP1PP/2N1BP2/PPPQ4/2KR3R b - - 0 1")
        >>> position.feature("white_pawn_storm")
        Bitboard('g4 h4')

    Why:
        The king's file decides on the wing, and all own pawns of that wing are intersected with the ranks from the
        fourth on.

    Traps:
        The own king may be on the same wing, as Black's in the King's Indian.

    Source:
        Chess Programming Wiki, "Pawn Storm".
    """
    enemy_king = side.enemy & side.kings & (RANK_7 | RANK_8)
    wing = _QUEENSIDE if enemy_king & _QUEENSIDE != EMPTY else EMPTY
    wing |= _KINGSIDE if enemy_king & _KINGSIDE != EMPTY else EMPTY
    storming = side.own & side.pawns & wing & (RANK_4 | RANK_5 | RANK_6 | RANK_7)
    return storming if side.own & side.queens != EMPTY else EMPTY


_SPACE = (FILES[2] | FILES[3] | FILES[4] | FILES[5]) & (RANK_2 | RANK_3 | RANK_4)


@feature
def space(side: Side) -> Set:
    """Return this side's space: squares c2 to f4 without own pawns that no enemy pawn attacks; for Black c5 to f7.

    Compare the numbers of both sides: ``bit_count(own_space) > bit_count(enemy_space)``.

    Example:
        >>> position = setwise.Position("rnbqkbnr/ppp2ppp/3p4/3Pp3/4P3/8/PPP2PPP/RNBQKBNR w KQkq - 0 1")
        >>> len(position.feature("white_space")), len(position.feature("black_space"))
        (7, 4)

    Why:
        Pieces behind the own pawns can stand on these squares, and no pawn drives them away.

    Source:
        Chess Programming Wiki, "Space"; Stockfish's evaluation by hand.
    """
    return _SPACE & ~(side.own & side.pawns) & ~attacks_down(side.enemy & side.pawns)


# ------------------------------------------------------------------------------------------------------------- kings


@feature
def luft(side: Side) -> Set:
    """Return the flight squares of a king on its first rank: empty squares of the second rank that nothing attacks.

    The king is on files a to c or f to h.

    Example:
        >>> setwise.Position("3r2k1/5ppp/8/8/8/7P/5PP1/6K1 w - - 0 1").feature("white_luft")
        Bitboard('h2')

    Why:
        Attacks of the enemy are computed without the king, which would hide squares behind it.

    Source:
        Chess Programming Wiki, "King Safety"; German for air.
    """
    own_king, occupied = side.own & side.kings, side.own | side.enemy
    around = king.attacks(own_king & RANK_1 & (_QUEENSIDE | _KINGSIDE)) & RANK_2 & ~occupied
    return around & ~enemy_attacks(side, side.enemy, occupied ^ own_king)


@feature
def safe_check_squares(side: Side) -> Set:
    """Return the squares that the enemy does not attack, to which a knight, bishop, rook or queen goes and checks.

    Example:
        >>> setwise.Position("6k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1").feature("white_safe_check_squares")
        Bitboard('d8')

    Why:
        A piece of each kind on the king's square would attack the squares from which such a piece checks.

    Traps:
        Pins are ignored, as are checks by discovery; whose turn it is does not matter.

    Source:
        Chess Programming Wiki, "King Safety"; Stockfish's evaluation by hand.
    """
    enemy_king, occupied = side.enemy & side.kings, side.own | side.enemy
    orthogonal, diagonal = (
        sliders.rooks_attacks(enemy_king, occupied), sliders.bishops_attacks(enemy_king, occupied)
    )  # fmt: skip
    checks = (
        knight.attacks(side.own & side.knights) & knight.attacks(enemy_king)
        | sliders.rooks_attacks(side.own & side.rooks, occupied) & orthogonal
        | sliders.bishops_attacks(side.own & side.bishops, occupied) & diagonal
        | sliders.queens_attacks(side.own & side.queens, occupied) & (orthogonal | diagonal)
    )
    return checks & ~side.own & ~enemy_attacks(side, side.enemy, occupied)


# ----------------------------------------------------------------------------------------------------------- endings


_A_AND_H = FILES[0] | FILES[7]


@feature
def wrong_bishop(side: Side) -> Set:
    """Return this side's bishop if it is the wrong one: it does not control the square where the rook pawns promote.

    This side has nothing else but its king and pawns, all of them on the a-file or all on the h-file.

    Example:
        >>> setwise.Position("k7/8/1K6/P7/8/4B3/8/8 w - - 0 1").feature("white_wrong_bishop")
        Bitboard('e3')

    Why:
        a8 is a light square and h8 a dark one, and a bishop never leaves the squares of its colour.

    Traps:
        The enemy king must reach the corner in time; whether it does is not considered, and its pieces are not, either.

    Source:
        Chess Programming Wiki, "Wrong Color Bishop"; Mark Dvoretsky, "Endgame Manual".
    """
    own_pawns, bishops = side.own & side.pawns, side.own & side.bishops
    corner = (RANK_8 & file_fill(own_pawns)) if own_pawns & ~_A_AND_H == EMPTY else EMPTY
    colour = LIGHT_SQUARES if corner & LIGHT_SQUARES != EMPTY else DARK_SQUARES
    is_one = corner != EMPTY and not more_than_one(corner) and bishops & colour == EMPTY
    return bishops if is_one and side.own & ~(side.kings | side.pawns | side.bishops) == EMPTY else EMPTY


@feature
def key_squares(side: Side) -> Set:
    """Return the key squares of king and pawn against king: if this side's king reaches one of them, the pawn promotes.

    They are the three squares two ranks ahead of a pawn; from the fifth rank on also the three squares right ahead; on
    the seventh rank the squares beside the pawn and ahead. A rook pawn has two: b7 and b8, or g7 and g8.

    Example:
        >>> setwise.Position("8/4k3/8/8/4P3/4K3/8/8 w - - 0 1").feature("white_key_squares")
        Bitboard('d6 e6 f6')

    Why:
        From these squares the king escorts the pawn with or without the opposition: the enemy king can keep no square
        in front of it.

    Traps:
        The king must reach the square with the pawn safe.

    Source:
        Mark Dvoretsky, "Endgame Manual"; Chess Programming Wiki, "KPK".
    """
    pawn = side.own & side.pawns
    if (side.own ^ pawn) & ~side.kings | side.enemy & ~side.kings != EMPTY or pawn == EMPTY or more_than_one(pawn):
        return EMPTY
    if pawn & _A_AND_H != EMPTY:
        return (FILES[1] if pawn & FILES[0] != EMPTY else FILES[6]) & (RANK_7 | RANK_8)
    ahead = north(north(pawn)) | (north(pawn) if pawn & (RANK_5 | RANK_6 | RANK_7) != EMPTY else EMPTY)
    beside = pawn & RANK_7
    return ahead | east(ahead | beside) | west(ahead | beside)
