"""Movetext as it mostly is: numbers, plain moves, blanks, comments, one after the other and eight bytes at a time.

A plain move is one of a pawn or a piece to a square, perhaps with a capture sign, one hint of its origin, one sign
behind it. Which piece, whether it captures, where it comes from: nothing of this is a branch, because a branch that
nobody can predict costs as much as the whole rest of a move. What is not plain is left to ``read_san``, and what is no
move to the caller.

Eight bytes of text are one word, the first byte lowest; ``Nbxd7+`` begins the word 0x..20_2B_37_64_78_62_4E::

    byte        0    1    2    3    4    5    6    7
    text        N    b    x    d    7    +   ' '  ...
    blanks_in                                 ↑           the move is 6 bytes long
    _SUFFIXES                            ↑                its last byte is a sign, so the square ends at byte 5
    file, rank                 ↑    ↑                     of the target, the two bytes before
    _LANES      ↑                                         whose move it is: the knights'
    middle           ↑    ↑                               two bytes between piece and square: a hint, and a capture
    _HINTS           ↑                                    the hint: what comes from the file b

The origin is then one of ``own & knights & _ORIGINS[knights, d7] & _HINTS['b']``, the squares that see d7 on an empty
board and lie on the file b; where several are left, those from which the way is free.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import byteswap, routine, subroutine, trailing_zeros
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
from setwise.patterns.bits import ALL, EIGHT, EMPTY, FILES, ONE, RANK_4, RANK_7, RANKS, SIX, SIXTEEN, THREE, TWO, ZERO
from setwise.patterns.compass import south_east, south_west
from setwise.patterns.geometry import BETWEEN, SQUARES
from setwise.patterns.sliders import BISHOP_LINES, ROOK_LINES
from setwise.rules.board import ENEMY, KINGS, KNIGHTS, OWN, PAWNS, board_of, is_attacked, lanes_of, other_side
from setwise.rules.moves import FIFTY_SIX, SQUARE_MASK, after, after_normal, turned

__all__ = ["read_moves", "record"]

_BYTE, _WHOLE_BYTES, _TWENTY_FOUR, _TEN = (np.uint64(number) for number in (0xFF, 0x38, 24, 10))
#: Bytes that must be left of the text: a word, and more than what it leaves of a move.
_BEYOND = 16

#: The lane of a board that a move's first letter moves; the first one for letters that begin no plain move.
_LANES = np.zeros(256, np.uint64)
for _lane, _letters in enumerate((b"abcdefgh", b"N", b"B", b"R", b"Q", b"K"), start=2):
    _LANES[list(_letters)] = _lane

_SUFFIXES = np.zeros(256, np.uint64)
_SUFFIXES[list(b"+#!?")] = 1

#: The squares that a hint allows, with bit 8 for Black, whose board is turned; all for no hint, none for other bytes.
_HINTS = np.zeros(512, np.uint64)
_of_colours = _HINTS.reshape(2, 256)
_of_colours[:, 0] = ALL
_of_colours[:, list(b"abcdefgh")] = FILES
_of_colours[0, list(b"12345678")] = RANKS
_of_colours[1, list(b"87654321")] = RANKS
_TURNED = np.uint64(256)

#: Where a target may be reached from on an empty board, by lanes; what promotes is not plain. Pushes of pawns have no
#: lane of their own and take the enemy's.
_PUSHES = ENEMY
_ORIGINS = np.zeros(512, np.uint64)
_of_lanes = _ORIGINS.reshape(8, 64)
_of_lanes[_PUSHES] = (SQUARES >> EIGHT | (SQUARES & RANK_4) >> SIXTEEN) & ~RANK_7
_of_lanes[PAWNS] = (south_east.plain(SQUARES) | south_west.plain(SQUARES)) & ~RANK_7
_of_lanes[KNIGHTS:] = knight.ATTACKS, BISHOP_LINES, ROOK_LINES, BISHOP_LINES | ROOK_LINES, king.ATTACKS

# ---------------------------------------------------------------------------------------------------- one plain move


@routine
def _byte(word, bits):
    """The byte of a word whose lowest bit has this number; a negative one is some byte too."""
    return word >> (bits & _WHOLE_BYTES) & _BYTE


@routine
def _taken_apart(word, flip):
    """Whether a word begins with what looks like a plain move, and its parts, which mean nothing if it does not.

    They are its length in bits, the lane of its piece, the way it moves (its lane, or ``_PUSHES``), the target on the
    mover's board, and the place of its hint in the table.
    """
    blanks = blanks_in(word)
    length = trailing_zeros(blanks) & _WHOLE_BYTES
    end = length - (_SUFFIXES[_byte(word, length - EIGHT)] << THREE)
    rank, file = _byte(word, end - EIGHT) - DIGIT_1, _byte(word, end - SIXTEEN) - LOWER_A
    piece = _LANES[word & _BYTE]
    officer = np.uint64(piece > PAWNS)
    # What stands before the square, apart from the piece's letter: a hint, a capture sign, both or none.
    middle = (end >> THREE) - TWO - officer
    takes = np.uint64(middle - ONE < SIX) & np.uint64(_byte(word, end - _TWENTY_FOUR) == LOWER_X)
    hints = middle - takes
    looks_plain = blanks != EMPTY and (rank | file) < EIGHT and hints <= ONE
    way = piece - (np.uint64(piece == PAWNS) & (hints ^ ONE))
    hint = _byte(word, officer << THREE) * hints | (_TURNED if flip != EMPTY else ZERO)
    return looks_plain, length, piece, way, (rank << THREE | file) ^ flip, hint


@subroutine
def _clear(origins, target, occupied):
    """Those of the origins between which and the target nobody stands."""
    clear = EMPTY
    while origins != EMPTY:
        origin = trailing_zeros(origins)
        if BETWEEN[origin, target] & occupied == EMPTY:
            clear |= ONE << origin
        origins &= origins - ONE
    return clear


@routine
def _read_plain(word, sets, flip):
    """The squares of the plain and legal move that a word begins with, and the bits that its text takes.

    The squares are sets, empty for anything else: the mover's board has ``sets``, and ``flip`` is 56 for Black.
    """
    looks_plain, length, piece, way, target, hint = _taken_apart(word, flip)
    if not looks_plain:
        return EMPTY, EMPTY, length
    own, enemy = lane(sets, OWN), lane(sets, ENEMY)
    occupied, end = own | enemy, ONE << target
    start = own & lane(sets, piece) & _ORIGINS[way << SIX | target] & _HINTS[hint]
    if start & (start - ONE) != EMPTY:
        start = _clear(start, target, occupied)
    origin = trailing_zeros(start) & SQUARE_MASK
    # Targets that are barred: own pieces and both kings; for a pushed pawn also enemy pieces, for a capturing pawn
    # everything else.
    barred = own | enemy & (EMPTY - np.uint64(way == _PUSHES)) | ~enemy & (EMPTY - np.uint64(way == PAWNS))
    barred |= lane(sets, KINGS)
    if start == EMPTY or start & (start - ONE) | BETWEEN[origin, target] & occupied | end & barred != EMPTY:
        return EMPTY, EMPTY, length
    square = target if piece == KINGS else trailing_zeros(own & lane(sets, KINGS))
    if is_attacked(sets, square, enemy & ~end, occupied & ~start | end):
        return EMPTY, EMPTY, length
    return start, end, length


# ------------------------------------------------------------------------------------------------------------ movetext


@routine
def record(moves, notes, n, move, flip, start, stop):
    """Write a move of the mover's board, and its place in the text where that is wanted."""
    row = np.uint64(n)
    moves[row] = turned(move) if flip != EMPTY else move
    if notes.shape[0] > 0:
        notes[row, 0], notes[row, 1] = start, stop


