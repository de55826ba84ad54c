"""The parts of one game of a batch, and slices of batches."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np

from setwise.game.batch import GameColumns
from setwise.game.branches import Branch, branches_of, notes_of_lines
from setwise.game.parts import is_chess960, usual_start
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.export import unescaped
from setwise.notation.pgn.lines import lines_of
from setwise.position.move import MOVE_TABLES, Move
from setwise.position.position import Position
from setwise.position.variant_position import VariantPosition
from setwise.rules.variants import VARIANTS

__all__ = ["batch_of", "decoded", "parts_of"]

#: Tags, moves, starting position, result, comments and NAGs by ply, variations.
Parts: TypeAlias = tuple[
    dict[str, str], tuple[Move, ...], Position, str, dict[int, str], dict[int, tuple[int, ...]], tuple[Branch, ...]
]
B = TypeVar("B", bound=GameColumns)


def parts_of(games: GameColumns, row: int) -> Parts:
    """Return the parts of one game of a batch, counted from 0, or from the end if negative.

    Raises:
        IndexError: when the batch has no such game.
    """
    if not -len(games) <= row < len(games):
        raise IndexError(f"this batch has {len(games)} games, and none with the number {row}")
    row %= len(games)
    tags = _tags(games, row)
    first, last = games.move_offsets[row : row + 2].tolist()
    comments, nags = ({}, {}) if games.notes is None else _notes(games, games.notes[first:last], row)
    start = _start(games, row, tags)
    lines = None if games.lines is None else lines_of(games.lines, row, row + 1)
    branches = () if lines is None else branches_of(games.text, lines, start.chess960)
    moves = tuple(MOVE_TABLES[start.chess960].array[games.moves[first:last]].tolist())
    return tags, moves, start, games.results[row], comments, nags, branches


def batch_of(games: B, which: slice) -> B:
    """Return the games of a range as a batch of their own, which shares the columns.

    Raises:
        ValueError: for a step other than 1.
    """
    start, stop, step = which.indices(len(games))
    if step != 1:
        raise ValueError(f"a batch is cut into ranges of games, not with the step {step}")
    stop = max(start, stop)
    moves, tags = games.move_offsets[[start, stop]], games.tag_offsets[[start, stop]]
    table = games.table[start:stop].copy()
    table[:, pgn.FIRST_MOVE] -= moves[0]
    table[:, pgn.FIRST_TAG] -= tags[0]
    columns = pgn.Columns(
        table,
        games.moves[slice(*moves)],
        games.tags[slice(*tags)],
        games.boards,
        None if games.notes is None else games.notes[slice(*moves)],
    )
    several = type(games)(games.block, columns, games.first + start)
    several.lines = None if games.lines is None else lines_of(games.lines, start, stop)
    return several


def decoded(raw: bytes) -> str:
    """Decode bytes as UTF-8, or as Latin-1 where they are not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _tags(games: GameColumns, row: int) -> dict[str, str]:
    """Return the tags of a game; of repeated tags the first, as ``Games.tag`` does."""
    text = games.block.text
    tags: dict[str, str] = {}
    spans = games.tags[slice(*games.tag_offsets[row : row + 2])]
    for name, name_stop, value, value_stop in spans.tolist():
        tags.setdefault(decoded(text[name:name_stop]), unescaped(decoded(text[value:value_stop])))
    return tags


def _start(games: GameColumns, row: int, tags: dict[str, str]) -> Position:
    """Return the starting position of a game: of Chess960 also where only its castling rights require that."""
    board, number, checks = games.table[row, [pgn.BOARD, pgn.VARIANT, pgn.CHECKS]].tolist()
    chess960, variant = is_chess960(tags), VARIANTS[number - 1] if number else None
    if board < 0:
        return usual_start(chess960=chess960, variant=variant.name if variant else None)
    words = games.boards[board].tolist()
    start = Position.from_words(words, chess960=chess960, strict=False)
    if not chess960 and start.status():
        start = Position.from_words(words, chess960=True, strict=False)
    black, white = divmod(max(checks, 0), pgn.BLACKS)
    return VariantPosition._with(start, variant, (white, black)) if variant else start


def _notes(games: GameColumns, moves: np.ndarray, row: int) -> tuple[dict[int, str], dict[int, tuple[int, ...]]]:
    """Return the comments and NAGs of a game by ply; those of ply 0 are between the tags and the first move."""
    begin, end, fault, where = games.table[row, [pgn.START, pgn.STOP, pgn.FAULT, pgn.FAULT_AT]].tolist()
    tags = games.tags[slice(*games.tag_offsets[row : row + 2])]
    begin = int(tags[-1, 3]) if len(tags) else begin
    if len(moves):
        end = int(moves[0, 0])
    elif fault != pgn.NO_FAULT:
        end = where
    spans = np.vstack([np.array([[begin, max(begin, end)]], np.int32), moves])
    [(comments, nags)] = notes_of_lines(games.text, spans, [0, len(spans)])
    return comments, nags
