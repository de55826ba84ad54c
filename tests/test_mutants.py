"""The small faults that measure the suite: each has one place in the sources, and tests that run first."""

from __future__ import annotations

import pytest

from mutants.run import ROOT, Mutant, mutants


@pytest.mark.parametrize("room", sorted({it.room for it in mutants()}))
def test_every_fault_has_its_place_and_its_tests(room: str) -> None:
    def wrong(mutant: Mutant) -> str | None:
        if mutant.find == mutant.put or not mutant.harm.strip():
            return "changes nothing, or does no harm"
        for name in mutant.tests:
            if not (ROOT / "tests" / f"{name}.py").exists():
                return f"there is no {name}"
        try:
            mutant.text()
        except (OSError, ValueError) as error:
            return str(error)
        return None if mutant.tests else "has no tests"

    assert [(it.harm, reason) for it in mutants(room) if (reason := wrong(it))] == []
