"""FEN: the text of a position, read and written by the same compiled lines for one position and for millions.

A FEN has six fields: the men rank by rank from the eighth, the side to move, castling rights, the en passant square,
the number of half moves since the last capture or pawn move, the number of the full move. Fields missing at the end
take the values of a game's beginning (``w - - 0 1``), as in python-chess.

Castling rights are read in all three dialects at once: ``KQkq``; X-FEN, where ``K`` means the outermost rook on the
king's side and a file's letter means any other; Shredder-FEN, all letters of files. They are kept as the squares of
the rooks. X-FEN is written, which for standard chess is ``KQkq``, or Shredder-FEN on demand.

The en passant square is kept as the standard has it: the square that a pawn has just passed, whoever may capture there.
It is written in three conventions: ``legal`` (when a legal capture exists), ``xfen`` (when a pawn stands beside the one
that passed), ``fen`` (always).

Deliberate differences from python-chess: castling letters may stand in any order, but none twice; numbers are digits
only, up to 65,535; two checks by pawns or knights are impossible, as one of two checks comes along a line; a queenside
right without any rook is a fault, as a kingside right is there too. As in
python-chess, the full move 0 is read as 1, and the numbers of promoted pieces are not doubted. Operations of EPD after
the position are for ``Position.from_epd``.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from setwise.bitboard import Bitboard
from setwise.compiler import bitreverse, entry, routine, scratch, subroutine, trailing_zeros
from setwise.compiler.signatures import boolean, int64, reads, tuple_of, uint8, uint16, uint64, writes
from setwise.errors import InvalidFen, shortened
from setwise.notation.placement import read_sound_men
from setwise.notation.scanning import TEXT
from setwise.notation.squares import NO_SQUARE, read_square, write_number, write_square
from setwise.patterns.bits import (
    ALL,
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
    TWO,
    ZERO,
)
from setwise.rules.board import Board, board_at, mirrored
from setwise.rules.generate import Limits, en_passant_captors
from setwise.rules.moves import LAST_CLOCK
from setwise.rules.pieces import piece_bits, piece_on
from setwise.rules.status import Status, castling_is_standard, faults

__all__ = [
    "MOST_BYTES", "SENTENCES", "Syntax", "explain", "mode_of", "read_fen", "read_fens", "sentences", "write_fen",
    "write_fens", "write_letters",
]  # fmt: skip

#: No FEN is longer: 64 men and seven slashes, 16 castling letters of an impossible position, two numbers of 20 digits.
MOST_BYTES = 144

#: Conventions of the en passant field, and the flag that asks for Shredder-FEN's castling letters.
LEGAL, ALWAYS, PSEUDO_LEGAL, SHREDDER = ZERO, ONE, TWO, np.uint64(4)
_CONVENTIONS = {"legal": LEGAL, "fen": ALWAYS, "xfen": PSEUDO_LEGAL}


def mode_of(en_passant: str, *, shredder: bool) -> int:
    """Return what ``write_fen`` takes as its mode, or raise ``ValueError`` for an unknown convention."""
    if en_passant not in _CONVENTIONS:
        raise ValueError(f"en_passant is 'legal', 'fen' or 'xfen', not {shortened(en_passant)}")
    return int(_CONVENTIONS[en_passant] | (SHREDDER if shredder else ZERO))


class Syntax(enum.IntFlag):
    """What can be wrong with the text, one at a time, in the bits above those of :class:`Status`."""

    NO_TEXT = 1 << 32
    BAD_MAN = 1 << 33
    TWO_DIGITS = 1 << 34
    LONG_RANK = 1 << 35
    SHORT_RANK = 1 << 36
    MANY_RANKS = 1 << 37
    FEW_RANKS = 1 << 38
    BAD_TURN = 1 << 39
    BAD_CASTLING = 1 << 40
    TWICE = 1 << 41
    BAD_SQUARE = 1 << 42
    BAD_NUMBER = 1 << 43
    BIG_NUMBER = 1 << 44
    EXTRA_FIELD = 1 << 45


NO_FAULT = ZERO
(NO_TEXT, BAD_MAN, TWO_DIGITS, LONG_RANK, SHORT_RANK, MANY_RANKS, FEW_RANKS, BAD_TURN, BAD_CASTLING, TWICE, BAD_SQUARE,
 BAD_NUMBER, BIG_NUMBER, EXTRA_FIELD) = (np.uint64(fault) for fault in Syntax)  # fmt: skip

#: The sentence of every fault.
SENTENCES: dict[enum.IntFlag, str] = {
    Syntax.NO_TEXT: "it is empty; a FEN has six fields, such as '4k3/8/8/8/8/8/8/4K3 w - - 0 1'",
    Syntax.BAD_MAN: "{found} is no man; the ranks consist of PNBRQK (White), pnbrqk (Black), digits 1 to 8 and '/'",
    Syntax.TWO_DIGITS: "two digits follow each other; one digit counts the empty squares in a row",
    Syntax.LONG_RANK: "this rank has more than 8 squares",
    Syntax.SHORT_RANK: "this rank has fewer than 8 squares",
    Syntax.MANY_RANKS: "there are more than 8 ranks",
    Syntax.FEW_RANKS: "there are fewer than 8 ranks, which are divided by '/'",
    Syntax.BAD_TURN: "{found} is no side to move; 'w' or 'b' is expected",
    Syntax.BAD_CASTLING: "{found} is no castling right; '-', letters of 'KQkq' or files of rooks such as 'HAha' "
    "are expected",
    Syntax.TWICE: "{found} names the same castling rook again",
    Syntax.BAD_SQUARE: "{found} is no en passant square; '-' or a square such as 'e3' is expected",
    Syntax.BAD_NUMBER: "{found} is no number; the fifth and the sixth field count half moves and full moves",
    Syntax.BIG_NUMBER: "the number {found} is too large; 65535 is the limit",
    Syntax.EXTRA_FIELD: "{found} follows the six fields of a FEN",
    Status.EMPTY: "the board is empty",
    Status.NO_WHITE_KING: "White has no king",
    Status.NO_BLACK_KING: "Black has no king",
    Status.TOO_MANY_KINGS: "there are {kings} kings ({king_squares}); each side has one",
    Status.TOO_MANY_WHITE_PAWNS: "White has {white_pawns} pawns; 8 are the most",
    Status.TOO_MANY_BLACK_PAWNS: "Black has {black_pawns} pawns; 8 are the most",
    Status.PAWNS_ON_BACKRANK: "a pawn stands on the first or the last rank ({last_pawns})",
    Status.TOO_MANY_WHITE_PIECES: "White has {white_men} men; 16 are the most",
    Status.TOO_MANY_BLACK_PIECES: "Black has {black_men} men; 16 are the most",
    Status.BAD_CASTLING_RIGHTS: "the castling rights ask for rooks on {rooks}, where rook and king do not stand so "
    "that they can still castle{hint}",
    Status.INVALID_EP_SQUARE: "no pawn can just have passed {en_passant} (the side not to move needs a pawn right "
    "beyond it, and the squares behind that pawn are empty)",
    Status.OPPOSITE_CHECK: "the king of the side not to move is in check and could be taken",
    Status.TOO_MANY_CHECKERS: "the king is attacked by more than two men at once",
    Status.IMPOSSIBLE_CHECK: "no last move can have given the check that the king is in",
}

# ------------------------------------------------------------------------------------------------------------- reading

#: What a byte means among the men: a man is his set's lane in a Board, plus 8 times his side's; a digit 16 and more.
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
def _blank(text, at):
    return _MEANING[text[at]] == _BLANK


@routine
def _next_field(text, at, stop):
    while at < stop and _blank(text, at):
        at += 1
    return at


@routine
def _field_ends(text, at, stop):
    return at >= stop or _blank(text, at)


@subroutine
def _read_men(text, at, stop, sets):
    """Sort the men into eight sets; what is wrong, and where that or the field's end is."""
    for lane in range(8):
        sets[lane] = EMPTY
    row, file, before = _TOP_ROW, ZERO, _OTHER
    while at < stop:
        meaning = np.uint64(_MEANING[text[at]])
        if meaning < _DIGIT:
            if file == EIGHT:
                return LONG_RANK, at
            man = ONE << row + file
            sets[meaning & SEVEN] |= man
            sets[meaning >> THREE] |= man
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
            return BAD_MAN, at
        before = meaning
        at += 1
    if row != ZERO:
        return FEW_RANKS, at
    return SHORT_RANK if file != EIGHT else NO_FAULT, at


