"""Write exercises to files, in the format of the suffix."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from setwise.errors import OutputError, QueryError, did_you_mean
from setwise.exercises.exercise import Exercise
from setwise.exercises.sheet import sheet
from setwise.exercises.study import MOST_CHAPTERS, cards, studies
from setwise.system.files import written

__all__ = ["FORMATS", "check_suffix", "write_exercises"]


class Format(NamedTuple):
    """A format of exercises."""

    #: What it is called on the page.
    title: str
    #: The texts of exercises with a title and a number of columns; several texts are files of their own.
    texts: Callable[[Sequence[Exercise], str, int], list[str]]
    #: How many exercises one file has at most; None for any number.
    most: int | None = None


#: The formats by suffix.
FORMATS = {
    ".html": Format("Exercise sheet", lambda exercises, title, columns: [sheet(exercises, title, columns)]),
    ".pgn": Format("Study for Lichess", lambda exercises, title, _: studies(exercises, title), MOST_CHAPTERS),
    ".csv": Format("Cards for Anki", lambda exercises, *_: [cards(exercises)]),
}


def check_suffix(path: str | os.PathLike[str]) -> None:
    """Raise ``OutputError`` if no format of exercises has the suffix of a path."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        near = did_you_mean(suffix, FORMATS)
        raise OutputError(f"{path} should end in one of {' '.join(FORMATS)}, which says how to write it{near}")


def write_exercises(
    exercises: Sequence[Exercise], path: str | os.PathLike[str], *, title: str = "Exercises", columns: int = 2
) -> list[Path]:
    """Write exercises and return the files: ``.html`` a sheet to print, ``.pgn`` a study, ``.csv`` cards for Anki.

    Args:
        exercises: the exercises, such as those of ``train``.
        path: where the file will be. Studies of more than 64 chapters go to ``NAME.pgn``, ``NAME-2.pgn`` ….
        title: the heading of a sheet, and the name of a study.
        columns: how many boards of a sheet stand beside each other, 2 or 3.

    Raises:
        OutputError: for another suffix, and a path that cannot be written.
        QueryError: for no exercises.
    """
    path = Path(path)
    check_suffix(path)
    if not exercises:
        raise QueryError(f"there are no exercises for {path}")
    files = []
    for number, text in enumerate(FORMATS[path.suffix.lower()].texts(exercises, title, columns), 1):
        target = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        with written(target) as file:
            file.write(text.encode())
        files.append(target)
    return files
