"""Games of several sources in one file, in another order, or in several files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa

from setwise.corpus.pgnfiles.texts import (
    Listeners,
    checked_parts,
    columns_of_games,
    pgn_sources,
    table_of_texts,
    text_file,
    write,
)
from setwise.corpus.sources.expansion import Source
from setwise.corpus.sources.pgn import Pgn
from setwise.errors import OutputError, QueryError
from setwise.game.games import Fault
from setwise.game.texts import TextFile
from setwise.system.files import part_folder, reason_of
from setwise.system.sorted_runs import in_order

__all__ = ["Split", "merge", "sort", "split"]

_WRITTEN = ("text", "closed")
_DIRECTION = re.compile(r"(.*?)(?:\s+(asc|desc))?\s*\Z", re.IGNORECASE | re.DOTALL)


class Split(NamedTuple):
    """How many games were written, and into how many files."""

    games: int
    files: int


def merge(
    sources: Source | Iterable[Source],
    output: str | os.PathLike[str] | IO[bytes],
    *,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> int:
    r"""Write the games of all sources into one file, in their order, and return how many there are.

    Texts are those of the sources, byte for byte. Memory is bounded, however many games there are.

    Args:
        sources: PGN, as for ``find``.
        output: a path that ends in ``.pgn`` or ``.pgn.zst``, which gets its name when it is whole, or a file open for
            bytes.
        without: what is left out of the texts: ``"comments"``, ``"variations"``, ``"nags"``, ``"tags"`` (all but the
            Seven Tag Roster).
        threads: how many, else as many as there are processors.
        on_batch: called with games, positions and bytes of text whenever so much more is read.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown part. SourceError: a source is missing, no PGN, or cannot be read to its end.
        OutputError: the output cannot be written, or a folder or pattern of names gives it.

    Example:
        >>> import io, setwise
        >>> file = io.BytesIO()
        >>> setwise.merge([b"1. e4! {best} e5 1-0", b"1. d4 *"], file, without=["comments", "nags"])
        2
        >>> file.getvalue()
        b'1. e4 e5 1-0\n\n1. d4 *\n\n'
    """
    parts, listeners, count = checked_parts(without), Listeners(on_batch, on_fault), 0
    texts = pgn_sources(sources, output=output)
    with text_file(output) as file:
        for table in table_of_texts(texts, _WRITTEN, without=parts, threads=threads, listeners=listeners):
            count += write(file, table)
    return count


# -------------------------------------------------------------------------------------------------------------- sorting


def _ordered(by: str | Iterable[str]) -> list[tuple[str, str]]:
    """The columns that games are put in order by, and which way."""
    keys: dict[str, str] = {}
    for text in by.split(",") if isinstance(by, str) else by:
        match = _DIRECTION.match(text.strip())
        [name] = columns_of_games(match[1] if match else text)
        falls = match is not None and (match[2] or "").lower() == "desc"
        keys.setdefault(name, "descending" if falls else "ascending")
    if not keys:
        raise QueryError("name the columns to sort by, such as date or 'white_elo desc'")
    return list(keys.items())


def _in_order(
    sources: list[Pgn],
    keys: list[tuple[str, str]],
    without: tuple[str, ...],
    threads: int | None,
    listeners: Listeners,
) -> Iterator[pa.Table]:
    """Columns of games and their texts, in order; equal ones as the sources have them."""
    names = [*(name for name, _ in keys), "place", *_WRITTEN]
    read = table_of_texts(sources, names, without=without, threads=threads, listeners=listeners)
    return in_order(read, [*keys, ("place", "ascending")])


def sort(
    sources: Source | Iterable[Source],
    output: str | os.PathLike[str] | IO[bytes],
    by: str | Iterable[str],
    *,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> int:
    """Write the games of all sources in order, and return how many there are; the rest is as for ``merge``.

    What does not fit the memory is on the disk meanwhile.

    Args:
        sources: PGN, as for ``find``.
        output: as for ``merge``.
        by: columns of games, each with ``desc`` behind it for the greatest first: ``"date"``,
            ``["white_elo desc", "tag('Annotator')"]``. Texts go by their letters, missing values come last, equal games
            stay in the order of the sources.
        without: as for ``merge``.
        threads: how many, else as many as there are processors.
        on_batch: called with games, positions and bytes of text whenever so much more is read.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown column or part. SourceError: a source is missing, no PGN, or cannot be read to its end.
        OutputError: the output cannot be written, a folder or pattern of names gives it, or there is no room on the
            disk.

    Example:
        >>> import io, setwise
        >>> file = io.BytesIO()
        >>> setwise.sort(b'[White "B"] 1. e4 * [White "A"] 1. d4 * [Round "1"] 1. c4 *', file, "white_name")
        3
        >>> print(file.getvalue().decode())
        [White "A"] 1. d4 *
        <BLANKLINE>
        [White "B"] 1. e4 *
        <BLANKLINE>
        [Round "1"] 1. c4 *
        <BLANKLINE>
        <BLANKLINE>
    """
    parts, keys, count = checked_parts(without), _ordered(by), 0
    texts = pgn_sources(sources, output=output)
    with text_file(output) as file:
        for table in _in_order(texts, keys, parts, threads, Listeners(on_batch, on_fault)):
            count += write(file, table)
    return count


# ------------------------------------------------------------------------------------------------------------ splitting

#: What file systems take for something else, or do not take; and how long a name may be.
_SAFE, _LONGEST = " ,'()+!&=@", 200
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
#: The file of the games that have no value.
_NOTHING = "unknown"


class _Files:
    """The files of a folder, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.games, self.names = folder, 0, set[str]()
        self._file: IO[bytes] | None = None
        self._texts: TextFile | None = None

    def begin(self, name: str) -> None:
        """Close the file that is open, and begin the next one."""
        self.close()
        free, number = name, 1
        while free.casefold() in self.names:
            number += 1
            free = f"{name}~{number}"
        self.names.add(free.casefold())
        self._file = Path(self.folder, f"{free}.pgn").open("wb")  # noqa: SIM115  (closed by ``close``)
        self._texts = TextFile(self._file)

    def write(self, table: pa.Table) -> None:
        """Append games to the file that is open."""
        if self._texts is not None:
            self.games += write(self._texts, table)

    def close(self) -> None:
        """Close the file that is open, if one is."""
        if self._file is not None:
            self._file.close()