@routine
def _highest(squares):
    return bitreverse(bitreverse(squares) & ~(bitreverse(squares) - ONE))


@routine
def _castling_rook(letter, men, kings, rooks, rank):
    """The square that a castling letter, in lower case, stands for; nothing when it is no such letter.

    Where no rook stands, the corner, or the file's square, shows the fault.
    """
    king, rooks = men & kings, men & rooks & rank
    if letter == _K:
        rook = _highest(rooks)
        return rook if rook > king and king != EMPTY else FILE_H & rank
    if letter == _Q:
        rook = rooks & ~(rooks - ONE)
        return rook if rook < king and rook != EMPTY else FILE_A & rank
    if _A <= letter <= _H:
        return FILES[letter - _A] & rank
    return EMPTY


@subroutine
def _read_castling(text, at, stop, sets):
    """Read castling rights as the squares of rooks."""
    rights = EMPTY
    if at < stop and text[at] == _DASH:
        return rights, BAD_CASTLING if not _field_ends(text, at + 1, stop) else NO_FAULT, at + 1
    while not _field_ends(text, at, stop):
        byte = np.uint64(text[at])
        letter = byte | _LOWER
        if byte == letter:
            rook = _castling_rook(letter, sets[1], sets[7], sets[5], RANK_8)
        else:
            rook = _castling_rook(letter, sets[0], sets[7], sets[5], RANK_1)
        if rook == EMPTY:
            return rights, BAD_CASTLING, at
        if rights & rook != EMPTY:
            return rights, TWICE, at
        rights |= rook
        at += 1
    return rights, NO_FAULT, at


