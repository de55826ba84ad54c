"""Packed games: unpacked they are the same, for every game of the tests; damage and other versions are refused."""

from __future__ import annotations

import io
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import recognised
from setwise.corpus.storage.encodings import pack_moves, unpack_moves
from setwise.errors import OutputError, QueryError, SourceError
from setwise.rules.board import NULL_MOVE

SETWISE = [sys.executable, "-m", "setwise"]
DATA = Path(__file__).parent / "data"
GAMES = sorted([*DATA.glob("*.pgn"), *(Path(__file__).parent / "doors" / "games").glob("*.pgn")])
FAMOUS = Path(__file__).parent.parent / "examples" / "famous_games.pgn"


def games_of(source: Any) -> list[setwise.Game]:
    """All games of a PGN with all that they hold."""
    return [game for batch in setwise.read_pgn(source, notes=True, variations=True) for game in batch]


def faults_of(source: Any) -> list[tuple[int, str, str]]:
    return [(it.game, it.token, it.reason) for batch in setwise.read_pgn(source) for it in batch.faults()]


def faults_in(source: Any) -> list[tuple[int, str, str]]:
    """The faults that a packed file reports."""
    jobs = recognised(source).scan(Question())
    return [(it.game, it.token, it.reason) for job in jobs for it in job.run().faults]


def there_and_back(source: Any, folder: Path) -> bytes:
    """The PGN of a source after packing."""
    place, file = folder / "packed.parquet", io.BytesIO()
    count = setwise.pack(source, place)
    assert setwise.unpack(place, file) == count
    return file.getvalue()


def assert_same(source: Any, folder: Path) -> int:
    before, back = games_of(source), there_and_back(source, folder)
    after = games_of(back)
    assert len(before) == len(after)
    for number, (ours, theirs) in enumerate(zip(before, after, strict=True), start=1):
        assert ours == theirs, number
        assert list(ours.tags.items()) == list(theirs.tags.items()), number
        assert ours.pgn() == theirs.pgn(), number
    assert faults_in(folder / "packed.parquet") == faults_of(source)
    return len(before)


# ------------------------------------------------------------------------------------------------------------ the same


@pytest.mark.parametrize("path", [*GAMES, FAMOUS], ids=lambda path: path.name)
def test_unpacked_games_are_those_that_were_packed(path: Path, tmp_path: Path) -> None:
    assert assert_same(path, tmp_path)


def test_games_of_others_are_the_same(shared_data: Path, tmp_path: Path) -> None:
    files = [it for it in sorted((shared_data / "pgn").rglob("*.pgn*")) if it.name != "gnuchess_book.pgn.zst"]
    count, html = 0, shared_data / "pgn" / "fixtures" / "chess.js" / "0.pgn"
    for path in files:
        if path != html:
            count += assert_same(path, tmp_path)
    assert count > 1_600
    # A page of HTML whose lines end in <br />: two games run into each other, and what is not read becomes a comment.
    back = there_and_back(html, tmp_path)
    assert faults_in(tmp_path / "packed.parquet") == faults_of(html)
    assert [it.moves for it in games_of(back)] == [it.moves for it in games_of(html)]


#: Texts whose game could not be read again from its row if its text were stored as it is.
BROKEN = (
    '[Event "a"]\n[Re\nsult "1-0"]\n\n1. d4 {a} 1... Nf6 $1 21/2 c4 (2. Nf3 g6) 2... e6! 1/2-1/2\n',
    '[]FENP6k/8/8/8/8/6Kp/8 w - o- 0 1"]\n\n1. a8=Q h1=Q+ 2. Qxh1+ Kg3. Qh5 { [%eval 1] } *[\n',
    '[Event "a"]\nQResult "1/2-1/2"]\n\n1. d4 {a commen"t} 1.null.. )f6 $1 2. c4 1/2-1/2\n',
)


