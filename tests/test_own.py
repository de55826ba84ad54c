"""Patterns of one's own on the command line: in every command that knows patterns, and told where they are wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from helpers.data import FAMOUS_GAMES
from helpers.patterns import numba
from setwise.cli import main
from setwise.compiler import PATTERNS
from setwise.features import FEATURES

GAMES = str(FAMOUS_GAMES)

RIM = '''from setwise import Set, pattern
from setwise.patterns.bits import FILE_A, FILE_H


@pattern
def rim(knights: Set) -> Set:
    """Return the knights on the rim."""
    return knights & (FILE_A | FILE_H)
'''

BROKEN = {
    "a name that nothing has": ("@pattern\ndef x(pieces: Set) -> Set:\n    return pieces & nothing\n", 3, "nothing"),
    "no kinds": ("@pattern\ndef x(pieces):\n    return pieces\n", 3, "needs a kind"),
    "an error at once": ("1 / 0\n", 3, "ZeroDivisionError"),
    "bad syntax": ("def x(:\n", 3, "SyntaxError"),
    "Python's numbers": (
        "@pattern\ndef x(pieces: Set) -> Set:\n    return pieces - 1\n",
        3,
        "write every number as a constant",
    ),
}


@pytest.fixture
def run(capsys):
    known = dict(PATTERNS), dict(FEATURES)

    def running(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as leaving:
            main(list(arguments))
        out, err = capsys.readouterr()
        return leaving.value.code, out, "".join(line for line in err.splitlines(True) if "compiling" not in line)

    yield running
    for registry, before in zip((PATTERNS, FEATURES), known, strict=True):
        for name in set(registry) - set(before):
            del registry[name]
    sys.modules.pop("my_patterns", None)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "my_patterns.py"
    path.write_text(RIM)
    return str(path)


def test_find_and_sql_know_it(run, file: str) -> None:
    asked = "my_patterns.rim(white_knights) <> 0"
    builtin = "white_knights & files('a h') <> 0"
    counted = run("find", asked, GAMES, "--count", "--load", file)
    assert counted[:2] == run("find", builtin, GAMES, "--count")[:2]
    assert int(counted[1]) > 0
    code, out, _ = run("sql", f"select count(*) n from positions where {asked}", GAMES, "--load", file)  # noqa: S608
    assert (code, out) == (0, f"n\n{counted[1]}")


def test_explain_and_patterns_know_it(run, file: str) -> None:
    assert "Return the knights on the rim." in run("explain", "my_patterns.rim", "--load", file)[1]
    assert "my_patterns" in run("patterns", "--load", file)[1]


def test_table_knows_it(run, tmp_path: Path) -> None:
    path = tmp_path / "my_patterns.py"
    path.write_text(
        "from setwise import Set, Square, pattern\nfrom setwise.patterns.bits import ONE\n\n\n"
        '@pattern\ndef alone(square: Square) -> Set:\n    """Return the square as a set."""\n    return ONE << square\n'
    )
    code, out, err = run("table", "my_patterns.alone", "--load", str(path))
    assert (code, err) == (0, "")
    assert "0x0000000000000001" in out.lower()


def test_a_module_is_loaded_by_its_name(run, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(file).parent))
    assert int(run("find", "my_patterns.rim(white_knights) <> 0", GAMES, "--count", "--load", "my_patterns")[1]) > 0


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize(
    "command", [["find", "true", GAMES], ["columns"], ["explain", "knight"], ["scan", GAMES, "-o", "x"]]
)
def test_what_is_wrong_is_told_with_file_and_line(
    run, tmp_path: Path, what: str, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if what == "Python's numbers":
        numba()
    monkeypatch.chdir(tmp_path)
    text, line, reason = BROKEN[what]
    path = tmp_path / "my_patterns.py"
    path.write_text(f"from setwise import Set, pattern\n\n{text}")
    code, out, err = run(*command, "--load", str(path))
    assert (code, out) == (2, "")
    assert err.startswith(f"setwise: {path}, line {line}: ")
    assert reason in err
    assert err.count("\n") == 1
    assert [it.name for it in tmp_path.iterdir() if it.name != "__pycache__"] == ["my_patterns.py"]
