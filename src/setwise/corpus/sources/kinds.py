"""What can be searched: files of games, lists of FENs and EPDs, tables, folders, positions in memory.

The kind of a file is told by its beginning, not by its name. Whatever it is, it becomes jobs, each of which gives a
batch of positions; the jobs of one source may run at the same time.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import glob
import itertools
import os
import re
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import IO, Any, Self, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from setwise.archives.opening import BYTES, UNREADABLE, Stream, is_stream, opened, packed, shown_name
from setwise.archives.opening import Source as Text
from setwise.corpus.sources import scans as scanned
from setwise.corpus.sources import tables
from setwise.corpus.sources.holdings import EVERYTHING, LOOKS, Holdings, of_table
from setwise.corpus.sources.jobs import Batch, Job, OneName, Opened
from setwise.corpus.sources.naming import OwnNames
from setwise.corpus.sources.records import Records
from setwise.corpus.storage import layout
from setwise.errors import OutputError, SourceError
from setwise.game.batch import Asked
from setwise.game.blocks import BLOCK, Block, begun_small
from setwise.game.games import Games, parse_block
from setwise.game.ranges import Range
from setwise.game.recognition import pgn_blocks
from setwise.position.position import Position
from setwise.position.positions import Positions
from setwise.system.files import own_folder, reason_of

__all__ = ["Pgn", "Source", "Wholes", "apart", "bytes_of", "expanded", "is_file", "recognised", "resolved"]

#: What may be searched.
Source: TypeAlias = Text | Positions | Position | pa.Table | Range

#: Bytes of text that are searched at once: a query takes DuckDB a millisecond, however few rows there are.
_SEARCHED = 2 * BLOCK
#: So many bytes of moves alone are a position; where clocks or other notes stand between, up to four times as much text
#: is searched at once.
_BYTES_A_POSITION, _MOST_NOTED = 8, 4
#: Bytes by which a text shows its kind.
_HEAD = 1 << 14

_PGN_NAME = re.compile(r"\.pgn(\.(zst|gz|bz2|xz))?\Z", re.IGNORECASE)
_RANK = r"[pnbrqkPNBRQK1-8~]+"
_FEN_LINE = re.compile(rf"{_RANK}(/{_RANK}){{7}}(\s|\Z)")
_GLOB = re.compile(r"[*?\[]")


# --------------------------------------------------------------------------------------------------------------- games


class _ParseJob(Job):
    """A block of games; its games are numbered once the block before it is parsed, which has started earlier."""

    def __init__(self, block: Block, first: Future[int], notes: bool, asked: Asked) -> None:
        self.block, self.first, self.notes, self.asked = block, first, notes, asked
        self.following: Future[int] = Future()
        self.games: Games | None = None

    def prepare(self) -> None:
        self._parse(None)  # it may wait for long, without its positions

    def _parse(self, asked: Asked | None) -> None:
        try:
            self.games = parse_block(self.block, notes=self.notes, asked=asked)
        except BaseException as error:
            self.following.set_exception(error)
            raise

    def settle(self) -> None:
        if self.games is None:
            self._parse(self.asked)
        games = cast("Games", self.games)
        try:
            games.first = self.first.result()
            self.following.set_result(games.first + len(games))
        except BaseException as error:
            self.following.set_exception(error)
            raise

    def run(self) -> Batch:
        if not self.following.done():
            self.settle()
        games, self.games = cast("Games", self.games), None
        return Batch(games, None, list(games.faults()), self.block.size)

    def skip(self, number: int) -> None:
        self.following.set_result(number)

    def abandon(self) -> None:
        if not self.following.done():
            self.following.set_exception(CancelledError())

    def pass_over(self, *, counted: bool) -> None:
        count = len(parse_block(self.block)) if counted else 0

        def pass_on(first: Future[int]) -> None:
            if error := first.exception():
                self.following.set_exception(error)
            else:
                self.following.set_result(first.result() + count)

        self.first.add_done_callback(pass_on)


class Pgn(OneName):
    """A text of games."""

    others: Mapping[str, pa.DataType] = {}
    holdings = EVERYTHING
    is_pgn = True
    #: How much of the text the first batch has, where somebody waits for it; the next ones double.
    first: int | None = None

    def __init__(self, source: Text | Range, name: str, head: bytes) -> None:
        self.source, self.name, self.head = source, name, head

    def _size(self) -> int:
        """How much of the text is searched at once, by how many positions its beginning holds, where that is known."""
        if not self.head:
            return _SEARCHED
        games = Games.parsed(Block(self.head, self.name, 0, 1))
        positions = len(games) + len(games.moves)
        noted = len(self.head) // (_BYTES_A_POSITION * max(positions, 1))
        return _SEARCHED * min(max(noted, 1), _MOST_NOTED)

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield its blocks."""
        source, size = self.source, self._size()
        found = source.blocks(size) if isinstance(source, Range) else pgn_blocks(source, size)
        asked, number = Asked(), Future[int]()
        number.set_result(source.game if isinstance(source, Range) else 1)
        for block in found if self.first is None else begun_small(found, self.first):
            job = _ParseJob(block._replace(name=self.name), number, notes, asked)
            number = job.following
            yield job


