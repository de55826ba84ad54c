"""The questions and searches that a request can name, and the check of its arguments.

A request never names a function, a file or an attribute of the program. Questions and searches have names from fixed
lists. A request fills only the keyword-only arguments of their functions, each with a value of the right type. It names
an uploaded file by the key that the workbench issued, a source by its number, and a file to download by its suffix.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from setwise.errors import QueryError, did_you_mean

__all__ = ["QUESTIONS", "SEARCHES", "NonNegative", "checked_arguments"]

#: The questions about one position and about the sources, and the searches.
QUESTIONS = (
    "hello", "catalogue", "page", "board", "play", "start960", "steps", "desk", "condition", "understand", "like",
    "games", "players", "scores", "questions",
)  # fmt: skip
SEARCHES = ("find", "sql", "game", "games", "tree")

#: The type of an argument that counts something.
NonNegative = Annotated[int, "0 or more"]

_KINDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", lambda value: isinstance(value, str) and _is_unicode(value)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    NonNegative: ("a whole number, 0 or more", lambda value: _KINDS[int][1](value) and value >= 0),
    dict[str, str]: (
        "an object of texts",
        lambda value: isinstance(value, dict) and all(map(_KINDS[str][1], [*value, *value.values()])),
    ),
    Sequence[str]: ("a list of texts", lambda value: isinstance(value, list) and all(map(_KINDS[str][1], value))),
}


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


@functools.cache
def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    return {it.name: it for it in parameters if it.kind is inspect.Parameter.KEYWORD_ONLY}


def checked_arguments(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a request, after checking that the function accepts all of them.

    Args:
        function: the function that answers; a request can fill its keyword-only parameters.
        arguments: the values in the request, by name.

    Raises:
        QueryError: for an argument that is unknown, missing, or of another type.

    Example:
        >>> def board(sources: list, *, fen: str, turned: bool = False): ...
        >>> checked_arguments(board, {"fen": "", "turned": True})
        {'fen': '', 'turned': True}
        >>> checked_arguments(board, {"fen": "", "sources": ["/etc/passwd"]})
        Traceback (most recent call last):
        setwise.errors.QueryError: there is no argument sources; the arguments are: fen turned
    """
    parameters = _parameters(function)
    for name, value in arguments.items():
        if name not in parameters:
            near = did_you_mean(name[:60], parameters)
            raise QueryError(
                f"there is no argument {name:.40}; the arguments are: {' '.join(parameters) or 'none'}{near}"
            )
        kind, is_valid = _KINDS[parameters[name].annotation]
        if not is_valid(value):
            raise QueryError(f"{name} is {kind}, not {value!r:.40}")
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in arguments:
            raise QueryError(f"{name} is missing, {_KINDS[parameter.annotation][0]}")
    return arguments
