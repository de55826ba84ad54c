"""The PGN reader: small texts of our own, real files against python-chess, garbage, and texts made to be slow."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cost import stays_in_proportion
from helpers.depth import depth
from helpers.games import batch, written_on_the_way
from helpers.patterns import numba
from helpers.python_chess import games_of
from helpers.slow_texts import SLOW_TEXTS, some_of
from setwise import read_pgn
from setwise.archives import zstd
from setwise.corpus.columns import table_of
from setwise.errors import SourceError
from setwise.notation.pgn.reader import parse, read_games, room
from setwise.notation.pgn.tokens import GAME_COLUMNS, RESULTS
from setwise.notation.text import decoded
from setwise.rules.board import SETS, WORDS

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples" / "famous_games.pgn"


def sans(text: bytes) -> list[str]:
    """The moves of every game, each as one line."""
    return [" ".join(game.sans()) for game in batch(text)]


def mainline(game: chess.pgn.Game) -> str:
    board, found = game.board(), []
    for move in game.mainline_moves():
        found.append(board.san(move))
        board.push(move)
    return " ".join(found)


# --------------------------------------------------------------------------------------------------------- small texts

RUY = "e4 e5 Nf3 Nc6 Bb5"
ITALIAN = "e4 e5 Nf3 Nc6 Bc4 Nf6 O-O"
PROMOTION = '[SetUp "1"]\n[FEN "8/4P1k1/8/8/8/8/8/K7 w - - 0 1"]\n\n'

#: Name, text, the moves of its games; where the last is missing python-chess reads the same.
TEXTS: dict[str, tuple[str, list[str]]] = {
    "plain": ('[Event "a"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n', [RUY]),
    "carriage returns": ('[Event "a"]\r\n[White "b"]\r\n\r\n1. e4 e5\r\n2. Nf3 Nc6 3. Bb5 *\r\n', [RUY]),
    "comments in braces": (
        "{before} 1. e4 {one} {two; ( } e5 {three\nlines\nlong} 2. Nf3 Nc6{tight}3. Bb5 {end} *",
        [RUY],
    ),
    "comments to the end of the line": ("1. e4 ; best { by test (\ne5 2. Nf3 Nc6 ; 1-0\n3. Bb5 *", [RUY]),
    "variations": ("1. e4 (1. d4 d5) e5 2. Nf3 (2. f4 exf4 (2... d5 {or ) }) 3. Nf3) 2... Nc6 3. Bb5 *", [RUY]),
    "annotations": ("1. e4 $1 e5 $14 $36 2. Nf3! Nc6!? 3. Bb5?? *", [RUY]),
    "castling with letters": ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O *", [ITALIAN]),
    "castling with digits": ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. 0-0 *", [ITALIAN]),
    "castling after a tight number": ("1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6 4.0-0 *", [ITALIAN]),
    "long castling after tight numbers": (
        "1.d4 d5 2.Nc3 Nc6 3.Bf4 Bf5 4.Qd2 Qd7 5.0-0-0 5...0-0-0 *",
        ["d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O"],
    ),
    "small letters of promotions": (PROMOTION + "1. e8=q Kf6 *", ["e8=Q Kf6"]),
    "a variation without blanks": ("1.e4(1.d4)e5 2.Nf3(2.f4 exf4)Nc6 3.Bb5(Bc4)3...a6 *", [RUY + " a6"]),
    "no numbers": ("e4 e5 Nf3 Nc6 Bb5 *", [RUY]),
    "wrong numbers": ("7. e4 e5 2. Nf3 19... Nc6 2 Bb5 *", [RUY]),
    "numbers without blanks": ("1.e4 e5 2.Nf3 2...Nc6 3.Bb5 *", [RUY]),
    "promotion": (PROMOTION + "1. e8=Q Kf6 *", ["e8=Q Kf6"]),
    "promotion without a sign": (PROMOTION + "1. e8Q Kf6 *", ["e8=Q Kf6"]),
    "underpromotion": (PROMOTION + "1. e8=N+ Kf7 *", ["e8=N+ Kf7"]),
    "long algebraic": ("1. e2e4 e7e5 2. Ng1f3 Nb8c6 3. Bf1b5 *", [RUY]),
    "long algebraic with dashes": ("1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5 *", [RUY]),
    "too many hints": ("1. e4 e5 2. Ngf3 Nbc6 3. Bf1b5 *", [RUY]),
    "checks left out": ("1. e4 f5 2. Qh5 g6 *", ["e4 f5 Qh5+ g6"]),
    "a check that is none": ("1. e4+ e5# 2. Nf3 Nc6 3. Bb5 *", [RUY]),
    "no result": ("1. e4 e5 2. Nf3 Nc6 3. Bb5", [RUY]),
    "no results, two games": ('[Event "a"]\n\n1. e4 e5\n\n[Event "b"]\n\n1. d4 d5\n', ["e4 e5", "d4 d5"]),
    "line after line": ("1.\ne4\ne5\n2.\nNf3\n\tNc6\n   3.\nBb5\n*", [RUY]),
    "escaped lines": ('[Event "a"]\n\n1. e4 e5\n% 2. d4 {\n2. Nf3 Nc6 3. Bb5 *', [RUY]),
    "Black begins": ('[SetUp "1"]\n[FEN "4k3/4p3/8/8/8/8/8/4K3 b - - 0 9"]\n\n9... e5 10. Kd2 *', ["e5 Kd2"]),
    "White begins elsewhere": ('[FEN "4k3/4p3/8/8/8/8/8/4K3 w - - 0 9"]\n\n9. Kd2 e5 *', ["Kd2 e5"]),
    "tags only": ('[Event "a"]\n[White "b"]\n\n', [""]),
    "tags and a result": ('[Event "a"]\n\n1-0\n\n[Event "b"]\n\n1. e4 *', ["", "e4"]),
    "draws": (
        '[Event "a"]\n\n1. e4 1/2-1/2\n\n[Event "b"]\n\n1. d4 1-0\n\n[Event "c"]\n\n1. c4 0-1\n',
        ["e4", "d4", "c4"],
    ),
    "breaks off in a move": ("1. e4 e5 2. Nf3 Nc6 3. B", ["e4 e5 Nf3 Nc6"]),
    "breaks off in a number": ("1. e4 e5 2. Nf3 Nc6 3. Bb5 4", [RUY]),
    "Chess960": (
        (
            '[Variant "Chess960"]\n[FEN "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"]\n\n'
            "1. Ng3 Ng6 2. O-O O-O *"
        ),
        ["Ng3 Ng6 O-O O-O"],
    ),
    "standard by name": ('[Variant "Standard"]\n\n1. e4 *', ["e4"]),
    "from a position by name": (
        '[Variant "From Position"]\n[FEN "4k3/4p3/8/8/8/8/8/4K3 w - - 0 9"]\n\n9. Kd2 *',
        ["Kd2"],
    ),
    "en passant": ("1. e4 a6 2. e5 d5 3. exd6 e.p. cxd6 *", ["e4 a6 e5 d5 exd6 cxd6"]),
    "ranks of both colours": (
        '[FEN "r3k3/8/7R/8/8/8/4K3/r6R b - - 0 1"]\n\n1... R1a5 2. R1h5 R8a7 {which leaves both files to the rooks} *',
        ["R1a5 R1h5 R8a7"],
    ),
}

#: What python-chess reads in another way or not at all.
OURS: dict[str, tuple[str, list[str]]] = {
    "promotion in brackets": (PROMOTION + "1. e8(Q) Kf6 *", ["e8=Q Kf6"]),
    "promotion behind a stroke": (PROMOTION + "1. e8/Q Kf6 *", ["e8=Q Kf6"]),
    "castling with small letters": ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. o-o *", [ITALIAN]),
    "a P before pawns": ("1. Pe4 Pe5 2. Nf3 Nc6 3. Bb5 *", [RUY]),
    "games on one line": ("1. e4 e5 1-0 1. d4 d5 1/2-1/2 1. c4 *", ["e4 e5", "d4 d5", "c4"]),
    "results only": ("1-0\n0-1 * 1/2-1/2", ["", "", "", ""]),
    "an empty line": ("1. e4 e5\n\n2. Nf3 Nc6\n\n\n3. Bb5 *", [RUY]),
    "tags on one line": ('[Event "a"] [White "b"] 1. e4 *', ["e4"]),
    "tags again, without a line between": ('[Event "a"]\n[White "b"]\n[Event "c"]\n[White "d"]\n\n1. e4 *', ["", "e4"]),
    "no text": ("", []),
    "blanks": (" \n\r\n\t\n", []),
    "noise": ("@@@ ### )))\n", []),
}


@pytest.mark.parametrize("name", [*TEXTS, *OURS])
def test_the_moves_of_small_texts(name: str) -> None:
    text, expected = {**TEXTS, **OURS}[name]
    for raw in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.replace("\n", "\r\n").encode()):
        assert sans(raw) == expected
    if name != "breaks off in a move":
        assert not list(batch(text.encode()).faults())


@pytest.mark.parametrize("name", TEXTS)
def test_python_chess_reads_small_texts_so_too(name: str) -> None:
    text, expected = TEXTS[name]
    assert [mainline(game) for game in games_of(text)] == expected


@pytest.mark.parametrize(
    ("text", "results"),
    [
        (b"1. e4 1-0 1. d4 0-1 1. c4 1/2-1/2 1. Nf3 * ", ["1-0", "0-1", "1/2-1/2", "*"]),
        (b"1. e4 1/2 1. d4", ["1/2-1/2", "*"]),
        (b"1. e4 Qxz9 1-0 1. d4 0-1", ["1-0", "0-1"]),
        (b"1. e4 { 0-1 } ( 1. d4 1/2-1/2 ) ; 0-1\n 1-0 {0-1}", ["1-0"]),
    ],
)
def test_the_results_of_small_texts(text: bytes, results: list[str]) -> None:
    assert batch(text).results == batch(text).ends == results


@pytest.mark.parametrize(
    ("tag", "end", "result"),
    [
        ("1-0", "0-1", "1-0"), ("1/2-1/2", "*", "1/2-1/2"), ("0-1", "", "0-1"), ("*", "0-1", "0-1"), ("*", "", "*"),
        ("1/2", "1-0", "1-0"), ("?", "1/2-1/2", "1/2-1/2"), ("", "1-0", "1-0"), ("1-0 ", "*", "*"),
        (None, "1-0", "1-0"),
    ],
)  # fmt: skip
def test_a_result_is_what_the_tag_says_or_else_the_end(tag: str | None, end: str, result: str) -> None:
    """Everywhere by one rule; python-chess has it too, but keeps tags that are no results."""
    tags = "" if tag is None else f'[Result "{tag}"]\n'
    text = f'[White "a"]\n{tags}\n1. e4 {end}\n\n[White "b"]\n\n1. d4 1-0\n'
    games = batch(text.encode())
    assert games.ends == [end or "*", "1-0"]
    assert games.results == [result, "1-0"]
    assert [game.result for game in games] == games.results
    assert games[1:].results == ["1-0"]
    assert table_of(games.positions(), ["result"])["result"].to_pylist() == [result] * 2 + ["1-0"] * 2
    if tag in (None, *RESULTS):
        assert next(games_of(text)).headers["Result"] == result


#: What stands between words although no PGN holds it.
CONTROLS = [chr(code) for code in (*range(1, 32), 127) if chr(code) not in "\r\n"]


@pytest.mark.parametrize("control", CONTROLS)
def test_control_characters_part_words_as_blanks_do(control: str) -> None:
    text = "1. e4 e5 {a} 2. Nf3 Nc6 3. Bb5 1-0".replace(" ", control)
    for whole in (text, text + " " * 20):
        games = batch(whole.encode())
        assert (sans(whole.encode()), games.results, list(games.faults())) == ([RUY], ["1-0"], [])


@pytest.mark.parametrize("between", ["", " ", *CONTROLS, "\1" * 600, "\n", "\1\n\1", "{c}", "; c\n", "( ) $1 # "])
@pytest.mark.parametrize("result", ["1-0", "*", "1/2"])
def test_tags_behind_a_result_begin_a_game_wherever_they_stand(between: str, result: str) -> None:
    text = f'[Event "a"]\n\n1. e4 e5 {result}{between}[Event "b"]\n[White "c"]\n\n1. d4 *\n'.encode()
    games = batch(text)
    assert sans(text) == ["e4 e5", "d4"]
    assert (games.tag("Event").to_pylist(), games.tag("White").to_pylist()) == (["a", "b"], [None, "c"])
    assert not list(games.faults())


def test_tags_that_are_indented_begin_a_game() -> None:
    for blanks in ("", " ", "\t", "\1", " \t "):
        assert sans(f'[Event "a"]\n\n1. e4\n{blanks}[White "b"]\n\n1. d4'.encode()) == ["e4", "d4"]


@pytest.mark.parametrize("between", [")", "@", "1. )"])
def test_tags_behind_a_sign_that_means_nothing_begin_a_game(between: str) -> None:
    text = f'[White "a"]\n{between}\n[Event "b"]\n\n1. e4 *\n'.encode()
    assert (sans(text), batch(text).tag("White").to_pylist()) == (["", "e4"], ["a", None])


# --------------------------------------------------------------------------------------------------------------- tags


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b'[White "Capablanca"]', "Capablanca"),
        (b'[White ""]', ""),
        (b'[White   "Capablanca"  ]  ', "Capablanca"),
        (b'[White"Capablanca"]', "Capablanca"),
        (b'[White "the \\"Machine\\""]', 'the "Machine"'),
        (b'[White "back\\\\slash"]', "back\\slash"),
        (b'[White "the \\"Machine\\"] himself"]', 'the "Machine"] himself'),
        (b'[White "C:\\games"]', "C:\\games"),
        (b'[White "the "Machine" himself"]', 'the "Machine" himself'),
        (b'[White "a ] b [ c"]', "a ] b [ c"),
        (b'[White "{ ( ; 1-0 %"]', "{ ( ; 1-0 %"),
        ('[White "Müller"]'.encode(), "Müller"),
        ('[White "Müller"]'.encode("latin-1"), "Müller"),
        ('[White "Каспаров"]'.encode(), "Каспаров"),
        (b'[White\t"Capablanca"]', "Capablanca"),
        (b'[White "Cap', "Cap"),
        (b'[White "Cap"', "Cap"),
        (b'[White "Cap" or', "Cap"),
        (b'[White "Cap\\" or', 'Cap" or'),
        (b"[White Cap]", "Cap"),
        (b"[White", ""),
    ],
)
def test_values_of_tags(line: bytes, value: str) -> None:
    for end in (b"\n", b"\r\n"):
        games = batch(end.join([b'[Event "x"]', line, b'[Black "Marshall"]', b"", b"1. e4 e5 *", b""]))
        assert games.tag("White").to_pylist() == [value]
        assert games.tag("Black").to_pylist() == ["Marshall"]
        assert games.tag_names() == ["Event", "White", "Black"]
        assert games[0].sans() == ["e4", "e5"]


def test_tags_that_are_missing_are_null() -> None:
    games = batch(b'[White "a"]\n\n1. e4 *\n\n[Black "b"]\n\n1. d4 *\n\n1. c4 *')
    assert games.tag("White").to_pylist() == ["a", None, None]
    assert games.tag("Black").to_pylist() == [None, "b", None]
    assert games.tag("Whit").to_pylist() == [None, None, None]
    assert set(games.tag_names()) == {"White", "Black"}


# -------------------------------------------------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "moves", "line", "token", "reason"),
    [
        ('[Event "x"]\n\n1. e4 e5\n2. Ke3 Nc6 *', "e4 e5", 4, "Ke3", "no piece"),
        ('[Event "x"]\n\n1. e4 e5 2. Nf3 Nc6 3. Nd3 *', "e4 e5 Nf3 Nc6", 3, "Nd3", "no piece"),
        ("1. e4 e5 2. Qh5 f6 *", "e4 e5 Qh5", 1, "f6", ""),
        ("1. Nf3 d5 2. d3 d4 3. Nd2 *", "Nf3 d5 d3 d4", 1, "Nd2", "more than one"),
        ("1. e4 e5 2. bananas *", "e4 e5", 1, "bananas", "not a move"),
        ("1. e4 e5 2. --- Nf6 *", "e4 e5", 1, "---", "not a move"),
        ("1. e4 e5 2. O-O *", "e4 e5", 1, "O-O", "castling"),
        ("1. e4 e5 2. 0-0-0 *", "e4 e5", 1, "0-0-0", "castling"),
        (PROMOTION + "1. e8 Kf6 *", "", 4, "e8", "last rank"),
        (PROMOTION + "1. e8=K Kf6 *", "", 4, "e8=K", "not a move"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *', "", 1, "8/8/8/8/8/8/8/8 w - - 0 1", "FEN"),
        ('[Variant "Atomic"]\n\n1. e4 e5 *', "", 1, "Atomic", "variant"),
        ('[Variant "Crazyhouse"]\n\n1. e4 e5 *', "", 1, "Crazyhouse", "variant"),
        ('[FEN "r2qk2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"]\n\n1...0-0-0 2. 0-0 *', "", 3, "0-0-0", "castling"),
        ("1. e4 e5 { never\nclosed", "e4 e5", 1, "{", "comment"),
        ("1. e4 e5\n( 2. d4 (2. c4) exd4", "e4 e5", 2, "(", "variation"),
        ('[Event "x"]\n[White "b', "", 2, "[White", "tag"),
    ],
)  # fmt: skip
def test_faults_say_where_and_why_and_leave_the_neighbours_intact(
    text: str, moves: str, line: int, token: str, reason: str
) -> None:
    before, after = '[Event "1"]\n\n1. d4 1-0\n\n[Event "2"]\n', '\n\n[Event "3"]\n[White "w"]\n\n1. c4 c5 0-1\n'
    for newline in ("\n", "\r\n"):
        whole = (before + text.removeprefix('[Event "x"]\n')).replace("\n", newline).encode()
        shift = 5 - text.startswith("[Event")
        (fault,) = batch(whole).faults()
        assert written_on_the_way(whole) > 2
        assert (fault.source, fault.line, fault.game) == ("<bytes>", line + shift, 2)
        assert reason in fault.reason
        assert fault.token.startswith(token)
        assert sans(whole) == ["d4", moves]
        if "tag" in reason:  # a tag that breaks off is one only at the end of the text
            continue
        whole += after.replace("\n", newline).encode()
        games = batch(whole)
        assert written_on_the_way(whole) >= 6
        assert [fault.game for fault in games.faults()] == [2]
        assert sans(whole) == ["d4", moves, "c4 c5"]
        assert games.tag("White").to_pylist() == [None, None, "w"]
        assert games.results[2] == "0-1"


@pytest.mark.parametrize("opened", ["{ comment", "( 2. d4", "( 2. d4 {", '[White "x', "2. {(", "2. (({)"])
def test_nothing_unclosed_swallows_the_next_game(opened: str) -> None:
    for between in ("\n", "\n\n", "\r\n", "\r\n\r\n"):
        whole = f'[Event "a"]\n\n1. e4 {opened}{between}[Event "b"]\n\n1. c4 *\n'.encode()
        if opened.startswith("["):
            whole = f'[Event "a"]\n{opened}{between}[Event "b"]\n\n1. c4 *\n'.encode()
        games = batch(whole)
        assert games.tag("Event").to_pylist() == ["a", "b"]
        assert sans(whole)[-1] == "c4"


OPEN_BETWEEN: dict[str, tuple[list[str], list[str]]] = {
    "1. e4 e5 1-0 (\n\n1. d4 d5 *\n1. c4 *": (["e4 e5", "d4 d5", "c4"], ["'(': is left out"]),
    "( 1. e4 e5 *": (["e4 e5"], ["'(': is left out"]),
    "* (( 1. d4 (1. c4) d5 * (1. b3) ( 1. h4 *": (["", "d4 d5", "h4"], ["'((': is left out"]),
    "1. e4 * (\n\n1. ♘f3 *": (["e4", "Nf3"], ["'(': is left out"]),
    "1. e4 * (see below\n\n1. d4 *": (["e4"], ["'(see': a variation is never closed"]),
    "1. e4 * { below\n\n1. d4 *": (["e4"], ["'{': a comment is never closed"]),
    "1. e5 * { below\n\n1. d4 *": (["", ""], ["'e5': no piece", "'{': a comment is never closed"]),
    "1. e4 * (1. d4 {)\n\n1. d4 *": (["e4"], ["'(1.': a variation is never closed"]),
}


@pytest.mark.parametrize("text", OPEN_BETWEEN)
def test_what_is_open_between_games_hides_nothing_in_silence(text: str) -> None:
    expected, told = OPEN_BETWEEN[text]
    for after, more in (("", []), ('\n\n[Event "b"]\n\n1. b3 *\n', ["b3"])):
        whole = (text + after).encode()
        for variations in (False, True):
            [games] = read_pgn(whole, variations=variations)
            assert [" ".join(game.sans()) for game in games] == expected + more
            said = [str(it).split(": ", 1)[1] for it in (*games.faults(), *games.repairs())]
            assert all(any(it.startswith(start) for it in said) for start in told), said
            assert variations or len(said) == len(told)
        [games] = read_pgn(whole, strict=True)
        assert "never closed" in [*games.faults()][-1].reason


def test_a_tag_that_is_not_closed_is_named() -> None:
    for line, value in (('[White "Alpha', "Alpha"), ('[White "Alpha" 1. d4', "Alpha"), ("[White Alpha", "Alpha")):
        [games] = read_pgn(f'[Event "a"]\n{line}\n[Black "Beta"]\n\n1. e4 *'.encode())
        assert games.tag("White").to_pylist() == [value]
        assert [it.line for it in games.repairs()] == [2]
        assert games[0].sans() == ["e4"]


def test_what_is_within_a_line_of_a_tag_is_no_other_tag() -> None:
    for line, value in (('[White d4 {a} "c"]', 'd4 {a} "c"'), ('[White "a"] {b', "a")):
        [games] = read_pgn(f"{line}\n}}\n1. e4 ) (1. c4\n[E. d4) e5 *".encode(), variations=True)
        assert games.tag("White").to_pylist() == [value]
        assert [game.sans() for game in games] == [["e4", "e5"]]
    texts = (b'[White "a"])"1-0"]\n1. e4 1-0', b"1. e4 e5 2. N))f3 *", b'[White "a"]) 2.\n1. e4 *')
    for text in texts:
        assert [game.sans() for game in batch(text)] == [game.sans() for game in next(read_pgn(text, variations=True))]


def test_two_dashes_are_a_move_that_passes_and_never_nothing() -> None:
    assert sans(b"1. e4 e5-- 2... d5 *") == ["e4 e5 -- d5"]
    for text in (b"1. Nf--3 d5 *", b"1. e--4 d5 *", b"1. e2--e4 *"):
        assert sans(text) == [""]
        assert [it.token for it in batch(text).faults()] == [text.split()[1].decode()]


def test_a_result_is_a_whole_word() -> None:
    for text, moves in (
        ("1. e4 1/2-. d4 1-0", ["e4", "d4"]),
        ("1. e4 1/2+-- d4 *", ["e4"]),
        ("1. e4 1/2d4 *", ["e4"]),
        ("1. e4 1/2-1/2)", ["e4"]),
    ):
        assert sans(text.encode()) == moves
        [games] = read_pgn(text.encode())
        assert any((*games.faults(), *games.repairs())) == (")" not in text)


def test_a_number_and_a_digit_are_no_move_of_a_pawn() -> None:
    for text, moves, token in (("1. e4 e5 2.7c3 *", "e4 e5", "7c3"), ("1. e4 (1.7c3) e5 *", "e4 e5", "7c3")):
        [games] = read_pgn(text.encode(), variations=True)
        assert [" ".join(game.sans()) for game in games] == [moves]
        assert [it.token for it in games.faults()] == [token]
    assert sans(b"1.e4 e5 2.0-1") == ["e4 e5"]
    assert sans(b"1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.0-0 *") == [ITALIAN.replace("Nf6", "Bc5")]


def test_clocks_are_passed_over() -> None:
    text = b"1. e4 { [%eval 0.17] [%clk 0:00:30] } 1... e5 { [%clk 0:00:29] } 2. Nf3 *"
    assert sans(text) == ["e4 e5 Nf3"]
    game = batch(text, notes=True)[0]
    assert "[%clk 0:00:29]" in game.comments[2]


def test_notes_change_no_moves() -> None:
    for text, _ in TEXTS.values():
        with_notes, without = batch(text.encode(), notes=True), batch(text.encode())
        assert with_notes.moves.tolist() == without.moves.tolist()
        assert with_notes.table.tolist() == without.table.tolist()


# -------------------------------------------------------------------------------------------------- real files, judged

#: How many of python-chess's games are compared, where a file is long.
FIRST = depth(60, 300)

#: Files of which setwise means to read something else than python-chess (docs/differences.md), and why.
DIFFERENT: dict[str, str] = {
    "fixtures/chess-library/square_bracket_in_header.pgn": "escaped quotes in tags",
    "fixtures/chess.js/0.pgn": "HTML, with all tags on one line",
}


def fixture_texts(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*.pgn")):
        yield str(path.relative_to(folder)), path.read_bytes()
    for path in sorted(folder.glob("*.pgn.zst")):
        with zstd.open(path) as stream:
            raw = stream.read(1 << 20)
        yield path.name, raw[: raw.rindex(b"\n[Event ")]


def test_files_are_read_as_python_chess_reads_them(shared_data: Path) -> None:
    folder = shared_data / "pgn"
    if not folder.is_dir():
        pytest.skip("the games ../shared/data/pgn are not here")
    wrong = []
    for name, raw in fixture_texts(folder):
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = decoded(raw)
        expected = []
        for game in games_of(text):
            expected.append((mainline(game), game.headers.get("White"), game.headers.get("Black")))
            if len(expected) == FIRST:
                break
        found: list[tuple[str, str | None, str | None]] = []
        for games in read_pgn(raw):
            whites, blacks = games.tag("White").to_pylist(), games.tag("Black").to_pylist()
            found += [
                (" ".join(games[k].sans()), whites[k], blacks[k]) for k in range(min(len(games), FIRST - len(found)))
            ]
            if len(found) == FIRST:
                break
        same = len(found) == len(expected) and all(
            ours[0] == its[0] and (ours[1] or "?") == (its[1] or "?") and (ours[2] or "?") == (its[2] or "?")
            for ours, its in zip(found, expected, strict=True)
        )
        if same == (name in DIFFERENT):
            first = next((k for k, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), -1)
            wrong.append(
                (name, len(found), len(expected), first, found[first : first + 1], expected[first : first + 1])
            )
    assert not wrong


# ------------------------------------------------------------------------------------------------------------- garbage

SMALL = (
    b'[Event "small"]\n[White "M\xfcller"]\n[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]\n'
    b'[Result "1-0"]\n\n'
    b"1. e4 {a [%clk 0:01] b} e5 $1 (1... c5 2. Nf3 (2. c3)) 2. Nf3 Nc6 3. Bb5 ; Spanish\na6 4. O-O!? Nge7 1-0\n\n"
    b'[Event "next"]\n[White "a \\"b\\""]\n\n% escape\n1. d4 d5 2. c4 dxc4 1/2-1/2\n'
)


def holds(text: bytes) -> None:
    """What is true of the games of any text without NUL bytes, which are refused."""
    text = text.replace(b"\0", b" ")
    written_on_the_way(text)
    for games in [batch(text, notes=True)]:
        offsets = games.move_offsets.tolist()
        assert offsets == sorted(offsets)
        assert offsets[0] == 0
        assert offsets[-1] == len(games.moves)
        starts, stops = games.table[:, 0].tolist(), games.table[:, 1].tolist()
        spans = [bound for pair in zip(starts, stops, strict=True) for bound in pair]
        assert spans == sorted(spans)
        assert all(0 <= bound <= len(games.block.text) for bound in spans)
        assert ((games.tags >= 0) & (games.tags <= len(games.block.text))).all()
        assert (games.tags[:, 0] <= games.tags[:, 1]).all()
        assert (games.tags[:, 2] <= games.tags[:, 3]).all()
        positions = games.positions()
        assert len(positions) == len(games.moves) + len(games)
        for name in {*games.tag_names(), "Event", "White"}:
            games.tag(name).validate(full=True)
            assert len(games.tag(name).to_pylist()) == len(games)
        list(games.faults())
        fens = positions.fens().to_pylist() if len(positions) else []
        row = 0
        for game in games:
            board = chess.Board(fens[row], chess960=True)
            for san in game.sans():
                board.push_san(san)
                row += 1
                assert board.board_fen() == fens[row].split()[0]
            row += 1
            assert game.pgn()


@given(st.binary(max_size=400))
def test_any_bytes_are_read(text: bytes) -> None:
    holds(text)


@given(st.lists(st.sampled_from([
    b"[", b"]", b'"', b"{", b"}", b"(", b")", b";", b"%", b"$", b"*", b"\n", b"\r", b" ", b"\\", b"1.", b"e4",
    b"e5", b"Nf3", b"O-O",
    b"0-0", b"1-0", b"1/2", b"-", b"=Q", b"e", b"p", b"0", b'[Event "', b'[FEN "', b'[A "b"]', b"\n\n", b"--",
    b"\xff", b"\1", b"N", b"a",
]), max_size=60).map(b"".join))  # fmt: skip
def test_any_mixture_of_what_pgn_is_made_of_is_read(text: bytes) -> None:
    holds(text)


@given(st.data())
def test_damaged_games_are_read(data: st.DataObject) -> None:
    text = bytearray(SMALL)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        byte = data.draw(st.one_of(st.sampled_from(b'[]{}()";%*\n\r \\1e'), st.integers(0, 255)))
        match data.draw(st.sampled_from("flip delete insert".split())):
            case "flip":
                text[at] = byte
            case "delete":
                del text[at]
            case _:
                text.insert(at, byte)
    holds(bytes(text))


def test_games_cut_anywhere_are_read() -> None:
    whole = sans(SMALL)
    for stop in range(len(SMALL) + 1):
        holds(SMALL[:stop])
        for ours, all_of_it in zip(sans(SMALL[:stop]), whole, strict=False):
            cut = ours.split()
            assert cut[:-1] == all_of_it.split()[: len(cut)][:-1]
        holds(SMALL[stop:])


# --------------------------------------------------------------------------------------------------------- slow texts


@pytest.mark.parametrize("name", some_of(SLOW_TEXTS, 0))
def test_reading_costs_in_proportion_to_the_text(name: str) -> None:
    def read(text: bytes) -> None:
        with suppress(SourceError):  # much of it is not PGN
            for _ in read_pgn(text, batch_bytes=depth(2**15, 2**18)):  # the smaller text is cut into batches, too
                pass
        batch(text)

    # A letter can be a game, and its row in the table takes a hundred bytes.
    stays_in_proportion(read, SLOW_TEXTS[name], size=2**19, copies=300)


# ---------------------------------------------------------------------------------------------------------- boundaries


#: Texts with as many moves, tags, positions and games a byte as there can be.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SHORT_FEN = b'[FEN"K6k/8/8/8/8/8/8/8\n'
DENSE: dict[str, bytes] = {
    "moves": b"Nf3Nf6Ng1Ng8" * 800,
    "moves of pawns": b"*".join([b"e4.e5.d4.d5.c4.c5.b4.b5."] * 400),
    "tags": "".join(f"[{letter}\n" for letter in LETTERS).encode() * 60,
    "positions": SHORT_FEN * 400,
    "positions of one game": b"[A\n" + SHORT_FEN * 400,
    "results": b"*" * 9000,
}  # fmt: skip


def guarded(text: bytes, *, notes: bool, positions: int = 0) -> tuple[int, int, int]:
    """How many moves, tags and boards came out; nothing was written beyond the room that there is for them."""
    most_moves, most_tags, most_boards = room(len(text))
    arrays = {
        "moves": (np.full(most_moves + 50, 0xA5A5, np.uint16), most_moves),
        "tags": (np.full((most_tags + 50, 4), -7, np.int32), most_tags),
        "boards": (np.full((most_boards + 50, WORDS), 0xA5A5, np.uint64), most_boards),
        "notes": (np.full((most_moves + 50, 2), -7, np.int32), most_moves if notes else 0),
    }
    kept = {name: array[most:].copy() for name, (array, most) in arrays.items()}
    games = np.empty((len(text) + 1, GAME_COLUMNS), np.int64)
    sets = np.full((len(SETS) + 1) * positions + 50, 0xA5A5, np.uint64)
    room_for_sets = sets[: len(SETS) * positions].reshape(len(SETS), positions)
    parsed = (array[:most] for array, most in arrays.values())
    n_games, *counts, end = parse(np.frombuffer(text, np.uint8), games, *parsed, room_for_sets)
    assert end == len(text)
    assert (sets[room_for_sets.size :] == 0xA5A5).all()
    assert (room_for_sets[:, n_games + counts[0] :] == 0xA5A5).all()
    for name, (array, most) in arrays.items():
        assert (array[most:] == kept[name]).all(), name
    return tuple(counts)


def no_byte_counts_twice(text: bytes) -> None:
    """What the room for rows rests on: rows of a kind come of different bytes, each of so many as ``room`` says."""
    columns = read_games(np.frombuffer(text, np.uint8), notes=True)
    assert columns.notes is not None
    assert (columns.notes[:, 1] - columns.notes[:, 0] >= 2).all()
    assert (columns.notes[1:, 0] >= columns.notes[:-1, 1]).all()
    assert (columns.tags[:, 3] >= columns.tags[:, 0] + 1).all()
    assert (columns.tags[1:, 0] - 1 >= columns.tags[:-1, 3]).all()


def test_the_densest_texts_stay_within_the_room_for_them() -> None:
    for name, text in DENSE.items():
        for cut in range(30):
            for notes in (False, True):
                counts = guarded(text[cut:], notes=notes, positions=300 * cut)
                assert all(count <= most for count, most in zip(counts, room(len(text) - cut), strict=True)), name
        no_byte_counts_twice(text)
    shares = {name: np.divide(guarded(text, notes=True), room(len(text))) for name, text in DENSE.items()}
    assert min(shares["moves"][0], shares["tags"][1]) > 0.66, "three bytes each, and room for two"
    assert shares["positions"][2] > 0.85
    assert shares["positions of one game"][2] > 0.85


@given(st.lists(st.sampled_from([
    b"e4", b"e5", b"Nf3", b"Nf6", b"Ng1", b"Ng8", b".", b"*", b"\n", b"[A", b"[B", b'"', b"]", b"{", b"}", b"(", b")",
    b"!", b"=", SHORT_FEN, b'[FEN "', b"K6k/8/8/8/8/8/8/8", b"\n\n", b" ", b"e.p.", b"0-0", b"b",
]), max_size=40).map(b"".join), st.booleans(), st.integers(0, 50))  # fmt: skip
def test_no_text_leaves_the_room_for_its_rows(text: bytes, notes: bool, positions: int) -> None:
    guarded(text, notes=notes, positions=positions)
    no_byte_counts_twice(text)


def reads_everything() -> None:
    """What the test below runs in a process of its own."""
    texts = [text.encode() for text, _ in (*TEXTS.values(), *OURS.values())]
    texts += [text[:cut] for text in [SMALL, *texts] for cut in range(0, len(text) + 1, depth(4, 1))]
    texts += [make(3000) for make in SLOW_TEXTS.values()] + [text[:6000] for text in DENSE.values()]
    dice = random.Random(5)  # noqa: S311
    texts += [dice.randbytes(dice.randrange(200)) for _ in range(depth(100, 500))]
    pieces = [*b'[ ] " { } ( e4 N O-O 0- 1- 1/2 $ ; e8= \\ ! $12 \xe2\x80 \r'.split(), b"\n", b'\n\n[A "']
    pieces += [b"{[%clk ", b"{[%eval -", b"{[%eva", b"1:2", b":3.", b".5,", b"#", b"{\n\n["]
    texts += [b"".join(dice.choices(pieces, k=dice.randrange(40))) for _ in range(depth(600, 3000))]
    for text in texts:
        for notes in (False, True):
            games = batch(text, notes=notes)
            written_on_the_way(text, notes=notes)
            games.tag("Event")
            games.tag("A")
            if notes:
                games.comments()
                list(games)


@pytest.mark.slow
@pytest.mark.nightly
def test_no_text_is_read_beyond_its_end() -> None:
    numba()
    environment = os.environ | {
        "NUMBA_BOUNDSCHECK": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
    }
    done = subprocess.run(
        [sys.executable, "-c", "import test_pgn; test_pgn.reads_everything()"],
        env=environment, capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_values_may_have_an_escaped_quote_before_a_bracket() -> None:
    """PGN 8.1: a quote inside of a value is written with a backslash, and does not end it."""
    text = b'[White "a\\"] b"]\n[Black "\\\\"]\n\n1. e4 *\n\n[White "c"]\n\n1. d4 *\n'
    games = [game for batch in read_pgn(text) for game in batch]
    assert [(game.tags["White"], game.tags.get("Black")) for game in games] == [('a"] b', "\\"), ("c", "?")]
