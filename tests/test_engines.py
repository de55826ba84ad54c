"""What an engine adds to matches: compared with python-chess's own talk to Stockfish, and where engines fail."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import chess
import chess.engine
import pyarrow.parquet
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.programs import needed
from helpers.shells import Shell
from setwise.cli.app import run
from setwise.corpus.outputs import by_suffix
from setwise.corpus.query import finding
from setwise.errors import SetwiseError

DEPTH = 5
needs_shell = pytest.mark.skipif(sys.platform == "win32", reason="there is no shell and no pseudo-terminal")


@pytest.fixture(scope="module")
def judged() -> dict[str, tuple[int, str]]:
    """What Stockfish says of some positions, by their FENs."""
    found = setwise.find("is_check", FAMOUS_GAMES, columns="fen", limit=8)
    said = {}
    with chess.engine.SimpleEngine.popen_uci(str(needed("stockfish"))) as engine:
        for fen in found.column("fen").to_pylist():
            board = chess.Board(fen)
            if any(board.legal_moves):
                info = engine.analyse(board, chess.engine.Limit(depth=DEPTH))
                score = info["score"].white().score(mate_score=32_000)
                assert score is not None
                said[fen] = score, board.san(info["pv"][0])
    assert len(said) > 4
    return said


def test_matches_have_what_the_engine_says(judged: dict[str, tuple[int, str]]) -> None:
    """Evaluations depend on what the engine has searched before: mates and near ones are compared."""
    rows = setwise.find(
        "is_check", FAMOUS_GAMES, columns=["fen", "engine_best"], limit=8, engine=str(needed("stockfish")), depth=DEPTH
    ).to_pylist()
    assert [*rows[0]] == ["fen", "engine_evaluation", "engine_best"]
    compared = 0
    for row in rows:
        if row["fen"] in judged:
            score, _ = judged[row["fen"]]
            assert abs(row["engine_evaluation"] - score) <= 300
            assert chess.Board(row["fen"]).parse_san(row["engine_best"])
            compared += 1
        else:
            assert (row["engine_evaluation"], row["engine_best"]) == (None, None)
    assert compared == len(judged)


def test_over_a_scan_the_rows_are_those_over_the_games(judged: dict[str, tuple[int, str]], tmp_path: Path) -> None:
    setwise.scan(FAMOUS_GAMES, tmp_path / "scanned")
    how = {"columns": ["game", "ply", "fen"], "limit": 8, "engine": str(needed("stockfish")), "depth": DEPTH}
    found, expected = (setwise.find("is_check", it, **how).to_pylist() for it in (tmp_path / "scanned", FAMOUS_GAMES))
    for row, other in zip(found, expected, strict=True):
        assert [row[name] for name in ("game", "ply", "fen")] == [other[name] for name in ("game", "ply", "fen")]
        if row["fen"] in judged:
            assert abs(row["engine_evaluation"] - judged[row["fen"]][0]) <= 300


def test_the_best_matches_of_an_order_alone_are_evaluated() -> None:
    engine = str(needed("stockfish"))
    plain = setwise.find("is_check", FAMOUS_GAMES, columns=["game", "ply"], order_by="ply desc", limit=3)
    found = setwise.find(
        "is_check", FAMOUS_GAMES, columns=["game", "ply"], order_by="ply desc", limit=3, engine=engine, depth=1
    )
    assert found.drop_columns(["engine_evaluation", "engine_best"]).to_pylist() == plain.to_pylist()
    assert found.column("engine_best").null_count < 3
    sampled = setwise.find("is_check", FAMOUS_GAMES, columns="ply", sample=4, engine=engine, depth=1)
    assert sampled.num_rows == 4


@pytest.mark.parametrize("suffix", by_suffix())
def test_every_format_is_written(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"found{suffix}"
    where = "is_check and not is_checkmate"
    words = ["find", where, str(FAMOUS_GAMES), "-n", "2", "-o", str(file), "--engine", str(needed("stockfish"))]
    assert run([*words, "--depth", "1"]) == 0
    if suffix == ".parquet":
        rows = pyarrow.parquet.read_table(file).to_pylist()
    elif suffix == ".csv":
        rows = list(csv.DictReader(file.read_text().splitlines()))
    elif suffix == ".jsonl":
        rows = [json.loads(line) for line in file.read_text().splitlines()]
    else:
        text = file.read_bytes()
        assert text
        assert suffix not in {".epd", ".pgn"} or b"bm " in text or b"engine_best" in text
        return
    assert len(rows) == 2
    assert all(row["engine_best"] for row in rows)


def test_the_evaluation_of_a_record_is_that_of_the_side_to_move(tmp_path: Path) -> None:
    positions, file = tmp_path / "positions.fen", tmp_path / "found.epd"
    positions.write_text("".join(f"7k/8/8/8/8/8/QR6/K7 {side} - - 0 1\n" for side in "wb"))
    assert run(["find", "true", str(positions), "-o", str(file), "--engine", str(needed("stockfish"))]) == 0
    scores = [chess.Board.from_epd(line)[1]["ce"] for line in file.read_text().splitlines()]
    assert scores[0] > 500 > -500 > scores[1]


def test_a_missing_engine_and_one_that_is_none_are_one_sentence() -> None:
    for engine, said in (("no_such_engine", "cannot be started"), ("true", "does not answer")):
        with pytest.raises(SetwiseError, match=said):
            setwise.find("is_check", FAMOUS_GAMES, limit=1, engine=engine)
    with pytest.raises(ValueError, match="depth is a number"):
        setwise.find("is_check", FAMOUS_GAMES, limit=1, engine="true", depth=0)


# ------------------------------------------------------------------------------------------------------- at the edge

#: What a program does at each ``go`` that is no engine, and what is said of it.
NO_ENGINES = {
    "time.sleep(60)": "it was silent for 2 seconds",
    "while True: print('info string ' + 'x' * 1000)": "it wrote more than 1 MB without a move",
    "while True: sys.stdout.write('x' * 1000)": "it wrote more than 1 MB without a move",
    "while True: sys.stderr.write('x' * 1000)": "it wrote more than 1 MB without a move",
    "print('bestmove a1a9', flush=True)": "invalid uci: 'a1a9'",
    "print('info depth 1 score cp 9\\nbestmove a1h8', flush=True)": "illegal uci: 'a1h8' in ",
    "print('info depth 1 score cp 99999999999999\\nbestmove (none)', flush=True)": "it gives an evaluation of",
    "print('bestmove (none)', flush=True)": "it gives no evaluation",
    "sys.stdout.buffer.write(b'\\xff\\n'), sys.exit(3)": "engine process died unexpectedly (exit code: 3)",
}


@needs_shell
@pytest.mark.parametrize("does", NO_ENGINES)
def test_an_engine_that_does_not_answer_is_one_sentence(
    does: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "_SILENCE", 2 if "sleep" in does else 60)  # a machine may have much else to do
    monkeypatch.setattr(finding, "_MOST_BYTES", 1 << 20)
    program = tmp_path / "engine"
    program.write_text(
        f"#!{sys.executable}\nimport sys, time\nfor line in sys.stdin:\n"
        "  if line == 'uci\\n': print('uciok', flush=True)\n"
        "  elif line == 'isready\\n': print('readyok', flush=True)\n"
        f"  elif line.startswith('go'):\n    {does}\n"
    )
    program.chmod(0o755)
    with pytest.raises(
        SetwiseError, match=f"the engine {program} has failed .{re.escape(NO_ENGINES[does])}.*: try another"
    ):
        setwise.find("is_check", FAMOUS_GAMES, limit=1, engine=str(program))
    assert capfd.readouterr() == ("", "")


@needs_shell
@pytest.mark.parametrize("does", ["sleep 60", "cat /dev/zero", "yes", "exit 1"])
def test_a_program_that_is_no_engine_is_one_sentence(
    does: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "_START", 1)
    monkeypatch.setattr(finding, "_MOST_BYTES", 1 << 20)
    program = tmp_path / "engine"
    program.write_text(f"#!/bin/sh\nexec {does}\n")
    program.chmod(0o755)
    with pytest.raises(SetwiseError, match="does not answer in the protocol UCI, as engines do"):
        setwise.find("is_check", FAMOUS_GAMES, limit=1, engine=str(program))
    assert capfd.readouterr() == ("", "")


#: So many positions are evaluated by an engine that then ends.
BEFORE = 4


@pytest.fixture
def ending(tmp_path: Path) -> str:
    """An engine that ends at the question after ``BEFORE`` answers."""
    engine = tmp_path / "engine.sh"
    engine.write_text(
        "#!/bin/sh\nn=0\nwhile read -r line; do\n"
        f'case "$line" in go*) n=$((n + 1)); [ $n -gt {BEFORE} ] && exit 1;; esac\necho "$line"\n'
        f"done | {needed('stockfish')}\n"
    )
    engine.chmod(0o755)
    return str(engine)


#: Positions of one game, so that the engine ends in the middle of it.
OF_ONE_GAME = "game = 3 and ply between 10 and 30"


@needs_shell
@pytest.mark.parametrize("order", [[], ["--order-by", "ply desc"]], ids=["as read", "ordered"])
def test_what_was_evaluated_before_an_engine_ends_is_kept(
    ending: str, order: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """In a file and in a pipe, also within a game, in the order that is wanted."""
    words = ["find", OF_ONE_GAME, str(FAMOUS_GAMES), "--columns", "ply", "--engine", ending, "--depth", "1", *order]
    file = tmp_path / "found.csv"
    assert run([*words, "-o", str(file)]) == 2
    assert not file.exists()
    rows = list(csv.DictReader(Path(f"{file}.part").read_text().splitlines()))
    plies = [int(row["ply"]) for row in rows]
    assert len(plies) == BEFORE
    assert plies == sorted(range(10, 10 + BEFORE), reverse=bool(order))
    assert all(row["engine_best"] for row in rows)
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 2
    assert said[0] == f"setwise: {BEFORE} matches in 1 game written before; they are in {file}.part"
    assert said[1].startswith(f"setwise: the engine {ending} has failed")
    assert run(words) == 2
    printed = capfd.readouterr()
    assert [int(line.split("\t")[0]) for line in printed.out.splitlines()[1:]] == plies
    assert len(printed.err.splitlines()) == 1


def _shown(text: str) -> list[str]:
    """The lines that a terminal shows in the end: what is erased is not there."""
    lines = []
    for line in text.split("\n"):
        *_, rest = line.split("\r\x1b[K")
        lines.append(rest)
    return [line for line in lines if line]


@needs_shell
@pytest.mark.slow
def test_on_a_terminal_an_engine_shows_its_progress_and_erases_it(ending: str, tmp_path: Path) -> None:
    engine = str(needed("stockfish"))
    words = ["find", OF_ONE_GAME, str(FAMOUS_GAMES), "--format", "csv", "--columns", "ply", "--depth", "1", "--engine"]
    with Shell(tmp_path, terminal=True) as terminal, Shell(tmp_path, terminal=False) as pipe:
        drawn, piped = terminal.run(*words, engine), pipe.run(*words, engine)
        assert drawn.err.count("has evaluated") == 21
        assert max(len(it) for it in drawn.err.split("\r\x1b[K")) < 80
        assert [line for line in _shown(drawn.err) if "evaluated" in line] == []
        assert "evaluated" not in piped.err
        assert "\x1b" not in piped.err
        assert drawn.out == piped.out
        assert len(drawn.out.splitlines()) == 22
        crashed = terminal.run(*words, ending)
        assert crashed.code == 2
        assert len(crashed.out.splitlines()) == 1 + BEFORE
        [last] = [line for line in _shown(crashed.err) if line.startswith("setwise: ")]
        assert "has failed" in last
        missing = terminal.run(*words, "no_such_engine")
        assert missing.code == 2
        assert missing.out == ""
        [said] = _shown(missing.err)
        assert said.startswith("setwise: the engine no_such_engine cannot be started (No such file or directory): ")
