"""Sheets of exercises: a page to print on A4 or Letter, six boards on a page, the solutions last."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from setwise.exercises.exercise import Exercise
from setwise.view.diagram import one_line
from setwise.view.sprite import sprite
from setwise.view.viewer import Scene, board

__all__ = ["sheet"]

#: The rows of boards on a page.
_ROWS = 3

_STYLE = """
@page { margin: 12mm; }
:root { color-scheme: light; font: 11pt/1.3 system-ui, sans-serif; }
body { background: #fff; color: #000; margin: 1rem auto; max-width: 186mm; padding: 0 1rem; }
h1 { font-size: 14pt; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 11pt; }
.page { display: grid; gap: 0 8mm; }
article { break-inside: avoid; }
article p { margin: 0; }
article svg { display: block; margin: 0 auto; width: 100%; }
.answer { border-bottom: .3mm solid #777; height: 7mm; }
.solutions { columns: 2; column-gap: 8mm; font-size: 9pt; list-style: none; padding: 0; }
.solutions li { break-inside: avoid; margin: 0 0 1.5mm; overflow-wrap: anywhere; }
@media screen { .last { display: none; } article { margin-bottom: 2rem; } details { margin-top: .5rem; } }
@media print {
  body { margin: 0; max-width: none; padding: 0; }
  details { display: none; }
  .page { break-after: page; }
  a { color: inherit; text-decoration: none; }
}
"""
#: The width of a board and the height of its row in print, by the number of boards beside each other.
_WIDTHS = {2: ("66mm", "81mm"), 3: ("55mm", "72mm")}


def sheet(exercises: Sequence[Exercise], title: str = "Exercises", columns: int = 2) -> str:
    """Return a page of exercises, which makes no requests and has no script.

    Args:
        exercises: the exercises, numbered from 1.
        title: the heading.
        columns: how many boards stand beside each other, 2 or 3; a printed page has three rows of them.

    Raises:
        ValueError: for another number of columns.
    """
    if columns not in _WIDTHS:
        raise ValueError(f"a sheet has 2 or 3 columns, not {columns}")
    width, height = _WIDTHS[columns]
    many = columns * _ROWS
    style = (
        f"{_STYLE}.page {{ grid-template-columns: repeat({columns}, 1fr); }}\n"
        f"@media print {{ article {{ height: {height}; }} article > svg {{ width: {width}; }} }}\n"
    )
    title = escape(one_line(title))
    articles = [_article(it, number) for number, it in enumerate(exercises, 1)]
    pages = "".join(
        f'<section class="page">\n{"".join(articles[first : first + many])}</section>\n'
        for first in range(0, len(exercises), many)
    )
    solutions = "".join(f"<li><b>{number})</b> {_solution(it)}</li>\n" for number, it in enumerate(exercises, 1))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{sprite()}\n"
        f'<main>\n{pages}</main>\n<section class="last">\n<h2>Solutions</h2>\n'
        f'<ol class="solutions">\n{solutions}</ol>\n</section>\n</body>\n</html>\n'
    )


def _article(exercise: Exercise, number: int) -> str:
    pieces = exercise.position.piece_string()
    scene = Scene("", "", pieces, side=exercise.side)
    return (
        f"<article><p><b>{number})</b> {exercise.side.title()} to move</p>\n{board(scene)}\n"
        f'<div class="answer"></div><details><summary>Solution</summary><p>{_solution(exercise)}</p>'
        f"{board(scene._replace(arrows=exercise.arrows))}</details></article>\n"
    )


def _solution(exercise: Exercise) -> str:
    """The solution, what was played, and the game, as HTML."""
    motif = f" ({escape(exercise.motif)})" if exercise.motif else ""
    verdict = f" {escape(exercise.verdict)}" if exercise.verdict else ""
    game = escape(one_line(f"{exercise.players}, {exercise.place}"))
    return (
        f'<b>{escape(exercise.line)}</b>{motif}.{verdict} <a href="{escape(exercise.link)}" rel="noreferrer">{game}</a>'
    )
