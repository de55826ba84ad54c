"""PGN as it is written: the export format, texts of moves, games with parts left out, and what makes games equal.

Texts of a source are changed as little as possible: `stripped` removes comments, variations, NAGs or tags and copies
the rest unchanged. If something between two moves is removed, a line break at that place remains. Games that have no
text are written from their moves in PGN's export format: the Seven Tag Roster first, lines shorter than 80 columns.
`movetexts` writes the moves of many such games in one call. `keys_of` mixes the starting position and the moves of a
game into 128 bits; games with equal keys are duplicates, even if their tags differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from setwise.compiler import Move, entry, routine, subroutine
from setwise.compiler.kinds import boolean, int32, int64, reads, uint8, uint16, uint64, void, writes
from setwise.compiler.words import borrowed
from setwise.notation.moves import write_san
from setwise.notation.pgn.annotations import LINE_BREAK
from setwise.notation.pgn.reader import start_of
from setwise.notation.pgn.tokens import (
    BOARD,
    COMMENT,
    FEN,
    FIRST_MOVE,
    MOVE,
    NAG,
    NUMBER,
    PASS,
    REST_OF_LINE,
    TAG,
    VARIANT_TAG,
    VARIATION,
    blanks_end,
    comment_end,
    digits_end,
    is_named,
    line_end,
    number_end,
    result_at,
    tag_at,
    token_at,
    variation_end,
)
from setwise.notation.pgn.tokens import RESULT as RESULT_TOKEN
from setwise.notation.text import (
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
    TEXT,
    word,
    write_number,
)
from setwise.patterns.bits import EMPTY, ONE, ZERO
from setwise.rules.board import FIFTY_SIX, LAST_CLOCK, USUAL_START, WORDS, child, movers_board, turned

# ---------------------------------------------------- remove comments, variations, NAGs or tags from the texts of games


#: The parts that can be removed. Without tags, the Seven Tag Roster and the tags of the starting position remain.
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
        is_named(text, start, stop, FEN)
        or is_named(text, start, stop, VARIANT_TAG)
        or is_named(text, start, stop, _SETUP)
    )


@subroutine
def _write_gap(text: np.ndarray, start: int, stop: int, out: np.ndarray, first: int, at: int, in_moves: bool) -> int:
    """Write a blank or a line break between two tokens where something was removed; return where the output ends.

    The blanks before the removed part are at the end of the output, the blanks after it are the span. Before the first
    move nothing is written, because an empty line separates the tags from the moves.
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

    Glyphs inside a move are part of its text, because SAN is read with them: ``Nf?3`` is Nf3.
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
    """Return the end of a tag and whether it is removed; the blanks and the line break after it go with it."""
    name, name_stop, _, _, end = tag_at(text, at)
    end = text.size if end < 0 else end
    if not no_tags or _is_kept(text, name, name_stop):
        return min(end, stop), False
    while end < stop and CLASS[text[end]] == BLANK and text[end] != NEWLINE:
        end += 1
    return end + (end < stop and text[end] == NEWLINE), True


@routine
def _token_end(text: np.ndarray, at: int, kind: np.uint8, no_variations: bool) -> int:
    """Return the end of a token that is not a tag; for a variation that is kept, the end of its first parenthesis."""
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
        return max(_move_end(text, at), at + 1)
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
    text: np.ndarray, starts: np.ndarray, stops: np.ndarray, no_comments: bool, no_variations: bool, no_nags: bool,
    no_tags: bool, offsets: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    text, out = borrowed(text), borrowed(out)
    end = 0
    for game in range(starts.size):
        at, stop, first = starts[game], stops[game], end
        offsets[game] = first
        # Whether the moves have begun, whether a move precedes, and whether something was removed after that move.
        in_moves = follows = has_gone = False
        while at < stop:
            start, kind = at, token_at(text, at)
            if kind == TAG and not in_moves:
                at, goes = _tag_end(text, at, stop, no_tags)
                if not goes:
                    end = _copy(text, start, at, out, end)
                continue
            at = min(_token_end(text, at, kind, no_variations), stop)
            # After a removed part, the number of a black move repeats the previous number: 1. e4 {removed} 1... e5.
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
    """Return the texts of games without some parts, concatenated, and where each text begins and the last text ends.

    Args:
        text: bytes, uint8.
        starts: int64, where each game begins in the text.
        stops: int64, where each game ends.
        parts: the parts to remove, names of ``PARTS``.
    """
    offsets = np.empty(len(starts) + 1, np.int64)
    # A removed part leaves a blank or a line break, so the output has at most two bytes for each byte of the text.
    out = np.empty(2 * int((stops - starts).sum()) + 2, np.uint8)
    _strip(text, starts, stops, *(part in parts for part in PARTS), offsets, out)
    return out[: offsets[-1]], offsets


