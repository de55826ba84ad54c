"""What patterns answer in conditions and statements: sets in the place of squares, nulls, values of other kinds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import chess
import duckdb
import numpy as np
import pyarrow as pa
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise import Count, Set, Square, pattern
from setwise.compiler import PATTERNS, Kind, Pattern
from setwise.corpus.language.functions import answer, known_patterns
from setwise.errors import QueryError

GAMES = str(FAMOUS_GAMES)
OF_SQUARES = {
    name: found for name, found in known_patterns().items() if "square" in {kind.name for kind in found.kinds.values()}
}
#: Those that answer with a set, so that several squares have an answer together; the others refuse several squares.
WITH_UNIONS = {name: found for name, found in OF_SQUARES.items() if found.returns.is_set}
ROWS = 60


def sets_of(rng: np.random.Generator, sizes: tuple[int, ...]) -> np.ndarray:
    """Sets with so many squares, one size after the other."""
    chosen = (rng.choice(64, size, replace=False) for size, _ in zip(itertools.cycle(sizes), range(ROWS), strict=False))
    return np.array([sum(1 << int(square) for square in squares) for squares in chosen], np.uint64)


def by_loops(found: Pattern, row: tuple[int, ...]) -> int | None:
    """The union of a pattern's answers for every square of the sets that stand for squares, one call each."""
    choices = [
        [square for square in range(64) if value >> square & 1] if kind.name == "square" else [value]
        for kind, value in zip(found.kinds.values(), row, strict=True)
    ]
    answers = [int(found(*choice)) for choice in itertools.product(*choices)]
    return sum(1 << square for square in range(64) if any(word >> square & 1 for word in answers)) if answers else None


def test_there_are_patterns_of_squares() -> None:
    assert {"lines.between", "lines.xray_rook", "sliders.queen_attacks"} <= {*WITH_UNIONS}
    assert {"bit_tricks.file_of", "bit_tricks.manhattan_distance"} <= OF_SQUARES.keys() - WITH_UNIONS.keys()


@pytest.mark.parametrize("name", sorted(OF_SQUARES.keys() - WITH_UNIONS.keys()))
def test_several_squares_are_refused_where_they_have_no_answer_together(name: str) -> None:
    found = OF_SQUARES[name]
    columns = [
        pa.array([1 << 8, 0b11], pa.uint64()) if it.name == "square" else pa.array([0, 0])
        for it in found.kinds.values()
    ]
    with pytest.raises(QueryError, match=r"is one square, and a row has the set 'a1 b1'"):
        answer(found, columns)
    assert answer(found, [column.slice(0, 1) for column in columns]).to_pylist() == [
        int(found(*(8 if it.name == "square" else 0 for it in found.kinds.values())))
    ]


def numbers(kind: Kind, rng: np.random.Generator) -> np.ndarray:
    """Values of a kind, of sets about a quarter of the squares."""
    values = rng.integers(0, 1 << 64, ROWS, np.uint64) & rng.integers(0, 1 << 64, ROWS, np.uint64)
    return values if kind.largest == 2**64 - 1 else values % np.uint64(kind.largest + 1)


