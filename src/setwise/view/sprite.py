"""Definitions that all boards on one page share: the squares, the pieces, the marks, the names of files."""

from __future__ import annotations

from setwise.bitboard import FILE_NAMES, RANK_NAMES
from setwise.view.shapes import GREY, MARKS, empty_board, paint, piece

__all__ = ["sprite"]

_PIECES = "PNBRQKpnbrqk"


def sprite() -> str:
    """Return an SVG that shows nothing and defines ``board``, ``names-white``, ``piece-K``, ``mark-0`` and so on.

    Boards on the same page use them by their names, each square being 100 units wide.

    Example:
        >>> from setwise.view.sprite import sprite
        >>> '<g id="piece-q">' in sprite()
        True
    """
    pieces = (f'<g id="piece-{letter}">{piece(letter)}</g>' for letter in _PIECES)
    marks = (f'<g id="mark-{number}" {paint(number)}><path d="{it[2]}"/></g>' for number, it in enumerate(MARKS))
    names = map(_names, ("white", "black"))
    defs = "\n".join([f'<g id="board">{empty_board()}</g>', *names, *pieces, *marks])
    return f'<svg width="0" height="0" aria-hidden="true" fill="none"><defs>\n{defs}\n</defs></svg>'


def _names(side: str) -> str:
    """The names of files and ranks around a board with this side below."""
    files = FILE_NAMES if side == "white" else FILE_NAMES[::-1]
    ranks = RANK_NAMES[::-1] if side == "white" else RANK_NAMES
    texts = [f'<text x="{100 * at + 50}" y="836">{name}</text>' for at, name in enumerate(files)]
    texts += [f'<text x="-22" y="{100 * at + 61}">{name}</text>' for at, name in enumerate(ranks)]
    return (
        f'<g id="names-{side}" fill="{GREY}" font-size="32" font-family="sans-serif" text-anchor="middle">'
        f"{''.join(texts)}</g>"
    )
