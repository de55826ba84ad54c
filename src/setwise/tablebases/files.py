"""The files of exact ends: they are built and checked here, and the values of positions are looked up."""

from __future__ import annotations

import functools
import os
import tomllib
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event
from typing import NamedTuple

import numpy as np

from setwise.errors import OutputError, SetwiseError, SourceError, did_you_mean
from setwise.patterns import king
from setwise.system.files import reason_of, written
from setwise.system.processes import processors
from setwise.tablebases.solving import (
    DRAWN,
    ILLEGAL,
    MATERIALS,
    Material,
    Piece,
    places,
    reduced,
    shape_of,
    solved,
    sorted_material,
    whole,
)

# ------------------------------------------------------------------------- A folder of tables, a file for each material


#: The checksum of each table: a file with another checksum is damaged.
_CHECKSUMS: dict[str, int] = tomllib.loads(Path(__file__).with_name("checksums.toml").read_text("ascii"))

_ADVICE = "setwise tablebase build makes it again"


class Built(NamedTuple):
    """The names of tables that were made and that existed, the folder, and the number of bytes of all its tables."""

    made: list[str]
    kept: list[str]
    folder: Path
    size: int


def build_tablebase(
    folder: str | os.PathLike[str] | None = None,
    materials: Iterable[str] = (),
    *,
    threads: int | None = None,
    on_table: Callable[[str], None] = lambda _: None,
) -> Built:
    """Make the tables of endings that ``wdl`` and ``dtm`` read; tables that already exist are kept.

    All endings of up to four pieces take a minute or two and 225 MB. After an interruption, the next call makes only
    the missing tables.

    Args:
        folder: where the tables are; by default the folder that ``SETWISE_TABLEBASE`` names, else a folder among the
            user's data.
        materials: endings, such as ``KQKR``; by default all endings of up to four pieces. The endings that captures
            and promotions lead to are made, too.
        threads: how many tables to make at the same time; by default one for each processor.
        on_table: called with the name of each table that is made.

    Raises:
        SourceError: for a name that is not an ending of up to four pieces.
        OutputError: when the folder cannot be written.

    Example:
        >>> import setwise, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> setwise.build_tablebase(folder, ["KRK"]).made
        ['KRK']
        >>> setwise.build_tablebase(folder, ["KRK", "KQK"])[:2]
        (['KQK'], ['KRK'])
    """
    where = default_folder() if folder is None else Path(folder)
    groups = _groups(_named(materials))
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{where} cannot be written: {reason_of(error)}") from None
    every = [material for group in groups for material in group]
    kept = [material.name for material in every if _is_whole(where, material)]
    made: list[str] = []
    stopped = Event()
    with ThreadPoolExecutor(threads or processors()) as pool:
        try:
            for group in groups:
                lacking = [material for material in group if material.name not in kept]
                for future in as_completed([pool.submit(_make, where, material, stopped) for material in lacking]):
                    made.append(future.result())
                    on_table(made[-1])
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    in_order = [material.name for material in every if material.name in made]  # threads end in any order
    return Built(in_order, kept, where, sum(_path(where, material).stat().st_size for material in every))


def default_folder() -> Path:
    """Return the folder that ``SETWISE_TABLEBASE`` names, else a folder among the user's data."""
    if chosen := os.environ.get("SETWISE_TABLEBASE"):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_data_dir("setwise", appauthor=False)) / "tablebase"


def table(folder: Path, material: Material) -> np.ndarray:
    """Return the reduced table of a material.

    Raises:
        SourceError: if the folder has no such table, or the file is damaged.
    """
    path = _path(folder, material)
    try:
        state = path.stat()
    except OSError as error:
        raise SourceError(f"{path} is not there ({reason_of(error)}): setwise tablebase build makes it") from None
    return _mapped(path, material, state.st_size, state.st_mtime_ns)


@functools.cache
def _mapped(path: Path, material: Material, size: int, changed: int) -> np.ndarray:
    """A table in memory; it is read again if the size of the file or the time of its last change differs."""
    try:
        values: np.ndarray = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError):
        values = np.empty(0, np.uint8)
    if values.shape != shape_of(material) or zlib.crc32(values.data) != _CHECKSUMS[material.name]:
        raise SourceError(f"{path} is damaged, or not the table of {material.name}; {_ADVICE}")
    return values


