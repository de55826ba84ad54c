"""Tables as others publish them: games, evaluations, puzzles of Lichess, folders of Hive, stores that Arrow knows."""

from __future__ import annotations

import datetime as dt
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from pyarrow import csv as pa_csv

import setwise
from helpers.data import DATA, FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise.corpus.sources import places
from setwise.errors import QueryError, SourceError

TEXT = FAMOUS_GAMES.read_bytes()


def rows_of(text: bytes) -> list[dict[str, Any]]:
    """The games of a PGN as Lichess's tables on Hugging Face have them, by python-chess."""
    rows = []
    for number, game in enumerate(games_of(text.decode())):
        moves = str(game).partition("\n\n")[2].replace("\n", " ")
        tags = {name: game.headers.get(name) for name in ("Event", "Site", "White", "Black", "Result", "ECO")}
        elo = 1000 + 37 * number
        rows.append({**tags, "WhiteElo": elo, "UTCDate": dt.date(2025, 1, 1 + number % 28), "movetext": moves})
    return rows


def pgn_of(rows: list[dict[str, Any]]) -> bytes:
    """The same games as PGN."""
    games = []
    for row in rows:
        tags = {**row, "UTCDate": row["UTCDate"].strftime("%Y.%m.%d")}
        moves = tags.pop("movetext")
        games.append("".join(f'[{name} "{it}"]\n' for name, it in tags.items() if it is not None) + f"\n{moves}\n\n")
    return "".join(games).encode()


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    found = rows_of(TEXT)
    chance = random.Random(3)  # noqa: S311
    for row in found[::2]:  # annotated as on Lichess
        row["movetext"] = row["movetext"].replace(
            " 2. ", f" {{ [%eval 0.{chance.randrange(99)}] [%clk 0:03:00] }} 2. ", 1
        )
    return found


@pytest.fixture(scope="module")
def folder(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lichess")
    schema = pa.Table.from_pylist(rows).schema
    schema = schema.set(schema.get_field_index("WhiteElo"), pa.field("WhiteElo", pa.int16()))
    for month, part in (("01", rows[:20]), ("02", rows[20:])):
        place = folder / "year=2025" / f"month={month}"
        place.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(part, schema), place / "train-00000-of-00001.parquet", row_group_size=7)
    return folder


COLUMNS = ["ply", "san", "white_name", "white_elo", "year", "eco", "result", "evaluation", "clock", "tag('Site')"]


@pytest.mark.parametrize(
    "where", ["is_check", "white_elo between 1500 and 2000 and ply = 3", "clock = 180", "year = 2025 and ply = 0"]
)
def test_a_table_of_lichess_answers_as_its_pgn(where: str, rows: list[dict[str, Any]], folder: Path) -> None:
    ours = setwise.find(where, str(folder), columns=COLUMNS).to_pylist()
    assert ours == setwise.find(where, pgn_of(rows), columns=COLUMNS).to_pylist()
    assert ours


def test_its_games_are_written_as_pgn(rows: list[dict[str, Any]], folder: Path) -> None:
    def games(text: bytes) -> list[setwise.Game]:
        return [game for batch in setwise.read_pgn(text, notes=True, variations=True) for game in batch]

    file = io.BytesIO()
    setwise.merge(str(folder / "*" / "*" / "*.parquet"), file)
    assert [(it.moves, it.comments, it.result) for it in games(file.getvalue())] == [
        (it.moves, it.comments, it.result) for it in games(pgn_of(rows))
    ]


def test_what_folders_are_named_for_are_tags(folder: Path) -> None:
    found = setwise.sql(
        "select tag('month') as month, count(*) as games from games group by 1 order by 1", str(folder)
    ).to_pylist()
    assert found == [{"month": "01", "games": 20}, {"month": "02", "games": 21}]


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="Linux counts the bytes that a process reads")
def test_only_the_columns_that_are_named_are_read(tmp_path: Path) -> None:
    chance = random.Random(4)  # noqa: S311
    fens = [game.board().fen() for game in games_of(TEXT.decode())] * 100
    large = [chance.randbytes(500).hex() for _ in fens]
    place = tmp_path / "fens.parquet"
    pq.write_table(pa.table({"fen": fens, "cp": range(len(fens)), "large": large}), place)

    def read_by(where: str) -> int:
        before = _bytes_read()
        assert setwise.find(where, place, columns=["fen"]).num_rows
        return _bytes_read() - before

    read_by("cp >= 0")
    few, many = read_by("cp >= 0"), read_by("large is not null")
    assert place.stat().st_size > 2_000_000
    assert few < 300_000
    assert many > 2_000_000


