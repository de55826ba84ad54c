"""Features of attacks and defence: attacked and hanging pieces, sole and overloaded defenders, lost protectors.

The first features are unions of attacks. The later features find whether a piece falls if a protector is removed, cut
off or busy, so they make moves and count exchanges. Such a feature has two stages: a routine without branches computes
candidate squares for many positions at once, and only these are searched one by one. There may be too many candidates,
but never too few; tests compare both stages with python-chess. Words such as "87 % of 139 good" in a docstring are
counts by Stockfish.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Count, Move, Set, Square, entry, popcount, routine, scratch
from setwise.compiler.kinds import named, uint16, uint64
from setwise.features.registry import Side, enemy_attacks, feature, is_ready, mover, own_attacks, pieces_attacks
from setwise.patterns import fills, king, pawns, tactics
from setwise.patterns.bits import (
    EMPTY,
    ONE,
    RANK_6,
    RANK_7,
    RANK_8,
    TWO,
    bit,
    lowest,
    more_than_one,
    only_lowest,
    without_lowest,
)
from setwise.patterns.fills import (
    ray_fill_east,
    ray_fill_north,
    ray_fill_north_east,
    ray_fill_north_west,
    ray_fill_south,
    ray_fill_south_east,
    ray_fill_south_west,
    ray_fill_west,
)
from setwise.patterns.geometry import LINE
from setwise.patterns.knight import knight_move_count
from setwise.patterns.pawns import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import NORMAL, Board, kind_of, make_move, origin_of, target_of
from setwise.rules.exchange import see
from setwise.rules.generate import MOST_MOVES, moves_to
from setwise.rules.search import FIRST, NOT_KNOWN, falls, gain, list_arrivals, own_attackers, wins_most

# --------------------------------------------------------------------------------------- features of attack and defence


@feature
def attacks(side: Side) -> Set:
    """Return all squares that this side attacks, including the squares of own pieces, which it protects.

    Sliders attack up to the first piece on their way.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/3N4/8/1B3P2/4K3 w - - 0 1")
        >>> print(position.feature("white_attacks"))
        . . . . . . . .
        . . . . . . . .
        . . 1 . 1 . . .
        . 1 . . . 1 . .
        . . . 1 . . . .
        1 1 1 . 1 1 1 .
        . . 1 1 1 1 . .
        1 . 1 1 . 1 . .

    Why:
        The attacks of each kind of piece are united: knights, kings and pawns are whole sets that move by one step,
        sliders use ray fills.

    Traps:
        Attacks are not moves. A pinned piece attacks, too, and pawns attack only diagonally, even empty squares.

    Source:
        Chess Programming Wiki, "Square Attacked By", "Attack and Defend Maps".
    """
    return own_attacks(side, side.own, side.own | side.enemy)


@feature
def pawn_attacks(side: Side) -> Set:
    """Return all squares that pawns of this side attack, including the squares of own pieces.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/P2P4/7P/8/4K3 w - - 0 1")
        >>> print(position.feature("white_pawn_attacks"))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . 1 1 . 1 . . .
        . . . . . . 1 .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return pawns.attacks(side.own & side.pawns)


@feature
def attacked_twice(side: Side) -> Set:
    """Return the squares that two or more pieces of this side attack, including the squares of own pieces.

    It is the greater-one set of all attacks: each direction of the pawns, knights, kings and sliders is one set.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/8/2N5/8/3RK3 w - - 0 1")
        >>> position.feature("white_attacked_twice")
        Bitboard('b1 d1 d2 e2 d5')

    Traps:
        A slider behind another slider does not attack the squares beyond it. Pinned pieces attack, too.

    Source:
        Chess Programming Wiki, "General Setwise Operations" (greater one sets).
    """
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    return tactics.attacked_twice(
        side.own & side.pawns, side.own & side.knights, side.own & orthogonal, side.own & diagonal,
        side.own & side.kings, side.own | side.enemy,
    )  # fmt: skip


