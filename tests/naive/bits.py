"""Squares of a set, counted."""

from __future__ import annotations


def count(squares: set[int]) -> int:
    return len(squares)


def lowest(squares: set[int]) -> int:
    return min(squares, default=64)