# -------------------------------------------------------------------------------------------------------------- memory


class _Held(OneName, Job):
    """Positions in memory."""

    others: Mapping[str, pa.DataType] = {}
    is_pgn = False

    def __init__(self, positions: Positions) -> None:
        self.positions, self.name = positions, "<positions>" if positions.games is None else positions.games.source
        self.holdings = _holdings_of(positions)

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        yield self

    def run(self) -> Batch:
        held, count = self.positions[:], len(self.positions)
        if held.games is not None:
            held.games = held.games.called(self.name)
            return Batch(held.games, held, [], 0)
        records, rows = Records(self.name, 1, count), np.arange(count, dtype=np.int32)
        held.games, held.row = records, rows
        held.moves = np.zeros(count, np.uint16) if held.moves is None else held.moves
        held.game, held.ply = (rows, np.zeros(count, np.int32)) if held.game is None else (held.game, held.ply)
        return Batch(records, held, [], 0)


def _holdings_of(positions: Positions) -> Holdings:
    """What positions in memory hold: some come from games, some know their moves."""
    without = {name for name, there in (("ply", positions.ply), ("move", positions.moves)) if there is None}
    if positions.ply is None or positions.game is None:
        without.add(LOOKS)
    if positions.games is None:
        return of_table((), {"ply", "move", LOOKS} - without)
    return Holdings("the positions of", "they come without it; ask the PGN", without=frozenset(without))


# ---------------------------------------------------------------------------------------------------- telling the kind


def resolved(sources: Source | Iterable[Source], *, again: bool = False) -> Iterator[Opened]:
    """Yield every source that is meant, folders and patterns of names taken apart, in order.

    A game is known by its source and its number, so each source has a name of its own: a second ``<bytes>`` is
    ``<bytes> 2``.

    Args:
        sources: what is meant.
        again: whether they are read several times; what can be read once alone is kept in a file meanwhile.

    Raises:
        SourceError: for one that is missing, or is none.
    """
    names, wholes = OwnNames(), Wholes()
    waiting: list[tuple[Hashable, Opened]] = []  # parts of one whole, whose names are read if there is anything else
    is_mixed = False
    for source in expanded(sources):
        found, whole = recognised(_Kept.of(source) if again and is_stream(source) else source), wholes.of(source)
        waiting.append((whole, found))
        is_mixed |= whole != waiting[0][0]
        if is_mixed:
            for whole, part in waiting:
                part.name_sources(names.of(whole, part.sources()))
            waiting.clear()
        yield found