@routine
def _read_square(text, at, stop):
    """Read the en passant square, as a set."""
    if at >= stop or (text[at] == _DASH and _field_ends(text, at + 1, stop)):
        return EMPTY, NO_FAULT, at + 1
    if at + 1 < stop and _field_ends(text, at + 2, stop):
        square = read_square(text, at)
        if square != NO_SQUARE:
            return ONE << square, NO_FAULT, at + 2
    return EMPTY, BAD_SQUARE, at


@routine
def _read_number(text, at, stop, missing):
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
def _read_state(text, at, stop, sets):
    """Read all fields but the first: turn, castling, en passant, both numbers, a fault, and where it is."""
    white_to_move = ONE
    castling = passed = halfmoves = ZERO
    fullmoves = ONE
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
def _read_fen(text, start, stop):
    """The position in the bytes from ``start`` to ``stop``.

    The board as White sees it, whether White moves, half moves and full moves, the faults (one of :class:`Syntax`, or
    bits of :class:`Status`, castling as Chess960 allows it), and where in the text a fault of syntax is.
    """
    sets = _sets(uint64)
    white_to_move, castling, passed, halfmoves, fullmoves = ONE, EMPTY, EMPTY, ZERO, ONE
    at = _next_field(text, start, stop)
    fault = NO_TEXT
    if at < stop:
        sound, end = read_sound_men(text, at, stop, sets)
        if sound and _field_ends(text, end, stop):
            fault, at = NO_FAULT, end
        else:  # letter by letter, up to the one that is wrong
            fault, at = _read_men(text, at, stop, sets)
        if fault == NO_FAULT:
            white_to_move, castling, passed, halfmoves, fullmoves, fault, at = _read_state(text, at, stop, sets)
    board = Board(sets[0], sets[1], sets[2], sets[3], sets[4], sets[5], sets[6], sets[7], castling, passed)
    if fault == NO_FAULT:
        fault = faults(board, white_to_move)
    return board, white_to_move, halfmoves, fullmoves, fault, at


@subroutine
def read_fen(text, start, stop):
    """As ``_read_fen``, which is inlined where millions are read: its fifteen results cost a fifth of the time."""
    return _read_fen(text, start, stop)


