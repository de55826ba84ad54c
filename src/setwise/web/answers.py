"""The questions of the page that need no search, and their answers, computed in the long-lived processes.

A question is answered by the function of the same name. The page sends its keyword arguments, which are checked by
their annotations; ``sources`` and ``tables`` come from the server. So a new question is one function with
``@_question``, and its name in ``limits.QUESTIONS``. Answers are JSON; after an error the answer is ``{"error": …}``,
and the process continues. An answer about a board also has the marks of all features whose code is ready, so that a
click on a switch only draws. ``searching`` does all work that reads games, in a process that can be ended.
"""

from __future__ import annotations

import datetime as dt
import functools
import inspect
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from setwise import __version__, catalogue
from setwise.bitboard import Bitboard
from setwise.catalogue import Page, tables
from setwise.catalogue.examples import has_steps
from setwise.catalogue.examples import steps as steps_of
from setwise.catalogue.tables import applied, arguments
from setwise.catalogue.translation import languages
from setwise.corpus.columns import COLUMNS, values_of
from setwise.corpus.language.condition import Values
from setwise.corpus.language.functions import function_names, pattern_named
from setwise.corpus.language.names import like as like_condition
from setwise.corpus.outputs import downloads
from setwise.corpus.sources.places import expanded
from setwise.errors import IllegalMove, ImpossiblePosition, InvalidMove, QueryError, SetwiseError, SourceError
from setwise.exercises import solving
from setwise.exercises.exercise import position_of
from setwise.exercises.writing import FORMATS
from setwise.features import FEATURES
from setwise.game.openings import named, rows_of
from setwise.patterns import compass
from setwise.position.position import Position, typed_position
from setwise.position.positions import Positions
from setwise.view.diagram import MOST_SETS
from setwise.web import forms, game_table, markup
from setwise.web.limits import NonNegative, checked_arguments

#: A switch for a pattern: the side, and the pattern's name.
_SWITCH = re.compile(r"(white|black):([\w.]+)")
#: The most sources that the catalogue lists by name.
_MOST_SOURCES = 500
#: The most rows of a table that one answer has.
_MOST_ROWS = 500

_questions: dict[str, Callable[..., Any]] = {}
#: Switches whose code is compiled already: every answer about a board includes their marks, so that a click only draws.
_precomputed: list[str] = []


