"""Exercises: which ones, and what sheets, studies and cards have, read by python-chess, a CSV reader and a browser."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import chess
import chess.pgn
import pytest
from click.testing import CliRunner

import setwise
from helpers.data import FAMOUS_GAMES
from setwise.cli.app import app
from setwise.errors import OutputError, QueryError, SetwiseError
from setwise.exercises.exercise import Exercise, checked_motif, holds, speed_of
from setwise.exercises.training import exercises_of
from setwise.exercises.writing import MOST_CHAPTERS, picture, report, sheet, studies

FORK = '[White "{}"]\n[Black "Other"]\n[Date "2024.{}"]\n[TimeControl "{}"]\n[FEN "{}"]\n\n{}\n\n'
WHITE, BLACK = "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1", "6k1/5ppp/8/8/3Q4/2n5/5PPP/6K1 b - - 0 1"
GAMES = (
    FORK.format("Anna", "05.01", "180+2", WHITE, "1. h3 *")
    + FORK.format("Anna", "06.01", "900+10", WHITE, "1. Kf1 *")
    + FORK.format("Bert", "07.01", "60", BLACK, "1... h6 *")
).encode()


def told(**options: object) -> list[tuple[str, str]]:
    return [(it.line, it.motif) for it in setwise.train(GAMES, **options).exercises]  # type: ignore[arg-type]


def test_each_missed_chance_is_an_exercise() -> None:
    """The same position twice is one exercise."""
    assert sorted(told()) == [("1. Ne7+", "royal fork"), ("1... Ne2+", "royal fork")]


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"player": "anna"}, 1), ({"player": "Bert"}, 0), ({"player": "other"}, 1), ({"side": "black"}, 1),
        ({"motif": "Knight Fork"}, 2), ({"motif": "mate"}, 0), ({"since": "2024-07"}, 1), ({"since": "2025"}, 0),
        ({"since": "2024-07-01"}, 1), ({"since": "2024.07.01"}, 1), ({"since": "2024-07-02"}, 0),
        ({"speed": "bullet"}, 1), ({"speed": "rapid"}, 1), ({"speed": "classical"}, 0), ({"n": 1}, 1),
    ],
)  # fmt: skip
def test_options_choose(options: dict[str, object], count: int) -> None:
    assert len(told(**options)) == count


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"motif": "knigt fork"}, "did you mean knight-fork"), ({"since": "May"}, "such as 2024"),
        ({"speed": "blits"}, "did you mean blitz"), ({"side": "red"}, "white or black"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_an_error_that_says_what_does(options: dict[str, object], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        told(**options)


def test_speeds_and_motifs_by_name() -> None:
    controls = ("15+0", "60+0", "180+0", "180+2", "420+1", "600", "1800+20", "-", None, "40/9000")
    assert [speed_of(it) for it in controls] == [
        "ultrabullet", "bullet", "blitz", "blitz", "blitz", "rapid", "classical", "correspondence", None, None,
    ]  # fmt: skip
    assert checked_motif("BACK_RANK mate") == "back-rank"


#: A knight forks king and rook, which costs less than a queen; a rook mates on the back rank.
LESSER = "6k1/5ppp/2N5/3r4/8/8/5PPP/6K1 w - - 0 1"
MATE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def missed_in(*fens: str) -> bytes:
    """Games that begin with a missed chance."""
    return "".join(FORK.format("Anna", "05.01", "-", fen, "1. h3 *") for fen in fens).encode()


def test_exercises_are_those_that_cost_most() -> None:
    for fens in ((WHITE, LESSER), (LESSER, WHITE)):
        assert [it.fen for it in setwise.train(missed_in(*fens), n=1).exercises] == [WHITE]


def test_a_motif_that_is_missed_rarely_has_an_exercise_too() -> None:
    forks = [WHITE.replace(" 0 1", f" 0 {number}").replace("5PPP", f"{file}PPP") for number, file in
             enumerate(("5", "P4", "1P3", "2P2", "3P1"), 1)]  # fmt: skip
    found = setwise.train(missed_in(*forks, MATE), n=2).exercises
    assert sorted(it.motifs[0] for it in found) == ["fork", "mate"]


def test_a_mate_is_no_exercise_where_its_side_is_six_pawns_ahead() -> None:
    for pawns, count in (("5PPP", 1), ("1P3PPP", 0)):
        found = setwise.train(missed_in(MATE.replace("5PPP", pawns)))
        assert (len(found.missed), len(found.exercises)) == (1, count)
    assert len(setwise.train(missed_in(MATE.replace("5PPP", "1P3PPP")), motif="mate").exercises) == 1


def test_a_link_shows_the_board_from_the_side_of_the_mover() -> None:
    site = b'[Site "https://lichess.org/abcdefgh"]\n[White "'
    links = {it.side: it.link for it in setwise.train(GAMES.replace(b'[White "', site)).exercises}
    assert links == {"white": "https://lichess.org/abcdefgh#0", "black": "https://lichess.org/abcdefgh/black#0"}


def test_a_solution_of_several_moves_goes_on_behind_the_variation() -> None:
    [first] = setwise.train(missed_in(WHITE)).exercises
    [text] = studies([first._replace(solution=("Ne7+", "Kf8", "Nxd5"))])
    assert text.partition("\n\n")[2].strip() == "1. Ne7+ ( 1. h3 { wins at least 10 pawns less } ) 1... Kf8 2. Nxd5 *"
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert [it.san() for it in game.mainline()] == ["Ne7+", "Kf8", "Nxd5"]


def test_python_chess_reads_the_chapters_of_a_study() -> None:
    training = setwise.train(FAMOUS_GAMES, n=100)
    [text, *_] = studies(training.exercises, "Study")
    stream, count = io.StringIO(text), 0
    while (game := chess.pgn.read_game(stream)) is not None:
        exercise = training.exercises[count]
        count += 1
        assert not game.errors
        assert game.board().fen() == chess.Board(exercise.fen).fen()
        assert not game.comment
        assert not game.variations[0].starting_comment
        assert game.variations[0].san() == exercise.solution[0]
        assert [it.san() for it in game.variations[1:]] == [exercise.played]
        assert "{" not in str(game).partition("\n\n")[2].split("(")[0]
        assert game.headers["Exercise"] == str(count)
        assert "famous_games" in game.headers["Source"]
    assert count == len(training.exercises) > 3


def test_a_study_has_as_many_chapters_as_lichess_takes(tmp_path: Path) -> None:
    [exercise, _] = setwise.train(GAMES).exercises
    files = setwise.write_exercises([exercise] * (MOST_CHAPTERS + 1), tmp_path / "study.pgn")
    assert [file.name for file in files] == ["study.pgn", "study-2.pgn"]
    assert [file.read_text().count("[Event ") for file in files] == [MOST_CHAPTERS, 1]


def test_cards_are_read_by_anki(tmp_path: Path) -> None:
    exercises = setwise.train(GAMES).exercises
    [file] = setwise.write_exercises(exercises, tmp_path / "cards.csv")
    head, rows = [], []
    for line in file.read_text().splitlines():
        (head if line.startswith("#") else rows).append(line)
    cards = list(csv.reader(rows))
    assert head[1] == "#html:true"
    assert [card[0] for card in cards] == [it.fen for it in exercises]
    assert all(card[1].startswith("<svg ") and it.line in card[2] for card, it in zip(cards, exercises, strict=True))
    assert [[picture.count(" rotate(") for picture in card[1:]] for card in cards] == [[0, 2], [0, 2]], "arrows"


def test_the_solution_of_a_match_is_the_chance_that_its_move_misses() -> None:
    """By the columns where the condition names them, else by the position: the pupil's mistake is no solution."""
    fork = ("c6e7", "h3", "1. Ne7+", "1. h3 was played, which wins at least 10 pawns less.")
    for where in ("missed_fork", "ply = 0 and white_name = 'Anna'"):
        first = exercises_of(where, GAMES)[0]
        assert (first.move, first.played, first.line, first.verdict) == fork
    played = exercises_of("ply = 0", b"1. e4 e5 *")
    assert [(it.line, it.verdict) for it in played] == [("1. e4", "")]