@pytest.mark.parametrize("text", BROKEN)
def test_one_odd_game_is_kept_and_is_no_reason_to_refuse_a_file(text: str, tmp_path: Path) -> None:
    sound = '[Event "x"]\n\n1. e4 {a} e5 *\n\n'
    whole = f"{sound}{text}\n{sound}".encode()
    columns = ["game", "ply", "move", "event", "result"]
    expected = setwise.find("true", whole, columns=columns)
    setwise.pack(whole, tmp_path / "x.parquet")
    setwise.index(whole, tmp_path / "index")
    setwise.scan(whole, tmp_path / "scan")
    for place in ("x.parquet", "index", "scan"):
        assert setwise.find("true", tmp_path / place, columns=columns).equals(expected), place
    assert faults_in(tmp_path / "x.parquet") == faults_of(whole) != []
    file = io.BytesIO()
    setwise.unpack(tmp_path / "x.parquet", file)
    for word in ("1... Nf6", "Qxh1+", ".. )f6"):
        assert (word in text) == (word in file.getvalue().decode())


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"1. e4 {abc", "a comment is never closed"),
        (b"1. e4 (1. d4 d5", "a variation is never closed"),
        (b'[White "a"]\n\n1. e4 {abc\n\n[White "b"]\n\n1. d4 d5 *', "a comment is never closed"),
        (b"1. e4 c5 2. Nf3q Nc6", "this is not a move"),
        (b'[White "a"]\n1. e4 c5 2. Nf3q Nc6 *\n\n[White "b"]\n1. d4 {x} *\n\n1. c4 $1 e5 *', "this is not a move"),
    ],
)
def test_a_game_that_breaks_off_does_so_on_the_way_back_and_in_an_index(
    text: bytes, fault: str, tmp_path: Path
) -> None:
    place, index, back = tmp_path / "x.parquet", tmp_path / "x.index", io.BytesIO()
    columns = ["game", "ply", "san", "comment", "nags", "white_name"]
    setwise.pack(text, place)
    setwise.index(text, index)
    setwise.unpack(place, back)
    found = setwise.find("true", text, columns=columns).to_pylist()
    for source in (place, index, back.getvalue()):
        assert setwise.find("true", source, columns=columns).to_pylist() == found
    assert faults_of(text)
    assert fault in faults_of(text)[0][2]
    assert faults_in(place) == faults_of(text) == faults_of(back.getvalue())


def _random_games(seed: int, count: int) -> Iterator[str]:
    """Games by python-chess with comments, NAGs, variations, null moves, other starts and Chess960."""
    rng = random.Random(seed)  # noqa: S311
    for number in range(count):
        game = chess.pgn.Game()
        game.headers["White"] = rng.choice(['Zoë "Z" \\ Ö', "Lee, Ann", ""])
        if number % 3:
            game.headers["Annotator"] = "A"
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if number % 4 == 1 else chess.Board()
        for _ in range(rng.randrange(30) if number % 2 else 0):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        board.clear_stack()
        game.setup(board)
        _grow(game, rng, rng.randrange(60), depth=0)
        yield str(game)


def _grow(node: chess.pgn.GameNode, rng: random.Random, plies: int, depth: int) -> None:
    for _ in range(plies):
        board = node.board()
        moves = list(board.legal_moves)
        if not moves:
            return
        if depth < 2 and len(moves) > 1 and rng.random() < 0.08:
            _grow(node.add_variation(rng.choice(moves), comment=rng.choice(["", "but"])), rng, 3, depth + 1)
        null = not board.is_check() and rng.random() < 0.03
        move = chess.Move.null() if null else rng.choice(moves)
        if node.has_variation(move):
            return
        node = node.add_main_variation(move) if not node.variations else node.add_variation(move)
        node.parent.promote_to_main(move)
        if rng.random() < 0.2:
            node.comment = rng.choice(["[%clk 0:01:02.5]", "long; (not a line) 12. $3", "ü [%eval 0.3]", "1-0"])
        if rng.random() < 0.1:
            node.nags.add(rng.randrange(1, 140))


def test_random_games_with_everything_are_the_same(tmp_path: Path) -> None:
    text = "\n\n".join(_random_games(22, 120)).encode()
    games = games_of(text)
    assert sum(1 for game in games if game.variations()) > 20
    assert sum(1 for game in games if game.comments) > 60
    assert assert_same(text, tmp_path) == 120


def test_moves_are_written_as_those_of_a_single_game(tmp_path: Path) -> None:
    place, file = tmp_path / "packed.parquet", io.BytesIO()
    setwise.pack("\n\n".join(_random_games(23, 80)).encode(), place, without=("comments", "nags", "variations"))
    setwise.unpack(place, file)
    text = file.getvalue().decode()
    movetexts = text.rstrip().split("\n\n")[1::2]
    assert movetexts == [game.pgn(columns=None).split("\n\n")[1] for game in games_of(file.getvalue())]


@given(st.lists(st.lists(st.tuples(*[st.integers(0, 63)] * 2, st.integers(0, 7)), max_size=6), max_size=4))
def test_two_bytes_hold_every_move(games: list[list[tuple[int, int, int]]]) -> None:
    offsets = np.append(0, np.cumsum([len(game) for game in games])).astype(np.int64)
    words = [int(NULL_MOVE) if kind == 7 else a | b << 6 | kind << 12 for game in games for a, b, kind in game]
    moves = np.array(words, np.uint16)
    packed, back = np.empty_like(moves), np.empty_like(moves)
    pack_moves(offsets, moves, packed)
    unpack_moves(offsets, packed, back)
    np.testing.assert_array_equal(moves, back)


