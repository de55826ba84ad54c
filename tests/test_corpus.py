"""The main line from bytes to rows, against python-chess on the games of the examples."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pyarrow.parquet
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise import Games, Positions, read_pgn
from setwise.corpus.columns import COLUMNS
from setwise.corpus.dataset.scan import feature_columns, scan
from setwise.corpus.query import search as searching
from setwise.corpus.query.search import Query, planned, search
from setwise.corpus.sources import pgn
from setwise.errors import InvalidFen, QueryError
from setwise.game.batch import Block


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    """Every position of the examples as python-chess replays them."""
    found = []
    for number, game in enumerate(games_of(FAMOUS_GAMES.read_text()), 1):
        board = game.board()
        moves = [*game.mainline_moves(), None]
        for ply, move in enumerate(moves):
            found.append(
                {
                    "game": number,
                    "ply": ply,
                    "white_to_move": board.turn,
                    "white_name": game.headers["White"],
                    "result": game.headers["Result"],
                    "move": move.uci() if move else None,
                    "san": board.san(move) if move else None,
                    "fen": board.fen(),
                    "white_knights": int(board.pieces(chess.KNIGHT, chess.WHITE)),
                    "black_king": int(board.pieces(chess.KING, chess.BLACK)),
                    "white_attacks": attacked(board, chess.WHITE),
                    "black_attacks": attacked(board, chess.BLACK),
                    "halfmove_clock": board.halfmove_clock,
                    "fullmove_number": board.fullmove_number,
                }
            )
            if move:
                board.push(move)
    return found


def attacked(board: chess.Board, colour: chess.Color) -> int:
    squares = chess.SquareSet()
    for square in chess.SquareSet(board.occupied_co[colour]):
        squares |= board.attacks(square)
    return int(squares)


def test_positions_of_games_are_those_of_python_chess(rows: list[dict]) -> None:
    found = setwise.find("true", str(FAMOUS_GAMES), columns=rows[0])
    assert found.num_rows == len(rows)
    for ours, theirs in zip(found.to_pylist(), rows, strict=True):
        assert ours == theirs


def test_find_is_a_filter_of_all_positions(rows: list[dict]) -> None:
    found = setwise.find(
        "white_attacks & black_king <> 0 and ply > 30", FAMOUS_GAMES, columns=["game", "ply"], threads=1
    )
    expected = [(r["game"], r["ply"]) for r in rows if r["white_attacks"] & r["black_king"] and r["ply"] > 30]
    assert [(r["game"], r["ply"]) for r in found.to_pylist()] == expected
    assert expected


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing_and_games_are_numbered_through(threads: int) -> None:
    many = FAMOUS_GAMES.read_bytes() * 60
    found = setwise.find("ply = 0", [many, FAMOUS_GAMES], columns=["source", "game"], threads=threads)
    games = len(setwise.find("ply = 0", FAMOUS_GAMES, columns=["game"]))
    assert found["game"].to_pylist() == [*range(1, 60 * games + 1), *range(1, games + 1)]


def test_a_limit_reads_little_further() -> None:
    read: list[bytes] = []

    def many() -> Iterator[bytes]:
        while len(read) < 200:
            read.append(FAMOUS_GAMES.read_bytes())
            yield read[-1]

    assert setwise.find("true", many(), columns=["ply"], limit=3, threads=1).num_rows == 3
    assert len(read) <= 5


def test_a_search_ends_that_cancels_a_block_others_await(monkeypatch: Any) -> None:
    monkeypatch.setattr(pgn, "_SEARCHED", 300)
    numbers: list[Future[int]] = []

    class Pool(ThreadPoolExecutor):
        """A pool whose third task is taken up so late that it can still be cancelled, while the next ones run."""

        def submit(self, task: Any, /) -> Any:  # type: ignore[override]
            [job, *_] = task.args
            numbers.append(job.following)
            return Future() if len(numbers) == 3 else super().submit(task)

    monkeypatch.setattr(searching, "ThreadPoolExecutor", Pool)
    text = b'[Event "x"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n' * 100
    found: list[Any] = []
    finding = threading.Thread(target=lambda: found.append(setwise.find("true", text, limit=1, threads=2)))
    finding.start()
    finding.join(300)
    ended = not finding.is_alive()
    if not ended:
        numbers[2].set_exception(CancelledError())  # lets the suite go on
    assert ended
    assert len(found[0]) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"limit": -1}, "limit is a number of rows, 0 or more, not -1"),
        ({"threads": -1}, "the number of threads is 1 or more, not -1"),
        ({"threads": 0}, "the number of threads is 1 or more, not 0"),
    ],
)
def test_senseless_limits_and_threads_are_refused(given: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        setwise.find("true", b"1. e4 e5 *", **given)


def test_a_scan_with_no_threads_writes_no_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the number of threads"):
        scan(b"1. e4 *", tmp_path / "x.parquet", threads=0)
    assert not list(tmp_path.iterdir())


def test_so_many_matches_of_a_game_are_found_as_are_wanted() -> None:
    every = Counter(setwise.find("is_check", FAMOUS_GAMES, columns="game")["game"].to_pylist())
    for most in (1, 3):
        found = setwise.find("is_check", FAMOUS_GAMES, columns="game", per_game=most)["game"].to_pylist()
        assert Counter(found) == {game: min(count, most) for game, count in every.items()}
    assert max(every.values()) > 3


def test_no_rows_are_found_within_a_limit_of_none() -> None:
    assert setwise.find("true", b"1. e4 e5 *", limit=0).num_rows == 0


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_every_kind_of_bytes_is_one_source(kind: Any) -> None:
    text = kind(b"1. e4 e5 *")
    assert setwise.find("true", text, columns=["ply"])["ply"].to_pylist() == [0, 1, 2]
    assert setwise.find("true", [text, text], columns=["ply"]).num_rows == 6


def test_one_column_need_not_be_in_a_list() -> None:
    assert setwise.find("true", b"1. e4 e5 *", columns="ply").to_pydict() == {"ply": [0, 1, 2]}
    assert feature_columns("pawn_islands") == ["white_pawn_islands", "black_pawn_islands"]


def test_tag_names_stand_in_order_of_appearance() -> None:
    [games] = read_pgn(b'[White "a"]\n[Black "b"]\n\n*\n\n[Event "c"]\n[White "d"]\n[Annotator "e"]\n\n*\n')
    assert games.tag_names() == ["White", "Black", "Event", "Annotator"]


class CountedBytes(bytes):
    """Bytes that know how many of them ``count`` has looked at."""

    looked_at = 0

    def count(self, part: Any, start: Any = 0, stop: Any = None) -> int:
        stop = len(self) if stop is None else stop
        self.looked_at += stop - start
        return super().count(part, start, stop)


def test_the_lines_of_faults_are_counted_once() -> None:
    text = CountedBytes(b"\n\n1. e4 e5\n2. Ke3 *\n" * 500)
    faults = list(Games.parsed(Block(text, "x", 0, 11)).faults())
    assert [fault.line for fault in faults] == [14 + 4 * k for k in range(500)]
    assert text.looked_at <= len(text)


def test_the_result_of_nothing_has_the_columns() -> None:
    found = setwise.find("ply > 9000", FAMOUS_GAMES)
    assert found.num_rows == 0
    assert {"white_name", "fen", "ply"} <= set(found.column_names)


def test_searched_positions_are_counted() -> None:
    [*found] = search(planned(str(FAMOUS_GAMES), Query("ply = 0")))
    assert sum(block.searched for block in found) == setwise.find("true", FAMOUS_GAMES, columns=["ply"]).num_rows


# ----------------------------------------------------------------------------------------------------------- positions


def test_fens_go_in_and_come_out(rows: list[dict]) -> None:
    fens = [row["fen"] for row in rows]
    positions = Positions.from_fens(fens)
    assert positions.fens().to_pylist() == fens
    assert positions[10:20].fens().to_pylist() == fens[10:20]
    assert positions[-1].fen() == fens[-1]
    assert positions[np.array([3, 1])].fens().to_pylist() == [fens[3], fens[1]]


def test_the_number_of_a_bad_fen_is_told() -> None:
    with pytest.raises(InvalidFen, match=r"^FEN number 2: "):
        Positions.from_fens([chess.STARTING_FEN, "8/8/8/8/8/8/8/8 w - - 0 1"])


def test_piece_strings_are_those_of_python_chess(rows: list[dict]) -> None:
    fens = [row["fen"] for row in rows[::97]]
    for drawn, fen in zip(Positions.from_fens(fens).piece_strings(), fens, strict=True):
        board = chess.Board(fen)
        assert drawn == "".join(
            piece.symbol() if (piece := board.piece_at(square)) else "." for square in chess.SQUARES
        )


def test_columns_are_attributes_and_others_are_told() -> None:
    positions = Positions.from_fens([chess.STARTING_FEN])
    assert positions.pawns.tolist() == [0x00FF_0000_0000_FF00]
    assert positions.castling_rights.tolist() == [0x8100_0000_0000_0081]
    with pytest.raises(AttributeError, match="did you mean pawns"):
        positions.pawn  # noqa: B018


def test_no_positions_are_positions() -> None:
    positions = Positions.from_fens([])
    assert len(positions) == 0
    assert positions.fens().to_pylist() == []
    assert positions.feature("white_attacks").tolist() == []


# ------------------------------------------------------------------------------------------------------ scan and files


def test_a_scan_holds_what_find_finds(tmp_path: Path, rows: list[dict]) -> None:
    done = scan(FAMOUS_GAMES, tmp_path / "x.parquet", features=["white_attacks", "pawn_islands"])
    table = pyarrow.parquet.read_table(done.positions_path)
    assert (done.positions, done.games_path.name) == (len(rows), "x.games.parquet")
    assert table["white_attacks"].to_pylist() == [row["white_attacks"] for row in rows]
    assert table["move"].to_pylist() == [row["move"] for row in rows]
    games = pyarrow.parquet.read_table(done.games_path)
    assert games["result"].to_pylist() == [row["result"] for row in rows if row["ply"] == 0]
    assert done.games == games.num_rows


def test_the_table_of_games_notes_broken_ones(tmp_path: Path) -> None:
    done = scan(b'[White "A"]\n\n1. e4 e5 2. Ke3 Nc6 *\n', tmp_path)
    [game] = pyarrow.parquet.read_table(done.games_path).to_pylist()
    assert (game["plies"], game["fault"]) == (2, "Ke3: no piece can make this move")


def test_a_scan_looks_for_faults_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Games] = []
    faults = Games.faults
    monkeypatch.setattr(Games, "faults", lambda games: asked.append(games) or faults(games))
    scan(b"1. e4 e5 2. Ke3 *", tmp_path)
    assert len(asked) == 1


def test_a_feature_is_a_column_for_each_side() -> None:
    assert feature_columns(["pawn_islands", "white_attacks", "fen"]) == [
        "white_pawn_islands",
        "black_pawn_islands",
        "white_attacks",
        "fen",
    ]
    assert set(feature_columns(["all"])) < set(COLUMNS)
    with pytest.raises(QueryError, match="did you mean pawn_islands"):
        feature_columns(["pawn_iland"])
    with pytest.raises(QueryError, match="did you mean clock"):
        feature_columns(["clocks"])
