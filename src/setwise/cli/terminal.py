"""What commands print: progress, colours, results, and sentences for errors."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any, cast

from setwise.view.diagram import count, harmless, one_line

_wanted = "auto"


def choose_colors(when: str) -> None:
    """Choose whether output has colours: ``always``, ``never``, or ``auto``, which means on a terminal."""
    global _wanted  # noqa: PLW0603  (one process, one standard output)
    _wanted = when


def shows_colors() -> bool:
    """Return whether standard output has colours: as chosen, or else on a terminal unless ``NO_COLOR`` is set."""
    if _wanted != "auto":
        return _wanted == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def settle_output() -> None:
    """Make standard output write everything completely, or raise ``OSError``.

    With ``PYTHONUNBUFFERED`` Python's standard output has no buffer, and loses the rest of a partial write. If standard
    output is closed, writing raises; if standard error is closed, messages are discarded.
    """
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open()  # noqa: SIM115  (for reading)
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        options = {name: getattr(sys.stdout, name) for name in ("encoding", "errors")}
        sys.stdout = open(sys.stdout.fileno(), "w", buffering=1, closefd=False, **options)  # noqa: SIM115


def results(*, drawn: bool = False) -> IO[bytes]:
    """Return the file for results: standard output, without control characters of texts if it is a terminal.

    Args:
        drawn: whether the results contain colour codes, and their texts are free of control characters already.
    """
    file = sys.stdout.buffer
    return file if drawn or not sys.stdout.isatty() else cast("IO[bytes]", _Harmless(file))


class _Harmless:
    """A file in which blanks replace control characters other than tabs and line ends."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.flush = file, file.flush

    def write(self, data: bytes | memoryview) -> None:
        """Write text that may contain control characters."""
        text = bytes(data).decode("utf-8", "replace").replace("\r\n", "\n")
        self.file.write(harmless(text, keep="\t\n").encode())


#: The code that clears the current line of a terminal.
_CLEAR = "\r\x1b[K"
#: The columns of a terminal that does not report its size.
_USUAL_WIDTH = 80
_line = threading.Lock()
_begun: dict[str, float] = {}


def tell(sentence: str) -> None:
    """Print a message on standard error, on a line of its own."""
    with _line:
        clear = _CLEAR if sys.stderr.isatty() else ""
        print(f"{clear}setwise: {one_line(sentence)}", file=sys.stderr, flush=True)


def _tell_over(sentence: str) -> None:
    """Print a temporary message on a terminal; it is cut to one line, because the next message clears only one."""
    with _line:
        text = f"setwise: {one_line(sentence)}"[: _width() - 1]
        print(f"{_CLEAR}{text}", end="", file=sys.stderr, flush=True)


def _width() -> int:
    """The width, in columns, of the terminal that standard error is written to."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):
        return _USUAL_WIDTH


def progress(sentence: str) -> None:
    """Show a message that the next one replaces, if standard error is a terminal."""
    if sys.stderr.isatty():
        _tell_over(sentence)


def clear() -> None:
    """Clear the temporary message, if there is one."""
    if sys.stderr.isatty():
        with _line:
            print(_CLEAR, end="", file=sys.stderr, flush=True)


def announce(name: str) -> None:
    """Report that a function compiles, which makes the first run of a new installation slow."""
    if not _begun:
        tell("compiling for this machine, once; later runs start at once.")
    _begun.setdefault(name, time.monotonic())
    if sys.stderr.isatty():
        seconds = time.monotonic() - min(_begun.values())
        _tell_over(f"compiling {name} ({len(_begun)} so far, {seconds:.0f} s)")


class Meter:
    """Counts positions and bytes read, and shows progress on a terminal when the work takes long.

    Args:
        total: the size of the sources in bytes, as stored; 0 if it is not known.
    """

    _PATIENCE, _EVERY = 1.0, 0.2

    def __init__(self, total: int = 0) -> None:
        self.started = self.shown = time.monotonic()
        self.positions = self.games = self.matches = self.matched_games = self.bytes = 0
        #: Whether the games of all positions are known.
        self.are_of_games = True
        self.total = total
        self.shows = sys.stderr.isatty()

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.started

    def read(self, games: int, positions: int, size: int) -> None:
        """Count a batch: its games, its positions, and its bytes in the source."""
        self.games += games
        self.are_of_games &= games > 0 or positions == 0
        self.positions += positions
        self.bytes += size
        now = time.monotonic()
        if self.shows and self.seconds > self._PATIENCE and now - self.shown > self._EVERY:
            self.shown = now
            _tell_over(self.sentence())

    def add(self, result: Any, faults: Faults) -> None:
        """Count the batch of a result, and the games in it that break off."""
        for fault in result.batch.faults:
            faults(fault)
        self.read(result.batch.game_count, result.searched, result.batch.size)

    def in_games(self, word: str, number: int) -> str:
        """A number of games as words, or nothing if the games of some positions are not known."""
        return f"{word} {count(number, 'game')}" if self.are_of_games else ""

    def sum(self) -> str:
        """What has been read, in words."""
        positions = count(self.positions, "position")
        return f"{positions}{self.in_games(' of', self.games)} read in {self.seconds:.1f} s"

    def sentence(self) -> str:
        """The progress as a sentence."""
        rate = f"{self.positions:,} positions, {self.positions / self.seconds / 1e6:.1f} million a second"
        read = f"{self.bytes / 1e6:,.0f}"
        if not 0 < self.bytes <= self.total:
            return f"{read} MB, {rate}"
        left = round(self.seconds * (self.total - self.bytes) / self.bytes)
        hours, minutes, seconds = left // 3600, left // 60 % 60, left % 60
        time_left = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        share = min(99, 100 * self.bytes // self.total)
        return f"{read} of {self.total / 1e6:,.0f} MB ({share} %), {rate}, {time_left} left"


#: How many of the games that break off, and of the words that PGN does not have, are shown.
_FAULTS_SHOWN, _REPAIRS_SHOWN = 10, 3


class Faults:
    """Counts games that break off, and words that PGN does not have but are read; shows the first of them, or all."""

    def __init__(self, *, show_all: bool = False) -> None:
        self.show_all = show_all
        self.counts = {"games break off": 0, "passages have words that PGN does not have": 0}

    @property
    def count(self) -> int:
        """How many games break off."""
        return next(iter(self.counts.values()))

    def __call__(self, fault: Any) -> None:
        """Count a fault, and show it if it is one of the first."""
        from setwise.game.batch import Repair

        breaks_off, is_repaired = self.counts
        what, most = (is_repaired, _REPAIRS_SHOWN) if isinstance(fault, Repair) else (breaks_off, _FAULTS_SHOWN)
        self.counts[what] += 1
        if self.show_all or self.counts[what] <= most:
            tell(str(fault))

    def close(self) -> None:
        """Print how many there are, if not all of them were shown."""
        for (what, number), most in zip(self.counts.items(), (_FAULTS_SHOWN, _REPAIRS_SHOWN), strict=True):
            if number > most:
                tell(f"{number:,} {what}" + ("" if self.show_all else f"; the first {most} are shown"))
