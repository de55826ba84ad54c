"""Words of strategy: agreement with positions that were tagged by hand before the words were defined."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from setwise import Bitboard, Position

DATA = Path(__file__).parent / "data"
#: The tags of two people: the first then wrote the definitions, the second had seen neither them nor the code.
TAGS = [[*csv.DictReader((DATA / name).read_text("utf-8").splitlines())] for name in ("strategy.csv", "strategy_2.csv")]
WORDS = sorted({row["word"] for row in TAGS[0]})


def agrees(row: dict[str, str]) -> bool:
    position, word, expected = Position(row["fen"]), row["word"], row["expected"]
    here = position.feature(f"{row['side']}_{word}")
    if word == "space":
        other = {"white": "black", "black": "white"}[row["side"]]
        more = len(Bitboard(here)) - len(Bitboard(position.feature(f"{other}_{word}")))
        return expected in (("more", "yes") if more > 0 else ("less", "no") if more else ("equal", "no"))
    return bool(here) == (expected == "yes") if expected in {"yes", "no"} else here == Bitboard(expected)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_strategy_means_what_the_textbook_means(word: str) -> None:
    """At least nine of ten positions of each person; the page on strategy says how many."""
    said = []
    for tags in TAGS:
        rows = [row for row in tags if row["word"] == word]
        good = sum(map(agrees, rows))
        assert len(rows) >= 10
        assert min(Counter(row["expected"] in {"no", "equal", "less"} for row in rows).values()) >= 4
        assert 10 * good >= 9 * len(rows), [row for row in rows if not agrees(row)]
        said.append(f"{good} of {len(rows)}")
    page = (Path(__file__).parents[1] / "docs" / "strategy.md").read_text(encoding="utf-8")
    stated = re.findall(rf"^\| `{word}` \|.*\| (\d+ of \d+) \| (\d+ of \d+) \|$", page, re.MULTILINE)
    assert stated == [tuple(said)]
