"""The first case in which two answers differ, drawn: so a failure shows the board and not two long numbers."""

from __future__ import annotations

import numpy as np

from setwise.bitboard import Bitboard


def shown(value: np.generic) -> str:
    """A set as a board, a number as a number."""
    return f"\n{Bitboard(int(value))}" if value.dtype == np.uint64 else f" {value}"


def difference(ours: np.ndarray, expected: np.ndarray, *inputs: np.ndarray) -> str:
    """The first case in which two answers differ, with the inputs that led to it; nothing where all agree."""
    ours, expected, *inputs = np.broadcast_arrays(ours, expected, *inputs)
    wrong = np.flatnonzero(ours != expected)
    if not wrong.size:
        return ""
    values = {f"argument {k}": value for k, value in enumerate(inputs, 1)} | {"answer": ours, "expected": expected}
    case = [f"{name}:{shown(value.flat[wrong[0]])}" for name, value in values.items()]
    return f"{wrong.size} of {ours.size} cases differ, first case {wrong[0]}\n" + "\n".join(case)
