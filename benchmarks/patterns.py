"""Patterns on arrays: how near they come to the speed of memory, which is that of copying as many bytes."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Iterator

import numpy as np
from harness import Pair, Plan, Row, ascending, first, listed, pair, rate, rounds, topic

from setwise.catalogue import pages
from setwise.compiler import Kind, Pattern
from setwise.patterns import islands, king, knight, pawns, sliders

BY_FILL = (sliders.rooks_attacks, sliders.bishops_attacks, sliders.queens_attacks)
ATTACKS = (king.attacks, knight.attacks, knight.fork_targets, pawns.attacks, pawns.east_attacks, pawns.west_attacks)
SETS = {"set of squares", "fileset"}
COPY = "np.copyto"


def boards(plan: Plan) -> int:
    return plan.size(20_000_000, 20_000)


def catalogue() -> Iterator[Pattern]:
    """Every pattern from one or two sets (or filesets) to a set, and the count of islands."""
    for page in pages().values():
        found = page.thing
        if page.sort == "pattern" and len(found.kinds) <= 2 and found not in BY_FILL and page.topic != "bits":
            kinds = {kind.name for kind in found.kinds.values()}
            if kinds <= SETS and (found.returns.name in SETS or found is islands.count):
                yield found


def simple(pattern: Pattern) -> bool:
    """Whether it is a step, an attack, a fork or an island: nothing but memory should limit these."""
    module, _, name = pattern.name.partition(".")
    step = module == "compass" and not name.startswith(("flip", "mirror", "rotate"))
    return step or module == "islands" or pattern in ATTACKS


@functools.cache
def argument(kind: Kind, number: int, size: int) -> np.ndarray:
    """Random boards: sixteen pieces in the first argument, thirty-two in the second."""
    random = np.random.default_rng(number)
    words = [random.integers(0, kind.largest, size, kind.dtype, endpoint=True) for _ in range(2 - number)]
    return functools.reduce(np.bitwise_and, words)


@functools.cache
def copied(size: int) -> tuple[np.ndarray, np.ndarray]:
    return np.ones(size, np.uint8), np.zeros(size, np.uint8)


def beside_copying(plan: Plan, pattern: Pattern) -> Pair:
    """Time a pattern with ``out=`` beside a copy that reads and writes as many bytes in all."""
    size = boards(plan)
    arrays = [argument(kind, number, size) for number, kind in enumerate(pattern.kinds.values())]
    out = np.zeros(size, pattern.returns.dtype)
    source, target = (half[: (sum(array.nbytes for array in arrays) + out.nbytes) // 2] for half in copied(12 * size))
    return pair(plan, lambda: pattern(*arrays, out=out), lambda: np.copyto(target, source))


@topic("patterns")
def attacks_and_forks(plan: Plan) -> Iterator[Row]:
    for pattern in (knight.attacks, knight.fork_targets):
        yield beside_copying(plan, pattern).row(f"{pattern.name}, {boards(plan):,} boards", COPY, 0.9)


@topic("patterns")
def whole_catalogue(plan: Plan) -> Iterator[Row]:
    chosen = list(catalogue())[:: plan.size(1, 8)]
    brief = plan._replace(seconds=0.3 * plan.seconds)
    rows = {pattern: beside_copying(brief, pattern).row(pattern.name, COPY) for pattern in chosen}
    for kind, wanted, target in (("simple ones", True, 0.9), ("others", False, 0.5)):
        ratios = ascending({pattern.name: row.value for pattern, row in rows.items() if simple(pattern) is wanted})
        short = {name: ratio for name, ratio in ratios.items() if ratio < target}
        slowest, fastest = min(ratios.values()), max(ratios.values())
        yield Row(
            f"set → set patterns, {kind}: the slowest of {len(ratios)}",
            slowest, "×", COPY, target, low=slowest, high=fastest, details=ratios,
            note=f"median {statistics.median(ratios.values()):.2f}; {listed(first(short or ratios, 6))}",
        )  # fmt: skip


@topic("patterns")
def sliders_by_fill(plan: Plan) -> Iterator[Row]:
    size = boards(plan)
    for pattern in BY_FILL:
        arrays = [argument(kind, number, size) for number, kind in enumerate(pattern.kinds.values())]
        out = np.zeros(size, np.uint64)
        pattern(*arrays, out=out)
        [seconds] = rounds(plan, lambda p=pattern, a=arrays, o=out: p(*a, out=o))
        yield rate(f"{pattern.name}, sets of sliders", size / 1e6, "million boards/s", seconds, 100)
    argument.cache_clear()
    copied.cache_clear()
