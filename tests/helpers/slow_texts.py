"""Texts made to be slow: what a PGN reader looks for, over and over, and never what ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from helpers.depth import depth

PIECES = (
    b"(", b")", b"{", b"}", b"[", b"]", b'"', b"\n", b"\r", b"*", b"%", b";", b"$", b" ", b"\\", b"-", b"0", b"1",
    b"a", b"N", b"\0", b'[Event "', b'\n[Event "', b'\n\n[A "', b"[A", b"[A ", b"\n[A", b'[A"', b"\n%", b"\n\r",
    b"\n {", b"(\n", b"({", b"{}", b"()", b"$1", b"1.", b"0-0 ", b"e4 ", b"1-0 ", b"* ", b' " ', b'"]', b" \r",
    b"[a\r", b'[FEN "8/8/8',
)  # fmt: skip


def repeated(piece: bytes, size: int, *, before: bytes = b"", after: bytes = b"") -> bytes:
    """A piece over and over, to about a size in bytes."""
    return before + piece * (size // len(piece)) + after


#: By name, each a function of the size in bytes.
SLOW_TEXTS: dict[str, Callable[[int], bytes]] = {
    **{repr(piece): lambda size, piece=piece: repeated(piece, size) for piece in PIECES},
    "a tag and brackets": lambda size: repeated(b'" ', size, before=b'[A "'),
    "a tag, a quote and blanks": lambda size: repeated(b" ", size, before=b'[A "b"]'),
    "a game and brackets": lambda size: repeated(b"[A ", size, before=b"1. e4 "),
    "a game and blanks before brackets": lambda size: repeated(b" " * 1000 + b"[A", size, before=b"1. e4 "),
    "carriage returns between lines": lambda size: repeated(b"\r", size, before=b"{\n", after=b"\n[A"),
    "comments that are open": lambda size: repeated(b"{ x\n", size, before=b"1. e4 "),
    "variations in games": lambda size: b'\n[Event "a"]\n'.join([repeated(b"(", size // 2)] * 2),
    "one long letter": lambda size: repeated(b"A", size, before=b"["),
    "names that repeat": lambda size: repeated(b"[" + b"A" * 1000 + b' "x"]\n', size),
    "illegal moves": lambda size: repeated(b"Ke7 ", size, before=b"1. e4 "),
    "broken games": lambda size: repeated(b'[Event "a"]\n\n1. e4 {', size),
}


def some_of(names: Iterable[str], first: int) -> list[Any]:
    """Parameters of a test: every third text before a change lands, half of these by day, and all by night.

    Three readers begin at three places, so that each text is read by one of them.
    """
    chosen = [*names][depth(first, 0) :: depth(3, 1)]
    return [pytest.param(it, marks=[pytest.mark.slow] * (at % 2)) for at, it in enumerate(chosen)]
