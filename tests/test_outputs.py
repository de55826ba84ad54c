"""What is written, read back by other readers: Polars, DuckDB, python-chess; and the files that it is written to."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.svg
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import setwise
from helpers.data import FAMOUS_GAMES as GAMES
from helpers.written import AWKWARD, FORKS, ROWS, games_in, write
from setwise import Bitboard, Position
from setwise.cli import main
from setwise.cli.app import run
from setwise.corpus.outputs import Request, by_name, by_suffix, downloads, format_of, opened
from setwise.corpus.outputs.summary import squares
from setwise.corpus.query.finding import Sample
from setwise.corpus.query.search import Query, planned, search
from setwise.errors import OutputError, QueryError
from setwise.system.files import written


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    rows = setwise.find(FORKS, GAMES, columns=ROWS).to_pylist()
    assert rows
    return rows


def told(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with sets as squares."""
    name = "white_royal_fork_squares"
    return [row | {name: " ".join(Bitboard(row[name]).names())} for row in rows]


# ---------------------------------------------------------------------------------------------------------------- cells


@given(st.lists(st.integers(0, 2**64 - 1) | st.just(0)))
def test_squares_are_those_of_bitboards(words: list[int]) -> None:
    texts = squares(np.array(words, np.uint64)).to_pylist()
    assert texts == [" ".join(Bitboard(word).names()) or "-" for word in words]


# ----------------------------------------------------------------------------------------------------------------- rows


