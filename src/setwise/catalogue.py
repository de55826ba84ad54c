"""The catalogue: every public pattern, feature, function and table, in the words of its own definition.

Nothing is listed here. Patterns, functions and tables are found in the package's modules, features in their registry,
columns among the columns; docstrings are taken apart by their fixed sections, and their examples are run, so that what
is shown is what the code answers today.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import importlib
import inspect
import io
import pkgutil
import re
import textwrap
from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

import setwise
from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.bits import FILE_A
from setwise.errors import QueryError, shortened
from setwise.features import FEATURES, did_you_mean
from setwise.kernel import Kind, Pattern
from setwise.view.board import MOST_SETS

__all__ = [
    "Argument", "Drawing", "Executed", "Page", "Step", "Topic", "executed", "names_in", "page", "pages",
    "public_modules", "sections", "topic", "topics",
]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ the walk


_FACES = frozenset({"cli", "web"})


def public_modules() -> dict[str, ModuleType]:
    """Return the package's public modules by name; the faces are none of them."""
    found = (module.name for module in pkgutil.iter_modules(setwise.__path__) if module.name not in _FACES)
    return {name: importlib.import_module(f"setwise.{name}") for name in found if not name.startswith("_")}


class Argument(NamedTuple):
    """An argument: its name, its kind in words, what it means."""

    name: str
    kind: str
    meaning: str


class Page(NamedTuple):
    """What there is to say of one thing: a pattern, a feature, a function, a table or a column.

    ``name`` is what it is called in Python (``knight.fork_targets``); a feature and a column have no module before it.
    The texts are those of the docstring; ``arguments`` and ``returns`` are in words.
    """

    name: str
    sort: str
    thing: Any
    summary: str
    definition: str = ""
    arguments: tuple[Argument, ...] = ()
    returns: str = ""
    raises: str = ""
    example: str = ""
    traps: str = ""
    source: str = ""

    @property
    def topic(self) -> str:
        """The topic that it belongs to."""
        return "features" if self.sort == "feature" else self.name.rpartition(".")[0]

    @property
    def bare_name(self) -> str:
        """The name without the module."""
        return self.name.rpartition(".")[2]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it fills in conditions and scans."""
        if self.sort == "feature":
            return f"white_{self.name}", f"black_{self.name}"
        return (self.name,) if self.sort == "column" else ()

    @property
    def signature(self) -> str:
        """What goes in and what comes out, in words."""
        if self.sort == "function":
            return f"{self.name}{inspect.signature(self.thing)}".replace("'", "")
        if self.sort == "column":
            return f"{self.name}: a column of conditions and scans, {self.returns}"
        taken = ", ".join(f"{argument.name}: {argument.kind}" for argument in self.arguments)
        takes = f"({taken})" if self.sort == "pattern" else " of one side" if self.sort == "feature" else ""
        return f"{self.name}{takes} -> {self.returns}"

    @property
    def sentence(self) -> str:
        """The summary as a noun phrase: what it returns."""
        return self.summary.removeprefix("Return ").rstrip(".")

    def steps(self) -> list[Step]:
        """Run the example and return its statements, each with its answer and, where there are squares, a drawing."""
        return [_of_table(self)] if self.sort == "table" else _of_docstring(self) if self.example else []


class Topic(NamedTuple):
    """A module of the catalogue, or all features: its name, title, text, and the pages in the order of definition."""

    name: str
    title: str
    text: str
    pages: list[Page]


@functools.cache
def topics() -> dict[str, Topic]:
    """Return the topics by name: each public module that defines a pattern, and the features."""
    features = importlib.import_module("setwise.features")
    found = [_topic(name, module, list(_pages_of(module))) for name, module in public_modules().items()]
    found = [topic for topic in found if any(page.sort == "pattern" for page in topic.pages)]
    found.append(_topic("features", features, [_of_callable(name, "feature", it) for name, it in FEATURES.items()]))
    return {topic.name: topic for topic in found}


@functools.cache
def pages() -> dict[str, Page]:
    """Return all pages by name: those of the topics, and the tables of other public modules."""
    found = [page for topic in topics().values() for page in topic.pages]
    others = [
        table for name, module in public_modules().items() if name not in topics() for table in _tables_of(module)
    ]
    return {page.name: page for page in [*found, *others]}


def _topic(name: str, module: ModuleType, its_pages: list[Page]) -> Topic:
    title, _, text = inspect.cleandoc(module.__doc__ or "").partition("\n")
    return Topic(name, title.partition(";")[0].rstrip("."), text.strip("\n"), its_pages)


def _pages_of(module: ModuleType) -> Iterator[Page]:
    """The tables of a module, and what its ``__all__`` names and it defines itself."""
    yield from _tables_of(module)
    for name, value in vars(module).items():
        if name in getattr(module, "__all__", ()) and getattr(value, "__module__", "") == module.__name__:
            if isinstance(value, Pattern):
                yield _of_callable(f"{_bare(module)}.{name}", "pattern", value)
            elif isinstance(value, FunctionType):
                yield _of_callable(f"{_bare(module)}.{name}", "function", value)


def _bare(module: ModuleType) -> str:
    return module.__name__.removeprefix("setwise.")


# ----------------------------------------------------------------------------------------- docstrings and comments

_SECTION = re.compile(r"(Args|Returns|Raises|Example|Traps|Source):(?: (.*))?")
_ARGUMENT = re.compile(r"^(\w+): ", re.MULTILINE)


def sections(docstring: str) -> dict[str, str]:
    """Return the parts of a docstring by heading; what stands before the first heading is under the empty one.

    Example:
        >>> catalogue.sections(knight.attacks.__doc__)["Args"]
        'knights: squares of the knights, a set.'
    """
    found: dict[str, list[str]] = {"": []}
    heading = ""
    for line in inspect.cleandoc(docstring).splitlines():
        if match := _SECTION.fullmatch(line):
            heading = match[1]
            found[heading] = [match[2] or ""]
            continue
        if not heading and line.startswith(">>>"):
            heading = "Example"
            found[heading] = []
        found[heading].append(line)
    return {heading: textwrap.dedent("\n".join(lines)).strip("\n") for heading, lines in found.items()}


def _of_callable(name: str, sort: str, thing: Any) -> Page:
    parts = sections(thing.__doc__ or "")
    summary, _, definition = parts[""].partition("\n")
    meanings = _ARGUMENT.split(parts.get("Args", ""))
    told = {name: " ".join(text.split()) for name, text in zip(meanings[1::2], meanings[2::2], strict=True)}
    kinds: Mapping[str, Kind] = thing.kinds if sort == "pattern" else {}
    return Page(
        name,
        sort,
        thing,
        summary,
        definition.strip("\n"),
        tuple(Argument(arg, kinds[arg].name if kinds else "", told.get(arg, "")) for arg in kinds or told),
        thing.returns.name if isinstance(thing, Pattern) else parts.get("Returns", ""),
        *(parts.get(heading, "") for heading in ("Raises", "Example", "Traps", "Source")),
    )


def _tables_of(module: ModuleType) -> Iterator[Page]:
    """The arrays of words and small numbers that a module makes and gives a public name, with their ``#:`` comments."""
    for names, comment in _assignments(inspect.getsource(module)):
        for name in names:
            table = _as_table(getattr(module, name, None))
            if table is not None and not name.startswith("_"):
                shape = " × ".join(map(str, table.shape))
                yield Page(
                    f"{_bare(module)}.{name}",
                    "table",
                    table,
                    _about(name, names, comment),
                    returns=f"table of {shape} numbers, {table.dtype}",
                )


