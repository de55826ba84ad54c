"""Every function of the language is explained, by its name and by what others call it, with an example that finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import setwise
from helpers.data import FAMOUS_GAMES
from setwise import catalogue
from setwise.cli.app import app
from setwise.corpus.language.functions import MACROS, vocabulary
from setwise.corpus.language.names import EACH
from setwise.corpus.language.sequences import SEQUENCES
from setwise.errors import QueryError

LANGUAGE = (Path(__file__).resolve().parents[1] / "docs" / "language.md").read_text("utf-8")
#: Examples of what the famous games do not have.
RARE = {"material", "any_symmetry", "any_of"}


def test_all_functions_are_in_it() -> None:
    assert vocabulary().keys() == {*MACROS, *SEQUENCES, EACH}


@pytest.mark.parametrize("name", vocabulary())
def test_its_example_has_it_and_finds_something(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FAMOUS_GAMES.parent)
    word = vocabulary()[name]
    assert f"{name.replace('color', 'colour')}(" in word.example.replace("either_color(", "either_colour(")
    files = word.options.split()[1:]
    assert (setwise.find(word.example, FAMOUS_GAMES, files=files).num_rows > 0) != (name in RARE)


@pytest.mark.parametrize("name", vocabulary())
def test_it_is_explained(name: str) -> None:
    word = vocabulary()[name]
    for asked in (name, name.upper(), f"{name}(x)", *word.names):
        if asked.lower() == "material":  # the feature
            continue
        page = catalogue.named(asked)
        assert (page.sort, page.summary) == ("word", word.meaning)
    told = CliRunner().invoke(app, ["explain", "material(x)" if name == "material" else name]).stdout
    assert told.startswith(f"{word.call}: a function of conditions\n")
    assert f'"{word.example}" games.pgn{word.options}\n' in told
    assert f"`{name}(" in LANGUAGE or name in LANGUAGE.replace("(`either_color`)", "")


def test_a_wrong_name_leads_to_it() -> None:
    with pytest.raises(QueryError, match="did you mean streak"):
        catalogue.named("strek")
    with pytest.raises(QueryError, match="did you mean either_colo"):
        catalogue.named("eithercolour")