def test_polars_reads_every_format_of_rows(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    files = {ending: write(tmp_path / f"x{ending}", FORKS, columns=ROWS) for ending in by_suffix()}
    assert pl.read_parquet(files[".parquet"]).to_dicts() == expected
    assert pl.read_ipc(files[".arrow"]).to_dicts() == expected
    assert pl.read_csv(files[".csv"]).to_dicts() == told(expected)
    assert pl.read_csv(files[".tsv"], separator="\t", quote_char=None).to_dicts() == told(expected)
    assert pl.read_ndjson(files[".jsonl"]).to_dicts() == told(expected)


def test_duckdb_reads_every_format_of_rows(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    for ending, rows in {".parquet": expected, ".csv": told(expected), ".jsonl": told(expected)}.items():
        path = write(tmp_path / f"x{ending}", FORKS, columns=ROWS)
        found = duckdb.sql(f"select * from '{path}'")  # noqa: S608  (a path of this test's own)
        assert [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()] == rows


def test_sets_in_files_are_unsigned_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", "black_rooks & squares('h8') <> 0", columns=["black_rooks"])
    frame = pl.read_parquet(path)
    assert frame.schema == {"black_rooks": pl.UInt64}
    assert frame["black_rooks"].max() >= 1 << 63


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_raw_sets_are_numbers_in_texts_too(tmp_path: Path, ending: str, expected: list[dict[str, Any]]) -> None:
    path = write(tmp_path / f"x{ending}", FORKS, columns=ROWS, raw=True)
    name = "white_royal_fork_squares"
    read = {
        ".csv": lambda: [int(row[name]) for row in csv.DictReader(path.read_text().splitlines())],
        ".tsv": lambda: [int(line.split("\t")[3]) for line in path.read_text().splitlines()[1:]],
        ".jsonl": lambda: [json.loads(line)[name] for line in path.read_text().splitlines()],
    }[ending]()
    assert read == [row[name] for row in expected]


def test_decimals_in_json_are_numbers_with_their_fractions(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert run(["sql", "select 1.25 as a, 2.00 as b, sum(0.5) as c from games", str(GAMES), "-o", str(path)]) == 0
    assert json.loads(path.read_text()) == {"a": 1.25, "b": 2, "c": 20.5}


def test_awkward_texts_survive(tmp_path: Path) -> None:
    names = ["white_name", "black_name", "comment", "clock"]
    rows = setwise.find("true", AWKWARD, columns=names).to_pylist()
    files = {
        ending: write(tmp_path / f"x{ending}", "true", AWKWARD, names) for ending in (".csv", ".tsv", ".jsonl", ".md")
    }
    found = list(csv.DictReader(io.StringIO(files[".csv"].read_text(), newline="")))
    assert found == [{name: "" if it is None else it for name, it in row.items()} for row in rows]
    assert [json.loads(line) for line in files[".jsonl"].read_text().splitlines()] == rows
    lines = [*csv.reader(io.StringIO(files[".tsv"].read_text(), newline=""), delimiter="\t")]
    assert lines[1:] == [["" if it is None else it for it in row.values()] for row in rows]
    for line in files[".md"].read_text().splitlines():
        assert len(re.findall(r"(?<!\\)\|", line)) == len(names) + 1
        assert "<" not in line


def test_a_table_stands_in_columns(tmp_path: Path) -> None:
    lines = (
        write(tmp_path / "x.txt", "ply = 10", columns=["game", "white_name", "white_pawns"]).read_text().splitlines()
    )
    rules = [(it.start(), it.end()) for it in re.finditer("─+", lines[1])]
    assert lines[0].split() == ["game", "white_name", "white_pawns"]
    for line, row in zip(
        lines[2:], setwise.find("ply = 10", GAMES, columns=["game", "white_name"]).to_pylist(), strict=True
    ):
        assert line[slice(*rules[0])].strip() == str(row["game"])
        assert line[slice(*rules[1])].strip() == row["white_name"]


def test_the_bars_of_a_tree_are_whites_wins_then_draws_then_blacks_wins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games.pgn"
    games.write_text("".join(f"1. e4 {result}\n\n" for result in ["1-0"] * 3 + ["1/2-1/2"] * 2 + ["0-1"]))
    assert run(["tree", "", str(games), "--format", "bars"]) == 0
    assert f"  {'█' * 12}{'▒' * 8}{'░' * 4}   50 %  33 %   17 %" in capsys.readouterr().out
    assert run(["tree", "", str(games), "-o", str(tmp_path / "tree.html")]) == 0
    assert re.findall(r"width:(\d+)%", (tmp_path / "tree.html").read_text()) == ["50", "33", "17"]


# ---------------------------------------------------------------------------------------------------- FEN, EPD and PGN


def test_python_chess_reads_the_positions(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    fens = write(tmp_path / "x.fen", FORKS).read_text().splitlines()
    assert [chess.Board(fen).fen() for fen in fens] == [row["fen"] for row in expected]
    for line, row in zip(write(tmp_path / "x.epd", FORKS).read_text().splitlines(), expected, strict=True):
        board, operations = chess.Board.from_epd(line)
        assert board.epd() == chess.Board(row["fen"]).epd()
        assert board.san(operations["sm"]) == row["san"]
        assert row["white_name"] in operations["c0"]


def marks_of(node: chess.pgn.GameNode) -> tuple[int, list[str]]:
    """The squares that are marked, and the arrows."""
    drawn = node.arrows()
    marked = sum(1 << arrow.head for arrow in drawn if arrow.head == arrow.tail)
    return marked, [
        chess.square_name(arrow.tail) + chess.square_name(arrow.head) for arrow in drawn if arrow.head != arrow.tail
    ]


def test_python_chess_reads_the_marks_where_they_belong(tmp_path: Path) -> None:
    where = "white_passed_pawns <> 0 and ply % 3 = 0"
    rows = setwise.find(where, GAMES, columns=["game", "ply", "fen", "move", "white_passed_pawns"]).to_pylist()
    originals = dict(enumerate(games_in(GAMES), start=1))
    games = games_in(write(tmp_path / "x.pgn", where))
    assert len(games) == len({row["game"] for row in rows}) > 0
    for game, number in zip(games, dict.fromkeys(row["game"] for row in rows), strict=True):
        nodes = [game, *game.mainline()]
        found = {row["ply"]: row for row in rows if row["game"] == number}
        assert [node.board().fen() for node in nodes] == [
            node.board().fen() for node in [originals[number], *originals[number].mainline()]
        ]
        for ply, node in enumerate(nodes):
            if ply in found:
                assert node.board().fen() == found[ply]["fen"]
                assert marks_of(node) == (
                    found[ply]["white_passed_pawns"],
                    [found[ply]["move"][:4]] if found[ply]["move"] else [],
                )
            else:
                assert marks_of(node) == (0, [])


def test_each_set_is_marked_in_a_colour_of_its_own(tmp_path: Path) -> None:
    [game] = games_in(write(tmp_path / "x.pgn", "white_king <> 0 and black_king <> 0", b"1. e4 *"))
    marked = {chess.square_name(it.head): it.color for it in game.arrows() if it.head == it.tail}
    assert marked == {"e1": "green", "e8": "red"}


def test_marks_leave_the_rest_of_a_game_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plain.pgn").write_bytes(AWKWARD)
    [plain], [marked] = (
        games_in(tmp_path / "plain.pgn"),
        games_in(write(tmp_path / "x.pgn", "white_pawns <> 0", AWKWARD)),
    )
    assert dict(plain.headers) == dict(marked.headers)
    assert plain.board().fen() == marked.board().fen()
    for before, after in zip([plain, *plain.mainline()], [marked, *marked.mainline()], strict=True):
        assert before.nags == after.nags
        assert len(before.variations) == len(after.variations)
        assert all(word in after.comment for word in before.comment.split())
        assert marks_of(after)[0]


MOVETEXTS = (
    "1. e4 e5 *",
    "1.e4 e5",
    "e4 e5 1/2-1/2",
    "{first} 1. e4{c}e5;x\n *",
    "1. {before e4} e4 $1 1... e5 *",
    "*",
    "",
)


@pytest.mark.parametrize("moves", MOVETEXTS)
def test_marks_find_their_moves_however_games_are_written(tmp_path: Path, moves: str) -> None:
    source = f'[White "x"]\n\n{moves}\n'.encode()
    [game] = games_in(write(tmp_path / "x.pgn", "white_pawns <> 0", source))
    nodes = [game, *game.mainline()]
    assert len(nodes) == len(setwise.find("true", source))
    for node in nodes:
        assert marks_of(node)[0] == int(node.board().pieces(chess.PAWN, chess.WHITE))


def test_pgn_of_positions_begins_at_each_match(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    games = games_in(write(tmp_path / "x.pgn", FORKS, positions_alone=True))
    for game, row in zip(games, expected, strict=True):
        assert game.board().fen() == row["fen"]
        assert marks_of(game)[0] == row["white_royal_fork_squares"]
        assert game.headers["White"] == row["white_name"]
        if game.variations:
            assert game.board().san(game.variations[0].move) == row["san"]


def test_positions_without_games_become_games_without_moves(tmp_path: Path) -> None:
    fens = [row["fen"] for row in setwise.find(FORKS, GAMES).to_pylist()]
    games = games_in(write(tmp_path / "x.pgn", FORKS, "\n".join(fens).encode()))
    assert [game.board().fen() for game in games] == fens
    assert all(marks_of(game)[0] for game in games)


# ----------------------------------------------------------------------------------------------------------- the files


def test_the_end_of_a_name_says_how(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"should end in one of .*\.parquet .*did you mean \.jsonl"):
        format_of(tmp_path / "x.json")
    with pytest.raises(OutputError, match=r"should end in one of"):
        format_of(tmp_path / "x.pgn", rows=True)
    with pytest.raises(OutputError, match="it is a directory"):
        format_of(tmp_path)


@pytest.mark.parametrize("ending", by_suffix())
def test_a_file_has_its_name_when_it_is_whole(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x{ending}"
    path.write_bytes(b"older")
    [(source, question)] = planned(GAMES, Query("ply = 10", notes=True))
    with opened(path, Request(question.schema)) as output:
        for found in search([(source, question)]):
            output.write(found)
            assert path.read_bytes() == b"older"
    assert path.read_bytes() != b"older"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", by_suffix())
def test_what_breaks_off_is_kept_beside_and_readable(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x{ending}"
    [(source, question)] = planned(GAMES, Query("ply = 10", notes=True))
    [found] = search([(source, question)])

    def broken_off() -> Any:
        with opened(path, Request(question.schema)) as output:
            held.append(output)
            output.write(found)
            raise KeyboardInterrupt

    held: list[Any] = []
    with pytest.raises(KeyboardInterrupt):
        broken_off()
    [output] = held
    assert output.part == tmp_path / f"x{ending}.part"
    assert [file.name for file in tmp_path.iterdir()] == [output.part.name]
    readers: dict[str, Any] = {
        ".parquet": pl.read_parquet, ".jsonl": pl.read_ndjson, ".csv": pl.read_csv,
        ".arrow": pl.read_ipc, ".html": lambda it: re.findall("<article", it.read_text()),
        ".pgn": games_in,
    }  # fmt: skip
    whole = readers.get(ending, lambda it: it.read_text().splitlines())(output.part)
    assert len(whole) >= found.matched


@pytest.mark.slow
@pytest.mark.parametrize("ending", by_suffix())
def test_of_a_disk_that_is_full_nothing_is_left_under_a_name(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x{ending}"
    path.write_bytes(b"older")
    copies = 1 if ending == ".html" else 20  # boards take the longest to write, and are large
    [(source, question)] = planned(GAMES.read_bytes() * copies, Query("ply < 50", notes=True))

    def filling() -> None:
        with opened(path, Request(question.schema)) as output:
            for found in search([(source, question)]):
                output.write(found)

    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))  # no file may become larger
    try:
        with pytest.raises(OutputError, match=rf"x{re.escape(ending)} cannot be written: File too large"):
            filling()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"older"
    left = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file != path}
    if ending not in {".parquet", ".arrow", ".html"}:  # what breaks off is not worth keeping in all of these
        assert left.keys() == {f"{path.name}.part"}
        assert left[f"{path.name}.part"][-1:] in {b"", b"\n"}, "no half line"
    assert left.keys() <= {f"{path.name}.part"}


def test_what_was_kept_beside_stays(tmp_path: Path) -> None:
    (tmp_path / "x.csv.part").write_bytes(b"found before")
    for number in range(2):
        with written(tmp_path / "x.csv") as file, written(tmp_path / "x.csv") as other:
            assert {file.part.name, other.part.name} == {"x.csv~2.part", "x.csv~3.part"}
            file.write(b"%d" % number)
    assert (tmp_path / "x.csv").read_bytes() == b"1"
    assert {path.name for path in tmp_path.iterdir()} == {"x.csv", "x.csv.part"}
    assert (tmp_path / "x.csv.part").read_bytes() == b"found before"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with written(tmp_path / "link") as file:
        file.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"x"


def test_sources_with_other_columns_share_a_file(tmp_path: Path) -> None:
    fens = pa.table({"fen": [chess.STARTING_FEN], "Theme": ["start"]})
    path = write(tmp_path / "x.jsonl", "white_pawns <> 0", [b"1. e4 *", fens])
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["Theme"] for row in rows] == [None, None, "start"]
    assert [row["ply"] for row in rows] == [0, 1, None]


# ------------------------------------------------------------------------------------------------------------ selection


def rows_of(query: Query, source: Any = GAMES, sample: Sample | None = None) -> list[tuple[int, int]]:
    found = search(planned(source, query), threads=2)
    if sample is not None:
        for it in found:
            sample.add(it)
        found = sample.drawn()
    return [(row["game"], row["ply"]) for it in found for row in it.table().to_pylist()]


@pytest.mark.parametrize("most", [1, 3])
def test_so_many_matches_of_each_game(most: int) -> None:
    every = rows_of(Query("is_check", ["game", "ply"]))
    few = rows_of(Query("is_check", ["game", "ply"], per_game=most))
    games = dict.fromkeys(game for game, _ in every)
    assert few == [it for game in games for it in [row for row in every if row[0] == game][:most]]
    assert len(few) < len(every)


@pytest.mark.parametrize("name", ["morphy", "KASPAROV"])
def test_the_games_of_a_player(name: str) -> None:
    rows = setwise.find("ply = 0", GAMES, columns=["game", "white_name", "black_name"]).to_pylist()
    wanted = [(row["game"], 0) for row in rows if name.lower() in f"{row['white_name']}|{row['black_name']}".lower()]
    assert rows_of(Query("ply = 0", ["game", "ply"], player=name)) == wanted != []


def test_a_sample_is_the_same_for_the_same_seed_and_all_of_it_matches() -> None:
    query = Query("is_check", ["game", "ply"])
    every = rows_of(query)
    first, again, other = (rows_of(query, sample=Sample(20, seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 20 < len(every)
    assert [row for row in every if row in set(first)] == first
    assert rows_of(query, sample=Sample(len(every) + 5, 1)) == every


def test_a_sample_is_uniform() -> None:
    [found] = search(planned(b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O *", Query("true", ["ply"])))
    counts = np.zeros(10)
    for seed in range(2000):
        lot = Sample(3, seed)
        for _ in range(2):  # as two batches
            lot.add(found)
        for it in lot.drawn():
            np.add.at(counts, it.rows, 1)
    assert counts.sum() == 6000
    assert abs(counts - 600).max() < 6 * np.sqrt(600)


def test_the_operations_of_records_are_written_as_they_were(tmp_path: Path) -> None:
    records = [
        '4k3/8/8/3N4/8/8/8/4K3 w - - bm Nc7+; am Kd1; id "a \\"fork\\"; 1"; ce +300',
        '8/8/8/4k3/8/8/4P3/4K3 w - - acd 12; c0 "mine";', "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 3; fmvn 7; noop;",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 5 9", "4k3/8/8/8/8/8/3PP3/4K3 w - -",
    ]  # fmt: skip
    path = write(tmp_path / "out.epd", "true", "\n".join(records).encode())
    for before, after in zip(records, path.read_text().splitlines(), strict=True):
        (board, expected), (again, found) = (chess.Board.from_epd(it.replace(" 5 9", "")) for it in (before, after))
        assert board.board_fen() == again.board_fen()
        assert {name: found[name] for name in expected} == expected
        assert set(found) == {*expected, "c0"}
        assert after.startswith(before.removesuffix(" 5 9"))
    with pytest.raises(SystemExit):
        main(["sql", "select fen, operations from positions", str(path), "-o", str(tmp_path / "again.epd")])
    assert (tmp_path / "again.epd").read_text() == path.read_text()


def test_half_a_row_is_cut_off_where_the_disk_is_full() -> None:
    class Full(io.BytesIO):
        """A disk that takes half of what comes last."""

        is_full = False

        def write(self, data: Any) -> int:
            if self.is_full:
                super().write(data[: len(data) // 2])
                raise OSError("full")
            return super().write(data)

    table, file = pa.table({"a": [1234]}), Full()
    output: Any = by_suffix()[".csv"](file, Request(table.schema))
    output.write_table(table)
    file.is_full = True
    with pytest.raises(OSError, match="full"):
        output.write_table(table)
    file.is_full = False
    output.repair()
    assert file.getvalue() == b'"a"\n1234\n'


@pytest.mark.parametrize("ending", sorted(by_suffix(rows=True)))
def test_columns_of_one_name_keep_their_order_or_are_refused_by_name(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows{ending}"
    kind: Any = format_of(path, rows=True)
    table = pa.table([[1, 4], [2, 5], [3, 6]], ["a", "a", "b"])
    if kind.has_unique_names:
        with pytest.raises(QueryError, match=f"^{kind.name} cannot hold two columns of the same name, 'a'"):
            kind.check_columns(table.column_names)
        return
    kind.check_columns(table.column_names)
    with opened(path, Request(table.schema), kind) as output:
        output.write_table(table)
    if ending == ".arrow":
        assert feather.read_table(path).equals(table)
        return
    head, *lines = path.read_text().splitlines()
    assert re.findall(r"\w", head) == ["a", "a", "b"]
    assert [found for line in lines if (found := re.findall(r"\d", line))] == [["1", "2", "3"], ["4", "5", "6"]]


def test_a_join_has_the_columns_of_both_tables_in_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    joined = "select game, ply, p.white_name, g.white_name, g.result from positions p join games g using (source, game)"
    for ending in sorted(by_suffix(rows=True)):
        path = tmp_path / f"rows{ending}"
        with pytest.raises(SystemExit) as leaving:
            main(["sql", joined, str(GAMES), "-o", str(path)])
        unique = format_of(path, rows=True).has_unique_names  # type: ignore[attr-defined]
        assert (leaving.value.code, path.exists()) == ((2, False) if unique else (0, True))
        assert ("two columns of the same name, 'white_name'" in capsys.readouterr().err) == unique
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["game", "ply", "white_name", "white_name", "result"]
    assert len(rows) > 2000
    assert all(row[2] == row[3] and row[4] in {"1-0", "0-1", "1/2-1/2", "*"} for row in rows[1:])


def test_pages_of_positions_number_the_columns_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    places = "select source, game, ply, p.event, g.event, 10 as x, 20 as X from positions p join games g"
    with pytest.raises(SystemExit) as leaving:
        main(["sql", f"{places} using (source, game) where game = 1 and ply = 3", str(GAMES), "-o", str(path)])
    assert leaving.value.code == 0
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", path.read_text()) == [("x", "10"), ("X (2)", "20")]


def test_every_format_is_told_by_the_help() -> None:
    from setwise.cli.app import app

    helps = {
        command: {option.name: getattr(option, "help", "") for option in app.commands[command].params}
        for command in ("find", "sql", "dedupe")
    }
    for command in ("find", "sql"):
        assert set(by_name()) <= set(re.findall(r"\w+", helps[command]["style"]))
        assert set(re.findall(r"\.\w+", helps[command]["output"])) == set(by_suffix())
    assert re.findall(r"\w+", helps["dedupe"]["style"]) == list(by_name(rows=True))
    assert "(pgn)" in helps["find"]["without"]


#: Adds a format, then runs the command line.
NEW_FORMAT = """
import sys
from setwise.corpus import outputs
from setwise.corpus.outputs.output import Matches

class Keys(Matches):
    name, suffix, title, media_type = "keys", ".new", "Keys", "text/plain"

    def texts(self, result):
        return (f"{key:016x}\\n" for key in result.matches().keys().tolist())

outputs.OUTPUTS.append(Keys)
from setwise.cli import main
from setwise.web.answers import catalogue_
if sys.argv[1:] == ["page"]:
    print(*(it["title"] for it in catalogue_([])["downloads"]), sep=", ")
else:
    main(sys.argv[1:])
"""


def test_a_new_format_is_one_class_in_the_list(tmp_path: Path) -> None:
    def run(*arguments: str, **environment: str) -> str:
        command = [sys.executable, "-c", NEW_FORMAT, *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)
        return ran.stdout + ran.stderr

    path = tmp_path / "x.new"
    assert "1 match in 1 game written to" in run("find", "ply = 0", str(GAMES), "--limit", "1", "-o", str(path))
    assert path.read_text() == f"{Position().key:016x}\n"
    described = " ".join(run("find", "--help").split())
    assert f"{' '.join(by_suffix())} .new" in described
    assert " ".join([*(it.name for it in by_name().values() if not it.is_of_rows), "keys"]) in described
    assert "should end in one of .txt .csv" in (refusal := run("find", "true", str(GAMES), "-o", "x.nwe"))
    assert "did you mean .new" in refusal
    completing = {"_SETWISE_COMPLETE": "bash_complete", "COMP_WORDS": "setwise find --format k", "COMP_CWORD": "3"}
    assert run(**completing) == "plain,keys\n"
    of_rows = {rows: [it.title for it in downloads().values() if it.is_of_rows is rows] for rows in (False, True)}
    assert run("page") == f"{', '.join([*of_rows[False], 'Keys', *of_rows[True]])}\n"