def _assignments(source: str) -> Iterator[tuple[list[str], str]]:
    """The names assigned under each ``#:`` comment: by the statement below it, and by those right below that."""
    lines = source.splitlines()
    names: list[str] = []
    comment, end = "", -1
    for statement in ast.parse(source).body:
        first = statement.lineno - 1
        while lines[first - 1].startswith("#:"):
            first -= 1
        if first > end or first < statement.lineno - 1:
            yield names, comment
            names, comment = [], " ".join(line[2:].strip() for line in lines[first : statement.lineno - 1])
        end = statement.end_lineno or statement.lineno
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            found = target.elts if isinstance(target, ast.Tuple) else [target]
            names += [name.id for name in found if isinstance(name, ast.Name)]
    yield names, comment


def _about(name: str, names: list[str], comment: str) -> str:
    """What a comment says of one name: from ````NAME[…]`` up to where it speaks of another one, or all of it."""
    own = comment.partition(f"``{name}[")[2]
    if own:
        others = "|".join(other for other in names if other != name) or "$"
        comment = f"{name}[" + re.split(rf"``(?:{others})\[", own)[0]
    return re.sub(r"`|[,;]?( and)? *$", "", comment)


def _as_table(value: Any) -> np.ndarray | None:
    if isinstance(value, tuple) and value and all(type(item) is np.uint64 for item in value):
        value = np.array(value)
    wanted = isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.name in {"uint64", "uint8", "int8"}
    return value if wanted else None


# --------------------------------------------------------------------------------------------------------------- names


