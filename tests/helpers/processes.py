"""Other processes: what a fresh interpreter prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from helpers.data import ROOT


def run(
    *command: str | Path, status: int = 0, folder: Path = ROOT, seconds: float = 600, **environment: str | Path
) -> subprocess.CompletedProcess[str]:
    """A process in the root of the project that has ended with a status; if with another, its complaint is shown."""
    process = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )
    assert process.returncode == status, process.stderr
    return process


def python(*arguments: str | Path, **environment: str | Path) -> str:
    """What a fresh interpreter prints, to which warnings are errors."""
    return run(sys.executable, "-W", "error", *arguments, **environment).stdout
