"""A pattern beside its naive twin: the cases that both are asked, and what the twin says of them."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any, get_type_hints

import numpy as np

import naive
from helpers.patterns import random_values
from setwise.compiler import Kind, Pattern

#: How many cases of random sets a twin is asked that looks at one after the other.
ONE_BY_ONE = 3_000


def only(word: int) -> int:
    """The one square of a set."""
    [square] = naive.squares_of(word)
    return square


#: How a twin looks at a value of a pattern: at a set, and at any other number.
OF_SETS: dict[Any, Callable[[int], Any]] = {
    int: only,
    naive.Place: lambda word: naive.place(only(word)),
    set[int]: naive.squares_of,
    set[naive.Place]: naive.places,
}
OF_NUMBERS: dict[Any, Callable[[int], Any]] = {int: int, bool: bool, naive.Place: naive.place}
#: What the answer of a twin is as a number.
ANSWERS: dict[Any, Callable[[Any], Any]] = {
    int: int,
    bool: bool,
    set[int]: naive.word_of,
    set[naive.Place]: naive.word,
    naive.Board: naive.words,
}


def twins_of(topic: str) -> ModuleType | None:
    """The module of a topic's twins."""
    name = f"naive.{topic}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def twin_of(p: Pattern) -> Callable[..., Any] | None:
    topic, _, name = p.name.partition(".")
    twins = twins_of(topic)
    return getattr(twins, "TWINS", {}).get(name) or getattr(twins, name, None)


def columns(p: Pattern, twin: Callable[..., Any]) -> list[np.ndarray]:
    """The cases, a column for each argument: what the twins' module has for it, else all values or random ones."""
    given = getattr(twins_of(p.name.partition(".")[0]), "COLUMNS", {})
    kinds = list(p.kinds.values())
    if not given.keys() & p.kinds.keys() and all(kind.dtype != np.uint64 for kind in kinds):
        everything = itertools.product(*(range(kind.largest + 1) for kind in kinds))
        return [np.array(column, kind.dtype) for column, kind in zip(zip(*everything, strict=True), kinds, strict=True)]
    most = naive.SETS.size if naive.Board in get_type_hints(twin).values() else ONE_BY_ONE
    found = [
        given[name] if name in given else usual(kind, number)[:most]
        for number, (name, kind) in enumerate(p.kinds.items())
    ]
    return [column[: min(map(len, found))] for column in found]


def usual(kind: Kind, number: int) -> np.ndarray:
    """Values for the argument with a number of which nothing else is known."""
    if kind.is_set and number < 3:
        return (naive.SETS, naive.OTHER_SETS, naive.THIRD_SETS)[number]
    return random_values(kind, naive.SETS.size, number)


def answers(p: Pattern, twin: Callable[..., Any], cases: list[np.ndarray]) -> np.ndarray:
    """What the twin says of all cases, as the pattern would put it."""
    hints = get_type_hints(twin)
    answer = ANSWERS[hints.pop("return")]
    if naive.Board in hints.values():
        return answer(twin(*map(naive.board, cases))).astype(p.returns.dtype)
    looks = [
        (OF_SETS if kind.is_set else OF_NUMBERS)[hint]
        for kind, hint in zip(p.kinds.values(), hints.values(), strict=True)
    ]
    rows = zip(*(map(look, column.tolist()) for look, column in zip(looks, cases, strict=True)), strict=True)
    return np.array([answer(twin(*row)) for row in rows], p.returns.dtype)
