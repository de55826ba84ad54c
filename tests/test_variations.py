"""Variations: read as trees, compared with python-chess on annotated games; broken ones; written back as they were."""

from __future__ import annotations

import io
import pickle
import random

import chess
import chess.pgn
import numpy as np
import pytest

from helpers.annotated import annotated_game, chess_tree, tree_of
from helpers.cost import stays_in_proportion
from helpers.games import batch
from helpers.python_chess import games_of
from helpers.slow_texts import SLOW_TEXTS, some_of
from setwise import Game, Variation, read_pgn
from setwise.game.batch import Block
from setwise.game.games import Games
from setwise.notation.pgn.lines import COUNT, DEEPEST

ANNOTATED = [annotated_game(seed) for seed in range(300)]
FENS = {Game.from_pgn(text).tags.get("FEN", "") for text in ANNOTATED}


def trees(text: bytes) -> Games:
    """All games of a text with their variations, in one batch."""
    return Games.parsed(Block(text, "<bytes>", 0, 1), variations=True)


def faults(text: str) -> list[str]:
    return [str(fault) for fault in trees(text.encode()).faults()]


def last_line(text: str) -> str:
    """The moves of a text with its variations, written back."""
    return Game.from_pgn(text, variations=True).pgn(columns=None).splitlines()[-1]


# --------------------------------------------------------------------------------------------------------- the oracle


def test_trees_are_those_of_python_chess() -> None:
    games = trees("".join(ANNOTATED).encode())
    assert not list(games.faults())
    nodes = 0
    for game, theirs in zip(games, games_of("".join(ANNOTATED)), strict=True):
        told = tree_of(game).told()
        assert told == chess_tree(theirs).told()
        nodes += len(told)
    assert nodes > 5_000
    assert games.lines is not None
    assert games.lines.table[:, COUNT].sum() == len(games.lines.moves) > 2_000


def test_a_game_is_written_back_as_it_was() -> None:
    for text in ANNOTATED[::3]:
        game = Game.from_pgn(text, variations=True)
        written = game.pgn()
        assert Game.from_pgn(written, variations=True) == game
        theirs = chess.pgn.read_game(io.StringIO(written))
        assert theirs is not None
        assert chess_tree(theirs).told() == tree_of(game).told()


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 ( 1... c5 2. Nf3 ( 2. c3 ) 2... d6 ) ( 1... e6 ) 2. Nf3 *",
        "{ all } 1. e4 ( { first } 1. d4 $1 { queen's } 1... d5 ) 1... e5 { end } *",
        "1. e4 { a } ( 1. d4 ) ( 1. c4 ) *",
    ],
)
def test_what_python_chess_writes_is_written_back_to_the_letter(text: str) -> None:
    assert last_line(text) == text
    theirs = chess.pgn.read_game(io.StringIO(text))
    assert theirs is not None
    assert theirs.accept(chess.pgn.StringExporter(columns=None, headers=False)) == text


# --------------------------------------------------------------------------------------------- the game stays the same


def test_the_game_is_read_as_without_its_variations() -> None:
    text = "".join(ANNOTATED).encode()
    plain, with_lines = batch(text, notes=True), trees(text)
    for name in ("table", "moves", "tags", "boards", "notes"):
        assert np.array_equal(getattr(plain, name), getattr(with_lines, name))
    assert plain.lines is None
    assert plain[0].variations() == ()
    positions = zip(plain.positions().fens(), with_lines.positions().fens(), strict=True)
    assert all(one == other for one, other in positions)


@pytest.mark.parametrize("size", [1, 300, 5_000, 1 << 24])
def test_blocks_of_any_size_give_the_same_trees(size: int) -> None:
    text = "".join(ANNOTATED[:60]).encode()
    whole = [tree_of(game).told() for game in trees(text)]
    read = [tree_of(game).told() for games in read_pgn(text, batch_bytes=size, variations=True) for game in games]
    assert read == whole


def test_a_range_of_games_has_their_variations() -> None:
    games = trees("".join(ANNOTATED[:40]).encode())
    told = [tree_of(game).told() for game in games]
    assert [tree_of(game).told() for game in games[13:29]] == told[13:29]
    assert [tree_of(game).told() for game in games[13:29][2:5]] == told[15:18]
    assert list(games[13:29].faults()) == []


# ------------------------------------------------------------------------------------------------------------- places

