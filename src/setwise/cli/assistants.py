"""The command mcp: an assistant asks the sources of one person, by the Model Context Protocol.

Each tool is a command of setwise, which runs in a process of its own with limits of time and memory. The answer is what
the command prints, below the line that a person would type. So the assistant reads nothing but the sources, and its
user can repeat, check and continue what it did.
"""

from __future__ import annotations

import inspect
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Annotated, Any, Literal

import click

from setwise.cli import options
from setwise.cli.command import Command, option
from setwise.errors import FAILED, SetwiseError

#: The most letters of an answer, and the most rows of a search.
_MOST_LETTERS, _MOST_ROWS = 8_000, 50
#: Commands that run at the same time, and the memory of each in bytes, beyond what a process has at its start.
_AT_ONCE, _MEMORY = 2, 2 << 30
_START = f"""from setwise.system.processes import bound_memory; bound_memory({_MEMORY})
from setwise.cli import main; main()"""
#: Stands for the sources in the words of a command.
_SOURCES = object()

_ABOUT = """Chess positions and games, answered exactly. `find` and `count` take a condition: SQL over the columns of a
position, where a set of squares is compared with 0 (white_passed_pawns <> 0) and bit_count() counts its squares. Look
up names first: `columns` and `questions` by words, `explain` for one name. Say what was asked in the words of chess,
and show the command line, so that your user can run it."""

Fen = Annotated[str, "a FEN, or `startpos`"]
Condition = Annotated[str, "SQL over columns, such as: own_royal_fork_squares <> 0 and ply < 40"]
Player = Annotated[str, "a part of a player's name: only games of this player"]

_TOOLS: list[Callable[..., list[Any]]] = []


