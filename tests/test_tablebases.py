"""Exact ends: the tables against the rules of chess, and the columns, methods and command that read them."""

from __future__ import annotations

import functools
import os
import shutil
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pyarrow.parquet as pq
import pytest

import setwise
from setwise import Position, Positions
from setwise.corpus.columns import OF_TABLES
from setwise.errors import QueryError, SourceError
from setwise.rules.board import SETS
from setwise.tablebases import files
from setwise.tablebases.files import default_folder, table
from setwise.tablebases.solving import DRAWN, ILLEGAL, MATERIALS, Material, Tables, reduced, shape_of, whole

#: The longest mates, in moves, where the side named first is to move, by Nalimov's and Gaviota's tables.
LONGEST = {
    "KQK": 10, "KRK": 16, "KPK": 28, "KBK": 0, "KNK": 0, "KBNK": 33, "KBBK": 19, "KNNK": 1, "KQKR": 35, "KQKB": 17,
    "KQKN": 21, "KQKQ": 13, "KRKB": 29, "KRKN": 40, "KRKR": 19, "KPKP": 33, "KQKP": 28, "KRKP": 26,
}  # fmt: skip
#: All legal positions with the side to move that has the piece, and those it wins.
COUNTS = {"KQK": (144_508, 144_508), "KRK": (175_168, 175_168), "KPK": (163_328, 124_960)}
KINDS = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def endings(names: Iterable[str]) -> list[Any]:
    """Endings as parameters: those of three pieces by day, all by night."""
    return [pytest.param(it, marks=[pytest.mark.nightly] * (len(it) > 3)) for it in names]


@functools.lru_cache(2)
def values_of(name: str) -> np.ndarray:
    material = MATERIALS[name]
    return whole(material, table(default_folder(), material))


@pytest.mark.parametrize("name", endings(LONGEST))
def test_the_longest_mates_are_the_known_ones(name: str) -> None:
    values = values_of(name)[0]
    won = values[(values != ILLEGAL) & (values != DRAWN) & (values % 2 == 0)]
    assert won.max(initial=0) // 2 == LONGEST[name]
    if name in COUNTS:
        assert ((values != ILLEGAL).sum(), len(won)) == COUNTS[name]


