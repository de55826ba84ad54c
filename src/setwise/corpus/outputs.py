"""Where results go: Parquet, CSV, JSON lines, EPD, PGN, by the name of the file; what is written is always readable."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from setwise.corpus.columns import schema_of, table_of
from setwise.errors import OutputError
from setwise.game.games import Games
from setwise.game.writing import writes_to
from setwise.position.positions import Positions

__all__ = ["FORMATS", "Output", "open_output", "parquet_writer"]


class Output:
    """A file that takes batches of positions; closing it, also after an error or Ctrl-C, leaves it whole."""

    def __init__(self, path: Path, columns: list[str]) -> None:
        self.path, self.columns = path, columns

    def write(self, positions: Positions) -> None:
        """Append positions."""
        raise NotImplementedError

    def close(self) -> None:
        """Finish the file."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with writes_to(self.path):
            self.close()


def parquet_writer(path: Path, schema: pa.Schema) -> pyarrow.parquet.ParquetWriter:
    """Return a writer of a Parquet file.

    Arrow's own schema is left out: with it the texts that are told once came back as categories, which join no texts.
    """
    return pyarrow.parquet.ParquetWriter(path, schema, compression="zstd", store_schema=False)


class _Parquet(Output):
    def __init__(self, path: Path, columns: list[str]) -> None:
        super().__init__(path, columns)
        self.schema = schema_of(columns)
        self.writer = parquet_writer(path, self.schema)

    def write(self, positions: Positions) -> None:
        self.writer.write_table(table_of(positions, self.columns).cast(self.schema))

    def close(self) -> None:
        self.writer.close()


class _Csv(Output):
    def __init__(self, path: Path, columns: list[str]) -> None:
        super().__init__(path, columns)
        self.schema = schema_of(columns)
        self.writer = pyarrow.csv.CSVWriter(path, self._plain(self.schema.empty_table()).schema)

    @staticmethod
    def _plain(table: pa.Table) -> pa.Table:
        """The table without what CSV has no form for: texts in dictionaries, and lists, which blanks can join."""
        for at, column in enumerate(table.columns):
            if pa.types.is_dictionary(column.type):
                table = table.set_column(at, table.field(at).name, column.cast(column.type.value_type))
            elif pa.types.is_list(column.type):
                texts = pc.binary_join(column.cast(pa.list_(pa.string())), " ")
                table = table.set_column(at, table.field(at).name, texts)
        return table

    def write(self, positions: Positions) -> None:
        self.writer.write_table(self._plain(table_of(positions, self.columns).cast(self.schema)))

    def close(self) -> None:
        self.writer.close()


class _Lines(Output):
    def __init__(self, path: Path, columns: list[str]) -> None:
        super().__init__(path, columns)
        self.file = path.open("w", encoding="utf-8", newline="\n")

    def lines(self, positions: Positions) -> Iterable[str]:
        """One text a position (or a game)."""
        raise NotImplementedError

    def write(self, positions: Positions) -> None:
        self.file.writelines(line + "\n" for line in self.lines(positions))

    def close(self) -> None:
        self.file.close()


class _JsonLines(_Lines):
    def lines(self, positions: Positions) -> Iterable[str]:
        return (json.dumps(row, ensure_ascii=False) for row in table_of(positions, self.columns).to_pylist())


class _Epd(_Lines):
    """The position, the move that was played as ``sm``, and players and place as the comment ``c0``."""

    def lines(self, positions: Positions) -> Iterable[str]:
        rows = table_of(positions, ["fen", "san", "white_name", "black_name", "source", "game", "ply"]).to_pylist()
        for row in rows:
            played = f"sm {row['san']}; " if row["san"] else ""
            players = f"{row['white_name'] or '?'} - {row['black_name'] or '?'}"
            comment = f"{players}, {row['source']} game {row['game']} ply {row['ply']}"
            yield f"{' '.join(row['fen'].split()[:4])} {played}c0 {json.dumps(comment, ensure_ascii=False)};"


class _Pgn(_Lines):
    """The games that hold a match, each once, as they stand in their source."""

    def lines(self, positions: Positions) -> Iterable[str]:
        games: Games = positions.games
        for game in dict.fromkeys(positions.game.tolist()):
            yield games.pgn_text(game) + "\n"


FORMATS: dict[str, type[Output]] = {
    ".parquet": _Parquet,
    ".csv": _Csv,
    ".jsonl": _JsonLines,
    ".epd": _Epd,
    ".pgn": _Pgn,
}


def open_output(path: str | os.PathLike[str], columns: list[str]) -> Output:
    """Return the output for a path, by the end of its name. Raises ``OutputError`` when it cannot be written."""
    path = Path(path)
    try:
        kind: Any = FORMATS[path.suffix.lower()]
    except KeyError:
        raise OutputError(f"{path} should end in one of {', '.join(FORMATS)}, which says how to write it") from None
    with writes_to(path):
        return kind(path, columns)
