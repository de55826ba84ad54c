"""Are tactical columns true? Stockfish and tagged puzzles say: ``make tactics``.

Precision, on positions of real games: the share of hits (of the side to move) whose best such move is within 0.6 pawns of
the engine's best move, or leaves the mover at least 2.5 pawns ahead. For men that are pinned it is the share of those
whose best move off the line is at least 0.6 pawns worse than the best other move, or not legal.

Recall, on puzzles with a theme: the share of those in which the column holds the move that bears the theme.
"""

from __future__ import annotations

import argparse
import csv
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine
import numpy as np
from games import DATA

from setwise import Position, Positions, read_pgn

GAMES = "pgn/twic1599.pgn", "pgn/lichess_with_clocks.pgn.zst", "pgn/gnuchess_book.pgn.zst"
PUZZLES = "puzzles/lichess_themes_sample.csv"
NEAR, AHEAD, MATE = 60, 250, 32_000  # centipawns
WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 99}
SLIDERS = chess.BISHOP, chess.ROOK, chess.QUEEN


# ----------------------------------------------------------------------------------------------------------- positions


def sample(count: int, seed: int) -> list[str]:
    """FENs of positions of real games in which somebody can move, a third of them from each file, none twice."""
    found: dict[str, None] = {}
    for name in GAMES:
        batches = [games.positions() for games in read_pgn(DATA / name)]
        total = sum(map(len, batches))
        wanted = np.sort(np.random.default_rng(seed).choice(total, min(count // len(GAMES), total), replace=False))
        for batch in batches:
            here, wanted = wanted[wanted < len(batch)], wanted[wanted >= len(batch)] - len(batch)
            found |= dict.fromkeys(batch[here].fens().to_pylist())
    return list(found)


def column(positions: Positions, name: str, *, of_mover: bool = True) -> np.ndarray:
    white, black = positions.feature(f"white_{name}"), positions.feature(f"black_{name}")
    return np.where(positions.white_to_move == of_mover, white, black)


# --------------------------------------------------------------------------------------------------- moves that are meant


Meant = Callable[[chess.Board, chess.Move], bool]


def by(*pieces: int) -> Meant:
    return lambda board, move: board.piece_type_at(move.from_square) in pieces and not move.promotion


def wins_exchange(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) and Position(board.fen()).see(move) > 0


def opens_line(board: chess.Board, move: chess.Move) -> bool:
    """Whether a slider of the mover's attacks somebody after the move whom it did not attack before."""
    after = board.copy(stack=False)
    after.push(move)
    sliders = board.occupied_co[board.turn] & (board.bishops | board.rooks | board.queens)
    return any(
        after.attacks_mask(slider) & ~board.attacks_mask(slider) & after.occupied_co[after.turn] & ~after.pawns
        for slider in chess.scan_forward(sliders & ~chess.BB_SQUARES[move.from_square])
    )


def checks_twice(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    try:
        return chess.popcount(board.checkers_mask()) > 1
    finally:
        board.pop()


def mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    try:
        return board.is_checkmate()
    finally:
        board.pop()


def captures(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move)


#: The columns whose squares are moves of the side to move (or men of the other side that it captures), and which moves.
MOVES: dict[str, Meant] = {
    "safe_royal_fork_squares": by(chess.KNIGHT),
    "safe_fork_squares": by(chess.KNIGHT),
    "fork_squares_by_pawn": by(chess.PAWN),
    "fork_squares_by_bishop": by(chess.BISHOP),
    "fork_squares_by_rook": by(chess.ROOK),
    "fork_squares_by_queen": by(chess.QUEEN),
    "fork_squares_by_king": by(chess.KING),
    "winning_captures": wins_exchange,
    "skewers": by(*SLIDERS),
    "discovered_attacks": opens_line,
    "double_check_moves": checks_twice,
    "trapped": captures,
    "mates_in_one": mates,
    "distant_mates": mates,
}


# ---------------------------------------------------------------------------------------------------------- precision


class Judge:
    """Stockfish at a fixed depth, each position anew."""

    def __init__(self, depth: int) -> None:
        path = shutil.which("stockfish") or "/usr/games/stockfish"
        self.engine = chess.engine.SimpleEngine.popen_uci(path)
        self.engine.configure({"Threads": 1, "Hash": 16})
        self.limit = chess.engine.Limit(depth=depth)

    def score(self, board: chess.Board, moves: Sequence[chess.Move] | None = None) -> int:
        """Centipawns for the side to move after its best move, of some moves or of all."""
        found = self.engine.analyse(board, self.limit, root_moves=moves, game=object())
        return found["score"].relative.score(mate_score=MATE)

    def is_good(self, board: chess.Board, moves: Sequence[chess.Move]) -> bool:
        such = self.score(board, moves)
        return such >= AHEAD or such >= self.score(board) - NEAR


class Verdict(NamedTuple):
    """How many positions there were, how many of them were judged and found good, and the others."""

    hits: int
    judged: int
    good: int
    bad: list[str]


def precision(judge: Judge, name: str, positions: Positions, most: int) -> Verdict:
    squares = column(positions, name, of_mover=name != "trapped")
    rows = np.flatnonzero(squares).tolist()
    picked = sorted(random.Random(name).sample(rows, min(most, len(rows))))
    bad = []
    for row in picked:
        board = chess.Board(positions[row].fen())
        here = int(squares[row])
        moves = [move for move in board.generate_legal_moves(chess.BB_ALL, here) if MOVES[name](board, move)]
        if name in {"mates_in_one", "distant_mates"}:  # castling is generated by the rook's square
            moves = [move for move in board.legal_moves if here >> move.to_square & 1 and mates(board, move)]
        if not moves:
            raise ValueError(f"{name} has {chess.SquareSet(here)} in {board.fen()}, and no move that is meant")
        if not judge.is_good(board, moves):
            bad.append(f"{board.fen()} {' '.join(board.san(move) for move in moves)}")
    return Verdict(len(rows), len(picked), len(picked) - len(bad), bad)


def held(judge: Judge, positions: Positions, most: int) -> Verdict:
    """Of men pinned to another man than the king, of the side to move: those that lose by leaving the line."""
    pinned = column(positions, "pins", of_mover=False)
    absolute = column(positions, "pinned")
    rows = np.flatnonzero(pinned & ~absolute).tolist()
    picked = sorted(random.Random("pins").sample(rows, min(most, len(rows))))
    bad, cases = [], 0
    for row in picked:
        board = chess.Board(positions[row].fen())
        for man in chess.scan_forward(int(pinned[row] & ~absolute[row])):
            off = [move for move in board.generate_legal_moves(chess.BB_SQUARES[man]) if leaves(board, man, move)]
            cases += 1
            if off and judge.score(board, off) > judge.score(board) - NEAR:
                bad.append(f"{board.fen()} {chess.square_name(man)}")
    return Verdict(len(rows), cases, cases - len(bad), bad)


def leaves(board: chess.Board, man: int, move: chess.Move) -> bool:
    """Whether a move leaves all lines on which a slider of the other side's attacks the man."""
    sliders = board.attackers_mask(not board.turn, man) & (board.bishops | board.rooks | board.queens)
    return not any(chess.ray(slider, man) >> move.to_square & 1 for slider in chess.scan_forward(sliders))


# ------------------------------------------------------------------------------------------------------------- puzzles


class Step(NamedTuple):
    """A move of the solver's, and the board before it."""

    board: chess.Board
    move: chess.Move

    @property
    def after(self) -> chess.Board:
        board = self.board.copy(stack=False)
        board.push(self.move)
        return board

    @property
    def piece(self) -> int:
        piece = self.board.piece_type_at(self.move.from_square)
        assert piece is not None
        return piece


class Puzzle:
    """A puzzle of Lichess; the first of its moves is the opponent's."""

    def __init__(self, row: dict[str, str]) -> None:
        self.name, self.fen = row["PuzzleId"], row["FEN"]
        self.moves = [chess.Move.from_uci(text) for text in row["Moves"].split()]
        self.themes = set(row["Themes"].split())

    @cached_property
    def steps(self) -> list[Step]:
        board, found = chess.Board(self.fen), []
        for number, move in enumerate(self.moves):
            if number % 2:
                found.append(Step(board.copy(stack=False), move))
            board.push(move)
        return found


def puzzles() -> list[Puzzle]:
    with (DATA / PUZZLES).open(encoding="utf-8") as rows:
        return [Puzzle(row) for row in csv.DictReader(rows)]
