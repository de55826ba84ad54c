"""The base of every format of results: a class with a name, a suffix and a media type, which writes matches.

The formats import Arrow and the compiled code only when they write, so that help is quick.
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
    """The contents of an output, and options for writing them."""

    #: The columns, for formats with columns.
    schema: pa.Schema
    #: The condition, for a page that shows the condition.
    where: str = ""
    #: Whether formats of text write sets as numbers.
    raw: bool = False
    #: The side at the bottom of boards: ``white``, ``black`` or ``mover``; if empty, the player who misses a chance, or
    #: else White.
    side: str = ""
    #: Whether boards are drawn with colours.
    color: bool = False
    #: Whether PGN writes the rest of the game for each match, instead of whole games.
    positions_alone: bool = False
    #: The parts, out of ``PARTS``, that PGN leaves out of games written without marks; None for games with marks.
    without: tuple[str, ...] | None = None
    #: The name of the caller's option for ``positions_alone``, for messages; empty if the caller has no such option.
    option: str = ""


class Output(ABC):
    """A writer of one format, to a file or to standard output."""

    #: The name of the format in --format.
    name: ClassVar[str]
    #: The suffix of files in this format; empty for a format that is only for standard output.
    suffix: ClassVar[str] = ""
    #: The options that change the output.
    options: ClassVar[frozenset[str]] = frozenset()
    #: Whether the format can contain the rows of any table, or only positions.
    is_of_rows: ClassVar[bool] = False
    #: Whether the format draws: it may contain colour codes, and its texts have no control characters left.
    is_drawn: ClassVar[bool] = False
    #: Whether the format is only for files.
    is_for_files: ClassVar[bool] = False
    #: The text of the link on the page, and the media type of the files; empty if the page does not offer the format.
    title: ClassVar[str] = ""
    media_type: ClassVar[str] = ""
    #: Whether the games of the matches need the annotations of their moves.
    needs_notes = False
    #: The path of the unfinished file that remains after an error; None if there is none.
    part: Path | None = None

    @classmethod
    @abstractmethod
    def check_columns(cls, names: Iterable[str]) -> None:
        """Raise ``QueryError`` if the format cannot write a table with these columns; called before reading."""

    def __init__(self, file: IO[bytes], request: Request) -> None:
        self.file, self.request = file, request
        self.broken = False
        #: The number of bytes that are completely written, and whether there was anything to write.
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
        """Append matches that are texts in this format already."""
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
        """Cut off incompletely written matches, and finish."""
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
        """The text of each match of a batch; empty if the text of an earlier match includes the match."""

    def text(self, result: BatchResult) -> bytes:
        """The matches of a batch, in this format."""
        return "".join(self.texts(result)).encode()

    def pieces(self, result: BatchResult) -> list[bytes]:
        """The texts of the matches, which can be written in any order; empty texts mean the same as in ``texts``."""
        return [text.encode() for text in self.texts(result)]


class Rows(Output):
    """A format of rows: of matches, or of any table."""

    options = frozenset({"columns", "raw"})
    is_of_rows = True
    #: Whether readers of the format identify columns only by their names, so that every name can occur only once.
    has_unique_names: ClassVar[bool] = False

    @classmethod
    def check_columns(cls, names: Iterable[str]) -> None:
        """Raise ``QueryError`` for two columns of one name, if the format identifies columns only by their names."""
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
    """Return a table with the columns of a schema; columns that the table does not have are null."""
    import pyarrow as pa

    names = set(table.column_names)
    columns = [table.column(it.name) if it.name in names else pa.nulls(len(table), it.type) for it in schema]
    return pa.table(columns, schema.names).cast(schema)
