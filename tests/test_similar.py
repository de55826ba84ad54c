"""Similar positions: the distance against a naive twin on python-chess's boards, the nearest against a sort of all."""

from __future__ import annotations

import re

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.python_chess import games_of
from helpers.unlikeness import unlikeness
from setwise import Bitboard, Position, Positions
from setwise.cli.app import run
from setwise.errors import QueryError
from setwise.position import likeness

CARLSBAD = "r1bq1rk1/pp1nbppp/2p2n2/3p2B1/3P4/2N1P3/PPQ2PPP/R3KBNR w KQ - 0 1"


@st.composite
def boards(draw: st.DrawFn) -> chess.Board:
    """Any pieces anywhere, kings or not."""
    pieces = draw(st.dictionaries(st.integers(0, 63), st.sampled_from("PNBRQKpnbrqk"), max_size=32))
    board = chess.Board(None)
    board.set_piece_map({square: chess.Piece.from_symbol(letter) for square, letter in pieces.items()})
    return board


def sets_of(board: chess.Board) -> np.ndarray:
    return Positions.from_positions([Position(board.fen(), strict=False)]).sets


@settings(max_examples=depth(100, 5000))
@given(boards(), boards())
def test_the_distance_is_the_twins(one: chess.Board, other: chess.Board) -> None:
    here, there = sets_of(one), sets_of(other)
    [points] = likeness.distances(here, there).tolist()
    assert points == unlikeness(one, other) == unlikeness(other, one)
    differences = list(likeness.differences(here[:, 0], there[:, 0]))
    assert sum(it.points for it in differences) == points
    squares = Bitboard(int(likeness.differing_squares(here, there)[0]))
    assert squares == Bitboard([at for at in chess.SQUARES if one.piece_at(at) != other.piece_at(at)])
    assert {at for it in differences for at in (it.here, it.there) if at is not None} == {*squares}
    assert (points == 0) == (one.piece_map() == other.piece_map())


@settings(max_examples=depth(40, 5000))
@given(boards(), boards(), boards())
def test_it_is_a_distance_that_colours_and_wings_do_not_change(
    one: chess.Board, other: chess.Board, third: chess.Board
) -> None:
    def between(a: chess.Board, b: chess.Board) -> int:
        return int(likeness.distances(sets_of(a), sets_of(b))[0])

    assert between(one, third) <= between(one, other) + between(other, third)
    assert between(one.mirror(), other.mirror()) == between(one, other)
    turned = [it.transform(chess.flip_horizontal) for it in (one, other)]
    assert between(*turned) == between(one, other)


def all_rows() -> list[tuple[int, int, chess.Board]]:
    rows = []
    for number, game in enumerate(games_of(FAMOUS_GAMES.read_text("utf-8")), start=1):
        board = game.board()
        rows.append((number, 0, board.copy(stack=False)))
        for ply, move in enumerate(game.mainline_moves(), start=1):
            board.push(move)
            rows.append((number, ply, board.copy(stack=False)))
    return rows


