"""To and from others: python-chess's boards and moves, planes of NumPy, tables of Arrow, Polars and pandas."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import chess
import chess.variant
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import setwise
from helpers.boards import random_play
from helpers.data import FAMOUS_GAMES
from setwise import Move, Position, Positions, read_pgn
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import recognised
from setwise.errors import IllegalMove, InvalidFen
from setwise.game.batch import GamePositions
from setwise.rules.board import SETS

STANDARD, FREE = (list(random_play(12, seed=960, chess960=flag)) for flag in (False, True))


def same(ours: Positions, theirs: Positions) -> bool:
    names = ("sets", "white_to_move", "halfmove_clock", "fullmove_number")
    return all(np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in names)


# -------------------------------------------------------------------------------------------------------- python-chess


@pytest.mark.parametrize("boards", [STANDARD, FREE], ids=["standard", "chess960"])
def test_boards_come_back_from_positions(boards: list[chess.Board]) -> None:
    positions = Positions.from_boards(iter(boards))
    assert positions.fens("xfen").to_pylist() == [board.fen(en_passant="xfen") for board in boards]
    again = positions.to_boards()
    assert again == boards
    assert [board.ep_square for board in again] == [board.ep_square for board in boards]
    assert all(board.is_valid() for board in again)


def test_boards_are_of_chess960_where_their_rights_are() -> None:
    fens = ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1", "1k6/8/8/8/8/8/8/1K5R w H - 0 1"]
    positions = Positions.from_fens(fens, chess960=None)
    assert [board.chess960 for board in positions.to_boards()] == [False, True, True]
    assert all(board.chess960 for board in positions.to_boards(chess960=True))
    assert positions[:1].to_boards() == [chess.Board(fens[0])]
    assert positions[:0].to_boards() == []
    assert len(Positions.from_boards([])) == 0


def test_every_way_to_a_position_castles_as_the_position_does() -> None:
    corners, inside = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/R3K1R1 w GA - 0 1"
    for fen in (corners, inside):
        [whole] = Positions.from_fens([fen], chess960=True)
        alone = Position(fen, chess960=True)
        columns = Positions.from_positions([alone, Position()])
        ways = {
            "one": alone, "columns": whole, "pickled": pickle.loads(pickle.dumps(whole)), "from_positions": columns[0],
            "slice": columns[:1][0], "chosen": columns[[1, 0]][1],
            "concat": Positions.concat([columns[1:], columns])[1],
            "board": Position.from_board(whole.to_board()), "boards": Positions.from_boards(columns.to_boards())[0],
            "words": Position.from_words(whole.words, chess960=True),
            "arrow": Positions.from_arrow(columns.to_arrow())[0],
            "pickled columns": pickle.loads(pickle.dumps(columns))[0], "mirrored": whole.mirror().mirror(),
            "game": setwise.Game(position=alone).position, "iterated": next(iter(columns)),
        }  # fmt: skip
        legal = {str(move) for move in chess.Board(fen, chess960=True).legal_moves}
        for way, position in ways.items():
            assert position == alone, way
            assert hash(position) == hash(alone), way
            assert position.chess960, way
            assert {position.uci(move) for move in position.legal_moves} == legal, way
            assert position.uci("O-O-O") == "e1a1", way
            assert str(position.parse("O-O-O")) == "e1a1", way
        assert not columns[1].chess960
        after, _, moves = columns[:1].children()
        assert [child.chess960 for child in after] == [alone.play(int(move)).chess960 for move in moves]


def test_a_game_is_of_chess960_from_its_first_position_to_its_last(tmp_path: Path) -> None:
    # The rook that moves takes along the one right that standard chess lacks.
    text = b'[FEN "4k3/8/8/8/8/8/8/R3K1R1 w GA - 0 1"]\n\n1. Rg2 Kd8 2. O-O-O *\n\n1. e4 *\n'
    expected = ["g1g2", "e8d8", "e1a1", None, "e2e4", None]
    [games] = read_pgn(text)
    assert [move.uci() for move in games[0].moves] == expected[:3]
    positions = games.positions()
    assert positions.uci().to_pylist() == expected
    assert positions.chess960.tolist() == [True] * 4 + [False] * 2
    assert Positions.concat([positions, *(batch.positions() for batch in read_pgn(text))]).chess960.sum() == 8
    setwise.scan(text, tmp_path / "scan")
    setwise.pack(text, tmp_path / "packed.parquet")
    for source in (text, tmp_path / "scan", tmp_path / "packed.parquet", positions):
        found = setwise.find("true", source, columns=["move", "san"])
        assert found.column("move").to_pylist() == expected


def test_positions_of_lists_and_tables_are_of_chess960_where_their_rights_are() -> None:
    fens = ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/R3K1R1 w GA - 0 1"]
    lines = "\n".join(fens)
    for source in (lines.encode(), f"fen\n{lines}\n".encode(), pa.table({"fen": fens})):
        [job] = recognised(source).scan(Question())
        positions = job.run().positions
        assert positions.chess960.tolist() == [False, True]
        assert [position.uci("O-O-O") for position in positions] == ["e1c1", "e1a1"]


def test_impossible_boards_are_refused_with_their_number() -> None:
    with pytest.raises(InvalidFen, match=r"position number 2: .*king"):
        Positions.from_boards([chess.Board(), chess.Board(None)])
    with pytest.raises(InvalidFen, match="fullmove_number is 0 to 65535, not 70000"):
        Positions.from_boards([chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 70000")])
    with pytest.raises(ValueError, match="board number 1: a board of atomic"):
        Positions.from_boards([chess.variant.AtomicBoard()])
    free = chess.Board("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1", chess960=True)
    assert same(Positions.from_boards([chess.Board(), free])[1:], Positions.from_boards([free]))


@pytest.mark.parametrize("boards", [STANDARD[::7], FREE[::7]], ids=["standard", "chess960"])
def test_moves_go_to_python_chess_and_back(boards: list[chess.Board]) -> None:
    for board in boards:
        position = Position.from_board(board)
        moves = position.legal_moves()
        theirs = [move.to_chess(board.chess960) for move in moves]
        assert set(theirs) == set(board.legal_moves)
        assert [position.parse(move) for move in theirs] == moves


def test_play_takes_moves_of_python_chess() -> None:
    assert Position().play(chess.Move.from_uci("e2e4")) == Position().play("e4")
    assert Move(0o1404).to_chess() == chess.Move(chess.E1, chess.E2)


# -------------------------------------------------------------------------------------------------------------- planes


def naive_planes(board: chess.Board, *, from_mover: bool) -> np.ndarray:
    """Square by square, from python-chess's answers."""
    planes = np.zeros((19, 8, 8), np.uint16)
    flipped = from_mover and not board.turn
    first = board.turn if from_mover else chess.WHITE
    for square, piece in board.piece_map().items():
        rank, file = divmod(chess.square_mirror(square) if flipped else square, 8)
        planes[piece.piece_type - 1 + (0 if piece.color == first else 6), rank, file] = 1
    planes[12] = board.turn
    for plane, side in ((13, first), (15, not first)):
        planes[plane] = board.has_kingside_castling_rights(side)
        planes[plane + 1] = board.has_queenside_castling_rights(side)
    if board.ep_square is not None:
        rank, file = divmod(chess.square_mirror(board.ep_square) if flipped else board.ep_square, 8)
        planes[17, rank, file] = 1
    planes[18] = min(board.halfmove_clock, 255)
    return planes


