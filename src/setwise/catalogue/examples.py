"""Drawings of the examples, as the code computes them, and of the steps of a formula, one after another.

The example of a docstring is run, statement by statement, and each value that is a set becomes a board with the
arguments as pieces or marks, so a picture shows only what the code computes. The steps come from the definition itself:
comments at the ends of lines are captions, and a copy of the definition is run on the arguments of the first example.
The copy is rewritten so that it records the value of each line with a caption. So a formula exists only once, and to
add a step one writes a comment.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import importlib
import io
import operator
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import setwise
from setwise import patterns, view
from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.catalogue.lookup import page
from setwise.catalogue.pages import Argument, Form, Page, definition_of, remarks
from setwise.compiler import Kind, Pattern, plain
from setwise.errors import QueryError
from setwise.patterns.bits import FILE_A
from setwise.view.diagram import MOST_SETS

if TYPE_CHECKING:
    from setwise.position.position import Position


# ------------------------------------------------------------------------------------------------ patterns step by step


class Step(NamedTuple):
    """A step: its caption, and the set of squares after the step. The last step also has the pattern's answer.

    If the value of a step is a fileset, ``files`` is that fileset, and ``squares`` are all squares of its files. If the
    value is a number, the caption contains it, and ``squares`` are the squares of the step before.
    """

    caption: str
    squares: Bitboard
    answer: Any = None
    files: int | None = None
    is_number: bool = False

    @property
    def size(self) -> str:
        """How many squares or files the step has, in words; empty for a number.

        >>> [step.size for step in steps("islands.count", 0b11100111)]
        ['2 files', '']
        """
        if self.is_number:
            return ""
        count, what = (len(self.squares), "square") if self.files is None else (self.files.bit_count(), "file")
        return f"{count} {what}{'s' * (count != 1)}"


class _Recording(NamedTuple):
    """A definition that passes the value of each line with a caption, and its answer, to ``RECORD``, with a number."""

    module: ast.Module
    captions: list[str]
    function: Callable[..., Any]

    def run_in(self, scope: dict[str, Any]) -> Any:
        """Return the function, whose code uses the names of a scope."""
        exec(compile(self.module, self.function.__code__.co_filename, "exec"), scope)  # noqa: S102  (our own definitions)
        return scope[self.module.body[0].name]  # type: ignore[attr-defined]


def has_steps(name: str) -> bool:
    """Return whether a pattern is drawn step by step; any name of the pattern is accepted.

    Raises:
        QueryError: for an unknown name.

    Example:
        >>> from setwise.catalogue.examples import has_steps
        >>> has_steps("fills.flood"), has_steps("compass.north")
        (True, False)
    """
    return recording_of(page(name)) is not None


def steps(name: str, *arguments: Any) -> tuple[Step, ...]:
    """Return the steps by which a pattern computes its answer for some arguments; the last step is the answer.

    A fileset is shown as all squares of its files. A number is not drawn; the last caption contains it.

    Args:
        name: any name of the pattern, as `setwise.catalogue.page` takes it.
        arguments: ints, as the pattern takes them; sets left out at the end are empty.

    Raises:
        QueryError: for an unknown name, or a pattern that has no steps.
        TypeError, ValueError: for arguments that the pattern refuses, and for arrays.

    Example:
        >>> from setwise.catalogue.examples import steps
        >>> for step in steps("fills.north_fill", Bitboard("b3")):
        ...     print(f"{step.caption}: {len(step.squares)} squares")
        one step on: 2 squares
        two more: 4 squares
        and four, seven in all: 6 squares
    """
    shown = page(name)
    recording = recording_of(shown)
    if recording is None:
        raise QueryError(f"{shown.name} has no steps to show: it is a single one")
    p: Pattern = shown.thing
    values = [*arguments, *[0] * (len(p.kinds) - len(arguments))]
    answer = p(*values)
    if isinstance(answer, np.ndarray):
        raise TypeError(f"the steps of {shown.name} are those of one board, not of an array")
    recorded: list[tuple[str, np.uint64]] = []

    def record(number: int, value: np.uint64) -> np.uint64:
        recorded.append((recording.captions[number], value))
        return value

    definition = recording.run_in({**plain(recording.function).__globals__, RECORD: record})
    with np.errstate(over="ignore"):
        definition(*(np.uint64(operator.index(value)) for value in values))
    *before, (last, _) = recorded
    inside = next(iter(p.kinds.values()))
    done: list[Step] = []
    for caption, value in before:
        step = _step(caption, inside, int(value))
        if not done or done[-1] != step:  # a fill's last round adds nothing
            done.append(step)
    if p.returns.is_set or p.returns.name == "fileset":
        step = _step(last or shown.sentence, p.returns, answer)._replace(answer=answer)
        if done and not last and done[-1].squares == step.squares:  # the last line adds nothing
            return (*done[:-1], done[-1]._replace(answer=answer))
        return (*done, step)
    result = {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else answer
    reached = done[-1] if done else Step("", Bitboard())
    return (*done, reached._replace(caption=f"{last or shown.sentence}: {result}", answer=answer, is_number=True))


def _step(caption: str, kind: Kind, word: int) -> Step:
    """Return the step whose value is a set or a fileset."""
    if kind.name != "fileset":
        return Step(caption, Bitboard(word))
    return Step(caption, Bitboard((word & 0xFF) * int(FILE_A)), files=word & 0xFF)


def recording_of(shown: Page) -> _Recording | None:
    """Return the definition that computes a page's steps: the pattern, or its first form with captions, or None."""
    if shown.sort != "pattern":
        return None
    function = shown.thing.function
    if recorded := _recording(definition_of(function), function):
        return recorded
    form = stepped_form(shown)
    return _recording(form.definition, form.function) if form else None


