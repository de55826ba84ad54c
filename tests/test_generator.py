"""The exported generators compile without a warning and count as setwise does; faults planted in them are found."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.data import ROOT
from helpers.depth import depth
from helpers.programs import needed
from setwise.catalogue.generator import generator
from setwise.cli import main
from setwise.engines.divide import compared, descend
from setwise.engines.positions import KINDS, random_positions
from setwise.engines.uci import Engine, check
from setwise.errors import QueryError
from setwise.position.position import Position

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror")
RUST = ("--edition", "2021", "-Dwarnings")
#: Undefined behaviour and accesses out of bounds end the program.
SANE = ("-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all")


def built(folder: Path, language: str, text: str, *options: str) -> Path:
    source, program = folder / f"generator.{language}", folder / "generator"
    source.write_text(text)
    compiler = [needed("gcc"), *STRICT] if language == "c" else [needed("rustc"), *RUST]
    done = subprocess.run([*compiler, *options, source, "-o", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return program


def said(program: Path, *words: str) -> str:
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module", params=["c", pytest.param("rs", marks=pytest.mark.slow)])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    language = request.param
    options = SANE if language == "c" else ("-Coverflow-checks=on", "-Copt-level=1")
    return built(tmp_path_factory.mktemp(language), language, generator({"c": "c", "rs": "rust"}[language]), *options)


def test_it_passes_its_own_test(program: Path) -> None:
    assert said(program, "test") == "151 of 151 positions are right"


def test_it_counts_as_setwise_does(program: Path) -> None:
    with Engine(str(program)) as engine:
        for kind in KINDS:
            for position in random_positions(depth(4, 200), 9, kind):
                engine.place(position)
                assert compared(position, 2, engine.perft(2))[0].startswith("all "), position.fen()
        assert list(descend(Position(), 4, engine)) == ["all 20 moves agree, 197,281 leaves", ""]


def test_it_speaks_uci_and_survives_broken_fens(program: Path) -> None:
    assert [(what, wrong) for what, wrong in check(str(program), number=depth(25, 1000), movetime=5) if wrong] == []


def test_bad_words_are_answered_with_the_right_ones(program: Path) -> None:
    for words in (("perft", "x"), ("perft", "2", "8/8/8/8/8/8/8/8 w - - 0 1"), ("count", "-1")):
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert (done.returncode, "DEPTH" in done.stdout) == (2, True)


@pytest.mark.parametrize(
    ("right", "wrong", "fen", "plies", "last"),
    [
        # The pawn that is taken en passant uncovers the king along the rank.
        ("return seen != 0 ? victim : 0;", "return seen != 0 ? 0 : 0;", "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", 2,
         "after e2e4: the engine has 'd4e3' in '8/8/8/8/k2pP2R/8/8/4K3 b"),
        # The right to castle stays when the king moves.
        ("only_if((board.kings & start) != 0, RANK_1)", "only_if((board.kings & start) == ALL, RANK_1)",
         "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 5,
         "From the FEN after e1d1 its moves are right: it makes this move wrongly."),
        # A check by a knight cannot be ended by taking it.
        ("checkers == 0 ? ALL : (checkers | between)", "checkers == 0 ? ALL : between",
         "4k3/8/8/6n1/8/8/6P1/4K3 b - - 0 1", 2, "g2f3 is legal, and the engine does not have it"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(right: str, wrong: str, fen: str, plies: int, last: str, tmp_path: Path) -> None:
    text = generator("c")
    assert text.count(right) == 1
    faulty = built(tmp_path, "c", text.replace(right, wrong), "-O0")
    with Engine(str(faulty)) as engine:
        sentences = list(descend(Position(fen), plies, engine))
    assert last in " ".join(sentences), sentences


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "rust"])
def test_perft_6(language: str, tmp_path: Path) -> None:
    options = {"c": ("-O3", "-march=native"), "rust": ("-Copt-level=3", "-Ctarget-cpu=native")}[language]
    fast = built(tmp_path, {"c": "c", "rust": "rs"}[language], generator(language), *options)
    assert said(fast, "perft", "6") == "119060324"


@pytest.mark.slow
def test_the_walk_runs_from_its_first_command_to_its_last(tmp_path: Path) -> None:
    walk = (ROOT / "docs" / "walk_engines.md").read_text("utf-8")
    commands = "\n".join(re.findall(r"```sh\n(.*?)```", walk, re.DOTALL))
    bin_folder = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-e", "-c", commands], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    right, tested, *found, last = done.stdout.splitlines()
    assert (right, tested, last) == ("right", "151 of 151 positions are right", "119060324")
    assert "opens the line of the rook on h4" in found[-1]


def test_only_two_languages_have_a_frame(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(QueryError, match="generators are not written in 'go'; there are c, rust"):
        generator("go")
    with pytest.raises(SystemExit):
        main(["generator", "--lang", "rust"])
    assert capsys.readouterr().out == generator("rust")
