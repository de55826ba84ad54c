"""Ranges of files: read apart and joined, they are the file, wherever it is cut and whatever stands there."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import DATA, FAMOUS_GAMES
from setwise.archives import zstd
from setwise.errors import SourceError
from setwise.game.games import Range, numbered, ranges

GAMES = FAMOUS_GAMES.read_bytes()
ODD = b"\n\n".join(path.read_bytes() for path in sorted(DATA.glob("*.pgn")))

#: What games are made of, and what only looks like it.
PIECES = [
    b'[Event "1"]\n', b'[Event "2"]\r\n', b'[White "x"]\n', b"\n", b"\r\n", b"\n\n", b"1. e4 e5 1-0", b"2. d4 *", b"{",
    b"}", b"{ [%clk 0:00:01] }", b'\n\n[Site "in a comment?"]\n', b"; [Event ", b"[", b"]", b"x" * 70, b" " * 70,
]  # fmt: skip


def framed(text: bytes, size: int) -> bytes:
    """An archive of frames of so many bytes of text, each told by a small one before it, as pzstd writes them."""
    packed = (zstd.compress(text[start : start + size]) for start in range(0, len(text), size))
    return b"".join(struct.pack("<III", 0x184D2A50, 4, len(frame)) + frame for frame in packed)


def joined(some: list[Range]) -> bytes:
    return b"".join(block.text for it in some for block in it.blocks(1 << 12))


def cut_at(path: Path, cuts: list[int]) -> list[Range]:
    return [Range(str(path), start, stop) for start, stop in zip([0, *cuts], [*cuts, None], strict=True)]


@given(st.lists(st.sampled_from(PIECES), min_size=1), st.data())
def test_whatever_the_text_and_wherever_it_is_cut_ranges_are_all_of_it_once(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], data: st.DataObject
) -> None:
    text = b'[Event "0"]\n\n1. e4 *\n\n' + b"".join(pieces)
    place = tmp_path_factory.getbasetemp() / "cut.pgn"
    place.write_bytes(text)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=6)))
    assert joined(cut_at(place, cuts)) == text


@pytest.mark.parametrize("size", [1_000, 1_024, 4_001, 20_000])
@pytest.mark.parametrize("text", [GAMES, ODD, GAMES.replace(b"\n", b"\r\n")], ids=["famous", "odd", "windows"])
def test_games_have_the_numbers_and_lines_of_the_whole_file(tmp_path: Path, text: bytes, size: int) -> None:
    place = tmp_path / "games.pgn"
    place.write_bytes(text)
    some = numbered(ranges(str(place), size), 2)
    assert len(some) == -(-len(text) // size)
    columns = ["source", "game", "ply", "san", "fen"]
    told: list[list[object]] = [[], []]
    apart = setwise.find("true", some, columns=columns, on_fault=told[0].append)
    whole = setwise.find("true", str(place), columns=columns, on_fault=told[1].append)
    assert apart.to_pylist() == whole.to_pylist()
    assert told[0] == told[1]


@pytest.mark.parametrize("frame", [900, 4_096])
def test_an_archive_is_cut_between_frames_whose_sizes_it_tells(tmp_path: Path, frame: int) -> None:
    place = tmp_path / "games.pgn.zst"
    place.write_bytes(framed(GAMES, frame))
    some = ranges(str(place), 5_000)
    assert len(some) > 3
    assert joined(some) == GAMES
    assert numbered(some, 2)[-1].game > 20


@pytest.mark.parametrize(
    "packed",
    [
        zstd.compress(GAMES),
        struct.pack("<II", 0x184D2A50, 5) + b"about" + zstd.compress(GAMES),
        GAMES[:100] + b"\n" * 9_000,
    ],
)
def test_what_tells_no_place_to_cut_is_one_range(tmp_path: Path, packed: bytes) -> None:
    place = tmp_path / "games.pgn"
    place.write_bytes(packed)
    assert [(it.start, it.stop) for it in ranges(str(place), 1_024)] == [(0, None)]


def test_a_damaged_frame_is_told_with_its_place(tmp_path: Path) -> None:
    place = tmp_path / "games.pgn.zst"
    packed = bytearray(framed(GAMES, 4_096))
    packed[-200:-100] = bytes(100)
    place.write_bytes(packed)
    last = ranges(str(place), 5_000)[-1]
    with pytest.raises(SourceError, match=rf"games\.pgn\.zst, from byte {last.start:,} on, cannot be read"):
        joined([last])
