"""The board in compiled code: ten 64-bit words, always from the side of the mover, which plays up the board.

``own`` and ``enemy`` each hold all pieces of one side, the six piece sets hold the pieces of both sides; ``castling``
holds the rooks of both sides that may still castle, ``en_passant`` the square that a pawn has just passed, or nothing.
Castling rights are squares, so that Chess960 needs no code of its own. When the turn passes, the board is mirrored; no
rule is written twice. A `State` is the same position from White's view, with the turn and the clocks; positions are
stored in this form. A move has 16 bits: origin, target and kind. Making a move returns another board.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Move, Set, Square, byteswap, routine
from setwise.compiler.words import (
    broadcast,
    intersect,
    lane,
    lanes_hit,
    masked,
    mirrored_lanes,
    mixed,
    outermost,
    packed,
    permuted,
    rotated,
    row_of,
    union,
    unpacked,
)
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    FILE_A,
    FILE_H,
    NOT_FILES_AB,
    NOT_FILES_GH,
    ONE,
    RANK_1,
    RANK_2,
    RANK_3,
    RANK_7,
    RANK_8,
    SIX,
    TWO,
    bit,
    lowest,
)
from setwise.patterns.compass import north_east, north_west
from setwise.patterns.geometry import SQUARES, walk
from setwise.patterns.moves import Lines
from setwise.patterns.sliders import bishop_attacks, rook_attacks

# --------------------------------------------------------------------------------------- rays in all directions at once


_STEPS = (8, 9, 1, -7, -8, -9, -1, 7)
_DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
#: The rays from each square on an empty board, a row of eight lanes for each of the 64 squares.
RAYS = np.stack([walk(np.arange(64), EMPTY, direction) for direction in _DIRECTIONS], axis=1)
#: The squares where a step in each direction can land.
_inside = masked(
    ~RANK_1, ~(RANK_1 | FILE_A), ~FILE_A, ~(RANK_8 | FILE_A), ~RANK_8, ~(RANK_8 | FILE_H), ~FILE_H, ~(RANK_1 | FILE_H)
)
_one_step, _two_steps, _four_steps = (rotated(*(step * scale for step in _STEPS)) for scale in (1, 2, 4))

#: The knight's moves, clockwise from north-north-east, and the squares where they can land.
_rotated_by_knight_moves = rotated(17, 10, -6, -15, -17, -10, 6, 15)
_UPPER, _LOWER = ~(RANK_8 | RANK_7), ~(RANK_1 | RANK_2)
_on_board_after_knight_moves = masked(
    _LOWER & ~FILE_A, ~RANK_1 & NOT_FILES_AB, ~RANK_8 & NOT_FILES_AB, _UPPER & ~FILE_A,
    _UPPER & ~FILE_H, ~RANK_8 & NOT_FILES_GH, ~RANK_1 & NOT_FILES_GH, _LOWER & ~FILE_H,
)  # fmt: skip

_downwards = masked(*(ALL if step in (-7, -9) else EMPTY for step in _STEPS))

#: Every lane exchanged with the lane of the opposite direction.
_opposite = permuted(4, 5, 6, 7, 0, 1, 2, 3)
#: The nearest piece on each ray from a square.
nearest = outermost(*(step > 0 for step in _STEPS))


@routine
def _downwards_only(squares: Set) -> Any:
    """A set in the lanes south-east and south-west only: the enemy pawns capture in these directions."""
    return _downwards(broadcast(squares))


@routine
def _steps(sets: Any) -> Any:
    """Every lane moved by one step in its own direction; steps off the board are dropped."""
    return _inside(_one_step(sets))


@routine
def knight_attacks(knights: Any) -> Any:
    """The attacks of the knights in each lane; each lane has one of the eight directions."""
    return _on_board_after_knight_moves(_rotated_by_knight_moves(knights))


@routine
def rays(sliders: Any, empty: Set) -> Any:
    """The attacks of the sliders in each lane in its direction, the first piece included (Kogge-Stone)."""
    way = _inside(broadcast(empty))
    reached = sliders | (way & _one_step(sliders))
    way = way & _one_step(way)
    reached = reached | (way & _two_steps(reached))
    way = way & _two_steps(way)
    reached = reached | (way & _four_steps(reached))
    return _inside(_one_step(reached))


@routine
def lines_of_lanes(
    here: Set, blockers: Set, orthogonals: Set, diagonals: Set, knights: Set, pawns: Set, king: Set
) -> Lines:
    """The lines of one board that ``patterns.moves.king_safety`` needs, all directions at once."""
    empty, sliders = ~blockers, mixed(orthogonals, diagonals)
    seen, attacking = rays(broadcast(here), empty), rays(sliders, empty)
    meetings = seen & _opposite(attacking)
    file, diagonal, rank, antidiagonal, _, _, _, _ = unpacked(meetings | _opposite(meetings))
    leapers = knight_attacks(broadcast(knights)) | _steps(broadcast(king) | _downwards_only(pawns))
    return Lines(seen, file, rank, diagonal, antidiagonal, union(seen & sliders), union(attacking | leapers))


# ------------------------------------------------------------------------------------------- the board in compiled code


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
    """The k-th board of columns, from White's view: the k-th item of each of ten rows."""
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
    """Whether our king is not in check after a move that empties the sets ``start`` and ``captured`` and fills ``end``.

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


# ----------------------------------------------------------------------- A move in 16 bits, and what it does to a board


#: Kinds of moves. The kind of a promotion is the number of the new piece minus one.
NORMAL, TO_KNIGHT, TO_BISHOP, TO_ROOK, TO_QUEEN, CASTLING, EN_PASSANT, NULL = (np.uint64(kind) for kind in range(8))
#: The letters of promotions by their kinds.
PROMOTIONS = " nbrq"

SQUARE_MASK, TWELVE, FIFTY_SIX = np.uint64(63), np.uint64(12), np.uint64(56)
#: The largest number of either clock.
LAST_CLOCK = np.uint64(65_535)
#: The null move. All other moves have smaller numbers.
NULL_MOVE = NULL << TWELVE
C1, D1, F1, G1 = (np.uint64(square) for square in (2, 3, 5, 6))


@routine
def encoded(origin: Square, target: Square, kind: np.uint64) -> Move:
    return origin | target << SIX | kind << TWELVE


@routine
def origin_of(move: Move) -> Square:
    return move & SQUARE_MASK


@routine
def target_of(move: Move) -> Square:
    return move >> SIX & SQUARE_MASK


@routine
def kind_of(move: Move) -> np.uint64:
    return move >> TWELVE


@routine
def turned(move: Move) -> Move:
    """The same move from the other side of the board: the ranks of both squares are mirrored."""
    return move ^ (FIFTY_SIX | FIFTY_SIX << SIX)


@routine
def clocks_after(
    pawns: Set, enemy: Set, move: Move, halfmoves: np.uint64, fullmoves: np.uint64, black: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Both clocks after a move; ``black`` is 1 if Black made it. Clocks stop at the largest number in columns."""
    irreversible = (pawns >> origin_of(move) | enemy >> target_of(move)) & np.uint64(move < NULL_MOVE)
    return min((halfmoves + ONE) * (irreversible ^ ONE), LAST_CLOCK), min(fullmoves + black, LAST_CLOCK)