def page(name: str) -> Page:
    """Return the page of a name.

    Args:
        name: as in Python (``knight.fork_targets``, ``king.ATTACKS``), a feature (``fork_squares``), a column of
            conditions (``white_fork_squares``, ``white_elo``), or any last part of a name that only one thing has.

    Raises:
        QueryError: for a name that nothing or more than one thing has, with those that come near.

    Example:
        >>> catalogue.page("fork_targets").signature
        'knight.fork_targets(targets: set of squares) -> set of squares'
    """
    known = pages()
    short = re.sub(r"^(setwise\.)?(features\.(\w+\.)?)?", "", name.strip())
    colourless = re.sub(r"^(white|black)_", "", short)
    for candidate in (short, colourless if colourless in FEATURES else short):
        if candidate in known:
            return known[candidate]
    if column := _columns().get(short):
        return Page(
            short, "column", column, column.meaning, returns=str(getattr(column.type, "value_type", column.type))
        )
    same: list[Page] = []
    for spelled in (str, str.lower):
        same = same or [page for page in known.values() if spelled(page.bare_name) == spelled(short)]
    if len(same) == 1:
        return same[0]
    if same:
        raise QueryError(f"{shortened(short)} may be {_either([page.name for page in same])}")
    near = {page.bare_name: page.name for page in known.values()} | {it: it for it in [*known, *topics(), *_columns()]}
    raise QueryError(f"there is no pattern, feature, table or column {shortened(name)}{did_you_mean(short, near)}")


def topic(name: str) -> Topic:
    """Return a topic by name; raises ``QueryError`` with all topics for an unknown one."""
    if name not in topics():
        raise QueryError(f"there is no topic {shortened(name)}; there are {', '.join(topics())}")
    return topics()[name]


def _columns() -> Mapping[str, Any]:
    columns: Mapping[str, Any] = importlib.import_module("setwise.corpus.columns").COLUMNS
    return columns


def _either(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


# ------------------------------------------------------------------------------------------------------------ examples

_PIECES = {"pawn": "P", "knight": "N", "bishop": "B", "rook": "R", "queen": "Q", "king": "K"}
_IS_PIECE = re.compile(rf"(?:own_|enemy_)?({'|'.join(_PIECES)})s?")
_STANDS = re.compile(rf"where the ({'|'.join(_PIECES)}) stands")
_MANY = 32


class Drawing(NamedTuple):
    """What a board shows: pieces by square, sets by name, the answer first; and whether that is the whole answer."""

    pieces: dict[int, str] | None
    marks: dict[str, Bitboard]
    says_all: bool = False


class Step(NamedTuple):
    """A statement of an example: the text before it, its source, what it prints, and what there is to draw."""

    remark: str
    source: str
    answer: str
    drawing: Drawing | None


def _of_docstring(page: Page) -> list[Step]:
    scope = vars(importlib.import_module(page.thing.__module__)) | names_in(page.example)
    steps: list[Step] = []
    for done in executed(page.example, scope):
        drawing = None if done.expression is None else _drawn(page, done.expression, done.value, scope)
        before = steps[-1].drawing if steps and page.sort == "feature" else None
        if drawing and before and drawing.pieces == before.pieces:  # one board for both sides
            drawing = drawing._replace(marks=before.marks | drawing.marks)
            steps[-1] = steps[-1]._replace(drawing=None)
        steps.append(Step(" ".join(done.remark.split()), done.source, done.answer, drawing))
    return steps


class Executed(NamedTuple):
    """A statement that was run: the text before it, its source, what it prints; an expression's value."""

    remark: str
    source: str
    answer: str
    expression: ast.expr | None
    value: Any


def names_in(text: str) -> dict[str, Any]:
    """Return what examples may name, as far as a text does: ``setwise``, its modules, ``Bitboard`` and ``np``."""
    modules = (module.name for module in pkgutil.iter_modules(setwise.__path__))
    named = {name: importlib.import_module(f"setwise.{name}") for name in modules if re.search(rf"\b{name}\b", text)}
    return {**named, "setwise": setwise, "Bitboard": Bitboard, "np": np}


def executed(text: str, scope: dict[str, Any]) -> Iterator[Executed]:
    """Run the statements behind ``>>>`` in a text, one after the other; a scope holds their names."""
    remark = ""
    for part in doctest.DocTestParser().parse(text):
        if isinstance(part, str):
            remark += part
            continue
        *_, last = ast.parse(part.source).body
        expression = last.value if isinstance(last, ast.Expr) else None
        value = None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            try:
                if expression is not None:
                    value = _value(expression, scope)
                else:
                    exec(compile(part.source, "example", "exec"), scope)  # noqa: S102  (the package's own examples)
                if value is not None:
                    print(repr(value))
            except Exception as error:
                if part.exc_msg is None:
                    raise
                print(f"{type(error).__name__}: {error}")
        yield Executed(remark, part.source.rstrip("\n"), printed.getvalue().rstrip("\n"), expression, value)
        remark = ""


def _value(expression: ast.expr, scope: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(expression), "example", "eval"), scope)  # noqa: S307  (the package's own examples)


