"""Compiled functions for a single position, one call per query.

A position is a bytes object of the words of a ``State``. Moves in arguments and results are from White's view.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from setwise.compiler import Move, Set, Square, byteswap, entry, routine, scratch, subroutine
from setwise.compiler.kinds import boolean, int64, intp, tuple_of, uint8, uint16, uint64
from setwise.compiler.words import MEMORY, PYTHON_OBJECT, bytes_of, letters_of, list_of, text_of, words_of
from setwise.notation.fen import MOST_BYTES, NO_TEXT, read_fen, write_fen, write_letters
from setwise.notation.moves import UNREADABLE, is_move, is_suffix, read_san, read_uci, write_san
from setwise.notation.text import null_end
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import EMPTY, ONE, ZERO, bit
from setwise.patterns.pawns import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import (
    BISHOP,
    KING,
    KNIGHT,
    NULL,
    NULL_MOVE,
    PAWN,
    QUEEN,
    ROOK,
    WORDS,
    Board,
    State,
    attackers,
    child,
    clocks_after,
    kind_of,
    king_square,
    mirrored,
    movers_board,
    piece_bits,
    piece_on,
    put_state,
    state_in,
    state_of,
    whites_board,
)
from setwise.rules.exchange import see
from setwise.rules.generate import MOST_MOVES, count_moves, generate, is_legal, legality, no_limits
from setwise.rules.polyglot import key_of
from setwise.rules.status import Status, cannot_win, castling_is_standard, faults

#: Notations of moves, and the mode of ``write_position`` for drawing.
UCI, SAN, LAN = (np.uint64(notation) for notation in range(3))
DRAWING = np.uint64(8)
_BAD_RIGHTS = np.uint64(Status.BAD_CASTLING_RIGHTS)

_move_list, _text, _words = scratch(MOST_MOVES), scratch(MOST_BYTES), scratch(WORDS)
_SIZE = 8 * WORDS
_struct = struct.Struct(f"<{WORDS}Q")
_FLIP, _FLIP_MOVE = np.uint64(56), np.uint64(56 << 6 | 56)


def packed(words: Iterable[int]) -> bytes:
    """Return the words of a position as its state."""
    return _struct.pack(*words)


def unpacked(state: bytes) -> State:
    """Return the words of a state, by name."""
    return State._make(_struct.unpack(state))


@routine
def _movers_view(state: Any) -> tuple[Board, np.uint64, np.uint64]:
    """Return the mover's board, and the masks that convert squares and moves from White's view to the mover's."""
    flipped = ONE - state.white_to_move
    return movers_board(state), _FLIP * flipped, _FLIP_MOVE * flipped


@routine
def _position(state: Any) -> Any:
    """The bytes of a state."""
    out = _words(uint64)
    put_state(state, out)
    return bytes_of(out, _SIZE)


@subroutine
def _list(board: Board, legal: bool, out: Any) -> int:
    return generate(board, legality(board) if legal else no_limits(), out, 0)


@entry(PYTHON_OBJECT, MEMORY, MEMORY)
def moves(position: Any, wanted: Any) -> Any:
    """Return the list of moves; ``wanted`` holds two words, the table and whether only legal moves are listed."""
    board, _, flip = _movers_view(state_in(words_of(position)))
    table, legal = words_of(wanted)[0], words_of(wanted)[1]
    listed = _move_list(uint16)
    number = _list(board, legal != ZERO, listed)
    for i in range(number):
        listed[i] = np.uint16(np.uint64(listed[i]) ^ flip)
    return list_of(listed, number, table)


@entry(PYTHON_OBJECT, MEMORY, uint64)
def play(position: Any, move: Move) -> Any:
    """Return the position after a legal or null move; empty bytes for other moves."""
    state = state_in(words_of(position))
    board, flip, flip_move = _movers_view(state)
    move ^= flip_move
    if kind_of(move) != NULL and not is_legal(board, move):
        return bytes_of(_words(uint64), 0)
    after = child(board, move)
    if flip == ZERO:
        after = mirrored(after)
    turn = ONE - state.white_to_move
    clocks = clocks_after(board.pawns, board.enemy, move, state.halfmove_clock, state.fullmove_number, turn)
    return _position(state_of(after, turn, clocks[0], clocks[1]))


@entry(tuple_of(boolean, int64), MEMORY, uint64)
def exchange(position: Any, move: Move) -> tuple[bool, Any]:
    """Return whether a move is legal, and the gain of the exchange that it begins."""
    board, _, flip = _movers_view(state_in(words_of(position)))
    move ^= flip
    if not is_legal(board, move):
        return False, 0
    return True, np.int64(see(board, move))


