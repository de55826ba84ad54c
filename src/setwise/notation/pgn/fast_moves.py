"""The fast path for usual movetext: numbers, plain moves, blanks and comments, read eight bytes at a time.

A plain move has a piece letter (none for pawns) and a target square, perhaps with a capture sign, one hint of its
origin and one suffix. Which piece moves, whether it captures and where it comes from is computed without branches,
because one mispredicted branch costs as much as the rest of a move. ``read_san`` reads moves that are not plain, and
the caller reads everything that is not a move.

Eight bytes of text are one word, the first byte lowest; ``Nbxd7+`` begins the word 0x..20_2B_37_64_78_62_4E::

    byte        0    1    2    3    4    5    6    7
    text        N    b    x    d    7    +   ' '  ...
    blanks_in                                 ↑           the move is 6 bytes long
    _SUFFIXES                            ↑                its last byte is a sign, so the square ends at byte 5
    file, rank                 ↑    ↑                     of the target, the two bytes before it
    _LANES      ↑                                         the piece that moves: knights
    middle           ↑    ↑                               two bytes between piece and square: a hint, and a capture
    _HINTS           ↑                                    the hint: only pieces on the file b

The origin is then one of ``own & knights & _ORIGINS[knights, d7] & _HINTS['b']``, the squares on the file b
from which a knight reaches d7 on an empty board. Where several are left, those with a free path to the target count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Move, Set, Square, routine, subroutine, trailing_zeros
from setwise.compiler.lanes import lane
from setwise.compiler.memory import LINE, borrowed, places_at, word_at
from setwise.notation.characters import (
    CLOSE_BRACE,
    DIGIT_0,
    DIGIT_1,
    DOT,
    LOWER_A,
    LOWER_E,
    LOWER_P,
    LOWER_X,
    LOWER_Z,
    NEWLINE,
    OPEN_BRACE,
    SPACE,
    UPPER_A,
)
from setwise.notation.pgn.replay import put_board
from setwise.notation.resolve import is_move
from setwise.notation.san import read_san
from setwise.notation.scanning import blanks_in, find, others_than_digits
from setwise.patterns import king, knight
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    FILES,
    ONE,
    RANK_4,
    RANK_7,
    RANKS,
    SIX,
    SIXTEEN,
    THREE,
    TWO,
    ZERO,
    as_int,
    bit,
    lowest,
    more_than_one,
    only_lowest,
    without_lowest,
)
from setwise.patterns.compass import south_east, south_west
from setwise.patterns.geometry import BETWEEN, SQUARES
from setwise.patterns.sliders.board_lines import BISHOP_LINES, ROOK_LINES
from setwise.rules.board import ENEMY, KINGS, KNIGHTS, OWN, PAWNS, Board, board_of, keeps_king_safe, lanes_of
from setwise.rules.moves import FIFTY_SIX, SQUARE_MASK, child_in_lanes, normal_child, turned

__all__ = ["read_moves", "read_plain", "record"]

_BYTE, _WHOLE_BYTES, _TWENTY_FOUR, _TEN = (np.uint64(number) for number in (0xFF, 0x38, 24, 10))
#: Bytes of the text that must remain: a word, and more than the rest of a move that begins in it.
_BEYOND = 16

#: The lane of the piece that a move's first letter names; lane 0 for letters that do not begin a plain move.
_LANES = np.zeros(256, np.uint64)
for _lane, _letters in enumerate((b"abcdefgh", b"N", b"B", b"R", b"Q", b"K"), start=2):
    _LANES[list(_letters)] = _lane

_SUFFIXES = np.zeros(256, np.uint64)
_SUFFIXES[list(b"+#!?")] = 1

#: The squares that a hint allows; bit 8 of the index is set for Black, whose board is flipped. No hint allows all
#: squares, any other byte none.
_HINTS = np.zeros(512, np.uint64)
_of_colours = _HINTS.reshape(2, 256)
_of_colours[:, 0] = ALL
_of_colours[:, list(b"abcdefgh")] = FILES
_of_colours[0, list(b"12345678")] = RANKS
_of_colours[1, list(b"87654321")] = RANKS
_FLIPPED = np.uint64(256)

#: The squares from which a piece reaches a target on an empty board, by lanes; promotions are not plain and left out.
#: Pawn pushes have no lane of their own and use the enemy's.
_PUSHES = ENEMY
_ORIGINS = np.zeros(512, np.uint64)
_of_lanes = _ORIGINS.reshape(8, 64)
_of_lanes[_PUSHES] = (SQUARES >> EIGHT | (SQUARES & RANK_4) >> SIXTEEN) & ~RANK_7
_of_lanes[PAWNS] = (south_east.plain(SQUARES) | south_west.plain(SQUARES)) & ~RANK_7
_of_lanes[KNIGHTS:] = knight.ATTACKS, BISHOP_LINES, ROOK_LINES, BISHOP_LINES | ROOK_LINES, king.ATTACKS

# ---------------------------------------------------------------------------------------------------- one plain move


@routine
def _byte(word: np.uint64, bits: np.uint64) -> np.uint64:
    """Return the byte of a word whose lowest bit has this number; a negative number gives an arbitrary byte."""
    return word >> (bits & _WHOLE_BYTES) & _BYTE


@routine
def _split(
    word: np.uint64, flip: np.uint64
) -> tuple[bool | np.bool, np.uint64, np.uint64, np.uint64, Square, np.uint64]:
    """Split a word into the parts of a plain move; return first whether it has the form of one.

    The parts are the length in bits, the lane of the piece, the kind of its move (its lane, or ``_PUSHES``), the target
    on the mover's board, and the index of its hint in the table. They mean nothing if the first value is false.
    """
    blanks = blanks_in(word)
    length = trailing_zeros(blanks) & _WHOLE_BYTES
    end = length - (_SUFFIXES[_byte(word, length - EIGHT)] << THREE)
    rank, file = _byte(word, end - EIGHT) - DIGIT_1, _byte(word, end - SIXTEEN) - LOWER_A
    piece = _LANES[word & _BYTE]
    has_letter = np.uint64(piece > PAWNS)
    # The bytes between the piece's letter and the square: a hint, a capture sign, both or none.
    middle = (end >> THREE) - TWO - has_letter
    captures = np.uint64(middle - ONE < SIX) & np.uint64(_byte(word, end - _TWENTY_FOUR) == LOWER_X)
    hints = middle - captures
    looks_plain = blanks != EMPTY and (rank | file) < EIGHT and hints <= ONE
    way = piece - (np.uint64(piece == PAWNS) & (hints ^ ONE))
    hint = _byte(word, has_letter << THREE) * hints | (_FLIPPED if flip != EMPTY else ZERO)
    return looks_plain, length, piece, way, (rank << THREE | file) ^ flip, hint


@subroutine
def _with_clear_path(origins: Set, target: Square, occupied: Set) -> Set:
    """Return the origins with no piece between them and the target."""
    clear = EMPTY
    while origins != EMPTY:
        origin = lowest(origins)
        if BETWEEN[origin, target] & occupied == EMPTY:
            clear |= bit(origin)
        origins = without_lowest(origins)
    return clear


@routine
def read_plain(word: np.uint64, sets: Any, flip: np.uint64) -> tuple[Set, Set, np.uint64]:
    """Return the origin and the target of the plain, legal move that a word begins with, and its length in bits.

    Both squares are sets, and empty if there is no such move. ``sets`` is the mover's board, ``flip`` is 56 for Black.
    """
    looks_plain, length, piece, way, target, hint = _split(word, flip)
    if not looks_plain:
        return EMPTY, EMPTY, length
    own, enemy = lane(sets, OWN), lane(sets, ENEMY)
    occupied, end = own | enemy, bit(target)
    start = own & lane(sets, piece) & _ORIGINS[way << SIX | target] & _HINTS[hint]
    if more_than_one(start):
        start = _with_clear_path(start, target, occupied)
    origin = lowest(start) & SQUARE_MASK
    # Targets that are barred: own pieces and both kings; for a pushed pawn also enemy pieces, for a capturing pawn
    # everything else.
    barred = own | enemy & (EMPTY - np.uint64(way == _PUSHES)) | ~enemy & (EMPTY - np.uint64(way == PAWNS))
    barred |= lane(sets, KINGS)
    if start == EMPTY or without_lowest(start) | BETWEEN[origin, target] & occupied | end & barred != EMPTY:
        return EMPTY, EMPTY, length
    square = target if piece == KINGS else lowest(own & lane(sets, KINGS))
    if not keeps_king_safe(sets, square, start, end, end):
        return EMPTY, EMPTY, length
    return start, end, length


# ------------------------------------------------------------------------------------------------------------ movetext


@routine
def record(moves: np.ndarray, notes: np.ndarray, n: int, move: Move, flip: np.uint64, start: int, stop: int) -> None:
    """Write a move of the mover's board, and its place in the text if places are requested."""
    row = np.uint64(n)
    moves[row] = turned(move) if flip != EMPTY else move
    if notes.shape[0] > 0:
        notes[row, 0], notes[row, 1] = start, stop


