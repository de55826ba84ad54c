"""What an output is: something that takes what was found, batch after batch, and writes it in its format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import IO, ClassVar, NamedTuple

import pyarrow as pa

from setwise.corpus.formats import Format
from setwise.corpus.query.search import Found

__all__ = ["Asked", "Matches", "Output", "Rows", "conformed"]


class Asked(NamedTuple):
    """What is asked of an output."""

    #: The columns, for formats that have any.
    schema: pa.Schema
    #: The condition, for a page that tells what it shows.
    where: str = ""
    #: Whether sets are numbers in text.
    raw: bool = False
    #: Whose side of a board is below, ``white``, ``black`` or ``mover``.
    side: str = "white"
    #: Whether boards may have colours.
    color: bool = False
    #: Whether PGN begins each game at its match, instead of whole games.
    positions_alone: bool = False
    #: What PGN leaves out of games, of ``PARTS``, besides marks; None for games with marks.
    without: tuple[str, ...] | None = None
    #: The option with which the caller sets ``positions_alone``, for messages; empty where the caller has none.
    option: str = ""


class Output(ABC):
    """A format on its way into a file, or to standard output."""

    format: ClassVar[Format]
    #: Whether the matches must come with what is noted beside the moves.
    needs_notes = False
    #: Where an unfinished file is kept; None without one.
    part: Path | None = None

    def __init__(self, file: IO[bytes], asked: Asked) -> None:
        self.file, self.asked = file, asked
        self.broken = False
        #: How much of the file is good, and whether anything was to be written.
        self.good = 0
        self.has_any = False
        self._put(self.head())

    def head(self) -> bytes:
        """What stands before everything else."""
        return b""

    def tail(self) -> bytes:
        """What stands behind everything else."""
        return b""

    @abstractmethod
    def text(self, found: Found) -> bytes:
        """What the matches of a batch look like."""

    def write(self, found: Found) -> None:
        """Append the matches of a batch."""
        self.put(self.text(found))

    def put(self, text: bytes) -> None:
        """Append what matches look like."""
        self.has_any = True
        self._put(text)

    def _put(self, text: bytes) -> None:
        if not text:
            return
        self.broken = True  # until all of it is written
        self.file.write(text)
        self.file.flush()
        self.good += len(text)
        self.broken = False

    def mend(self) -> None:
        """Cut what was written last and is not whole, and finish."""
        if self.broken:
            self.file.truncate(self.good)
            self.file.seek(self.good)
        self.close()

    def close(self) -> None:
        """Finish; the file stays open."""
        self._put(self.tail())


class Matches(Output):
    """A format of positions, match after match."""

    @property
    def gathers(self) -> bool:
        """Whether the matches of a game stand together."""
        return False

    @abstractmethod
    def texts(self, found: Found) -> Iterable[str]:
        """What each match of a batch looks like; nothing where the match before it shows it, too."""

    def text(self, found: Found) -> bytes:
        """What the matches of a batch look like."""
        return "".join(self.texts(found)).encode()


class Rows(Output):
    """A format of rows: of matches, or of any table."""

    def text(self, found: Found) -> bytes:
        """What the matches of a batch look like."""
        return self.lines(conformed(found.table(), self.asked.schema))

    @abstractmethod
    def lines(self, table: pa.Table) -> bytes:
        """What the rows of a table look like."""

    def write_table(self, table: pa.Table) -> None:
        """Append the rows of a table with the columns of the schema."""
        self.put(self.lines(table))


def conformed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of a schema; those that it lacks are null."""
    names = set(table.column_names)
    columns = [
        table.column(field.name) if field.name in names else pa.nulls(len(table), field.type) for field in schema
    ]
    return pa.table(columns, schema.names).cast(schema)
