"""Damaged scans, tables and manifests: found, refused in one sentence with the name, and made anew by the next scan."""

from __future__ import annotations

import importlib
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.depth import depth
from helpers.manifests import encoded, rewrite
from setwise.cli.app import run
from setwise.corpus.sources.scans import scan_in
from setwise.corpus.storage.log import Manifest, Seen, contents_of
from setwise.errors import OutputError, SetwiseError, SourceError

SETWISE = [sys.executable, "-m", "setwise"]
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FLIPS = 150
KINDS = ("positions", "games")

Damaging = Callable[[Path], object]
DAMAGES: dict[str, Damaging] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "halved": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one bit": lambda path: _flip(path, 8 * (path.stat().st_size // 2)),
    "another file": lambda path: pq.write_table(pq.read_table(path), path),
}


def _flip(path: Path, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A scan of the famous games."""
    setwise.scan(FAMOUS_GAMES, tmp_path / "scan", features="pawn_islands")
    return tmp_path / "scan"


def part(place: Path, kind: str) -> Path:
    return next(place.rglob(f"{kind}/part-*.parquet"))


@pytest.mark.slow
def test_no_bit_that_flips_is_read_as_other_data(place: Path) -> None:
    columns = pq.read_schema(part(place, "positions")).names
    questions: dict[str, Callable[[], pa.Table]] = {
        "positions": lambda: setwise.find("true", place, columns=columns),
        "games": lambda: setwise.sql("select * from games", place),
    }
    whole = {kind: ask() for kind, ask in questions.items()}
    dice = random.Random(FLIPS)  # noqa: S311
    for number in range(FLIPS):
        kind = KINDS[number % 2]
        path = part(place, kind)
        sound = path.read_bytes()
        _flip(path, dice.randrange(8 * len(sound)))
        try:
            answer = questions[kind]()
        except SourceError as error:
            assert re.search(f"{path} is damaged: .*; scan the same sources again to make it anew", str(error))  # noqa: PT017
        else:  # boards are replayed from the moves: the columns of the pieces are not read
            assert answer.equals(whole[kind])
        [damage] = setwise.verify_scan(place)
        assert damage.path == path
        path.write_bytes(sound)
    assert all(ask().equals(whole[kind]) for kind, ask in questions.items())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_part_is_refused_by_name_and_made_anew(how: str, kind: str, place: Path) -> None:
    columns = ["white_name", *pq.read_schema(part(place, "positions")).names]
    whole = setwise.find("true", place, columns=columns)
    path = part(place, kind)
    sound = path.read_bytes()
    DAMAGES[how](path)
    with pytest.raises(
        SourceError, match=f"^{path} is (missing|damaged).*scan the same sources again to make it anew$"
    ):
        setwise.find("true", place, columns=columns)
    if how != "one bit":  # which stands in a column that the statement does not read
        with pytest.raises(SourceError, match=f"^{path} is (missing|damaged)"):
            setwise.sql("select count(distinct white_name), max(ply) from positions", place)
    assert [damage.path for damage in setwise.verify_scan(place)] == [path]
    done = setwise.scan(FAMOUS_GAMES, place, features="pawn_islands")
    assert (done.positions, done.kept) == (2512, 0)
    assert path.read_bytes() == sound
    assert setwise.verify_scan(place) == []
    assert setwise.find("true", place, columns=columns).equals(whole)


@pytest.mark.parametrize("how", ["deleted", "emptied", "cut"])
def test_spark_is_not_handed_a_damaged_scan(how: str, place: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from setwise import spark

    path = part(place, "games")
    DAMAGES[how](path)
    with pytest.raises(SourceError, match=f"^{path} is (missing|damaged)"):
        spark.read_scan(None, str(place))  # before the session is used


def test_a_changed_byte_is_found_wherever_in_a_file_it_is(place: Path) -> None:
    path = part(place, "games")
    sound, group = path.read_bytes(), pq.read_metadata(path).row_group(0)
    columns = [group.column(at) for at in range(group.num_columns)]
    first = min((it for it in columns if it.has_dictionary_page), key=lambda it: it.dictionary_page_offset)
    size = len(sound)
    for at in (1, first.dictionary_page_offset + 2, first.data_page_offset + 2, size - 20, size - 6, size - 2):
        _flip(path, 8 * at)
        assert [damage.path for damage in setwise.verify_scan(place)] == [path], at
        path.write_bytes(sound)
    assert setwise.verify_scan(place) == []


def test_only_the_damaged_part_is_made_anew(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.pgn").write_bytes(FAMOUS_GAMES.read_bytes())
    place, sources = tmp_path / "scan", [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    setwise.scan(sources, place)
    (place / "positions" / "part-00002-00001.parquet").unlink()
    times = {path: path.stat().st_mtime_ns for path in place.rglob("part-00001-*.parquet")}
    assert setwise.scan(sources, place).kept == 2512
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert setwise.verify_scan(place) == []


def test_a_damaged_part_whose_source_is_gone_is_said(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.pgn").write_bytes(FAMOUS_GAMES.read_bytes())
    place = tmp_path / "scan"
    setwise.scan([tmp_path / "a.pgn", tmp_path / "b.pgn"], place)
    path = place / "games" / "part-00002-00001.parquet"
    path.write_bytes(b"")
    with pytest.raises(
        SourceError, match=rf"{path} has 0 bytes instead of .*, and .*b\.pgn is not there to make it anew"
    ):
        setwise.scan(tmp_path / "a.pgn", place)
    assert len(setwise.verify_scan(place)) == 1


def test_a_single_file_is_verified_by_its_pages(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    setwise.scan(FAMOUS_GAMES, path)
    assert setwise.verify_scan(path) == []
    _flip(path, 8 * (path.stat().st_size // 3))
    assert [damage.path for damage in setwise.verify_scan(path)] == [path]
    with pytest.raises(SourceError, match=f"{path} is damaged"):
        setwise.find("true", path, columns=pq.read_schema(path).names)
    with pytest.raises(SourceError, match="there is no scan"):
        setwise.verify_scan(tmp_path / "nothing")


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_damaged_file(place: Path) -> None:
    command = [*SETWISE, "scan", "--verify", str(place)]
    sound = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (sound.returncode, sound.stdout) == (0, f"{place} is whole\n")
    paths = [part(place, kind) for kind in KINDS]
    for path in paths:
        path.write_bytes(path.read_bytes()[:-1])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert sorted(line.split(" has ")[0] for line in done.stdout.splitlines()) == sorted(map(str, paths))
    assert "`setwise repair` makes again what it can" in done.stderr


def test_the_command_verifies_every_scan_though_others_are_none(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing, neither = str(tmp_path / "nothing"), str(tmp_path / "neither")
    assert run(["scan", "--verify", nothing, str(place), neither]) == 2
    told = capsys.readouterr()
    assert told.out == f"{place} is whole\n"
    assert [line.split(":")[1] for line in told.err.splitlines()] == [
        f" there is no scan {name}" for name in (nothing, neither)
    ]
    path = part(place, KINDS[0])
    path.write_bytes(path.read_bytes()[:-1])
    assert run(["scan", "--verify", nothing, str(place)]) == 3
    told = capsys.readouterr()
    assert told.out.startswith(f"{path} has ")
    assert f"there is no scan {nothing}" in told.err


# -------------------------------------------------------------------------------------------------------------- tables


def _damaged_parquet(path: Path) -> None:
    pq.write_table(
        pa.table({"fen": [START] * 3000, "x": range(3000)}), path, row_group_size=1000, use_dictionary=False,
        write_page_checksum=True,
    )  # fmt: skip
    chunk = pq.read_metadata(path).row_group(1).column(0)
    _flip(path, 8 * (chunk.data_page_offset + chunk.total_compressed_size // 2))


TABLES: dict[str, Damaging] = {
    "x.parquet": _damaged_parquet,
    "x": _damaged_parquet,
    "cut.parquet": lambda path: path.write_bytes(b"PAR1" + bytes(100)),
    "x.csv": lambda path: path.write_text("fen,a\n" + f"{START},1\n" * depth(20_000, 200_000) + f"{START},1,2,3\n"),
    "x.jsonl": lambda path: path.write_text(f'{{"fen": "{START}"}}\n' * 3 + '{"fen": [1}\n'),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_damaged_table_is_one_sentence_with_its_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    TABLES[name](path)
    for ask in (
        lambda: setwise.find("white_to_move", path),
        lambda: setwise.sql("select max(legal_moves) from positions", path),
        lambda: setwise.scan(path, tmp_path / "scan"),
        lambda: setwise.scan(path, tmp_path / "one.parquet"),
        lambda: list(setwise.batches(path, "planes")),
    ):
        with pytest.raises(SourceError) as caught:
            ask()
        said = str(caught.value)
        assert said.startswith(str(path)), said
        assert "\n" not in said
        assert "Python exception" not in said
        assert ("row group 2 of 3" in said) == (name in {"x", "x.parquet"})


@pytest.mark.parametrize("name", TABLES)
def test_a_connection_over_a_damaged_table_raises_an_error_that_holds_the_sentence(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    TABLES[name](path)
    question = "select max(legal_moves) from positions"
    with pytest.raises(SourceError) as caught:
        setwise.sql(question, path)
    with (
        pytest.raises((SourceError, duckdb.Error), match=re.escape(str(caught.value))),
        setwise.connect(path) as database,
    ):
        database.execute(question).fetchall()


@pytest.mark.parametrize("header", ["fen,moves,moves", "fen,fen,x", "x,fen,x"])
def test_a_table_with_two_columns_of_one_name_is_refused(header: str) -> None:
    with pytest.raises(SourceError, match=r"<bytes> has more than one column '(moves|fen|x)': rename one of them"):
        setwise.find("white_to_move", f"{header}\n{START},{START},{START}\n".encode())


@pytest.mark.parametrize(("header", "names"), [("fen,a,A", "'A' and 'a'"), ("Fen,fen,x", "'Fen' and 'fen'")])
def test_a_table_with_two_columns_that_differ_only_in_case_is_refused(header: str, names: str) -> None:
    """SQL cannot tell their names apart."""
    with pytest.raises(SourceError, match=f"<bytes> has columns {names}, which differ only in case: rename one"):
        setwise.find("white_to_move", f"{header}\n{START},{START},{START}\n".encode())


@pytest.mark.slow
def test_a_damaged_table_leaves_no_traceback_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    _damaged_parquet(path)
    for command in (["find", "true", path], ["sql", "select max(legal_moves) from positions", path]):
        done = subprocess.run([*SETWISE, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(f"setwise: {path}, row group 2 of 3, cannot be read as a table: ")
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("name", "place"), [("x.parquet", "row group 2 of 3"), ("x.csv", "Expected 2 columns, got 4")])
def test_a_damaged_table_is_one_sentence_on_the_page_which_lives_on(name: str, place: str, tmp_path: Path) -> None:
    client = pytest.importorskip("starlette.testclient", reason="the workbench needs the extra web").TestClient
    from setwise.web.server import application

    path = tmp_path / name
    TABLES[name](path)
    searches: list[tuple[str, dict[str, Any]]] = [
        ("find", {"where": "not white_to_move"}),
        ("sql", {"statement": "select max(legal_moves) from positions"}),
        ("game", {"game": 300_000}),
    ]
    with client(application([str(path), str(FAMOUS_GAMES)]), base_url="http://localhost") as page:

        def last(task: str, **given: Any) -> dict[str, Any]:
            told: dict[str, Any] = json.loads(page.post(f"/api/search/{task}", json=given).text.splitlines()[-1])
            return told

        for task, given in searches:
            told = last(task, **given, source=0)
            assert told["type"] == "error"
            assert name in told["error"]
            assert place in told["error"]
            assert "\n" not in told["error"]
            assert "Traceback" not in told["error"]
        assert last("find", where="is_checkmate", source=1)["matches"] > 0
        assert page.post("/api/ask/hello", json={}).status_code == 200


# ----------------------------------------------------------------------------------------------------------- manifests

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=5,
)
FILE = "positions/part-00001-00001.parquet"
LINES: list[dict[str, Any]] = [
    {"version": "1", "columns": ["ply"], "partitioning": []},
    {"source": 1, "name": "a.pgn", "path": "/a.pgn", "size": 1, "time": 1, "names": {"a.pgn": "a.pgn"}},
    {"source": 1, "part": 1, "first": 1, "games": 0, "positions": 0, "is_whole": True, "files": {FILE: [1, 0, [1, 2]]}},
    {"source": 1, "parts": 1},
]


@st.composite
def manifests(draw: st.DrawFn) -> bytes:
    """A manifest of which one line is anything: other JSON, a field with another value or none, or no JSON."""
    lines: list[Any] = [dict(line) for line in LINES]
    at = draw(st.integers(0, len(lines) - 1))
    way = draw(st.sampled_from(["other", "field", "missing", "bytes", "file", "deep"]))
    name = draw(st.sampled_from(sorted(lines[at])))
    if way == "other":
        lines[at] = draw(JSON)
    elif way == "field":
        lines[at][name] = draw(JSON)
    elif way == "missing":
        del lines[at][name]
    elif way == "file":
        lines[2]["files"] = draw(
            st.dictionaries(st.sampled_from([FILE, "../x", "/etc/passwd", "games"]), JSON, max_size=2)
        )
    texts = [
        encoded([{}] * number + [line]).splitlines()[-1] if isinstance(line, dict) else json.dumps(line).encode()
        for number, line in enumerate(lines)
    ]
    if way == "bytes":
        texts[at] = draw(st.binary(max_size=20))
    elif way == "deep":
        texts[at] = b"[" * 100_000
    return b"\n".join(texts) + b"\n"


@given(manifests())
def test_any_manifest_is_read_or_refused_in_one_sentence(tmp_path_factory: pytest.TempPathFactory, text: bytes) -> None:
    folder = tmp_path_factory.mktemp("manifest")
    path = folder / "manifest.jsonl"
    path.write_bytes(text)
    try:
        assert not scan_in(str(folder)).parts  # which are not there
    except SourceError as error:
        assert str(error).startswith(str(folder))  # noqa: PT017  (both may happen)
        assert "\n" not in str(error)  # noqa: PT017
    try:
        Manifest(folder).close()
    except OutputError as error:
        assert "--force begins" in str(error)  # noqa: PT017  (both may happen)


def test_a_manifest_that_is_sound_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(encoded([*LINES, {"lines": len(LINES) + 1}]))
    [source] = contents_of(tmp_path).sources
    assert source.is_done
    assert source.parts[1].files[FILE].sums == [1, 2]
    for command in (["find", "true"], ["sql", "select 1 from games"], ["scan", "--verify"]):
        assert run([*command, str(tmp_path)]) == (3 if "--verify" in command else 2)
        assert f"{tmp_path / FILE} is missing" in "".join(capsys.readouterr())


class _Full:
    """A file on a disk that has room for half of what is written."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, data: bytes) -> int:
        return int(self.file.write(data[: len(data) // 2]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def test_a_full_disk_leaves_no_half_line_in_a_manifest(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path)
    before, manifest.file = manifest.path.read_bytes(), _Full(manifest.file)  # type: ignore[assignment]
    with pytest.raises(OSError, match="No space left"):
        manifest.source("a.pgn", Seen(None, None, None), {})
    assert manifest.path.read_bytes() == before
    manifest.close()
    again = Manifest(tmp_path)
    assert again.source("a.pgn", Seen(None, None, None), {}).number == 1
    again.close()


def test_a_folder_with_another_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_text("[1, 2]\n")
    with pytest.raises(
        SourceError, match=r"manifest\.jsonl is not the manifest of a scan: line 1 is not what a scan writes"
    ):
        setwise.find("true", tmp_path)
    with pytest.raises(SetwiseError, match=r"line 1 is not what a scan writes there; --force begins the scan anew"):
        setwise.scan(FAMOUS_GAMES, tmp_path)


# ------------------------------------------------------------------------------------ manifests that are cut or emptied

#: Two sources of games, each a scan of its own and an index of its own part.
TWO = [b'[White "a"]\n\n1. e4 e5 *\n', b'[White "b"]\n\n1. d4 d5 2. c4 *\n[White "c"]\n\n1. c4 *\n']


@pytest.fixture(params=["scan", "index"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, list[Path], Path]:
    """A folder of two sources, the second added later, with the command that wrote it and the sources."""
    files = [tmp_path / f"{number}.pgn" for number in range(2)]
    for file, text in zip(files, TWO, strict=True):
        file.write_bytes(text)
    place = tmp_path / "written"
    for some in (files[:1], files):
        getattr(setwise, request.param)(some, place)
    return request.param, files, place


def _games_in(place: Path, **options: Any) -> list[str]:
    return setwise.sql("select distinct white_name from positions order by 1", place, **options).column(0).to_pylist()


def test_a_manifest_that_is_cut_after_any_line_is_never_read_as_a_whole_one(two: tuple[str, list[Path], Path]) -> None:
    command, files, place = two
    manifest = place / "manifest.jsonl"
    lines = manifest.read_bytes().splitlines(keepends=True)
    assert _games_in(place) == ["a", "b", "c"]
    assert json.loads(lines[-1])["lines"] == len(lines)
    said = set()
    for count in range(len(lines)):
        for torn in (b"", lines[count][:9]):
            manifest.write_bytes(b"".join(lines[:count]) + torn)
            try:
                assert _games_in(place) == ["a", "b", "c"]  # the second run recorded its end, and merged runs after it
            except SourceError as error:
                said.update(re.findall("is (unfinished|damaged|missing)", str(error)))
                assert setwise.verify_scan(place) != [] or not count
            else:
                assert any("lines" in json.loads(line) for line in lines[:count])
    assert said >= {"unfinished", "damaged"}
    manifest.write_bytes(b"".join(lines[:-1]))
    getattr(setwise, command)(files, place)
    assert _games_in(place) == ["a", "b", "c"]
    assert setwise.verify_scan(place) == []


@pytest.mark.parametrize("how", ["emptied", "zeroed", "a byte of a line", "a line left out", "two lines exchanged"])
def test_a_damaged_manifest_is_refused_and_verification_fails(
    how: str, two: tuple[str, list[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, place = two
    manifest = place / "manifest.jsonl"
    text = manifest.read_bytes()
    lines = text.splitlines(keepends=True)
    damaged = {
        "emptied": b"",
        "zeroed": bytes(len(text)),
        "a byte of a line": text.replace(b'"games": 1', b'"games": 2', 1),
        "a line left out": b"".join(lines[:2] + lines[3:]),
        "two lines exchanged": b"".join([*lines[:1], lines[2], lines[1], *lines[3:]]),
    }[how]
    assert damaged != text
    manifest.write_bytes(damaged)
    said = {
        "emptied": r"no line of manifest\.jsonl names (games|packed)/part-00001-00001\.parquet",
        "zeroed": r"manifest\.jsonl",
        "a byte of a line": r"line \d has changed since it was written",
        "a line left out": "line 3 has changed since it was written, or is not in its place",
        "two lines exchanged": "line 2 has changed since it was written, or is not in its place",
    }[how]
    for options in ({}, {"partial": True}):
        with pytest.raises(SourceError, match=said):
            _games_in(place, **options)
    assert run(["find", "true", str(place), "-c"]) == 2
    assert run(["scan", "--verify", str(place)]) == 3
    assert "manifest.jsonl" in "".join(capsys.readouterr())


def test_an_unfinished_folder_is_refused_and_read_if_that_is_asked_for(
    two: tuple[str, list[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    command, files, place = two
    getattr(setwise, command)(files[:1], place, force=True)
    killed = Manifest(place)
    killed.source(str(files[1]), Seen.now(str(files[1])), {str(files[1]): str(files[1])})
    killed.close()
    said = rf"is unfinished: 0 parts of .*1\.pgn \(0 games\); `setwise {command} … -o .*` goes on, `--partial`"
    for ask in (
        lambda **more: setwise.find("true", place, **more),
        lambda **more: setwise.sql("select ply from positions", place, **more),
        lambda **more: setwise.connect(place, **more),
        lambda **more: setwise.tree("", place, **more),
    ):
        with pytest.raises(SourceError, match=said):
            ask()
        with pytest.warns(UserWarning, match="is unfinished: 0 parts .*; only what is there is read"):
            ask(partial=True)
    with pytest.warns(UserWarning, match="is unfinished"):
        assert _games_in(place, partial=True) == ["a"]
    assert run(["find", "ply = 0", str(place), "-c"]) == 2
    capsys.readouterr()
    if command == "scan":  # warnings are lines of their own in a process of its own
        command_line = [*SETWISE, "find", "ply = 0", str(place), "-c", "--partial"]
        ran = subprocess.run(command_line, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout) == (0, "1\n")
        assert "games); only what is there is read\n" in ran.stderr
    assert run(["scan", "--verify", str(place)]) == 2
    out = capsys.readouterr().out
    assert out.startswith(f"{place} is unfinished: 0 parts of ")
    getattr(setwise, command)(files, place)
    assert _games_in(place) == ["a", "b", "c"]


def test_an_unfinished_folder_says_how_much_of_its_file_it_has(two: tuple[str, list[Path], Path]) -> None:
    _, _, place = two
    manifest = place / "manifest.jsonl"
    lines = manifest.read_bytes().splitlines(keepends=True)
    [end] = [at for at, line in enumerate(lines) if json.loads(line).get("part") and json.loads(line)["source"] == 2]
    manifest.write_bytes(b"".join(lines[: end + 1]))  # killed after the only part of the second file
    with pytest.raises(SourceError, match=r"unfinished: 1 part of .*1\.pgn \(2 games, about 99 % of it\);"):
        _games_in(place)
    rewrite(manifest, lambda line: {name: it for name, it in line.items() if name != "read"})
    with pytest.raises(SourceError, match=r"unfinished: 1 part of .*1\.pgn \(2 games\);"):
        _games_in(place)


def test_a_scan_of_the_time_when_a_folder_had_one_layer_is_read_and_extended(tmp_path: Path) -> None:
    files, place = [tmp_path / f"{number}.pgn" for number in range(2)], tmp_path / "scan"
    for file, text in zip(files, TWO, strict=True):
        file.write_bytes(text)
    setwise.scan(files[:1], place)
    manifest = place / "manifest.jsonl"
    _, layer, *lines = (json.loads(line) for line in manifest.read_text().splitlines())
    lines[-1]["lines"] = len(lines) + 1
    del layer["layer"], lines[0]["reading"]
    manifest.write_bytes(encoded([layer, *lines]))
    assert _games_in(place) == ["a"]
    assert setwise.verify_scan(place) == []
    assert setwise.scan(files, place).kept == 3
    assert setwise.verify_scan(place) == []
    assert setwise.index([], place).games == 3
    assert _games_in(place) == ["a", "b", "c"]


def test_a_log_that_is_much_longer_than_its_contents_is_written_anew(two: tuple[str, list[Path], Path]) -> None:
    command, files, place = two
    manifest = place / "manifest.jsonl"
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    lines += [{"source": 2, "parts": 1}] * 100
    lines.append({"lines": len(lines) + 1})
    manifest.write_bytes(encoded(lines))
    before = contents_of(place)
    assert len(manifest.read_bytes().splitlines()) > 100
    getattr(setwise, command)(files, place)
    after = contents_of(place)
    assert len(manifest.read_bytes().splitlines()) < 20
    assert replace(after, line_count=before.line_count, whole_count=before.whole_count) == before
    assert _games_in(place) == ["a", "b", "c"]


def test_an_empty_name_is_no_source_and_no_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # which an empty name would mean
    (tmp_path / "a.pgn").write_bytes(b"1. e4 *")
    for ask in (
        lambda: setwise.find("true", ""),
        lambda: setwise.scan("", tmp_path / "scan"),
        lambda: setwise.index("", tmp_path / "index"),
        lambda: setwise.verify_scan(""),
    ):
        with pytest.raises(SourceError, match=r"a source has an empty name|there is no scan"):
            ask()
    for write in (setwise.scan, setwise.index):
        with pytest.raises(OutputError, match="the output has an empty name"):
            write(tmp_path / "a.pgn", "")
    assert [path.name for path in tmp_path.iterdir() if path.is_dir() and any(path.iterdir())] == []


def test_damage_of_any_kind_of_file_is_refused_by_name_or_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ROOT / "fuzz"
    if not folder.is_dir():
        pytest.skip("the trials are not part of a source distribution")
    monkeypatch.syspath_prepend(folder)
    trials, told = importlib.import_module("damage").trials, Counter[str]()
    kinds = ["pgn", "zst", "packed", "scan", "index", "csv", "tablebase"]
    assert trials(tmp_path, 28, 2026, kinds, told) == []
    assert told["refused"] > 14
