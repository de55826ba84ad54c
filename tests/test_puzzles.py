"""Features against what people see: 8,000 puzzles of Lichess, whose themes say what the solution is about.

The themes are others' judgement, found by other means: the figures, and what is behind every miss, stand in
docs/puzzles.md. In a puzzle the first move is the opponent's, and the solver plays every second one.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import pytest

from setwise import Positions
from setwise.bitboard import Bitboard


class Step(NamedTuple):
    """A move of the solver's, and the board before it."""

    puzzle: str
    board: chess.Board
    move: chess.Move
    is_last: bool

    @property
    def after(self) -> chess.Board:
        board = self.board.copy(stack=False)
        board.push(self.move)
        return board


class Puzzle(NamedTuple):
    name: str
    fen: str
    moves: list[str]
    themes: set[str]

    def steps(self) -> Iterator[Step]:
        board = chess.Board(self.fen)
        for number, text in enumerate(self.moves):
            move = chess.Move.from_uci(text)
            if number % 2:
                yield Step(self.name, board.copy(stack=False), move, number == len(self.moves) - 1)
            board.push(move)


@pytest.fixture(scope="module")
def puzzles(shared_data: Path) -> list[Puzzle]:
    path = shared_data / "puzzles" / "lichess_themes_sample.csv"
    if not path.exists():
        pytest.skip(f"the puzzles {path.name} are not here")
    with path.open(encoding="utf-8") as rows:
        return [
            Puzzle(row["PuzzleId"], row["FEN"], row["Moves"].split(), set(row["Themes"].split()))
            for row in csv.DictReader(rows)
        ]


def answers(feature: str, steps: list[Step], *, of_solver: bool) -> list[int]:
    """A feature of the solver, or of the opponent, before each step."""
    positions = Positions.from_fens([step.board.fen() for step in steps])
    columns = {chess.WHITE: positions.feature(f"white_{feature}"), chess.BLACK: positions.feature(f"black_{feature}")}
    return [int(columns[step.board.turn == of_solver][k]) for k, step in enumerate(steps)]


def missed(feature: str, steps: list[Step], *, of_solver: bool) -> list[Step]:
    """The steps that do not land on a square of the feature."""
    found = answers(feature, steps, of_solver=of_solver)
    return [step for step, squares in zip(steps, found, strict=True) if step.move.to_square not in Bitboard(squares)]


# -------------------------------------------------------------------------------------------------------------- forks


def targets(board: chess.Board, knight: int) -> list[int]:
    """The enemy pieces that a knight forks: king, queen and rooks, and those that nothing protects."""
    them = not board.color_at(knight)
    heavy = {chess.KING, chess.QUEEN, chess.ROOK}
    return [
        man
        for man in board.attacks(knight) & board.occupied_co[them]
        if board.piece_type_at(man) in heavy or not board.attackers(them, man)
    ]


def knight_fork(puzzle: Puzzle) -> Step | None:
    """The solver's first knight move that attacks two targets or more."""
    for step in puzzle.steps():
        is_knight = step.board.piece_type_at(step.move.from_square) == chess.KNIGHT
        if is_knight and len(targets(step.after, step.move.to_square)) >= 2:
            return step
    return None


def guards(step: Step) -> dict[int, bool]:
    """The pawns and knights that attack the knight on its new square, and whether they may take it."""
    board, square = step.after, step.move.to_square
    return {
        man: board.is_legal(chess.Move(man, square))
        for man in board.attackers(board.turn, square) & (board.pawns | board.knights)
    }


@pytest.fixture(scope="module")
def knight_forks(puzzles: list[Puzzle]) -> list[Step]:
    return [step for puzzle in puzzles if "fork" in puzzle.themes and (step := knight_fork(puzzle))]


def test_forking_knights_land_on_fork_squares(knight_forks: list[Step]) -> None:
    """Every miss has a pawn or knight that guards the square and is pinned, or loses by taking (puzzle 010wy)."""
    misses = missed("fork_squares", knight_forks, of_solver=True)
    assert len(knight_forks) > 400
    assert len(misses) / len(knight_forks) < 0.01
    for step in misses:
        guarding = guards(step)
        assert guarding
        assert not any(guarding.values()) or step.puzzle == "010wy"


def test_royal_forks_are_those_that_attack_king_and_queen(knight_forks: list[Step]) -> None:
    def forked(step: Step) -> set[int | None]:
        return {step.after.piece_type_at(man) for man in targets(step.after, step.move.to_square)}

    royal = [step for step in knight_forks if {chess.KING, chess.QUEEN} <= forked(step)]
    assert len(royal) > 80
    assert {step.puzzle for step in missed("royal_fork_squares", royal, of_solver=True)} <= {"010wy", "08vSE"}


# ------------------------------------------------------------------------------------------------ loose pieces and
# mates


def test_hanging_pieces_hang(puzzles: list[Puzzle]) -> None:
    steps = [next(puzzle.steps()) for puzzle in puzzles if "hangingPiece" in puzzle.themes]
    assert len(steps) > 250
    assert not missed("hanging", steps, of_solver=False)


def mating(puzzles: list[Puzzle]) -> Iterator[tuple[Puzzle, Step]]:
    for puzzle in puzzles:
        if "mate" in puzzle.themes:
            *_, last = puzzle.steps()
            if last.after.is_checkmate():
                yield puzzle, last


def test_kings_mated_on_the_back_rank_were_shut_in(puzzles: list[Puzzle]) -> None:
    steps = [step for puzzle, step in mating(puzzles) if "backRankMate" in puzzle.themes]
    assert len(steps) > 250
    assert all(lines & 1 for lines in answers("distant_checks", steps, of_solver=False))


def test_queens_mates_beside_the_king_are_seen(puzzles: list[Puzzle]) -> None:
    """Every miss has a pinned piece that attacks the queen and may not take her."""
    steps = [
        step
        for _, step in mating(puzzles)
        if step.board.piece_type_at(step.move.from_square) == chess.QUEEN
        and chess.square_distance(step.move.to_square, step.board.king(not step.board.turn)) == 1
    ]
    misses = missed("mate_at_a_glance", steps, of_solver=True)
    assert len(steps) > 800
    assert len(misses) / len(steps) < 0.01
    for step in misses:
        board = step.after
        others = board.attackers(board.turn, step.move.to_square) - chess.SquareSet(board.kings)
        assert others
        assert all(board.is_pinned(board.turn, man) for man in others)
