"""``setwise.limits``: the same answers in a process of its own, which ends when a question takes too much."""

from __future__ import annotations

import contextlib
import multiprocessing
import warnings
from pathlib import Path
from typing import Any

import pytest

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from setwise.corpus.query import limits
from setwise.errors import LimitExceeded, QueryError, SetwiseError
from setwise.system.processes import memory_is_known

on_linux = pytest.mark.skipif(not memory_is_known(), reason="only Linux limits the memory of a process")
#: What no machine answers in a minute, and what needs gigabytes.
ENDLESS = "select count(*) from range(10000000) a, range(10000000) b where a.range * b.range % 7 = 3"
LARGE = ("len(range(100000000 + ply)) > 5", "length(repeat('x', 500000000 + ply)) > 5", "len(range(100000000)) > 5")


@pytest.mark.parametrize(
    "wrong",
    [{"seconds": 0}, {"seconds": -1}, {"seconds": float("inf")}, {"seconds": float("nan")}, {"memory": "5 apples"},
     {"memory": 5}, {"memory": "63 MB"}, {"memory": True}, {"memory": "MB"}, {"memory": -(10**9)}],
)  # fmt: skip
def test_a_limit_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with (
        pytest.raises(ValueError, match=r"seconds is a number above 0|memory is 64 MB or more"),
        setwise.limits(**wrong),
    ):
        pass


def test_what_no_limit_holds_for_is_refused() -> None:
    with setwise.limits(seconds=5):
        for ask, name in ((setwise.connect, "connect"), (setwise.batches, "batches")):
            with pytest.raises(QueryError, match=f"limits cannot hold for {name}: use find, sql, tree or similar"):
                next(ask(FAMOUS_GAMES))  # type: ignore[operator]
        with FAMOUS_GAMES.open("rb") as file, pytest.raises(QueryError, match="a stream cannot be read elsewhere"):
            setwise.find("is_check", file)
        with pytest.raises(QueryError, match="a stream cannot be read elsewhere"):
            setwise.sql("select 1", ["-"])
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_the_answers_inside_are_those_outside(tmp_path: Path) -> None:
    own = "from setwise import Set, pattern\n@pattern\ndef same(those: Set) -> Set:\n    'Itself.'\n    return those\n"
    for name in ("gone_limits", "own_limits"):
        (tmp_path / f"{name}.py").write_text(own)
        setwise.load(tmp_path / f"{name}.py")
    (tmp_path / "gone_limits.py").unlink()
    broken, book = b"1. e4 e5 2. Ke3 *", [ROOT / "examples" / "repertoire.pgn"]
    questions = [
        lambda faults: setwise.find("is_check", FAMOUS_GAMES),
        lambda faults: setwise.find("leaves('repertoire.pgn')", FAMOUS_GAMES, files=book, order_by="ply", limit=3),
        lambda faults: setwise.find("own_limits.same(white_king) <> 0", broken, on_fault=faults.append),
        lambda faults: setwise.find("white_name = 'kasparov'", FAMOUS_GAMES, on_hint=faults.append),
        lambda faults: setwise.sql("select result, count(*) n from games group by all order by all", FAMOUS_GAMES),
        lambda faults: setwise.tree("1. e4", [FAMOUS_GAMES]),
        lambda faults: setwise.similar("1. e4 e5", setwise.find("ply = 9", FAMOUS_GAMES, columns=["fen"]), n=3),
    ]  # fmt: skip

    def answers() -> list[Any]:
        told: list[Any] = []
        return [*(question(told).to_pylist() for question in questions), [str(it) for it in told]]

    outside = answers()
    assert len(outside[-1]) == 2
    memory = {"memory": "600 MB"} if memory_is_known() else {}
    with setwise.limits(seconds=300, **memory):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert answers() == outside
        assert len(multiprocessing.active_children()) == 1
        for wrong in ("nope = 3", "within('x.pgn')"):
            with pytest.raises(QueryError, match=r"there is no column 'nope'|not among the repertoires"):
                setwise.find(wrong, FAMOUS_GAMES)
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_a_question_that_takes_too_long_ends_and_so_does_one_that_nobody_waits_for() -> None:
    def stop(fault: object) -> None:
        raise KeyboardInterrupt

    assert issubclass(LimitExceeded, SetwiseError)
    with setwise.limits(seconds=300):
        with (
            setwise.limits(seconds=1),
            pytest.raises(LimitExceeded, match=r"^the question takes more than 1 seconds, its limit$"),
        ):
            setwise.sql(ENDLESS, b"1. e4 *")
        assert not multiprocessing.active_children()
        with contextlib.suppress(KeyboardInterrupt):
            setwise.find("true", b"1. e4 e5 2. Ke3 *", on_fault=stop)
        assert not multiprocessing.active_children()
        assert setwise.find("ply = 1", b"1. e4 *").num_rows == 1


@pytest.mark.slow
@on_linux
def test_a_question_that_needs_too_much_memory_ends() -> None:
    with setwise.limits(memory="400 MB"), setwise.limits(seconds=300, memory="2 GB"):
        for where in LARGE:
            with pytest.raises(LimitExceeded, match="more memory than 400 MB, its limit"):
                setwise.find(where, FAMOUS_GAMES)
        assert setwise.find("ply = 1", b"1. e4 *").num_rows == 1


@on_linux
def test_of_blocks_within_each_other_the_tighter_limits_hold() -> None:
    loose, tight = {"seconds": 300, "memory": "2 GB"}, {"seconds": 5, "memory": "400 MB"}
    for outer, inner in ((loose, tight), (tight, loose)):
        with setwise.limits(**outer), setwise.limits(**inner):  # type: ignore[arg-type]
            held = limits._set.get()
            assert held is not None
            assert (held.seconds, held.memory, held.shown) == (5, 400_000_000, "400 MB")
