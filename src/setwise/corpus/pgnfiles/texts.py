"""The texts of games with columns beside them, read from any number of sources, and files that they are written to."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from setwise.archives.frames import zstd
from setwise.corpus.columns import GAMES, checked, games_table
from setwise.corpus.columns.registry import TAG
from setwise.corpus.query.search import BatchResult, Plan, search
from setwise.corpus.sources.expansion import Source, expanded, is_file
from setwise.corpus.sources.jobs import Opened
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.sources.pgn import Pgn
from setwise.errors import OutputError, QueryError, SourceError, did_you_mean
from setwise.game.games import Fault, Games
from setwise.game.texts import TextFile, spans, texts_of
from setwise.notation.characters import BLANKS
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.identity import keys_of
from setwise.notation.pgn.stripping import PARTS, stripped
from setwise.rules.state import USUAL_START
from setwise.system.files import written

__all__ = [
    "SOURCE", "Listeners", "checked_parts", "columns_of_games", "pgn_sources", "repeatable",
    "table_of_texts", "text_file", "write",
]  # fmt: skip

#: Columns of games that no condition knows: where a game stands among all, its text, whether that ends with a result,
#: the 128 bits of its start and moves, these as a text whose beginnings are games cut short, the bytes of its notes.
_OWN = pa.schema(
    [
        ("place", pa.int64()),
        ("text", pa.binary()),
        ("closed", pa.bool_()),
        ("key", pa.uint64()),
        ("key_too", pa.uint64()),
        ("line", pa.string()),
        ("notes", pa.int64()),
    ]
)
#: A source has fewer games; the places of the next one begin here.
SOURCE = 1 << 40
_NOTES = ("comments", "variations", "nags")


class Listeners(NamedTuple):
    """Callbacks: for every batch with its games, positions and bytes of text; for every game that breaks off."""

    on_batch: Callable[[int, int, int], Any] | None = None
    on_fault: Callable[[Fault], Any] | None = None

    def report(self, result: BatchResult) -> None:
        """Call them for a batch."""
        if self.on_fault is not None:
            for fault in result.batch.faults:
                self.on_fault(fault)
        if self.on_batch is not None:
            self.on_batch(
                len(result.games), len(cast("Games", result.games).moves) + len(result.games), result.batch.size
            )


# -------------------------------------------------------------------------------------------------------------- asking


def columns_of_games(names: str | Iterable[str]) -> list[str]:
    """Return names of columns that have one value in a game; of tags too, ``tag('Annotator')``.

    Raises:
        QueryError: for others.
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
    if not column.startswith(TAG):
        raise QueryError(f"{name} differs from position to position; games have {', '.join(GAMES.names)} and tag('…')")
    return column


def checked_parts(parts: str | Iterable[str]) -> tuple[str, ...]:
    """Return what is to be left out of texts; raises ``QueryError`` for what cannot be."""
    named = tuple([parts] if isinstance(parts, str) else parts)
    for part in named:
        if part not in PARTS:
            raise QueryError(f"games cannot do without {part!r:.60}: there are {', '.join(PARTS)}")
    return named


# ------------------------------------------------------------------------------------------------------------- reading


def pgn_sources(
    sources: Source | Iterable[Source], *, again: bool = False, output: str | os.PathLike[str] | IO[bytes] | None = None
) -> list[Pgn]:
    """Return the sources, all of them PGN.

    Args:
        sources: what is meant.
        again: whether they are read several times.
        output: where their games go.

    Raises:
        SourceError: for one that is missing, or no PGN.
        OutputError: when a folder or a pattern of names gives the output: its games would be there twice.
    """
    given = list(expanded(sources, output=output if isinstance(output, str | os.PathLike) else None))
    opened = list(resolved(given, again=again))
    for source in opened:
        if not source.has_texts:
            raise SourceError(f"{source.name} is not PGN, and texts of games are asked for")
    return cast("list[Pgn]", opened)


