"""A workbench that runs: a process of its own, found at an address."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.data import ROOT

#: What Debian and others call it.
BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")

#: A condition that would take hours, in little memory.
LONG = (
    "list_sum(list_transform(range(30), lambda w: list_sum(list_transform(range(30 + w), lambda x: "
    "list_sum(list_transform(range(30 + x), lambda y: list_sum(list_transform(range(30 + y), lambda z: "
    "list_sum(range(1000 + z + ply)))))))))) > 0"
)


def browser_or_skip() -> str:
    """The browser of this machine; a test that needs one is skipped where there is none."""
    found = next((path for path in BROWSERS if Path(path).exists()), None)
    if found is None:
        pytest.skip("there is no chromium on this machine; on Debian: apt install chromium")
    return found


@contextlib.contextmanager
def workbench(*arguments: str | Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A running ``setwise web``: its address, with the token if it has one, and its process."""
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-m", "setwise", "web", "--no-open", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    told: list[str] = []
    rest: threading.Thread | None = None
    try:
        for line in process.stderr:
            told.append(line)
            if found := re.search(r"http://\S+", line):
                break
        else:
            raise AssertionError("".join(told))
        rest = threading.Thread(target=lambda: print(*process.stderr), daemon=True)
        rest.start()
        yield found[0], process
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:  # it tells where it hangs
            process.send_signal(signal.SIGABRT)
            raise
        finally:
            if rest is not None:
                rest.join(10)
            process.stderr.close()