@routine
def castling_targets(origin: Square, rook: Square) -> tuple[Square, Square]:
    """Where king and rook land when castling: g1 and f1 if the rook is east of the king, else c1 and d1."""
    if rook > origin:
        return G1, F1
    return C1, D1


@routine
def _only_if(condition: bool, squares: Set) -> Set:
    return squares if condition else EMPTY


@routine
def make_move(board: Board, move: Move) -> Board:
    """The board after a move, still from the side that has just moved; the move is not checked, and is no null move.

    Every set loses the squares that pieces leave and the square of the captured piece, and gains the square where one
    of its pieces lands. A king that castles does not land on the target of the move, which is its rook's square; a pawn
    that promotes lands in another set; a pawn that is captured en passant is behind the target. There is no branch on
    the kind of the move, so that a loop makes eight moves of eight kinds with the same instructions.
    """
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    start, end = bit(origin), bit(target)
    castles, takes_passing, promotes = kind == CASTLING, kind == EN_PASSANT, (kind >= TO_KNIGHT) & (kind <= TO_QUEEN)
    king_to, rook_to = castling_targets(origin, target)
    landed = bit(king_to) if castles else end
    rook = _only_if(castles, bit(rook_to))
    left = ~(start | end | _only_if(takes_passing, end >> EIGHT))

    pawn = _only_if(board.pawns & start != EMPTY, landed)
    return Board(
        board.own & left | landed | rook,
        board.enemy & left,
        board.pawns & left | _only_if(not promotes, pawn),
        board.knights & left | _only_if((board.knights & start != EMPTY) | (kind == TO_KNIGHT), landed),
        board.bishops & left | _only_if((board.bishops & start != EMPTY) | (kind == TO_BISHOP), landed),
        board.rooks & left | _only_if((board.rooks & start != EMPTY) | (kind == TO_ROOK), landed) | rook,
        board.queens & left | _only_if((board.queens & start != EMPTY) | (kind == TO_QUEEN), landed),
        board.kings & left | _only_if(board.kings & start != EMPTY, landed),
        board.castling & ~(start | end | _only_if(board.kings & start != EMPTY, RANK_1)),
        start << EIGHT & end >> EIGHT & RANK_3 & board.pawns << EIGHT,
    )


