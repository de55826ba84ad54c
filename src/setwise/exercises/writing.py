"""Exercises as files, whose suffix selects the format: sheets, studies, cards; and the report of missed chances.

``FORMATS`` has each format by its suffix, with its title and the most exercises that one file may have; the command,
the page and the Python function all use it. A sheet is HTML to print, with the solutions at the end. A study is PGN
that Lichess imports, with a chapter for each exercise. Cards are CSV that Anki imports, with the board as a picture.
The report counts missed chances by motif, rating of the opponent, phase and time left, as a table or as one picture.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from setwise.errors import OutputError, QueryError, did_you_mean
from setwise.exercises.exercise import Exercise, numbered
from setwise.exercises.training import Training
from setwise.game.game import Game
from setwise.system.files import written
from setwise.view.diagram import one_line
from setwise.view.svg import Scene, board, board_svg, document, sprite

# -------------------------------------------------------------------------------------------------- sheets of exercises


#: How many rows of boards a page has.
_ROWS = 3

#: The width of a board and the height of its row in print, by the number of boards beside each other.
_WIDTHS = {2: ("66mm", "81mm"), 3: ("55mm", "72mm")}


def sheet(exercises: Sequence[Exercise], title: str = "Exercises", columns: int = 2) -> str:
    """Return an HTML page of exercises that loads nothing from elsewhere and has no script.

    Args:
        exercises: the exercises, numbered from 1.
        title: the heading.
        columns: how many boards stand beside each other, 2 or 3; a printed page has three such rows.

    Raises:
        ValueError: for another number of columns.
    """
    if columns not in _WIDTHS:
        raise ValueError(f"a sheet has 2 or 3 columns, not {columns}")
    width, height = _WIDTHS[columns]
    many = columns * _ROWS
    sizes = f":root {{ --columns: {columns}; --row: {height}; --board: {width}; }}\n"
    style = Path(__file__).with_name("sheet.css").read_text("ascii")
    title = one_line(title)
    articles = [_article(it, number) for number, it in enumerate(exercises, 1)]
    pages = "".join(
        f'<section class="page">\n{"".join(articles[first : first + many])}</section>\n'
        for first in range(0, len(exercises), many)
    )
    solutions = "".join(f"<li><b>{number})</b> {_solution(it)}</li>\n" for number, it in enumerate(exercises, 1))
    return (
        f"{document(title, sizes + style)}<h1>{escape(title)}</h1>\n{sprite()}\n"
        f'<main>\n{pages}</main>\n<section class="last">\n<h2>Solutions</h2>\n'
        f'<ol class="solutions">\n{solutions}</ol>\n</section>\n</body>\n</html>\n'
    )


def _article(exercise: Exercise, number: int) -> str:
    pieces = exercise.position.piece_string()
    scene = Scene("", "", pieces, side=exercise.side)
    return (
        f"<article><p><b>{number})</b> {exercise.side.title()} to move</p>\n{board(scene)}\n"
        f'<div class="answer"></div><details><summary>Solution</summary><p>{_solution(exercise)}</p>'
        f"{board(scene._replace(arrows=exercise.arrows))}</details></article>\n"
    )


def _solution(exercise: Exercise) -> str:
    """The solution, the move that was played, and the game, as HTML."""
    motif = f" ({escape(exercise.motif)})" if exercise.motif else ""
    verdict = f" {escape(exercise.verdict)}" if exercise.verdict else ""
    game = escape(one_line(f"{exercise.players}, {exercise.place}"))
    return (
        f'<b>{escape(exercise.line)}</b>{motif}.{verdict} <a href="{escape(exercise.link)}" rel="noreferrer">{game}</a>'
    )


# ---------------------------------------------------------------------------------------------------------------- study


#: The most chapters that a study on Lichess may have.
MOST_CHAPTERS = 64


def chapter(exercise: Exercise, number: int, title: str = "Exercises") -> str:
    """Return an exercise as a game that begins with the position and has the solution as its main line.

    There is no comment before the first move. The move that was played in the game is a variation, with its cost.
    """
    row = exercise.row
    tags = {
        "Event": f"{title}: {number}", "Site": row["site"] or exercise.link, "Date": row["date"], "Round": str(number),
        "White": row["white_name"], "Black": row["black_name"], "Exercise": str(number),
        "Source": f"{exercise.source}, game {row['game']}, ply {row['ply']}",
    }  # fmt: skip
    position = exercise.position
    said = {name: one_line(value) for name, value in tags.items() if value}
    text = Game(said, exercise.solution, position, result="*").pgn()
    played = exercise.played
    if played is None or played == exercise.solution[0]:
        return text
    comment = f" {{ {exercise.price} }}" if exercise.price else ""
    first = numbered(position, exercise.solution[0])
    head, _, rest = text.rpartition(first)
    if rest.strip() != "*" and position.white_to_move:
        rest = f" {position.fullmove_number}...{rest}"
    return f"{head}{first} ( {numbered(position, played)}{comment} ){rest}"


def studies(exercises: Sequence[Exercise], title: str = "Exercises") -> list[str]:
    """Return the texts of studies, as many as Lichess's limit of chapters requires."""
    chapters = [chapter(it, number, title) + "\n\n" for number, it in enumerate(exercises, 1)]
    return ["".join(chapters[at : at + MOST_CHAPTERS]) for at in range(0, len(chapters), MOST_CHAPTERS)]


