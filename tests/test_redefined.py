"""What is defined anew, as a cell of a notebook that runs again does, holds everywhere from then on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from setwise import Set, feature, pattern
from setwise.compiler import PATTERNS
from setwise.features import FEATURES, Side
from setwise.patterns.bits import FILES

GAMES = FAMOUS_GAMES.read_bytes()[:2500]
_CALL = "mine(white_knights | black_knights)"


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """Forget what a test defines."""
    before = dict(PATTERNS), dict(FEATURES)
    yield
    for registry, old in zip((PATTERNS, FEATURES), before, strict=True):
        registry.clear()
        registry.update(old)


def _defined(files: Any) -> None:
    """Define the pattern ``mine`` and the feature ``mine`` as a cell of a notebook does."""

    def mine(knights):
        return knights & files

    def mine_too(side):
        return side.own & files

    mine.__annotations__ = {"knights": Set, "return": Set}
    mine_too.__annotations__ = {"side": Side, "return": Set}
    for definition, name in ((mine, "mine"), (mine_too, "mine_too")):
        definition.__module__, definition.__name__, definition.__qualname__ = "__main__", name, name
        definition.__doc__ = "Return what is on some files."
    pattern(mine)
    feature(mine_too)


def _answers(threads: int) -> dict[str, int]:
    """How many positions there are, by every way to ask."""
    wheres = {
        "a call": f"{_CALL} <> 0",
        "a call in a lambda": "list_filter([white_knights, black_knights], lambda men: mine(men) <> 0) <> []",
        "features": "white_mine_too <> 0 and own_mine_too <> 0",
    }
    found = {}
    for name, where in wheres.items():
        found[f"{name}, find"] = len(setwise.find(where, GAMES, columns="ply", threads=threads))
        [row] = setwise.sql(
            f"select count(*) n from positions where {where}",  # noqa: S608
            GAMES,
            threads=threads,
        ).to_pylist()
        found[f"{name}, sql"] = row["n"]
    return found


def _by_hand(files: int) -> tuple[int, int]:
    """How many positions have a knight on some files, and how many have men of White and of the mover there."""
    knights = men = 0
    for games in setwise.read_pgn(GAMES):
        for game in games:
            for position in game.positions():
                knights += bool(position.knights & files)
                own = position.white_pieces if position.white_to_move else position.black_pieces
                men += bool(position.white_pieces & files and own & files)
    return knights, men


def test_find_and_sql_ask_the_latest_form() -> None:
    for files, threads in ((FILES[0], 1), (FILES[6], 2)):
        _defined(files)
        knights, men = _by_hand(int(files))
        found = _answers(threads)
        assert found == {name: men if name.startswith("feature") else knights for name in found}


def test_the_latest_form_may_take_other_arguments() -> None:
    def of_one(knights: Set) -> Set:
        """Return what is on the f-file."""
        return knights & FILES[5]

    def of_two(knights: Set, others: Set) -> Set:
        """Return what is on the f-file and in another set."""
        return knights & others & FILES[5]

    counts = []
    for form, given in ((of_one, "men"), (of_two, "men, black_pieces")):
        form.__module__, form.__name__, form.__qualname__ = "__main__", "mine", "mine"
        pattern(form)
        where = f"list_filter([white_knights, black_knights], lambda men: mine({given}) <> 0) <> []"
        counts.append(len(setwise.find(where, GAMES, columns="ply")))
    boards = [position for games in setwise.read_pgn(GAMES) for game in games for position in game.positions()]
    knights = [position.knights & int(FILES[5]) for position in boards]
    of_black = [there & position.black_pieces for there, position in zip(knights, boards, strict=True)]
    assert counts == [sum(map(bool, knights)), sum(map(bool, of_black))]
    assert counts[0] > counts[1] > 0


def test_a_connection_keeps_the_functions_that_it_was_opened_with() -> None:
    query = f"select count(*) from positions where {_CALL} <> 0"  # noqa: S608
    _defined(FILES[0])
    with setwise.connect(GAMES) as before:
        old = before.sql(query).fetchall()
        _defined(FILES[6])
        with setwise.connect(GAMES) as after:
            new = after.sql(query).fetchall()
        assert (old, new) == ([(_by_hand(int(FILES[0]))[0],)], [(_by_hand(int(FILES[6]))[0],)])
        assert before.sql(query).fetchall() == old


def test_positions_and_compiled_callers_know_the_latest_form() -> None:
    position = setwise.Position("4k3/8/8/8/8/8/8/N3K1N1 w - - 0 1")
    for files in (FILES[0], FILES[6]):
        _defined(files)
        assert position.feature("white_mine_too") == position.white_pieces & int(files)
        assert int(PATTERNS["mine"](int(position.knights))) == position.knights & int(files)
