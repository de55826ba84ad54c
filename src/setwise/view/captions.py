"""The captions of a board: players, event and place, the next move."""

from __future__ import annotations

__all__ = ["next_move", "place", "players"]


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
