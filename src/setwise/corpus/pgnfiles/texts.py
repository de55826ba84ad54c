"""The texts of games with columns beside them, read from any number of sources, and the files with the texts.

``merge``, ``sort`` and ``split`` copy the text of each game byte for byte, unless parts are left out. They read a table
with a row for each game: the text, whether the text ends with a result, the place of the game among all games, and the
columns of the order. If the table does not fit in memory, it is sorted on the disk. A file or a folder gets its name
when it is complete.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple, cast
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from setwise.archives import zstd
from setwise.corpus.columns import GAMES, checked, games_table
from setwise.corpus.columns.registry import is_extra
from setwise.corpus.query.search import BatchResult, search
from setwise.corpus.sources.jobs import Question, Source
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.sources.pgn import PgnSource
from setwise.corpus.sources.places import Sources, expanded, is_file
from setwise.corpus.storage import layout
from setwise.errors import OutputError, QueryError, SourceError, did_you_mean
from setwise.game.games import Fault, Games, TextFile, spans, texts_of
from setwise.notation.pgn import tokens as pgn
from setwise.notation.pgn.writing import PARTS, keys_of, stripped
from setwise.notation.text import BLANKS
from setwise.rules.board import USUAL_START
from setwise.system.files import part_folder, reason_of, settle, written
from setwise.system.sorted_runs import in_order

# -------------------------------------------------------------------------- the texts of games with columns beside them


#: Columns of games that conditions do not have: the place of a game among all games, the text, whether the text ends
#: with a result, the 128 bits of its start and moves, start and moves as a text whose beginnings mean games that were
#: cut short, the number of bytes of its annotations.
_OWN = pa.schema(
    {
        "place": pa.int64(), "text": pa.binary(), "closed": pa.bool_(), "key": pa.uint64(), "key_too": pa.uint64(),
        "line": pa.string(), "notes": pa.int64(),
    }
)  # fmt: skip
#: Larger than the number of games in any source: the places of each further source begin this much later.
SOURCE = 1 << 40
_NOTES = ("comments", "variations", "nags")


class Reading(NamedTuple):
    """How sources are read: the number of threads, by default one per processor, and what is called meanwhile.

    That is a function for every batch with its games, positions and bytes of text, and one for every game that breaks
    off.
    """

    threads: int | None = None
    on_batch: Callable[[int, int, int], Any] | None = None
    on_fault: Callable[[Fault], Any] | None = None

    def search(self, questions: Iterable[tuple[Source, Question]]) -> Iterator[BatchResult]:
        """Yield the results of a search, each after its batch is reported."""
        for result in search(questions, threads=self.threads, on_fault=self.on_fault):
            games = cast("Games", result.games)
            if self.on_batch is not None:
                self.on_batch(len(games), len(games.moves) + len(games), result.batch.size)
            yield result


# -------------------------------------------------------------------------------------------------------------- asking


def columns_of_games(names: str | Iterable[str]) -> list[str]:
    """Return names of columns that have one value in a game, including tags such as ``tag('Annotator')``.

    Raises:
        QueryError: for other columns.
    """
    return [_of_games(name.strip()) for name in ([names] if isinstance(names, str) else names)]


def _of_games(name: str) -> str:
    if name.lower() in GAMES.names:
        return name.lower()
    try:
        [column] = checked([name])
    except QueryError:
        near = did_you_mean(name, GAMES.names, in_list=True)
        raise QueryError(f"there is no column {name!r:.60} of games{near}") from None
    if not is_extra(column):
        raise QueryError(f"{name} differs from position to position; games have {', '.join(GAMES.names)} and tag('…')")
    return column


def checked_parts(parts: str | Iterable[str]) -> tuple[str, ...]:
    """Return the parts to leave out of texts; raise ``QueryError`` for a part that cannot be left out."""
    named = tuple([parts] if isinstance(parts, str) else parts)
    for part in named:
        if part not in PARTS:
            raise QueryError(f"games cannot do without {part!r:.60}: there are {', '.join(PARTS)}")
    return named


# ------------------------------------------------------------------------------------------------------------- reading


def pgn_sources(
    sources: Sources, *, again: bool = False, output: str | os.PathLike[str] | IO[bytes] | None = None
) -> list[PgnSource]:
    """Return the sources, all of them PGN.

    Args:
        sources: PGN, as for ``find``.
        again: whether the sources are read several times.
        output: the file for the games of the sources.

    Raises:
        SourceError: for a source that is missing, or is not PGN.
        OutputError: if a folder or a pattern of names includes the output: its games would be there twice.
    """
    given = list(expanded(sources, output=output if isinstance(output, str | os.PathLike) else None))
    opened = list(resolved(given, again=again))
    for source in opened:
        if not source.has_texts:
            raise SourceError(f"{source.name} is not PGN, and texts of games are asked for")
    return cast("list[PgnSource]", opened)


@contextmanager
def repeatable(sources: Sources) -> Iterator[list[PgnSource]]:
    """Yield sources that can be read several times; a stream is stored in a temporary file.

    Raises:
        SourceError: for a source that is missing or is not PGN; at the end, for a source that has changed meanwhile.
    """
    opened = pgn_sources(sources, again=True)
    stamps = list(map(_stamp, opened))
    yield opened
    for source, stamp in zip(opened, stamps, strict=True):
        if _stamp(source) != stamp:
            raise SourceError(f"{source.name} has changed while it was read")


def _stamp(source: PgnSource) -> object:
    """Return a value that differs if a file has changed."""
    with suppress(OSError):
        return layout.state_of(Path(cast("str", source.source))) if is_file(source.source) else None
    return None


def table_of_texts(
    sources: Iterable[Source],
    names: Iterable[str],
    *,
    without: tuple[str, ...] = (),
    reading: Reading = Reading(),  # noqa: B008  (it is immutable)
) -> Iterator[pa.Table]:
    """Yield columns of the games of sources, batch by batch, with a row for each game.

    Args:
        sources: sources of PGN only.
        names: columns of games, or columns out of ``place text closed key key_too line notes``.
        without: the parts out of ``PARTS`` to leave out of the texts.
        reading: the threads and callbacks.

    Raises:
        SourceError: for a source that cannot be read; the games before the error are yielded first.
    """
    asked = tuple(names)

    def question(ordinal: int) -> Question:
        return Question(schema=GAMES, compute=lambda result: _table(result, asked, ordinal * SOURCE, without))

    questions = ((source, question(ordinal)) for ordinal, source in enumerate(sources))
    return (result.computed for result in reading.search(questions))


def _table(result: BatchResult, names: tuple[str, ...], before: int, without: tuple[str, ...]) -> pa.Table:
    games = cast("Games", result.games)
    own = {name: _OWN.field(name).type for name in names if name in _OWN.names}
    known = [name for name in names if name in GAMES.names]
    columns = dict(zip(known, games_table(games, result.batch.faults, known).columns, strict=True))
    extra = [*filter(is_extra, names)]
    columns |= dict(zip(extra, games_table(games, (), extra).columns, strict=True))
    if own.keys() & {"text", "closed"}:
        texts, columns["closed"] = texts_of(games, without)
        columns["text"] = texts
    if own.keys() & {"key", "key_too", "line"}:
        keys = _keys(games)
        columns |= {"key": keys[:, 0].copy(), "key_too": keys[:, 1].copy()}
    if "line" in own:
        columns["line"] = _lines(games)
    if "notes" in own:
        starts, stops = spans(games)
        columns["notes"] = stops - starts - np.diff(stripped(games.text, starts, stops, _NOTES)[1])
    if "place" in own:
        columns["place"] = np.arange(before + games.first, before + games.first + len(games))
    return pa.table({name: pa.array(columns[name], own[name]) if name in own else columns[name] for name in names})


# ------------------------------------------------------------------------------------------------------ the same games


def _compared_whole(games: Games) -> np.ndarray:
    """Return the rows of games whose moves are not all known: games without moves, and games that break off."""
    plies = np.diff(games.move_offsets)
    return np.flatnonzero((plies == 0) | (games.table[:, pgn.FAULT] != pgn.NO_FAULT))


def _keys(games: Games) -> np.ndarray:
    """Return two words for each game; they are equal for two games if the starts and all moves are equal."""
    keys = keys_of(games.table, games.moves, games.boards)
    starts, stops = spans(games)
    for row in _compared_whole(games).tolist():
        keys[row] = np.frombuffer(_digest(games.block.text[starts[row] : stops[row]]), np.uint64)
    return keys


def _digest(text: bytes) -> bytes:
    """Return 128 bits of a text, which do not depend on the kind of its line ends."""
    import hashlib

    return hashlib.blake2b(b"\n".join(text.rstrip(BLANKS).splitlines()), digest_size=16).digest()


def _lines(games: Games) -> pa.Array:
    """Return the moves of games, three letters each; before them comes the start, unless it is the usual one."""
    moves = games.moves
    letters = np.stack([moves >> 12, moves >> 6 & 63, moves & 63], axis=1).astype(np.uint8) + 48
    text = letters.tobytes().decode("ascii")
    offsets = (3 * games.move_offsets).tolist()
    lines = [text[start:stop] for start, stop in itertools.pairwise(offsets)]
    for row in np.flatnonzero(games.table[:, pgn.BOARD] >= 0).tolist():
        start = games.boards[games.table[row, pgn.BOARD]]
        if not np.array_equal(start, USUAL_START):
            lines[row] = f"@{start.tobytes().hex()} {lines[row]}"
    starts, stops = spans(games)
    for row in _compared_whole(games).tolist():
        lines[row] = "= " + _digest(games.block.text[starts[row] : stops[row]]).hex()
    return pa.array(lines, pa.string())


# ------------------------------------------------------------------------------------------------------------- writing


def checked_path(output: str | os.PathLike[str], ends: tuple[str, ...], how: str) -> Path:
    """Return the path of a file of games; raise ``OutputError`` for a directory, or a name with another end."""
    path = Path(output)
    if path.is_dir():
        raise OutputError(f"{path} cannot be written: it is a directory")
    if not path.name.lower().endswith(ends):
        raise OutputError(f"{path} should end in {' or '.join(ends)}, which is how games are {how}")
    return path


@contextmanager
def text_file(output: str | os.PathLike[str] | IO[bytes]) -> Iterator[TextFile]:
    """Yield a writer of games into a file, which gets its name when it is complete; ``.pgn.zst`` is compressed.

    Raises:
        OutputError: if the path cannot be written, or its suffix belongs to another format.
    """
    if not isinstance(output, str | os.PathLike):
        yield TextFile(output)
        return
    path = checked_path(output, (".pgn", ".pgn.zst"), "written")
    with written(path) as file:
        if path.suffix.lower() == ".zst":
            with zstd.open(file, "wb") as packed:
                yield TextFile(cast(IO[bytes], packed))
        else:
            yield TextFile(file)


def write(file: TextFile, table: pa.Table) -> int:
    """Append the games of a table with the columns ``text`` and ``closed``, and return the number of games."""
    for batch in table.to_batches():
        file.write(batch.column("text"), batch.column("closed"))
    return table.num_rows


# ------------------------------------------ games of several sources in one file, in another order, or in several files


_WRITTEN = ("text", "closed")
_DIRECTION = re.compile(r"(.*?)(?:\s+(asc|desc))?\s*\Z", re.IGNORECASE | re.DOTALL)


class Split(NamedTuple):
    """How many games were written, and into how many files."""

    games: int
    files: int


def merge(
    sources: Sources,
    output: str | os.PathLike[str] | IO[bytes],
    *,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> int:
    r"""Write the games of all sources into one file, in their order, and return the number of games.

    Texts are copied from the sources byte for byte. Memory is bounded for any number of games.

    Args:
        sources: PGN, as for ``find``.
        output: a path that ends in ``.pgn`` or ``.pgn.zst``, which gets its name when it is complete, or a file open
            for bytes.
        without: the parts to leave out of the texts: ``"comments"``, ``"variations"``, ``"nags"``, ``"tags"`` (all
            except the Seven Tag Roster).
        threads: the number of threads, by default one per processor.
        on_batch: called after each batch with its numbers of games, positions and bytes of text.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown part. SourceError: a source is missing, is not PGN, or cannot be read to its end.
        OutputError: the output cannot be written, or is among the files of a folder or pattern of the sources.

    Example:
        >>> import io, setwise
        >>> file = io.BytesIO()
        >>> setwise.merge([b"1. e4! {best} e5 1-0", b"1. d4 *"], file, without=["comments", "nags"])
        2
        >>> file.getvalue()
        b'1. e4 e5 1-0\n\n1. d4 *\n\n'
    """
    parts, reading = checked_parts(without), Reading(threads, on_batch, on_fault)
    texts = pgn_sources(sources, output=output)
    return _written(output, table_of_texts(texts, _WRITTEN, without=parts, reading=reading))


def _written(output: str | os.PathLike[str] | IO[bytes], tables: Iterable[pa.Table]) -> int:
    """Write the texts of games into one file, and return the number of games."""
    with text_file(output) as file:
        return sum(write(file, table) for table in tables)


# -------------------------------------------------------------------------------------------------------------- sorting


def _ordered(by: str | Iterable[str]) -> list[tuple[str, str]]:
    """Return the columns of the order of games, each with its direction."""
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
    sources: list[PgnSource], keys: list[tuple[str, str]], without: tuple[str, ...], reading: Reading
) -> Iterator[pa.Table]:
    """Yield columns of games and their texts, in order; equal games stay in the order of the sources."""
    names = [*(name for name, _ in keys), "place", *_WRITTEN]
    read = table_of_texts(sources, names, without=without, reading=reading)
    return in_order(read, [*keys, ("place", "ascending")])


def sort(
    sources: Sources,
    output: str | os.PathLike[str] | IO[bytes],
    by: str | Iterable[str],
    *,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> int:
    """Write the games of all sources in order, and return the number of games; texts are copied as in ``merge``.

    Games that do not fit in memory are stored on the disk meanwhile.

    Args:
        sources: PGN, as for ``find``.
        output: as for ``merge``.
        by: columns of games, such as ``"date"`` or ``["white_elo desc", "tag('Annotator')"]``; after a column, ``desc``
            puts the greatest value first. Texts are compared letter by letter, missing values come last, and equal
            games stay in the order of the sources.
        without: as for ``merge``.
        threads: the number of threads, by default one per processor.
        on_batch: called after each batch with its numbers of games, positions and bytes of text.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown column or part. SourceError: a source is missing, is not PGN, or cannot be read to its
            end. OutputError: the output cannot be written, is among the files of a folder or pattern of the sources, or
            the disk is full.

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
    parts, keys = checked_parts(without), _ordered(by)
    texts = pgn_sources(sources, output=output)
    return _written(output, _in_order(texts, keys, parts, Reading(threads, on_batch, on_fault)))


