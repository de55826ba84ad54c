"""Summaries of matches, shown with their boards: players, place, next move, requested sets and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from setwise.bitboard import Bitboard
from setwise.corpus.columns import schema_of, table_of
from setwise.corpus.outputs.cells import is_set
from setwise.corpus.query.search import BatchResult
from setwise.game.provenance import GamePositions
from setwise.position.move import NULL_TEXT
from setwise.view.captions import next_move, place, players
from setwise.view.diagram import MOST_SETS, squares_in_words

__all__ = ["USUAL", "MatchSummary", "summaries"]

#: The columns that every summary shows in its own words, and others that it needs.
USUAL = (
    "source", "game", "fullmove_number", "white_to_move", "white_name", "black_name", "white_elo", "black_elo",
    "event", "date", "san", "fen",
)  # fmt: skip
_BESIDE = ("site", "move")


class MatchSummary(NamedTuple):
    """The summary of a match, as texts and sets."""

    #: The row of the position in the batch, the row of the game, and the ply.
    row: int
    game: int
    ply: int
    #: One letter per square, from a1 to h8.
    pieces: str
    white_to_move: bool
    players: str
    place: str
    #: The move played, with its number. Then that move, and the move before it, in UCI; None for a null move or if
    #: there is no move.
    following: str
    move: str | None
    last_move: str | None
    fen: str
    site: str | None
    #: The requested columns: sets, and other values.
    marks: dict[str, Bitboard]
    values: dict[str, Any]

    @property
    def last_squares(self) -> Bitboard:
        """The squares of the move before."""
        return Bitboard(" ".join((self.last_move[:2], self.last_move[2:4])) if self.last_move else 0)

    def side_below(self, side: str) -> str:
        """The side at the bottom of the board: ``side``, with the side to move for ``mover``."""
        return ("white" if self.white_to_move else "black") if side == "mover" else side

    def in_words(self) -> str:
        """The sets and values in one line."""
        words = [f"{name}: {squares_in_words(squares)}" for name, squares in self.marks.items()]
        return ", ".join([*words, *(f"{name} = {value}" for name, value in self.values.items())])


def summaries(result: BatchResult) -> Iterator[MatchSummary]:
    """Yield the summary of each match of a batch."""
    positions = result.matches()
    others = {} if positions.others is None else {field.name: field.type for field in positions.others.schema}
    names = [name for name in result.plan.shown if name not in USUAL or name in others]
    marked = [field.name for field in schema_of(names, others) if is_set(field)][:MOST_SETS]
    rows = np.arange(result.searched) if result.rows is None else result.rows
    usual = table_of(positions, [*USUAL, *_BESIDE]).to_pylist()
    shown = table_of(positions, names).to_pylist() if names else [{}] * len(usual)
    last = _moves_before(result, rows)
    unshown = _unshown(result, names, rows)
    drawn, lines = positions.piece_strings(), _lines(positions)
    for at, (it, values) in enumerate(zip(usual, shown, strict=True)):
        kept = {name: value for name, value in values.items() if value is not None and name not in unshown[at]}
        yield MatchSummary(
            int(rows[at]), int(positions.game[at]), int(positions.ply[at]), drawn[at], it["white_to_move"],
            players(it["white_name"], it["black_name"], it["white_elo"], it["black_elo"]),
            place(it["event"], it["date"], f"{_record(result)} {it['game']} of {it['source']}{lines[at]}"),
            next_move(it["san"], it["fullmove_number"], white=it["white_to_move"]),
            _without_null_move(it["move"]), _without_null_move(last[at]), it["fen"], it["site"],
            {name: Bitboard(kept[name]) for name in marked if name in kept},
            {name: value for name, value in kept.items() if name not in marked},
        )  # fmt: skip


def _unshown(result: BatchResult, names: list[str], rows: np.ndarray) -> list[set[str]]:
    """For each match the columns of alternatives that do not hold there, unless they are asked for or ordered by."""
    plan = result.plan
    if plan.condition is None or plan.columns == plan.shown:
        return [set[str]()] * len(rows)
    names = [name for name in names if plan.order is None or name not in plan.order.columns]
    shown = {name: flags[rows] for name, flags in plan.condition.marks.of(result.positions).items()}
    return [{name for name in names if name in shown and not shown[name][at]} for at in range(len(rows))]


def _without_null_move(move: str | None) -> str | None:
    """The move in UCI; None for a null move, which has no squares."""
    return None if move == NULL_TEXT else move


def _lines(positions: GamePositions) -> list[str]:
    """What follows the name of the source: the number of the line, for positions of variations."""
    if positions.node is None:
        return [""] * len(positions)
    return [f", line {line}" if line else "" for line in table_of(positions, ["line"]).column(0).to_pylist()]


def _record(result: BatchResult) -> str:
    return "game" if result.batch.is_of_games else "record"


def _moves_before(result: BatchResult, rows: np.ndarray) -> list[str | None]:
    """The moves that led to the positions of some rows, in UCI; None for the first position of a game."""
    if _record(result) == "record" or not len(rows):
        return [None] * len(rows)
    if result.positions.node is not None:
        moves: list[str | None] = table_of(result.positions[rows], ["last_move"]).column(0).to_pylist()
        return moves
    before = result.positions[np.maximum(rows - 1, 0)].uci().to_pylist()
    begins = (result.positions.ply[rows] == 0).tolist()
    return [None if begin else move for begin, move in zip(begins, before, strict=True)]
