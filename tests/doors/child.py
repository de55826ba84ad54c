"""A process that runs one command of setwise after the other, each as if it were alone.

Commands come by a pipe, a line of JSON each. What they write goes to the standard output and error that this process
was started with, a pipe or a terminal, and ends there with a line of its own.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

from setwise.cli import main
from setwise.corpus.query import search

sys.path.insert(0, str(Path(__file__).parent.parent))

from doors.lasting import lasting_pool

#: What stands behind the output of a command, with its exit code.
END = "<end of the command>"


def feed(path: str) -> None:
    """Let standard input be a pipe through which a file comes."""
    here, there = os.pipe()
    os.dup2(here, 0)
    os.close(here)
    sys.stdin = os.fdopen(0, closefd=False)

    def write() -> None:
        with os.fdopen(there, "wb") as pipe:
            pipe.write(Path(path).read_bytes())

    threading.Thread(target=write, daemon=True).start()


def serve(commands: int) -> None:
    """Run the commands that come by a pipe."""
    search.ThreadPoolExecutor = lasting_pool  # type: ignore[attr-defined]
    with os.fdopen(commands, encoding="utf-8") as lines:
        for line in lines:
            command = json.loads(line)
            if command["stdin"] is not None:
                feed(command["stdin"])
            code: object = None
            try:
                main(command["arguments"])
            except SystemExit as leaving:
                code = leaving.code
            for stream in (sys.stdout, sys.stderr):
                print(f"{END}{code}", file=stream, flush=True)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
