"""Positions to test an engine with: the suites of counted positions, and random ones of several kinds, by a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from setwise.errors import SetwiseError, did_you_mean, shortened
from setwise.position.position import Position

# ---------------------------------------------------------------------------------------------------------- the suites


def suite(*, chess960: bool = False) -> list[tuple[str, dict[int, int]]]:
    """Return positions chosen for their traps: each FEN with the number of leaves at each depth.

    Two independent programs have counted them, the larger counts Stockfish alone.

    Example:
        >>> from setwise.engines.positions import suite
        >>> suite()[0]
        ('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', {1: 20, 2: 400, 3: 8902, 4: 197281})
    """
    lines = Path(__file__).with_name("perft960.epd" if chess960 else "perft.epd").read_text("utf-8").splitlines()
    records = (line.split(" ;") for line in lines if line and not line.startswith("#"))
    return [(fen, {int(it[1]): int(it[3:]) for it in counts}) for fen, *counts in records]


# ---------------------------------------------------------------------------------------------------- random positions


def _played(start: Position, dice: random.Random, plies: int) -> Position:
    for _ in range(plies):
        moves = start.legal_moves()
        if not moves:
            break
        start = start.play(dice.choice(moves))
    return start


def _placed(dice: random.Random, pieces: str) -> Position | None:
    """Pieces on random squares, pawns not on the first and last rank; None if no game can reach the position."""
    board = [""] * 64
    free = dice.sample(range(64), 64)
    for piece in pieces:
        at = next(at for at in free if piece not in "pP" or 8 <= at < 56)
        free.remove(at)
        board[at] = piece
    rows = "/".join("".join(it or "1" for it in board[8 * rank : 8 * rank + 8]) for rank in range(8))
    rows = re.sub("1+", lambda ones: str(len(ones[0])), rows)
    position = Position(f"{rows} {dice.choice('wb')} - - 0 1", strict=False)
    return None if position.faults() else position


def _game(dice: random.Random) -> Position | None:
    return _played(Position(), dice, dice.randrange(100))


def _endgame(dice: random.Random) -> Position | None:
    return _placed(dice, "Kk" + "".join(dice.choices("PPPpppNnBbRrQq", k=dice.randint(1, 6))))


def _many_queens(dice: random.Random) -> Position | None:
    queens = [dice.randint(2, 9) for _ in "Qq"]
    pawns = [dice.randint(0, 9 - number) for number in queens]
    return _placed(dice, "Kk" + "Q" * queens[0] + "q" * queens[1] + "P" * pawns[0] + "p" * pawns[1])


def _en_passant(dice: random.Random) -> Position | None:
    position = Position()
    for _ in range(100):
        moves = position.legal_moves()
        if not moves:
            break
        if position.en_passant and any(move.is_en_passant for move in moves):
            return position
        position = position.play(dice.choice(moves))
    return None


def _chess960(dice: random.Random) -> Position | None:
    return _played(Position.chess960_start(dice.randrange(960)), dice, dice.randrange(60))


#: The kinds of random positions: games of random moves, and what engines get wrong.
KINDS: dict[str, Callable[[random.Random], Position | None]] = {
    "game": _game, "endgame": _endgame, "many-queens": _many_queens, "en-passant": _en_passant, "chess960": _chess960,
}  # fmt: skip


def random_positions(number: int, seed: int = 0, kind: str = "game") -> Iterator[Position]:
    """Yield random positions that games can reach; the same seed yields the same positions.

    Raises:
        SetwiseError: for an unknown kind.

    Example:
        >>> from setwise.engines.positions import random_positions
        >>> [len(position.occupied) < 9 for position in random_positions(3, seed=1, kind="endgame")]
        [True, True, True]
    """
    if kind not in KINDS:
        near = did_you_mean(kind, KINDS) or f"; there are {', '.join(KINDS)}"
        raise SetwiseError(f"there are no random positions of the kind {shortened(kind)}{near}")
    dice = random.Random(f"{kind} {seed}")  # noqa: S311
    while number > 0:
        if (position := KINDS[kind](dice)) is not None:
            number -= 1
            yield position


def broken_fens(number: int, seed: int = 0) -> Iterator[str]:
    """Yield texts that are almost FENs: positions of games with letters or fields changed, left out or added."""
    dice = random.Random(f"broken {seed}")  # noqa: S311
    for position in random_positions(number, seed):
        fields = position.fen().split()
        match dice.randrange(4):
            case 0:  # fields in another order, or too few of them
                fields = dice.sample(fields, dice.randint(1, 6))
            case 1:  # a number that no variable holds
                fields[dice.choice((4, 5))] = dice.choice(("-1", "99999999999999999999", "x", "2147483648"))
            case _:
                board = list(fields[dice.choice((0, 0, 2, 3))])
                for _ in range(dice.randint(1, 4)):
                    at = dice.randrange(len(board) + 1)
                    board[at : at + dice.randint(0, 2)] = dice.choices(
                        "pPkKqQrRnNbB/12345678 -x9w", k=dice.randint(0, 2)
                    )
                fields[0] = "".join(board)
        yield " ".join(fields)
