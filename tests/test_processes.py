"""What a process may have: the processors of its container, and no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from setwise import processes

MINE = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("200000 100000\n", 2),
        ("250000 100000\n", 2),
        ("50000 100000\n", 1),
        ("6400000 100000\n", 16),
        ("max 100000\n", 16),
        ("", 16),
        ("nonsense", 16),
        ("1 0", 16),
        (None, 16),
    ],
)
def test_a_container_has_no_more_processors_than_its_share_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str | None, expected: int
) -> None:
    share = tmp_path / "cpu.max"
    if told is not None:
        share.write_text(told, "ascii")
    monkeypatch.setattr(processes, "_SHARE", share)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(16)), raising=False)
    assert processes.processors() == expected


def test_nobody_has_more_processors_than_there_are() -> None:
    assert 1 <= processes.processors() <= MINE
