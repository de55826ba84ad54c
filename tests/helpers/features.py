"""Boards on which features are asked, their columns, and the first case in which two answers differ."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import chess
import numpy as np

from helpers.boards import random_play
from helpers.drawing import shown
from helpers.patterns import random_arguments
from setwise.compiler import Pattern
from setwise.features import FEATURES, Side, one_sided

COLOURS = {"white": chess.WHITE, "black": chess.BLACK}


def made_up(cases: int, letters: str, most: int, seed: int) -> Iterator[chess.Board]:
    """Kings and up to so many other pieces of both sides, strewn over the board; who is not to move is not in check."""
    random = np.random.default_rng(seed)
    while cases:
        board = chess.Board.empty()
        squares = random.permutation(64).tolist()
        for letter in ["K", "k", *random.choice(list(letters), random.integers(1, most + 1))]:
            square = squares.pop()
            if letter not in "Pp" or 8 <= square < 56:
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = bool(random.integers(2))
        if not board.was_into_check():
            cases -= 1
            yield board


@functools.cache
def boards() -> list[chess.Board]:
    return [
        *random_play(15, seed=11, plies=300, every=20),
        *made_up(100, "PpNnBbRrQq", most=26, seed=12),
        *made_up(150, "QqQqRrBbNnPp", most=8, seed=13),
        *made_up(150, "Pp", most=6, seed=14),
        *made_up(50, "Qq", most=12, seed=15),
        *made_up(150, "BbPpPp", most=2, seed=16),
    ]


def side_of(board: chess.Board, colour: bool) -> Side:
    return Side(
        board.occupied_co[colour], board.occupied_co[not colour], board.pawns, board.knights, board.bishops,
        board.rooks, board.queens, board.kings, board.castling_rights,
        chess.BB_SQUARES[board.ep_square] if board.ep_square is not None else 0, board.turn == colour,
    )  # fmt: skip


@functools.cache
def sides(colour: str) -> list[np.ndarray]:
    """The columns of a feature for White, and those of the mirrored board for Black."""
    rows = [side_of(board, COLOURS[colour]) for board in boards()]
    *sets, to_move = zip(*rows, strict=True)
    columns = [np.array(column, np.uint64) for column in sets]
    return [column.byteswap() if colour == "black" else column for column in columns] + [np.array(to_move)]


def cases_of(it: Pattern, count: int) -> list[np.ndarray]:
    """Columns of arguments: for a feature those of boards, spread over all kinds; for a pattern random ones."""
    if it.name not in FEATURES:
        return random_arguments(it, count)
    columns = sides("white")
    return [values[np.linspace(0, len(values) - 1, count).astype(int)] for values in columns]


def column(name: str, colour: str) -> np.ndarray:
    """A feature of one side on all boards."""
    found, side = one_sided(f"{colour}_{name}")
    if side == "white":
        return found(*sides(colour))
    return found.returns.turned(found(*sides(colour)))


def first_difference(name: str, colour: str, ours: np.ndarray, theirs: np.ndarray, examples: list[chess.Board]) -> str:
    wrong = np.flatnonzero(ours.astype(np.uint64) != theirs)
    if not wrong.size:
        return ""
    k = wrong[0]
    return (
        f"{colour}_{name}: {wrong.size} of {ours.size} differ, first {examples[k].fen()}\n{examples[k]}\n"
        f"answer:{shown(ours[k])}\nexpected:{shown(theirs[k].astype(ours.dtype))}"
    )
