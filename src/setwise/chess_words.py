"""Names of python-chess that setwise does not have, each with a sentence that says what to use instead.

``chess_words.tsv`` has on each line a class of python-chess, or ``chess`` for its modules; names in it, separated by
blanks; and the sentence for these names. ``with_hints`` adds the names to a class, each as an attribute that raises
``AttributeError`` with its sentence. A class with a ``__getattr__`` that reads the table would be slower at every other
attribute, even if that method is never called: 10,000 moves would be played in 7.4 ms instead of 5.5 ms.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

T = TypeVar("T", bound=type)


class _Hint:
    """A name of python-chess; reading it raises an error that says what to use instead."""

    def __init__(self, name: str, way: str) -> None:
        self.name, self.way = name, way

    def __get__(self, thing: object, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}: {self.way}")


def with_hints(kind: str) -> Callable[[T], T]:
    """Return a class decorator that adds the hints for a class of python-chess; ``hasattr`` and ``dir`` hide them.

    Names that the decorated class has keep their meaning.
    """
    ways = _ways()[kind]

    def decorate(cls: T) -> T:
        hints = ways.keys() - vars(cls).keys()

        def names_without_hints(thing: object) -> list[str]:
            return [name for name in object.__dir__(thing) if name not in hints]

        for name in hints:
            setattr(cls, name, _Hint(name, ways[name]))
        setattr(cls, "__dir__", names_without_hints)  # noqa: B010  (mypy refuses to assign to a method)
        return cls

    return decorate


@functools.cache
def _ways() -> dict[str, dict[str, str]]:
    """What to use instead of each name, by the class of python-chess that has the name."""
    ways: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines():
        kind, names, way = line.split("\t")
        ways.setdefault(kind, {}).update(dict.fromkeys(names.split(), way))
    return ways


_SQUARE, _SET, _FAULT = (re.compile(rf"{name}\Z") for name in (r"[A-H][1-8]", r"BB_\w+", r"STATUS_\w+"))


def way_of(name: str) -> str | None:
    """Return what to use instead of a name of python-chess's modules; None if these modules lack the name, too."""
    if _SQUARE.match(name):
        return f"from setwise.squares import {name}"
    if _SET.match(name):
        return "a set of squares is a Bitboard, as in Bitboard('a1 h8'); setwise.bits has FILES and RANKS"
    if _FAULT.match(name):
        return "position.status() returns the faults of a position, flags of setwise.position.position.Status"
    return _ways()["chess"].get(name)


def way_of_any(name: str) -> str | None:
    """Return what to use instead of a name of python-chess's modules or classes; None if these lack the name, too."""
    ways = _ways()
    return next(
        (ways[kind][name] for kind in ("Board", "Move", "SquareSet", "Game") if name in ways[kind]), way_of(name)
    )
