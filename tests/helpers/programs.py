"""Programs that tests and benchmarks need: one that is there but does not work is missing.

    python3 tests/helpers/programs.py [NAME ...]

prints the Debian packages of those that are missing, and on standard error why they are; ``.ci/run`` installs them.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from typing import NamedTuple

__all__ = ["MissingProgram", "needed", "program"]

#: Seconds in which a program says its version; a machine may have much else to do.
_PATIENCE = 60


class _Need(NamedTuple):
    """A program: what shows that it works, Debian's package, and its names, the best first, if it has several."""

    version: str = "--version"
    package: str = ""
    names: tuple[str, ...] = ()


_SHELL = "chromium-headless-shell"
_NEEDS = {
    "make": _Need(), "cc": _Need(package="gcc"), "gcc": _Need(), "g++": _Need(), "rustc": _Need(),
    "go": _Need("version", "golang-go"), "mcs": _Need(package="mono-mcs"), "mono": _Need(package="mono-runtime"),
    "java": _Need("-version", "default-jre-headless"), "javac": _Need("-version", "default-jdk-headless"),
    "stockfish": _Need("uci"), "pgn-extract": _Need(), "pzstd": _Need(package="zstd"),
    "polyglot": _Need("--help"), "strace": _Need(),
    "qemu-aarch64": _Need(package="qemu-user"),
    "node": _Need(package="nodejs"), "tsc": _Need(package="node-typescript"),
    # Without windows of its own the browser takes a third of the time.
    "chromium": _Need("--version", _SHELL, (_SHELL, "chromium", "chromium-browser", "google-chrome")),
}  # fmt: skip


class MissingProgram(Exception):
    """A program is not there, or does not work: why, and what installs it."""


@functools.cache
def _found(name: str) -> tuple[str | None, str]:
    """The path of a program that works, or what is wrong with the last one that does not."""
    need = _NEEDS[name]
    # Debian keeps those that play in a folder of their own; Java's launchers and PySpark follow JAVA_HOME.
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/games"]
    if name.startswith("java") and (home := os.environ.get("JAVA_HOME")):
        folders.insert(0, f"{home}/bin")
    reason = f"{name} is not installed"
    for called in need.names or (name,):
        for folder in folders:
            if (path := shutil.which(called, path=folder or os.curdir)) is None:
                continue
            if (wrong := _complaint(path, need.version)) is None:
                return path, ""
            reason = f"{path} does not work: {wrong}"
    return None, f"{reason} (on Debian: apt install {need.package or name})"


def _complaint(path: str, version: str) -> str | None:
    """What a program says that does not say its version; None if it does."""
    try:
        ran = subprocess.run(
            [path, version], stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = (ran.stderr or ran.stdout).decode(errors="replace").split("\n")[0]
    return None if ran.returncode == 0 else said or f"it ends with status {ran.returncode}"


def program(name: str) -> str:
    """Return the path of a program that works; raises ``MissingProgram``."""
    path, reason = _found(name)
    if path is None:
        raise MissingProgram(reason)
    return path


def needed(name: str) -> str:
    """Return the path of a program that works; without one the test, or the module that asks, is skipped."""
    import pytest

    try:
        return program(name)
    except MissingProgram as error:
        pytest.skip(str(error), allow_module_level=True)


def main(names: list[str]) -> None:
    """Print the packages of what is missing."""
    for name in names or _NEEDS:
        path, reason = _found(name)
        if path is None:
            print(_NEEDS[name].package or name)
            print(reason, file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