@feature
def undefended(side: Side) -> Set:
    """Return this side's pieces, except the king, that no other piece of this side protects.

    The king protects, and so does a pinned piece. It does not matter whether the enemy attacks them: see `hanging`.

    Example:
        >>> position = setwise.Position("4k3/8/8/3p4/4P3/2N5/1P6/4K1B1 w - - 0 1")
        >>> position.feature("white_undefended")
        Bitboard('g1 b2')

    Why:
        The attacks of the side include the squares of the own pieces that are protected; all its other pieces are not.

    Source:
        Chess Programming Wiki, "Hanging Piece", "Loose Piece".
    """
    return side.own & ~side.kings & ~own_attacks(side, side.own, side.own | side.enemy)


@feature
def hanging(side: Side) -> Set:
    """Return this side's hanging pieces, except the king: the enemy attacks them and no own piece protects them.

    All attacks count, also attacks of the kings and of pinned pieces.

    Example:
        >>> position = setwise.Position("4k3/8/8/3p4/4P3/2N5/1P6/4K1B1 w - - 0 1")
        >>> position.feature("white_hanging")
        Bitboard('')
        >>> position.feature("black_hanging")
        Bitboard('d5')

    Why:
        A hanging piece is in the attack map of the enemy and not in the attack map of this side. A piece does not
        attack its own square, so it never protects itself.

    Traps:
        A protected piece can be lost, too, if the attacker is worth less or there are more attackers than protectors;
        to find that needs an exchange evaluation. A piece that only a pinned piece attacks may hang only in theory.

    Source:
        Chess Programming Wiki, "Hanging Piece".
    """
    occupied = side.own | side.enemy
    return side.own & ~side.kings & enemy_attacks(side, side.enemy, occupied) & ~own_attacks(side, side.own, occupied)


@routine
def _orthogonal_moves(movers: Set, occupied: Set, allowed: Set) -> Count:
    return (
        popcount(fills.ray_fill_north(movers, occupied) & allowed)
        + popcount(fills.ray_fill_east(movers, occupied) & allowed)
        + popcount(fills.ray_fill_south(movers, occupied) & allowed)
        + popcount(fills.ray_fill_west(movers, occupied) & allowed)
    )


@routine
def _diagonal_moves(movers: Set, occupied: Set, allowed: Set) -> Count:
    return (
        popcount(fills.ray_fill_north_east(movers, occupied) & allowed)
        + popcount(fills.ray_fill_south_east(movers, occupied) & allowed)
        + popcount(fills.ray_fill_south_west(movers, occupied) & allowed)
        + popcount(fills.ray_fill_north_west(movers, occupied) & allowed)
    )


@routine
def _pawn_moves(movers: Set, enemy: Set, empty: Set) -> Count:
    return (
        popcount(pawns.single_pushes(movers, empty))
        + popcount(pawns.double_pushes(movers, empty))
        + popcount(pawns.east_captures(movers, enemy))
        + popcount(pawns.west_captures(movers, enemy))
    )


@feature
def mobility(side: Side) -> Count:
    """Return the number of pseudo-legal moves of this side, as if it were its turn: each piece, each target square.

    All pieces count, also king and pawns. A promotion is one move, for any new piece; castling and en passant are left
    out, because they depend on earlier moves. Checks and pins do not matter.

    Example:
        >>> setwise.Position().feature("white_mobility")
        20

    Why:
        In one direction every square is reached by only one piece, so that counting the targets of each direction
        counts the moves.

    Traps:
        It is not a number of squares: if two knights reach the same square, these are two moves. A square that two
        kings of one side reach (a position that the rules do not allow) counts once.

    Source:
        Chess Programming Wiki, "Mobility".
    """
    # In one direction every square is reached by one piece only: counting targets counts moves.
    occupied, allowed = side.own | side.enemy, ~side.own
    return (
        _orthogonal_moves(side.own & (side.rooks | side.queens), occupied, allowed)
        + _diagonal_moves(side.own & (side.bishops | side.queens), occupied, allowed)
        + knight_move_count(side.own & side.knights, allowed)
        + _pawn_moves(side.own & side.pawns, side.enemy, ~occupied)
        + popcount(king.attacks(side.own & side.kings) & allowed)
    )


