"""Positions rich in what games have too little of: en passant, promotion, castling, checks by two pieces at once."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess

from helpers.python_chess import two_steppers_check

#: Pieces besides the kings: letters as often as they come, and what hunts a king on the edge of the board.
_OTHERS = "PPPNBBRRQQpppnbbrrqq"
_HUNTERS = "QQRRRBBNN"
_EDGE = chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H


def _put(board: chess.Board, square: int, letter: str) -> None:
    board.set_piece_at(square, chess.Piece.from_symbol(letter))


def _free(board: chess.Board, chance: random.Random, squares: int = chess.BB_ALL) -> int | None:
    free = list(chess.SquareSet(squares & ~board.occupied))
    return chance.choice(free) if free else None


def _passed(board: chess.Board, chance: random.Random) -> int:
    """Put a pawn of Black's that has just passed a square, pawns of White's beside it, often White's king in check."""
    file = chance.randrange(8)
    pawn = chess.square(file, 4)
    _put(board, pawn, "p")
    board.ep_square = pawn + 8
    beside = [pawn + step for step in (-1, 1) if 0 <= file + step < 8]
    for square in beside if chance.random() < 0.3 else [chance.choice(beside)]:
        _put(board, square, "P")
    if chance.random() < 0.6:
        _put(board, chance.choice(beside) - 8, "K")
    if chance.random() < 0.5:  # Black's king where the captor, or a line that opens, attacks it
        near = chess.BB_RANK_7 | chess.BB_RANK_8 | chess.BB_RANK_5 | chess.BB_FILE_A | chess.BB_FILE_H
        square = _free(board, chance, near & ~chess.BB_FILES[file])
        if square is not None:
            _put(board, square, "k")
    return 1 << pawn + 8 | 1 << pawn + 16


def _seventh(board: chess.Board, chance: random.Random) -> None:
    for square in chance.sample(range(chess.A7, chess.H7 + 1), chance.randrange(1, 4)):
        if not board.occupied & 1 << square:
            _put(board, square, "P")


def _castling(board: chess.Board, chance: random.Random) -> None:
    for white, home, rook, king in ((True, chess.A1, "R", "K"), (False, chess.A8, "r", "k")):
        if chance.random() < 0.3 or board.occupied & (0xFF << home):
            continue
        files = sorted(chance.sample(range(8), 3)) if board.chess960 else [0, 4, 7]
        if board.king(white) is None:
            _put(board, home + files[1], king)
            for file in chance.choice((files[:1], files[2:], files[::2])):
                _put(board, home + file, rook)


def _attempt(chance: random.Random) -> chess.Board:
    """White to move, with some of the rare things."""
    board = chess.Board(None, chess960=chance.random() < 0.5)
    passed = _passed(board, chance) if chance.random() < 0.45 else 0
    if chance.random() < 0.45:
        _seventh(board, chance)
    if chance.random() < 0.45:
        _castling(board, chance)
    hunt = chance.random() < 0.4
    for white, letter, squares in ((True, "K", chess.BB_ALL), (False, "k", _EDGE if hunt else chess.BB_ALL)):
        if board.king(white) is None:
            _put(board, _free(board, chance, squares & ~passed) or 0, letter)
    hunters = chance.choices(_HUNTERS, k=chance.randrange(2, 5)) if hunt else []
    for letter in [*hunters, *chance.choices(_OTHERS, k=chance.randrange(1, 7 if hunt else 10))]:
        pawns = ~(chess.BB_RANK_1 | chess.BB_RANK_8) if letter in "Pp" else chess.BB_ALL
        square = _free(board, chance, pawns & ~passed)
        if square is not None:
            _put(board, square, letter)
    board.castling_rights = board.rooks & (chess.BB_RANK_1 | chess.BB_RANK_8)
    board.castling_rights = board.clean_castling_rights()
    return board


def rich_boards(chance: random.Random) -> Iterator[chess.Board]:
    """Possible positions without end, of either side to move; half of them of Chess960.

    In nearly half of them a pawn has just passed another, often with check; as many have pawns before promotion, as
    many castling rights.
    """
    while True:
        board = _attempt(chance)
        if chance.random() < 0.5:
            board = board.mirror()
        if board.status() == chess.STATUS_VALID and not two_steppers_check(board):
            yield board
