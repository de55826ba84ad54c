"""Commands one after the other in one process, in a pipe or on a pseudo-terminal: starting anew takes seconds each."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Self

#: What the process does: a list of arguments a line comes in, an exit code goes out, marks end what is printed.
_LOOP = """
import json, os, sys, traceback
from setwise.cli import main
told = open(int(sys.argv[2]), "w", buffering=1)
for line in open(int(sys.argv[1])):
    try:
        main(json.loads(line))
    except SystemExit as leaving:
        code = leaving.code
    except BaseException:
        traceback.print_exc()
        code = "traceback"
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        os.write(stream.fileno(), b"<<ended>>")
    print(json.dumps(code), file=told)
"""
_MARK = b"<<ended>>"


class Ran(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


class Shell:
    """A process that runs commands of setwise, with standard input, output and error in pipes or on terminals.

    Args:
        folder: where it runs.
        terminal: whether each of the three is a pseudo-terminal, which Windows has none of.
    """

    def __init__(self, folder: Path, *, terminal: bool) -> None:
        self.terminal = terminal
        commands, self._commands = os.pipe()
        self._codes, codes = os.pipe()
        ends = [self._ends() for _ in range(3)]
        (given, self._in), (out, self._out), (err, self._err) = ends
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LOOP, str(commands), str(codes)], cwd=folder, pass_fds=(commands, codes),
            stdin=given if terminal else subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
            env=os.environ | {"COLUMNS": "100", "TERM": "xterm-256color", "BROWSER": "true"},
        )  # fmt: skip
        for end in (commands, codes, given, out, err):
            os.close(end)

    def _ends(self) -> tuple[int, int]:
        """The process's end, and ours."""
        if self.terminal:
            import pty

            ours, its = pty.openpty()
            return its, ours
        ours, its = os.pipe()
        return its, ours

    def run(self, *arguments: str, interrupt_at: str | None = None) -> Ran:
        """Run a command; a terminal's line ends are those of a pipe.

        Args:
            arguments: of the command.
            interrupt_at: what on standard error the command is interrupted at, as by Ctrl-C.
        """
        os.write(self._commands, json.dumps(arguments).encode() + b"\n")
        printed = {self._out: b"", self._err: b""}
        with selectors.DefaultSelector() as waiting:
            for end in printed:
                waiting.register(end, selectors.EVENT_READ)
            while not all(text.endswith(_MARK) for text in printed.values()):
                for key, _ in waiting.select():
                    chunk = os.read(key.fd, 1 << 16)
                    assert chunk, f"{arguments} ended the process: {printed}"
                    printed[key.fd] += chunk
                if interrupt_at is not None and interrupt_at.encode() in printed[self._err]:
                    interrupt_at = None
                    self._process.send_signal(signal.SIGINT)
        code = json.loads(os.read(self._codes, 100))
        out, err = (text.removesuffix(_MARK).decode().replace("\r\n", "\n") for text in printed.values())
        return Ran(code, out, err)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._commands)
        for end in (self._out, self._err, self._in, self._codes):
            os.close(end)
        self._process.wait(60)
