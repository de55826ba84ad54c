"""Columns of missed chances: moves that win by force, where the move played wins less.

A chance is **missed** in a position if a move of its kind wins by force (see ``setwise.rules.search``) at least two
pawns more than the move that was played, and a search four plies deep agrees: in the line of the search the move wins
three pawns more; a mate counts ten pawns. No chance is missed if the move does not change the outcome: if the mover
stays six pawns ahead without it, or six pawns behind with it. If the game has evaluations before and after the move,
two pawns are enough, and the mover's chance to win must have dropped by at least a tenth; the count of pieces is then
ignored. A mate is missed even if the game is won without it. A chance that the mover also missed on the move before
counts once, in the first of these positions.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.notes import chances_lost
from setwise.corpus.columns.registry import (
    column,
    games_of,
    nodes_of,
    one_of,
    rows_of_games,
)
from setwise.game.games import Games
from setwise.position.positions import Positions
from setwise.rules.board import NULL_MOVE
from setwise.rules.search import MATE, best_moves, line_values, mating_moves, played_gains

# -------------------------------------------------------------------------------------------- columns of missed chances


#: How many pawns more than the move played a missed chance must win: if evaluations agree, and without evaluations;
#: then the least drop of the chance to win, if it is known.
_LEAST, _LEAST_ALONE, _DROP = 2, 3, 0.1
#: A side that is this many pawns ahead is winning in any case.
_DECIDED = 6
#: The depths of the searches that must agree: the first search is quick, and refutes most of the wrong chances.
_DEPTHS = (2, 4)
_NO_SQUARES = np.uint64(0)

#: The kinds of chances; if several win the same, the first is preferred. Each has the columns of the squares to which a
#: move must go to use the chance, with the pieces that may move there.
_KINDS: dict[str, dict[str, tuple[str, ...]]] = {
    "mate": {"mates_in_one": ("kings",)},
    "fork": {
        "safe_fork_squares": ("knights",),
        **{f"fork_squares_by_{piece}": (f"{piece}s",) for piece in ("pawn", "bishop", "rook", "queen", "king")},
    },
    "skewer": {"skewers": ("bishops", "rooks", "queens")},
    "discovery": {"discovered_attacks": ("pawns", "knights", "bishops", "rooks", "queens", "kings")},
    "capture": {"winning_captures": ("pawns", "knights", "bishops", "rooks", "queens", "kings")},
}
#: The names of chances in the column ``missed``, and the index of ``mate`` among them.
MISSED = tuple(_KINDS)
_MATES = MISSED.index("mate")


class _Chances(NamedTuple):
    """For each kind and position: how many pawns more the best move wins, 0 if no chance is missed; and this move."""

    by: np.ndarray
    moves: np.ndarray


def _best_of_kind(positions: Positions, kind: str, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many pawns the best move of a kind wins by force in each of the wanted positions, and this move."""
    won, moves = np.zeros(len(positions), np.uint8), np.zeros(len(positions), np.uint16)
    for name, pieces in _KINDS[kind].items():
        squares = positions.feature(f"own_{name}")
        rows = np.flatnonzero(wanted & (squares != _NO_SQUARES))
        if not len(rows):
            continue
        at = cast("Positions", positions[rows])
        sets = np.ascontiguousarray(at.sets)
        gains, best = np.empty(len(rows), np.uint8), np.empty(len(rows), np.uint16)
        if kind == "mate":
            mating_moves(sets, at.white_to_move, best)
            gains[:] = np.where(best != 0, MATE, 0)
        else:
            origins = np.bitwise_or.reduce([getattr(at, it) for it in pieces])
            best_moves(sets, at.white_to_move, squares[rows], origins, gains, best)
        more = gains > won[rows]
        won[rows[more]], moves[rows[more]] = gains[more], best[more]
    return won, moves


def _computed(positions: Positions, previous: np.ndarray) -> _Chances:
    """Return the missed chances of all positions of games; ``previous`` are the rows two plies earlier, or -1."""
    wanted = (positions.moves != 0) & (positions.moves != NULL_MOVE)
    by_kind = [_best_of_kind(positions, kind, wanted) for kind in _KINDS]
    won, moves = np.stack([it[0] for it in by_kind]).astype(np.int16), np.stack([it[1] for it in by_kind])
    rows = np.flatnonzero((won >= _LEAST).any(axis=0))
    played = np.zeros(len(positions), np.uint8)
    at, of_played = cast("Positions", positions[rows]), np.empty(len(rows), np.uint8)
    played_gains(np.ascontiguousarray(at.sets), at.white_to_move, np.ascontiguousarray(at.moves), of_played)
    played[rows] = of_played
    by = won - played
    by[by < _LEAST] = 0
    known = np.zeros(len(positions), np.bool_)
    if rows.size and getattr(getattr(positions, "games", None), "notes", None) is not None:
        lost = chances_lost(positions).to_numpy(zero_copy_only=False).astype(np.float64)  # NaN where it is not known
        by[_MATES + 1 :, lost < _DROP] = 0
        known = ~np.isnan(lost)
    by = _by_lines(positions, by, moves, known)
    again = (previous >= 0) & (by[:, np.maximum(previous, 0)] != 0)
    return _Chances(np.where(again, np.int16(0), by), moves)