def _drawn(page: Page, expression: ast.expr, value: Any, scope: dict[str, Any]) -> Drawing | None:
    """The drawing of the page's pattern or feature where an expression calls it, else of the set that comes out."""
    for call in ast.walk(expression):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute):
            if page.sort == "pattern" and _value(call.func, scope) is page.thing:
                given = dict(zip((argument.name for argument in page.arguments), call.args, strict=False))
                given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
                values = {name: _value(argument, scope) for name, argument in given.items()}
                return _of_call(page, values, _value(call, scope))
            if page.sort == "feature" and isinstance(call.func, ast.Attribute) and call.func.attr == "feature":
                position, column = _value(call.func.value, scope), _value(call.args[0], scope)
                if hasattr(position, "piece_string"):
                    return _on_position(page, position.piece_string(), {column: position.feature(column)})
    if value is None and isinstance(expression, ast.Call) and ast.unparse(expression.func) == "print":
        value = _value(expression.args[0], scope)
    return Drawing(None, {"": value}, says_all=True) if isinstance(value, Bitboard) else None


def _of_call(page: Page, given: dict[str, Any], answer: Any) -> Drawing | None:
    """The answer marked, men that the arguments stand for as pieces, the other arguments marked; nothing of arrays."""
    if not isinstance(answer, int):
        return None
    pieces: dict[int, str] = {}
    marks: dict[str, Bitboard] = {}
    seen = Bitboard()
    if (answered := _squares(page.thing.returns, answer)) is not None:
        marks[page.bare_name] = answered
    for argument in page.arguments:
        squares = _squares(page.thing.kinds[argument.name], given[argument.name]) if argument.name in given else None
        if not squares or squares == seen:  # nothing, or all men after those of either side: no news
            continue
        seen |= squares
        man = _man(argument)
        if man and squares.isdisjoint(Bitboard(pieces)):
            pieces |= dict.fromkeys(squares, man)
        elif len(squares) > _MANY and isinstance(given[argument.name], Bitboard):
            marks[f"not {argument.name}"] = ~squares
        else:
            marks[argument.name] = squares
    while len(marks) > MOST_SETS:
        del marks[max(list(marks)[1:], key=lambda name: len(marks[name]))]
    return Drawing(pieces or None, marks, isinstance(answer, Bitboard)) if pieces or marks else None


def _squares(kind: Kind, value: Any) -> Bitboard | None:
    """The squares that a value of a kind stands for: a fileset's files, a square, a set; none for numbers."""
    if kind.name == "fileset":
        return Bitboard(int(value) * int(FILE_A))
    if kind.name == "square":
        return Bitboard([value]) if value < 64 else Bitboard()
    return Bitboard(value) if kind.python is Bitboard else None


def _man(argument: Argument) -> str | None:
    """The piece that an argument stands for by its name or meaning, black for the enemy's; None for other sets."""
    if "both" in argument.meaning:
        return None
    match = _IS_PIECE.fullmatch(argument.name) or _STANDS.match(argument.meaning)
    if match is None:
        return None
    letter = _PIECES[match[1]]
    return letter.lower() if "enemy" in f"{argument.name} {argument.meaning}" else letter


def _on_position(page: Page, pieces: str, answers: dict[str, Any]) -> Drawing:
    kind = page.thing.returns
    marks = {column: squares for column, value in answers.items() if (squares := _squares(kind, value)) is not None}
    men = {square: man for square, man in enumerate(pieces) if man != "."}
    return Drawing(men, marks, kind.python is Bitboard)


def _of_table(page: Page) -> Step:
    """An entry of a table: of d4 and f6, of some files, of White or Black."""
    middle = {64: (27, 45), 256: (0b0111_0001, 0b1110_0111)}
    index = tuple(middle[size][k % 2] if size in middle else size // 2 for k, size in enumerate(page.thing.shape))
    entry = page.thing[index].item()
    spelled = (f"{at:#010b}" if size == 256 else str(at) for at, size in zip(index, page.thing.shape, strict=True))
    source = f"{page.name}[{', '.join(spelled)}]"
    if page.thing.dtype != np.uint64:
        return Step("", source, str(entry), None)
    places = {SQUARE_NAMES[at]: Bitboard([at]) for at, size in zip(index, page.thing.shape, strict=True) if size == 64}
    return Step("", source, hex(entry), Drawing(None, {source: Bitboard(entry)} | places))
