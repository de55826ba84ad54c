"""What a terminal shows: the commands of ``console`` blocks, run when the documentation is built."""

from __future__ import annotations

import contextlib
import os
import shlex
import tempfile
from html import escape
from pathlib import Path

from setwise.cli import main

__all__ = ["printed_by", "session"]

ROOT = Path(__file__).resolve().parents[1]


def session(commands: str) -> str:
    """What a terminal shows: each command behind its prompt, and what it prints here and now."""
    shown = []
    for line in commands.splitlines():
        words = shlex.split(line.removeprefix("$ "))
        if not line.startswith("$ setwise "):
            raise ValueError(f"a console block holds setwise commands, not {line!r}")
        code, printed, errors = printed_by(words[1:])
        output = escape(printed.strip("\n")) if code == 0 else f"<i>{escape(errors.strip())}</i>"
        shown.append(f"<b>{escape(line)}</b>\n{output}\n")
    return f'<pre class="console" tabindex="0">{"".join(shown)}</pre>'


def printed_by(words: list[str]) -> tuple[int, str, str]:
    """Run a command in this process, where all is loaded; its exit code, its output and its messages.

    Both streams are files, as commands look whether they write to a terminal, and 80 characters wide.
    """
    before, width = Path.cwd(), os.environ.get("COLUMNS")
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as output,
        tempfile.TemporaryFile("w+", encoding="utf-8") as said,
    ):
        os.chdir(ROOT)
        os.environ["COLUMNS"] = "80"
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(said):
                main(words)
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            os.chdir(before)
            os.environ.pop("COLUMNS")
            os.environ.update({"COLUMNS": width} if width is not None else {})
        output.seek(0)
        said.seek(0)
        return code, output.read(), said.read()
