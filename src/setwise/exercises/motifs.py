"""The motifs of exercises, and the speeds of games, by name."""

from __future__ import annotations

from setwise.bitboard import Bitboard
from setwise.errors import QueryError, did_you_mean
from setwise.features.mate_names import NAMES
from setwise.position.position import Position

__all__ = ["MOTIFS", "SPEEDS", "checked_motif", "motifs_of", "speed_of"]

#: The pieces that fork, by their letters.
_FORKS = {
    "p": "pawn-fork", "n": "knight-fork", "b": "bishop-fork", "r": "rook-fork", "q": "queen-fork", "k": "king-fork",
}  # fmt: skip

#: All motifs: the kinds of chances, forks by the piece, mates by their patterns.
MOTIFS = tuple(
    dict.fromkeys(
        ["fork", *_FORKS.values(), "royal-fork", "skewer", "discovery", "capture", "mate"]
        + [name.replace("_", "-") for name in NAMES]
    )
)
_SYNONYMS = {
    "forks": "fork", "hanging": "capture", "hanging-piece": "capture", "discovered-attack": "discovery",
    "family-fork": "royal-fork", "family-check": "royal-fork", "mate-in-one": "mate", "skewers": "skewer",
    "back-rank-mate": "back-rank", "smothered-mate": "smothered",
}  # fmt: skip

#: The speeds of Lichess, slowest last: the seconds that a game of 40 moves takes less than.
SPEEDS = {"ultrabullet": 30, "bullet": 180, "blitz": 480, "rapid": 1500, "classical": 21600}


def checked_motif(name: str) -> str:
    """Return the motif of a name, in any case, with blanks or underscores for hyphens.

    Raises:
        QueryError: for an unknown name, with the nearest ones.

    Example:
        >>> checked_motif("Knight Fork"), checked_motif("hanging piece")
        ('knight-fork', 'capture')
    """
    known = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    known = _SYNONYMS.get(known, known)
    if known not in MOTIFS:
        near = did_you_mean(known, [*MOTIFS, *_SYNONYMS]) or f": there are {', '.join(MOTIFS[:11])} and names of mates"
        raise QueryError(f"there is no motif {name!r:.40}{near}")
    return known


def motifs_of(kind: str, position: Position, move: str) -> tuple[str, ...]:
    """Return the motifs of a chance, the most particular last.

    Args:
        kind: the chance, as the column ``missed`` names it.
        position: the position.
        move: the move that uses it, in UCI.

    Example:
        >>> motifs_of("fork", Position("6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"), "c6e7")
        ('fork', 'knight-fork', 'royal-fork')
    """
    if kind == "mate":
        name = position.play(move).mate_pattern()
        return ("mate",) if name is None else ("mate", name.replace("_", "-"))
    if kind != "fork":
        return (kind,)
    start, target = Bitboard(move[:2]), Bitboard(move[2:4])
    letter = position.piece_string()[next(iter(start))].lower()
    royal = letter == "n" and int(position.feature("own_safe_royal_fork_squares")) & target
    return ("fork", _FORKS[letter], "royal-fork") if royal else ("fork", _FORKS[letter])


def speed_of(time_control: str | None) -> str | None:
    """Return the speed of a tag ``TimeControl``, as Lichess does; None where it says nothing.

    A game of 40 moves takes the time at the start and 40 increments.

    Example:
        >>> speed_of("180+2"), speed_of("900"), speed_of("-"), speed_of("?")
        ('blitz', 'rapid', 'correspondence', None)
    """
    if time_control == "-":
        return "correspondence"
    start, _, increment = (time_control or "").partition("+")
    if not start.isdecimal() or not (increment or "0").isdecimal():
        return None
    seconds = int(start) + 40 * int(increment or 0)
    return next((name for name, limit in SPEEDS.items() if seconds < limit), "correspondence")
