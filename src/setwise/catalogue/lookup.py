"""What a name leads to: a page or a topic, by everybody's word for it."""

from __future__ import annotations

import re

from setwise import chess_words
from setwise.catalogue.names import loosely, meant, spelled, synonyms
from setwise.catalogue.pages import Page, Topic, at, is_topic, pages, topics
from setwise.errors import QueryError, did_you_mean, shortened

__all__ = ["named", "page", "several", "topic"]


def page(name: str) -> Page:
    """Return the page of a name.

    Args:
        name: as in Python (``knight.fork_targets``, ``king.ATTACKS``), a feature (``fork_squares``), a column of
            conditions (``white_fork_squares``, ``white_elo``), any last part of a name if it is unique, or another name
            in use (``forkTargetSquare``, ``rule of the square``).

    Raises:
        QueryError: for an unknown or ambiguous name; the message lists similar ones.

    Example:
        >>> from setwise import catalogue
        >>> catalogue.page("fork_targets").signature
        'knight.fork_targets(targets: set of squares) -> set of squares'
    """
    found = named(name)
    if isinstance(found, Topic):
        raise QueryError(f"{shortened(name)} is the topic {found.name}, which has {len(found.pages)} pages")
    return found


def named(name: str) -> Page | Topic:
    """Return the page of a name, as ``page`` does, or the topic of that name, or of another name (``Knight Pattern``).

    Raises:
        QueryError: as ``page``.
    """
    short = re.sub(r"^(setwise\.)?(features\.(\w+\.)?)?", "", name.strip())
    if found := (topic(short) if is_topic(short) else at(short)):
        return found
    known = pages()
    if short in known:
        return known[short]
    feature = known.get(re.sub(r"^(white|black)_", "", short))
    if feature and feature.sort == "feature":
        return feature
    if found := _of_conditions(short):
        return found
    if (target := meant(short)) and " " not in target:
        return named(target)
    same = several(short)
    if len(same) > 1:
        raise QueryError(f"{shortened(short)} may be {' or '.join(page.name for page in same)}")
    if found := same[0] if same else _column_alike(short):
        return found
    if way := chess_words.way_of_any(short):
        raise QueryError(f"{shortened(name)} is a word of python-chess: {way}")
    raise QueryError(f"there is no pattern, feature, table or column {shortened(name)}{_nearest(short)}")


def several(name: str) -> list[Page]:
    """Return the pages that a word means where it means several; for other words one page or none.

    >>> [page.name for page in several("by lookup")]
    ['king.ATTACKS', 'knight.ATTACKS']
    """
    meanings = (meant(name) or "").split()
    return [page(it) for it in meanings] if len(meanings) > 1 else _alike(name)


def _of_conditions(name: str) -> Page | None:
    """The page of a column or of another word of conditions."""
    from setwise.corpus.columns import COLUMNS  # Arrow comes with them, which most names do not need
    from setwise.corpus.language.vocabulary import word_of

    if "(" not in name and (column := COLUMNS.get(name)):
        kind = getattr(column.type, "value_type", column.type)
        return Page(name, "column", column, column.meaning, returns=str(kind))
    if word := word_of(name):
        example = f'For example: setwise find "{word.example}" games.pgn{word.options}'
        return Page(word.call, "word", word, word.meaning, example, names=word.names)
    return None


def _alike(name: str) -> list[Page]:
    """The pages that are called so, by the strictest rule of spelling that leads to any."""
    for form in (str, str.lower, spelled, loosely):
        for names_of in (lambda it: [it.bare_name], lambda it: it.names):
            if same := [it for it in pages().values() if form(name) in map(form, names_of(it))]:
                return same
    return []


def _column_alike(name: str) -> Page | None:
    """The column that is called so in another spelling, or without its first word: ``stalemate``, ``Elo``."""
    from setwise.corpus.columns import COLUMNS

    for beside in ("", "is_", "white_"):
        for column in COLUMNS:
            if column.startswith(beside) and loosely(column.removeprefix(beside)) == loosely(name):
                return _of_conditions(column)
    return None


def _nearest(name: str) -> str:
    """The names most like this one, as the end of a sentence."""
    from setwise.corpus.columns import COLUMNS
    from setwise.corpus.language.vocabulary import VOCABULARY

    known = pages()
    near = {name: page.name for page in known.values() for name in (page.bare_name, *page.names)}
    near |= synonyms() | {it: it for it in [*known, *topics(), *COLUMNS, *VOCABULARY]}
    return did_you_mean(name, near) or "; `setwise patterns` lists them"


def topic(name: str) -> Topic:
    """Return a topic by name; raises ``QueryError`` with all topics for an unknown one."""
    if name not in topics():
        raise QueryError(f"there is no topic {shortened(name)}; there are {', '.join(topics())}")
    return topics()[name]
