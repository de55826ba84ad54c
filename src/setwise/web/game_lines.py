"""One game as a line of JSON: tags, moves with their annotations, positions, and the sets of a condition in each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from setwise.corpus.columns import COLUMNS, values_of
from setwise.corpus.columns.place import GAME_TAGS, SIDED_TAGS
from setwise.corpus.outputs.summary import missed_chances
from setwise.game.game import Game
from setwise.game.games import parse_block
from setwise.game.provenance import GamePositions
from setwise.game.variation import Variation
from setwise.view.diagram import MOST_SETS

__all__ = ["game_line", "marks_of"]

#: The tags of a game, by the columns that have them.
_TAGS = GAME_TAGS | {
    f"{side}_{name}": f"{side.title()}{tag}" for side in ("white", "black") for name, (tag, _) in SIDED_TAGS.items()
}


def marks_of(shown: list[str]) -> list[str]:
    """Return the columns of a result that are sets, which boards mark."""
    return [name for name in shown if name in COLUMNS and COLUMNS[name].is_set][:MOST_SETS]


def game_line(batch: Any, row: int, plan: Any) -> dict[str, Any]:
    """Return a game of a batch, by its row."""
    if not batch.games.has_texts:
        return _record_line(batch, row, plan)
    games = parse_block(batch.games.block, notes=True, variations=True)[row : row + 1]
    game = games[0]
    noted = zip(game.clocks, game.evaluations, strict=True)
    positions = games.positions()
    return {
        "type": "game", "tags": dict(game.tags), "result": game.result,
        "first": game.position.fullmove_number, "white": game.position.white_to_move,
        **_plies(positions, plan),
        "comment": game.comments.get(0, ""), "lines": list(_lines(game, 1)),
        "moves": [
            {
                "san": san, "uci": uci, "clock": clock, "evaluation": evaluation,
                "comment": game.comments.get(ply, ""), "nags": list(game.nags.get(ply, ())),
            }
            for ply, (san, uci, (clock, evaluation)) in enumerate(
                zip(positions.san().to_pylist(), positions.uci().to_pylist(), noted, strict=False), start=1
            )
        ],
    }  # fmt: skip


def _lines(line: Game | Variation, depth: int) -> Iterator[dict[str, Any]]:
    """The variations of a line in the order of the text, each before those inside it; moves with their positions."""
    for it in line.variations():
        start, positions = it.position, it.positions()[1:]
        yield {
            "ply": it.parent_ply, "depth": depth, "first": start.fullmove_number, "white": start.white_to_move,
            "comment": it.comments.get(0, ""),
            "moves": [
                {
                    "san": san, "uci": move.uci(), "comment": it.comments.get(ply, ""),
                    "nags": list(it.nags.get(ply, ())), "pieces": after.piece_string(), "fen": after.fen(),
                }
                for ply, (san, move, after) in enumerate(zip(it.sans(), it.moves, positions, strict=True), start=1)
            ],
        }  # fmt: skip
        yield from _lines(it, depth + 1)


def _record_line(batch: Any, row: int, plan: Any) -> dict[str, Any]:
    """A game of a scan, with the tags that the scan holds; a single position has neither tags nor moves."""
    positions = batch.positions[np.flatnonzero(batch.positions.game == row)]
    columns: dict[str, Any] = next(iter(batch.games_table().slice(row, 1).to_pylist()), {})
    tags = {tag: str(columns[name]) for name, tag in _TAGS.items() if columns.get(name) is not None}
    return {
        "type": "game", "tags": tags, "result": columns.get("result") or "*",
        "first": int(positions.fullmove_number[0]), "white": bool(positions.white_to_move[0]),
        **_plies(positions, plan),
        "comment": "", "lines": [],
        "moves": [
            {"san": san, "uci": uci, "clock": None, "evaluation": None, "comment": "", "nags": []}
            for san, uci in zip(positions.san().to_pylist(), positions.uci().to_pylist(), strict=True)
            if san is not None
        ],
    }  # fmt: skip


def _plies(positions: GamePositions, plan: Any) -> dict[str, Any]:
    """The positions of a game, the marked sets in each, the plies that match, and the chances that are missed there."""
    names = marks_of(plan.shown) if plan else []
    matches = plan.condition.matches(positions).tolist() if plan and plan.condition else []
    return {
        "pieces": positions.piece_strings(),
        "fens": positions.fens().to_pylist(),
        "marks": [[name, [f"{word or 0:016x}" for word in values_of(positions, name).to_pylist()]] for name in names],
        "matches": matches,
        "missed": dict(zip(matches, missed_chances(plan, cast("GamePositions", positions[matches])), strict=True))
        if matches
        else {},
    }