def _bytes_read() -> int:
    [line] = [line for line in Path("/proc/self/io").read_text().splitlines() if line.startswith("rchar")]
    return int(line.split()[1])


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="Linux counts the bytes that a process reads")
def test_of_a_table_of_games_only_the_tags_that_are_named_are_read(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    chance = random.Random(5)  # noqa: S311
    many = [row | {"Opening": chance.randbytes(9000).hex()} for row in rows for _ in range(5)]
    place = tmp_path / "games.parquet"
    pq.write_table(pa.Table.from_pylist(many), place)

    def read_by(where: str) -> int:
        before = _bytes_read()
        assert setwise.find(where, place, columns=["game"]).num_rows
        return _bytes_read() - before

    read_by("white_elo > 0")
    few, all_of_them = read_by("white_elo > 0 and clock = 180"), read_by("opening is not null and ply = 0")
    assert few < 400_000
    assert all_of_them > 1_800_000


def test_evaluations_and_puzzles_of_lichess_are_sources(tmp_path: Path) -> None:
    evaluations, puzzles = tmp_path / "evaluations.parquet", tmp_path / "puzzles.parquet"
    fens = ["7r/1p3k2/p1bPR3/5p2/2B2P1p/8/PP4P1/3K4 b - -", "8/4r3/2R2pk1/6pp/3P4/6P1/5K1P/8 b - -"]
    pq.write_table(
        pa.table(
            {
                "fen": fens, "line": ["f7g7 e6e2", "e7e4"], "depth": pa.array([46, 31], pa.uint8()),
                "knodes": [200_973, 3], "cp": pa.array([69, None], pa.int16()), "mate": pa.array([None, 4], pa.int16()),
            }
        ),
        evaluations,
    )  # fmt: skip
    found = setwise.find("depth > 40 and white_passed_pawns <> 0", evaluations, columns=["cp", "line", "mate"])
    assert found.to_pylist() == [{"cp": 69, "line": "f7g7 e6e2", "mate": None}]
    fen, moves = "r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24", "f2g3 e6e7 b2b1 b3c1 b1c1 h6c1"
    themes = ["crushing", "hangingPiece"]
    pq.write_table(
        pa.table({"PuzzleId": ["00008"], "FEN": [fen], "Moves": [moves], "Rating": [1784], "Themes": [themes]}), puzzles
    )
    found = setwise.find(
        "list_contains(Themes, 'crushing') and is_check", puzzles, columns=["PuzzleId", "ply", "Themes"]
    )
    assert found.to_pylist() == [{"PuzzleId": "00008", "ply": ply, "Themes": themes} for ply in (3, 5)]


@pytest.mark.parametrize(
    ("value", "kind"),
    [({"name": "a", "elo": 1}, "struct<"), ([1, 2], "list<"), ([("a", "b")], "map<")],
    ids=["struct", "list", "map"],
)
def test_a_column_that_cannot_be_a_tag_is_named_where_tags_are_written(value: Any, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    column = pa.array([value], pa.map_(pa.string(), pa.string()) if kind == "map<" else None)
    pq.write_table(pa.table({"Event": ["e"], "White": column, "movetext": ["1. e4 e5 *"]}), path)
    assert setwise.find("san = 'e5'", path, columns=["fen"]).num_rows == 1
    for ask in (
        lambda: setwise.find("true", path, columns=["white_name"]),
        lambda: setwise.pack(path, tmp_path / "packed.parquet"),
        lambda: setwise.index(path, tmp_path / "index"),
        lambda: setwise.unpack(path, io.BytesIO()),
    ):
        with pytest.raises(SourceError) as caught:
            ask()
        assert str(caught.value).startswith(
            f"{path}, row group 1 of 1, cannot be read as a table: its column White has "
        )
        assert kind in str(caught.value)
        assert str(caught.value).endswith("a tag is one text: leave the column out")


def test_dates_and_times_of_any_unit_are_tags(tmp_path: Path) -> None:
    when = pa.array([1_753_000_000_123_456_789], pa.timestamp("ns"))
    for column in (when, when.cast(pa.timestamp("ms"), safe=False), when.cast(pa.date32(), safe=False)):
        path = tmp_path / "games.parquet"
        pq.write_table(pa.table({"Date": column, "movetext": ["1. e4 *"]}), path)
        assert setwise.sql("select date from games", path).column("date").to_pylist() == ["2025.07.20"]


def test_games_are_numbered_through_all_row_groups_of_a_table(tmp_path: Path) -> None:
    path, names = tmp_path / "games.parquet", list("abcde")
    pq.write_table(pa.table({"White": names, "movetext": ["1. e4 e5 *"] * 5}), path, row_group_size=2)
    found = setwise.find("ply = 0", path, columns=["game", "white_name"])
    assert [tuple(row.values()) for row in found.to_pylist()] == list(enumerate(names, 1))


def test_odd_letters_in_tags_of_a_table_stay_within_their_tag(tmp_path: Path) -> None:
    path, names = tmp_path / "games.parquet", ["a\nb", 'c"d\\', "e\r\nf", "[g]"]
    pq.write_table(pa.table({"White": names, "movetext": ["1. e4 e5 *"] * len(names)}), path)
    file = io.BytesIO()
    setwise.merge(path, file)
    games = list(games_of(file.getvalue().decode()))
    assert [game.headers["White"] for game in games] == ["a b", r"c\"d\\", "e  f", "[g]"]
    assert [len(list(game.mainline_moves())) for game in games] == [2] * len(names)


_PAST = ["game", "ply", "intermezzo", "piece_moves", "origin", "captured_origin"]
_CHANCES = ["missed", "missed_by", "missed_move", "missed_fork", "missed_capture"]


def test_moves_behind_fens_tell_of_the_past_as_the_same_games_in_pgn_do(tmp_path: Path) -> None:
    """As a table of puzzles has them: which piece moves, moves in between, and chances that are missed."""
    games = list(games_of(TEXT.decode()))
    rows = [{"FEN": it.board().fen(), "Moves": " ".join(map(str, it.mainline_moves()))} for it in games]
    table = pa.Table.from_pylist(rows)
    pa_csv.write_csv(table, tmp_path / "puzzles.csv")
    pq.write_table(table, tmp_path / "puzzles.parquet")
    (tmp_path / "puzzles.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = [*_PAST, *_CHANCES]
    expected = setwise.find("intermezzo or missed is not null or piece_moves > 5", FAMOUS_GAMES, columns=columns)
    assert all(any(it) for it in expected.select(["intermezzo", "missed"]).to_pydict().values())
    for source in (table, *(str(tmp_path / f"puzzles.{it}") for it in ("csv", "parquet", "jsonl"))):
        found = setwise.find("intermezzo or missed is not null or piece_moves > 5", source, columns=columns)
        assert found.to_pylist() == expected.to_pylist()


def test_a_scan_tells_of_the_past_and_of_chances_if_it_holds_the_evaluations(tmp_path: Path) -> None:
    """Whether a chance is missed depends on evaluations, which a scan may have left out."""
    text = b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"]\n\n1. h3 {[%eval 0.1]} h6 {[%eval 0.2]} *\n'
    (tmp_path / "games.pgn").write_bytes(text + TEXT)
    setwise.scan(tmp_path / "games.pgn", tmp_path / "plain")
    setwise.scan(tmp_path / "games.pgn", tmp_path / "noted", features=["evaluation"])
    for columns, name in ((_PAST, "plain"), ([*_PAST, *_CHANCES], "noted")):
        expected = setwise.find("intermezzo or piece_moves > 5 or ply < 3", tmp_path / "games.pgn", columns=columns)
        found = setwise.find("intermezzo or piece_moves > 5 or ply < 3", tmp_path / name, columns=columns)
        assert found.to_pylist() == expected.to_pylist()
    with pytest.raises(QueryError, match=r"`missed_fork` is not in the scan .*: scan with --features missed_fork"):
        setwise.find("missed_fork", tmp_path / "plain")


@pytest.mark.parametrize("name", ["White", "movetext"])
def test_a_table_of_games_with_two_columns_of_one_name_is_refused_by_every_command(name: str, tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    pq.write_table(
        pa.table([pa.array([text]) for text in ("1. e4 e5 *", "a", "b")], names=["movetext", "White", name]), path
    )
    questions: list[Callable[[], object]] = [
        lambda: setwise.find("ply = 0", path),
        lambda: setwise.sql("select count(*) from games", path),
        lambda: setwise.pack(path, tmp_path / "packed.parquet"),
        lambda: setwise.index(path, tmp_path / "games.index"),
    ]
    for ask in questions:
        with pytest.raises(SourceError, match=f"games.parquet has more than one column '{name}': rename one of them"):
            ask()


def test_moves_that_are_several_games_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "x.parquet"
    pq.write_table(pa.table({"White": ["a"], "movetext": ['1. e4 *\n\n[Event "?"]\n\n1. d4 *']}), place)
    with pytest.raises(SourceError, match=r"x\.parquet is damaged: the texts of games 1 to 1 are not one game each"):
        setwise.find("true", place)


def test_a_move_that_cannot_be_played_is_reported_with_its_row(tmp_path: Path) -> None:
    place, faults = tmp_path / "x.parquet", list[Any]()
    pq.write_table(pa.table({"White": ["a", "b"], "movetext": ["1. e4 *", "1. e5 *"]}), place)
    setwise.pack(place, tmp_path / "y.parquet", on_fault=faults.append)
    assert [str(fault).split(": ")[0] for fault in faults] == [f"{place}, row 2"]


# ---------------------------------------------------------------------------------------------------------------- URIs


def test_a_uri_of_a_local_file_is_the_file(tmp_path: Path) -> None:
    place = tmp_path / "my games.pgn"
    place.write_bytes(TEXT)
    found = setwise.find("is_checkmate", place.as_uri(), columns=["game", "source"]).to_pylist()
    assert found == setwise.find("is_checkmate", place, columns=["game", "source"]).to_pylist()
    assert found


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> pyarrow.fs.FileSystem:
    """A store in memory with games, by the scheme ``mock``."""
    from pyarrow._fs import _MockFileSystem

    system = _MockFileSystem()
    system.create_dir("games/more")
    table = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows_of(TEXT)), table)
    files = {
        "games/famous.pgn": TEXT,
        "games/more/odd.pgn": (DATA / "odd.pgn").read_bytes(),
        "games/t.parquet": table.getvalue(),
    }
    for name, data in files.items():
        with system.open_output_stream(name) as file:
            file.write(data)

    def opened(uri: str) -> tuple[pyarrow.fs.FileSystem, str]:
        return system, uri.removeprefix("mock://")

    monkeypatch.setattr(places, "file_system", opened)
    return system


@pytest.mark.parametrize(
    ("uri", "names"),
    [
        ("mock://games/famous.pgn", ["famous.pgn"]),
        ("mock://games/*.pgn", ["famous.pgn", "more/odd.pgn"]),
        ("mock://games", ["famous.pgn", "more/odd.pgn"]),
        ("mock://games/t.parquet", ["t.parquet"]),
    ],
)
@pytest.mark.usefixtures("store")
def test_a_store_is_read_as_files_are(uri: str, names: list[str]) -> None:
    found = setwise.sql("select source, count(*) as games from games group by 1 order by 1", uri).to_pylist()
    counts = {"famous.pgn": 41, "more/odd.pgn": 24, "t.parquet": 41}
    assert found == [{"source": f"mock://games/{name}", "games": counts[name]} for name in names]


@pytest.mark.parametrize(
    ("uri", "sentence"),
    [
        ("mock:///none.pgn", "there is no file mock:///none.pgn"),
        ("nonsense://games.pgn", "nonsense://games.pgn cannot be opened: "),
        ("file:///none.pgn", "there is no file /none.pgn"),
    ],
)
def test_a_uri_of_nothing_is_refused_in_a_sentence(uri: str, sentence: str) -> None:
    with pytest.raises((SourceError, QueryError)) as error:
        setwise.find("true", uri)
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)