class Wholes:
    """What each source of a question is a part of, if of anything: parts of one whole share names."""

    def __init__(self) -> None:
        self._times = Counter[Path]()
        #: Of games that were read, by the name of their source: the last whole, and the number behind its last game.
        self._read: dict[str, tuple[Hashable, int]] = {}

    def of(self, source: Source) -> Hashable:
        """Return what tells the whole of a source from all others; a file that is named again is another whole.

        Positions do not know which file, of several of one name, their games were read from. Those whose games have
        higher numbers than the ones before are of the same, as batches that are read in order are.
        """
        if isinstance(source, Range):
            return source.path
        if isinstance(source, Positions) and source.games is not None:
            games = source.games
            whole, end = self._read.get(games.source, (object(), 0))
            whole = whole if games.first >= end else object()
            self._read[games.source] = whole, games.first + len(games)
            return whole
        if not is_file(source):
            return object()
        path = Path(os.path.realpath(os.fsdecode(cast("str", source))))
        self._times[path] += 1
        return layout.whole_of(path), self._times[path]


class _Kept(str):
    """The path of a file that holds what could be read once alone; it goes with this."""

    __slots__ = ("__weakref__", "shown")
    #: What messages, and the column ``source``, call it.
    shown: str

    @classmethod
    def of(cls, source: Text) -> Self:
        """Keep a stream, in bounded memory.

        Raises:
            SourceError: when it cannot be read, or there is no room for it.
        """
        handle, path = tempfile.mkstemp(dir=own_folder().name)
        kept = cls(path)
        weakref.finalize(kept, _remove, path)
        with os.fdopen(handle, "wb") as copy, packed(source) as (_, file, kept.shown):
            try:
                shutil.copyfileobj(file, copy, BLOCK)
            except OSError as error:
                why = reason_of(error)
                raise SourceError(f"{kept.shown} cannot be kept in a file while it is read: {why}") from None
        return kept


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):  # where it is open still it goes with its folder
        Path(path).unlink()


def expanded(
    sources: Source | Iterable[Source], *, scan: Path | None = None, output: str | os.PathLike[str] | None = None
) -> Iterator[Any]:
    """Yield every source that is meant, files by their names, before any of them is opened.

    Args:
        sources: what is meant.
        scan: a folder that stands for its files of games, whether it holds a scan or not, as that is being written.
        output: what is written meanwhile; whoever names it as a source, too, knows.

    Raises:
        SourceError: for a folder or a pattern of names without files, and a stream that is named twice.
        OutputError: for a folder or a pattern of names that gives the output.
    """
    single = (str, os.PathLike, Positions, Position, pa.Table, Range, *BYTES)
    several: Iterable[Any] = [sources] if isinstance(sources, single) or hasattr(sources, "read") else sources
    several = _once(several) if isinstance(several, Iterator) else list(_once(several))
    for in_memory, group in itertools.groupby(several, lambda source: isinstance(source, Position)):
        if in_memory:
            yield Positions.from_positions(group)
        else:
            for source in group:
                if not is_file(source):
                    yield source
                    continue
                files = _files_of(source, scan)
                is_scan = Path(source, layout.MANIFEST).is_file()
                if output is not None and is_scan and _real(output).is_relative_to(_real(source)):
                    raise OutputError(f"{output} lies in the scan {source}, which is a source: name another output")
                yield from files if output is None or files == [os.fsdecode(source)] else apart(files, output)


def _once(sources: Iterable[Any]) -> Iterator[Any]:
    """Sources, none of which is a stream that was there before."""
    names, files = set[str](), weakref.WeakSet[Any]()
    for source in sources:
        if is_stream(source):
            named = isinstance(source, str | os.PathLike)
            known: Any = names if named else files
            key: Any = os.fsdecode(source) if named else source
            if key in known:
                name = "standard input" if key == "-" else getattr(key, "name", key)
                raise SourceError(f"{name} can be read once alone, and is named twice")
            known.add(key)
        yield source


