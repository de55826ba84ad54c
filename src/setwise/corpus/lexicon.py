"""The words that people try first, each with a condition that can be pasted, or with a sentence about it.

``lexicon.toml`` has the words. A word that is not there may be a column or feature in another spelling, or a word of
the table with a letter too many. `find` and `sql` name the condition for an unknown column, `explain`, `columns` and
`questions` for a word that they do not know.
"""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

#: Parts of names to ignore: ``(Bitboards)`` in titles of wiki pages, ``2.1`` before headings, the site that a link
#: leads to, and the colour before names in C: ``wPawnAttacks``.
_BESIDES = re.compile(r"\(.*?\)|^\d+(\.\d+)*\s+| from (Wikipedia|Wolfram.*)$|^[wb](?=[A-Z])")
_AMERICAN = {"colour": "color", "neighbour": "neighbor", "centre": "center", "defence": "defense", "grey": "gray"}
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
#: Endings of words of doing, as in ``forking``.
_ENDING = re.compile(r"(ing|ed|s)$")
_PLURAL = re.compile(r"(?<=[^\Wsui])s$")


def spelled(name: str) -> str:
    """Return a name in one style: ``King Attacks``, ``king_attacks()`` and ``kingAttacks`` are the same.

    >>> spelled("King Attacks"), spelled("king_attacks()")
    ('kingattacks', 'kingattacks')
    """
    return re.sub(r"[\W_]", "", name).lower()


def loosely(name: str) -> str:
    """Return one spelling for singular and plural, British and American words, and names in C for either colour.

    >>> loosely("wSinglePushTargets"), loosely("single-push target"), loosely("Pawn Islands (Bitboards)")
    ('singlepushtarget', 'singlepushtarget', 'pawnisland')
    """
    apart = _CAMEL.sub(" ", _BESIDES.sub("", name))
    singular = [_PLURAL.sub("", word) for word in re.findall(r"[^\W_]+", apart.lower())]
    return "".join(_AMERICAN.get(word, word) for word in singular)


@functools.cache
def entries() -> dict[str, str]:
    """Return the words of the lexicon as written there, each with its condition or sentence."""
    listed = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text("utf-8"))
    return {word: meaning for meaning, words in listed.items() for word in words}


@functools.cache
def _by_spelling() -> dict[str, str]:
    return {form(word): meaning for form in (loosely, spelled) for word, meaning in entries().items()}


#: Words that say nothing beside a word of the lexicon, as in ``is_capture``, ``event name``.
_FILLERS = frozenset(
    """is has have can the a an with in there find all white black own enemy game games name names tag tags piece pieces
    side sides position positions graph by of square squares column field value values type vs versus""".split()
)
#: Words that say too little of a phrase to lead anywhere.
_GENERAL = frozenset("pawn knight bishop rook queen king file line last game attack time move position".split())
_LONG = 5
_ALIKE = 0.84


def meaning_of(word: str, *, misspelt: bool = True) -> str | None:
    """Return the condition that asks for a word, or the sentence about it; None for a word that is not known.

    >>> meaning_of("Zwischenzug"), meaning_of("passedPawns"), meaning_of("pased pawn"), meaning_of("white_rating")
    ('intermezzo', 'own_passed_pawns <> 0', 'own_passed_pawns <> 0', 'white_elo >= 2500')
    """
    words = re.findall(r"[^\W_]+(?:['-][^\W_]+)*", _CAMEL.sub(" ", word.strip()))
    bare = " ".join(it for it in words if it.lower() not in _FILLERS)
    for text in dict.fromkeys((word.strip(), bare, *(f"{_ENDING.sub('', bare)}{end}" for end in ("", "e")))):
        if found := text and (
            _by_spelling().get(spelled(text)) or _by_spelling().get(loosely(text)) or _of_column(text)
        ):
            return found
    if not misspelt or len(bare) < _LONG:
        return None
    known = [it for it in _by_spelling() if len(it) >= _LONG]
    near = difflib.get_close_matches(loosely(bare)[:60], known, n=1, cutoff=_ALIKE)
    return _by_spelling()[near[0]] if near else None


def _of_column(word: str) -> str | None:
    """Return a condition on the column that a word names in another spelling, perhaps without side or ``is_``."""
    import pyarrow as pa  # most words need neither Arrow nor the columns

    from setwise.corpus.columns.registry import COLUMNS

    for before in ("", "is_", "own_", "white_"):
        for name in COLUMNS:
            if name.startswith(before) and loosely(name.removeprefix(before)) == loosely(word):
                column = COLUMNS[name]
                if column.is_set:
                    return f"{name} <> 0"
                is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
                return (
                    f"{name} > 0" if is_number else name if pa.types.is_boolean(column.type) else f"{name} is not null"
                )
    return None


def is_like(word: str, known: Iterable[str]) -> bool:
    """Return whether a word is one of the known names with a letter too many or too few."""
    return bool(difflib.get_close_matches(word, known, n=1, cutoff=_ALIKE))


def is_condition(meaning: str) -> bool:
    """Return whether a meaning of the lexicon is a condition, and not a sentence."""
    return not meaning.startswith(("no column", "sql ", "--"))


def way_of(word: str, *, misspelt: bool = True) -> str:
    """Return the end of a message about a word that no column has: the condition that asks for it, or the sentence.

    >>> way_of("fork"), way_of("resigned")[:30], way_of("qwertz")
    ('; the condition that asks for it: own_safe_fork_squares <> 0', '; no column says who resigned:', '')
    """
    meaning, part = meaning_of(word, misspelt=misspelt), "it"
    if meaning is None:  # the longest word of a phrase that is known alone
        words = (it for it in re.findall(r"[^\W_]{4,}", word) if loosely(it) not in _GENERAL)
        parts = [it for it in words if meaning_of(it, misspelt=False)]
        part = max(parts, key=len, default="")
        meaning = meaning_of(part) if part else None
    if meaning is None:
        return ""
    return f"; the condition that asks for {part}: {meaning}" if is_condition(meaning) else f"; {meaning}"
