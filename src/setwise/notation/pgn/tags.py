"""Tags: where a tag ends, which variants are known, and the values of one tag in all games."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import entry, routine, subroutine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import boolean, int32, int64, reads, uint8, void, writes
from setwise.notation.characters import (
    BACKSLASH,
    BLANK,
    CARRIAGE_RETURN,
    CLASS,
    END_BRACKET,
    LETTER,
    NEWLINE,
    QUOTE,
    SPACE,
    word,
)
from setwise.notation.letters import MOST_BYTES, is_utf8, write_byte
from setwise.notation.pgn.tokens import line_end, starts_with
from setwise.notation.scanning import TEXT, find
from setwise.patterns.bits import as_int
from setwise.rules.variants import STANDARD, VARIANTS

__all__ = [
    "FEN", "KNOWN_VARIANTS", "VARIANT", "Values", "is_named", "same_name", "tag_at", "values_of", "variant_number",
]  # fmt: skip

FEN, VARIANT = word(b"FEN"), word(b"Variant")
#: Beginnings of the values of the tag ``Variant``, in lower case, that mean the rules of standard chess and Chess960.
KNOWN_VARIANTS = tuple(map(word, (
    b"standard", b"chess", b"normal", b"from position", b"chess960", b"chess 960", b"fischer", b"freestyle", b"?",
)))  # fmt: skip

#: The beginnings that mean other rules, and the numbers of their variants.
_SPELLINGS = tuple(word(text.encode()) for variant in VARIANTS for text in (variant.name.lower(), *variant.spellings))
_NUMBERS = tuple(number for number, variant in enumerate(VARIANTS, start=1) for _ in (variant.name, *variant.spellings))

# --------------------------------------------------------------------------------------------------------------- names


@routine
def is_named(text: np.ndarray, start: int, stop: int, name: np.ndarray) -> bool:
    """Whether a span is exactly a name."""
    return stop - start == name.size and starts_with(text, start, stop, name)


@routine
def _name_ends(text: np.ndarray, at: int) -> bool:
    """Whether a tag's name ends here."""
    return at >= text.size or CLASS[text[at]] == BLANK or text[at] == QUOTE or text[at] == END_BRACKET


@subroutine
def same_name(text: np.ndarray, at: int, start: int, stop: int) -> bool:
    """Whether the tag here has the same name as the tag whose name is in a span."""
    for k in range(stop - start):
        if at + k >= text.size or text[at + k] != text[start + k]:
            return False
    return _name_ends(text, at + stop - start)


@subroutine
def _lower(byte: np.uint8) -> np.uint8:
    return byte | np.uint8(32) if CLASS[byte] == LETTER else byte


@subroutine
def _begins_ignoring_case(text: np.ndarray, start: int, stop: int, word: np.ndarray) -> bool:
    if stop - start < word.size:
        return False
    for k in range(word.size):
        if _lower(text[start + k]) != word[k]:
            return False
    return True


@subroutine
def variant_number(text: np.ndarray, start: int, stop: int) -> int:
    """The number of the variant in a span, the value of a tag ``Variant``; -1 if its rules are not known here."""
    if start == stop:
        return STANDARD
    for name in KNOWN_VARIANTS:
        if _begins_ignoring_case(text, start, stop, name):
            return STANDARD
    for k in range(len(_SPELLINGS)):
        if _begins_ignoring_case(text, start, stop, _SPELLINGS[k]):
            return _NUMBERS[k]
    return -1


# --------------------------------------------------------------------------------------------------------------- spans


@routine
def tag_at(text: np.ndarray, at: int) -> tuple[int, int, int, int, int]:
    """Return the spans of a tag's name and value, and where the tag ends; the last is -1 when the text breaks off."""
    start = at + 1
    stop = start
    while not _name_ends(text, stop):
        stop += 1
    value = stop
    while value < text.size and text[value] != QUOTE and text[value] != END_BRACKET and text[value] != NEWLINE:
        value += 1
    if value >= text.size:
        return start, stop, value, value, -1
    if text[value] != QUOTE:
        return start, stop, value, value, line_end(text, value)
    end = find(text, value + 1, QUOTE, NEWLINE)
    if end + 1 < text.size and text[end] == QUOTE and text[end + 1] == END_BRACKET and text[end - 1] != BACKSLASH:
        return start, stop, value + 1, end, end + 2
    value, end, line = _odd_value(text, value + 1)
    return start, stop, value, end, line