def is_file(source: Any) -> bool:
    """Return whether a source is the name of a file, or of several."""
    return isinstance(source, str | os.PathLike) and source != "-"


def bytes_of(sources: Iterable[str]) -> int:
    """Return how many bytes of PGN files there are, packed or not; 0 where something else is among the sources.

    What is missing is left to whoever reads it.
    """
    with contextlib.suppress(OSError, SourceError):
        names = list(expanded(sources))
        if all(is_file(name) and _PGN_NAME.search(name) and Path(name).is_file() for name in names):
            return sum(Path(name).stat().st_size for name in names)
    return 0


def recognised(source: Any) -> Opened:
    """Return one source as what it is; raises ``SourceError`` if it is missing, or none."""
    if isinstance(source, Positions):
        return _Held(source)
    if isinstance(source, pa.Table):
        return tables.table(source)
    if isinstance(source, Range):
        return Pgn(source, shown_name(source.path), b"")
    if is_file(source) and Path(source, layout.MANIFEST).is_file():
        return scanned.scan_in(os.fsdecode(source))
    return _of_text(source)


def apart(sources: Iterable[Any], *places: str | os.PathLike[str]) -> Iterator[Any]:
    """Yield sources that are taken apart already, none of which is a file or folder that is written, or in such one.

    Raises:
        OutputError: for another.
    """
    written = [_real(place) for place in places]
    for source in sources:
        if is_file(source) and any(_real(source).is_relative_to(place) for place in written):
            raise OutputError(f"{source} is a source, and would be written at the same time: name another output")
        yield source


def _real(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.realpath(os.fsdecode(path)))


def _files_of(path: str | os.PathLike[str], scan: Path | None) -> list[str]:
    path = os.fsdecode(path)
    if Path(path).is_dir():
        if Path(path, layout.MANIFEST).is_file() and (scan is None or _real(scan) != _real(path)):
            return [path]
        names = sorted(str(file) for file in Path(path).rglob("*") if _PGN_NAME.search(file.name) and file.is_file())
        if not names and (scan := Path(path, "positions.parquet")).is_file():
            names = [str(scan)]
        if not names:
            raise SourceError(f"{path} holds no .pgn files, packed or not, and no scan")
    elif not Path(path).exists() and _GLOB.search(path):
        found = glob.glob(path, recursive=True)  # noqa: PTH207  (a pattern may begin anywhere)
        names = sorted(name for name in found if not Path(name).is_dir())
        if not names:
            raise SourceError(f"no file is named like {path}")
    else:
        names = [path]
    return names


def _of_text(source: Text) -> Opened:
    """The source of a file, bytes or a stream, by how it begins."""
    if is_stream(source):
        stream = Stream(source)
        name, head, source = stream.name, _head_of(stream), cast("Text", stream)
    else:
        with opened(source) as (file, name):
            head = _head_of(file)
    if head.startswith(b"PAR1"):
        part = scanned.part_of_scan(os.fsdecode(cast("str", source))) if is_file(source) else None
        return part or tables.parquet(source, name)
    lines = head.removeprefix(codecs.BOM_UTF8).splitlines()
    line = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    text = line.decode("utf-8", "replace").strip()
    if (names := tables.json_names(text)) is not None:
        return tables.json_lines(source, name, names)
    if _FEN_LINE.match(text):
        return tables.FenList(source, name)
    fields: list[str] = []
    with contextlib.suppress(csv.Error):  # then it is not a table
        fields = next(csv.reader([text], delimiter=_delimiter(text)), [])
    if tables.fen_name(fields):
        return tables.csv_rows(source, name, _delimiter(text))
    return Pgn(source, name, head)


def _head_of(stream: IO[bytes] | Stream) -> bytes:
    head = b""
    with contextlib.suppress(*UNREADABLE):  # whoever reads it anew tells where that ends
        while len(head) < _HEAD and (chunk := stream.read(_HEAD - len(head))):
            head += chunk
    return head


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)
