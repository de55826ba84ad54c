"""Faults put in by hand, one at a time, each of which the suite must notice: how good are the tests of compiled code?

    python fuzz/mutants.py [--only TEXT] [--report FILE]

A mutant is a line of ``fuzz/mutants.toml``: a file, a piece of its text, what stands there instead, and the tests that
have to fail then. Each is tried in a copy of the sources; a mutant with which all of its tests pass has survived.
Coverage sees nothing in compiled code, and tools that make mutants work on Python.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MUTANTS = ROOT / "fuzz" / "mutants.toml"
#: A mutant with which the tests take longer than so many seconds is noticed, too: some loop for ever.
_LONGEST = 900


def applied(mutant: dict[str, Any], sources: Path) -> str:
    """Return the text of a mutant's file with the fault in it; ``ValueError`` if it does not stand there once."""
    text = (sources / "setwise" / mutant["file"]).read_text("utf-8")
    if text.count(mutant["old"]) != 1 or mutant["old"] == mutant["new"]:
        raise ValueError(
            f"{mutant['file']}: {mutant['old']!r} stands there {text.count(mutant['old'])} times, not once"
        )
    return text.replace(mutant["old"], mutant["new"])


def passes(tests: str, sources: Path) -> bool:
    """Return whether tests pass with these sources."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-x", "-p", "no:cacheprovider", *shlex.split(tests)]
    environment = os.environ | {"PYTHONPATH": os.fspath(sources), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        tried = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=_LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return False
    if tried.returncode in {2, 4, 5} and b"error" not in tried.stdout:  # interrupted, a wrong option, no test
        raise RuntimeError(f"the tests {tests} do not run:\n{tried.stdout.decode()[-2000:]}")
    return tried.returncode == 0


def survives(mutant: dict[str, Any], sources: Path) -> bool:
    """Return whether all tests of a mutant pass with it, in a copy of the sources that is whole again afterwards."""
    file = sources / "setwise" / mutant["file"]
    whole = file.read_text("utf-8")
    file.write_text(applied(mutant, sources), "utf-8")
    try:
        return passes(mutant["tests"], sources)
    finally:
        file.write_text(whole, "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="mutants whose file or fault holds this text")
    parser.add_argument("--report", type=Path, help="where a line a mutant is appended")
    options = parser.parse_args()
    mutants = tomllib.loads(MUTANTS.read_text("utf-8"))["mutants"]
    mutants = [mutant for mutant in mutants if options.only in f"{mutant['file']} {mutant['new']}"]
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder, "src")
        shutil.copytree(ROOT / "src", sources, ignore=shutil.ignore_patterns("__pycache__"))
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        lived, sound = 0, set[str]()
        for number, mutant in enumerate(mutants, start=1):
            start = time.monotonic()
            try:
                applied(mutant, sources)
            except ValueError as error:
                parser.error(f"fuzz/mutants.toml is behind the sources: {error}")
            if mutant["tests"] not in sound and not passes(mutant["tests"], sources):
                parser.error(f"the tests {mutant['tests']} fail without any fault")
            sound.add(mutant["tests"])
            lives = survives(mutant, sources)
            lived += lives
            said = "SURVIVES" if lives else "noticed"
            line = (
                f"{number}/{len(mutants)} {said} {time.monotonic() - start:.0f} s  {mutant['file']}: {mutant['new']!r}"
            )
            print(line, flush=True)
            if options.report:
                with options.report.open("a") as report:
                    report.write(f"{line}\n")
    print(f"{len(mutants)} mutants, {lived} survived")
    return int(lived > 0)


if __name__ == "__main__":
    sys.exit(main())
