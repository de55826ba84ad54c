"""Every column that looks at moves, judged by python-chess on positions rich in what games have too little of.

``PYTHONPATH=tests python -m helpers.movement [POSITIONS] [SEED] [PGN OR PUZZLES ...]`` compares as many as you like:
positions that ``helpers.rich`` makes up, those of the games and puzzles of the files, and what comes after them.

A move of each position is written in SAN by python-chess and read as a game of PGN, so that reading is judged too.
"""

from __future__ import annotations

import csv
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import chess
import numpy as np

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.python_chess import is_quiet, two_steppers_check
from helpers.rich import rich_boards
from naive import word_of
from naive.features import TWINS
from naive.features.tactics import TACTICS, forced, see
from setwise.corpus.columns.registry import values_of

_BATCH = 500
#: How many plies a position is played on.
_PLIES = 3
_LETTER = " PNBRQK"
#: How many of the positions of games, and of the puzzles, are looked at.
_PICKED = 1 / 8

#: Features judged by their twins, in one of so many positions: some twins search exchanges, some three moves deep.
_DEEP = (
    "skewers",
    "discovered_attacks",
    "interferences",
    "underminings",
    *(name for name in TACTICS if "fork" in name),
)
_SEARCHED = ("winning_captures", "en_prise", "trapped", "pins", "discovered_check_candidates")
_EVERY = {
    "checkers": 1, "pinned": 4, "king_escapes": 4, "mate_at_a_glance": 4,
    **dict.fromkeys(_SEARCHED, 32), **dict.fromkeys(_DEEP, 16384),
}  # fmt: skip
#: Features that a walk over all legal moves answers: in every position of the mover, in one of four of the other side.
_WALKED = ("mates_in_one", "distant_mates", "double_check_moves")
_OTHER_SIDE = 4
#: An exchange in one of so many positions.
_SEE = 4
#: A search of what a sacrifice wins in one of so many.
_FORCED = 64

#: Columns of one name that are judged.
_PLAIN = (
    "is_check", "is_checkmate", "is_stalemate", "legal_moves", "mate_pattern", "mate_patterns", "move", "san", "piece",
    "captured", "promotion", "from_square", "to_square", "gives_check", "is_castling", "is_en_passant", "see",
    "sacrifice", "quiet_move", "sound_sacrifice",
)  # fmt: skip
JUDGED = (*_PLAIN, *(f"{side}_{name}" for name in (*_WALKED, *_EVERY) for side in ("own", "enemy")))


class Case(NamedTuple):
    """A position, and a legal move of it if there is one, in SAN as python-chess writes it."""

    board: chess.Board
    move: chess.Move | None
    san: str


# --------------------------------------------------------------------------------------------------- what is compared


def _landing(board: chess.Board, move: chess.Move) -> int:
    """Where the moving piece arrives, a set; castling: the king, in Chess960 too."""
    if not board.is_castling(move):
        return 1 << move.to_square
    return 1 << chess.square(6 if move.to_square > move.from_square else 2, chess.square_rank(move.from_square))


def _walk(board: chess.Board, seen: Counter[str]) -> tuple[int, int]:
    """The squares where a legal move mates, and where it gives check twice."""
    mates = twice = 0
    for move in list(board.legal_moves):
        landing = _landing(board, move)
        passing = board.is_en_passant(move)
        kind = "en passant" if passing else "castling" if board.is_castling(move) else "promotion"
        board.push(move)
        checkers = board.checkers_mask()
        if checkers:
            if checkers & (checkers - 1):
                twice |= landing
                seen["double checks to give"] += 1
            if not any(board.generate_legal_moves()):
                mates |= landing
                seen["mates in one"] += 1
                if move.promotion or kind != "promotion":
                    seen[f"mates by {kind}"] += 1
        board.pop()
    return mates, twice