@pytest.mark.parametrize("from_mover", [False, True])
@pytest.mark.parametrize("boards", [STANDARD[::3], FREE[::3]], ids=["standard", "chess960"])
def test_planes_show_what_stands_where(boards: list[chess.Board], from_mover: bool) -> None:
    expected = np.array([naive_planes(board, from_mover=from_mover) for board in boards])
    positions = Positions.from_boards(boards)
    for dtype in (np.uint8, np.float32, np.bool_, np.float16):
        planes = positions.planes(dtype, from_mover=from_mover)
        assert planes.shape == (len(boards), 19, 8, 8)
        assert planes.dtype == dtype
        assert np.array_equal(planes, expected.astype(dtype))
        men = positions.planes(dtype, from_mover=from_mover, situation=False)
        assert np.array_equal(men, planes[:, :12])


def test_planes_of_any_number_of_positions() -> None:
    positions = Positions.from_fens(["4k3/8/8/8/8/8/8/4K3 w - - 300 200", "4k3/8/8/8/8/8/4P3/4K3 b - - 4 5"] * 600)
    for count in (0, 1, 511, 512, 513, 1200):
        assert np.array_equal(positions[:count].planes(np.float32), positions.planes()[:count])
    assert positions.planes()[0, 18, 3, 3] == 255


def test_planes_from_the_movers_side_are_mirrored() -> None:
    blacks = [board for board in STANDARD if not board.turn]
    planes = Positions.from_boards(blacks).planes(from_mover=True)
    mirrored = Positions.from_boards([board.mirror() for board in blacks]).planes()
    mirrored[:, 12] = 0
    assert np.array_equal(planes, mirrored)


# -------------------------------------------------------------------------------------------------------------- tables


