"""The lexicon: words that people try first lead to a condition that can be pasted, from every command."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from setwise.corpus.columns import COLUMNS
from setwise.corpus.language.condition import Condition
from setwise.corpus.lexicon import entries, is_condition, meaning_of, way_of
from setwise.errors import QueryError

ROWS = [*csv.DictReader((Path(__file__).parent / "data" / "words.csv").read_text("utf-8").splitlines())]


def test_every_condition_of_the_lexicon_can_be_pasted() -> None:
    conditions = {it for it in entries().values() if is_condition(it)}
    assert len(conditions) > 200
    assert len(entries()) > 1000
    for condition in conditions:
        if "repertoire.pgn" not in condition:  # a file that must be named
            Condition(condition)


def test_words_of_other_people_lead_where_they_should() -> None:
    """Words of glossaries, programs and themes, collected after the lexicon; what it did not know was then added."""
    wrong = []
    for row in ROWS:
        word = row["word"]
        found = word.lower() if word.lower() in COLUMNS else way_of(word)
        if not re.search(row["leads to"], found):
            wrong.append((word, found))
    assert len(ROWS) > 300
    assert len(wrong) < len(ROWS) / 20, wrong


@pytest.mark.parametrize("other", [str.upper, str.title, lambda it: it.replace(" ", "_"), lambda it: it + "s"])
def test_capitals_hyphens_and_plurals_make_no_difference(other: Callable[[str], str]) -> None:
    for word in ("knight fork", "passed pawn", "backward pawn", "centre majority", "open file"):
        assert meaning_of(other(word)) == meaning_of(word) is not None
    assert meaning_of("center majority") == meaning_of("centre majority")
    assert meaning_of("knihgt fork") == meaning_of("knight fork")


@pytest.mark.parametrize("word", ["fork", "double check", "rating", "mate", "zwischenzug"])
def test_find_and_sql_name_the_condition_to_paste(word: str) -> None:
    condition = meaning_of(word)
    with pytest.raises(QueryError, match=f"no column '{word}'; the condition that asks for it: ") as raised:
        setwise.find(word, FAMOUS_GAMES)
    assert str(raised.value).endswith(str(condition)) or str(condition) in str(raised.value)
    if " " not in word:
        with pytest.raises(QueryError, match="the condition that asks for it: "):
            setwise.sql(f"from positions where {word}", FAMOUS_GAMES)


def test_what_no_column_says_is_said() -> None:
    with pytest.raises(QueryError, match="no column says who resigned"):
        setwise.find("resigned", FAMOUS_GAMES)
    assert way_of("qwertz") == ""
