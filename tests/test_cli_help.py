"""The command line about itself: manual page, options, completion, progress, and what it imports."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from helpers.commands import GAMES, SETWISE, Run, running
from helpers.data import FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise.cli import options, terminal
from setwise.cli.app import app


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return running(capsys)


def test_the_manual_page_tells_every_command_and_option(run) -> None:
    page = run("man")[1]
    for name, command in app.commands.items():
        assert f".SS setwise {name} " in page
        for option in command.params:
            assert all(it.replace("-", "\\-") in page for it in option.opts if it.startswith("-"))
    assert all(line[:1] == "." or not line.startswith((".", "'")) for line in page.splitlines())


#: Gives ``find`` an option, then runs the command line.
NEW_OPTION = """
import sys
from setwise.cli import find, main
from setwise.cli.app import app
from setwise.cli.command import option

class Find(find.Find, name="find"):
    motto: str = option("--motto WORDS", "Print some words first.", default="seek")

    def run(self):
        print(f"{self.motto}!")
        return super().run()

app.add_command(Find.command)
main(sys.argv[1:])
"""


def test_a_new_option_is_one_line_of_its_command() -> None:
    def run(*arguments: str, **environment: str) -> str:
        command = [sys.executable, "-c", NEW_OPTION, *arguments]
        ran = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | environment, timeout=300
        )
        return ran.stdout

    assert re.search(r"--motto WORDS +Print some words first\.", run("find", "--help"))
    assert ".B \\-\\-motto WORDS\nPrint some words first." in run("man")
    completing = {"_SETWISE_COMPLETE": "bash_complete", "COMP_WORDS": "setwise find --mo", "COMP_CWORD": "2"}
    assert run(**completing) == "plain,--motto\n"
    games = sum(1 for _ in games_of(FAMOUS_GAMES.read_text()))
    assert run("find", "ply = 0", GAMES, "--count", "--motto", "find, too") == f"find, too!\n{games}\n"
    assert run("find", "ply = 0", GAMES, "--count", "--limit", "3") == "seek!\n3\n"


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("setwise find own_royal_f", "own_royal_fork_squares"),
        ("setwise find ply=1&&white_royal_f", "ply=1&&white_royal_fork_squares"),
        ("setwise find true --columns ply,black_kn", "ply,black_knights"),
        ("setwise sca", "scan"),
        ("setwise find true --per", "--per-game"),
        ("setwise find true --side m", "mover"),
    ],
)
def test_shells_are_told_what_completes(words: str, offered: str) -> None:
    told = {"_SETWISE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    ran = subprocess.run(SETWISE, env={**os.environ, **told}, capture_output=True, text=True, check=True)
    assert f"plain,{offered}" in ran.stdout.splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_there_for_shells(run, shell: str) -> None:
    code, out, _ = run("completion", shell)
    assert code == 0
    assert f"{shell}_complete" in out
    assert "setwise" in out


def test_help_and_version_import_nothing_heavy() -> None:
    told = "import sys; from setwise.cli import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"
    for asked in ("--help", "--version"):
        ran = subprocess.run([sys.executable, "-c", told, asked], capture_output=True, text=True, check=True)
        assert {"numpy", "numba", "pyarrow", "duckdb", "rich"}.isdisjoint(ran.stdout.split())


@pytest.mark.parametrize(
    ("command", "needed", "not_needed"),
    [
        (["find", "white_royal_fork_squares <> 0", GAMES], {"pyarrow"}, {"duckdb", "numba"}),
        (["find", "next(is_check)", GAMES, "--columns", "san,fen"], {"pyarrow", "duckdb"}, {"numba"}),
        (["show", "8/8/8/8/8/8/8/K1k5 w - - 0 1"], {"numpy"}, {"pyarrow", "duckdb"}),
        (["explain", "knight.attacks"], {"numpy"}, {"pyarrow", "duckdb"}),
        (["--help"], set(), {"numpy", "pyarrow", "duckdb"}),
    ],
    ids=lambda it: it[0] if isinstance(it, list) else "",
)
def test_commands_import_what_they_need(
    command: list[str | Path], needed: set[str], not_needed: set[str], tmp_path: Path
) -> None:
    """Once machine code is kept, that is: a run that compiled is repeated."""
    (tmp_path / "pandas.py").write_text("raise SystemExit('pandas is imported')")
    seen = "import sys; from setwise.cli import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"

    def modules() -> set[str]:
        ran = subprocess.run(
            [sys.executable, "-c", seen, *command], env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return set(ran.stdout.splitlines()[-1].split())

    imported = modules()
    if "numba" in imported:
        imported = modules()
    assert needed <= imported
    assert not (not_needed | {"pandas"}) & imported


def test_progress_tells_bytes_positions_rate_and_time_left() -> None:
    meter = terminal.Meter(4_000_000)
    meter.started -= 10
    meter.read(10, 2_000_000, 1_000_000)
    assert re.fullmatch(r"1 of 4 MB \(25 %\), 2,000,000 positions, 0\.2 million a second, 0:3\d left", meter.sentence())
    meter.total = 10_001_000_000
    assert re.search(r" MB \(0 %\), .* 27:4\d:\d\d left$", meter.sentence())
    meter.total = 1_000_000  # all is read, but not all is answered
    assert "1 of 1 MB (99 %)" in meter.sentence()
    meter.total = 0  # standard input
    assert meter.sentence() == "1 MB, 2,000,000 positions, 0.2 million a second"


def test_the_last_name_of_a_list_is_completed() -> None:
    context = click.Context(click.Command("find"))
    option = click.Option(["--columns"])
    for incomplete in ("ply,white_nam", "ply, white_nam"):
        assert options.lists_of_columns(context, option, incomplete) == ["ply,white_name"]


def test_colours_are_those_of_the_terminal_the_environment_and_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdout", Screen())
    for wanted, no_color, shows in (
        ("auto", "", True), ("auto", "1", False), ("always", "1", True), ("never", "", False),
    ):  # fmt: skip
        monkeypatch.setattr(terminal, "_wanted", wanted)
        monkeypatch.setenv("NO_COLOR", no_color)
        assert terminal.shows_colors() is shows


def test_a_path_without_a_way_from_here_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from setwise.cli.web import near

    assert Path(near(FAMOUS_GAMES)).resolve() == FAMOUS_GAMES

    def no_way(*_: object) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(os.path, "relpath", no_way)
    assert near(FAMOUS_GAMES) == GAMES


def test_the_help_groups_all_commands_with_whole_sentences(run: Run) -> None:
    """At 80 columns no sentence is cut."""
    help_text = run("--help")[1]
    titles = ("Ask games:", "Keep games:", "Look at a board:", "Learn:", "Build an engine:", "Look after setwise:")
    assert [line for line in help_text.splitlines() if line and not line.startswith((" ", "Usage"))] == [
        "Options:",
        *titles,
    ]
    assert "..." not in help_text.replace("[ARGS]...", "")
    words = " ".join(help_text.split())
    for name, command in app.commands.items():
        assert f" {name} {command.get_short_help_str(1000)}" in words, name
