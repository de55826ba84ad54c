"""Missed chances: columns compared with a naive twin on python-chess's boards, and cases counted by hand."""

from __future__ import annotations

import json
import random

import chess
import chess.pgn
import pytest

import setwise
from helpers.chances import KEPT, chances_missed, code, computed
from helpers.depth import depth
from helpers.python_chess import games_of
from naive.features.tactics import after, captures, see, taken
from setwise.corpus.columns.chances import MISSED

#: A knight forks king and rook, twice; White plays something else twice, then something else again after a pause.
FORK = '[FEN "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"]\n\n'


def missed(text: str, columns: str = "ply missed missed_by missed_move") -> list[tuple[object, ...]]:
    found = setwise.find("missed is not null", text.encode(), columns=columns.split())
    return [tuple(row.values()) for row in found.to_pylist()]


def careless(seed: int, plies: int = 36) -> str:
    """A game in which any legal move is played; a capture one time in two, where there is any."""
    dice, board = random.Random(seed), chess.Board()  # noqa: S311
    while board.ply() < plies and not board.is_game_over():
        moves = list(board.legal_moves)
        takes = [it for it in moves if board.is_capture(it)]
        board.push(dice.choice(takes if takes and dice.random() < 0.5 else moves))
    return str(chess.pgn.Game.from_board(board)) + "\n\n"


def test_missed_chances_are_those_of_the_twin() -> None:
    """Games without evaluations: the force and the lines count alone, and the first of a run."""
    text = "".join(map(careless, (4, 6)))
    columns = ["game", "ply", *(f"missed_{kind}" for kind in MISSED), "missed_by"]
    ours = {(row["game"], row["ply"]): row for row in setwise.find("true", text.encode(), columns=columns).to_pylist()}
    kinds: dict[str, int] = {}
    for number, game in enumerate(games_of(text), 1):
        before: list[dict[str, int]] = []
        for node in game.mainline():
            board = node.parent.board()
            by = chances_missed(board, node.move)
            run = before[-2] if len(before) > 1 else {}
            before.append(by)
            first = {kind: more for kind, more in by.items() if kind not in run}
            row = ours[number, len(before) - 1]
            assert {kind for kind in MISSED if row[f"missed_{kind}"]} == {*first}, (number, board.fen(), node.move)
            assert row["missed_by"] == max(first.values(), default=None)
            kinds |= first
    assert {"fork", "capture"} <= {*kinds}


MOST = 100


def gains(board: chess.Board, depth: int, least: int, most: int) -> int:
    """What the mover gains, exact between ``least`` and ``most``: all moves at first and in check, then captures."""
    checked = board.is_check()
    is_full = depth > 0 or (checked and depth > -12)
    best = -MOST if is_full else 0
    if not is_full and (depth <= -12 or best >= most):
        return best
    moves = list(board.legal_moves)
    if not moves:
        return -MOST if checked else best if not is_full else 0
    if not is_full:
        lesser = [it for it in moves if it.promotion and it.promotion != chess.QUEEN]
        moves = [it for it in [*captures(board), *lesser] if taken(board, it) > 0 and see(board, it) >= 0]
    for move in sorted(moves, key=lambda it: -taken(board, it)):
        best = max(best, line(board, move, depth - 1, max(best, least), most))
        if best >= most:
            break
    return best


def line(board: chess.Board, move: chess.Move, depth: int, least: int = -MOST, most: int = MOST) -> int:
    won = taken(board, move)
    return max(-MOST, min(MOST, won - gains(after(board, move), depth, won - most, won - least)))


def searched_lines(board: chess.Board, *moves: chess.Move) -> list[list[int]]:
    """What moves gain by lines two and four plies deep, searched on python-chess's boards."""
    return [[line(board, move, depth) for depth in (2, 4)] for move in moves]


#: Few pieces, and much to be won and missed.
SMALL = (
    ("5k2/8/3q4/8/4N3/8/8/K7 w - - 0 1", 11), ("8/8/1k3r2/8/3N4/8/8/7K w - - 0 1", 5),
    ("6k1/8/8/3r4/8/2B5/8/K7 w - - 0 1", 3), ("8/5k2/8/8/2r5/8/1P6/K2R4 w - - 0 1", 7),
)  # fmt: skip


def test_the_chances_that_are_kept_are_those_of_the_code_that_computes_them() -> None:
    kept = json.loads(KEPT.read_text("utf-8"))
    assert kept["code"] == code(), "python tests/doors/kept.py writes them anew"
    assert len(kept["answers"]) > 400
    for name in sorted(kept["answers"])[:: depth(60, 1)]:
        fen, move, chess960 = name.rsplit(" ", 2)
        best, played = computed(fen, chess960 == "1", chess.Move.from_uci(move))
        assert kept["answers"][name] == [{kind: [[n, it.uci()] for n, it in its] for kind, its in best.items()}, played]


def test_missed_chances_of_few_pieces_are_those_of_a_search_on_other_boards() -> None:
    """Lines are searched on python-chess's boards to the same depth, with no compiled code."""
    kinds: dict[str, int] = {}
    for fen, seed in SMALL:
        dice, board = random.Random(seed), chess.Board(fen)  # noqa: S311
        for _ in range(8):
            if board.is_game_over():
                break
            move = dice.choice(list(board.legal_moves))
            text = str(chess.pgn.Game.from_board(board_of(board, move)))
            row = setwise.find("ply = 0", text.encode(), columns=[f"missed_{it}" for it in MISSED]).to_pylist()[0]
            by = chances_missed(board, move, lines=searched_lines)
            assert {kind for kind in MISSED if row[f"missed_{kind}"]} == {*by}, (board.fen(), move)
            kinds |= by
            board.push(move)
    assert len(kinds) > 1


def board_of(board: chess.Board, move: chess.Move) -> chess.Board:
    """A board from which one move is played."""
    begun = chess.Board(board.fen())
    begun.push(move)
    return begun


def test_the_first_of_a_run_is_taken() -> None:
    assert missed(FORK + "1. Kf1 h6 2. Kg1 g6 3. Rd1 *")[0] == (0, "fork", 5, "b5c7")
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
    text = b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"]\n\n1. Ne7+ (1. h3 h6 2. h4) 1... Kf8 *'
    found = setwise.find("missed_fork", text, columns=["line", "ply"], variations=True).to_pylist()
    assert {"line": 1, "ply": 2} in found  # the game itself used it
    assert {"line": 0, "ply": 0} not in found
