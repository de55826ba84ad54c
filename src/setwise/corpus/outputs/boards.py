"""Matches as boards in a terminal or on a page of HTML; trees of moves; boards of the nearest positions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Matches, Request, Rows
from setwise.view.diagram import one_line
from setwise.view.svg import Scene, article, changes_of, head, legend, tail

if TYPE_CHECKING:
    import pyarrow as pa

    from setwise.corpus.outputs.summary import MatchSummary
    from setwise.corpus.query.search import BatchResult
    from setwise.position.positions import Positions


# -------------------------------------------------------------------------------------- matches as boards in a terminal


class Boards(Matches):
    """Each match as a board with marked sets, the players, the place, and the move that was played."""

    name = "boards"
    options = frozenset({"columns", "side"})
    is_drawn = True

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The boards of a batch."""
        from setwise.corpus.outputs.summary import summaries

        return map(self._board, summaries(result))

    def _board(self, match: MatchSummary) -> str:
        from setwise.view import draw

        color = self.request.color
        board = draw(
            match.pieces, match.marks, color=color, unicode=color, side=match.side_below(self.request.side),
            last_move=match.last_squares, tints=match.tints,
        )  # fmt: skip
        values = one_line(", ".join(f"{name} = {value}" for name, value in match.values.items()))
        below = (match.caption if match.missed else f"next: {match.following}") + (f"    {values}" if values else "")
        return f"\n{one_line(match.players)}\n{one_line(match.place)}\n\n{board}\n\n{below}\n{match.fen}\n"


# ---------------------------------------------------------------------------------- matches as an HTML page in one file


#: The address of a game on Lichess, as in exports of Lichess.
_LICHESS = re.compile(r"https://lichess\.org/\w{8}(?=\w{0,4}\Z)")