def _question(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register a function as the answer to the question of the same name."""
    _questions[function.__name__.rstrip("_")] = function
    return function


def as_json(value: Any) -> bytes:
    """Return a value as JSON in ASCII, which every browser reads; raises ``ValueError`` for NaN and infinity."""
    return json.dumps(value, separators=(",", ":"), default=str, allow_nan=False).encode()


def answer(question: str, arguments: dict[str, Any], sources: list[str], tables: Path | None = None) -> bytes:
    """Return the answer to a question as JSON; if there is no answer, the key ``error`` has the reason.

    Args:
        question: the name of the question.
        arguments: the arguments of the request.
        sources: the names of all sources.
        tables: the folder of the tables of games.
    """
    try:
        return as_json(_answer(question, arguments, sources, tables))
    except MemoryError:
        return as_json({"error": "the question needs more memory than is allowed"})
    except ValueError as error:
        return as_json({"error": str(error) if isinstance(error, SetwiseError) else str(error)[:300]})
    except Exception as error:  # noqa: BLE001  (the process must survive to answer the next question)
        return as_json({"error": f"{type(error).__name__}: {error}"[:300]})


def _answer(question: str, arguments: dict[str, Any], sources: list[str], tables: Path | None) -> Any:
    if question not in _questions:
        raise QueryError(f"there is no question {question:.40}")
    function = _questions[question]
    given = {"sources": sources, "tables": tables}
    positional = [given[name] for name in inspect.signature(function).parameters if name in given]
    return function(*positional, **checked_arguments(function, arguments))


def warm_up() -> None:
    """Answer each kind of question once, to load its code into memory, and record which features are compiled."""
    _precomputed[:] = [
        f"{side}_{name}" for name, feature in FEATURES.items() if feature.cached() for side in ("white", "black")
    ]
    examples: list[tuple[str, dict[str, Any]]] = [
        ("board", {"fen": ""}),
        ("play", {"fen": "", "move": "e4"}),
        ("desk", {"text": "knight.attacks(squares('d4'))"}),
    ]
    for question, values in examples:
        _questions[question](**values)
    catalogue_([])


@_question
def hello() -> dict[str, str]:
    """Return the version, which shows that the server answers."""
    return {"version": __version__}


@_question
def files(sources: list[str]) -> dict[str, list[str]]:
    """Return the names of the files and scans among the sources, with folders and patterns of names expanded."""
    names = [str(name) for name in expanded(sources)]
    for name in names:
        if not Path(name).exists():
            raise SourceError(f"there is no file {name}")
    return {"files": names}


# --------------------------------------------------------------------------------------------------------- catalogue


@_question
def catalogue_(sources: list[str]) -> dict[str, Any]:
    """Return what the page needs once: columns and functions, names of chips, sources, and its lists as HTML."""
    questions = [it for it in catalogue.questions() if not it.variations]  # a search here reads only main lines
    mappings = ((it.name, f"{it.name}: {it.text}") for it in tables.MAPPINGS.values())
    return {
        "columns": [{"name": it.name, "about": it.meaning} for it in COLUMNS.values()],
        "functions": [_function(name) for name in function_names()],
        "labels": forms.labels(),
        "sources": [Path(name).name for name in sources[:_MOST_SOURCES]],
        "most": MOST_SETS,
        "downloads": [{"suffix": it.suffix, "title": it.title, "rows": it.is_of_rows} for it in downloads().values()],
        "exercises": [{"suffix": suffix, "title": it.title} for suffix, it in FORMATS.items()],
        "html": {
            "switches": "".join(_switches()),
            "mappings": markup.options(mappings),
            "questions": "".join(
                markup.topic(title, "", (markup.chip_row(it.asks, forms.chip_of(it)) for it in asked))
                for title, asked in itertools.groupby(sorted(questions, key=_topic), _topic)
            ),
        },
    }


def _topic(question: Any) -> str:
    return str(question.topic)


def _switches() -> Iterator[str]:
    """The patterns and features of each topic, each with a switch for either side."""
    for topic in sorted(catalogue.topics().values(), key=lambda topic: topic.name != "features"):
        is_first = topic.name == "features"
        rows = (markup.switch_row(page, _switches_of(page)) for page in topic.pages if _has_switch(page))
        title = "On the board" if is_first else topic.name.replace("_", " ").capitalize()
        yield markup.topic(title, "" if is_first else topic.title, rows, **({"open": ""} if is_first else {}))


def _has_switch(page: Page) -> bool:
    """Whether the pattern or feature of a page can be evaluated on a position."""
    return page.sort == "feature" or (page.sort == "pattern" and pattern_named(page.name) is not None)


def _switches_of(page: Page) -> list[str]:
    """The switches of a pattern or feature, White's first."""
    switch = "{}_{}" if page.sort == "feature" else "{}:{}"
    return [switch.format(side, page.name) for side in ("white", "black")]


def _function(name: str) -> dict[str, Any]:
    """A function, its arguments and its summary."""
    known = catalogue.pages().get(name)
    names = ", ".join(argument.name for argument in known.arguments) if known else ""
    return {"name": name, "call": True, "about": f"({names}) {known.sentence}" if known else ""}


@_question
def page(*, name: str) -> dict[str, str]:
    """Return the explanation of a pattern, a feature or a column, as HTML."""
    switch = _SWITCH.fullmatch(name)
    return {"html": markup.explanation(catalogue.page(switch[2] if switch else name))}


# ------------------------------------------------------------------------------------------------------------- board


@_question
def board(*, fen: str, chess960: bool = False, on: Sequence[str] = ()) -> dict[str, Any]:
    """Return a position with its legal moves, the marks of the switches in ``on``, and the precomputed marks."""
    position = typed_position(fen, chess960=chess960, strict=False)
    return {**_described(position, on[:MOST_SETS]), "ready": _marks(position, _precomputed)}


@_question
def play(*, fen: str, move: str, chess960: bool = False, on: Sequence[str] = ()) -> dict[str, Any]:
    """Return the position after a move in SAN or UCI."""
    before = typed_position(fen, chess960=chess960, strict=False)
    try:
        parsed = before.parse(move)
    except (InvalidMove, IllegalMove) as error:  # the user sees the board, so the message need not describe it
        reason = None if isinstance(error, InvalidMove) else before.why_not(move)
        raise QueryError(f"{move:.20} cannot be played: {reason.sentence if reason else error}") from None
    return {
        **_described(before.play(parsed), on[:MOST_SETS]),
        "san": before.san(parsed), "last": before.uci(parsed),
    }  # fmt: skip


@_question
def start960(*, number: int) -> dict[str, Any]:
    """Return a starting position of Chess960."""
    return _described(Position.chess960_start(number), [])


def _described(position: Position, on: Sequence[str]) -> dict[str, Any]:
    return {
        "opening": named(rows_of(np.array([position.key], np.uint64)))[1][0].as_py(),
        "fen": position.fen(shredder=position.chess960 and bool(position.castling_rights)),
        "pieces": position.piece_string(),
        "white": position.white_to_move,
        "chess960": position.chess960,
        "faults": position.faults(),
        **_moves(position),
        "marks": _marks(position, on),
    }


def _moves(position: Position) -> dict[str, Any]:
    """The legal moves, and whether the position is check, mate or stalemate; no moves if it is impossible."""
    try:
        moves = position.legal_moves()
    except ImpossiblePosition:
        return {"moves": None, "state": ""}
    texts = [[position.uci(move), position.san(move)] for move in moves]
    state = "checkmate" if position.is_checkmate() else "stalemate" if position.is_stalemate() else ""
    return {"moves": texts, "state": state or ("check" if position.is_check() else "")}


@_question
def steps(*, fen: str, on: str, chess960: bool = False) -> dict[str, Any]:
    """Return the set after each line of a pattern's definition, for a position; an empty list if it has no steps."""
    side, name = _side_and_name(on)
    shown = catalogue.page(name)
    shown = shown.applies or shown
    if shown.sort != "pattern" or not has_steps(shown.name):
        return {"steps": []}
    columns = Positions.from_positions([typed_position(fen, chess960=chess960, strict=False)])
    filled = arguments(shown, side)
    values = []
    for argument, text in filled.texts.items():
        [value] = _values(text).of(columns).to_pylist()
        if value is None:  # the position has no such piece
            return {"steps": []}
        values.append(_mirrored(value) if filled.turned and shown.thing.kinds[argument].is_set else value)
    drawn = [(it, _mirrored(it.squares) if filled.turned else it.squares) for it in steps_of(shown.name, *values)]
    return {"steps": [{"caption": it.caption, "word": f"{int(at):016x}", "size": it.size} for it, at in drawn]}


def _mirrored(word: int) -> Bitboard:
    return compass.flip_vertical(Bitboard(word))


def _side_and_name(switch: str) -> tuple[str, str]:
    """The side of a switch, and the name of its pattern, feature or column."""
    if match := _SWITCH.fullmatch(switch):
        return match[1], match[2]
    side, _, name = switch.partition("_")
    return (side, name) if side in {"white", "black"} else ("white", switch)


def _marks(position: Position, switches: Sequence[str]) -> list[dict[str, Any]]:
    columns = Positions.from_positions([position])
    return [_mark(switch, columns) for switch in switches]


def _mark(switch: str, columns: Positions) -> dict[str, Any]:
    """The mark of a switch: its name, its expression, and the set or value of that expression."""
    mark: dict[str, Any] = {"on": switch, "name": switch, "expression": switch}
    try:
        if match := _SWITCH.fullmatch(switch):
            topic = match[2].rpartition(".")[0].replace("_", " ")
            mark["name"] = f"{markup.title_of(match[2])} ({topic}), {match[1].title()}"
            mark["expression"] = applied(catalogue.page(match[2]), match[1])
        elif switch in COLUMNS:
            mark["name"] = markup.title_of(switch)
        return mark | _value(mark["expression"], columns)
    except SetwiseError as error:
        return mark | {"error": str(error)}


@functools.lru_cache(512)
def _values(expression: str) -> Values:
    return Values(expression)


def _value(expression: str, columns: Positions) -> dict[str, Any]:
    """The value of an expression for one position: a set as 16 hex digits, any other value unchanged."""
    values = values_of(columns, expression) if expression in COLUMNS else _values(expression).of(columns)
    [value] = values.to_pylist()
    if values.type == pa.uint64() and value is not None:
        return {"word": f"{value:016x}", "count": value.bit_count()}
    if isinstance(value, float) and not math.isfinite(value):
        value = str(value)
    return {"value": value if isinstance(value, bool | int | float | str | None) else json.dumps(value, default=str)}


# -------------------------------------------------------------------------------------------------------------- desk


@_question
def desk(
    *, text: str, fen: str = "", mapping: str = "a1b1", chess960: bool = False, name: str = "SQUARES"
) -> dict[str, Any]:
    """Return the set that a text stands for: a number in a mapping, squares, a drawing, or any expression."""
    order = tables.mapping(mapping)
    number = tables.read_word(text)
    if number is not None:
        squares: Bitboard = order.read(number)
    elif (drawn := _drawing(text)) is not None:
        squares = drawn
    else:
        value = _value(text, Positions.from_positions([typed_position(fen, chess960=chess960, strict=False)]))
        if "word" not in value:
            return value
        squares = Bitboard(int(value["word"], 16))
    word = order.word(squares)
    return {
        "word": f"{int(squares):016x}",
        "names": squares.names(),
        "number": str(word),
        "signed": str(word - 2**64 if word >= 2**63 else word),
        "hex": f"0x{word:016x}",
        "binary": f"0b{word:064b}",
        "sources": [
            [markup.LANGUAGES.get(it, it.title()), tables.word_text(word, it, _name(name))] for it in languages()
        ],
        "bits": [order.word(1 << square).bit_length() - 1 for square in range(64)],
    }


_SQUARES = re.compile(r"([a-h][1-8])([\s,]+[a-h][1-8])*")


def _drawing(text: str) -> Bitboard | None:
    """The set of a text that names squares or draws a board; None for any other text."""
    text = text.strip()
    if not text or _SQUARES.fullmatch(text):
        return Bitboard(text)
    try:
        return Bitboard.parse(text) if text.count("\n") >= 7 else None
    except ValueError:
        return None


def _name(name: str) -> str:
    """A name that is an identifier in every language."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)[:60] or "SQUARES"


# ---------------------------------------------------------------------- the chips of the search and the table of games


@_question
def condition(*, chips: Sequence[str]) -> dict[str, str]:
    """Return the condition that the chips of a search stand for."""
    return {"where": forms.condition(chips)}


@_question
def understand(tables: Path | None, *, text: str, table: str = "") -> dict[str, Any]:
    """Return the chips or the position that a text typed into the field stands for."""
    return forms.understood(text, functools.partial(game_table.is_player, tables, table))


@_question
def offers(tables: Path | None, *, text: str, table: str = "") -> dict[str, Any]:
    """Return the chips to suggest while a text is typed; players are those of a table of games."""
    found = game_table.players_of(tables, table, text, "games", True, 0, 4)["rows"] if table else []
    return {"offers": forms.offers(text[:100], [row[0] for row in found])}


@_question
def like(*, fen: str, what: str, either_colour: bool = False, either_wing: bool = False) -> dict[str, str]:
    """Return the condition for positions like the position on the board."""
    return {"where": like_condition(fen, what, either_colour=either_colour, either_wing=either_wing)}


@_question
def questions(*, text: str) -> dict[str, Any]:
    """Return the questions that have some words, as ``setwise questions`` lists them, and pages that explain them."""
    found = [it for it in catalogue.questions(text) if not it.variations]
    listed = [{"asks": it.asks, "text": it.text, "chip": forms.chip_of(it)} for it in found]
    return {"questions": listed, "pages": [[it.title, it.address] for it in catalogue.guides(text)]}


@_question
def games(
    tables: Path | None,
    *,
    table: str,
    text: str = "",
    sort: str = "",
    descending: bool = False,
    offset: NonNegative = 0,
    limit: NonNegative = 100,
) -> dict[str, Any]:
    """Return a page of the table of games."""
    return game_table.page_of(tables, table, text, sort, descending, offset, min(limit, _MOST_ROWS))


@_question
def players(
    tables: Path | None,
    *,
    table: str,
    text: str = "",
    sort: str = "games",
    descending: bool = True,
    offset: NonNegative = 0,
    limit: NonNegative = 100,
) -> dict[str, Any]:
    """Return a page of the players of the games."""
    return game_table.players_of(tables, table, text, sort, descending, offset, min(limit, _MOST_ROWS))


#: The texts of an exercise that are kept.
_KEPT = frozenset({"fen", "solution", "says", "motif", "players", "place", "played", "hardness"})


@_question
def progress() -> dict[str, Any]:
    """Return the user's name in games, the exercises that were tried, and today's date."""
    return solving.progress() | {"today": dt.date.today().isoformat()}  # noqa: DTZ011  (the user's day)


@_question
def attempt(*, exercise: dict[str, str], move: str, counts: bool = False, is_shown: bool = False) -> dict[str, Any]:
    """Return whether a move solves an exercise, and what to say of it.

    ``counts`` keeps the result; ``is_shown`` means that the user asked for the solution, which is kept as not solved.
    """
    if not exercise.keys() >= {"fen", "solution"} or exercise.keys() - _KEPT:
        raise QueryError(f"an exercise has the texts {' '.join(sorted(_KEPT))}")
    position = position_of(exercise["fen"])
    if (reason := position.why_not(move)) is not None:
        return {"illegal": f"{move:.20} cannot be played: {reason.sentence}"}
    judged = solving.attempt(exercise["fen"], exercise["solution"], move)
    uci, after = position.uci(position.parse(move)), position.play(move)
    entry = solving.record(exercise, is_right=judged.is_right and not is_shown) if counts else {}
    targets = after.attacks(uci[2:4]) & (after.white_pieces if after.white_to_move else after.black_pieces)
    return {
        **judged._asdict(), "pieces": after.piece_string(), "last": uci, "due": entry.get("due", ""),
        "targets": [uci[2:4] + it for it in (targets & ~after.pawns).names()] if judged.is_right else [],
    }  # fmt: skip


@_question
def remember(*, player: str) -> dict[str, str]:
    """Keep the user's name in games."""
    solving.remember(player[:200])
    return {"player": player[:200]}


@_question
def forget() -> dict[str, bool]:
    """Delete what is kept of the user."""
    solving.forget()
    return {"forgotten": True}


@_question
def stored_tree(
    sources: list[str], *, fen: str, by: str = "move", player: str = "", side: str = "", where: str = "",
    source: int = -1,
) -> dict[str, Any] | None:  # fmt: skip
    """Return the tree of a position, as the last line of its search, if indexes have stored the tree; else None."""
    if player.strip() or side or where.strip():
        return None
    return game_table.stored_tree(sources if source < 0 else sources[source : source + 1], fen, by)
