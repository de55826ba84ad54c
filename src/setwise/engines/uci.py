"""A program that speaks UCI, and a check of it: legal moves only, in time, and no crash whatever the FEN."""

from __future__ import annotations

import contextlib
import queue
import re
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from setwise.engines.positions import KINDS, broken_fens, random_positions
from setwise.errors import IllegalMove, SetwiseError, shortened
from setwise.position.position import Position

if TYPE_CHECKING:
    from typing import Self

#: The seconds in which an engine must start, must answer what needs no thought, and by which answers may come late.
_START, _PATIENCE, _SLACK = 60.0, 10.0, 1.0


#: A line with the sum of a divided perft, and a line with one of its moves.
_TOTAL = re.compile(r"nodes searched|\b(total|nodes|moves|leaves)\b\s*[:=]", re.IGNORECASE)
_MOVE = re.compile(r"[a-h][1-8][-x]?[a-h][1-8]\w?\W+\d")


class EngineFailed(SetwiseError):
    """An engine cannot be started, ended, or does not answer."""


class Engine:
    """A running program that speaks UCI; a context manager, which ends it.

    Args:
        command: the program, with arguments as a shell separates them.

    Raises:
        EngineFailed: the program cannot be started, or does not answer ``uci``.
    """

    def __init__(self, command: str) -> None:
        self._chess960 = False
        try:
            self._process = subprocess.Popen(  # noqa: S603  (the program that the user names)
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, errors="replace", bufsize=1,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise EngineFailed(f"{command} cannot be started: {getattr(error, 'strerror', None) or error}") from None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.options = [line for line in self.ask("uci", "uciok", _START) if line.startswith("option ")]
        except EngineFailed:
            self.close()
            raise

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line.strip())
        self._lines.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> int | None:
        """End the program; return its exit code if it ends by itself, else None."""
        with contextlib.suppress(OSError):
            self.send("quit")
        code = None
        try:
            code = self._process.wait(_SLACK)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe and pipe.close()
        return code

    def send(self, line: str) -> None:
        """Send a line; a program that has ended is reported when its answer is read."""
        with contextlib.suppress(OSError):
            print(line, file=self._process.stdin, flush=True)

    def ask(self, line: str, last: str, seconds: float = _PATIENCE) -> list[str]:
        """Send a line; return the lines up to the one that begins with ``last``.

        Raises:
            EngineFailed: the program ends, or that line does not come within some seconds.
        """
        self.send(line)
        lines, until = list[str](), time.monotonic() + seconds
        while not lines or not lines[-1].startswith(last):
            answer = self._next(line, until - time.monotonic())
            if answer is None:
                raise EngineFailed(f"{shortened(line)} had no answer {last!r} in {seconds:g} s")
            lines.append(answer)
        return lines

    def _next(self, line: str, seconds: float) -> str | None:
        """The next line that answers another one; None if there is none within some seconds."""
        try:
            answer = self._lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        if answer is None:
            code = self._process.wait()
            ended = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise EngineFailed(f"the engine ended with {ended} after {shortened(line)}")
        return answer

    def place(self, position: Position, moves: list[str] | None = None) -> None:
        """Set the position of the engine: a FEN, and moves from there."""
        if position.chess960 != self._chess960:
            self.send(f"setoption name UCI_Chess960 value {str(position.chess960).lower()}")
            self._chess960 = position.chess960
        played = f" moves {' '.join(moves)}" if moves else ""
        self.send(f"position fen {position.fen('xfen')}{played}")

    def perft(self, depth: int, seconds: float = 3600.0) -> str:
        """Return what the engine prints for ``go perft``: up to a total, or until no other move comes for some seconds.

        An engine that counts in another thread is ready before it has counted.
        """
        line = f"go perft {depth}"
        self.send(line)
        lines = self.ask("isready", "readyok", seconds)
        until = time.monotonic() + seconds
        while not any(_TOTAL.search(it) for it in lines):
            answer = self._next(line, _PATIENCE if any(map(_MOVE.search, lines)) else until - time.monotonic())
            if answer is None:
                break
            lines.append(answer)
        return "\n".join(lines)

    def best_move(self, go: str, seconds: float) -> str:
        """Return the move with which the engine answers a ``go``; empty if it says that it has none."""
        words = self.ask(go, "bestmove", seconds + _SLACK)[-1].split()
        move = words[1] if len(words) > 1 else ""
        return "" if move.strip("()") in {"none", "0000", "NULL"} else move


