"""``train``: finds the chances that a player missed in games, and selects and orders exercises from them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from setwise.corpus.columns.chances import missed_alone
from setwise.corpus.query.finding import find
from setwise.corpus.query.search import usable_threads
from setwise.corpus.sources.places import Sources
from setwise.errors import QueryError, did_you_mean
from setwise.exercises.exercise import (
    LEAST_LOSS,
    SPEEDS,
    Exercise,
    checked_motif,
    holds,
    motifs_of,
    position_of,
    speed_of,
    verified,
)
from setwise.position.positions import Positions

# --------------------------------------------------------------- train: exercises from the chances that a player missed


_SINCE = re.compile(r"\d{4}(?:[-.]\d{2}){0,2}")

#: A side that is at least this many pawns ahead wins also without the mate.
_WON = 6

#: The columns of the row of an exercise.
ROW = (
    "source", "game", "ply", "fen", "white_to_move", "san", "move", "white_name", "black_name", "event", "site", "date",
    "utc_date", "time_control", "own_name", "enemy_name", "own_elo", "enemy_elo", "white_elo", "black_elo", "phase",
    "missed", "missed_by", "missed_move", "loss", "own_clock",
)  # fmt: skip


class Training(NamedTuple):
    """The exercises, all chances of the motif that were missed, and the rows of the games that were read."""

    exercises: list[Exercise]
    missed: list[Exercise]
    games: list[Mapping[str, Any]]
    player: str | None


def train(
    sources: Sources,
    *,
    player: str | None = None,
    motif: str | None = None,
    n: int = 30,
    since: str | None = None,
    side: str | None = None,
    speed: str | None = None,
    engine: str | None = None,
    depth: int = 14,
    threads: int | None = None,
    on_hint: Callable[[str], Any] | None = None,
    on_fault: Callable[[Any], Any] | None = None,
    on_progress: Callable[[int, int], Any] = lambda *_: None,
) -> Training:
    """Return exercises from the chances that were missed in games: forks, skewers, discoveries, captures, mates.

    The columns ``missed`` and ``missed_by`` define a missed chance. The most costly chances become exercises; without a
    motif the kinds are mixed, each in proportion to how often it was missed.

    Args:
        sources: games, as ``find`` takes them.
        player: only chances of this player: a part of the name, in any case.
        motif: only chances of this motif, such as ``"fork"``, ``"knight-fork"``, ``"back-rank"``.
        n: how many exercises at most.
        since: only games from this date on: ``"2024"``, ``"2024-05"``, ``"2024-05-31"``.
        side: ``"white"`` or ``"black"``: only chances of this side.
        speed: ``"bullet"``, ``"blitz"``, ``"rapid"``, ``"classical"`` …: only such games, by their time control.
        engine: an engine, such as ``"stockfish"``: only exercises that it agrees with, the most costly first.
        depth: the depth of its searches.
        threads: the number of threads, by default one per processor.
        on_hint: called with a sentence if no game has the player.
        on_fault: called for every game that breaks off.
        on_progress: called with the number of exercises that the engine has tried, and the number of all to try.

    Raises:
        QueryError: for an unknown motif, side or speed, an invalid date, or sources without games.
        SourceError: a source is missing or cannot be read.
        SetwiseError: the engine is missing or ends.

    Example:
        >>> import setwise
        >>> text = b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"] 1. h3 *'
        >>> [exercise] = setwise.train(text).exercises
        >>> exercise.line, exercise.motif, exercise.verdict
        ('1. Ne7+', 'royal fork', '1. h3 was played, which wins at least 10 pawns less.')
    """
    keeps = _filter(since, side, speed)
    wanted = None if motif is None else checked_motif(motif)
    if n < 1:
        raise ValueError(f"n is the number of exercises, 1 or more, not {n}")
    table = find(
        "missed is not null or ply = 0", sources, columns=ROW, player=player, threads=threads, on_hint=on_hint,
        on_fault=on_fault,
    )  # fmt: skip
    rows = [row for row in table.to_pylist() if keeps(row)]
    games = [row for row in rows if row["ply"] == 0]
    part = (player or "").lower()
    missed = [
        exercise_of(row) for row in rows
        if row["missed"] is not None and part in (row["own_name"] or "").lower()
        and (side is None or row["white_to_move"] == (side == "white"))
    ]  # fmt: skip
    missed = [it for it in missed if wanted is None or wanted in it.motifs]
    single = _without_repetition(it for it in missed if wanted is not None or not _is_won_anyway(it))
    if engine is None:
        return Training(_verified(single, n, usable_threads(threads)), missed, games, player)
    return Training(verified(_mixed(single, 3 * n), engine, depth, n, on_progress), missed, games, player)


def _is_a_date(text: str) -> bool:
    """Whether there is such a day, or the first day of such a month or year."""
    year, month, day, *_ = (*map(int, re.split("[-.]", text)), 1, 1)
    with suppress(ValueError):
        return bool(date(year, month, day))
    return False


def _filter(since: str | None, side: str | None, speed: str | None) -> Callable[[Mapping[str, Any]], bool]:
    """Return a function that tells whether the options keep a row."""
    if since is not None and not (_SINCE.fullmatch(since) and _is_a_date(since)):
        raise QueryError(f"since is a year, a month or a day, such as 2024, 2024-05 or 2024-05-31, not {since!r:.40}")
    if side not in {None, "white", "black"}:
        raise QueryError(f"side is white or black, not {side!r:.40}")
    speeds = [*SPEEDS, "correspondence"]
    if speed is not None and speed not in speeds:
        raise QueryError(f"there is no speed {speed!r:.40}: there are {', '.join(speeds)}{did_you_mean(speed, speeds)}")
    first = None if since is None else since.replace("-", ".")

    def keeps(row: Mapping[str, Any]) -> bool:
        dates = [it for it in (row["date"], row["utc_date"]) if it and it[0].isdigit()]
        if first is not None and not (dates and dates[0] >= first):
            return False
        return speed is None or speed_of(row["time_control"]) == speed

    return keeps


def exercise_of(row: Mapping[str, Any]) -> Exercise:
    """Return the exercise of a missed chance, from a row with the columns of ``ROW``."""
    position = position_of(row["fen"])
    motifs = motifs_of(row["missed"], position, row["missed_move"])
    solution = (position.san(row["missed_move"]),)
    return Exercise(
        row["fen"], solution, row["missed_move"], row["san"], motifs, row["missed_by"], row["loss"], row
    )  # fmt: skip


def _is_won_anyway(exercise: Exercise) -> bool:
    """Whether a side that missed a mate wins anyway: by the evaluations or, without them, by the pieces."""
    if exercise.motifs[0] != "mate":
        return False
    if exercise.loss is not None:
        return exercise.loss < LEAST_LOSS
    return exercise.ahead >= _WON


def _without_repetition(exercises: Iterable[Exercise]) -> list[Exercise]:
    """The exercises in order, the most costly first, with each position only once."""
    ordered = sorted(exercises, key=lambda it: -it.cost)
    return list({it.fen.rsplit(" ", 2)[0]: it for it in reversed(ordered)}.values())[::-1]


def _mixed(exercises: list[Exercise], n: int) -> list[Exercise]:
    """Up to ``n`` exercises, each kind by its share of the misses; kinds take turns, the most frequent kind first."""
    counts = Counter(it.motifs[0] for it in exercises)
    if len(exercises) <= n:
        return exercises
    total = sum(counts.values())
    left = {kind: max(1, n * count // total) for kind, count in counts.items()}
    chosen, others = list[Exercise](), list[Exercise]()
    for it in exercises:
        enough = left[it.motifs[0]] == 0
        (others if enough else chosen).append(it)
        left[it.motifs[0]] -= not enough
    return [*chosen, *others][:n]


def _verified(exercises: list[Exercise], n: int, threads: int) -> list[Exercise]:
    """Up to ``n`` exercises, mixed by kind, whose solutions hold in a deeper search."""
    held: dict[str, bool] = {}
    while True:
        chosen = _mixed([it for it in exercises if held.get(it.fen, True)], n)
        new = [it for it in chosen if it.fen not in held]
        if not new:
            return chosen
        with ThreadPoolExecutor(threads) as pool:
            held |= zip([it.fen for it in new], pool.map(holds, new), strict=True)


# ----------------------------------------------------------------------------- exercises from the matches of any search


#: A condition that names a column of missed chances.
_MISSED = re.compile(r"\bmissed", re.IGNORECASE)
_CHANCES = ("missed", "missed_by", "missed_move", "loss")


def exercises_of(
    where: str, sources: Sources, *, n: int | None = None, player: str | None = None, **options: Any
) -> list[Exercise]:
    """Return the positions that match a condition as exercises.

    The solution is the move that was played. If that move misses a chance (see ``setwise.train``), the solution is the
    move that uses the chance, and the verdict is about the played move; if that solution does not hold, or other moves
    win, too, there is no exercise.

    Args:
        where: a condition, as ``find`` takes it.
        sources: games.
        n: how many exercises at most; by default all.
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
    table = find(f"({where}\n) and move is not null", sources, columns=columns, limit=n, player=player, **options)
    rows = table.to_pylist()
    chances = rows if are_named else _missed(rows)
    tried = [_exercise(row, chance) for row, chance in zip(rows, chances, strict=True)]
    kept = [it for it in tried if not it.motifs or holds(it)]
    if tried and not kept and (say := options.get("on_hint")) is not None:
        matches = f"{len(tried):,} matches, none of them makes" if len(tried) > 1 else "1 match, which does not make"
        must = (
            "the solution must win two pawns more than every other move, and is no king's while the enemy has a queen"
        )
        say(f"{matches} an exercise: {must}")
    return kept


def _missed(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The chance that each move misses, computed as in the columns of missed chances, but without evaluations."""
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
