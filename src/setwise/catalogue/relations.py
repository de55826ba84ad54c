"""What builds on what: the patterns, features and tables that a definition names, and those that name it."""

from __future__ import annotations

import ast
import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from setwise.catalogue.docstrings import definition_of
from setwise.catalogue.pages import Page, at, pages
from setwise.compiler.definitions import ByProcessor, Entry, Pattern, Routine

__all__ = ["together", "used_by", "uses"]

#: Of more names than these, those of one topic are given as the topic, if they are more than a few.
_MANY, _FEW = 9, 2


def uses(page: Page) -> tuple[str, ...]:
    """Return the names of the pages that a pattern or feature builds on, by itself or by helpers that have no page.

    >>> from setwise import catalogue
    >>> uses(catalogue.page("pawns.promotions"))
    ('compass.north', 'pawns.attacks')
    """
    if page.function is None:
        return ()
    return tuple(dict.fromkeys(it for it in _reached(page.function, set()) if it != page.name))


def together(names: Sequence[str]) -> list[str]:
    """Return names as one reads them: where there are many, the topic instead of its names.

    >>> together(["compass.east", "compass.west"])
    ['compass.east', 'compass.west']
    >>> together([f"fills.ray_fill_{way}" for way in ("north", "east", "south", "west")] * 3 + ["king.attacks"])
    ['fills', 'king.attacks']
    """
    topic_of = {name: name.rpartition(".")[0] or "features" for name in names}
    sizes = Counter(topic_of.values())
    return list(dict.fromkeys(it if len(names) <= _MANY or sizes[of] <= _FEW else of for it, of in topic_of.items()))


def used_by(page: Page) -> tuple[str, ...]:
    """Return the names of the pages that build on this one.

    >>> from setwise import catalogue
    >>> used_by(catalogue.page("pawns.passed_free"))
    ('unstoppable_passers',)
    """
    return tuple(name for name, used in _relations().items() if page.name in used)


@functools.lru_cache(1)
def _relations() -> dict[str, tuple[str, ...]]:
    return {name: uses(page) for name, page in pages().items()}


def _reached(function: Callable[..., Any], seen: set[int]) -> Iterator[str]:
    """The pages that a definition names; a helper without one stands for what it names itself."""
    seen.add(id(function))
    for name, it in _things_in(function):
        thing = it.routine if isinstance(it, ByProcessor) else it
        if page := _page_of(name, thing):
            yield page
        elif isinstance(thing, Routine | Entry) and id(thing.function) not in seen:
            yield from _reached(thing.function, seen)


@functools.cache
def _things_in(function: Any) -> tuple[tuple[str, Any], ...]:
    """The things that the body of a definition names, each with the name, in the order of its lines."""
    scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    tree = ast.parse(definition_of(function) or "pass")
    lines = [line for it in tree.body for line in (it.body if isinstance(it, ast.FunctionDef) else [it])]
    found = [it for line in lines for it in ast.walk(line) if isinstance(it, ast.Name | ast.Attribute)]
    own = function.__code__.co_varnames
    named: list[tuple[str, Any]] = []
    for it in sorted(found, key=lambda it: (it.lineno, it.col_offset)):
        if isinstance(it, ast.Name) and it.id not in own:
            named.append((it.id, scope.get(it.id)))
        elif (
            isinstance(it, ast.Attribute)
            and isinstance(it.value, ast.Name)
            and isinstance(module := scope.get(it.value.id), ModuleType)
        ):
            named.append((it.attr, getattr(module, it.attr, None)))
    return tuple(named)


def _page_of(name: str, thing: Any) -> str:
    """The name of the page of what a definition names; empty for what has none."""
    if isinstance(thing, Pattern):
        page = at(thing.name)
        return page.name if page else ""
    if isinstance(thing, np.ndarray) and not name.startswith("_"):
        return next((page.name for page in pages().values() if page.thing is thing), "")
    return thing.name.rpartition(".")[2] if type(thing).__name__ == "Feature" else ""
