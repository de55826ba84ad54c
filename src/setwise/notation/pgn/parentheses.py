"""One variation of PGN, a line in parentheses, with those inside, read by compiled code.

A variation ends exactly where the reader of games, which skips it, lets it end: comments and the rest of a line after a
semicolon hide parentheses, nothing else. It replaces the move before its parenthesis. One that precedes every move of
its line begins where that line begins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Move, Set, routine, subroutine, trailing_zeros
from setwise.compiler.lanes import packed, unpacked
from setwise.compiler.memory import borrowed, word_at
from setwise.notation.characters import (
    BLANK,
    CLASS,
    CLOSE_PARENTHESIS,
    DIGIT,
    DOT,
    NEWLINE,
    OPEN_PARENTHESIS,
    SEMICOLON,
)
from setwise.notation.nulls import null_end
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.fast_moves import read_plain, record
from setwise.notation.pgn.table import FAULTS, NO_FAULT
from setwise.notation.pgn.tokens import (
    COMMENT,
    MOVE,
    NAG,
    NUMBER,
    PASS,
    REST_OF_LINE,
    RESULT,
    comment_end,
    digits_end,
    en_passant_end,
    line_end,
    number_end,
    result_at,
    token_at,
    variation_end,
)
from setwise.notation.pgn.variants import count_check, has_ended
from setwise.notation.resolve import is_move
from setwise.notation.san import read_san
from setwise.notation.scanning import others_than_digits
from setwise.patterns.bits import EMPTY, SIX, THREE, ZERO, as_int, lowest
from setwise.rules.board import Board, board_of
from setwise.rules.moves import FIFTY_SIX, NULL_MOVE, SQUARE_MASK, child_in_lanes
from setwise.rules.variants import STANDARD

__all__ = [
    "BOARD_WORDS", "CLOSES", "COUNT", "DEEPEST", "DEPTH", "FAULT", "FAULT_AT", "FRAME_WORDS", "GAME", "LINE_COLUMNS",
    "LINE_FAULTS", "NEVER_OPENED", "OPENS", "PARENT", "PLY", "keep", "read_variation", "word_end",
]  # fmt: skip

#: The columns of the table of lines: the row of the game; the row of the line that this one leaves, -1 for the moves of
#: the game; how many moves of the game and its lines precede; how many parentheses enclose it; where its parenthesis
#: stands and where its text ends; the number of its moves; its fault and where that is.
GAME, PARENT, PLY, DEPTH, OPENS, CLOSES, COUNT, FAULT, FAULT_AT = range(9)
LINE_COLUMNS = 9

#: Variations are read up to this depth.
DEEPEST = 100
#: Why a line ends before its parenthesis does, and what is wrong with parentheses, by the numbers of the faults.
NEVER_OPENED, TOO_DEEP = len(FAULTS), len(FAULTS) + 1
LINE_FAULTS = [
    *FAULTS,
    "this parenthesis closes a variation that was never opened",
    f"this variation is inside {DEEPEST} others, and is not read",
]

# ---------------------------------------------------------------------------------------------------------- the kernel

#: A line that is interrupted by a variation: its row, the row of its last move (-1 for none), the checks
#: given after that move and before it.
_LINE, _LAST, _CHECKS, _CHECKS_BEFORE = range(4)
FRAME_WORDS = 4
#: The words of a board with its side: the eight sets, castling, en passant, and 56 if Black moves.
BOARD_WORDS = 11
_NO_MOVE = ZERO

_PARENTHESES = np.uint64(0x0101_0101_0101_0101) * np.uint64(CLOSE_PARENTHESIS)
_EACH, _SEVEN = np.uint64(0x0101_0101_0101_0101), np.uint64(7)
_HIGH = _EACH << _SEVEN
_BYTE, _WHOLE_BYTES = np.uint64(0xFF), np.uint64(0x38)
#: What makes a blank of a closing parenthesis.
_TO_BLANK = np.uint64(CLOSE_PARENTHESIS ^ ord(" "))
#: Bytes that end the text of a move.
_ENDS_WORD = CLASS == BLANK
_ENDS_WORD[list(b"{(;)")] = True
#: Letters of pieces, in promotions of either case.
_IS_PIECE = np.zeros(256, np.bool_)
_IS_PIECE[list(b"PNBRQKpnbrqk")] = True
#: Bytes of the text that must remain for a move to be read as one word.
_BEYOND = 16


@routine
def _without_closing(word: np.uint64) -> np.uint64:
    """Turn the first closing parenthesis of a word, and perhaps bytes above it, into a blank."""
    others = word ^ _PARENTHESES
    marks = (others - _EACH) & ~others & _HIGH
    return word ^ (marks >> _SEVEN) * _TO_BLANK


@routine
def _beyond_numbers(text: np.ndarray, at: int) -> int:
    """Return the end of blanks and of move numbers with their dots."""
    while at < text.size:
        byte = text[at]
        if CLASS[byte] == BLANK or byte == DOT:
            at += 1
        elif CLASS[byte] == DIGIT and at + 8 <= text.size:
            word = word_at(text, at)
            digits = trailing_zeros(others_than_digits(word)) & _WHOLE_BYTES
            if word >> digits & _BYTE != DOT:
                return at
            at += as_int(digits >> THREE) + 1
        else:
            return at
    return at


@routine
def _is_promotion(text: np.ndarray, at: int) -> bool | np.bool:
    """Whether a parenthesis begins a promotion, as ``read_san`` reads it."""
    return at + 2 < text.size and _IS_PIECE[text[at + 1]] and text[at + 2] == CLOSE_PARENTHESIS


@routine
def word_end(text: np.ndarray, at: int) -> int:
    """Return the end of a move's text; the parentheses of a promotion such as ``e8(Q)`` belong to it."""
    while at < text.size:
        byte = text[at]
        if byte == OPEN_PARENTHESIS and _is_promotion(text, at):
            at += 3
        elif _ENDS_WORD[byte]:
            return at
        else:
            at += 1
    return at


