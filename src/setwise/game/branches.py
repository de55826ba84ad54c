"""The variations of one game as plain values, read from the columns of a batch."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from setwise.notation.pgn import parentheses as pgn
from setwise.notation.pgn.annotations import read_notes
from setwise.notation.pgn.lines import Lines
from setwise.position.move import MOVE_TABLES, Move

__all__ = ["Branch", "Notes", "branches_of", "notes_of_lines"]

#: Comments and NAGs by ply; comments of ply 0 precede the moves.
Notes = tuple[dict[int, str], dict[int, tuple[int, ...]]]


class Branch(NamedTuple):
    """A variation: how many plies of the game precede it, its moves, its comments and NAGs, the variations inside."""

    ply: int
    moves: tuple[Move, ...]
    comments: dict[int, str]
    nags: dict[int, tuple[int, ...]]
    branches: tuple[Branch, ...]


def notes_of_lines(text: np.ndarray, spans: np.ndarray, begins: list[int]) -> list[Notes]:
    """Return comments and NAGs by ply; the first span of each line is the text before its first move."""
    # The mover matters only for evaluations, which are not used here.
    white = np.ones(len(begins) - 1, np.bool_)
    notes = read_notes(text, spans, np.array(begins), white)
    texts, glyphs = notes.comments.tobytes(), notes.nags.tolist()
    comments = [texts[start:stop].decode() for start, stop in pairwise(notes.comment_offsets.tolist())]
    nags = [tuple(glyphs[start:stop]) for start, stop in pairwise(notes.nag_offsets.tolist())]
    return [
        (
            {ply: comment for ply, comment in enumerate(comments[first:last]) if comment},
            {ply: several for ply, several in enumerate(nags[first:last]) if several and ply},  # no move, no glyph
        )
        for first, last in pairwise(begins)
    ]


def branches_of(text: np.ndarray, lines: Lines, chess960: bool) -> tuple[Branch, ...]:
    """Return the variations of one game, in the order of their parentheses, without those that hold nothing."""
    table, offsets = lines.table, lines.offsets.tolist()
    if not len(table):
        return ()
    # Before the moves of each line comes the text between its parenthesis and its first move.
    opens, first = table[:, pgn.OPENS] + 1, lines.offsets[:-1]
    ends = table[:, pgn.CLOSES].copy()
    ends[table[:, pgn.COUNT] > 0] = lines.notes[first[table[:, pgn.COUNT] > 0], 0]
    spans = np.insert(lines.notes, first, np.stack([opens, ends], axis=1), axis=0)
    notes = notes_of_lines(text, spans, [offset + line for line, offset in enumerate(offsets)])
    moves = MOVE_TABLES[chess960].array[lines.moves].tolist()
    branches: list[list[Branch]] = [[] for _ in range(len(table) + 1)]  # the last one has those of the game
    for line in reversed(range(len(table))):  # the variations inside a line follow it
        ply, parent = table[line, [pgn.PLY, pgn.PARENT]].tolist()
        own = tuple(moves[offsets[line] : offsets[line + 1]])
        comments, nags = notes[line]
        if own or comments:
            branches[parent].append(Branch(ply, own, comments, nags, tuple(reversed(branches[line]))))
    return tuple(reversed(branches[-1]))