def stepped_form(shown: Page) -> Form | None:
    """Return the form whose lines are the steps of a page; None if the formula has the steps, or nothing has steps."""
    if shown.sort != "pattern" or _recording(definition_of(shown.thing.function), shown.thing.function):
        return None
    return next((form for form in shown.forms if _recording(form.definition, form.function)), None)


@functools.cache
def _recording(source: str, function: Callable[..., Any]) -> _Recording | None:
    """Return a definition that records the values of its lines with captions; None if there are no captions."""
    captions = remarks(source)
    definition = next(iter(ast.parse(source).body), None)
    if not isinstance(definition, ast.FunctionDef):
        return None
    recorder = _Recorder(captions)
    definition.body = [recorder.visit(statement) for statement in definition.body]
    if not recorder.steps:
        return None
    for argument in definition.args.args:
        argument.annotation = None
    definition.decorator_list, definition.returns = [], None
    module = ast.fix_missing_locations(ast.Module([definition], []))
    return _Recording(module, recorder.said, function)


RECORD = "_record"


class _Recorder(ast.NodeTransformer):
    """Wraps the values of lines with captions, and every answer, in calls of `RECORD`."""

    def __init__(self, captions: dict[int, str]) -> None:
        self.captions, self.steps = captions, 0
        self.said: list[str] = []

    def _caption(self, node: ast.stmt) -> str:
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return " ".join(self.captions[line] for line in lines if line in self.captions)

    def _recorded(self, caption: str, value: ast.expr) -> ast.expr:
        self.said.append(caption)
        return ast.Call(ast.Name(RECORD, ast.Load()), [ast.Constant(len(self.said) - 1), value], [])

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        caption = self._caption(node)
        if caption and all(isinstance(target, ast.Name) for target in node.targets):
            self.steps += 1
            node.value = self._recorded(caption, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if isinstance(node.target, ast.Name) and self._caption(node):
            sum_ = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            return self.visit_Assign(ast.copy_location(ast.Assign([ast.Name(node.target.id, ast.Store())], sum_), node))
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is not None:
            node.value = self._recorded(self._caption(node), node.value)
        return node


# ---------------------------------------------------------------------------------------- the examples of the catalogue


_PIECES = {"pawn": "P", "knight": "N", "bishop": "B", "rook": "R", "queen": "Q", "king": "K"}
#: The names of the arguments that together are a whole position.
WHOLE = {"own", "enemy", *(f"{piece}s" for piece in _PIECES)}
_IS_PIECE = re.compile(rf"(?:own_|enemy_)?({'|'.join(_PIECES)})s?")
_STANDS = re.compile(rf"where the ({'|'.join(_PIECES)}) stands")
_MANY = 32


class Drawing(NamedTuple):
    """The contents of a board: pieces by square, and sets by name, the answer first; and whether it shows all.

    Filesets are drawn as rows of their own, first the arguments; if there are only filesets, there is no board.
    """

    pieces: dict[int, str] | None
    marks: dict[str, Bitboard]
    says_all: bool = False
    #: The arguments of the pattern, if the board shows a call of it.
    arguments: tuple[Any, ...] = ()
    #: The position, if the board shows a feature of it.
    position: Position | None = None
    #: Filesets by name.
    files: Mapping[str, int] = MappingProxyType({})

    @property
    def has_board(self) -> bool:
        """Whether there is anything besides filesets."""
        return bool(self.pieces or self.marks or not self.files)


class Statement(NamedTuple):
    """A statement of an example: the text before it, its source, its output, and its drawing."""

    remark: str
    source: str
    answer: str
    drawing: Drawing | None


def statements_of(page: Page) -> list[Statement]:
    """Run a page's example and return its statements, each with its answer and, if that has squares, a drawing."""
    return [_of_table(page)] if page.sort == "table" else _of_docstring(page) if page.example else []


def _of_docstring(page: Page) -> list[Statement]:
    scope = vars(sys.modules[page.thing.__module__]) | names_in(page.example)
    statements: list[Statement] = []
    for done in executed(page.example, scope):
        drawing = None if done.expression is None else drawing_of(page, done.expression, done.value, scope)
        before = statements[-1].drawing if statements and page.sort == "feature" else None
        if drawing and before and drawing.pieces == before.pieces:  # one board for both sides
            drawing = drawing._replace(marks=before.marks | drawing.marks, files={**before.files, **drawing.files})
            statements[-1] = statements[-1]._replace(drawing=None)
        statements.append(Statement(" ".join(done.remark.split()), done.source, done.answer, drawing))
    return statements


def stepwise(page: Page) -> list[tuple[Step, Drawing]]:
    """Return the steps of a page's first drawn example, each with its board; an empty list if it has no steps."""
    drawings = (
        statement.drawing for statement in statements_of(page) if statement.drawing and statement.drawing.arguments
    )
    if not has_steps(page.name) or (shown := next(drawings, None)) is None:
        return []
    return [(step, _of_step(step, shown)) for step in steps(page.name, *shown.arguments)]


def _of_step(step: Step, shown: Drawing) -> Drawing:
    """The drawing of a step: the pieces of the call's drawing, with the squares of the step as the only mark."""
    if step.files is not None:
        return Drawing(None, {}, files={"": step.files})
    return Drawing(shown.pieces, {"": step.squares})


class Executed(NamedTuple):
    """A statement that was run: the text before it, its source, its output, and an expression's value."""

    remark: str
    source: str
    answer: str
    expression: ast.expr | None
    value: Any


def names_in(text: str) -> dict[str, Any]:
    """Return the names that examples may use: ``setwise``, ``np``, ``Bitboard``, ``view``, and the topics in a text."""
    topics = (module.name for module in pkgutil.iter_modules(patterns.__path__))
    named = {
        name: importlib.import_module(f"setwise.patterns.{name}") for name in topics if re.search(rf"\b{name}\b", text)
    }
    return {**named, "__name__": "__main__", "setwise": setwise, "Bitboard": Bitboard, "np": np, "view": view}


def executed(text: str, scope: dict[str, Any]) -> Iterator[Executed]:
    """Run the statements after ``>>>`` in a text, in order; ``scope`` holds the names that they use and define."""
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
                    value = value_of(expression, scope)
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


def value_of(expression: ast.expr, scope: dict[str, Any]) -> Any:
    """Return the value of an expression."""
    return eval(compile(ast.Expression(expression), "example", "eval"), scope)  # noqa: S307  (the package's own examples)


def drawing_of(page: Page, expression: ast.expr, value: Any, scope: dict[str, Any]) -> Drawing | None:
    """Return the drawing of a call, if an expression calls the page's pattern or feature; else of the resulting set."""
    for call in ast.walk(expression):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute):
            if page.sort == "pattern" and value_of(call.func, scope) is page.thing:
                positional = value_of(ast.copy_location(ast.List(call.args, ast.Load()), call), scope)
                values = dict(zip((argument.name for argument in page.arguments), positional, strict=False))
                values |= {keyword.arg: value_of(keyword.value, scope) for keyword in call.keywords if keyword.arg}
                answer = value_of(call, scope)
                if isinstance(value, Bitboard) and isinstance(answer, Bitboard) and value != answer:
                    return _of_expression(page, values, ast.unparse(expression), value)
                drawing = _of_call(page, values, answer)
                whole = next((it for it in _named(call, scope) if hasattr(it, "piece_string")), None)
                if drawing and whole:
                    drawing = _in_position(drawing, page.bare_name, whole)
                return drawing and drawing._replace(arguments=tuple(values.values()))
            if page.sort == "feature" and isinstance(call.func, ast.Attribute) and call.func.attr == "feature":
                position, column = value_of(call.func.value, scope), value_of(call.args[0], scope)
                if hasattr(position, "piece_string"):
                    return _on_position(page, position, {column: position.feature(column)})
    if value is None and isinstance(expression, ast.Call) and ast.unparse(expression.func) == "print":
        value = value_of(expression.args[0], scope)
    return Drawing(None, {"": value}, says_all=True) if isinstance(value, Bitboard) else None


