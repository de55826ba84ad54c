"""The games that everything about games is measured on."""

from __future__ import annotations

import atexit
import functools
import os
import re
import shutil
import struct
import tempfile
from pathlib import Path
from typing import NamedTuple

from harness import Missing, Plan

import setwise
from setwise.game.batch import blocks

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
BOOK = DATA / "pgn" / "gnuchess_book.pgn.zst"
CLOCKS = DATA / "pgn" / "lichess_with_clocks.pgn.zst"
FAMOUS = ROOT / "examples" / "famous_games.pgn"


class Collection(NamedTuple):
    """A plain PGN file, and what it is in words."""

    path: Path
    description: str

    def sample(self, size: int) -> str:
        """The whole games in about the first ``size`` bytes."""
        with self.path.open("rb") as file:
            text = file.read(size)
        if size < self.path.stat().st_size:
            text = text[: text.rfind(b"\n[Event ") + 1]
        return text.decode("latin-1")


def _in_temporary_folder(name: str) -> Path:
    folder = tempfile.mkdtemp(prefix="setwise-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder, name)


def _plain(source: Path) -> Path:
    """The file itself, or what is packed in it."""
    if source.suffix == ".pgn" and source.is_file():
        return source
    target = _in_temporary_folder(f"{source.name.partition('.')[0]}.pgn")
    with target.open("wb") as file:
        file.writelines(block.text for block in blocks(source))
    return target


@functools.cache
def collection(plan: Plan) -> Collection:
    """``BENCH_PGN``, or the book of GNU Chess, or the famous games over and over."""
    if chosen := os.environ.get("BENCH_PGN"):
        return Collection(_plain(Path(chosen)), f"{Path(chosen).name} (BENCH_PGN)")
    if BOOK.exists() and not plan.quick:
        return Collection(_plain(BOOK), "gnuchess_book.pgn")
    times = plan.size(1000, 10)
    path = _in_temporary_folder("famous_games.pgn")
    path.write_bytes((FAMOUS.read_bytes().rstrip() + b"\n\n") * times)
    return Collection(path, f"famous_games.pgn, {times} times over (name another file with BENCH_PGN=…)")


@functools.cache
def repeated(plan: Plan, size: int) -> Path:
    """The collection, repeated until it has about so many bytes, if it is smaller and the plan is not quick."""
    games = collection(plan).path
    if plan.quick or games.stat().st_size >= size:
        return games
    text, path = games.read_bytes().rstrip() + b"\n\n", _in_temporary_folder("games.pgn")
    with path.open("wb") as file:
        for _ in range(size // len(text)):
            file.write(text)
        file.write(text[: text.rfind(b"\n[Event ", 0, size % len(text)) + 1])
    return path


#: What pzstd, which Lichess packs with, makes of 32 MB of text at its level 19.
_FRAME = 32 << 20


@functools.cache
def packed_with_clocks(plan: Plan) -> tuple[Path, int]:
    """A file of games from Lichess again and again, packed in frames as pzstd does, and how large its text is.

    Clocks and addresses differ each time, and a window of half a megabyte sees no other copy of a game: so it is packed
    five times smaller, about as Lichess's own files are.
    """
    import numpy as np

    from setwise.archives import zstd

    if not CLOCKS.exists():
        raise Missing(f"{CLOCKS} is not here")
    text = b"".join(block.text for block in blocks(CLOCKS)).rstrip() + b"\n\n"
    units = np.array([found.end() - 1 for found in re.finditer(rb"%clk \d:\d\d:\d\d", text)])
    letters = np.array([range(*found.span(1)) for found in re.finditer(rb"lichess.org/(\w{8})", text)]).ravel()
    chance, size = np.random.default_rng(1), plan.size(1_000_000_000, 2_000_000)
    known = zstd.CompressionParameter
    packing = {known.compression_level: 5, known.window_log: 19, known.content_size_flag: 0, known.checksum_flag: 1}
    path, written, held = _in_temporary_folder("clocks.pgn.zst"), 0, b""
    with path.open("wb") as file:
        while held or written < size:
            while len(held) < _FRAME and written + len(held) < size:
                again = np.frombuffer(text, np.uint8).copy()
                again[units] = chance.integers(ord("0"), ord("9") + 1, len(units))
                again[letters] = chance.integers(ord("a"), ord("z") + 1, len(letters))
                held += again.tobytes()
            frame = zstd.compress(held[:_FRAME], options=packing)
            file.write(struct.pack("<III", 0x184D2A50, 4, len(frame)) + frame)
            written, held = written + len(held[:_FRAME]), held[_FRAME:]
    return path, written


@functools.cache
def positions(plan: Plan, count: int) -> setwise.Positions:
    """The first ``count`` positions of the collection, or all that it has."""
    import numpy as np

    batches, found = [], 0
    for games in setwise.read_pgn(collection(plan).path):
        batches.append(games.positions())
        found += len(batches[-1])
        if found >= count:
            break
    columns = (
        np.concatenate([getattr(batch, name) for batch in batches], axis=-1)[..., :count]
        for name in ("sets", "white_to_move", "halfmove_clock", "fullmove_number")
    )
    return setwise.Positions(*(np.ascontiguousarray(column) for column in columns))
