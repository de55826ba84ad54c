"""Tests for engines: the first wrong move of engines with planted faults, UCI, random positions, the suite."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import chess
import pytest

from helpers.data import SUITES, suite
from helpers.depth import depth
from helpers.programs import needed
from setwise.cli import main
from setwise.engines.divide import compared, counts_in
from setwise.engines.positions import KINDS, broken_fens, random_positions
from setwise.engines.uci import Engine, EngineFailed, check
from setwise.errors import SetwiseError
from setwise.position.position import Position

FAULTY = f"{sys.executable} {Path(__file__).parent / 'helpers' / 'faulty_engine.py'}"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    shown = capsys.readouterr()
    return int(ended.value.code or 0), shown.out, shown.err


# ------------------------------------------------------------------------------------------------------ divided counts


@pytest.mark.parametrize(
    "form",
    ["{uci}: {n}", "{uci} {n}", "{uci} - {n}", "{number}. {uci}: {n} nodes", "move {uci} nodes {n}", "{lan}  {n:,}",
     "{san}: {n}", "{san} {n}", "| {uci} | {n} |", "{uci}\t{n}"],
)  # fmt: skip
def test_the_usual_formats_are_read(form: str) -> None:
    for fen in (KIWIPETE, "8/1P1k4/8/8/8/8/5p2/4K1N1 w - - 0 1"):
        position = Position(fen)
        counts = {position.uci(move): 7 * n for n, move in enumerate(position.legal_moves(), 1)}
        lines = [
            form.format(uci=move, n=n, number=at, san=position.san(move), lan=position.lan(move))
            for at, (move, n) in enumerate(counts.items(), 1)
        ]
        text = "\n".join(["Stockfish 15 by the developers", "", *lines, "", "Nodes searched: 12345", "Time: 3 ms"])
        assert counts_in(text, position) == counts


def test_castling_is_read_in_every_way() -> None:
    position = Position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for king, rook in (("e1g1", "e1c1"), ("e1h1", "e1a1"), ("O-O", "O-O-O"), ("0-0", "0-0-0")):
        assert counts_in(f"{king}: 1\n{rook}: 2", position) == {"e1g1": 1, "e1c1": 2}


def test_a_step_of_the_king_that_looks_like_castling_is_read_as_a_step() -> None:
    position = Position("4k3/8/8/8/8/8/8/RK5R w AH - 0 1", chess960=True)
    text = "\n".join(f"{position.uci(move)}: 5" for move in position.legal_moves())
    assert counts_in(text, position).keys() == {position.uci(move) for move in position.legal_moves()}
    assert "b1c1" in text
    assert "b1a1" in text


def test_what_differs_is_a_sentence() -> None:
    position = Position()
    right = "\n".join(f"{position.uci(move)}: 20" for move in position.legal_moves())
    assert compared(position, 2, right) == ("all 20 moves agree, 400 leaves", "")
    assert compared(position, 2, right.replace("e2e4: 20", "e2e4: 21")) == (
        "e2e4 has 20 leaves, the engine counts 21", "e2e4",
    )  # fmt: skip
    assert compared(position, 2, right.replace("e2e4: 20", ""))[0].startswith("e2e4 is legal, and the engine does not")
    sentence, below = compared(position, 2, right + "\ne2e5: 20")
    assert (below, "the pawn on e2 cannot move to e5" in sentence) == ("", True)
    with pytest.raises(SetwiseError, match="no line has a move and a count"):
        compared(position, 2, "hello")


def test_a_file_is_compared_and_the_next_command_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    position = Position(KIWIPETE)
    counts = {position.uci(move): n for move, n in position.perft_divide(3).items()}
    answer = tmp_path / "answer.txt"
    answer.write_text("\n".join(f"{move}: {n - (move == 'e1g1')}" for move, n in counts.items()))
    code, shown, _ = ran(capsys, "divide", KIWIPETE, "3", "--against", str(answer))
    assert (code, shown.splitlines()[0]) == (
        1,
        f"e1g1 has {counts['e1g1']:,} leaves, the engine counts {counts['e1g1'] - 1:,}",
    )
    assert f"position fen {KIWIPETE} moves e1g1\n    go perft 2" in shown
    assert f'setwise divide "{position.play("e1g1").fen()}" 2 --against FILE' in shown
    code, shown, _ = ran(capsys, "divide", "2")
    answer.write_text(shown)
    assert ran(capsys, "divide", "2", "--against", str(answer))[:2] == (0, "all 20 moves agree, 400 leaves\n")


# ------------------------------------------------------------------------------------------ engines with planted faults


@pytest.mark.parametrize(
    ("fault", "fen", "plies", "last"),
    [
        ("en-passant", "rnbqkbnr/1ppppppp/8/p3P3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 3,
         "after a5a4 b2b4: a4b3 is legal, and the engine does not have it"),
        ("pins", "4k3/8/8/b7/8/2N5/8/4K2n b - - 0 1", 3,
         "after a5b4: the engine has 'c3a2' in '4k3/8/8/8/1b6/2N5/8/4K2n w - - 1 2': "),
        ("promotions", "8/5k2/8/1P6/8/8/8/K7 w - - 0 1", 5, "b7b8n is legal, and the engine does not have it"),
        ("rights", "r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", 3, "its moves are right: it makes this move wrongly."),
    ],
)  # fmt: skip
def test_the_planted_fault_is_found(
    fault: str, fen: str, plies: int, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, shown, _ = ran(capsys, "divide", fen, str(plies), "--engine", f"{FAULTY} {fault}")
    assert (code, last in shown.splitlines()[-1]) == (1, True), shown


@pytest.mark.parametrize("how", ["", "late"])
def test_a_right_engine_agrees_even_if_it_is_ready_before_it_has_counted(
    how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    agreed = 0, "all 48 moves agree, 2,039 leaves\n", ""
    assert ran(capsys, "divide", KIWIPETE, "2", "--engine", f"{FAULTY} {how}") == agreed


def test_stockfish_agrees_and_a_fault_in_its_answers_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stockfish = needed("stockfish")
    agreed = 0, "all 48 moves agree, 97,862 leaves\n", ""
    assert ran(capsys, "divide", KIWIPETE, "3", "--engine", stockfish) == agreed
    monkeypatch.setenv("DIVIDES_BY", stockfish)
    code, shown, _ = ran(capsys, "divide", KIWIPETE, "2", "--engine", FAULTY)
    assert (code, shown) == (1, f"e1c1 is legal, and the engine does not have it, in {KIWIPETE}\n")


def test_the_depth_stands_before_or_behind_the_fen(capsys: pytest.CaptureFixture[str]) -> None:
    behind = ran(capsys, "divide", KIWIPETE, "2")
    assert behind[0] == 0
    assert behind[1].endswith("\n2039\n")
    assert ran(capsys, "divide", "2", *KIWIPETE.split()) == ran(capsys, "divide", *KIWIPETE.split(), "2") == behind
    for words in ((KIWIPETE,), (KIWIPETE, "0"), ("21",)):
        assert ran(capsys, "divide", *words)[::2] == (
            2, "setwise: a divided perft needs a depth from 1 to 20: setwise divide FEN DEPTH\n",
        )  # fmt: skip


def test_an_engine_that_is_none_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = ran(capsys, "divide", "2", "--engine", "./no-such-engine")
    assert (code, said) == (2, "setwise: ./no-such-engine cannot be started: No such file or directory\n")
    with pytest.raises(EngineFailed, match="ended with exit code 0 after 'uci'"):
        Engine(f"{sys.executable} -c pass")


# ------------------------------------------------------------------------------------------------------------ the check


@pytest.mark.parametrize(
    ("fault", "what", "wrong"),
    [
        ("", "", ""),
        ("illegal", "legal moves in time", "e2e5"),
        ("crash", "no crash on", "the engine ended with exit code 7"),
        pytest.param("silent", "legal moves in time", "had no answer 'bestmove' in", marks=pytest.mark.slow),
        ("quit", "quit", "it ends with code 3"),
    ],
)
def test_the_check_finds_the_planted_fault(fault: str, what: str, wrong: str) -> None:
    failed = [(it, why) for it, why in check(f"{FAULTY} {fault}", number=4, movetime=5) if why]
    assert (failed != []) == (fault != "")
    if fault:
        assert any(it.startswith(what) and wrong in why for it, why in failed), failed


def test_the_command_says_what_is_right_and_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown, _ = ran(capsys, "uci-check", f"{FAULTY} quit", "--random", "2", "--movetime", "5")
    lines = shown.splitlines()
    assert (code, lines[0], lines[-1]) == (1, "right  uci, isready", "wrong  quit: it ends with code 3")


# ---------------------------------------------------------------------------------------------------- random positions


@pytest.mark.parametrize("kind", KINDS)
def test_random_positions_are_legal_and_of_their_kind(kind: str) -> None:
    found = list(random_positions(depth(20, 2000), 5, kind))
    assert [it.fen() for it in found] == [it.fen() for it in random_positions(len(found), 5, kind)]
    assert [it.fen() for it in found] != [it.fen() for it in random_positions(len(found), 6, kind)]
    assert len({it.fen() for it in found}) > 0.9 * len(found)
    for position in found:
        board = chess.Board(position.fen(), chess960=position.chess960)
        assert board.is_valid(), board.fen()
        assert kind != "endgame" or len(board.piece_map()) <= 8
        assert kind != "many-queens" or len(board.pieces(chess.QUEEN, True)) >= 2 <= len(
            board.pieces(chess.QUEEN, False)
        )
        assert kind != "en-passant" or board.has_legal_en_passant()
        assert (kind == "chess960") == position.chess960


def test_the_commands_print_positions(capsys: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = ran(capsys, "positions", "--random", "3", "--kind", "many-queens", "--moves")
    for line in shown.splitlines():
        board = chess.Board(json.loads(line)["fen"])
        assert json.loads(line)["moves"] == {move.uci(): board.san(move) for move in board.legal_moves}
    assert ran(capsys, "positions", "--kind", "odd")[2].endswith(
        "no random positions of the kind 'odd'; there are game, endgame, many-queens, en-passant, chess960\n"
    )
    assert len(ran(capsys, "positions", "--kind", "broken", "--random", "30")[1].splitlines()) == 30
    assert ran(capsys, "positions", "--kind", "broken", "--moves")[0] == 2


def test_most_broken_fens_are_refused() -> None:
    def is_refused(fen: str) -> bool:
        try:
            Position(fen)
        except SetwiseError:
            return True
        return False

    assert sum(map(is_refused, broken_fens(200, 1))) > 120


# ------------------------------------------------------------------------------------------------------------ the suite


@pytest.mark.parametrize(("name", "options"), [("perft.epd", []), ("perft960.epd", ["--chess960"])])
def test_the_suite_is_printed_as_epd_and_as_json(
    name: str, options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    expected = suite(SUITES / name)
    printed = tmp_path / "suite.epd"
    printed.write_text(ran(capsys, "perft", "--suite", *options)[1])
    assert suite(printed) == expected
    records = [json.loads(line) for line in ran(capsys, "perft", "--suite", "--json", *options)[1].splitlines()]
    assert [(it["fen"], {int(plies): n for plies, n in it["counts"].items()}) for it in records] == expected


def test_perft_needs_a_depth(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = ran(capsys, "perft")
    assert (code, "perft needs a DEPTH" in said) == (2, True)
