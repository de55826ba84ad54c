"""The workbench's search as one of the doors: the answers of ``find`` and ``sql``, and their sentences of refusal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.web import Refused, Searches, searches
from setwise.errors import SetwiseError

CONDITIONS = (
    "is_checkmate",
    "ply > 60 and is_check",
    "white_passed_pawns <> 0 and black_pawn_islands >= 3",
    "year < 1900 and piece = 'N' and own_safe_fork_squares <> 0",
    "knight.attacks(white_knights) & black_king <> 0",
    "false",
)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "games.pgn.zst"
    path.write_bytes(zstandard.compress(FAMOUS_GAMES.read_bytes()))
    return path


@pytest.fixture(scope="module")
def bench(packed: Path) -> Iterator[Searches]:
    with searches(FAMOUS_GAMES, packed) as found:
        yield found


def test_a_search_of_the_page_has_the_rows_and_counts_of_find(bench: Searches, packed: Path) -> None:
    for number, source in enumerate((FAMOUS_GAMES, packed)):
        for where in CONDITIONS:
            expected = setwise.find(where, source, columns=["game", "ply", "fen"]).to_pylist()
            found = bench.find(where, source=number)
            rows = [{name: row[name] for name in ("game", "ply", "fen")} for row in found.rows]
            assert (rows, found.matches) == (expected, len(expected)), where
            assert found.games == len({row["game"] for row in expected})
            few = bench.find(where, source=number, limit=3, skip=2)
            assert [(row["game"], row["ply"]) for row in few.rows] == [
                (row["game"], row["ply"]) for row in expected[2:5]
            ]
            assert few.matches == len(expected)


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("find", "nothing = 1"), ("find", "ply ="), ("find", "white_name > 3 + 'x'"), ("find", "white_name = 7 + [1]"),
        ("sql", "select nothing from positions"), ("sql", "select 1 from nowhere"), ("sql", "drop table positions"),
    ],
)  # fmt: skip
def test_a_refusal_on_the_page_is_the_sentence_of_python(bench: Searches, method: str, text: str) -> None:
    call: Any = getattr(setwise, method)
    with pytest.raises(SetwiseError) as expected:
        call(text, FAMOUS_GAMES)
    with pytest.raises(Refused) as told:
        getattr(bench, method)(text, source=0)
    assert str(told.value) == str(expected.value)
