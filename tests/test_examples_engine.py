"""Stockfish agrees with the examples of tactics: what a page marks on its board is worth playing, or is lost."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import chess.engine
import pytest

from helpers.programs import needed
from setwise.catalogue import page
from setwise.catalogue.examples import statements_of

pytestmark = pytest.mark.slow

#: Features that mark squares to go to, by a move of their side.
GO_TO = (
    "fork_squares", "royal_fork_squares", "safe_fork_squares", "safe_royal_fork_squares", "fork_squares_by_pawn",
    "fork_squares_by_bishop", "fork_squares_by_rook", "fork_squares_by_queen", "fork_squares_by_king", "skewers",
    "winning_captures", "mate_at_a_glance", "mates_in_one", "distant_mates", "discovered_attacks",
    "double_check_moves",
)  # fmt: skip
#: Features that mark pieces of their own side which the enemy wins.
LOST = ("hanging", "en_prise", "trapped")
#: Features that mark pieces which leave their squares with a gain.
LEAVE = ("discovered_check_candidates",)

DEPTH = 12
#: In hundredths of a pawn: a move is as good as the best within this, and good in any case from that.
AS_GOOD, WINNING = 60, 250


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(needed("stockfish")) as started:
        yield started


def examples(feature: str) -> Iterator[tuple[chess.Board, set[int]]]:
    """Each drawn example: the board, the side to move being the one that the marks are about; the marked squares."""
    for statement in statements_of(page(feature)):
        if (drawing := statement.drawing) and drawing.position is not None:
            for column, squares in drawing.marks.items():
                board = chess.Board(drawing.position.fen())
                board.turn = column.startswith("white_") ^ (feature in LOST)
                if squares:
                    yield board, set(squares)


@pytest.mark.parametrize("feature", [*GO_TO, *LOST, *LEAVE])
def test_the_engine_plays_what_a_page_marks(feature: str, engine: chess.engine.SimpleEngine) -> None:
    checked = 0
    for board, squares in examples(feature):
        assert board.is_valid(), board.fen()
        end = "from_square" if feature in LEAVE else "to_square"
        marked = [move for move in board.legal_moves if getattr(move, end) in squares]
        best, theirs = (score(engine, board, moves) for moves in (None, marked))
        assert theirs >= min(best - AS_GOOD, WINNING), (
            f"{board.fen()}: {best} by the best move, {theirs} by a marked one"
        )
        checked += 1
    assert checked


def score(engine: chess.engine.SimpleEngine, board: chess.Board, moves: list[chess.Move] | None) -> int:
    """Hundredths of a pawn for the side to move, by its best move or the best of some."""
    engine.configure({"Clear Hash": None})
    found = engine.analyse(board, chess.engine.Limit(depth=DEPTH), root_moves=moves)
    return found["score"].pov(board.turn).score(mate_score=10_000)
