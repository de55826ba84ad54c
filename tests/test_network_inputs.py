"""Inputs of updatable networks: equal to a twin on python-chess, and to the sums that Stockfish makes of its own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import chess
import numpy as np
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.programs import needed
from setwise import Positions
from setwise.position.positions import NETWORK_INPUTS

CHESS960 = ["b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", "8/8/8/3k4/8/3K4/8/8 b - - 0 1"]


def halfkp(board: chess.Board, view: chess.Color) -> list[int]:
    """Piece by piece: 64 squares for each kind and side, on the board as it lies before the player of a colour."""
    king = board.king(view)
    assert king is not None
    turn = 0 if view == chess.WHITE else 63
    return sorted(
        (king ^ turn) * 641 + 1 + 64 * (2 * (piece.piece_type - 1) + (piece.color != view)) + (square ^ turn)
        for square, piece in board.piece_map().items()
        if piece.piece_type != chess.KING
    )


def halfkav2_hm(board: chess.Board, view: chess.Color) -> list[int]:
    """The same with kings, which share 64 inputs; a king on the files a to d moves the view to the mirror image."""
    if view == chess.BLACK:
        board = board.mirror()
    if chess.square_file(board.king(chess.WHITE) or 0) < 4:
        board = board.transform(chess.flip_horizontal)
    king = board.king(chess.WHITE)
    assert king is not None
    bucket = 4 * (7 - chess.square_rank(king)) + 7 - chess.square_file(king)
    return sorted(
        bucket * 704 + 64 * min(2 * (piece.piece_type - 1) + (piece.color == chess.BLACK), 10) + square
        for square, piece in board.piece_map().items()
    )


TWINS = {"halfkp": halfkp, "halfkav2_hm": halfkav2_hm}


def positions() -> Positions:
    [games] = setwise.read_pgn(FAMOUS_GAMES)
    others = Positions.from_boards([chess.Board(fen, chess960=True) for fen in CHESS960])
    return Positions.concat([games.positions()[::3], others])


@pytest.mark.parametrize("kind", NETWORK_INPUTS)
def test_each_view_has_the_inputs_of_its_twin(kind: str) -> None:
    found = positions()
    own, enemy, offsets = found.network_inputs(kind)
    assert len(offsets) == len(found) + 1
    assert offsets[-1] == len(own) == len(enemy)
    assert own.dtype == enemy.dtype == offsets.dtype == np.int64
    for k, board in enumerate(found.to_boards()):
        part = slice(offsets[k], offsets[k + 1])
        assert sorted(own[part].tolist()) == TWINS[kind](board, board.turn), board.fen()
        assert sorted(enemy[part].tolist()) == TWINS[kind](board, not board.turn), board.fen()
    assert 0 <= own.min() <= own.max() < NETWORK_INPUTS[kind]


def test_slices_and_no_positions_have_inputs() -> None:
    found = positions()
    own, _, offsets = found[5:9].network_inputs("halfkp")
    whole, _, places = found.network_inputs("halfkp")
    assert own.tolist() == whole[places[5] : places[9]].tolist()
    assert offsets.tolist() == (places[5:10] - places[5]).tolist()
    assert [len(it) for it in found[:0].network_inputs("halfkp")] == [0, 0, 1]


def test_an_unknown_kind_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="no network inputs 'halfka'; there are halfkp and halfkav2_hm; did you mean"):
        positions().network_inputs("halfka")


#: The parts of a network of Stockfish 15: a line of text, then a first layer of 1024 and sums for 8 buckets.
_VERSION, _WIDTH, _BUCKETS = 0x7AF32F20, 1024, 8
#: Stockfish counts so many units of its sums as a pawn: 16 units of the network for one of the search, 361 of those.
_SCALE, _PAWN = 16, 361


@pytest.mark.slow
def test_stockfish_sums_the_same_inputs(tmp_path: Path) -> None:
    """The material term of ``eval`` is half the difference of two sums of weights, one weight for each input."""
    stockfish = needed("stockfish")
    with_checks = positions()
    found = with_checks[~with_checks.is_check()][::6]
    lines = [f"export_net {tmp_path}/net"]
    lines += [line for fen in found.fens() for line in (f"position fen {fen}", "eval")]
    said = subprocess.run(
        [stockfish], input="\n".join([*lines, "quit\n"]), capture_output=True, text=True, check=True, timeout=120
    ).stdout
    if "Stockfish 15" not in said or not (tmp_path / "net").exists():
        pytest.skip(f"only Stockfish 15 shows these sums, and this is {said.splitlines()[0]}")
    net = (tmp_path / "net").read_bytes()
    version, _, text = np.frombuffer(net, "<u4", 3).tolist()
    assert version == _VERSION
    start = 12 + text + 4 + 2 * _WIDTH * (1 + NETWORK_INPUTS["halfkav2_hm"])
    weights = np.frombuffer(net, "<i4", NETWORK_INPUTS["halfkav2_hm"] * _BUCKETS, start).reshape(-1, _BUCKETS)
    own, enemy, offsets = found.network_inputs("halfkav2_hm")
    mover, other = (np.add.reduceat(weights[view].astype(np.int64), offsets[:-1]) for view in (own, enemy))
    ours = np.trunc((mover - other) / 2 / _SCALE) / _PAWN
    shown = re.findall(r"^\|  \d +\|(.{12})\|", said, re.MULTILINE)
    theirs = np.array([float(value.replace(" ", "")) for value in shown]).reshape(-1, _BUCKETS)
    assert len(theirs) == len(found) > 100
    assert np.abs(ours - theirs).max() < 0.0051
