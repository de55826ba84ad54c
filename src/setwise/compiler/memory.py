"""Memory as compiled code sees it: room on the stack, borrowed arrays, bytes eight and sixty-four at a time, tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from setwise.compiler.operations import Operation

__all__ = ["LINE", "borrowed", "clear_line", "columns", "embedded", "places_at", "places_in", "scratch", "word_at"]

#: How many bytes make a line: of the cache, and of text that is scanned in one step.
LINE = 64

#: The same array without its owner, so that calls do not count references to it, which can double their time.
borrowed: Any = Operation("memory.borrowed")

#: Eight bytes of a text as a 64-bit word, the first one lowest: ``word_at(text, at)``.
word_at: Any = Operation("memory.word_at")
#: Where a byte occurs in the 64 bytes of a text that begin at an offset, a bit for each: ``places_at(text, at, byte)``.
places_at: Any = Operation("memory.places_at")
#: The same for a line of scratch memory: ``places_in(pointer, byte)``.
places_in: Any = Operation("memory.places_in")
#: Fill a line of scratch memory with zeros: ``clear_line(pointer)``.
clear_line: Any = Operation("memory.clear_line")


def scratch(size: int) -> Any:
    """An operation that returns a pointer to ``size`` items of a type on the stack, aligned to a cache line."""
    return Operation("memory.scratch", size)


def columns(words: Any, room: int) -> tuple[Any, Any, Any]:
    """Columns on the stack for ``room`` named tuples of words: operations that make them, get one tuple, put one.

    ``make()`` returns a pointer to them, ``get(pointer, k)`` the k-th tuple, ``put(pointer, k, tuple)`` writes it. LLVM
    can tell that no two columns overlap, and so loads eight consecutive tuples into the lanes of registers without
    checks at run time; the checks alone took as long as making the children of a position.
    """
    make, get, put = (Operation(f"memory.{verb}_columns", words, room) for verb in ("make", "get", "put"))
    return make, get, put


def embedded(name: str, contents: Callable[[], bytes]) -> Any:
    """An operation that returns an item of a table of 16-bit numbers, which becomes part of the machine code.

    It is built when a function that uses it is compiled.
    """
    return Operation("memory.embedded", name, contents)
