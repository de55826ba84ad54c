"""Questions about one position, and their answers: what the process that stays is asked."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from setwise import __version__, catalogue
from setwise.bitboard import Bitboard
from setwise.catalogue import Page, tables, words
from setwise.catalogue.expressions import applied, arguments
from setwise.catalogue.steps import has_steps
from setwise.catalogue.steps import steps as steps_of
from setwise.corpus.columns import COLUMNS, values_of
from setwise.corpus.language import Values
from setwise.corpus.language.functions import function_names, pattern_named
from setwise.corpus.sources.expansion import expanded
from setwise.errors import ImpossiblePosition, QueryError, SetwiseError, SourceError
from setwise.features import FEATURES
from setwise.patterns import compass
from setwise.position.chess960 import names_rooks
from setwise.position.position import Position
from setwise.position.positions import Positions
from setwise.view.diagram import MOST_SETS
from setwise.web.requests import taken

__all__ = ["answer", "as_json", "warm"]

#: A pattern as a switch: whose it is, and which.
_SWITCH = re.compile(r"(white|black):([\w.]+)")
#: Files that are offered by name.
_MOST_SOURCES = 500

_questions: dict[str, Callable[..., Any]] = {}
#: Switches that are answered without compiling: a board tells them unasked, so that a click only has to draw.
_ready: list[str] = []


def _question(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function answer the question that has its name."""
    _questions[function.__name__.rstrip("_")] = function
    return function


def as_json(value: Any) -> bytes:
    """Return a value as JSON in ASCII, which every browser reads; raises ``ValueError`` for NaN and infinity."""
    return json.dumps(value, separators=(",", ":"), default=str, allow_nan=False).encode()


def answer(question: str, given: dict[str, Any], sources: list[str]) -> bytes:
    """Return the answer to a question as JSON; what is wrong with it is told in ``error``."""
    try:
        return as_json(_answered(question, given, sources))
    except MemoryError:
        return as_json({"error": "one question may not have so much memory"})
    except ValueError as error:
        return as_json({"error": str(error) if isinstance(error, SetwiseError) else str(error)[:300]})
    except Exception as error:  # noqa: BLE001  (whoever asks the next question needs this process)
        return as_json({"error": f"{type(error).__name__}: {error}"[:300]})


def _answered(question: str, given: dict[str, Any], sources: list[str]) -> Any:
    if question not in _questions:
        raise QueryError(f"nothing is known of {question:.40}")
    function = _questions[question]
    ours = [sources] if question in {"catalogue", "files"} else []
    return function(*ours, **taken(function, given))


def warm() -> None:
    """Answer each kind of question once, so that the code for it is in memory, and ask for what is compiled already."""
    _ready[:] = [f"{side}_{name}" for name, found in FEATURES.items() if found.cached() for side in ("white", "black")]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("board", {"fen": ""}),
        ("play", {"fen": "", "move": "e4"}),
        ("desk", {"text": "knight.attacks(squares('d4'))"}),
    ]
    for question, given in asked:
        _questions[question](**given)
    catalogue_([])


@_question
def hello() -> dict[str, str]:
    """Say that somebody is there."""
    return {"version": __version__}


@_question
def files(sources: list[str]) -> dict[str, list[str]]:
    """Return the names of the files and scans that sources mean, folders and patterns of names taken apart."""
    found = [str(name) for name in expanded(sources)]
    for name in found:
        if not Path(name).exists():
            raise SourceError(f"there is no file {name}")
    return {"files": found}


# --------------------------------------------------------------------------------------------------------- catalogue


@_question
def catalogue_(sources: list[str]) -> dict[str, Any]:
    """Return what there is: switches by topic, columns, functions, languages, mappings, sources."""
    return {
        "version": __version__,
        "topics": [
            {"name": topic.name, "title": topic.title, "items": [_item(page) for page in topic.pages if _asks(page)]}
            for topic in sorted(catalogue.topics().values(), key=lambda topic: topic.name != "features")
        ],
        "columns": [{"name": it.name, "meaning": it.meaning, "set": it.is_set} for it in COLUMNS.values()],
        "functions": [_function(name) for name in function_names()],
        "languages": list(tables.LANGUAGES),
        "mappings": [{"name": it.name, "text": it.text} for it in words.MAPPINGS.values()],
        "sources": [Path(name).name for name in sources[:_MOST_SOURCES]],
        "most": MOST_SETS,
    }