def _of_sides(board: chess.Board, number: int, seen: Counter[str]) -> Iterator[tuple[str, int]]:
    """The features of both sides, those that are compared in this position."""
    for side, colour in (("own", board.turn), ("enemy", not board.turn)):
        if side == "own" or number % _OTHER_SIDE == 0:
            mover: chess.Board | None = board
            if side == "enemy":
                mover = board.copy(stack=False)
                mover.turn, mover.ep_square = colour, None
                mover = None if board.is_check() else mover
            mates, twice = _walk(mover, seen) if mover is not None else (0, 0)
            yield f"{side}_mates_in_one", mates
            yield f"{side}_double_check_moves", twice
            yield f"{side}_distant_mates", word_of(TACTICS["distant_mates"](board, colour)) if mates else 0
        for name, every in _EVERY.items():
            if number % every == 0:
                twin: Callable[[chess.Board, bool], Any] = TWINS[name] if name in TWINS else TACTICS[name]
                yield f"{side}_{name}", word_of(twin(board, colour))


def _of_move(case: Case, number: int) -> dict[str, Any]:
    """What the columns say of the move, None where there is none."""
    board, move, san = case
    if move is None:
        return dict.fromkeys(_PLAIN[_PLAIN.index("move") :])
    captured = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    castles = board.is_castling(move)
    return {
        "move": move.uci(), "san": san, "piece": _LETTER[board.piece_type_at(move.from_square) or 0],
        "captured": _LETTER[captured] if captured and not castles else None,
        "promotion": _LETTER[move.promotion] if move.promotion else None,
        "from_square": 1 << move.from_square, "to_square": _landing(board, move),
        "quiet_move": is_quiet(board, move),
        "gives_check": board.gives_check(move), "is_castling": castles, "is_en_passant": board.is_en_passant(move),
        **({} if number % _SEE else {"see": (won := see(board, move)), "sacrifice": won <= -2}),
        **({} if number % _FORCED else {"sound_sacrifice": see(board, move) <= -2 and forced(board, move, 2)}),
    }  # fmt: skip


def expected(case: Case, number: int, seen: Counter[str]) -> dict[str, Any]:
    """What python-chess makes of the judged columns; of mates' names only whether there may be one."""
    board = case.board
    count, check = board.legal_moves.count(), board.is_check()
    mate = check and not count
    return {
        "is_check": check, "is_checkmate": mate, "is_stalemate": not check and not count, "legal_moves": count,
        **_of_move(case, number), **dict(_of_sides(board, number, seen)),
    }  # fmt: skip


def _text(number: int, case: Case) -> str:
    board, _, san = case
    variant = '[Variant "Chess960"]\n' if board.chess960 else ""
    return f'[Event "{number}"]\n{variant}[FEN "{board.fen(en_passant="fen")}"]\n\n{san} *\n\n'


def _judge(cases: list[Case], first: int, seen: Counter[str]) -> Iterator[str]:
    """The differences of a batch, in words, and count what is in it."""
    text = "".join(_text(number, case) for number, case in enumerate(cases))
    [games] = setwise.read_pgn(text.encode())
    faults = list(games.faults())
    if faults or len(games) != len(cases):
        yield f"{len(games)} games of {len(cases)}, faults: {faults[:3]}"
        return
    positions = games.positions()
    starts, last = positions[positions.ply == 0], positions[np.flatnonzero(positions.moves == 0)]
    columns = {name: values_of(starts, name).to_pylist() for name in JUDGED}
    for k, (case, after) in enumerate(zip(cases, last.fens().to_pylist(), strict=True)):
        wanted = expected(case, first + k, seen)
        mate = columns["is_checkmate"][k]
        wanted["mate_pattern"] = columns["mate_pattern"][k] if mate else None
        wanted["mate_patterns"] = columns["mate_patterns"][k] if mate else None
        if mate and (columns["mate_patterns"][k] is None or not all(columns["mate_patterns"][k])):
            yield f"{case.board.fen()} mate without a list of names"
        for name, value in wanted.items():
            seen[f"compared: {name}"] += 1
            if columns[name][k] != value:
                yield f"{case.board.fen()} {name}: {columns[name][k]!r}, python-chess {value!r}"
        board = case.board.copy(stack=False)
        if case.move is not None:
            board.push(case.move)
        if after != board.fen():
            yield f"{case.board.fen()} {case.move}: {after}, python-chess {board.fen()}"


# ---------------------------------------------------------------------------------------------------------- positions


