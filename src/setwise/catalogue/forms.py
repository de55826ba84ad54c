"""Other ways to write patterns, which ``forms.toml`` lists: they are shown on pages, and tests compare them."""

from __future__ import annotations

import functools
import importlib
import inspect
import textwrap
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import bitreverse, popcount, trailing_zeros
from setwise.patterns import bits, fills, islands, king, knight, sliders
from setwise.patterns.compass import steps, symmetries

__all__ = ["FORMS", "Form"]


class Form(NamedTuple):
    """Another way to write a pattern: what is different about it, its arguments, and the body of a function of them."""

    title: str
    arguments: tuple[str, ...]
    source: str

    @property
    def definition(self) -> str:
        """The source of the function."""
        return f"def form({', '.join(self.arguments)}):\n{textwrap.indent(self.source, '    ')}\n"

    @property
    def function(self) -> Callable[..., Any]:
        """The function."""
        return _function(self.definition)


#: The names that forms use beside their arguments.
_NAMES: dict[str, Any] = {
    **vars(bits), **vars(fills), **vars(steps), **vars(symmetries), **vars(islands), **vars(sliders),
    "np": np, "bitreverse": bitreverse, "popcount": popcount, "trailing_zeros": trailing_zeros,
    "king": king, "knight": knight, "king_attacks": king.attacks, "knight_attacks": knight.attacks,
    "_RANKS_1357": np.uint64(0x00FF_00FF_00FF_00FF), "_RANKS_1256": np.uint64(0x0000_FFFF_0000_FFFF),
    "_FILES_ACEG": np.uint64(0x5555_5555_5555_5555), "_FILES_ABEF": np.uint64(0x3333_3333_3333_3333),
    "_FILES_ABCD": np.uint64(0x0F0F_0F0F_0F0F_0F0F),
}  # fmt: skip


@functools.cache
def _function(definition: str) -> Callable[..., Any]:
    scope = dict(_NAMES)
    exec(definition, scope)  # noqa: S102  (the package's own definitions)
    return scope["form"]


def _forms(name: str, listed: list[dict[str, str]]) -> list[Form]:
    topic, _, pattern = name.rpartition(".")
    thing = getattr(importlib.import_module(f"setwise.patterns.{topic}"), pattern)
    arguments = tuple(inspect.signature(thing).parameters)
    return [Form(form["title"], arguments, form["source"].strip("\n")) for form in listed]


#: The forms of each page by its name.
FORMS: dict[str, list[Form]] = {
    name: _forms(name, listed)
    for name, listed in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
