"""What can be searched: files of games, lists of FENs and EPDs, tables, databases, scans, positions in memory.

The kind of a file is recognised by its beginning, not by its name. Every kind yields jobs, each of which returns a
batch of positions; the jobs of one source may run at the same time.
"""

from __future__ import annotations

import importlib
import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from setwise.corpus.sources import pgn
from setwise.corpus.sources.jobs import Source
from setwise.corpus.sources.places import Beginning, OwnNames, SourceLike, Sources, expanded, is_file, kept
from setwise.corpus.storage import layout
from setwise.corpus.storage.layout import Partial
from setwise.game.batch import GamePositions
from setwise.game.games import Range
from setwise.position.positions import Positions

__all__ = ["FORMATS", "Wholes", "recognised", "resolved"]

#: The formats of files, bytes and streams, in the order in which they are tried: each has a module here whose function
#: ``recognised`` returns a source, or None if the text begins differently. The last format accepts every text.
FORMATS = ("scans", "game_tables", "parquet", "databases", "row_texts", "pgn")
#: The beginning of a text that can only be PGN, so that no other format needs to be imported.
_TAG = re.compile(r'\[\w+ "')


def recognised(source: Any) -> Source:
    """Return a source as an object of its kind; raise ``SourceError`` if it is missing, or cannot be searched."""
    if not is_file(source):
        if (held := _in_memory(source)) is not None:
            return held
    elif Path(source, layout.MANIFEST).is_file():
        from setwise.corpus.sources import indexes, scans

        folder, partial = os.fsdecode(source), isinstance(source, Partial)
        return indexes.index_in(folder, partial=partial) or scans.scan_in(folder, partial=partial)
    beginning = Beginning.of(source)
    is_pgn = _TAG.match(beginning.line)
    formats: Iterable[Any] = [pgn] if is_pgn else (importlib.import_module(f"{__package__}.{it}") for it in FORMATS)
    return next(opened for it in formats if (opened := it.recognised(beginning)))


def _in_memory(source: Any) -> Source | None:
    """Return a source in memory, recognised by its class (subclasses first); None for another source.

    A source of a kind that setwise does not know is a ``Source`` itself.
    """
    from setwise.corpus.sources import game_tables, tables
    from setwise.corpus.sources import tables as memory

    if isinstance(source, Source):
        return source
    ways: dict[type, Callable[[Any], Source]] = {
        GamePositions: memory.GamePositionsInMemory,
        Positions: memory.PositionsInMemory,
        pa.Table: tables.table,
        Range: pgn.PgnRange,
        game_tables.RowsOfGames: game_tables.part_of,
    }
    return next((way(source) for kind, way in ways.items() if isinstance(source, kind)), None)


def resolved(sources: Sources, *, again: bool = False) -> Iterator[Source]:
    """Yield every source in order, with folders and patterns of names expanded.

    A game is identified by its source and its number, so each source has a different name: a second ``<bytes>`` gets
    the name ``<bytes> 2``.

    Args:
        sources: one source or several.
        again: whether the sources are read several times; a stream can be read only once, so it is stored in a file.

    Raises:
        SourceError: for a source that is missing, or cannot be searched.
    """
    names, wholes = OwnNames(), Wholes()
    waiting: list[tuple[Hashable, Source]] = []  # parts of one whole; names are set if another whole comes
    is_mixed = False
    for source in expanded(sources):
        opened = recognised(kept(source) if again else source)
        whole = wholes.of(source, opened)
        waiting.append((whole, opened))
        is_mixed |= whole != waiting[0][0]
        if is_mixed:
            for whole, part in waiting:
                part.name_sources(names.of(whole, part.sources()))
            waiting.clear()
        yield opened


class Wholes:
    """The wholes that the sources of a query are parts of: parts of one whole share names."""

    def __init__(self) -> None:
        self._times = Counter[Path]()
        #: For the games in memory so far, by the name of their source: the last whole, the number after its last game.
        self._read: dict[str, tuple[Hashable, int]] = {}

    def of(self, source: SourceLike, opened: Source) -> Hashable:
        """Return a key of the whole that a source is a part of; a file that is named twice is two wholes."""
        if not is_file(source):
            return opened.whole(self._read)
        path = Path(os.path.realpath(os.fsdecode(cast("str", source))))
        self._times[path] += 1
        return layout.whole_of(path), self._times[path]
