"""Diagrams of a part of the board: the first field of a FEN, with letters for several pieces, as conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from setwise.errors import QueryError, shortened

__all__ = ["diagram"]

_COLOURS = {"white": "PNBRQK", "black": "pnbrqk"}
_PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "king")
#: The columns whose squares a letter allows.
_LETTERS = {
    letter: (f"{side}_{pieces}",)
    for side, letters in _COLOURS.items()
    for letter, pieces in zip(letters, _PIECES, strict=True)
} | {"A": ("white_pieces",), "a": ("black_pieces",), "?": ("white_pieces", "black_pieces"), "_": ("empty",)}
_SQUARE = re.compile(r"(?P<blanks>[1-8])|\[(?P<several>[^][/]+)\]|(?P<letter>[^][0-9/])")
_EXAMPLE = "8/8/8/8/8/8/6PP/6K1"


def diagram(text: str) -> dict[frozenset[str], int]:
    """Return the squares that must be in sets, by the names of the columns whose union the set is.

    >>> for columns, squares in diagram("8/8/8/8/8/8/5[PN]PP/6K1").items():
    ...     print(sorted(columns), Bitboard(squares).names())
    ['white_knights', 'white_pawns'] ['f2']
    ['white_pawns'] ['g2', 'h2']
    ['white_king'] ['g1']

    Args:
        text: the first field of a FEN; more fields are not read. Digits are squares with anything on them. ``A`` is any
            white piece, ``a`` any black one, ``?`` either, ``_`` an empty square, and ``[QR]`` one of these.

    Raises:
        QueryError: for a text that is no such field.
    """
    fields = text.split()
    ranks = fields[0].split("/") if fields else []
    if len(ranks) != 8:
        raise QueryError(f"sub_fen: {shortened(text, 40)} has {len(ranks)} ranks, not 8, as {_EXAMPLE}")
    wanted: dict[frozenset[str], int] = {}
    for rank, row in zip(range(7, -1, -1), ranks, strict=True):
        squares = list(_squares(row, rank + 1))
        if len(squares) != 8:
            raise QueryError(f"sub_fen: rank {rank + 1} has {len(squares)} squares, not 8: {shortened(row, 40)}")
        for file, letters in enumerate(squares):
            if letters:
                columns = frozenset(column for letter in letters for column in _LETTERS[letter])
                wanted[columns] = wanted.get(columns, 0) | 1 << 8 * rank + file
    return wanted


def _squares(row: str, rank: int) -> Iterator[str]:
    """The letters of each square of a rank, none where anything may be."""
    at = 0
    while at < len(row):
        found = _SQUARE.match(row, at)
        letters = (found["several"] or found["letter"] or "") if found else row[at]
        if found is None or not {*letters} <= {*_LETTERS}:
            wrong = next((letter for letter in letters if letter not in _LETTERS), row[at])
            raise QueryError(
                f"sub_fen: {shortened(wrong, 10)} in rank {rank} is no piece: P N B R Q K and p n b r q k are pieces, "
                "A and a any white or black one, ? any, _ an empty square, [QR] one of these, digits anything"
            )
        yield from [""] * int(found["blanks"]) if found["blanks"] else [letters]
        at = found.end()
