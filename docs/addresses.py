"""Addresses of positions, sets and examples in the workbench, to which the boards of the documentation lead."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from setwise.bitboard import Bitboard
from setwise.catalogue.examples import Drawing
from setwise.catalogue.pages import Page
from setwise.catalogue.questions import PORT
from setwise.compiler import Kind

__all__ = ["COLUMNS", "board_address", "fen_address", "set_address"]

#: The columns that fill the arguments of a whole position; own pieces are White's.
COLUMNS = {"own": "white_pieces", "enemy": "black_pieces"} | {
    f"{piece}s": f"white_{piece}s | black_{piece}s" for piece in ("pawn", "knight", "bishop", "rook", "queen")
} | {"kings": "white_king | black_king"}  # fmt: skip


def fen_address(fen: str) -> str:
    """Return the address of a position in the workbench."""
    return _workbench("board", [("fen", fen)])


def set_address(squares: Bitboard) -> str:
    """Return the address of a set in the workbench."""
    return _workbench("bitboards", [("x", _text("set of squares", squares))])


def board_address(page: Page, drawing: Drawing) -> str | None:
    """Return the address of an example in the workbench; None for a drawing that shows neither a call nor a feature.

    A feature is shown as its columns, a call as an expression of conditions, and a fileset as all squares of its files.

    Args:
        page: the page of the pattern or feature.
        drawing: the drawing of the example.
    """
    if drawing.position is not None:
        on = list(drawing.marks) or list(page.columns)
        shown = [("fen", drawing.position.fen()), *(("on", column) for column in on), ("about", on[0])]
    elif drawing.arguments:
        call = call_text(page, drawing.arguments)
        shown = [("fen", _fen(drawing.pieces or {})), ("on", call), ("about", page.name)]
    else:
        return None
    return _workbench("board", shown)


def call_text(page: Page, values: tuple[Any, ...]) -> str:
    """Return a call of a pattern as an expression of conditions."""
    kinds: dict[str, Kind] = page.thing.kinds
    padded = [*values, *[0] * (len(kinds) - len(values))]  # sets left out are empty
    whole = kinds.keys() >= COLUMNS.keys()
    texts = [
        COLUMNS[name] if whole and name in COLUMNS else _text(kind.name, value)
        for (name, kind), value in zip(kinds.items(), padded, strict=True)
    ]
    call = f"{page.name}({', '.join(texts)})"
    return f"islands.files({call})" if page.thing.returns.name == "fileset" else call


def _text(kind: str, value: Any) -> str:
    if kind == "set of squares":
        return f"squares('{' '.join(Bitboard(value).names())}')"
    return str(bool(value)).lower() if kind == "flag" else str(int(value))


def _fen(pieces: dict[int, str]) -> str:
    """The placement of some pieces as FEN, White to move."""
    ranks = []
    for rank in range(7, -1, -1):
        text = "".join(pieces.get(8 * rank + file, ".") for file in range(8))
        for empty in range(8, 0, -1):
            text = text.replace("." * empty, str(empty))
        ranks.append(text)
    return f"{'/'.join(ranks)} w - - 0 1"


def _workbench(view: str, shown: list[tuple[str, str]]) -> str:
    return f"http://localhost:{PORT}/{view}?{urlencode(shown)}"
