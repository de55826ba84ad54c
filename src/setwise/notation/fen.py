"""FEN in compiled code: reading, which names every fault, and writing, in three conventions.

A FEN has six fields: the pieces from rank 8 down to rank 1, the side to move, the castling rights, the en passant
square, the number of half moves since the last capture or pawn move, and the number of the full move. Fields missing
at the end get the values that they have at the start of a game (``w - - 0 1``), as in python-chess.

Castling rights are read in all three dialects at once: ``KQkq``; X-FEN, where ``K`` means the outermost rook on the
king's side and the letter of a file means any other rook; and Shredder-FEN, where all letters are files. The rights are
kept as the squares of the rooks. They are written as X-FEN (``KQkq`` in standard chess), or as Shredder-FEN on demand.

The en passant square is kept as the standard defines it: the square that a pawn has just passed, even if no capture is
possible there. It is written in three conventions: ``legal`` (when a legal capture exists), ``xfen`` (when an enemy
pawn stands beside the pawn that passed), ``fen`` (always).

Deliberate differences from python-chess: castling letters may stand in any order, but no letter may occur twice;
numbers are digits only, up to 65,535; two checks by pawns or knights are impossible, because one of two checks must
come along a line; a queenside right without any rook is a fault, while in python-chess only a kingside right without a
rook is one. As in python-chess, the full move 0 is read as 1, and the numbers of promoted pieces are not checked.
``Position.from_epd`` reads the operations of EPD that follow a position.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from setwise.compiler import Set, bitreverse, byteswap, entry, routine, scratch, subroutine
from setwise.compiler.kinds import boolean, int64, reads, uint8, uint16, uint64, writes
from setwise.compiler.words import clear_line, places_in
from setwise.errors import InvalidFen, shortened
from setwise.notation.text import NO_SQUARE, TEXT, read_square, write_number, write_square
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
    TWO,
    ZERO,
    as_int,
    bit,
    lowest,
    only_lowest,
    without_lowest,
)
from setwise.rules.board import (
    LAST_CLOCK,
    Board,
    State,
    board_at,
    movers_board,
    piece_bits,
    piece_on,
    state_of,
    whites_board,
)
from setwise.rules.generate import en_passant_captors, legality, no_limits
from setwise.rules.status import Status, castling_is_standard, faults, sentences

# ----------------------------------------------- syntax faults of a FEN: numbers for compiled code, sentences for users


class Syntax(enum.IntFlag):
    """Syntax faults, one at a time, in bits higher than the bits of :class:`Status`."""

    NO_TEXT = 1 << 32
    BAD_PIECE = 1 << 33
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
(NO_TEXT, BAD_PIECE, TWO_DIGITS, LONG_RANK, SHORT_RANK, MANY_RANKS, FEW_RANKS, BAD_TURN, BAD_CASTLING, TWICE,
 BAD_SQUARE, BAD_NUMBER, BIG_NUMBER, EXTRA_FIELD) = (np.uint64(fault) for fault in Syntax)  # fmt: skip

#: The sentence of every fault.
SENTENCES: dict[enum.IntFlag, str] = {
    Syntax.NO_TEXT: "it is empty; a FEN has six fields, such as '4k3/8/8/8/8/8/8/4K3 w - - 0 1'",
    Syntax.BAD_PIECE: "{word} is not a piece; ranks consist of PNBRQK (White), pnbrqk (Black), digits 1 to 8 and '/'",
    Syntax.TWO_DIGITS: "two digits follow each other; one digit counts the empty squares in a row",
    Syntax.LONG_RANK: "this rank has more than 8 squares",
    Syntax.SHORT_RANK: "this rank has fewer than 8 squares",
    Syntax.MANY_RANKS: "there are more than 8 ranks",
    Syntax.FEW_RANKS: "there are fewer than 8 ranks, which are divided by '/'",
    Syntax.BAD_TURN: "{word} is not a side to move; 'w' or 'b' is expected",
    Syntax.BAD_CASTLING: "{word} is not a castling right; '-', letters of 'KQkq' or files of rooks such as 'HAha' "
    "are expected",
    Syntax.TWICE: "{word} names the same castling rook again",
    Syntax.BAD_SQUARE: "{word} is not an en passant square; '-' or a square such as 'e3' is expected",
    Syntax.BAD_NUMBER: "{word} is not a number; the fifth and the sixth field count half moves and full moves",
    Syntax.BIG_NUMBER: "the number {word} is too large; 65535 is the limit",
    Syntax.EXTRA_FIELD: "{word} follows the six fields of a FEN",
}


def explain(text: str, faults: int, where: int, words: Any = (0,) * 10, *, chess960: bool = True) -> InvalidFen:
    """Return the exception that describes the faults of a FEN.

    Args:
        text: the FEN.
        faults: the faults that the reader returned.
        where: the byte at which the fault is.
        words: the ten sets as far as they were read.
        chess960: whether Chess960's castling was allowed.
    """
    if faults < int(NO_TEXT):
        return InvalidFen(f"FEN {shortened(text)}: {'; '.join(sentences(words, faults, chess960=chess960))}")
    syntax = Syntax(faults)
    where = len(text.encode(errors="replace")[:where].decode(errors="ignore"))
    field = (text[where:].split(maxsplit=1) or [""])[0]
    one_letter = syntax in (Syntax.BAD_PIECE, Syntax.BAD_CASTLING, Syntax.TWICE)
    word = shortened(field[:1] if one_letter else field, 30) if field else "the end"
    place = f", character {where + 1}" if syntax != Syntax.NO_TEXT else ""
    return InvalidFen(f"FEN {shortened(text)}{place}: {SENTENCES[syntax].format(word=word)}")


# ------------------------------------------------------ the first field of a FEN, read without a branch for each letter


_WHITE, _BLACK = np.frombuffer(b"PNBRQK", np.uint8).copy(), np.frombuffer(b"pnbrqk", np.uint8).copy()

#: The meaning of each byte: bits 0 to 3 count the squares to advance; bit 4 is set for a digit, bit 5 for the end of a
#: rank, bit 6 for any other byte.
_ENDS_RANK, _NO_PIECE = np.uint8(32), np.uint8(64)
_STEPS = np.full(256, _NO_PIECE, np.uint8)
_STEPS[_WHITE] = _STEPS[_BLACK] = 1
_STEPS[list(b"12345678")] = np.arange(17, 25)
_STEPS[ord("/")] = _ENDS_RANK
_SQUARES, _RANKS, _NEVER_TWICE = np.uint64(15), np.uint64(5), np.uint64(16 | 32)

_SIXTY_THREE, _WHOLE_BOARD, _ENDS_OF_RANKS = np.uint64(63), np.uint64(64), np.uint64(0x0101_0101_0101_0100)
_letters = scratch(64)


@routine
def read_pieces(text: np.ndarray, at: int, stop: int, sets: Any) -> tuple[bool, int]:
    """Sort pieces into eight sets until another byte comes; return whether they form a board, and where that byte is.

    The letters of a FEN are unpredictable, and a mispredicted branch costs more than all these lines, so no branch
    depends on a letter. Each letter is written to its square, in the order of the text from a8 to h1; then all squares
    are compared at once. Digits and slashes are written too; the next piece overwrites them, or they are ignored.
    """
    letters = _letters(uint8)
    clear_line(letters)
    place, last = np.uint64(at), np.uint64(stop)
    square = ends = twice = before = ZERO
    while place < last:
        letter = text[place]
        if _STEPS[letter] == _NO_PIECE:
            break
        step = np.uint64(_STEPS[letter])
        letters[square & _SIXTY_THREE] = letter
        ends |= (step >> _RANKS) << (square & _SIXTY_THREE)
        twice |= before & step
        before = step
        square += step & _SQUARES
        place += ONE
    white = black = EMPTY
    for piece in range(_WHITE.size):
        white_pieces, black_pieces = places_in(letters, _WHITE[piece]), places_in(letters, _BLACK[piece])
        white |= white_pieces
        black |= black_pieces
        sets[piece + 2] = byteswap(white_pieces | black_pieces)
    sets[0], sets[1] = byteswap(white), byteswap(black)
    return square == _WHOLE_BOARD and ends == _ENDS_OF_RANKS and twice & _NEVER_TWICE == ZERO, as_int(place)


# ---------------------------------------------------------------------------- FEN, read: one text, or many into columns


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
    """Sort the pieces into eight sets, letter by letter; return the fault and its place, or no fault and the end."""
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

    The faults are one of :class:`Syntax`, or bits of :class:`Status`; the castling of Chess960 is allowed.
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
        else:  # the text has promotion marks or a wrong letter, whose place is needed
            fault, at = _read_pieces(text, at, stop, sets)
        if fault == NO_FAULT:
            white_to_move, castling, passed, halfmoves, fullmoves, fault, at = _read_state(text, at, stop, sets)
    board = Board(sets[0], sets[1], sets[2], sets[3], sets[4], sets[5], sets[6], sets[7], castling, passed)
    if fault == NO_FAULT:
        fault = faults(board, white_to_move)
    return state_of(board, white_to_move, halfmoves, fullmoves), fault, at


@subroutine
def read_fen(text: np.ndarray, start: int, stop: int) -> tuple[State, np.uint64, int]:
    """Call ``_read_fen``. ``read_fens`` inlines it, because returning fifteen results takes a fifth of the time."""
    return _read_fen(text, start, stop)


_WORDS = writes(uint64, 2)
_PLACES = reads(int64)
_CLOCKS = writes(uint16)
_BAD_RIGHTS = np.uint64(Status.BAD_CASTLING_RIGHTS)


@entry(
    int64, TEXT, _PLACES, boolean, _WORDS, writes(boolean), _CLOCKS, _CLOCKS, writes(uint64), writes(int64),
)  # fmt: skip
def read_fens(
    text: np.ndarray, offsets: np.ndarray, chess960: bool, words: np.ndarray, white_to_move: np.ndarray,
    halfmoves: np.ndarray, fullmoves: np.ndarray, faults: np.ndarray, places: np.ndarray,
) -> int:  # fmt: skip
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


# --------------------------------------------------------------------------------------------------------- FEN, written


#: No FEN is longer: 64 pieces and seven slashes, 16 castling letters of an impossible position, two numbers of 20
#: digits.
MOST_BYTES = 144

#: Conventions of the en passant field, and the flag for Shredder-FEN's castling letters.
LEGAL, ALWAYS, PSEUDO_LEGAL, SHREDDER = ZERO, ONE, TWO, np.uint64(4)
_CONVENTIONS = {"legal": LEGAL, "fen": ALWAYS, "xfen": PSEUDO_LEGAL}
_BLACK_K, _BLACK_Q, _WHITE_MOVES, _BLACK_MOVES = (np.uint64(ord(letter)) for letter in "kqwb")


def mode_of(en_passant: str, *, shredder: bool) -> int:
    """Return the mode for ``write_fen``; raise ``ValueError`` for an unknown convention."""
    if en_passant not in _CONVENTIONS:
        raise ValueError(f"en_passant is 'legal', 'fen' or 'xfen', not {shortened(en_passant)}")
    return int(_CONVENTIONS[en_passant] | (SHREDDER if shredder else ZERO))


#: The letter of a piece by the number of its kind, plus 8 when it is Black's.
_LETTERS = np.frombuffer(b".PNBRQK..pnbrqk.", np.uint8).copy()
_SLASH_BYTE, _SPACE, _DASH_BYTE, _ZERO_BYTE = (np.uint8(byte) for byte in b"/ -0")
_LOWER_A = np.uint8(ord("a"))
_CAPITAL = np.uint8(32)


@subroutine
def _is_legal_en_passant(board: Board) -> bool:
    return en_passant_captors(board, legality(board)) != EMPTY


@routine
def en_passant_shown(board: Board, convention: np.uint64) -> Set:
    """Return the en passant square of the mover's board if a convention shows it, else the empty set."""
    if convention == ALWAYS:
        return board.en_passant
    shown = en_passant_captors(board, no_limits()) != EMPTY
    if shown and convention == LEGAL:
        shown = _is_legal_en_passant(board)
    return board.en_passant if shown else EMPTY


