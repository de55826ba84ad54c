"""What Numba and LLVM are given: the instructions of operations, the loops of patterns. Only `targets` imports it."""

from __future__ import annotations

from typing import Any

__all__ = ["OPTIONS"]

#: How everything is compiled.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
