"""The helper that compares costs: a square is found, a moment's disturbance is no fault."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from helpers import cost
from helpers.cost import stays_in_proportion


def test_a_cost_that_grows_with_the_square_of_the_text_is_found() -> None:
    with pytest.raises(AssertionError):
        stays_in_proportion(lambda text: [max(text) for _ in range(len(text) >> 16)], bytes)
    stays_in_proportion(max, bytes)


@pytest.mark.parametrize("base", [1e-5, 1e-4, 9e-4, 5e-3, 0.1])
def test_a_square_is_found_however_little_the_smallest_text_costs(base: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def spent(task: Callable[[bytes], float], text: bytes) -> float:
        return task(text)

    monkeypatch.setattr(cost, "seconds", spent)
    with pytest.raises(AssertionError):
        stays_in_proportion(lambda text: base * (len(text) / 2**16) ** 2, bytes)
    stays_in_proportion(lambda text: base * (len(text) / 2**16), bytes)
    for disturbed in range(8):
        calls = itertools.count()

        def task(text: bytes, calls: Iterator[int] = calls, disturbed: int = disturbed) -> float:
            return base * (len(text) / 2**16) + 0.03 * (next(calls) == disturbed)  # as much as 33 of the smallest texts

        stays_in_proportion(task, bytes)


def test_a_copy_of_the_text_too_many_is_found() -> None:
    with pytest.raises(AssertionError):
        stays_in_proportion(lambda text: [bytes(bytearray(text)) for _ in range(3)], bytes, copies=2)
