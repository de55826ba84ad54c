"""Features of moves that part a piece from its protector: one goes between them, or takes the protector."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Move, Set, Square, entry, routine, scratch
from setwise.compiler.signatures import named, uint16, uint64
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks, is_ready, mover, own_attacks, pieces_attacks
from setwise.patterns import pawns
from setwise.patterns.bits import EMPTY, ONE, RANK_7, TWO, bit, lowest, more_than_one, only_lowest, without_lowest
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
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import Board
from setwise.rules.exchange import see
from setwise.rules.forcing import list_arrivals, own_attackers
from setwise.rules.gains import falls, gain
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import moves_to
from setwise.rules.moves import NORMAL, kind_of, make_move, origin_of, target_of
from setwise.rules.winning_lines import FIRST, NOT_KNOWN, wins_most

__all__ = ["interferences", "underminings"]

_move_list = scratch(MOST_MOVES)


@routine
def _endangered(side: Side | Board) -> Set:
    """The enemy pieces, no pawns or kings, that an own piece other than the king attacks, and that no pawn protects."""
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
    """Whether one of some enemy pieces falls after a move, if the enemy passes, and does not fall before."""
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
    """Those of the squares where a piece cuts off a protector, and wins by it."""
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
    """Return the squares where a piece of this side, going there next, cuts off a protector; 3 of 4 are good moves.

    The protector is a slider. The piece cut off is no pawn and no king, no pawn protects it, and this side attacks it:
    it falls after the move and did not before. The move wins two pawns' worth at least whatever the reply, and a pawn
    more than any move of another piece, unless it leaves this side four pawns ahead. Of all 55 in 732,498
    positions of games Stockfish finds 42 good.

    Example:
        >>> position = setwise.Position("3r2k1/6pp/8/8/2Pn3R/5B2/5PP1/6K1 w - - 0 1")
        >>> position.feature("white_interferences")
        Bitboard('d5')

    Why:
        Rays from enemy sliders and rays back from attacked pieces meet on the empty squares between them. Each move to
        such a square is tried, and kept if the piece behind it then falls and the move wins.

    Traps:
        Squares on which an enemy piece is forced to cut off a protector of its own side are not here. All lines
        of three plies are searched after the move, then captures: what happens later is not seen. The feature
        is computed as if it were this side's turn; it is empty while the enemy stands in check, and unless each
        side has one king.

    Names:
        interference, Novotny.

    Source:
        Chess Programming Wiki, "Interference"; Lichess, the theme "interference".
    """
    return _interfering(side, squares)


@routine
def _protecting(board: Board, pieces: Set, endangered: Set) -> Set:
    """Those of some enemy pieces that protect an endangered one."""
    protecting = EMPTY
    while pieces != EMPTY:
        piece = only_lowest(pieces)
        pieces ^= piece
        if enemy_attacks(board, piece, board.own | board.enemy) & endangered != EMPTY:
            protecting |= piece
    return protecting


@entry(uint64, named(Side), uint64)
def _undermining(side: Side, squares: Set) -> Set:
    """Those of the squares where a capture takes a protector of another piece, and wins by it."""
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
def _protectors(side: Side) -> Set:
    """The enemy pieces that this side attacks, where it endangers one of them."""
    attacked = own_attacks(side, side.own, side.own | side.enemy) & side.enemy & ~side.kings
    return attacked if _endangered(side) != EMPTY and more_than_one(attacked) else EMPTY


@feature(among=_protectors)
def underminings(side: Side, squares: Set) -> Set:
    """Return the squares where this side captures the protector of a piece that then falls; 7 of 8 are good moves.

    The exchange on the protector's square alone does not win two pawns' worth. The protected piece is no pawn and no
    king, no pawn protects it, and it falls after the capture and did not before. With what follows, the capture wins
    two pawns' worth at least whatever the reply, and a pawn more than any move of another piece, unless it leaves
    this side four pawns ahead.

    Example:
        >>> position = setwise.Position("6k1/6p1/5n1p/3b4/8/2B3P1/5P1P/3R2K1 w - - 0 1")
        >>> position.feature("white_underminings")
        Bitboard('f6')

    Why:
        Only captures of enemy pieces that protect an attacked piece can undermine, and attacks from their squares find
        them. Each is tried, and kept if what it protected then falls and the move wins.

    Traps:
        A sole defender whose capture wins nothing is in `sole_defenders` alone. All lines of three plies are
        searched after the move, then captures: what happens later is not seen. The feature is computed as if it
        were this side's turn; it is empty while the enemy stands in check, and unless each side has one king.

    Names:
        removing the defender, removing the guard, capturing the defender, capturingDefender.

    Source:
        Chess Programming Wiki, "Undermining"; Lichess, the theme "capturingDefender".
    """
    return _undermining(side, squares)
