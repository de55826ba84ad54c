"""Conditions that find positions like a given one: the same, with these pieces, or with these pawns."""

from __future__ import annotations

import re

from setwise.errors import QueryError, shortened
from setwise.position.chess960 import names_rooks
from setwise.position.position import Position

__all__ = ["LIKE", "like"]

#: In what a position is like another: with the meaning of each.
LIKE = {
    "position": "the same position, by whatever moves it was reached",
    "pieces": "at least these pieces on these squares",
    "pawns": "the same pawns of both colours, and any pieces",
}
_PIECE = re.compile("[A-Za-z]")


def like(fen: str, what: str = "position", *, either_colour: bool = False, either_wing: bool = False) -> str:
    """Return the condition that holds for positions like that of a FEN, as ``find`` and ``sql`` take it.

    Args:
        fen: the position. For pieces and pawns the first field of a FEN is enough, and kings may be missing.
        what: ``"position"``, the same position by any moves; ``"pieces"``, at least these pieces on their squares;
            ``"pawns"``, the same pawns of both colours, and any pieces.
        either_colour: whether the same with the colours exchanged matches, too.
        either_wing: whether the same with the king's side and the queen's side exchanged matches, too.

    Raises:
        QueryError: the FEN is wrong, has no pieces of that kind, or can castle, which the other wing cannot.

    Example:
        >>> from setwise import like
        >>> like("8/8/8/3p4/3P4/8/8/8", "pawns")
        "pawn_structure = '8/8/8/3p4/3P4/8/8/8'"
        >>> like("8/8/8/8/8/8/5PPP/6K1", "pieces", either_colour=True)
        "either_colour(sub_fen('8/8/8/8/8/8/5PPP/6K1'))"
    """
    if what not in LIKE:
        raise QueryError(f"a position is like another in its {', its '.join(LIKE)}, not in {shortened(what)}")
    try:
        position = Position(fen.strip(), chess960=names_rooks(fen), strict=False)
    except ValueError as error:
        raise QueryError(str(error)) from None
    if what == "position":
        return _same(position, either_colour=either_colour, either_wing=either_wing)
    placement = position.fen().split()[0]
    if what == "pawns":
        placement = _of_pieces(re.sub("[^Pp/0-9]", "1", placement))
    if not _PIECE.search(placement):
        raise QueryError(f"this position has no {what}: put some on the board")
    condition = f"pawn_structure = '{placement}'" if what == "pawns" else f"sub_fen('{placement}')"
    for wanted, name in ((either_colour, "either_colour"), (either_wing, "either_wing")):
        condition = f"{name}({condition})" if wanted else condition
    return condition


def _same(position: Position, *, either_colour: bool, either_wing: bool) -> str:
    """The condition for the same position; a key cannot be turned, so each form has its own."""
    fens = [position.fen()]
    if either_wing:
        if position.castling_rights:
            raise QueryError("this position can castle, so it has no mirror image on the other wing: search its pieces")
        fens += map(_other_wing, list(fens))
    if either_colour:
        fens += [Position(fen, strict=False).mirror().fen() for fen in fens]
    return " or ".join(f"key = position_key('{fen}')" for fen in dict.fromkeys(fens))


def _other_wing(fen: str) -> str:
    placement, *rest = fen.split()
    target = rest[2] if rest[2] == "-" else "hgfedcba"["abcdefgh".index(rest[2][0])] + rest[2][1]
    return " ".join(["/".join(rank[::-1] for rank in placement.split("/")), *rest[:2], target, *rest[3:]])


def _of_pieces(placement: str) -> str:
    """A placement in which neighbouring numbers of empty squares are added up."""
    return re.sub("[0-9]+", lambda found: str(sum(map(int, found[0]))), placement)
