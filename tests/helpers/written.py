"""Results written in their formats, and read back."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import chess.pgn

from helpers.data import FAMOUS_GAMES as GAMES
from setwise.corpus.outputs import Request, format_of, opened, schema_of_all
from setwise.corpus.query.search import Query, planned, search

__all__ = ["AWKWARD", "FORKS", "ROWS", "games_in", "write"]

FORKS = "white_royal_fork_squares <> 0"
ROWS = ["game", "ply", "white_name", "white_royal_fork_squares", "is_check", "clock", "san", "fen"]

AWKWARD = b"""[White "O'Neil, \\"Tab\\" \\\\ | <b>"]
[Black "a,b;c"]
[Site "https://lichess.org/abcdefgh"]

1. e4 $1 {a | b} (1. d4 d5 {no}) e5!? ; to the end
2. Nf3 {[%csl Ra1]} Nc6 3.Bb5 a6 1-0
"""


def write(path: Path, where: str, source: Any = GAMES, columns: list[str] | None = None, **asked: Any) -> Path:
    kind = format_of(path)
    questions = list(planned(source, Query(where, columns, notes=kind.needs_notes)))
    schema = schema_of_all([question.schema for _, question in questions])
    with opened(path, Request(schema, where, **asked)) as output:
        for found in search(questions, threads=2):
            output.write(found)
    return path


def games_in(path: Path) -> list[chess.pgn.Game]:
    text = io.StringIO(path.read_text())
    games = []
    while (game := chess.pgn.read_game(text)) is not None:
        assert not game.errors
        games.append(game)
    return games