# ------------------------------------------------------------------------------------------------------- the check


def check(command: str, *, number: int = 40, seed: int = 0, movetime: int = 50) -> Iterator[tuple[str, str]]:
    """Yield what is checked of an engine, each with what is wrong; empty if it is right.

    Args:
        command: the program, with its arguments.
        number: how many positions it gets of each sort.
        seed: selects the random positions.
        movetime: the milliseconds for a move.
    """
    engine = _Restarted(command)
    yield "uci, isready", engine.tried(lambda it: it.ask("isready", "readyok") and "")
    kinds = [kind for kind in KINDS if kind != "chess960" or engine.has("UCI_Chess960")]
    for kind in kinds:
        places = list(random_positions(number // len(kinds) + 1, seed, kind))
        yield (
            f"legal moves in time: {len(places)} positions, {kind}",
            engine.first(places, lambda it, place: _moves(it, place, f"go movetime {movetime}", movetime / 1000)),
        )
    ends = [Position(fen) for fen in _ENDS]
    yield (
        "no move where there is none: mate, stalemate",
        engine.first(ends, lambda it, place: _moves(it, place, "go depth 1", _PATIENCE)),
    )
    starts = list(random_positions(3, seed, "game"))
    yield "go infinite, and stop", engine.first(starts, _stopped)
    yield "go depth 1 after moves", engine.first(starts, _after_moves)
    broken = list(broken_fens(number, seed))
    yield f"no crash on {len(broken)} broken FENs", engine.first(broken, _survives)
    yield "quit", engine.quits()


_ENDS = ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/8/6Q1/8/8/8/8/K7 b - - 0 1")


class _Restarted:
    """An engine that is started again after a failure."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.engine = Engine(command)

    def has(self, option: str) -> bool:
        return any(f"name {option} " in line for line in self.engine.options)

    def tried(self, test: Callable[[Engine], Any]) -> str:
        try:
            return str(test(self.engine) or "")
        except EngineFailed as error:
            self.engine.close()
            self.engine = Engine(self.command)
            return str(error)

    def first(self, cases: list[Any], test: Callable[[Engine, Any], str]) -> str:
        """What is wrong in the first case that is wrong; empty if none is."""
        for case in cases:
            if wrong := self.tried(lambda it, case=case: test(it, case)):  # type: ignore[misc]
                return f"{case.fen() if isinstance(case, Position) else case}: {wrong}"
        return ""

    def quits(self) -> str:
        code = self.engine.close()
        return "" if code == 0 else "it does not end" if code is None else f"it ends with code {code}"


def _moves(engine: Engine, position: Position, go: str, seconds: float) -> str:
    engine.place(position)
    return _judged(position, engine.best_move(go, seconds))


def _judged(position: Position, move: str) -> str:
    """What is wrong with the move of an engine."""
    if not move or not position.legal_moves():
        return f"bestmove {move or '(none)'}" if bool(move) != bool(position.legal_moves()) else ""
    if not re.fullmatch("[a-h][1-8][a-h][1-8][qrbn]?", move):
        return f"bestmove {shortened(move)} is not a move in UCI"
    try:
        position.parse_uci(move)
    except IllegalMove as error:
        return f"bestmove {error}"
    return ""


def _stopped(engine: Engine, position: Position) -> str:
    engine.place(position)
    engine.send("go infinite")
    time.sleep(0.05)
    return _judged(position, engine.best_move("stop", _PATIENCE))


def _after_moves(engine: Engine, position: Position) -> str:
    moves = list[str]()
    start = position
    for _ in range(3):
        if legal := position.legal_moves():
            moves.append(position.uci(legal[0]))
            position = position.play(legal[0])
    engine.place(start, moves)
    return _judged(position, engine.best_move("go depth 1", _PATIENCE))


def _survives(engine: Engine, fen: str) -> str:
    engine.send(f"position fen {fen}")
    engine.ask("isready", "readyok")
    return ""
