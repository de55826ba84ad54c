"""What a user waits for before anything happens."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from harness import Plan, Row, ascending, first, listed, topic

IMPORT = """
import time
start = time.perf_counter()
import setwise
print(time.perf_counter() - start)
"""

FIRST_USES = """
import json, time
from setwise.catalogue import pages
seconds = {}
for pattern in [page.thing for page in pages().values() if page.sort == "pattern"][:MOST]:
    start = time.perf_counter()
    pattern(*[0] * len(pattern.kinds))
    seconds[pattern.name] = time.perf_counter() - start
print(json.dumps(seconds))
"""


def fresh(code: str, **environment: str) -> str:
    """What a new interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603


@topic("starting")
def importing(plan: Plan) -> Iterator[Row]:
    fresh(IMPORT)
    seconds = [float(fresh(IMPORT)) for _ in range(plan.size(9, 1))]
    yield Row(
        "import setwise", statistics.median(seconds), "s", "", 0.5, at_most=True,
        low=min(seconds), high=max(seconds), seconds={"setwise": seconds},
    )  # fmt: skip


@topic("starting")
def first_use(plan: Plan) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="setwise-bench-") as empty:
        seconds = json.loads(fresh(FIRST_USES.replace("MOST", str(plan.size(1000, 1))), SETWISE_CACHE_DIR=empty))
    slow = dict(reversed(ascending(seconds).items()))
    slowest, quickest = max(slow.values()), min(slow.values())
    yield Row(
        f"compiling at first use: the slowest of {len(slow)} patterns", slowest, "s", "", 0.5, at_most=True,
        low=quickest, high=slowest, details=slow,
        note=f"median {statistics.median(slow.values()):.2f} s; {listed(first(slow), '{:.2f} s')}",
    )  # fmt: skip
