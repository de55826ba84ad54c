"""Where games come from: blocks are exactly the bytes, archives of every kind, and what is said of broken ones."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import itertools
import lzma
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.programs import needed
from setwise import Games, read_pgn
from setwise.archives import zstd
from setwise.corpus.query.search import Query, planned, search
from setwise.errors import SourceError
from setwise.game.batch import BLOCK, LONGEST_GAME, Block, begun_small, blocks

GAMES = FAMOUS_GAMES.read_bytes()

#: Every kind of beginning: after a result, without one, inside what nobody closed, between Windows lines.
MIXED = (
    b'% a line\n[Event "1"]\n[White "a"]\n\n1. e4 {comment\n\n} e5 1-0\n\n[Event "2"]\n\n1. d4 {open\n'
    b'[Event "3"]\n\n1. c4 *\n'
    b'[Event "4"]\r\n[White "x"]\r\n\r\n1. e4\r\n\r\n[White "5"]\r\n\r\n1. d4 (open\r\n\r\n'
    b'[White "6"]\n\n1. c4 0-1\n\n\n\n'
    b'[Site "7"]\n[Event "7"]\n\n1/2-1/2\n[Event "8"]\n\n[Event "9"]\n\n1. Nf3'
)


def skippable(content: bytes, number: int = 0) -> bytes:
    return struct.pack("<II", 0x184D2A50 + number, len(content)) + content


_NO_SIZE = {zstd.CompressionParameter.content_size_flag: 0}


def zst(text: bytes) -> bytes:
    return zstd.compress(text)


def halves(packed: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda text: packed(text[: len(text) // 2]) + packed(text[len(text) // 2 :])


def zst_checked(text: bytes) -> bytes:
    return zstd.compress(text, options=_NO_SIZE | {zstd.CompressionParameter.checksum_flag: 1})


def pzstd(text: bytes) -> bytes:
    """A frame as pzstd writes it: a skippable one before it holds its size."""
    packed = zst_checked(text)
    return skippable(struct.pack("<I", len(packed))) + packed


def pieces(text: bytes, size: int, packed: Callable[[bytes], bytes]) -> bytes:
    return b"".join(packed(text[start : start + size]) for start in range(0, len(text), size))


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "zst": zst,
    "zst, several frames": halves(zst),
    "zst, an empty frame": lambda text: zst(b"") + zst(text),
    "zst, of unknown length": lambda text: zstd.compress(text, options=_NO_SIZE),
    "zst, a skippable frame first": lambda text: skippable(b"about") + zst(text),
    "zst, any skippable frame first": lambda text: skippable(b"", 15) + skippable(b"x" * 100_000, 7) + zst(text),
    "zst, skippable frames between": halves(lambda half: zst(half) + skippable(b"between")),
    "zst, as pzstd": lambda text: pieces(text, 30_000, pzstd),
    "zst, with checksums": lambda text: pieces(text, 70_000, zst_checked),
    "gz": gzip.compress,
    "gz, several members": halves(gzip.compress),
    "bz2": bz2.compress,
    "bz2, several streams": halves(bz2.compress),
    "xz": lzma.compress,
    "xz, several streams": halves(lzma.compress),
}


def contiguous(found: list[Block]) -> bytes:
    """The text of all blocks, whose offsets and lines are right."""
    text = b""
    for block in found:
        assert block.text
        assert block.offset == len(text)
        assert block.line == 1 + text.count(b"\n")
        text += block.text
    return text


@pytest.mark.parametrize("text", [GAMES, MIXED, GAMES.replace(b"\n", b"\r\n")], ids=["examples", "mixed", "windows"])
@given(size=st.one_of(st.integers(1, 200), st.integers(1, 1 << 16)))
def test_blocks_are_the_bytes_and_begin_with_games(text: bytes, size: int) -> None:
    found = list(blocks(text, size))
    assert contiguous(found) == text
    assert all(block.text.startswith(b"[") for block in found[1:])


@given(first=st.integers(1, 1 << 13), size=st.integers(1 << 10, 1 << 14))
def test_first_blocks_are_small_and_grow(first: int, size: int) -> None:
    whole = list(blocks(GAMES, size))
    found = list(begun_small(iter(whole), first))
    assert contiguous(found) == GAMES
    assert all(block.text.startswith(b"[") for block in found[1:])
    parts = found[: len(found) - len(whole) + 1]
    assert [block.text for block in found[len(parts) :]] == [block.text for block in whole[1:]]
    assert all(len(block.text) <= first << number for number, block in enumerate(parts[:-1]))


def test_a_text_without_tags_is_cut_between_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setwise.game.batch.LONGEST_GAME", 200)
    text = b"1. e4 e5 1-0\n" * 100
    found = list(blocks(text, 50))
    assert contiguous(found) == text
    assert all(block.text.endswith(b"\n") and len(block.text) < 250 for block in found)
    assert sum(len(games) for games in read_pgn(text, batch_bytes=50)) == 100
    assert max(len(block.text) for block in blocks(b"x" * 1000, 50)) < 250


@given(st.binary(max_size=300), st.integers(1, 50))
def test_blocks_are_the_bytes_of_anything(text: bytes, size: int) -> None:
    text = text.replace(b"\0", b"\1")  # NUL bytes are refused
    # A text that begins like an archive is one.
    if (
        text[:4] != b"\x28\xb5\x2f\xfd"
        and text[:2] != b"\x1f\x8b"
        and text[:3] != b"BZh"
        and text[:4] != b"PK\3\4"
        and text[1:4] != b"\x2a\x4d\x18"
    ):
        assert contiguous(list(blocks(text, size))) == text


def rows(batches: Iterable[Games]) -> list[tuple[object, ...]]:
    return [
        (
            games.first + k,
            games.moves[slice(*games.move_offsets[k : k + 2])].tolist(),
            games.results[k],
            games.tag("Event")[k].as_py(),
            games.tag("White")[k].as_py(),
        )
        for games in batches
        for k in range(len(games))
    ]


def uncut(text: bytes) -> list[tuple[object, ...]]:
    """The games of a text that nobody cuts into blocks."""
    return rows([Games.parsed(Block(text, "<bytes>", 0, 1))])


def cut(text: bytes, size: int) -> list[tuple[object, ...]]:
    """The games of a text that is cut into blocks, PGN or not."""
    return rows(Games.parsed(block) for block in blocks(text, size))


@pytest.mark.parametrize("text", [MIXED, MIXED.replace(b"\r", b""), MIXED.replace(b"\r", b"").replace(b"\n", b"\r\n")])
def test_the_size_of_blocks_changes_no_games(text: bytes) -> None:
    whole = uncut(text)
    for size in range(1, len(text) + 1, 3):
        assert rows(read_pgn(text, batch_bytes=size)) == whole


@pytest.mark.parametrize("between", ["; c", "%foo", '[Black "open', "(x)", "$1", "#", "[x] y", "{c}"])
@pytest.mark.parametrize("name", ["Event", "White", "Black"])
def test_the_size_of_blocks_changes_no_odd_tags(between: str, name: str) -> None:
    text = f'[White "a"]\n{between}\n\n[{name} "b"]\n\n1. e4 *\n\n[Event "c"]\n\n1. d4 *\n'.encode()
    whole = uncut(text)
    for size in range(1, len(text) + 1):
        assert rows(read_pgn(text, batch_bytes=size)) == whole


PIECES = [
    b'[Event "a"]', b'[White "b"]', b'[Black "c', b'[Site "d"', b"[e]", b"\n", b"\n\n", b"\r\n", b"\r\n\r\n",
    b" ", b"{", b"}", b"(", b")",
    b"1. e4", b"e5", b"1-0", b"*", b"; x", b"% y", b"$1", b"\\", b"]", b"[", b"#", b"\x02", b"\x01",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join), st.integers(1, 40))
def test_the_size_of_blocks_changes_no_text(text: bytes, size: int) -> None:
    assert [row[1:] for row in cut(text, size)] == [row[1:] for row in uncut(text)]


# ------------------------------------------------------------------------------------------------------------ archives


@pytest.mark.parametrize("kind", PACKED)
def test_archives_are_told_by_their_first_bytes(kind: str, tmp_path: Path) -> None:
    text = GAMES * 20
    packed = PACKED[kind](text)
    path = tmp_path / "games.pgn"
    path.write_bytes(packed)
    for source in (packed, path, str(path), io.BytesIO(packed)):
        for size in (1 << 19, 5000):
            if isinstance(source, io.BytesIO):
                source.seek(0)
            found = list(blocks(source, size))
            assert contiguous(found) == text
    assert {block.name for block in blocks(path)} == {str(path)}
    with path.open("rb") as file:
        assert contiguous(list(blocks(file))) == text
        assert not file.closed


@pytest.mark.parametrize("kind", PACKED)
def test_archives_hold_the_games_of_their_text(kind: str) -> None:
    plain, packed = (list(read_pgn(source)) for source in (GAMES, PACKED[kind](GAMES)))
    assert rows(packed) == rows(plain)


def until_it_breaks(source: bytes | Path, size: int = 1000) -> tuple[bytes, str]:
    """The text that was read before the error, and the error."""
    found: list[Block] = []
    with pytest.raises(SourceError) as caught:
        found.extend(blocks(source, size))
    return contiguous(found), str(caught.value)


@pytest.mark.parametrize("kind", [kind for kind in PACKED if kind != "plain" and "between" not in kind])
@pytest.mark.parametrize("lost", [1, 3, 0.5])
def test_a_cut_archive_is_read_as_far_as_possible(kind: str, lost: float, tmp_path: Path) -> None:
    text = GAMES * 20
    packed = PACKED[kind](text)
    cut = packed[: -lost if lost >= 1 else len(packed) // 2 - 1]  # type: ignore[misc]
    path = tmp_path / "cut.pgn"
    path.write_bytes(cut)
    read, error = until_it_breaks(path)
    assert text.startswith(read)
    assert str(path) in error
    if "several" in kind:
        assert len(read) >= len(text) // 2 or lost == 0.5
    elif "zst" in kind and lost != 0.5:  # a block has 128 kB of text at most
        assert len(read) >= len(text) - (1 << 17)


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_an_archive_that_is_filled_up_with_zeros_is_whole(kind: str) -> None:
    packed = PACKED[kind](GAMES)
    for zeros in (4, 512, 1 << 19):
        assert contiguous(list(blocks(packed + bytes(zeros)))) == GAMES
        assert contiguous(list(blocks(packed + bytes(zeros) + packed + bytes(zeros)))) == GAMES * 2


def test_what_is_opened_is_closed_whether_it_can_be_read_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, plain = list[io.IOBase](), Path.open

    def remembered(path: Path, *arguments: Any, **options: Any) -> Any:
        opened.append(plain(path, *arguments, **options))
        return opened[-1]

    monkeypatch.setattr(Path, "open", remembered)
    for name, data in {"a.pgn": GAMES, "b.zst": zst(GAMES), "cut.gz": gzip.compress(GAMES)[:-9]}.items():
        (tmp_path / name).write_bytes(data)
        opened.clear()
        for ask in (blocks, read_pgn, lambda it: [setwise.find("is_check", it)]):
            with pytest.raises(SourceError) if name == "cut.gz" else contextlib.nullcontext():
                assert list(ask(tmp_path / name))
        assert len(opened) >= 3
        assert all(file.closed for file in opened)


@pytest.mark.parametrize("kind", ["zst", "gz", "bz2", "xz"])
def test_a_damaged_archive_is_refused_and_what_stands_before_the_damage_is_read(kind: str) -> None:
    packed = bytearray(PACKED[kind](GAMES))
    for at in range(len(packed) // 2, len(packed) // 2 + 8):
        packed[at] ^= 0xFF
    read, error = until_it_breaks(PACKED[kind](GAMES) + bytes(packed))
    assert read.startswith(GAMES)
    assert f"cannot be read beyond byte {len(read)} of its text" in error


def test_a_damaged_frame_is_told_and_what_stands_before_it_is_read() -> None:
    text = GAMES * 20
    frames = [zst_checked(text[start : start + 100_000]) for start in range(0, len(text), 100_000)]
    damaged = bytearray(frames[2])
    damaged[len(damaged) // 2] ^= 0xFF
    read, error = until_it_breaks(b"".join((*frames[:2], bytes(damaged), *frames[3:])))
    assert text.startswith(read)
    assert 200_000 <= len(read) <= 300_000
    assert f"cannot be read beyond byte {len(read)} of its text" in error


def test_the_blocks_before_the_damage_in_a_frame_are_read() -> None:
    text = GAMES * 20
    damaged = bytearray(zst_checked(text))
    for at in range(len(damaged) - 16, len(damaged) - 4):
        damaged[at] ^= 0xFF
    read, error = until_it_breaks(bytes(damaged))
    assert len(read) >= 300_000
    assert text.startswith(read[:300_000])
    assert f"cannot be read beyond byte {len(read)} of its text" in error


def test_what_a_skippable_frame_says_is_not_believed() -> None:
    text = GAMES * 20
    wrong = (
        skippable(struct.pack("<I", 7))
        + zst(text[:100_000])
        + skippable(struct.pack("<I", 1 << 31))
        + zst(text[100_000:])
    )
    assert contiguous(list(blocks(wrong))) == text


def test_a_skippable_frame_that_is_cut_is_told() -> None:
    read, error = until_it_breaks(zst(GAMES) + skippable(b"x" * 100)[:-1])
    assert read == GAMES
    assert "the archive is cut off" in error


@pytest.mark.parametrize("behind", [b"x", b"garbage", b"PK\3\4 and more", b"\0" * 20])
def test_what_is_no_frame_behind_one_is_told(behind: bytes) -> None:
    read, _ = until_it_breaks(zst(GAMES) + behind)
    assert read == GAMES


def test_an_unknown_dictionary_is_told() -> None:
    known = zstd.train_dict([GAMES[start : start + 500] for start in range(0, len(GAMES), 500)], 1 << 12)
    packed = zstd.compress(GAMES, zstd_dict=known)
    read, error = until_it_breaks(zst(GAMES) + packed)
    assert read == GAMES
    assert "ictionary" in error


@given(st.binary(max_size=200), st.integers(0, 200))
def test_any_bytes_behind_the_beginning_of_a_frame_are_read_or_told(garbage: bytes, kept: int) -> None:
    packed = PACKED["zst, as pzstd"](GAMES[:2000])[:kept] + garbage
    try:
        text = contiguous(list(blocks(packed, 1000)))
    except SourceError as error:
        assert "cannot be read beyond byte" in str(error)  # noqa: PT017  (both may happen)
    else:
        assert kept < 40 or text


def test_a_text_that_is_packed_in_next_to_nothing_is_unpacked_bit_by_bit() -> None:
    packed = zstd.compress(b"\n" * (1 << 28))
    assert len(packed) < 1 << 15
    held = [len(block.text) for block in itertools.islice(blocks(packed), 4)]
    assert max(held) <= LONGEST_GAME + BLOCK


@pytest.mark.slow
def test_a_program_ends_that_leaves_a_packed_source_unread(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn.zst"
    path.write_bytes(pieces(GAMES * 200, 500_000, pzstd))
    command = f"import setwise; games = setwise.read_pgn({str(path)!r}); print(len(next(games)))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, timeout=120, check=True)
    assert int(done.stdout) > 100


def test_blocks_tell_how_much_of_a_file_they_were_read_from(tmp_path: Path) -> None:
    for kind in ("plain", "zst", "zst, as pzstd", "gz", "bz2"):
        path = tmp_path / "games"
        path.write_bytes(PACKED[kind](GAMES * 20))
        sizes = [block.size for block in blocks(path, 20_000)]
        assert all(size >= 0 for size in sizes)
        assert sum(sizes) == path.stat().st_size


def test_files_of_pzstd_are_read(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    text = GAMES * 1000
    path.write_bytes(text)
    subprocess.run([needed("pzstd"), "-q", "-1", "-p", "2", str(path)], check=True)
    packed = path.with_suffix(".pgn.zst")
    assert packed.read_bytes().count(b"\x50\x2a\x4d\x18\4\0\0\0") > 1
    assert contiguous(list(blocks(packed))) == text


# -------------------------------------------------------------------------------------------------- what is no source


@pytest.mark.parametrize("size", [0, -1, LONGEST_GAME + 1])
def test_senseless_sizes_of_batches_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"a batch is cut after 1 to {LONGEST_GAME:,} bytes, not {size:,}"):
        read_pgn(b"1. e4 *", batch_bytes=size)


def test_a_file_that_is_open_for_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(GAMES)
    with path.open() as file:
        for source in (io.StringIO("1. e4 *"), io.StringIO(""), file):
            with pytest.raises(TypeError, match=r"open the file for bytes \('rb'\)"):
                list(read_pgn(source))  # type: ignore[arg-type]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    _, error = until_it_breaks(tmp_path / "nowhere.pgn")
    assert "there is no file" in error
    assert "nowhere.pgn" in error


def test_a_directory_is_told(tmp_path: Path) -> None:
    _, error = until_it_breaks(tmp_path)
    assert "is a directory" in error


@pytest.mark.parametrize("kind", PACKED)
def test_an_empty_file_has_no_games(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "empty.pgn"
    path.write_bytes(PACKED[kind](b""))
    assert list(blocks(path)) == []
    assert list(read_pgn(path)) == []


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("first", [b"Event", b"White"])
def test_a_text_is_cut_where_games_begin_whatever_their_first_tag_and_line_ends(first: bytes, newline: bytes) -> None:
    game = b'[%s "x"]|[Round "1"]||1. e4 e5 2. Nf3 Nc6 *||'.replace(b"|", newline) % first
    texts = [block.text for block in blocks(game * 100, 4 * len(game))]
    assert b"".join(texts) == game * 100
    assert len(texts) > 15
    assert all(text.startswith(b"[%s " % first) for text in texts)


def test_positions_that_come_from_no_games_are_in_none() -> None:
    fens = b"8/8/8/8/8/8/8/K1k5 w - - 0 1\n8/8/8/8/8/8/8/K1k5 b - - 0 1"
    for source, games in ((fens, 0), (FAMOUS_GAMES, 41)):
        found = list(search(planned(source, Query("true"))))
        assert sum(it.matched_games for it in found) == games
        assert sum(it.matched for it in found) > games
    turned = found[0].narrowed(np.array([0, found[0].matched - 1, 1]))  # as an order by something else may have them
    assert turned.matched_games == 2
