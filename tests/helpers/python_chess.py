"""python-chess, which judges rules and notation: its reading of a text, and what it does not mind."""

from __future__ import annotations

import io
from collections.abc import Iterator

import chess
import chess.pgn


def games_of(text: str) -> Iterator[chess.pgn.Game]:
    """The games of a text, one by one."""
    file = io.StringIO(text)
    while (game := chess.pgn.read_game(file)) is not None:
        yield game


def two_steppers_check(board: chess.Board) -> bool:
    """Whether two pawns or knights give check, which no move can do; python-chess does not mind."""
    checkers = board.checkers()
    return len(checkers) == 2 and not checkers & (board.bishops | board.rooks | board.queens)


def takes(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) and not board.is_castling(move)


def attacked_by_moved(board: chess.Board, move: chess.Move) -> set[int | None]:
    """The kinds of enemy pieces that the piece that moves attacks from its new square; castling: the king."""
    after = board.copy(stack=False)
    after.push(move)
    square = after.king(board.turn) if board.is_castling(move) else move.to_square
    attacked = after.attacks_mask(square if square is not None else move.to_square) & after.occupied_co[after.turn]
    return {after.piece_type_at(it) for it in chess.scan_forward(attacked)}


def is_quiet(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move neither captures, promotes, gives check nor answers one, and its piece attacks no enemy piece."""
    is_loud = takes(board, move) or move.promotion or board.is_check() or board.gives_check(move)
    return bool(move) and not is_loud and not attacked_by_moved(board, move)


def comes_between(before: chess.Board, last: chess.Move, board: chess.Board, move: chess.Move) -> bool:
    """Whether a check, a capture or an attack on the queen is played where the last capture could be answered."""
    if not last or not move or not takes(before, last) or move.to_square == last.to_square:
        return False
    can_take_back = any(it.to_square == last.to_square for it in board.legal_moves)
    forces = takes(board, move) or board.gives_check(move) or chess.QUEEN in attacked_by_moved(board, move)
    return can_take_back and forces
