"""Questions about games, each with the line that answers it, and the pages of the documentation, found by a word."""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

from setwise.catalogue.addresses import SITE
from setwise.catalogue.names import loosely
from setwise.errors import QueryError

__all__ = ["Guide", "Question", "guides", "question", "questions"]

#: Words of a condition by which one may look for it; the short ones stand in many.
_LONG = re.compile(r"[a-z]{5,}")


class Question(NamedTuple):
    """A question: what it asks, and the condition or statement that answers it.

    ``match`` are games that hold the answer, ``words`` what else it is called, ``topic_words`` its topic.
    """

    number: int
    topic: str
    asks: str
    text: str
    is_statement: bool
    variations: bool
    match: str
    words: tuple[str, ...]
    topic_words: tuple[str, ...]

    @property
    def command(self) -> str:
        """The command that asks it: ``find`` or ``sql``."""
        return "sql" if self.is_statement else "find"

    @property
    def line(self) -> str:
        """The command as one types it."""
        return f'setwise {self.command} "{self.text}" games.pgn{" --variations" if self.variations else ""}'


class Guide(NamedTuple):
    """A page of the documentation: its title, its address, and words that it explains."""

    title: str
    address: str
    words: tuple[str, ...]


def _read(name: str) -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


@functools.cache
def _all() -> tuple[Question, ...]:
    listed = [(topic, it) for topic in _read("questions.toml")["topic"] for it in topic["question"]]
    return tuple(
        Question(
            number, topic["title"], it["asks"], it.get("find") or it["sql"], "sql" in it, bool(it.get("variations")),
            it["match"], tuple(it.get("words", ())), tuple(topic.get("words", ())),
        )
        for number, (topic, it) in enumerate(listed, 1)
    )  # fmt: skip


def questions(words: str = "") -> list[Question]:
    """Return the questions that have all these words, in any spelling; without words all, by topic.

    Those that say the words themselves come before those whose topic says them.

    >>> [it.asks for it in questions("smothered")], questions("knight fork")[0].number
    (['Smothered mate'], 9)
    """
    found = [it for it in _all() if _has(words, [it.topic, *it.topic_words, it.asks, *it.words])]
    first = sorted(found, key=lambda it: not _has(words, [it.asks, *it.words]))
    return first or [it for it in _all() if _has(words, _LONG.findall(it.text))]


def question(number: int) -> Question:
    """Return a question by its number; raise ``QueryError`` if there is none."""
    if not 1 <= number <= len(_all()):
        raise QueryError(f"there is no question {number}: they are numbered 1 to {len(_all())}")
    return _all()[number - 1]


def guides(words: str) -> list[Guide]:
    """Return the pages of the documentation that explain all these words.

    >>> [guide.title for guide in guides("perft")]
    ['Moves, from tables to legal moves']
    """
    found = (
        Guide(it["title"], f"{SITE}/{it['page']}.html", tuple(it["words"])) for it in _read("guides.toml")["guide"]
    )
    return [guide for guide in found if _has(words, [guide.title, *guide.words])]


def _has(words: str, texts: list[str]) -> bool:
    """Whether the texts have all these words, or words that begin with them."""
    there = {form for text in texts for word in _words_of(text) for form in (loosely(word), word)}
    return all(any(it.startswith(loosely(word) or word) for it in there) for word in _words_of(words))


def _words_of(text: str) -> list[str]:
    """The words of a text, in lower case and without accents."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    bare = "".join(it for it in unicodedata.normalize("NFD", apart.lower()) if not unicodedata.combining(it))
    return re.findall(r"[\w']+", bare)
