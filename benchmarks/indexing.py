"""A position among millions: writing an index, and what it answers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from games import FAMOUS, collection
from harness import Plan, Row, pair, rate, rounds, topic
from peers import run_setwise, threads

import setwise

CORES = 2
#: A position that thousands of games reach, and the place of one that few do.
COMMON, RARE = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "game = 20 and ply = 30"
#: Features that an index has bitmaps of, and a condition that few games satisfy.
FEATURES, RARE_FEATURE = "mate_pattern,pinned", "mate_pattern = 'smothered' and own_pinned = 0"


def matches(where: str, source: Path) -> int:
    return setwise.find(where, source, threads=threads()).num_rows


def rare_features(plan: Plan, games: Path, place: Path, times: list[float], total: int) -> Iterator[Row]:
    """The rows of an index with bitmaps, given the times that it takes to write it without."""
    scanned = place.with_name("scan")
    run_setwise("scan", games, "-o", scanned, "--features", FEATURES)
    written = partial(
        run_setwise, "index", games, "-o", place, "--threads", str(CORES), "--force", "--features", FEATURES
    )
    [longer] = rounds(plan, written)
    note = f"{FEATURES}; {min(longer) / min(times):.2f} times as long as without"
    yield rate(f"index with features, {CORES} threads", total / 1e6, "million positions/s", longer, 2, note=note)
    for source, what in ((games, "in the games as PGN"), (scanned, "in a scan that stores it")):
        timed = pair(plan, partial(matches, RARE_FEATURE, place), partial(matches, RARE_FEATURE, source))
        timed.agree()
        note = f"in one process; {timed.answers[0]:,} positions match"
        yield timed.row("find a rare feature in an index", what, note=note)


def milliseconds(plan: Plan, work: str, action: Callable[[], Any], target: float, note: str) -> Row:
    action()
    [times] = rounds(plan, action)
    took = sorted(1000 * it for it in times)
    return Row(work, took[len(took) // 2], "ms", "", target, low=took[0], high=took[-1], at_most=True, note=note)


@topic("index")
def indexes(plan: Plan) -> Iterator[Row]:
    games = collection(plan).path
    with tempfile.TemporaryDirectory(prefix="setwise-bench-") as folder:
        run_setwise("index", FAMOUS, "-o", Path(folder, "small"), "--features", FEATURES)  # now it is compiled
        place = Path(folder, "index")
        written = run_setwise("index", games, "-o", place, "--threads", str(CORES))
        [times] = rounds(plan, lambda: run_setwise("index", games, "-o", place, "--threads", str(CORES), "--force"))
        total = setwise.index(games, place).positions
        work = f"index, {CORES} threads"
        yield rate(work, total / 1e6, "million positions/s", times, 2, note=f"a whole process; {total:,} positions")
        if written.peak_megabytes:
            yield Row(f"{work}: peak memory", written.peak_megabytes, "MB", "", 1000, at_most=True)
        where = f"key = {setwise.find(RARE, place, columns='key')['key'][0]}"
        timed = pair(plan, partial(matches, where, place), partial(matches, where, games))
        timed.agree()
        note = f"in one process; {timed.answers[0]:,} positions match"
        yield timed.row("find a position in an index", "in the games as PGN", note=note)
        yield milliseconds(
            plan, "find a position in an index, in one process", partial(matches, where, place), 10, note
        )
        command = partial(run_setwise, "find", where, place, "--count")
        yield milliseconds(plan, "find a position in an index, the whole command", command, 600, note)
        for by in ("move", "position"):
            answer = partial(setwise.tree, COMMON, place, by=by)
            count = f"{sum(answer()['games'].to_pylist()):,} games"
            yield milliseconds(plan, f"tree of an indexed position, by {by}", answer, 50, count)
        yield from rare_features(plan, games, place, times, total)
