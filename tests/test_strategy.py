"""Words of strategy: agreement with positions that were tagged by hand before the words were defined."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from setwise import Bitboard, Position

ROWS = [*csv.DictReader((Path(__file__).parent / "data" / "strategy.csv").read_text("utf-8").splitlines())]
WORDS = sorted({row["word"] for row in ROWS})


def agrees(row: dict[str, str]) -> bool:
    position, word, expected = Position(row["fen"]), row["word"], row["expected"]
    here = position.feature(f"{row['side']}_{word}")
    if word == "space":
        other = {"white": "black", "black": "white"}[row["side"]]
        more = len(Bitboard(here)) - len(Bitboard(position.feature(f"{other}_{word}")))
        return expected == ("more" if more > 0 else "less" if more else "equal")
    return bool(here) == (expected == "yes") if expected in {"yes", "no"} else here == Bitboard(expected)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_strategy_means_what_the_textbook_means(word: str) -> None:
    """At least nine of ten positions; the page on strategy says how many."""
    rows = [row for row in ROWS if row["word"] == word]
    good = sum(map(agrees, rows))
    assert len(rows) >= 10
    assert min(Counter(row["expected"] in {"no", "equal", "less"} for row in rows).values()) >= 4
    assert 10 * good >= 9 * len(rows), [row for row in rows if not agrees(row)]
    page = (Path(__file__).parents[1] / "docs" / "strategy.md").read_text(encoding="utf-8")
    [stated] = re.findall(rf"^\| `{word}` \|.*\| (\d+ of \d+) \|$", page, re.MULTILINE)
    assert stated == f"{good} of {len(rows)}"
