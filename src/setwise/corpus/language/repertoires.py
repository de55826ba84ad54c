"""``within('file')`` and ``leaves('file')``: whether a position is in a repertoire, and where a game leaves it.

A repertoire is any source of positions by its name: PGN with variations, packed games, an index, a list of FENs. Its
positions are known by their keys, so a position that other moves lead to is in it, too.
"""

from __future__ import annotations

import os
import re
import stat
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import Column
from setwise.corpus.storage import layout
from setwise.errors import QueryError, SourceError, shortened
from setwise.position.positions import Positions
from setwise.system.files import reason_of

__all__ = [
    "WITHIN", "Files", "Repertoire", "Repertoires", "condition_within", "names_in_use", "repertoire_in", "why_not",
    "within_column", "within_name",
]  # fmt: skip

#: The files that a condition or a statement may name, one or several.
Files: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

#: The beginning of the names of these columns, which read as the call does.
WITHIN = "within("

_CALL = re.compile(r"within\('(?P<file>(?:[^']|'')*)'\)", re.IGNORECASE)
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


class _Loaded:
    """The column of a repertoire, and the state of the files that it was read from."""

    def __init__(self, stamp: tuple[Any, ...], repertoire: Repertoire, column: Column) -> None:
        self.stamp, self.repertoire, self.column = stamp, repertoire, column


#: The repertoires that have been read, by the names of their columns: those of the questions that are being answered,
#: and the last few, which the next question may name again.
_loaded: WeakValueDictionary[str, _Loaded] = WeakValueDictionary()
_last: deque[_Loaded] = deque(maxlen=8)
#: The files that the text being read may name; None where no question is read.
_allowed: ContextVar[Repertoires | None] = ContextVar("allowed", default=None)


class Repertoires:
    """The files that a condition or a statement may name: by their paths as given here, or by their names alone.

    Args:
        files: the path of a file, or several: files of games or positions, or what ``index`` and ``scan`` have written.
        others: what a message says of a file that is not among them; ``{}`` stands for its name.

    Raises:
        SourceError: for what is not such a file. None is opened here.
    """

    def __init__(self, files: Files = (), others: str = "") -> None:
        several = [files] if isinstance(files, str | os.PathLike) else files
        self.files = list(dict.fromkeys(map(os.fsdecode, several)))
        for file in self.files:
            if reason := why_not(file):
                raise SourceError(f"the repertoire {shortened(file)} is {reason}")
        self._others = others or "write --repertoire {0}, or in Python files=[{0}]"
        #: Those that have been read, by the names of their columns.
        self.in_use: dict[str, _Loaded] = {}

    def allow(self) -> Token[Repertoires | None]:
        """Let texts that are read from now on name these files; if there are none, those that they may name already."""
        return _allowed.set(self if self.files else _allowed.get() or self)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let texts that are read in the block name these files, as ``allow`` does."""
        token = self.allow()
        try:
            yield
        finally:
            _allowed.reset(token)

    def path_of(self, name: str) -> str:
        """Return the path of the file that a text names; raise ``QueryError`` if it is not exactly one of these."""
        if not name.strip() or name == "-":
            raise QueryError("within and leaves take the name of a file of games, as within('repertoire.pgn')")
        if name in self.files:
            return name
        paths = {os.path.realpath(file): file for file in self.files if Path(file).name == name}
        if len(paths) > 1:
            raise QueryError(f"{name} may be {' or '.join(paths.values())}: write its path, as in --repertoire")
        if paths:
            return next(iter(paths.values()))
        if _FEN.fullmatch(name):
            raise QueryError("within and leaves take a file, and a FEN is no file: key = position_key('…') finds it")
        raise QueryError(f"{shortened(name)} is not among the repertoires: {self._others.format(shortened(name))}")

    def spelled(self, name: str) -> str:
        """Return the name of a column; ``within('…')`` is that of the file that it names."""
        call = _CALL.fullmatch(name.strip())
        if call is None:
            return name
        with self.named():
            return within_name(call["file"].replace("''", "'"))

    def load(self, path: str) -> _Loaded:
        """Return a repertoire, which is read if that has not been done, or if its file has changed since."""
        name = f"{WITHIN}{_quoted(path)})"
        known = _loaded.get(name)
        try:
            stamp = _stamp(path)
            if known is None or known.stamp != stamp:
                repertoire = _read(path)
                known = _Loaded(stamp, repertoire, _column(name, path, repertoire))
                _loaded[name] = known
                _last.append(known)
        except SourceError as error:
            raise SourceError(f"the repertoire cannot be read: {error}") from None
        self.in_use[name] = known
        return known


def why_not(path: str) -> str:
    """Return what keeps a path from being a repertoire, the end of a sentence; an empty text if nothing does."""
    try:
        kind = Path(path).stat().st_mode
    except (OSError, ValueError):
        return "an address, and a repertoire is a file on this machine" if "://" in path else "not there"
    if stat.S_ISREG(kind) or Path(path, layout.MANIFEST).is_file():
        return "standard input, and a repertoire is read by its name" if path == "-" else ""
    return "a folder: name a file in it" if stat.S_ISDIR(kind) else "a device or a pipe, not a file"


def condition_within(file: str | os.PathLike[str]) -> str:
    """Return the condition that a position is in a repertoire.

    >>> condition_within("Max's lines.pgn")
    "within('Max''s lines.pgn')"
    """
    return f"{WITHIN}{_quoted(os.fsdecode(file))})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def within_name(file: str) -> str:
    """Return the name of the column of whether a position is in a repertoire that the text being read names.

    Raises:
        QueryError: the file must not be named here, or has no positions.
        SourceError: it is not a source, or cannot be read.
    """
    allowed = _allowed.get() or Repertoires()
    return allowed.load(allowed.path_of(file)).column.name


def repertoire_in(file: str | os.PathLike[str]) -> Repertoire:
    """Return the positions of a repertoire; raises errors as ``Repertoires`` and ``within_name`` do."""
    return Repertoires(file).load(os.fsdecode(file)).repertoire


def within_column(name: str) -> Column:
    """Return the column of a name that ``within_name`` has returned; raise ``KeyError`` for any other name."""
    allowed = _allowed.get()
    return (_loaded if allowed is None else allowed.in_use)[name].column


def names_in_use() -> frozenset[str] | None:
    """Return the names of the columns that the text being read may have from here; None where no question is read."""
    allowed = _allowed.get()
    return None if allowed is None else frozenset(allowed.in_use)


def _column(name: str, file: str, repertoire: Repertoire) -> Column:
    def compute(positions: Positions) -> pa.Array:
        return pa.array(repertoire.has(positions.keys()))

    return Column(name, pa.bool_(), f"whether the position is in the repertoire {file}", compute, of_boards=True)


def _stamp(path: str) -> tuple[Any, ...]:
    """What changes when the file changes."""
    try:
        status = Path(path, layout.MANIFEST if Path(path).is_dir() else "").stat()
    except OSError as error:
        raise SourceError(f"{path}: {reason_of(error)}") from None
    return os.path.realpath(path), status.st_mtime_ns, status.st_size


def _read(path: str) -> Repertoire:
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
        raise QueryError(f"the repertoire {path} has no games, so no position is in it")
    if faults:
        more = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
        warnings.warn(f"a line of the repertoire breaks off: {faults[0]}{more}", stacklevel=2)
    return repertoire
