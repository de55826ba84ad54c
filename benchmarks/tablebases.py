"""Exact ends beside the tables of others: Syzygy's say who wins, Gaviota's in how many plies.

    python benchmarks/tablebases.py FOLDER_OF_SYZYGY FOLDER_OF_GAVIOTA [POSITIONS_OF_FOUR_PIECES]

All legal positions of three pieces, and some of each ending of four. Both sets of files are in python-chess's
repository, in ``data``; those of Gaviota have three pieces there. ``setwise tablebase build`` makes the tables that are
judged.
"""

from __future__ import annotations

import sys

import chess
import chess.gaviota
import chess.syzygy
import numpy as np

from setwise.tablebases.files import default_folder, table
from setwise.tablebases.solving import DRAWN, ILLEGAL, MATERIALS, Material, whole

_KINDS = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
_SEED = 7


def board_at(material: Material, place: tuple[int, ...], turn: bool) -> chess.Board:
    """Return the board of a place in a whole table, with White or Black to move."""
    view, own_king, enemy_king, *squares = place
    mirror = 0 if turn else 56
    board = chess.Board(None)
    board.set_piece_at(own_king ^ mirror, chess.Piece(chess.KING, turn))
    board.set_piece_at(enemy_king ^ mirror, chess.Piece(chess.KING, not turn))
    for piece, square in zip(material.pieces, squares, strict=True):
        colour = turn if piece.side == view else not turn
        board.set_piece_at(square ^ mirror, chess.Piece(_KINDS[piece.kind - 1], colour))
    board.turn = turn
    return board


def main(syzygy_folder: str, gaviota_folder: str, count: int = 4_000) -> None:
    """Print the differences for each ending."""
    rng = np.random.default_rng(_SEED)
    with (
        chess.syzygy.open_tablebase(syzygy_folder) as syzygy,
        chess.gaviota.open_tablebase(gaviota_folder) as gaviota,
    ):
        for name, material in MATERIALS.items():
            values = whole(material, table(default_folder(), material))
            legal = np.flatnonzero(values.ravel() != ILLEGAL)
            has_three = len(material.pieces) == 1
            chosen = legal if has_three else rng.choice(legal, count, replace=False)
            wrong = 0
            for k, number in enumerate(chosen.tolist()):
                place = tuple(map(int, np.unravel_index(number, values.shape)))
                board, value = board_at(material, place, turn=k % 2 == 0), int(values[place])
                result = 0 if value == DRAWN else -1 if value % 2 else 1
                wrong += np.sign(syzygy.probe_wdl(board)) != result
                if has_three:
                    wrong += gaviota.probe_dtm(board) != (value - 1) * result
            print(f"{name:5} {len(chosen):8,} positions, {wrong} differences", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:4]))