def test_the_code_of_moves_is_that_of_its_version(tmp_path: Path) -> None:
    place = tmp_path / "x.parquet"
    setwise.pack(b"1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O *", place)
    [moves] = pq.read_table(place, columns=["moves"]).column("moves").to_pylist()
    square = {name: number for number, name in enumerate(chess.SQUARE_NAMES)}
    pairs = [("e2", "e4"), ("e2", "e4"), ("g1", "f3"), ("b1", "c3"), ("f1", "b5"), ("g1", "f3")]  # Black is mirrored
    castling = (square["e1"] | (5 & 3) << 6, square["h1"] | 5 >> 2 << 6)
    assert list(zip(moves[::2], moves[1::2], strict=True)) == [(square[a], square[b]) for a, b in pairs] + [castling]


def test_without_leaves_out_what_merge_leaves_out(tmp_path: Path) -> None:
    place, file, merged = tmp_path / "x.parquet", io.BytesIO(), io.BytesIO()
    source = DATA / "odd.pgn"
    parts = ["comments", "variations", "nags"]
    setwise.pack(source, place, without=parts)
    setwise.unpack(place, file)
    setwise.merge(source, merged, without=parts)
    assert games_of(file.getvalue()) == games_of(merged.getvalue())
    assert not any(game.comments for game in games_of(file.getvalue()))


# ------------------------------------------------------------------------------------------------------------ a source


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("packed") / "games.parquet"
    setwise.pack([FAMOUS, *GAMES], place)
    return place


def test_other_programs_read_tags_and_ends(packed: Path) -> None:
    rows = duckdb.read_parquet(str(packed)).select("White, ends, octet_length(moves) // 2").fetchall()
    batches = [batch for path in [FAMOUS, *GAMES] for batch in setwise.read_pgn(path)]
    whites = [name for batch in batches for name in batch.tag("White").to_pylist()]
    assert [row[0] for row in rows] == whites
    assert [row[1] for row in rows] == [end for batch in batches for end in batch.ends]
    assert [row[2] for row in rows] == [n for batch in batches for n in np.diff(batch.move_offsets).tolist()]


@pytest.mark.parametrize("command", ["sort", "dedupe", "split"])
def test_commands_on_texts_take_packed_games(command: str, packed: Path, tmp_path: Path) -> None:
    def written(source: Any, name: str) -> list[setwise.Game]:
        place = tmp_path / name
        if command == "split":
            setwise.split(source, place, by="result")
            return [game for file in sorted(place.glob("*.pgn")) for game in games_of(file)]
        if command == "sort":
            setwise.sort(source, place.with_suffix(".pgn"), "date,white_name")
        else:
            setwise.dedupe(source, place.with_suffix(".pgn"))
        return games_of(place.with_suffix(".pgn"))

    assert written(packed, "from_packed") == written([FAMOUS, *GAMES], "from_pgn")


def test_packed_games_are_packed_again_to_the_same(packed: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.parquet"
    setwise.pack(packed, again)
    assert games_of(_everything(again)) == games_of(_everything(packed))
    assert faults_in(again) == faults_in(packed)


def test_packed_games_come_by_standard_input(packed: Path) -> None:
    by_name = subprocess.run([*SETWISE, "find", "is_check", packed, "--count"], capture_output=True, check=True).stdout
    by_pipe = subprocess.run(
        [*SETWISE, "find", "is_check", "--count"], input=packed.read_bytes(), capture_output=True, check=True
    )
    assert by_pipe.stdout == by_name
    assert int(by_name) > 100


# ------------------------------------------------------------------------------------------------------- what is wrong


def test_another_version_is_refused(packed: Path, tmp_path: Path) -> None:
    table, place = pq.read_table(packed), tmp_path / "x.parquet"
    stored = json.loads(table.schema.metadata[b"setwise.packed_games"])
    for version in (0, 2, "1", None):
        metadata = {b"setwise.packed_games": json.dumps(stored | {"version": version}).encode()}
        pq.write_table(table.replace_schema_metadata(metadata), place)
        with pytest.raises(SourceError, match=r"x\.parquet has packed games of version .*, and this setwise reads"):
            list(setwise.find("true", place))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("moves", [b"abc"], "half a move"),
        ("moves", [None], "has no moves"),
        ("annotations", [["a", "b"]], "annotations of other moves"),
        ("annotations", [["1. d4 d5 *"]], "the moves and their text differ"),
    ],
)
def test_rows_that_cannot_be_games_are_refused(column: str, value: list[Any], message: str, tmp_path: Path) -> None:
    place = tmp_path / "x.parquet"
    setwise.pack(b"1. e4 {yes} e5 *", place)
    table = pq.read_table(place)
    at = table.schema.get_field_index(column)
    pq.write_table(table.set_column(at, table.schema.field(at), pa.array(value, table.schema.field(at).type)), place)
    with pytest.raises(SourceError, match=message):
        list(setwise.find("comment is not null", place))


