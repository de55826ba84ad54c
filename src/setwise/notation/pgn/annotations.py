"""Annotations of moves in PGN, read by one compiled kernel: comments, NAGs, and commands inside comments.

A span is the text from a move's first letter to the end of its annotations. Variations are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from setwise.compiler import entry, routine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import boolean, float64, int32, int64, reads, uint8, void, writes
from setwise.notation.characters import BAD, DOLLAR, GOOD, OPEN_BRACE, OPEN_PARENTHESIS, PERCENT, SEMICOLON
from setwise.notation.letters import MOST_BYTES
from setwise.notation.pgn.commands import MATE, NO_EVALUATION, number_at, read_command
from setwise.notation.pgn.comments import COMMAND, LAST, MEANING, PLAIN, write_comment
from setwise.notation.pgn.tokens import at_line_start, line_end, variation_end
from setwise.notation.scanning import TEXT
from setwise.patterns.bits import as_int

__all__ = ["MATE", "NO_EVALUATION", "Notes", "notes_in_comments", "read_notes"]

# ---------------------------------------------------------------------------------------------------------- the kernel


@routine
def _glyph_at(text: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """Return the NAG here, ``$6`` or a suffix such as ``?!``, and where it ends; 0 if it does not fit a byte."""
    byte = text[at]
    at += 1
    if byte == DOLLAR:
        nag, at = number_at(text, at, stop)
        return nag if nag < 256 else 0, at
    nag = 1 if byte == GOOD else 2
    if at < stop and (text[at] == GOOD or text[at] == BAD):
        nag += 2 if text[at] == byte else 4
        at += 1
    return nag, at


@routine
def _insert(nags: np.ndarray, first: int, end: int, nag: int) -> int:
    """Insert a NAG among those of its move, sorted without repetition; return where they end."""
    at = end
    while at > first and nags[at - 1] > nag:
        at -= 1
    if at > first and nags[at - 1] == nag:
        return end
    for k in range(end, at, -1):
        nags[k] = nags[k - 1]
    nags[at] = nag
    return end + 1


@routine
def _read_comment(
    text: np.ndarray,
    at: int,
    stop: int,
    white: bool,
    move: int,
    clocks: np.ndarray,
    elapsed: np.ndarray,
    evaluations: np.ndarray,
) -> tuple[int, np.uint8]:
    """Read the commands of a comment; return where its text ends, and the bits of all meanings in it."""
    seen = PLAIN
    while at < stop:
        meaning = MEANING[text[at]]
        if meaning == LAST:
            break
        seen |= meaning
        at += 1
        if meaning == COMMAND:
            read_command(text, at, stop, white, move, clocks, elapsed, evaluations)
    return at, seen


@entry(
    void, TEXT, reads(int32, 2),
    reads(int64), reads(boolean),
    writes(float64), writes(float64), writes(int32),
    writes(int32), writes(uint8), writes(int32), writes(uint8),
)  # fmt: skip
def _read(
    text: np.ndarray,
    spans: np.ndarray,
    games: np.ndarray,
    white: np.ndarray,
    clocks: np.ndarray,
    elapsed: np.ndarray,
    evaluations: np.ndarray,
    nag_offsets: np.ndarray,
    nags: np.ndarray,
    comment_offsets: np.ndarray,
    comments: np.ndarray,
) -> None:
    """Read the spans of moves; ``games`` holds the first span of each game, ``white`` whether White moves first."""
    text, nags, comments = borrowed(text), borrowed(nags), borrowed(comments)
    clocks, elapsed, evaluations = borrowed(clocks), borrowed(elapsed), borrowed(evaluations)
    nag, out = 0, 0
    for game in range(games.size - 1):
        by_white = white[game]
        for move in range(games[game], games[game + 1]):
            clocks[move] = elapsed[move] = np.nan
            evaluations[move] = NO_EVALUATION
            first_nag, first = nag, out
            nag_offsets[move], comment_offsets[move] = first_nag, first
            at, stop = as_int(spans[move, 0]), as_int(spans[move, 1])
            while at < stop:
                byte = text[at]
                if byte == OPEN_BRACE:
                    start = at + 1
                    at, seen = _read_comment(text, start, stop, by_white, move, clocks, elapsed, evaluations)
                    out = write_comment(text, start, at, seen, first, comments, out)
                    at += 1
                elif byte == OPEN_PARENTHESIS:
                    at, _ = variation_end(text, at + 1)
                elif byte == GOOD or byte == BAD or byte == DOLLAR:
                    glyph, at = _glyph_at(text, at, stop)
                    if glyph:
                        nag = _insert(nags, first_nag, nag, glyph)
                elif byte == SEMICOLON or (byte == PERCENT and at_line_start(text, at)):
                    at = line_end(text, at)
                else:
                    at += 1
            by_white = not by_white
    nag_offsets[spans.shape[0]], comment_offsets[spans.shape[0]] = nag, out


# ----------------------------------------------------------------------------------------------------- Python functions


class Notes(NamedTuple):
    """Annotations in columns, a value per move; NAGs and comments are concatenated, with offsets."""

    #: Seconds, NaN where there are none.
    clocks: np.ndarray
    elapsed: np.ndarray
    #: Centipawns from White's side, ``NO_EVALUATION`` where there is none.
    evaluations: np.ndarray
    nag_offsets: np.ndarray
    #: Ascending for each move; suffixes are NAGs 1 to 6; NAG 0 and those that do not fit a byte are left out.
    nags: np.ndarray
    comment_offsets: np.ndarray
    #: UTF-8, as ``clean_comment`` leaves it, several joined by a blank.
    comments: np.ndarray


def read_notes(text: np.ndarray, spans: np.ndarray, games: np.ndarray, white: np.ndarray) -> Notes:
    """Return the annotations in spans of a text.

    Args:
        text: bytes, uint8.
        spans: int32, where the span of each move starts and stops.
        games: int64, the first span of each game, and the number of all spans.
        white: whether White makes the first move of each game.
    """
    count, room = len(spans), int((spans[:, 1] - spans[:, 0]).sum())
    # A glyph takes at least one byte. A byte of a comment becomes at most two, as Latin-1 or with a blank before it;
    # the blank that joins two comments replaces a brace.
    nags, comments = np.empty(room, np.uint8), np.empty(MOST_BYTES * room, np.uint8)
    (clocks, elapsed), evaluations = np.empty((2, count)), np.empty(count, np.int32)
    nag_offsets, comment_offsets = np.empty((2, count + 1), np.int32)
    _read(text, spans, games, white, clocks, elapsed, evaluations, nag_offsets, nags, comment_offsets, comments)
    nags, comments = nags[: nag_offsets[-1]], comments[: comment_offsets[-1]]
    return Notes(clocks, elapsed, evaluations, nag_offsets, nags, comment_offsets, comments)


def notes_in_comments(comments: Iterable[str], *, white: bool) -> Notes:
    """Return the annotations in the comments of one game, one clean comment per move.

    Example:
        >>> from setwise.notation.pgn.annotations import notes_in_comments
        >>> notes = notes_in_comments(["[%eval -0.53,21] solid", "[%clk 0:01:30.5] [%eval #-4]"], white=True)
        >>> notes.evaluations, notes.clocks
        (array([   -53, -31996], dtype=int32), array([ nan, 90.5]))
    """
    pieces = [b"{%b}" % comment.encode() for comment in comments]
    stops = np.cumsum([0, *map(len, pieces)], dtype=np.int32)
    spans = np.stack([stops[:-1], stops[1:]], axis=1)
    text = np.frombuffer(b"".join(pieces), np.uint8)
    return read_notes(text, spans, np.array([0, len(pieces)]), np.array([white]))
