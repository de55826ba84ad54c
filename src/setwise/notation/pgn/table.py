"""The output of the PGN reader: the table of games, the columns beside it, and the reasons why games break off."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.notation.resolve import REASONS, UNREADABLE
from setwise.rules.moves import SQUARE_MASK

__all__ = [
    "BAD_FEN", "BAD_VARIANT", "BLACKS", "BOARD", "CHECKS", "CHECKS_NOW", "FAULT", "FAULTS", "FAULT_AT", "FIRST_MOVE",
    "FIRST_TAG", "GAME_COLUMNS", "GAME_OVER", "NO_FAULT", "OPEN_COMMENT", "OPEN_TAG", "OPEN_VARIATION", "RESULT",
    "START", "STOP", "UNREADABLE_MOVE", "VARIANT", "Columns",
]  # fmt: skip

#: The columns of the table of games: where a game's text starts and ends, the numbers of its first move and first tag,
#: its result, its fault and where that is, the row of its starting position in ``boards`` (-1 for the usual one); the
#: number of its variant, the checks given before its first move (-1 where its FEN does not say) and after its last one:
#: White's, and ``BLACKS`` for each of Black's.
START, STOP, FIRST_MOVE, FIRST_TAG, RESULT, FAULT, FAULT_AT, BOARD, VARIANT, CHECKS, CHECKS_NOW = range(11)
GAME_COLUMNS = 11
BLACKS = 256

NO_FAULT = -1
#: Why a game ends before its text does, by the numbers of the faults; first the reasons why a text is not a move.
FAULTS = list(REASONS.values())
UNREADABLE_MOVE = int(UNREADABLE & SQUARE_MASK)


def _fault(sentence: str) -> int:
    FAULTS.append(sentence)
    return len(FAULTS) - 1


BAD_FEN = _fault("the FEN of this game is not a legal position")
BAD_VARIANT = _fault(
    "this game is of a variant whose moves are not read (those of standard chess, Chess960, King of the Hill "
    "and Three-check are)"
)
GAME_OVER = _fault("the game has ended before by the rules of its variant")
OPEN_COMMENT = _fault("a comment is never closed")
OPEN_VARIATION = _fault("a variation is never closed")
OPEN_TAG = _fault("the text breaks off inside a tag")


class Columns(NamedTuple):
    """Games in columns."""

    #: One row per game; its columns are START to BOARD.
    games: np.ndarray
    #: 16 bits each, as White sees them.
    moves: np.ndarray
    #: Where the name and the value of each tag start and stop.
    tags: np.ndarray
    #: Starting positions other than the usual one, the words of a ``State``.
    boards: np.ndarray
    #: Where the text of each move and of its annotations starts and stops; None if not requested.
    notes: np.ndarray | None
    #: The boards of all positions as ``replay`` writes them; None if not requested, or if there was not enough room.
    sets: np.ndarray | None = None