# ------------------------------------------------------------------------------------------------------------ splitting

#: The signs that are safe in names of files on all file systems, besides letters and digits; the longest name.
_SAFE, _LONGEST = " ,'()+!&=@", 200
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
#: The name of the file for games without a value.
_NOTHING = "unknown"


class _FilesInFolder:
    """Writes the files of a folder, one file after another."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.games, self.names = folder, 0, set[str]()
        self._file: IO[bytes] | None = None
        self._texts: TextFile | None = None

    def begin(self, name: str) -> None:
        """Close the open file, and begin the next file."""
        self.close()
        free, number = name, 1
        while free.casefold() in self.names:
            number += 1
            free = f"{name}~{number}"
        self.names.add(free.casefold())
        self._file = Path(self.folder, f"{free}.pgn").open("wb")  # noqa: SIM115  (closed by ``close``)
        self._texts = TextFile(self._file)

    def write(self, table: pa.Table) -> None:
        """Append games to the open file."""
        if self._texts is not None:
            self.games += write(self._texts, table)

    def close(self) -> None:
        """Close the open file, if there is one."""
        if self._file is not None:
            self._file.close()


def _file_name(value: Any) -> str:
    """Return the name of the file for a value, without the suffix."""
    text = str(value) if value is not None else _NOTHING
    name = "".join(letter if letter.isalnum() else quote(letter, safe=_SAFE) for letter in text)
    while len(name.encode()) > _LONGEST:
        name = name[:-1]
    name = name.strip() or "%20"
    return f"{name}%" if _RESERVED.fullmatch(name) or name.startswith(".") else name


@contextmanager
def _new_folder(folder: str | os.PathLike[str]) -> Iterator[_FilesInFolder]:
    """Yield a folder that gets its name, or if it exists and is empty, its files, when all files are complete."""
    place = Path(folder).resolve()
    try:
        is_there = place.exists()
        if is_there and (not place.is_dir() or any(place.iterdir())):
            raise OutputError(f"{folder} is there already; name a folder that is new or empty")
        place.parent.mkdir(parents=True, exist_ok=True)
        with part_folder(place / "games" if is_there else place) as aside:
            files = _FilesInFolder(aside)
            try:
                yield files
            finally:
                files.close()
            for file in (*aside.iterdir(), aside):  # no name outlives a loss of power without its games
                settle(file)
            if is_there:
                for file in aside.iterdir():
                    file.rename(place / file.name)
            else:
                aside.rename(place)
            settle(place if is_there else place.parent)
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {reason_of(error)}") from None


def split(
    sources: Sources,
    folder: str | os.PathLike[str],
    *,
    every: int | None = None,
    by: str | None = None,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Split:
    """Write the games of all sources into several files of a folder; texts are copied as in ``merge``.

    Args:
        sources: PGN, as for ``find``.
        folder: a folder that is new or empty; it gets its name when all its files are complete.
        every: the number of games in a file: ``games-00001.pgn``, ``games-00002.pgn`` …
        by: in place of ``every``, a column of games: each value gets a file with its name, with the games in the order
            of the sources; games without a value are in ``unknown.pgn``. Signs that a file system may reject are
            written as codes, such as ``%3F``.
        without: as for ``merge``.
        threads: the number of threads, by default one per processor.
        on_batch: called after each batch with its numbers of games, positions and bytes of text.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown column or part; neither or both of ``every`` and ``by``. SourceError: a source is
            missing, is not PGN, or cannot be read to its end. OutputError: the folder cannot be written or is not
            empty, or the disk is full.

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
    parts, reading = checked_parts(without), Reading(threads, on_batch, on_fault)
    keys = [] if by is None else _ordered([by])
    texts = pgn_sources(sources)
    with _new_folder(folder) as files:
        if every is not None:
            tables = table_of_texts(texts, _WRITTEN, without=parts, reading=reading)
            pieces = _every(tables, every, files)
        else:
            pieces = _by_value(_in_order(texts, keys, parts, reading))
        last: Any = files  # no value
        for value, table in pieces:
            if value != last or last is files:
                files.begin(f"games-{value:05}" if every is not None else _file_name(value))
                last = value
            files.write(table)
    return Split(files.games, len(files.names))


def _every(tables: Iterable[pa.Table], every: int, files: _FilesInFolder) -> Iterator[tuple[int, pa.Table]]:
    """Yield games with the number of the file that they belong to."""
    for table in tables:
        at = 0
        while at < table.num_rows:
            count = min(every - files.games % every, table.num_rows - at)
            yield files.games // every + 1, table.slice(at, count)
            at += count


def _by_value(tables: Iterable[pa.Table]) -> Iterator[tuple[Any, pa.Table]]:
    """Yield games with the value in their first column."""
    for table in tables:
        at = 0
        for value, group in groupby(table.column(0).to_pylist()):
            count = len(list(group))
            yield value, table.slice(at, count)
            at += count