@routine
def _battery(sliders: Set, aims: Set, occupied: Set, up: Any, down: Any) -> Set:
    """The sliders on a line up the board of which the front one sees one of the aims, with one or two behind it."""
    front = sliders & up(sliders, occupied) & down(aims, occupied)
    behind = sliders & down(front, occupied)
    return front | behind | sliders & down(behind, occupied)


@feature
def batteries(side: Side) -> Set:
    """Return this side's sliders in a battery: two or three on a line up the board, aimed at the enemy.

    Rooks and queens make batteries on files, bishops and queens on diagonals. The front one sees an enemy piece, or an
    empty square of the sixth rank or beyond.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/8/3Q4/2B5/3RK3 w - - 0 1")
        >>> position.feature("white_batteries")
        Bitboard('d1 c2 d3')

    Why:
        A slider that another one sees from behind is a front; rays down from the aims find those that see an aim.

    Traps:
        `connected_rooks` are another word. `setwise.lines.batteries`, which this feature was before, also has pairs on
        a rank, and pairs whose way is barred.

    Source:
        Chess Programming Wiki, "Battery".
    """
    occupied = side.own | side.enemy
    orthogonal, diagonal = side.own & (side.rooks | side.queens), side.own & (side.bishops | side.queens)
    aims = side.enemy | (RANK_6 | RANK_7 | RANK_8) & ~occupied
    return (
        _battery(orthogonal, aims, occupied, ray_fill_north, ray_fill_south)
        | _battery(diagonal, aims, occupied, ray_fill_north_east, ray_fill_south_west)
        | _battery(diagonal, aims, occupied, ray_fill_north_west, ray_fill_south_east)
    )


@routine
def _behind_orthogonally(movers: Set, through: Set, occupied: Set) -> Set:
    """The squares that rooks attack through the first piece on a line, if it is one of the pieces ``through``."""
    return (
        fills.ray_fill_north(fills.ray_fill_north(movers, occupied) & through, occupied)
        | fills.ray_fill_east(fills.ray_fill_east(movers, occupied) & through, occupied)
        | fills.ray_fill_south(fills.ray_fill_south(movers, occupied) & through, occupied)
        | fills.ray_fill_west(fills.ray_fill_west(movers, occupied) & through, occupied)
    )


@routine
def _behind_diagonally(movers: Set, through: Set, occupied: Set) -> Set:
    """The squares that bishops attack through the first piece on a line, if it is one of the pieces ``through``."""
    return (
        fills.ray_fill_north_east(fills.ray_fill_north_east(movers, occupied) & through, occupied)
        | fills.ray_fill_south_east(fills.ray_fill_south_east(movers, occupied) & through, occupied)
        | fills.ray_fill_south_west(fills.ray_fill_south_west(movers, occupied) & through, occupied)
        | fills.ray_fill_north_west(fills.ray_fill_north_west(movers, occupied) & through, occupied)
    )


@feature
def xray_attacks(side: Side) -> Set:
    """Return the squares that a slider of this side attacks or protects through one enemy piece, as by X-ray.

    Example:
        >>> position = setwise.Position("4k3/4q3/8/8/4r3/8/8/4RK2 w - - 0 1")
        >>> position.feature("white_xray_attacks")
        Bitboard('e5 e6 e7')

    Why:
        Each direction has two ray fills: the first fill ends on the first piece; if that is an enemy piece, the second
        fill continues from there to the next piece.

    Traps:
        A square that another piece attacks directly is in the result, too. Lines through own pieces are not: they are
        `batteries`, or `discovered_attacks` if the piece in between leaves the line. Pawns in between count, and so
        does the king.

    Names:
        x-ray attack, xRayAttack.

    Source:
        Chess Programming Wiki, "X-ray Attacks (Bitboards)"; Lichess, the theme "xRayAttack".
    """
    occupied = side.own | side.enemy
    return _behind_orthogonally(side.own & (side.rooks | side.queens), side.enemy, occupied) | _behind_diagonally(
        side.own & (side.bishops | side.queens), side.enemy, occupied
    )


