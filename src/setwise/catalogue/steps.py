"""Patterns step by step: the result of each line of a definition for given squares.

A comment at the end of a line of a pattern is the caption of that line's result. The definition itself is run, and the
values that captioned lines assign or return are recorded; no step is computed separately. If the definition is a single
expression, an equivalent form with more lines is run instead (see `setwise.catalogue.forms`).
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise.bitboard import Bitboard
from setwise.catalogue.docstrings import definition_of, remarks
from setwise.catalogue.forms import Form
from setwise.catalogue.lookup import page
from setwise.catalogue.pages import Page
from setwise.compiler import Entry, Kind, Pattern, plain
from setwise.compiler.signatures import Signature, uint64
from setwise.errors import QueryError
from setwise.patterns.bits import FILE_A

__all__ = ["Step", "compiled_steps", "has_steps", "stepped_form", "steps"]


class Step(NamedTuple):
    """A step: its caption, and the set of squares after it. The last step also has the pattern's answer.

    If the value is a fileset, ``files`` is that fileset, and ``squares`` are all squares of its files. If it is a
    number, the caption has it, and ``squares`` are those of the step before.
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
    """A definition that passes the values of captioned lines, and its answer, to ``_RECORD``, with their numbers."""

    module: ast.Module
    captions: list[str]
    function: Callable[..., Any]

    def run_in(self, scope: dict[str, Any]) -> Any:
        """Return the function with the names of a scope."""
        exec(compile(self.module, self.function.__code__.co_filename, "exec"), scope)  # noqa: S102  (our own definitions)
        return scope[self.module.body[0].name]  # type: ignore[attr-defined]


def has_steps(name: str) -> bool:
    """Return whether a pattern, by any of its names, is drawn step by step.

    Raises:
        QueryError: for an unknown name.

    Example:
        >>> from setwise.catalogue.steps import has_steps
        >>> has_steps("fills.flood"), has_steps("compass.north")
        (True, False)
    """
    return _definition(page(name)) is not None


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
        >>> from setwise.catalogue.steps import steps
        >>> for step in steps("fills.north_fill", Bitboard("b3")):
        ...     print(f"{step.caption}: {len(step.squares)} squares")
        one step on: 2 squares
        two more: 4 squares
        and four, seven in all: 6 squares
    """
    shown = page(name)
    recording = _definition(shown)
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

    definition = recording.run_in({**plain(recording.function).__globals__, _RECORD: record})
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


def compiled_steps(name: str, record: Any) -> tuple[Entry, list[str]] | None:
    """Return a pattern as an entry that passes each step to compiled code, and the captions; None without steps.

    Args:
        name: any name of the pattern.
        record: what compiled code calls with the number of a caption and a word; it returns the word.
    """
    shown = page(name)
    recording = _definition(shown)
    if recording is None:
        return None
    function = recording.run_in({**recording.function.__globals__, _RECORD: record})
    function.__module__, function.__qualname__ = shown.thing.__module__, f"{shown.name}.steps"
    return Entry(function, Signature(uint64, (uint64,) * len(shown.thing.kinds))), recording.captions


def _step(caption: str, kind: Kind, word: int) -> Step:
    """Return the step that reaches a set or a fileset."""
    if kind.name != "fileset":
        return Step(caption, Bitboard(word))
    return Step(caption, Bitboard((word & 0xFF) * int(FILE_A)), files=word & 0xFF)


def _definition(shown: Page) -> _Recording | None:
    """Return what runs for a page's steps: the pattern, or its first form with captions, or None."""
    if shown.sort != "pattern":
        return None
    function = shown.thing.function
    if recorded := _recording(definition_of(function), function):
        return recorded
    form = stepped_form(shown)
    return _recording(form.definition, form.function) if form else None


def stepped_form(shown: Page) -> Form | None:
    """Return the other form whose lines are the steps of a page; None where they are those of the formula."""
    if shown.sort != "pattern" or _recording(definition_of(shown.thing.function), shown.thing.function):
        return None
    return next((form for form in shown.forms if _recording(form.definition, form.function)), None)


@functools.cache
def _recording(source: str, function: Callable[..., Any]) -> _Recording | None:
    """Return a definition that records its captioned lines; None without captions."""
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


_RECORD = "_record"


class _Recorder(ast.NodeTransformer):
    """Wraps the values of captioned lines, and every answer, in calls of `_RECORD`."""

    def __init__(self, captions: dict[int, str]) -> None:
        self.captions, self.steps = captions, 0
        self.said: list[str] = []

    def _caption(self, node: ast.stmt) -> str:
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return " ".join(self.captions[line] for line in lines if line in self.captions)

    def _recorded(self, caption: str, value: ast.expr) -> ast.expr:
        self.said.append(caption)
        return ast.Call(ast.Name(_RECORD, ast.Load()), [ast.Constant(len(self.said) - 1), value], [])

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