def cards(exercises: Sequence[Exercise]) -> str:
    """Return exercises as cards for Anki: the FEN, the board as SVG with the side to move, the solution with its board.

    The lines that begin with ``#`` tell Anki how to read the file.
    """
    text = io.StringIO()
    text.write("#separator:Comma\n#html:true\n#columns:FEN,Board,Solution\n")
    lines = csv.writer(text, lineterminator="\n")
    for it in exercises:
        title = f"{it.side.title()} to move"
        picture, solved = (
            board_svg(it.position, side=it.side, check=0, title=title, arrows=arrows).replace("\n", "")
            for arrows in ({}, it.arrows)
        )
        motif = f" ({it.motif})" if it.motif else ""
        answer = one_line(f"{it.line}{motif}. {it.verdict} {it.players}, {it.place}".replace("  ", " "))
        lines.writerow([it.fen, f"{picture}<p>{title}</p>", f"{solved}<p>{escape(answer)}</p>"])
    return text.getvalue()


# ---------------------------------------------------------------- write exercises to files, in the format of the suffix


class Format(NamedTuple):
    """A format of exercises."""

    #: The name of the format on the page.
    title: str
    #: Returns the texts of exercises, from a title and a number of columns; each text becomes a file.
    texts: Callable[[Sequence[Exercise], str, int], list[str]]
    #: The most exercises that one file may have; None for any number.
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
        exercises: the exercises, for example from ``train``.
        path: the path of the file. A study of more than 64 chapters becomes several files: ``NAME.pgn``,
            ``NAME-2.pgn`` ….
        title: the heading of a sheet, and the name of a study.
        columns: how many boards of a sheet stand beside each other, 2 or 3.

    Raises:
        OutputError: if the suffix is unknown, or the path cannot be written.
        QueryError: if there are no exercises.
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


# -------------------------------------------------------------------- what a player misses, in numbers and as a picture


#: The width of a band of ratings, and the upper bounds of the bands of seconds left.
_RATINGS = 200
_SECONDS = {"under 10 s": 10, "10 to 30 s": 30, "30 to 60 s": 60, "1 to 5 min": 300, "5 min or more": float("inf")}
_PHASES = ("opening", "middlegame", "endgame")


