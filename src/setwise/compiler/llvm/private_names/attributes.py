"""LLVM's attribute of a function that allows the widest vectors: llvmlite accepts no key="value" attributes."""

from __future__ import annotations

from typing import Any

from setwise.compiler.lanes import LANES

__all__ = ["WIDEST", "use_widest_vectors"]

WIDEST = f'"prefer-vector-width"="{64 * LANES}"'


def use_widest_vectors(function: Any) -> None:
    """Let LLVM use the widest registers in a function."""
    set.add(function.attributes, WIDEST)  # past the check of llvmlite's own ``add``
