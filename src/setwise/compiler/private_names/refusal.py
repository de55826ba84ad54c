"""Refusing calls from Python to functions without a wrapper for Python: Numba would call address 0."""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["refuse_python"]


def refuse_python(dispatcher: Any, name: str) -> None:
    """Make calls of a dispatcher from Python raise ``TypeError``."""
    dispatcher._insert = lambda *_: None  # so a call from Python reaches _compile_for_args
    dispatcher._compile_for_args = functools.partial(_refuse, name)


def _refuse(name: str, *_: Any) -> None:
    raise TypeError(f"{name} is for compiled code: call it from an entry, or its py_func")
