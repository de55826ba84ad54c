"""What a terminal can show, and what the user wants of it; what is told there while work goes on."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from setwise.view.diagram import one_line

__all__ = ["Meter", "announce", "choose_colors", "shows_colors", "tell"]

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
    """Counts what is read, and shows it on a terminal when the work is long."""

    _PATIENCE, _EVERY = 1.0, 0.2

    def __init__(self, sources: list[str]) -> None:
        self.started = self.shown = time.monotonic()
        self.positions = self.games = self.matches = self.matched_games = self.bytes = 0
        #: How many bytes there are, when that can be told.
        self.total = sum(Path(it).stat().st_size for it in sources) if all(map(_is_plain, sources)) else 0
        self.shows = sys.stderr.isatty()

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.started

    def read(self, games: int, positions: int, size: int) -> None:
        """Count a batch."""
        self.games += games
        self.positions += positions
        self.bytes += size
        now = time.monotonic()
        if self.shows and self.seconds > self._PATIENCE and now - self.shown > self._EVERY:
            self.shown = now
            share = f", {min(99, 100 * self.bytes // self.total)} %" if self.total else ""
            rate = self.positions / self.seconds / 1e6
            _tell_over(f"{self.positions:,} positions{share}, {rate:.1f} million a second")


def _is_plain(name: str) -> bool:
    """Whether a source is a file whose size is that of its text."""
    return name.lower().endswith(".pgn") and Path(name).is_file()
