"""The rules of a single position: moves, checks and ends, compared with python-chess."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from helpers.data import starts
from helpers.differential import compared
from helpers.movement import JUDGED, judged
from naive.features.tactics import TACTICS
from setwise import Move
from setwise.compiler import entry
from setwise.compiler.kinds import boolean, named, uint64
from setwise.corpus.columns import COLUMNS
from setwise.errors import IllegalMove, ImpossiblePosition
from setwise.position.position import Outcome, Position, Status, Termination
from setwise.rules.board import Board, is_attacked, lanes_of

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
ALL_CODES = range(7 << 12)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 5))])
def test_random_games_agree_with_python_chess(seed: int) -> None:
    """10,000 positions, by night 50,000; how to compare a million, ``helpers.differential`` says."""
    seen, found = compared(10_000, seed=seed)
    assert found == []
    assert seen["Chess960"] > 2000
    for kind in (
        "checks", "double checks", "en passant", "en passant in vain", "castling", "promotions", "mates and stalemates",
        "insufficient material", "threefold repetitions",
    ):  # fmt: skip
        assert seen[kind] > 3, (kind, seen)


def test_every_column_that_looks_at_moves_is_judged_by_python_chess_on_rare_positions() -> None:
    """A few thousand; how to compare a million, ``helpers.movement`` tells."""
    of_moves = {name for name in COLUMNS if COLUMNS[name].compute.__module__ == "setwise.corpus.columns.moves"}
    sides = {f"{side}_{name}" for name in TACTICS for side in ("own", "enemy")}
    not_of_moves = {"move_index", "own_attacked_twice", "enemy_attacked_twice"}
    assert of_moves | sides == set(JUDGED) & (of_moves | sides) | not_of_moves
    seen, found = judged(3000, seed=6)
    assert found == []
    for kind in (
        "of Chess960", "in check", "in double check", "with a legal en passant capture", "castling read",
        "in check by the pawn that has just passed", "where en passant takes the checking pawn", "en passant read",
        "promotions read", "mates by promotion", "double checks to give",
    ):  # fmt: skip
        assert seen[kind] > 3, (kind, seen)
    assert all(seen[f"compared: {name}"] for name in JUDGED)


@pytest.mark.parametrize(("name", "chess960"), [("perft.epd", False), ("perft960.epd", True)])
def test_only_the_listed_moves_can_be_played(name: str, chess960: bool) -> None:
    """Of all 28,672 codes of moves, exactly those of the list."""
    for fen in starts(name)[::9]:
        position = Position(fen, chess960=chess960)
        assert {code for code in ALL_CODES if position.is_legal(Move(code))} == set(position.legal_moves()), fen


def test_no_move_is_listed_twice() -> None:
    for fen in starts("perft.epd"):
        for moves in (Position(fen).legal_moves(), Position(fen).pseudo_legal_moves()):
            assert len(moves) == len(set(moves))


def test_legal_moves_leave_the_king_safe() -> None:
    for fen in starts("perft.epd"):
        position, board = Position(fen), chess.Board(fen)
        safe = set()
        for move in position.pseudo_legal_moves():
            if not move.is_castling:
                board.push(chess.Move.from_uci(move.uci()))
                if not board.was_into_check():
                    safe.add(move)
                board.pop()
        assert safe == {move for move in position.legal_moves() if not move.is_castling}, fen


def test_pseudo_legal_castling_asks_for_empty_squares_only() -> None:
    attacked = Position("4k3/8/8/8/8/8/5r2/R3K2R w KQ - 0 1")
    assert {move.uci() for move in attacked.pseudo_legal_moves() if move.is_castling} == {"e1c1", "e1g1"}
    assert {move.uci() for move in attacked.legal_moves() if move.is_castling} == {"e1c1"}
    blocked = Position("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1")
    assert not any(move.is_castling for move in blocked.pseudo_legal_moves())


# ---------------------------------------------------------------------------------------------------------------- ends

DRAWN = Outcome(Termination.INSUFFICIENT_MATERIAL, None)

#: Material by side and which sides cannot win.
MATERIAL = [
    ("K", "k", True, True),
    ("KN", "k", True, True),
    ("KB", "k", True, True),
    ("KNN", "k", False, True),
    ("KBB", "k", False, True),
    ("KN", "kn", False, False),
    ("KN", "kb", False, False),
    ("KN", "kq", True, False),
    ("KN", "kr", False, False),
    ("KN", "kp", False, False),
    ("KB", "kn", False, False),
    ("KB", "kq", True, False),
    ("KB", "kr", True, False),
    ("KB", "kp", False, False),
    ("KP", "k", False, True),
    ("KR", "k", False, True),
    ("KQ", "k", False, True),
]
#: Squares for the pieces, kings first.
PLACES = {"white": ("a1", "c2", "e2"), "black": ("h8", "f7", "d7")}


@pytest.mark.parametrize(("white", "black", "white_cannot", "black_cannot"), MATERIAL)
def test_material_that_cannot_win(white: str, black: str, white_cannot: bool, black_cannot: bool) -> None:
    board = chess.Board(None)
    for side, men in (("white", white), ("black", black)):
        for square, letter in zip(PLACES[side], men, strict=False):
            board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol(letter))
    if white == "KBB":
        board.remove_piece_at(chess.E2)
        board.set_piece_at(chess.E3, chess.Piece.from_symbol("B"))
    assert board.has_insufficient_material(chess.WHITE) == white_cannot
    position = Position.from_board(board)
    found = [position.has_insufficient_material(white=side) for side in (True, False)]
    assert found == [white_cannot, black_cannot]
    assert position.mirror().has_insufficient_material(white=False) == white_cannot
    assert position.is_insufficient_material() == (white_cannot and black_cannot)
    if white_cannot and black_cannot:
        assert position.outcome() == DRAWN


def test_bishops_of_one_colour_cannot_mate_each_other() -> None:
    assert Position("5bk1/8/8/8/8/8/8/K1B5 w - - 0 1").outcome() == DRAWN
    assert Position("4b1k1/8/8/8/8/8/8/K1B5 w - - 0 1").outcome() is None


@pytest.mark.parametrize(
    ("fen", "termination", "result"),
    [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Termination.CHECKMATE, "1-0"),
        ("8/8/8/8/8/6k1/6q1/7K w - - 0 1", Termination.CHECKMATE, "0-1"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Termination.STALEMATE, "1/2-1/2"),
        ("8/8/8/8/8/2k5/2p5/2K5 w - - 0 1", Termination.STALEMATE, "1/2-1/2"),
        ("8/8/8/8/8/1k6/2n5/K7 w - - 0 1", Termination.INSUFFICIENT_MATERIAL, "1/2-1/2"),
        ("7k/8/8/8/8/8/R7/K7 w - - 150 200", Termination.SEVENTYFIVE_MOVES, "1/2-1/2"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 150 200", Termination.CHECKMATE, "1-0"),
    ],
)
def test_outcomes_are_those_of_python_chess(fen: str, termination: Termination, result: str) -> None:
    outcome = Position(fen).outcome()
    assert outcome is not None
    assert (outcome.termination, outcome.result) == (termination, result)
    theirs = chess.Board(fen).outcome()
    assert theirs is not None
    assert (theirs.termination.name, theirs.result()) == (termination.name, result)


def test_fifty_moves_must_be_claimed() -> None:
    position = Position("7k/8/8/8/8/8/R7/K7 w - - 100 120")
    assert position.outcome() is None
    assert position.outcome(claim_draw=True) == Outcome(Termination.FIFTY_MOVES, None)
    assert Position("7k/8/8/8/8/8/R7/K7 w - - 99 120").outcome(claim_draw=True) is None


def test_positions_that_return_are_counted() -> None:
    position, history, seen = Position(), [], []
    for move in "Nf3 Nf6 Ng1 Ng8".split() * 4:
        history.append(position)
        position = position.play(move)
        outcome, claimed = position.outcome(history), position.outcome(history, claim_draw=True)
        seen.append((position.repetitions(history), outcome, claimed))
    times = [times for times, _, _ in seen]
    assert times == [1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5]
    threefold = Outcome(Termination.THREEFOLD_REPETITION, None)
    assert {claimed for times, _, claimed in seen if times in {3, 4}} == {threefold}
    assert [outcome for _, outcome, _ in seen if outcome] == [Outcome(Termination.FIVEFOLD_REPETITION, None)]


def test_a_lost_right_makes_another_position() -> None:
    """Castling rights count, and an en passant square only where a legal capture exists."""
    keys = [
        Position(fen).repetition_key()
        for fen in (
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
        )
    ]
    assert len(set(keys)) == 5
    pinned = "4r2k/8/8/3pP3/8/8/8/4K3 w - {} 0 1"
    assert Position(pinned.format("d6")).repetition_key() == Position(pinned.format("-")).repetition_key()
    assert Position(START).repetition_key() == Position(START.replace("0 1", "7 9")).repetition_key()


# -------------------------------------------------------------------------------------------------- impossible boards


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/8/8/K7 w - - 0 1",
        "k7/8/8/8/8/8/8/KK6 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
        "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "QQQQkQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    ],
)
def test_where_moves_mean_nothing_none_are_made(fen: str) -> None:
    position = Position(fen, strict=False)
    assert position.status()
    for ask in (
        position.legal_moves, position.pseudo_legal_moves, position.is_check, position.checkers, position.outcome,
        position.is_insufficient_material, lambda: position.perft(2), lambda: position.play("e4"),
        lambda: position.play(Move(0x71C)), lambda: position.san(Move(0x71C)), lambda: position.is_legal("e4"),
        lambda: position.parse_uci("e2e4"), lambda: position.gives_check(Move(0x71C)),
    ):  # fmt: skip
        with pytest.raises(ImpossiblePosition, match="can have no moves"):
            ask()
    assert len(position.piece_string()) == 64
    assert str(position)
    assert repr(position).endswith("strict=False)")
    assert position.mirror().mirror() == position


def test_a_strange_position_can_be_played_on() -> None:
    """Nine pawns, a check that no move can have given, a side that has passed in check harm nobody."""
    left_in_check = Position("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", strict=False)
    assert left_in_check.status() == Status.OPPOSITE_CHECK
    expected = {move.uci() for move in chess.Board(left_in_check.fen()).legal_moves} - {"e7e8"}
    assert {move.uci() for move in left_in_check.legal_moves()} == expected
    assert repr(left_in_check).endswith("strict=False)")
    nine = Position("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", strict=False)
    assert nine.status() == Status.TOO_MANY_WHITE_PAWNS
    assert nine.perft(3) == Position("4k3/pppppppp/p7/8/8/8/8/4K3 b - - 0 1", strict=False).perft(3)
    assert nine.play("e4").status() == Status.TOO_MANY_WHITE_PAWNS
    triple = Position("4k3/5P2/3N4/8/8/8/4R3/4K3 b - - 0 1", strict=False)
    assert triple.status() == Status.TOO_MANY_CHECKERS | Status.IMPOSSIBLE_CHECK
    expected = {move.uci() for move in chess.Board(triple.fen()).legal_moves}
    assert {move.uci() for move in triple.legal_moves()} == expected == {"e8d7", "e8d8", "e8f8"}


def test_why_a_move_is_illegal() -> None:
    position = Position("4rk2/8/8/8/4N3/8/8/R3K2R w KQ - 0 1")
    for code, reason in (
        (20 | 37 << 6, "White has no piece on e3"),
        (28 | 45 << 6, "the knight on e4 is pinned to the king by the rook on e8"),
        (28 | 29 << 6, "the knight on e4 cannot move to f4"),
        (4 | 6 << 6 | 5 << 12, "castling"),
    ):
        with pytest.raises(IllegalMove, match=reason):
            position.play(Move(code))


@entry(boolean, named(Board), uint64)
def attacked(board, square):
    """Whether the enemy of the board's own side attacks a square, by the one look along all rays."""
    return is_attacked(lanes_of(board), square, board.enemy, board.own | board.enemy)


def test_a_square_is_attacked_where_python_chess_finds_attackers() -> None:
    for fen in starts("perft.epd"):
        board = chess.Board(fen)
        if not board.turn:
            board = board.mirror()
        sets = board.occupied_co[True], board.occupied_co[False], board.pawns, board.knights, board.bishops
        mover = Board(*map(np.uint64, (*sets, board.rooks, board.queens, board.kings, 0, 0)))
        ours = [square for square in chess.SQUARES if attacked(mover, np.uint64(square))]
        assert ours == [square for square in chess.SQUARES if board.is_attacked_by(chess.BLACK, square)], fen
