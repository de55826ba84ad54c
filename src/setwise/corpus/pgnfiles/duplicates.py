"""Finds and leaves out games that are in the sources more than once.

The sources are read twice. The first reading yields a row per game, with a 128-bit key of its start and all its moves
(``notation.pgn.identity``). The rows are sorted, on the disk if there are too many, so that equal games are adjacent.
The second reading yields the texts of the games without duplicates.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from setwise.corpus.pgnfiles.texts import (
    SOURCE,
    Reading,
    checked_parts,
    columns_of_games,
    repeatable,
    table_of_texts,
    text_file,
    write,
)
from setwise.corpus.sources.pgn import PgnSource
from setwise.corpus.sources.places import Sources
from setwise.errors import QueryError, did_you_mean
from setwise.game.games import Fault
from setwise.system.packages import pc
from setwise.system.sorted_runs import in_order

#: The choice of the game that is kept among equal games.
Keep = Literal["first", "longest", "best-annotated"]
KEEP: tuple[Keep, ...] = get_args(Keep)

#: The listed columns of a duplicate; ``LISTED`` adds the place of the game that is kept instead.
_LISTED = ("source", "game", "white_name", "black_name", "date", "result", "plies")
LISTED = pa.schema(
    [
        ("source", pa.string()), ("game", pa.int32()), ("white_name", pa.string()), ("black_name", pa.string()),
        ("date", pa.string()), ("result", pa.string()), ("plies", pa.int16()),
        ("kept_source", pa.string()), ("kept_game", pa.int32()),
    ]
)  # fmt: skip

#: The values of ``by`` that are not columns of games: only the moves; the names of both players.
_MOVES, _PLAYERS = "moves", "players"
_NAMES = ("white_name", "black_name")
#: The characters that are ignored in names.
_NO_NAME = r"[^\p{L}\p{N}]+"


class Deduped(NamedTuple):
    """The numbers of games read, and of games kept."""

    games: int
    kept: int

    @property
    def duplicates(self) -> int:
        """The number of games left out."""
        return self.games - self.kept


class _Compared(NamedTuple):
    """How games are compared, and which of several equal games is kept."""

    #: The columns that must be equal besides the moves.
    columns: list[str]
    keep: Keep

    @property
    def wanted(self) -> list[str]:
        """The columns of the first reading."""
        return [
            "place",
            *(["line"] if self.keep == "longest" else ["key", "key_too"]),
            *(["notes"] if self.keep == "best-annotated" else []),
            *self.columns,
        ]

    @property
    def order(self) -> list[tuple[str, str]]:
        """The order of rows: equal games are adjacent, and the game to keep is the first of them."""
        if self.keep == "longest":
            # In descending order, all beginnings of a line come directly after the line, and smaller lines after these.
            names = ["rest", "line desc"]
        else:
            names = ["key", "key_too", "rest", *(["notes desc"] if self.keep == "best-annotated" else [])]
        ways = (name.partition(" ") for name in [*names, "place"])
        return [(name, "descending" if way else "ascending") for name, _, way in ways]

    def rows(self, table: pa.Table) -> pa.Table:
        """Return a row per game; the values that must be equal besides the moves are joined to one text."""
        values = [self._value(name, table.column(name)) for name in self.columns] or [pa.nulls(len(table), pa.string())]
        rest = pc.binary_join_element_wise(*values, "\0", null_handling="replace", null_replacement="\1")
        names = [name for name, _ in self.order if name != "rest"]
        return table.select(names).append_column("rest", rest)

    @staticmethod
    def _value(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return names in lower case without blanks and points; other values as texts."""
        if name in _NAMES:
            return pc.replace_substring_regex(pc.utf8_lower(column), _NO_NAME, "")
        return column.cast(pa.string())

    def doubled(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Yield the places of duplicates, and of the games kept instead of them, from sorted rows of games."""
        groups = _beginnings if self.keep == "longest" else _equal
        for places, kept in groups(tables):
            goes = places != kept
            yield pa.table({"place": places[goes], "kept": kept[goes]})


def _equal(tables: Iterable[pa.Table]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the places of rows, and for each row the place of the first row that is equal to it."""
    names = ("key", "key_too", "rest")
    last: tuple[Any, ...] = ()
    first = np.int64(-1)
    for table in tables:
        places = table.column("place").to_numpy()
        differs = np.ones(len(places), np.bool_)
        columns = [table.column(name).combine_chunks() for name in names]
        for_all = (pc.equal(column[1:], column[:-1]).to_numpy(zero_copy_only=False) for column in columns)
        differs[1:] = ~functools.reduce(np.logical_and, for_all)
        differs[0] = last != tuple(column[0].as_py() for column in columns)
        begins = np.maximum.accumulate(np.where(differs, np.arange(len(places)), -1))
        kept = np.where(begins < 0, first, places[begins])
        yield places, kept
        last, first = tuple(column[-1].as_py() for column in columns), kept[-1]


def _beginnings(tables: Iterable[pa.Table]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the places of rows, and for each the place of the longer game that begins with its moves, or its own."""
    head, others, stays = "", None, -1
    for table in tables:
        places = table.column("place").to_pylist()
        kept = list(places)
        rows = zip(table.column("line").to_pylist(), table.column("rest").to_pylist(), strict=True)
        for row, (line, rest) in enumerate(rows):
            if rest == others and head.startswith(line):
                kept[row] = stays
            else:
                head, others, stays = line, rest, places[row]
        yield np.array(places, np.int64), np.array(kept, np.int64)


def _compared(by: str | Iterable[str], keep: str) -> _Compared:
    named = [name.strip() for name in ([by] if isinstance(by, str) else by)]
    if not any(named):
        raise QueryError(
            "say what is equal besides the moves: players, columns such as date, or moves for nothing more"
        )
    columns: list[str] = []
    for name in named:
        if name == _PLAYERS:
            columns += _NAMES
        elif name != _MOVES:
            columns += columns_of_games(name)
    if keep not in KEEP:
        raise QueryError(f"{keep!r:.60} is not a way to choose: there are {', '.join(KEEP)}{did_you_mean(keep, KEEP)}")
    return _Compared(list(dict.fromkeys(columns)), keep)


class _Doubled:
    """The places of duplicates, and of the games kept instead of them, read in order."""

    def __init__(self, tables: Iterator[pa.Table]) -> None:
        self.tables = tables
        self.places = self.kept = np.empty(0, np.int64)

    def among(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the indices of the duplicates among the next places, and the places of the games kept instead."""
        if not len(places):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        while not len(self.places) or self.places[-1] < places[-1]:
            table = next(self.tables, None)
            if table is None:
                break
            more, kept = (table.column(name).to_numpy() for name in ("place", "kept"))
            self.places, self.kept = np.concatenate([self.places, more]), np.concatenate([self.kept, kept])
        count = int(np.searchsorted(self.places, places[-1], side="right"))
        pairs = self.places[:count] - places[0], self.kept[:count]
        self.places, self.kept = self.places[count:], self.kept[count:]
        return pairs


@contextmanager
def _second_reading(
    sources: Sources, compared: _Compared, names: Iterable[str], without: tuple[str, ...], reading: Reading
) -> Iterator[tuple[list[PgnSource], Iterator[tuple[pa.Table, np.ndarray, np.ndarray]]]]:
    """Yield the sources, and batches of their games, with the rows of duplicates and the places of the kept games."""
    with repeatable(sources) as repeated:
        read = table_of_texts(repeated, compared.wanted, reading=reading)
        together = in_order(map(compared.rows, read), compared.order)
        doubled = _Doubled(in_order(compared.doubled(together), [("place", "ascending")]))
        second = table_of_texts(repeated, ["place", *names], without=without, reading=Reading(reading.threads))
        yield repeated, ((table, *doubled.among(table.column("place").to_numpy())) for table in second)


def dedupe(
    sources: Sources,
    output: str | os.PathLike[str] | IO[bytes],
    *,
    by: str | Iterable[str] = "players",
    keep: Keep = "first",
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Deduped:
    """Write every game of the sources once, in their order; return the numbers of games read and of games kept.

    Texts are copied from the sources byte for byte. Memory is bounded for any number of games.

    Args:
        sources: PGN, as for ``find``; everything is read twice, so standard input and open files are copied to disk.
        output: a path that ends in ``.pgn`` or ``.pgn.zst``, which gets its name when it is complete, or a file open
            for bytes.
        by: what must be equal besides the starting position and the moves: ``"players"`` (both names, without regard to
            capitals, blanks and points), ``"moves"`` (nothing more), or columns of games, such as
            ``["players", "date"]``.
        keep: the game that is kept among equal games: the ``"first"``; the ``"longest"`` (here a game also equals a
            longer game that begins with all of its moves, as if it was cut short); or the ``"best-annotated"``, with
            the most bytes in comments, variations and NAGs.
        without: the parts to leave out of the texts: ``"comments"``, ``"variations"``, ``"nags"``, ``"tags"`` (all
            except the Seven Tag Roster).
        threads: the number of threads, by default one per processor.
        on_batch: called in the first reading after each batch, with its numbers of games, positions and bytes of text.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown column, part, or value of ``keep``. SourceError: a source is missing, is not PGN, cannot
            be read to its end, or changes meanwhile. OutputError: the output cannot be written.

    Games that break off, and games without moves, are equal only if their whole texts are equal.

    Example:
        >>> import io, setwise
        >>> game, noted = b'[White "Morphy"] 1. e4 e5 1-0', b'[White "morphy"] 1. e4 {best} e5 1-0'
        >>> other = b'[White "Staunton"] 1. e4 e5 1-0'
        >>> file = io.BytesIO()
        >>> setwise.dedupe([game, noted, other], file, keep="best-annotated")
        Deduped(games=3, kept=2)
        >>> print(file.getvalue().decode().strip())
        [White "morphy"] 1. e4 {best} e5 1-0
        <BLANKLINE>
        [White "Staunton"] 1. e4 e5 1-0
    """
    compared, parts, reading = _compared(by, keep), checked_parts(without), Reading(threads, on_batch, on_fault)
    games = kept = 0
    second = _second_reading(sources, compared, ["text", "closed"], parts, reading)
    with text_file(output) as file, second as (_, batches):
        for table, rows, _ in batches:
            stay = np.ones(table.num_rows, np.bool_)
            stay[rows] = False
            kept += write(file, table if len(rows) == 0 else table.filter(pa.array(stay)))
            games += table.num_rows
    return Deduped(games, kept)


def listed(
    sources: Sources,
    *,
    by: str | Iterable[str] = "players",
    keep: Keep = "first",
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Iterator[pa.Table]:
    """Yield the rows of ``duplicates`` for each batch of games; raise ``QueryError`` before reading."""
    return _listed(sources, _compared(by, keep), Reading(threads, on_batch, on_fault))


def _listed(sources: Sources, compared: _Compared, reading: Reading) -> Iterator[pa.Table]:
    with _second_reading(sources, compared, _LISTED, (), reading) as (repeated, batches):
        names = pa.array([source.name for source in repeated], pa.string())
        for table, rows, kept in batches:
            gone = table.take(pa.array(rows))
            columns = [*(gone.column(name) for name in _LISTED), names.take(pa.array(kept // SOURCE)), kept % SOURCE]
            yield pa.table(columns, names=LISTED.names).cast(LISTED)


def duplicates(
    sources: Sources, *, by: str | Iterable[str] = "players", keep: Keep = "first", threads: int | None = None
) -> pa.Table:
    """Return the games that ``dedupe`` would leave out, a row each, with the place of the game that it would keep.

    Args:
        sources: as for ``dedupe``.
        by: as for ``dedupe``.
        keep: as for ``dedupe``.
        threads: the number of threads, by default one per processor.

    Raises:
        QueryError: an unknown column or value of ``keep``. SourceError: a source is missing, is not PGN, cannot be read
            to its end, or changes meanwhile.

    Example:
        >>> import setwise
        >>> found = setwise.duplicates(b"1. e4 e5 2. Nf3 * 1. d4 * 1. e4 e5 *", keep="longest")
        >>> found.select(["game", "plies", "kept_game"]).to_pylist()
        [{'game': 3, 'plies': 2, 'kept_game': 1}]
    """
    return pa.concat_tables([LISTED.empty_table(), *listed(sources, by=by, keep=keep, threads=threads)])
