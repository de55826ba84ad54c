"""The tokens of PGN and its tags: what the bytes of a game mean, and the table of games that the reader fills.

A game begins at a line that starts with ``[Event "``, and at a tag line after an empty line. These two rules hold
everywhere, also inside an unclosed comment or variation, so that one broken game never swallows the next game. The
first byte of a token decides its kind, by a table of 256 kinds. Functions whose names end in ``_end`` return where a
token ends; they never fail, because the end of the text ends every token. Tags stay in the text, and the table has
their spans; `values_of` copies the values of one tag when they are requested. The columns, faults and results of games
are numbered here, because the reader, the variations and the writer share the numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import entry, routine, subroutine
from setwise.compiler.kinds import boolean, int32, int64, reads, uint8, void, writes
from setwise.compiler.words import borrowed
from setwise.notation.moves import REASONS, UNREADABLE
from setwise.notation.text import (
    AT,
    BACKSLASH,
    BLANK,
    BRACKET,
    CARRIAGE_RETURN,
    CLASS,
    CLOSE_BRACE,
    CLOSE_PARENTHESIS,
    COLON,
    DASH,
    DIGIT,
    DIGIT_0,
    DIGIT_1,
    DIGIT_2,
    DOLLAR,
    DOT,
    END_BRACKET,
    EQUALS,
    LESS,
    LETTER,
    LOWER_E,
    LOWER_L,
    LOWER_N,
    LOWER_P,
    LOWER_S,
    MOST_BYTES,
    NEWLINE,
    OPEN_BRACE,
    OPEN_PARENTHESIS,
    PERCENT,
    PLUS,
    QUOTE,
    SEMICOLON,
    SLASH,
    SPACE,
    STAR,
    TEXT,
    UPPER_Z,
    find,
    is_utf8,
    null_end,
    word,
    write_byte,
)
from setwise.patterns.bits import as_int
from setwise.rules.board import SQUARE_MASK
from setwise.rules.variants import STANDARD, VARIANTS

# ---------------------------------------------------------------------------------------------------- the tokens of PGN


#: The numbers of results in columns.
UNKNOWN, WHITE_WON, BLACK_WON, DRAWN = range(4)
RESULTS = ("*", "1-0", "0-1", "1/2-1/2")

#: The kinds of tokens. Kinds from ``TAG`` on begin a game, kinds from ``COMMENT`` on begin its moves.
(NOISE, REST_OF_LINE, ESCAPED_LINE, NAG, VARIATION, END,
 TAG, RESULT, COMMENT, NUMBER, MOVE, PASS) = (np.uint8(kind) for kind in range(12))  # fmt: skip
_BEGINNINGS = np.full(256, NOISE, np.uint8)
_BEGINNINGS[CLASS == DIGIT], _BEGINNINGS[CLASS == LETTER] = NUMBER, MOVE
_BEGINNINGS[0x80:] = MOVE  # a figurine, a letter of another language, a sign: never nothing
for _byte, _kind in (
    (BRACKET, TAG), (STAR, RESULT), (OPEN_BRACE, COMMENT), (SEMICOLON, REST_OF_LINE), (PERCENT, ESCAPED_LINE),
    (OPEN_PARENTHESIS, VARIATION), (DOLLAR, NAG), (DASH, PASS), (UPPER_Z, PASS), (LESS, PASS),
    (AT, PASS), (COLON, MOVE),
):  # fmt: skip
    _BEGINNINGS[_byte] = _kind

EVENT = word(b'[Event "')


@subroutine
def _lower(byte: np.uint8) -> np.uint8:
    return byte | np.uint8(32) if CLASS[byte] == LETTER else byte


@routine
def token_at(text: np.ndarray, at: int) -> np.uint8:
    """Return the kind of the token at a place without a blank: ``END`` after the text, ``NOISE`` for a lone sign."""
    if at >= text.size:
        return END
    kind = _BEGINNINGS[text[at]]
    second = text[at + 1] if at + 1 < text.size else SPACE
    if kind == NUMBER:
        if result_at(text, at)[1]:
            return RESULT
        if text[at] == DIGIT_0 and null_end(text, at, text.size) > at:
            return PASS
        end = digits_end(text, at)
        if second == SLASH:
            return MOVE  # half a result
        if at > 0 and text[at - 1] == DOT and end < text.size and CLASS[text[end]] == LETTER:
            return MOVE  # 5.7c3 is not the pawn's move c3
        zeros = text[at] == DIGIT_0 and second == DASH and at + 2 < text.size and text[at + 2] == DIGIT_0
        return MOVE if zeros else NUMBER  # castling with zeros
    if kind == TAG:
        return TAG if CLASS[second] == LETTER else NOISE
    if second == SLASH and (text[at] == PLUS or text[at] == EQUALS):
        return MOVE  # a sign such as =/+
    if kind == ESCAPED_LINE:
        return REST_OF_LINE if at_line_start(text, at) else NOISE
    if kind == PASS and null_end(text, at, text.size) == at:
        is_word = text[at] == UPPER_Z or text[at] == DASH
        return MOVE if is_word else NOISE  # a word is reported as a move that cannot be read
    return kind


# --------------------------------------------------------------------------------------------------- words and numbers


@subroutine
def starts_with(text: np.ndarray, at: int, stop: int, word: np.ndarray) -> bool:
    """Whether a word is at a place and ends at ``stop`` or before."""
    if at + word.size > stop:
        return False
    for k in range(word.size):
        if text[at + k] != word[k]:
            return False
    return True


@routine
def blanks_end(text: np.ndarray, at: int) -> int:
    """Return where the next token begins."""
    while at < text.size and CLASS[text[at]] == BLANK:
        at += 1
    return at


@routine
def null_in_parentheses(text: np.ndarray, at: int) -> bool | np.bool:
    """Whether a parenthesis here may hold only ``null`` or ``pass``, by the first and last letter of four."""
    if at + 5 >= text.size or text[at + 5] != CLOSE_PARENTHESIS:
        return False
    first, last = _lower(text[at + 1]), _lower(text[at + 4])
    return (first == LOWER_N and last == LOWER_L) or (first == LOWER_P and last == LOWER_S)


@routine
def word_end(text: np.ndarray, at: int) -> int:
    """Return the end of a word that is in the place of a move; it has one byte at least."""
    at += 1
    while at < text.size and CLASS[text[at]] != BLANK and text[at] != OPEN_BRACE and text[at] != OPEN_PARENTHESIS:
        at += 1
    return at


@routine
def en_passant_end(text: np.ndarray, at: int) -> int:
    """Return the end of ``e.p.`` or ``ep`` if it begins here, else ``at``."""
    if text[at] != LOWER_E or at + 1 >= text.size or (text[at + 1] != DOT and text[at + 1] != LOWER_P):
        return at
    at += 2
    while at < text.size and (text[at] == LOWER_P or text[at] == DOT):
        at += 1
    return at


@routine
def digits_end(text: np.ndarray, at: int) -> int:
    """Return where the digits end."""
    while at < text.size and CLASS[text[at]] == DIGIT:
        at += 1
    return at


@subroutine
def number_end(text: np.ndarray, start: int) -> int:
    """Return the end of a move number and its dots; castling or a result may follow at once (``4.0-0``, ``5.1-0``)."""
    at = digits_end(text, start)
    while at < text.size and text[at] == DOT:
        at += 1
    return at


@subroutine
def result_at(text: np.ndarray, at: int) -> tuple[int, int]:
    """Return the result at this place and its length; length 0 if there is none."""
    byte, rest = text[at], text.size - at
    if byte == STAR:
        return UNKNOWN, 1
    if rest >= 3 and text[at + 1] == DASH:
        if byte == DIGIT_1 and text[at + 2] == DIGIT_0:
            return WHITE_WON, 3
        if byte == DIGIT_0 and text[at + 2] == DIGIT_1:
            return BLACK_WON, 3
    if rest >= 3 and byte == DIGIT_1 and text[at + 1] == SLASH and text[at + 2] == DIGIT_2:
        long = rest >= 7 and text[at + 3] == DASH and text[at + 4] == DIGIT_1 and text[at + 5] == SLASH
        length = 7 if long and text[at + 6] == DIGIT_2 else 3
        behind = text[at + length] if rest > length else SPACE
        is_whole = CLASS[behind] != DIGIT and CLASS[behind] != LETTER
        is_whole &= behind != SLASH and behind != DASH and behind != PLUS
        return DRAWN, length if is_whole else 0
    return UNKNOWN, 0


# -------------------------------------------------------------------------------------------- lines, games, nesting


@subroutine
def line_end(text: np.ndarray, at: int) -> int:
    """Return the end of the line that contains this place."""
    return find(text, at, NEWLINE, NEWLINE)


@subroutine
def at_line_start(text: np.ndarray, at: int) -> bool:
    """Whether only blanks precede a place in its line."""
    while at > 0 and CLASS[text[at - 1]] == BLANK and text[at - 1] != NEWLINE:
        at -= 1
    return at == 0 or text[at - 1] == NEWLINE


@subroutine
def game_begins(text: np.ndarray, at: int) -> bool:
    """Whether a line begins a game regardless of what precedes it: an Event tag, or a tag after an empty line."""
    if text[at] != BRACKET or at + 1 >= text.size or CLASS[text[at + 1]] != LETTER:
        return False
    if starts_with(text, at, text.size, EVENT):
        return True
    before = at - 1
    while before >= 0 and text[before] == CARRIAGE_RETURN:
        before -= 1
    if before < 0 or text[before] != NEWLINE:
        return False
    before -= 1
    while before >= 0 and text[before] == CARRIAGE_RETURN:
        before -= 1
    if before >= 0 and text[before] != NEWLINE:
        return False
    quote = at + 1
    while quote < text.size and CLASS[text[quote]] == LETTER:
        quote += 1
    return quote + 1 < text.size and text[quote] == SPACE and text[quote + 1] == QUOTE


@subroutine
def comment_end(text: np.ndarray, at: int) -> tuple[int, bool]:
    """Return the place after a comment's ``}``, and True; or where the next game begins or the text ends, and False."""
    while True:
        at = find(text, at, CLOSE_BRACE, NEWLINE)
        if at >= text.size:
            return text.size, False
        at += 1
        if text[at - 1] == CLOSE_BRACE:
            return at, True
        if at < text.size and game_begins(text, at):
            return at, False


