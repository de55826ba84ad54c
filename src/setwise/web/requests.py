"""What a request may bring, and the rule for it.

What comes from a browser is never a name of ours. Questions and searches are asked by names from fixed lists; of their
functions a request fills the arguments behind the star and no others, each with a value of its kind; a file is named by
the key that the workbench gave it, a source by its number, and a file to write by one of the ends below.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from setwise.errors import QueryError, did_you_mean

__all__ = ["QUESTIONS", "SEARCHES", "SUFFIXES", "HowMany", "taken"]

#: What a page may ask of one position, and of the sources.
QUESTIONS = ("hello", "catalogue", "page", "board", "play", "start960", "steps", "desk")
SEARCHES = ("find", "sql", "game")
#: The ends of the names of files that are written, and what browsers call such files.
SUFFIXES = {
    ".pgn": "application/vnd.chess-pgn", ".csv": "text/csv; charset=utf-8", ".parquet": "application/octet-stream",
    ".html": "text/html; charset=utf-8",
}  # fmt: skip

#: The kind of an argument that counts something.
HowMany = Annotated[int, "0 or more"]

_KINDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", lambda value: isinstance(value, str) and _is_unicode(value)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    HowMany: ("a whole number, 0 or more", lambda value: _KINDS[int][1](value) and value >= 0),
    Sequence[str]: ("a list of texts", lambda value: isinstance(value, list) and all(map(_KINDS[str][1], value))),
}


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


@functools.cache
def _arguments(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    found = inspect.signature(function, eval_str=True).parameters.values()
    return {it.name: it for it in found if it.kind is inspect.Parameter.KEYWORD_ONLY}


def taken(function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return what a request gives, if the function takes all of it.

    Args:
        function: what is asked; a request fills its keyword-only arguments.
        given: what the request gives them.

    Raises:
        QueryError: for an argument that is unknown, missing, or of another kind.

    Example:
        >>> def board(sources: list, *, fen: str, turned: bool = False): ...
        >>> taken(board, {"fen": "", "turned": True})
        {'fen': '', 'turned': True}
        >>> taken(board, {"fen": "", "sources": ["/etc/passwd"]})
        Traceback (most recent call last):
        setwise.errors.QueryError: nothing is asked by the name sources, but by fen turned
    """
    arguments = _arguments(function)
    for name, value in given.items():
        if name not in arguments:
            near = did_you_mean(name[:60], arguments)
            raise QueryError(f"nothing is asked by the name {name:.40}, but by {' '.join(arguments) or 'none'}{near}")
        told, holds = _KINDS[arguments[name].annotation]
        if not holds(value):
            raise QueryError(f"{name} is {told}, not {value!r:.40}")
    for name, argument in arguments.items():
        if argument.default is argument.empty and name not in given:
            raise QueryError(f"{name} is missing, {_KINDS[argument.annotation][0]}")
    return given
