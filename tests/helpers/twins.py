"""A pattern beside its naive twin: the cases that both are asked, and what the twin says of them."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any, get_type_hints

import numpy as np

from helpers.patterns import random_values
from naive import (
    OTHER_SETS,
    SETS,
    THIRD_SETS,
    Board,
    Files,
    Place,
    board,
    filesets,
    place,
    places,
    squares_of,
    word,
    word_of,
    words,
)
from setwise.compiler import Kind, Pattern

#: How many cases of random sets a twin is asked that looks at one after the other.
ONE_BY_ONE = 3_000


def only(word: int) -> int:
    """The one square of a set."""
    [square] = squares_of(word)
    return square


#: How a twin looks at a value of a pattern: at a set, and at any other number.
OF_SETS: dict[Any, Callable[[int], Any]] = {set[int]: squares_of, set[Place]: places, int: only}
OF_SETS[Place] = lambda word: place(only(word))
OF_NUMBERS: dict[Any, Callable[[int], Any]] = {int: int, bool: bool, Place: place}
#: What the answer of a twin is as a number.
ANSWERS: dict[Any, Callable[[Any], Any]] = {
    set[int]: word_of, set[Place]: word, int: int, bool: bool, Board: words, Files: filesets,
}  # fmt: skip


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
    if not given.keys() & p.kinds.keys() and not any(kind.is_set for kind in kinds):
        everything = itertools.product(*(range(kind.largest + 1) for kind in kinds))
        return [np.array(column, kind.dtype) for column, kind in zip(zip(*everything, strict=True), kinds, strict=True)]
    most = SETS.size if Board in get_type_hints(twin).values() else ONE_BY_ONE
    found = [
        given[name] if name in given else usual(kind, number)[:most]
        for number, (name, kind) in enumerate(p.kinds.items())
    ]
    return [column[: min(map(len, found))] for column in found]


def usual(kind: Kind, number: int) -> np.ndarray:
    """Values for the argument with a number of which nothing else is known."""
    if kind.is_set and number < 3:
        return (SETS, OTHER_SETS, THIRD_SETS)[number]
    return random_values(kind, SETS.size, number)


def answers(p: Pattern, twin: Callable[..., Any], cases: list[np.ndarray]) -> np.ndarray:
    """What the twin says of all cases, as the pattern would put it."""
    hints = get_type_hints(twin)
    answer = ANSWERS[hints.pop("return")]
    if Board in hints.values():
        return answer(twin(*map(board, cases))).astype(p.returns.dtype)
    looks = [
        (OF_SETS if kind.is_set else OF_NUMBERS)[hint]
        for kind, hint in zip(p.kinds.values(), hints.values(), strict=True)
    ]
    rows = zip(*(map(look, column.tolist()) for look, column in zip(looks, cases, strict=True)), strict=True)
    return np.array([answer(twin(*row)) for row in rows], p.returns.dtype)
