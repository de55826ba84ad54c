"""Assistants: the protocol's own client in this process, and the command in another, as an assistant starts it."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.processes import run
from setwise.cli import assistants
from setwise.cli.app import run as command

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
GAMES = str(FAMOUS_GAMES)
MATE = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"


def mates() -> int:
    return setwise.find("is_checkmate", GAMES).num_rows


#: Ten conversations: what the tools are asked, and what their answers say; an error where the first word is one.
CONVERSATIONS: list[list[tuple[str, dict[str, Any], list[str]]]] = [
    [
        ("questions", {"words": "smothered"}, ["setwise questions -- smothered", "mate_patterns, 'smothered'"]),
        ("find", {"condition": "list_contains(mate_patterns, 'smothered')"}, ["--limit=10", "smothered"]),
    ],
    [("count", {"condition": "is_checkmate"}, [f"\n{mates()}\n", f"{mates()} matches in"])],
    [
        (
            "find",
            {"condition": "white_pawns > 7"},
            ["error", "bit_count(white_pawns) > 7 takes the numbers of squares"],
        ),
        ("count", {"condition": "bit_count(white_pawns) > 7", "player": "morphy"}, ["--player=morphy", "matches in"]),
    ],
    [("sql", {"statement": "select count(*) as n from games"}, ["\n41"])],
    [
        ("tree", {"position": "1. e4 e5", "where": "year < 1900"}, ["g1f3", "--where=year < 1900"]),
        ("tree", {"position": "1. e4", "side": "green"}, ["error", "green"]),
    ],
    [("columns", {"words": "passed pawns"}, ["white_passed_pawns"])],
    [
        ("explain", {"name": "royal fork"}, ["fork"]),
        ("explain", {"name": "no such thing"}, ["error", "no such thing"]),
    ],
    [
        ("position", {"fen": MATE, "features": "attacks, hanging"}, ["white_attacks", "white_hanging", MATE]),
        ("position", {"fen": "rubbish"}, ["error", "rubbish"]),
    ],
    [("why_not", {"fen": "startpos", "move": "Nf6"}, ["Nf6"]), ("why_not", {"fen": MATE, "move": "Kxf7"}, ["Kxf7"])],
    [
        ("prove", {"pattern": "pawns.stacked", "equals": "pawns.doubled"}, ["it is not true that pawns.stacked is"]),
        ("prove", {"pattern": "knight.attacks"}, ["knight.attacks"]),
    ],
]
#: What no assistant may do: read other files, write files, or pass options.
FORBIDDEN: list[tuple[str, dict[str, Any]]] = [
    ("sql", {"statement": "select * from read_csv('/etc/passwd')"}),
    ("sql", {"statement": "copy (select 1) to 'written.csv'"}),
    ("sql", {"statement": "select * from '/etc/passwd'"}),
    ("find", {"condition": "within('/etc/passwd')"}),
    ("find", {"condition": "--output=written.csv"}),
    ("find", {"condition": "true", "limit": "many"}),
    ("explain", {"name": "--load=/etc/passwd"}),
    ("position", {"fen": "--output=written.svg"}),
]


async def asked(client: Any, tool: str, arguments: dict[str, Any]) -> tuple[bool, str]:
    answer = await client.call_tool(tool, arguments)
    return answer.is_error, "".join(part.text for part in answer.content)


async def converse(turns: list[Any], forbidden: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    words = ["-c", "from setwise.cli import main; main()", "mcp", GAMES]
    async with mcp.Client(mcp.StdioServerParameters(command=sys.executable, args=words)) as client:
        tools = (await client.list_tools()).tools
        answers = [await asked(client, *turn[:2]) for turn in turns]
        return tools, answers, [await asked(client, *turn) for turn in forbidden]


#: Each answer is that of a process: every third is asked for after every change.
@pytest.mark.parametrize("which", [0, *(pytest.param(third, marks=pytest.mark.slow) for third in (1, 2))])
def test_an_assistant_gets_answers_and_nothing_else(which: int) -> None:
    turns = [turn for turns in CONVERSATIONS for turn in turns][which::3]
    forbidden = FORBIDDEN[which::3]
    tools, answers, refused = asyncio.run(converse(turns, forbidden))
    assert {it.name for it in tools} == {it.__name__ for it in assistants._TOOLS}
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert all("description" in it for it in tool.input_schema["properties"].values()), tool.name
    for (tool, arguments, expected), (is_error, text) in zip(turns, answers, strict=True):
        assert is_error == (expected[0] == "error"), (tool, arguments, text)
        for part in expected[is_error:]:
            assert part in text, (tool, arguments, text)
        assert is_error or text.startswith("$ setwise ")
    for (tool, arguments), (is_error, text) in zip(forbidden, refused, strict=True):
        assert is_error, (tool, arguments, text)
        assert "Traceback" not in text
    assert not list(Path().glob("written.*"))


def test_long_answers_are_cut_and_late_ones_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assistants, "_MOST_LETTERS", 300)
    cut = asyncio.run(assistants._answered(["columns"], 60))
    assert len(cut) < 500
    assert "more lines: ask for less, or run the command" in cut
    monkeypatch.setattr(assistants, "_START", "import time; time.sleep(60)")  # it has begun when its time is over
    with pytest.raises(Exception, match=r"it takes longer than 1 seconds: ask for less, or run it yourself:\nsetwise"):
        asyncio.run(assistants._answered(["columns"], 1))


def test_what_cannot_be_served_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        ([], "name the files that the assistant may ask"),
        (["-"], "name the files that the assistant may ask"),
        ([str(tmp_path / "missing.pgn")], "missing.pgn"),
    ):
        assert command(["mcp", *words]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert told.count("\n") == 1
    served = run(sys.executable, "-c", "from setwise.cli import main; main()", "mcp", GAMES)
    assert served.stdout == ""  # standard input has ended


def test_the_settings_to_paste_name_the_command_and_the_sources() -> None:
    settings = json.loads(assistants._settings(("games.pgn", "https://example.org/games.pgn"), 9))
    server = settings["mcpServers"]["setwise"]
    assert server["command"].endswith("setwise")
    assert server["args"] == ["mcp", "--seconds=9", str(Path("games.pgn").absolute()), "https://example.org/games.pgn"]