class Html(Matches):
    """A self-contained page, which needs no other files and makes no requests."""

    name, suffix, title, media_type = "html", ".html", "HTML", "text/html; charset=utf-8"
    options = frozenset({"columns", "side"})

    def __init__(self, file: IO[bytes], request: Request) -> None:
        self.count = 0
        super().__init__(file, request)

    def head(self) -> bytes:
        """The page up to the first match."""
        title = self.request.where or "positions"
        return head(title, heading=f"<h1><code>{_text(title)}</code></h1>\n").encode()

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The matches of a batch."""
        from setwise.corpus.outputs.summary import summaries

        return (self._match(result, match) for match in summaries(result))

    def tail(self) -> bytes:
        """The number of matches, and the script that moves the pieces."""
        matches = "1 match" if self.count == 1 else f"{self.count:,} matches"
        return tail(f"<p>{matches}</p>\n").encode()

    def _match(self, result: BatchResult, match: MatchSummary) -> str:
        self.count += 1
        values = "".join(f"<dt>{_text(name)}</dt><dd>{_text(it)}</dd>" for name, it in match.values.items())
        link, where = _link(match)
        scene = Scene(
            one_line(match.players), one_line(match.place), pieces=match.pieces, marks=match.marks,
            last_move=match.last_squares, arrows=match.arrows, side=match.side_below(self.request.side), ply=match.ply,
            **_game(result, match),
        )  # fmt: skip
        below = (
            f'<p class="next">{_text(match.caption)}</p>\n{legend(match.marks)}'
            f"{f'<dl>{values}</dl>' if values else ''}"
            f'<p><code>{_text(match.fen)}</code> <a href="{escape(link)}" rel="noreferrer">{where}</a></p>\n'
        )
        return article(scene, below, name=f"match-{self.count}")


def _text(value: object) -> str:
    """Return a value as HTML text, in one line."""
    return escape(one_line(str(value)))


def _link(match: MatchSummary) -> tuple[str, str]:
    """Return the address of the game if it was played on Lichess, or else of the position on its analysis board."""
    if (game := _LICHESS.match(match.site or "")) is not None:
        return f"{game[0]}{'' if match.white_to_move else '/black'}#{match.ply}", "the game on Lichess"
    return f"https://lichess.org/analysis/{match.fen.replace(' ', '_')}", "analyse on Lichess"


def _line(result: BatchResult, match: MatchSummary) -> Positions:
    """Return the positions of the game, or of the line of variation of a match, from the start of the game."""
    if result.positions.node is not None:
        from setwise.game.games import line_through

        return line_through(result.positions, match.row)
    begin = match.row - match.ply
    first, end = result.games.move_offsets[match.game : match.game + 2]
    return result.positions[begin : begin + int(end) - int(first) + 1]


def _game(result: BatchResult, match: MatchSummary) -> dict[str, Any]:
    """Return the pieces at the start of the game, the squares that each move changes, and the moves."""
    if not result.batch.is_of_games:
        return {"start": match.pieces, "first": match.ply}
    positions = _line(result, match)
    plies = len(positions) - 1
    drawn = positions.piece_strings()
    return {
        "start": drawn[0], "changes": changes_of(drawn), "moves": positions.san().to_pylist()[:plies],
        "number": int(positions.fullmove_number[0]), "white": bool(positions.white_to_move[0]),
    }  # fmt: skip


# ------------------------------------------------------------------- Positions near a given one as boards in a terminal


class NearestBoards(Rows):
    """Each position as a board, nearest first: with players, place, marked differences, and the points for each."""

    name = "boards"
    options = frozenset({"side"})
    is_drawn = True

    def lines(self, table: pa.Table) -> bytes:
        """A board for each row."""
        return "".join(map(self._board, table.to_pylist())).encode()

    def _board(self, row: dict[str, Any]) -> str:
        from setwise.bitboard import Bitboard
        from setwise.position.position import Position
        from setwise.view import draw
        from setwise.view.diagram import next_move, players

        pieces, turn, *_, number = row["fen"].split()
        mover = "white" if turn == "w" else "black"
        color = self.request.color
        board = draw(
            Position(pieces, strict=False), {"differs": Bitboard(row["differing_squares"])}, color=color, unicode=color,
            side=mover if self.request.side == "mover" else self.request.side or "white",
        )  # fmt: skip
        of_game = f"game {row['game']} of {row['source']}" if "game" in row else ""
        above = [players(row["white_name"], row["black_name"])] if "white_name" in row else []
        following = next_move(row.get("san"), number, white=mover == "white")
        points = f"distance {row['distance']}: {row['differences'] if row['distance'] else 'the same pieces'}"
        return "\n".join(
            ["", *map(one_line, [*above, of_game]), "", board, "", points, f"next: {following}", row["fen"], ""]
        )


# ---------------------------------------------------------------------------- trees of moves with bars of their results


#: The width of a bar in letters.
_WIDTH = 24
#: The letters of the three parts of a bar (won by White, drawn, won by Black), and their colours on a terminal.
_LETTERS, _COLORS = "█▒░", ("97", "90", "30;100")
_HEADS = ("move", "games", "", "white", "draw", "black", "rating", "perf.", "last")


def _cells(row: dict[str, Any], games: int) -> list[str]:
    """Return the texts of a row: the move, the games, their share, the share of each result, ratings, the year."""
    decided = row["white"] + row["draw"] + row["black"]
    shares = [f"{100 * row[name] / decided:.0f} %" if decided else "" for name in ("white", "draw", "black")]
    rest = ["" if row[name] is None else str(row[name]) for name in ("rating", "performance", "last_year")]
    return [row["san"], f"{row['games']:,}", f"{100 * row['games'] / games:.0f} %", *shares, *rest]


def _widths(row: dict[str, Any], width: int) -> list[int]:
    """Return the widths of the three parts of a bar, with the sum ``width``; all 0 if no game has a result."""
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


class TreePage(Rows):
    """A page in one file, which makes no requests: a table of the moves, with a bar for the results of each move."""

    name, suffix = "html", ".html"

    def head(self) -> bytes:
        """The page up to the first row."""
        from setwise.corpus.query.move_tree import position_of
        from setwise.view.svg import board_svg, document

        style, title = (
            Path(__file__).with_name("tree.css").read_text("utf-8"),
            self.request.where.strip() or "the start",
        )
        board = board_svg(position_of(self.request.where), size=320)
        heads = "".join(f"<th>{name}</th>" for name in (*_HEADS[:3], "results", *_HEADS[3:]))
        page = f"{document(one_line(title), style)}<h1>{_text(title)}</h1>\n{board}\n<table>\n<tr>{heads}</tr>\n"
        return page.encode()

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