_WORDS = writes(uint64, 2)
_PLACES = reads(int64)
_CLOCKS = writes(uint16)
_BAD_RIGHTS = np.uint64(Status.BAD_CASTLING_RIGHTS)


@entry(
    tuple_of(int64, uint64, int64),
    TEXT, _PLACES, boolean, _WORDS, writes(boolean), _CLOCKS, _CLOCKS,
)  # fmt: skip
def read_fens(text, offsets, chess960, words, white_to_move, halfmoves, fullmoves):
    """Read one FEN between every two offsets into columns, up to the first that has faults.

    ``words`` has ten rows, the sets of a Board as White sees it. The result is how many were read and the faults of the
    next one, if any, and where in the text they are.
    """
    for k in range(offsets.size - 1):
        board, turn, halves, fulls, fault, at = _read_fen(text, offsets[k], offsets[k + 1])
        if fault == NO_FAULT and not (chess960 or castling_is_standard(board)):
            fault = _BAD_RIGHTS
        if fault != NO_FAULT:
            return k, fault, at
        for lane in range(10):
            words[lane, k] = board[lane]
        white_to_move[k] = turn != ZERO
        halfmoves[k], fullmoves[k] = np.uint16(halves), np.uint16(fulls)
    return offsets.size - 1, NO_FAULT, 0


# ------------------------------------------------------------------------------------------------------------- writing

#: The letter of a man by the number of his piece, plus 8 when he is Black's.
_LETTERS = np.frombuffer(b".PNBRQK..pnbrqk.", np.uint8).copy()
_SLASH_BYTE, _SPACE, _DASH_BYTE, _ZERO_BYTE = (np.uint8(byte) for byte in b"/ -0")
_LOWER_A = np.uint8(ord("a"))
_CAPITAL = np.uint8(32)
_LEGALLY = Limits(ALL, EMPTY, EMPTY, EMPTY, ONE)
_PSEUDO_LEGALLY = Limits(ALL, EMPTY, EMPTY, EMPTY, EMPTY)


@routine
def en_passant_shown(board, convention):
    """The en passant square of the mover's board if a convention shows it."""
    if board.en_passant == EMPTY or convention == ALWAYS:
        return board.en_passant
    captors = en_passant_captors(board, _LEGALLY if convention == LEGAL else _PSEUDO_LEGALLY)
    return board.en_passant if captors != EMPTY else EMPTY


@subroutine
def _write_men(board, out, at):
    men, bits = board.own | board.enemy, piece_bits(board)
    row = np.uint64(64)
    while row != ZERO:
        row -= EIGHT
        left, file = men >> row & RANK_1, ZERO
        while left != EMPTY:
            next_file = trailing_zeros(left)
            if next_file != file:
                out[at] = _ZERO_BYTE + np.uint8(next_file - file)
                at += 1
            square = row + next_file
            out[at] = _LETTERS[piece_on(bits, square) | (board.enemy >> square & ONE) << THREE]
            at += 1
            file = next_file + ONE
            left &= left - ONE
        if file != EIGHT:
            out[at] = _ZERO_BYTE + np.uint8(EIGHT - file)
            at += 1
        out[at] = _SLASH_BYTE
        at += 1
    return at - 1


@subroutine
def write_letters(board, out):
    """Write the letters of all squares, ``.`` for an empty one, from a1 to h8; where they end."""
    bits = piece_bits(board)
    for at in range(64):
        square = np.uint64(at)
        out[at] = _LETTERS[piece_on(bits, square) | (board.enemy >> square & ONE) << THREE]
    return 64


@routine
def _write_castling(men, board, rank, capital, shredder, out, at):
    """Write the castling letters of one side, those of the h-side first."""
    short = _castling_rook(_K, men, board.kings, board.rooks, rank)
    long = _castling_rook(_Q, men, board.kings, board.rooks, rank)
    rights = board.castling & rank
    while rights != EMPTY:
        rook = _highest(rights)
        letter = _LOWER_A + np.uint8(trailing_zeros(rook) & SEVEN)
        if not shredder and (rook == short or rook == long):
            letter = np.uint8(_K) if rook == short else np.uint8(_Q)
        out[at] = letter - capital
        at += 1
        rights ^= rook
    return at


