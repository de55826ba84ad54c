"""Docstrings of definitions: arguments that have one meaning in a whole file are explained once, by its module."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["explained"]

_ARGS = re.compile(r"^Args:\n((?: {4}.*\n?)+)", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(\w+): .*(?:\n {8}.*)*", re.MULTILINE)
_SECTION = re.compile(r"^(?=\w+:$)", re.MULTILINE)


def explained(function: Callable[..., Any]) -> str | None:
    """Return the docstring of a definition; if it explains no arguments, with what its module says about them."""
    meanings = _meanings(getattr(sys.modules.get(function.__module__), "__doc__", None) or "")
    docstring = inspect.getdoc(function) if meanings else None
    if docstring is None or _ARGS.search(docstring):
        return function.__doc__
    entries = [meanings[name] for name in inspect.signature(function).parameters if name in meanings]
    before, *sections = _SECTION.split(docstring)
    return "".join([before, *(["Args:\n", "\n".join(entries), "\n\n"] if entries else []), *sections])


@functools.cache
def _meanings(docstring: str) -> dict[str, str]:
    """The entries of the arguments that a module explains."""
    section = _ARGS.search(inspect.cleandoc(docstring)) if "Args:" in docstring else None
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(section[1])} if section else {}
