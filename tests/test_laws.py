"""Two laws of every pattern, whatever it means.

One definition, one answer: called with ints, with arrays and inside compiled code, it says the same. And there is
nothing but unsigned integers in its machine code: no float, no signed number that is computed with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import setwise.compiler
from helpers.depth import depth
from helpers.patterns import EVERY_PATTERN, PATTERNS, mistakes, numba, random_arguments
from setwise.compiler import Flag, Pattern, Set, bitreverse, byteswap, pattern, plain, popcount, routine
from setwise.patterns import bits

CASES = 300


# -------------------------------------------------------------------------------------------- one answer, three roads


def caller(patterns: list[Pattern]) -> Any:
    """A compiled function that calls patterns by name: row k of ``answers`` gets what pattern k says of row k.

    Numba takes seconds for it; that is what the day's sample saves.
    """
    lines = ["def call(arguments, answers):", "    for case in range(arguments.shape[2]):"]
    for k, p in enumerate(patterns):
        values = ", ".join(f"arguments[{k}, {n}, case]" for n in range(len(p.kinds)))
        lines.append(f"        answers[{k}, case] = pattern{k}({values})")
    scope = {f"pattern{k}": p for k, p in enumerate(patterns)}
    exec("\n".join(lines), scope)  # noqa: S102  (these lines, and nothing else)
    words = numba().uint64
    return numba().njit(numba().void(words[:, :, ::1], words[:, ::1]))(scope["call"])


@pytest.mark.parametrize("topic", PATTERNS)
def test_ints_arrays_and_compiled_code_give_one_answer(topic: str) -> None:
    patterns, step = PATTERNS[topic], depth(5, 1)
    called = patterns[::step]
    arguments = np.zeros((len(called), max(len(p.kinds) for p in called), CASES), np.uint64)
    for k, p in enumerate(called):
        for n, values in enumerate(random_arguments(p, CASES)):
            arguments[k, n] = values
    compiled = np.zeros((len(called), CASES), np.uint64)
    caller(called)(arguments, compiled)

    for k, p in enumerate(patterns):
        cases = random_arguments(p, CASES)
        by_array = p(*cases)
        by_int = [p(*values) for values in zip(*(values.tolist() for values in cases), strict=True)]
        assert by_array.dtype == p.returns.dtype
        assert {type(answer) for answer in by_int} == {type(p.returns.python(0))}
        assert by_array.tolist() == by_int, p
        if k % step == 0:
            assert compiled[k // step].astype(p.returns.dtype).tolist() == by_int, p
            assert [p.returns.python(int(answer)) for answer in compiled[k // step]] == by_int, p


def failures(law: Callable[[Pattern], bool], patterns: Iterable[Pattern]) -> list[str]:
    """The names of the patterns that a law does not hold for."""
    return [p.name for p in patterns if not law(p)]


def test_the_arrays_layout_does_not_matter() -> None:
    def holds(p: Pattern) -> bool:
        cases = random_arguments(p, CASES)
        answers = p(*cases)
        strided = [np.repeat(values, 3)[::3] for values in cases]
        out = np.zeros(2 * CASES, answers.dtype)[::2]
        return (
            np.array_equal(p(*strided), answers)
            and np.array_equal(p(*[values[::-1] for values in cases]), answers[::-1])
            and p(*cases, out=out) is out
            and np.array_equal(out, answers)
            and p(*[values[:0] for values in cases]).shape == (0,)
            and np.array_equal(p(*[values.reshape(-1, 10) for values in cases]).ravel(), answers)
        )

    assert failures(holds, EVERY_PATTERN) == []


#: One pattern of each loop: they differ by the bytes of an item of the arguments and of the answer.
ONE_OF_A_LOOP = list({(*(k.dtype for k in p.kinds.values()), p.returns.dtype): p for p in EVERY_PATTERN}.values())


def test_long_arrays_are_computed_as_short_ones() -> None:
    """The loop has a road of its own for results too large for the cache; its ends are not aligned to anything."""

    def holds(p: Pattern) -> bool:
        cases = [
            np.resize(values & 7 if kind.name == "count" else values, (1 << 20) + 77)  # as many steps as counted
            for kind, values in zip(p.kinds.values(), random_arguments(p, CASES), strict=True)
        ]
        return np.array_equal(p(*cases), np.resize(p(*[values[:CASES] for values in cases]), cases[0].size))

    assert len(ONE_OF_A_LOOP) > 10
    assert failures(holds, depth(ONE_OF_A_LOOP, EVERY_PATTERN)) == []


# ----------------------------------------------------------------------------------------------------- the type census


def test_only_unsigned_integers_are_computed_with() -> None:
    assert [it for p in EVERY_PATTERN[:: depth(6, 1)] for it in mistakes(p)] == []


@routine
def _slipped(squares):
    return squares & (squares + 1)


@pattern
def _signed(squares: Set) -> Set:
    return (squares & 0x7F7F_7F7F) >> 1


@pattern
def _floating(squares: Set) -> Set:
    return np.uint64(squares / np.uint64(2))


@pattern
def _hidden(squares: Set) -> Flag:
    return np.uint64(_slipped(squares) != np.uint64(0))


@pattern
def _sound(squares: Set) -> Set:
    half = byteswap(squares) if popcount(squares) > np.uint64(4) else bitreverse(squares)
    return half if half != np.uint64(0) else ~np.uint64(0)


for _own in (_signed, _floating, _hidden, _sound):
    del setwise.compiler.PATTERNS[_own.name]  # they have no pages


@pytest.mark.parametrize(("p", "sound"), [(_signed, False), (_floating, False), (_hidden, False), (_sound, True)])
def test_the_census_finds_what_it_looks_for(p: Pattern, sound: bool) -> None:
    assert (not mistakes(p)) == sound


# -------------------------------------------------------------------------------------------------------------- idioms


def test_idioms_of_sets_mean_what_their_names_say() -> None:
    sets = np.array(
        [0, 1, 1 << 63, 1 << 63 | 1, 0b0110_1000, 2**64 - 1, *(1 << k | 1 << 63 for k in range(63))], np.uint64
    )
    squares = [[k for k in range(64) if int(word) >> k & 1] for word in sets]

    def words(kept: list[list[int]]) -> list[int]:
        return [sum(1 << k for k in some) for some in kept]

    assert plain(bits.only_lowest)(sets).tolist() == words([some[:1] for some in squares])
    assert plain(bits.without_lowest)(sets).tolist() == words([some[1:] for some in squares])
    assert plain(bits.more_than_one)(sets).tolist() == [len(some) > 1 for some in squares]
    assert plain(bits.bit)(np.arange(64, dtype=np.uint64)).tolist() == words([[k] for k in range(64)])
