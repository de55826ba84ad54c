"""`make bench` runs and writes what it says, here with little work."""

from __future__ import annotations

import importlib
import json
import math
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from helpers.data import ROOT
from helpers.depth import depth
from helpers.patterns import numba
from helpers.processes import run
from helpers.programs import needed

pytestmark = pytest.mark.slow

TOPICS = {
    "perft", "patterns", "pgn", "tree", "find", "features", "language", "scan", "index", "training", "playing",
    "starting", "web", "gpu", "versions",
}  # fmt: skip

#: What is measured before a change lands; by night everything is.
FEW = {"perft", "pgn", "find"}


def bench(*arguments: str | Path, status: int = 0, **environment: str) -> CompletedProcess[str]:
    return run(sys.executable, ROOT / "benchmarks" / "run.py", *arguments, status=status, **environment)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    output = tmp_path_factory.mktemp("bench") / "results.json"
    chosen = (f"--only={topic}" for topic in depth(FEW, ()))
    table = bench("--quick", *chosen, "--output", output).stdout
    return table, json.loads(output.read_text("utf-8"))


def test_every_topic_is_measured_or_says_why_not(quick: tuple[str, dict[str, Any]]) -> None:
    _, report = quick
    assert {row["topic"] for row in report["measurements"] + report["skipped"]} == depth(FEW, TOPICS)
    assert all(row["reason"] for row in report["skipped"])


def test_a_measurement_lies_between_its_extremes(quick: tuple[str, dict[str, Any]]) -> None:
    _, report = quick
    assert len(report["measurements"]) > 5
    for row in report["measurements"]:
        assert row["work"]
        assert row["unit"]
        assert math.isfinite(row["value"])
        assert row["value"] > 0
        if row["low"] is not None:
            assert row["low"] <= row["value"] <= row["high"]
        assert set(row["seconds"]) <= {"setwise", row["against"]}
        for times in row["seconds"].values():
            assert 0 < times["min"] <= times["median"] <= times["max"]
            assert times["rounds"] >= 1


def test_the_page_has_every_figure(quick: tuple[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    page = importlib.import_module("page")
    _, report = quick
    text = page.section([report])
    assert report["date"][:10] in text
    assert all(f"{name} {version}" in text for name, version in report["peers"].items())
    shown = [it for it in report["measurements"] if it["topic"] != "versions"]
    assert sum(line.startswith("| ") for line in text.splitlines()) == len(shown) + text.count("### ")
    assert all(row["reason"] in text for row in report["skipped"])
    assert page.BEGIN in page.PAGE.read_text("utf-8")
    assert page.END in page.PAGE.read_text("utf-8")


def test_a_quick_run_judges_nothing(quick: tuple[str, dict[str, Any]]) -> None:
    table, report = quick
    assert report["quick"]
    assert all(row["target"] is None and row["met"] is None for row in report["measurements"])
    assert "targets met" not in table


def test_the_table_and_the_file_tell_the_same(quick: tuple[str, dict[str, Any]]) -> None:
    table, report = quick
    assert all(row["work"] in table for row in report["measurements"])
    assert all(row["reason"] in table for row in report["skipped"])
    assert report["games"] in table


def test_a_topic_and_games_may_be_chosen(tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    bench("--quick", "--only", "pgn", "--output", output, BENCH_PGN="examples/famous_games.pgn")
    report = json.loads(output.read_text("utf-8"))
    assert report["games"] == "famous_games.pgn (BENCH_PGN)"
    assert {row["topic"] for row in report["measurements"] + report["skipped"]} == {"pgn"}


def test_a_version_is_compared_with_another_checkout(tmp_path: Path) -> None:
    numba()  # sources of another checkout have no machine code
    output = tmp_path / "results.json"
    bench("--quick", "--against", ROOT, "--output", output)
    report = json.loads(output.read_text("utf-8"))
    assert not report["skipped"]
    works = {row["work"].partition(" ")[0].partition("(")[0] for row in report["measurements"]}
    assert works >= {"perft", "read_pgn", "find", "parse_san", "Positions.from_fens", "knight.attacks", "import"}
    assert {row["topic"] for row in report["measurements"]} == {"versions"}


def test_a_peer_is_built_once_from_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("cc")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    peers = importlib.import_module("peers")
    monkeypatch.delenv("BENCH_PEERS", raising=False)
    with pytest.raises(peers.Missing, match=r"BENCH_PEERS does not name a folder .*github\.com/vtlmks/mindchess"):
        peers.mindchess("", 2)
    monkeypatch.setenv("BENCH_PEERS", str(tmp_path))
    with pytest.raises(peers.Missing, match=r"main\.c is not here"):
        peers.mindchess("", 2)
    source = tmp_path / "mindchess" / "main.c"
    source.parent.mkdir()
    source.write_text("int main(void) { return nothing; }\n", "utf-8")
    with pytest.raises(peers.Missing, match=r"mindchess cannot be built: .*error: .*nothing"):
        peers.mindchess("", 2)
    source.write_text('#include <stdio.h>\nint main(void) { puts("perft(2): 400"); return 0; }\n', "utf-8")
    assert peers.mindchess("", 2) == 400
    source.unlink()
    peers.built.cache_clear()
    source.write_text("", "utf-8")
    assert peers.mindchess("", 2) == 400


def test_a_folder_that_is_no_checkout_is_one_sentence(tmp_path: Path) -> None:
    process = bench("--against", tmp_path, status=2)
    assert process.stderr.splitlines()[-1].endswith("is no checkout of setwise; it has no folder src/setwise")


def test_games_that_are_not_there_are_one_sentence() -> None:
    process = bench(status=2, BENCH_PGN="nowhere.pgn")
    assert process.stderr.splitlines()[-1].endswith("error: BENCH_PGN: there is no file nowhere.pgn")
