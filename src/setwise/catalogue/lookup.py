"""Search for a pattern by any of its names, and for the pages that it uses or that use it."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from setwise import chess_words
from setwise.catalogue.pages import Page, Topic, at, definition_of, is_topic, pages, topics
from setwise.compiler.definitions import ByProcessor, Entry, Pattern, Routine
from setwise.corpus import lexicon
from setwise.corpus.lexicon import loosely, spelled
from setwise.errors import QueryError, did_you_mean, shortened

# ---------------------------------------------------------------------------------------------- what people call things


@functools.cache
def _by_spelling() -> dict[str, str]:
    return {form(word): name for form in (loosely, spelled) for word, name in lexicon.pages().items()}


@functools.cache
def _sentences() -> dict[str, str]:
    listed = tomllib.loads(Path(__file__).with_name("instead.toml").read_text("utf-8"))
    return {form(word): sentence for form in (loosely, spelled) for sentence, words in listed.items() for word in words}


def instead(name: str) -> str | None:
    """Return the sentence that says what stands here for a technique without a page; None for any other name.

    >>> instead("Hamming Distance")
    'Count what differs: `bits.count(a ^ b)` is the Hamming distance of two sets.'
    """
    return _sentences().get(spelled(name)) or _sentences().get(loosely(name))


def meant(word: str) -> str | None:
    """Return the name of the topic or page, or several names, that a word of books or wikis means; else None.

    >>> meant("Family Check"), meant("Fill algorithm"), meant("knight")
    ('royal_fork_squares', 'fills', None)
    """
    return _by_spelling().get(spelled(word)) or _by_spelling().get(loosely(word))


# -------------------------------------------------- what a name leads to: a page or a topic, by everybody's word for it


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
    meaning = named(name)
    if isinstance(meaning, Topic):
        raise QueryError(f"{shortened(name)} is the topic {meaning.name}, which has {len(meaning.pages)} pages")
    return meaning


def named(name: str) -> Page | Topic:
    """Return the page of a name, as ``page`` does, or the topic that has this name or synonym (``Knight Pattern``).

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
    if sentence := instead(short):
        raise QueryError(f"{shortened(name)} has no page: {sentence}")
    if way := chess_words.way_of_any(short):
        raise QueryError(f"{shortened(name)} is a word of python-chess: {way}")
    if found := _of_lexicon(short):
        return found
    raise QueryError(f"there is no pattern, feature, table or column {shortened(name)}{_nearest(short)}")


def several(name: str) -> list[Page]:
    """Return the pages that a word means: several for an ambiguous word, one or none for any other word.

    >>> [page.name for page in several("by lookup")]
    ['king.ATTACKS', 'knight.ATTACKS']
    """
    meanings = (meant(name) or "").split()
    return [page(it) for it in meanings] if len(meanings) > 1 else _alike(name)


def _of_conditions(name: str) -> Page | None:
    """The page of a column or of another word of conditions."""
    from setwise.corpus.columns import COLUMNS  # imports Arrow, which most names do not need
    from setwise.corpus.language.functions import word_of

    if "(" not in name and (column := COLUMNS.get(name)):
        kind = getattr(column.type, "value_type", column.type)
        return Page(name, "column", column, column.meaning, returns=str(kind))
    if word := word_of(name):
        example = f'For example: setwise find "{word.example}" games.pgn{word.options}'
        return Page(word.call, "word", word, word.meaning, example, names=tuple(word.names))
    return None


def _alike(name: str) -> list[Page]:
    """The pages with a name, compared by the strictest rule of spelling that finds any page."""
    for form in (str, str.lower, spelled, loosely):
        for names_of in (lambda it: [it.bare_name], lambda it: it.names):
            if same := [it for it in pages().values() if form(name) in map(form, names_of(it))]:
                return same
    return []


def _column_alike(name: str) -> Page | None:
    """The column with a name in another spelling, or without the first word of its name: ``stalemate``, ``Elo``."""
    from setwise.corpus.columns import COLUMNS

    for beside in ("", "is_", "white_"):
        for column in COLUMNS:
            if column.startswith(beside) and loosely(column.removeprefix(beside)) == loosely(name):
                return _of_conditions(column)
    return None


def _of_lexicon(name: str) -> Page | None:
    """The page of the column that the condition for a word of the lexicon asks about, of one side or of either."""
    one, _, other = (lexicon.meaning_of(name, misspelt=False) or "").partition(" or ")
    column = re.fullmatch(r"([a-z]\w*)(?: (?:<>|>|>=|<|=|is not) \S+)?", one)
    if other and other != one.replace("white_", "black_"):
        return None
    if column is None:
        return None
    first = column[1]
    feature = pages().get(re.sub(r"^(own|enemy|white|black)_", "", first))
    return feature if feature and feature.sort == "feature" else pages().get(first) or _of_conditions(first)