def games_positions() -> GamePositions:
    (games, *_) = read_pgn(FAMOUS_GAMES, batch_bytes=1 << 20)
    return games.positions()


def test_arrow_gives_all_columns_back() -> None:
    positions = games_positions()
    table = positions.to_arrow()
    assert table.column_names == [
        *SETS,
        "white_to_move",
        "halfmove_clock",
        "fullmove_number",
        "chess960",
        "moves",
        "game",
        "ply",
    ]
    assert set(table.schema.types[:10]) == {pa.uint64()}
    assert table["white_pieces"].to_numpy().tolist() == positions.white_pieces.tolist()
    again = Positions.from_arrow(table)
    assert same(again, positions)
    assert again.uci() == positions.uci()
    assert np.array_equal(again.game, positions.game)
    assert np.array_equal(again.ply, positions.ply)
    assert same(Positions.from_arrow(Positions.from_fens([]).to_arrow()), Positions.from_fens([]))


def test_tables_of_others_are_read() -> None:
    positions = games_positions()
    table = positions.to_arrow()
    for other in (
        pl.from_arrow(table),
        table.to_pandas(),
        table.to_batches()[0],
        pa.concat_tables([table[:40], table[40:]]),
    ):
        assert same(Positions.from_arrow(other), positions)
    unsigned = table.set_column(0, "white_pieces", pa.array(positions.white_pieces))
    assert same(Positions.from_arrow(unsigned), positions)


def test_scans_are_read() -> None:
    names = [
        f"{side}_{piece}"
        for side in ("white", "black")
        for piece in ("pawns", "knights", "bishops", "rooks", "queens", "king")
    ]
    more = ["white_to_move", "castling_rights", "en_passant", "halfmove_clock", "fullmove_number"]
    table = setwise.find("ply >= 0", FAMOUS_GAMES, columns=[*names, *more])
    table = table[: len(games_positions())]
    assert same(Positions.from_arrow(table), games_positions())
    bare = Positions.from_arrow(table.select([*names, "white_to_move"]))
    assert np.array_equal(bare.sets[:8], games_positions().sets[:8])
    assert not bare.castling_rights.any()


