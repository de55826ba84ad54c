"""Patterns on a graphics card, beside copying as many bytes there; perft on it, beside the processor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from harness import Missing, Pair, Plan, Row, pair, topic

from setwise import Position
from setwise.compiler import Pattern
from setwise.patterns import islands, king, knight, pawns

MEASURED = (king.attacks, knight.attacks, knight.fork_targets, pawns.attacks, islands.east_files)


def card() -> Any:
    """CuPy, on a card that works."""
    try:
        import cupy  # type: ignore[import-not-found]

        cupy.zeros(1)
    except Exception as error:  # noqa: BLE001  (a driver that is missing, too old, without a card: all are no card)
        raise Missing(f"there is no graphics card that CuPy can use: {error}") from None
    return cupy


def beside_copying(cupy: Any, plan: Plan, pattern: Pattern) -> Pair:
    """Time a pattern with ``out=`` beside a copy on the card that reads and writes as many bytes in all."""
    size = plan.size(200_000_000, 20_000)
    columns = [cupy.random.randint(0, 1 << 62, size).astype(kind.dtype) for kind in pattern.kinds.values()]
    out = cupy.zeros(size, pattern.returns.dtype)
    half = (sum(column.nbytes for column in columns) + out.nbytes) // 2
    source, target = cupy.ones(half, cupy.uint8), cupy.zeros(half, cupy.uint8)

    def finished(work: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            work()
            cupy.cuda.get_current_stream().synchronize()

        return run

    return pair(plan, finished(lambda: pattern(*columns, out=out)), finished(lambda: cupy.copyto(target, source)))


@topic("gpu")
def attacks_and_forks(plan: Plan) -> Iterator[Row]:
    cupy = card()
    for pattern in MEASURED:
        yield beside_copying(cupy, plan, pattern).row(f"{pattern.name} on a graphics card", "cupy.copyto", 0.8)


@topic("gpu")
def perft(plan: Plan) -> Iterator[Row]:
    card()
    start, plies = Position(), plan.size(7, 4)
    both = pair(plan, lambda: start.perft(plies, gpu=True), lambda: start.perft(plies))
    yield both.row(f"perft {plies} on a graphics card", "one thread of the processor", 10)
