"""PGN, written: as python-chess writes it, and such that it and our reader read back what was written."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import DATA, FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise import Game, Position, read_pgn, write_pgn
from setwise.errors import OutputError
from setwise.notation.pgn.annotations import clean_comment
from setwise.notation.pgn.writing import ROSTER, TAG_NAME, movetext, pgn_text, unescaped


def theirs(text: str) -> Iterator[chess.pgn.Game]:
    """The games that python-chess reads, their tags in the standard's order."""
    for game in games_of(text):
        game.headers = chess.pgn.Headers(sorted(game.headers.items()))
        yield game


def exported(game: chess.pgn.Game, columns: int | None = 80) -> str:
    return game.accept(chess.pgn.StringExporter(columns=columns, variations=False))


def ours(text: str) -> list[Game]:
    return [game for games in read_pgn(text.encode(), notes=True) for game in games]


# ------------------------------------------------------------------------------------------------------ as python-chess


def test_the_examples_are_written_as_by_python_chess() -> None:
    text = FAMOUS_GAMES.read_text("utf-8")
    for columns in (80, 40, None):
        assert [game.pgn(columns=columns) for game in ours(text)] == [exported(game, columns) for game in theirs(text)]


def unlike(raw: bytes) -> list[tuple[str, str]]:
    """The games of a text that are not written as by python-chess, by both; each game comes back from its PGN."""
    text = read_text(raw)
    written = [game.pgn() for game in ours(text)]
    assert ours("\n\n".join(written)) == ours(text)
    return [pair for pair in zip(written, map(exported, theirs(text)), strict=True) if pair[0] != pair[1]]


def read_text(raw: bytes) -> str:
    """A file as python-chess gets it."""
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return raw.decode("latin-1").replace("\r\n", "\n")


@pytest.mark.parametrize(("name", "games"), [("odd.pgn", 24), ("windows.pgn", 2), ("latin1.pgn", 1)])
def test_odd_games_are_written_as_by_python_chess(name: str, games: int) -> None:
    raw = (DATA / name).read_bytes()
    assert len(ours(read_text(raw))) == games
    assert unlike(raw) == []


def test_unknown_results_and_bare_quotes_are_written_otherwise_than_by_python_chess() -> None:
    """A result "?" is none, and quotes in a value are escaped; docs/differences.md says why."""
    [result] = unlike(b'[Event "a"]\n[Result "?"]\n\n1. e4 *\n')
    assert ['[Result "?"]' in it for it in result] == [False, True]
    [quotes] = unlike(b'[Event "the "Machine" himself"]\n\n1. e4 *\n')
    assert [it.splitlines()[0] for it in quotes] == [
        r'[Event "the \"Machine\" himself"]', '[Event "the "Machine" himself"]',
    ]  # fmt: skip


#: Files of others, with the number of their games that are not written alike.
UNLIKE = {
    "chess-library/backslash_header.pgn": 1, "chess-library/empty_body.pgn": 1,
    "chess-library/unescaped_quote_header.pgn": 1,
}  # fmt: skip
#: The file that python-chess reads otherwise: HTML, with all tags on one line.
OTHERWISE_READ = {"chess.js/0.pgn"}


def test_files_of_others_are_written_as_by_python_chess(shared_data: Path) -> None:
    folder = shared_data / "pgn"
    fixtures = {str(it.relative_to(folder / "fixtures")): it for it in (folder / "fixtures").rglob("*.pgn")}
    assert len(fixtures) > 25
    found = {name: len(unlike(path.read_bytes())) for name, path in fixtures.items() if name not in OTHERWISE_READ}
    assert {name: count for name, count in found.items() if count} == UNLIKE
    for name in ("chess960/chess960rwch.pgn", "twic1599.pgn"):
        raw = (folder / name).read_bytes()[:100_000]
        assert unlike(raw[: raw.rindex(b"\n[Event ")]) == []


# ------------------------------------------------------------------------------------------ what is written comes back

