"""Missed chances by python-chess: moves whose force is searched capture by capture, and lines that must agree."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import numpy as np

from helpers.depth import NIGHT
from naive.features import tactics
from naive.features.tactics import WORTH, forced
from setwise import Position, Positions
from setwise.rules.search import line_values

__all__ = ["KEPT", "Chances", "chances_missed", "code", "computed", "written"]

#: Answers about the games of ``doors``, which take python-chess eight seconds; ``doors/kept.py`` writes them.
KEPT = Path(__file__).parents[1] / "doors" / "kept.json"
#: Of each kind of chance the moves with what each wins by force, and what the move wins that was played.
Chances = tuple[dict[str, list[tuple[int, chess.Move]]], int]

#: What moves of a board gain by lines of each depth, 2 and 4 plies.
Lines = Callable[..., list[list[int]]]


def worth(board: chess.Board, move: chess.Move) -> int:
    """How much a move wins by force, from two pawns on, one pawn more each time; 1 if it wins one alone."""
    won = 0
    while won < 10 and forced(board, move, won + 1):
        won += 1
    return won


def compiled_lines(board: chess.Board, *moves: chess.Move) -> list[list[int]]:
    """What moves gain by lines two and four plies deep; ``test_material_search`` compares these with a twin."""
    position = Position(board.fen(en_passant="fen"), chess960=board.chess960)
    positions = Positions.from_fens([position.fen()] * len(moves), chess960=board.chess960)
    codes = np.array([int(position.parse(board.uci(it))) for it in moves], np.uint16)
    found = np.empty((2, len(moves)), np.int8)
    for row, depth in enumerate((2, 4)):
        line_values(np.ascontiguousarray(positions.sets), positions.white_to_move, codes, depth, found[row])
    return found.T.tolist()  # type: ignore[no-any-return]


def agreed(
    board: chess.Board, kind: str, move: chess.Move, played: chess.Move, lost: float | None, lines: Lines
) -> int:
    """By how much a chance is missed if lines agree, 0 if they do not; ``lost`` is the chance to win that went."""
    ahead = sum(
        WORTH[piece.piece_type] * (1 if piece.color == board.turn else -1) for piece in board.piece_map().values()
    )
    more = 0
    for won, without in zip(*lines(board, move, played), strict=True):
        is_decided = kind != "mate" and lost is None and (ahead + without >= 6 or ahead + won <= -6)
        if won - without < (3 if lost is None else 2) or is_decided:
            return 0
        more = won - without
    return min(more, 10)


#: The kinds of chances besides mates: the features of their squares, and the pieces that go there.
PIECES = dict(zip("pawn knight bishop rook queen king".split(), chess.PIECE_TYPES, strict=True))
SQUARES = {
    "fork": [
        ("safe_fork_squares", {chess.KNIGHT}),
        *((f"fork_squares_by_{name}", {kind}) for name, kind in PIECES.items() if name != "knight"),
    ],
    "skewer": [("skewers", {chess.BISHOP, chess.ROOK, chess.QUEEN})],
    "discovery": [("discovered_attacks", {*chess.PIECE_TYPES})],
    "capture": [("winning_captures", {*chess.PIECE_TYPES})],
}  # fmt: skip


def code() -> str:
    """A hash of the code that computes chances."""
    files = (Path(__file__), Path(str(tactics.__file__)))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def written(fen: str, chess960: bool, move: chess.Move) -> str:
    """The name of an answer that is kept."""
    return f"{fen} {move.uci()} {int(chess960)}"


@functools.cache
def _kept() -> dict[str, Any]:
    """The answers that are kept, by day and if they are those of this code."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() and not NIGHT else {}
    answers: dict[str, Any] = kept["answers"] if kept.get("code") == code() else {}
    return answers


@functools.cache
def chances(fen: str, chess960: bool, move: chess.Move) -> Chances:
    if (kept := _kept().get(written(fen, chess960, move))) is None:
        return computed(fen, chess960, move)
    best, played = kept
    return {kind: [(won, chess.Move.from_uci(it)) for won, it in moves] for kind, moves in best.items()}, played


def computed(fen: str, chess960: bool, move: chess.Move) -> Chances:
    """What each kind of move of a position wins by force, and what the move wins that was played."""
    board, best = chess.Board(fen, chess960=chess960), {"mate": list[tuple[int, chess.Move]]()}
    position = Position(fen, chess960=chess960)
    for other in board.legal_moves:
        after = board.copy(stack=False)
        after.push(other)
        best["mate"] += [(10, other)] if after.is_checkmate() else []
    force = functools.cache(functools.partial(worth, board))
    for kind, sets in SQUARES.items():
        moves = [
            it for name, kinds in sets for it in board.legal_moves
            if position.feature(f"own_{name}") >> it.to_square & 1 and board.piece_type_at(it.from_square) in kinds
            and not board.is_castling(it)
        ]  # fmt: skip
        best[kind] = [(force(it), it) for it in moves]
    return best, force(move) if any(best.values()) else 0


def chances_missed(
    board: chess.Board, move: chess.Move, lost: float | None = None, lines: Lines = compiled_lines
) -> dict[str, int]:
    """By how much each kind of chance is missed by a move; ``lost`` is what it took from the mover's chance to win."""
    best, played = chances(board.fen(en_passant="fen"), board.chess960, move)
    found: dict[str, int] = {}
    for kind, moves_won in best.items():
        most = max((won for won, _ in moves_won), default=0)
        if most - played >= 2 and (kind == "mate" or lost is None or lost >= 0.1):
            # of moves that win as much, the product may choose any
            by = {agreed(board, kind, it, move, lost, lines) for won, it in moves_won if won == most}
            if by != {0}:
                found[kind] = max(by)
    return found
