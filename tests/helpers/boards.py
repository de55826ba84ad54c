"""Random boards of python-chess: those of games in which anything is played, and pieces thrown on the board."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess

from helpers.python_chess import two_steppers_check


def random_play(
    games: int, *, seed: int, plies: int = 200, every: int = 1, chess960: bool = False
) -> Iterator[chess.Board]:
    """Every so-manieth position of random games, which begin at the start or at one of Chess960, and where they end.

    Random games lead to more checks and open kings than good ones.
    """
    chance = random.Random(seed)  # noqa: S311
    for _ in range(games):
        board = chess.Board.from_chess960_pos(chance.randrange(960)) if chess960 else chess.Board()
        for ply in range(plies):
            moves = list(board.legal_moves)
            if ply % every == 0 or not moves:
                yield board.copy(stack=False)
            if not moves:
                break
            board.push(chance.choice(moves))


def scattered(chance: random.Random) -> chess.Board:
    """A possible position with pieces anywhere, often with castling rights and a pawn that has just passed another."""
    while True:
        board = chess.Board(None, chess960=chance.random() < 0.5)
        board.turn = chance.random() < 0.5
        men = "Kk" + "".join(chance.choices("PPPNBRQpppnbrq", k=chance.randrange(2, 14)))
        for square, letter in zip(chance.sample(range(64), len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        for white, home in ((True, chess.A1), (False, chess.A8)):
            if chance.random() < 0.6:
                files = sorted(chance.sample(range(8), 3)) if board.chess960 else [0, 4, 7]
                board.remove_piece_at(board.king(white) or 0)
                for file, piece in zip(files, (chess.ROOK, chess.KING, chess.ROOK), strict=True):
                    if piece == chess.KING or chance.random() < 0.8:
                        board.set_piece_at(home + file, chess.Piece(piece, white))
        board.castling_rights = board.rooks & (chess.BB_RANK_1 | chess.BB_RANK_8)
        board.castling_rights = board.clean_castling_rights()
        if chance.random() < 0.5:
            file, forwards, passed = chance.randrange(8), 8 if board.turn else -8, 40 if board.turn else 16
            board.ep_square = passed + file
            board.remove_piece_at(board.ep_square)
            board.remove_piece_at(board.ep_square + forwards)
            board.set_piece_at(board.ep_square - forwards, chess.Piece(chess.PAWN, not board.turn))
            beside = board.ep_square - forwards + (1 if file == 0 else -1 if file == 7 else chance.choice((-1, 1)))
            board.set_piece_at(beside, chess.Piece(chess.PAWN, board.turn))
        if board.is_valid() and not two_steppers_check(board):
            return board
