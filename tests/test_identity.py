"""Which piece moves: a board of python-chess whose pieces carry their origins says the same."""

from __future__ import annotations

import random
import re
from pathlib import Path

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
        self.firsts = frozenset(self.of)

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

    def of_first(self, square: int) -> int | None:
        """Return where the piece from a first square is, a set; None if no piece was there."""
        if square not in self.firsts:
            return None
        return sum(1 << there for there, (first, _) in self.of.items() if first == square)


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


def text_of(kind: str) -> str:
    if kind == "famous":
        return FAMOUS_GAMES.read_text("utf-8")
    return random_games(starts("perft.epd" if kind == "standard" else "perft960.epd"), chess960=kind == "chess960")


@pytest.mark.parametrize("of", ["famous", "standard", "chess960"])
def test_pieces_keep_their_origins(of: str) -> None:
    text = text_of(of)
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


#: First squares of every kind of piece, and squares that are empty when most games begin.
FIRST_SQUARES = "b1 g8 a1 h8 d1 e1 e8 c8 e2 d7 h2 a7 c4 e5".split()
MEN = [f"man('{square}')" for square in FIRST_SQUARES]


def men_of(game: chess.pgn.Game) -> list[list[int | None]]:
    marked = Marked(game.board())
    squares = [*map(chess.parse_square, FIRST_SQUARES)]
    rows = [[*map(marked.of_first, squares)]]
    for move in game.mainline_moves():
        marked.push(move)
        rows.append([*map(marked.of_first, squares)])
    return rows


@pytest.mark.parametrize("of", ["famous", "standard", "chess960"])
def test_a_man_is_where_its_moves_have_led_it(of: str) -> None:
    text = text_of(of)
    expected = [row for game in games_of(text) for row in men_of(game)]
    assert {row[0] is None for row in expected} >= {False}
    if of != "famous":
        assert any(None in row for row in expected)
    assert any(0 in row for row in expected)
    assert [[*row.values()] for row in setwise.find("true", text.encode(), columns=MEN).to_pylist()] == expected


def test_a_man_has_one_path_in_each_line_of_variations() -> None:
    text = b"1. Nc3 (1. Nf3 d6 2. Ne5 (2. Na3 d5 3. Nb5)) 1... d5 2. Nxd5 (2. Nb1) 2... Qxd5 *"
    names = ["last_san", "man('b1')", "man('g1')"]
    found = setwise.find("true", text, columns=names, variations=True).to_pylist()
    squares = lambda word: " ".join(map(chess.square_name, chess.SquareSet(word))) or "-"  # noqa: E731
    assert {it["last_san"]: tuple(squares(it[name]) for name in names[1:]) for it in found} == {
        None: ("b1", "g1"), "Nc3": ("c3", "g1"), "d5": ("a3", "f3"), "Nxd5": ("d5", "g1"), "Qxd5": ("-", "g1"),
        "Nb1": ("b1", "g1"), "Nf3": ("b1", "f3"), "d6": ("b1", "f3"), "Ne5": ("b1", "e5"), "Na3": ("a3", "f3"),
        "Nb5": ("b5", "f3"),
    }  # fmt: skip


def test_men_are_known_wherever_moves_are(tmp_path: Path) -> None:
    """A scan, a table of FENs with moves, several first squares, symmetries and statements give the same."""
    where = "man('b1') = squares('g3') or man('g8 b8') = squares('f6 d5')"
    expected = setwise.find(where, FAMOUS_GAMES, columns=["game", "ply"])
    assert len(expected)
    setwise.scan(FAMOUS_GAMES, tmp_path / "scan")
    assert setwise.find(where, tmp_path / "scan", columns=["game", "ply"]).equals(expected)
    assert setwise.sql(f"select game, ply from positions where {where}", FAMOUS_GAMES).equals(expected)  # noqa: S608
    puzzles = tmp_path / "puzzles.csv"
    puzzles.write_text(f"FEN,Moves\n{chess.STARTING_FEN},b1c3 e7e5 c3d5 d7d6 d5c7\n", "utf-8")
    assert setwise.find("man('b1') = squares('c7')", puzzles, columns=["ply"]).to_pylist() == [{"ply": 5}]
    mirrored = "either_colour(either_wing(man('g8') = squares('d4')))"
    pairs = {"g8": "d4", "b8": "e4", "g1": "d5", "b1": "e5"}
    by_hand = " or ".join(f"man('{first}') = squares('{there}')" for first, there in pairs.items())
    assert setwise.find(mirrored, FAMOUS_GAMES, columns=["game", "ply"]).equals(
        setwise.find(by_hand, FAMOUS_GAMES, columns=["game", "ply"])
    )


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("man('x9') <> 0", "man('x9'): 'x9' is not a square"),
        ("man('') <> 0", "man(''): it names no square: write the square on which a piece began"),
        ("man(white_king) <> 0", "man takes the square on which a piece began, as a literal, as man('b1')"),
        ("man('b1') = squares('c3 e5')", "never matches: it is the set of one square, or empty"),
        ("man('b1') > 4", "is a set of squares"),
    ],
)
def test_a_man_that_cannot_be_meant_is_refused(where: str, message: str) -> None:
    with pytest.raises(QueryError) as raised:
        setwise.find(where, FAMOUS_GAMES)
    assert message in str(raised.value)


def test_what_has_no_games_refuses_them() -> None:
    for where in ("origin <> 0", "man('b1') <> 0"):
        with pytest.raises(QueryError, match=re.escape(where.split()[0])):
            setwise.find(where, b"4k3/8/8/8/8/8/8/4K3 w - -")
