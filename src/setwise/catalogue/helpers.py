"""What a formula names that has no page of its own: helpers as they are written, constants as numbers."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from setwise.catalogue.docstrings import body, definition_of
from setwise.compiler.definitions import ByProcessor, Entry, Pattern, Routine

__all__ = ["helpers_of"]

_BYTE = 0xFF
#: The names of constants that say their number: ``EIGHT``, ``THIRTY_TWO``.
_SPELLED = re.compile(r"ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN|ELEVEN|TWELVE|[A-Z]+TEEN|[A-Z]+TY(_[A-Z]+)?")


def helpers_of(function: Callable[..., Any]) -> str:
    """Return the constants and the helpers that a definition names, as Python; an empty text if it names none.

    Helpers are given without their docstrings, and what they name in turn is not given.

    Example:
        >>> from setwise.catalogue.helpers import helpers_of
        >>> print(helpers_of(pawns.isolated.function))
        def sideways(squares):
            return east(squares) | west(squares)
        >>> print(helpers_of(compass.no_ea_ea.function))
        NOT_FILES_AB = 0xfcfc_fcfc_fcfc_fcfc
    """
    tree = ast.parse(definition_of(function) or "pass")
    used = dict.fromkeys(name for statement in tree.body for name in _names_in(statement))
    scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    things = {name: scope[name] for name in used if name in scope}
    words = {name: int(it) for name, it in things.items() if type(it) is np.uint64 and not _SPELLED.fullmatch(name)}
    counts = {name for statement in tree.body for name in _shift_counts(statement)}
    numbers = [f"{name} = {_number(it, is_count=name in counts)}" for name, it in words.items()]
    helpers = [text for it in things.values() if (text := _written(it))]
    return "\n\n".join(["\n".join(numbers)] * bool(numbers) + helpers)


def _number(value: int, *, is_count: bool) -> str:
    """A constant: a count in decimal, a set in hexadecimal, one of a few low bits in binary, too."""
    if value > _BYTE:
        return f"0x{value:019_x}" if value > 0xFFFF else f"0x{value:04x}"
    if value == _BYTE:
        return f"{value:#x}"
    return str(value) if is_count or value == 0 else f"{value}  # {value:#b}"


def _shift_counts(statement: ast.AST) -> Iterator[str]:
    """The names of the numbers by which a definition shifts."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift | ast.RShift):
            yield from (it.id for it in ast.walk(node.right) if isinstance(it, ast.Name))


def _names_in(statement: ast.AST) -> Iterator[str]:
    """The names in a definition's body, in the order of their lines."""
    lines = statement.body if isinstance(statement, ast.FunctionDef) else [statement]
    named = [it for line in lines for it in ast.walk(line) if isinstance(it, ast.Name)]
    return (it.id for it in sorted(named, key=lambda it: (it.lineno, it.col_offset)))


def _written(thing: Any) -> str:
    """A helper without its docstring; an empty text for what is none, or has a page."""
    if isinstance(thing, ByProcessor):
        return f"# on processors with {thing.feature}\n{_written(thing.routine)}"
    if isinstance(thing, Pattern) or not isinstance(thing, Routine | Entry):
        return ""
    arguments = ", ".join(inspect.signature(thing.function).parameters)
    lines = body(thing.function)
    return f"def {thing.function.__name__}({arguments}):\n{textwrap.indent(lines, '    ')}" if lines else ""