def _asks(page: Page) -> bool:
    """Whether a page can be asked of a position."""
    return page.sort == "feature" or (page.sort == "pattern" and pattern_named(page.name) is not None)


def _item(page: Page) -> dict[str, Any]:
    """A switch for each side, and what it shows in one line."""
    switch = "{}_{}" if page.sort == "feature" else "{}:{}"
    return {
        "name": page.name, "about": page.sentence, "set": page.thing.returns.is_set,
        "on": [switch.format(side, page.name) for side in ("white", "black")],
    }  # fmt: skip


def _function(name: str) -> dict[str, str]:
    """A function and what it takes."""
    known = catalogue.pages().get(name)
    if known is None:
        return {"name": name, "about": ""}
    taken = ", ".join(argument.name for argument in known.arguments)
    return {"name": name, "about": f"({taken}) {known.sentence}"}


@_question
def page(*, name: str) -> dict[str, Any]:
    """Return what there is to say of a pattern, a feature or a column."""
    switch = _SWITCH.fullmatch(name)
    found = catalogue.page(switch[2] if switch else name)
    keys = ("name", "topic", "signature", "summary", "definition", "formula", "traps", "slips", "source", "names")
    return {
        **{key: getattr(found, key) for key in keys},
        "why": found.reason,
        "forms": [{"title": form.title, "code": form.source} for form in found.forms],
        "arguments": [argument._asdict() for argument in found.arguments],
        "columns": [name for name in found.columns if name in COLUMNS],
    }


# ------------------------------------------------------------------------------------------------------------- board


def _position(fen: str, chess960: bool = False) -> Position:
    text = fen.strip()
    if text in {"", "startpos"}:
        return Position(chess960=chess960)
    return Position(text, chess960=chess960 or names_rooks(text), strict=False)


@_question
def board(*, fen: str, chess960: bool = False, on: Sequence[str] = ()) -> dict[str, Any]:
    """Return a position as it is drawn, what can be played, what is switched on, and what is ready to be."""
    position = _position(fen, chess960)
    return {**_told(position, on[:MOST_SETS]), "ready": _marks(position, _ready)}


@_question
def play(*, fen: str, move: str, chess960: bool = False, on: Sequence[str] = ()) -> dict[str, Any]:
    """Return the position after a move, which SAN or UCI names."""
    before = _position(fen, chess960)
    played = before.parse(move)
    return {
        **_told(before.play(played), on[:MOST_SETS]),
        "san": before.san(played), "last": before.uci(played),
    }  # fmt: skip


@_question
def start960(*, number: int) -> dict[str, Any]:
    """Return a starting position of Chess960."""
    return _told(Position.chess960_start(number), [])


def _told(position: Position, on: Sequence[str]) -> dict[str, Any]:
    return {
        "fen": position.fen(shredder=position.chess960 and bool(position.castling_rights)),
        "pieces": position.piece_string(),
        "white": position.white_to_move,
        "chess960": position.chess960,
        "faults": position.faults(),
        **_playing(position),
        "marks": _marks(position, on),
    }


def _playing(position: Position) -> dict[str, Any]:
    """The legal moves, and how the position stands; nothing of positions in which moves mean nothing."""
    try:
        moves = position.legal_moves()
    except ImpossiblePosition:
        return {"moves": None, "state": ""}
    told = [[position.uci(move), position.san(move)] for move in moves]
    state = "checkmate" if position.is_checkmate() else "stalemate" if position.is_stalemate() else ""
    return {"moves": told, "state": state or ("check" if position.is_check() else "")}


