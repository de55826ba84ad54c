"""Write the figures of ``docs/speed.md`` from what ``benchmarks/run.py`` has written.

    python benchmarks/page.py [RESULTS.json …]

Results of several runs are put together; where two have the same topic, the later file counts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from run import RESULTS, number

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
BAR = r"\|"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
#: The topics in the order of the page, as headings.
HEADINGS = {
    "perft": "Legal moves", "patterns": "Patterns on arrays", "pgn": "Reading PGN", "tree": "The tree of moves",
    "find": "Searching", "features": "Features", "language": "Conditions", "scan": "Scans", "index": "Indexes",
    "training": "Batches for training", "playing": "One position at a time", "starting": "Starting",
    "web": "The workbench", "gpu": "On a GPU",
}  # fmt: skip


def section(reports: Iterable[dict[str, Any]]) -> str:
    """The figures as Markdown: what was measured where, then a table for each topic."""
    rows: dict[str, list[dict[str, Any]]] = {}
    skipped: dict[str, list[dict[str, Any]]] = {}
    for report in sorted(reports, key=lambda it: it["date"]):
        for name in {it["topic"] for it in report["measurements"] + report["skipped"]}:
            rows[name] = [it for it in report["measurements"] if it["topic"] == name]
            skipped[name] = [it for it in report["skipped"] if it["topic"] == name]
    parts = [heading(report)]
    for name, title in HEADINGS.items():
        if rows.get(name):
            parts.append(f"### {title}\n\n{table(rows[name])}")
    missing = [f"- {it['benchmark']}: {it['reason']}" for listed in skipped.values() for it in listed]
    if missing:
        parts += ["Not measured:", "\n".join(missing)]
    return "\n\n".join(parts)


def heading(report: dict[str, Any]) -> str:
    here, peers = report["machine"], report["peers"]
    beside = ", ".join(f"{name} {version}" for name, version in peers.items())
    return (
        f"Measured on {report['date'][:10]} on {here['processors']} processors of {here['processor']}, with Python "
        f"{here['python']}, setwise {here['setwise']}, {beside}, on {report['games']}."
    )


def table(rows: list[dict[str, Any]]) -> str:
    """Rows with their extremes and targets; where there is a peer, how many times faster setwise is."""
    lines = ["| work | beside | figure | least–most | target |", "|---|---|---|---|---|"]
    for row in rows:
        spread = f"{number(row['low'])}–{number(row['high'])}" if row["low"] is not None else ""
        target = "" if row["target"] is None else f"{'≤' if row['at_most'] else '≥'} {row['target']:g}"
        verdict = {True: ", met", False: ", **missed**", None: ""}[row["met"]]
        unit = "" if row["unit"] == "×" else f" {row['unit']}"
        cells = (row["work"], row["against"], f"{number(row['value'])}{unit or ' times'}", spread, f"{target}{verdict}")
        lines.append(f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |")
    return "\n".join(lines)


def main(paths: list[str]) -> int:
    reports = [json.loads(Path(path).read_text("utf-8")) for path in paths or [str(RESULTS)]]
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        print(f"{PAGE} has no {BEGIN} … {END}", file=sys.stderr)
        return 1
    PAGE.write_text(f"{before}{BEGIN}\n\n{section(reports)}\n\n{END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
