"""Tables with a game in each row, from any batches of rows: databases, CSV, JSON, Parquet.

The column that decides how a table is read is the first of ``pgn``, ``fen``, ``moves`` and ``movetext`` that it has, in
any case. The texts in ``pgn`` are read as one file of PGN if they begin with tags; else they are moves, as in the last
two columns: SAN, UCI, or a list of these. With ``fen`` a table has positions, or games if ``moves`` is there, too. The
other columns are tags, by the names of PGN, of setwise, or of the programs that write such tables.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa

from setwise.archives import Chunks
from setwise.corpus.columns import COLUMNS, OF_TAGS
from setwise.corpus.columns.registry import plain_type
from setwise.corpus.sources import tables
from setwise.corpus.sources.game_tables import GameRows, GamesJob, as_texts
from setwise.corpus.sources.jobs import Job, Question, Source, SourceOfGames
from setwise.corpus.sources.pgn import PgnSource
from setwise.corpus.sources.rows import RowGroup
from setwise.corpus.storage.encodings import SETUP
from setwise.errors import SourceError
from setwise.game.batch import Block
from setwise.game.games import is_closed, pgn_blocks
from setwise.system.packages import pc

#: How many rows of games are searched at once; each has about 80 positions.
GAMES = 1 << 10
#: The columns that a table may have games or positions in; the first of them that it has decides how it is read.
_FITTING = ("pgn", "fen", "moves", "movetext")
_SIDED = {"{}_id": "", "{}_username": "", "{}_player": "", "{}_rating": "Elo", "{}rating": "Elo"}
#: The tags that a column may be, by its name in lower case; the first column of a tag counts.
_TAGS = {
    **{tag.lower(): tag for tag in ("Result", *OF_TAGS, *SETUP)},
    **{column: tag for tag, column in OF_TAGS.items()},
    **{it.format(side): f"{side.title()}{tag}" for side in ("white", "black") for it, tag in _SIDED.items()},
    "opening_eco": "ECO", "opening_name": "Opening", "winner": "Result", "increment_code": "TimeControl",
    "victory_status": "Termination", "initial_fen": "FEN", "initialfen": "FEN", "url": "Site", "game_url": "Site",
}  # fmt: skip
_RESULTS = {"white": "1-0", "black": "0-1", "draw": "1/2-1/2"}
_MINUTES = re.compile(r"(\d+)\+(\d+)")
_BEGINS_WITH_TAG = re.compile(r"[\s\ufeff]*\[")
#: The values of columns that are not written as PGN writes them.
_VALUES: dict[str, Callable[[str], str]] = {
    "winner": lambda it: _RESULTS.get(it.lower(), "*"),
    "increment_code": lambda it: _MINUTES.sub(lambda code: f"{60 * int(code[1])}+{code[2]}", it),
}

#: A function that yields the rows of a table from the first one on.
Batches = Callable[[], Iterator[pa.RecordBatch]]


def texts_in(names: list[str]) -> list[str]:
    """Return the columns of a table that hold texts: those that are texts in conditions; of games also their tags.

    >>> texts_in(["fen", "round", "white_rating"]), texts_in(["moves", "white_rating", "white_elo"])
    (['fen', 'round'], ['moves', 'white_rating'])
    """
    tags = {} if str(fitting(names)).lower() == "fen" else _TAGS
    known = {name: COLUMNS.get(name.lower()) for name in names}
    return [
        name
        for name, column in known.items()
        if (column is None and name.lower() in {*tags, *_FITTING})
        or (column is not None and pa.types.is_string(plain_type(column.type)))
    ]


def fitting(names: Iterable[str]) -> str | None:
    """Return the column that decides how a table is read; None if it has neither positions nor games.

    Beside ``movetext``, ``FEN`` in capitals is the tag.

    >>> fitting(["id", "Moves", "FEN"]), fitting(["FEN", "movetext"]), fitting(["id"])
    ('FEN', 'movetext', None)
    """
    small = {name.lower(): name for name in reversed(list(names))}
    if "movetext" in small and small.get("fen") == "FEN":
        del small["fen"]
    return next((small[name] for name in _FITTING if name in small), None)


def source_of(name: str, first: pa.RecordBatch, batches: Batches) -> Source:
    """Return a table as a source.

    Args:
        name: the name of the source.
        first: the first batch of rows, or one without rows.
        batches: yields all rows.
    """
    column = fitting(first.schema.names)
    match str(column).lower():
        case "fen":
            return tables.TableSource(name, first.schema, lambda: tables.whole_games(batches()))
        case "pgn":
            texts = (str(_text(text)) for text in first.column(column).to_pylist() if text)
            if _BEGINS_WITH_TAG.match(next(texts, "[")):
                return PgnTexts(name, lambda: chain.from_iterable(it.column(column).to_pylist() for it in batches()))
    return _Games(name, str(column), first.schema, batches)


def of_first_batch(name: str, read: Batches) -> Source:
    """Return a table that is read by a function, with the schema of its first batch.

    Raises:
        SourceError: if the table has no rows, or cannot be read.
    """
    begin = tables.each(read(), name)
    if (first := next(begin, None)) is None:
        raise SourceError(f"{name} is a table without rows")
    begun = [chain([first], begin)]

    def batches() -> Iterator[pa.RecordBatch]:
        return (batch.cast(first.schema) for batch in (begun.pop() if begun else read()))

    return source_of(name, first, batches)


def _text(text: str | bytes) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text


class PgnTexts(PgnSource):
    """Texts of PGN, read as one file."""

    def __init__(self, name: str, texts: Callable[[], Iterable[str | bytes | None]]) -> None:
        super().__init__(b"", name, b"")
        self._texts = texts

    def blocks(self, size: int) -> Iterator[Block]:
        """Yield the texts in blocks of whole games."""
        with tables.reading(self.name):
            stream: Any = Chunks((_ended(text) for text in self._texts() if text), self.name)
            yield from pgn_blocks(stream, size)

    def divided(self, size: int, *, numbered_by: int | None = None) -> Any:
        """Refuse: other machines cannot read parts of such a table."""
        raise SourceError(f"{self.name} is a table, which cannot be divided: write its games to PGN or Parquet")


def _ended(text: str | bytes) -> bytes:
    """Return a text, or the bytes of one, with a result and an empty line behind it."""
    data = text if isinstance(text, bytes) else text.encode()
    return data + (b"\n\n" if is_closed(data) else b" *\n\n")


class _Games(SourceOfGames):
    """A table with a game in each row: the moves as text, and tags in the other columns."""

    divided = PgnTexts.divided

    def __init__(self, name: str, moves: str, schema: pa.Schema, batches: Batches) -> None:
        self.name, self._batches, self._columns = name, batches, schema.names
        self._names = list[str]()
        tables.check_names(name, schema.names)
        for column in schema.names:
            tag = "movetext" if column == moves else _TAGS.get(column.lower(), column)
            self._names.append(column if tag in self._names else tag)
        fields = zip(self._names, schema.types, strict=True)
        self.schema = pa.schema([(it, pa.string() if it == "movetext" else kind) for it, kind in fields])

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield a job for each batch of rows."""
        first = 1
        for batch in tables.each(self._batches(), self.name):
            columns = dict(zip(self._names, zip(self._columns, batch.columns, strict=True), strict=True))
            group = RowGroup(self.schema, len(batch), functools.partial(_texts_of, columns))
            for start in range(0, len(batch), GAMES):
                rows = GameRows(group, start, min(start + GAMES, len(batch)))
                yield GamesJob(rows, self.name, first + start, question)
            first += len(batch)


def _texts_of(columns: Mapping[str, tuple[str, pa.Array]], name: str) -> pa.Array:
    """Return a column as texts: lists of moves are joined, results and time controls are written as in PGN."""
    own_name, column = columns[name]
    if name == "movetext" and pa.types.is_list(column.type):
        return pc.binary_join(column.cast(pa.list_(pa.string())), " ")
    texts = as_texts(column, name)
    if convert := _VALUES.get(own_name.lower()):
        return pa.array([it and convert(it) for it in texts.to_pylist()], pa.string())
    return texts
