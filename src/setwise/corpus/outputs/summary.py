"""What is told of a match beside its board: who plays, where, the move, the sets that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from setwise.bitboard import Bitboard
from setwise.corpus.columns import schema_of, table_of
from setwise.corpus.outputs.cells import is_set
from setwise.corpus.query.search import Found
from setwise.position.move import NULL_TEXT
from setwise.view.captions import next_move, place, players
from setwise.view.diagram import MOST_SETS, squares_in_words

__all__ = ["USUAL", "Told", "told"]

#: What is told of every match in words of its own; and what else is needed for that.
USUAL = (
    "source", "game", "fullmove_number", "white_to_move", "white_name", "black_name", "white_elo", "black_elo",
    "event", "date", "san", "fen",
)  # fmt: skip
_BESIDE = ("site", "move")


class Told(NamedTuple):
    """A match, as texts and sets."""

    #: The row among all positions of the batch, the row of the game, and the ply.
    row: int
    game: int
    ply: int
    #: 64 letters from a1 to h8.
    pieces: str
    white_to_move: bool
    players: str
    place: str
    #: The move played, with its number; its squares, and those of the move before, as UCI names them: None where there
    #: is no move, or a null move.
    following: str
    move: str | None
    last_move: str | None
    fen: str
    site: str | None
    #: The sets that were asked for, and other values.
    marks: dict[str, Bitboard]
    values: dict[str, Any]

    @property
    def last_squares(self) -> Bitboard:
        """The squares of the move before."""
        return Bitboard(" ".join((self.last_move[:2], self.last_move[2:4])) if self.last_move else 0)

    def turned(self, side: str) -> str:
        """Whose side is below, when that of the mover may be asked for."""
        return ("white" if self.white_to_move else "black") if side == "mover" else side

    def in_words(self) -> str:
        """The sets and values in one line."""
        words = [f"{name}: {squares_in_words(squares)}" for name, squares in self.marks.items()]
        return ", ".join([*words, *(f"{name} = {value}" for name, value in self.values.items())])


def told(found: Found) -> Iterator[Told]:
    """Yield what is told of each match of a batch."""
    positions = found.matches()
    others = {} if positions.others is None else {field.name: field.type for field in positions.others.schema}
    names = [name for name in found.plan.shown if name not in USUAL or name in others]
    marked = [field.name for field in schema_of(names, others) if is_set(field)][:MOST_SETS]
    rows = np.arange(found.searched) if found.rows is None else found.rows
    usual = table_of(positions, [*USUAL, *_BESIDE]).to_pylist()
    shown = table_of(positions, names).to_pylist() if names else [{}] * len(usual)
    last = _moves_before(found, rows)
    drawn = positions.piece_strings()
    for at, (it, values) in enumerate(zip(usual, shown, strict=True)):
        yield Told(
            int(rows[at]), int(positions.game[at]), int(positions.ply[at]), drawn[at], it["white_to_move"],
            players(it["white_name"], it["black_name"], it["white_elo"], it["black_elo"]),
            place(it["event"], it["date"], f"{_record(found)} {it['game']} of {it['source']}"),
            next_move(it["san"], it["fullmove_number"], white=it["white_to_move"]),
            _on_the_board(it["move"]), _on_the_board(last[at]), it["fen"], it["site"],
            {name: Bitboard(values[name]) for name in marked if values[name] is not None},
            {name: values[name] for name in names if name not in marked and values[name] is not None},
        )  # fmt: skip


def _on_the_board(move: str | None) -> str | None:
    """A move in UCI that has squares; None for a null move."""
    return None if move == NULL_TEXT else move


def _record(found: Found) -> str:
    return "game" if found.batch.is_of_games else "record"


def _moves_before(found: Found, rows: np.ndarray) -> list[str | None]:
    """The moves that led to the positions of some rows, in UCI; None where a game begins."""
    if _record(found) == "record" or not len(rows):
        return [None] * len(rows)
    moves = found.positions[np.maximum(rows - 1, 0)].uci().to_pylist()
    begins = (found.positions.ply[rows] == 0).tolist()
    return [None if begin else move for begin, move in zip(begins, moves, strict=True)]
