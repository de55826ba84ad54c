"""The questions of the documentation: each is answered on a game that holds it, and nowhere on one that comes close."""

from __future__ import annotations

import functools
import io
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import chess
import chess.pgn
import pytest

import setwise
from helpers.data import ROOT
from setwise.corpus.columns import COLUMNS
from setwise.corpus.language.functions import function_names

QUESTIONS: list[dict[str, Any]] = tomllib.loads((ROOT / "docs" / "questions.toml").read_text("utf-8"))["question"]
BY_NAME = {question["asks"]: question for question in QUESTIONS}


def answers(question: dict[str, Any], games: str) -> list[Any]:
    """The plies that match, or the rows of a statement."""
    variations = question.get("variations", False)
    if "sql" in question:
        answer = setwise.sql(question["sql"], games.encode(), variations=variations)
        return [list(row.values()) for row in answer.to_pylist()]
    return setwise.find(question["find"], games.encode(), columns=["ply"], variations=variations)["ply"].to_pylist()


@pytest.fixture(params=BY_NAME)
def question(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each question; one whose column or function is not there yet waits for it, and is asked as soon as it is."""
    asked = BY_NAME[request.param]
    if asked.get("waits_for", "ply") not in {*COLUMNS, *function_names()}:
        pytest.skip(f"waits for {asked['waits_for']}")
    return asked


def test_each_question_is_answered_where_it_should_be(question: dict[str, Any]) -> None:
    assert (question.get("at") or question["rows"]) == answers(question, question["match"])


def test_no_question_is_answered_where_it_nearly_holds(question: dict[str, Any]) -> None:
    assert answers(question, question["near"]) == []


def test_the_games_of_the_questions_are_games() -> None:
    for question in QUESTIONS:
        for games in (question["match"], question["near"]):
            batches = list(setwise.read_pgn(games.encode()))
            assert [str(fault) for batch in batches for fault in batch.faults()] == [], question["asks"]
            assert all(len(game.moves) for batch in batches for game in batch), question["asks"]


def test_each_question_is_one_line_and_asked_once() -> None:
    lines = [question.get("find") or question["sql"] for question in QUESTIONS]
    assert len(set(lines)) == len(BY_NAME) == len(QUESTIONS) >= 95
    assert not [line for line in lines if "\n" in line or '"' in line]
    assert all(question.get("at") or question.get("rows") for question in QUESTIONS)


# ------------------------------------------------------------------------------------------- python-chess asks the same


def before(test: Callable[[chess.Board, chess.Move], bool]) -> Callable[[chess.pgn.Game], Iterator[int]]:
    """A question about the move that is played in a position."""

    def plies(game: chess.pgn.Game) -> Iterator[int]:
        for ply, node in enumerate(game.mainline()):
            if test(node.parent.board(), node.move):  # type: ignore[union-attr]
                yield ply

    return plies


def there(test: Callable[[chess.Board], bool]) -> Callable[[chess.pgn.Game], Iterator[int]]:
    """A question about a position."""

    def plies(game: chess.pgn.Game) -> Iterator[int]:
        board = game.board()
        boards = [board.copy()] + [board.push(move) or board.copy() for move in game.mainline_moves()]  # type: ignore[func-returns-value]
        return (ply for ply, now in enumerate(boards) if test(now))

    return plies


def mates(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy()
    after.push(move)
    return after.is_checkmate()


def ring(board: chess.Board) -> chess.SquareSet:
    king = board.king(board.turn)
    assert king is not None
    return chess.SquareSet(chess.BB_KING_ATTACKS[king])


def smothered(board: chess.Board) -> bool:
    knights = board.checkers() & board.knights
    return board.is_checkmate() and bool(knights) and not ring(board) - board.occupied_co[board.turn]


def tripled(board: chess.Board) -> bool:
    return any(len(board.pieces(chess.PAWN, colour) & file) >= 3 for colour in chess.COLORS for file in chess.BB_FILES)


def both_check(game: chess.pgn.Game) -> Iterator[int]:
    checks = [node.board().is_check() for node in game.mainline()]
    return (ply for ply in range(len(checks) - 1) if checks[ply] and checks[ply + 1])


def men(board: chess.Board) -> str:
    return "".join(sorted(piece.symbol() for piece in board.piece_map().values()))


def on_the_seventh(board: chess.Board) -> bool:
    ranks = ((chess.WHITE, chess.BB_RANK_7), (chess.BLACK, chess.BB_RANK_2))
    return any(len(board.pieces(chess.ROOK, colour) & rank) == 2 for colour, rank in ranks)


def guards(board: chess.Board) -> bool:
    knights = (board.pieces(chess.KNIGHT, colour) for colour in chess.COLORS)
    return any(board.attacks(square) & those for those in knights for square in those)


def hunted(board: chess.Board) -> bool:
    queens = board.pieces(chess.QUEEN, board.turn)
    safe = (move for move in board.legal_moves if not board.is_attacked_by(not board.turn, move.to_square))
    return any(board.is_attacked_by(not board.turn, square) for square in queens) and not any(
        move.from_square in queens for move in safe
    )


TWINS = {
    "Both rooks are on the seventh rank": there(on_the_seventh),
    "Two knights guard each other": there(guards),
    "The queen is attacked and has no safe square": there(hunted),
    "Queen against a pawn one step from promotion": there(
        lambda board: (
            (men(board) == "KQkp" and bool(board.pawns & chess.BB_RANK_2))
            or (men(board) == "KPkq" and bool(board.pawns & chess.BB_RANK_7))
        )
    ),
    "The pawns are symmetrical after move ten": there(
        lambda board: (
            board.fullmove_number > 10
            and bool(board.pawns)
            and board.pieces(chess.PAWN, True) == board.pieces(chess.PAWN, False).mirror()
        )
    ),
    "Mirror mate: the eight squares at the king are empty": there(
        lambda board: board.is_checkmate() and len(ring(board)) == 8 and not ring(board) & board.occupied
    ),
    "Both sides give check, one right after the other": both_check,
    "Smothered mate": there(smothered),
    "Mate by en passant": before(lambda board, move: board.is_en_passant(move) and mates(board, move)),
    "Mate by castling": before(lambda board, move: board.is_castling(move) and mates(board, move)),
    "Double check": there(lambda board: len(board.checkers()) == 2),
    "A pawn becomes a knight and gives check": before(
        lambda board, move: move.promotion == chess.KNIGHT and board.gives_check(move)
    ),
    "Rook against bishop, without pawns": there(lambda board: men(board) in {"KRbk", "BKkr"}),
    "Tripled pawns": there(tripled),
    "Stalemate with queens on the board": there(lambda board: board.is_stalemate() and bool(board.queens)),
}


@functools.cache
def corpus() -> str:
    """All games of all questions, and famous ones."""
    texts = [question[kind] for question in QUESTIONS for kind in ("match", "near")]
    games = [game for text in texts for batch in setwise.read_pgn(text.encode()) for game in batch]
    famous = (ROOT / "examples" / "famous_games.pgn").read_text("utf-8")
    return "\n\n".join([*map(str, games), famous])


@functools.cache
def theirs() -> list[chess.pgn.Game]:
    file, found = io.StringIO(corpus()), []
    while game := chess.pgn.read_game(file):
        found.append(game)
    return found


@pytest.mark.parametrize("asks", TWINS)
def test_python_chess_finds_the_same(asks: str) -> None:
    expected = [(number, ply) for number, game in enumerate(theirs(), 1) for ply in TWINS[asks](game)]
    found = setwise.find(BY_NAME[asks]["find"], corpus().encode(), columns=["game", "ply"])
    assert list(zip(*found.to_pydict().values(), strict=True)) == expected != []
