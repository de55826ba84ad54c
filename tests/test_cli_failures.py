"""The command line where it fails: one sentence and an exit code, whatever is wrong or lost."""

from __future__ import annotations

import io
import os
import re
import subprocess
from pathlib import Path

import chess
import pyarrow.parquet
import pytest

from helpers.commands import GAMES, SETWISE, Run, running, the_sentence, windows_has_none
from helpers.data import FAMOUS_GAMES


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return running(capsys)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["find", "wite_pawns <> 0", GAMES], 2, "did you mean white_pawns"),
        (["find", "white_pawns <>", GAMES], 2, "is not SQL"),
        (["find", "ply = 0", GAMES, "--columns", "plyy"], 2, "did you mean ply"),
        (["find", "ply = 0", "there_is_none.pgn"], 2, "there is no file there_is_none.pgn"),
        (["find", "ply = 0", str(Path(__file__).parent / "naive")], 2, "holds no .pgn files"),
        (["find", "ply = 0", GAMES, "--output", "x.docx"], 2, "should end in one of"),
        (["find", "ply = 0", GAMES, "--output", "no/such/folder/x.csv"], 2, "cannot be written"),
        (["scan", GAMES, "--output", GAMES + "/x"], 2, "cannot be written"),
        (["scan", GAMES, "--output", "x.parquet", "--features", "pawn_iland"], 2, "did you mean pawn_islands"),
        (["find"], 2, "WHERE"),
        (["find", "ply = 0", GAMES, "--limit", "many"], 2, "--limit"),
        (["find", "ply = 0", GAMES, "--limit", "-1"], 2, "--limit"),
        (["find", "ply = 0", GAMES, "--threads", "-1"], 2, "--threads"),
        (["scan", GAMES, "--output", "x.parquet", "--threads", "0"], 2, "--threads"),
        (["scan", GAMES, "--output", "x.parquet", "--features", "clocks"], 2, "did you mean clock"),
        (["fnd"], 2, "fnd"),
        (["show", "startpos", "--feature", "forks"], 2, "there is no feature"),
        (["perft", "2", "8/8/8/8/8/8/8/8 w - - 0 1"], 2, "no king"),
        (["show", "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"], 2, "FEN"),
        (["show", "nonsense"], 2, "neither a FEN nor moves nor a set"),
        (["perft", "3", "nonsense"], 2, "FEN"),
        (["perft", "-1"], 2, "-1"),
        (["find", "knight.forkk(white_knights) <> 0", GAMES], 2, "did you mean knight.forks"),
        (["find", "bit_cuont(white_knights) = 2", GAMES], 2, "did you mean bit_count"),
        (["find", "knight.attacks(white_knights, 3) <> 0", GAMES], 2, "takes 1 argument (knights), not 2"),
        (["find", "white_knights > 3", GAMES], 2, "white_knights is a set of squares: bit_count(white_knights)"),
        (["find", "has(white_knights, 'i9')", GAMES], 2, "'i9' is not a square; squares are named a1 to h8"),
        (["find", "white_knights & squares('e9') <> 0", GAMES], 2, "'e9' is not a square"),
        (["find", "true", GAMES, "--output", "."], 2, "it is a directory"),
        (["find", "true", GAMES, "--format", "xls"], 2, "there is no format 'xls'"),
        (["find", "true", GAMES, "--format", "parquet"], 2, "there is no format 'parquet'"),
        (["find", "true", GAMES, "--side", "left"], 2, "--side"),
        (["find", "true", GAMES, "--pgn", "moves"], 2, "--pgn"),
        (["find", "true", GAMES, "--sample", "0"], 2, "--sample"),
        (["find", "true", GAMES, "--load", "none.py"], 2, "there is no file and no module none.py"),
        (["find", "ply = 0", GAMES, "--count", "--output", "x.csv"], 2, "--count prints the number alone"),
        (["sql", "select * from postions", GAMES], 2, "did you mean positions"),
        (["sql", "select whit_name from positions", GAMES], 2, "did you mean white_name"),
        (["sql", "select 1", GAMES, "--output", "x.pgn"], 2, "has no column fen, nor source, game and ply"),
        (["sql", "select game, ply from positions", GAMES, "--format", "fen"], 2, "has no column fen, nor source"),
        (["sql", "select source, game + 100 game, ply from positions", GAMES, "--format", "epd"], 2, "no position of"),
        (["sql", "select 'x' fen", GAMES, "--format", "fen"], 2, "row 1 of the statement's result"),
        (["sql", "select 1", GAMES, "--format", "excel"], 2, "there is no format 'excel'"),
        (["sql", "select fen from positions", GAMES, "--format", "fen", "--raw"], 2, "fen cannot hold what --raw says"),
        (["find", "true", GAMES, "--output", "x.html", "--without", "marks"], 2, "the formats that can are pgn"),
        (["find", "true", GAMES, "--without", "marks"], 2, "boards or tsv cannot hold what --without says"),
        (["find", "true", GAMES, "--format", "csv", "--pgn", "positions"], 2, "csv cannot hold what --pgn says"),
        (["find", "true", GAMES, "--format", "csv", "--side", "black"], 2, "csv cannot hold what --side says"),
        (["find", "true", GAMES, "--format", "fen", "--columns", "ply"], 2, "fen cannot hold what --columns says"),
        (
            ["find", "true", GAMES, "--format", "pgn", "--without", "marks", "--columns", "ply"],
            2,
            "says what is marked",
        ),
        (["find", "true", GAMES, "--boards", "--format", "csv"], 2, "--boards draws on standard output"),
        (["find", "true", GAMES, "--boards", "--output", "x.csv"], 2, "--boards draws on standard output"),
        (["find", "true", GAMES, "--count", "--boards"], 2, "leave out --count, or --boards"),
        (["find", "true", GAMES, "--count", "--format", "csv"], 2, "leave out --format, or --count"),
        (["find", "true", GAMES, "--count", "--columns", "ply"], 2, "leave out --columns, or --count"),
        (["find", "true", GAMES, "--seed", "3"], 2, "--seed is the seed of --sample"),
        (["find", GAMES, "is_check"], 2, f"is a file: setwise find CONDITION FILE: setwise find is_check {GAMES}"),
        (["find", GAMES, "ply = 0"], 2, f"setwise find 'ply = 0' {GAMES}"),
        (["find", GAMES, "is_check", "ply = 0"], 2, f"setwise find is_check {GAMES} 'ply = 0'"),
        (["find", GAMES], 2, f'setwise find "…" {GAMES}'),
        (["find", "my games.pgn", "x.pgn"], 2, "there is no file x.pgn"),
        (["find", "nowhere.pgn.zst", "ply = 0"], 2, "setwise find 'ply = 0' nowhere.pgn.zst"),
        (["sql", GAMES, "select 1"], 2, f"setwise sql STATEMENT FILE: setwise sql 'select 1' {GAMES}"),
        (["search", "ply = 0", GAMES], 2, "there is no command 'search'; did you mean setwise find?"),
        ([GAMES, "ply = 0"], 2, "is a file, and a command comes first"),
        (["show", "e4", "--output", "board.gif"], 2, "should end in .svg or .png"),
        (["show", "e4", "--output", "no/such/folder/board.svg"], 2, "cannot be written"),
    ],
)
def test_errors_are_one_sentence_without_a_traceback(
    run, arguments: list[str], code: int, said: str, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended, out, err = run(*arguments)
    assert (ended, out) == (code, "")
    assert said in the_sentence(err)
    assert the_sentence(err).startswith("setwise: ")
    assert not list(tmp_path.iterdir())


def test_a_folder_in_place_of_the_question_is_named(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.index").mkdir()
    for command, what in (("find", "CONDITION"), ("sql", "STATEMENT"), ("tree", "MOVES|FEN")):
        ended, out, err = run(command, "games.index")
        assert (ended, out) == (2, "")
        assert f'setwise {command} {what} FILE: setwise {command} "…" games.index' in the_sentence(err)


def test_a_table_without_fen_is_no_source(run, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), path)
    code, _, err = run("find", "true", str(path))
    assert code == 2
    assert "x.parquet has no column 'fen'" in the_sentence(err)


def test_what_is_no_record_of_a_list_is_named_by_its_line(run, tmp_path: Path) -> None:
    path = tmp_path / "mixed"
    path.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n1. e4 e5 *\n")
    code, out, err = run("find", "true", str(path), "--count")
    assert (code, out) == (0, "1\n")
    assert f"setwise: {path}, line 2, game 2: " in err


@pytest.mark.parametrize("target", ["option", "stdout"])
def test_a_full_disk_is_told_in_a_sentence(target: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    command = [*SETWISE, "find", "true", GAMES]
    with Path("/dev/full").open("wb") as full:
        to_file = ["--output", "/dev/full", "--format", "csv"] if target == "option" else []
        ran = subprocess.run(
            [*command, *to_file], stdout=full if target == "stdout" else subprocess.DEVNULL, stderr=subprocess.PIPE,
            check=False,
        )  # fmt: skip
    assert ran.returncode == 2
    assert "No space left on device" in the_sentence(ran.stderr.decode())


SHELL = Path("/bin/bash")


@pytest.mark.slow
@pytest.mark.skipif(not SHELL.exists(), reason="no bash, which limits the size of files")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["sql", "select ply, fen from positions", GAMES],
        ["find", "true", GAMES],
        ["merge", GAMES, GAMES],
        ["dedupe", GAMES, GAMES, "--list", "--by", "moves"],
        ["columns"],
    ],
)
def test_lost_output_is_told_whatever_the_buffer(arguments: list[str], unbuffered: str, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    whole = subprocess.run([*SETWISE, *arguments], env=environment, capture_output=True, check=True).stdout
    assert len(whole) > 2048
    line = f'ulimit -f 1; exec "$@" > {tmp_path / "out"}'  # of 1,024 bytes, or 512
    ran = subprocess.run(
        [SHELL, "-c", line, "bash", *SETWISE, *arguments], env=environment, stderr=subprocess.PIPE, check=False
    )
    assert ran.returncode == 2
    assert ran.stderr.decode().splitlines()[-1] == "setwise: the output: File too large"
    assert whole.startswith((tmp_path / "out").read_bytes())


@pytest.mark.slow
@pytest.mark.skipif(not SHELL.exists(), reason="no bash, which closes standard output")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_output_is_told(unbuffered: str, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}

    def closing(what: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        line = f'exec "$@" {what}'
        command = [SHELL, "-c", line, "bash", *SETWISE, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, check=False)

    for arguments in (["find", "true", GAMES], ["sql", "select 1", GAMES], ["columns"], ["merge", GAMES]):
        ran = closing(">&-", *arguments)
        assert (ran.returncode, ran.stderr.splitlines()[-1]) == (2, b"setwise: standard output is closed")
    assert closing(">&-", "find", "ply = 0", GAMES, "-o", str(tmp_path / "x.csv")).returncode == 0
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 42
    ran = closing("2>&-", "find", "ply = 0", GAMES, "--count")
    assert (ran.returncode, ran.stdout) == (0, b"41\n")


def test_positions_of_unknown_games_are_not_counted_as_games(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("scan", GAMES, "-o", str(tmp_path / "scan"))
    [part] = (tmp_path / "scan" / "positions").iterdir()
    fens = tmp_path / "x.fen"
    fens.write_text(f"{chess.STARTING_FEN}\n" * 3)
    told = run("scan", str(fens), "-o", str(tmp_path / "fens"))[2]
    assert "3 positions in " in told
    assert "of 0 games" not in told
    for sources, matches, positions in (
        (["-"], "41 matches", "2,512 positions"),
        ([str(fens)], "3 matches", "3 positions"),
        ([str(tmp_path / "fens")], "3 matches", "3 positions"),
        ([GAMES, str(fens)], "44 matches", "2,515 positions"),
        ([str(part)], "41 matches in 41 games", "2,512 positions of 41 games"),
    ):
        with part.open("rb") as file:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
            told = run("find", "fullmove_number = 1 and white_to_move", *sources, "--count")[2]
        assert f"setwise: {matches}; {positions} read in " in told


def test_broken_games_are_named_and_the_rest_goes_on(run, tmp_path: Path) -> None:
    path = tmp_path / "broken.pgn"
    path.write_text("".join(f'[Event "{n}"]\n\n1. e4 e5 2. Ke3 *\n\n' for n in range(15)))
    code, out, err = run("find", "ply = 2", str(path), "--count")
    assert (code, out) == (0, "15\n")
    *lines, summary = [line for line in err.splitlines() if "compiling" not in line]
    assert summary.startswith("setwise: 15 matches in 15 games; 45 positions of 15 games read in ")
    assert lines[0] == f"setwise: {path}, line 3, game 1: 'Ke3': no piece can make this move"
    assert lines[-1] == "setwise: 15 games break off; the first 10 are shown"
    assert len(lines) == 11


def test_a_cut_archive_gives_games_and_an_error(run, tmp_path: Path) -> None:
    from setwise.archives import zstd

    path = tmp_path / "cut.pgn.zst"
    packed = zstd.compress(FAMOUS_GAMES.read_bytes()) * 100  # frame after frame
    path.write_bytes(packed[: len(packed) // 2 + 100])
    code, out, err = run("find", "ply = 0", str(path), "--columns", "game")
    assert code == 2
    assert "cannot be read beyond" in the_sentence(err)
    assert len(out.splitlines()) > 100


@windows_has_none("broken pipes")
def test_a_closed_pipe_ends_quietly() -> None:
    with subprocess.Popen([*SETWISE, "find", "true", GAMES], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        complaints = running.stderr.read()
    assert running.returncode == 0
    assert b"Traceback" not in complaints
    assert b"Broken" not in complaints


def on_a_terminal(*arguments: str) -> bytes:
    """What a command shows on a terminal."""
    import pty

    leader, follower = pty.openpty()
    with subprocess.Popen([*SETWISE, *arguments], stdout=follower, stderr=subprocess.DEVNULL) as running:
        os.close(follower)
        shown = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
    os.close(leader)
    assert running.returncode == 0
    return shown


@windows_has_none("pseudo-terminals")
def test_on_a_terminal_matches_are_drawn_in_colour() -> None:
    shown = on_a_terminal("find", "white_royal_fork_squares <> 0", GAMES, "--limit", "1")
    assert b"48;5;" in shown
    assert b"white_royal_fork_squares" in shown


#: Orders to a terminal: of one byte, of several, of the second row of control characters, and to write backwards.
ORDERS = "\x1b[2J\x07\x08\r\x9b2J\u202e"
TEXTS = ["--no-boards", *(f"--format={name}" for name in ("tsv", "csv", "jsonl", "table", "markdown", "epd", "pgn"))]


@pytest.mark.slow
@windows_has_none("pseudo-terminals")
@pytest.mark.parametrize(
    "arguments",
    [
        *(["find", "ply = 0", "{path}", option] for option in TEXTS),
        ["find", "ply = 0", "{path}", "--format=pgn", "--pgn=positions"],
        *(["sql", "select white_name from positions", "{path}", option] for option in TEXTS[1:6]),
        ["merge", "{path}"], ["sort", "{path}", "--by", "date"], ["dedupe", "{path}", "--by", "players"],
        ["dedupe", "{path}", "{path}", "--list"], ["dedupe", "{path}", "{path}", "--list", "--format", "csv"],
    ],
)  # fmt: skip
def test_no_text_of_others_gives_a_terminal_orders(arguments: list[str], tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(f'[White "Anders{ORDERS}sen"]\n\n1. e4 {{é{ORDERS}}} *\n', encoding="utf-8", newline="")
    shown = on_a_terminal(*(it.format(path=path) for it in arguments)).decode()
    assert "Anders" in shown
    assert not set(ORDERS) & set(re.sub(r"\x1b\[[\d;]*m", "", shown).replace("\r\n", "\n")) - set("[2J")
    if arguments[:2] == ["merge", "{path}"]:  # bytes are bytes where no terminal shows them
        assert subprocess.run([*SETWISE, "merge", path], capture_output=True, check=True).stdout.startswith(
            path.read_bytes()
        )


def test_version_and_help_are_printed(run) -> None:
    assert run("--version")[1].startswith("setwise ")
    assert "find" in run("--help")[1]
    assert run("help") == run("--help")
    assert run("help", "perft") == run("perft", "--help")


def test_a_name_that_no_game_has_is_said_with_the_nearest(run) -> None:
    hint = "setwise: no game of {!r}; did you mean 'Kasparov, Garry' (3)?"
    for arguments, name in (
        (["find", "ply = 0", GAMES, "--player", "kasparof"], "kasparof"),
        (["find", "white_name = 'Kasparov, Gary'", GAMES, "--count"], "Kasparov, Gary"),
        (["sql", "select ply from positions where white_name = 'Kasparov, Gary'", GAMES], "Kasparov, Gary"),
    ):
        code, _, err = run(*arguments)
        assert code == 1
        assert hint.format(name) in err.splitlines()
    assert "did you mean" not in run("find", "ply = 0", GAMES, "--player", "kasparov")[2]
