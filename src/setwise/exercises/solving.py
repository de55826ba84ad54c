"""Solving exercises: what an attempt allows, how hard an exercise is, and when it comes back.

An attempt is judged by the search that also verifies exercises: of all replies the best one is named. A solved exercise
comes back after 1, 3, 7 and 21 days, and one that was not solved begins again. All of this is in one file of the user's
data folder, which ``forget`` deletes; nothing else is kept, and nothing is sent anywhere.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from setwise.errors import SourceError
from setwise.exercises.exercise import Exercise, numbered, position_of
from setwise.position.move import Move
from setwise.position.position import Position
from setwise.position.positions import Positions
from setwise.rules.search import MATE, MOST, bounded_value
from setwise.system.files import written
from setwise.view.diagram import chance, in_pawns

#: The days until an exercise comes back: after it was not solved or solved once, solved twice in a row, three times …
DAYS = (1, 3, 7, 21)
#: The plies that are searched after an attempt and after each reply.
_AFTER, _REPLY = 5, 4
#: How many exercises the file has at most; those that come back last are left out.
_MOST_KEPT = 5000


class Attempt(NamedTuple):
    """Whether a move solves an exercise, a sentence about the move, and the best reply in UCI if it does not."""

    is_right: bool
    sentence: str
    reply: str | None = None


def attempt(fen: str, solution: str, move: str) -> Attempt:
    """Return what to say of a move in an exercise; ``solution`` is a move in UCI, ``move`` in UCI or SAN.

    Raises:
        IllegalMove: for a move that is not legal; ``InvalidMove`` for a text that is none.

    Example:
        >>> fen = "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"
        >>> attempt(fen, "c6e7", "Ne7").is_right
        True
        >>> attempt(fen, "c6e7", "h3").sentence
        'h3 allows Qxc6, and loses 3 pawns.'
        >>> attempt("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8", "Rd7").sentence
        'Rd7 wins nothing: another move is better.'
    """
    position = position_of(fen)
    played = position.parse(move)
    san, after = position.san(played), position.play(played)
    if position.uci(played) == solution:
        return Attempt(True, f"{san} is right.")
    replies = [(_value(after, reply, _REPLY), reply) for reply in after.legal_moves()]
    worst, reply = max(replies, key=lambda it: it[0], default=(0, None))
    gained = _value(position, played, _AFTER)
    if reply is None or (worst <= 0 and gained >= 0) or gained > 0:
        wins = f"wins {in_pawns(gained, MATE)}" if gained > 0 else "wins nothing"
        return Attempt(False, f"{san} {wins}: another move is better.", None)
    answer = after.san(reply)
    costs = "." if answer.endswith("#") else f", and loses {in_pawns(max(-gained, 1), MATE)}."
    return Attempt(False, f"{san} allows {answer}{costs}", after.uci(reply))


def _value(position: Position, move: Move, depth: int) -> int:
    sets = np.ascontiguousarray(Positions.from_positions([position]).sets)
    return int(bounded_value(sets, position.white_to_move, int(move), depth, -MOST, MOST))


def hardness(exercise: Exercise) -> int:
    """Return how many moves compete with the solution: other checks and captures; for a quiet solution, all moves.

    Example:
        >>> import setwise
        >>> [it] = setwise.train(b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"] 1. h3 *').exercises
        >>> hardness(it)
        1
    """
    position = exercise.position
    moves = position.legal_moves()
    forcing = [it for it in moves if position.is_capture(it) or position.gives_check(it)]
    return len(forcing if position.parse(exercise.move) in forcing else moves)


def card(exercise: Exercise) -> dict[str, str]:
    """Return the texts of an exercise that the page shows and the file keeps."""
    played = numbered(exercise.position, exercise.played or "")
    says = chance(played, exercise.line, exercise.motifs[0], in_pawns(exercise.by or 0, MATE))
    return {
        "fen": exercise.fen, "solution": exercise.move, "says": says, "motif": exercise.motif,
        "players": exercise.players, "place": exercise.place, "played": str(exercise.row["move"] or ""),
        "hardness": str(hardness(exercise)),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------------ the user's file


def file() -> Path:
    """Return the path of the user's file, which need not exist: ``SETWISE_PROGRESS``, or a file in the data folder."""
    if chosen := os.environ.get("SETWISE_PROGRESS"):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_data_dir("setwise", appauthor=False)) / "solving.json"


def progress() -> dict[str, Any]:
    """Return what is kept: ``player``, the name of the user in games, and ``exercises`` by their FEN.

    Raises:
        SourceError: for a file that cannot be read or is damaged, so that nothing is written over it.
    """
    try:
        kept = json.loads(file().read_text("utf-8"))
        return {"player": str(kept["player"]), "exercises": dict(kept["exercises"])}
    except FileNotFoundError:
        return {"player": "", "exercises": {}}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError(
            f"{file()} has your progress, but cannot be read ({error}): move it away, or mend it"
        ) from None


@contextlib.contextmanager
def _changed() -> Iterator[dict[str, Any]]:
    """What is kept, to be changed; it is written at the end. Two processes change it one after the other."""
    import filelock

    path = file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(path.with_suffix(".lock")):
        kept = progress()
        yield kept
        if len(kept["exercises"]) > _MOST_KEPT:
            order = sorted(kept["exercises"].items(), key=lambda it: it[1]["due"] or "9")
            kept["exercises"] = dict(order[:_MOST_KEPT])
        with written(path) as output:
            output.write(json.dumps(kept, indent=1).encode())


def remember(player: str) -> None:
    """Keep the name that the user has in games."""
    with _changed() as kept:
        kept["player"] = player


def record(exercise: Mapping[str, str], *, is_right: bool, today: dt.date | None = None) -> dict[str, Any]:
    """Keep the first attempt at an exercise of the day, and return its entry: ``due`` is a date, or None if learned."""
    today = dt.date.today() if today is None else today  # noqa: DTZ011  (the user's day)
    with _changed() as kept:
        entry = kept["exercises"].get(exercise["fen"], {"step": -1, "right": 0, "wrong": 0})
        step = entry["step"] + 1 if is_right else 0
        due = None if step >= len(DAYS) else (today + dt.timedelta(DAYS[step])).isoformat()
        kept["exercises"][exercise["fen"]] = entry = {
            **exercise, "step": step, "due": due, "right": entry["right"] + is_right,
            "wrong": entry["wrong"] + (not is_right),
        }  # fmt: skip
    return entry


def forget() -> None:
    """Delete the user's file."""
    file().unlink(missing_ok=True)
