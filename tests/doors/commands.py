"""The commands as a way to ask: in a pipe and on a terminal, one process for many of them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.json
import pyarrow.parquet

from doors import child
from doors.questions import Find, Sql
from doors.sources import Source
from doors.ways import Question, Refused, Rows, columns_of, expected, told, told_of
from helpers.data import ROOT

_COLOURS = re.compile(r"\x1b\[[\d;]*[mK]|\r")


class Ended(NamedTuple):
    """What a command has written, and how it ended."""

    out: str
    error: str
    code: int


class Commands:
    """A process that runs commands; its output is a pipe, or a terminal."""

    def __init__(self, *, terminal: bool) -> None:
        self.terminal = terminal
        commands, self._commands = os.pipe()
        ends = [self._ends() for _ in range(2)]
        self._process = subprocess.Popen(
            [sys.executable, child.__file__, str(commands)],
            stdin=subprocess.DEVNULL, stdout=ends[0][1], stderr=ends[1][1], pass_fds=[commands], cwd=ROOT,
            env=os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "120"},
        )  # fmt: skip
        for end in (commands, ends[0][1], ends[1][1]):
            os.close(end)
        self._readers = [_Reader(read) for read, _ in ends]

    def _ends(self) -> tuple[int, int]:
        if not self.terminal:
            return os.pipe()
        import pty

        return pty.openpty()

    def run(self, *arguments: str, stdin: str | None = None) -> Ended:
        """Run a command to its end."""
        line = json.dumps({"arguments": arguments, "stdin": stdin}) + "\n"
        os.write(self._commands, line.encode())
        (out, code), (error, _) = (reader.until_the_end() for reader in self._readers)
        return Ended(_COLOURS.sub("", out), _COLOURS.sub("", error), int(code) if code.isdigit() else 0)

    def close(self) -> None:
        """End the process."""
        os.close(self._commands)
        self._process.wait(60)
        for reader in self._readers:
            reader.close()


class _Reader:
    """Reads what a process writes as it comes, so that neither waits for the other."""

    def __init__(self, end: int) -> None:
        self._end, self._text, self._news = end, b"", threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        chunk = b"-"
        while chunk:
            try:
                chunk = os.read(self._end, 1 << 16)
            except OSError:  # a terminal that the other side has left
                chunk = b""
            with self._news:
                self._text += chunk
                self._open = bool(chunk)
                self._news.notify()

    def until_the_end(self) -> tuple[str, str]:
        """What one command has written, and its exit code."""
        mark = re.compile(re.escape(child.END.encode()) + rb"(\w+)\r?\n")
        with self._news:
            while (found := mark.search(self._text)) is None:
                assert self._open, self._text.decode()
                self._news.wait(300)
            text, self._text = self._text[: found.start()], self._text[found.end() :]
        return text.decode(), found[1].decode()

    def close(self) -> None:
        self._thread.join(60)
        os.close(self._end)


@contextlib.contextmanager
def commands(*, terminal: bool) -> Iterator[Commands]:
    """A process that runs commands until the end of the block."""
    running = Commands(terminal=terminal)
    try:
        yield running
    finally:
        running.close()


# ----------------------------------------------------------------------------------------------------------- asked so


def arguments_of(question: Question, source: Source) -> list[str]:
    """The command without its columns and its format."""
    given = source.given if isinstance(source.given, list) else [source.given]
    if isinstance(question, Sql):
        return ["sql", question.statement, *given]
    options = {"--player": question.player, "--per-game": question.per_game, "--limit": question.limit}
    return [
        "find",
        question.where,
        *given,
        *(str(it) for pair in options.items() if pair[1] is not None for it in pair),
    ]


def with_columns(question: Question, source: Source) -> list[str]:
    """The whole command, but for its format."""
    columns = ["--columns", ",".join(columns_of(question, source))] if isinstance(question, Find) else []
    return [*arguments_of(question, source), *columns]


def _stdin(source: Source) -> dict[str, Any]:
    return {"stdin": source.piped} if source.piped else {}


def _refused(ended: Ended) -> Refused | None:
    return (
        Refused(ended.error.strip())
        if ended.code == 2
        or (
            ended.code == 1 and "no matches" not in ended.error and ended.error.strip() and "read in" not in ended.error
        )
        else None
    )


def by_rows(running: Commands, question: Question, source: Source) -> Rows | Refused:
    """The rows as JSON lines, sets as numbers."""
    options = ["--format", "jsonl", "--raw", *(["--no-boards"] if isinstance(question, Find) else [])]
    ended = running.run(*with_columns(question, source), *options, **_stdin(source))
    if refused := _refused(ended):
        return refused
    return told((json.loads(line).values() for line in ended.out.splitlines()), question, source)


def by_count(running: Commands, question: Find, source: Source) -> int | Refused:
    """The number that ``--count`` prints."""
    ended = running.run(*arguments_of(question, source), "--count", **_stdin(source))
    return _refused(ended) or int(ended.out)


class Drawn(NamedTuple):
    """What a terminal shows of the matches."""

    #: The number of the game and the FEN below each board.
    boards: list[tuple[int, str]]
    #: What the line at the end says.
    matches: int
    games: int
    more: bool


_BELOW = re.compile(r"(?:game|record) (\d+) of .*?\n(?:.*\n)*?((?:[\w]+/){7}\S+ [wb] .*)\n")
_SUM = re.compile(r"(the first )?([\d,]+|no) match(?:es)?(?: in ([\d,]+) games?)?")


def by_boards(running: Commands, question: Find, source: Source) -> Drawn | Refused:
    """What the command shows by itself, without any option of how."""
    ended = running.run(*arguments_of(question, source), **_stdin(source))
    if refused := _refused(ended):
        return refused
    said = _SUM.search(ended.error)
    assert said, ended.error
    matches, games = (int((it or "0").replace(",", "").replace("no", "0")) for it in said.group(2, 3))
    return Drawn([(int(game), fen.strip()) for game, fen in _BELOW.findall(ended.out)], matches, games, bool(said[1]))


#: Boards on a terminal, unless more are wanted.
MOST = 20


def drawn(question: Find, source: Source) -> Drawn:
    """What a terminal shows, by python-chess."""
    right = expected(question, source.games)
    fens = {(at.game.source, at.game.number, at.ply): at.board.fen() for game in source.games() for at in game.at}
    shown = right if question.limit is not None else right[:MOST]
    boards = [(row[1], fens[row[:3]]) for row in shown]
    return Drawn(boards, len(shown), len({row[:2] for row in shown}), len(right) > len(shown))


#: How texts are read: keys as they are, and what is empty and not quoted as null.
_KEYS = pa.schema([("key", pa.uint64())])
_CSV = pyarrow.csv.ConvertOptions(
    column_types=_KEYS, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
)
_JSON = pyarrow.json.ParseOptions(explicit_schema=_KEYS)


def _of_json(path: Path) -> pa.Table:
    table = pyarrow.json.read_json(path)
    if "key" not in table.column_names:
        return table
    keys = pyarrow.json.read_json(path, parse_options=_JSON)["key"]
    return table.set_column(table.column_names.index("key"), "key", keys)


READ: dict[str, Callable[[Path], pa.Table]] = {
    ".parquet": pyarrow.parquet.read_table,
    ".arrow": pyarrow.feather.read_table,
    ".csv": lambda path: pyarrow.csv.read_csv(path, convert_options=_CSV),
    ".jsonl": _of_json,
}


def by_file(running: Commands, question: Question, source: Source, path: Path) -> Rows | Refused:
    """The rows that a command writes to a file, whose suffix says how."""
    path.unlink(missing_ok=True)
    ended = running.run(*with_columns(question, source), "--raw", "--output", str(path), **_stdin(source))
    if not path.exists():
        return _refused(ended) or Refused(f"nothing is written: {ended}")
    if not path.stat().st_size:  # JSON lines of no rows
        return []
    table: pa.Table = READ[path.suffix](path)
    return told_of(table, question, source)
