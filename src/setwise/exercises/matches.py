"""Exercises from the matches of any search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from setwise.corpus.columns.chances import missed_alone
from setwise.corpus.query.finding import find
from setwise.corpus.sources.expansion import Source
from setwise.exercises.exercise import Exercise, position_of
from setwise.exercises.lines import holds
from setwise.exercises.training import ROW, exercise_of
from setwise.position.positions import Positions

__all__ = ["exercises_of"]

#: A condition that names a column of missed chances.
_MISSED = re.compile(r"\bmissed", re.IGNORECASE)
_CHANCES = ("missed", "missed_by", "missed_move", "loss")


def exercises_of(
    where: str, sources: Source | Iterable[Source], *, n: int | None = None, player: str | None = None, **options: Any
) -> list[Exercise]:
    """Return the positions that match a condition as exercises.

    The solution is the move that was played. Where that move misses a chance (see ``setwise.train``), the solution is
    the move that uses it, and the verdict is about the move played; there is no exercise where that solution does not
    hold, or where other moves win, too.

    Args:
        where: a condition, as ``find`` takes it.
        sources: games.
        n: how many at most; all if left out.
        player: only games of this player.
        options: further options of ``find``.

    Example:
        >>> [exercise] = exercises_of("own_mates_in_one <> 0", b"1. f3 e5 2. g4 Qh4# 0-1")
        >>> exercise.line
        '2... Qh4#'
        >>> [exercise] = exercises_of("own_mates_in_one <> 0", b"1. f3 e5 2. g4 Nc6 *")
        >>> exercise.line, exercise.verdict
        ('2... Qh4#', '2... Nc6 was played, which misses the mate.')
    """
    are_named = _MISSED.search(where) is not None
    columns = ROW if are_named else [name for name in ROW if name not in _CHANCES]
    table = find(f"({where}) and move is not null", sources, columns=columns, limit=n, player=player, **options)
    rows = table.to_pylist()
    chances = rows if are_named else _missed(rows)
    found = [_exercise(row, chance) for row, chance in zip(rows, chances, strict=True)]
    kept = [it for it in found if not it.motifs or holds(it)]
    if found and not kept and (say := options.get("on_hint")) is not None:
        matches = f"{len(found):,} matches, none of them makes" if len(found) > 1 else "1 match, which does not make"
        must = (
            "the solution must win two pawns more than every other move, and is no king's while the enemy has a queen"
        )
        say(f"{matches} an exercise: {must}")
    return kept


def _missed(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The chance that each move misses, as the columns of missed chances say it; evaluations are not read."""
    if not rows:
        return []
    positions = Positions.from_fens([row["fen"] for row in rows], chess960=None)
    codes = [int(position_of(row["fen"]).parse(row["move"])) for row in rows]
    positions.moves = np.array(codes, np.uint16)
    return missed_alone(positions).to_pylist()


def _exercise(row: Mapping[str, Any], chance: Mapping[str, Any]) -> Exercise:
    if chance["missed"] is not None:
        return exercise_of({"loss": None, **row, **chance})
    return Exercise(row["fen"], (row["san"],), row["move"], row["san"], (), None, None, row)
