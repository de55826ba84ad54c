"""The games that everything about games is measured on."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from harness import Plan

import setwise
from setwise.game.sources import blocks

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
BOOK = DATA / "pgn" / "gnuchess_book.pgn.zst"
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
