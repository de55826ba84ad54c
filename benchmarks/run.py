"""setwise beside what a user would pick instead, ``make bench``; and beside another version of itself, ``--against``.

Everything is measured in one run on one machine, two things in turn, and told as ratios of medians; ratios travel,
milliseconds do not. One thread unless the line says otherwise. Peers that are not installed are skipped.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from games import collection
from harness import FULL, QUICK, TOPICS, Missing, Row
from peers import RECIPES, program, stockfish

import setwise
from setwise.errors import SourceError

#: Libraries beside which setwise is measured, by what pip calls them.
PEERS = {
    "NumPy": "numpy", "python-chess": "chess", "DuckDB": "duckdb", "Polars": "polars", "PyTorch": "torch",
    "rust-pgn-reader": "rust-pgn-reader-python-binding",
}  # fmt: skip
RESULTS = Path(__file__).with_name("results.json")

#: The modules that enter their topics, in the order of the table.
TOPIC_MODULES = (
    "perft", "patterns", "reading", "whole_positions", "language", "scanning", "indexing", "training", "playing",
    "starting", "web", "gpu", "versions",
)  # fmt: skip
for module in TOPIC_MODULES:
    importlib.import_module(module)


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    return {
        "processor": processor(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "setwise": setwise.__version__,
    }


def peer_versions() -> dict[str, str]:
    """The versions of the peers that are installed."""
    found = {}
    for name, distribution in PEERS.items():
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(distribution)
    with contextlib.suppress(Missing), stockfish() as engine:
        found["Stockfish"] = engine.name.removeprefix("Stockfish ")
    for name, recipe in RECIPES.items():
        with contextlib.suppress(Missing, OSError):
            command = ["git", "-C", str(recipe.folder), "describe", "--always", "--dirty"]
            told = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
            found[name] = told.stdout.strip() or "of its folder"
    with contextlib.suppress(Missing, OSError):
        told = subprocess.run([program("pgn-extract"), "--version"], capture_output=True, text=True, check=False)  # noqa: S603
        found["pgn-extract"] = (told.stdout + told.stderr).split()[1].lstrip("v")
    return found


# ----------------------------------------------------------------------------------------------------------- the table


def columns(work: str, against: str, value: str, spread: str, unit: str, target: str, verdict: str) -> str:
    return f"{work:<50} {against:<27} {value:>8} {spread:>15} {unit:<20} {target:>6} {verdict}".rstrip()


def number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def line(row: Row) -> str:
    spread = f"{number(row.low)}–{number(row.high)}" if row.low is not None and row.high is not None else ""
    target = f"{'≤' if row.at_most else '≥'} {row.target:g}" if row.target is not None else ""
    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    text = columns(row.work, row.against, number(row.value), spread, row.unit, target, verdict)
    return "\n".join([text, *textwrap.wrap(row.note, 120, initial_indent="    ", subsequent_indent="    ")])


def as_json(topic: str, row: Row) -> dict[str, Any]:
    times = {
        who: {"median": statistics.median(seconds), "min": min(seconds), "max": max(seconds), "rounds": len(seconds)}
        for who, seconds in row.seconds.items()
    }
    return {"topic": topic} | asdict(row) | {"met": row.met, "seconds": times}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="setwise beside what a user would pick instead", prog="benchmarks/run.py"
    )
    parser.add_argument("--only", action="append", choices=TOPICS, metavar="TOPIC", help=f"one of {', '.join(TOPICS)}")
    parser.add_argument("--quick", action="store_true", help="little work, to see that all runs; no numbers to quote")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="compare with another version, nothing else")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE", help="the JSON (%(default)s)")
    options = parser.parse_args(arguments)
    if options.against and not (options.against / "src" / "setwise").is_dir():
        parser.error(f"--against: {options.against} is no checkout of setwise; it has no folder src/setwise")
    plan = (QUICK if options.quick else FULL)._replace(against=options.against)
    topics = options.only or (["versions"] if options.against else list(TOPICS))

    try:
        games = collection(plan).description
    except SourceError as error:
        parser.error(f"BENCH_PGN: {error}")

    here, measured, skipped = machine(), [], []
    print(", ".join(f"{name} {value}" for name, value in here.items()))
    versions = peer_versions()
    print("beside " + ", ".join(f"{name} {version}" for name, version in versions.items()))
    print(f"games: {games}")
    if plan.quick:
        print("quick: too little work for the numbers to mean anything")
    elif (here["load"] or 0) > 0.5:
        print(f"something else is running here (load {here['load']}): do not quote these numbers")
    print("\n" + columns("work", "against", "value", "least–most", "", "target", ""))
    for topic in topics:
        for benchmark in TOPICS[topic]:
            try:
                for row in benchmark(plan):
                    if plan.quick:
                        row.target = None
                    measured.append(as_json(topic, row))
                    print(line(row), flush=True)
            except Missing as reason:
                name = benchmark.__name__.replace("_", " ")
                skipped.append({"topic": topic, "benchmark": name, "reason": str(reason)})
                print(f"{name}: skipped, {reason}", flush=True)

    judged = [row for row in measured if row["met"] is not None]
    missed = [f"  missed: {row['work']} {row['against']}" for row in judged if not row["met"]]
    if judged:
        print("\n".join([f"\n{len(judged) - len(missed)} of {len(judged)} targets met", *missed]))
    report = {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"), "machine": here, "peers": versions,
        "quick": plan.quick, "games": games, "measurements": measured, "skipped": skipped,
    }  # fmt: skip
    options.output.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"written: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