def _of_expression(page: Page, arguments: dict[str, Any], source: str, value: Bitboard) -> Drawing | None:
    """The drawing of a set that an expression computes from the answer of a call: ``~knight.reach(…)``."""
    drawing = _of_call(page, arguments, value)
    if drawing is None:
        return None
    marks = {source if name == page.bare_name else name: it for name, it in drawing.marks.items()}
    return drawing._replace(marks=marks)


def _of_call(page: Page, arguments: dict[str, Any], answer: Any) -> Drawing | None:
    """Return a drawing: pieces for arguments that are pieces, marks for other sets and the answer; None for arrays."""
    if not isinstance(answer, int):
        return None
    pieces: dict[int, str] = {}
    marks: dict[str, Bitboard] = {}
    seen = Bitboard()
    files = {name: int(it) for name, it in arguments.items() if page.thing.kinds[name].name == "fileset"}
    if page.thing.returns.name == "fileset":
        files[page.bare_name] = int(answer)
    if (answered := squares_of(page.thing.returns, answer)) is not None:
        marks[page.bare_name] = answered
    if arguments.keys() >= WHOLE:
        return Drawing(_pieces_of_both(arguments), marks, answered is not None, files=files)
    for argument in page.arguments:
        if argument.name not in arguments:
            continue
        squares = squares_of(page.thing.kinds[argument.name], arguments[argument.name])
        if not squares or squares == seen:  # empty, or all squares already shown
            continue
        seen |= squares
        letter = letter_of(argument)
        if letter and squares.isdisjoint(Bitboard(pieces)):
            pieces |= dict.fromkeys(squares, letter)
        elif len(squares) > _MANY and isinstance(arguments[argument.name], Bitboard):
            marks[f"not {argument.name}"] = ~squares
        else:
            marks[argument.name] = squares
    while len(marks) > MOST_SETS:
        del marks[max(list(marks)[1:], key=lambda name: len(marks[name]))]
    shown = Drawing(pieces or None, marks, isinstance(answer, Bitboard), files=files)
    return shown if pieces or marks or files else None


