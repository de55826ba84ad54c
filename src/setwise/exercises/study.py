"""Exercises as chapters of a Lichess study (PGN), and as cards for Anki (CSV)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from html import escape

from setwise.exercises.exercise import Exercise, numbered
from setwise.game.game import Game
from setwise.view.diagram import one_line
from setwise.view.svg import board_svg

__all__ = ["MOST_CHAPTERS", "cards", "chapter", "studies"]

#: A study on Lichess has this many chapters at most.
MOST_CHAPTERS = 64


def chapter(exercise: Exercise, number: int, title: str = "Exercises") -> str:
    """Return an exercise as a game: it begins with the position, the solution is its main line.

    Nothing stands before the first move. The move that was played in the game is a variation, with what it cost.
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

    The lines with ``#`` at the beginning say to Anki how to read the file.
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