@subroutine
def write_fen(board, white_to_move, halfmoves, fullmoves, mode, out, at):
    """Write the FEN of a board as White sees it; where it ends.

    ``mode`` is a convention of the en passant field, plus ``SHREDDER`` for castling letters that are all files.
    """
    at = _write_men(board, out, at)
    out[at], out[at + 1], out[at + 2] = _SPACE, np.uint8(_W if white_to_move else _B), _SPACE
    at += 3
    before = at
    shredder = mode & SHREDDER != ZERO
    at = _write_castling(board.own, board, RANK_1, _CAPITAL, shredder, out, at)
    at = _write_castling(board.enemy, board, RANK_8, np.uint8(0), shredder, out, at)
    if at == before:
        out[at] = _DASH_BYTE
        at += 1
    out[at] = _SPACE
    at += 1
    if en_passant_shown(board if white_to_move else mirrored(board), mode & THREE) != EMPTY:
        at = write_square(trailing_zeros(board.en_passant), out, at)
    else:
        out[at] = _DASH_BYTE
        at += 1
    out[at] = _SPACE
    at = write_number(halfmoves, out, at + 1)
    out[at] = _SPACE
    return write_number(fullmoves, out, at + 1)


@entry(
    int64,
    reads(uint64, 2), reads(boolean),
    reads(uint16), reads(uint16),
    uint64, writes(uint8), writes(int64),
)  # fmt: skip
def write_fens(words, white_to_move, halfmoves, fullmoves, mode, out, offsets):
    """Write the FENs of columns one after the other, ``offsets`` between them; the bytes written in all.

    The columns are those of ``read_fens``; ``out`` has room for ``MOST_BYTES`` bytes a position.
    """
    at = 0
    for k in range(offsets.size - 1):
        offsets[k] = at
        board = board_at(words, k)
        at = write_fen(board, white_to_move[k], np.uint64(halfmoves[k]), np.uint64(fullmoves[k]), mode, out, at)
    offsets[offsets.size - 1] = at
    return at


# ---------------------------------------------------------------------------------------------------------- explaining


def _found(words: Any) -> dict[str, Any]:
    """What the sentences of impossible positions speak of."""
    white, black, pawns, _, _, _, _, kings, castling, en_passant = (Bitboard(int(word)) for word in words[:10])
    return {
        "kings": len(kings), "king_squares": " ".join(kings.names()),
        "white_pawns": len(white & pawns), "black_pawns": len(black & pawns),
        "white_men": len(white), "black_men": len(black),
        "last_pawns": " ".join((pawns & int(RANK_1 | RANK_8)).names()),
        "rooks": " ".join(castling.names()), "en_passant": " ".join(en_passant.names()),
    }  # fmt: skip


def sentences(words: Any, faults: int, *, chess960: bool = True) -> list[str]:
    """Return one sentence for each fault of a position, given by its ten sets."""
    found = _found(words) | {"hint": "" if chess960 else " (standard chess: king on e1 or e8, rook in a corner)"}
    return [SENTENCES[fault].format(**found) for fault in Status if faults & fault]


def explain(text: str, faults: int, where: int, words: Any = (0,) * 10, *, chess960: bool = True) -> InvalidFen:
    """Return the exception that tells what is wrong with a FEN.

    Args:
        text: the FEN.
        faults: what is wrong, as the reader has found it.
        where: the byte at which that is.
        words: the ten sets as far as they were read.
        chess960: whether Chess960's castling was allowed.
    """
    if faults < int(NO_TEXT):
        return InvalidFen(f"FEN {shortened(text)}: {'; '.join(sentences(words, faults, chess960=chess960))}")
    syntax = Syntax(faults)
    where = len(text.encode(errors="replace")[:where].decode(errors="ignore"))
    field = (text[where:].split(maxsplit=1) or [""])[0]
    one_letter = syntax in (Syntax.BAD_MAN, Syntax.BAD_CASTLING, Syntax.TWICE)
    found = shortened(field[:1] if one_letter else field, 30) if field else "the end"
    place = f", character {where + 1}" if syntax != Syntax.NO_TEXT else ""
    return InvalidFen(f"FEN {shortened(text)}{place}: {SENTENCES[syntax].format(found=found)}")
