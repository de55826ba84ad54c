"""PGN, written: tags in the standard's order, moves with their numbers, NAGs and comments in lines of 80 columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from setwise.notation.pgn.comments import LINE_BREAK

__all__ = ["ROSTER", "TAG_NAME", "movetext", "pgn_text", "tags_in_order", "unescaped"]

#: The Seven Tag Roster in its order, with the values for unknown tags.
ROSTER = {
    "Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?", "Result": "*",
}  # fmt: skip

#: Names of tags that this package and python-chess both read; the standard's are letters, digits and underscores.
TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+#=:-]*\Z")

_ESCAPED = re.compile(r'\\(["\\])')
_TO_ESCAPE = re.compile(r'["\\]')


def tags_in_order(tags: Mapping[str, str]) -> dict[str, str]:
    """Return tags as PGN's export format has them: the Seven Tag Roster, all of it, then the others by their names."""
    others = sorted(name for name in tags if name not in ROSTER)
    return {name: tags.get(name, unknown) for name, unknown in ROSTER.items()} | {name: tags[name] for name in others}


def unescaped(value: str) -> str:
    r"""Return a tag's value with ``\"`` and ``\\`` resolved."""
    return _ESCAPED.sub(r"\1", value) if "\\" in value else value


def _escaped(value: str) -> str:
    return _TO_ESCAPE.sub(r"\\\g<0>", LINE_BREAK.sub(" ", value))


def movetext(
    sans: Sequence[str],
    number: int,
    *,
    white: bool,
    comments: Mapping[int, str],
    nags: Mapping[int, Iterable[int]],
    inside: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield the tokens of a game's moves, the first one with its number.

    A black move has its number at the beginning, after a comment and after a variation. Keys of comments, NAGs and
    ``inside``, the tokens of variations, are plies, counted from 1, that they follow; those of ply 0 precede the moves.
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
    """Fill lines with tokens, each shorter than ``columns`` unless a single token is longer; comments stay whole."""
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
    r"""Return a game in PGN from its tags, in the order they come in, and the tokens of its moves.

    Quotes and backslashes in values are escaped by a backslash; line breaks, which no value can have, become blanks.

    Example:
        >>> from setwise.notation.pgn.export import pgn_text
        >>> print(pgn_text({"Event": 'The "Immortal"'}, ["1.", "e4", "e5", "2.", "f4", "*"]))
        [Event "The \"Immortal\""]
        <BLANKLINE>
        1. e4 e5 2. f4 *
    """
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in tags.items()]
    return "\n".join([*lines, "", *_lines(tokens, columns)])