@subroutine
def _odd_value(text: np.ndarray, value: int) -> tuple[int, int, int]:
    """The span of a value that holds quotes, and where parsing continues, as ``tag_at``.

    A quote that a backslash escapes belongs to the value; so does an unescaped one, for the value ends at the last
    quote before the bracket at the end.
    """
    end, quote = value, -1
    while end < text.size and text[end] != NEWLINE:
        if text[end] == BACKSLASH and end + 1 < text.size and text[end + 1] != NEWLINE:
            end += 2
            continue
        if text[end] == QUOTE:
            quote = end
            after = end + 1
            while after < text.size and (text[after] == SPACE or text[after] == CARRIAGE_RETURN):
                after += 1
            if after < text.size and text[after] == END_BRACKET:
                return value, end, after + 1
        end += 1
    line = -1 if end >= text.size and quote < 0 else end
    if quote < 0:
        quote = end
        while quote > value and text[quote - 1] == CARRIAGE_RETURN:
            quote -= 1
    return value, quote, line


# -------------------------------------------------------------------------------------------------------------- values


class Values(NamedTuple):
    """A tag's values in the layout of Arrow strings: concatenated, with offsets, and whether each game has one."""

    offsets: np.ndarray
    #: UTF-8.
    data: np.ndarray
    present: np.ndarray


@routine
def _find(text: np.ndarray, tags: np.ndarray, first: int, last: int, name: np.ndarray) -> int:
    """Return the first of some tags with a name, or -1."""
    for tag in range(first, last):
        if is_named(text, as_int(tags[tag, 0]), as_int(tags[tag, 1]), name):
            return tag
    return -1


@routine
def _write_value(text: np.ndarray, start: int, stop: int, data: np.ndarray, at: int) -> int:
    """Write a value without its escapes; return where it ends."""
    latin = not is_utf8(text, start, stop)
    while start < stop:
        if text[start] == BACKSLASH and start + 1 < stop and (text[start + 1] == BACKSLASH or text[start + 1] == QUOTE):
            start += 1
        at = write_byte(text[start], latin, data, at)
        start += 1
    return at


@entry(
    void, TEXT, reads(int32, 2), reads(int64), TEXT,
    writes(int32), writes(uint8), writes(boolean),
)  # fmt: skip
def _write_values(
    text: np.ndarray,
    tags: np.ndarray,
    games: np.ndarray,
    name: np.ndarray,
    offsets: np.ndarray,
    data: np.ndarray,
    present: np.ndarray,
) -> None:
    """Write the values of one tag; ``games`` holds the first tag of each game, and the number of all tags."""
    text, tags, name, data = borrowed(text), borrowed(tags), borrowed(name), borrowed(data)
    at = 0
    for game in range(games.size - 1):
        offsets[game] = at
        tag = _find(text, tags, games[game], games[game + 1], name)
        present[game] = tag >= 0
        if tag >= 0:
            at = _write_value(text, as_int(tags[tag, 2]), as_int(tags[tag, 3]), data, at)
    offsets[games.size - 1] = at


def values_of(name: str, text: np.ndarray, tags: np.ndarray, games: np.ndarray) -> Values:
    """Return the values of a tag in every game, with escapes resolved; if a game repeats the tag, the first counts.

    Args:
        name: the tag's name.
        text: the bytes that contain the tags.
        tags: int32, the spans of names and values.
        games: int64, where each game's tags begin, and their number.
    """
    room = MOST_BYTES * int((tags[:, 3] - tags[:, 2]).sum())
    values = Values(np.empty(len(games), np.int32), np.empty(room, np.uint8), np.empty(len(games) - 1, np.bool_))
    _write_values(text, tags, games, word(name.encode()), *values)
    return values
