"""Squares of a set, counted."""

from __future__ import annotations


def count(squares: set[int]) -> int:
    return len(squares)


def lowest(squares: set[int]) -> int:
    return min(squares, default=64)


def twice(
    a: set[int], b: set[int], c: set[int], d: set[int], e: set[int], f: set[int], g: set[int], h: set[int]
) -> set[int]:
    return {square for square in range(64) if sum(square in one for one in (a, b, c, d, e, f, g, h)) >= 2}
