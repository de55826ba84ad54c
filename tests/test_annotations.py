"""What is noted beside moves, as columns and in games: judged by python-chess, and by a naive twin for comments."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import chess.pgn
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.cost import stays_in_proportion
from helpers.data import FAMOUS_GAMES
from helpers.games import batch
from helpers.python_chess import games_of
from helpers.slow_texts import SLOW_TEXTS, repeated, some_of
from setwise import Game, Games, find, read_pgn, scan
from setwise.archives import zstd
from setwise.corpus.columns import table_of
from setwise.corpus.outputs import Request, opened
from setwise.corpus.query.search import Query, planned, search
from setwise.corpus.sources import pgn
from setwise.notation.pgn.annotations import MATE, clean_comment, read_notes
from setwise.notation.text import decoded

METHODS = ("clocks", "elapsed", "evaluations", "nags", "comments")
COLUMNS = ["clock", "elapsed", "evaluation", "nags", "comment"]

NOTED = b"""[White "A"]

1. e4! $13 { best
by test [%clk 0:00:05.5] } e5?? { a blunder [%eval #-3] } (1... c5! {no}) 2. Nf3 $4 Nc6 { [%emt 0:0:2] } { x } *

[White "B"]
[FEN "4k3/8/8/8/8/8/8/4K2R b - - 0 1"]

1... Kd7 { [%eval 0.17,20] } *
"""
ROWS = [
    (5.5, None, None, [1, 13], "best\nby test [%clk 0:00:05.5]"),
    (None, None, -31997, [4], "a blunder [%eval #-3]"),
    (None, None, None, [4], None),
    (None, 2.0, None, None, "[%emt 0:0:2] x"),
    (None, None, 17, None, "[%eval 0.17,20]"),
]


def columns(games: Any) -> list[tuple[Any, ...]]:
    """The five columns of a batch, row by row."""
    return list(zip(*(getattr(games, name)().to_pylist() for name in METHODS), strict=True))


def noted_in(game: Game) -> list[tuple[Any, ...]]:
    """What a game tells, in the form of the columns."""
    plies = range(1, len(game.moves) + 1)
    nags = [list(game.nags[ply]) if ply in game.nags else None for ply in plies]
    comments = [game.comments.get(ply) for ply in plies]
    return list(zip(game.clocks, game.elapsed, game.evaluations, nags, comments, strict=True))


def told_by(node: chess.pgn.GameNode) -> tuple[Any, ...]:
    """What python-chess tells of a move."""
    score = node.eval()
    nags = sorted(nag for nag in node.nags if 0 < nag < 256)
    return (
        node.clock(), node.emt(), score and score.white().score(mate_score=MATE), nags or None, node.comment or None
    )  # fmt: skip


def agrees(raw: bytes, text: str) -> int:
    """How many moves have notes, where python-chess, the columns and the games tell the same."""
    others, noted = games_of(text), 0
    for games in read_pgn(raw, notes=True):
        rows, offsets = columns(games), games.move_offsets.tolist()
        for game, first, last in zip(games, offsets, offsets[1:], strict=False):
            their = next(others)
            assert rows[first:last] == [told_by(node) for node in their.mainline()]
            assert rows[first:last] == noted_in(game)
            assert game.comments.get(0, "") == their.comment
            [again] = read_pgn(game.pgn().encode(), notes=True)
            assert again[0] == game == game.replace()
            noted += sum(any(cell is not None for cell in row) for row in rows[first:last])
    assert next(others, None) is None
    return noted


# -------------------------------------------------------------------------------------------------- python-chess judges


def test_the_examples_are_noted_as_python_chess_says() -> None:
    agrees(FAMOUS_GAMES.read_bytes(), FAMOUS_GAMES.read_text("utf-8"))


def test_games_of_lichess_are_noted_as_python_chess_says(shared_data: Path) -> None:
    path = shared_data / "pgn" / "lichess_with_clocks.pgn.zst"
    raw = zstd.decompress(path.read_bytes())
    start = raw.index(b"[%eval")
    raw = raw[raw.rindex(b"[Event ", 0, start) :][:300_000]
    raw = raw[: raw.rindex(b"\n[Event ")]
    assert agrees(raw, raw.decode()) > 3000


numbers = st.integers(0, 99).map(str)
commands = st.one_of(
    st.builds("[%clk {}:{}:{}]".format, numbers, numbers, st.sampled_from("0 07 59 3.5 12. 9.123456".split())),
    st.builds("[%emt {}:{}:{}]".format, numbers, numbers, numbers),
    st.builds("[%eval {}]".format, st.sampled_from("0.17 -3 +.5 12.34,20 #3 #-12 #0 #-0 1.234 x . - -0.00 1,".split())),
    st.sampled_from("[%csl Ga1]|[%clk 1:00]|[%|[%clk|[%clk 1:0:0|[%eval #|[%evil 3]|][|[%clk[%clk 0:0:1]".split("|")),
)
words = st.text(st.sampled_from("ab(); $1!?%\n[]é€*."), max_size=8)
comments = st.lists(commands | words, max_size=4).map(" ".join).map(str.strip).filter(lambda text: "\n\n" not in text)
braces = st.builds("{}{}{}".format, st.sampled_from(["{", "{ "]), comments, st.sampled_from(["}", " }"]))
glyphs = st.sampled_from("! ? !! ?? !? ?! !!! ?!? $1 $6 $13 $139 $255 $0 $256 $007 $".split())
rests = st.builds(" ;{}\n".format, st.text(st.sampled_from("ab{}() $1!"), max_size=5))


@st.composite
def annotated(draw: st.DrawFn) -> str:
    """A game with all that can stand between its moves."""
    chance, board, tokens = random.Random(draw(st.integers(0, 2**32))), chess.Board(), []  # noqa: S311
    for _ in range(draw(st.integers(1, 5))):
        others = [board.san(move) for move in board.legal_moves]
        glued = draw(st.sampled_from(["", "", "!", "?!", "!?$3"]))
        san = chance.choice(others)
        board.push_san(san)
        tokens.append(san + glued)
        variations = st.builds(
            lambda notes, inner, others=others: f"({chance.choice(others)} {notes} {inner})",
            st.lists(braces | glyphs, max_size=2).map(" ".join),
            st.sampled_from(["", f"({chance.choice(others)} {{b}})"]),
        )
        tokens += draw(st.lists(braces | glyphs | rests | variations, max_size=4))
        tokens += draw(st.sampled_from([[], [f"{board.fullmove_number}."], ["\n% {escaped} $2\n"]]))
        if board.is_game_over():
            break
    return draw(st.sampled_from(["", "{ before }\n"])) + draw(st.sampled_from([" ", "\n"])).join(tokens) + " *"


@given(annotated())
def test_annotated_games_are_noted_as_python_chess_says(text: str) -> None:
    text = re.sub(r"\n\s*\n", "\n", text)  # an empty line ends its games
    assume("\n;" not in text)
    agrees(text.encode(), text)


# ------------------------------------------------------------------------------------------------------- naive comments

PIECES = st.sampled_from([
    b" ", b"\n", b"\r", b"\t", b"\v", b"\x1c", b"\x1f", b"\0", "\x85".encode(), "\xa0".encode(), "\u1680".encode(),
    "\u2003".encode(), "\u2028".encode(), "\u205f".encode(), "\u3000".encode(), "\u200b".encode(), "\ue000".encode(),
    b"\x85", b"\xa0", b"\xe2\x80", b"\xed\xa0\x80", b"a", b"{", b"(", b";", b"[", b'[Event "', b"\n\n[", b"\n[",
    "é".encode(), b"\xe9",
])  # fmt: skip


@given(st.lists(st.lists(PIECES | st.binary(max_size=3), max_size=12).map(b"".join), min_size=1, max_size=3))
def test_comments_are_cleaned_as_in_games_made_by_hand(raw: list[bytes]) -> None:
    assume(not any(b"}" in piece for piece in raw))
    raw = [piece.replace(b"\0", b"\1") for piece in raw]
    games = batch(b"1. e4 " + b"".join(b"{%b} " % piece for piece in raw) + b"e5 *", notes=True)
    assume(len(games) == 1 and len(games.moves) == 2)
    cleaned = []
    for piece in raw:
        try:
            cleaned.append(clean_comment(piece.decode()))
        except UnicodeDecodeError:
            cleaned.append(clean_comment(decoded(piece)))
    games.comments().validate(full=True)
    assert games.comments().to_pylist() == [" ".join(filter(None, cleaned)) or None, None]
    assert dict(games[0].comments) == ({1: games.comments()[0].as_py()} if any(cleaned) else {})


def cleaned(comments: list[bytes]) -> list[str]:
    """What compiled code makes of comments, which stand in a file as they are."""
    stops = np.cumsum([0, *(len(comment) + 2 for comment in comments)], dtype=np.int32)
    text = np.frombuffer(b"".join(b"{%b}" % comment for comment in comments), np.uint8)
    notes = read_notes(text, np.stack([stops[:-1], stops[1:]], axis=1), np.array([0, len(comments)]), np.array([True]))
    bounds = pairwise(notes.comment_offsets.tolist())
    return [notes.comments[start:stop].tobytes().decode() for start, stop in bounds]


LETTERS = st.text(
    st.sampled_from(" \n\r\t\v\x1c\0ab[{(;é\x85\xa0\u2003\u3000\U0001f600") | st.characters(codec="utf-8")
)


@given(st.lists(LETTERS | st.lists(LETTERS | st.sampled_from(['[Event "', "\n\n[", "\n["])).map("".join), min_size=1))
def test_comments_are_cleaned_by_one_rule_in_python_and_in_compiled_code(texts: list[str]) -> None:
    texts = [text.replace("}", "") for text in texts]
    assert cleaned([text.encode() for text in texts]) == [clean_comment(text) for text in texts]
    latin = [text.encode("latin-1", "ignore") + b"\xe9\xe9" for text in texts]  # nothing of this is UTF-8
    assert cleaned(latin) == [clean_comment(decoded(text)) for text in latin]


def test_the_blanks_around_comments_are_those_that_strip_takes_away() -> None:
    codes = [code for code in (*range(0x10000), *range(0x10000, 0x110000, 255)) if not 0xD800 <= code < 0xE000]
    texts = [f"{chr(code)}a{chr(code)}" for code in codes if chr(code) != "}"]
    assert cleaned([text.encode() for text in texts]) == [clean_comment(text) for text in texts]
    latin = [bytes([code, 0xE9, code]) for code in range(256) if code != ord("}")]
    assert cleaned(latin) == [clean_comment(decoded(text)) for text in latin]


# -------------------------------------------------------------------------------------------------------------- batches


def test_columns_have_a_value_or_null_for_each_move() -> None:
    games = batch(NOTED, notes=True)
    assert columns(games) == ROWS
    types = [getattr(games, name)().type for name in METHODS]
    assert types == [pa.float64(), pa.float64(), pa.int32(), pa.list_(pa.uint8()), pa.string()]
    assert columns(games[1:]) == ROWS[4:]
    assert columns(games[:1]) == ROWS[:4]
    assert columns(games[2:]) == []
    for name in METHODS:
        getattr(games, name)().validate(full=True)


def test_columns_without_notes_say_how_to_get_them() -> None:
    games = batch(NOTED)
    for name in METHODS:
        with pytest.raises(ValueError, match=r"read_pgn\(..., notes=True\)"):
            getattr(games, name)()


def test_a_batch_without_moves_may_lack_notes() -> None:
    text = b'[Event "x"]\n{hello} *'
    for games in (batch(text), batch(text)[:], batch(text)[1:]):
        assert games.notes is None
        with pytest.raises(ValueError, match="without their notes"):
            games.clocks()
    assert not batch(text)[0].comments
    assert batch(text, notes=True)[0].comments == {0: "hello"}
    assert batch(text, notes=True).clocks().to_pylist() == []


@pytest.mark.parametrize(
    ("text", "ours", "their_own"),
    [
        ("1. e4 {a} e5 1-0 {b}", [("a", []), (None, [])], [("a", set()), ("b", set())]),
        ("$5 1. e4 *", [(None, [])], [("", set())]),
        ("1. e4 {a\n\n[b] c} *", [("a\n\n [b] c", [])], [("a\n\n[b] c", set())]),
    ],
)
def test_where_notes_mean_to_differ_from_python_chess(text: str, ours: list[Any], their_own: list[Any]) -> None:
    games, [their] = batch(text.encode(), notes=True), games_of(text)
    notes = zip(games.comments().to_pylist(), games.nags().to_pylist(), strict=True)
    assert [(comment, nags or []) for comment, nags in notes] == ours
    assert [(node.comment, node.nags) for node in their.mainline()] == their_own
    assert not games[0].nags
    assert their.nags == ({5} if text.startswith("$5") else set())


def test_clocks_are_cut_after_six_decimals() -> None:
    text = "1. e4 {[%clk 0:00:01.123456789]} *"
    [their] = games_of(text)
    assert batch(text.encode(), notes=True).clocks().to_pylist() == [1.123456]
    assert their.next().clock() == 1.123456789


def test_a_mate_in_nothing_was_given_by_the_mover() -> None:
    games = batch(b"1. e4 {[%eval #0]} e5 {[%eval #0]} *\n\n" + NOTED.replace(b"0.17,20", b"#0"), notes=True)
    assert games.evaluations().to_pylist() == [MATE, -MATE, None, -31997, None, None, -MATE]
    assert Game(moves=["e4", "e5"], comments={1: "[%eval #0]", 2: "[%eval #-0]"}).evaluations == [MATE, -MATE]


@pytest.mark.parametrize(
    ("text", "nags"),
    [
        ("e4!", [1]), ("e4 ?", [2]), ("e4!!", [3]), ("e4??", [4]), ("e4 !?", [5]), ("e4?!", [6]), ("e4+!?", [5]),
        ("e4 $14$3 $14 !", [1, 3, 14]), ("e4 $0", None), ("e4 $255 $256", [255]), ("e4 $", None), ("e4 {$1 !}", None),
        ("e4 $99999999999999999999", None), ("e4 (d4! $3) ; $4", None), ("e4 ! ! $1", [1]), ("e4 (1. d4 {)} ?!", None),
        ("e4 }!", [1]), ("e4 ) !", [1]), ("e4\n% ! $3\n?", [2]), ("e4 % ?", [2]),
    ],
)  # fmt: skip
def test_nags_are_numbers_and_suffixes(text: str, nags: list[int] | None) -> None:
    assert batch(f"1. {text}".encode(), notes=True).nags().to_pylist() == [nags]


@pytest.mark.parametrize(
    ("comment", "value"),
    [
        ("[%eval 21474836.47]", 2**31 - 1), ("[%eval -21474836.47]", 1 - 2**31), ("[%eval 21474836.48]", None),
        ("[%eval #999999999]", MATE - 999_999_999), ("[%eval #1000000000]", None), ("[%eval  1.5 ]", None),
        ("[%eval\n1.5]", 150), ("[%eval 1.5,]", None), ("[%eval 1.5,3] [%eval 2]", 150),
        ("[%eval 1.555] [%eval 2]", 200), ("[%EVAL 1]", None),
    ],
)  # fmt: skip
def test_evaluations_at_their_limits(comment: str, value: int | None) -> None:
    assert batch(f"1. e4 {{{comment}}}".encode(), notes=True).evaluations().to_pylist() == [value]
    assert Game(moves=["e4"], comments={1: comment}).evaluations == [value]


def test_what_is_never_closed_is_read_to_its_end() -> None:
    for text, row in {
        b"1. e4! { open [%clk 0:0:1]": (1.0, None, None, [1], "open [%clk 0:0:1]"),
        b"1. e4 $3 (d4 { in } $2": (None, None, None, [3], None),
        b"1. e4 { a } Qh9 { b }": (None, None, None, None, "a"),
        b'1. e4 { a\n[Event "b"]\n': (None, None, None, None, "a"),
    }.items():
        assert columns(batch(text, notes=True)) == [row]


# ------------------------------------------------------------------------------------------------- conditions and scans


@pytest.mark.parametrize(
    ("where", "plies"),
    [
        ("clock < 10", [0]),
        ("evaluation < -300", [1]),
        ("evaluation between 0 and 100", [0]),
        ("list_contains(nags, 4)", [1, 2]),
        ("comment like '%blunder%'", [1]),
        ("elapsed > 1 and nags is null", [3]),
        ("comment is null", [2, 4, 1]),
        ("len(nags) = 2", [0]),
        ("4 in nags", [1, 2]),
        ("len([nag for nag in nags if nag > 6]) > 0", [0]),
    ],
)
def test_conditions_ask_what_is_noted(where: str, plies: list[int]) -> None:
    assert find(where, NOTED, columns=["ply"])["ply"].to_pylist() == plies


def test_columns_of_positions_tell_of_the_next_move() -> None:
    expected = [*ROWS[:4], (None,) * 5, ROWS[4], (None,) * 5]
    games = batch(NOTED, notes=True)
    table = table_of(games.positions(), COLUMNS)
    assert [tuple(row.values()) for row in table.to_pylist()] == expected
    assert [tuple(row.values()) for row in table_of(games.positions()[3:6], COLUMNS).to_pylist()] == expected[3:6]
    assert [tuple(row.values()) for row in find("true", NOTED, columns=COLUMNS).to_pylist()] == expected
    assert table_of(games[1:].positions(), COLUMNS).to_pylist() == table[5:].to_pylist()


def test_notes_are_read_only_for_columns_that_need_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[bool] = []
    read = pgn.Games.parsed

    def parse(*args: Any, **more: Any) -> Any:
        asked.extend([more["notes"]] if "notes" in more else [])  # not where a beginning is measured
        return read(*args, **more)

    monkeypatch.setattr(pgn, "Games", SimpleNamespace(parsed=parse))
    find("ply = 0", NOTED)
    find("ply = 0", NOTED, columns=["clock"])
    find("clock < 3", NOTED, columns=["san"])
    scan(NOTED, tmp_path / "plain.parquet")
    scan(NOTED, tmp_path / "noted.parquet", features=[*COLUMNS, "passed_pawns"])
    assert asked == [False, True, True, False, True]
    assert pyarrow.parquet.read_table(tmp_path / "noted.parquet", columns=COLUMNS).num_rows == 7


def test_every_output_takes_them(tmp_path: Path) -> None:
    names = ["san", "white_name", "event", *COLUMNS]
    for ending in ("parquet", "csv", "jsonl"):
        [(source, question)] = planned(NOTED, Query(columns=names))
        with opened(tmp_path / f"x.{ending}", Request(question.schema)) as output:
            for found in search([(source, question)]):
                output.write(found)
    rows = table_of(batch(NOTED, notes=True).positions(), names).to_pylist()
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").to_pylist() == rows
    assert '"nags": [1, 13]' in (tmp_path / "x.jsonl").read_text()
    assert '\n"e5","A",,,,-31997,"4","a blunder [%eval #-3]"\n' in (tmp_path / "x.csv").read_text()
    assert ',"1 13",' in (tmp_path / "x.csv").read_text()


# ----------------------------------------------------------------------------------------------------------- slow texts

PIECES_OF_NOTES = (
    b"!", b"?", b"$1", b"$1$2$3$4$5$6$7$8$9", b"$", b"%", b"% ", b" %", b"{[", b"{[%clk ", b"[%clk 1", b"{[%eval 1}",
    b"{[%clk  ", b"{a}", b"{\n\n[ ", b"{\xe9\n", b"(", b"(;", b"({}", b"{\r", b"{ \xc2\x85", b"\xe2\x80\x80",
)  # fmt: skip


SLOW_NOTES = (
    SLOW_TEXTS
    | {repr(piece): lambda size, piece=piece: repeated(piece, size, before=b"1. e4 ") for piece in PIECES_OF_NOTES}
    | {
        f"{piece!r} in a comment": lambda size, piece=piece: repeated(piece.strip(b"}"), size, before=b"1. e4 {")
        for piece in PIECES_OF_NOTES
    }
)


@pytest.mark.parametrize("name", some_of(SLOW_NOTES, 2))
def test_notes_cost_in_proportion_to_the_text(name: str) -> None:
    def make(size: int) -> Games:
        return batch(SLOW_NOTES[name](size), notes=True)

    # A letter can be a game, and its row in the table takes a hundred bytes; to read larger texts takes seconds.
    stays_in_proportion(lambda games: games[:].comments(), make, size=2**18, copies=300, largest=2**18)
