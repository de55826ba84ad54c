"""Conditions and statements over games: positions a second, and how long one waits; ten questions in python-chess."""

from __future__ import annotations

import io
import os
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from games import collection
from harness import Plan, Row, clocked, pair, rate, rounds, topic
from peers import python_chess, run_setwise

import setwise

FEATURE = "white_royal_fork_squares <> 0"
FUNCTIONS = (
    "knight.attacks(own_knights) & enemy_queens <> 0 and pawns.passed(own_pawns, enemy_pawns) <> 0 and next(is_check)"
)
BY_FEATURE = "select white_pawn_islands, count(*) from positions group by all"


@topic("language")
def conditions(plan: Plan) -> Iterator[Row]:
    """One core, in a process that runs already."""
    path = collection(plan).path
    total = sum(len(games.moves) + len(games) for games in setwise.read_pgn(path))

    def find(where: str) -> Callable[[], int]:
        return lambda: setwise.find(where, path, columns=["ply"], threads=1).num_rows

    for work, action, target in (
        ("find, one feature", find(FEATURE), 10),
        ("find, two functions and next()", find(FUNCTIONS), 3),
    ):
        action()
        [seconds] = rounds(plan, action)
        yield rate(f"{work}, one core", total / 1e6, "million positions/s", seconds, target)

    def sql() -> int:
        return sum(setwise.sql(BY_FEATURE, path, threads=1)["count_star()"].to_pylist())

    timed = pair(plan, sql, find("white_pawn_islands = 4"))
    yield timed._replace(answers=(total, total)).row("sql, group by one feature", "find of that feature", 0.8)


@topic("language")
def waiting(plan: Plan) -> Iterator[Row]:
    """Whole processes."""
    text = collection(plan).sample(1_000_000).encode("latin-1")
    with tempfile.TemporaryDirectory(prefix="setwise-bench-") as folder:
        games = Path(folder, "games.pgn")
        games.write_bytes(text)
        for work, arguments, target in (
            ("setwise --help", ["--help"], 0.15),
            ("setwise --version", ["--version"], 0.15),
            ("find in 1 MB of games", ["find", "--count", FEATURE, games], 0.75),
        ):
            run_setwise(*arguments)
            seconds = [clocked(lambda a=arguments: run_setwise(*a)) for _ in range(plan.size(9, 1))]
            yield Row(
                f"{work}, whole process", statistics.median(seconds), "s", "", target, at_most=True,
                low=min(seconds), high=max(seconds), seconds={"setwise": seconds},
            )  # fmt: skip
        before = os.environ.get("SETWISE_CACHE_DIR")
        os.environ["SETWISE_CACHE_DIR"] = str(Path(folder, "empty"))
        try:
            first = clocked(lambda: run_setwise("find", "--count", FEATURE, games))
        finally:
            os.environ.pop("SETWISE_CACHE_DIR")
            if before is not None:
                os.environ["SETWISE_CACHE_DIR"] = before
        yield Row("the first find ever, nothing compiled", first, "s", "", 12, at_most=True)


# ----------------------------------------------------------------------------------------------------------- questions

CARLSBAD = "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"
#: Ten questions, each a condition; python-chess answers them below.
QUESTIONS = {
    "a double check": "bit_count(white_checkers | black_checkers) >= 2",
    "mate by castling": "is_castling and next(is_checkmate)",
    "mate by en passant": "is_en_passant and next(is_checkmate)",
    "underpromotion to a knight with check": "promotion = 'N' and gives_check",
    "three queens on the board": "bit_count(white_queens | black_queens) >= 3",
    "stalemate with a queen on the board": "is_stalemate and white_queens | black_queens <> 0",
    "check answered by check": "is_check and next(is_check)",
    "the Carlsbad structure": f"pawn_structure = '{CARLSBAD}'",
    "a pawn takes a queen": "piece = 'P' and captured = 'Q'",
    "bishops of opposite colours with rooks": (
        "bit_count(white_bishops) = 1 and bit_count(black_bishops) = 1 and white_rooks <> 0 and black_rooks <> 0 and "
        "(white_bishops & 6172840429334713770 = 0) <> (black_bishops & 6172840429334713770 = 0)"
    ),
}  # fmt: skip


def pawns_alone(chess: Any, board: Any) -> str:
    alone = chess.Board(None)
    for square in chess.scan_forward(board.pawns):
        alone.set_piece_at(square, board.piece_at(square))
    return alone.board_fen()


def asked_of_python_chess(text: str) -> Counter[str]:
    """How often each holds: what a careful user would write, all ten in one pass."""
    chess = python_chess()
    found: Counter[str] = Counter(dict.fromkeys(QUESTIONS, 0))
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        board, was_check = game.board(), False
        for move in [*game.mainline_moves(), None]:
            white, black = board.bishops & board.occupied_co[True], board.bishops & board.occupied_co[False]
            is_check = board.is_check()
            found["a double check"] += is_check and len(board.checkers()) >= 2
            found["three queens on the board"] += board.queens.bit_count() >= 3
            found["stalemate with a queen on the board"] += bool(board.queens) and board.is_stalemate()
            found["check answered by check"] += was_check and is_check
            found["the Carlsbad structure"] += board.pawns.bit_count() == 14 and pawns_alone(chess, board) == CARLSBAD
            found["bishops of opposite colours with rooks"] += (
                white.bit_count() == black.bit_count() == 1
                and bool(board.rooks & board.occupied_co[True])
                and bool(board.rooks & board.occupied_co[False])
                and bool(white & chess.BB_LIGHT_SQUARES) != bool(black & chess.BB_LIGHT_SQUARES)
            )
            was_check = is_check
            if move is None:
                break
            castles, passing = board.is_castling(move), board.is_en_passant(move)
            found["a pawn takes a queen"] += bool(
                board.pawns & chess.BB_SQUARES[move.from_square] and board.queens & chess.BB_SQUARES[move.to_square]
            )
            board.push(move)
            found["underpromotion to a knight with check"] += move.promotion == chess.KNIGHT and board.is_check()
            if castles or passing:
                mate = board.is_checkmate()
                found["mate by castling"] += castles and mate
                found["mate by en passant"] += passing and mate
    return found


@topic("language")
def questions(plan: Plan) -> Iterator[Row]:
    """``BENCH_GAMES`` says over how many games; python-chess takes some seconds a thousand."""
    wanted = int(os.environ.get("BENCH_GAMES", plan.size(1_000, 20)))
    text = collection(plan).sample(collection(plan).path.stat().st_size)
    parts = text.split("\n[Event ")
    text = "\n[Event ".join(parts[:wanted]) + "\n"
    data = text.encode("latin-1")

    def ours() -> dict[str, int]:
        found = {name: setwise.find(where, data, columns=["ply"], threads=1) for name, where in QUESTIONS.items()}
        return {name: table.num_rows for name, table in found.items()}

    ours()
    answers, theirs = ours(), Counter[str]()
    [quick] = rounds(plan, ours)
    slow = clocked(lambda: theirs.update(asked_of_python_chess(text)))
    if answers != dict(theirs):
        raise ValueError(f"setwise answers {answers}, python-chess {dict(theirs)}")
    said = ", ".join(f"{name} {count:,}" for name, count in answers.items())
    yield Row(
        f"ten questions over {min(wanted, len(parts)):,} games", slow / statistics.median(quick), "×", "python-chess",
        low=slow / max(quick), high=slow / min(quick), note=f"one pass of python-chess for all; {said}",
        seconds={"setwise": quick, "python-chess": [slow]},
    )  # fmt: skip