@pytest.mark.parametrize("name", WITH_UNIONS)
def test_a_set_stands_for_its_squares_one_by_one(name: str) -> None:
    found, rng = OF_SQUARES[name], np.random.default_rng(1)
    columns = [
        sets_of(rng, [(0, 1, 1, 2, 3), (1, 1, 0, 1, 5, 2, 1)][at % 2]) if kind.name == "square" else numbers(kind, rng)
        for at, kind in enumerate(found.kinds.values())
    ]
    expected = [by_loops(found, row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    assert answer(found, [pa.array(column) for column in columns]).to_pylist() == expected
    assert None in expected
    assert len({*expected}) > ROWS // 4


@pytest.mark.parametrize("name", OF_SQUARES)
def test_a_number_is_a_square_still(name: str) -> None:
    found, rng = OF_SQUARES[name], np.random.default_rng(2)
    columns: list[np.ndarray] = [
        rng.integers(0, 64, ROWS).astype([np.uint8, np.int32, np.int64][at % 3])
        if kind.name == "square"
        else numbers(kind, rng)
        for at, kind in enumerate(found.kinds.values())
    ]
    expected = [int(found(*row)) for row in zip(*(column.tolist() for column in columns), strict=True)]
    assert answer(found, [pa.array(column) for column in columns]).to_pylist() == expected


def test_a_null_makes_null_beside_a_set() -> None:
    squares = pa.array([1, None, 2, 0], pa.uint64())
    others = pa.array([None, 4, 128, 1], pa.uint64())
    assert answer(OF_SQUARES["lines.between"], [squares, others]).to_pylist() == [
        None, None, int(setwise.lines.between(1, 7)), None,
    ]  # fmt: skip


def test_a_square_that_there_is_not_is_null() -> None:
    sets = pa.array([0, 8, 0, 3], pa.uint64())
    assert answer(known_patterns()["bits.lowest"], [sets]).to_pylist() == [None, 3, None, 0]


@pytest.fixture
def of_one_square() -> Iterator[Pattern]:
    @pattern
    def higher(square: Square, squares: Set) -> Count:
        return setwise.bits.count(squares >> square)

    yield higher
    del PATTERNS[higher.name]


@pytest.mark.usefixtures("of_one_square")
def test_several_squares_are_refused_where_the_answer_is_no_set() -> None:
    [found] = [found for found in PATTERNS.values() if found.function.__name__ == "higher"]
    squares = pa.array([16, 0, None], pa.uint64())
    assert answer(found, [squares, pa.array([0xFF, 1, 1], pa.uint64())]).to_pylist() == [4, None, None]
    with pytest.raises(QueryError, match=r"square of .*higher is one square, and a row has the set 'a1 c1'") as caught:
        answer(found, [pa.array([1, 5], pa.uint64()), squares[:2]])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("column", "told"),
    [(pa.array(["e4"]), "a value here is a text"), (pa.array([1.5]), "of the type double")],
)
def test_a_value_of_another_kind_is_told_with_function_and_argument(column: pa.Array, told: str) -> None:
    with pytest.raises(QueryError, match=f"knights of knight.attacks is a set of squares, and .*{told}"):
        answer(known_patterns()["knight.attacks"], [column])


def between(move: chess.Move) -> chess.SquareSet:
    return chess.SquareSet(chess.between(move.from_square, move.to_square))


def to_like_a_queen(move: chess.Move, board: chess.Board) -> bool:
    return board.piece_type_at(move.from_square) != chess.KNIGHT and not between(move) & board.occupied


def first_queen_guards_like_a_rook(board: chess.Board) -> bool:
    queens = chess.SquareSet(board.queens & board.occupied_co[board.turn])
    if not queens:
        return False
    rook = chess.BB_RANK_ATTACKS[min(queens)][chess.BB_RANK_MASKS[min(queens)] & board.occupied]
    rook |= chess.BB_FILE_ATTACKS[min(queens)][chess.BB_FILE_MASKS[min(queens)] & board.occupied]
    return bool(rook & chess.BB_SQUARES[board.king(board.turn)])


QUESTIONS: dict[str, Callable[[chess.Move, chess.Board], bool]] = {
    "lines.between(from_square, to_square) <> 0": lambda move, board: bool(between(move)),
    "sliders.queen_attacks(from_square, own_pieces | enemy_pieces) & to_square <> 0": to_like_a_queen,
    "bits.lowest(own_queens) is null and san is not null": lambda move, board: (
        not board.queens & board.occupied_co[board.turn]
    ),
    "sliders.rook_attacks(bits.lowest(own_queens), own_pieces | enemy_pieces) & own_king <> 0 and san is not null": (
        lambda move, board: first_queen_guards_like_a_rook(board)
    ),
}


@pytest.fixture(scope="module")
def famous() -> list[tuple[chess.Move, chess.Board]]:
    return [
        (node.move, node.parent.board())
        for game in games_of(FAMOUS_GAMES.read_text())
        for node in game.mainline()
        if node.parent is not None
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_find_sql_and_connect_count_what_python_chess_counts(
    famous: list[tuple[chess.Move, chess.Board]], question: str
) -> None:
    expected = sum(QUESTIONS[question](move, board) for move, board in famous)
    assert expected > 10
    statement = f"select count(*) n from positions where {question}"
    assert setwise.find(question, GAMES, columns="ply").num_rows == expected
    assert setwise.sql(statement, GAMES).to_pylist() == [{"n": expected}]
    with setwise.connect(GAMES) as database:
        assert database.sql(statement).fetchall() == [(expected,)]


@pytest.mark.parametrize("question", ["knight.attacks(san) <> 0", "lines.between(san, 3) <> 0"])
def test_every_door_refuses_a_text_in_the_place_of_a_set(question: str) -> None:
    with pytest.raises(QueryError, match="a value here is a text"):
        setwise.find(question, GAMES)
    with pytest.raises(QueryError, match="a value here is a text"):
        setwise.sql(f"select 1 from positions where {question}", GAMES)
    with setwise.connect(GAMES) as database, pytest.raises(duckdb.Error, match="a value here is a text"):
        database.sql(f"select 1 from positions where {question}").fetchall()
