"""FEN, read: one text, or many into columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Set, bitreverse, entry, routine, scratch, subroutine
from setwise.compiler.signatures import boolean, int64, reads, uint16, uint64, writes
from setwise.notation.fen.placement import read_pieces
from setwise.notation.fen.syntax import (
    BAD_CASTLING,
    BAD_NUMBER,
    BAD_PIECE,
    BAD_SQUARE,
    BAD_TURN,
    BIG_NUMBER,
    EXTRA_FIELD,
    FEW_RANKS,
    LONG_RANK,
    MANY_RANKS,
    NO_FAULT,
    NO_TEXT,
    SHORT_RANK,
    TWICE,
    TWO_DIGITS,
)  # fmt: skip
from setwise.notation.scanning import TEXT
from setwise.notation.squares import NO_SQUARE, read_square
from setwise.patterns.bits import (
    EIGHT,
    EMPTY,
    FILE_A,
    FILE_H,
    FILES,
    ONE,
    RANK_1,
    RANK_8,
    SEVEN,
    THREE,
    ZERO,
    bit,
    only_lowest,
)
from setwise.rules.board import Board
from setwise.rules.moves import LAST_CLOCK
from setwise.rules.state import State, state_of, whites_board
from setwise.rules.status import Status, castling_is_standard, faults

#: The meaning of a byte in the first field: a piece is the lane of its set in a Board plus 8 times the lane of its
#: side; a digit is 16 plus its value.
_DIGIT, _SLASH, _PROMOTED, _BLANK, _OTHER = (np.uint64(kind) for kind in (16, 32, 33, 34, 35))
_MEANING = np.full(256, _OTHER, np.uint8)
for _lane, (_white, _black) in enumerate(zip(b"PNBRQK", b"pnbrqk", strict=True), start=2):
    _MEANING[_white], _MEANING[_black] = _lane, 8 + _lane
_MEANING[list(b"12345678")] = np.arange(17, 25)
_MEANING[ord("/")], _MEANING[ord("~")] = _SLASH, _PROMOTED
_MEANING[list(b" \t\n\r\v\f\0")] = _BLANK

_DASH, _W, _B, _A, _H, _K, _Q, _DIGIT_0, _LOWER = (np.uint64(ord(letter)) for letter in "-wbahkq0 ")
_TOP_ROW, _TEN = np.uint64(56), np.uint64(10)
_sets = scratch(8)


@routine
def _blank(text: np.ndarray, at: int) -> bool:
    return _MEANING[text[at]] == _BLANK


@routine
def _next_field(text: np.ndarray, at: int, stop: int) -> int:
    while at < stop and _blank(text, at):
        at += 1
    return at


@routine
def _field_ends(text: np.ndarray, at: int, stop: int) -> bool:
    return at >= stop or _blank(text, at)


@subroutine
def _read_pieces(text: np.ndarray, at: int, stop: int, sets: Any) -> tuple[np.uint64, int]:
    """Sort the pieces into eight sets, letter by letter; return the fault, and its place or the end of the field."""
    for lane in range(8):
        sets[lane] = EMPTY
    row, file, before = _TOP_ROW, ZERO, _OTHER
    while at < stop:
        meaning = np.uint64(_MEANING[text[at]])
        if meaning < _DIGIT:
            if file == EIGHT:
                return LONG_RANK, at
            square = bit(row + file)
            sets[meaning & SEVEN] |= square
            sets[meaning >> THREE] |= square
            file += ONE
        elif meaning < _SLASH:
            if before > _DIGIT and before < _SLASH:
                return TWO_DIGITS, at
            file += meaning - _DIGIT
            if file > EIGHT:
                return LONG_RANK, at
        elif meaning == _SLASH:
            if file != EIGHT:
                return SHORT_RANK, at
            if row == ZERO:
                return MANY_RANKS, at
            row, file = row - EIGHT, ZERO
        elif meaning == _BLANK:
            break
        elif meaning != _PROMOTED or before >= _DIGIT:
            return BAD_PIECE, at
        before = meaning
        at += 1
    if row != ZERO:
        return FEW_RANKS, at
    return SHORT_RANK if file != EIGHT else NO_FAULT, at


@routine
def highest(squares: Set) -> Set:
    return bitreverse(only_lowest(bitreverse(squares)))


@routine
def castling_rook(letter: np.uint64, pieces: Set, kings: Set, rooks: Set, rank: Set) -> Set:
    """Return the rook's square for a castling letter in lower case; the empty set for any other letter.

    Without a rook there, it returns the corner or the square on the file, so that the fault is reported there.
    """
    king, rooks = pieces & kings, pieces & rooks & rank
    if letter == _K:
        rook = highest(rooks)
        return rook if rook > king and king != EMPTY else FILE_H & rank
    if letter == _Q:
        rook = only_lowest(rooks)
        return rook if rook < king and rook != EMPTY else FILE_A & rank
    if _A <= letter <= _H:
        return FILES[letter - _A] & rank
    return EMPTY


@subroutine
def _read_castling(text: np.ndarray, at: int, stop: int, sets: Any) -> tuple[Set, np.uint64, int]:
    """Read castling rights as the squares of rooks."""
    rights = EMPTY
    if at < stop and text[at] == _DASH:
        return rights, BAD_CASTLING if not _field_ends(text, at + 1, stop) else NO_FAULT, at + 1
    while not _field_ends(text, at, stop):
        byte = np.uint64(text[at])
        letter = byte | _LOWER
        if byte == letter:
            rook = castling_rook(letter, sets[1], sets[7], sets[5], RANK_8)
        else:
            rook = castling_rook(letter, sets[0], sets[7], sets[5], RANK_1)
        if rook == EMPTY:
            return rights, BAD_CASTLING, at
        if rights & rook != EMPTY:
            return rights, TWICE, at
        rights |= rook
        at += 1
    return rights, NO_FAULT, at


@routine
def _read_square(text: np.ndarray, at: int, stop: int) -> tuple[Set, np.uint64, int]:
    """Read the en passant square, as a set."""
    if at >= stop or (text[at] == _DASH and _field_ends(text, at + 1, stop)):
        return EMPTY, NO_FAULT, at + 1
    if at + 1 < stop and _field_ends(text, at + 2, stop):
        square = read_square(text, at)
        if square != NO_SQUARE:
            return bit(square), NO_FAULT, at + 2
    return EMPTY, BAD_SQUARE, at


@routine
def _read_number(text: np.ndarray, at: int, stop: int, missing: np.uint64) -> tuple[np.uint64, np.uint64, int]:
    number, start = ZERO, at
    while not _field_ends(text, at, stop):
        digit = np.uint64(text[at]) - _DIGIT_0
        if digit >= _TEN:
            return number, BAD_NUMBER, start
        number = number * _TEN + digit
        if number > LAST_CLOCK:
            return number, BIG_NUMBER, start
        at += 1
    return missing if at == start else number, NO_FAULT, at


@subroutine
def _read_state(
    text: np.ndarray, at: int, stop: int, sets: Any
) -> tuple[np.uint64, Set, Set, np.uint64, np.uint64, np.uint64, int]:
    """Read all fields except the first; return turn, castling, en passant, both numbers, the fault and its place."""
    castling: Set
    passed: Set
    white_to_move, castling, passed, halfmoves, fullmoves = ONE, EMPTY, EMPTY, ZERO, ONE
    at = _next_field(text, at, stop)
    if at < stop:
        turn = np.uint64(text[at])
        if (turn != _W and turn != _B) or not _field_ends(text, at + 1, stop):
            return white_to_move, castling, passed, halfmoves, fullmoves, BAD_TURN, at
        white_to_move = ONE if turn == _W else ZERO
        at += 1
    castling, fault, at = _read_castling(text, _next_field(text, at, stop), stop, sets)
    if fault == NO_FAULT:
        passed, fault, at = _read_square(text, _next_field(text, at, stop), stop)
    if fault == NO_FAULT:
        halfmoves, fault, at = _read_number(text, _next_field(text, at, stop), stop, ZERO)
    if fault == NO_FAULT:
        fullmoves, fault, at = _read_number(text, _next_field(text, at, stop), stop, ONE)
        fullmoves = max(fullmoves, ONE)
    if fault == NO_FAULT:
        at = _next_field(text, at, stop)
        fault = EXTRA_FIELD if at < stop else NO_FAULT
    return white_to_move, castling, passed, halfmoves, fullmoves, fault, at


@routine
def _read_fen(text: np.ndarray, start: int, stop: int) -> tuple[State, np.uint64, int]:
    """Return the state in the bytes from ``start`` to ``stop``, its faults, and the place of a syntax fault.

    The faults are one of :class:`Syntax`, or bits of :class:`Status`, castling as Chess960 allows it.
    """
    castling: Set
    passed: Set
    sets = _sets(uint64)
    white_to_move, castling, passed, halfmoves, fullmoves = ONE, EMPTY, EMPTY, ZERO, ONE
    at = _next_field(text, start, stop)
    fault = NO_TEXT
    if at < stop:
        is_board, end = read_pieces(text, at, stop, sets)
        if is_board and _field_ends(text, end, stop):
            fault, at = NO_FAULT, end
        else:  # with promotion marks, or up to the wrong letter
            fault, at = _read_pieces(text, at, stop, sets)
        if fault == NO_FAULT:
            white_to_move, castling, passed, halfmoves, fullmoves, fault, at = _read_state(text, at, stop, sets)
    board = Board(sets[0], sets[1], sets[2], sets[3], sets[4], sets[5], sets[6], sets[7], castling, passed)
    if fault == NO_FAULT:
        fault = faults(board, white_to_move)
    return state_of(board, white_to_move, halfmoves, fullmoves), fault, at


@subroutine
def read_fen(text: np.ndarray, start: int, stop: int) -> tuple[State, np.uint64, int]:
    """Call ``_read_fen``. ``read_fens`` inlines that, as returning its fifteen results takes a fifth of the time."""
    return _read_fen(text, start, stop)


_WORDS = writes(uint64, 2)
_PLACES = reads(int64)
_CLOCKS = writes(uint16)
_BAD_RIGHTS = np.uint64(Status.BAD_CASTLING_RIGHTS)


@entry(
    int64, TEXT, _PLACES, boolean, _WORDS, writes(boolean), _CLOCKS, _CLOCKS, writes(uint64), writes(int64),
)  # fmt: skip
def read_fens(
    text: np.ndarray,
    offsets: np.ndarray,
    chess960: bool,
    words: np.ndarray,
    white_to_move: np.ndarray,
    halfmoves: np.ndarray,
    fullmoves: np.ndarray,
    faults: np.ndarray,
    places: np.ndarray,
) -> int:
    """Read one FEN between every two offsets into columns; return how many have no faults. Only these get a row.

    ``words`` has ten rows, the sets of a Board as White sees it. ``faults`` and ``places`` get the fault and its
    place for every text.
    """
    n = 0
    for k in range(offsets.size - 1):
        state, fault, at = _read_fen(text, offsets[k], offsets[k + 1])
        if fault == NO_FAULT and not (chess960 or castling_is_standard(whites_board(state))):
            fault = _BAD_RIGHTS
        faults[k], places[k] = fault, at
        if fault == NO_FAULT:
            for row in range(words.shape[0]):
                words[row, n] = state[row]
            white_to_move[n] = state.white_to_move != ZERO
            halfmoves[n], fullmoves[n] = np.uint16(state.halfmove_clock), np.uint16(state.fullmove_number)
            n += 1
    return n
