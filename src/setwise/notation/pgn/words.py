"""Words as people write them: results, moves, signs and tags that are not in the words of PGN, said in its words.

The kernel reads the words of PGN alone, and a word that it does not know ends the game with a fault: no byte of a word
is skipped, no prefix of a word is read as another word. Only games with such a fault come here. Their moves outside of
comments are written again by the tables of this file, and then read once more; what no table knows stays a fault that
names the word. So plain games cost nothing. The text of the file is kept beside, so that games are copied as they are.

Letters of pieces are taken from another language if the letters of a game are those of that language and not English
ones; if two languages would read them differently, the one is taken by which the whole game can be played, if the other
cannot.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from setwise.notation.text import decoded

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: The letters of king, queen, rook, bishop and knight by language.
LETTERS: dict[str, str] = _TABLES["letters"]
_ENGLISH = "KQRBN"

#: Signs of printed books and their numbers among the Numeric Annotation Glyphs.
SIGNS: dict[str, int] = _TABLES["signs"]

#: Characters that stand for some of ASCII: dashes, signs of captures, checks and exclamation; pawns have no letter.
_SAME = {
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"), "×": "x", "†": "+", "‡": "#", "…": "...", "∶": ":", "‼": "!!", "⁇": "??",
    "⁈": "?!", "⁉": "!?", **dict(zip("♔♕♖♗♘♚♛♜♝♞", 2 * _ENGLISH, strict=True)), "♙": "", "♟": "",
}  # fmt: skip
_TO_ASCII = str.maketrans(_SAME)


def _castling(found: re.Match[str]) -> str:
    return found[0] if found[0].isascii() else "O-O-O" if found[1] else "O-O"


def _sign(found: re.Match[str]) -> str:
    """Return the number of a sign; a letter is a sign only if it stands alone."""
    begin = found.start()
    stands_alone = begin == 0 or found.string[begin - 1].isspace()
    return f" ${SIGNS[found[0]]} " if stands_alone or not found[0].isalpha() else found[0]


_HALF, _O = r"(?:½|1/2|0[.,]5)", "[OoОоΟο0]"
_SIGNS = "|".join(map(re.escape, sorted(SIGNS, key=len, reverse=True)))
#: What is replaced in moves, in this order.
_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"[^\S\0-\x7f]"), " "),
    (re.compile("[\u200b-\u200f\u2060-\u2064\ufe0e\ufe0f\ufeff\xad]"), ""),
    (re.compile(rf"(?<=[a-h][1-8])({_HALF}-{_HALF}|1/2|½|1-0|0-1)(?![\w/½-])"), r" \1"),
    (re.compile(rf"{_O}-{_O}(-{_O})?(?![\w-])"), _castling),
    (re.compile(rf"(?<![\w/.½-]){_HALF}\s*-\s*{_HALF}(?![\w/½-])"), "1/2-1/2"),
    (re.compile(rf"(?<![\w/.½-])(?:{_HALF}-0|0-{_HALF})(?![\w/½-])"), "*"),
    (re.compile(r"(?<![\w/½.-])½(?![\w/½])|(?<![\w/.-])1/2-(?![\w/½])"), "1/2"),
    (re.compile(r"(?<![\w/.-])1[ \t]*[-:][ \t]*0(?![\w/:-])"), "1-0"),
    (re.compile(r"(?<![\w/.-])0[ \t]*[-:][ \t]*1(?![\w/:-])"), "0-1"),
    (re.compile(r"(?<![\w(])(?:null|pass)(?!\w)|\((?:null|pass)\)", re.IGNORECASE), "--"),
    (re.compile(r"(?<=[a-h][1-8])[ \t]*e\.?[ \t]?p(?:\.|(?!\w))"), " "),
    (re.compile(r"(?<!\S)-(?!\S)"), " "),
    (re.compile(rf"(?<![^\s\w!?#)])({_SIGNS})(?![^\s).]|\)+\w)"), _sign),
)
#: Parentheses, and whether a move or a result is before them.
_NESTING = re.compile(r"[()]|[A-Za-z]|1-0|0-1|1/2|\*")
#: The result by which both lose, at the end of a game. It is written like castling, so the tag must say it, too.
_BOTH_LOSE = re.compile(r"(?<![\w.-])0-0(?=\s*\Z)")
_SAYS_BOTH_LOSE = re.compile(rb'\s*\[Result "0-0"\]')
#: What every result and every move has; games without it are left at once.
_DIGIT = re.compile(rb"[1-8]|\xbd")
#: The parts of a text that are no moves: comments, the rest of a line, tags.
_ASIDE = re.compile(rb"(\{[^}]*+\}?|;[^\n]*+|^[ \t]*+%[^\n]*+|^[ \t]*+\[[A-Za-z][^\n]*+)", re.MULTILINE)
_PLAIN_TAG = re.compile(rb'[ \t]*+\[([A-Z]\w*+)[ \t]*+"(?:[^"\\]|\\.)*+"[ \t]*+\][ \t\r]*+')
_TAG = re.compile(r"""[ \t]*\[(\w+)[ \t]*[:=]?[ \t]*(?:["“”„«'‘’`](.*?)["“”»'‘’`]|(.*?))[ \t]*\]([ \t\r]*)""")
_OPEN_TAG = re.compile(r'[ \t]*+\[([A-Za-z]\w*+)[ \t]*+"?(.*+)')
_TAG_END = re.compile(rb'"[ \t\r]*+\]|\][ \t\r]*+\Z')
_FEN = re.compile(rb'\A([ \t]*\[FEN[ \t]*")([^"\n]*)(")')
#: Longer tags are not written anew.
_LONGEST_TAG = 1 << 10
_BARE_QUOTE = re.compile(r'(?<!\\)"')
_NAMES = {
    name.lower(): name
    for name in (
        "Event Site Date Round White Black Result ECO Opening Variation FEN SetUp Variant WhiteElo BlackElo WhiteTitle "
        "BlackTitle WhiteTeam BlackTeam WhiteFideId BlackFideId EventDate EventType UTCDate UTCTime Time TimeControl "
        "Termination Annotator PlyCount Mode Source Remark"
    ).split()
}
#: A piece's letters before a square, and the letter of a promotion.
_PIECE = re.compile(r"(?<![^\W\d])([^\W\d_a-z]р?)(?=[a-h]?[1-8]?[x:-]?[a-h][1-8])|(?<=[a-h][18])([=/(]?)([^\W\d_a-z])")


class Written(NamedTuple):
    """The text of a file, of which some words were said in the words of PGN before it was read."""

    text: bytes
    #: For each change, where it ends in the text that was read, and how much further on it ends in the file.
    ends: np.ndarray
    shifts: np.ndarray
    #: What was changed, by place in the text that was read: the words of the file, and those that they became.
    words: list[tuple[int, str, str]]

    def places(self, places: np.ndarray) -> np.ndarray:
        """Return the places in the file of places in the text that was read, outside of changed words."""
        return places + np.append(0, self.shifts)[np.searchsorted(self.ends, places, side="right")]


def plain(
    text: bytes, spans: Iterable[tuple[int, int]], can_be_played: Callable[[bytes], bool], mend: Callable[[str], str]
) -> tuple[bytes, Written] | None:
    """Return a text with the words of PGN in some spans, and what it was; None if nothing changes.

    Args:
        text: the text.
        spans: where games begin and end, ascending.
        can_be_played: whether all moves of a game with this text can be read.
        mend: returns a FEN without what makes it impossible, or as it is.
    """
    pieces, words, done, size = list[bytes](), list[tuple[int, str, str]](), 0, 0
    ends, shifts = list[int](), list[int]()
    for start, stop in spans:
        game = text[start:stop]
        for begin, old, new in _changes(game, can_be_played, mend) if _DIGIT.search(game) else ():
            pieces += [text[done : start + begin], new]
            size += start + begin - done
            place, before, after = _different(decoded(old), decoded(new))
            words.append((size + place, before, after))
            size += len(new)
            done = start + begin + len(old)
            ends.append(size)
            shifts.append(done - size)
    if not pieces:
        return None
    return b"".join([*pieces, text[done:]]), Written(text, np.array(ends), np.array(shifts), words)


def _changes(
    game: bytes, can_be_played: Callable[[bytes], bool], mend: Callable[[str], str]
) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the parts of a game that change: where they begin, what they are, and what they become."""
    parts = _ASIDE.split(game)  # moves, and what is aside, in turn
    begins = [0, *itertools.accumulate(map(len, parts))]
    moves = [_in_ascii(part) for part in parts[::2]]
    asides = _tags(parts[1::2], next((n for n, part in enumerate(moves) if part.strip()), len(moves)), mend)
    ways = [moves, *([_translated(part, letters) for part in moves] for letters in _languages(" ".join(moves)))]
    ways += [closed for way in ways if (closed := _without_open(way)) is not None]
    if any(_SAYS_BOTH_LOSE.match(aside) for aside in asides):
        ways = [[*way[:-1], _BOTH_LOSE.sub("*", way[-1])] for way in ways]
    texts = [[*_alternating(way, asides)] for way in ways]
    played = [text for text in texts if can_be_played(b"".join(text))]
    said = played[0] if len(played) == 1 else texts[0]
    for begin, old, new in zip(begins, parts, said, strict=False):
        if old != new:
            yield begin, old, new


def _without_open(moves: list[str]) -> list[str] | None:
    """Return moves without parentheses that are never closed, if a result or nothing is before the first; else None."""
    opened, begins = list[tuple[int, int, bool]](), True
    for number, part in enumerate(moves):
        for token in _NESTING.finditer(part):
            if token[0] == "(":
                opened.append((number, token.start(), begins))
            elif token[0] == ")":
                del opened[-1:]
            elif not opened:
                begins = not token[0].isalpha()
    if not opened or not opened[0][2]:
        return None
    parts = list(map(list, moves))
    for number, at, _ in opened:
        parts[number][at] = " "
    return list(map("".join, parts))


def _alternating(moves: list[str], asides: list[bytes]) -> Iterator[bytes]:
    yield moves[0].encode()
    for aside, part in zip(asides, moves[1:], strict=True):
        yield aside
        yield part.encode()


def _in_ascii(part: bytes) -> str:
    """Return moves with the words of PGN; letters of pieces stay."""
    moves = decoded(part).translate(_TO_ASCII)
    for pattern, new in _RULES:
        moves = pattern.sub(new, moves)
    return moves


def _tags(asides: list[bytes], count: int, mend: Callable[[str], str]) -> list[bytes]:
    """Return tags of known names as PGN writes them, unless the game has such a tag; anything else as it is.

    ``count`` is the number of ``asides`` before the first move.
    """
    taken = {match[1] for match in map(_PLAIN_TAG.fullmatch, asides) if match and _is_known_as(match[1])}
    tags = [_tag(aside, taken, is_before=number < count) for number, aside in enumerate(asides)]
    return [_FEN.sub(lambda it: it[1] + mend(decoded(it[2])).encode() + it[3], tag) for tag in tags]


def _is_known_as(name: bytes) -> bool:
    """Whether a name of a tag is written as usual, or is not one of the usual names."""
    return _NAMES.get(name.decode().lower(), name.decode()) == name.decode()


def _tag(part: bytes, taken: set[bytes], *, is_before: bool) -> bytes:
    if (closed := _PLAIN_TAG.match(part)) and closed.end() < len(part):
        return part  # moves are behind the tag
    if (is_before or b'"' in part) and not _TAG_END.search(part) and (unclosed := _OPEN_TAG.fullmatch(decoded(part))):
        end = next((it.start() for it in reversed([*_BARE_QUOTE.finditer(unclosed[2])])), None)
        value = _BARE_QUOTE.sub(r'\\"', unclosed[2][:end].rstrip())
        return f'[{unclosed[1]} "{value}"]'.encode()
    match = _TAG.fullmatch(decoded(part)) if len(part) < _LONGEST_TAG and part.lstrip().startswith(b"[") else None
    name = match and _NAMES.get(match[1].lower())
    if not match or not name or name.encode() in taken:
        return part
    taken.add(name.encode())
    value = _BARE_QUOTE.sub(r'\\"', match[2] if match[3] is None else match[3])
    return f'[{name} "{value}"]{match[4]}'.encode()


def _languages(moves: str) -> list[dict[str, str]]:
    """Return what the letters of moves may mean: none if they are English, else one meaning for each language."""
    used = {it[1] or it[3] for it in _PIECE.finditer(moves)}
    if used <= {*_ENGLISH, "P"}:
        return []
    meanings = [dict(zip(letters.split(), _ENGLISH, strict=True)) for letters in LETTERS.values()]
    fitting = [{letter: meaning[letter] for letter in used} for meaning in meanings if used <= meaning.keys()]
    return [meaning for number, meaning in enumerate(fitting) if meaning not in fitting[:number]]


def _translated(moves: str, letters: dict[str, str]) -> str:
    return _PIECE.sub(lambda it: letters[it[1]] if it[1] else it[2] + letters[it[3]], moves)


def _different(old: str, new: str) -> tuple[int, str, str]:
    """Return where the first word that differs in two texts is, in bytes of the new one, and this word in both."""
    same = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    while same and not old[same - 1].isspace():
        same -= 1
    first, second = ((text[same:].split() or [""])[0] for text in (old, new))
    second = "" if old.startswith("(", same) and new.startswith(" ", same) else second
    return len(new[:same].encode()), first, second