# -------------------------------------------------------------------------------------- features of pieces that protect


@routine
def _protected_once(side: Side) -> Set:
    """Own pieces, not the king, that the enemy attacks and one own piece protects."""
    occupied = side.own | side.enemy
    orthogonal, diagonal = side.own & (side.rooks | side.queens), side.own & (side.bishops | side.queens)
    more = tactics.attacked_twice(
        side.own & side.pawns, side.own & side.knights, orthogonal, diagonal, side.own & side.kings, occupied
    )
    protected = own_attacks(side, side.own, occupied) & ~more
    return side.own & ~side.kings & protected & enemy_attacks(side, side.enemy, occupied)


@routine
def _protected_once_each(side: Side) -> Set:
    """The same pieces, if there are two or more."""
    pieces = _protected_once(side)
    return pieces if more_than_one(pieces) else EMPTY


@routine
def _protectors_of(side: Side, pieces: Set) -> tuple[Set, Set]:
    """The protectors of some pieces, which have one protector each; and those that protect two of these pieces."""
    board, once, twice = mover(side), EMPTY, EMPTY
    while pieces != EMPTY:
        protector = own_attackers(board, lowest(pieces))
        pieces = without_lowest(pieces)
        twice |= once & protector
        once |= protector
    return once, twice


@feature(among=_protected_once)
def sole_defenders(side: Side, pieces: Set) -> Set:
    """Return this side's pieces that are the only protector of an attacked piece; 3 of 5 positions have some.

    If such a piece is captured, lured away or pinned, the piece that it protects hangs: "remove the guard".

    Example:
        >>> position = setwise.Position("6k1/6pp/8/3n4/5b2/8/6B1/5RK1 w - - 0 1")
        >>> position.feature("black_sole_defenders")
        Bitboard('d5')

    Why:
        A piece that its side attacks, but not twice, has one protector: attack maps find all such pieces at once. For
        each of them that the enemy attacks, the own piece that attacks its square is collected.

    Traps:
        A protector counts even if it is pinned, and an attacker even if it is worth more than the attacked piece.
        Whether the protector can be removed is not examined. A slider behind the protector does not count. The king is
        not among the protected pieces, but it may be a protector.

    Source:
        Chess Programming Wiki, "Overloading", "Undermining".
    """
    return _protectors_of(side, pieces)[0]


@feature(among=_protected_once_each)
def defenders_overloaded(side: Side, pieces: Set) -> Set:
    """Return this side's pieces that are the only protectors of two or more attacked pieces.

    Example:
        >>> position = setwise.Position("6k1/6pp/3b4/8/1n3n2/8/6PP/1R3RK1 w - - 0 1")
        >>> position.feature("black_defenders_overloaded")
        Bitboard('d6')

    Why:
        For each attacked piece with a single protector, the protector is collected; a protector that is collected twice
        is overloaded. Only positions with two such attacked pieces are examined.

    Traps:
        As for `sole_defenders`, pins, the worth of the attackers, and sliders behind are not examined.

    Source:
        Chess Programming Wiki, "Overloading".
    """
    return _protectors_of(side, pieces)[1]


# --------------------------------------------------------------- features of moves that part a piece from its protector


_move_list = scratch(MOST_MOVES)


@routine
def _endangered(side: Side | Board) -> Set:
    """The enemy pieces (no pawns, no kings) that an own piece except the king attacks and that no pawn protects."""
    attacked = own_attacks(side, side.own & ~side.kings, side.own | side.enemy)
    return attacked & side.enemy & ~(side.kings | side.pawns) & ~attacks_down(side.enemy & side.pawns)


@routine
def _falls_to_any(board: Board, square: Square) -> bool:
    """Whether some own piece, except the king, wins the enemy piece on a square by capturing it."""
    ours = own_attackers(board, square) & ~board.kings
    while ours != EMPTY:
        if falls(board, lowest(ours), square):
            return True
        ours = without_lowest(ours)
    return False


