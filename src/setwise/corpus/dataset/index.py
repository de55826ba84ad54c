"""``index``: packs games into a folder, with every position of theirs sorted by its key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from setwise.corpus.dataset.index_folder import IndexFolder
from setwise.corpus.dataset.scan import feature_columns
from setwise.corpus.query.search import usable_threads
from setwise.corpus.sources.expansion import Source
from setwise.corpus.storage.bitmaps import has_bitmap, without_movers
from setwise.errors import OutputError, QueryError
from setwise.game.games import Fault
from setwise.system.files import in_utf8

__all__ = ["Indexed", "index"]


class Indexed(NamedTuple):
    """The result of ``index``: the numbers of games and positions, the folder, and how many positions it had before."""

    games: int
    positions: int
    path: Path
    kept: int = 0


def index(
    sources: Source | Iterable[Source],
    output: str | os.PathLike[str],
    *,
    features: str | Iterable[str] = (),
    threads: int | None = None,
    force: bool = False,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Indexed:
    """Write an index of games: a folder in which a position is found at once.

    An index is a source like the PGN that it was made of, and answers every question with the same rows: it has the
    games, packed. A condition that needs a position, as ``key = …``, ``fen = …`` and ``key = position_key('…')`` do,
    alone or joined by ``and`` with others, reads only the games that reach the position; ``tree`` adds up stored
    counts. A condition that needs a value of a column with a bitmap, as ``white_pinned <> 0`` does, reads only the
    games that have one.

    Called again, it adds what is new: sources that have not changed are skipped, a source that has changed is read
    anew, and damaged files are made again. After any interruption the same call continues.

    Args:
        sources: PGN and tables of games, as for ``pack``.
        output: the folder.
        features: features (both sides), columns, or ``"all"``, one or several, of which the index has bitmaps: the
            games in which they have a value. An index keeps those that it has; others are added, from its games.
        threads: the number of threads, by default one per processor.
        force: whether to replace what the folder holds.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources.
        on_fault: called for every game that breaks off.

    Returns:
        The numbers of games and positions, the folder, and how many positions it had before.

    Raises:
        QueryError: an unknown feature, or a column that an index has no bitmap of.
        SourceError: a source is missing, has no games, or cannot be read; all others are in the index.
        OutputError: the folder cannot be written, or holds something else.

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
    columns = _bitmaps_of(features)
    folder = IndexFolder(
        place, columns, threads=usable_threads(threads), force=force, on_batch=on_batch, on_fault=on_fault
    )  # fmt: skip
    parts, before = folder.write(sources, force=force)
    return Indexed(sum(part.games for part in parts), sum(part.positions for part in parts), place, before)


def _bitmaps_of(features: str | Iterable[str]) -> list[str]:
    """The columns that an index has bitmaps of for features and columns; all of these that it can have for ``all``."""
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