def _count(case: Case, seen: Counter[str]) -> None:
    board, move, _ = case
    checkers = board.checkers_mask()
    seen["positions"] += 1
    seen["of Chess960"] += board.chess960
    seen["in check"] += bool(checkers)
    seen["in double check"] += bool(checkers & (checkers - 1))
    seen["with castling rights"] += bool(board.castling_rights)
    if board.ep_square is not None:
        passing = board.has_legal_en_passant()
        seen["with a legal en passant capture"] += passing
        seen["with an en passant capture that the king forbids"] += board.has_pseudo_legal_en_passant() and not passing
        by_pawn = checkers >> (board.ep_square + (-8 if board.turn else 8)) & 1
        seen["in check by the pawn that has just passed"] += by_pawn
        seen["where en passant takes the checking pawn"] += bool(by_pawn and passing)
    pawns = board.pawns & board.occupied_co[board.turn]
    seen["with a pawn before promotion"] += bool(pawns & (chess.BB_RANK_7 if board.turn else chess.BB_RANK_2))
    if move is not None:
        seen["castling read"] += board.is_castling(move)
        seen["en passant read"] += board.is_en_passant(move)
        seen["promotions read"] += move.promotion is not None


def _is_double(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    checkers = board.checkers_mask()
    board.pop()
    return bool(checkers & (checkers - 1))


def _choose(board: chess.Board, chance: random.Random) -> chess.Move | None:
    """A move, most often one of a rare kind."""
    moves = list(board.legal_moves)
    if not moves:
        return None
    rare = [
        move for move in moves if move.promotion or board.is_en_passant(move) or board.is_castling(move)
    ] if chance.random() < 0.7 else []  # fmt: skip
    checks = [move for move in moves if board.gives_check(move)] if not rare and chance.random() < 0.4 else []
    return chance.choice(rare or [move for move in checks if _is_double(board, move)] or checks or moves)


def _in_files(paths: Sequence[str | Path], chance: random.Random) -> Iterator[chess.Board]:
    """Positions of games, one in eight, and all that one puzzle in eight goes through."""
    for path in chance.sample(paths, len(paths)):
        if Path(path).suffix == ".csv":
            with Path(path).open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    if chance.random() < _PICKED:
                        board = chess.Board(row["FEN"])
                        for uci in row["Moves"].split():
                            yield board.copy(stack=False)
                            board.push_uci(uci)
                        yield board
        else:
            for games in setwise.read_pgn(path):
                for position in games.positions():
                    if chance.random() < _PICKED:
                        yield position.to_board()


def _case(board: chess.Board, move: chess.Move | None) -> Case:
    return Case(board, move, board.san(move) if move is not None else "")


def cases(chance: random.Random, paths: Sequence[str | Path] = ()) -> Iterator[Case]:
    """Positions with a move each: made up and played on; and, one in four, those of the files while there are some."""
    there = _in_files(paths, chance)
    for made in rich_boards(chance):
        board = made
        for _ in range(_PLIES):
            move = _choose(board, chance)
            yield _case(board.copy(stack=False), move)
            if move is None:
                break
            board.push(move)
        for found in islice(there, 1):
            if found.is_valid() and not two_steppers_check(found):
                yield _case(found, _choose(found, chance))


def judged(positions: int, seed: int, paths: Sequence[str | Path] = ()) -> tuple[Counter[str], list[str]]:
    """Compare so many positions; how many of each kind there were, and the differences, by FEN."""
    chance = random.Random(seed)  # noqa: S311
    seen: Counter[str] = Counter()
    found: list[str] = []
    some = islice(cases(chance, paths), positions)
    while batch := list(islice(some, _BATCH)):
        first = seen["positions"]
        for case in batch:
            _count(case, seen)
        found += _judge(batch, first, seen)
    return seen, found


if __name__ == "__main__":
    began = time.perf_counter()
    wanted, seed = (int(text) for text in [*sys.argv[1:3], *("10000", "1")[len(sys.argv[1:3]) :]])
    kinds, differing = judged(wanted, seed, sys.argv[3:] or [FAMOUS_GAMES])
    print(*differing[:50], sep="\n")
    print(*(f"{count:>10,} {kind}" for kind, count in kinds.items()), sep="\n")
    print(f"{len(differing)} differences in {time.perf_counter() - began:.0f} s")
    sys.exit(bool(differing))
