"""SAN, the notation of games: read with tolerance, written exactly."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Move, Set, Square, routine, subroutine
from setwise.compiler.memory import borrowed
from setwise.notation.characters import (
    CLOSE_PARENTHESIS,
    DASH,
    DIGIT_0,
    DIGIT_1,
    EQUALS,
    HASH,
    LOWER_A,
    LOWER_O,
    LOWER_X,
    OPEN_PARENTHESIS,
    PLUS,
    UPPER_O,
)
from setwise.notation.resolve import ANY, UNREADABLE, resolve, resolve_castling
from setwise.notation.squares import PIECES, write_square
from setwise.notation.uci import between
from setwise.patterns import knight
from setwise.patterns.bits import EIGHT, EMPTY, FILES, FOUR, ONE, RANKS, SEVEN, THREE, ZERO, bit, lowest, without_lowest
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import Board, in_check, keeps_king_safe, king_square, lanes_of
from setwise.rules.generate import count_moves, legality
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    NULL,
    TWELVE,
    child,
    kind_of,
    origin_of,
    target_of,
)
from setwise.rules.pieces import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, piece_bits, piece_on

__all__ = ["is_suffix", "read_san", "write_san"]

# ------------------------------------------------------------------------------------------------------------- reading

#: The meaning of a byte inside a move: a file or a rank, marked with ``_PLACE``; nothing, for signs that the board
#: makes redundant (a capture sign, a suffix); the letter of a piece or a promotion sign; or the end of the move.
_PLACE, _NOTHING, _LETTER, _SIGN, _END = 0x40, 0, np.uint8(0x80), np.uint8(0x81), np.uint8(0x82)
_MEANING = np.full(256, _END, np.uint8)
_MEANING[list(b"abcdefgh")] = np.arange(8) + _PLACE
_MEANING[list(b"12345678")] = np.arange(8, 16) + _PLACE
_MEANING[list(b"x:-+#!?)")] = _NOTHING
_MEANING[list(b"NBRQKPnrq")], _MEANING[list(b"=/(")] = _LETTER, _SIGN

#: The files and ranks of a move, four bits each, after a leading mark: 0 to 7 for files, 8 to 15 for ranks.
_NO_PLACE, _PLACE_BITS, _RANK = np.uint64(0x80), np.uint64(0xF), np.uint64(0x8)
#: The valid sequences: a square; an origin's file or rank, then a square; two squares. A sixth entry is too many.
_RANK_MARKS, _TOO_MANY = np.uint64(0x8888_8888), np.uint64(0x8000_0000)
_SQUARE, _FILE_SQUARE, _RANK_SQUARE, _TWO_SQUARES = (
    np.uint64(shape) for shape in (0x80_08, 0x80_008, 0x80_808, 0x80_0808)
)
#: A final lower-case b after a rank: promotion to a bishop.
_RANK_AND_B, _TWO_PLACES = np.uint64(0x81), np.uint64(0x8F)

#: The piece that a letter names anywhere, and at the beginning of a move.
_PIECE_OF, _NAMED = np.zeros((2, 256), np.uint64)
for _piece, _letters in enumerate((b"Pp", b"Nn", b"Bb", b"Rr", b"Qq", b"Kk"), start=1):
    _PIECE_OF[list(_letters)], _NAMED[_letters[0]] = _piece, _piece

_SUFFIX = np.zeros(256, np.bool_)
_SUFFIX[list(b"+#!?)")] = True


@routine
def is_suffix(byte: np.uint8) -> np.bool:
    """Whether a byte may follow a move: a sign of check or mate, or an annotation sign."""
    return _SUFFIX[byte]


@routine
def _castling_length(text: np.ndarray, start: int, stop: int) -> int:
    """Return the length of castling at this place, 0, 3 or 5: ``O-O``, ``0-0-0`` and the like."""
    circle = text[start]
    if circle != UPPER_O and circle != DIGIT_0 and circle != LOWER_O:
        return 0
    if start + 2 >= stop or text[start + 1] != DASH or text[start + 2] != circle:
        return 0
    return 5 if start + 4 < stop and text[start + 3] == DASH and text[start + 4] == circle else 3


@routine
def _promotion(text: np.ndarray, at: int, stop: int, meaning: np.uint8, behind_rank: bool) -> tuple[np.uint64, int]:
    """Return the promotion piece at this place and the length of its text; length 0 if the move ends here.

    A letter alone is a promotion after a rank, a sign with a letter everywhere: ``e8Q``, ``e8=Q``, ``e8/Q``, ``e8(Q)``.
    """
    if meaning == _LETTER and behind_rank:
        return _PIECE_OF[text[at]], 1
    if meaning != _SIGN:
        return ZERO, 0
    sign, piece = text[at], _PIECE_OF[text[at + 1]] if at + 1 < stop else ZERO
    if sign == OPEN_PARENTHESIS:  # may open a variation
        return piece, 3 if piece != ZERO and at + 2 < stop and text[at + 2] == CLOSE_PARENTHESIS else 0
    if piece != ZERO:
        return piece, 2
    return ZERO, 1 if sign == EQUALS else 0  # a draw offer


@subroutine
def read_san(text: np.ndarray, start: int, stop: int, board: Board, flip: np.uint64) -> tuple[Move, int]:
    """Return the legal move in the text from ``start``, or a reason why there is none, and where its text ends.

    The board is the mover's; ``flip`` is 56 when the mover is Black and 0 when White, and converts squares of the text
    to squares of that board. SAN and its common misspellings are accepted: too many hints (``Ng1f3``, ``e2e4``,
    ``e2-e4``), missing ``x`` and ``+``, ``0-0``, ``e8Q``, ``e8(Q)``, a ``P`` before pawn moves, any ``!?``.

    After the piece, files and ranks are collected in order; capture signs and suffixes between them are skipped.
    The positions of the ranks among them then determine the meaning::

        text        files, ranks    ranks among them
        e4          80 4B           80 08       a square
        Nbxd7+      80 13E          80 008      a file and a square
        R1:a3!?     80 80A          80 808      a rank and a square
        g1-f3       80 685A         80 0808     two squares; without a piece letter, of the piece on the first
        axb8b       80 01F1         80 0080     as above: a final b after a rank promotes to a bishop
        e           80 4            80 0        nothing
    """
    text = borrowed(text)
    castling = _castling_length(text, start, stop)
    if castling:
        return resolve_castling(board, castling == 3), start + castling
    named = _NAMED[text[start]]
    piece = named if named != ZERO else PAWN
    at = start + 1 if named != ZERO else start
    places, promotion = _NO_PLACE, ZERO
    while places < _TOO_MANY:
        meaning = _MEANING[text[at]] if at < stop else _END
        if meaning < _LETTER:
            places = places << (meaning >> FOUR) | meaning & _PLACE_BITS
            at += 1
            continue
        promoted, length = _promotion(text, at, stop, meaning, piece == PAWN and places & _RANK != ZERO)
        if length == 0:
            break
        promotion = promoted if promoted != ZERO else promotion
        at += length
    if piece == PAWN and places & _TWO_PLACES == _RANK_AND_B:
        places, promotion = places >> FOUR, BISHOP
    if promotion == PAWN or promotion == KING:
        return UNREADABLE, at
    kind = promotion - ONE if promotion != ZERO else NORMAL
    target = ((places & SEVEN) << THREE | places >> FOUR & SEVEN) ^ flip
    ranks, before, first = places & _RANK_MARKS, places >> EIGHT & SEVEN, places >> TWELVE & SEVEN
    file = rank = ANY
    if ranks == _FILE_SQUARE:
        file = before
    elif ranks == _RANK_SQUARE:
        rank = before ^ flip >> THREE
    elif ranks == _TWO_SQUARES:
        file, rank = first, before ^ flip >> THREE
        if named == ZERO:
            return between(board, rank << THREE | file, target, kind), at
    elif ranks != _SQUARE:
        return UNREADABLE, at
    return resolve(board, piece, target, file, rank, kind), at


# ------------------------------------------------------------------------------------------------------------- writing

_PROMOTION_LETTERS = np.frombuffer(b" NBRQ", np.uint8).copy()


@subroutine
def _rivals(board: Board, piece: np.uint64, origin: Square, target: Square) -> Set:
    """Return the other pieces of the same kind that could legally move to the target."""
    occupied = board.own | board.enemy
    rivals: Set = EMPTY
    if piece == KNIGHT:
        rivals = knight.ATTACKS[target] & board.knights
    elif piece == BISHOP:
        rivals = bishop_attacks(target, occupied) & board.bishops
    elif piece == ROOK:
        rivals = rook_attacks(target, occupied) & board.rooks
    elif piece == QUEEN:
        rivals = (rook_attacks(target, occupied) | bishop_attacks(target, occupied)) & board.queens
    rivals &= board.own & ~bit(origin)
    end, legal_rivals = bit(target), EMPTY
    while rivals != EMPTY:
        rival = lowest(rivals)
        if keeps_king_safe(lanes_of(board), king_square(board), bit(rival), end, end):
            legal_rivals |= bit(rival)
        rivals = without_lowest(rivals)
    return legal_rivals


@routine
def _hints(board: Board, piece: np.uint64, origin: Square, target: Square, captures: bool) -> tuple[bool, bool]:
    """Whether the file, and the rank, of the origin must be written."""
    if piece == PAWN:
        return captures, False
    rivals = _rivals(board, piece, origin, target)
    if rivals == EMPTY:
        return False, False
    on_file = rivals & FILES[origin & SEVEN] != EMPTY
    on_rank = rivals & RANKS[origin >> THREE] != EMPTY
    return on_rank or not on_file, on_file


@subroutine
def write_san(board: Board, move: Move, flip: np.uint64, long: bool, out: np.ndarray, at: int) -> int:
    """Write a legal or null move of the mover's board exactly as SAN has it; return where it ends.

    ``flip`` is as in ``read_san``. ``long`` writes long algebraic notation instead: ``Ng1-f3``, ``e7xd8=Q+``.
    """
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == NULL:
        out[at], out[at + 1] = DASH, DASH
        return at + 2
    if kind == CASTLING:
        out[at], out[at + 1], out[at + 2] = UPPER_O, DASH, UPPER_O
        at += 3
        if target < origin:
            out[at], out[at + 1] = DASH, UPPER_O
            at += 2
    else:
        piece = piece_on(piece_bits(board), origin)
        captures = board.enemy >> target & ONE != EMPTY or kind == EN_PASSANT
        with_file, with_rank = True, True
        if not long:
            with_file, with_rank = _hints(board, piece, origin, target, captures)
        if piece != PAWN:
            out[at] = PIECES[piece]
            at += 1
        if with_file:
            out[at] = LOWER_A + np.uint8(origin & SEVEN)
            at += 1
        if with_rank:
            out[at] = DIGIT_1 + np.uint8((origin ^ flip) >> THREE)
            at += 1
        if captures or long:
            out[at] = LOWER_X if captures else DASH
            at += 1
        at = write_square(target ^ flip, out, at)
        if kind != NORMAL and kind != EN_PASSANT:
            out[at], out[at + 1] = EQUALS, _PROMOTION_LETTERS[kind]
            at += 2
    after = child(board, move)
    if in_check(after):
        out[at] = PLUS if count_moves(after, legality(after)) != EMPTY else HASH
        at += 1
    return at
