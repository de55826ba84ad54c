"""Files of exercises: the matches of a search as a sheet to print, a study or cards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from setwise.errors import OutputError, QueryError
from setwise.exercises.matches import exercises_of
from setwise.exercises.writing import FORMATS, write_exercises
from setwise.web.limits import ServerLimits
from setwise.web.requests import NonNegative

__all__ = ["exercises"]

#: The most letters of a title.
_TITLE = 200


def exercises(
    sources: list[str],
    limits: ServerLimits,
    folder: Path,
    *,
    suffix: str,
    where: str,
    title: str = "",
    n: NonNegative = 0,
    per_game: NonNegative = 0,
    order_by: str = "",
    source: int = 0,
) -> Iterator[dict[str, Any]]:
    """Write the matches of a condition as exercises, ``n`` at most (0: as many as one file has), and yield its path.

    Raises:
        OutputError: no format of exercises has the suffix.
        QueryError: no move is played in any of the matches, or there are none.
    """
    if suffix not in FORMATS:
        raise OutputError(f"exercises are written as {' '.join(FORMATS)}, not as {suffix!r:.40}")
    most = min(it for it in (n, FORMATS[suffix].most, limits.exercises) if it)
    found = exercises_of(
        where, sources, n=most, per_game=per_game or None, order_by=order_by or None, threads=limits.threads
    )  # fmt: skip
    if not found:
        raise QueryError("there are no exercises: in no match is a move played")
    [path] = write_exercises(found, folder / f"exercises{suffix}", title=(title or where)[:_TITLE])
    yield {"type": "file", "path": str(path), "count": len(found)}