@subroutine
def variation_end(text: np.ndarray, at: int) -> tuple[int, bool]:
    """Return as ``comment_end`` for the ``)`` of a variation opened before ``at``, nested variations included."""
    depth = 1
    while at < text.size:
        byte = text[at]
        at += 1
        if byte == OPEN_BRACE:
            at, closed = comment_end(text, at)
            if not closed:
                return at, False
        elif byte == SEMICOLON:
            at = line_end(text, at)
        elif byte == OPEN_PARENTHESIS:
            depth += 1
        elif byte == CLOSE_PARENTHESIS:
            depth -= 1
            if depth == 0:
                return at, True
        elif byte == NEWLINE and at < text.size and game_begins(text, at):
            return at, False
    return text.size, False


# ----------------------------------------------------------------------------------------- the output of the PGN reader


#: The columns of the table of games: where a game's text starts and ends, the numbers of its first move and first tag,
#: its result, its fault and where the fault is, the row of its starting position in ``boards`` (-1 for the usual one);
#: the number of its variant, the checks given before its first move (-1 if its FEN does not say) and after its last
#: move; and whether one of its tags is not written as PGN wants it, plus ``MAY_BE_ODD`` if the game has a fault or is a
#: result alone. Checks are one number: White's checks, plus ``BLACKS`` for each of Black's.
(START, STOP, FIRST_MOVE, FIRST_TAG, RESULT_COLUMN, FAULT, FAULT_AT, BOARD, VARIANT_COLUMN, CHECKS, CHECKS_NOW,
 ODD_TAGS) = range(12)  # fmt: skip
