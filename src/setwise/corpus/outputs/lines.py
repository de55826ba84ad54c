"""Formats with a line for each row: tables, CSV, TSV, JSON, Markdown, FEN, EPD."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Matches, Request, Rows
from setwise.errors import InvalidEpd
from setwise.view.diagram import CONTROLS, one_line

if TYPE_CHECKING:
    import pyarrow as pa

    from setwise.corpus.query.search import BatchResult


# ---------------------------------------------------------------------------------------------------------- EPD records


class Epd(Matches):
    """An EPD record for each match: the move that was played as ``sm``, players and place as the comment ``c0``.

    The results of an engine are ``bm``, its best move, and ``ce``, its centipawns for the side to move. The operations
    of a record that was read are written unchanged; only other operations are added.
    """

    name, suffix = "epd", ".epd"

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The records of a batch."""
        from setwise.corpus.columns import PLACE, table_of

        names = ["fen", "san", "white_name", "black_name", *PLACE]
        names += [name for name in result.beside or () if name not in names]
        matches = result.matches()
        if matches.source_columns is not None and "operations" in matches.source_columns.column_names:
            names.append("operations")
        return map(self._record, table_of(matches, names).to_pylist())

    @classmethod
    def _record(cls, row: dict[str, Any]) -> str:
        position = " ".join(row["fen"].split()[:4])
        given, known = _operations(position, row.get("operations"))
        best, score = row.get("engine_best"), row.get("engine_evaluation")
        added = {"sm": row["san"] or None, "bm": best, "ce": score, "c0": cls._comment(row)}
        if best is None or score is None:
            del added["bm"], added["ce"]
        elif row["fen"].split()[1] == "b":
            added["ce"] = -score
        written = [f"{name} {value};" for name, value in added.items() if value is not None and name not in known]
        return f"{' '.join([position, *given, *written])}\n"

    @staticmethod
    def _comment(row: dict[str, Any]) -> str:
        """The players and the place, in quotes."""
        named = row["white_name"] or row["black_name"]
        players = f"{row['white_name'] or '?'} - {row['black_name'] or '?'}, " if named else ""
        comment = f"{players}{row['source']} game {row['game']} ply {row['ply']}".replace('"', "'").replace("\\", "/")
        return json.dumps(one_line(comment), ensure_ascii=False)


def _operations(position: str, text: Any) -> tuple[list[str], Iterable[str]]:
    """Return the operations of a record that was read, unchanged, and their names; nothing if ``text`` has none."""
    from setwise.notation.epd import parse_epd

    text = text.strip() if isinstance(text, str) else ""
    try:
        names = parse_epd(f"{position} {text}")[1]
    except InvalidEpd:
        return [], ()
    return ([text if text.endswith(";") else f"{text};"] if names else []), names


# ------------------------------------------------------------------------------------------------------------------ CSV


class Csv(Rows):
    """Values separated by commas, texts in quotes; a missing value is empty."""

    name, suffix, title, media_type = "csv", ".csv", "CSV", "text/csv; charset=utf-8"

    def head(self) -> bytes:
        """The names of the columns."""
        return (",".join('"' + name.replace('"', '""') + '"' for name in self.request.schema.names) + "\n").encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow as pa
        import pyarrow.csv

        from setwise.corpus.outputs.summary import plain

        lines = pa.BufferOutputStream()
        pyarrow.csv.write_csv(plain(table, raw=self.request.raw), lines, pyarrow.csv.WriteOptions(include_header=False))
        return lines.getvalue().to_pybytes()


# --------------------------------------------------------------------------------------------- values separated by tabs


