"""The captions of a board: players, event and place, the next move."""

from __future__ import annotations

__all__ = ["chance", "in_pawns", "next_move", "place", "players"]

#: The chances that were missed, by their kind: how the move that uses one is called after it, if at all.
_CHANCES = {"fork": ", a fork,", "skewer": ", a skewer,", "discovery": ", a discovered attack,"}


def players(white: str | None, black: str | None, white_elo: int | None = None, black_elo: int | None = None) -> str:
    """Return ``White (2700) – Black (2650)``; ``?`` for a name that is not known."""
    both = (f"{name or '?'}" + (f" ({elo})" if elo else "") for name, elo in ((white, white_elo), (black, black_elo)))
    return " – ".join(both)


def place(*parts: str | None) -> str:
    """Return event, date, place and other known parts, with commas between."""
    return ", ".join(part for part in parts if part and part != "?")


def next_move(san: str | None, number: int, *, white: bool) -> str:
    """Return a move with its number, ``12. Nf3`` or ``12... Nf6``."""
    return f"{number}{'.' if white else '...'} {san}" if san else "the end of the game"


def in_pawns(number: float, most: int) -> str:
    """Return a number of pawns in words; where it is ``most``, the number at which counting stops, it is a bound.

    >>> in_pawns(1, 10), in_pawns(10, 10)
    ('a pawn', 'at least 10 pawns')
    """
    return "a pawn" if number == 1 else f"{'at least ' * (number >= most)}{number:g} pawns"


def chance(played: str, move: str, kind: str, won: str) -> str:
    """Return what a move that was played misses, as a sentence; the moves have their numbers.

    >>> chance("1. h3", "1. Ne7+", "fork", "5 pawns")
    '1. h3 was played; 1. Ne7+, a fork, wins 5 pawns more.'
    >>> chance("1. h3", "1. Qh7#", "mate", "at least 10 pawns")
    '1. h3 was played; 1. Qh7# is mate.'
    """
    wins = " is mate" if kind == "mate" else f"{_CHANCES.get(kind, '')} wins {won} more"
    return f"{played} was played; {move}{wins}."
