"""Legal moves of many positions as lists, masks and indices: judged by python-chess, and by one position at a time."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator

import chess
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.boards import random_play, scattered
from helpers.data import FAMOUS_GAMES, starts
from helpers.games import batch
from setwise import Move, Positions
from setwise.game.batch import GamePositions
from setwise.position.move import MOVE_TABLES
from setwise.rules.generate import INDEX_OF, MOVE_INDICES

UNDERPROMOTIONS = (chess.KNIGHT, chess.BISHOP, chess.ROOK)


def naive_names() -> list[tuple[int, int, int | None]]:
    """All moves in the order of their indices: squares left and reached, and what a pawn becomes if not a queen."""
    empty = chess.Board(None)
    names: list[tuple[int, int, int | None]] = []
    for left in chess.SQUARES:
        reached = chess.SquareSet()
        for kind in (chess.QUEEN, chess.KNIGHT):
            empty.set_piece_at(left, chess.Piece(kind, chess.WHITE))
            reached |= empty.attacks(left)
        empty.remove_piece_at(left)
        names += [(left, square, None) for square in reached]
    for file in range(8):
        for target in range(max(file - 1, 0), min(file + 1, 7) + 1):
            names += [(chess.square(file, 6), chess.square(target, 7), kind) for kind in UNDERPROMOTIONS]
    return names


NAMES = {name: index for index, name in enumerate(naive_names())}


def naive_index(board: chess.Board, move: chess.Move) -> int:
    """The index of a move of python-chess, castling as king takes rook."""
    left, reached, promotion = move.from_square, move.to_square, move.promotion
    if board.is_castling(move) and not board.chess960:
        reached = chess.square(7 if reached > left else 0, chess.square_rank(left))
    if not board.turn:
        left, reached = chess.square_mirror(left), chess.square_mirror(reached)
    return NAMES[left, reached, promotion if promotion in UNDERPROMOTIONS else None]


@functools.cache
def boards() -> list[chess.Board]:
    """Positions of the suites and of random games, pieces thrown on the board, mates; either side to move."""
    chance = random.Random(11)  # noqa: S311
    found = [chess.Board(fen) for fen in starts("perft.epd")]
    found += [chess.Board(fen, chess960=True) for fen in starts("perft960.epd")]
    found += [scattered(chance) for _ in range(400)]
    found += random_play(8, seed=5, every=3)
    return [*found, chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")]


@functools.cache
def positions() -> Positions:
    return Positions.from_boards(boards())


def test_there_is_an_index_for_every_move_there_can_be() -> None:
    assert len(NAMES) == MOVE_INDICES == 1858
    used = INDEX_OF[INDEX_OF < MOVE_INDICES]
    assert np.array_equal(np.unique(used), np.arange(MOVE_INDICES))


def test_masks_are_the_legal_moves_of_python_chess() -> None:
    mask = positions().moves_mask()
    assert (mask.dtype, mask.shape) == (np.bool_, (len(boards()), MOVE_INDICES))
    for row, board in zip(mask, boards(), strict=True):
        assert np.flatnonzero(row).tolist() == sorted({naive_index(board, move) for move in board.legal_moves}), board
    assert mask.sum() == positions().legal_move_counts().sum() > 20_000  # no two moves share an index
    assert not mask[-1].any()
    assert mask.any(axis=0).sum() > 1500


def test_legal_moves_are_those_of_each_position_in_order() -> None:
    found = positions().legal_moves()
    assert (found.parents.dtype, found.moves.dtype, found.indices.dtype) == (np.int64, np.uint16, np.int64)
    expected = [(row, int(move)) for row, position in enumerate(positions()) for move in position.legal_moves()]
    assert list(zip(found.parents.tolist(), found.moves.tolist(), strict=True)) == expected
    children = positions().children()
    assert np.array_equal(found.parents, children.parents)
    assert np.array_equal(found.moves, children.moves)


def test_every_index_of_the_list_is_that_of_its_move() -> None:
    parents, moves, indices = positions().legal_moves()
    for parent, move, index in zip(parents.tolist(), moves.tolist(), indices.tolist(), strict=True):
        board = boards()[parent]
        assert index == naive_index(board, Move(move).to_chess(board.chess960)), (board, Move(move))


def test_an_index_finds_its_move_again() -> None:
    parents, moves, indices = positions().legal_moves()
    each = positions()[parents]
    assert np.array_equal(each.moves_at(indices), moves)
    assert not positions().moves_at(np.full(len(positions()), -1)).any()
    illegal = positions().moves_mask().argmin(axis=1)
    assert not positions().moves_at(illegal).any()


def test_indices_that_do_not_fit_the_positions_are_refused() -> None:
    with pytest.raises(ValueError, match=r"each of the 2 positions has one index, and these are \(3,\)"):
        positions()[:2].moves_at([1, 2, 3])


def test_a_move_and_its_mirror_image_have_one_index() -> None:
    mirrored = Positions.from_positions([position.mirror() for position in positions()])
    assert np.array_equal(mirrored.moves_mask(), positions().moves_mask())


def test_played_moves_have_the_indices_of_python_chess() -> None:
    [games] = setwise.read_pgn(FAMOUS_GAMES, batch_bytes=1 << 24)
    played = games.positions()
    expected = [
        naive_index(board, MOVE_TABLES[False].move(move).to_chess()) if move else -1
        for board, move in zip(played.to_boards(), played.moves.tolist(), strict=True)
    ]
    assert played.move_indices().tolist() == expected
    assert expected.count(-1) == len(games)
    there = played.move_indices() >= 0
    assert played.moves_mask()[there, played.move_indices()[there]].all()
    assert np.array_equal(played.moves_at(played.move_indices()), played.moves)


def test_positions_without_games_have_no_played_moves() -> None:
    with pytest.raises(ValueError, match="no moves were played"):
        Positions.from_fens([]).move_indices()


def test_no_positions_have_no_moves() -> None:
    none = Positions.from_fens([])
    assert [len(column) for column in none.legal_moves()] == [0, 0, 0]
    assert none.moves_mask().shape == (0, MOVE_INDICES)
    assert none.moves_at([]).shape == (0,)


# ------------------------------------------------------------------------------------------------------------- concat


def cuts(found: Positions, places: list[int]) -> Iterator[Positions]:
    ends = [0, *sorted(min(place, len(found)) for place in places), len(found)]
    for start, stop in itertools.pairwise(ends):
        yield found[start:stop]


@given(st.lists(st.integers(0, 3000), max_size=6))
def test_slices_put_together_are_the_whole(places: list[int]) -> None:
    [games] = setwise.read_pgn(FAMOUS_GAMES, batch_bytes=1 << 24)
    whole = games.positions()
    again = Positions.concat(cuts(whole, places))
    assert again.equals(whole)
    assert again.games is games
    assert again.san().equals(whole.san())


def test_games_of_several_batches_stay_apart() -> None:
    texts = [b"1. e4 e5 *\n\n1. d4 *\n\n", b"1. c4 *\n\n", b"1. Nf3 d5 2. g3 *\n\n1. b3 *\n\n"]
    several = [batch(text).positions() for text in texts]
    whole = batch(b"".join(texts)).positions()
    found = Positions.concat(several)
    assert found.equals(whole)
    assert found.games is None
    assert [part.game.max() for part in several] == [1, 0, 1]  # none of them was written to


def test_what_one_batch_lacks_the_whole_lacks() -> None:
    played, bare = batch(b"1. e4 e5 *").positions(), positions()[:3]
    found = Positions.concat([played, bare])
    assert len(found) == len(played) + len(bare)
    assert found.moves is found.game is found.ply is found.games is None
    assert found.fens().to_pylist() == played.fens().to_pylist() + bare.fens().to_pylist()


def test_nothing_put_together_is_nothing() -> None:
    assert len(Positions.concat([])) == 0
    assert len(Positions.concat([positions()[:0]])) == 0


def test_rows_of_different_tables_are_not_mixed_up() -> None:
    first, rows = batch(b"1. e4 e5 *").positions(), np.arange(3, dtype=np.int32)
    one, other = (first.with_source_columns(pa.table({"a": values}), rows) for values in ([1, 2, 3], [4, 5, 6]))
    mixed, same = Positions.concat([one, other]), Positions.concat([one, one])
    assert isinstance(mixed, GamePositions)
    assert mixed.source_columns is mixed.row is None
    assert isinstance(same, GamePositions)
    assert same.source_columns is one.source_columns
    assert same.row.tolist() == [0, 1, 2, 0, 1, 2]
