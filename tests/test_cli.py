"""The command line as its users meet it: what it prints, where, and how it fails."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import chess
import pyarrow.parquet
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise.cli import main, terminal
from setwise.cli.app import app

GAMES = str(FAMOUS_GAMES)
SETWISE = [sys.executable, "-m", "setwise"]
MIDDLE = "r1bqkb1r/pppp1ppp/2n2n2/4N3/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 0 4"


def windows_has_none(what: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(sys.platform == "win32", reason=f"there are no {what} on Windows")


class Ran(tuple):  # noqa: SLOT001
    """(exit code, stdout, stderr) of a command."""


@pytest.fixture
def run(capsys):
    def running(*arguments: str) -> Ran:
        with pytest.raises(SystemExit) as leaving:
            main(list(arguments))
        out, err = capsys.readouterr()
        return Ran((leaving.value.code, out, err))

    return running


def the_sentence(err: str) -> str:
    """The one line of an error, past the note that something compiles."""
    [line] = [line for line in err.splitlines() if "compiling for this machine" not in line]
    return line


# ---------------------------------------------------------------------------------------------------------- exit codes

#: What nothing answers, and what fails for data or places, by command: lines in a folder with a good file games.pgn, a
#: file bad.pgn that is no PGN, and no file missing.pgn.
FINDS_NOTHING = [
    "find 'ply > 9000' games.pgn", "find 'ply > 9000' games.pgn -c", "find 'ply > 9000' games.pgn -o x.csv",
    "sql 'select ply from positions where ply > 9000' games.pgn", "tree 'a3 a6 a4 a5' games.pgn",
    "similar 8/8/8/8/8/8/8/8 games.pgn --where 'ply > 9000'", "dedupe games.pgn --list",
]  # fmt: skip
FAILS = {
    "find": ["true {}", "true {} -c", "true {} -o x.csv"], "sql": ["'select ply from positions' {}"],
    "tree": ["e4 {}"], "similar": ["'1. e4' {}"], "train": ["{}", "{} --player x"], "dedupe": ["{}", "{} --list"],
    "sort": ["{} --by date"], "split": ["{} --every 1 -o parts"], "merge": ["{} -o y.pgn"],
    "pack": ["{} -o x.parquet"], "unpack": ["{} -o y.pgn"], "scan": ["{} -o s", "{} -o x.parquet", "{} --verify"],
    "index": ["{} -o i"],
}  # fmt: skip
FAILS_WITHOUT_SOURCE = {
    "show": ["nonsense"], "perft": ["2 8/8/8/8/8/8/8/8"], "explain": ["nonsense"], "patterns": ["nonsense"],
    "questions": ["nonsense"], "table": ["nonsense"], "tablebase": ["nonsense"], "columns": ["--load nothing.py"],
    "completion": ["nonsense"], "demo": ["--nonsense"], "doctor": ["--nonsense"], "warmup": ["--nonsense"],
    "man": ["--nonsense"], "web": ["missing.pgn"],
}  # fmt: skip


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.pgn").write_bytes(FAMOUS_GAMES.read_bytes())
    Path("bad.pgn").write_bytes(b"GIF89a" + bytes(range(256)) * 99)


@pytest.mark.parametrize("line", FINDS_NOTHING)
@pytest.mark.usefixtures("in_folder")
def test_nothing_found_ends_with_1(run, line: str) -> None:
    assert run(*shlex.split(line))[0] == 1


@pytest.mark.parametrize("command", FAILS | FAILS_WITHOUT_SOURCE)
@pytest.mark.usefixtures("in_folder")
def test_whatever_fails_ends_with_2(run, command: str) -> None:
    lines = [line.format(name) for line in FAILS.get(command, ()) for name in ("missing.pgn", "bad.pgn")]
    for line in [*lines, *FAILS_WITHOUT_SOURCE.get(command, ()), "--no-such-option"]:
        code, _, err = run(command, *shlex.split(line))
        assert (line, code) == (line, 2)
        assert "setwise: " in err.splitlines()[-1]


def test_every_command_has_its_exit_codes_tested() -> None:
    assert FAILS.keys() | FAILS_WITHOUT_SOURCE.keys() == app.commands.keys()


def test_an_error_of_setwise_itself_ends_with_2_as_well() -> None:
    program = "import setwise.cli.app as app; app.run = None; from setwise.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, text=True)
    assert ran.returncode == 2
    assert "Traceback" in ran.stderr


# ---------------------------------------------------------------------------------------------------------------- find


def test_find_prints_a_line_for_each_match(run) -> None:
    code, out, _ = run("find", "ply = 4 and white_name like 'Morphy%'", GAMES, "--columns", "game,white_name,san,fen")
    head, *lines = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert head == ["game", "white_name", "san", "fen"]
    assert lines
    assert all(len(line) == 4 and line[1].startswith("Morphy") for line in lines)


def test_count_prints_the_number_alone(run) -> None:
    code, out, _ = run("find", "ply = 0", GAMES, "--count")
    games = FAMOUS_GAMES.read_text().count("[Event ")
    assert (code, out) == (0, f"{games}\n")


def test_a_limit_stops_the_search(run) -> None:
    assert len(run("find", "true", GAMES, "--limit", "7")[1].splitlines()) == 1 + 7
    assert run("find", "true", GAMES, "--limit", "0", "--columns", "ply")[1] == "ply\n"
    assert run("find", "true", GAMES, "--limit", "5", "--count")[1] == "5\n"


def test_nothing_found_is_told_as_grep_tells_it(run) -> None:
    code, out, err = run("find", "ply > 9000", GAMES, "--columns", "ply")
    assert (code, out) == (1, "ply\n")
    assert "setwise: no matches" in err
    assert run("find", "ply > 9000", GAMES, "--count")[:2] == (1, "0\n")


def test_boards_are_drawn_with_the_squares_marked(run) -> None:
    code, out, _ = run("find", "white_royal_fork_squares <> 0", GAMES, "--limit", "1", "--boards")
    assert code == 0
    assert "a  b  c  d  e  f  g  h" in out
    assert "[] white_royal_fork_squares: " in out
    assert "next: " in out


def test_moves_are_numbered_from_the_games_start(run, tmp_path: Path) -> None:
    path = tmp_path / "late.pgn"
    path.write_text('[FEN "4k3/8/8/8/8/8/8/4K2R b - - 0 40"]\n\n40... Kd7 41. Kf1 *\n')
    drawn = run("find", "true", str(path), "--boards")[1]
    assert [line for line in drawn.splitlines() if line.startswith("next: ")] == [
        "next: 40... Kd7",
        "next: 41. Kf1",
        "next: the end of the game",
    ]


def test_a_key_is_told_and_not_drawn(run) -> None:
    drawn = run("find", "key <> 0", GAMES, "--limit", "1", "--boards")[1]
    assert "    key = " in drawn
    assert "[]" not in drawn


def test_what_is_drawn_gives_a_terminal_no_orders(run, tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_bytes(
        b'[Event "a\x1b]0;title\x07"]\n[White "\x1b[31mRed\xc2\x9b1m"]\n[Black "B"]\n\n1. e4 {\x1b[5m} e5 e\x1b[1m9 *\n'
    )
    _, out, err = run("find", "ply = 1", str(games), "--boards", "--columns", "white_name,comment,event")
    assert "[31mRed" in out
    assert {letter for letter in out + err if not letter.isprintable()} == {"\n"}


def test_boards_show_the_columns_that_are_asked_for(run) -> None:
    drawn = run(
        "find",
        "white_pawns <> 0",
        GAMES,
        "--limit",
        "1",
        "--boards",
        "--columns",
        "black_knights,ply,white_pawn_islands",
    )[1]
    assert "[] black_knights: b8 g8" in drawn
    assert "ply = 0, white_pawn_islands = 1" in drawn
    assert "white_pawns" not in drawn


def test_several_sources_are_searched_in_order(run) -> None:
    code, out, _ = run("find", "ply = 0", GAMES, GAMES, "--columns", "game")
    half = len(out.splitlines()) // 2
    assert code == 0
    assert out.splitlines()[1:] == 2 * [str(number) for number in range(1, half + 1)]


def test_standard_input_is_a_source() -> None:
    command = [*SETWISE, "find", "ply = 1", "--count"]
    with FAMOUS_GAMES.open("rb") as games:
        ran = subprocess.run(command, stdin=games, capture_output=True, check=False)
    assert ran.returncode == 0
    assert int(ran.stdout) > 20


#: The command with standard input closed, as services and scheduled jobs have it.
WITHOUT_INPUT = (
    "import os, sys; os.close(0); os.execv(sys.executable, [sys.executable, '-m', 'setwise', *sys.argv[1:]])"
)


@pytest.mark.parametrize(
    ("sources", "code", "told"),
    [([GAMES], 0, "read in"), (["-"], 2, "standard input is closed"), ([], 2, "name a PGN file")],
)
def test_a_file_is_read_where_standard_input_is_closed(sources: list[str], code: int, told: str) -> None:
    command = [sys.executable, "-c", WITHOUT_INPUT, "find", "ply = 1", "--count", *sources]
    ran = subprocess.run(command, capture_output=True, check=False, text=True)
    assert ran.returncode == code, ran.stderr
    assert told in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".epd", ".pgn"])
def test_find_writes_what_the_name_says(run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"found{suffix}"
    code, out, err = run("find", "ply = 10", GAMES, "--limit", "3", "--output", str(path))
    assert (code, out) == (0, "")
    assert "3 matches in 3 games written to" in err
    text = path.read_bytes()
    match suffix:
        case ".parquet":
            assert pyarrow.parquet.read_table(path).num_rows == 3
        case ".csv":
            assert text.count(b"\n") == 4
        case ".jsonl":
            assert [json.loads(line)["ply"] for line in text.splitlines()] == [10, 10, 10]
        case ".epd":
            assert all(b" sm " in line and b'c0 "' in line for line in text.splitlines())
        case ".pgn":
            assert text.count(b"[Event ") == 3


@pytest.mark.parametrize("style", ["table", "csv", "tsv", "jsonl", "markdown"])
def test_sql_answers_in_every_format_of_rows(run, style: str) -> None:
    code, out, _ = run("sql", "select count(*) as n from games", GAMES, "--format", style)
    assert code == 0
    assert re.findall(r"\d+", out) == [str(FAMOUS_GAMES.read_text().count("[Event "))]


def test_sql_writes_files_and_tells_of_no_rows(run, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    assert run("sql", "select ply, white_knights from positions", GAMES, "--output", str(path))[:2] == (0, "")
    assert pyarrow.parquet.read_schema(path).field("white_knights").type == pyarrow.uint64()
    assert run("sql", "select ply from positions where ply > 9000", GAMES)[:2] == (1, "ply\n")


def test_a_sample_a_player_and_matches_of_each_game(run) -> None:
    names = ("--columns", "game,white_name,black_name")
    lines = run("find", "is_check", GAMES, "--player", "morphy", "--per-game", "1", *names)[1].splitlines()[1:]
    assert len({line.split("\t")[0] for line in lines}) == len(lines) > 1
    assert all("morphy" in line.lower() for line in lines)
    sampled = [run("find", "is_check", GAMES, "--sample", "5", "--seed", seed, *names)[1] for seed in "112"]
    assert sampled[0] == sampled[1] != sampled[2]
    assert len(sampled[0].splitlines()) == 1 + 5


def test_boards_are_seen_from_the_side_that_is_asked_for(run) -> None:
    def drawn(side: str) -> str:
        return run("find", "ply = 1", GAMES, "--limit", "1", "--boards", "--side", side)[1]

    assert drawn("black") == drawn("mover") != drawn("white")
    assert "h g f e d c b a" in drawn("mover")


def test_colours_can_be_forced_and_refused(run, monkeypatch) -> None:
    monkeypatch.setattr(terminal, "_wanted", "auto")
    find = ("find", "ply = 1", GAMES, "--limit", "1", "--boards")
    assert "\x1b[" in run(*find, "--color", "always")[1]
    assert "\x1b[" not in run(*find, "--color", "never")[1]


# ---------------------------------------------------------------------------------------------------------------- scan


def test_scan_writes_positions_and_games(run, tmp_path: Path) -> None:
    code, _, err = run(
        "scan", GAMES, "--output", str(tmp_path / "scan"), "--features", "pawn_islands,white_attacks,fen"
    )
    positions = pyarrow.parquet.read_table(tmp_path / "scan" / "positions")
    games = pyarrow.parquet.read_table(tmp_path / "scan" / "games")
    assert code == 0
    assert f"{positions.num_rows:,} positions of {games.num_rows} games" in err
    assert {"white_pawn_islands", "black_pawn_islands", "white_attacks", "fen", "white_king"} <= set(
        positions.column_names
    )
    assert "black_attacks" not in positions.column_names
    assert positions.num_rows == games.num_rows + sum(games["plies"].to_pylist())


# ------------------------------------------------------------------------------------------------------- one position


def test_show_draws_a_position_with_a_feature(run) -> None:
    code, out, _ = run("show", MIDDLE, "--feature", "white_fork_squares", "--feature", "pawn_islands")
    assert code == 0
    assert "8  r  .  b  q  k  b  .  r" in out.replace("[", " ").replace("]", " ")
    assert MIDDLE in out
    assert "white_fork_squares: f7" in out
    assert "white_pawn_islands = 1" in out


@pytest.mark.parametrize("what", ["0x8100000000000081", "a1 h1 a8 h8", "9295429630892703873"])
def test_show_draws_a_set(run, what: str) -> None:
    code, out, _ = run("show", what)
    assert code == 0
    assert "0x8100000000000081  4 squares: a1 h1 a8 h8" in out


def test_show_draws_the_position_after_moves(run) -> None:
    code, out, _ = run("show", "1. e4 e5")
    assert (code, out.splitlines()[-1]) == (0, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    code, _, err = run("show", "1x")
    assert (code, "is neither a FEN nor moves nor a set" in err, "int()" in err) == (2, True, False)


def test_the_side_of_a_player_has_an_option_of_its_own(run) -> None:
    for side in ("white", "black"):
        code, out, _ = run("tree", "", GAMES, "--player", "kasparov", "--as", side, "--format", "jsonl")
        assert code == 0
        of_side = setwise.sql(f"select game from games where contains(lower({side}_name), 'kasparov')", GAMES)  # noqa: S608
        assert sum(json.loads(line)["games"] for line in out.splitlines()) == of_side.num_rows > 0
    code, _, err = run("tree", "", GAMES, "--as", "white")
    assert (code, "give --player, too" in err) == (2, True)


def test_exercises_need_games_to_be_made_of(run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.pgn"
    empty.write_text("; no game\n")
    code, _, err = run("train", str(empty))
    assert (code, "there are no games in" in err) == (2, True)
    code, _, err = run("train", GAMES, "--speed", "blitz")
    assert (code, "in 0 games" in err) == (1, True)


def test_the_former_option_of_the_side_works_with_a_word(run, tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_text('[Black "Bronstein"]\n[FEN "6k1/5ppp/8/8/3Q4/2n5/5PPP/6K1 b - - 0 1"]\n\n1... h6 *\n')
    former, now = (run("train", str(games), "--player", "bronstein", it, "black") for it in ("--color", "--as"))
    assert former[:2] == now[:2]
    assert "--color black is now --as black" in former[2]
    assert "--color" not in now[2]


def test_show_draws_into_a_file(run, tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    code, out, err = run("show", MIDDLE, "--feature", "white_fork_squares", "--output", str(path), "--side", "black")
    assert code == 0
    assert MIDDLE in out
    assert "is drawn in" in err
    root = ET.fromstring(path.read_text())  # noqa: S314  (a picture of our own)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "white_fork_squares: f7" in path.read_text()


def test_perft_counts(run) -> None:
    assert run("perft", "4")[:2] == (0, "197281\n")
    assert run("perft", "4", "--threads", "2")[:2] == (0, "197281\n")
    assert run("perft", "0")[:2] == (0, "1\n")


def test_perft_divides(run) -> None:
    code, out, _ = run("perft", "3", "--divide", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    *moves, total = out.splitlines()
    assert code == 0
    assert total == "97862" == str(sum(int(line.split(": ")[1]) for line in moves))
    assert "e1g1: 2059" in moves


def test_columns_lists_every_column(run) -> None:
    assert [line.split()[0] for line in run("columns")[1].splitlines()] == list(setwise.columns())


# ------------------------------------------------------------------------------------------------------- how it fails


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
    from setwise.archives.frames import zstd

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


# ------------------------------------------------------------------------------------------- positions that sql names

MATES = "select source, game, ply, {} from positions where is_checkmate order by ply desc, game"


def boards_at(places: list[list[str]]) -> list[chess.Board]:
    """The positions at plies of games, by python-chess."""
    games = list(games_of(FAMOUS_GAMES.read_text()))
    found = []
    for game, ply in places:
        board = games[int(game) - 1].board()
        for move in list(games[int(game) - 1].mainline_moves())[: int(ply)]:
            board.push(move)
        found.append(board)
    return found


@pytest.fixture
def mates(run) -> list[chess.Board]:
    lines = run("sql", MATES.format("fen"), GAMES, "--format", "tsv")[1].splitlines()[1:]
    boards = boards_at([line.split("\t")[1:3] for line in lines])
    assert len(boards) > 5
    assert all(board.is_checkmate() for board in boards)
    return boards


@pytest.mark.parametrize("names", ["source, game, ply, white_king", "fen, white_king", "white_king, fen as Fen"])
def test_sql_writes_the_positions_that_it_names_in_its_order(
    run, names: str, mates: list[chess.Board], tmp_path
) -> None:
    statement = f"select {names} from positions where is_checkmate order by ply desc, game"  # noqa: S608
    fens = run("sql", statement, GAMES, "--format", "fen")[1].splitlines()
    assert fens == [board.fen(en_passant="fen") for board in mates]
    epds = run("sql", statement, GAMES, "--format", "epd")[1].splitlines()
    assert [chess.Board.from_epd(line)[0].epd() for line in epds] == [board.epd() for board in mates]
    page = run("sql", statement, GAMES, "-o", str(tmp_path / "x.html"))
    assert page[0] == 0
    shown = re.findall(r"<p><code>([^<]*)</code>", (tmp_path / "x.html").read_text())
    assert shown == fens
    assert (tmp_path / "x.html").read_text().count("white_king") >= len(fens)


def test_sql_writes_each_game_once_where_its_first_row_stands(run, mates: list[chess.Board]) -> None:
    order = "select source, game, ply from positions where is_checkmate or ply = 3 order by is_checkmate desc, ply desc"
    text = run("sql", order, GAMES, "--format", "pgn")[1]
    games = list(games_of(text))
    assert len(games) == 41
    first = [game.end().board().fen() for game in games[: len(mates)]]
    assert first == [board.fen() for board in mates]
    assert all(sum("[%cal" in node.comment for node in game.mainline()) <= 1 for game in games)


@pytest.mark.parametrize("style", ["fen", "epd", "html"])
def test_a_row_that_stands_twice_is_written_twice(run, style: str, mates: list[chess.Board]) -> None:
    once, doubled = MATES.format("1 n"), MATES.format("unnest([1, 2]) n")
    first, both = (run("sql", statement, GAMES, "--format", style)[1] for statement in (once, doubled))
    if style == "html":
        assert both.count("<article") == 2 * first.count("<article") == 2 * len(mates)
    else:
        assert both.splitlines() == [line for line in first.splitlines() for _ in range(2)]


@pytest.mark.slow
def test_positions_that_sql_names_are_read_again_from_standard_input_and_tables(tmp_path: Path) -> None:
    statement = "select source, game, ply from positions where is_checkmate order by ply desc, game"
    fens = subprocess.run(
        [*SETWISE, "sql", MATES.format("1 n"), GAMES, "--format", "fen"], capture_output=True, check=True
    )
    with FAMOUS_GAMES.open("rb") as games:
        piped = subprocess.run(
            [*SETWISE, "sql", statement, "--format", "fen", "--threads", "1"],
            stdin=games,
            capture_output=True,
            check=True,
        )
    assert piped.stdout == fens.stdout
    table = tmp_path / "mates.csv"
    table.write_text(
        "fen,moves,Theme\n" + "".join(f"{line},,{at}\n" for at, line in enumerate(fens.stdout.decode().splitlines()))
    )
    backwards = "select Theme, source, ply, game from positions order by game desc"
    again = subprocess.run(
        [*SETWISE, "sql", backwards, str(table), "--format", "epd"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    expected = [" ".join(line.split()[:4]) for line in fens.stdout.decode().splitlines()]
    assert [" ".join(line.split()[:4]) for line in again.stdout.splitlines()] == expected[::-1]


@pytest.mark.parametrize("parts", ["marks", "marks,tags", "comments"])
def test_positions_without_marks_begin_at_the_match(run, parts: str, mates: list[chess.Board]) -> None:
    where = "is_checkmate or next(is_checkmate)"
    code, text, _ = run("find", where, GAMES, "--format", "pgn", "--pgn", "positions", "--without", parts)
    fens = run("find", where, GAMES, "--format", "fen")[1].splitlines()
    games = list(games_of(text))
    assert code == 0
    assert [game.board().fen(en_passant="fen") for game in games] == fens
    assert len(fens) == 2 * len(mates)
    assert "{" not in text
    assert all(len(list(game.mainline_moves())) in {0, 1} for game in games)
    assert ("[ECO " in text) == ("tags" not in parts)


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
    motto: str = option("--motto", metavar="WORDS", default="seek", help="Print some words first.")

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
    """Once machine code is kept, that is: the first of two runs may compile."""
    (tmp_path / "pandas.py").write_text("raise SystemExit('pandas is imported')")
    seen = "import sys; from setwise.cli import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"
    for _ in "ab":
        ran = subprocess.run(
            [sys.executable, "-c", seen, *command], env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    imported = set(ran.stdout.splitlines()[-1].split())
    assert needed <= imported
    assert not (not_needed | {"pandas"}) & imported


def test_progress_tells_bytes_positions_rate_and_time_left() -> None:
    meter = terminal.Meter(4_000_000)
    meter.started -= 10
    meter.read(10, 2_000_000, 1_000_000)
    assert re.fullmatch(r"1 of 4 MB \(25 %\), 2,000,000 positions, 0\.2 million a second, 0:3\d left", meter.sentence())
    meter.total = 10_001_000_000
    assert re.search(r" MB \(0 %\), .* 27:4\d:\d\d left$", meter.sentence())
    meter.total = 0  # standard input
    assert meter.sentence() == "1 MB, 2,000,000 positions, 0.2 million a second"


def test_a_path_without_a_way_from_here_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from setwise.cli.demo import near

    assert Path(near(FAMOUS_GAMES)).resolve() == FAMOUS_GAMES

    def no_way(*_: object) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(os.path, "relpath", no_way)
    assert near(FAMOUS_GAMES) == GAMES