def _nearest(name: str) -> str:
    """The names most like a name, as the end of a sentence."""
    from setwise.corpus.columns import COLUMNS
    from setwise.corpus.language.functions import vocabulary

    known = pages()
    near = {name: page.name for page in known.values() for name in (page.bare_name, *page.names)}
    near |= lexicon.pages() | {it: it for it in [*known, *topics(), *COLUMNS, *vocabulary()]}
    return did_you_mean(name, near) or "; `setwise patterns` lists them"


def topic(name: str) -> Topic:
    """Return a topic by name; raises ``QueryError`` with all topics for an unknown one."""
    if name not in topics():
        raise QueryError(f"there is no topic {shortened(name)}; there are {', '.join(topics())}")
    return topics()[name]


# -------------------------------------------------------------------------------------------------- what builds on what


#: ``together`` shortens a list of more than ``_MANY`` names: more than ``_FEW`` names of a topic become the topic.
_MANY, _FEW = 9, 2


def uses(page: Page) -> tuple[str, ...]:
    """Return the names of the pages that a pattern or feature uses, directly or through helpers that have no page.

    >>> from setwise import catalogue
    >>> uses(catalogue.page("pawns.promotions"))
    ('compass.north', 'pawns.attacks')
    """
    if page.function is None:
        return ()
    return tuple(dict.fromkeys(it for it in _reached(page.function, set()) if it != page.name))


def together(names: Sequence[str]) -> list[str]:
    """Return names for a reader: if there are many, the name of a topic replaces the names in that topic.

    >>> together(["compass.east", "compass.west"])
    ['compass.east', 'compass.west']
    >>> together([f"fills.ray_fill_{way}" for way in ("north", "east", "south", "west")] * 3 + ["king.attacks"])
    ['fills', 'king.attacks']
    """
    topic_of = {name: name.rpartition(".")[0] or "features" for name in names}
    sizes = Counter(topic_of.values())
    return list(dict.fromkeys(it if len(names) <= _MANY or sizes[of] <= _FEW else of for it, of in topic_of.items()))


def used_by(page: Page) -> tuple[str, ...]:
    """Return the names of the pages that use this page.

    >>> from setwise import catalogue
    >>> used_by(catalogue.page("pawns.passed_free"))
    ('unstoppable_passers',)
    """
    return tuple(name for name, used in _relations().items() if page.name in used)


@functools.lru_cache(1)
def _relations() -> dict[str, tuple[str, ...]]:
    return {name: uses(page) for name, page in pages().items()}


def _reached(function: Callable[..., Any], seen: set[int]) -> Iterator[str]:
    """The pages that a definition names; instead of a helper without a page, the pages that the helper names."""
    seen.add(id(function))
    for name, it in things_in(function):
        thing = it.routine if isinstance(it, ByProcessor) else it
        if page := _page_of(name, thing):
            yield page
        elif isinstance(thing, Routine | Entry) and id(thing.function) not in seen:
            yield from _reached(thing.function, seen)


@functools.cache
def things_in(function: Any) -> tuple[tuple[str, Any], ...]:
    """Return the things that the body of a definition names, each with the name, in the order of its lines."""
    scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    tree = ast.parse(definition_of(function) or "pass")
    lines = [line for it in tree.body for line in (it.body if isinstance(it, ast.FunctionDef) else [it])]
    nodes = [it for line in lines for it in ast.walk(line) if isinstance(it, ast.Name | ast.Attribute)]
    own = function.__code__.co_varnames
    named: list[tuple[str, Any]] = []
    for it in sorted(nodes, key=lambda it: (it.lineno, it.col_offset)):
        if isinstance(it, ast.Name) and it.id not in own:
            named.append((it.id, scope.get(it.id)))
        elif (
            isinstance(it, ast.Attribute)
            and isinstance(it.value, ast.Name)
            and isinstance(module := scope.get(it.value.id), ModuleType)
        ):
            named.append((it.attr, getattr(module, it.attr, None)))
    return tuple(named)


def _page_of(name: str, thing: Any) -> str:
    """The name of the page of a thing that a definition names; empty if the thing has no page."""
    if isinstance(thing, Pattern):
        page = at(thing.name)
        return page.name if page else ""
    if isinstance(thing, np.ndarray) and not name.startswith("_"):
        return next((page.name for page in pages().values() if page.thing is thing), "")
    return thing.name.rpartition(".")[2] if type(thing).__name__ == "Feature" else ""
