"""Features of positions that are in memory already."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator

from games import positions
from harness import Plan, Row, ascending, clocked, first, listed, rate, topic

from setwise.features import FEATURES

#: The features of the first release, which look at sets alone but for mates next to the king and races.
FIRST = (
    "attacks", "pawn_attacks", "undefended", "hanging", "mobility", "batteries", "fork_squares", "royal_fork_squares",
    "checkers", "pinned", "king_escapes", "distant_checks", "shield_index", "mate_at_a_glance",
    "passed_pawns", "candidate_pawns", "unstoppable_passers", "pawn_islands", "isolated_pawns", "half_isolated_pawns",
    "doubled_pawns", "backward_pawns", "connected_pawns", "holes", "outposts", "open_files", "half_open_files",
)  # fmt: skip


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
        len(found) / 1e6, "million positions/s", together(seconds, FEATURES), 1,
        details=dear, note=f"{len(found):,} positions; the dearest: {listed(first(dear), '{:.1f} ns')} a position",
    )  # fmt: skip
    yield rate(
        f"the {len(FIRST)} features of the first release, both sides, in memory",
        len(found) / 1e6, "million positions/s", together(seconds, FIRST), 5,
    )  # fmt: skip
    slowest, *_ = dear
    yield rate(
        f"the slowest feature alone, {slowest}",
        2 * len(found) / 1e6, "million sides/s", seconds[slowest], 1.5,
    )  # fmt: skip


def together(seconds: dict[str, list[float]], names: Iterable[str]) -> list[float]:
    """The seconds that some features take together, round by round."""
    return [sum(times) for times in zip(*(seconds[name] for name in names), strict=True)]


@topic("features")
def legal_moves(plan: Plan) -> Iterator[Row]:
    found = positions(plan, plan.size(1_000_000, 2_000))
    found.legal_move_counts()
    times = [clocked(found[:].legal_move_counts) for _ in range(plan.rounds)]
    yield rate("numbers of legal moves, checks", len(found) / 1e6, "million positions/s", times, 60)
