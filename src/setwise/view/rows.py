"""Tables and rows of boards as HTML, as notebooks show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["beside", "count", "table"]


def table(names: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """Return a table: numbers at the right, empty cells for None, line breaks as blanks."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f'<table><caption style="caption-side:bottom;text-align:left">{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td style="text-align:right">{value:,}</td>' if isinstance(value, int) else f"<td>{value:.6g}</td>"
    return f'<td style="text-align:left">{"" if value is None else escape(" ".join(str(value).split()))}</td>'


def beside(pictures: Iterable[tuple[str, str]]) -> str:
    """Return pictures side by side, each with a line below it."""
    figures = (
        f'<figure style="margin:0;max-width:240px">{svg}<figcaption>{escape(words)}</figcaption></figure>'
        for svg, words in pictures
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em">{"".join(figures)}</div>'


def count(number: int, thing: str) -> str:
    """Return ``1 game``, ``1,234 games``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
