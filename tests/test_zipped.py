"""Zip and tar archives and texts in UTF-16 are sources; what is not one of games is named."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.processes import run
from setwise.archives import zstd
from setwise.errors import SourceError

COLUMNS = ["game", "ply", "move", "white_name"]


@pytest.fixture(scope="module")
def zipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("zip") / "games.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("read.me", "not a game")
        archive.write(FAMOUS_GAMES, "first.pgn")
        archive.writestr("../second.PGN", "1. d4 d5 *")
    return place


def rows(source: Path) -> list[dict[str, object]]:
    return setwise.find("true", str(source), columns=COLUMNS).to_pylist()


def test_the_games_of_all_pgn_files_in_an_archive_are_read(zipped: Path) -> None:
    expected = rows(FAMOUS_GAMES)
    assert rows(zipped)[: len(expected)] == expected
    assert [row["game"] for row in rows(zipped)[len(expected) :]] == [42, 42, 42]
    assert [it.name for it in zipped.parent.parent.rglob("*.PGN")] == []


def test_what_is_no_archive_of_games_is_named(zipped: Path, tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    whole = zipped.read_bytes()
    others = whole.replace(b".pgn", b".txt").replace(b".PGN", b".txt")
    for data, reason in ((whole[:3000], "cut off or damaged"), (others, "without files named .pgn")):
        place.write_bytes(data)
        with pytest.raises(SourceError, match=reason) as raised:
            rows(place)
        assert str(raised.value).count("x.zip") == 1
    locked = bytearray(whole)
    for at in range(len(locked) - 4):
        if locked[at : at + 4] == b"PK\1\2":
            locked[at + 8] |= 1
    place.write_bytes(locked)
    with pytest.raises(SourceError, match="password"):
        rows(place)
    damaged = bytearray(whole)
    damaged[2000] ^= 255
    place.write_bytes(damaged)
    with pytest.raises(SourceError):
        rows(place)


def test_an_archive_of_one_file_is_this_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("games.csv", "white,moves\na,e4 e5\n")
    assert [row["white_name"] for row in rows(tmp_path / "x.zip")] == ["a"] * 3


def test_an_archive_that_would_fill_the_memory_is_refused(zipped: Path, tmp_path: Path) -> None:
    bomb = bytearray(zipped.read_bytes())
    at = bomb.find(b"PK\1\2", bomb.find(b"PK\1\2") + 4)
    bomb[at + 24 : at + 28] = b"\xff\xff\xff\x7f"
    bomb[at + 20 : at + 24] = (1 << 20).to_bytes(4, "little")
    (tmp_path / "x.zip").write_bytes(bomb)
    with pytest.raises(SourceError, match=r"x.zip: first.pgn would become 2,147,483,647 bytes from 1,048,576"):
        rows(tmp_path / "x.zip")


PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}


@pytest.mark.parametrize("suffix", PACKERS)
def test_the_games_of_a_tar_archive_are_read_in_its_order(suffix: str, tmp_path: Path) -> None:
    place, file = tmp_path / f"x.tar{suffix}", io.BytesIO()
    games = FAMOUS_GAMES.read_bytes()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, data in (("read.me", b"no"), ("a/x.pgn", games), ("../y.PGN.gz", gzip.compress(b"1. d4 d5 *"))):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    place.write_bytes(PACKERS[suffix](file.getvalue()))
    expected = rows(FAMOUS_GAMES)
    assert rows(place)[: len(expected)] == expected
    assert [row["game"] for row in rows(place)[len(expected) :]] == [42, 42, 42]
    with place.open("rb") as opened:
        assert setwise.find("true", opened).num_rows == len(expected) + 3
    place.write_bytes(PACKERS[suffix](file.getvalue()[: len(games) // 2]))
    with pytest.raises(SourceError, match=r"x.tar.* cannot be read beyond byte .* the tar archive is cut off"):
        rows(place)
    place.write_bytes(PACKERS[suffix](file.getvalue().replace(b".pgn", b".txt").replace(b".PGN", b".TXT")))
    with pytest.raises(SourceError, match=r"the tar archive has no files named \.pgn"):
        rows(place)


def test_an_archive_that_is_piped_in_is_refused(zipped: Path) -> None:
    process = run("bash", "-c", f"{sys.executable} -m setwise find true - --count < <(cat {zipped})", status=2)
    assert "name its file" in process.stderr


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_texts_in_utf_16_are_read(encoding: str, tmp_path: Path) -> None:
    place = tmp_path / "x.pgn"
    place.write_bytes(f"\ufeff{FAMOUS_GAMES.read_text('utf-8')}".encode(encoding))
    assert rows(place) == rows(FAMOUS_GAMES)
