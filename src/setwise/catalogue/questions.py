"""Questions that people ask, each with the condition that answers it, and addresses of pages."""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from setwise.corpus.lexicon import loosely
from setwise.errors import QueryError

if TYPE_CHECKING:
    from setwise.catalogue.pages import Page


# ------------------------------------------------------------------------------------------------------------ addresses


#: Where the documentation is published.
SITE = "https://setwise.github.io/setwise"
#: The default port of the workbench.
PORT = 8642


def page_address(page: Page) -> str:
    """Return the address of an entry below the root of the documentation; ``columns.html`` for a column or a word.

    Example:
        >>> from setwise import catalogue
        >>> from setwise.catalogue.questions import page_address
        >>> page_address(catalogue.page("fork_squares")), page_address(catalogue.page("king.ATTACKS"))
        ('patterns/features/fork_squares.html', 'tables.html#king.ATTACKS')
    """
    if page.sort == "table":
        return f"tables.html#{page.name}"
    if page.sort == "column":
        return f"columns.html#{page.name}"
    return "language.html" if page.sort == "word" else f"patterns/{page.topic}/{page.bare_name}.html"


# ------------------------------------------------------------------------------------------------ questions about games


#: Words of a condition that a search for questions reads; shorter words occur in too many conditions.
_LONG = re.compile(r"[a-z]{5,}")


class Question(NamedTuple):
    """A question: its text, and the condition or statement that answers it.

    ``match`` are games that contain a match, ``words`` are other names of the question, ``topic_words`` names of its
    topic.
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
        """The command that asks the question: ``find`` or ``sql``."""
        return "sql" if self.is_statement else "find"

    @property
    def line(self) -> str:
        """The whole command line."""
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
    """Return the questions that have all these words, in any spelling; without words all questions, by topic.

    Questions whose own text has the words come before questions of which only the topic has them.

    >>> [it.asks for it in questions("smothered")], questions("knight fork")[0].number
    (['Smothered mate'], 9)
    """
    matching = [it for it in _all() if _has(words, [it.topic, *it.topic_words, it.asks, *it.words])]
    first = sorted(matching, key=lambda it: not _has(words, [it.asks, *it.words]))
    return first or [it for it in _all() if _has(words, _LONG.findall(it.text))]


def question(number: int) -> Question:
    """Return a question by its number; raise ``QueryError`` for another number."""
    if not 1 <= number <= len(_all()):
        raise QueryError(f"there is no question {number}: they are numbered 1 to {len(_all())}")
    return _all()[number - 1]


def guides(words: str) -> list[Guide]:
    """Return the pages of the documentation that explain all these words.

    >>> [guide.title for guide in guides("perft")]
    ['Moves, from tables to legal moves', 'Use setwise to test your engine']
    """
    matching = (
        Guide(it["title"], f"{SITE}/{it['page']}.html", tuple(it["words"])) for it in _read("guides.toml")["guide"]
    )
    return [guide for guide in matching if _has(words, [guide.title, *guide.words])]


def _has(words: str, texts: list[str]) -> bool:
    """Whether the texts have all these words, or words that begin with them."""
    there = {form for text in texts for word in _words_of(text) for form in (loosely(word), word)}
    return all(any(it.startswith(loosely(word) or word) for it in there) for word in _words_of(words))


def _words_of(text: str) -> list[str]:
    """The words of a text, in lower case and without accents."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    bare = "".join(it for it in unicodedata.normalize("NFD", apart.lower()) if not unicodedata.combining(it))
    return re.findall(r"[\w']+", bare)