@subroutine
def _write_pieces(board: Board, out: np.ndarray, at: int) -> int:
    pieces, bits = board.own | board.enemy, piece_bits(board)
    row = np.uint64(64)
    while row != ZERO:
        row -= EIGHT
        left, file = pieces >> row & RANK_1, ZERO
        while left != EMPTY:
            next_file = lowest(left)
            if next_file != file:
                out[at] = _ZERO_BYTE + np.uint8(next_file - file)
                at += 1
            square = row + next_file
            out[at] = _LETTERS[piece_on(bits, square) | (board.enemy >> square & ONE) << THREE]
            at += 1
            file = np.uint64(next_file + ONE)
            left = without_lowest(left)
        if file != EIGHT:
            out[at] = _ZERO_BYTE + np.uint8(EIGHT - file)
            at += 1
        out[at] = _SLASH_BYTE
        at += 1
    return at - 1


@subroutine
def write_letters(board: Board, out: np.ndarray) -> int:
    """Write the letters of all squares, ``.`` for an empty one, from a1 to h8; return where they end."""
    bits = piece_bits(board)
    for at in range(64):
        square = np.uint64(at)
        out[at] = _LETTERS[piece_on(bits, square) | (board.enemy >> square & ONE) << THREE]
    return 64


@routine
def _write_castling(
    pieces: Set, board: Board, rank: Set, capital: np.uint8, shredder: bool, out: np.ndarray, at: int
) -> int:
    """Write the castling letters of one side, first the letters of the rooks on the h-side."""
    short = castling_rook(_BLACK_K, pieces, board.kings, board.rooks, rank)
    long = castling_rook(_BLACK_Q, pieces, board.kings, board.rooks, rank)
    rights = board.castling & rank
    while rights != EMPTY:
        rook = highest(rights)
        letter = _LOWER_A + np.uint8(lowest(rook) & SEVEN)
        if not shredder and (rook == short or rook == long):
            letter = np.uint8(_BLACK_K) if rook == short else np.uint8(_BLACK_Q)
        out[at] = letter - capital
        at += 1
        rights ^= rook
    return at


