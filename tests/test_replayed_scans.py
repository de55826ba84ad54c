"""The boards of a scan are replayed from its moves: they are those of the columns, of PGN, and of python-chess."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pyarrow as pa
import pytest

import setwise
from setwise.corpus.dataset import parts as part_files
from setwise.corpus.sources import pgn, scans
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import resolved
from setwise.notation.moves import numbers_of

#: Castling to both sides by both colours, a capture en passant and one by another piece on the same square, promotions
#: to all pieces, null moves, a game without moves, Chess960 that begins as usual, a king that steps from e1.
GAMES = b"""
1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *

1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O O-O-O *

1. e4 a6 2. e5 d5 3. exd6 e5 4. d5 *

1. e4 Nf6 2. e5 d5 3. Nc3 d4 4. exf6 dxc3 5. fxg7 cxb2 6. gxh8=N bxa1=B 7. g4 h5 8. gxh5 *

1. a4 b5 2. axb5 a6 3. bxa6 Bb7 4. axb7 Nc6 5. bxa8=R h5 6. Rxd8+ Kxd8 7. Ra8+ *

1. e4 -- 2. d4 e5 3. -- *

*

[Variant "Chess960"]

1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *

1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 4. Ke2 d5 5. Kf3 d4 6. c4 dxc3 *
"""


def _random_games(count: int) -> bytes:
    """Games of random moves, with more captures of pawns, castling and promotions than games have."""
    lot = random.Random(22)  # noqa: S311
    texts = []
    for _ in range(count):
        board = chess.Board()
        for _ in range(lot.randrange(150)):
            moves = list(board.legal_moves)
            if not moves:
                break
            rare = [it for it in moves if it.promotion or board.is_en_passant(it) or board.is_castling(it)]
            board.push(lot.choice(rare or moves))
        texts.append(str(chess.pgn.Game.from_board(board)))
    return "\n\n".join(texts).encode()


@pytest.mark.parametrize("games", [GAMES, _random_games(60)], ids=["rare moves", "random games"])
def test_replayed_boards_are_those_of_the_columns_and_of_pgn(games: bytes, tmp_path: Path) -> None:
    setwise.scan(games, tmp_path / "scanned")
    [scan] = resolved(tmp_path / "scanned")
    [positions] = [job.run().positions for job in scan.scan(Question())]
    [expected] = [batch.positions() for batch in setwise.read_pgn(games)]
    stored = scans.of_columns(positions.source_columns, None)
    assert positions.replayed is not None
    for name in ("sets", "white_to_move", "halfmove_clock", "fullmove_number"):
        for other in (stored, expected):
            assert np.array_equal(getattr(positions, name), getattr(other, name)), name
    assert np.array_equal(positions.moves, expected.moves)
    [fresh] = [job.run().positions for job in scan.scan(Question())]  # of which nothing is replayed but what follows
    last = np.flatnonzero(expected.moves == 0)
    for some in (np.arange(1, len(expected), 3), last, np.array([9, 2, 2]), np.array([len(expected) - 1]), last[:0]):
        for chosen in (positions[some], fresh[some]):
            assert chosen.fens().equals(expected[some].fens())
            assert np.array_equal(chosen.moves, expected.moves[some])
            assert np.array_equal(chosen.ply, expected.ply[some])


@pytest.mark.parametrize("where", ["black_hanging <> 0", "san = 'O-O' or is_en_passant", "next(is_check)", "ply = 5"])
def test_games_from_elsewhere_and_scans_that_do_not_say_are_read_from_their_columns(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = GAMES + b'\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K2R w K - 3 9"]\n\n1. O-O Kd7 2. e4 *\n'
    with monkeypatch.context() as older:
        older.setattr(part_files, "with_usual_starts", lambda *_: None)
        setwise.scan(GAMES, tmp_path / "older")
    setwise.scan(elsewhere, tmp_path / "elsewhere")
    for games, folder in ((GAMES, "older"), (elsewhere, "elsewhere")):
        [scan] = resolved(tmp_path / folder)
        assert all(job.run().positions.replayed is None for job in scan.scan(Question()))
        columns = ["game", "ply", "move", "san", "fen"]
        found, expected = (setwise.find(where, it, columns=columns) for it in (tmp_path / folder, games))
        assert found.to_pylist() == expected.to_pylist()


def test_one_batch_of_games_from_elsewhere_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that are written together count together, wherever that game is among them."""
    monkeypatch.setattr(pgn, "_SEARCHED", 200)
    elsewhere = b'[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K2R w K - 3 9"]\n\n1. O-O Kd7 2. e4 *\n\n'
    for games in (elsewhere + GAMES, GAMES + b"\n" + elsewhere + GAMES):
        setwise.scan(games, tmp_path / "scanned", force=True)
        columns = ["game", "ply", "move", "fen"]
        found, expected = (setwise.find("ply >= 0", it, columns=columns) for it in (tmp_path / "scanned", games))
        assert found.to_pylist() == expected.to_pylist()


def test_moves_in_uci_have_their_squares_as_python_chess_reads_them() -> None:
    lot = random.Random(5)  # noqa: S311
    moves = [
        chess.Move(*lot.sample(range(64), 2), promotion=lot.choice([None, None, *range(chess.KNIGHT, chess.KING)]))
        for _ in range(300)
    ]
    numbers = numbers_of(pa.array([move.uci() for move in moves]))
    assert numbers is not None
    expected = [it.from_square | it.to_square << 6 | ((it.promotion or 1) - 1) << 12 for it in moves]
    assert numbers.tolist() == expected


@pytest.mark.parametrize("text", ["e2", "e2e4qq", "i1a1", "a0a1", "a7a8k", "0001", "é2e", None])
def test_what_is_not_uci_has_no_squares(text: str | None) -> None:
    assert numbers_of(pa.array(["e2e4", text])) is None
