"""``distance_to('FEN')`` and its two companions: how unlike a position is to a given one, on which squares, and why."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import Column
from setwise.errors import QueryError
from setwise.position import resemblance
from setwise.position.chess960 import names_rooks
from setwise.position.position import Position
from setwise.position.positions import Positions

__all__ = ["ARGUMENTS", "EITHER", "RESEMBLANCES", "image_of_resemblance", "resemblance_column", "resemblance_name"]

#: The functions, and what each returns.
RESEMBLANCES = {
    "distance_to": "the points for the differences in the pieces from this position",
    "differing_squares": "the squares on which this position has another piece, or none, or the only one, a set",
    "differences_from": "the differences in the pieces from this position, each with its points",
}
#: The second argument for which the nearer of the position and of the same with the colours exchanged counts.
EITHER = "either colour"
#: What the functions take.
ARGUMENTS = f"a FEN as a literal, and '{EITHER}' after it if the colours may be exchanged"
_CALL = re.compile(r"(\w+)\(\s*'([^']*)'\s*(?:,\s*'([^']*)'\s*)?\)")


class _Call(NamedTuple):
    """A call of one of the functions, which is the name of its column, too."""

    function: str
    fen: str
    either: str = ""

    @property
    def name(self) -> str:
        return f"{self.function}('{self.fen}'{f', {self.either!r}' if self.either else ''})"

    @property
    def position(self) -> Position:
        try:
            return Position(self.fen, chess960=names_rooks(self.fen), strict=False)
        except ValueError as error:
            raise QueryError(f"{self.function}: {error}") from None

    @property
    def sets(self) -> list[np.ndarray]:
        """The sets of the position, a column, and those of its mirror image if it counts, too."""
        positions = [self.position, self.position.mirror()][: 2 if self.either else 1]
        return [Positions.from_positions([it]).sets for it in positions]


def resemblance_name(function: str, fen: str, either: str = "") -> str:
    """Return the name of the column that a call stands for.

    Args:
        function: one of ``RESEMBLANCES``.
        fen: the position; the first field of a FEN is enough.
        either: ``EITHER`` if the colours may be exchanged.
    """
    return _Call(function, fen.strip(), either).name


def image_of_resemblance(name: str) -> str:
    """Return the name of such a column on the board with the colours exchanged."""
    call = _parsed(name)
    return call._replace(fen=call.position.mirror().fen()).name


def _parsed(name: str) -> _Call:
    found = _CALL.fullmatch(name.strip())
    if found is None or (found[3] or EITHER) != EITHER:
        raise QueryError(f"{name.partition('(')[0]} takes {ARGUMENTS}")
    return _Call(found[1].lower(), found[2].strip(), found[3] or "")


@functools.lru_cache(64)
def resemblance_column(name: str) -> Column:
    """Return the column of a call of one of the functions."""
    call = _parsed(name)
    sets = call.sets

    def nearest(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
        """The distance of each position, and to which of the sets."""
        points = np.stack([resemblance.distances(positions.sets, its) for its in sets])
        return points.min(axis=0), points.argmin(axis=0)

    def distance(positions: Positions) -> pa.Array:
        return pa.array(nearest(positions)[0])

    def squares(positions: Positions) -> pa.Array:
        words = np.stack([resemblance.differing_squares(positions.sets, its) for its in sets])
        return pa.array(words[nearest(positions)[1], np.arange(len(positions))])

    def texts(positions: Positions) -> pa.Array:
        _, which = nearest(positions)
        found = (_text(positions.sets[:, k], sets[which[k]][:, 0], which[k]) for k in range(len(which)))
        return pa.array(found, pa.string())

    kind, compute = {
        "distance_to": (pa.int16(), distance),
        "differing_squares": (pa.uint64(), squares),
        "differences_from": (pa.string(), texts),
    }[call.function]
    is_set = call.function == "differing_squares"
    return Column(name, kind, RESEMBLANCES[call.function], compute, is_set=is_set, of_boards=True)


def _text(here: np.ndarray, there: np.ndarray, exchanged: int) -> str:
    differences = "; ".join(map(str, resemblance.differences(here, there))) or "none"
    return f"with the colours exchanged: {differences}" if exchanged else differences