GAME_COLUMNS, MAY_BE_ODD = 12, 2
BLACKS = 256

NO_FAULT = -1
#: The reasons why a game ends before its text does, by the numbers of faults; the first are reasons why a text is not a
#: move.
FAULTS = list(REASONS.values())
UNREADABLE_MOVE = int(UNREADABLE & SQUARE_MASK)


def _fault(sentence: str) -> int:
    FAULTS.append(sentence)
    return len(FAULTS) - 1


BAD_FEN = _fault("the FEN of this game is not a legal position")
BAD_VARIANT = _fault(
    "this game is of a variant whose moves are not read (those of standard chess, Chess960, King of the Hill "
    "and Three-check are)"
)
GAME_OVER = _fault("the game has ended before by the rules of its variant")
OPEN_COMMENT = _fault("a comment is never closed")
OPEN_VARIATION = _fault("a variation is never closed")
OPEN_TAG = _fault("the text breaks off inside a tag")


class ParsedGames(NamedTuple):
    """Games in columns."""

    #: One row per game; the columns are numbered from ``START``.
    games: np.ndarray
    #: The moves, 16 bits each, from White's view.
    moves: np.ndarray
    #: Where the name and the value of each tag start and stop.
    tags: np.ndarray
    #: The starting positions other than the usual one, as the words of a ``State``.
    boards: np.ndarray
    #: Where the text of each move and of its annotations starts and stops; None if not requested.
    notes: np.ndarray | None
    #: The boards of all positions as ``replay`` writes them; None if not requested, or if there was not enough room.
    sets: np.ndarray | None = None


