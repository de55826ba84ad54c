"""What people call things: spellings that mean the same, and the words of ``synonyms.toml``."""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path

__all__ = ["loosely", "meant", "spelled", "synonyms"]

#: ``(Bitboards)`` in titles of wiki pages, ``2.1`` before their headings, the site that a link leads to; the colours
#: before names in C: ``wPawnAttacks``.
_BESIDES = re.compile(r"\(.*?\)|^\d+(\.\d+)*\s+| from (Wikipedia|Wolfram.*)$|^[wb](?=[A-Z])")
_AMERICAN = {"colour": "color", "neighbour": "neighbor", "centre": "center", "defence": "defense", "grey": "gray"}
_PLURAL = re.compile(r"(?<=[^\Wsui])s$")


def spelled(name: str) -> str:
    """Return a name in one style: ``King Attacks``, ``king_attacks()`` and ``kingAttacks`` are the same.

    >>> spelled("King Attacks"), spelled("king_attacks()")
    ('kingattacks', 'kingattacks')
    """
    return re.sub(r"[\W_]", "", name).lower()


def loosely(name: str) -> str:
    """Return the same for singular and plural, British and American words, and the names of C for either colour.

    >>> loosely("wSinglePushTargets"), loosely("single-push target"), loosely("Pawn Islands (Bitboards)")
    ('singlepushtarget', 'singlepushtarget', 'pawnisland')
    """
    apart = re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", _BESIDES.sub("", name))
    singular = [_PLURAL.sub("", word) for word in re.findall(r"[^\W_]+", apart.lower())]
    return "".join(_AMERICAN.get(word, word) for word in singular)


@functools.cache
def synonyms() -> dict[str, str]:
    """Return the words of ``synonyms.toml`` as written there, each with the name of what it means.

    A word for several pages has their names with spaces between them.
    """
    listed = tomllib.loads(Path(__file__).with_name("synonyms.toml").read_text("utf-8"))
    return {word: name for name, words in listed.items() for word in words}


@functools.cache
def _by_spelling() -> dict[str, str]:
    return {form(word): name for form in (loosely, spelled) for word, name in synonyms().items()}


def meant(word: str) -> str | None:
    """Return the name of the topic or page that a word of books or wikis means, or several; None for any other word.

    >>> meant("Family Check"), meant("Fill algorithm"), meant("knight")
    ('royal_fork_squares', 'fills', None)
    """
    return _by_spelling().get(spelled(word)) or _by_spelling().get(loosely(word))
