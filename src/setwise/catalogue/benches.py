"""The published ways to compute slider attacks, timed side by side on this machine."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from setwise.catalogue.lookup import things_in
from setwise.catalogue.pages import body
from setwise.compiler import Entry, Pattern, entry, routine
from setwise.compiler.definitions import ByProcessor, Routine
from setwise.compiler.kinds import reads, uint64
from setwise.compiler.words import Embedded
from setwise.patterns import slider_ways as ways
from setwise.patterns import sliders
from setwise.patterns.bit_tricks import splitmix64
from setwise.patterns.bits import ZERO, bit
from setwise.patterns.geometry import SQUARES

_CALLS, _ROUNDS = 1 << 16, 99
_SIXTY_THREE = np.uint64(63)


class Timed(NamedTuple):
    """A way: nanoseconds of a call in turn for both pieces, of an item of an array for a rook, lines, bytes."""

    way: str
    rook: float
    bishop: float
    array: float
    lines: int
    size: int


def processor() -> str:
    """Return the name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def slider_ways() -> Iterator[Timed]:
    """Time each way to compute the attacks of a rook and of a bishop; yield the results, one after the other."""
    named = dict.fromkeys(name.partition("_by_")[2] for name in ways.__all__ if "_by_" in name)
    both: dict[str, tuple[Pattern, Pattern]] = {
        "PEXT, rows of PDEP": (sliders.rook_attacks, sliders.bishop_attacks),
        "hyperbola, bits reversed": (sliders.rook_attacks_by_calculation, sliders.bishop_attacks_by_calculation),
        **{it.replace("_", " "): (getattr(ways, f"rook_by_{it}"), getattr(ways, f"bishop_by_{it}")) for it in named},
        "ray fills, of sets": (sliders.rooks_attacks, sliders.bishops_attacks),
    }
    numbers = splitmix64(np.arange(3 * _CALLS)).reshape(3, _CALLS)
    squares, occupied = numbers[0] & _SIXTY_THREE, numbers[1] & numbers[2]
    for way, (rook, bishop) in both.items():
        of_sets = next(iter(rook.kinds.values())).is_set
        items = SQUARES[squares] if of_sets else squares.astype(np.uint8)
        rooks, bishops = (_nanoseconds(_in_turn(p, of_sets=of_sets), squares, occupied) for p in (rook, bishop))
        array = _nanoseconds(rook, items, occupied)
        yield Timed(way, rooks, bishops, array, _written([rook])[0], _written([rook, bishop])[1])


def _in_turn(p: Any, *, of_sets: bool) -> Entry[..., Any]:
    """A loop of calls, each for a square that depends on the answer of the call before."""
    called = routine(lambda square, occupied: p(bit(square), occupied)) if of_sets else p

    @entry(uint64, reads(uint64), reads(uint64))
    def loop(squares: np.ndarray, occupied: np.ndarray) -> np.uint64:
        attacked = ZERO
        for k in range(squares.size):
            attacked = called((squares[k] + attacked) & _SIXTY_THREE, occupied[k])
        return attacked

    return loop


def _nanoseconds(function: Callable[..., Any], *arguments: np.ndarray) -> float:
    """The nanoseconds of an item in the fastest of several calls; the first, which compiles, does not count."""
    function(*arguments)
    times = [time.perf_counter()]
    for _ in range(_ROUNDS):
        function(*arguments)
        times.append(time.perf_counter())
    return float(1e9 * np.diff(times).min() / _CALLS)


def _written(patterns: list[Pattern]) -> tuple[int, int]:
    """How many lines definitions and all that they call have, and how many bytes the tables that these read have."""
    lines, tables, pending = dict[int, int](), dict[int, int](), list[Any](patterns)
    while pending:
        thing = pending.pop()
        thing = thing.routine if isinstance(thing, ByProcessor) else thing
        if isinstance(thing, np.ndarray):
            tables[id(thing)] = thing.nbytes
        elif isinstance(thing, Embedded):
            tables[id(thing)] = thing.table.size * thing.parameters[-1] // 8
        elif isinstance(thing, Routine | Entry) and id(thing) not in lines:
            assert isinstance(thing.function, FunctionType)  # noqa: S101  (nothing else is defined by these decorators)
            lines[id(thing)] = len(body(thing.function).splitlines())
            pending += [it for _, it in things_in(thing.function)]
    return sum(lines.values()), sum(tables.values())
