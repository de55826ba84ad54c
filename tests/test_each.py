"""Conditions of one piece, of what stands along lines, and of what a legal move leads to, as python-chess says."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator

import chess
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES, starts
from helpers.processes import python
from helpers.python_chess import games_of
from setwise import Positions
from setwise.corpus.language import condition_of
from setwise.corpus.language.names import _AT_ONCE, squares_of_each
from setwise.errors import QueryError

GAMES = str(FAMOUS_GAMES)


@functools.cache
def boards() -> list[chess.Board]:
    found = [chess.Board(fen) for fen in starts("perft.epd")]
    for game in games_of(FAMOUS_GAMES.read_text("utf-8")):
        board = game.board()
        for number, move in enumerate(game.mainline_moves()):
            board.push(move)
            if number % 9 == 4:
                found.append(board.copy(stack=False))
    return found


@functools.cache
def positions() -> Positions:
    return Positions.from_boards(boards())


def rows(where: str) -> set[int]:
    return {*condition_of(where, {}).matches(positions()).tolist()}


def rows_of(holds: Callable[[chess.Board], object]) -> set[int]:
    return {number for number, board in enumerate(boards()) if holds(board)}


# ----------------------------------------------------------------------------------------------------------- each piece


@given(words=st.lists(st.none() | st.integers(0, 2**64 - 1) | st.integers(0, 255)))
def test_each_lists_the_squares_of_a_set(words: list[int | None]) -> None:
    expected = [None if word is None else [1 << square for square in chess.scan_forward(word)] for word in words]
    assert squares_of_each(pa.array(words, pa.uint64())).to_pylist() == expected


def test_each_of_a_column_in_pieces() -> None:
    column = pa.chunked_array([[3], [], [1 << 63, None]], pa.uint64())
    assert squares_of_each(column).to_pylist() == [[1, 2], [1 << 63], None]


def knights(board: chess.Board, colour: bool) -> list[int]:
    return list(board.pieces(chess.KNIGHT, colour))


def targets(square: int) -> chess.SquareSet:
    return chess.SquareSet(chess.BB_KNIGHT_ATTACKS[square])


EACH: list[tuple[str, Callable[[chess.Board], object]]] = [
    ("any_of(white_knights, lambda s: bit_count(knight.attacks(s)) = 8)",
     lambda board: any(len(targets(s)) == 8 for s in knights(board, chess.WHITE))),
    ("all_of(white_knights, lambda s: bit_count(knight.attacks(s)) = 8)",
     lambda board: all(len(targets(s)) == 8 for s in knights(board, chess.WHITE))),
    ("count_of(own_knights, lambda s: knight.attacks(s) & ~own_pieces = 0) = 1",
     lambda board: sum(
         not targets(s) - board.occupied_co[board.turn] for s in knights(board, board.turn)) == 1),
    ("any_of(white_knights, lambda s: any_of(black_knights, lambda t: knight.attacks(s) & t <> 0))",
     lambda board: any(t in targets(s) for s in knights(board, True) for t in knights(board, False))),
    ("any_of(white_rooks, lambda rook: all_of(black_pawns, lambda pawn: lines.line(rook, pawn) = 0))",
     lambda board: any(all(not chess.SquareSet.ray(r, p) for p in board.pieces(chess.PAWN, False))
                       for r in board.pieces(chess.ROOK, True))),
    ("count_of(occupied, lambda s: s & light_squares <> 0) > count_of(occupied, lambda s: s & dark_squares <> 0)",
     lambda board: (board.occupied & chess.BB_LIGHT_SQUARES).bit_count()
     > (board.occupied & chess.BB_DARK_SQUARES).bit_count()),
    ("len(each(empty)) = 40", lambda board: board.occupied.bit_count() == 24),
    ("any_of(white_bishops, lambda white_king: white_king & light_squares <> 0)",
     lambda board: board.bishops & board.occupied_co[True] & chess.BB_LIGHT_SQUARES),
]  # fmt: skip


@pytest.mark.parametrize(("where", "holds"), EACH, ids=[where for where, _ in EACH])
def test_a_condition_of_each_piece(where: str, holds: Callable[[chess.Board], object]) -> None:
    assert rows(where) == rows_of(holds)


def test_what_is_not_known_counts_as_false_and_of_no_set_nothing_is_known() -> None:
    asked = "any_of(from_square, lambda s: s & white_pawns <> 0)"
    plain = "from_square & white_pawns <> 0"
    assert setwise.find(asked, GAMES, columns=["game", "ply"]).equals(
        setwise.find(plain, GAMES, columns=["game", "ply"])
    )
    ends = setwise.find("move is null", GAMES).num_rows
    assert setwise.find("all_of(from_square, lambda s: true) is null", GAMES).num_rows == ends == 41
    assert setwise.find("all_of(white_queens, lambda s: null)", GAMES).num_rows == (
        setwise.find("white_queens = 0", GAMES).num_rows
    )


def test_it_stands_in_looks_and_in_statements() -> None:
    asked = "any_of(own_knights, lambda s: bit_count(knight.attacks(s) & enemy_pieces) >= 2)"
    here = {(game, ply) for game, ply in zip(*found(asked), strict=True)}
    before = {(game, ply) for game, ply in zip(*found(f"next({asked})"), strict=True)}
    assert before == {(game, ply - 1) for game, ply in here if ply}
    stated = setwise.sql(f"select count_if({asked}) n from positions", GAMES)["n"].to_pylist()  # noqa: S608
    assert stated == [len(here)] != [0]


def found(where: str) -> list[list[int]]:
    table = setwise.find(where, GAMES, columns=["game", "ply"])
    return [table["game"].to_pylist(), table["ply"].to_pylist()]


# --------------------------------------------------------------------------------------------------------- along a line


def next_piece(board: chess.Board, square: int, step: tuple[int, int]) -> int | None:
    """The first square with a piece from a square on, in a direction of files and ranks."""
    file, rank = chess.square_file(square) + step[0], chess.square_rank(square) + step[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        if board.piece_at(chess.square(file, rank)):
            return chess.square(file, rank)
        file, rank = file + step[0], rank + step[1]
    return None


def from_where(board: chess.Board, *sets: int) -> Iterator[int]:
    for start in chess.scan_forward(sets[0]):
        for step in itertools.product((-1, 0, 1), repeat=2):
            at: int | None = start
            for wanted in sets[1:]:
                at = next_piece(board, at, step) if step != (0, 0) and at is not None else None
                if at is None or not wanted >> at & 1:
                    break
            else:
                yield start


def test_rays() -> None:
    asked = "ray(white_rooks | white_queens | white_bishops, black_pieces, black_pieces)"
    [values] = [setwise.sql(f"select {asked} x from positions", positions())["x"].to_pylist()]  # noqa: S608
    for board, value in zip(boards(), values, strict=True):
        white, black = board.occupied_co[True], board.occupied_co[False]
        expected = {*from_where(board, (board.rooks | board.queens | board.bishops) & white, black, black)}
        assert {*chess.scan_forward(value)} == expected
    assert rows("ray(white_king, black_king) <> 0") == rows_of(
        lambda board: [
            *from_where(board, board.kings & board.occupied_co[True], board.kings & board.occupied_co[False])
        ]
    )


# ---------------------------------------------------------------------------------------------------- what could happen


def after(board: chess.Board) -> Iterable[chess.Board]:
    for move in board.legal_moves:
        board.push(move)
        yield board
        board.pop()


def leads(board: chess.Board, holds: Callable[[chess.Board], object]) -> list[object]:
    """What holds after each legal move; all of them, so that each is taken back."""
    return [holds(it) for it in after(board)]


CAN: list[tuple[str, Callable[[chess.Board], object]]] = [
    ("can(is_checkmate)", lambda board: any(leads(board, lambda it: it.is_checkmate()))),
    ("can(is_check)", lambda board: any(leads(board, lambda it: it.is_check()))),
    ("can(is_stalemate)", lambda board: any(leads(board, lambda it: it.is_stalemate()))),
    ("not can(not is_check) and legal_moves > 0",
     lambda board: board.legal_moves and all(leads(board, lambda it: it.is_check()))),
    ("can(legal_moves = 1)", lambda board: any(leads(board, lambda it: it.legal_moves.count() == 1))),
    ("can(has(white_pawns, 'e4'))",
     lambda board: any(leads(board, lambda it: it.piece_at(chess.E4) == chess.Piece(chess.PAWN, True)))),
    ("can(own_queens = 0 and enemy_queens <> 0)",
     lambda board: any(leads(board, lambda it: not it.pieces(chess.QUEEN, it.turn)
                                             and bool(it.pieces(chess.QUEEN, not it.turn))))),
    ("can(any_of(enemy_knights, lambda s: bit_count(knight.attacks(s) & own_pieces) >= 3))",
     lambda board: any(leads(board, lambda it: any((int(targets(s)) & it.occupied_co[it.turn]).bit_count() >= 3
                            for s in it.pieces(chess.KNIGHT, not it.turn))))),
    ("can(en_passant <> 0)", lambda board: any(leads(board, lambda it: it.ep_square is not None))),
    ("can(either_colour(has(white_king, 'g1')))",
     lambda board: any(leads(board, lambda it: it.king(True) == chess.G1 or it.king(False) == chess.G8))),
]  # fmt: skip


@pytest.mark.parametrize(("where", "holds"), CAN, ids=[where for where, _ in CAN])
def test_what_a_legal_move_leads_to(where: str, holds: Callable[[chess.Board], object]) -> None:
    assert rows(where) == rows_of(holds)


def test_what_can_be_in_two_moves() -> None:
    few = Positions.from_boards(boards()[:40])
    expected = [
        number
        for number, board in enumerate(boards()[:40])
        if any(leads(board, lambda first: any(leads(first, chess.Board.is_checkmate))))
    ]
    assert condition_of("can(can(is_checkmate))", {}).matches(few).tolist() == expected != []


def test_blocks_of_positions_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rows("can(is_check)")
    assert len(boards()) < _AT_ONCE
    monkeypatch.setattr("setwise.corpus.language.names._AT_ONCE", 7)
    assert rows("can(is_check)") == whole


def test_it_stands_everywhere() -> None:
    assert setwise.find("next(can(is_checkmate))", GAMES).num_rows == 8
    missed = "can(is_checkmate) and not next(is_checkmate)"
    assert setwise.sql(f"select count(*) n from positions where {missed}", GAMES)["n"].to_pylist() == [0]  # noqa: S608
    table = setwise.find("can(is_checkmate)", GAMES, columns=["ply", "can(is_checkmate)"], limit=2)
    assert table.column(1).to_pylist() == [True, True]
    assert condition_of("CAN(is_checkmate)", {}).matches(
        Positions.from_fens(["6k1/5ppp/8/8/8/8/8/K2R4 w"])
    ).tolist() == [0]


def test_a_statement_is_the_first_that_is_asked() -> None:
    asked = "import setwise; print(setwise.sql('select can(is_checkmate) x from positions', b'1. f3 e5 2. g4 *')['x'])"
    assert "true" in python("-c", asked)


@pytest.mark.parametrize(
    ("where", "message"),
    {
        "any_of(white_knights)": "^any_of takes a set and a condition of one of its squares, as any_of",
        "any_of(white_knights, is_check)": "^any_of takes a set and a condition",
        "count_of(white_knights, lambda s: 5)": "takes a set and a condition of one of its squares",
        "any_of(white_knights, lambda s: next(s & from_square <> 0))": "s",
        "ray(white_rooks)": "^ray takes two sets or more",
        "ray()": "^ray takes two sets or more",
        "can(san = 'e4')": "^can asks of the position that a legal move leads to, which has no san: write it outside$",
        "can(next(is_check))": "^can asks of the position .*: write next, later and the like outside$",
        "can(now(ply) = 2)": "now",
        "can(ply)": "^can takes one condition of the position that a legal move leads to, as can",
        "can()": "^can takes one condition",
        "can(is_chekmate)": "no column 'is_chekmate'.*is_checkmate",
        "cann(is_check)": "there is no function cann; did you mean can",
    }.items(),
)
def test_what_cannot_be_asked_is_refused(where: str, message: str) -> None:
    with pytest.raises(QueryError, match=message) as caught:
        setwise.find(where, GAMES)
    assert "\n" not in str(caught.value)


def test_a_connection_lists_squares_and_refuses_the_rest_by_name() -> None:
    with setwise.connect(GAMES) as database:
        counted = database.sql("select count(*) from positions where len(each(white_knights)) = 2").fetchall()
        assert counted == [(setwise.find("bit_count(white_knights) = 2", GAMES).num_rows,)]
        for call in (
            "can(is_check)", "any_of(white_knights, lambda s: true)", "either_colour(is_check)", "player('x')",
            "ray(white_rooks, black_king)", "material('KvK')", "position_key('x')",
        ):  # fmt: skip
            with pytest.raises(Exception, match=f"{call.partition('(')[0]} is for setwise.sql and setwise.find"):
                database.sql(f"select {call} from positions").fetchall()  # noqa: S608


def test_attacks_of_each_kind() -> None:
    kinds = {
        "knight": chess.KNIGHT,
        "bishop": chess.BISHOP,
        "rook": chess.ROOK,
        "queen": chess.QUEEN,
        "king": chess.KING,
    }
    names = [f"{side}_{kind}_attacks" for kind in kinds for side in ("white", "black", "own", "enemy")]
    table = setwise.find("true", positions(), columns=names)
    for name in names:
        side, kind, _ = name.split("_")
        for board, value in zip(boards(), table[name].to_pylist(), strict=True):
            colour = {"white": True, "black": False, "own": board.turn, "enemy": not board.turn}[side]
            expected = 0
            for square in board.pieces(kinds[kind], colour):
                expected |= int(board.attacks(square))
            assert value == expected, (name, board.fen())
    words = setwise.find("true", positions(), columns=["occupied", "empty", "light_squares", "dark_squares"])
    full = np.uint64(2**64 - 1)
    assert words["occupied"].to_pylist() == [board.occupied for board in boards()]
    assert (words["occupied"].to_numpy() ^ words["empty"].to_numpy() == full).all()
    assert {*words["light_squares"].to_pylist()} == {chess.BB_LIGHT_SQUARES}
    assert {*words["dark_squares"].to_pylist()} == {chess.BB_DARK_SQUARES}
