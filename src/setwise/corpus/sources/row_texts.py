"""Positions and games as texts: objects of JSON, a FEN on each line, or columns with commas, semicolons or tabs.

Games in JSON come as Lichess and chess.com send them: an object on each line, or an array of objects, which may be the
value of ``games``. Each object becomes a row of a table (``row_games``); of Lichess's objects, players, clocks and
evaluations become tags and annotations. One object is held at a time, however long the text is.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import functools
import io
import itertools
import json
import re
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

import pyarrow as pa

from setwise.archives import Chunks, is_stream, opened
from setwise.archives import Source as Text
from setwise.corpus.sources import row_games, tables
from setwise.corpus.sources.jobs import Job, Question, Source, of_table
from setwise.corpus.sources.places import Beginning
from setwise.corpus.sources.tables import TEXT, lines_in
from setwise.errors import SourceError, shortened
from setwise.system.packages import pc


def recognised(beginning: Beginning) -> Source | None:
    """Return the positions or games of a text, packed or not, recognised by its beginning; None for other texts.

    Raises:
        SourceError: if the text begins with an object of JSON without positions and games.
    """
    return _json(beginning) or _fen_list(beginning) or _delimited(beginning)


_LIST_LINE = re.compile(r"\s*(\S+(?:\s+[wb](?:\s+\S+(?:\s+[a-h1-8-]+(?:\s+\d+(?:\s+\d+)?)?)?)?)?)\s*;?(.*)", re.DOTALL)
_RANK = r"[pnbrqkPNBRQK1-8~]+"
_FEN_LINE = re.compile(rf"{_RANK}(/{_RANK}){{7}}(\s|\Z)")


#: How JSON begins: with an object, or with an array of objects, which may be the value of ``games``.
_JSON = re.compile(r'\s*(?:\{\s*"games"\s*:\s*(?=\[))?(\[\s*)?(?=\{\s*"(?:[^"\\]|\\.)*+"\s*:)')
#: The most letters of an object.
_LONGEST = 1 << 24
_DECODER = json.JSONDecoder()


def _json(beginning: Beginning) -> Source | None:
    """Return a text as a table, if it begins with an object of JSON or with an array of objects."""
    head = beginning.head.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    match = _JSON.match(head)
    if match is None:
        return None
    name, record = beginning.name, dict[str, Any]()
    with contextlib.suppress(ValueError, RecursionError):  # the first object may be longer than the head
        record = _DECODER.raw_decode(head, match.end())[0]
    if record and not row_games.fitting(record):
        raise SourceError(f"{name} begins like JSON, but its first object has no 'fen', 'pgn', 'moves' or 'movetext'")
    if tables.fen_name(record) == row_games.fitting(record) is not None:
        read = (
            functools.partial(_arrow_objects, beginning, match.end()) if match[1] else lambda: _arrow_lines(beginning)
        )
        return row_games.of_first_batch(name, read)
    if "pgn" in record:
        return row_games.PgnTexts(name, lambda: (it.get("pgn") for it in _objects(beginning, match.end())))
    names = None if "players" in record else _names(beginning, match.end())
    return row_games.of_first_batch(name, lambda: _batches(name, map(_row, _objects(beginning, match.end())), names))


def _names(beginning: Beginning, start: int) -> list[str] | None:
    """Return the names that any object of a text has, in their order; None for a text that can be read only once."""
    if is_stream(beginning.source):
        return None
    names = dict[str, None]()
    with contextlib.suppress(SourceError):  # it is raised where the objects before it have been read
        for record in _objects(beginning, start):
            names |= dict.fromkeys(_row(record))
    return list(names)


def _arrow_lines(beginning: Beginning) -> Iterator[pa.RecordBatch]:
    with opened(beginning.source) as (stream, _):
        for text in lines_in(stream, beginning.name):
            if text.strip():
                yield from _of_objects(text)


def _arrow_objects(beginning: Beginning, start: int) -> Iterator[pa.RecordBatch]:
    objects = _objects(beginning, start)
    while some := list(itertools.islice(objects, tables.ROWS)):
        yield from _of_objects("\n".join(map(json.dumps, some)).encode())


def _of_objects(text: bytes) -> list[pa.RecordBatch]:
    """Return the objects of lines as rows; Arrow makes doubles of numbers above 63 bits, which lose digits."""
    import pyarrow.json

    rows = pyarrow.json.read_json(io.BytesIO(text))
    for at, field in enumerate(rows.schema):
        if pa.types.is_float64(field.type) and (pc.max(rows.column(at)).as_py() or 0) >= _SIGN:
            values = [json.loads(line).get(field.name) for line in text.splitlines() if line.strip()]
            if all(it is None or type(it) is int for it in values):
                fit = all(it is None or 0 <= it < 2 * _SIGN for it in values)
                texts = [None if it is None else str(it) for it in values]
                rows = rows.set_column(at, field.name, pa.array(values, pa.uint64()) if fit else pa.array(texts))
    return rows.to_batches()


def _objects(beginning: Beginning, start: int) -> Iterator[dict[str, Any]]:
    """Yield the objects of a text from a place on, up to the end of their array; blanks and commas may be between."""
    with opened(beginning.source) as (stream, _):
        lines = (text.decode() for text in lines_in(stream, beginning.name))
        text, at, number = next(lines, ""), start, 1
        while True:
            at = cast("re.Match[str]", _BETWEEN.match(text, at)).end()
            try:
                record, at = _DECODER.raw_decode(text, at)
            except ValueError as error:
                if text[at : at + 1] == "]":
                    return
                more = next(lines, None) if len(text) - at < _LONGEST else None
                if more is None and at == len(text):
                    return
                if more is None:
                    raise SourceError(f"{beginning.name} is not JSON in its object {number:,}: {error}") from None
                text, at = text[at:] + more, 0
                continue
            if not isinstance(record, dict):
                raise SourceError(f"{beginning.name}: its value {number:,} is not an object of JSON")
            yield record
            number += 1


_BETWEEN = re.compile(r"[\s,]*")


def _batches(source: str, rows: Iterator[dict[str, str | None]], columns: list[str] | None) -> Iterator[pa.RecordBatch]:
    """Yield rows as batches; without columns, these are of the first batch, and a warning names what is left out."""
    schema, known = None, dict.fromkeys(columns or ())
    while some := list(itertools.islice(rows, row_games.GAMES)):
        names = dict.fromkeys(itertools.chain(*some))
        known = known or names
        schema = schema or pa.schema([(name, pa.string()) for name in known])
        if more := [name for name in names if name not in known]:
            known |= dict.fromkeys(more)
            first = f"the first {row_games.GAMES:,} objects of {source} have no {' and no '.join(map(shortened, more))}"
            warnings.warn(f"{first}: it is left out of the later ones, too", stacklevel=2)
        yield pa.RecordBatch.from_pylist(some, schema)


def _row(record: dict[str, Any]) -> dict[str, str | None]:
    """Return an object as a row; lists of moves are joined, and other values than texts and numbers are left out."""
    if "players" in record:
        return _of_lichess(record)
    joined = {name: " ".join(map(str, it)) if isinstance(it, list) else it for name, it in record.items()}
    return {name: None if it is None else str(it) for name, it in joined.items() if not isinstance(it, dict)}


def _of_lichess(game: dict[str, Any]) -> dict[str, str | None]:
    """Return a game as Lichess writes it as PGN: https://lichess.org/api#tag/Games."""
    row = dict[str, Any]()
    for side in ("White", "Black"):
        player = game["players"].get(side.lower()) or {}
        user = player.get("user") or {}
        level = f"lichess AI level {player['aiLevel']}" if "aiLevel" in player else None
        row |= {side: user.get("name", level), f"{side}Elo": player.get("rating"), f"{side}Title": user.get("title")}
    opening, clock, variant = game.get("opening") or {}, game.get("clock"), game.get("variant", "standard")
    ended = "1/2-1/2" if game.get("status") in {"draw", "stalemate", "outoftime"} else "*"
    row |= {
        "Event": f"{'rated' if game.get('rated') else 'casual'} {game.get('speed') or ''} game".replace("  ", " "),
        "Site": f"https://lichess.org/{game['id']}" if "id" in game else None,
        "Result": {"white": "1-0", "black": "0-1"}.get(game.get("winner", ""), ended),
        "ECO": opening.get("eco"), "Opening": opening.get("name"),
        "TimeControl": f"{clock['initial']}+{clock['increment']}" if clock else None,
        "Variant": None if variant == "standard" else variant, "FEN": game.get("initialFen"),
    }  # fmt: skip
    created = game.get("createdAt")
    row["UTCDate"] = created and datetime.fromtimestamp(created / 1000, UTC).strftime("%Y.%m.%d")
    notes = itertools.zip_longest(game.get("analysis") or (), game.get("clocks") or ())
    moves = zip(game.get("moves", "").split(), itertools.chain(notes, itertools.repeat((None, None))), strict=False)
    row["movetext"] = " ".join(f"{move}{_note(*note)}" for move, note in moves)
    return {name: None if value is None else str(value) for name, value in row.items()}


