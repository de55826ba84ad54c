"""Summaries of matches, shown with their boards: players, place, next move, requested sets and values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.corpus.columns import COLUMNS, OF_SETS, schema_of, table_of
from setwise.corpus.columns.registry import plain_type
from setwise.corpus.query.search import BatchResult
from setwise.corpus.sources.jobs import Question
from setwise.game.batch import GamePositions
from setwise.position.move import NULL_TEXT
from setwise.rules.search import MATE
from setwise.view.diagram import MOST_SETS, chance, in_pawns, next_move, one_line, place, players, squares_in_words
from setwise.view.svg import COLORS, PLAYED

# ------------------------------------------------ values as numbers, flags and texts, as all formats of rows write them


#: The text for the empty set; FEN uses the same sign.
NO_SQUARES = "-"

#: The name of each square with a blank, then the text for the empty set; three bytes each; zero bytes are removed.
_NAMES = np.array([[*f"{name} ".encode()] for name in SQUARE_NAMES] + [[ord(NO_SQUARES), 0, 0]], np.uint8)
_NONE = len(SQUARE_NAMES)


def squares(words: np.ndarray) -> pa.StringArray:
    """Return the squares of each set as text.

    >>> squares(np.array([0, 1, 1 << 28 | 1 << 35], np.uint64)).to_pylist()
    ['-', 'a1', 'e4 d5']
    """
    occupied = np.empty((len(words), _NONE + 1), np.bool_)
    eight_bytes = words.astype("<u8").view(np.uint8).reshape(-1, 8)
    occupied[:, :_NONE] = np.unpackbits(eight_bytes, axis=1, bitorder="little")  # a row of squares for each set
    occupied[:, _NONE] = words == 0
    counts = np.bitwise_count(words).astype(np.int64)
    counts[counts == 0] = 1
    data = _NAMES[np.flatnonzero(occupied) % (_NONE + 1)].ravel()
    data[3 * np.cumsum(counts) - 1] = 0  # no blank after the last square
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.where(words == 0, len(NO_SQUARES), 3 * counts - 1), out=offsets[1:])
    texts = pa.LargeStringArray.from_buffers(len(words), pa.py_buffer(offsets), pa.py_buffer(data[data != 0]))
    return texts.cast(pa.string())


def is_set(field: pa.Field) -> bool:
    """Return whether a column has sets of squares, according to its type, and its metadata or its name."""
    if field.type != pa.uint64():
        return False
    return field.metadata == OF_SETS or (field.name in COLUMNS and COLUMNS[field.name].is_set)


def is_number(field: pa.Field, *, raw: bool) -> bool:
    """Return whether the values of a column are written as numbers."""
    is_numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return (raw or not is_set(field)) and any(it(field.type) for it in is_numeric)


def plain(table: pa.Table, *, raw: bool) -> pa.Table:
    """Return the table with numbers, flags and texts only.

    Sets become names of squares unless ``raw`` is true, lists become texts with blanks between the values, and other
    nested values become JSON.
    """
    columns = [_plain(column, field, raw) for field, column in zip(table.schema, table.columns, strict=True)]
    return pa.table(columns, table.schema.names)


def first_of_each_name(table: pa.Table) -> pa.Table:
    """Return the table with only the first column of each name; an answer of ``sql`` may have a name twice."""
    names = table.schema.names
    return table.select([names.index(name) for name in dict.fromkeys(names)])


def _plain(column: pa.ChunkedArray, field: pa.Field, raw: bool) -> pa.ChunkedArray:
    kind = field.type
    if is_set(field):
        return column if raw else pa.chunked_array([_squares(chunk) for chunk in column.chunks], pa.string())
    if pa.types.is_dictionary(kind):
        return column.cast(plain_type(kind))
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        texts = [None if value is None else _text(value) for value in column.to_pylist()]
        return pa.chunked_array([texts], pa.string())
    return column


def _squares(words: pa.Array) -> pa.Array:
    """Return the names of the squares of sets; null for null."""
    texts = squares(words.fill_null(0).to_numpy(zero_copy_only=False))
    if not words.null_count:
        return texts
    missing = words.is_null().to_numpy(zero_copy_only=False)
    validity = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.StringArray.from_buffers(len(texts), *texts.buffers()[1:], validity)


def _text(value: object) -> str:
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return " ".join("" if item is None else str(item) for item in value)
    return json.dumps(value, ensure_ascii=False, default=str)


def one_line_texts(table: pa.Table, *, raw: bool) -> list[list[str]]:
    """Return the values of each column as text on one line."""
    return [[_cell(value) for value in column.to_pylist()] for column in plain(table, raw=raw).columns]


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else one_line(str(value))


# ------------------------------------------------------------------------ summaries of matches, shown with their boards


#: The columns that every summary shows in its own words, and further columns that it needs.
USUAL = (
    "source", "game", "fullmove_number", "white_to_move", "white_name", "black_name", "white_elo", "black_elo",
    "event", "date", "san", "fen",
)  # fmt: skip
_BESIDE = ("site", "move")
#: The columns that a sentence about a missed chance needs.
_CHANCE = ("missed", "missed_move", "missed_by")


class MatchSummary(NamedTuple):
    """The summary of a match, as texts and sets."""

    #: The row of the position in the batch, the row of the game, and the ply.
    row: int
    game: int
    ply: int
    #: One letter per square, from a1 to h8.
    pieces: str
    white_to_move: bool
    players: str
    place: str
    #: The move played, with its number. Then, in UCI, the move played and the move before it; None for a null move or
    #: if there is no move.
    following: str
    move: str | None
    last_move: str | None
    #: The move that uses the missed chance, in UCI, and a sentence about it; None and empty if the query does not name
    #: missed chances, or no chance is missed.
    missed: str | None
    sentence: str
    fen: str
    site: str | None
    #: The requested columns: sets, and other values.
    marks: dict[str, Bitboard]
    values: dict[str, Any]

    @property
    def last_squares(self) -> Bitboard:
        """The squares of the move before."""
        return Bitboard(" ".join((self.last_move[:2], self.last_move[2:4])) if self.last_move else 0)

    @property
    def caption(self) -> str:
        """The sentence about the missed chance, or else the move played."""
        return self.sentence or self.following

    @property
    def arrows(self) -> dict[str, str]:
        """The move played, and the move that uses the missed chance, each with the colour of its arrow."""
        played = {self.move: PLAYED if self.missed else COLORS["arrow"]} if self.move else {}
        return played | ({self.missed: COLORS["arrow"]} if self.missed else {})

    @property
    def tints(self) -> dict[str, str]:
        """The squares of the move that misses a chance and of the move that uses it, for boards without arrows."""
        both = {"red": self.move, "green": self.missed} if self.missed else {}
        return {color: f"{move[:2]} {move[2:4]}" for color, move in both.items() if move}

    def side_below(self, side: str) -> str:
        """Return the side at the bottom of the board: ``side``, with the side to move for ``mover``.

        If ``side`` is empty, it is the side of the player who misses a chance, or else White.
        """
        if side == "mover" or (not side and self.missed):
            return "white" if self.white_to_move else "black"
        return side or "white"

    def in_words(self) -> str:
        """The sets and values in one line."""
        words = [f"{name}: {squares_in_words(squares)}" for name, squares in self.marks.items()]
        return ", ".join([*words, *(f"{name} = {value}" for name, value in self.values.items())])


def summaries(result: BatchResult) -> Iterator[MatchSummary]:
    """Yield the summary of each match of a batch."""
    positions = result.matches()
    own = () if positions.source_columns is None else positions.source_columns.schema
    source_columns = {field.name: field.type for field in own}
    names = [name for name in result.question.shown if name not in USUAL or name in source_columns]
    known = {field.name: field for field in result.question.schema}
    fields = (known.get(name) or schema_of([name], source_columns).field(0) for name in names)
    marked = [field.name for field in fields if is_set(field)][:MOST_SETS]
    rows = np.arange(result.searched) if result.rows is None else result.rows
    usual = table_of(positions, [*USUAL, *_BESIDE]).to_pylist()
    shown = table_of(positions, names).to_pylist() if names else [{}] * len(usual)
    last = _moves_before(result, rows)
    unshown = _unshown(result, names, rows)
    drawn, lines = positions.piece_strings(), _lines(positions)
    missed = missed_chances(result.question, positions)
    for at, (it, values) in enumerate(zip(usual, shown, strict=True)):
        kept = {name: value for name, value in values.items() if value is not None and name not in unshown[at]}
        yield MatchSummary(
            int(rows[at]), int(positions.game[at]), int(positions.ply[at]), drawn[at], it["white_to_move"],
            players(it["white_name"], it["black_name"], it["white_elo"], it["black_elo"]),
            place(it["event"], it["date"], f"{_record(result)} {it['game']} of {it['source']}{lines[at]}"),
            next_move(it["san"], it["fullmove_number"], white=it["white_to_move"]),
            _without_null_move(it["move"]), _without_null_move(last[at]), *missed[at], it["fen"], it["site"],
            {name: Bitboard(kept[name]) for name in marked if name in kept},
            {name: value for name, value in kept.items() if name not in marked},
        )  # fmt: skip


def missed_chances(question: Question, positions: GamePositions) -> list[tuple[str | None, str]]:
    """Return for each position the move that uses the missed chance, in UCI, and a sentence about it.

    They are None and empty if no chance is missed, and for all positions if the query does not name missed chances.
    """
    named = {*question.columns, *(question.condition.columns if question.condition is not None else ())}
    if not any(name.startswith("missed") for name in named):
        return [(None, "")] * len(positions)
    return every_missed_chance(positions)


def every_missed_chance(positions: GamePositions) -> list[tuple[str | None, str]]:
    """Return the same as ``missed_chances``, whatever a query names; nothing if the source has no games."""
    source_columns = positions.source_columns
    stored = source_columns is not None and set(_CHANCE) <= set(source_columns.column_names)
    if not (stored or positions.games.are_games):  # type: ignore[attr-defined]
        return [(None, "")] * len(positions)
    chances = table_of(positions, [*_CHANCE, "san", "fullmove_number"]).to_pylist()
    return [(None, "") if it["missed"] is None else _told(positions[row], it) for row, it in enumerate(chances)]


def _told(position: Any, it: Mapping[str, Any]) -> tuple[str, str]:
    """Return the move that uses a chance, and the sentence about it."""
    played, better = (
        next_move(san, it["fullmove_number"], white=position.white_to_move)
        for san in (it["san"], position.san(it["missed_move"]))
    )
    return it["missed_move"], chance(played, better, it["missed"], in_pawns(it["missed_by"], MATE))


def _unshown(result: BatchResult, names: list[str], rows: np.ndarray) -> list[set[str]]:
    """Return for each match the columns of alternatives that are false there, except columns of the order."""
    question = result.question
    if question.condition is None or question.columns == question.shown:
        return [set[str]()] * len(rows)
    names = [name for name in names if question.order is None or name not in question.order.columns]
    shown = {name: flags[rows] for name, flags in question.condition.marks.of(result.positions).items()}
    return [{name for name in names if name in shown and not shown[name][at]} for at in range(len(rows))]


def _without_null_move(move: str | None) -> str | None:
    """Return the move in UCI; None for a null move, which has no squares."""
    return None if move == NULL_TEXT else move


def _lines(positions: GamePositions) -> list[str]:
    """Return the text after the name of the source: the number of the line, for positions of variations."""
    if positions.node is None:
        return [""] * len(positions)
    return [f", line {line}" if line else "" for line in table_of(positions, ["line"]).column(0).to_pylist()]


def _record(result: BatchResult) -> str:
    return "game" if result.batch.is_of_games else "record"


def _moves_before(result: BatchResult, rows: np.ndarray) -> list[str | None]:
    """Return the moves that led to the positions of some rows, in UCI; None for the first position of a game."""
    if _record(result) == "record" or not len(rows):
        return [None] * len(rows)
    if result.positions.node is not None:
        moves: list[str | None] = table_of(result.positions[rows], ["last_move"]).column(0).to_pylist()
        return moves
    before = result.positions[np.maximum(rows - 1, 0)].uci().to_pylist()
    begins = (result.positions.ply[rows] == 0).tolist()
    return [None if begin else move for begin, move in zip(begins, before, strict=True)]
