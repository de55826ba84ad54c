"""What every format of results is: a class with a name, a suffix and a media type, which writes matches.

The formats import Arrow and the compiled code only where they write: help need not wait for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar, NamedTuple

from setwise.errors import QueryError, shortened

if TYPE_CHECKING:
    import pyarrow as pa

    from setwise.corpus.query.search import BatchResult


class Request(NamedTuple):
    """What an output writes, and how."""

    #: The columns, for formats that have any.
    schema: pa.Schema
    #: The condition, for a page that shows it.
    where: str = ""
    #: Whether formats of text write sets as numbers.
    raw: bool = False
    #: The side at the bottom of boards: ``white``, ``black`` or ``mover``; empty for White, or who misses a chance.
    side: str = ""
    #: Whether boards are drawn with colours.
    color: bool = False
    #: Whether PGN writes for each match the rest of its game, instead of whole games.
    positions_alone: bool = False
    #: The parts, out of ``PARTS``, that PGN leaves out of games written without marks; None for games with marks.
    without: tuple[str, ...] | None = None
    #: The caller's option for ``positions_alone``, to name it in messages; empty if the caller has none.
    option: str = ""


class Output(ABC):
    """A writer of one format, to a file or to standard output."""

    #: Its name in --format.
    name: ClassVar[str]
    #: The suffix of its files; empty for a format for standard output only.
    suffix: ClassVar[str] = ""
    #: The options that change what it writes.
    options: ClassVar[frozenset[str]] = frozenset()
    #: Whether it can contain the rows of any table, or positions only.
    is_of_rows: ClassVar[bool] = False
    #: Whether it draws: it may contain colour codes, and its texts are free of control characters already.
    is_drawn: ClassVar[bool] = False
    #: Whether it is for files only.
    is_for_files: ClassVar[bool] = False
    #: The text of its link on the page, and the media type of its files; empty if the page does not offer it.
    title: ClassVar[str] = ""
    media_type: ClassVar[str] = ""
    #: Whether the games of the matches need the annotations of their moves.
    needs_notes = False
    #: The path of the unfinished file that remains after an error; None if there is none.
    part: Path | None = None

    @classmethod
    @abstractmethod
    def check_columns(cls, names: Iterable[str]) -> None:
        """Raise ``QueryError`` if the format cannot hold a table with these columns; called before anything is read."""

    def __init__(self, file: IO[bytes], request: Request) -> None:
        self.file, self.request = file, request
        self.broken = False
        #: The number of bytes written completely, and whether there was anything to write.
        self.good = 0
        self.has_any = False
        self._put(self.head())

    def head(self) -> bytes:
        """The beginning of the file."""
        return b""

    def tail(self) -> bytes:
        """The end of the file."""
        return b""

    @abstractmethod
    def text(self, result: BatchResult) -> bytes:
        """The matches of a batch, in this format."""

    def write(self, result: BatchResult) -> None:
        """Append the matches of a batch."""
        self.put(self.text(result))

    def put(self, text: bytes) -> None:
        """Append matches that are already in this format."""
        self.has_any = True
        self._put(text)

    def _put(self, text: bytes) -> None:
        if not text:
            return
        self.broken = True  # until the whole text is written
        self.file.write(text)
        self.file.flush()
        self.good += len(text)
        self.broken = False

    def repair(self) -> None:
        """Cut off what was written incompletely, and finish."""
        if self.broken:
            self.file.truncate(self.good)
            self.file.seek(self.good)
        self.close()

    def close(self) -> None:
        """Finish; the file stays open."""
        self._put(self.tail())


class Matches(Output):
    """A format of positions, match after match."""

    @classmethod
    def check_columns(cls, names: Iterable[str]) -> None:
        """Raise ``QueryError`` if neither ``fen`` nor ``source``, ``game`` and ``ply`` are among the columns."""
        from setwise.corpus.columns import PLACE

        known = {name.lower() for name in names}
        if "fen" not in known and not known.issuperset(PLACE):
            raise QueryError("the answer has no column fen, nor source, game and ply: it names no positions")

    @property
    def gathers(self) -> bool:
        """Whether the matches of a game are written together, in one text."""
        return False

    @abstractmethod
    def texts(self, result: BatchResult) -> Iterable[str]:
        """The text of each match of a batch; empty if the text of the match before it includes it."""

    def text(self, result: BatchResult) -> bytes:
        """The matches of a batch, in this format."""
        return "".join(self.texts(result)).encode()

    def pieces(self, result: BatchResult) -> list[bytes]:
        """The texts of the matches, which can be written in any order; empty as ``texts`` says."""
        return [text.encode() for text in self.texts(result)]


class Rows(Output):
    """A format of rows: of matches, or of any table."""

    options = frozenset({"columns", "raw"})
    is_of_rows = True
    #: Whether readers of the format identify columns by their names alone, so that every name can occur only once.
    has_unique_names: ClassVar[bool] = False

    @classmethod
    def check_columns(cls, names: Iterable[str]) -> None:
        """Raise ``QueryError`` for two columns of one name, if the format has columns by their names alone."""
        if cls.has_unique_names and (twice := [name for name, count in Counter(names).items() if count > 1]):
            raise QueryError(
                f"{cls.name} cannot hold two columns of the same name, {shortened(twice[0])}: give one of them another "
                f"name with `as`, or choose a format that can, such as csv"
            )

    def text(self, result: BatchResult) -> bytes:
        """The matches of a batch, in this format."""
        return self.lines(conformed(result.table(), self.request.schema))

    @abstractmethod
    def lines(self, table: pa.Table) -> bytes:
        """The rows of a table, in this format."""

    def write_table(self, table: pa.Table) -> None:
        """Append the rows of a table with the columns of the schema."""
        self.put(self.lines(table))


def conformed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of a schema; columns that the table lacks are null."""
    import pyarrow as pa

    names = set(table.column_names)
    columns = [
        table.column(field.name) if field.name in names else pa.nulls(len(table), field.type) for field in schema
    ]
    return pa.table(columns, schema.names).cast(schema)
