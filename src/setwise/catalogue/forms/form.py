"""The class of other forms of patterns, and their registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from setwise.catalogue.docstrings import body

__all__ = ["FORMS", "Form", "form"]


class Form(NamedTuple):
    """Another way to write a pattern: what is different about it, and the function."""

    title: str
    function: Callable[..., Any]

    @property
    def source(self) -> str:
        """The source of its body."""
        return body(self.function)


#: The forms of each page by its name.
FORMS: dict[str, list[Form]] = {}


def form(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as another form of a page; the first sentence of its docstring is its title."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        FORMS.setdefault(name, []).append(Form((function.__doc__ or "").rstrip("."), function))
        return function

    return mark