def test_each_match_of_a_missed_chance_has_a_verdict_on_the_move_played() -> None:
    said = {it.line: it.verdict for it in exercises_of("missed is not null", FAMOUS_GAMES)}
    assert len(said) > 3
    assert all(said.values())


def test_what_is_handed_on_names_the_file_and_not_its_folders(tmp_path: Path) -> None:
    file = tmp_path / "pupil.pgn"
    file.write_bytes(GAMES)
    exercises = setwise.train(file).exercises
    for suffix in (".html", ".pgn", ".csv"):
        [written] = setwise.write_exercises(exercises, tmp_path / f"handed{suffix}")
        assert "pupil.pgn" in written.read_text()
        assert str(tmp_path) not in written.read_text()


def test_games_of_chess960_have_exercises() -> None:
    """Castling rights of such a position are none in standard chess; castling itself is a solution, too."""
    text = b'[Variant "Chess960"][FEN "bnrkqnrb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQNRB w KQkq - 0 1"] 1. e4 e5 2. Ng3 *'
    found = exercises_of("ply < 3", text)
    assert [it.line for it in found] == ["1. e4", "1... e5", "2. Ng3"]
    castles = b'[Variant "Chess960"][FEN "1k6/8/8/8/8/8/8/1K1R4 w D - 0 1"] 1. O-O Kb7 *'
    both = exercises_of("is_castling", castles) + exercises_of(
        "is_castling", b"1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O *"
    )
    assert [it.line for it in both] == ["1. O-O", "4. O-O"]
    assert sheet(both, "Castling").count("<article") == 2