@routine
def normal_child(sets: Any, castling: Set, start: Set, end: Set) -> tuple[Any, Set, Set]:
    """``child_in_lanes`` for a normal move from the set ``start`` to the set ``end``.

    Every set changes by the same rule: both squares are emptied, and the piece on the first is put on the second.
    """
    castling &= ~(start | end | RANK_1 * np.uint64(lane(sets, KINGS) & start != EMPTY))
    passed = start << EIGHT & end >> EIGHT & lane(sets, PAWNS) << EIGHT
    sets = sets & broadcast(~(start | end)) | lanes_hit(broadcast(end), sets & broadcast(start))
    return other_side(sets), byteswap(castling), byteswap(passed)


@routine
def child_in_lanes(sets: Any, castling: Set, passed: Set, move: Move) -> tuple[Any, Set, Set]:
    """``child`` with the eight sets in an octet: the sets, the castling rights and the passed square."""
    if kind_of(move) == NORMAL:
        return normal_child(sets, castling, bit(origin_of(move)), bit(target_of(move)))
    if kind_of(move) == NULL:
        return other_side(sets), byteswap(castling), EMPTY
    board = mirrored(make_move(board_of(sets, castling, passed), move))
    return lanes_of(board), board.castling, board.en_passant


@routine
def child(board: Board, move: Move) -> Board:
    """The board after a move or null move, from the side that moves next (nothing is checked)."""
    return board_of(*child_in_lanes(lanes_of(board), board.castling, board.en_passant, move))


# ---------------------------------------------------------------------- the pieces by number, and the piece on a square


#: The usual numbers of the pieces; 0 means no piece.
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = (np.uint64(piece) for piece in range(1, 7))


@routine
def piece_bits(board: Board) -> tuple[Set, Set, Set]:
    """Three sets: the bits of a square in them are the bits of the number of its piece."""
    return (
        board.pawns | board.bishops | board.queens,
        board.knights | board.bishops | board.kings,
        board.rooks | board.queens | board.kings,
    )


@routine
def piece_on(bits: tuple[Set, Set, Set], square: Square) -> np.uint64:
    """The number of the piece on a square, 0 when it is empty."""
    low, middle, high = bits
    return np.uint64(low >> square & ONE | (middle >> square & ONE) << ONE | (high >> square & ONE) << TWO)


# ----------------------------------------------------------------------------------------- A position in thirteen words


class State(NamedTuple):
    """Thirteen words; see the module's text."""

    white_pieces: int
    black_pieces: int
    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    castling_rights: int
    en_passant: int
    white_to_move: int
    halfmove_clock: int
    fullmove_number: int


WORDS = len(State._fields)

#: The names of the fields that are sets of squares.
SETS = State._fields[: len(Board._fields)]

#: The state that games start from, unless a tag gives another position.
USUAL_START = State._make(np.uint64(word) for word in (
    0xFFFF, 0xFFFF_0000_0000_0000, 0x00FF_0000_0000_FF00, 0x4200_0000_0000_0042, 0x2400_0000_0000_0024,
    0x8100_0000_0000_0081, 0x0800_0000_0000_0008, 0x1000_0000_0000_0010, 0x8100_0000_0000_0081, 0, 1, 0, 1,
))  # fmt: skip

#: The same class for compiled code, where its fields are words; in Python its fields are ints.
_State: Any = State


@routine
def state_in(words: Any) -> Any:
    """The state of thirteen consecutive words."""
    return State(
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8], words[9], words[10],
        words[11], words[12],
    )  # fmt: skip


@routine
def put_state(state: State, words: Any) -> None:
    """Write a state as thirteen consecutive words."""
    for k in range(len(state)):
        words[k] = state[k]


@routine
def state_of(board: Board, white_to_move: np.uint64, halfmove_clock: np.uint64, fullmove_number: np.uint64) -> State:
    """The state of a board from White's view."""
    return _State(
        board.own, board.enemy, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.castling, board.en_passant, white_to_move, halfmove_clock, fullmove_number,
    )  # fmt: skip


@routine
def whites_board(state: Any) -> Board:
    """The board of a state from White's view."""
    return Board(
        state.white_pieces, state.black_pieces, state.pawns, state.knights, state.bishops, state.rooks, state.queens,
        state.kings, state.castling_rights, state.en_passant,
    )  # fmt: skip


@routine
def movers_board(state: State) -> Board:
    """The board of a state from the mover's view."""
    board = whites_board(state)
    return board if state.white_to_move != EMPTY else mirrored(board)
