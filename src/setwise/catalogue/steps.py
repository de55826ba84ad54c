"""Patterns step by step: what the lines of a definition make of some squares, one line after the other.

A comment at the end of a line of a pattern is the caption of what that line makes. The definition is run as it is
written, and what such lines assign or return is looked at on the way: no step is computed by anything else. Where the
definition is a single expression, a form that says the same in more lines is run (see `setwise.catalogue.forms`).
"""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise.bitboard import Bitboard
from setwise.catalogue.docstrings import remarks
from setwise.catalogue.pages import Page, page
from setwise.compiler import Kind, Pattern, plain
from setwise.errors import QueryError
from setwise.patterns.bits import FILE_A

__all__ = ["Step", "has_steps", "steps"]


class Step(NamedTuple):
    """A step: what it is in words, and the set of squares after it. The last one has the pattern's answer, too."""

    caption: str
    squares: Bitboard
    answer: Any = None


def has_steps(name: str) -> bool:
    """Return whether a pattern, given by any of its names, is drawn step by step.

    Raises:
        QueryError: for a name that nothing has.

    Example:
        >>> from setwise.catalogue.steps import has_steps
        >>> has_steps("fills.flood"), has_steps("compass.north")
        (True, False)
    """
    return _definition(page(name)) is not None


def steps(name: str, *arguments: Any) -> tuple[Step, ...]:
    """Return what a pattern makes of its arguments, step by step; the last step is its answer.

    A fileset is shown as all squares of its files. A number says nothing of squares: the last caption tells it.

    Args:
        name: any name of the pattern, as `setwise.catalogue.page` takes it.
        arguments: ints, as the pattern takes them; sets left out at the end are empty.

    Raises:
        QueryError: for a name that nothing has, or a pattern that has no steps.
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
    definition = _definition(shown)
    if definition is None:
        raise QueryError(f"{shown.name} has no steps to show: it is a single one")
    p: Pattern = shown.thing
    given = [*arguments, *[0] * (len(p.kinds) - len(arguments))]
    answer = p(*given)
    if isinstance(answer, np.ndarray):
        raise TypeError(f"the steps of {shown.name} are those of one board, not of an array")
    seen: list[tuple[str, np.uint64]] = []

    def see(caption: str, value: np.uint64) -> np.uint64:
        seen.append((caption, value))
        return value

    with np.errstate(over="ignore"):
        definition(see, *(np.uint64(operator.index(value)) for value in given))
    *before, (last, _) = seen
    inside = next(iter(p.kinds.values()))
    found: list[Step] = []
    for caption, value in before:
        step = Step(caption, _squares(inside, int(value)))
        if not found or found[-1] != step:  # a fill's last round adds nothing
            found.append(step)
    if p.returns.is_set or p.returns.name == "fileset":
        squares = _squares(p.returns, answer)
        if found and not last and found[-1].squares == squares:  # what the last line made is returned as it is
            return (*found[:-1], found[-1]._replace(answer=answer))
        return (*found, Step(last or shown.sentence, squares, answer))
    told = {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else answer
    reached = found[-1].squares if found else Bitboard()
    return (*found, Step(f"{last or shown.sentence}: {told}", reached, answer))


def _squares(kind: Kind, word: int) -> Bitboard:
    """The squares of a set, or of the files of a fileset."""
    return Bitboard((word & 0xFF) * int(FILE_A) if kind.name == "fileset" else word)


def _definition(shown: Page) -> Callable[..., Any] | None:
    """What is run for a page's steps: the pattern, or the first of its forms with captions; None where none has any."""
    if shown.sort != "pattern":
        return None
    written = (shown.thing.function, *(form.function for form in shown.forms))
    return next(filter(None, map(_watched, written)), None)


@functools.cache
def _watched(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """A function that hands what its captioned lines make, and its answer, to a function that comes first."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except OSError:
        return None
    captions = remarks(source)
    [definition] = ast.parse(source).body
    if not isinstance(definition, ast.FunctionDef):
        return None
    watching = _Watching(captions)
    definition.body = [watching.visit(statement) for statement in definition.body]
    if not watching.steps:
        return None
    definition.args.args.insert(0, ast.arg(_SEE))
    for argument in definition.args.args:
        argument.annotation = None
    definition.decorator_list, definition.returns = [], None
    scope = dict(plain(function).__globals__)
    module = ast.fix_missing_locations(ast.Module([definition], []))
    exec(compile(module, function.__code__.co_filename, "exec"), scope)  # noqa: S102  (the package's own definitions)
    return scope[definition.name]


_SEE = "_see"


class _Watching(ast.NodeTransformer):
    """Lets what captioned lines assign, and every answer, pass by `_SEE`."""

    def __init__(self, captions: dict[int, str]) -> None:
        self.captions, self.steps = captions, 0

    def _caption(self, node: ast.stmt) -> str:
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return " ".join(self.captions[line] for line in lines if line in self.captions)

    def _seen(self, caption: str, value: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(_SEE, ast.Load()), [ast.Constant(caption), value], [])

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        caption = self._caption(node)
        if caption and all(isinstance(target, ast.Name) for target in node.targets):
            self.steps += 1
            node.value = self._seen(caption, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if isinstance(node.target, ast.Name) and self._caption(node):
            sum_ = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            return self.visit_Assign(ast.copy_location(ast.Assign([ast.Name(node.target.id, ast.Store())], sum_), node))
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is not None:
            node.value = self._seen(self._caption(node), node.value)
        return node