def test_tables_that_are_made_anew_are_those_in_the_folder(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the tests may have been made before the last change of the code."""
    made = setwise.build_tablebase(own_folder, ["KPK"]).made
    assert sorted(made) == ["KBK", "KNK", "KPK", "KQK", "KRK"]
    monkeypatch.undo()
    for name in made:
        assert np.array_equal(table(own_folder, MATERIALS[name]), table(default_folder(), MATERIALS[name])), name


@pytest.mark.slow
def test_an_ending_of_four_pieces_is_as_known(own_folder: Path) -> None:
    assert setwise.build_tablebase(own_folder, ["KQKN"]).made == ["KQK", "KNK", "KQKN"]
    values = whole(MATERIALS["KQKN"], table(own_folder, MATERIALS["KQKN"]))[0]
    assert values[(values != ILLEGAL) & (values != DRAWN) & (values % 2 == 0)].max() // 2 == LONGEST["KQKN"]


@pytest.mark.parametrize("name", endings(["KQK", "KPK", "KBNK", "KPKP"]))
def test_a_reduced_table_is_the_whole_one(name: str) -> None:
    material = MATERIALS[name]
    values = values_of(name)
    stored = reduced(material, values)
    assert stored.shape == shape_of(material)
    assert np.array_equal(stored, table(default_folder(), material))


def positions_at(material: Material, places: np.ndarray, values: np.ndarray) -> Positions:
    """The positions at some places of a whole table; by turns White or Black is to move."""
    view, own_king, enemy_king, *squares = np.unravel_index(places, values.shape)
    is_white = np.arange(len(places)) % 2 == 0
    mirror = np.where(is_white, 0, 56)
    sets = {name: np.zeros(len(places), np.uint64) for name in SETS}

    def put(name: str, square: np.ndarray, is_movers: Any) -> None:
        one = np.uint64(1) << (square ^ mirror).astype(np.uint64)
        sets[name] |= one
        sets["white_pieces"] |= np.where(is_movers == is_white, one, np.uint64(0))
        sets["black_pieces"] |= np.where(is_movers == is_white, np.uint64(0), one)

    put("kings", own_king, True)
    put("kings", enemy_king, False)
    for piece, square in zip(material.pieces, squares, strict=True):
        put(("pawns", "knights", "bishops", "rooks", "queens")[piece.kind - 1], square, view == piece.side)
    clocks = np.ones(len(places), np.uint16)
    return Positions(np.stack([*sets.values()]), is_white, clocks, clocks)


def assert_follow_from_their_moves(positions: Positions, values: np.ndarray) -> None:
    """Each value is that of the best move, or of mate and stalemate: no other values do that in all positions."""
    after, parents, _ = positions.children()
    columns = after.wdl(), after.dtm()
    assert columns[0].null_count == 0
    results, moves = (it.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64) for it in columns)
    # A number that is larger the better for the one who moved: mates soon, mates late, draws, is mated late, soon.
    plies = np.where(results < 0, -2 * moves, 2 * moves - 1)
    worth = np.where(results == 0, 0, np.where(results < 0, 1_000 - plies, plies - 1_000))
    best = np.full(len(positions), -1_001)
    np.maximum.at(best, parents, worth)
    mated = -1_000 * positions.is_checkmate()
    best = np.where(best == -1_001, mated, best - np.sign(best))
    ply = values.astype(np.int64) - 1
    wanted = np.where(values == DRAWN, 0, np.where(values % 2 == 1, ply - 1_000, 1_000 - ply))
    assert np.array_equal(best, wanted)


@pytest.mark.parametrize("name", endings(MATERIALS))
def test_each_value_is_that_of_the_best_move(name: str) -> None:
    values = values_of(name)
    places = np.random.default_rng(len(name)).integers(values.size, size=4_000)
    places = places[values.ravel()[places] != ILLEGAL]
    assert len(places) > 1_000
    assert_follow_from_their_moves(positions_at(MATERIALS[name], places, values), values.ravel()[places])


@pytest.mark.parametrize("name", endings(MATERIALS))
def test_python_chess_agrees_on_what_is_legal(name: str) -> None:
    material, values = MATERIALS[name], values_of(name)
    places = np.random.default_rng(5).integers(values.size, size=200)
    shown = positions_at(material, places, values)
    for k, place in enumerate(places.tolist()):
        words = [int(shown.sets[row, k]) for row in range(8)]
        board = chess.Board(None)
        pawns_to_kings = dict(zip((*KINDS, chess.KING), words[2:], strict=True))
        for kind, squares in pawns_to_kings.items():
            for square in chess.SquareSet(squares):
                board.set_piece_at(square, chess.Piece(kind, bool(words[0] >> square & 1)))
        board.turn = bool(shown.white_to_move[k])
        are_apart = len(board.piece_map()) == 2 + len(material.pieces)
        faults = board.status() & ~chess.STATUS_IMPOSSIBLE_CHECK  # two checks that no move can give
        assert (values.ravel()[place] != ILLEGAL) == (are_apart and faults == chess.STATUS_VALID)


def with_a_passed_pawn(count: int) -> list[str]:
    """Positions with one pawn each where the mover may take en passant."""
    rng, found = np.random.default_rng(8), list[str]()
    while len(found) < count:
        turn, file, step = bool(rng.integers(2)), int(rng.integers(8)), int(rng.choice((-1, 1)))
        beside, rank = file + step, 4 if turn else 3
        squares = rng.choice(64, 2, replace=False).tolist()
        board = chess.Board(None)
        if not 0 <= beside < 8:
            continue
        board.set_piece_at(chess.square(beside, rank), chess.Piece(chess.PAWN, turn))
        board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, not turn))
        for square, colour in zip(squares, (turn, not turn), strict=True):
            if board.piece_at(square) is None:
                board.set_piece_at(square, chess.Piece(chess.KING, colour))
        board.turn, board.ep_square = turn, chess.square(file, 5 if turn else 2)
        if board.is_valid():
            found.append(board.fen())
    return found


@pytest.mark.nightly
def test_en_passant_counts() -> None:
    fens = with_a_passed_pawn(1_000)
    positions = Positions.from_fens(fens)
    results, moves = positions.wdl().to_pylist(), positions.dtm().to_pylist()
    values = np.array([
        DRAWN if result == 0 else 2 * move if result == 1 else 1 - 2 * move
        for result, move in zip(results, moves, strict=True)
    ], np.uint8)  # fmt: skip
    assert_follow_from_their_moves(positions, values)
    without = Positions.from_fens([" ".join([*fen.split()[:3], "-", "0", "1"]) for fen in fens])
    assert without.wdl().to_pylist() != results
    one = Position(fens[0])
    assert (one.wdl(), one.dtm()) == (results[0], moves[0])


def test_what_no_table_holds_is_null() -> None:
    fens = {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": None,
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1": None,  # it may castle
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1": 1,
        "4k3/8/8/8/8/8/8/4K3 b - - 0 1": 0,
        "4k2r/8/8/8/8/8/8/4K3 w - - 0 1": -1,
    }
    positions = Positions.from_fens(fens)
    assert positions.wdl().to_pylist() == [Position(fen).wdl() for fen in fens] == [*fens.values()]
    assert positions.dtm().to_pylist() == [Position(fen).dtm() for fen in fens]
    assert setwise.VariantPosition("King of the Hill", "4k3/8/8/8/8/8/8/4K2R w - - 0 1").wdl() is None


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/K7 w",
        "kk6/8/8/8/8/8/8/K7 w",
        "k7/8/8/8/8/8/8/K6P w",
        "8/8/8/8/8/8/8/8 w",
        "kK6/8/8/8/8/8/8/8 w",
        "k6R/8/8/8/8/8/8/K7 w",
    ],
)
@pytest.mark.parametrize("folders", ["", "fake"])
def test_what_no_game_reaches_is_null(fen: str, folders: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETWISE_SYZYGY", folders)
    monkeypatch.setattr("setwise.position.position._syzygy", lambda _: pytest.fail("a table is asked"))
    position = Position(fen, strict=False)
    assert (position.wdl(), position.dtm()) == (None, None)


#: Of these moves, Kc6 gives the draw away, and Kd4 the win, which Ke5 keeps.
LOSSES = b'[FEN "8/8/3k4/8/4K3/4P3/8/8 b - - 0 1"]\n\n1... Kc6 2. Kd4 Kd6 3. Kc4 Ke5 4. Kd3 Kd5 *'


def test_the_moves_that_give_something_away() -> None:
    rows = setwise.find("true", LOSSES, columns=["san", "wdl", "dtm", "tablebase_loss"]).to_pylist()
    for row, position in zip(rows, setwise.Game.from_pgn(LOSSES.decode()).positions(), strict=True):
        assert (row["wdl"], row["dtm"]) == (position.wdl(), position.dtm())
        loss = None if row["san"] is None else position.tablebase_loss(row["san"])
        assert row["tablebase_loss"] == loss
    assert [row["san"] for row in rows if row["tablebase_loss"]] == ["Kc6", "Kd4"]
    counted = setwise.sql("select sum(tablebase_loss) lost from positions where wdl is not null", LOSSES)
    assert counted.to_pylist() == [{"lost": 2}]


def test_a_null_move_gives_nothing_away() -> None:
    game = b'[FEN "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"]\n\n1. -- *'
    assert setwise.find("true", game, columns=["tablebase_loss"])["tablebase_loss"].to_pylist() == [None, None]
    assert Position("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").tablebase_loss("--") is None


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SETWISE_TABLEBASE", str(tmp_path / "tables"))
    return tmp_path / "tables"


def test_without_tables_one_sentence_says_what_to_do(own_folder: Path) -> None:
    with pytest.raises(SourceError, match=r"no tablebase in .*tables: setwise tablebase build makes it"):
        Position("4k3/8/8/8/8/8/8/4K2R w").wdl()
    with pytest.raises(Exception, match=r"setwise tablebase build"):
        setwise.find("wdl = 1", "examples/famous_games.pgn")
    setwise.build_tablebase(own_folder, ["krk"])
    assert Position("4k3/8/8/8/8/8/8/4K2R w").wdl() == 1
    with pytest.raises(SourceError, match=r"KQK\.npy is not there .*: setwise tablebase build makes it"):
        Position("4k3/8/8/8/8/8/8/4K2Q w").wdl()
    with pytest.raises(SourceError, match=r"'KRPKR' is no ending of three or four pieces.*did you mean"):
        setwise.build_tablebase(own_folder, ["KRPKR"])


@pytest.mark.parametrize("harm", ["a byte", "cut short", "empty", "another", "no array"])
def test_a_damaged_table_is_refused_and_made_again(own_folder: Path, harm: str) -> None:
    setwise.build_tablebase(own_folder, ["KRK", "KQK"])
    path = own_folder / "KRK.npy"
    whole_file = path.read_bytes()
    path.unlink()
    at = len(whole_file) // 2
    harmed = {
        "a byte": whole_file[:at] + bytes([whole_file[at] ^ 4]) + whole_file[at + 1 :],
        "cut short": whole_file[:at],
        "empty": b"",
        "another": (own_folder / "KQK.npy").read_bytes(),
        "no array": b"1. e4 e5 *\n",
    }
    path.write_bytes(harmed[harm])
    with pytest.raises(SourceError, match=r"KRK\.npy is damaged, or not the table of KRK; setwise tablebase build"):
        Position("4k3/8/8/8/8/8/8/4K2R w").wdl()
    built = setwise.build_tablebase(own_folder, ["KRK", "KQK"])
    assert (built.made, built.kept) == (["KRK"], ["KQK"])
    assert path.read_bytes() == whole_file


def test_an_interrupted_run_leaves_whole_tables(own_folder: Path) -> None:
    def stop(name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        setwise.build_tablebase(own_folder, ["KQK", "KRK", "KQKR"], threads=1, on_table=stop)
    there = {path.stem for path in own_folder.glob("*.npy")}
    assert there
    assert "KQKR" not in there
    assert "KQKR" in setwise.build_tablebase(own_folder, ["KQKR"]).made


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(setwise.errors.OutputError, match=r"cannot be written: (Not a directory|File exists)"):
        setwise.build_tablebase(tmp_path / "file" / "tables")


def test_syzygy_is_asked_for_more_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETWISE_SYZYGY", str(tmp_path))
    five = "4k3/8/8/8/8/8/8/R2RKQ2 w - - 0 1"
    with pytest.raises(SourceError, match="which has no tables of Syzygy"):
        Position(five).wdl()
    monkeypatch.setenv("SETWISE_SYZYGY", str(tmp_path / "nowhere"))
    with pytest.raises(SourceError, match="which cannot be read: No such file or directory"):
        Position(five).wdl()
    assert Position("4k3/8/8/8/8/8/8/4K2R w").wdl() == 1


class _FakeTables:
    """Gives each of Syzygy's five values to positions of five pieces, by the file of a pawn, and none to others."""

    def get_wdl(self, board: chess.Board) -> int | None:
        [pawn] = board.pieces(chess.PAWN, chess.WHITE)
        return chess.square_file(pawn) - 2 if len(board.piece_map()) == 5 else None


def test_wins_that_the_fifty_moves_spoil_are_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETWISE_SYZYGY", "fake")
    monkeypatch.setattr("setwise.position.position._syzygy", lambda _: _FakeTables())
    fens = [f"4k3/8/8/8/8/{pawn}/8/R2RK3 w - - 0 1" for pawn in ("P7", "1P6", "2P5", "3P4", "4P3", "P6q")]
    positions = Positions.from_fens(fens)
    assert positions.wdl().to_pylist() == [Position(fen).wdl() for fen in fens] == [-1, 0, 0, 0, 1, None]
    assert positions.dtm().to_pylist() == [None] * 6


def test_syzygy_answers_alone_where_there_is_no_folder(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Tables:
        def get_wdl(self, board: chess.Board) -> int:
            return 2 if board.turn else -2

    monkeypatch.setenv("SETWISE_SYZYGY", "fake")
    monkeypatch.setattr("setwise.position.position._syzygy", lambda _: Tables())
    fens = ["4k3/8/8/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/8/8/8/8/4K2R b - - 0 1"]
    assert Positions.from_fens(fens).wdl().to_pylist() == [Position(fen).wdl() for fen in fens] == [1, -1]
    assert Position(fens[0]).dtm() is None


def test_the_command(own_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from setwise.cli.app import run

    assert run(["tablebase", "build", "kpk", "KvK"]) == 2
    assert "'KvK' is no ending of three or four pieces" in capsys.readouterr().err
    assert run(["tablebase", "build", "KPvK"]) == 0
    assert "5 tables made, 0.5 MB in" in capsys.readouterr().err
    assert run(["tablebase", "build", "KPK", "--threads", "1"]) == 0
    assert "0 tables made, 5 there already" in capsys.readouterr().err
    assert run(["tablebase", "8/8/3k4/8/4K3/4P3/8/8", "b"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Black draws", "  Ke6  draws"]
    assert lines[-1] == "  Kd7  is mated in 16, which gives half a point away"
    assert run(["tablebase", "k7/8/1K6/8/8/8/8/7R", "w"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["White mates in 1", "  Rh8#  mates in 1"]
    assert run(["tablebase", "k6R/8/1K6/8/8/8/8/8", "b"]) == 0
    assert capsys.readouterr().out == "Black is mated\n"
    assert run(["tablebase", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]) == 2
    assert "no table holds this position of 32 pieces with castling" in capsys.readouterr().err
    assert run(["tablebase", ""]) == 2
    assert "FEN ''" in capsys.readouterr().err
    assert run(["tablebase", "4k3/8/8/8/8/8/8/R3K2R", "w"]) == 2
    assert "KRRK.npy is not there" in capsys.readouterr().err


def test_the_folder_of_the_command(own_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from setwise.cli.app import run

    other = tmp_path / "other"
    assert run(["tablebase", "build", "KRK", "--folder", str(other)]) == 0
    assert [path.name for path in other.iterdir()] == ["KRK.npy"]
    assert not own_folder.exists()
    shutil.rmtree(other)
    assert os.environ["SETWISE_TABLEBASE"] == str(other)  # for the rest of this process; monkeypatch takes it back


def test_all_features_need_no_tables(own_folder: Path, tmp_path: Path) -> None:
    scanned = setwise.scan(LOSSES, tmp_path / "scanned", features="all")
    names = pq.read_schema(next(scanned.positions_path.glob("*.parquet"))).names
    assert not {*names} & {*OF_TABLES}
    setwise.index(LOSSES, tmp_path / "games.index", features="all")
    with pytest.raises(QueryError, match="an index has no bitmap of wdl"):
        setwise.index(LOSSES, tmp_path / "games.index", features="wdl")


def test_a_scan_keeps_what_the_tables_say(tmp_path: Path) -> None:
    setwise.scan(LOSSES, tmp_path / "scanned", features=OF_TABLES)
    where, columns = "tablebase_loss > 0", ["san", *OF_TABLES]
    found = setwise.find(where, tmp_path / "scanned", columns=columns)
    assert found.to_pylist() == setwise.find(where, LOSSES, columns=columns).to_pylist()
    assert found["san"].to_pylist() == ["Kc6", "Kd4"]


def test_networks_learn_from_what_the_tables_know() -> None:
    game = b"1. e4 e5 *\n\n" + LOSSES
    [batch] = setwise.batches(game, ["wdl", "dtm"], shuffle=0)
    known = ~np.isnan(batch["wdl"])
    assert known.tolist() == [False] * 3 + [True] * 8
    assert batch["wdl"][known].tolist() == [0, 1, 0, 0, 0, 0, 0, 0]


def test_a_connection_has_the_columns_that_there_are_tables_for(own_folder: Path) -> None:
    with setwise.connect(LOSSES) as database:
        assert not {*OF_TABLES} & {*database.sql("select * from positions").columns}
        assert database.sql("select * from positions limit 1").fetchall()
    setwise.build_tablebase(own_folder, ["KPK"])
    with setwise.connect(LOSSES) as database:
        assert database.sql("select sum(tablebase_loss) from positions").fetchall() == [(2,)]


def test_tables_that_are_being_made_when_the_command_is_interrupted_are_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve, begun, given_up = files.solved, threading.Event(), threading.Event()

    def solved(material: Material, tables: Tables, on_ply: Callable[[], object]) -> np.ndarray:
        while material.name == "KRK":  # for ever, as it seems to a user
            begun.set()
            try:
                on_ply()
            except BaseException:
                given_up.set()
                raise
        begun.wait()
        return solve(material, tables, on_ply)

    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "solved", solved)
    with pytest.raises(KeyboardInterrupt):
        setwise.build_tablebase(tmp_path, ["KQK", "KRK"], threads=2, on_table=interrupt)
    assert given_up.is_set()
    assert [path.name for path in tmp_path.iterdir()] == ["KQK.npy"]
    monkeypatch.undo()
    assert setwise.build_tablebase(tmp_path, ["KQK", "KRK"])[:2] == (["KRK"], ["KQK"])