# --------------------------------------------------------------------------------------------------------- PGN, written


#: The Seven Tag Roster in its order, with the values for unknown tags.
ROSTER = {
    "Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?", "Result": "*",
}  # fmt: skip

#: Names of tags that this package and python-chess both read; the standard allows letters, digits and underscores.
TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+#=:-]*\Z")

_ESCAPED = re.compile(r'\\(["\\])')
_TO_ESCAPE = re.compile(r'["\\]')


def tags_in_order(tags: Mapping[str, str]) -> dict[str, str]:
    """Return tags in the order of PGN's export format: the whole Seven Tag Roster, then other tags by their names."""
    others = sorted(name for name in tags if name not in ROSTER)
    return {name: tags.get(name, unknown) for name, unknown in ROSTER.items()} | {name: tags[name] for name in others}


def unescaped(value: str) -> str:
    r"""Return a tag's value with ``\"`` and ``\\`` resolved."""
    return _ESCAPED.sub(r"\1", value) if "\\" in value else value


def escaped(value: str) -> str:
    """Return a tag's value with quotes and backslashes escaped, and with blanks for line breaks."""
    return _TO_ESCAPE.sub(r"\\\g<0>", LINE_BREAK.sub(" ", value))


def movetext(
    sans: Sequence[str], number: int, *, white: bool, comments: Mapping[int, str], nags: Mapping[int, Iterable[int]],
    inside: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> Iterator[str]:  # fmt: skip
    """Yield the tokens of a game's moves; the first move has its number.

    A black move gets a number at the beginning, after a comment and after a variation. Comments, NAGs and ``inside``
    (the tokens of variations) are given by the ply that they follow, counted from 1; those of ply 0 precede the moves.
    """
    if 0 in comments:
        yield f"{{ {comments[0]} }}"
    yield from inside.get(0, ())
    numbered = True
    for ply, san in enumerate(sans, start=1):
        if white:
            yield f"{number}."
        elif numbered:
            yield f"{number}..."
        yield san
        for nag in nags.get(ply, ()):
            yield f"${nag}"
        numbered = ply in comments or ply in inside
        if ply in comments:
            yield f"{{ {comments[ply]} }}"
        yield from inside.get(ply, ())
        number += not white
        white = not white


def _lines(tokens: Iterable[str], columns: int | None) -> Iterator[str]:
    """Fill lines with tokens; a line is shorter than ``columns`` unless one token is longer; comments are not cut."""
    line = ""
    for token in tokens:
        if columns is not None and line and len(line) + len(token) + 1 >= columns:
            yield line
            line = token
        else:
            line = f"{line} {token}" if line else token
    if line:
        yield line


def pgn_text(tags: Mapping[str, str], tokens: Iterable[str], *, columns: int | None = 80) -> str:
    r"""Return a game in PGN from its tags, in the given order, and the tokens of its moves.

    Quotes and backslashes in values are escaped by a backslash; line breaks, which PGN does not allow, become blanks.

    Example:
        >>> from setwise.notation.pgn.writing import pgn_text
        >>> print(pgn_text({"Event": 'The "Immortal"'}, ["1.", "e4", "e5", "2.", "f4", "*"]))
        [Event "The \"Immortal\""]
        <BLANKLINE>
        1. e4 e5 2. f4 *
    """
    lines = [f'[{name} "{escaped(value)}"]' for name, value in tags.items()]
    return "\n".join([*lines, "", *_lines(tokens, columns)])


# -------------------------------------------------------------------------- the moves of many games as PGN, in one call


#: More bytes than the longest legal move takes with its number and a blank: ``65535... exd8=Q+``.
_LONGEST = 24


@routine
def _write_text(texts: np.ndarray, start: int, stop: int, out: np.ndarray, at: int) -> int:
    """Write one of the texts; return where the output ends."""
    for k in range(start, stop):
        out[at] = texts[k]
        at += 1
    return at


@routine
def _write_number(number: np.uint64, dots: int, out: np.ndarray, at: int) -> int:
    """Write the number of a move, its dots and a blank; return where it ends."""
    at = write_number(number, out, at)
    for _ in range(dots):
        out[at] = DOT
        at += 1
    out[at] = SPACE
    return at + 1


@entry(
    void, reads(int64, 2, "A"), reads(int64), reads(uint16), reads(uint64, 2, "A"), reads(int64), TEXT, reads(int32),
    writes(int64), writes(uint8),
)  # fmt: skip
def _write(
    games: np.ndarray, offsets: np.ndarray, moves: np.ndarray, boards: np.ndarray, firsts: np.ndarray,
    texts: np.ndarray, ends: np.ndarray, starts: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    texts, out, at = borrowed(texts), borrowed(out), 0
    for game in range(firsts.size):
        starts[game] = begin = at
        start, is_numbered = start_of(games[game], boards), True
        number = np.uint64(start.fullmove_number)
        board, flip = movers_board(start), FIFTY_SIX * (ONE - start.white_to_move)
        text = firsts[game]
        if text >= 0:
            at = _write_text(texts, ends[text], ends[text + 1], out, at)
        for n in range(offsets[game], offsets[game + 1]):
            if at > begin:
                out[at] = SPACE
                at += 1
            if flip == EMPTY or is_numbered:
                at = _write_number(number, 1 if flip == EMPTY else 3, out, at)
            move: Move = np.uint64(moves[n])
            move = turned(move) if flip != EMPTY else move
            at = write_san(board, move, flip, False, out, at)
            board, flip = child(board, move), flip ^ FIFTY_SIX
            number = min(number + np.uint64(flip == EMPTY), LAST_CLOCK)
            is_numbered = False
            if text >= 0:
                text += 1
                is_numbered = ends[text + 1] > ends[text]
                if is_numbered:
                    out[at] = SPACE
                    at = _write_text(texts, ends[text], ends[text + 1], out, at + 1)
    starts[firsts.size] = at


def movetexts(
    games: np.ndarray, offsets: np.ndarray, moves: np.ndarray, boards: np.ndarray, firsts: np.ndarray,
    texts: np.ndarray, ends: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return the moves of games as PGN without results, concatenated, and where each game begins and the last ends.

    A black move gets a number at the beginning and after a text.

    Args:
        games: the table of games.
        offsets: int64, where the moves of each game begin, and where the moves of the last game end.
        moves: 16 bits each, from White's view.
        boards: the starting positions other than the usual one.
        firsts: for each game the number of the text before its first move; the next numbers are the texts after each
            of its moves. -1 for a game without texts.
        texts: bytes, uint8, of all texts.
        ends: int32, where the first text begins and each text ends.
    """
    out = np.empty(_LONGEST * len(moves) + len(texts) + len(ends), np.uint8)
    starts = np.empty(len(firsts) + 1, np.int64)
    _write(games, offsets, moves, boards, firsts.astype(np.int64), texts, ends, starts, out)
    return out[: starts[-1]], starts


# ----------------------------------------------- identify equal games: 128 bits of a game's starting position and moves


_SIXTEEN = np.uint64(16)
_27, _30, _31, _33 = (np.uint64(count) for count in (27, 30, 31, 33))
#: Multipliers and shifts of SplitMix64 (Steele, Lea, Flood 2014) and of MurmurHash3 (Appleby): each step is a
#: bijection, and if one bit of its input changes, about half of the bits of its output change.
_A, _B = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)
_C, _D = np.uint64(0xFF51_AFD7_ED55_8CCD), np.uint64(0xC4CE_B9FE_1A85_EC53)
_FIRST, _SECOND = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0x2545_F491_4F6C_DD1D)

_USUAL = np.empty(WORDS, np.uint64)
_USUAL[:] = USUAL_START


@routine
def _mixed(key: tuple[np.uint64, np.uint64], word: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Mix a word into both halves of a key."""
    first, second = (key[0] ^ word) + _FIRST, (key[1] + word) ^ _SECOND
    first = (first ^ (first >> _30)) * _A
    first = (first ^ (first >> _27)) * _B
    second = (second ^ (second >> _33)) * _C
    second = (second ^ (second >> _33)) * _D
    return first ^ (first >> _31), second ^ (second >> _33)


@entry(void, reads(int64, 2, "A"), reads(uint16), reads(uint64, 2, "A"), reads(uint64), writes(uint64, 2))
def _write_keys(games: np.ndarray, moves: np.ndarray, boards: np.ndarray, usual: np.ndarray, keys: np.ndarray) -> None:
    for game in range(games.shape[0]):
        first = games[game, FIRST_MOVE]
        last = games[game + 1, FIRST_MOVE] if game + 1 < games.shape[0] else moves.size
        custom = games[game, BOARD]
        key = _FIRST, _SECOND
        for k in range(usual.size):
            key = _mixed(key, boards[custom, k] if custom >= 0 else usual[k])
        word = ZERO
        for k in range(last - first):
            word = word << _SIXTEEN | np.uint64(moves[np.uint64(first + k)])
            if k & 3 == 3:
                key, word = _mixed(key, word), ZERO
        key = _mixed(key, word)
        keys[game, 0], keys[game, 1] = key[0], key[1]


def keys_of(games: np.ndarray, moves: np.ndarray, boards: np.ndarray) -> np.ndarray:
    """Return two words for each game of the reader's columns: equal for games with the same start and the same moves.

    No move is encoded as 0, so games of different lengths differ in a word.
    """
    keys = np.empty((len(games), 2), np.uint64)
    _write_keys(games, moves, boards, _USUAL, keys)
    return keys
