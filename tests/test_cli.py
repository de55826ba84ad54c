"""The command line as its users meet it: what it prints, and where."""

from __future__ import annotations

import json
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
from helpers.commands import GAMES, SETWISE, Run, running
from helpers.data import FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise.cli import terminal
from setwise.cli.app import app

MIDDLE = "r1bqkb1r/pppp1ppp/2n2n2/4N3/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 0 4"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return running(capsys)


# ---------------------------------------------------------------------------------------------------------- exit codes

#: What nothing answers, and what fails for data or places, by command: lines in a folder with a good file games.pgn, a
#: file bad.pgn that is no PGN, and no file missing.pgn.
FINDS_NOTHING = [
    "find 'ply > 9000' games.pgn", "find 'ply > 9000' games.pgn -c", "find 'ply > 9000' games.pgn -o x.csv",
    "sql 'select ply from positions where ply > 9000' games.pgn", "tree 'a3 a6 a4 a5' games.pgn",
    "similar 8/8/8/8/8/8/8/8 games.pgn --where 'ply > 9000'", "dedupe games.pgn --list",
    "columns no_such_word",
]  # fmt: skip
FAILS = {
    "find": ["true {}", "true {} -c", "true {} -o x.csv"], "sql": ["'select ply from positions' {}"],
    "tree": ["e4 {}"], "names": ["{}"], "similar": ["'1. e4' {}"], "train": ["{}", "{} --player x"],
    "dedupe": ["{}", "{} --list"],
    "sort": ["{} --by date"], "split": ["{} --every 1 -o parts"], "merge": ["{} -o y.pgn"],
    "pack": ["{} -o x.parquet"], "unpack": ["{} -o y.pgn"], "scan": ["{} -o s", "{} -o x.parquet", "{} --verify"],
    "index": ["{} -o i"], "verify": ["{}"], "repair": ["{}"], "upgrade": ["{}"],
}  # fmt: skip
FAILS_WITHOUT_SOURCE = {
    "show": ["nonsense"], "perft": ["2 8/8/8/8/8/8/8/8"], "explain": ["nonsense", "''"], "patterns": ["nonsense"],
    "questions": ["nonsense"], "table": ["nonsense"], "prove": ["nonsense"], "tablebase": ["nonsense"],
    "columns": ["--load nothing.py"], "divide": ["2 8/8/8/8/8/8/8/8"], "bench": ["nonsense", ""],
    "positions": ["--kind nonsense"], "uci-check": ["no_such_program"], "generator": ["--lang zig"],
    "completion": ["nonsense"], "demo": ["--nonsense"], "doctor": ["--nonsense"], "warmup": ["--nonsense"],
    "man": ["--nonsense"], "web": ["missing.pgn"], "mcp": ["", "-", "missing.pgn"],
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


def test_a_likeness_narrows_a_condition_with_an_or(run) -> None:
    like = ("--like", setwise.Position().fen(), "--count")
    for where in ("ply = 0 or ply = 1", "ply = 1 or ply = 0"):
        assert run("find", where, GAMES, *like)[:2] == (0, "41\n")


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