@routine
def _begins_at(places: np.uint64, place: int) -> bool:
    """Whether this is the first of the places marked in a cache line."""
    return only_lowest(places) == ONE << np.uint64(place)


@routine
def _begins_before(places: np.uint64, place: int) -> bool:
    """Whether a place marked in a cache line is before this one."""
    return places & ((ONE << np.uint64(place)) - ONE) != EMPTY


@subroutine
def read_moves(
    text: np.ndarray,
    at: int,
    board: Board,
    flip: np.uint64,
    moves: np.ndarray,
    n: int,
    notes: np.ndarray,
    first: int,
    boards: np.ndarray,
    number: int,
) -> tuple[int, int, Board, np.uint64]:
    """Read moves up to anything else; return where that is, the number of moves, and the board and its side there.

    Moves and their places are written to ``moves`` and ``notes`` from row ``n`` on; rows from ``first`` on belong to
    the same game. The board before each move is written to row ``n + number`` of ``boards``, because each of the
    ``number`` games before has one more position than moves.
    """
    text, moves, notes, boards = borrowed(text), borrowed(moves), borrowed(notes), borrowed(boards)
    sets, castling, passed = lanes_of(board), board.castling, board.en_passant
    usual_length = 0
    while at + _BEYOND <= text.size:
        word = word_at(text, at)
        byte = word & _BYTE
        if byte <= SPACE or byte == DOT:
            at += 1
            continue
        if byte - DIGIT_0 < _TEN:
            others = others_than_digits(word)
            digits = trailing_zeros(others) & _WHOLE_BYTES
            if others == EMPTY or _byte(word, digits) != DOT:
                break
            at += as_int(digits >> THREE) + 1
            continue
        if byte == OPEN_BRACE and n > first:
            # A clock is usually as long as the one before. The branch on that lets the processor read the next word
            # before the end is known; waiting for the search takes a third of the time of a move.
            if at + LINE <= text.size and _begins_at(places_at(text, at, CLOSE_BRACE), usual_length):
                stop = at + usual_length
                if _begins_before(places_at(text, at, NEWLINE), usual_length):
                    break
            else:
                stop = find(text, at, CLOSE_BRACE, NEWLINE)
                if stop == text.size or text[stop] != CLOSE_BRACE:
                    break
                usual_length = (stop - at) & (LINE - 1)
            at = stop + 1
            if notes.shape[0] > 0:
                notes[n - 1, 1] = at
            continue
        start, end, length = read_plain(word, sets, flip)
        if start != EMPTY:
            stop = at + as_int(length >> THREE)
            put_board(boards, n + number, sets, castling, passed, flip)
            record(moves, notes, n, lowest(start) | lowest(end) << SIX, flip, at, stop)
            sets, castling, passed = normal_child(sets, castling, start, end)
            n, at, flip = n + 1, stop, flip ^ FIFTY_SIX
            continue
        second = _byte(word, EIGHT)
        if byte < UPPER_A or byte > LOWER_Z or (byte == LOWER_E and (second == DOT or second == LOWER_P)):
            break
        move, stop = read_san(text, at, text.size, board_of(sets, castling, passed), flip)
        if not is_move(move):
            break
        put_board(boards, n + number, sets, castling, passed, flip)
        record(moves, notes, n, move, flip, at, stop)
        sets, castling, passed = child_in_lanes(sets, castling, passed, move)
        n, at, flip = n + 1, stop, flip ^ FIFTY_SIX
    return at, n, board_of(sets, castling, passed), flip