def _by_lines(positions: Positions, by: np.ndarray, moves: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return by how many pawns each chance is missed in its line; ``known`` is true where evaluations agree."""
    kinds, rows = np.nonzero(by)
    chosen = moves[kinds, rows]
    for depth in _DEPTHS:
        unique, number = np.unique(rows, return_inverse=True)
        won = _line_values(positions, rows, chosen, depth)
        played = _line_values(positions, unique, positions.moves[unique], depth)[number]
        at = cast("Positions", positions[rows])
        ahead = at.feature("own_material").astype(np.int16) - at.feature("enemy_material").astype(np.int16)
        is_decided = (ahead + played >= _DECIDED) | (ahead + won <= -_DECIDED)
        agrees = won - played >= np.where(known[rows], _LEAST, _LEAST_ALONE)
        agrees &= known[rows] | (kinds == _MATES) | ~is_decided
        kinds, rows, chosen = kinds[agrees], rows[agrees], chosen[agrees]
        more = (won - played)[agrees]
    by = np.zeros_like(by)
    by[kinds, rows] = np.minimum(more, MATE)
    return by


def _line_values(positions: Positions, rows: np.ndarray, moves: np.ndarray, depth: int) -> np.ndarray:
    """Return how many pawns the lines after these moves gain in the positions of these rows."""
    at, values = cast("Positions", positions[rows]), np.empty(len(rows), np.int8)
    line_values(np.ascontiguousarray(at.sets), at.white_to_move, np.ascontiguousarray(moves), depth, values)
    return values.astype(np.int16)


_kept: weakref.WeakKeyDictionary[Any, _Chances] = weakref.WeakKeyDictionary()


def _chances(positions: Positions) -> _Chances:
    """Return the missed chances of some positions; computed once for all positions of the games, and cached."""
    games: Any = games_of(positions)
    nodes = nodes_of(positions)
    if games not in _kept:
        every = games.positions() if nodes is None else games.positions(variations=True)
        if nodes is None:
            previous = np.where(every.ply >= 2, np.arange(len(every)) - 2, -1)
        else:
            parent = cast("Games", games).tree.parent
            previous = np.where(parent >= 0, parent[np.maximum(parent, 0)], -1)
        _kept[games] = _computed(every, previous)
    rows = rows_of_games(positions) if nodes is None else nodes
    return _Chances(*(values[:, rows] for values in _kept[games]))


def _of_kind(number: int) -> Callable[[Positions], pa.Array]:
    return lambda positions: pa.array(_chances(positions).by[number] > 0)


for _number, _kind in enumerate(MISSED):
    column(f"missed_{_kind}")(_of_kind(_number))


def _best(chances: _Chances) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of the best kind in each position, and whether no chance is missed there."""
    best = chances.by.argmax(axis=0)
    return best, chances.by[best, np.arange(best.size)] == 0


def _names(chances: _Chances) -> pa.Array:
    best, none = _best(chances)
    return pa.DictionaryArray.from_arrays(pa.array(best.astype(np.int32), mask=none), pa.array(MISSED))


def _pawns(chances: _Chances) -> pa.Array:
    best, none = _best(chances)
    return pa.array(chances.by[best, np.arange(best.size)].astype(np.int16), mask=none)


def _texts(chances: _Chances, positions: Positions) -> pa.Array:
    best, none = _best(chances)
    numbers = np.where(none, 0, chances.moves[best, np.arange(best.size)])
    at = cast("Positions", positions[np.arange(len(positions))])
    at.moves = numbers.astype(np.uint16)
    return pa.array(at.uci().to_pylist(), pa.string()).dictionary_encode()


def missed_alone(positions: Positions) -> pa.Table:
    """Return the columns ``missed``, ``missed_by`` and ``missed_move`` of positions that need not come from games.

    ``positions.moves`` are the moves played. No evaluation is read, and each position counts independently.
    """
    chances = _computed(positions, np.full(len(positions), -1))
    columns = _names(chances), _pawns(chances), _texts(chances, positions)
    return pa.table(columns, ["missed", "missed_by", "missed_move"])


column("missed", domain=one_of("chances are", *MISSED))(lambda p: _names(_chances(p)))
column("missed_by")(lambda p: _pawns(_chances(p)))
column("missed_move")(lambda p: _texts(_chances(p), p))


# ------------------------------------------------------------------------------------------------ columns of exact ends


#: The columns of exact ends: their values depend on the tablebases of the machine.
OF_TABLES = ("wdl", "dtm", "tablebase_loss")

column("wdl")(lambda p: p.wdl().cast(pa.int16()))
column("dtm")(lambda p: p.dtm())
column("tablebase_loss")(lambda p: p.tablebase_loss().cast(pa.int16()))