@pytest.mark.parametrize("either", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_nearest_of_each_game_are_those_of_a_sort_of_all(either: bool, threads: int) -> None:
    wanted = [chess.Board(CARLSBAD), *([chess.Board(CARLSBAD).mirror()] if either else [])]
    best: dict[int, tuple[int, int, int]] = {}
    for game, ply, board in all_rows():
        row = (min(unlikeness(board, it) for it in wanted), game, ply)
        best[game] = min(best.get(game, row), row)
    nearest = setwise.similar(CARLSBAD, FAMOUS_GAMES, n=12, either_colour=either, threads=threads)
    assert (
        list(zip(*(nearest[it].to_pylist() for it in ("distance", "game", "ply")), strict=True))
        == sorted(best.values())[:12]
    )


def test_it_is_what_a_condition_and_an_order_say() -> None:
    call = f"distance_to('{CARLSBAD}')"
    nearest = setwise.similar(CARLSBAD, FAMOUS_GAMES, n=7, where="white_to_move and ply > 10", player="a")
    found = setwise.find(
        "white_to_move and ply > 10", FAMOUS_GAMES, order_by=call, per_game=1, limit=7, player="a",
        columns=["game", "ply", call, f"differing_squares('{CARLSBAD}')", f"differences_from('{CARLSBAD}')"],
    )  # fmt: skip
    same = nearest.select(["game", "ply", "distance", "differing_squares", "differences"])
    assert [[*row.values()] for row in same.to_pylist()] == [[*row.values()] for row in found.to_pylist()]
    [row] = setwise.sql(f"select min({call}) least from positions", FAMOUS_GAMES).to_pylist()  # noqa: S608
    assert row["least"] == setwise.similar(CARLSBAD, FAMOUS_GAMES, n=1)["distance"][0].as_py()


def test_colours_exchanged_are_said() -> None:
    rows = "select differences_from('8/8/8/8/8/8/4P3/8', 'either colour') d from positions"
    fens = b"4k3/4p3/8/8/8/8/8/4K3 w - - 0 1\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n"
    found = setwise.sql(rows, fens)["d"].to_pylist()
    kings = "white king e1 more: 2; black king e8 more: 2"
    assert found == [f"with the colours exchanged: {kings}", kings]


def test_it_turns_with_the_colours_alone() -> None:
    close = f"distance_to('{CARLSBAD}') < 24"
    either = f"distance_to('{CARLSBAD}', 'either colour') < 24"
    rows = [setwise.find(it, FAMOUS_GAMES)["ply"].to_pylist() for it in (f"either_colour({close})", either, close)]
    assert rows[0] == rows[1] != rows[2]
    squares = f"has(differing_squares('{CARLSBAD}'), 'a2')"
    mirrored = f"has(differing_squares('{Position(CARLSBAD).mirror().fen()}'), 'a7')"
    both = [setwise.find(it, FAMOUS_GAMES).num_rows for it in (f"either_colour({squares})", f"{squares} or {mirrored}")]
    assert both[0] == both[1] > 0
    with pytest.raises(QueryError, match="either_wing cannot turn distance_to: it compares with this position"):
        setwise.find(f"either_wing({close})", FAMOUS_GAMES)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("distance_to('x')", "distance_to: FEN 'x', character 1"),
        ("distance_to(fen)", "distance_to takes a FEN as a literal, and 'either colour' after it"),
        ("differing_squares()", "differing_squares takes a FEN as a literal"),
        ("distance_to('8/8/8/8/8/8/8/8', 'both')", "distance_to takes a FEN as a literal"),
    ],
)
def test_what_is_no_position_is_refused(call: str, message: str) -> None:
    with pytest.raises(QueryError, match=re.escape(message)):
        setwise.find(f"{call} > 0", FAMOUS_GAMES)


def test_sources_without_games_and_without_positions() -> None:
    fens = b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\nnot a fen"
    nearest = setwise.similar("4k3/8/8/8/8/8/8/4K3", fens, n=5)
    assert nearest["distance"].to_pylist() == [0, 4]
    empty = setwise.similar(CARLSBAD, FAMOUS_GAMES, where="ply > 9000")
    assert (empty.num_rows, empty.schema.names[-3:]) == (0, ["distance", "differing_squares", "differences"])
    with pytest.raises(ValueError, match="n is a number of positions, 1 or more, not 0"):
        setwise.similar(CARLSBAD, FAMOUS_GAMES, n=0)


def test_a_terminal_shows_boards_and_a_pipe_lines(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["similar", "1. e4 e5 2. Nf3 Nf6", str(FAMOUS_GAMES), "-n", "1", "--format", "boards"]) == 0
    drawn, said = capfd.readouterr()
    assert "6  .  .  .  .  . [.] .  ." in drawn
    assert "distance 1: black knight g8, not f6: 1" in drawn
    assert re.fullmatch(r"setwise: 1 position; [\d,]+ positions of \d+ games read in [\d.]+ s\n", said)
    assert run(["similar", CARLSBAD, str(FAMOUS_GAMES), "-n", "2", "--where", "ply > 9000"]) == 1
    assert run(["similar", CARLSBAD, str(FAMOUS_GAMES), "--format", "pgn"]) == 2
    assert "there is no format 'pgn' here: there are table, csv" in capfd.readouterr().err
