"""The lexicon: words that people try first lead to a condition that can be pasted, from every command."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import chess
import chess.pgn
import pytest
from click.testing import CliRunner

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from setwise.cli.app import app
from setwise.corpus.columns import COLUMNS
from setwise.corpus.language.condition import Condition
from setwise.corpus.lexicon import entries, is_condition, meaning_of, way_of
from setwise.errors import QueryError
from setwise.web import forms

POSITIONS = [*csv.DictReader((Path(__file__).parent / "data" / "word_positions.csv").read_text("utf-8").splitlines())]
#: Whether a move is what a word says: of the board, the move, the board after it, and the one after the reply or None.
PLAYED: dict[str, Callable[[chess.Board, chess.Move, chess.Board, chess.Board | None], bool]] = {
    "recapture": lambda board, move, _after, _reply: (
        bool(board.move_stack)
        and board.peek().to_square == move.to_square
        and board.is_capture(move)
        and took(board)
    ),
    "exchange": lambda board, move, after, reply: (
        board.is_capture(move) and reply is not None and reply.peek().to_square == move.to_square
        and after.is_capture(reply.peek())
    ),
    "rook takes knight": lambda board, move, _after, _reply: (
        board.piece_type_at(move.from_square) == chess.ROOK and board.piece_type_at(move.to_square) == chess.KNIGHT
    ),
    "knight check": lambda board, move, _after, _reply: (
        board.piece_type_at(move.from_square) == chess.KNIGHT and board.gives_check(move)
    ),
    "interposition": lambda board, move, _after, _reply: (
        board.is_check() and not board.is_capture(move) and board.piece_type_at(move.from_square) != chess.KING
    ),
    "white castles queenside": lambda board, move, _after, _reply: board.turn and board.is_queenside_castling(move),
    "black castles kingside": lambda board, move, _after, _reply: not board.turn and board.is_kingside_castling(move),
    "mates": lambda _board, _move, after, _reply: after.is_checkmate(),
    "non-capture": lambda board, move, _after, _reply: not board.is_capture(move),
}  # fmt: skip
ROWS = [*csv.DictReader((Path(__file__).parent / "data" / "words.csv").read_text("utf-8").splitlines())]


def test_every_condition_of_the_lexicon_can_be_pasted() -> None:
    conditions = {it for it in entries().values() if is_condition(it)}
    assert len(conditions) > 200
    assert len(entries()) > 1000
    for condition in conditions:
        if "repertoire.pgn" not in condition:  # a file that must be named
            Condition(condition)


def test_words_of_other_people_lead_where_they_should() -> None:
    """Words of glossaries, programs and themes, collected after the lexicon; what it did not know was then added."""
    wrong = []
    for row in ROWS:
        word = row["word"]
        found = word.lower() if word.lower() in COLUMNS else way_of(word)
        if not re.search(row["leads to"], found):
            wrong.append((word, found))
    assert len(ROWS) > 300
    assert len(wrong) < len(ROWS) / 20, wrong


@pytest.mark.parametrize("other", [str.upper, str.title, lambda it: it.replace(" ", "_"), lambda it: it + "s"])
def test_capitals_hyphens_and_plurals_make_no_difference(other: Callable[[str], str]) -> None:
    for word in ("knight fork", "passed pawn", "backward pawn", "centre majority", "open file"):
        assert meaning_of(other(word)) == meaning_of(word) is not None
    assert meaning_of("center majority") == meaning_of("centre majority")
    assert meaning_of("knihgt fork") == meaning_of("knight fork")


@pytest.mark.parametrize("word", ["fork", "double check", "rating", "mate", "zwischenzug"])
def test_find_and_sql_name_the_condition_to_paste(word: str) -> None:
    condition = meaning_of(word)
    with pytest.raises(QueryError, match=f"no column '{word}'; the condition that asks for it: ") as raised:
        setwise.find(word, FAMOUS_GAMES)
    assert str(raised.value).endswith(str(condition)) or str(condition) in str(raised.value)
    if " " not in word:
        with pytest.raises(QueryError, match="the condition that asks for it: "):
            setwise.sql(f"from positions where {word}", FAMOUS_GAMES)


def test_what_no_column_says_is_said() -> None:
    with pytest.raises(QueryError, match="no column says who resigned"):
        setwise.find("resigned", FAMOUS_GAMES)
    assert way_of("qwertz") == ""
    assert way_of("vexed passed pawn") == (
        "; the condition that asks for passed pawn: own_passed_pawns <> 0; nothing here asks for the rest, 'vexed'"
    )
    assert way_of("vexed white passed pawn").startswith("; the condition that asks for white passed pawn: white_")
    for phrase in ("material imbalance", "game length", "side to move"):  # a column is among the words
        with pytest.raises(QueryError, match="the condition that asks for it: "):
            setwise.find(phrase, FAMOUS_GAMES)
    with pytest.raises(QueryError, match=r"^there is no column 'pawn of the board'; no column and no word"):
        setwise.find("pawn of the board", FAMOUS_GAMES)
    with pytest.raises(QueryError, match=r"^there is no column 'frobnicate'; no column and no word"):
        setwise.find("frobnicate", FAMOUS_GAMES)


@pytest.mark.parametrize(
    ("word", "condition"),
    [
        ("white_royal_forks", "white_safe_royal_fork_squares <> 0"),
        ("enemyPassedPawns", "enemy_passed_pawns <> 0"),
        ("black rating", "black_elo >= 2500"),
        ("white_is_check", "is_check and white_to_move"),
        ("isolated e-pawn", "(white_isolated_pawns | black_isolated_pawns) & files('e') <> 0"),
        ("rook and pawns v rook", "material('KRP+ v KR')"),
        ("bishop ending", "material('KBP* v KBP*')"),
        ("swallowtailMate", "mate_pattern = 'swallowtail'"),
        ("two rooks", "either_colour(bit_count(white_rooks) = 2)"),
        ("B97", "eco = 'B97'"),
        ("Nf3", "san = 'Nf3'"),
        ("KRPvKR", "material('KRP v KR')"),
        ("!?", "list_contains(nags, 5)"),
        ("Sicilian Dragon", "opening_by_position like '%Sicilian%Dragon%'"),
        ("board.is_check()", "is_check"),
        ("winner", "result in ('1-0', '0-1')"),
        ("black space advantage", "bit_count(black_space) > bit_count(white_space)"),
        ("their passed pawns", "enemy_passed_pawns <> 0"),
        ("black draw", "result = '1/2-1/2'"),
        ("black's bad bishop", "black_bad_bishop <> 0"),
        ("isolated black pawns", "black_isolated_pawns <> 0"),
        ("semi-open file for black", "black_half_open_files <> 0"),
        ("RB v R", "material('KRB v KR')"),
        ("key squares", "own_key_squares <> 0"),
        ("mate in 2", "can(legal_moves > 0 and not can(own_mates_in_one = 0))"),
    ],
)
def test_words_of_a_form_lead_to_a_condition_of_that_form(word: str, condition: str) -> None:
    assert meaning_of(word, misspelt=False) == condition
    Condition(condition)


@pytest.mark.parametrize("phrase", ["white and black fork", "black white fork"])
def test_a_phrase_that_names_both_sides_leads_to_neither(phrase: str) -> None:
    condition, _, rest = way_of(phrase).partition("; nothing here asks for the rest, ")
    assert not re.search("white|black", condition)
    assert "white" in rest
    assert "black" in rest


def test_a_number_is_part_of_a_word() -> None:
    assert meaning_of("pased pawn 7") is None


def test_names_of_python_chess_lead_to_what_stands_for_them() -> None:
    assert way_of("push_san").startswith("; no column, but in Python positions do not change")


def test_a_column_of_a_result_that_is_a_word_leads_to_a_condition() -> None:
    with pytest.raises(
        QueryError, match="no column 'fork'; the condition that asks for it: own_safe_fork_squares <> 0"
    ):
        setwise.find("true", FAMOUS_GAMES, columns=["ply", "fork"])


@pytest.mark.parametrize("row", POSITIONS, ids=[it["word"] for it in POSITIONS])
def test_a_word_holds_in_one_position_and_not_in_another(row: dict[str, str]) -> None:
    condition = str(meaning_of(row["word"], misspelt=False))
    found = [setwise.find(condition, f"{row[it]} - - 0 1".encode()).num_rows for it in ("holds in", "does not hold in")]
    assert found == [1, 0], condition


@pytest.mark.parametrize("word", sorted(PLAYED))
def test_words_of_moves_hold_where_such_moves_are_played(word: str) -> None:
    """The condition finds the moves that python-chess finds by the rule, in all games of the example."""
    found = setwise.find(str(meaning_of(word, misspelt=False)), FAMOUS_GAMES, columns=["game", "ply"])
    expected = [
        (number, ply)
        for number, boards in enumerate(boards_of_games(), start=1)
        for ply, board in enumerate(boards[:-1])
        if PLAYED[word](
            board, boards[ply + 1].peek(), boards[ply + 1], boards[ply + 2] if ply + 2 < len(boards) else None
        )
    ]
    assert [*zip(found["game"].to_pylist(), found["ply"].to_pylist(), strict=True)] == expected
    assert expected


@pytest.mark.parametrize("word", ["perpetual check", "hangs a piece", "TN", "zugzwang", "capture", "black stonewall"])
def test_every_command_and_the_page_give_the_same_answer(word: str) -> None:
    """On the page a motif of the form comes first."""
    meaning = str(meaning_of(word))
    with pytest.raises(QueryError, match=re.escape(meaning)):
        setwise.find(word, FAMOUS_GAMES)
    with pytest.raises(QueryError, match=re.escape(meaning)):
        setwise.sql(f"from positions where {word}", FAMOUS_GAMES)
    for command in ("columns", "questions", "explain"):
        result = CliRunner().invoke(app, [command, *word.split()])
        # A word that is a column or has a page of its own is explained there.
        assert meaning[1:] in result.output or (command == "explain" and result.output.startswith("captured"))
    if is_condition(meaning):
        (chip,) = forms.understood(word)["chips"]
        assert chip == f"word:{word}" or chip.startswith("motif:")
    else:
        with pytest.raises(QueryError, match=re.escape(meaning)):
            forms.understood(word)


def test_a_condition_with_a_remark_stands_beside_others() -> None:
    """The remark ends with its line, so it hides nothing of what is added to the condition."""
    remarked = "is_check -- a remark"
    beside = forms.condition([f"where:{remarked}", "where:ply > 60"])
    counts = [setwise.find(it, FAMOUS_GAMES).num_rows for it in (beside, "is_check and ply > 60", "is_check")]
    assert counts[0] == counts[1] < counts[2]
    assert " -- " not in forms.condition(["word:TN", "year:2013-"])
    ran = CliRunner().invoke(app, ["find", remarked, str(FAMOUS_GAMES), "--like", "8/8/8/8/8/8/8/4K3", "--count"])
    plain = CliRunner().invoke(app, ["find", "is_check", str(FAMOUS_GAMES), "--like", "8/8/8/8/8/8/8/4K3", "--count"])
    assert ran.output.partition(";")[0] == plain.output.partition(";")[0]
    assert ran.exit_code == plain.exit_code == 0


def test_a_mate_in_two_is_one_whose_every_answer_allows_mate() -> None:
    """The condition that the lexicon has for it says the same as a search of all moves by python-chess."""
    found = {*map(tuple, (row.values() for row in setwise.find(
        str(meaning_of("mate in 2")), FAMOUS_GAMES, columns=["game", "ply"]).to_pylist()))}  # fmt: skip
    for row in setwise.find("true", FAMOUS_GAMES, columns=["game", "ply", "fen"], sample=depth(40, 400)).to_pylist():
        assert ((row["game"], row["ply"]) in found) == mates_in_two(chess.Board(row["fen"]))
    assert found


def took(board: chess.Board) -> bool:
    """Return whether the last move captured."""
    before = board.copy(stack=1)
    move = before.pop()
    return before.is_capture(move)


@functools.cache
def boards_of_games() -> list[list[chess.Board]]:
    """Return the boards of each game of the example: before each move, and at the end."""
    games = []
    with FAMOUS_GAMES.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            games.append([game.board(), *(node.board() for node in game.mainline())])
    return games


def after(board: chess.Board) -> list[chess.Board]:
    boards = []
    for move in board.legal_moves:
        boards.append(board.copy(stack=False))
        boards[-1].push(move)
    return boards


def mates_in_two(board: chess.Board) -> bool:
    return any(
        (answers := after(it)) and all(any(last.is_checkmate() for last in after(answer)) for answer in answers)
        for it in after(board)
    )


def test_insufficient_material_is_that_of_python_chess() -> None:
    random, fens = Random(5), list[str]()  # noqa: S311
    while len(fens) < 500:
        board = chess.Board.empty()
        for square in random.sample(range(64), random.choice([2, 3, 4, 5])):
            letter = "Kk"[len(board.piece_map())] if len(board.piece_map()) < 2 else random.choice("BbNnBbBbPR")
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        fens += [board.fen()] if board.is_valid() else []
    expected = sum(chess.Board(fen).is_insufficient_material() for fen in fens)
    condition = str(meaning_of("insufficient material", misspelt=False))
    assert setwise.find(condition, "\n".join(fens).encode()).num_rows == expected > 100


def test_en_passant_and_switchbacks_are_those_that_python_chess_plays() -> None:
    captures = returns = 0
    with FAMOUS_GAMES.open() as file:
        while (game := chess.pgn.read_game(file)) is not None:
            board, moves = game.board(), list(game.mainline_moves())
            for at, move in enumerate(moves):
                captures += board.has_legal_en_passant()
                before = moves[at - 2] if at > 1 else chess.Move.null()
                is_back = (move.from_square, move.to_square) == (before.to_square, before.from_square)
                returns += is_back and not board.is_capture(move)
                board.push(move)
    for word, expected in (("can capture en passant", captures), ("switchback", returns)):
        condition = str(meaning_of(word, misspelt=False))
        assert setwise.find(condition, FAMOUS_GAMES).num_rows == expected > 5
