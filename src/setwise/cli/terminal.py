"""What a terminal can show, and what the user wants of it; what is told there while work goes on; standard output."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from pathlib import Path
from typing import IO, cast

from setwise.view.diagram import harmless, one_line

__all__ = ["Meter", "announce", "choose_colors", "results", "settle_output", "shows_colors", "tell"]

_wanted = "auto"


def choose_colors(when: str) -> None:
    """Settle whether output has colours: ``always``, ``never``, or ``auto``: on a terminal."""
    global _wanted  # noqa: PLW0603  (one process, one standard output)
    _wanted = when


def shows_colors() -> bool:
    """Return whether standard output is to have colours: as chosen, else on a terminal without ``NO_COLOR``."""
    if _wanted != "auto":
        return _wanted == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def settle_output() -> None:
    """Have standard output take all that it is given, or raise ``OSError``.

    Python's own has no buffer when it is told to have none (``PYTHONUNBUFFERED``): what it cannot write whole is lost.
    Where it is closed nothing can be written; where standard error is, nobody is told anything.
    """
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open()  # noqa: SIM115  (for reading)
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        told = {name: getattr(sys.stdout, name) for name in ("encoding", "errors")}
        sys.stdout = open(sys.stdout.fileno(), "w", buffering=1, closefd=False, **told)  # noqa: SIM115


def results(*, drawn: bool = False) -> IO[bytes]:
    """Return where results go: standard output, to which texts of others give no orders if it is a terminal.

    Args:
        drawn: whether they are for a terminal, with colours, and hold no such texts as they are.
    """
    file = sys.stdout.buffer
    return file if drawn or not sys.stdout.isatty() else cast("IO[bytes]", _Harmless(file))


class _Harmless:
    """A file that gets blanks for control characters other than tabs and the ends of lines."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.flush = file, file.flush

    def write(self, data: bytes | memoryview) -> None:
        """Write text that may hold anything."""
        text = bytes(data).decode("utf-8", "replace").replace("\r\n", "\n")
        self.file.write(harmless(text, keep="\t\n").encode())


#: What takes back a line that is written over and over.
_CLEAR = "\r\x1b[K"
_line = threading.Lock()
_begun: dict[str, float] = {}


def tell(sentence: str) -> None:
    """Say something on standard error, on a line of its own."""
    with _line:
        clear = _CLEAR if sys.stderr.isatty() else ""
        print(f"{clear}setwise: {one_line(sentence)}", file=sys.stderr, flush=True)


def _tell_over(sentence: str) -> None:
    """Say something on a terminal that what is said next takes away."""
    with _line:
        print(f"{_CLEAR}setwise: {sentence}"[:200], end="", file=sys.stderr, flush=True)


def clear() -> None:
    """Take away what is said for the moment."""
    if sys.stderr.isatty():
        with _line:
            print(_CLEAR, end="", file=sys.stderr, flush=True)


def announce(name: str) -> None:
    """Tell that something compiles, since the first run of a new installation takes its time."""
    if not _begun:
        tell("compiling for this machine, once; later runs start at once.")
    _begun.setdefault(name, time.monotonic())
    if sys.stderr.isatty():
        seconds = time.monotonic() - min(_begun.values())
        _tell_over(f"compiling {name} ({len(_begun)} so far, {seconds:.0f} s)")


class Meter:
    """Counts what is read, and shows it on a terminal when the work is long.

    Args:
        total: how many bytes the sources have, packed or not; 0 where that cannot be told.
    """

    _PATIENCE, _EVERY = 1.0, 0.2

    def __init__(self, total: int = 0) -> None:
        self.started = self.shown = time.monotonic()
        self.positions = self.games = self.matches = self.matched_games = self.bytes = 0
        #: Whether all positions that were read come from games that are known.
        self.are_of_games = True
        self.total = total
        self.shows = sys.stderr.isatty()

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.started

    def read(self, games: int, positions: int, size: int) -> None:
        """Count a batch, and the bytes of its source that it was read from."""
        self.games += games
        self.are_of_games &= games > 0 or positions == 0
        self.positions += positions
        self.bytes += size
        now = time.monotonic()
        if self.shows and self.seconds > self._PATIENCE and now - self.shown > self._EVERY:
            self.shown = now
            _tell_over(self.sentence())

    def sentence(self) -> str:
        """How far the work is."""
        rate = f"{self.positions:,} positions, {self.positions / self.seconds / 1e6:.1f} million a second"
        read = f"{self.bytes / 1e6:,.0f}"
        if not 0 < self.bytes <= self.total:
            return f"{read} MB, {rate}"
        left = round(self.seconds * (self.total - self.bytes) / self.bytes)
        hours, minutes, seconds = left // 3600, left // 60 % 60, left % 60
        time_left = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        share = min(99, 100 * self.bytes // self.total)
        return f"{read} of {self.total / 1e6:,.0f} MB ({share} %), {rate}, {time_left} left"
