"""The board in compiled code: ten 64-bit words, always from the side of the mover, which plays up the board.

``own`` and ``enemy`` hold all pieces of a side, the six piece sets those of both; ``castling`` holds the rooks that may
still castle (both sides'; the squares, so that Chess960 needs nothing else), ``en_passant`` the square that a pawn
has just passed, or nothing. When the turn passes, the board is mirrored; no rule is written twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Set, Square, byteswap, routine
from setwise.compiler.lanes import broadcast, intersect, lane, mirrored_lanes, packed, permuted, row_of, unpacked
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import EMPTY, bit, lowest
from setwise.patterns.compass import north_east, north_west
from setwise.patterns.geometry import SQUARES
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.rays import RAYS, nearest


class Board(NamedTuple):
    """Ten words; see the module's text."""

    own: Set
    enemy: Set
    pawns: Set
    knights: Set
    bishops: Set
    rooks: Set
    queens: Set
    kings: Set
    castling: Set
    en_passant: Set


@routine
def board_at(columns: np.ndarray, k: int) -> Board:
    """The k-th board of columns, as White sees it: the k-th item of each of ten rows."""
    return Board(
        columns[0, k], columns[1, k], columns[2, k], columns[3, k], columns[4, k],
        columns[5, k], columns[6, k], columns[7, k], columns[8, k], columns[9, k],
    )  # fmt: skip


@routine
def put_board(board: Board, columns: np.ndarray, k: int) -> None:
    """Write a board as the k-th item of each of ten rows."""
    for row in range(len(board)):
        columns[row, k] = board[row]


#: The eight sets as the lanes of an octet.
OWN, ENEMY, PAWNS, KNIGHTS, BISHOPS, ROOKS, QUEENS, KINGS = map(np.uint64, range(8))
_exchanged = permuted(ENEMY, OWN, PAWNS, KNIGHTS, BISHOPS, ROOKS, QUEENS, KINGS)
_rooks_and_bishops, _queens = permuted(*(ROOKS, BISHOPS) * 4), permuted(*(QUEENS,) * 8)

#: The squares from which pawns, knights and kings would attack a square, in the lanes of their sets.
_LEAPER_ATTACKS = np.zeros((64, 8), np.uint64)
_LEAPER_ATTACKS[:, PAWNS] = north_east.plain(SQUARES) | north_west.plain(SQUARES)
_LEAPER_ATTACKS[:, KNIGHTS], _LEAPER_ATTACKS[:, KINGS] = knight.ATTACKS, king.ATTACKS


@routine
def lanes_of(board: Board) -> Any:
    """The eight sets as the lanes of an octet."""
    return packed(
        board.own, board.enemy, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    )


@routine
def board_of(sets: Any, castling: Set, en_passant: Set) -> Board:
    """The board of an octet."""
    own, enemy, pawns, knights, bishops, rooks, queens, kings = unpacked(sets)
    return Board(own, enemy, pawns, knights, bishops, rooks, queens, kings, castling, en_passant)


@routine
def other_side(sets: Any) -> Any:
    """The eight sets from the other side."""
    return _exchanged(mirrored_lanes(sets))


@routine
def is_attacked(sets: Any, square: Square, enemy: Set, occupied: Set) -> bool:
    """Whether one of the pieces in ``enemy`` attacks a square when the squares in ``occupied`` are occupied."""
    sliders = _rooks_and_bishops(sets) | _queens(sets)
    seen = nearest(row_of(RAYS, square) & broadcast(occupied))
    return intersect(seen & sliders | row_of(_LEAPER_ATTACKS, square) & sets, broadcast(enemy))


@routine
def keeps_king_safe(sets: Any, king: Square, start: Set, end: Set, captured: Set) -> bool:
    """Whether a move that empties the sets ``start`` and ``captured`` and fills ``end`` leaves no check to our king.

    ``king`` is the square where our king stands after the move.
    """
    enemy = lane(sets, ENEMY) & ~captured
    return not is_attacked(sets, king, enemy, (lane(sets, OWN) | enemy) & ~start | end)


@routine
def mirrored(board: Board) -> Board:
    """The same board from the other side: ranks reversed, own and enemy exchanged."""
    return Board(
        byteswap(board.enemy), byteswap(board.own), byteswap(board.pawns), byteswap(board.knights),
        byteswap(board.bishops), byteswap(board.rooks), byteswap(board.queens), byteswap(board.kings),
        byteswap(board.castling), byteswap(board.en_passant),
    )  # fmt: skip


@routine
def attackers(board: Board, square: Square, occupied: Set) -> Set:
    """The enemy pieces that attack a square when the squares in ``occupied`` are occupied."""
    return board.enemy & (
        (pawns.attacks(bit(square)) & board.pawns)
        | (knight.ATTACKS[square] & board.knights)
        | (king.ATTACKS[square] & board.kings)
        | (bishop_attacks(square, occupied) & (board.bishops | board.queens))
        | (rook_attacks(square, occupied) & (board.rooks | board.queens))
    )


@routine
def king_square(board: Board) -> Square:
    return lowest(board.own & board.kings)


@routine
def in_check(board: Board) -> bool:
    """Whether the mover's king is attacked."""
    return attackers(board, king_square(board), board.own | board.enemy) != EMPTY
