"""Trees of moves with bars of their results: as text for a terminal, and as an HTML page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Rows
from setwise.view.diagram import one_line

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TreeBars", "TreePage"]

#: The width of a bar in letters.
_WIDTH = 24
#: The letters of White's, drawn and Black's part, and the colours of the three parts on a terminal.
_LETTERS, _COLORS = "█▒░", ("97", "90", "30;100")
_HEADS = ("move", "games", "", "white", "draw", "black", "rating", "perf.", "last")


def _cells(row: dict[str, Any], games: int) -> list[str]:
    """The texts of a row: the move, the games, their share, the share of each result, ratings, the year."""
    decided = row["white"] + row["draw"] + row["black"]
    shares = [f"{100 * row[name] / decided:.0f} %" if decided else "" for name in ("white", "draw", "black")]
    rest = ["" if row[name] is None else str(row[name]) for name in ("rating", "performance", "last_year")]
    return [row["san"], f"{row['games']:,}", f"{100 * row['games'] / games:.0f} %", *shares, *rest]


def _widths(row: dict[str, Any], width: int) -> list[int]:
    """The widths of the three parts of a bar, which together are ``width``; all 0 if no game has a result."""
    decided = row["white"] + row["draw"] + row["black"]
    if not decided:
        return [0, 0, 0]
    white = round(width * row["white"] / decided)
    drawn = round(width * (row["white"] + row["draw"]) / decided)
    return [white, drawn - white, width - drawn]


class TreeBars(Rows):
    """An aligned table with a bar for the results of each move."""

    name = "bars"
    is_drawn = True

    def lines(self, table: pa.Table) -> bytes:
        """A line for each move, under the names of the columns."""
        rows = table.to_pylist()
        games = sum(row["games"] for row in rows) or 1
        texts = [list(_HEADS), *(_cells(row, games) for row in rows)]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        bars = [" " * _WIDTH, *map(self._bar, rows)]
        return "".join(self._line(cells, widths, bar) for cells, bar in zip(texts, bars, strict=True)).encode()

    @staticmethod
    def _line(cells: list[str], widths: list[int], bar: str) -> str:
        move, *others = cells
        placed = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        return "  ".join([move.ljust(widths[0]), *placed[:2], bar, *placed[2:]]).rstrip() + "\n"

    def _bar(self, row: dict[str, Any]) -> str:
        widths = _widths(row, _WIDTH)
        if not any(widths):
            return " " * _WIDTH
        if not self.request.color:
            return "".join(letter * width for letter, width in zip(_LETTERS, widths, strict=True))
        parts = zip(_COLORS, _LETTERS, widths, strict=True)
        return "".join(f"\x1b[{color}m{letter * width}\x1b[0m" for color, letter, width in parts if width)


_STYLE = """body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
table { border-collapse: collapse; width: 100% }
th, td { padding: .25em .6em; text-align: right } th:first-child, td:first-child { text-align: left }
tr:nth-child(even) td { background: #8881 } td.bar { width: 40% }
.bar div { display: flex; height: 1.1em; border: 1px solid #888 }
.bar i { background: #fff } .bar b { background: #999 } .bar u { background: #222 }
"""


class TreePage(Rows):
    """A page in one file: the moves in a table, with a bar for the results of each. It makes no requests."""

    name = "html"
    suffix = ".html"

    def head(self) -> bytes:
        """The page up to the first row."""
        from setwise.corpus.query.move_tree import position_of
        from setwise.view import board_svg

        position = position_of(self.request.where)
        title = escape(one_line(self.request.where.strip() or "the start"))
        heads = "".join(f"<th>{name}</th>" for name in (*_HEADS[:3], "results", *_HEADS[3:]))
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            f"<title>{title}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
            f"{board_svg(position, size=320)}\n<table>\n<tr>{heads}</tr>\n"
        ).encode()

    def lines(self, table: pa.Table) -> bytes:
        """A row of the table for each move."""
        rows = table.to_pylist()
        games = sum(row["games"] for row in rows) or 1
        return "".join(self._line(row, games) for row in rows).encode()

    def tail(self) -> bytes:
        """The end of the page."""
        return b"</table>\n</body>\n</html>\n"

    @staticmethod
    def _line(row: dict[str, Any], games: int) -> str:
        cells = [f"<td>{escape(cell)}</td>" for cell in _cells(row, games)]
        widths = _widths(row, 100)
        parts = "".join(f'<{tag} style="width:{width}%"></{tag}>' for tag, width in zip("ibu", widths, strict=True))
        words = f"White {widths[0]} %, draw {widths[1]} %, Black {widths[2]} %"
        bar = f'<td class="bar"><div title="{words}">{parts}</div></td>' if any(widths) else "<td></td>"
        return f"<tr>{''.join(cells[:3])}{bar}{''.join(cells[3:])}</tr>\n"