@routine
def keep(words: np.ndarray, sets: Any, castling: Set, passed: Set, flip: np.uint64) -> None:
    """Write a board and its side as words."""
    shown = unpacked(sets)
    for k in range(8):
        words[k] = shown[k]
    words[8], words[9], words[10] = castling, passed, flip


@routine
def _kept(words: np.ndarray) -> tuple[Any, Set, Set, np.uint64]:
    """Read a board and its side from words."""
    sets = packed(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7])
    return sets, words[8], words[9], words[10]


@routine
def _open(lines: np.ndarray, row: int, game: int, parent: int, ply: int, depth: int, at: int, stop: int) -> int:
    """Fill the row of a new line, closed at ``stop`` if nothing closes it; return the number of rows."""
    lines[row, GAME], lines[row, PARENT], lines[row, PLY], lines[row, DEPTH] = game, parent, ply, depth
    lines[row, OPENS], lines[row, CLOSES], lines[row, COUNT] = at, stop, 0
    lines[row, FAULT], lines[row, FAULT_AT] = NO_FAULT, at
    return row + 1


@subroutine
def _skip(text: np.ndarray, at: int) -> int:
    """Return the end of a token that is not a move."""
    kind = token_at(text, at)
    if kind == COMMENT:
        return comment_end(text, at + 1)[0]
    if kind == NUMBER:
        return number_end(text, at)
    if kind == NAG:
        return digits_end(text, at + 1)
    if kind == RESULT:
        return at + result_at(text, at)[1]
    if text[at] == SEMICOLON:
        return line_end(text, at)
    if kind == REST_OF_LINE:  # after a percent sign, which hides no parentheses from the reader of games
        while at < text.size and text[at] != NEWLINE and text[at] != OPEN_PARENTHESIS and text[at] != CLOSE_PARENTHESIS:
            at += 1
        return at
    return at + 1


@subroutine
def _read_any_move(
    text: np.ndarray, start: int, kind: np.uint8, game: np.ndarray, board: Board, flip: np.uint64
) -> tuple[Move, np.uint64, int, int]:
    """Read a move that is not plain: as ``_read_move``."""
    if game[pgn.VARIANT] != STANDARD and has_ended(game, board, flip):
        return NULL_MOVE, ZERO, start, pgn.GAME_OVER
    if kind == PASS:
        return NULL_MOVE, ZERO, null_end(text, start, text.size), NO_FAULT
    move, at = read_san(text, start, word_end(text, start), board, flip)
    return move, flip, at, NO_FAULT if is_move(move) else as_int(move & SQUARE_MASK)


