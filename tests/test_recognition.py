"""What is PGN and what is not: an error that names the source, and never a game out of something else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import re
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES
from setwise import Game, find, read_pgn, scan
from setwise.archives import zstd
from setwise.errors import SourceError
from setwise.game import games as recognition
from setwise.game.batch import Block, blocks
from setwise.game.games import Games

GAMES = FAMOUS_GAMES.read_bytes()
TABLE = pa.table({"pgn": [GAMES.decode()] * 3, "result": ["1-0", "0-1", "*"]})


def picture() -> bytes:
    """A PNG of noise."""
    noise = random.Random(1)  # noqa: S311
    rows = zlib.compress(b"".join(b"\0" + noise.randbytes(3 * 64) for _ in range(64)), 0)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def zipped(file: io.BytesIO) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("games.txt", GAMES)
        archive.writestr("more.txt", GAMES)


def feather(file: io.BytesIO) -> None:
    pyarrow.feather.write_feather(TABLE, file, compression="uncompressed")


#: Texts and files that are no PGN, and what is said of them.
OTHERS: dict[str, tuple[bytes, str]] = {
    "Parquet": (written(lambda file: pyarrow.parquet.write_table(TABLE, file, compression="none")), "a Parquet file"),
    "Arrow": (written(feather), "an Arrow file"),
    "a zip archive": (written(zipped), "without files named .pgn"),
    "a picture": (picture(), "a picture"),
    "a program": (Path(sys.executable).read_bytes(), "a program" if sys.platform == "linux" else "it begins with"),
    "NumPy": (written(lambda file: np.save(file, np.arange(10_000))), "it begins with"),
    "positions": (
        b"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n",
        "Positions.from_fens",
    ),
    "operations": (b'8/8/8/8/8/2k5/2p5/2K5 w - - bm Kd1; id "test 1-0";\n', "Positions.from_fens"),
    "CSV": (b"white,black,result\nMorphy,Duke Karl,1-0\nAnderssen,Kieseritzky,1-0\nSteinitz,Bardeleben,*\n", "'white,"),
    "CSV of moves": (b"id,moves\n1,e4 e5 Nf3 Nc6\n2,d4 d5\n", "'id,moves'"),
    "puzzles": (
        b"PuzzleId,FEN,Moves,Rating\n00008,r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24,f2g3 e6e7,1760\n",
        "'PuzzleId,",
    ),
    "JSON": (b'{"white": "Morphy", "moves": "e4 e5"}\n{"white": "*"}\n', "but JSON"),
    "JSON in lines": (b'{\n  "error": "there is no such study"\n}\n', "but JSON"),
    "settings": (b"[core]\n\tbare = false\n[remote]\n\turl = x\n", "[core]"),
    "prose": (b"Dear Paul,\n\n1 * is a good * hotel. In e4 we begin.\n", "'Dear Paul,'"),
    "a script": (b'#!/bin/sh\nfor a in *; do echo "$a" [b]; done\n', "'#!/bin/sh'"),
    "HTML": (b"<!DOCTYPE html>\n<html><body>404 * not found</body></html>\n", "a page of HTML or XML"),
    "signs": (b"@@@ ### )))\n", "'@@@ ### )))'"),
    "a library": (b"d3.js draws\n", "'d3.js draws'"),
}


#: Those of them that are searched all the same, as tables.
SEARCHED = {"positions", "operations", "puzzles", "Parquet", "CSV of moves", "JSON"}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_pgn_is_an_error_that_names_the_source(name: str, tmp_path: Path) -> None:
    text, said = OTHERS[name]
    path = tmp_path / "games.pgn"
    for raw in (text, gzip.compress(text), zstd.compress(text)):
        path.write_bytes(raw)
        for size in (1, 1 << 19):
            with pytest.raises(SourceError) as caught:
                list(read_pgn(path, batch_bytes=size))
            assert str(caught.value).startswith(f"{path} is not PGN")
            assert said in str(caught.value)
            assert len(str(caught.value)) < 300 + len(str(path))
        if name not in SEARCHED:
            with pytest.raises(SourceError, match=re.escape(str(path))):
                find("true", path)
            with pytest.raises(SourceError, match=re.escape(str(path))):
                scan(path, tmp_path / "out")
    with pytest.raises(SourceError, match="<bytes> is not PGN"):
        list(read_pgn(text))


def test_random_bytes_are_no_pgn() -> None:
    for seed in range(300):
        dice = random.Random(seed)  # noqa: S311
        text = b"\xaa" + dice.randbytes(dice.choice((60, 500, 5000, 100_000)))
        with pytest.raises(SourceError, match="is not PGN"):
            list(read_pgn(text))


@pytest.mark.slow
def test_the_command_line_says_so_in_a_sentence(tmp_path: Path) -> None:
    for name in ("a zip archive", "CSV", "JSON in lines", "a picture"):
        path = tmp_path / "games.pgn"
        path.write_bytes(OTHERS[name][0])
        for arguments in (["find", "true"], ["find", "--count", "true"], ["scan", "-o", str(tmp_path / "out")]):
            done = subprocess.run(
                [sys.executable, "-m", "setwise", arguments[0], *arguments[1:], str(path)],
                capture_output=True, text=True, timeout=300, check=False,
            )  # fmt: skip
            assert done.returncode == 2
            assert done.stdout.count("\n") <= 1, "a header at most"
            said = "begins like JSON, but its first object has no" if name == "JSON in lines" else "is not PGN"
            assert f"{path} {said}" in done.stderr.replace("\n", "")
            assert "Traceback" not in done.stderr


#: Small texts that are PGN, and how many games they hold.
LITTLE: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", 0),
    "blanks": (b" \r\n\t\1\n", 0),
    "a byte order mark": (b"\xef\xbb\xbf\n", 0),
    "moves and a result": (b"1. e4 e5 *", 1),
    "moves alone": (b"e4 e5 Nf3\n", 1),
    "one move": (b"e4", 1),
    "one move and an error": (b"1. e4 Qh9 *", 1),
    "an illegal move": (b"1. Ke3 *", 1),
    "two moves and an error": (b"e4 e5 bananas", 1),
    "an error in Black's first move": (b"1. Qxz9 1-0\n1. e4 e5 1-0\n1. d4 *", 3),
    "a result": (b"*", 1),
    "results": (b"1-0\n0-1 * 1/2-1/2", 4),
    "a comment and a result": (b"{ nobody came }\n\1 1/2-1/2 { * }", 1),
    "a comment": (b"{ only words }", 1),
    "comments": (b'; none yet\n{ only words }\n\n{ and "more": words }\n', 1),
    "a comment that nobody closed": (b"{ only words\n", 1),
    "comments to the ends of lines": (b"; none yet\n\n; nor here", 0),
    "tags": (b'[Event "a"]\n', 1),
    "a tag": (b'[White"a"]', 1),
    "a tag with escapes": (b'[Event "The \\"Immortal\\" \\\\"]', 1),
    "an unknown variant": (b'[Variant "Atomic"]\n\n1. Nh3 *', 1),
    "a header, then games": (b"From: a\nTo: *\n\n" * 1000 + GAMES, -1),
    "games, then a picture": (GAMES + b"\n" + picture().replace(b"\0", b"\1"), -1),
    "moves, then noise": (b"1. e4 e5 *\n" + random.Random(1).randbytes(1000).replace(b"\0", b"\1"), -1),  # noqa: S311
}


@pytest.mark.parametrize("name", LITTLE)
def test_whatever_holds_a_tag_or_moves_or_results_alone_is_pgn(name: str) -> None:
    text, count = LITTLE[name]
    for size in (1, 100, 1 << 19):
        found = [game for games in read_pgn(text, batch_bytes=size) for game in games]
        assert len(found) == count or (count < 0 < len(found))


def parquet_of_no_rows(**kinds: pa.DataType) -> bytes:
    return written(lambda file: pyarrow.parquet.write_table(pa.schema(kinds).empty_table(), file))


#: Files that a person may have by accident, and what is said of each.
ACCIDENTS: dict[str, tuple[bytes, str]] = {
    "nothing but NULs": (bytes(5000), "has NUL bytes from byte 0 of its text on"),
    "a hole": (GAMES[:9000] + bytes(4096) + GAMES[13096:], "has NUL bytes from byte 9,000"),
    "a NUL at the end": (GAMES + b"\0", f"has NUL bytes from byte {len(GAMES):,}"),
    "a list with a hole": (b"4k3/8/8/8/8/8/8/4K3 w - -\n" * 9 + bytes(512), "has NUL bytes from byte 234"),
    "a table with a hole": (b"fen,x\n4k3/8/8/8/8/8/8/4K3 w - -,1\n" + bytes(512), "has NUL bytes from byte 34"),
    "JSON lines with a hole": (b'{"fen": "4k3/8/8/8/8/8/8/4K3 w - -"}\n' + bytes(512), "has NUL bytes from byte 37"),
    "a page": (b"\n<!DOCTYPE html>\n<html><body>\n" + GAMES + b"</body></html>", "is not PGN but a page of HTML"),
    "a cut archive of a list": (gzip.compress(b"4k3/8/8/8/8/8/8/4K3 w - -\n" * 99)[:-9], "cannot be read beyond byte"),
    "a damaged second stream, bz2": (bz2.compress(GAMES) + b"BZ" + bz2.compress(GAMES), f"beyond byte {len(GAMES)}"),
    "a damaged second stream, xz": (lzma.compress(GAMES) + b"\xfd7" + lzma.compress(GAMES), f"byte {len(GAMES)}"),
    "Parquet of no rows, a number as FEN": (parquet_of_no_rows(fen=pa.int64()), "has no texts in its column fen"),
    "Parquet of no rows, texts as sets": (
        parquet_of_no_rows(white_to_move=pa.string(), white_pawns=pa.string()), "column",
    ),
    "packed games that end as NULs": (b"PAR1" + bytes(5000), "cannot be read as a table"),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCIDENTS)
def test_files_that_are_there_by_accident_are_no_empty_answer(name: str, tmp_path: Path) -> None:
    text, said = ACCIDENTS[name]
    path = tmp_path / "x.pgn"
    path.write_bytes(text)
    for source in (path, text):
        with pytest.raises(SourceError) as refused:
            setwise.find("true", source, columns=["fen"])
        assert said in str(refused.value)
        with pytest.raises(SourceError):
            setwise.pack(source, tmp_path / "x.parquet")
    with pytest.raises(SourceError):
        setwise.scan(path, tmp_path / "scan")
    assert not (tmp_path / "x.parquet").exists()


@pytest.mark.parametrize("suffix", [".parquet", ".pgn.zst", ".PGN.GZ"])
def test_an_emptied_file_of_a_kind_that_is_never_empty_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"")
    with pytest.raises(SourceError, match="has no bytes at all"):
        setwise.find("true", path)


def test_games_before_a_hole_are_read() -> None:
    games = read_pgn(GAMES + bytes(512) + GAMES, batch_bytes=1000)
    read = []
    with pytest.raises(SourceError, match="NUL bytes"):
        read.extend(game for some in games for game in some)
    assert read == [game for some in read_pgn(GAMES) for game in some]


def test_good_games_among_junk_stay_and_the_rest_are_faults() -> None:
    good, junk = GAMES.rstrip() + b"\n\n", b"\1\1\x89 some junk, no game\n" * 20
    whole = good + b'[Event "junk"]\n\n' + junk + b"\n" + good
    expected = [game for games in read_pgn(good) for game in games]
    found: list[Game] = []
    faults = []
    for games in read_pgn(whole):
        found += list(games)
        faults += list(games.faults())
    assert found[: len(expected)] == found[-len(expected) :] == expected
    assert len(found) == 2 * len(expected) + 1
    assert [fault.game for fault in faults] == [len(expected) + 1]


def test_all_games_that_are_here_are_pgn(shared_data: Path) -> None:
    for path in [FAMOUS_GAMES, *sorted((shared_data / "pgn").rglob("*.pgn*"))]:
        for games in read_pgn(path):
            assert len(games)
            break
        else:
            raise AssertionError(f"{path} has no games")


def test_positions_and_puzzles_that_are_here_are_none(shared_data: Path) -> None:
    paths = [path for folder in ("epd", "perft", "fen", "puzzles") for path in (shared_data / folder).iterdir()]
    assert len(paths) > 4
    for path in paths:
        with pytest.raises(SourceError, match="is not PGN"):
            next(read_pgn(path))


def test_what_a_cut_archive_holds_is_judged_too() -> None:
    packed = gzip.compress(OTHERS["CSV"][0] * 100, 0)
    with pytest.raises(SourceError, match="is not PGN"):
        list(read_pgn(packed[:-20], batch_bytes=100))
    read = []
    with pytest.raises(SourceError, match="cannot be read beyond"):
        read.extend(read_pgn(gzip.compress(GAMES, 0)[:-20], batch_bytes=100))
    assert sum(map(len, read)) > 0


PIECES = st.sampled_from([
    b'[A "b"]', b"[A", b'"]', b"\n", b"\n\n", b" ", b"{", b"}", b"(", b"1. e4", b"e4", b"e5", b"1. Ke3", b"junk",
    b"1-0", b"*", b"; x", b"% y", b"#", b"\1", b"PAR1", b"\xff\xfe", b"4k3/8/8/8/8/8/8/4K3 w - - 0 1",
])  # fmt: skip


@given(st.lists(PIECES, max_size=25).map(b"".join), st.integers(1, 40), st.sampled_from([5, 30, 1 << 19]))
def test_the_size_of_blocks_and_batches_decides_nothing(text: bytes, size: int, head: int) -> None:
    def read(batch: int) -> list[bytes] | None:
        try:
            return list(b"".join(block.text for block in recognition.pgn_blocks(text, batch)).split())
        except SourceError:
            return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recognition, "_HEAD", head)
        assert read(size) == read(1 << 19)
        assert read(size) in (None, text.split())


def test_blocks_themselves_take_anything() -> None:
    text = OTHERS["a picture"][0].replace(b"\0", b"\1")
    assert b"".join(block.text for block in blocks(text)) == text
    block = Games.parsed(Block(text, "x", 0, 1)).block
    assert (block.written or block).text == text