def _path(folder: Path, material: Material) -> Path:
    return folder / f"{material.name}.npy"


def _is_whole(folder: Path, material: Material) -> bool:
    try:
        table(folder, material)
    except SourceError:
        return False
    return True


def _make(folder: Path, material: Material, stopped: Event) -> str:
    """Write the table of a material, unless stopped; the tables that its captures and promotions lead to exist."""

    def go_on() -> None:
        if stopped.is_set():
            raise CancelledError

    values = reduced(material, solved(material, lambda other: whole(other, table(folder, other)), go_on))
    go_on()
    if zlib.crc32(values.data) != _CHECKSUMS[material.name]:
        raise SetwiseError(f"the table of {material.name} came out wrong: please report it, with your processor")
    with written(_path(folder, material)) as file:
        np.lib.format.write_array(file, values, allow_pickle=False)
    return material.name


def _named(names: Iterable[str]) -> list[Material]:
    """The materials that names mean; all materials if there are no names."""
    found = []
    for name in names:
        known = name.upper().replace("V", "")
        if known not in MATERIALS:
            near = did_you_mean(known, MATERIALS)
            raise SourceError(f"{name!r:.40} is no ending of three or four pieces, such as KQK or KRKP{near}")
        found.append(MATERIALS[known])
    return found or [*MATERIALS.values()]


def _groups(materials: Iterable[Material]) -> list[list[Material]]:
    """The materials and the materials that they lead to, in groups; a group needs only the groups before it."""
    depths: dict[Material, int] = {}

    def depth(material: Material) -> int:
        if material not in depths:
            depths[material] = 1 + max((depth(needed) for needed in material.needed()), default=-1)
        return depths[material]

    deepest = max(depth(material) for material in materials)
    return [[material for material in MATERIALS.values() if depths.get(material) == k] for k in range(deepest + 1)]


# ------------------------------------------------------- the values of many positions, read from the tables of a folder


_ONE = np.uint64(1)


def _lowest(words: np.ndarray) -> np.ndarray:
    """The lowest square of each set."""
    return np.bitwise_count((words & -words) - _ONE).astype(np.intp)


def values_of(
    folder: Path, white: np.ndarray, black: np.ndarray, kings: np.ndarray, kinds: list[np.ndarray],
    white_to_move: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return the values of positions of up to four pieces without castling and en passant: see ``solving``.

    Args:
        folder: the folder of the tables.
        white: White's pieces, one set for each position.
        black: Black's pieces.
        kings: the kings.
        kinds: the pawns, knights, bishops, rooks and queens of both sides.
        white_to_move: whether White moves next.

    Raises:
        SourceError: if a table is missing or damaged.
    """
    out = np.empty(len(white), np.uint8)
    sides = white, black
    parts = [(Piece(kind, side), sets & sides[side]) for kind, sets in enumerate(kinds, 1) for side in (0, 1)]
    counts = np.stack([np.bitwise_count(sets) for _, sets in parts])
    for of_material in np.unique(counts, axis=1).T:
        rows = np.flatnonzero((counts == of_material[:, None]).all(axis=0))
        pieces, squares = list[Piece](), list[np.ndarray]()
        for (piece, sets), count in zip(parts, of_material, strict=True):
            left = sets[rows]
            for _ in range(count):
                pieces.append(piece)
                squares.append(_lowest(left))
                left = left & left - _ONE
        if not pieces:
            are_apart = king.attacks(kings[rows] & white[rows]) & black[rows] == 0
            out[rows] = np.where(are_apart, DRAWN, ILLEGAL)
            continue
        material, order, are_exchanged = sorted_material(tuple(pieces))
        is_white = white_to_move[rows]
        mirror = np.where(is_white, 0, 56)
        both = [_lowest(kings[rows] & side[rows]) ^ mirror for side in sides]
        own_kings, enemy_kings = np.where(is_white, both, both[::-1])
        views = (~is_white ^ are_exchanged).astype(np.intp)
        others = [enemy_kings, *(squares[k] ^ mirror for k in order)]
        out[rows] = table(folder, material)[places(material, views, own_kings, others)]
    return out
