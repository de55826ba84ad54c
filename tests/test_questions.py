"""The questions of the documentation: each is answered on a game that holds it, and nowhere on one that comes close."""

from __future__ import annotations

import functools
import io
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from click.testing import CliRunner

import setwise
from helpers.data import ROOT
from setwise import catalogue
from setwise.cli.app import app, run

LISTED = ROOT / "src" / "setwise" / "catalogue" / "questions.toml"
QUESTIONS: list[dict[str, Any]] = [
    question for topic in tomllib.loads(LISTED.read_text("utf-8"))["topic"] for question in topic["question"]
]
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
    """Each question."""
    return BY_NAME[request.param]


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
    assert len(set(lines)) == len(BY_NAME) == len(QUESTIONS) > 100
    assert not [line for line in lines if "\n" in line or '"' in line]
    assert all(question.get("at") or question.get("rows") for question in QUESTIONS)


# ------------------------------------------------------------------------------------------- python-chess asks the same


@functools.cache
def boards_of(game: chess.pgn.Game) -> list[chess.Board]:
    """The positions of a game."""
    boards = [game.board()]
    for move in game.mainline_moves():
        boards.append(boards[-1].copy(stack=False))
        boards[-1].push(move)
    return boards


def before(test: Callable[[chess.Board, chess.Move], bool]) -> Callable[[chess.pgn.Game], Iterator[int]]:
    """A question about the move that is played in a position."""

    def plies(game: chess.pgn.Game) -> Iterator[int]:
        played = zip(boards_of(game), game.mainline_moves(), strict=False)
        return (ply for ply, (board, move) in enumerate(played) if test(board, move))

    return plies


def there(test: Callable[[chess.Board], bool]) -> Callable[[chess.pgn.Game], Iterator[int]]:
    """A question about a position."""

    def plies(game: chess.pgn.Game) -> Iterator[int]:
        return (ply for ply, now in enumerate(boards_of(game)) if test(now))

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
    checks = [board.is_check() for board in boards_of(game)]
    return (ply - 1 for ply in range(1, len(checks) - 1) if checks[ply] and checks[ply + 1])


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


# ------------------------------------------------------------------------------------------------- the list is found


def printed(*arguments: str) -> tuple[int, str, str]:
    ran = CliRunner().invoke(app, list(arguments))
    return ran.exit_code, ran.stdout, ran.stderr


def test_the_list_has_every_question_in_the_order_of_its_file() -> None:
    listed = catalogue.questions()
    assert [it.asks for it in listed] == [question["asks"] for question in QUESTIONS]
    assert [it.number for it in listed] == list(range(1, len(QUESTIONS) + 1))
    code, out, _ = printed("questions")
    assert code == 0
    assert all(it.line in out for it in listed)
    topics = list(dict.fromkeys(it.topic for it in listed))
    assert [line for line in out.splitlines() if line in topics] == topics


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("IQP", "White has an isolated queen's pawn"), ("isolani", "White has an isolated queen's pawn"),
        ("greek GIFT", "The Greek gift on h7"), ("Bxh7", "The Greek gift on h7"),
        ("smothered mates", "Smothered mate"), ("maroczy", "White has the Maróczy bind"),
        ("transposition", "The same position in two games"), ("pawn storm", "Pawns storm a castled king"),
        ("opposite-side castling", "The players castle on opposite wings"), ("missed mate", "A mate in one was missed"),
        ("alekhine's gun", "A queen and two rooks stand"), ("desperado", None), ("underpromotion", "A pawn"),
        ("time trouble", "Less than thirty seconds"), ("rook endgames", "Rook and pawns against a rook"),
        ("swindle", "The side to move is winning"), ("mistake", "A mistake"), ("King's Indian", "The King's Indian"),
        ("zwischenzug", "A check comes before the piece is taken back"), ("lucena", "Lucena's position"),
    ],
)  # fmt: skip
def test_a_question_is_found_by_its_words(words: str, asks: str | None) -> None:
    found = [it.asks for it in catalogue.questions(words)]
    assert any(it.startswith(asks) for it in found) if asks else not found


#: What people look for, and where it leads: to questions, to a page of the catalogue, or to the documentation.
LOOKED_FOR = (
    "fork", "pin", "IQP", "endgame", "mate", "opposite bishops", "time trouble", "blunder", "repertoire", "back rank",
    "skewer", "sacrifice", "outpost", "backward pawn", "discovered check", "rook endgame", "mistakes", "win rate",
    "king safety", "miniature", "comeback", "French Defence", "queen sacrifice", "interference", "lost games",
)  # fmt: skip


@pytest.mark.parametrize("words", LOOKED_FOR)
def test_what_people_look_for_leads_somewhere(words: str) -> None:
    code, out, err = printed("questions", *words.split())
    assert (code, err) == (0, "")
    assert out


def test_questions_that_say_the_word_come_before_those_whose_topic_says_it() -> None:
    asked = [it.asks for it in catalogue.questions("pin")]
    assert "pinned" in asked[0] and "pinned" in asked[1]  # noqa: PT018
    assert len(asked) > 10
    assert printed("questions", "pin")[1].count("Forks, pins and captures") == 1


def test_a_word_of_no_question_leads_to_what_explains_it() -> None:
    assert "`setwise explain pawns.outposts`" in printed("questions", "outpost")[1]
    assert "tree.html" in printed("questions", "repertoire")[1]


@pytest.mark.parametrize(
    "number", [it.number for it in catalogue.questions("mate")[:3] + catalogue.questions("two games")]
)
def test_a_question_is_asked_by_its_number(number: int, tmp_path: Path) -> None:
    asked = catalogue.question(number)
    games = tmp_path / "games.pgn"
    games.write_text(asked.match, "utf-8")
    line = [asked.command, asked.text, str(games), *(["--variations"] if asked.variations else [])]
    assert printed("questions", str(number), str(games))[:2] == printed(*line)[:2]
    assert printed("questions", str(number), str(games))[0] == 0
    _, told, _ = printed("questions", str(number))
    assert asked.line in told
    assert asked.match.strip() in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["0"], "there is no question 0: they are numbered 1 to"), (["999", "games.pgn"], "there is no question 999"),
        (["zzz"], "no question has 'zzz'; `setwise questions` lists all"),
        (["9" * 13], "there is no question 9999999999999"),
    ],
)  # fmt: skip
def test_a_question_that_is_not_there_is_said_in_a_sentence(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["questions", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("guide", catalogue.guides(""), ids=lambda it: it.title)
def test_a_page_of_the_documentation_is_called_and_holds_what_it_is_said_to(guide: catalogue.Guide) -> None:
    page = (ROOT / "docs" / guide.address.rpartition("/")[2].replace(".html", ".md")).read_text("utf-8")
    assert page.splitlines()[0] == f"# {guide.title}"
    assert [word for word in guide.words if word.lower() not in page.lower()] == []


def test_what_is_no_pattern_leads_to_questions_and_pages(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = printed("explain", "IQP")
    assert (code, err) == (0, "")
    assert out.startswith("No pattern is called IQP. Questions about games that say it:")
    assert catalogue.questions("IQP")[0].line in out
    assert "https://setwise.github.io/setwise/moves.html" in printed("explain", "perft")[1]
    assert run(["explain", "nothing", "of", "that", "kind"]) == 2
    assert "there is no pattern, feature, table or column" in capsys.readouterr().err
