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