class Tsv(Rows):
    """Values separated by tabs; control characters in texts, including tabs, become blanks; quotes stand in quotes."""

    name, suffix = "tsv", ".tsv"

    def head(self) -> bytes:
        """The names of the columns."""
        return ("\t".join(" ".join(name.split()) for name in self.request.schema.names) + "\n").encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.compute as pc

        from setwise.corpus.outputs.summary import plain

        texts = [self._text(column) for column in plain(table, raw=self.request.raw).columns]
        lines = pc.binary_join_element_wise(*texts, "\t")
        return "".join(line + "\n" for line in lines.to_pylist()).encode()

    @staticmethod
    def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
        import pyarrow as pa
        import pyarrow.compute as pc

        was_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        texts = column.cast(pa.string()).fill_null("")
        if not was_text:
            return texts
        texts = pc.replace_substring_regex(texts, CONTROLS, " ")
        quoted = pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")
        return pc.if_else(pc.match_substring(texts, '"'), quoted, texts)


# ----------------------------------------------------------------------------------------------------------- JSON lines


class JsonLines(Rows):
    """A JSON object for each row; control characters are written as escapes, which readers decode."""

    name, suffix = "jsonl", ".jsonl"
    has_unique_names = True

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.types as kinds

        from setwise.corpus.outputs.summary import plain

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
    """Return a value of a type that JSON does not have: a decimal (from sums of DuckDB) as a number, others as text."""
    from decimal import Decimal

    if not isinstance(value, Decimal):
        return str(value)
    return int(value) if value == value.to_integral_value() else float(value)


# -------------------------------------------------------------------------------------------------- A table in Markdown


#: The signs with a meaning in a cell of Markdown: for links and pictures, code, emphasis, web and mail addresses.
_MARKS = re.compile(r"[\\`*_\[\]|~@]|:(?=//)|(?<=www)\.", re.IGNORECASE)


class Markdown(Rows):
    """A table in Markdown; texts are escaped, so that no text becomes a link, a picture or HTML."""

    name, suffix = "markdown", ".md"

    def head(self) -> bytes:
        """The names of the columns, and which of them are numbers."""
        from setwise.corpus.outputs.summary import is_number

        names = [self._cell(one_line(name)) for name in self.request.schema.names]
        rules = ["---:" if is_number(field, raw=self.request.raw) else "---" for field in self.request.schema]
        return f"{self._line(names)}{self._line(rules)}".encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        from setwise.corpus.outputs.summary import one_line_texts

        rows = zip(
            *([self._cell(cell) for cell in cells] for cells in one_line_texts(table, raw=self.request.raw)),
            strict=True,
        )
        return "".join(map(self._line, rows)).encode()

    @staticmethod
    def _cell(text: str) -> str:
        return _MARKS.sub(r"\\\g<0>", text).replace("&", "&amp;").replace("<", "&lt;")

    @staticmethod
    def _line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |\n"


# --------------------------------------------------------------------------------------------- an aligned table of text


class TableOutput(Rows):
    """Aligned columns, with the widths that the first rows need."""

    name, suffix = "table", ".txt"

    def __init__(self, file: IO[bytes], request: Request) -> None:
        self.widths: list[int] = []
        super().__init__(file, request)

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row, and the names of the columns before the first row."""
        from setwise.corpus.outputs.summary import one_line_texts

        names, columns = list(map(one_line, self.request.schema.names)), one_line_texts(table, raw=self.request.raw)
        lines = []
        if not self.widths:
            self.widths = [max(len(name), *map(len, cells), 1) for name, cells in zip(names, columns, strict=True)]
            lines = [self._line(names), "  ".join("─" * width for width in self.widths)]
        lines += map(self._line, zip(*columns, strict=True))
        return "".join(line + "\n" for line in lines).encode()

    def _line(self, cells: Sequence[str]) -> str:
        from setwise.corpus.outputs.summary import is_number

        kinds = (is_number(field, raw=self.request.raw) for field in self.request.schema)
        placed = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, self.widths, kinds, strict=True)
        )
        return "  ".join(placed).rstrip()


# -------------------------------------------------------------------------------------------------------- lists of FENs


class Fen(Matches):
    """A FEN for each match."""

    name, suffix = "fen", ".fen"

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The FENs of a batch."""
        return (f"{fen}\n" for fen in result.matches().fens().to_pylist())
