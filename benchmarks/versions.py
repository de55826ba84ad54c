"""This version beside another checkout of it: what one of the two does faster or slower.

Each has a process of its own, with the same interpreter and libraries and its own ``src`` in front of the path; the two
work in turn, round by round, and have to come to the same answers. Features whose meaning has changed are left out.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from operator import call
from pathlib import Path
from typing import Any, Self

from games import ROOT, collection
from harness import Missing, Pair, Plan, Row, rounds, topic
from starting import IMPORT, fresh

WORKER = Path(__file__).with_name("versions_worker.py")


class Version:
    """A process that has the package of one checkout, and does one task after the other."""

    def __init__(self, checkout: Path, plan: Plan) -> None:
        self.path = {"PYTHONPATH": str(checkout / "src")}
        command = [sys.executable, "-P", str(WORKER), str(collection(plan).path), str(int(plan.quick))]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=os.environ | self.path, **pipes)  # noqa: S603
        self.name = f"{checkout.resolve().name} {revision(checkout)}".strip()
        file, self.features = self.heard()
        if not Path(file).is_relative_to(checkout.resolve()):
            raise Missing(f"with {checkout}/src on its path, Python imports setwise from {file}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.process.kill()
        self.process.communicate()

    def heard(self) -> Any:
        line = self.process.stdout.readline()
        if not line:
            raise Missing(f"the process of {self.name} ended; what it said stands above")
        return json.loads(line)

    def ask(self, *task: object) -> Any:
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        return self.heard()


def revision(checkout: Path) -> str:
    """The commit of a checkout, if git can tell."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return ""


def row(work: str, timed: Pair, other: str) -> Row:
    this, that = (statistics.median(seconds) for seconds in (timed.ours, timed.theirs))
    return timed.row(work, other, note=f"{1000 * this:.1f} ms, that one {1000 * that:.1f} ms")


@topic("versions")
def beside_another_version(plan: Plan) -> Iterator[Row]:
    if plan.against is None:
        raise Missing("no other checkout is named (make bench AGAINST=path)")
    with ExitStack() as stack:
        this, that = (stack.enter_context(Version(checkout, plan)) for checkout in (ROOT, plan.against))
        common = [name for name in this.features if this.features[name] == that.features.get(name)]
        for version in (this, that):
            tasks = version.ask("prepare", common)
        for name in tasks:
            answers = this.ask("answer", name), that.ask("answer", name)  # now it is compiled
            times = rounds(plan, lambda n=name: this.ask("time", n), lambda n=name: that.ask("time", n), clock=call)
            timed = Pair(*times, answers)
            timed.agree()
            yield row(name, timed, that.name)
        times = rounds(plan, *(lambda v=v: float(fresh(IMPORT, **v.path)) for v in (this, that)), clock=call)
        yield row("import setwise", Pair(*times, (None, None)), that.name)
