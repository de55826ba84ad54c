"""LLVM's attribute of a function that allows the widest vectors: llvmlite accepts no key="value" attributes."""

from __future__ import annotations

from typing import Any

__all__ = ["WIDEST", "use_widest_vectors"]

WIDEST = '"prefer-vector-width"="512"'


def use_widest_vectors(function: Any) -> None:
    """Let LLVM use registers of 512 bits in a function."""
    set.add(function.attributes, WIDEST)  # past the check of llvmlite's own ``add``