@entry(tuple_of(*[uint64] * 4), MEMORY)
def facts(position: Any) -> Any:
    """Four facts: the pieces that give check, the number of legal moves, and whether White and Black cannot win."""
    board, flip, _ = _movers_view(state_in(words_of(position)))
    checkers = attackers(board, king_square(board), board.own | board.enemy)
    number = count_moves(board, legality(board))
    own_cannot, enemy_cannot = np.uint64(cannot_win(board)), np.uint64(cannot_win(mirrored(board)))
    if flip != ZERO:
        return byteswap(checkers), number, enemy_cannot, own_cannot
    return checkers, number, own_cannot, enemy_cannot


@entry(uint64, MEMORY)
def key(position: Any) -> np.uint64:
    """The Polyglot key."""
    state = state_in(words_of(position))
    return key_of(whites_board(state), state.white_to_move != ZERO)


@entry(uint64, MEMORY, uint64, boolean)
def attackers_of(position: Any, square: Square, white: bool) -> Set:
    """The pieces of one side that attack a square."""
    board = whites_board(state_in(words_of(position)))
    occupied = board.own | board.enemy
    if white:
        return byteswap(attackers(mirrored(board), square ^ _FLIP, byteswap(occupied)))
    return attackers(board, square, occupied)


@entry(uint64, MEMORY, uint64)
def attacks_of(position: Any, square: Square) -> Set:
    """The squares that the piece on a square attacks."""
    board = whites_board(state_in(words_of(position)))
    here, occupied, piece = bit(square), board.own | board.enemy, piece_on(piece_bits(board), square)
    if piece == PAWN:
        return pawns.attacks(here) if board.own & here != EMPTY else attacks_down(here)
    if piece == KNIGHT:
        return knight.ATTACKS[square]
    if piece == KING:
        return king.ATTACKS[square]
    orthogonal = rook_attacks(square, occupied) if piece == ROOK or piece == QUEEN else EMPTY
    diagonal = bishop_attacks(square, occupied) if piece == BISHOP or piece == QUEEN else EMPTY
    return orthogonal | diagonal


@entry(uint64, MEMORY, boolean)
def status(position: Any, chess960: bool) -> np.uint64:
    """The faults of the position."""
    state = state_in(words_of(position))
    board = whites_board(state)
    flags = faults(board, state.white_to_move)
    return flags if chess960 or castling_is_standard(board) else flags | _BAD_RIGHTS


@entry(tuple_of(PYTHON_OBJECT, uint64, uint64), MEMORY, intp, boolean)
def read_position(text: Any, size: int, chess960: bool) -> Any:
    """The position of a FEN, its faults, and where in the text they are."""
    state, fault, at = read_fen(letters_of(text), 0, size)
    if fault < NO_TEXT and not (chess960 or castling_is_standard(whites_board(state))):
        fault |= _BAD_RIGHTS
    return _position(state), fault, np.uint64(at)


@entry(PYTHON_OBJECT, MEMORY, uint64)
def write_position(position: Any, mode: np.uint64) -> Any:
    """The FEN in a mode of ``write_fen``, or the 64 letters of the squares for the mode ``DRAWING``."""
    state, out = state_in(words_of(position)), _text(uint8)
    if mode == DRAWING:
        return text_of(out, write_letters(whites_board(state), out))
    return text_of(out, write_fen(state, mode, out, 0))


@entry(uint64, MEMORY, MEMORY, intp, uint64)
def read_move(position: Any, text: Any, size: int, notation: np.uint64) -> Move:
    """The legal or null move that a text means, or the reason why there is none."""
    board, flip, flip_move = _movers_view(state_in(words_of(position)))
    letters = letters_of(text)
    null = null_end(letters, 0, size)
    while 0 < null < size and is_suffix(letters[null]):
        null += 1
    if 0 < null == size and notation >= SAN:
        return NULL_MOVE
    if notation < SAN:
        result = read_uci(letters, 0, size, board, flip)
    elif size > 0:
        result, end = read_san(letters, 0, size, board, flip)
        while end < size and is_suffix(letters[end]):
            end += 1
        if end != size:
            return UNREADABLE
    else:
        return UNREADABLE
    return result ^ flip_move if is_move(result) else result


@entry(PYTHON_OBJECT, MEMORY, uint64, uint64)
def write_move(position: Any, move: Move, notation: np.uint64) -> Any:
    """A legal or null move in SAN or LAN; an empty text for any other move."""
    out = _text(uint8)
    board, flip, flip_move = _movers_view(state_in(words_of(position)))
    move ^= flip_move
    if kind_of(move) != NULL and not is_legal(board, move):
        return text_of(out, 0)
    return text_of(out, write_san(board, move, flip, notation == LAN, out, 0))
