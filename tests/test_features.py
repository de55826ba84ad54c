"""Features against python-chess and the twins of pawn structure, on positions of random games and made-up ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.boards import random_play
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.features import COLOURS, boards, column, first_difference, made_up, sides
from helpers.patterns import mistakes
from helpers.python_chess import games_of
from naive import board as board_of
from naive import word_of
from naive.features import STRUCTURE, TWINS
from naive.features.tactics import TACTICS
from setwise import Position, Positions
from setwise.bitboard import Bitboard
from setwise.corpus.columns import COLUMNS
from setwise.features import FEATURES

NAMES = list(FEATURES)
#: What is its neighbour's in the mirror.
EAST_AND_WEST = {
    "island_east_files": "island_west_files", "island_west_files": "island_east_files",
    "queenside_majority": "kingside_majority", "kingside_majority": "queenside_majority",
}  # fmt: skip
#: What is of one wing alone: a king's way from its first square, and f7 beside it.
OF_ONE_WING = {"attacks_f7"}
DIAGONALS_SWAPPED = [n & 3 | (n & 4) << 1 | (n & 8) >> 1 for n in range(16)]


def expected(name: str, colour: str) -> np.ndarray:
    """What its twin says."""
    if name in TWINS:
        answers = [TWINS[name](board, COLOURS[colour]) for board in boards()]
        return np.array([answer if isinstance(answer, int) else word_of(answer) for answer in answers], np.uint64)
    own, enemy, pawns = sides(colour)[:3]
    values = STRUCTURE[name](board_of(own & pawns), board_of(enemy & pawns))
    return values.byteswap() if values.dtype == np.uint64 and colour == "black" else values.astype(np.uint64)


# -------------------------------------------------------------------------------------------------------------- twins


def test_every_feature_has_a_twin() -> None:
    assert set(NAMES) == {*TWINS, *STRUCTURE, *TACTICS}


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("name", [*TWINS, *STRUCTURE])
def test_features_are_their_twins(name: str, colour: str) -> None:
    ours, theirs = column(name, colour), expected(name, colour)
    assert not first_difference(name, colour, ours, theirs, boards())
    assert np.unique(ours).size > 1


def compare(examples: list[chess.Board], colour: str) -> None:
    positions = Positions.from_boards(examples)
    for name, twin in TWINS.items():
        answers = [twin(board, COLOURS[colour]) for board in examples]
        theirs = np.array([answer if isinstance(answer, int) else word_of(answer) for answer in answers], np.uint64)
        assert not first_difference(name, colour, positions.feature(f"{colour}_{name}"), theirs, examples)


@pytest.mark.parametrize("colour", COLOURS)
def test_features_of_famous_games_are_their_twins(colour: str) -> None:
    nodes = [node for game in games_of(FAMOUS_GAMES.read_text()) for node in game.mainline()]
    examples = [node.board() for node in nodes[::29]]
    assert len(examples) > 60
    compare(examples, colour)


@pytest.mark.parametrize("colour", COLOURS)
def test_features_of_the_strategic_test_suite_are_their_twins(shared_data: Path, colour: str) -> None:
    records = (shared_data / "epd" / "sts.epd").read_text().splitlines()[::25]
    compare([chess.Board(f"{' '.join(record.split()[:4])} 0 1") for record in records], colour)


@given(st.integers(0, 2**32 - 1), st.sampled_from([*TWINS]), st.sampled_from([*COLOURS]))
def test_features_of_any_board_are_their_twins(seed: int, name: str, colour: str) -> None:
    [board] = made_up(1, "PpPpNnBbRrQq", most=24, seed=seed)
    answer = TWINS[name](board, COLOURS[colour])
    ours = int(Position(board.fen(), strict=False).feature(f"{colour}_{name}"))
    assert ours == (answer if isinstance(answer, int) else word_of(answer)), board.fen()


# --------------------------------------------------------------------------------------------------------------- laws


def test_ints_and_arrays_give_one_answer() -> None:
    columns = [values[:: depth(15, 5)] for values in sides("white")]
    rows = [*zip(*(values.tolist() for values in columns), strict=True)]
    assert [it.name for it in FEATURES.values() if it(*columns).tolist() != [it(*row) for row in rows]] == []


def mirrored_east_west(sets: np.ndarray) -> np.ndarray:
    files = np.unpackbits(sets.view(np.uint8), bitorder="little").reshape(-1, 8)[:, ::-1]
    return np.packbits(files, bitorder="little").view(sets.dtype)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OF_ONE_WING])
def test_mirrored_input_gives_mirrored_output(name: str) -> None:
    *sets, to_move = sides("white")
    sets[8] = np.zeros_like(sets[8])  # to castle short and long are two things
    there = FEATURES[EAST_AND_WEST.get(name, name)](*map(mirrored_east_west, sets), to_move)
    here = FEATURES[name](*sets, to_move)
    if name == "distant_checks":
        here = np.array(DIAGONALS_SWAPPED)[here]
    elif FEATURES[name].returns.name in {"set of squares", "fileset"}:
        here = mirrored_east_west(here)
    assert np.array_equal(here, there)


def test_black_has_with_colours_changed_what_white_had() -> None:
    wrong = []
    for board in random_play(2, seed=12, every=7):
        here, there = (Position(it.fen()).features() for it in (board, board.mirror()))
        for name in NAMES:
            white, black = here[f"white_{name}"], there[f"black_{name}"]
            if name == "distant_checks":
                white = DIAGONALS_SWAPPED[white]
            elif isinstance(white, Bitboard):
                white = Bitboard(square ^ 56 for square in white)
            wrong += [(name, board.fen())] if white != black else []
    assert wrong == []


def test_positions_and_position_give_one_answer() -> None:
    fens = [board.fen() for board in random_play(3, seed=13, every=20)]
    positions, one_by_one = Positions.from_fens(fens), [Position(fen).features() for fen in fens]
    for name in NAMES:
        for colour in COLOURS:
            key = f"{colour}_{name}"
            assert positions.feature(key).tolist() == [features[key] for features in one_by_one], key


def test_positions_that_repeat_have_the_answers_of_the_first() -> None:
    """Positions that differ in nothing but the right to capture en passant are not the same, either."""
    fens = ["4k3/8/8/r2pP3/1P6/8/8/4K3 w - d6 0 1", "4k3/8/8/r2pP3/1P6/8/8/4K3 w - - 0 1"]
    fens += [board.fen() for board in random_play(2, seed=17, every=9)]
    some, often = Positions.from_fens(fens), 1 + 1200 // len(fens)
    many = Positions.from_fens(fens * often)
    for name in (it for it in NAMES if FEATURES[it].stages is not None):
        for colour in COLOURS:
            assert np.array_equal(many.feature(f"{colour}_{name}"), np.tile(some.feature(f"{colour}_{name}"), often))
        words = [*map(np.copy, many.seen_by("white")), many.white_to_move]
        assert np.array_equal(FEATURES[name].ufunc(*words, words[0]), many.feature(f"white_{name}")), name


def test_only_unsigned_integers_are_computed_with() -> None:
    """What plays moves counts them, as the rules do."""
    without_moves = [it for it in FEATURES.values() if it.stages is None]
    assert [it for feature in without_moves[:: depth(8, 1)] for it in mistakes(feature)] == []


def test_a_defined_feature_has_its_columns() -> None:
    for name in NAMES:
        assert {f"white_{name}", f"black_{name}"} <= set(COLUMNS)
    assert set(Position().features()) == {f"{colour}_{name}" for colour in COLOURS for name in NAMES}


# ---------------------------------------------------------------------------------------- how features go together


def columns(*names: str) -> Iterator[tuple[np.ndarray, ...]]:
    for colour in COLOURS:
        yield tuple(column(name, colour) for name in names)


def test_hanging_men_are_undefended_and_attacked() -> None:
    for colour, other in ("white", "black"), ("black", "white"):
        attacked = column("undefended", colour) & column("attacks", other)
        assert np.array_equal(column("hanging", colour), attacked)


def test_only_the_side_to_move_is_in_check() -> None:
    for colour in COLOURS:
        assert not column("checkers", colour)[sides(colour)[-1]].any()


def test_a_king_without_escapes_is_vulnerable_on_all_lines() -> None:
    for escapes, lines in columns("king_escapes", "distant_checks"):
        assert np.array_equal(escapes == 0, lines == 15)


def test_a_royal_fork_is_a_fork() -> None:
    for royal, all_forks in columns("royal_fork_squares", "fork_squares"):
        assert not (royal & ~all_forks).any()


def test_a_pawn_is_isolated_or_half_isolated_or_neither() -> None:
    for isolated, half, islands in columns("isolated_pawns", "half_isolated_pawns", "pawn_islands"):
        assert not (isolated & half).any()
        assert not (isolated | half)[islands == 0].any()


def test_unstoppable_pawns_have_passed_and_candidates_have_not() -> None:
    for unstoppable, passed, candidates in columns("unstoppable_passers", "passed_pawns", "candidate_pawns"):
        assert not (unstoppable & ~passed).any()
        assert not (candidates & passed).any()


def test_both_sides_have_the_same_open_files() -> None:
    assert np.array_equal(column("open_files", "white"), column("open_files", "black"))


def test_a_half_open_file_is_one_sides_alone() -> None:
    white, black = column("half_open_files", "white"), column("half_open_files", "black")
    assert not (white & black | (white | black) & column("open_files", "white")).any()


def test_a_glance_finds_mates_by_the_rules() -> None:
    found = 0
    for name, colour in COLOURS.items():
        for board, mates in zip(boards(), column("mate_at_a_glance", name).tolist(), strict=True):
            for target in Bitboard(mates) if board.turn == colour else ():
                queens = board.generate_legal_moves(board.queens, chess.BB_SQUARES[target])
                assert any(mate(board, move) for move in list(queens))
                found += 1
    assert found > 10


def mate(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


# --------------------------------------------------------------------------------------------------- cases to look at


@pytest.mark.parametrize(
    ("name", "fen", "answer"),
    [
        # Diagonals are those of the board, for Black too: g7 is all that the king on h8 has.
        ("black_distant_checks", "7k/8/5N2/8/8/8/8/6K1 b - - 0 1", 4),
        # Their pawn runs ahead of ours, though our king would stop it; a side in check starts a move later.
        ("white_unstoppable_passers", "8/8/8/7P/3k4/1p6/8/K7 w - - 0 1", ""),
        ("white_unstoppable_passers", "8/8/8/7P/3k4/8/1p6/K7 w - - 0 1", ""),
        ("white_unstoppable_passers", "8/8/7P/3k4/1p6/8/8/6K1 w - - 0 1", "h6"),
        # Of two that one king cannot both stop both are there; where one runs alone, that one.
        ("white_unstoppable_passers", "8/8/8/3k4/P6P/8/8/K7 w - - 0 1", "a4 h4"),
        ("white_unstoppable_passers", "8/8/8/5k2/P6P/8/8/K7 w - - 0 1", "a4"),
        ("black_unstoppable_passers", "k7/8/8/p6p/3K4/8/8/8 b - - 0 1", "a5 h5"),
        ("white_unstoppable_passers", "8/8/8/3k4/P6P/p7/8/K7 w - - 0 1", ""),
        # It steps aside; who promotes first with check also promotes last; a stalemate is none.
        ("white_unstoppable_passers", "4K3/4P3/8/8/8/8/k7/8 w - - 0 1", "e7"),
        ("white_unstoppable_passers", "8/1P6/8/8/8/8/7p/k1K5 b - - 0 1", ""),
        ("black_unstoppable_passers", "8/1P6/8/8/8/8/7p/k1K5 b - - 0 1", "h2"),
        ("white_unstoppable_passers", "2k5/2P5/2K5/6P1/8/8/8/8 b - - 0 1", ""),
        # A pawn that has just passed another one falls en passant, though nothing else can be captured.
        ("white_en_prise", "4k3/8/8/8/3pP3/8/8/7K b - e3 0 1", "e4"),
        ("black_en_prise", "4k3/8/8/3pP3/8/8/8/7K w - d6 0 1", "d5"),
        # The enemy has a piece: the rule of the square says nothing.
        ("white_unstoppable_passers", "8/8/8/7P/3k4/8/8/K6b w - - 0 1", ""),
        # It is taken en passant; and the king helps its pawn, which promotes first.
        ("white_unstoppable_passers", "8/8/8/8/1pP5/8/8/K6k b - c3 0 1", ""),
        ("black_unstoppable_passers", "k6K/8/8/1Pp5/8/8/8/8 w - c6 0 1", ""),
        ("white_unstoppable_passers", "8/8/8/8/7P/2p5/K2k4/8 w - - 0 1", ""),
        ("white_unstoppable_passers", "8/8/8/8/7P/8/K2k4/8 w - - 0 1", "h4"),
        # A king that stops their pawn cannot help ours meanwhile; their king steps aside; they capture their way free.
        ("white_unstoppable_passers", "8/8/8/7k/8/1P5K/7p/8 w - - 0 1", ""),
        ("white_unstoppable_passers", "8/8/7p/8/3P4/3K1p2/5k2/8 b - - 0 1", ""),
        ("white_unstoppable_passers", "8/8/4P3/8/2K5/5p2/4Pk2/8 b - - 0 1", ""),
        # The rook behind the queen protects what she attacks, once she has gone ahead.
        ("white_mate_at_a_glance", "5rk1/5pp1/8/8/8/7Q/8/K6R w - - 0 1", "h7 h8"),
        # A queen pinned to her king may go along the line only.
        ("white_mate_at_a_glance", "6k1/5p1p/6pB/8/3Q4/8/8/6K1 w - - 0 1", "g7"),
        ("white_mate_at_a_glance", "6k1/b4p1p/6pB/8/3Q4/8/8/6K1 w - - 0 1", ""),
        # A slider that is pinned itself holds nothing off its line: it could not take what is behind.
        ("white_pins", "6k1/3q4/8/3p4/3Q4/8/8/6K1 w - - 0 1", "d5"),
        ("white_pins", "6k1/3q4/8/2bp4/3Q4/8/8/6K1 w - - 0 1", ""),
        ("white_pins", "3q2k1/8/8/3n4/3Q4/8/8/3K4 b - - 0 1", "d5"),
        # Two queens are no royal fork, and a knight that pawns can take is none either.
        ("white_royal_fork_squares", "4k3/8/8/1N6/4q3/8/8/4K3 w - - 0 1", "d6"),
        ("white_royal_fork_squares", "k3q3/8/8/1N6/4q3/8/8/4K3 w - - 0 1", "c7"),
        ("white_royal_fork_squares", "4k3/4p3/8/1N6/4q3/8/8/4K3 w - - 0 1", ""),
    ],
)
def test_a_case_to_look_at(name: str, fen: str, answer: int | str) -> None:
    assert Position(fen).feature(name) == (Bitboard(answer) if isinstance(answer, str) else answer)


# ------------------------------------------------------------------------------------------------------------- counts


def test_counts_are_signed_and_wide_enough_for_any_board() -> None:
    """64 queens are 576 pawns' worth, and differences are right, in arrays as in SQL."""
    queens = "/".join(["QQQQQQQQ"] * 8)
    some = [Position(f"{board} w - - 0 1", strict=False) for board in (queens, queens.lower())]
    positions = Positions.from_positions(some)
    assert [position.feature("white_material") for position in some] == [576, 0]
    white, black = (positions.feature(f"{side}_material") for side in ("white", "black"))
    assert (white - black).tolist() == [576, -576]
    found = setwise.find(
        "abs(white_material - black_material) = 576", positions, columns=["black_material", "material_key", "imbalance"]
    ).to_pylist()
    assert [row["black_material"] for row in found] == [0, 576]
    assert [row["material_key"] for row in found] == [f"K{'Q' * 64}vK", f"KvK{'Q' * 64}"]
    assert [row["imbalance"] for row in found] == [f"{'Q' * 64}v", f"v{'Q' * 64}"]
    counts = [name for name, feature in FEATURES.items() if feature.returns.name == "count"]
    assert {"material", "mobility", "pawn_islands"} <= set(counts)
    for name in counts:
        assert positions.feature(f"white_{name}").dtype == np.int16, name
    assert positions.legal_move_counts().dtype == np.int16