@routine
def _makes_fall(board: Board, move: Move, pieces: Set) -> bool:
    """Whether one of some enemy pieces falls after a move if the enemy then passes, and does not fall before it."""
    after = make_move(board, move)
    pieces &= after.enemy
    while pieces != EMPTY:
        square = lowest(pieces)
        pieces = without_lowest(pieces)
        if _falls_to_any(after, square) and not _falls_to_any(board, square):
            return True
    return False


# -------------------------------------------------------------------------------------------------------- interference


@routine
def _cut_off(board: Board, square: Square) -> Set:
    """The endangered pieces that an enemy slider protects across an empty square."""
    occupied = board.own | board.enemy
    pieces = EMPTY
    seen = rook_attacks(square, occupied) & board.enemy
    sliders = seen & (board.rooks | board.queens)
    while sliders != EMPTY:
        pieces |= LINE[square, lowest(sliders)] & seen & ~(sliders & ~without_lowest(sliders))
        sliders = without_lowest(sliders)
    seen = bishop_attacks(square, occupied) & board.enemy
    sliders = seen & (board.bishops | board.queens)
    while sliders != EMPTY:
        pieces |= LINE[square, lowest(sliders)] & seen & ~(sliders & ~without_lowest(sliders))
        sliders = without_lowest(sliders)
    return pieces & _endangered(board)


