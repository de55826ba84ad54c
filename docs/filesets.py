"""Filesets as pictures: rows of eight squares."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from setwise.bitboard import FILE_NAMES
from setwise.view.diagram import one_line
from setwise.view.svg import COLORS, GREY, SQUARE, paint

__all__ = ["empty_row", "files_svg"]

_EDGE = 2
#: The heights of the name over a row of files, of the row with a gap below it, and of the letters at the end.
_ROW_NAME, _ROW, _LETTERS = 58, 112, 56


def empty_row() -> str:
    """Return the squares of one row, those of the first rank."""
    dark = "".join(f"M{x} 0h100v100h-100z" for x in range(0, 800, 200))
    light = f'<path fill="{COLORS["light"]}" stroke="{GREY}" stroke-width="2" d="M-1 -1 H801 V101 H-1 Z"/>'
    return f'{light}<path fill="{COLORS["dark"]}" d="{dark}"/>'


def files_svg(files: Mapping[str, int], *, size: float = 264, title: str | None = None) -> str:
    """Return filesets as a standalone SVG document: one row of eight squares for each, the file letters below.

    Args:
        files: filesets by name, bit 0 for the a-file; an empty name is not drawn.
        size: the width in pixels; the height follows.
        title: the title of the picture; by default the names of the filesets.
    """
    rows, y = [], 0
    for name, word in files.items():
        if name:
            rows.append(f'<text x="0" y="{y + 40}" font-size="44" fill="{GREY}">{escape(one_line(name))}</text>')
            y += _ROW_NAME
        shapes = "".join(
            f'<path transform="translate({100 * it} 0)" d="{SQUARE}"/>' for it in range(8) if word >> it & 1
        )
        rows.append(f'<g transform="translate(0 {y})">{empty_row()}<g {paint(0)}>{shapes}</g></g>')
        y += _ROW
    names = "".join(f'<text x="{100 * at + 50}" y="{y + 40}">{name}</text>' for at, name in enumerate(FILE_NAMES))
    width, height = 800 + 2 * _EDGE, y + _LETTERS + 2 * _EDGE
    box = f'viewBox="{-_EDGE} {-_EDGE} {width} {height}" width="{size:g}" height="{size * height / width:.6g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" font-family="sans-serif" fill="none">',
            f"<title>{escape(one_line(title or '') or ', '.join(files) or 'files')}</title>",
            f"<desc>{escape(files_in_words(files))}</desc>",
            *rows,
            f'<g fill="{GREY}" font-size="56" text-anchor="middle">{names}</g>',
            "</svg>",
        ]
    )


def files_in_words(files: Mapping[str, int]) -> str:
    """Return filesets in words, for users who cannot see them."""
    sentences = []
    for name, word in files.items():
        letters = [letter for at, letter in enumerate(FILE_NAMES) if word >> at & 1]
        sentences.append(f"{name or 'Marked'}: {' '.join(letters) or 'none'}.")
    return " ".join(sentences)