@_question
def steps(*, fen: str, on: str, chess960: bool = False) -> dict[str, Any]:
    """Return what the definition of a pattern makes of a position, line by line; nothing for one without steps."""
    side, name = _switched(on)
    shown = catalogue.page(name)
    shown = shown.applies or shown
    if shown.sort != "pattern" or not has_steps(shown.name):
        return {"steps": []}
    columns = Positions.from_positions([_position(fen, chess960)])
    filled = arguments(shown, side)
    given = []
    for argument, text in filled.texts.items():
        [value] = _values(text).of(columns).to_pylist()
        if value is None:  # there is no such piece
            return {"steps": []}
        given.append(_turned(value) if filled.turned and shown.thing.kinds[argument].is_set else value)
    made = (
        (step.caption, _turned(step.squares) if filled.turned else step.squares)
        for step in steps_of(shown.name, *given)
    )
    return {"steps": [{"caption": text, "word": f"{int(it):016x}", "count": len(it)} for text, it in made]}


def _turned(word: int) -> Bitboard:
    return compass.flip_vertical(Bitboard(word))


def _switched(switch: str) -> tuple[str, str]:
    """Whose a switch is, and the name of what it shows."""
    if found := _SWITCH.fullmatch(switch):
        return found[1], found[2]
    side, _, name = switch.partition("_")
    return (side, name) if side in {"white", "black"} else ("white", switch)


def _marks(position: Position, switches: Sequence[str]) -> list[dict[str, Any]]:
    columns = Positions.from_positions([position])
    return [_mark(switch, columns) for switch in switches]


def _mark(switch: str, columns: Positions) -> dict[str, Any]:
    """What a switch shows: its name, its expression, and the set or value that it gives."""
    told: dict[str, Any] = {"on": switch, "name": switch, "expression": switch}
    try:
        if found := _SWITCH.fullmatch(switch):
            told["name"] = f"{found[2]} · {found[1]}"
            told["expression"] = applied(catalogue.page(found[2]), found[1])
        return told | _value(told["expression"], columns)
    except SetwiseError as error:
        return told | {"error": str(error)}


@functools.lru_cache(512)
def _values(expression: str) -> Values:
    return Values(expression)


def _value(expression: str, columns: Positions) -> dict[str, Any]:
    """What an expression says of one position: a set as a word of 16 hex digits, anything else as a value."""
    found = values_of(columns, expression) if expression in COLUMNS else _values(expression).of(columns)
    [value] = found.to_pylist()
    if found.type == pa.uint64() and value is not None:
        return {"word": f"{value:016x}", "count": value.bit_count()}
    if isinstance(value, float) and not math.isfinite(value):
        value = str(value)
    return {"value": value if isinstance(value, bool | int | float | str | None) else json.dumps(value, default=str)}


# -------------------------------------------------------------------------------------------------------------- desk


@_question
def desk(
    *, text: str, fen: str = "", mapping: str = "a1b1", chess960: bool = False, name: str = "SQUARES"
) -> dict[str, Any]:
    """Return what a text means as a set: a number in a mapping, squares, a drawing, or any expression."""
    order = words.mapping(mapping)
    number = words.read_word(text)
    if number is not None:
        squares: Bitboard = order.read(number)
    elif (drawn := _drawing(text)) is not None:
        squares = drawn
    else:
        told = _value(text, Positions.from_positions([_position(fen, chess960)]))
        if "word" not in told:
            return told
        squares = Bitboard(int(told["word"], 16))
    word = order.word(squares)
    return {
        "word": f"{int(squares):016x}",
        "names": squares.names(),
        "number": str(word),
        "signed": str(word - 2**64 if word >= 2**63 else word),
        "hex": f"0x{word:016x}",
        "binary": f"0b{word:064b}",
        "sources": {language: tables.word_text(word, language, _name(name)) for language in tables.LANGUAGES},
        "bits": [order.word(1 << square).bit_length() - 1 for square in range(64)],
    }


_SQUARES = re.compile(r"([a-h][1-8])([\s,]+[a-h][1-8])*")


def _drawing(text: str) -> Bitboard | None:
    """The set that names of squares or a drawing mean; None for any other text."""
    text = text.strip()
    if not text or _SQUARES.fullmatch(text):
        return Bitboard(text)
    try:
        return Bitboard.parse(text) if text.count("\n") >= 7 else None
    except ValueError:
        return None


def _name(name: str) -> str:
    """A name that every language takes."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)[:60] or "SQUARES"
