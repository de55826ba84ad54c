"""Solving: what is said of a move, when an exercise comes back, and the file that keeps it."""

from __future__ import annotations

import datetime as dt
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import chess
import filelock
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from setwise.errors import IllegalMove, SourceError
from setwise.exercises import solving
from setwise.exercises.exercise import Exercise
from setwise.web import answers

FORK = "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"
CARD = {"fen": FORK, "solution": "c6e7", "hardness": "1"}


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the user, for one test."""
    file = tmp_path / "folder" / "solving.json"
    monkeypatch.setenv("SETWISE_PROGRESS", str(file))
    return file


@pytest.fixture(scope="module")
def exercises() -> list[Exercise]:
    found = setwise.train(FAMOUS_GAMES, n=4).exercises
    assert len(found) == 4
    return found


def test_only_the_solution_is_right_and_what_a_move_allows_is_legal(exercises: list[Exercise]) -> None:
    wrong = 0
    for it in exercises:
        board = chess.Board(it.fen)
        for move in [*board.legal_moves][::4]:
            judged = solving.attempt(it.fen, it.move, move.uci())
            assert judged.is_right is (move.uci() == it.move)
            assert judged.sentence.startswith(board.san(move))
            if judged.reply is None:
                continue
            board.push(move)
            reply = chess.Move.from_uci(judged.reply)
            assert f"allows {board.san(reply)}" in judged.sentence
            board.pop()
            wrong += 1
    assert wrong > 5


def test_a_mate_that_a_move_allows_is_named() -> None:
    fen = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"
    assert solving.attempt(fen, "e2e4", "g4") == (False, "g4 allows Qh4#.", "d8h4")
    with pytest.raises(IllegalMove):
        solving.attempt(fen, "e2e4", "e2e5")


def test_a_move_that_wins_less_than_the_best_is_not_said_to_lose() -> None:
    """The rook that it takes is more than the pawn on b3, which the queen then takes."""
    fen = "6k1/r4ppp/2N5/3q4/8/1P5P/5PP1/6K1 w - - 0 1"
    assert solving.attempt(fen, "c6e7", "Nxa7") == (False, "Nxa7 wins a pawn: another move is better.", None)


def test_an_exercise_is_as_hard_as_the_moves_that_compete_with_its_solution(exercises: list[Exercise]) -> None:
    for it in exercises:
        board = chess.Board(it.fen)
        forcing = [move for move in board.legal_moves if board.is_capture(move) or board.gives_check(move)]
        is_forcing = chess.Move.from_uci(it.move) in forcing
        assert solving.hardness(it) == (len(forcing) if is_forcing else board.legal_moves.count())
    card = solving.card(exercises[0])
    assert all(isinstance(text, str) for text in card.values())
    assert f"{exercises[0].line}" in card["says"]


def test_a_solved_exercise_comes_back_after_1_3_7_and_21_days() -> None:
    day = dt.date(2026, 1, 1)
    days = []
    while (due := solving.record(CARD, is_right=True, today=day)["due"]) is not None:
        days.append((dt.date.fromisoformat(due) - day).days)
        day = dt.date.fromisoformat(due)
    assert days == [1, 3, 7, 21]
    entry = solving.record(CARD, is_right=False, today=day)
    assert (entry["right"], entry["wrong"], entry["due"]) == (5, 1, (day + dt.timedelta(1)).isoformat())


def test_what_is_kept_is_one_file_which_can_be_deleted(kept: Path) -> None:
    assert solving.progress() == {"player": "", "exercises": {}}
    solving.remember("Anna")
    solving.record(CARD, is_right=True)
    assert json.loads(kept.read_text())["player"] == solving.progress()["player"] == "Anna"
    assert list(solving.progress()["exercises"]) == [FORK]
    solving.forget()
    assert not kept.exists()
    for damage in ("", "[]", "{", '{"player": 1}', "\0"):
        kept.write_text(damage)
        for ask in (solving.progress, lambda: solving.record(CARD, is_right=False), lambda: solving.remember("Eva")):
            with pytest.raises(SourceError, match="has your progress, but cannot be read"):
                ask()
        assert kept.read_text() == damage  # nothing is written over it
    solving.forget()
    assert solving.progress() == {"player": "", "exercises": {}}


def test_the_file_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes back last is left out."""
    monkeypatch.setattr(solving, "_MOST_KEPT", 2)
    for day, name in enumerate("abc", start=1):
        solving.record({"fen": name}, is_right=True, today=dt.date(2026, 1, 5 - day))
    assert sorted(solving.progress()["exercises"]) == ["b", "c"]
    for _ in range(len(solving.DAYS)):
        solving.record({"fen": "b"}, is_right=True)
    assert solving.progress()["exercises"]["b"]["due"] is None  # learned: it never comes back
    solving.record({"fen": "d"}, is_right=False)
    assert sorted(solving.progress()["exercises"]) == ["c", "d"]


def test_of_two_attempts_at_once_both_are_kept(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is recorded while the first holds the lock, and has written nothing yet."""
    solving.remember("Anna")
    usual, waits = filelock.FileLock, Event()

    def lock(path: Path, **options: Any) -> filelock.BaseFileLock:
        waits.set()
        return usual(path, **options)

    monkeypatch.setattr(filelock, "FileLock", lock)
    with ThreadPoolExecutor(1) as pool:
        with usual(kept.with_suffix(".lock")):
            second = pool.submit(solving.record, {"fen": "b"}, is_right=True)
            assert waits.wait(300)
            kept.write_text(json.dumps({"player": "Anna", "exercises": {"a": CARD}}))
        second.result()
    assert sorted(solving.progress()["exercises"]) == ["a", "b"]


def test_the_page_counts_the_first_attempt_and_refuses_what_is_no_exercise(kept: Path) -> None:
    def ask(**given: object) -> dict[str, object]:
        return json.loads(answers.answer("attempt", {"exercise": CARD, **given}, []))  # type: ignore[no-any-return]

    told = ask(move="c6c5", counts=True)
    assert told == {"illegal": "c6c5 cannot be played: the knight on c6 cannot move to c5"}
    assert ask(move="h2h3")["sentence"] == "h3 allows Qxc6, and loses 3 pawns."
    assert not kept.exists()
    told = ask(move="c6e7", counts=True, is_shown=True)
    assert (told["is_right"], sorted(told["targets"])) == (True, ["e7d5", "e7g8"])  # type: ignore[call-overload]
    [entry] = json.loads(answers.answer("progress", {}, []))["exercises"].values()
    assert (entry["right"], entry["wrong"]) == (0, 1)
    assert "an exercise has the texts" in str(
        ask(exercise={"fen": FORK, "solution": "c6e7", "x": ""}, move="h3")["error"]
    )
    assert "error" in ask(exercise={"fen": "8/8", "solution": "c6e7"}, move="h3")
