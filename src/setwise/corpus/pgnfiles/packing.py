"""Pack games into Parquet, two bytes for each move, and unpack them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, cast

import pyarrow as pa

from setwise.corpus.pgnfiles.arrangement import merge
from setwise.corpus.pgnfiles.packed_rows import rows_of
from setwise.corpus.pgnfiles.texts import Listeners, checked_parts, pgn_sources
from setwise.corpus.query.search import BatchResult, Plan, search
from setwise.corpus.sources.expansion import Source
from setwise.corpus.sources.game_tables.texts import tag_columns
from setwise.corpus.sources.jobs import Opened
from setwise.corpus.storage.packed_games import schema_of, writer
from setwise.errors import OutputError
from setwise.game.blocks import Block
from setwise.game.games import Fault, Games
from setwise.game.texts import spans
from setwise.notation.pgn.stripping import stripped
from setwise.system.files import written

__all__ = ["pack", "tags_of", "unpack"]

#: Positions in a row group, whose columns are all in memory while they are written or read.
_GROUP = 1 << 20
#: Tags that get a column, at most; a game with others keeps its tags as text.
_MOST_TAGS = 100


def pack(
    sources: Source | Iterable[Source],
    output: str | os.PathLike[str],
    *,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> int:
    """Write games to Parquet, a row for each game, and return how many there are.

    Tags are columns and a move takes two bytes before compression; about 1.2 bytes a position with all tags. The file
    is a source like PGN, and reading it takes no parsing of moves. Memory is bounded, however many games there are.

    Every batch is unpacked and compared before it is written. These are the same: tags with their order and values,
    the start, the moves, the result, comments, NAGs and variations, and where a game breaks off. Blanks and line breaks
    outside comments are not kept. A game that would differ keeps its moves as the text that they are.

    Args:
        sources: PGN, as for ``find``.
        output: a path that ends in ``.parquet``, which gets its name when it is whole.
        without: what is left out, as in ``merge``.
        threads: how many, else as many as there are processors.
        on_batch: called with games, positions and bytes of text whenever so much more is read.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown part. SourceError: a source is missing, not PGN, or cannot be read to its end.
        OutputError: the output cannot be written, or a folder or pattern of names gives it.

    Example:
        >>> import setwise, tempfile
        >>> from pathlib import Path
        >>> place = Path(tempfile.mkdtemp(), "games.parquet")
        >>> setwise.pack(b'[White "Reti"] 1. Nf3 {quiet} d5 1/2-1/2', place)
        1
        >>> setwise.find("ply = 1", place, columns=["san"])["san"].to_pylist()
        ['d5']
    """
    path, parts, listeners = Path(output), checked_parts(without), Listeners(on_batch, on_fault)
    if not path.name.lower().endswith(".parquet"):
        raise OutputError(f"{path} should end in .parquet, which is how games are packed")
    if path.is_dir():
        raise OutputError(f"{path} cannot be written: it is a directory")
    opened = pgn_sources(sources, output=output)
    tags = tags_of(opened)
    schema = schema_of(tags)

    def compute(result: BatchResult) -> pa.Table:
        games = cast("Games", result.games)
        return rows_of(_without(games, parts), result.batch.faults, schema)

    plan = Plan(None, False, [], [], schema, compute)
    count, waiting, positions = 0, list[pa.Table](), 0
    with written(path) as file, writer(file, schema) as parquet:
        for result in search(((source, plan) for source in opened), threads=threads):
            listeners.report(result)
            waiting.append(result.computed)
            count += len(result.games)
            positions += len(cast("Games", result.games).moves) + len(result.games)
            if positions >= _GROUP:
                parquet.write_table(pa.concat_tables(waiting), row_group_size=1 << 30)
                waiting, positions = [], 0
        if waiting:
            parquet.write_table(pa.concat_tables(waiting), row_group_size=1 << 30)
    return count


def unpack(
    sources: Source | Iterable[Source],
    output: str | os.PathLike[str] | IO[bytes],
    *,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> int:
    """Write packed games as PGN, and return how many there are.

    The moves of each game are in one line. ``merge`` takes packed games, too; arguments and errors are those of
    ``merge``.

    Example:
        >>> import io, setwise, tempfile
        >>> from pathlib import Path
        >>> place, file = Path(tempfile.mkdtemp(), "games.parquet"), io.BytesIO()
        >>> setwise.pack(b'[White "Reti"] 1. Nf3 d5 2. c4 *', place), setwise.unpack(place, file)
        (1, 1)
        >>> print(file.getvalue().decode().strip())
        [White "Reti"]
        <BLANKLINE>
        1. Nf3 d5 2. c4 *
    """
    return merge(sources, output, without=without, threads=threads, on_batch=on_batch, on_fault=on_fault)


# ---------------------------------------------------------------------------------------------------------------- tags


def tags_of(sources: Iterable[Opened]) -> list[str]:
    """Return the tags that get a column: those at the beginning of each source, in an order that games have them in."""
    names: list[str] = []
    for source in sources:
        for game in _first_tags(source):
            for before, name in zip([None, *game], game, strict=False):
                if name not in names:
                    names.insert(names.index(before) + 1 if before is not None else 0, name)
    return tag_columns(names)[:_MOST_TAGS]


def _first_tags(source: Opened) -> Iterator[list[str]]:
    """Yield the names of the tags of each of the first games, as far as they can be columns."""
    head = getattr(source, "head", b"")
    if not head:
        schema = getattr(source, "schema", None)
        yield [] if schema is None else tag_columns(schema.names)
        return
    games = Games.parsed(Block(head, source.name, 0, 1))
    names = [head[start:stop].decode("utf-8", "replace") for start, stop in games.tags[:, :2].tolist()]
    for first, last in zip(games.tag_offsets[:-1].tolist(), games.tag_offsets[1:].tolist(), strict=True):
        yield names[first:last]


def _without(games: Games, parts: tuple[str, ...]) -> Games:
    """Return games without some parts of their texts."""
    if not parts:
        return games
    text, _ = stripped(games.text, *spans(games), parts)
    fewer = Games.parsed(Block(text.tobytes(), games.source, 0, 1))
    fewer.first = games.first
    return fewer
