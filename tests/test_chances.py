"""Missed chances: columns compared with a naive twin on python-chess's boards, and cases counted by hand."""

from __future__ import annotations

import io
import math

import chess
import chess.pgn
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from naive.features.tactics import forced
from setwise import Position
from setwise.corpus.columns.chances import MISSED

#: A knight forks king and rook, twice; White plays something else twice, then something else again after a pause.
FORK = '[FEN "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"]\n\n'


def missed(text: str, columns: str = "ply missed missed_by missed_move") -> list[tuple[object, ...]]:
    found = setwise.find("missed is not null", text.encode(), columns=columns.split())
    return [tuple(row.values()) for row in found.to_pylist()]


def worth(board: chess.Board, move: chess.Move) -> int:
    won = forced(board, move)
    return 0 if won < 0 else 10 if math.isinf(won) else min(int(won), 10)


def twin(board: chess.Board, move: chess.Move) -> dict[str, int]:
    """By how much each kind of chance is missed."""
    position = Position(board.fen(en_passant="fen"))
    pieces = dict(zip("pawn knight bishop rook queen king".split(), chess.PIECE_TYPES, strict=True))
    squares = {
        "fork": [
            (position.feature("own_safe_fork_squares"), {chess.KNIGHT}),
            *((position.feature(f"own_fork_squares_by_{name}"), {kind}) for name, kind in pieces.items()
              if name != "knight"),
        ],
        "skewer": [(position.feature("own_skewers"), {chess.BISHOP, chess.ROOK, chess.QUEEN})],
        "discovery": [(position.feature("own_discovered_attacks"), {*chess.PIECE_TYPES})],
        "capture": [(position.feature("own_winning_captures"), {*chess.PIECE_TYPES})],
    }  # fmt: skip
    best = {"mate": 0}
    for other in board.legal_moves:
        after = board.copy(stack=False)
        after.push(other)
        best["mate"] = 10 if after.is_checkmate() else best["mate"]
    for kind, sets in squares.items():
        moves = [
            it for found, kinds in sets for it in board.legal_moves
            if found >> it.to_square & 1 and board.piece_type_at(it.from_square) in kinds and not board.is_castling(it)
        ]  # fmt: skip
        best[kind] = max([0, *(worth(board, it) for it in moves)])
    played = worth(board, move) if any(best.values()) else 0
    return {kind: by for kind, won in best.items() if (by := won - played) >= 2}


def test_missed_chances_are_those_of_the_twin() -> None:
    """Games without evaluations: the force counts alone, and the first of a run."""
    stream = io.StringIO(FAMOUS_GAMES.read_text())
    games = iter(lambda: chess.pgn.read_game(stream), None)
    columns = ["game", "ply", *(f"missed_{kind}" for kind in MISSED), "missed_by"]
    found = setwise.find("ply < 45", FAMOUS_GAMES, columns=columns).to_pylist()
    ours = {(row["game"], row["ply"]): row for row in found}
    counted = 0
    for number, game in enumerate(games, 1):
        if number > 6:
            break
        before: list[dict[str, int]] = []
        for node in list(game.mainline())[:45]:
            board = node.parent.board()
            by = twin(board, node.move)
            run = before[-2] if len(before) > 1 else {}
            before.append(by)
            first = {kind: more for kind, more in by.items() if kind not in run}
            row = ours[number, len(before) - 1]
            assert {kind for kind in MISSED if row[f"missed_{kind}"]} == {*first}, (number, board.fen(), node.move)
            assert row["missed_by"] == max(first.values(), default=None)
            counted += len(first)
    assert counted > 5


def test_the_first_of_a_run_is_taken() -> None:
    assert missed(FORK + "1. Kf1 h6 2. Kg1 g6 3. Rd1 *")[0] == (0, "fork", 2, "b5c7")
    by_white = [it for it in missed(FORK + "1. Kf1 h6 2. Kg1 g6 3. Rd1 *", "ply white_to_move missed_fork") if it[1]]
    assert by_white == [(0, True, True)]
    assert missed(FORK + "1. Nc7+ Kf8 2. Nxa8 *") == []


def test_where_a_game_has_evaluations_the_chance_to_win_must_drop() -> None:
    plain = FORK + "1. Kf1 *"
    assert missed(plain)
    led = (
        '[FEN "r3k2r/pp3ppp/4b3/1N6/8/8/PP2PPPP/R3K2R b KQkq - 0 1"]\n\n1... h6 { [%%eval 3] } 2. Kf1 { [%%eval %s] } *'
    )
    assert [it[1] for it in missed(led % "0.1", "ply missed")] == ["fork"]
    assert missed(led % "2.9") == []


def test_a_mate_that_was_played_is_not_missed() -> None:
    mate = '[FEN "6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1"]\n\n'
    assert missed(mate + "1. Ra8# *") == missed(mate + "1. Re8# *") == []
    assert [it[1:3] for it in missed(mate + "1. h3 *")] == [("mate", 10)]


def test_colours_are_alike() -> None:
    """The same game with the colours exchanged misses the same chances."""
    text = FORK + "1. Kf1 h6 2. Kg1 g6 *"
    board = chess.Board("r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1").mirror()
    mirrored = f'[FEN "{board.fen()}"]\n\n1... Kf8 2. h3 Kg8 3. g3 *'
    ours, theirs = missed(text), missed(mirrored)
    assert [it[:3] for it in ours] == [it[:3] for it in theirs]
    assert theirs[0][3] == "b4c2"


@pytest.mark.parametrize("wrong", ["missed = 'forks'", "missed_by = 40"])
def test_what_can_never_be_is_an_error(wrong: str) -> None:
    with pytest.raises(setwise.errors.QueryError):
        setwise.find(wrong, b"1. e4 *")


def test_variations_have_chances_of_their_own() -> None:
    text = (FORK + "1. Nc7+ (1. Kf1 h6 2. Kg1) 1... Kf8 *").encode()
    found = setwise.find("missed_fork", text, columns=["line", "ply"], variations=True).to_pylist()
    assert {"line": 1, "ply": 2} in found  # the game itself used it
    assert {"line": 0, "ply": 0} not in found
