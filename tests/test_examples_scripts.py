"""The scripts in examples/ run, and say what is true."""

from __future__ import annotations

import re

import chess
import pytest

from helpers.data import FAMOUS_GAMES
from helpers.processes import python
from helpers.python_chess import games_of

pytestmark = pytest.mark.slow

EXAMPLES = FAMOUS_GAMES.parent
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))


def output_of(script: str) -> str:
    return python(EXAMPLES / script)


def boards() -> list[chess.Board]:
    """Every position of the famous games."""
    found = []
    for game in games_of(FAMOUS_GAMES.read_text()):
        found += [node.board() for node in (game, *game.mainline())]
    return found


def forks(board: chess.Board) -> set[int]:
    """Where a white knight may jump and attack two or more of king, queens and rooks."""
    dear = [board.pieces_mask(piece, chess.BLACK) for piece in (chess.KING, chess.QUEEN, chess.ROOK)]
    return {
        target
        for origin in board.pieces(chess.KNIGHT, chess.WHITE)
        for target in board.attacks(origin)
        if board.color_at(target) is not chess.WHITE and (chess.BB_KNIGHT_ATTACKS[target] & sum(dear)).bit_count() >= 2
    }


def test_the_scripts_are_short() -> None:
    assert len(SCRIPTS) == 5
    for script in SCRIPTS:
        most = 100 if script.startswith("train") else 40  # a network has its layers, its slopes and its loop
        assert len((EXAMPLES / script).read_text().splitlines()) <= most, script


def test_patterns_on_arrays_counts_the_forks_that_there_are() -> None:
    expected = [forks(board) for board in boards()]
    output = output_of("patterns_on_arrays.py")
    assert output.startswith(f"{sum(map(bool, expected))} of {len(expected)} positions offer")
    ranks = output.splitlines()[9:1:-1]
    counts = [int(count.replace("·", "0")) for rank in ranks for count in rank.split()[1:]]
    assert counts == [sum(square in squares for squares in expected) for square in chess.SQUARES]


def test_find_in_pgn_shows_royal_forks() -> None:
    output = output_of("find_in_pgn.py")
    shown = re.findall(r"possible: (.*); played: (.*)", output)
    assert f"{len(shown)} positions" in output
    assert "Karpov, Anatoly – Kasparov, Garry, 1985" in output
    assert all(move.startswith("N") for possible, _ in shown for move in possible.split(", "))


def test_winners_move_more_tells_of_every_stage() -> None:
    pytest.importorskip("polars")
    output = output_of("winners_move_more.py")
    assert [int(move) for move in re.findall(r"^│ (\d+) ", output, re.MULTILINE)] == [1, 11, 21, 31, 41]


def assert_learns(script: str) -> None:
    """Its loss begins at that of a half for each and falls."""
    lines = python(EXAMPLES / script, FAMOUS_GAMES, "5").splitlines()
    losses = [float(line.split()[2]) for line in lines[1:]]
    assert len(losses) > 3
    assert 0.6 < losses[0] < 0.8
    assert losses[-1] < losses[0] - 0.1


def test_a_network_learns_in_numpy() -> None:
    assert_learns("train_in_numpy.py")


def test_a_network_learns_in_torch() -> None:
    pytest.importorskip("torch", reason="torch is not installed (the extra ml)")
    assert_learns("train_evaluator.py")
