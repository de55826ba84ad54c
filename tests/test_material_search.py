"""The search of lines: compared with a search of all moves on python-chess's boards, without any window."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest

from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.python_chess import games_of
from naive.features.tactics import after, captures, see, taken
from setwise import Position, Positions
from setwise.rules.search import MOST, line_values


def gains(board: chess.Board, plies: int) -> int:
    """What the mover gains: all moves to the depth and in check, then captures that lose nothing at once."""
    checked = board.is_check()
    everything = plies > 0 or (checked and plies > -12)
    if not everything and plies <= -12:
        return 0
    if everything:
        moves = list(board.legal_moves)
    else:
        lesser = [it for it in board.legal_moves if it.promotion and it.promotion != chess.QUEEN]
        moves = [it for it in [*captures(board), *lesser] if taken(board, it) > 0 and see(board, it) >= 0]
    if everything and not moves:
        return -MOST if checked else 0
    values = [line(board, it, plies - 1) for it in moves]
    return max(values if everything else [0, *values])


def line(board: chess.Board, move: chess.Move, plies: int) -> int:
    return max(-MOST, min(MOST, taken(board, move) - gains(after(board, move), plies)))


def ours(cases: list[tuple[chess.Board, chess.Move]], plies: int) -> list[int]:
    fens = [board.fen(en_passant="fen") for board, _ in cases]
    positions, values = Positions.from_fens(fens), np.empty(len(cases), np.int8)
    codes = [int(Position(fen).parse(move.uci())) for fen, (_, move) in zip(fens, cases, strict=True)]
    line_values(
        np.ascontiguousarray(positions.sets), positions.white_to_move, np.array(codes, np.uint16), plies, values
    )
    return values.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(("plies", "count"), [(0, depth(30, 300)), (1, depth(4, 50))])
def test_lines_gain_what_a_search_of_all_moves_finds(plies: int, count: int) -> None:
    dice = random.Random(plies)  # noqa: S311
    every = (node.board() for game in games_of(FAMOUS_GAMES.read_text()) for node in game.mainline())
    boards = [it for it in every if not it.is_game_over() and chess.popcount(it.occupied) <= 16]  # the twin is slow
    cases = [(board, dice.choice(list(board.legal_moves))) for board in dice.sample(boards, count)]
    twin = [line(board, move, plies) for board, move in cases]
    assert ours(cases, plies) == twin
    assert len({*twin}) > 1


def test_a_mate_and_a_stalemate_at_the_end_of_a_line() -> None:
    mate = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    assert ours([(mate, chess.Move.from_uci("a1a8"))], 1) == [MOST]
    lost = chess.Board("r5k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    assert ours([(lost, chess.Move.from_uci("a1b1"))], 2) == [0]
    assert ours([(lost, chess.Move.from_uci("a1a8"))], 2) == [MOST]
    threat = chess.Board("r5k1/5ppp/8/8/8/8/Q4PPP/6K1 w - - 0 1")  # whoever takes no rook loses the queen
    assert ours([(threat, chess.Move.from_uci("h2h3"))], 1) == [-9]
    stalemate = chess.Board("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    assert ours([(stalemate, chess.Move.from_uci("g6f7"))], 1) == [0]
