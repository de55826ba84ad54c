"""Checks, mates, ends of games, repetitions and faults: methods of ``Position``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from setwise.bitboard import Bitboard
from setwise.errors import ImpossiblePosition
from setwise.position import compiled
from setwise.rules.ends import Outcome, Termination
from setwise.rules.state import SETS
from setwise.rules.status import Status, sentences

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = [
    "checkers", "facts", "faults", "has_insufficient_material", "impossible", "is_check", "is_checkmate",
    "is_game_over", "is_insufficient_material", "is_stalemate", "mate_pattern", "mate_patterns", "outcome",
    "repetition_key", "repetitions", "status",
]  # fmt: skip

#: The bytes of a state before this hold the pieces and castling rights, which a repetition repeats.
_PIECES_AND_RIGHTS = 8 * SETS.index("en_passant")


def checkers(position: Position) -> Bitboard:
    """Return the pieces that give check to the side to move."""
    return Bitboard(position._facts()[0])


def is_check(position: Position) -> bool:
    """Return whether the side to move is in check."""
    return position._facts()[0] != 0


def is_checkmate(position: Position) -> bool:
    """Return whether the side to move is mated."""
    checkers, moves, _, _ = position._facts()
    return checkers != 0 and moves == 0


def is_stalemate(position: Position) -> bool:
    """Return whether the side to move has no legal move and is not in check."""
    checkers, moves, _, _ = position._facts()
    return checkers == 0 and moves == 0


def mate_pattern(position: Position) -> str | None:
    """Return the name of the mate, such as ``"smothered"``; None where it is not mate, or a mate without a name.

    A mate may bear several names. This is the most particular one, the first of ``mate_patterns``.

    Example:
        >>> from setwise import Position
        >>> Position("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1").mate_pattern()
        'smothered'
    """
    return next(iter(position.mate_patterns()), None)


def mate_patterns(position: Position) -> tuple[str, ...]:
    """Return all names of the mate, the most particular first; each is a pattern of ``setwise.mates``.

    Example:
        >>> from setwise import Position
        >>> Position("1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17").mate_patterns()
        ('opera', 'pillsbury', 'corridor')
    """
    if not position.is_checkmate():
        return ()
    from setwise.position import mates  # all features come with it, which a position does not need otherwise

    sets = np.array(position.words[: len(SETS)], np.uint64).reshape(-1, 1)
    return mates.names_of(sets, np.array([position.white_to_move]))


def is_insufficient_material(position: Position) -> bool:
    """Return whether neither side can ever mate with the pieces on the board, judged by material alone."""
    return position._facts()[2:] == (1, 1)


def has_insufficient_material(position: Position, *, white: bool) -> bool:
    """Return whether one side can never mate with the pieces on the board."""
    return position._facts()[2 if white else 3] == 1


def facts(position: Position) -> tuple[int, int, int, int]:
    """Return the pieces that give check, the number of legal moves, whether White and whether Black cannot win."""
    if not position._playable:
        raise impossible(position)
    return compiled.facts.raw(position._state)


def outcome(position: Position, history: Iterable[Position] = (), *, claim_draw: bool = False) -> Outcome | None:
    """Return how the game has ended, or None while it goes on.

    Args:
        history: the earlier positions of the game, in any order, for repetitions.
        claim_draw: count the draws that a player must claim, by fifty moves and threefold repetition.
    """
    checkers, moves, *cannot_win = position._facts()
    if moves == 0:
        if checkers:
            return Outcome(Termination.CHECKMATE, "black" if position.white_to_move else "white")
        return Outcome(Termination.INSUFFICIENT_MATERIAL if all(cannot_win) else Termination.STALEMATE, None)
    earlier = list(history)
    times = position.repetitions(earlier) if earlier else 1
    for holds, ending in (
        (all(cannot_win), Termination.INSUFFICIENT_MATERIAL),
        (position.halfmove_clock >= 150, Termination.SEVENTYFIVE_MOVES),
        (times >= 5, Termination.FIVEFOLD_REPETITION),
        (claim_draw and position.halfmove_clock >= 100, Termination.FIFTY_MOVES),
        (claim_draw and times >= 3, Termination.THREEFOLD_REPETITION),
    ):
        if holds:
            return Outcome(ending, None)
    return None


def is_game_over(position: Position, history: Iterable[Position] = (), *, claim_draw: bool = False) -> bool:
    """Return whether the game has ended; the arguments are those of ``outcome``.

    Example:
        >>> from setwise import Position
        >>> Position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").is_game_over(), Position().is_game_over()
        (True, False)
    """
    return position.outcome(history, claim_draw=claim_draw) is not None


def repetition_key(position: Position) -> bytes:
    """Return the fields that repetitions share: pieces, turn, castling rights, and a legal en passant capture."""
    passed = position.en_passant and position.fen().split(" ")[3] != "-"
    return (
        position._state[:_PIECES_AND_RIGHTS]
        + bytes([position.white_to_move])
        + position.en_passant.to_bytes(8) * passed
    )


def repetitions(position: Position, history: Iterable[Position]) -> int:
    """Return how often this position has occurred, now and among earlier ones."""
    key = position.repetition_key()
    return 1 + sum(
        earlier.repetition_key() == key
        for earlier in history
        if earlier._state[:_PIECES_AND_RIGHTS] == key[:_PIECES_AND_RIGHTS]
    )


def status(position: Position) -> Status:
    """Return the faults of the position, as flags; ``Status.VALID``, which is empty, for a possible one."""
    return Status(compiled.status.raw(position._state, position.chess960))


def faults(position: Position) -> list[str]:
    """Return a sentence for each fault of the position."""
    return sentences(position.words, position.status(), chess960=position.chess960)


def impossible(position: Position) -> ImpossiblePosition:
    """Return the exception that says why a position can have no moves."""
    return ImpossiblePosition(f"{position.fen()!r} can have no moves: {'; '.join(position.faults())}")
