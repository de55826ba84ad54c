"""``Exercise``: a position with a solution, and the game that it comes from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from setwise.errors import InvalidFen
from setwise.position.move import NULL_TEXT
from setwise.position.position import Position
from setwise.rules.chances import MATE
from setwise.view.captions import in_pawns
from setwise.view.shapes import COLORS, PLAYED

__all__ = ["Exercise", "numbered", "position_of"]

#: A game on Lichess, as its exports name it.
_LICHESS = re.compile(r"https://lichess\.org/\w{8}(?=\w{0,4}\Z)")


class Exercise(NamedTuple):
    """A position with a solution."""

    fen: str
    #: The moves of the solution in SAN, and the first one in UCI.
    solution: tuple[str, ...]
    move: str
    #: The move played in the game, in SAN.
    played: str | None
    #: The motifs of the solution, the most particular last; empty for those of any search.
    motifs: tuple[str, ...]
    #: How many pawns more the solution wins, and what the move played lost by evaluations, in centipawns.
    by: int | None
    loss: int | None
    #: What the row of the game says: players, place, date, ratings, clock.
    row: Mapping[str, Any]

    @property
    def position(self) -> Position:
        """The position."""
        return position_of(self.fen)

    @property
    def side(self) -> str:
        """The side to move."""
        return "white" if self.row["white_to_move"] else "black"

    @property
    def ahead(self) -> int:
        """How many pawns the side to move is ahead."""
        position = self.position
        own, enemy = (position.feature(f"{side}_material") for side in ("own", "enemy"))
        return int(own) - int(enemy)

    @property
    def motif(self) -> str:
        """The most particular motif, as words."""
        return self.motifs[-1].replace("-", " ") if self.motifs else ""

    @property
    def cost(self) -> int:
        """What the move played cost, in centipawns: by evaluations, or else by the count of force."""
        return self.loss if self.loss is not None else 100 * (self.by or 0)

    @property
    def players(self) -> str:
        """The players of the game."""
        return f"{self.row['white_name'] or '?'} – {self.row['black_name'] or '?'}"

    @property
    def place(self) -> str:
        """The event, the date, and the game in its source."""
        named = [self.row["event"], self.row["date"], f"game {self.row['game']} of {self.source}"]
        return ", ".join(it for it in named if it and not it.startswith("?"))

    @property
    def source(self) -> str:
        """The name of the file, without its folders: sheets and studies are handed on."""
        named = str(self.row["source"])
        return PurePath(named).name or named

    @property
    def link(self) -> str:
        """The address of the position in its game on Lichess, or on Lichess's analysis board."""
        game = _LICHESS.match(self.row["site"] or "")
        if game is not None:
            return f"{game[0]}{'' if self.side == 'white' else '/black'}#{self.row['ply']}"
        return f"https://lichess.org/analysis/{self.fen.replace(' ', '_')}"

    @property
    def line(self) -> str:
        """The solution with the number of its first move."""
        return numbered(self.position, " ".join(self.solution))

    @property
    def price(self) -> str:
        """What the move that was played cost, as the rest of a sentence; empty where it was the solution."""
        if self.played is None or self.played == self.solution[0]:
            return ""
        if self.loss is not None:
            return f"lost {in_pawns(self.loss / 100, MATE)} by the evaluations"
        if not self.by:
            return ""
        return "misses the mate" if self.motifs[0] == "mate" else f"wins {in_pawns(self.by, MATE)} less"

    @property
    def verdict(self) -> str:
        """What was played instead, and what it cost, as a sentence; empty where it was the solution."""
        if self.played is None or self.played == self.solution[0]:
            return ""
        which = f", which {self.price}" if self.price else ""
        return f"{numbered(self.position, self.played)} was played{which}."

    @property
    def arrows(self) -> dict[str, str]:
        """The move that was played instead of the solution, if there is one, and the solution, each with its colour."""
        both = {self.row["move"]: PLAYED} if self.verdict else {}
        return {move: color for move, color in {**both, self.move: COLORS["arrow"]}.items() if move != NULL_TEXT}


def position_of(fen: str) -> Position:
    """Return the position of a FEN; one with castling rights that only Chess960 has is of Chess960.

    Example:
        >>> position_of("bnrkqnrb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQNRB w KQkq - 0 1").chess960
        True
    """
    try:
        return Position(fen)
    except InvalidFen:
        return Position(fen, chess960=True)


def numbered(position: Position, line: str) -> str:
    """Return a line with the number of its first move."""
    return f"{position.fullmove_number}{'.' if position.white_to_move else '...'} {line}"