@routine
def _turn(position):
    """What a move has left, as the other side sees it."""
    sets, castling, passed = position
    return other_side(sets), byteswap(castling), byteswap(passed)


@routine
def _begins_at(places, place):
    """Whether this is the first of some places in a line."""
    return places & (EMPTY - places) == ONE << np.uint64(place)


@routine
def _begins_before(places, place):
    """Whether some of the places in a line are before this one."""
    return places & ((ONE << np.uint64(place)) - ONE) != EMPTY


@subroutine
def read_moves(text, at, board, flip, moves, n, notes, first, boards, number):
    """Read moves until something else comes; where, their number, the board and its side then.

    ``moves`` and ``notes`` get them from row ``n`` on; rows from ``first`` on are of the same game. ``boards`` gets the
    board before each, ``number`` places further on, as every game before has had a position more than moves.
    """
    text, moves, notes, boards = borrowed(text), borrowed(moves), borrowed(notes), borrowed(boards)
    sets, castling, passed = lanes_of(board), board.castling, board.en_passant
    usual = 0
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
            at += np.int64(digits >> THREE) + 1
            continue
        if byte == OPEN_BRACE and n > first:
            # A clock is as long as the one before. The branch on that lets the next word be read before this end is
            # known; to wait for the place that is found takes as long as a third of a move.
            if at + LINE <= text.size and _begins_at(places_at(text, at, CLOSE_BRACE), usual):
                stop = at + usual
                if _begins_before(places_at(text, at, NEWLINE), usual):
                    break
            else:
                stop = find(text, at, CLOSE_BRACE, NEWLINE)
                if stop == text.size or text[stop] != CLOSE_BRACE:
                    break
                usual = (stop - at) & (LINE - 1)
            at = stop + 1
            if notes.shape[0] > 0:
                notes[n - 1, 1] = at
            continue
        start, end, length = _read_plain(word, sets, flip)
        if start != EMPTY:
            stop = at + np.int64(length >> THREE)
            put_board(boards, n + number, sets, castling, passed, flip)
            record(moves, notes, n, trailing_zeros(start) | trailing_zeros(end) << SIX, flip, at, stop)
            sets, castling, passed = _turn(after_normal(sets, castling, start, end))
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
        sets, castling, passed = _turn(after(sets, castling, move))
        n, at, flip = n + 1, stop, flip ^ FIFTY_SIX
    return at, n, board_of(sets, castling, passed), flip
