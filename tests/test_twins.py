"""Every pattern of every topic beside its naive twin, and nothing forgotten: no twin, no judge, no public name.

By day, what `test_proofs` proves of a definition is compared here on 1,000 boards, since a proof says nothing of the
compiler; the other patterns are compared on all their cases.
"""

from __future__ import annotations

import ast

import numpy as np
import pytest

from helpers.data import ROOT
from helpers.depth import NIGHT
from helpers.drawing import difference
from helpers.patterns import EVERY_PATTERN, PATTERNS, TOPICS
from helpers.proving import listed
from helpers.twins import answers, columns, twin_of
from setwise.compiler import Pattern

#: Patterns without a twin, and the test that judges each by the rules of chess instead.
JUDGED = {
    "king.mate_at_a_glance": "test_king.test_every_hit_in_games_is_mate",
    "race.escorted": "test_race.test_an_escorted_pawn_promotes_in_the_solved_game",
    "moves.legal_move_count": "test_moves.test_legal_moves_are_those_of_python_chess",
}

TWINNED = [p for p in EVERY_PATTERN if p.name not in JUDGED]


@pytest.mark.parametrize("p", TWINNED, ids=lambda p: p.name)
def test_a_pattern_is_its_naive_twin(p: Pattern) -> None:
    twin = twin_of(p)
    assert twin, (
        f"{p.name} has no twin: write {p.name.replace('.', '.py: ')} in tests/naive, or say in JUDGED who judges"
    )
    cases = columns(p, twin)
    if not NIGHT and listed()[p.name]["how"] in {"z3", "rounds"}:
        cases = some_of(p, cases)
    expected = answers(p, twin, cases)
    assert not difference(p(*cases), expected, *cases)
    values, counts = np.unique(expected, return_counts=True)
    assert values.size > 1, "all cases have the same answer"
    assert counts.max() <= expected.size - min(50, expected.size // 4), "hardly any case has another answer"


def some_of(p: Pattern, cases: list[np.ndarray]) -> list[np.ndarray]:
    """A thousand of the cases, half of them, if there are so many, with another answer than the usual one."""
    found = p(*cases)
    values, counts = np.unique(found, return_counts=True)
    mixed = np.random.default_rng(1).permutation(found.size)
    unusual = found[mixed] != values[counts.argmax()]
    some = np.concatenate([mixed[unusual][:500], mixed[~unusual][:500]])
    return [column[some] for column in cases]


def test_patterns_without_twins_have_judges() -> None:
    names = {p.name for p in EVERY_PATTERN}
    for name, judge in JUDGED.items():
        assert name in names
        file, _, function = judge.partition(".")
        tree = ast.parse((ROOT / "tests" / f"{file}.py").read_text("utf-8"))
        [found] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
        assert found.name.startswith("test_")


@pytest.mark.parametrize("topic", PATTERNS)
def test_every_pattern_of_a_topic_is_public(topic: str) -> None:
    defined = {p.name.partition(".")[2] for p in PATTERNS[topic]}
    assert {name for name in defined if not name.startswith("_")} <= set(TOPICS[topic].__all__)


def test_twins_are_of_patterns_that_there_are() -> None:
    topics = {path.stem for path in (ROOT / "tests" / "naive").glob("[!_]*.py")}
    assert topics <= {*TOPICS, "features"}