@entry(uint64, named(Side), uint64)
def _interfering(side: Side, squares: Set) -> Set:
    """The squares, among the given ones, where a piece cuts off a protector, and wins by it."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    moves = _move_list(uint16)
    found, known = EMPTY, NOT_KNOWN
    for i in range(moves_to(board, squares, moves)):
        move = np.uint64(moves[i])
        here = bit(target_of(move))
        if kind_of(move) != NORMAL or here & squares & ~found == EMPTY or bit(origin_of(move)) & board.kings != EMPTY:
            continue
        if _makes_fall(board, move, _cut_off(board, target_of(move))):
            known, wins = wins_most(board, move, TWO, ONE, FIRST, known)
            found |= here if wins else EMPTY
    return found


@routine
def _lines_of_protection(side: Side) -> Set:
    """Empty squares between an enemy slider and an endangered piece, where an own piece can go."""
    occupied = side.own | side.enemy
    movers = side.own & ~side.kings
    attacked = _endangered(side)
    orthogonal, diagonal = side.enemy & (side.rooks | side.queens), side.enemy & (side.bishops | side.queens)
    between = (
        ray_fill_north(orthogonal, occupied) & ray_fill_south(attacked, occupied)
        | ray_fill_south(orthogonal, occupied) & ray_fill_north(attacked, occupied)
        | ray_fill_east(orthogonal, occupied) & ray_fill_west(attacked, occupied)
        | ray_fill_west(orthogonal, occupied) & ray_fill_east(attacked, occupied)
        | ray_fill_north_east(diagonal, occupied) & ray_fill_south_west(attacked, occupied)
        | ray_fill_south_west(diagonal, occupied) & ray_fill_north_east(attacked, occupied)
        | ray_fill_north_west(diagonal, occupied) & ray_fill_south_east(attacked, occupied)
        | ray_fill_south_east(diagonal, occupied) & ray_fill_north_west(attacked, occupied)
    )
    pushed = pawns.single_pushes(movers & side.pawns, ~occupied) | pawns.double_pushes(movers & side.pawns, ~occupied)
    return between & ~occupied & (pieces_attacks(side, movers, occupied) | pushed)


@feature(among=_lines_of_protection)
def interferences(side: Side, squares: Set) -> Set:
    """Return the squares where a piece of this side cuts off a protector next; 76 % of 55 good (Stockfish, 11/2026).

    The protector is a slider. The piece cut off is no pawn and no king, no pawn protects it, and this side attacks it:
    it falls after the move and did not fall before. The move wins at least two pawns' worth after every reply, and a
    pawn more than any move of another piece, unless it leaves this side four pawns ahead. In 732,498 positions of games
    there are 55 interferences, and Stockfish finds 42 of them good.

    Example:
        >>> position = setwise.Position("3r2k1/6pp/8/8/2Pn3R/5B2/5PP1/6K1 w - - 0 1")
        >>> position.feature("white_interferences")
        Bitboard('d5')

    Why:
        Rays from enemy sliders and rays from attacked pieces meet on the empty squares between them. Each move to such
        a square is tried, and kept if the piece behind it then falls and the move wins.

    Traps:
        Squares on which an enemy piece is forced to cut off a protector of its own side are not in the result. All
        lines of three plies are searched after the move, then captures: later events are not seen. The feature is
        computed as if it were this side's turn; it is empty while the enemy stands in check, and unless each side has
        one king.

    Names:
        interference, Novotny.

    Source:
        Chess Programming Wiki, "Interference"; Lichess, the theme "interference".
    """
    return _interfering(side, squares)


@routine
def _protecting(board: Board, pieces: Set, endangered: Set) -> Set:
    """The enemy pieces, among the given ones, that protect an endangered piece."""
    protecting = EMPTY
    while pieces != EMPTY:
        piece = only_lowest(pieces)
        pieces ^= piece
        if enemy_attacks(board, piece, board.own | board.enemy) & endangered != EMPTY:
            protecting |= piece
    return protecting


@entry(uint64, named(Side), uint64)
def _undermining(side: Side, squares: Set) -> Set:
    """The squares, among the given ones, where a capture takes a protector of another piece, and wins by it."""
    board = mover(side)
    endangered = _endangered(board)
    squares = _protecting(board, squares, endangered)
    if squares == EMPTY or not is_ready(board):
        return EMPTY
    moves = _move_list(uint16)
    found, known = EMPTY, NOT_KNOWN
    captors = board.own & ~(board.pawns & RANK_7)
    for i in range(list_arrivals(board, captors, squares, moves)):
        move = np.uint64(moves[i])
        here = bit(target_of(move))
        if here & ~found == EMPTY or TWO <= see(board, move) <= gain(board, move):
            continue
        protected = enemy_attacks(board, here, board.own | board.enemy) & endangered
        if _makes_fall(board, move, protected):
            known, wins = wins_most(board, move, TWO, ONE, FIRST, known)
            found |= here if wins else EMPTY
    return found


@routine
def _side_protectors(side: Side) -> Set:
    """The enemy pieces that this side attacks, if one of them is endangered."""
    attacked = own_attacks(side, side.own, side.own | side.enemy) & side.enemy & ~side.kings
    return attacked if _endangered(side) != EMPTY and more_than_one(attacked) else EMPTY


@feature(among=_side_protectors)
def underminings(side: Side, squares: Set) -> Set:
    """Return the squares of protectors whose captures by this side win; 87 % of 139 good (Stockfish, 11/2026).

    The exchange on the protector's square alone does not win two pawns' worth. The protected piece is no pawn and no
    king, no pawn protects it, and it falls after the capture and did not fall before. With the following moves, the
    capture wins at least two pawns' worth after every reply, and a pawn more than any move of another piece, unless it
    leaves this side four pawns ahead.

    Example:
        >>> position = setwise.Position("6k1/6p1/5n1p/3b4/8/2B3P1/5P1P/3R2K1 w - - 0 1")
        >>> position.feature("white_underminings")
        Bitboard('f6')

    Why:
        Only captures of enemy pieces that protect an attacked piece can undermine; attacks from the squares of the
        enemy pieces find these. Each capture is tried, and kept if the piece that was protected then falls and the move
        wins.

    Traps:
        A sole defender whose capture wins nothing is only in `sole_defenders`. All lines of three plies are searched
        after the move, then captures: later events are not seen. The feature is computed as if it were this side's
        turn; it is empty while the enemy stands in check, and unless each side has one king.

    Names:
        removing the defender, removing the guard, capturing the defender, capturingDefender.

    Source:
        Chess Programming Wiki, "Undermining"; Lichess, the theme "capturingDefender".
    """
    return _undermining(side, squares)