PLACES = [
    # Before the first move, and with no move at all: from the start of the game.
    ('[A "b"] (1. d4 d5) 1. e4 *', "1. e4 ( 1. d4 d5 ) *"),
    ('[A "b"] (1. d4 d5) *', "( 1. d4 d5 ) *"),
    ('[A "b"] (1. d4) (1. c4 c5) *', "( 1. d4 ) ( 1. c4 c5 ) *"),
    # After the last move, after a result inside, after a comment.
    ("1. e4 e5 (1... c5 1-0) 1-0", "1. e4 e5 ( 1... c5 ) 1-0"),
    ("1. e4 e5 (1... c5 *) {end} *", "1. e4 e5 { end } ( 1... c5 ) *"),
    # A variation at the beginning of a variation begins where that begins.
    ("1. e4 e5 ((1... c6) 1... c5 2. Nf3) *", "1. e4 e5 ( 1... c5 2. Nf3 ) ( 1... c6 ) *"),
    # Nothing inside, and comments alone.
    ("1. e4 () ( ) e5 *", "1. e4 e5 *"),
    ("1. e4 ({later}) e5 *", "1. e4 ( { later } ) 1... e5 *"),
    # Null moves, en passant, castling by zeros, promotions in parentheses.
    ("1. e4 (1. --) e5 *", "1. e4 ( 1. -- ) 1... e5 *"),
    ("1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6 4.d3(4.0-0)*", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. d3 ( 4. O-O ) *"),
    ('[FEN "8/4P1k1/8/8/8/8/8/K7 w - - 0 1"] Kb1 (1. e8(Q) Kf6)(1.e8=N+) *', "1. Kb1 ( 1. e8=Q Kf6 ) ( 1. e8=N+ ) *"),
    ('[FEN "8/4P1k1/8/8/8/8/8/K7 w - - 0 1"] 1. e8(Q) (1. Kb1) *', "1. e8=Q ( 1. Kb1 ) *"),
    # Parentheses in comments and behind semicolons are text.
    ("1. e4 {(} (1. d4 {)} d5 ; )\n 2. c4) 1... e5 *", "1. e4 { ( } ( 1. d4 { ) } 1... d5 2. c4 ) 1... e5 *"),
    # NAGs as numbers and as signs.
    ("1. e4! (1. d4 $14 !? {x} $2) e5 *", "1. e4 $1 ( 1. d4 $2 $5 $14 { x } ) 1... e5 *"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "written"), PLACES)
def test_variations_stand_anywhere(text: str, written: str) -> None:
    assert last_line(text) == written
    tags = text[: text.find("]") + 1]
    assert last_line((tags or '[A "b"]') + written) == written


def test_a_line_with_a_percent_sign_is_skipped() -> None:
    assert last_line("1. e4 (1. d4\n% nothing\nd5) 1... e5 *") == "1. e4 ( 1. d4 d5 ) 1... e5 *"


# -------------------------------------------------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("1. e4 (1. d4 e5 *", ["<bytes>, line 1, game 1: '(1.': a variation is never closed"]),
        (
            "1. e4\n e5 ) 2. Nf3 *",
            ["<bytes>, line 2, game 1: ')': this parenthesis closes a variation that was never opened"],
        ),
        ("1. e4 (1. d4 Ke4 d5 (1... e5)) e5 *", ["<bytes>, line 1, game 1: 'Ke4': no piece can make this move"]),
        ("1. e4 (1. d4 {d5) e5 *", ["<bytes>, line 1, game 1: '(1.': a variation is never closed"]),
    ],
)
def test_what_is_broken_is_said_in_one_sentence(text: str, sentences: list[str]) -> None:
    assert faults(text) == sentences
    next_game = text + '\n\n[Event "next"]\n\n1. c4 (1. Nf3) *'
    games = trees(next_game.encode())
    assert [str(fault) for fault in games.faults()] == sentences
    assert [line.sans() for line in games[1].variations()] == [["Nf3"]]


def test_a_broken_line_ends_alone() -> None:
    game = trees(b"1. e4 (1. d4 d5 2. Ke5 Nf6 (2... c5)) (1. c4 c5) e5 2. Nf3 *")[0]
    assert game.sans() == ["e4", "e5", "Nf3"]
    assert [line.sans() for line in game.variations()] == [["d4", "d5"], ["c4", "c5"]]


def test_the_moves_of_an_unclosed_variation_are_kept() -> None:
    game = trees(b"1. e4 (1. d4 d5 (1... Nf6 2. c4")[0]
    assert [line.sans() for line in game.variations()] == [["d4", "d5"]]
    assert [line.sans() for line in game.variations()[0].variations()] == [["Nf6", "c4"]]


