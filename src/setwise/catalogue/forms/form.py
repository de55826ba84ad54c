"""What another form is, and where all of them are listed."""

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
        """What it does, as it is written."""
        return body(self.function)


#: The forms of each page by its name.
FORMS: dict[str, list[Form]] = {}


def form(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as another form of what has a name; the first sentence of its docstring is its title."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        FORMS.setdefault(name, []).append(Form((function.__doc__ or "").rstrip("."), function))
        return function

    return mark