@subroutine
def write_fen(state: State, mode: np.uint64, out: np.ndarray, at: int) -> int:
    """Write the FEN of a state; return where it ends.

    ``mode`` is a convention of the en passant field, plus ``SHREDDER`` if all castling letters are files.
    """
    board = whites_board(state)
    at = _write_pieces(board, out, at)
    out[at], out[at + 1], out[at + 2] = (
        _SPACE,
        np.uint8(_WHITE_MOVES if state.white_to_move != ZERO else _BLACK_MOVES),
        _SPACE,
    )
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
    if en_passant_shown(movers_board(state), mode & THREE) != EMPTY:
        at = write_square(lowest(board.en_passant), out, at)
    else:
        out[at] = _DASH_BYTE
        at += 1
    out[at] = _SPACE
    at = write_number(np.uint64(state.halfmove_clock), out, at + 1)
    out[at] = _SPACE
    return write_number(np.uint64(state.fullmove_number), out, at + 1)


@entry(
    int64,
    reads(uint64, 2), reads(boolean),
    reads(uint16), reads(uint16),
    uint64, writes(uint8), writes(int64),
)  # fmt: skip
def write_fens(
    words: np.ndarray, white_to_move: np.ndarray, halfmoves: np.ndarray, fullmoves: np.ndarray, mode: np.uint64,
    out: np.ndarray, offsets: np.ndarray,
) -> int:  # fmt: skip
    """Write the FENs of columns one after the other, with ``offsets``; return the number of bytes written.

    The columns are the same as in ``read_fens``; ``out`` has room for ``MOST_BYTES`` bytes a position.
    """
    at = 0
    for k in range(offsets.size - 1):
        offsets[k] = at
        turn, clocks = np.uint64(white_to_move[k]), (np.uint64(halfmoves[k]), np.uint64(fullmoves[k]))
        at = write_fen(state_of(board_at(words, k), turn, clocks[0], clocks[1]), mode, out, at)
    offsets[offsets.size - 1] = at
    return at
