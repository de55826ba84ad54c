"""Features of positions that are in memory already."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from games import positions
from harness import Plan, Row, ascending, clocked, first, listed, rate, topic

from setwise.features import FEATURES


@topic("features")
def all_features(plan: Plan) -> Iterator[Row]:
    found = positions(plan, plan.size(1_000_000, 2_000))
    seconds: dict[str, list[float]] = {name: [] for name in FEATURES}
    for name in FEATURES:
        for colour in ("white", "black"):
            found.feature(f"{colour}_{name}")
    for _ in range(plan.rounds):
        fresh = found[:]  # what one round has worked out about both sides is of no use to the next
        for name, times in seconds.items():
            times.append(clocked(lambda n=name, f=fresh: [f.feature(f"{colour}_{n}") for colour in ("white", "black")]))
    nanoseconds = {name: 1e9 * statistics.median(times) / len(found) for name, times in seconds.items()}
    dear = dict(reversed(ascending(nanoseconds).items()))
    yield rate(
        f"all {len(FEATURES)} features, both sides, in memory",
        len(found) / 1e6, "million positions/s", [sum(times) for times in zip(*seconds.values(), strict=True)], 2,
        details=dear, note=f"{len(found):,} positions; the dearest: {listed(first(dear), '{:.1f} ns')} a position",
    )  # fmt: skip


@topic("features")
def legal_moves(plan: Plan) -> Iterator[Row]:
    found = positions(plan, plan.size(1_000_000, 2_000))
    found.legal_move_counts()
    times = [clocked(found[:].legal_move_counts) for _ in range(plan.rounds)]
    yield rate("numbers of legal moves, checks", len(found) / 1e6, "million positions/s", times, 60)