def test_tables_that_are_no_positions_are_refused() -> None:
    table = Positions.from_fens(["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] * 3).to_arrow()

    def changed(name: str, values: list[object], kind: pa.DataType | None = None) -> pa.Table:
        return table.set_column(table.column_names.index(name), name, pa.array(values, kind))

    with pytest.raises(ValueError, match="the table has no column 'pawns'"):
        Positions.from_arrow(table.drop_columns(["pawns"]))
    with pytest.raises(ValueError, match="the column 'pawns' has no value in 1 rows"):
        Positions.from_arrow(changed("pawns", [4096, None, 4096]))
    with pytest.raises(ValueError, match="the column 'pawns' is of string"):
        Positions.from_arrow(changed("pawns", ["e2", "e2", "e2"]))
    with pytest.raises(InvalidFen, match=r"position number 2: every piece has one colour and one kind.* e3"):
        Positions.from_arrow(changed("pawns", [4096, 4096 | 1 << 20, 4096]))
    with pytest.raises(InvalidFen, match=r"position number 3: .*passed"):
        Positions.from_arrow(changed("en_passant", [0, 0, 3]))
    with pytest.raises(InvalidFen, match=r"position number 1: .*castling rights ask for rooks on a1"):
        Positions.from_arrow(changed("castling_rights", [1, 0, 0]))
    with pytest.raises(InvalidFen, match="halfmove_clock is 0 to 65535, not -1"):
        Positions.from_arrow(changed("halfmove_clock", [0, 0, -1]))
    with pytest.raises(IllegalMove, match="position number 2: e2e5"):
        Positions.from_arrow(table.append_column("moves", pa.array([0o3414, 0o4414, 0], pa.uint16())))
    with pytest.raises(ValueError, match="position number 2: a move is a number below"):
        Positions.from_arrow(table.append_column("moves", pa.array([0o3414, 0xFFFF, 0], pa.uint16())))


def test_polars_and_pandas_take_what_find_returns() -> None:
    found = setwise.find(
        "white_to_move and ply < 6", FAMOUS_GAMES, columns=["white_name", "result", "game", "key", "san", "white_pawns"]
    )
    assert pa.types.is_dictionary(found.schema.field("white_name").type)
    frame = pl.from_arrow(found)
    assert frame["white_name"].cast(pl.String).to_list() == found["white_name"].to_pylist()
    assert frame["key"].to_list() == found["key"].to_pylist()
    assert frame.group_by("result").len()["len"].sum() == len(found)
    panda = found.to_pandas()
    assert isinstance(panda["white_name"].dtype, pd.CategoricalDtype)
    assert panda["white_name"].tolist() == found["white_name"].to_pylist()
    assert panda["key"].tolist() == found["key"].to_pylist()


# -------------------------------------------------------------------------------------------------- slices and pickles


def test_positions_are_pickled_and_copied() -> None:
    positions = games_positions()
    for other in (pickle.loads(pickle.dumps(positions)), copy.copy(positions), copy.deepcopy(positions)):
        assert same(other, positions)
        assert other.san() == positions.san()
        assert other.games.tag("White") == positions.games.tag("White")


@pytest.mark.parametrize("which", [slice(None, None, 2), slice(None, None, -1), [3, 1, 1], slice(5, 9)])
def test_any_slice_can_be_asked_everything(which: object) -> None:
    positions = games_positions()
    part = positions[which]
    for whole, some in (
        (positions.fens(), part.fens()), (positions.san(), part.san()), (positions.keys(), part.keys()),
        (positions.planes(), part.planes()),
        (positions.feature("white_pawn_islands"), part.feature("white_pawn_islands")),
    ):  # fmt: skip
        assert np.array_equal(np.array(whole)[which], np.array(some))
    assert len(Positions.from_arrow(part.to_arrow())) == len(part)


def test_positions_are_equal_when_all_their_columns_are() -> None:
    fens = ["4k3/8/8/8/8/8/4P3/4K2R w K - 0 1", "4k3/8/8/8/8/8/4P3/4K2R b K - 0 1"]
    positions = Positions.from_fens(fens)
    assert positions.equals(Positions.from_fens(fens))
    assert positions[:1].equals(Positions.from_fens(fens[:1]))
    assert not positions.equals(positions[:1])
    assert not positions.equals(positions[::-1])
    from_game = next(read_pgn(b"1. e4 *")).positions()
    assert from_game.equals(pickle.loads(pickle.dumps(from_game)))
    assert not from_game.equals(Positions.from_fens(from_game.fens().to_pylist()))


def test_a_search_leaves_positions_as_they_are() -> None:
    alone = Positions.from_fens(["4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"])
    for positions in (alone, games_positions()):
        before = dict(vars(positions))
        assert len(setwise.find("white_to_move", positions, columns=["source", "game", "fen"])) > 0
        assert all(vars(positions)[name] is column for name, column in before.items())
    assert alone.games is alone.moves is alone.game is None


def test_children_and_slices_keep_the_games() -> None:
    positions = games_positions()
    children = positions[40:60:3].children()[0]
    assert isinstance(children, GamePositions)
    assert children.games is positions.games
    assert set(children.game.tolist()) <= set(positions.game[40:60].tolist())
    assert children.ply is children.moves is None


def test_positions_and_a_position_write_the_same_fens() -> None:
    fens = ["4k3/8/8/8/4Pp2/8/8/4K2R b K e3 0 1", "rk6/8/8/8/8/8/8/RK6 w Aa - 3 9"]
    for convention in ("legal", "fen", "xfen"):
        for shredder in (False, True):
            expected = [Position(fen, chess960=True).fen(convention, shredder=shredder) for fen in fens]
            positions = Positions.from_fens(fens, chess960=True)
            assert positions.fens(convention, shredder=shredder).to_pylist() == expected
    with pytest.raises(ValueError, match="'legal', 'fen' or 'xfen', not 'epd'"):
        Positions.from_fens(fens, chess960=True).fens("epd")


def test_fens_come_in_columns_of_any_kind() -> None:
    fens = ["4k3/8/8/8/8/8/4P3/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R b K - 0 1", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1"]
    expected = Positions.from_fens(fens)
    wide, series = pa.array(fens, pa.large_string()), pd.Series(fens)
    for column in (tuple(fens), iter(fens), pa.array(fens), wide, series, pl.Series(fens), np.array(fens)):
        assert Positions.from_fens(column).equals(expected)
    chunked = pa.chunked_array([fens[1:2], fens[2:]])
    for column in (pa.array(fens)[1:], wide[1:], series[1:], pl.Series(fens)[1:], chunked):
        assert Positions.from_fens(column).equals(expected[1:])
    assert len(Positions.from_fens(pa.chunked_array([], pa.string()))) == 0
    with pytest.raises(InvalidFen, match=r"FEN number 2: .* it is empty"):
        Positions.from_fens([fens[0], None])  # type: ignore[list-item]
    for wrong in (fens[0], [1], 7):
        with pytest.raises(TypeError, match=r"FENs are texts, several of them|not iterable"):
            Positions.from_fens(wrong)  # type: ignore[arg-type]