def report(training: Training) -> pa.Table:
    """Return how often chances were missed, by motif, by the opponent's rating, by phase, and by the time left.

    The columns are ``by`` (motif, rating, phase, time), ``value``, ``missed``, and ``games``: for a rating the number
    of games against it, for a motif the number of all games, for a phase and for a time null.
    """
    rows = [
        *_rows("motif", _motifs(training.missed), len(training.games)),
        *_ratings(training),
        *_rows("phase", _in_order(_PHASES, (it.row["phase"] for it in training.missed)), None),
        *_rows("time", _in_order(_SECONDS, (_time(it.row["own_clock"]) for it in training.missed)), None),
    ]
    schema = pa.schema([("by", pa.string()), ("value", pa.string()), ("missed", pa.int32()), ("games", pa.int32())])
    return pa.Table.from_pylist(rows, schema)


def _rows(by: str, counts: Mapping[str, int], games: int | None) -> list[dict[str, Any]]:
    return [{"by": by, "value": value, "missed": count, "games": games} for value, count in counts.items()]


def _motifs(missed: Iterable[Exercise]) -> dict[str, int]:
    """Counts of motifs: forks by the forking piece, all other chances by their kind; the most frequent first."""
    named = (it.motifs[1] if it.motifs[0] == "fork" else it.motifs[0] for it in missed)
    return dict(Counter(named).most_common())


def _in_order(names: Iterable[str], found: Iterable[str | None]) -> dict[str, int]:
    counts = Counter(found)
    return {name: counts[name] for name in names if counts[name]}


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else next(name for name, limit in _SECONDS.items() if seconds < limit)


def _band(rating: int | None) -> str | None:
    return None if rating is None else f"{(low := rating // _RATINGS * _RATINGS)}–{low + _RATINGS - 1}"


def _ratings(training: Training) -> list[dict[str, Any]]:
    """The chances missed against each band of ratings, with the number of games against this band."""
    part = (training.player or "").lower()
    opponents = [
        _band(row[f"{other}_elo"])
        for row in training.games
        for side, other in (("white", "black"), ("black", "white"))
        if part in (row[f"{side}_name"] or "").lower()
    ]
    games, missed = Counter(opponents), Counter(_band(it.row["enemy_elo"]) for it in training.missed)
    bands = sorted((band for band in {*games, *missed} if band), key=lambda band: int(band.split("–")[0]))
    return [{"by": "rating", "value": band, "missed": missed[band], "games": games[band]} for band in bands]


_TITLES = {
    "motif": "What was missed", "rating": "Against which ratings (missed a game)", "phase": "In which phase",
    "time": "With how much time left",
}  # fmt: skip
_ROW, _LEFT, _WIDTH = 22, 150, 560


def picture(training: Training, title: str = "Missed chances") -> str:
    """Return the report as an SVG: a bar for each number, which starts at zero and has the number at its end."""
    rows = report(training).to_pylist()
    parts, y = [], 34
    for by, heading in _TITLES.items():
        section = [row for row in rows if row["by"] == by]
        if not section:
            continue
        parts.append(f'<text x="8" y="{y + 15}" font-weight="bold">{heading}</text>')
        y += _ROW
        values = [_value(row) for row in section]
        for row, (size, text) in zip(section, values, strict=True):
            length = (_WIDTH - _LEFT - 150) * size / (max(it[0] for it in values) or 1)
            parts.append(
                f'<text x="{_LEFT - 6}" y="{y + 15}" text-anchor="end">{escape(row["value"])}</text>'
                f'<rect x="{_LEFT}" y="{y + 4}" width="{length:.1f}" height="14" fill="#3f6fb5"/>'
                f'<text x="{_LEFT + length + 6:.1f}" y="{y + 15}">{text}</text>'
            )
            y += _ROW
        y += 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" width="{_WIDTH}" height="{y}" '
        f'font-family="system-ui, sans-serif" font-size="13"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="#fff"/><text x="8" y="22" font-size="16">{escape(title)}</text>'
        f"{''.join(parts)}</svg>\n"
    )


def _value(row: Mapping[str, Any]) -> tuple[float, str]:
    """The length of a bar, and the text at its end."""
    if row["by"] != "rating":
        return row["missed"], str(row["missed"])
    each = row["missed"] / row["games"] if row["games"] else 0
    return each, f"{each:.2f} ({row['missed']} in {row['games']})"
