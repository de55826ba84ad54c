"""Hiding ``__main__`` from multiprocessing, which has no option to start a process without importing it again."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType

__all__ = ["hidden_main"]


@contextlib.contextmanager
def hidden_main() -> Iterator[None]:
    """Hide ``__main__``, so that a child process does not import it again."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
