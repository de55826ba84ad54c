"""The text that the six features of forks that win have in common: one for each kind of piece."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

from setwise.features.registry import Feature, feature

__all__ = ["winning_fork"]

_TEXT = """Return the squares to which {the_piece} of this side goes next and forks{worth}.

{forks} The move wins {wins} than any move of another piece, and no less than another of its own; or it leaves this
side four pawns ahead and no other move wins more.

Example:
    >>> position = setwise.Position("{fen}")
    >>> position.feature("white_{name}")
    Bitboard('{squares}')

Why:
    Squares that attack two enemy pieces are computed for the whole board at once, outwards from the pieces; few
    positions have one that {the_piece} reaches. There the move is played: {conditions}. All replies are searched, the
    moves after them and the replies to these, and the other pieces' moves are searched for more.

Traps:
    {traps}The feature is computed as if it were this side's turn; it is empty while the enemy stands in check, and
    unless each side has one king.

Source:
    Chess Programming Wiki, "{source}".
"""


def winning_fork(
    the_piece: str,
    fen: str,
    squares: str,
    source: str,
    *,
    among: Callable[..., Any],
    good: int = 0,
    wins: str = "a pawn's worth at least whatever the reply, and more",
    traps: str = "",
) -> Callable[[Callable[..., Any]], Feature]:
    """Return a decorator that registers a feature of forks by one kind of piece, and writes its docstring.

    Args:
        the_piece: the piece with its article: ``"a rook"``, ``"the king"``.
        fen: the position of the example.
        squares: the answer there, for White.
        source: the page of the Chess Programming Wiki.
        among: the candidates, see :func:`feature`.
        good: how many of a hundred such forks Stockfish finds good, as ``docs/tactics.md`` has it; 0 if not measured.
        wins: how much such a fork wins, and how much more than a move of another piece.
        traps: what holds for this kind of piece alone.
    """
    piece = the_piece.partition(" ")[2]
    is_exchanged = "; it may be exchanged where it captures" if piece in {"rook", "pawn"} else ""
    forks = (
        f"The {piece} cannot be won there{is_exchanged}, and attacks two pieces (no pawns) that fall "
        "to it, or the king and one such piece."
    )
    conditions = f"a {piece} must not be won, two pieces must fall to it"
    if piece == "king":
        forks, conditions = "The king attacks two pieces that nothing protects.", "two pieces must have no protector"

    def register(definition: Callable[..., Any]) -> Feature:
        text = _TEXT.format(
            the_piece=the_piece, forks=forks, conditions=conditions, wins=wins, fen=fen, squares=squares, source=source,
            name=definition.__name__, traps=f"{traps} " if traps else "",
            worth=f"; Stockfish finds {good} of 100 good" if good else "",
        )  # fmt: skip
        definition.__doc__ = _filled(text)
        return feature(among=among)(definition)

    return register


def _filled(text: str) -> str:
    """A docstring whose paragraphs are filled anew, as their words differ in length."""
    paragraphs = []
    for paragraph in text.rstrip().split("\n\n"):
        head, *rest = paragraph.split("\n")
        if ">>>" in paragraph:
            paragraphs.append(paragraph)
        elif head.endswith(":"):
            paragraphs.append(head + "\n" + _lines(rest, "    "))
        else:
            paragraphs.append(_lines([head, *rest], ""))
    return "\n\n".join(paragraphs) + "\n"


def _lines(lines: list[str], indent: str) -> str:
    words = " ".join(line.strip() for line in lines)
    return textwrap.fill(words, 116, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
