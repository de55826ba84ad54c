"""UCI, the notation of engines: squares from and to, and the piece that a pawn becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from setwise.compiler import Move, Square, routine, subroutine
from setwise.notation.characters import DIGIT_0
from setwise.notation.nulls import null_end
from setwise.notation.resolve import NO_CASTLING, NO_PIECE, UNREADABLE, is_move, resolve, resolve_castling
from setwise.notation.squares import NO_SQUARE, read_square, write_square
from setwise.patterns.bits import EIGHT, EMPTY, ONE, SEVEN, THREE, bit
from setwise.rules.board import Board
from setwise.rules.moves import (
    CASTLING,
    NORMAL,
    NULL,
    NULL_MOVE,
    TO_QUEEN,
    castling_targets,
    kind_of,
    origin_of,
    target_of,
)
from setwise.rules.pieces import KING, piece_bits, piece_on

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["between", "numbers_of", "read_uci", "write_uci"]

_NO_KIND, _RANK_BITS = np.uint64(15), np.uint64(56)
_LETTERS = np.frombuffer(b" nbrq", np.uint8).copy()
_KIND_OF = np.full(256, _NO_KIND, np.uint64)
for _kind, _letters in enumerate((b"Nn", b"Bb", b"Rr", b"Qq"), start=1):
    _KIND_OF[list(_letters)] = _kind


@subroutine
def between(board: Board, origin: Square, target: Square, kind: np.uint64) -> Move:
    """Return the legal move from one square of the mover's board to another, or the reason why there is none.

    Castling is accepted in both styles: the king's target (``e1g1``) and king takes rook (``e1h1``).
    """
    if board.own >> origin & ONE == EMPTY:
        return NO_PIECE
    piece = piece_on(piece_bits(board), origin)
    if piece == KING and kind == NORMAL:
        takes_rook = board.own & board.rooks & bit(target) != EMPTY
        if takes_rook or (origin ^ target < EIGHT and max(origin, target) - min(origin, target) > ONE):
            castling = resolve_castling(board, target > origin)
            if is_move(castling):
                expected = target_of(castling) if takes_rook else castling_targets(origin, target_of(castling))[0]
                return castling if target == expected else NO_CASTLING
            return castling
    return resolve(board, piece, target, origin & SEVEN, origin >> THREE, kind)


@routine
def read_uci(text: np.ndarray, start: int, stop: int, board: Board, flip: np.uint64) -> Move:
    """Return the legal or null move in the bytes from ``start`` to ``stop``, or a reason, as ``read_san`` does."""
    if stop - start < 4 or stop - start > 5:
        return UNREADABLE
    if text[start] == DIGIT_0 and null_end(text, start, stop) == stop:
        return NULL_MOVE
    origin, target = read_square(text, start), read_square(text, start + 2)
    kind = NORMAL if stop - start == 4 else _KIND_OF[text[start + 4]]
    if origin == NO_SQUARE or target == NO_SQUARE or kind == _NO_KIND:
        return UNREADABLE
    return between(board, origin ^ flip, target ^ flip, kind)


@routine
def write_uci(move: Move, chess960: bool, out: np.ndarray, at: int) -> int:
    """Write a move as White sees it, castling as king takes rook in Chess960; return where the text ends."""
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == NULL:
        for k in range(4):
            out[at + k] = DIGIT_0
        return at + 4
    if kind == CASTLING and not chess960:
        target = castling_targets(origin, target)[0] | origin & _RANK_BITS
    at = write_square(target, out, write_square(origin, out, at))
    if kind != NORMAL and kind <= TO_QUEEN:
        out[at] = _LETTERS[kind]
        at += 1
    return at


def numbers_of(texts: pa.StringArray) -> np.ndarray | None:
    """Return the squares, and the promotion, that each text names, as 16 bits; None if a text is not UCI.

    Castling and captures en passant look like other moves: their kind depends on the board.

    Example:
        >>> import pyarrow as pa
        >>> [f"{number:x}" for number in numbers_of(pa.array(["a1b1", "a7a8q", "0000"])).tolist()]
        ['40', '4e30', '7000']
    """
    offsets = np.frombuffer(texts.buffers()[1] or bytes(4), np.int32)[texts.offset :][: len(texts) + 1]
    sizes = np.diff(offsets)
    if texts.null_count or not np.isin(sizes, (4, 5)).all():
        return None
    letters = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    starts = offsets[:-1]
    files, ranks = letters[starts + np.array([[0], [2]])] - ord("a"), letters[starts + np.array([[1], [3]])] - ord("1")
    origin, target = (ranks << 3 | files).astype(np.uint16)
    promotes = sizes == 5
    kinds = np.zeros(len(texts), np.uint16)
    kinds[promotes] = _KIND_OF[letters[starts[promotes] + 4]]
    is_null = (letters[starts + np.arange(4)[:, None]] == ord("0")).all(axis=0)
    if not (((files < 8) & (ranks < 8)).all(axis=0) & (kinds < _NO_KIND) | is_null).all():
        return None
    return np.where(is_null, np.uint16(NULL_MOVE), origin | target << np.uint16(6) | kinds << np.uint16(12))
