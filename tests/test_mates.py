"""Mates by name against python-chess, which says what is mate, Lichess's themes, and their twins square by square."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from naive.mates import changed, examples, names
from setwise import Position, Positions
from setwise.catalogue import page
from setwise.catalogue.examples import statements_of
from setwise.errors import ImpossiblePosition
from setwise.features import mate_names as named
from setwise.features.mate_names import NAMES
from setwise.patterns import mates

EXAMPLES = {name: (mate, near) for name, mate, near in examples()}
BY_THEME = {
    "anastasiaMate": "anastasia", "arabianMate": "arabian", "backRankMate": "back_rank", "balestraMate": "balestra",
    "blindSwineMate": "blind_swine", "bodenMate": "boden", "cornerMate": "corner", "doubleBishopMate": "double_bishop",
    "dovetailMate": "dovetail", "epauletteMate": "epaulette", "hookMate": "hook", "killBoxMate": "kill_box",
    "morphysMate": "morphy", "operaMate": "opera", "pillsburysMate": "pillsbury", "smotheredMate": "smothered",
    "swallowstailMate": "swallowtail", "triangleMate": "triangle", "vukovicMate": "vukovic",
}  # fmt: skip
#: Puzzles that bear a theme wrongly: one bishop mates alone, and the other takes no square.
MISTAGGED = {("09GYu", "bodenMate"), ("07F8Y", "doubleBishopMate")}


def position(board: chess.Board) -> Position:
    return Position(board.fen())


def test_every_pattern_names_mates_and_has_its_example() -> None:
    assert sorted(NAMES) == sorted(mates.__all__) == sorted(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_mate_bears_its_name_and_what_looks_like_it_does_not(name: str) -> None:
    mate, near = EXAMPLES[name]
    for board in (mate, near):
        assert board.is_valid()
        assert board.is_checkmate()
    assert name in position(mate).mate_patterns()
    assert name not in position(near).mate_patterns()


@pytest.mark.parametrize("name", NAMES)
def test_the_page_draws_a_whole_mate(name: str) -> None:
    [drawing] = [it.drawing for it in statements_of(page(f"mates.{name}")) if it.drawing]
    board = chess.Board(None)
    board.set_piece_map({square: chess.Piece.from_symbol(it) for square, it in (drawing.pieces or {}).items()})
    board.turn = chess.BLACK
    assert board.is_valid()
    assert board.is_checkmate()
    assert name in position(board).mate_patterns()


def test_a_second_bishop_that_takes_a_square_makes_no_balestra() -> None:
    # Bishop b2 alone takes g7 and h8. Where these are blocked, the bishop that checks and the queen take the rest.
    assert "balestra" not in Position("6k1/8/4B3/5Q2/8/8/1B6/6K1 b - - 0 1").mate_patterns()
    assert Position("6kr/6p1/4B3/5Q2/8/8/8/6K1 b - - 0 1").mate_pattern() == "balestra"


@pytest.mark.parametrize("name", EXAMPLES)
def test_names_are_the_same_for_either_colour_and_either_wing(name: str) -> None:
    for board in EXAMPLES[name]:
        here = position(board)
        board.castling_rights = 0
        assert here.mirror().mate_patterns() == here.mate_patterns()
        assert position(board.transform(chess.flip_horizontal)).mate_patterns() == here.mate_patterns()


def test_names_are_those_of_the_twins_the_first_one_names_the_mate() -> None:
    random = np.random.default_rng(43)
    boards = [changed(board, random) for pair in EXAMPLES.values() for board in pair for _ in range(depth(30, 60))]
    boards = [board for board in boards if board.is_valid()]
    boards += [board.mirror() for board in boards]
    expected = [names(board, NAMES) if board.is_checkmate() else None for board in boards]
    positions = Positions.from_boards(boards)
    assert positions.mate_patterns().to_pylist() == [None if it is None else list(it) for it in expected]
    assert positions.mate_pattern().to_pylist() == [it[0] if it else None for it in expected]
    assert {name for it in expected for name in it or ()} == set(NAMES)
    assert expected.count(None) > 500


def test_mates_in_famous_games_bear_their_names() -> None:
    found = setwise.find("is_checkmate", FAMOUS_GAMES, columns=["white_name", "mate_pattern"]).to_pylist()
    told = {row["white_name"].partition(",")[0]: row["mate_pattern"] for row in found}
    assert told["Legall de Kermeur"] == "legal"
    assert told["Morphy"] == "opera"
    assert told["Reti"] == "reti"
    assert told["Byrne"] == "vukovic"
    # The Immortal and the Evergreen Game end with mates that have no name.
    assert told["Anderssen"] is None


# -------------------------------------------------------------------------------------------------------------- judges


def test_every_mate_that_lichess_has_named_is_found(shared_data: Path) -> None:
    path = shared_data / "puzzles" / "lichess_themes_sample.csv"
    if not path.exists():
        pytest.skip(f"the puzzles {path.name} are not here")
    tagged, missed, ends = Counter[str](), set(), []
    with path.open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            themes = BY_THEME.keys() & set(row["Themes"].split())
            if themes:
                board = chess.Board(row["FEN"])
                for move in row["Moves"].split():
                    board.push_uci(move)
                ends.append((row["PuzzleId"], themes, board))
    found = Positions.from_boards(board for _, _, board in ends).mate_patterns().to_pylist()
    for (puzzle, themes, _), bears in zip(ends, found, strict=True):
        tagged.update(themes)
        missed |= {(puzzle, theme) for theme in themes if BY_THEME[theme] not in bears}
    assert missed == MISTAGGED
    assert tagged.keys() == BY_THEME.keys()
    assert sum(tagged.values()) > 600


# ----------------------------------------------------------------------------------------------- what is not mate, cost


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
        "6rk/5Npp/8/8/8/8/8/6K1 w - - 0 1",  # the picture, and nobody's move that it could be
        "5brk/4N1pp/8/8/8/8/8/6K1 b - - 0 1",
    ],
)
def test_what_is_no_mate_has_no_name(fen: str) -> None:
    here = Position(fen, strict=False)
    assert here.mate_pattern() is None
    assert here.mate_patterns() == ()
    assert Positions.from_positions([here]).mate_patterns().to_pylist() == [None]


@pytest.mark.parametrize(("kings", "fault"), [("", "no king"), ("k", "White has no king"), ("Kkk", "3 kings")])
def test_where_not_each_side_has_one_king_the_fault_is_told(kings: str, fault: str) -> None:
    board = chess.Board("8/5Npp/8/8/8/8/8/8 b - - 0 1")
    for letter, square in zip(kings, (chess.A1, chess.H8, chess.C8), strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    with pytest.raises(ImpossiblePosition, match=fault):
        Position(board.fen(), strict=False).mate_pattern()


@pytest.mark.parametrize("name", mates.__all__)
def test_without_a_king_there_is_no_picture(name: str) -> None:
    pattern = getattr(mates, name)
    everything = dict.fromkeys(pattern.kinds, 2**64 - 1)
    assert not pattern(*(everything | {"king": 0}).values())
    assert not pattern(*dict.fromkeys(everything, 0).values())


def test_positions_that_are_no_mates_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(named, "write_names", lambda sets, white, rows, out: asked.append(rows.tolist()))
    mate = EXAMPLES["smothered"][0].fen()
    Positions.from_fens([chess.STARTING_FEN] * 3).mate_pattern()
    assert not asked
    Positions.from_fens([chess.STARTING_FEN, mate, chess.STARTING_FEN]).mate_pattern()
    assert asked == [[1]]


def test_a_condition_finds_a_name_among_all_that_a_mate_bears() -> None:
    game = b"1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0"
    assert setwise.find("mate_pattern = 'legal'", game, columns=["ply"]).to_pylist() == [{"ply": 13}]
    assert setwise.find("list_contains(mate_patterns, 'smothered')", game).num_rows == 0
    assert setwise.find("mate_pattern is null", game).num_rows == 13