@routine
def _read_move(
    text: np.ndarray, at: int, game: np.ndarray, sets: Any, castling: Set, passed: Set, flip: np.uint64
) -> tuple[Move, np.uint64, int, int]:
    """Read a token: a move, 0 if it is none; the flip of its squares; where it ends; the fault of a move."""
    if at + _BEYOND <= text.size and game[pgn.VARIANT] == STANDARD:
        start, end, length = read_plain(_without_closing(word_at(text, at)), sets, flip)
        if start != EMPTY:
            return lowest(start) | lowest(end) << SIX, flip, at + as_int(length >> THREE), NO_FAULT
    kind = token_at(text, at)
    if kind != MOVE and kind != PASS:
        return _NO_MOVE, ZERO, _skip(text, at), NO_FAULT
    after = en_passant_end(text, at)
    if after > at:
        return _NO_MOVE, ZERO, after, NO_FAULT
    return _read_any_move(text, at, kind, game, board_of(sets, castling, passed), flip)


@routine
def _report(lines: np.ndarray, line: int, fault: int, at: int) -> None:
    """Store the first fault of a line and its place."""
    if lines[line, FAULT] == NO_FAULT:
        lines[line, FAULT], lines[line, FAULT_AT] = fault, at


@subroutine
def read_variation(
    text: np.ndarray,
    at: int,
    stop: int,
    game: np.ndarray,
    number: int,
    ply: int,
    lines: np.ndarray,
    n_lines: int,
    moves: np.ndarray,
    notes: np.ndarray,
    of_line: np.ndarray,
    n: int,
    frames: np.ndarray,
    boards: np.ndarray,
) -> tuple[int, int, int]:
    """Read a variation of a game's moves and those inside; return where it ends, the numbers of lines and moves.

    ``boards[0, 0]`` has the board that it begins from. Lines that are interrupted lie in ``frames``, their boards after
    the last move and before it in ``boards``.
    """
    text, lines, moves, notes = borrowed(text), borrowed(lines), borrowed(moves), borrowed(notes)
    of_line, frames, boards = borrowed(of_line), borrowed(frames), borrowed(boards)
    sets, castling, passed, flip = _kept(boards[0, 0])
    line, last, height = n_lines, -1, 0
    n_lines = _open(lines, n_lines, number, -1, ply, 1, at, stop)
    at += 1
    while True:
        if last >= 0:
            notes[last, 1] = at
        at = _beyond_numbers(text, at)
        if at >= stop:
            return stop, n_lines, n
        if text[at] == OPEN_PARENTHESIS and height + 1 == DEEPEST:
            _report(lines, line, TOO_DEEP, at)
            at = variation_end(text, at + 1)[0]
            continue
        if text[at] == OPEN_PARENTHESIS:
            follows = last >= 0
            frames[height, _LINE], frames[height, _LAST], frames[height, _CHECKS] = line, last, game[pgn.CHECKS_NOW]
            keep(boards[height, 1], sets, castling, passed, flip)
            if follows:
                sets, castling, passed, flip = _kept(boards[height, 0])
                game[pgn.CHECKS_NOW] = frames[height, _CHECKS_BEFORE]
            parent = line if follows else lines[line, PARENT]
            begins = lines[line, PLY] + lines[line, COUNT] - follows
            depth = lines[line, DEPTH] + follows
            line, last, height = n_lines, -1, height + 1
            n_lines = _open(lines, n_lines, number, parent, begins, depth, at, stop)
            at += 1
            continue
        if text[at] != CLOSE_PARENTHESIS:
            move, turns, end, fault = _read_move(text, at, game, sets, castling, passed, flip)
            if fault == NO_FAULT:
                if move != _NO_MOVE:
                    keep(boards[height, 0], sets, castling, passed, flip)
                    frames[height, _CHECKS_BEFORE] = game[pgn.CHECKS_NOW]
                    record(moves, notes, n, move, turns, at, end)
                    sets, castling, passed = child_in_lanes(sets, castling, passed, move)
                    if game[pgn.VARIANT] != STANDARD:
                        count_check(game, board_of(sets, castling, passed), flip)
                    of_line[n], lines[line, COUNT] = line, lines[line, COUNT] + 1
                    last, n, flip = n, n + 1, flip ^ FIFTY_SIX
                at = end
                continue
            _report(lines, line, fault, at)
            at, closed = variation_end(text, at)
            if not closed:
                return stop, n_lines, n
            at -= 1

        # The line ends; the one that it interrupts goes on.
        lines[line, CLOSES] = at
        at += 1
        if height == 0:
            return at, n_lines, n
        height -= 1
        line, last, game[pgn.CHECKS_NOW] = frames[height, _LINE], frames[height, _LAST], frames[height, _CHECKS]
        sets, castling, passed, flip = _kept(boards[height, 1])
