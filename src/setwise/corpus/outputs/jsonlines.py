"""JSON lines."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Rows
from setwise.view.diagram import CONTROLS

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["JsonLines"]


class JsonLines(Rows):
    """A JSON object for each row; control characters are written as escapes, which readers decode."""

    name = "jsonl"
    suffix = ".jsonl"
    has_unique_names = True

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.types as kinds

        from setwise.corpus.outputs.cells import plain

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
    from decimal import Decimal

    if not isinstance(value, Decimal):
        return str(value)
    return int(value) if value == value.to_integral_value() else float(value)
