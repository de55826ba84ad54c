"""Docstrings of definitions: what those of one section of a file have in common is said once, in a text before them."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["explained", "of_section"]

_ARGS = re.compile(r"^Args:\n((?: {4}.*\n?)+)", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(\w+): .*(?:\n {8}.*)*", re.MULTILINE)
_SECTION = re.compile(r"^(?=\w+:$)", re.MULTILINE)


def explained(function: Callable[..., Any]) -> str | None:
    """Return the docstring of a definition; if it explains no arguments, with what its section says about them."""
    meanings = _meanings(of_section(function))
    docstring = inspect.getdoc(function) if meanings else None
    if docstring is None or _ARGS.search(docstring):
        return function.__doc__
    entries = [meanings[name] for name in inspect.signature(function).parameters if name in meanings]
    before, *sections = _SECTION.split(docstring)
    return "".join([before, *(["Args:\n", "\n".join(entries), "\n\n"] if entries else []), *sections])


def of_section(function: Callable[..., Any]) -> str:
    """Return the text at the beginning of the section of a file in which a definition stands, else of the file."""
    module, first = sys.modules.get(function.__module__), function.__code__.co_firstlineno
    return next((text for line, text in reversed(_texts(module)) if line < first), "") if module else ""


@functools.cache
def _texts(module: ModuleType) -> list[tuple[int, str]]:
    """The texts of a file that stand alone, with their lines."""
    try:
        body = ast.parse(inspect.getsource(module)).body
    except (OSError, TypeError, SyntaxError):  # as in a notebook
        return [(0, module.__doc__ or "")]
    alone = ((it.lineno, it.value) for it in body if isinstance(it, ast.Expr))
    return [(line, it.value) for line, it in alone if isinstance(it, ast.Constant) and isinstance(it.value, str)]


@functools.cache
def _meanings(docstring: str) -> dict[str, str]:
    """The entries of the arguments that a module explains."""
    section = _ARGS.search(inspect.cleandoc(docstring)) if "Args:" in docstring else None
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(section[1])} if section else {}
