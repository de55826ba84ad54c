"""Comments, NAGs and commands (clocks, evaluations) of moves, read and written.

A span is the text from a move's first letter to the end of its annotations. The reader of games stores only the spans,
and this file reads their text only when annotations are requested. A kernel goes once over all spans and fills columns:
a clock, an elapsed time and an evaluation for each move, and lists of NAGs and comments with offsets. Comments are
cleaned so that they can be written between braces and read again. Variations are skipped: their moves have spans of
their own. The last section returns the text between moves unchanged, for files that are rewritten with other moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from setwise.compiler import entry, routine, subroutine
from setwise.compiler.kinds import boolean, float64, int32, int64, reads, uint8, void, writes
from setwise.compiler.words import borrowed
from setwise.notation.pgn.lines import word_end
from setwise.notation.pgn.tokens import EVENT, at_line_start, line_end, starts_with, variation_end
from setwise.notation.text import (
    BAD,
    BLANK,
    BRACKET,
    CARRIAGE_RETURN,
    CLASS,
    CLOSE_BRACE,
    COLON,
    COMMA,
    DASH,
    DIGIT,
    DIGIT_0,
    DIGIT_9,
    DOLLAR,
    DOT,
    END_BRACKET,
    EQUALS,
    GOOD,
    HASH,
    LETTER,
    LOWER_D,
    LOWER_L,
    LOWER_M,
    LOWER_S,
    LOWER_T,
    LOWER_V,
    LOWER_W,
    MOST_BYTES,
    NEWLINE,
    OPEN_BRACE,
    OPEN_PARENTHESIS,
    PERCENT,
    PLUS,
    SEMICOLON,
    SLASH,
    SPACE,
    TAB,
    TEXT,
    UPPER_M,
    WINDOWS_CODES,
    is_utf8,
    letter_at,
    word,
    write_byte,
)
from setwise.patterns.bits import as_int

# --------------------------------------------------------------------------- commands that programs write into comments


#: The value of a mate in 0, in centipawns; a mate in n has this value minus n.
MATE = 32_000
#: Marks a missing evaluation in a column.
NO_EVALUATION = -(2**31)
_MOST = 2**31 - 1

_CLOCK, _ELAPSED, _EVALUATION = word(b"%clk"), word(b"%emt"), word(b"%eval")


@routine
def number_at(text: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """Return the number here and its end; the end is ``at`` if there is no number, or if it has over nine digits."""
    start = at
    value = 0
    while at < stop and DIGIT_0 <= text[at] <= DIGIT_9:
        value = value * 10 + as_int(text[at] - DIGIT_0)
        at += 1
    return (value, at) if at - start < 10 else (0, start)


@routine
def _seconds(text: np.ndarray, at: int, stop: int) -> float:
    """Return the seconds of ``h:m:s]`` or ``h:m:s.d]``, to the microsecond; NaN for any other text."""
    hours, first = number_at(text, at, stop)
    if first == at or first >= stop or text[first] != COLON:
        return np.nan
    minutes, second = number_at(text, first + 1, stop)
    if second == first + 1 or second >= stop or text[second] != COLON:
        return np.nan
    value, at = number_at(text, second + 1, stop)
    if at == second + 1:
        return np.nan
    scale = 1
    if at < stop and text[at] == DOT:
        at += 1
        while at < stop and DIGIT_0 <= text[at] <= DIGIT_9:
            if scale < 1_000_000:
                value, scale = value * 10 + as_int(text[at] - DIGIT_0), scale * 10
            at += 1
    if at >= stop or text[at] != END_BRACKET:
        return np.nan
    return np.float64(hours * 3600 + minutes * 60) + np.float64(value) / np.float64(scale)


@routine
def _centipawns(text: np.ndarray, at: int, stop: int, white: bool) -> tuple[int, int]:
    """Return centipawns from White's side, and the depth behind a comma or 0.

    ``white`` is whether White moved: with a mate in 0, that side has won.
    """
    depth = 0
    mate = at < stop and text[at] == HASH
    at += mate
    sign = -1 if at < stop and text[at] == DASH else 1
    at += at < stop and (text[at] == DASH or text[at] == PLUS)
    value, end = number_at(text, at, stop)
    digits = end - at
    if not mate:
        value *= 100
        if end < stop and text[end] == DOT:
            cents, after = number_at(text, end + 1, stop)
            places = after - end - 1
            if places > 2:
                return NO_EVALUATION, 0
            value += cents * 10 if places == 1 else cents
            digits, end = digits + places, after
    if digits and end < stop and text[end] == COMMA:
        depth, after = number_at(text, end + 1, stop)
        digits, end = digits if after > end + 1 else 0, after
    if digits == 0 or end >= stop or text[end] != END_BRACKET or value > _MOST:
        return NO_EVALUATION, 0
    value *= sign
    if not mate:
        return value, depth
    return MATE - value if value > 0 or (value == 0 and white) else -MATE - value, depth


@routine
def _value(text: np.ndarray, at: int, stop: int) -> int:
    """Return where the value of a command begins, from the end of its name; ``stop`` if no blank separates them."""
    start = at
    while at < stop and (text[at] == SPACE or TAB <= text[at] <= CARRIAGE_RETURN):
        at += 1
    return at if at > start else stop


@subroutine
def read_command(
    text: np.ndarray, at: int, stop: int, white: bool, row: int, clocks: np.ndarray, elapsed: np.ndarray,
    evaluations: np.ndarray, depths: np.ndarray,
) -> None:  # fmt: skip
    """Read the command after a bracket; unknown commands are skipped, and the first readable one of a kind counts."""
    if np.isnan(clocks[row]) and starts_with(text, at, stop, _CLOCK):
        clocks[row] = _seconds(text, _value(text, at + _CLOCK.size, stop), stop)
    elif np.isnan(elapsed[row]) and starts_with(text, at, stop, _ELAPSED):
        elapsed[row] = _seconds(text, _value(text, at + _ELAPSED.size, stop), stop)
    elif evaluations[row] == NO_EVALUATION and starts_with(text, at, stop, _EVALUATION):
        value = _value(text, at + _EVALUATION.size, stop)
        evaluations[row], depths[row] = _centipawns(text, value, stop, white)


# ------------------------------------------------------- comments of programs in which engines play against each other


@routine
def _decimal(text: np.ndarray, at: int, stop: int) -> tuple[float, int]:
    """Return the number here, with or without decimals, and its end; the end is ``at`` if there is no number."""
    whole, end = number_at(text, at, stop)
    if end > at and end < stop and text[end] == DOT:
        part, after = number_at(text, end + 1, stop)
        if after > end + 1:
            return np.float64(whole) + np.float64(part) / 10.0 ** (after - end - 1), after
    return np.float64(whole), end


@routine
def _score(text: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """Return centipawns, or moves to mate behind M, and their end; the end is ``at`` if neither is here."""
    start = at
    sign = -1 if at < stop and text[at] == DASH else 1
    at += at < stop and (text[at] == DASH or text[at] == PLUS)
    mate = at < stop and text[at] == UPPER_M
    value, end = _decimal(text, at + mate, stop)
    if end == at + mate or value > 1e5 or (not mate and (end < 4 or text[end - 3] != DOT)):
        return 0, start
    return sign * (MATE - int(value)) if mate else sign * int(100.0 * value + 0.5), end


@subroutine
def _read_pairs(
    text: np.ndarray, at: int, stop: int, row: int, clocks: np.ndarray, elapsed: np.ndarray, evaluations: np.ndarray,
    depths: np.ndarray,
) -> None:  # fmt: skip
    """Read ``d=30, mt=8000, tl=90000, wv=0.35``: depth, milliseconds spent and left, evaluation for White."""
    while at < stop:
        value = at
        while value < stop and CLASS[text[value]] == LETTER:
            value += 1
        if value < stop and text[value] == EQUALS and value > at:
            first, last = text[at], text[value - 1]
            number, end = _decimal(text, value + 1, stop)
            if first == LOWER_D and value == at + 1 and end > value + 1:
                depths[row] = int(number)
            elif (
                value == at + 2 and first == LOWER_M and last == LOWER_T and end > value + 1 and np.isnan(elapsed[row])
            ):
                elapsed[row] = number / 1000.0
            elif value == at + 2 and first == LOWER_T and last == LOWER_L and end > value + 1 and np.isnan(clocks[row]):
                clocks[row] = number / 1000.0
            elif value == at + 2 and first == LOWER_W and last == LOWER_V and evaluations[row] == NO_EVALUATION:
                score, end = _score(text, value + 1, stop)
                evaluations[row] = score if end > value + 1 else NO_EVALUATION
        at = value
        while at < stop and text[at] != COMMA:
            at += 1
        at += 1
        while at < stop and CLASS[text[at]] == BLANK:
            at += 1


@subroutine
def read_engine(
    text: np.ndarray, at: int, stop: int, white: bool, row: int, clocks: np.ndarray, elapsed: np.ndarray,
    evaluations: np.ndarray, depths: np.ndarray,
) -> None:  # fmt: skip
    """Read a comment as cutechess and fastchess write it, ``+0.31/12 0.52s``, or as TCEC does, ``d=30, wv=0.35``.

    The former is from the mover's side. A number without sign is an evaluation only if a time follows, or if it is 0.
    """
    while at < stop and CLASS[text[at]] == BLANK:
        at += 1
    if at + 1 < stop and text[at] == LOWER_D and text[at + 1] == EQUALS:
        _read_pairs(text, at, stop, row, clocks, elapsed, evaluations, depths)
        return
    score, end = _score(text, at, stop)
    if end == at or end >= stop or text[end] != SLASH or evaluations[row] != NO_EVALUATION:
        return
    depth, after = number_at(text, end + 1, stop)
    seconds, last = (_decimal(text, after + 1, stop)) if after < stop and text[after] == SPACE else (0.0, after + 1)
    is_timed = last > after + 1 and last < stop and text[last] == LOWER_S
    if after == end + 1 or not (is_timed or score == 0 or text[at] == PLUS or text[at] == DASH):
        return
    evaluations[row], depths[row] = score if white else -score, depth
    if is_timed and np.isnan(elapsed[row]):
        elapsed[row] = seconds


# ----------------------------------------------------------------------------------- comments as written between braces


LINE_BREAK = re.compile(r"\r\n?|\n")
_GAME_BEGINS = re.compile(r'\n(?=\[Event ")|(?<=\n)\n(?=\[)')


def clean_comment(text: str) -> str:
    """Return a comment in a form that can be written between braces and read again: without ``}`` and outer blanks.

    PGN cannot escape a closing brace. A line that looks like the start of a game gets a blank before it.
    """
    return _GAME_BEGINS.sub("\n ", LINE_BREAK.sub("\n", text.replace("}", "")).strip())


#: The meaning of a byte inside a comment: most are copied; some need the slow path; a bracket may begin a command; the
#: closing brace ends the comment.
PLAIN, _ODD, COMMAND, LAST = (np.uint8(meaning) for meaning in (0, 1, 2, 4))
MEANING = np.full(256, PLAIN, np.uint8)
MEANING[:SPACE], MEANING[128:], MEANING[BRACKET], MEANING[CLOSE_BRACE] = _ODD, _ODD, COMMAND, LAST

#: The code points that ``str.strip`` removes.
_BLANKS = np.array([ord(blank) for blank in re.findall(r"\s", "".join(map(chr, range(0x3001))))], np.int64)


@routine
def write_comment(text: np.ndarray, start: int, stop: int, seen: np.uint8, first: int, out: np.ndarray, at: int) -> int:
    """Write a comment as ``clean_comment`` returns it, in UTF-8, after other comments of its move.

    The comments of the move begin at ``first``. ``seen`` holds the bits of all meanings among the bytes of this
    comment. Returns where the output ends.
    """
    if seen & _ODD:
        return _write_odd_comment(text, start, stop, first, out, at)
    while start < stop and text[start] == SPACE:
        start += 1
    while start < stop and text[stop - 1] == SPACE:
        stop -= 1
    if start < stop and at > first:
        out[at] = SPACE
        at += 1
    for k in range(stop - start):
        out[at + k] = text[start + k]
    return at + stop - start


@subroutine
def _blank_bytes(text: np.ndarray, at: int, stop: int, latin: bool) -> int:
    """Return the length in bytes of the blank here; 0 if it is not a blank."""
    code, length = (WINDOWS_CODES[text[at]], 1) if latin else letter_at(text, at, stop)
    for blank in _BLANKS:
        if code == blank:
            return length
    return 0


@subroutine
def _stripped(text: np.ndarray, start: int, stop: int, latin: bool) -> tuple[int, int]:
    """Return the span without the blanks at both ends."""
    blank = 1
    while start < stop and blank:
        blank = _blank_bytes(text, start, stop, latin)
        start += blank
    while start < stop:
        last = stop - 1
        while not latin and text[last] >> 6 == 2:  # continuation bytes of a character
            last -= 1
        blank = _blank_bytes(text, last, stop, latin)
        if not blank:
            break
        stop = last
    return start, stop


@subroutine
def _write_odd_comment(text: np.ndarray, start: int, stop: int, first: int, out: np.ndarray, at: int) -> int:
    """Write a comment as ``write_comment`` does, for any bytes."""
    latin = not is_utf8(text, start, stop)
    start, stop = _stripped(text, start, stop, latin)
    if start < stop and at > first:
        out[at] = SPACE
        at += 1
    breaks = 0  # line breaks just before
    for k in range(start, stop):
        byte = text[k]
        if byte == NEWLINE or byte == CARRIAGE_RETURN:
            if byte == NEWLINE or text[k + 1] != NEWLINE:
                out[at] = NEWLINE
                at += 1
                breaks += 1
            continue
        if byte == BRACKET and (breaks > 1 or (breaks == 1 and starts_with(text, k, stop, EVENT))):
            out[at] = SPACE
            at += 1
        breaks = 0
        at = write_byte(byte, latin, out, at)
    return at


# ---------------------------------------------------------------------------------------------------------- the kernel


@routine
def _glyph_at(text: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """Return the NAG here, ``$6`` or a suffix such as ``?!``, and where it ends; 0 for a NAG above 255."""
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
    """Insert a NAG into the sorted NAGs of its move, unless it is there; return where the NAGs end."""
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
    text: np.ndarray, at: int, stop: int, white: bool, move: int, clocks: np.ndarray, elapsed: np.ndarray,
    evaluations: np.ndarray, depths: np.ndarray,
) -> tuple[int, np.uint8]:  # fmt: skip
    """Read a comment's commands, or what an engine wrote; return its end, and the bits of its bytes' meanings."""
    seen, start = PLAIN, at
    while at < stop:
        meaning = MEANING[text[at]]
        if meaning == LAST:
            break
        seen |= meaning
        at += 1
        if meaning == COMMAND:
            read_command(text, at, stop, white, move, clocks, elapsed, evaluations, depths)
    if start < at and (CLASS[text[start]] != LETTER or text[start] == LOWER_D):
        read_engine(text, start, at, white, move, clocks, elapsed, evaluations, depths)
    return at, seen


@entry(
    void, TEXT, reads(int32, 2),
    reads(int64), reads(boolean),
    writes(float64), writes(float64), writes(int32), writes(int32),
    writes(int32), writes(uint8), writes(int32), writes(uint8),
)  # fmt: skip
def _read(
    text: np.ndarray, spans: np.ndarray, games: np.ndarray, white: np.ndarray, clocks: np.ndarray,
    elapsed: np.ndarray, evaluations: np.ndarray, depths: np.ndarray, nag_offsets: np.ndarray, nags: np.ndarray,
    comment_offsets: np.ndarray, comments: np.ndarray,
) -> None:  # fmt: skip
    """Read the spans of moves; ``games`` holds the first span of each game, ``white`` whether White moves first."""
    text, nags, comments = borrowed(text), borrowed(nags), borrowed(comments)
    clocks, elapsed, evaluations = borrowed(clocks), borrowed(elapsed), borrowed(evaluations)
    depths = borrowed(depths)
    nag, out = 0, 0
    for game in range(games.size - 1):
        by_white = white[game]
        for move in range(games[game], games[game + 1]):
            clocks[move] = elapsed[move] = np.nan
            evaluations[move], depths[move] = NO_EVALUATION, 0
            first_nag, first = nag, out
            nag_offsets[move], comment_offsets[move] = first_nag, first
            at, stop = as_int(spans[move, 0]), as_int(spans[move, 1])
            while at < stop:
                byte = text[at]
                if byte == OPEN_BRACE:
                    start = at + 1
                    at, seen = _read_comment(text, start, stop, by_white, move, clocks, elapsed, evaluations, depths)
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

    #: Seconds, NaN for a move without a clock.
    clocks: np.ndarray
    elapsed: np.ndarray
    #: Centipawns from White's side, ``NO_EVALUATION`` for a move without an evaluation.
    evaluations: np.ndarray
    #: How deep an engine searched, 0 for a move without a depth.
    depths: np.ndarray
    nag_offsets: np.ndarray
    #: Ascending for each move; suffixes are NAGs 1 to 6; NAG 0 and NAGs above 255 are left out.
    nags: np.ndarray
    comment_offsets: np.ndarray
    #: UTF-8, cleaned as by ``clean_comment``; several comments of a move are joined by a blank.
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
    # A glyph takes at least one byte of text. A byte of a comment becomes at most three bytes, in Windows-1252; or two,
    # if a blank is put before it. The blank that joins two comments replaces a brace.
    nags, comments = np.empty(room, np.uint8), np.empty(MOST_BYTES * room, np.uint8)
    (clocks, elapsed), (evaluations, depths) = np.empty((2, count)), np.empty((2, count), np.int32)
    nag_offsets, comment_offsets = np.empty((2, count + 1), np.int32)
    _read(text, spans, games, white, clocks, elapsed, evaluations, depths, nag_offsets, nags, comment_offsets, comments)
    nags, comments = nags[: nag_offsets[-1]], comments[: comment_offsets[-1]]
    return Notes(clocks, elapsed, evaluations, depths, nag_offsets, nags, comment_offsets, comments)


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


# --------------------------------------------------------------------------------- the texts between the moves of games


@routine
def _begins_after(text: np.ndarray, start: int, stop: int) -> int:
    """Return where the annotations of the move at ``start`` begin: after its letters, before ``!`` and ``?``."""
    end, at = min(word_end(text, start), stop), start
    while at < end and text[at] != GOOD and text[at] != BAD:
        at += 1
    return at


@routine
def _holds_lines(text: np.ndarray, start: int, stop: int) -> bool:
    """Whether a text may have a comment that ends with its line, or an escaped line: then its line breaks are kept."""
    for at in range(start, stop):
        if text[at] == SEMICOLON or (text[at] == PERCENT and at > 0 and text[at - 1] == NEWLINE):
            return True
    return False


@routine
def _blanks_begin(text: np.ndarray, start: int, stop: int) -> int:
    """Return where the blanks at the end of a text begin."""
    while stop > start and CLASS[text[stop - 1]] == BLANK:
        stop -= 1
    return stop


@routine
def _without_number(text: np.ndarray, start: int, stop: int) -> int:
    """Return where the number of the next move, with the blanks around it, begins at the end of a text."""
    end = stop
    while end > start and (CLASS[text[end - 1]] == BLANK or text[end - 1] == DOT):
        end -= 1
    has_dot = False
    for at in range(end, stop):
        has_dot |= text[at] == DOT
    digits = end
    while digits > start and CLASS[text[digits - 1]] == DIGIT:
        digits -= 1
    is_number = has_dot and digits < end
    if digits > start and (text[digits - 1] == DOLLAR or CLASS[text[digits - 1]] == LETTER):
        is_number = False
    return _blanks_begin(text, start, digits if is_number else stop)


@entry(void, TEXT, reads(int64), reads(int64), reads(uint8), writes(int64), writes(uint8))
def _write(
    text: np.ndarray, starts: np.ndarray, stops: np.ndarray, kinds: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    text, out = borrowed(text), borrowed(out)
    end = 0
    for k in range(starts.size):
        offsets[k] = end
        start, stop = as_int(starts[k]), as_int(stops[k])
        if kinds[k] & 1:
            start = _begins_after(text, start, stop)
        holds_lines = _holds_lines(text, start, stop)
        while start < stop and (text[start] == SPACE or (not holds_lines and CLASS[text[start]] == BLANK)):
            start += 1
        stop = _blanks_begin(text, start, stop) if kinds[k] & 2 or holds_lines else _without_number(text, start, stop)
        for at in range(start, stop):
            out[end] = text[at]
            end += 1
        if holds_lines:
            out[end] = NEWLINE
            end += 1
    offsets[starts.size] = end


def annotation_texts(
    text: np.ndarray, starts: np.ndarray, stops: np.ndarray, *, of_moves: np.ndarray, numbered: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the annotations in spans of a text, concatenated, and where each begins and the last one ends.

    Args:
        text: bytes, uint8.
        starts: int64, where each span begins.
        stops: int64, where each span ends: before the next move, whose number is left out.
        of_moves: whether a span begins with a move, which is left out.
        numbered: whether a number at the end of a span is kept.
    """
    kinds = of_moves.astype(np.uint8) | numbered.astype(np.uint8) << 1
    offsets = np.empty(len(starts) + 1, np.int64)
    out = np.empty(int((stops - starts).sum()) + len(starts), np.uint8)
    _write(text, starts.astype(np.int64), stops.astype(np.int64), kinds, offsets, out)
    return out[: offsets[-1]], offsets