def _note(analysis: dict[str, int] | None, clock: int | None) -> str:
    """Return the comment of a move: an evaluation in centipawns or moves to mate, and a clock in hundredths."""
    commands = list[str]()
    if analysis and "mate" in analysis:
        commands.append(f"[%eval #{analysis['mate']}]")
    elif analysis and "eval" in analysis:
        commands.append(f"[%eval {analysis['eval'] / 100:.2f}]")
    if clock is not None:
        commands.append(f"[%clk {clock // 360_000}:{clock // 6000 % 60:02}:{clock % 6000 / 100:05.2f}]")
    return f" {{ {' '.join(commands)} }}" if commands else ""


def _fen_list(beginning: Beginning) -> Source | None:
    """Return a text as a list of FENs, if the first line is a FEN."""
    return FenList(beginning.source, beginning.name) if _FEN_LINE.match(beginning.line) else None


class FenList(Source):
    """Lines that begin with a FEN, or with the first four fields of a FEN, as in EPD."""

    def __init__(self, source: Text, name: str) -> None:
        self.source, self.name = source, name
        self.source_columns = {"operations": pa.string()}
        self.holdings = of_table(self.source_columns, ())

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield jobs with ``ROWS`` lines each."""
        with opened(self.source) as (stream, _):
            texts = (io.StringIO(text.decode(), newline=None) for text in lines_in(stream, self.name))
            first, fens, operations, lines = 1, list[str](), list[str](), list[int]()
            for number, line in enumerate(itertools.chain.from_iterable(texts), start=1):
                if not line.strip() or line.startswith("#"):
                    continue
                parts = _LIST_LINE.match(line)
                fens.append(parts[1] if parts else line)
                operations.append(parts[2].strip() if parts else "")
                lines.append(number)
                if len(fens) == tables.ROWS:
                    yield self._job(first, fens, operations, lines)
                    first, fens, operations, lines = first + len(fens), [], [], []
            if fens:
                yield self._job(first, fens, operations, lines)

    def _job(self, first: int, fens: list[str], operations: list[str], lines: list[int]) -> Job:
        table, column = pa.table({"operations": operations}), pa.chunked_array([fens], pa.string())
        return tables.TableJob(self.name, first, table, column, None, lines)


#: The least number of 64 bits that a signed number does not hold.
_SIGN = 1 << 63
#: The types of whole numbers that are no signed ones of 64 bits, and the types that they are read as.
_WHOLE = {pa.uint64(): pa.uint64(), pa.decimal128(38, 0): pa.string()}
#: Missing is what is empty and not in quotes, so that a player may be called Null and an opening may be an empty text.
_MISSING = {"null_values": [""], "strings_can_be_null": True, "quoted_strings_can_be_null": False}


def _conversion(text: bytes, names: list[str], **options: Any) -> Any:
    """Return how Arrow converts the columns of a table, of which these are the first lines.

    Columns that are texts in conditions, and tags, are texts, however their values look: round 3.10 is not 3.1. Numbers
    above 63 bits, such as keys, stay whole; where no type of 64 bits holds all of them, they are texts.
    """
    from pyarrow.csv import ConvertOptions, read_csv

    def types(**more: Any) -> dict[str, pa.DataType]:
        read = read_csv(io.BytesIO(text), **options, convert_options=ConvertOptions(**more))
        return {field.name: field.type for field in read.schema}

    known: dict[str, pa.DataType] = dict.fromkeys(row_games.texts_in(names), pa.string())
    try:
        found, loose = types(column_types=known, **_MISSING), types(column_types=known)
    except pa.ArrowException:  # the reading says it
        return ConvertOptions(column_types=known)
    words = [name for name in found if pa.types.is_string(found[name]) and not pa.types.is_string(loose[name])]
    missing = {} if words else _MISSING  # another program wrote NULL or NaN where a number is missing
    for name, kind in (loose if words else found).items():
        for whole, read_as in _WHOLE.items() if pa.types.is_float64(kind) else ():
            with contextlib.suppress(pa.ArrowException):
                types(include_columns=[name], column_types={name: whole}, **missing)
                known.setdefault(name, read_as)
    return ConvertOptions(column_types=known, **missing)


def _delimited(beginning: Beginning) -> Source | None:
    """Return a text as a table, if the first line names a column of positions or games."""
    delimiter = max(",;\t", key=beginning.line.count)
    fields: list[str] = []
    with contextlib.suppress(csv.Error):  # then it is not a table
        fields = next(csv.reader([beginning.line], delimiter=delimiter), [])
    if (len(fields) < 2 and not tables.fen_name(fields)) or not row_games.fitting(fields):
        return None

    def read() -> Iterator[pa.RecordBatch]:
        import pyarrow.csv

        options = {
            # Blocks end with a line: if a block were only the second half of a line end, Arrow would lose the next row.
            "read_options": pyarrow.csv.ReadOptions(block_size=4 * TEXT),
            "parse_options": pyarrow.csv.ParseOptions(
                delimiter=delimiter, newlines_in_values="pgn" in (field.lower() for field in fields)
            ),
        }
        with opened(beginning.source) as (stream, _):
            texts = lines_in(stream, beginning.name)
            first = next(texts, b"")
            options["convert_options"] = _conversion(first, fields, **options)
            chunks = Chunks(itertools.chain([first], texts))
            yield from pyarrow.csv.open_csv(pa.PythonFile(chunks, "r"), **options)

    return row_games.of_first_batch(beginning.name, read)
