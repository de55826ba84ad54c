"""``index``: packed games with all their positions sorted by key, in a folder that may be a scan, too.

Each part of a source becomes packed games, a sorted run of its positions, and bitmaps of columns. Runs and bitmaps can
be made again from the packed games; packed games need their source.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from setwise.corpus.dataset.folder import Dataset
from setwise.corpus.dataset.scan import feature_columns
from setwise.corpus.query.search import usable_threads
from setwise.corpus.sources.places import Sources
from setwise.corpus.storage.encodings import has_bitmap, without_movers
from setwise.errors import OutputError, QueryError
from setwise.game.games import Fault
from setwise.system.files import in_utf8


class Indexed(NamedTuple):
    """The result of ``index``: the numbers of games and positions, the folder, and its former number of positions."""

    games: int
    positions: int
    path: Path
    kept: int = 0


def index(
    sources: Sources,
    output: str | os.PathLike[str],
    *,
    features: str | Iterable[str] = (),
    threads: int | None = None,
    force: bool = False,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Indexed:
    """Write an index of games: a folder in which a position is found at once.

    An index is a source like the PGN that it was made from, and gives the same rows for every query: it contains the
    games, packed. A condition that needs a position (``key = …``, ``fen = …`` or ``key = position_key('…')``, alone or
    joined to others by ``and``) reads only the games that reach this position; ``tree`` adds up stored counts. A
    condition that needs a value of a column with a bitmap, such as ``white_pinned <> 0``, reads only the games with
    such a value.

    Another call with the same folder adds new sources: sources that have not changed are skipped, changed sources are
    read again, and damaged files are made again. After any interruption the same call continues.

    Args:
        sources: PGN and tables of games, as for ``pack``. An empty list means the sources that the folder has.
        output: the folder. If it is a scan, it becomes an index, too, and each new part gets both.
        features: features (both sides), columns, or ``"all"``, one or several: these get bitmaps, which record the
            games in which they have a value. An index keeps the bitmaps that it has; new ones are added from its games.
        threads: the number of threads, by default one per processor.
        force: whether to replace the contents of the folder.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources.
        on_fault: called for every game that breaks off.

    Returns:
        The numbers of games and positions, the folder, and its former number of positions.

    Raises:
        QueryError: an unknown feature, or a column that cannot have a bitmap.
        SourceError: a source is missing, has no games, or cannot be read; all other sources are in the index.
        OutputError: the folder cannot be written, or contains something else.

    Example:
        >>> import setwise, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> setwise.index(b'[Event "a"] 1. e4 e5 2. Nf3 * [Event "b"] 1. Nf3 e5 2. e4 *', folder).positions
        8
        >>> key = setwise.Position("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2").key
        >>> setwise.find(f"key = {key}", folder, columns=["game", "ply"]).to_pylist()
        [{'game': 1, 'ply': 3}, {'game': 2, 'ply': 3}]
    """
    place = Path(in_utf8(output))
    if place.suffix.lower() in {".parquet", ".pgn"} or place.is_file():
        raise OutputError(f"{place} cannot be the index: an index is a folder, such as games.index")
    threads, bitmaps = usable_threads(threads), _bitmaps_of(features)
    folder = Dataset(place, keys=True, bitmaps=bitmaps, threads=threads, on_batch=on_batch, on_fault=on_fault)
    parts, before = folder.write(sources, force=force)
    return Indexed(sum(part.games for part in parts), sum(part.positions for part in parts), place, before)


def _bitmaps_of(features: str | Iterable[str]) -> list[str]:
    """Return the columns with bitmaps for features and columns; for ``all``, all columns that can have bitmaps."""
    columns = list[str]()
    for name in [features] if isinstance(features, str) else features:
        named = [it for column in feature_columns(name) for it in without_movers(column)]
        possible = [it for it in named if has_bitmap(it)]
        if len(possible) < len(named) and name != "all":
            raise QueryError(
                f"an index has no bitmap of {name}: it can have those of setwise's own features, and of columns of the "
                "board and the move that are numbers or truths"
            )
        columns += possible
    return list(dict.fromkeys(columns))