def test_variations_that_nest_too_deep_are_reported() -> None:
    def nested(depth: int) -> str:
        return "1. e4 " + "(1. d4 " * depth + ")" * depth + " e5 *"

    assert faults(nested(DEEPEST)) == []
    [sentence] = faults(nested(DEEPEST + 1))
    assert sentence.endswith(f"'(1.': this variation is inside {DEEPEST} others, and is not read")
    game = Game.from_pgn(nested(DEEPEST), variations=True)
    assert Game.from_pgn(game.pgn(), variations=True) == game


def test_a_variant_ends_its_lines_too() -> None:
    tags = '[Variant "King of the Hill"]\n[FEN "4k3/8/8/8/8/3K4/8/8 w - - 0 1"]\n\n'
    [sentence] = faults(tags + "1. Kc3 (1. Ke4 Kd7 2. Kf4) 1... Kd7 *")
    assert sentence.endswith("'Kd7': the game has ended before by the rules of its variant")
    tags = '[Variant "Three-check"]\n[FEN "4k3/8/8/8/8/8/8/Q3K3 w - - 2+3 0 1"]\n\n'
    checks = "1. Qb2 (1. Qa8+ Kd7 2. Qd5+ Kc7 3. Qe4) (1. Qe5+ Kd7 2. Qf4) 1... Kd7 *"
    assert [sentence.split(": ", 1)[1] for sentence in faults(tags + checks)] == [
        "'Kc7': the game has ended before by the rules of its variant"
    ]


# ------------------------------------------------------------------------------------------------------------ garbage


def test_garbage_and_cut_texts_are_read() -> None:
    rng = random.Random(7)  # noqa: S311
    text = "".join(ANNOTATED[:40]).encode()
    for _ in range(200):
        start = rng.randrange(len(text) - 2_000)
        piece = bytearray(text[start : start + rng.randrange(2_000)])
        for _ in range(rng.randrange(10)):
            if piece:
                piece[rng.randrange(len(piece))] = rng.choice(b'(){}[]";% \n$!eN4O-0*\xff')
        games = trees(bytes(piece))
        plain = batch(bytes(piece), notes=True)
        if games.block.text == plain.block.text:  # else words of variations were said in the words of PGN
            assert np.array_equal(games.table, plain.table)
        assert np.array_equal(games.moves, plain.moves)
        for game in games:
            if game.tags.get("FEN", "") in FENS and game.tags.get("Variant", "Chess960") == "Chess960":
                assert Game.from_pgn(game.pgn(), variations=True).pgn() == game.pgn()
        assert all(str(fault) for fault in games.faults())


@pytest.mark.parametrize("name", some_of(SLOW_TEXTS, 1))
def test_no_text_takes_long(name: str) -> None:
    stays_in_proportion(trees, SLOW_TEXTS[name], size=2**18, copies=300)


# -------------------------------------------------------------------------------------------------------------- objects


def test_a_variation_is_a_line() -> None:
    game = Game.from_pgn("1. f3 e5 2. g4 (2. a3 d5 (2... Qh4+ {oops} 3. g3)) 2... Qh4# 0-1", variations=True)
    [line] = game.variations()
    assert isinstance(line, Variation)
    assert line.position == game.positions()[2]
    assert line.end().fen() == "rnbqkbnr/ppp2ppp/8/3pp3/8/P4P2/1PPPP1PP/RNBQKBNR w KQkq - 0 3"
    [inner] = line.variations()
    assert (inner.parent_ply, inner.sans(), dict(inner.comments)) == (3, ["Qh4+", "g3"], {1: "oops"})
    assert repr(inner) == "<Variation 2... Qh4+ 3. g3>"
    assert pickle.loads(pickle.dumps(line)) == line != inner
    assert pickle.loads(pickle.dumps(game)) == game
    assert hash(line) == hash(pickle.loads(pickle.dumps(line)))


def test_a_changed_game_keeps_its_variations_as_long_as_its_moves_stay() -> None:
    game = Game.from_pgn("1. e4 (1. d4) e5 *", variations=True)
    assert game.replace(comments={1: "best"}).variations() == game.variations()
    assert game.play("Nf3").variations() == game.variations()
    assert game.replace(moves=["c4"]).variations() == ()
    assert game != Game.from_pgn("1. e4 (1. d4) e5 *")