# ----------------------------------------------------------------------------------------------------------------- tags


FEN, FEN_AS_TITLE, VARIANT_TAG = word(b"FEN"), word(b"Fen"), word(b"Variant")
#: A value of the tag ``Variant`` means standard chess or Chess960 if it begins with one of these texts, in lower case.
KNOWN_VARIANTS = tuple(map(word, (
    b"standard", b"chess", b"normal", b"regular", b"from position", b"chess960", b"chess 960", b"fischer", b"freestyle",
    b"?",
)))  # fmt: skip

#: The beginnings of values that mean other rules, and the numbers of their variants.
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
def _begins_ignoring_case(text: np.ndarray, start: int, stop: int, word: np.ndarray) -> bool:
    if stop - start < word.size:
        return False
    for k in range(word.size):
        if _lower(text[start + k]) != word[k]:
            return False
    return True


@subroutine
def variant_number(text: np.ndarray, start: int, stop: int) -> int:
    """The number of the variant that the value of a tag ``Variant``, a span, means; -1 for an unknown variant."""
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
    """Return the spans of a tag's name and value, and where the tag ends: -1 if the text ends inside the tag."""
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
    """The span of a value that contains quotes, and where parsing continues, as in ``tag_at``.

    The value ends at the last quote before the bracket at the end. So all other quotes belong to the value, with or
    without a backslash before them.
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


class TagValues(NamedTuple):
    """A tag's values in the layout of Arrow strings: concatenated, with offsets, and whether each game has the tag."""

    offsets: np.ndarray
    #: UTF-8.
    data: np.ndarray
    present: np.ndarray


@routine
def _find(text: np.ndarray, tags: np.ndarray, first: int, last: int, name: np.ndarray) -> int:
    """Return the number of the first tag in a range that has a name, or -1."""
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
    text: np.ndarray, tags: np.ndarray, games: np.ndarray, name: np.ndarray, offsets: np.ndarray, data: np.ndarray,
    present: np.ndarray,
) -> None:  # fmt: skip
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


def values_of(name: str, text: np.ndarray, tags: np.ndarray, games: np.ndarray) -> TagValues:
    """Return the values of a tag in every game, with escapes resolved; if a game repeats the tag, the first counts.

    Args:
        name: the tag's name.
        text: the bytes that contain the tags.
        tags: int32, the spans of names and values.
        games: int64, where each game's tags begin, and their number.
    """
    room = MOST_BYTES * int((tags[:, 3] - tags[:, 2]).sum())
    values = TagValues(np.empty(len(games), np.int32), np.empty(room, np.uint8), np.empty(len(games) - 1, np.bool_))
    _write_values(text, tags, games, word(name.encode()), *values)
    return values
