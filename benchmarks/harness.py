"""Fair timing: two ways of doing the same work in turn, several rounds, medians; and what came of it as a row."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

MOST_ROUNDS = 25


class Missing(Exception):
    """A peer, or what a measurement needs, is not on this machine."""


class Plan(NamedTuple):
    """How much work is done: how many rounds at least, and for how many seconds short work is repeated."""

    rounds: int
    seconds: float
    quick: bool
    #: Another checkout, for the topic ``versions``.
    against: Path | None = None

    def size(self, full: int, quick: int) -> int:
        return quick if self.quick else full


#: The sizes that targets are meant for, and small ones that only show that all works.
FULL, QUICK = Plan(5, 1.0, quick=False), Plan(1, 0.0, quick=True)


@dataclass
class Row:
    """One measurement. ``value`` is a ratio unless ``unit`` says otherwise; ``low`` and ``high`` are its extremes."""

    work: str
    value: float
    unit: str = "×"
    against: str = ""
    target: float | None = None
    at_most: bool = False
    low: float | None = None
    high: float | None = None
    note: str = ""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    details: dict[str, float] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target


class Pair(NamedTuple):
    """The seconds of both, round by round, and what the first call of each returned."""

    ours: list[float]
    theirs: list[float]
    answers: tuple[Any, Any]

    def agree(self) -> None:
        """Raise unless both came to the same answer: whoever does something else is not measured."""
        ours, theirs = self.answers
        if ours != theirs:
            raise ValueError(f"setwise says {ours!r:.100}, the other {theirs!r:.100}")

    def row(self, work: str, against: str, target: float | None = None, *, scale: float = 1.0, **more: Any) -> Row:
        """How many times faster ours is, where ours does ``scale`` times the work of theirs."""
        ratios = [scale * theirs / ours for ours, theirs in zip(self.ours, self.theirs, strict=True)]
        value = scale * statistics.median(self.theirs) / statistics.median(self.ours)
        seconds = {"setwise": self.ours, against: self.theirs}
        return Row(work, value, "×", against, target, False, min(ratios), max(ratios), seconds=seconds, **more)


def rate(work: str, amount: float, unit: str, seconds: list[float], target: float | None = None, **more: Any) -> Row:
    """How much of something is done in a second."""
    value, low, high = (amount / t for t in (statistics.median(seconds), max(seconds), min(seconds)))
    return Row(work, value, unit, "", target, False, low, high, seconds={"setwise": seconds}, **more)


def listed(values: Mapping[str, float], form: str = "{:.2f}") -> str:
    """Names and numbers, for a note."""
    return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())


def ascending(values: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(values.items(), key=lambda item: item[1]))


def first(values: Mapping[str, float], count: int = 3) -> dict[str, float]:
    return dict(islice(values.items(), count))


def clocked(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def rounds(
    plan: Plan, *actions: Callable[[], Any], clock: Callable[[Callable[[], Any]], float] = clocked
) -> list[list[float]]:
    """Time actions in turn, A B A B, until there are rounds enough; short work gets more of them."""
    seconds: list[list[float]] = [[] for _ in actions]
    start = time.perf_counter()
    while len(seconds[0]) < plan.rounds or (
        len(seconds[0]) < MOST_ROUNDS and time.perf_counter() - start < plan.seconds
    ):
        for action, times in zip(actions, seconds, strict=True):
            times.append(clock(action))
    return seconds


def pair(
    plan: Plan,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    clock: Callable[[Callable[[], Any]], float] = clocked,
) -> Pair:
    """Time two things in turn, after a call of each that loads, compiles and warms whatever it needs."""
    answers = ours(), theirs()
    return Pair(*rounds(plan, ours, theirs, clock=clock), answers)


Benchmark = Callable[[Plan], Iterator[Row]]

#: All benchmarks by topic, in the order of their definition.
TOPICS: dict[str, list[Benchmark]] = {}


def topic(name: str) -> Callable[[Benchmark], Benchmark]:
    """Enter a benchmark: a generator of rows, which may raise ``Missing`` and so be skipped."""

    def enter(benchmark: Benchmark) -> Benchmark:
        TOPICS.setdefault(name, []).append(benchmark)
        return benchmark

    return enter