def test_a_sheet_has_its_answers_last() -> None:
    exercises = setwise.train(GAMES).exercises
    page = sheet(exercises, "<Forks>", 3)
    before = page.partition('<section class="last">')[0]
    shown = re.sub(r"<details>.*?</details>", "", before, flags=re.DOTALL)
    assert "&lt;Forks&gt;" in page
    assert all(it.solution[0] not in shown and "Anna" not in shown for it in exercises)
    assert "<button" not in page
    assert "White to move" in shown
    sides = re.findall(r"(White|Black) to move.*?#names-(white|black)", shown, flags=re.DOTALL)
    assert sorted(sides) == [("Black", "black"), ("White", "white")]
    with pytest.raises(ValueError, match="2 or 3"):
        sheet(exercises, columns=4)


def test_a_wrong_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"should end in one of .html .pgn .csv"):
        setwise.write_exercises([], tmp_path / "sheet.pdf")


def test_the_report_counts_what_was_missed() -> None:
    training = setwise.train(GAMES)
    rows = report(training).to_pylist()
    assert rows[0] == {"by": "motif", "value": "knight-fork", "missed": 3, "games": 3}
    assert sum(row["missed"] for row in rows if row["by"] == "phase") == 3
    assert "knight-fork" in picture(training, "A & B")
    assert "A &amp; B" in picture(training, "A & B")


def test_the_report_says_motifs_ratings_phases_and_times_as_a_reader_counts_them() -> None:
    """Anna misses a fork against 1930 with 10 s left, and one against 2110 with 65 s; Berta misses nothing."""
    game = (
        '[White "Anna"]\n[Black "Berta"]\n[WhiteElo "1700"]\n[BlackElo "{}"]\n'
        '[FEN "3q2k1/5ppp/8/8/3N4/8/5PPP/6K1 w - - 0 1"]\n\n'
        "1. Nc6 {{ [%clk {}] }} Qd5 {{ [%clk 0:09:00] }} 2. {} {{ [%clk 0:00:09] }} *\n\n"
    )
    text = (
        game.format(1930, "0:00:10", "h3") + game.format(2110, "0:01:05", "Kf1") + game.format(2150, "0:03:00", "Ne7+")
    )
    training = setwise.train(text.encode(), player="anna")
    rows = [tuple(row.values()) for row in report(training).to_pylist()]
    assert rows == [
        ("motif", "knight-fork", 2, 3), ("rating", "1800–1999", 1, 1), ("rating", "2000–2199", 1, 2),
        ("phase", "endgame", 2, None), ("time", "10 to 30 s", 1, None), ("time", "1 to 5 min", 1, None),
    ]  # fmt: skip
    drawn = picture(training, "Anna")
    assert all(it in drawn for it in ("knight-fork", "0.50 (1 in 2)", "endgame", "10 to 30 s", "In which phase"))


def test_the_report_of_a_motif_counts_that_motif() -> None:
    reports = [report(setwise.train(GAMES, motif=motif)).to_pylist() for motif in (None, "fork", "mate")]
    counts = [sum(row["missed"] for row in rows if row["by"] == "motif") for rows in reports]
    assert counts == [3, 3, 0]


def test_an_engine_keeps_what_it_agrees_with() -> None:
    import shutil

    stockfish = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if stockfish is None:
        pytest.skip("stockfish is not installed")
    tried: list[int] = []
    found = setwise.train(GAMES, engine=stockfish, depth=8, on_progress=lambda at, _: tried.append(at)).exercises
    assert {it.line for it in found} == {"1. Ne7+", "1... Ne2+"}
    assert all((it.loss or 0) >= 100 for it in found)
    assert tried == [0, 1]


@pytest.mark.parametrize(("engine", "said"), [("no_such_engine", "cannot be started"), ("true", "does not answer")])
def test_what_is_not_an_engine_is_one_sentence(engine: str, said: str) -> None:
    with pytest.raises(SetwiseError, match=said):
        setwise.train(GAMES, engine=engine)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train", "--player", "Other"], "1 missed chance of Other in 3 games"),
        (["train", "--player", "Bert", "--as", "white"], "no missed chance of Bert in 1 game"),
        (["train", "--player", "Nobody"], "no game of 'Nobody'"),
        (["find", "fork"], "`setwise questions fork` lists lines that ask about fork"),
        (["find", "Back rank mate"], "`setwise questions Back rank mate`"),
        (["find", "Carlsen"], "games of a player: `setwise find true --player Carlsen`"),
        (["find", "is_chekmate"], "or is_stalemate?\n"),
    ],
)
def test_a_coach_without_sql_is_led_on(arguments: list[str], said: str, tmp_path: Path) -> None:
    file = tmp_path / "pupil.pgn"
    file.write_bytes(GAMES)
    command, *rest = arguments
    ran = CliRunner().invoke(app, [command, *([rest[0], str(file)] if command == "find" else [str(file), *rest])])
    text = ran.stderr if ran.exception is None or isinstance(ran.exception, SystemExit) else f"{ran.exception}\n"
    assert said in text, (ran.stdout, ran.stderr, ran.exception)