def _file_name(value: Any) -> str:
    """The name of the file of a value, without its end."""
    text = str(value) if value is not None else _NOTHING
    name = "".join(letter if letter.isalnum() else quote(letter, safe=_SAFE) for letter in text)
    while len(name.encode()) > _LONGEST:
        name = name[:-1]
    name = name.strip() or "%20"
    return f"{name}%" if _RESERVED.fullmatch(name) or name.startswith(".") else name


@contextmanager
def _new_folder(folder: str | os.PathLike[str]) -> Iterator[_Files]:
    """A folder that gets its name when all its files are whole, or its files if it is there and empty."""
    place = Path(folder).resolve()
    try:
        is_there = place.exists()
        if is_there and (not place.is_dir() or any(place.iterdir())):
            raise OutputError(f"{folder} is there already; name a folder that is new or empty")
        place.parent.mkdir(parents=True, exist_ok=True)
        with part_folder(place / "games" if is_there else place) as aside:
            files = _Files(aside)
            try:
                yield files
            finally:
                files.close()
            if is_there:
                for file in aside.iterdir():
                    file.rename(place / file.name)
            else:
                aside.rename(place)
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {reason_of(error)}") from None


def split(
    sources: Source | Iterable[Source],
    folder: str | os.PathLike[str],
    *,
    every: int | None = None,
    by: str | None = None,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Split:
    """Write the games of all sources into several files of a folder; the rest is as for ``merge``.

    Args:
        sources: PGN, as for ``find``.
        folder: a folder that is new or empty; it gets its name when all its files are whole.
        every: so many games to a file: ``games-00001.pgn``, ``games-00002.pgn`` …
        by: instead of that, a column of games: each of its values has a file of that name, in which the games stand in
            the order of the sources; those without a value are in ``unknown.pgn``. Signs that file systems do not like
            are written ``%3F``.
        without: as for ``merge``.
        threads: how many, else as many as there are processors.
        on_batch: called with games, positions and bytes of text whenever so much more is read.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown column or part; neither or both of ``every`` and ``by``. SourceError: a source is
            missing, no PGN, or cannot be read to its end. OutputError: the folder cannot be written or holds something,
            or there is no room on the disk.

    Example:
        >>> import setwise, tempfile
        >>> place = Path(tempfile.mkdtemp(), "by result")
        >>> setwise.split("examples/famous_games.pgn", place, by="result")
        Split(games=41, files=3)
        >>> sorted(path.name for path in place.iterdir())
        ['0-1.pgn', '1%2F2-1%2F2.pgn', '1-0.pgn']
    """
    if (every is None) == (by is None):
        raise QueryError("games are split either every so many, or by a column such as eco")
    if every is not None and every < 1:
        raise QueryError(f"a file holds 1 game or more, not {every}")
    parts, listeners = checked_parts(without), Listeners(on_batch, on_fault)
    keys = [] if by is None else _ordered([by])
    texts = pgn_sources(sources)
    with _new_folder(folder) as files:
        if every is not None:
            tables = table_of_texts(texts, _WRITTEN, without=parts, threads=threads, listeners=listeners)
            _cut_every(tables, every, files)
        else:
            _cut_by_value(_in_order(texts, keys, parts, threads, listeners), files)
    return Split(files.games, len(files.names))


def _cut_every(tables: Iterable[pa.Table], every: int, files: _Files) -> None:
    for table in tables:
        at = 0
        while at < table.num_rows:
            if files.games % every == 0:
                files.begin(f"games-{files.games // every + 1:05}")
            count = min(every - files.games % every, table.num_rows - at)
            files.write(table.slice(at, count))
            at += count


def _cut_by_value(tables: Iterable[pa.Table], files: _Files) -> None:
    last: Any = files  # no value
    for table in tables:
        values = table.column(0).to_pylist()
        at = 0
        for value, group in groupby(values):
            if value != last or last is files:
                files.begin(_file_name(value))
                last = value
            count = len(list(group))
            files.write(table.slice(at, count))
            at += count