@contextmanager
def repeatable(sources: Source | Iterable[Source]) -> Iterator[list[Pgn]]:
    """Yield sources that can be read several times; a stream is kept in a file meanwhile.

    Raises:
        SourceError: for one that is missing or no PGN, and at the end for one that has changed since.
    """
    opened = pgn_sources(sources, again=True)
    stamps = list(map(_stamp, opened))
    yield opened
    for source, stamp in zip(opened, stamps, strict=True):
        if _stamp(source) != stamp:
            raise SourceError(f"{source.name} has changed while it was read")


def _stamp(source: Pgn) -> tuple[int, int] | None:
    """Size and time of a file, which differ when it has changed."""
    if not is_file(source.source):
        return None
    try:
        status = Path(cast("str", source.source)).stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def table_of_texts(
    sources: Iterable[Opened],
    names: Iterable[str],
    *,
    without: tuple[str, ...] = (),
    threads: int | None = None,
    listeners: Listeners = Listeners(),  # noqa: B008  (it is immutable)
) -> Iterator[pa.Table]:
    """Yield columns of the games of sources, batch by batch, a row a game.

    Args:
        sources: PGN alone.
        names: columns of games, and of ``place text closed key key_too line notes``.
        without: what is left out of the texts, of ``PARTS``.
        threads: how many, else as many as there are processors.
        listeners: callbacks for batches and faults.

    Raises:
        SourceError: for a source that cannot be read; what came before it has been yielded.
    """
    asked = tuple(names)

    def plan(ordinal: int) -> Plan:
        return Plan(None, False, [], [], GAMES, lambda result: _table(result, asked, ordinal * SOURCE, without))

    plans = ((source, plan(ordinal)) for ordinal, source in enumerate(sources))
    for result in search(plans, threads=threads):
        listeners.report(result)
        yield result.computed


def _table(result: BatchResult, names: tuple[str, ...], before: int, without: tuple[str, ...]) -> pa.Table:
    games = cast("Games", result.games)
    own = {name: _OWN.field(name).type for name in names if name in _OWN.names}
    known = [name for name in names if name in GAMES.names]
    columns = dict(zip(known, games_table(games, result.batch.faults, known).columns, strict=True))
    columns |= {name: games.tag(name.removeprefix(TAG)) for name in names if name.startswith(TAG)}
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
    """The rows of games of whose moves nothing is known, or not all: those without any, and those that break off."""
    plies = np.diff(games.move_offsets)
    return np.flatnonzero((plies == 0) | (games.table[:, pgn.FAULT] != pgn.NO_FAULT))


def _keys(games: Games) -> np.ndarray:
    """Two words for each game, the same where the starts and all moves are."""
    keys = keys_of(games.table, games.moves, games.boards)
    starts, stops = spans(games)
    for row in _compared_whole(games).tolist():
        keys[row] = np.frombuffer(_digest(games.block.text[starts[row] : stops[row]]), np.uint64)
    return keys


def _digest(text: bytes) -> bytes:
    """128 bits of a text, whatever its line ends."""
    import hashlib

    return hashlib.blake2b(b"\n".join(text.rstrip(BLANKS).splitlines()), digest_size=16).digest()


def _lines(games: Games) -> pa.Array:
    """The moves of games, three letters each, behind where they start unless that is the usual place."""
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


@contextmanager
def text_file(output: str | os.PathLike[str] | IO[bytes]) -> Iterator[TextFile]:
    """Yield what writes games into a file, which gets its name when it is whole; ``.pgn.zst`` is packed.

    Raises:
        OutputError: when the path cannot be written, or its name says that it is something else.
    """
    if not isinstance(output, str | os.PathLike):
        yield TextFile(output)
        return
    path = Path(output)
    if path.is_dir():
        raise OutputError(f"{path} cannot be written: it is a directory")
    if not path.name.lower().endswith((".pgn", ".pgn.zst")):
        raise OutputError(f"{path} should end in .pgn or .pgn.zst, which is how games are written")
    with written(path) as file:
        if path.suffix.lower() == ".zst":
            with zstd.open(file, "wb") as packed:
                yield TextFile(cast(IO[bytes], packed))
        else:
            yield TextFile(file)


def write(file: TextFile, table: pa.Table) -> int:
    """Append the games of a table with the columns ``text`` and ``closed``, and return how many there are."""
    for batch in table.to_batches():
        file.write(batch.column("text"), batch.column("closed"))
    return table.num_rows
