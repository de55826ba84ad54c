"""Formats of rows: CSV and TSV, JSON lines, Markdown, an aligned text table, Parquet and Arrow."""

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
from setwise.corpus.outputs.output import Request, Rows
from setwise.errors import OutputError
from setwise.system.files import in_utf8
from setwise.view.diagram import CONTROLS, one_line

__all__ = ["Arrow", "Csv", "JsonLines", "Markdown", "Parquet", "Table", "Tsv"]


class Csv(Rows):
    """Values separated by commas, texts in quotes; a missing value is empty."""

    format = FORMATS["csv"]

    def head(self) -> bytes:
        """The names of the columns."""
        return (",".join('"' + name.replace('"', '""') + '"' for name in self.request.schema.names) + "\n").encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.csv

        lines = pa.BufferOutputStream()
        pyarrow.csv.write_csv(plain(table, raw=self.request.raw), lines, pyarrow.csv.WriteOptions(include_header=False))
        return lines.getvalue().to_pybytes()


class Tsv(Rows):
    """Values separated by tabs, without quotes; control characters in texts, including tabs, become blanks."""

    format = FORMATS["tsv"]

    def head(self) -> bytes:
        """The names of the columns."""
        return ("\t".join(" ".join(name.split()) for name in self.request.schema.names) + "\n").encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.compute as pc

        texts = [self._text(column) for column in plain(table, raw=self.request.raw).columns]
        lines = pc.binary_join_element_wise(*texts, "\t")
        return "".join(line + "\n" for line in lines.to_pylist()).encode()

    @staticmethod
    def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
        import pyarrow.compute as pc

        was_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        texts = column.cast(pa.string()).fill_null("")
        return pc.replace_substring_regex(texts, CONTROLS, " ") if was_text else texts


class JsonLines(Rows):
    """A JSON object for each row; control characters are written as escapes, which readers decode."""

    format = FORMATS["jsonl"]

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.types as kinds

        keep = [kinds.is_nested(field.type) for field in table.schema]
        flat = plain(table, raw=self.request.raw)
        columns = [(table if kept else flat).column(at).to_pylist() for at, kept in enumerate(keep)]
        rows = (dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True))
        return "".join(f"{self._object(row)}\n" for row in rows).encode()

    @staticmethod
    def _object(row: dict[str, Any]) -> str:
        text = json.dumps(row, ensure_ascii=False, default=_in_json)
        return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_CONTROL = re.compile(CONTROLS)


def _in_json(value: object) -> int | float | str:
    """A value of a type that JSON lacks: a decimal, as in sums of DuckDB, as a number, any other as text."""
    if not isinstance(value, decimal.Decimal):
        return str(value)
    return int(value) if value == value.to_integral_value() else float(value)


# ---------------------------------------------------------------------------------------------------------- for readers


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
    """Aligned columns, as wide as the first rows need."""

    format = FORMATS["table"]

    def __init__(self, file: IO[bytes], request: Request) -> None:
        self.widths: list[int] = []
        super().__init__(file, request)

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row; the names of the columns before the first."""
        names, columns = list(map(one_line, self.request.schema.names)), _cells(table, self.request.raw)
        lines = []
        if not self.widths:
            self.widths = [max(len(name), *map(len, cells), 1) for name, cells in zip(names, columns, strict=True)]
            lines = [self._line(names), "  ".join("─" * width for width in self.widths)]
        lines += map(self._line, zip(*columns, strict=True))
        return "".join(line + "\n" for line in lines).encode()

    def _line(self, cells: Sequence[str]) -> str:
        kinds = (is_number(field, raw=self.request.raw) for field in self.request.schema)
        placed = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, self.widths, kinds, strict=True)
        )
        return "  ".join(placed).rstrip()


#: The signs that have a meaning in a cell of Markdown: links and pictures, code, emphasis, web and mail addresses.
_MARKS = re.compile(r"[\\`*_\[\]|~@]|:(?=//)|(?<=www)\.", re.IGNORECASE)


class Markdown(Rows):
    """A table in Markdown, with texts escaped so that none becomes a link, a picture or HTML."""

    format = FORMATS["markdown"]

    def head(self) -> bytes:
        """The names of the columns, and which of them are numbers."""
        names = [self._cell(one_line(name)) for name in self.request.schema.names]
        rules = ["---:" if is_number(field, raw=self.request.raw) else "---" for field in self.request.schema]
        return f"{self._line(names)}{self._line(rules)}".encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        rows = zip(*([self._cell(cell) for cell in cells] for cells in _cells(table, self.request.raw)), strict=True)
        return "".join(map(self._line, rows)).encode()

    @staticmethod
    def _cell(text: str) -> str:
        return _MARKS.sub(r"\\\g<0>", text).replace("&", "&amp;").replace("<", "&lt;")

    @staticmethod
    def _line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |\n"


# -------------------------------------------------------------------------------------------------------- for machines


class _Packed(Rows):
    """Columns with their Arrow types, sets as numbers; a writer of Arrow writes the file."""

    def __init__(self, file: IO[bytes], request: Request) -> None:
        super().__init__(file, request)
        self.place = in_utf8(file.name)
        self.writer = self.opened(request.schema)

    @abstractmethod
    def opened(self, schema: pa.Schema) -> Any:
        """Return the Arrow writer of a file with these columns."""

    def lines(self, table: pa.Table) -> bytes:
        """Write the rows with the Arrow writer; return nothing more to write."""
        try:
            self.writer.write_table(table)
        except Exception:  # never Ctrl-C, which waits until the rows are written
            self.broken = True
            raise
        return b""

    def repair(self) -> None:
        """Finish the file; raise an error if its last rows are incomplete."""
        if self.broken:
            raise OutputError("an incompletely written file cannot be read")
        self.close()

    def close(self) -> None:
        """Write the end of the file, which says where the columns are."""
        self.writer.close()


class Parquet(_Packed):
    """Columns in Parquet files."""

    format = FORMATS["parquet"]

    def opened(self, schema: pa.Schema) -> Any:
        """Return the Arrow writer of a file with these columns."""
        from setwise.corpus.storage.encodings import writer

        return writer(self.place, schema)


class Arrow(_Packed):
    """Columns in Arrow's file format, Feather, without dictionaries: a file can have only one for each column."""

    format = FORMATS["arrow"]

    def opened(self, schema: pa.Schema) -> Any:
        """Return the Arrow writer of a file with these columns."""
        import pyarrow.ipc

        self.schema = pa.schema([(field.name, plain_type(field.type)) for field in schema])
        return pyarrow.ipc.new_file(self.place, self.schema)

    def lines(self, table: pa.Table) -> bytes:
        """Write the rows with the Arrow writer; return nothing more to write."""
        return super().lines(table.cast(self.schema))
