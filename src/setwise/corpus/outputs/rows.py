"""Rows: CSV and TSV, JSON lines, Markdown, a table to look at, Parquet and Arrow."""

from __future__ import annotations

import decimal
import json
import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import IO, Any

import pyarrow as pa

from setwise.corpus.formats import FORMATS
from setwise.corpus.outputs.cells import is_number, plain, plain_type
from setwise.corpus.outputs.output import Asked, Rows
from setwise.errors import OutputError
from setwise.system.files import in_utf8
from setwise.view.diagram import CONTROLS, one_line

__all__ = ["Arrow", "Csv", "JsonLines", "Markdown", "Parquet", "Table", "Tsv"]


class Csv(Rows):
    """Values with commas between, texts in quotes; a missing value is nothing at all."""

    format = FORMATS["csv"]

    def head(self) -> bytes:
        """The names of the columns."""
        return (",".join('"' + name.replace('"', '""') + '"' for name in self.asked.schema.names) + "\n").encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.csv

        lines = pa.BufferOutputStream()
        pyarrow.csv.write_csv(plain(table, raw=self.asked.raw), lines, pyarrow.csv.WriteOptions(include_header=False))
        return lines.getvalue().to_pybytes()


class Tsv(Rows):
    """Values with tabs between and nothing around them: control characters in texts, tabs too, become blanks."""

    format = FORMATS["tsv"]

    def head(self) -> bytes:
        """The names of the columns."""
        return ("\t".join(" ".join(name.split()) for name in self.asked.schema.names) + "\n").encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.compute as pc

        texts = [self._text(column) for column in plain(table, raw=self.asked.raw).columns]
        lines = pc.binary_join_element_wise(*texts, "\t")
        return "".join(line + "\n" for line in lines.to_pylist()).encode()

    @staticmethod
    def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
        import pyarrow.compute as pc

        was_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        texts = column.cast(pa.string()).fill_null("")
        return pc.replace_substring_regex(texts, CONTROLS, " ") if was_text else texts


class JsonLines(Rows):
    """An object for each row; control characters are written as escapes, which readers take back."""

    format = FORMATS["jsonl"]

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.types as kinds

        keep = [kinds.is_nested(field.type) for field in table.schema]
        told = plain(table, raw=self.asked.raw)
        columns = [(table if kept else told).column(at).to_pylist() for at, kept in enumerate(keep)]
        rows = (dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True))
        return "".join(f"{self._object(row)}\n" for row in rows).encode()

    @staticmethod
    def _object(row: dict[str, Any]) -> str:
        text = json.dumps(row, ensure_ascii=False, default=_in_json)
        return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_CONTROL = re.compile(CONTROLS)


def _in_json(value: object) -> int | float | str:
    """A value of a type that JSON lacks: a decimal, as DuckDB's sums are, as a number, others as texts."""
    if not isinstance(value, decimal.Decimal):
        return str(value)
    return int(value) if value == value.to_integral_value() else float(value)


# ------------------------------------------------------------------------------------------------------ to be looked at


def _cells(table: pa.Table, raw: bool) -> list[list[str]]:
    """The values of each column as text on one line."""
    return [[_cell(value) for value in column.to_pylist()] for column in plain(table, raw=raw).columns]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    return one_line(str(value))


class Table(Rows):
    """Columns side by side, as wide as the first rows ask for."""

    format = FORMATS["table"]

    def __init__(self, file: IO[bytes], asked: Asked) -> None:
        self.widths: list[int] = []
        super().__init__(file, asked)

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row, the names before the first."""
        names, columns = list(map(one_line, self.asked.schema.names)), _cells(table, self.asked.raw)
        lines = []
        if not self.widths:
            self.widths = [max(len(name), *map(len, cells), 1) for name, cells in zip(names, columns, strict=True)]
            lines = [self._line(names), "  ".join("─" * width for width in self.widths)]
        lines += map(self._line, zip(*columns, strict=True))
        return "".join(line + "\n" for line in lines).encode()

    def _line(self, cells: Sequence[str]) -> str:
        kinds = (is_number(field, raw=self.asked.raw) for field in self.asked.schema)
        placed = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, self.widths, kinds, strict=True)
        )
        return "  ".join(placed).rstrip()


#: What Markdown takes as its own in a cell: links and pictures, code, emphasis, addresses of pages and people.
_MARKS = re.compile(r"[\\`*_\[\]|~@]|:(?=//)|(?<=www)\.", re.IGNORECASE)


class Markdown(Rows):
    """A table in Markdown, whose texts are texts: no links, no pictures, no HTML."""

    format = FORMATS["markdown"]

    def head(self) -> bytes:
        """The names of the columns, and which of them are numbers."""
        names = [self._cell(one_line(name)) for name in self.asked.schema.names]
        rules = ["---:" if is_number(field, raw=self.asked.raw) else "---" for field in self.asked.schema]
        return f"{self._line(names)}{self._line(rules)}".encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        rows = zip(*([self._cell(cell) for cell in cells] for cells in _cells(table, self.asked.raw)), strict=True)
        return "".join(map(self._line, rows)).encode()

    @staticmethod
    def _cell(text: str) -> str:
        return _MARKS.sub(r"\\\g<0>", text).replace("&", "&amp;").replace("<", "&lt;")

    @staticmethod
    def _line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |\n"


# -------------------------------------------------------------------------------------------------------- for machines


class _Packed(Rows):
    """Columns as Arrow has them, sets as the numbers that they are; a writer of Arrow's own puts them into the file."""

    def __init__(self, file: IO[bytes], asked: Asked) -> None:
        super().__init__(file, asked)
        self.place = in_utf8(file.name)
        self.writer = self.opened(asked.schema)

    @abstractmethod
    def opened(self, schema: pa.Schema) -> Any:
        """The writer of a file with these columns."""

    def lines(self, table: pa.Table) -> bytes:
        """Nothing beside what the writer writes."""
        try:
            self.writer.write_table(table)
        except Exception:  # Ctrl-C waits until all of it is written
            self.broken = True
            raise
        return b""

    def mend(self) -> None:
        """Finish the file, unless its last rows are not whole."""
        if self.broken:
            raise OutputError("what is half written cannot be read")
        self.close()

    def close(self) -> None:
        """Write the end, which says where the columns are."""
        self.writer.close()


class Parquet(_Packed):
    """Columns as Parquet."""

    format = FORMATS["parquet"]

    def opened(self, schema: pa.Schema) -> Any:
        """The writer of a file with these columns."""
        from setwise.corpus.storage.encodings import writer

        return writer(self.place, schema)


class Arrow(_Packed):
    """Columns in Arrow's file format, Feather; texts in full, since a file has one dictionary and batches have many."""

    format = FORMATS["arrow"]

    def opened(self, schema: pa.Schema) -> Any:
        """The writer of a file with these columns."""
        import pyarrow.ipc

        self.schema = pa.schema([(field.name, plain_type(field.type)) for field in schema])
        return pyarrow.ipc.new_file(self.place, self.schema)

    def lines(self, table: pa.Table) -> bytes:
        """Nothing beside what the writer writes."""
        return super().lines(table.cast(self.schema))