@pytest.mark.parametrize("column", ["moves", "ends", "annotations", "White"])
def test_packed_games_that_another_program_wrote_in_its_own_types_are_the_same(
    column: str, packed: Path, tmp_path: Path
) -> None:
    kinds = {
        "moves": [pa.large_binary(), pa.dictionary(pa.int32(), pa.binary())],
        "ends": [pa.large_string(), pa.binary()],
        "annotations": [pa.large_list(pa.string()), pa.list_(pa.large_string())],
        "White": [pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
    }
    table = pq.read_table(packed)
    at = table.schema.get_field_index(column)
    for kind in kinds[column]:
        path = tmp_path / "packed.parquet"
        other = table.column(column)
        other = other.dictionary_encode() if pa.types.is_dictionary(kind) else other.cast(kind)
        changed = table.set_column(at, pa.field(column, other.type), other)
        pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path, use_dictionary=False)
        assert _everything(path) == _everything(packed)
        ask = ("ply = 3", ["san", "white_name", "result"])
        assert setwise.find(ask[0], path, columns=ask[1]).equals(setwise.find(ask[0], packed, columns=ask[1]))


def test_a_flipped_bit_is_refused_or_changes_nothing(packed: Path, tmp_path: Path) -> None:
    data, place = packed.read_bytes(), tmp_path / "x.parquet"
    rng = random.Random(1)  # noqa: S311
    expected = _everything(packed)
    refused = 0
    for _ in range(120):
        at = rng.randrange(len(data))
        place.write_bytes(data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :])
        try:
            answer: bytes | str = _everything(place)
        except SourceError as error:
            answer, refused = str(error), refused + 1
        if isinstance(answer, bytes):
            assert answer == expected, at
        else:
            assert "\n" not in answer
            assert str(place) in answer
    assert refused > 60


def _everything(place: Path) -> bytes:
    file = io.BytesIO()
    setwise.unpack(place, file, threads=1)
    return file.getvalue()


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.999])
def test_a_file_cut_short_is_refused(share: float, packed: Path, tmp_path: Path) -> None:
    place, data = tmp_path / "x.parquet", packed.read_bytes()
    place.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(SourceError, match=r"x\.parquet"):
        setwise.unpack(place, io.BytesIO())


def test_what_cannot_be_packed_is_said(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"should end in \.parquet"):
        setwise.pack(FAMOUS, tmp_path / "x.pgn")
    (tmp_path / "d.parquet").mkdir()
    with pytest.raises(OutputError, match="it is a directory"):
        setwise.pack(FAMOUS, tmp_path / "d.parquet")
    with pytest.raises(QueryError, match="games cannot do without 'clocks'"):
        setwise.pack(FAMOUS, tmp_path / "x.parquet", without="clocks")
    with pytest.raises(SourceError, match="is not PGN"):
        setwise.pack(setwise.Positions.from_fens([setwise.Position().fen()]), tmp_path / "x.parquet")
    assert not (tmp_path / "x.parquet").exists()


def test_an_error_leaves_an_older_file(packed: Path, tmp_path: Path) -> None:
    place = tmp_path / "x.parquet"
    place.write_bytes(packed.read_bytes())
    broken = tmp_path / "broken.pgn.gz"
    broken.write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(SourceError):
        setwise.pack([FAMOUS, broken], place)
    assert sorted(it.name for it in tmp_path.iterdir()) == ["broken.pgn.gz", "x.parquet"]
    assert place.read_bytes() == packed.read_bytes()


@pytest.mark.slow
def test_a_killed_pack_leaves_no_file_of_its_name(tmp_path: Path) -> None:
    source, place = tmp_path / "many.pgn", tmp_path / "x.parquet"
    source.write_bytes(FAMOUS.read_bytes() * 4_000)
    rng, killed = random.Random(5), 0  # noqa: S311
    for most in (0, 0.1, 0.3, 0.5):  # seconds after it has begun to write
        process = subprocess.Popen([*SETWISE, "pack", source, "-o", place], stderr=subprocess.DEVNULL)
        while process.poll() is None and not any(it != source for it in tmp_path.iterdir()):
            time.sleep(0.002)
        time.sleep(most * rng.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += not place.exists()
        for left in [place] if place.exists() else []:  # it was whole before the signal came
            assert pq.read_metadata(left).num_rows == 41 * 4_000
            left.unlink()
    assert killed
    subprocess.run([*SETWISE, "pack", source, "-o", place], stderr=subprocess.DEVNULL, check=True)
    assert pq.read_metadata(place).num_rows == 41 * 4_000