def _pieces_of_both(sets: dict[str, Any]) -> dict[int, str]:
    """Return all pieces of a position from its eight sets; own pieces are white."""
    own = Bitboard(sets["own"])
    letters = {square: letter for piece, letter in _PIECES.items() for square in Bitboard(sets[f"{piece}s"])}
    return {square: letter if square in own else letter.lower() for square, letter in letters.items()}


def squares_of(kind: Kind, value: Any) -> Bitboard | None:
    """Return the squares of a value: a square, a set; None for numbers and filesets."""
    if kind.name == "square":
        return Bitboard([value]) if value < 64 else Bitboard()
    return Bitboard(value) if kind.python is Bitboard else None


def letter_of(argument: Argument) -> str | None:
    """Return the letter of the piece that an argument names, black for the enemy; None for other sets."""
    if "both" in argument.meaning:
        return None
    match = _IS_PIECE.fullmatch(argument.name) or _STANDS.match(argument.meaning)
    if match is None:
        return None
    letter = _PIECES[match[1]]
    return letter.lower() if "enemy" in f"{argument.name} {argument.meaning}" else letter


def _on_position(page: Page, position: Position, answers: dict[str, Any]) -> Drawing:
    kind = page.thing.returns
    marks = {column: squares for column, value in answers.items() if (squares := squares_of(kind, value)) is not None}
    files = {column: int(value) for column, value in answers.items() if kind.name == "fileset"}
    return Drawing(_letters(position), marks, kind.python is Bitboard, position=position, files=files)


def _in_position(drawing: Drawing, answer: str, position: Position) -> Drawing:
    """The drawing of a call whose arguments are sets of a position: all pieces, without marks that only show pieces."""
    occupied = position.occupied
    marks = {name: it for name, it in drawing.marks.items() if name == answer or not it.issubset(occupied)}
    return drawing._replace(pieces=_letters(position), marks=marks)


def _named(call: ast.Call, scope: dict[str, Any]) -> Iterator[Any]:
    """The values of the names in the arguments of a call."""
    return (value_of(it, scope) for argument in call.args for it in ast.walk(argument) if isinstance(it, ast.Name))


def _letters(position: Position) -> dict[int, str]:
    return {square: letter for square, letter in enumerate(position.piece_string()) if letter != "."}


def _of_table(page: Page) -> Statement:
    """A statement that reads one entry of a table: for the squares d4 and f6, for some files, for White or Black."""
    middle = {64: (27, 45), 256: (0b0111_0001, 0b1110_0111)}
    index = tuple(middle[size][k % 2] if size in middle else size // 2 for k, size in enumerate(page.thing.shape))
    entry = page.thing[index].item()
    spelled = (f"{at:#010b}" if size == 256 else str(at) for at, size in zip(index, page.thing.shape, strict=True))
    source = f"{page.name}[{', '.join(spelled)}]"
    files = {f"{at:#010b}": at for at, size in zip(index, page.thing.shape, strict=True) if size == 256}
    if page.thing.dtype != np.uint64:
        return Statement("", source, str(entry), Drawing(None, {}, files=files) if files else None)
    places = {SQUARE_NAMES[at]: Bitboard([at]) for at, size in zip(index, page.thing.shape, strict=True) if size == 64}
    return Statement("", source, hex(entry), Drawing(None, {source: Bitboard(entry)} | places, files=files))
