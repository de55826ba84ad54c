"""FEN, written: in X-FEN or Shredder-FEN, and in three conventions of the en passant field."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, entry, routine, subroutine
from setwise.compiler.signatures import boolean, int64, reads, uint8, uint16, uint64, writes
from setwise.errors import shortened
from setwise.notation.fen.reading import castling_rook, highest
from setwise.notation.squares import write_number, write_square
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_1, RANK_8, SEVEN, THREE, TWO, ZERO, lowest, without_lowest
from setwise.rules.board import Board, board_at
from setwise.rules.generate import en_passant_captors, legality, no_limits
from setwise.rules.pieces import piece_bits, piece_on
from setwise.rules.state import State, movers_board, state_of, whites_board

#: No FEN is longer: 64 pieces and seven slashes, 16 castling letters of an impossible position, two numbers of 20
#: digits.
MOST_BYTES = 144

#: Conventions of the en passant field, and the flag for Shredder-FEN's castling letters.
LEGAL, ALWAYS, PSEUDO_LEGAL, SHREDDER = ZERO, ONE, TWO, np.uint64(4)
_CONVENTIONS = {"legal": LEGAL, "fen": ALWAYS, "xfen": PSEUDO_LEGAL}
_K, _Q, _W, _B = (np.uint64(ord(letter)) for letter in "kqwb")


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
    """Write the castling letters of one side, those of the h-side first."""
    short = castling_rook(_K, pieces, board.kings, board.rooks, rank)
    long = castling_rook(_Q, pieces, board.kings, board.rooks, rank)
    rights = board.castling & rank
    while rights != EMPTY:
        rook = highest(rights)
        letter = _LOWER_A + np.uint8(lowest(rook) & SEVEN)
        if not shredder and (rook == short or rook == long):
            letter = np.uint8(_K) if rook == short else np.uint8(_Q)
        out[at] = letter - capital
        at += 1
        rights ^= rook
    return at


@subroutine
def write_fen(state: State, mode: np.uint64, out: np.ndarray, at: int) -> int:
    """Write the FEN of a state; return where it ends.

    ``mode`` is a convention of the en passant field, plus ``SHREDDER`` for castling letters that are all files.
    """
    board = whites_board(state)
    at = _write_pieces(board, out, at)
    out[at], out[at + 1], out[at + 2] = _SPACE, np.uint8(_W if state.white_to_move != ZERO else _B), _SPACE
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
    words: np.ndarray,
    white_to_move: np.ndarray,
    halfmoves: np.ndarray,
    fullmoves: np.ndarray,
    mode: np.uint64,
    out: np.ndarray,
    offsets: np.ndarray,
) -> int:
    """Write the FENs of columns one after the other, with ``offsets``; return the number of bytes written.

    The columns are those of ``read_fens``; ``out`` has room for ``MOST_BYTES`` bytes a position.
    """
    at = 0
    for k in range(offsets.size - 1):
        offsets[k] = at
        turn, clocks = np.uint64(white_to_move[k]), (np.uint64(halfmoves[k]), np.uint64(fullmoves[k]))
        at = write_fen(state_of(board_at(words, k), turn, clocks[0], clocks[1]), mode, out, at)
    offsets[offsets.size - 1] = at
    return at
