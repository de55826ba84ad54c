"""``within('file')`` and ``leaves('file')``: whether a position is in a repertoire, and where a game leaves it.

A repertoire is any source of positions by its name: PGN with variations, packed games, an index, a list of FENs. Its
positions are known by their keys, so a position that other moves lead to is in it, too.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import Column
from setwise.errors import QueryError, SourceError
from setwise.position.positions import Positions

__all__ = ["WITHIN", "Repertoire", "condition_within", "only_files", "repertoire_in", "within_column", "within_name"]

#: The beginning of the names of these columns, which read as the call does.
WITHIN = "within("

_FEN = re.compile(r"\s*[1-8pnbrqk]+(/[1-8pnbrqk]+){7}(\s.*)?", re.IGNORECASE)
#: So many more slots than positions has the table that is looked up first, as a power of two; and its smallest and
#: largest size. One key in sixteen that is not in the repertoire is then compared with those that are.
_SLOTS, _LEAST, _MOST = 4, 10, 27


class Repertoire:
    """The positions of a repertoire.

    Args:
        keys: their keys, in any order, once or more often.
    """

    def __init__(self, keys: np.ndarray) -> None:
        self.keys = np.unique(keys)
        bits = min(max(len(self.keys).bit_length() + _SLOTS, _LEAST), _MOST)
        self._shift = np.uint64(64 - bits)
        self._begins = np.zeros(1 << bits, np.bool_)
        self._begins[self._slots(self.keys)] = True

    def _slots(self, keys: np.ndarray) -> np.ndarray:
        return (keys >> self._shift).view(np.int64)

    def has(self, keys: np.ndarray) -> np.ndarray:
        """Return for each key whether a position of the repertoire has it."""
        found = self._begins[self._slots(keys)]
        rows = np.flatnonzero(found)
        at = np.searchsorted(self.keys, keys[rows])
        found[rows] = self.keys[np.minimum(at, len(self.keys) - 1)] == keys[rows]
        return found


class _Loaded(NamedTuple):
    """The column of a repertoire, and the state of the files that it was read from."""

    stamp: tuple[Any, ...]
    repertoire: Repertoire
    column: Column


#: The repertoires that conditions have named so far, by the names of their columns; the last few.
_loaded: dict[str, _Loaded] = {}
_KEPT = 32


class _Files:
    """The files that conditions may name, by the ways to name them; None for all files."""

    allowed: dict[str, str] | None = None


def only_files(files: Iterable[str]) -> None:
    """Let conditions of this process name these files and no others: for conditions that come from elsewhere.

    Args:
        files: their paths. In a condition a file is named by its path, or by its name without folders.
    """
    paths = {file: os.path.realpath(file) for file in files}
    _Files.allowed = {Path(file).name: path for file, path in reversed(paths.items())} | paths
    _loaded.clear()


def condition_within(file: str | os.PathLike[str]) -> str:
    """Return the condition that a position is in a repertoire.

    >>> condition_within("Max's lines.pgn")
    "within('Max''s lines.pgn')"
    """
    return f"{WITHIN}{_quoted(os.fsdecode(file))})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def within_name(file: str) -> str:
    """Return the name of the column of whether a position is in a repertoire, after reading it if it has changed.

    Raises:
        QueryError: the file must not be named in conditions, or has no positions.
        SourceError: it is missing, is not a source, or cannot be read.
    """
    name = f"{WITHIN}'{file}')"
    path = _path_of(file)
    known = _loaded.get(name)
    try:
        stamp = _stamp(path)
        repertoire = known.repertoire if known is not None and known.stamp == stamp else _read(file, path)
    except SourceError as error:
        hint = "; a FEN is no file: key = position_key('…') finds a position" if _FEN.fullmatch(file) else ""
        raise SourceError(f"the repertoire cannot be read: {error}{hint}") from None
    if known is None or known.repertoire is not repertoire:
        _loaded.pop(name, None)
        while len(_loaded) >= _KEPT:
            _loaded.pop(next(iter(_loaded)), None)
        _loaded[name] = _Loaded(stamp, repertoire, _column(name, file, repertoire))
    return name


def repertoire_in(file: str | os.PathLike[str]) -> Repertoire:
    """Return the positions of a repertoire; raises errors as ``within_name`` does."""
    return _loaded[within_name(os.fsdecode(file))].repertoire


def within_column(name: str) -> Column:
    """Return the column of a name that ``within_name`` has returned, or that is written so."""
    if (known := _loaded.get(name)) is not None:
        return known.column
    file = name.removeprefix(WITHIN).removesuffix(")").strip()
    if len(file) < 2 or file[0] != "'" or file[-1] != "'":
        raise QueryError("within takes the name of a file of games as a literal, as within('repertoire.pgn')")
    return _loaded[within_name(file[1:-1])].column


def _column(name: str, file: str, repertoire: Repertoire) -> Column:
    def compute(positions: Positions) -> pa.Array:
        return pa.array(repertoire.has(positions.keys()))

    return Column(name, pa.bool_(), f"whether the position is in the repertoire {file}", compute, of_boards=True)


def _path_of(file: str) -> str:
    """The path of a file that a condition names."""
    if not file.strip() or file == "-":
        raise QueryError("within and leaves take the name of a file of games, as within('repertoire.pgn')")
    if _Files.allowed is None:
        return file
    path = _Files.allowed.get(file)
    if path is None:
        raise QueryError(
            f"conditions open only the files that this workbench was started with: start it with {file!r:.60}, too"
        )
    return path


def _stamp(path: str) -> tuple[Any, ...]:
    """What changes when one of the files changes."""
    from setwise.corpus.sources.expansion import expanded, is_file
    from setwise.corpus.storage import layout

    files = [os.fsdecode(source) for source in expanded(path) if is_file(source)]
    stamps: list[Any] = [os.path.realpath(path)]
    for file in files:
        place = Path(file, layout.MANIFEST) if Path(file).is_dir() else Path(file)
        if place.exists():
            status = place.stat()
            stamps.append((file, status.st_mtime_ns, status.st_size))
    return tuple(stamps)


def _read(file: str, path: str) -> Repertoire:
    """The positions of all games of a repertoire and of their variations."""
    from setwise.corpus.sources.kinds import resolved

    parts, faults = [np.zeros(0, np.uint64)], []
    for source in resolved(path):
        source.read_variations()
        for job in source.jobs(notes=False):
            batch = job.run()
            parts.append(np.unique(batch.positions.keys()))
            faults += batch.faults
    repertoire = Repertoire(np.concatenate(parts))
    if not len(repertoire.keys):
        raise QueryError(f"the repertoire {file} has no games, so no position is in it")
    if faults:
        more = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
        warnings.warn(f"a line of the repertoire breaks off: {faults[0]}{more}", stacklevel=2)
    return repertoire
