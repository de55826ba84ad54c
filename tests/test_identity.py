"""Which piece moves: a board of python-chess whose pieces carry their origins says the same."""

from __future__ import annotations

import random

import chess
import chess.pgn
import pytest

import setwise
from helpers.data import FAMOUS_GAMES, starts
from helpers.python_chess import games_of
from setwise.errors import QueryError

Row = tuple[int | None, int | None, int | None]


class Marked:
    """A board whose pieces know where they stood at the start, and how often they have moved."""

    def __init__(self, board: chess.Board) -> None:
        self.board = board.copy()
        self.of = {square: (square, 0) for square in chess.scan_forward(board.occupied)}

    def push(self, move: chess.Move) -> Row:
        """Play a move, and return what the columns say of it."""
        if not move:
            self.board.push(move)
            return None, None, None
        board, mover = self.board, self.of[move.from_square]
        captured, rook = None, None
        if board.is_castling(move):
            rank = chess.square_rank(move.from_square)
            kingside = board.is_kingside_castling(move)
            corner = move.to_square if board.chess960 else chess.square(7 if kingside else 0, rank)
            rook, rook_to = self.of[corner], chess.square(5 if kingside else 3, rank)
            king_to = chess.square(6 if kingside else 2, rank)
            del self.of[corner]
        elif board.is_en_passant(move):
            king_to = move.to_square
            captured = self.of.pop(chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square)))
        else:
            king_to = move.to_square
            captured = self.of.get(move.to_square)
        del self.of[move.from_square]
        self.of[king_to] = (mover[0], mover[1] + 1)
        if rook is not None:
            self.of[rook_to] = (rook[0], rook[1] + 1)
        board.push(move)
        return 1 << mover[0], None if captured is None else 1 << captured[0], mover[1]


def rows_of(game: chess.pgn.Game) -> list[Row]:
    marked = Marked(game.board())
    return [*(marked.push(move) for move in game.mainline_moves()), (None, None, None)]


def found(text: str, **options: bool) -> list[Row]:
    table = setwise.find("true", text.encode(), columns=["origin", "captured_origin", "piece_moves"], **options)  # type: ignore[arg-type]
    return [tuple(row.values()) for row in table.to_pylist()]  # type: ignore[misc]


def random_games(fens: list[str], *, chess960: bool) -> str:
    written = []
    for seed, fen in enumerate(fens):
        chooser = random.Random(seed)  # noqa: S311
        board = chess.Board(fen, chess960=chess960)
        game = chess.pgn.Game()
        game.setup(board)
        node: chess.pgn.GameNode = game
        for _ in range(chooser.randrange(60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            wanted = [it for it in moves if board.is_castling(it) or it.promotion or board.is_en_passant(it)]
            move = chooser.choice(wanted if wanted and chooser.random() < 0.5 else moves)
            board.push(move)
            node = node.add_variation(move)
        written.append(str(game))
    return "\n\n".join(written)


@pytest.mark.parametrize("of", ["famous", "standard", "chess960"])
def test_pieces_keep_their_origins(of: str) -> None:
    if of == "famous":
        text = FAMOUS_GAMES.read_text("utf-8")
    else:
        text = random_games(starts("perft.epd" if of == "standard" else "perft960.epd"), chess960=of == "chess960")
    expected = [row for game in games_of(text) for row in rows_of(game)]
    assert len(expected) > 1000
    assert found(text) == expected


def test_null_moves_move_nothing() -> None:
    assert found("1. e4 -- 2. e5 *") == [
        (1 << chess.E2, None, 0),
        (None, None, None),
        (1 << chess.E2, None, 1),
        (None,) * 3,
    ]


def test_an_excelsior_is_found() -> None:
    text = "1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 Nd5 5. bxa8=Q Nb6 6. Qxb8 *"
    where = "piece_moves >= 5 and origin & squares('e2') <> 0 and piece = 'Q'"
    assert setwise.find(where, text.encode(), columns=["san", "piece_moves"]).to_pylist() == [
        {"san": "Qxb8", "piece_moves": 5}
    ]
    assert setwise.find("captured_origin & squares('b8') <> 0", text.encode(), columns=["san"]).to_pylist() == [
        {"san": "Qxb8"}
    ]


def test_what_has_no_games_refuses_them() -> None:
    with pytest.raises(QueryError, match="origin"):
        setwise.find("origin <> 0", b"4k3/8/8/8/8/8/8/4K3 w - -")
