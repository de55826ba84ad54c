"""Is the suite strong? Small faults are put into a copy of the sources, one after another; the tests must catch each.

    python tests/mutants/run.py [--room NAME] [--only TEXT] [--whole]

The faults are data, one file a room: where, what is replaced by what, which harm it would do to a user, and the tests
of that room, which run first (``only`` chooses among them by name). ``--whole`` runs the whole suite of the day for
those that they do not catch. A fault that only slow tests see has the line ``slow = true``, one that nothing catches a
line ``survives`` that says why. How many seconds a fault took stands before it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

__all__ = ["Mutant", "mutants"]

ROOT = Path(__file__).parents[2]
#: Seconds after which a run counts as failed: a fault may make a loop endless, but a machine may also be busy.
_PATIENCE = 1800
_FAILED, _INTERRUPTED = 1, 2  # what pytest ends with; a module that cannot be imported interrupts it


class Mutant(NamedTuple):
    """A small fault."""

    room: str
    file: str
    find: str
    put: str
    harm: str
    tests: list[str]
    only: str = ""
    #: Whether only tests that are marked slow see it.
    slow: bool = False
    survives: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the tests of its room are, for pytest."""
        chosen = ("-k", self.only) if self.only else ()
        return (*(f"tests/{name}.py" for name in self.tests), *chosen, "-m", "slow" if self.slow else "not slow")

    def text(self) -> str:
        """Return the file with the fault in it; raises ``ValueError`` if its place is not found exactly once."""
        text = (ROOT / self.file).read_text("utf-8")
        if text.count(self.find) != 1:
            raise ValueError(f"{self.file} has {text.count(self.find)} places {self.find!r}, not one")
        return text.replace(self.find, self.put)


def mutants(room: str = "", only: str = "") -> list[Mutant]:
    """Return the faults of a room, or of all, whose file or harm has a text in it."""
    files = sorted(Path(__file__).parent.glob(f"{room or '*'}.toml"))
    listed = ((path.stem, entry) for path in files for entry in tomllib.loads(path.read_text("utf-8"))["mutant"])
    return [it for stem, entry in listed if only in f"{(it := Mutant(stem, **entry)).file} {it.harm}"]


@contextmanager
def _copy() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
        yield copy


def _failed(copy: Path, *arguments: str) -> str:
    """How the tests fail on a copy of the sources; empty if they pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *arguments]
    settings = {"PYTHONPATH": str(copy / "src"), "SETWISE_TESTS": "day", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ran = subprocess.run(
            command, cwd=ROOT, env=os.environ | settings, timeout=_PATIENCE, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "does not end"
    if ran.returncode not in {0, _FAILED, _INTERRUPTED}:
        raise RuntimeError(
            f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}"
        )
    return "caught" if ran.returncode else ""


def main() -> int:
    """Run the faults; return 1 if one survives that is not known to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--room", default="", help="the faults of one file, such as corpus")
    parser.add_argument("--only", default="", help="those whose file or harm has this text in it")
    parser.add_argument("--whole", action="store_true", help="run the whole suite of the day where the room's is green")
    parser.add_argument("--trust", action="store_true", help="do not run the tests on the sources as they are before")
    asked = parser.parse_args()
    chosen = mutants(asked.room, asked.only)
    with _copy() as copy:
        for arguments in () if asked.trust else dict.fromkeys(it.arguments for it in chosen):
            if _failed(copy, *arguments):
                print(f"{' '.join(arguments)}: they fail on the sources as they are", file=sys.stderr)
                return 1
        survivors, by_room, by_all = [], 0, 0
        for mutant in chosen:
            place, began = copy / mutant.file, time.monotonic()
            usual = place.read_text("utf-8")
            place.write_text(mutant.text(), "utf-8")
            in_room = _failed(copy, *mutant.arguments)
            caught = in_room or (asked.whole and _failed(copy, "-m", "not slow", "-n", "2", "--dist", "loadfile"))
            place.write_text(usual, "utf-8")
            by_room, by_all = by_room + bool(in_room), by_all + bool(caught)
            how = in_room or ("caught elsewhere" if caught else "SURVIVES")
            print(f"{time.monotonic() - began:6.1f} s  {how}: {mutant.file}: {mutant.harm}", flush=True)
            if not caught:
                survivors.append(mutant)
    told = f"{by_room} by the tests of their own room, {sum(it.slow for it in chosen)} of the faults are for slow ones"
    print(f"\n{by_all} of {len(chosen)} are caught, {told}")
    for mutant in survivors:
        print(
            f"  {mutant.file}: {mutant.find!r} -> {mutant.put!r}: {mutant.harm}; {mutant.survives or 'NOT EXPLAINED'}"
        )
    return int(any(not it.survives for it in survivors))


if __name__ == "__main__":
    sys.exit(main())