def _tool(function: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """Register a tool: its docstring is for the assistant, its result the words of the command that answers."""
    _TOOLS.append(function)
    return function


def _given(**values: Any) -> Iterator[str]:
    """Yield the options that have a value."""
    for name, value in values.items():
        if value not in {"", None}:
            yield f"--{name.replace('_', '-')}={value}"


@_tool
def find(
    condition: Condition,
    player: Player = "",
    columns: Annotated[str, "the columns to show, separated by commas, instead of the usual ones"] = "",
    order_by: Annotated[str, "what comes first, such as: bit_count(own_hanging) desc, ply"] = "",
    limit: Annotated[int, f"the most positions to return, up to {_MOST_ROWS}"] = 10,
) -> list[Any]:
    """Find positions of the games that match a condition, with players, move and FEN."""
    more = _given(player=player, columns=columns, order_by=order_by, limit=max(0, min(limit, _MOST_ROWS)))
    return ["find", *more, "--format=table", "--", condition, _SOURCES]


@_tool
def count(condition: Condition, player: Player = "") -> list[Any]:
    """Count the positions of the games that match a condition, and the games that have one."""
    return ["find", "--count", *_given(player=player), "--", condition, _SOURCES]


@_tool
def sql(
    statement: Annotated[str, "one SELECT over positions, games and moves; add a limit, since long answers are cut"],
) -> list[Any]:
    """Answer a SELECT in DuckDB's SQL over the tables positions, games and moves, whose columns `columns` lists."""
    return ["sql", "--format=table", "--", statement, _SOURCES]


@_tool
def tree(
    position: Annotated[str, "moves from the start, such as: 1. e4 e5 2. Nf3; or a FEN"],
    player: Player = "",
    side: Annotated[Literal["", "white", "black"], "the side of that player"] = "",
    where: Annotated[str, "only rows that match a condition, such as: white_elo > 2400"] = "",
) -> list[Any]:
    """Say which moves were played from a position in the games, how often, with what results."""
    return ["tree", *_given(player=player, side=side, where=where), "--", position, _SOURCES]


@_tool
def columns(words: Annotated[str, "words to look for, such as: passed pawn; empty for all columns"] = "") -> list[Any]:
    """List the columns of positions that have some words in their names or meanings."""
    return ["columns", "--", *filter(None, [words])]


@_tool
def questions(words: Annotated[str, "words to look for, such as: smothered mate"] = "") -> list[Any]:
    """List questions with their conditions ready to use, by words of chess."""
    return ["questions", "--", *words.split()]


@_tool
def explain(name: Annotated[str, "a pattern, a feature, a column or a term, such as: knight.forks"]) -> list[Any]:
    """Explain a pattern, feature, column or term: what it means, its formula, why it works, an example."""
    return ["explain", "--", name]


@_tool
def position(
    fen: Fen, features: Annotated[str, "features to mark on the board, separated by commas, up to four"] = ""
) -> list[Any]:
    """Draw a position, with the squares of some features."""
    return ["show", *(f"--feature={it.strip()}" for it in features.split(",") if it.strip()), "--", fen]


@_tool
def why_not(fen: Fen, move: Annotated[str, "a move in SAN or UCI, such as: Nxe5"]) -> list[Any]:
    """Say why a move is not legal in a position, or that it is."""
    return ["show", f"--why={move}", "--", fen]


@_tool
def prove(
    pattern: Annotated[str, "a pattern, such as: knight.fork_targets"],
    equals: Annotated[str, "another pattern that may be equal to it; empty for the definition's own proof"] = "",
) -> list[Any]:
    """Prove for all boards that a pattern is right, or equal to another one; else draw a board where they differ."""
    return ["prove", "--", pattern, *filter(None, [equals])]


class Mcp(Command, name="mcp"):
    """Answer an assistant that asks about the SOURCEs, by the Model Context Protocol.

    An assistant such as Claude starts this command itself; on a terminal, the command prints what to paste into the
    settings of the assistant. It reads these sources and nothing else, and changes nothing. The command needs the
    extra: pip install 'setwise[mcp]'.
    """

    sources: tuple[str, ...] = options.sources
    seconds: float = option(
        "--seconds N", "The longest time for one answer.", type=click.FloatRange(min=0, min_open=True), default=60
    )

    def run(self) -> None:
        """Serve until standard input ends."""
        try:
            import mcp  # noqa: F401
        except ModuleNotFoundError as error:
            raise SetwiseError(f"an assistant needs {error.name}: pip install 'setwise[mcp]'") from None
        from setwise.corpus.sources.kinds import resolved

        if "-" in self.sources or not self.sources:
            raise SetwiseError("name the files that the assistant may ask; standard input is its own")
        for source in resolved(list(self.sources)):
            source.sources()  # a missing file is an error of this command, and not of each answer
        if sys.stdin.isatty():
            print(_settings(self.sources, self.seconds))
        else:
            _server(self.sources, self.seconds).run("stdio")


def _settings(sources: tuple[str, ...], seconds: float) -> str:
    """Return the settings of an assistant in which it starts this command, as JSON."""
    places = [it if "://" in it else os.path.abspath(it) for it in sources]  # noqa: PTH100  (it may be a pattern)
    command = shutil.which("setwise") or os.path.join(os.path.dirname(sys.executable), "setwise")  # noqa: PTH118, PTH120
    server = {"command": command, "args": ["mcp", f"--seconds={seconds:g}", *places]}
    return json.dumps({"mcpServers": {"setwise": server}}, indent=2)


def _server(sources: tuple[str, ...], seconds: float) -> Any:
    """Return the protocol's server with all tools."""
    from anyio import CapacityLimiter
    from mcp.server import MCPServer
    from mcp.types import ToolAnnotations

    server = MCPServer("setwise", instructions=_ABOUT, version=version("setwise"), log_level="ERROR")
    limiter = CapacityLimiter(_AT_ONCE)
    annotations = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in _TOOLS:
        server.add_tool(_served(tool, sources, seconds, limiter), annotations=annotations, structured_output=False)
    return server


def _served(tool: Callable[..., list[Any]], sources: tuple[str, ...], seconds: float, limiter: Any) -> Any:
    """Return a tool as a function with the same parameters, which runs the command."""

    async def answer(**arguments: Any) -> str:
        words = [it for word in tool(**arguments) for it in (sources if word is _SOURCES else [word])]
        async with limiter:
            return await _answered(words, seconds)

    hints = inspect.get_annotations(tool, eval_str=True)
    parameters = [
        it.replace(annotation=_described(hints[it.name])) for it in inspect.signature(tool).parameters.values()
    ]
    answer.__name__, answer.__doc__ = tool.__name__, tool.__doc__
    answer.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    answer.__annotations__ = {it.name: it.annotation for it in parameters} | {"return": str}
    return answer


def _described(hint: Any) -> Any:
    """Return the hint of a parameter in the form in which the protocol's package reads its description."""
    from pydantic import Field

    return Annotated[hint.__origin__, Field(description=hint.__metadata__[0])]


async def _answered(words: list[str], seconds: float) -> str:
    """Run a command, and return what it prints, below the line that a person would type.

    Raises:
        ToolError: if the command fails, or takes longer than its time.
    """
    import subprocess

    import anyio
    from mcp.server.mcpserver.exceptions import ToolError

    done = None
    with anyio.move_on_after(seconds):  # it kills the process
        done = await anyio.run_process(
            [sys.executable, "-c", _START, *words],
            stdin=subprocess.DEVNULL, check=False, env=os.environ | {"NO_COLOR": "1", "COLUMNS": "120"},
        )  # fmt: skip
    if done is None:
        raise ToolError(f"it takes longer than {seconds:g} seconds: ask for less, or run it yourself:\n{_line(words)}")
    printed, said = (text.decode(errors="replace").strip() for text in (done.stdout, done.stderr))
    if done.returncode >= FAILED or done.returncode < 0:
        raise ToolError(said.removeprefix("setwise: ") or "it needed more memory than an answer may have")
    if len(printed) > _MOST_LETTERS:
        kept = printed[:_MOST_LETTERS].rpartition("\n")[0]
        left = printed.count("\n") - kept.count("\n")
        printed = f"{kept}\n… and {left:,} more lines: ask for less, or run the command"
    return "\n\n".join(filter(None, [f"$ {_line(words)}", printed, said]))


def _line(words: list[str]) -> str:
    return shlex.join(["setwise", *words])
