"""Keys by numbers of Python, without a bound of 64 bits but for the mask."""

from __future__ import annotations

from naive import ALL


def number(piece: int, square: int) -> int:
    """The number of SplitMix64 at the place of a piece on a square."""
    if piece == 0:
        return 0
    word = (64 * piece + square + 1) * 0x9E3779B97F4A7C15 & ALL
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & ALL
    word = (word ^ word >> 27) * 0x94D049BB133111EB & ALL
    return word ^ word >> 31


def toggled(key: int, piece: int, square: int) -> int:
    return key ^ number(piece, square)


def after_move(key: int, piece: int, start: int, placed: int, target: int, captured: int, captured_on: int) -> int:
    """What was on the board goes, what is on it now comes, and White's turn begins or ends."""
    before = [(piece, start), (captured, captured_on)]
    after = [(placed, target), (8, 0)]
    for it in before + after:
        key = toggled(key, *it)
    return key
