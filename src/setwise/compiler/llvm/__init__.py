"""The input of Numba and LLVM: the instructions of operations, the loops of patterns. Only `targets` imports this."""

from __future__ import annotations

from typing import Any

__all__ = ["OPTIONS"]

#: The options with which everything is compiled.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
