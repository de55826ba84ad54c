"""Remove comments, variations, NAGs or tags from the texts of games.

The rest is copied unchanged. Where something between two moves is removed, a line break there remains.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import entry, routine, subroutine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import boolean, int64, reads, uint8, void, writes
from setwise.notation.characters import (
    BAD,
    BLANK,
    CARRIAGE_RETURN,
    CLASS,
    CLOSE_PARENTHESIS,
    DOT,
    GOOD,
    NEWLINE,
    OPEN_PARENTHESIS,
    SPACE,
    word,
)
from setwise.notation.pgn.tags import FEN, VARIANT, is_named, tag_at
from setwise.notation.pgn.tokens import (
    COMMENT,
    MOVE,
    NAG,
    NUMBER,
    PASS,
    REST_OF_LINE,
    TAG,
    VARIATION,
    blanks_end,
    comment_end,
    digits_end,
    line_end,
    number_end,
    result_at,
    token_at,
    variation_end,
)
from setwise.notation.pgn.tokens import RESULT as RESULT_TOKEN
from setwise.notation.scanning import TEXT

__all__ = ["PARTS", "stripped"]

#: What can be removed. Of the tags, the Seven Tag Roster and those of the starting position remain.
PARTS = ("comments", "variations", "nags", "tags")
_KEPT = (word(b"Event"), word(b"Site"), word(b"Date"), word(b"Round"), word(b"White"), word(b"Black"), word(b"Result"))
_SETUP = word(b"SetUp")
_ENDS_MOVE = np.zeros(256, np.bool_)
_ENDS_MOVE[list(b"!?$;{}()[]")] = True


@routine
def _is_kept(text: np.ndarray, start: int, stop: int) -> bool:
    """Whether a tag is never removed."""
    for name in _KEPT:
        if is_named(text, start, stop, name):
            return True
    return (
        is_named(text, start, stop, FEN) or is_named(text, start, stop, VARIANT) or is_named(text, start, stop, _SETUP)
    )


@subroutine
def _write_gap(text: np.ndarray, start: int, stop: int, out: np.ndarray, first: int, at: int, in_moves: bool) -> int:
    """Write the blank or line break between two tokens where something was removed; return where it ends.

    The blanks before the removed part are at the end of the output, those after it are the span. Before the first move
    the output stays as it is, because an empty line separates the tags from the moves.
    """
    breaks = 0
    for k in range(start, stop):
        breaks += text[k] == NEWLINE
    if not in_moves:
        return at
    crlf = False
    for k in range(start, stop):
        crlf |= text[k] == CARRIAGE_RETURN
    while at > first and CLASS[out[at - 1]] == BLANK:
        at -= 1
        breaks += out[at] == NEWLINE
        crlf |= out[at] == CARRIAGE_RETURN
    if breaks and crlf:
        out[at] = CARRIAGE_RETURN
        at += 1
    out[at] = NEWLINE if breaks else SPACE
    return at + 1


@subroutine
def _copy(text: np.ndarray, start: int, stop: int, out: np.ndarray, at: int) -> int:
    for k in range(stop - start):
        out[at + k] = text[start + k]
    return at + stop - start


@subroutine
def _move_end(text: np.ndarray, at: int) -> int:
    """Return the end of a move's text, before a glyph or a comment that follows it without a blank.

    Glyphs inside a move are part of its text, as SAN is read: ``Nf?3`` is Nf3.
    """
    while at < text.size and CLASS[text[at]] != BLANK:
        behind = at
        while behind < text.size and (text[behind] == GOOD or text[behind] == BAD):
            behind += 1
        is_last = behind == text.size or CLASS[text[behind]] == BLANK or _ENDS_MOVE[text[behind]]
        if is_last and _ENDS_MOVE[text[at]]:
            break
        at = max(at + 1, behind)
    promotes = at + 2 < text.size and text[at] == OPEN_PARENTHESIS and text[at + 2] == CLOSE_PARENTHESIS  # a8(Q)
    return at + 3 if promotes else at


@routine
def _is_blacks(text: np.ndarray, start: int, stop: int) -> bool:
    """Whether a number has the dots of a black move."""
    return stop - start > 2 and text[stop - 1] == DOT and text[stop - 2] == DOT


@routine
def _tag_end(text: np.ndarray, at: int, stop: int, no_tags: bool) -> tuple[int, bool]:
    """Return the end of a tag, and whether it is removed, together with the blanks and the line break behind it."""
    name, name_stop, _, _, end = tag_at(text, at)
    end = text.size if end < 0 else end
    if not no_tags or _is_kept(text, name, name_stop):
        return min(end, stop), False
    while end < stop and CLASS[text[end]] == BLANK and text[end] != NEWLINE:
        end += 1
    return end + (end < stop and text[end] == NEWLINE), True


@routine
def _token_end(text: np.ndarray, at: int, kind: np.uint8, no_variations: bool) -> int:
    """Return the end of a token other than a tag; of a variation that remains, the end of its parenthesis."""
    if CLASS[text[at]] == BLANK:
        return blanks_end(text, at)
    if kind == COMMENT:
        return comment_end(text, at + 1)[0]
    if kind == REST_OF_LINE:
        return line_end(text, at)
    if kind == VARIATION and no_variations:
        return variation_end(text, at + 1)[0]
    if kind == NAG:
        return digits_end(text, at + 1)
    if kind == MOVE or kind == PASS:
        return _move_end(text, at)
    if kind == RESULT_TOKEN:
        return at + result_at(text, at)[1]
    if kind == NUMBER:
        return number_end(text, at)
    return at + 1


@routine
def _is_removed(
    text: np.ndarray, at: int, kind: np.uint8, no_comments: bool, no_variations: bool, no_nags: bool
) -> bool:
    """Whether a token is one of the parts to remove."""
    if kind == COMMENT or kind == REST_OF_LINE:
        return no_comments
    if kind == VARIATION:
        return no_variations
    return no_nags and (kind == NAG or text[at] == GOOD or text[at] == BAD)


@entry(
    void, TEXT, reads(int64), reads(int64), boolean, boolean, boolean, boolean, writes(int64), writes(uint8),
)  # fmt: skip
def _strip(
    text: np.ndarray,
    starts: np.ndarray,
    stops: np.ndarray,
    no_comments: bool,
    no_variations: bool,
    no_nags: bool,
    no_tags: bool,
    offsets: np.ndarray,
    out: np.ndarray,
) -> None:
    text, out = borrowed(text), borrowed(out)
    end = 0
    for game in range(starts.size):
        at, stop, first = starts[game], stops[game], end
        offsets[game] = first
        # Whether the tags are over, whether a move precedes, and whether something was removed since.
        in_moves = follows = has_gone = False
        while at < stop:
            start, kind = at, token_at(text, at)
            if kind == TAG and not in_moves:
                at, goes = _tag_end(text, at, stop, no_tags)
                if not goes:
                    end = _copy(text, start, at, out, end)
                continue
            at = min(_token_end(text, at, kind, no_variations), stop)
            # The number of a black move repeats the one before: 1. e4 {removed} 1... e5.
            repeats = kind == NUMBER and follows and has_gone and _is_blacks(text, start, at)
            if repeats or _is_removed(text, start, kind, no_comments, no_variations, no_nags):
                blanks = at
                at = min(blanks_end(text, at), stop)
                end = _write_gap(text, blanks, at, out, first, end, in_moves)
                has_gone = True
                continue
            is_move, is_parenthesis = (
                kind == MOVE or kind == PASS,
                kind == VARIATION or text[start] == CLOSE_PARENTHESIS,
            )
            in_moves |= is_move or kind == VARIATION or kind == RESULT_TOKEN or kind == NUMBER
            if is_move or is_parenthesis:
                follows = is_move
            has_gone &= not (is_move or is_parenthesis or kind == COMMENT or kind == REST_OF_LINE)
            end = _copy(text, start, at, out, end)
    offsets[starts.size] = end


def stripped(
    text: np.ndarray, starts: np.ndarray, stops: np.ndarray, parts: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the texts of games without some parts, concatenated, and where each begins and the last one ends.

    Args:
        text: bytes, uint8.
        starts: int64, where each game begins in it.
        stops: int64, where each ends.
        parts: what to remove, of ``PARTS``.
    """
    offsets = np.empty(len(starts) + 1, np.int64)
    # A removed part leaves a blank or a line break: at most two bytes for each byte.
    out = np.empty(2 * int((stops - starts).sum()) + 2, np.uint8)
    _strip(text, starts, stops, *(part in parts for part in PARTS), offsets, out)
    return out[: offsets[-1]], offsets