START = st.just(Position())
ELSEWHERE = st.sampled_from(
    [
        Position("4k3/P7/8/8/3p4/8/4P3/R3K2R w KQ - 5 31"),
        Position("r3k2r/8/8/8/4Pp2/8/8/4K3 b kq e3 0 17"),
        Position("4k3/8/8/8/8/8/8/4K2R b K - 0 9"),
        Position("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", chess960=True),
        Position("nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBhb - 0 1", chess960=True),
    ]
)
NAMES = (st.sampled_from([*ROSTER, "ECO", "WhiteElo", "Opening"]) | st.from_regex(TAG_NAME, fullmatch=True)).filter(
    lambda name: name not in {"FEN", "SetUp", "Variant", "Result"}
)
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
VALUES = st.text(LETTERS.filter(lambda letter: letter not in "\r\n") | st.sampled_from('"\\][{}% '), max_size=20)
TEXTS = st.text(LETTERS | st.sampled_from('\n{}();[]"%$ 1.e4'), max_size=40) | st.sampled_from(
    ['x\n[Event "y"]\n', 'x\n\n[White "y"]\n\n1. e4', "a\r\n\r\n[%clk 1:00:00]", "x\n% y", "; z", "( 1. e4", "1-0"]
)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Random games: legal moves from some position, tags of any letters, comments and NAGs anywhere."""
    now = start = draw(START | ELSEWHERE)
    chance, moves = random.Random(draw(st.integers(0, 2**32))), []  # noqa: S311
    for _ in range(draw(st.integers(0, 40))):
        legal = now.legal_moves()
        if not legal:
            break
        moves.append(chance.choice(legal))
        now = now.play(moves[-1])
    tags = draw(st.dictionaries(NAMES, VALUES, max_size=4))
    comments = draw(st.dictionaries(st.integers(0, len(moves)), TEXTS, max_size=4))
    nags = draw(st.dictionaries(st.integers(1, len(moves)), st.integers(1, 255), max_size=3)) if moves else {}
    result = draw(st.sampled_from([None, "1-0", "0-1", "1/2-1/2", "*"]))
    return Game(tags, moves, start, result, comments=comments, nags=nags)


@given(st.lists(games(), min_size=1, max_size=3))
def test_our_reader_reads_the_games_that_were_written(written: list[Game]) -> None:
    file = io.BytesIO()
    assert write_pgn(written, file) == len(written)
    read = [game for batch in read_pgn(file.getvalue(), notes=True) for game in batch]
    assert read == written
    assert [game.pgn() for game in read] == [game.pgn() for game in written]


@given(st.lists(games(), min_size=1, max_size=3))
def test_python_chess_reads_the_games_that_were_written(written: list[Game]) -> None:
    file = io.StringIO()
    write_pgn(written, file)
    for game, their in zip(written, theirs(file.getvalue()), strict=True):
        nodes = list(their.mainline())
        assert not their.errors
        assert {name: unescaped(value) for name, value in their.headers.items()} == game.tags
        assert their.board().fen() == game.position.fen()
        assert their.board().chess960 == game.position.chess960
        assert [node.move.uci() for node in nodes] == [game.position.uci(move) for move in game.moves]
        assert {ply: tuple(node.nags) for ply, node in enumerate(nodes, 1) if node.nags} == game.nags
        assert {ply: node.comment for ply, node in enumerate([their, *nodes]) if node.comment} == game.comments


@given(games())
def test_lines_of_moves_are_below_80_columns(game: Game) -> None:
    plain = game.replace(comments={}, tags={})
    movetext = plain.pgn().split("\n\n", 1)[1]
    assert all(len(line) < 80 for line in movetext.split("\n"))
    assert movetext.replace("\n", " ") == plain.pgn(columns=None).split("\n\n", 1)[1]


@given(TEXTS)
def test_a_comment_that_was_cleaned_is_clean(text: str) -> None:
    assert clean_comment(clean_comment(text)) == clean_comment(text)


# ----------------------------------------------------------------------------------------------------------- the format


def test_black_moves_have_numbers_after_comments() -> None:
    start = Position().play("e4")
    game = Game(moves="e5 Nf3 Nc6 Bb5 a6".split(), position=start, comments={0: "black", 2: "white"}, nags={3: [6, 2]})
    assert game.pgn().split("\n\n")[1] == "{ black } 1... e5 2. Nf3 { white } 2... Nc6 $2 $6 3. Bb5 a6 *"


def test_black_moves_have_numbers_after_variations() -> None:
    tokens = movetext("e4 e5 Nf3".split(), 1, white=True, comments={}, nags={}, inside={1: ["(", "1.", "d4", ")"]})
    assert " ".join(tokens) == "1. e4 ( 1. d4 ) 1... e5 2. Nf3"


def test_line_breaks_in_tags_become_blanks() -> None:
    assert pgn_text({"Event": "a\r\nb\nc\rd"}, ["*"]) == '[Event "a b c d"]\n\n*'


def test_quotes_and_backslashes_in_tags_are_escaped() -> None:
    game = Game({"Event": r'a "b" \ c\\', "Site": '"]'})
    assert game.pgn().splitlines()[:2] == [r'[Event "a \"b\" \\ c\\\\"]', r'[Site "\"]"]']
    assert ours(game.pgn()) == [game]


def test_comments_lose_what_pgn_cannot_hold() -> None:
    assert clean_comment(" a } b\r\nc ") == "a  b\nc"
    assert clean_comment('x\n[Event "y"]') == 'x\n [Event "y"]'
    assert clean_comment("x\n\n[White]") == "x\n\n [White]"
    assert Game(moves=["e4"], comments={1: " } "}).comments == {}


def test_nags_and_clocks_come_back() -> None:
    comment = "[%eval 0.18] [%clk 0:01:00] good"
    game = Game(moves=["e4"], comments={1: comment}, nags={1: (1, 14)})
    [their] = theirs(game.pgn())
    assert exported(their) == game.pgn()
    node = their.next()
    assert (node.nags, node.clock(), node.comment) == ({1, 14}, 60.0, comment)


# ------------------------------------------------------------------------------------------------------------- to files


def test_files_paths_and_batches_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "out.pgn"
    games = [game for batch in read_pgn(FAMOUS_GAMES, notes=True) for game in batch]
    assert write_pgn(read_pgn(FAMOUS_GAMES, notes=True), path) == len(games)
    written = path.read_bytes()
    assert [game for batch in read_pgn(path, notes=True) for game in batch] == games
    for target in (io.BytesIO(), io.StringIO(newline="\n")):
        assert write_pgn(iter(games), target) == len(games)
        text = target.getvalue()
        assert (text.encode() if isinstance(text, str) else text) == written
    with path.open("wb") as file:
        write_pgn(games[0], file)
    assert path.read_bytes() == f"{games[0]}\n\n".encode()
    with path.open("w", encoding="utf-8") as file:
        assert write_pgn([], file) == 0


def test_games_may_be_written_over_their_file(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(FAMOUS_GAMES.read_bytes())
    games = [game for batch in read_pgn(path, notes=True) for game in batch]
    assert write_pgn(read_pgn(path, notes=True), path) == len(games)
    assert [game for batch in read_pgn(path, notes=True) for game in batch] == games
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_older_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError):
        write_pgn((Game(moves=["e4"]) if number else 1 / 0 for number in (1, 0)), path)
    assert path.read_text() == "old"
    assert "1. e4 *" in (tmp_path / "games.pgn.part").read_text()


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write_pgn([], tmp_path / "missing" / "out.pgn")