@pytest.mark.slow
def test_printed_sheets_have_six_boards_a_page(tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    from helpers.programs import needed

    browser_path = needed("chromium")
    exercise = setwise.train(GAMES).exercises[0]
    [file] = setwise.write_exercises([exercise] * 12, tmp_path / "sheet.html")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(browser_path), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(file.as_uri())
        for paper in ("A4", "Letter"):
            printed = page.pdf(format=paper)
            assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 3, paper
        browser.close()


@pytest.mark.parametrize(
    ("fen", "solution", "is_held"),
    [
        # The rook takes the bishop and is mated; Qe4+ draws.
        ("5r1k/5Bp1/1R1Q4/8/8/2p3P1/5PKP/b3q3 b - - 4 30", "f8f7", False),
        # Qh1+ mates in two.
        ("1R6/1p1k1p2/4p3/p2p4/3P1b1q/2P5/PPQ2P2/1K6 b - - 0 22", "f4b8", False),
        # The pawns catch the bishop; Bxd7+ takes first.
        ("r2qkbnr/1ppb1ppp/p2p4/8/B2nP3/8/PPP2PPP/RNBQ1RK1 w kq - 0 8", "d1d4", False),
        # The bishop takes the queen, too.
        ("6k1/5ppp/8/3q4/8/1B6/5PPP/3R2K1 w - - 0 1", "d1d5", False),
        ("6k1/5ppp/8/3q4/8/8/5PPP/3R2K1 w - - 0 1", "d1d5", True),
        # With a knight won back, White is still two rooks behind.
        ("r4rk1/5ppp/8/3n4/8/1B6/5PPP/6K1 w - - 0 1", "b3d5", False),
        ("6k1/r4ppp/8/3n4/8/1B5P/5PPK/8 w - - 0 1", "b3d5", False),
        # The king takes the knight, and queen and rook mate it; without a queen they could not.
        ("1r6/2p3k1/6N1/3q2Pp/p1p5/4Q2P/2P5/5RK1 b - - 0 36", "g7g6", False),
        ("7k/8/8/8/8/8/4n3/4K3 w - - 0 1", "e1e2", True),
        ("6qk/8/8/8/8/8/4n3/4K3 w - - 0 1", "e1e2", False),
        # The pawn may become a rook as well: that is no other solution.
        ("8/4P1k1/8/8/8/8/5PPP/6K1 w - - 0 1", "e7e8q", True),
        ("6k1/4Pppp/8/8/8/8/5PPP/6K1 w - - 0 1", "e7e8q", True),
    ],
)  # fmt: skip
def test_a_solution_holds_if_it_wins_and_no_other_move_does(fen: str, solution: str, is_held: bool) -> None:
    exercise = Exercise(fen, ("",), solution, None, ("capture",), 3, None, {})
    assert holds(exercise) == is_held


def test_exercises_whose_solution_does_not_hold_are_left_out() -> None:
    """A missed chance stays one of the columns; with two ways to win there is no exercise."""
    text = b'[FEN "6k1/5ppp/8/3q4/8/1B6/5PPP/3R2K1 w - - 0 1"]\n\n1. h3 *\n'
    training = setwise.train(text)
    assert (len(training.missed), training.exercises) == (1, [])
    assert exercises_of("missed is not null", text) == []


def test_commands_say_of_matches_that_make_no_exercise_and_of_chances_without_one(tmp_path: Path) -> None:
    file, sheet_of = tmp_path / "two_ways.pgn", str(tmp_path / "sheet.html")
    file.write_bytes(b'[FEN "6k1/5ppp/8/3q4/8/1B6/5PPP/3R2K1 w - - 0 1"]\n\n1. h3 *\n')
    said = "1 match, which does not make an exercise: the solution must win two pawns more than every other move, "
    said += "and is no king's while the enemy has a queen"
    for arguments, code, sentence in (
        (["train", str(file)], 0, "1 missed chance in 1 game"),
        (["train", str(file), "-o", sheet_of], 1, "no exercise of this kind: 1 missed chance in 1 game"),
        (["find", "missed is not null", str(file), "--exercise", "-o", sheet_of], 1, said),
    ):
        ran = CliRunner().invoke(app, arguments, standalone_mode=False)
        assert (ran.return_value, sentence in ran.stderr) == (code, True), (arguments, ran.stderr)
