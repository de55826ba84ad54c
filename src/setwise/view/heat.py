"""Sixty-four numbers as a board: where something happens, and how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, SupportsFloat

from setwise.bitboard import SQUARE_NAMES, parse_square
from setwise.view.diagram import one_line, read_board
from setwise.view.svg import GREY, corner, opening, square_names

#: The colours of 0 and of the largest number; the colours between them darken evenly, also for colour-blind users.
_PALE, _FULL = (247, 249, 252), (8, 48, 107)
_IN_WORDS = 5


def square_counts(sets: Any) -> Any:
    """Return for each square how many of the sets contain it: an int64 array of 64 counts, from a1 to h8.

    Args:
        sets: an array of sets, a column of Arrow or Polars, or a list of Bitboards.

    Raises:
        ValueError: for numbers below zero, and for values that are not whole numbers.

    Example:
        >>> counts = view.square_counts([Bitboard("e4 d5"), Bitboard("e4")])
        >>> counts[28], counts.sum()  # 28 is e4
        (np.int64(2), np.int64(3))
    """
    import numpy as np

    words = np.asarray(sets) if hasattr(sets, "__array__") else np.array([*map(_index, sets)], np.uint64)
    if words.dtype.kind not in "iu" or (words < 0).any():
        raise ValueError(f"sets are unsigned numbers of 64 bits without missing values; these are {words.dtype}")
    words = np.ravel(words).astype("<u8")
    counts = np.zeros(64, np.int64)
    for start in range(0, len(words), 1 << 16):
        octets = words[start : start + (1 << 16)].view(np.uint8).reshape(-1, 8)
        counts += np.unpackbits(octets, axis=1, bitorder="little").sum(0, np.int64)
    return counts


def _index(number: Any) -> int:
    if not hasattr(number, "__index__") or not 0 <= index(number) < 1 << 64:
        raise ValueError(f"sets are unsigned numbers of 64 bits, not {number!r:.40}")
    return index(number)


def heatmap(
    counts: Sequence[SupportsFloat] | Mapping[str, SupportsFloat] | Mapping[int, SupportsFloat],
    *,
    size: float = 360,
    coordinates: bool = True,
    title: str | None = None,
    side: str = "white",
) -> str:
    """Return a board as a standalone SVG document: each square shows its number, and is darker for a larger number.

    Args:
        counts: 64 numbers from a1 to h8, none below zero, as ``square_counts`` gives them; or a mapping of squares.
        size: the width in pixels; the height follows.
        coordinates: rank numbers at the left and file letters below.
        title: the title of the picture.
        side: whose side is below, ``"white"`` or ``"black"``.

    Raises:
        ValueError: if there are not 64 numbers, a number is negative, infinite or NaN, the side is neither White nor
            Black, or the size is not positive.

    Example:
        >>> where = view.square_counts(knight.attacks(np.array([1 << square for square in range(64)], np.uint64)))
        >>> picture = view.heatmap(where, title="from how many squares a knight comes")
        >>> print(picture.splitlines()[2])
        <desc>Most on c3 8, d3 8, e3 8, f3 8, c4 8.</desc>
    """
    numbers = _numbers(counts)
    board = read_board(None, None, side=side)
    most = max(numbers)
    top = sorted((square for square in range(64) if numbers[square]), key=lambda square: (-numbers[square], square))
    words = ", ".join(f"{SQUARE_NAMES[square]} {_short(numbers[square])}" for square in top[:_IN_WORDS])
    words = f"Most on {words}." if words else "Nothing anywhere."
    heading = one_line(title or "") or "heat map"
    lines, _ = opening(size, heading, words, 'text-anchor="middle"', coordinates=coordinates)
    lines.append(f'<path fill="none" stroke="{GREY}" stroke-width="2" d="M-1 -1 H801 V801 H-1 Z"/>')
    for square, number in enumerate(numbers):
        share = number / most if most else 0.0
        color = "#" + "".join(
            f"{round(pale + (full - pale) * share):02x}" for pale, full in zip(_PALE, _FULL, strict=True)
        )
        x, y = corner(square, turned=board.turned)
        lines.append(f'<path fill="{color}" d="M{x} {y}h99v99h-99z"/>')
        if number:
            ink = "#ffffff" if share > 0.5 else "#111111"
            lines.append(f'<text x="{x + 50}" y="{y + 60}" font-size="28" fill="{ink}">{_short(number)}</text>')
    if coordinates:
        lines.append(square_names(turned=board.turned))
    return "\n".join([*lines, "</svg>"])


def _numbers(counts: Any) -> list[float]:
    if isinstance(counts, Mapping):
        placed = {parse_square(at) if isinstance(at, str) else int(at): number for at, number in counts.items()}
        if outside := [at for at in placed if not 0 <= at < len(SQUARE_NAMES)]:
            raise ValueError(f"squares are numbered from 0 to 63, not {outside[0]}")
        counts = [placed.get(square, 0) for square in range(64)]
    numbers = [float(it) for it in (counts.ravel() if hasattr(counts, "ravel") else counts)]
    if len(numbers) != len(SQUARE_NAMES):
        raise ValueError(f"a board has 64 numbers, a1 b1 … h8; here are {len(numbers)}")
    for name, number in zip(SQUARE_NAMES, numbers, strict=True):
        if not 0 <= number < float("inf"):
            raise ValueError(f"a number on a heat map is not below zero; {name} has {number:g}")
    return numbers


def _short(number: float) -> str:
    """A number in at most five characters: 12, 0.25, 1.2k, 3.4M."""
    for unit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * unit:
            return f"{number / unit:.3g}{sign}"
    return f"{number:.3g}"
