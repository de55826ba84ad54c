"""An exercise: a position, its solution, its motif; solutions are verified by a search or, on request, by an engine.

An exercise comes from a row of a search and keeps that row, so sheets and studies can name the game. Its motifs go from
the general to the particular: ``fork``, ``knight-fork``, ``royal-fork``. A chance that a player missed becomes an
exercise only if its solution wins and no other move wins. ``holds`` decides this without any other program, by the same
search of captures and checks as the columns; ``verified`` asks an engine instead. Both are strict: a doubtful exercise
is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from setwise.bitboard import Bitboard
from setwise.corpus.query.finding import opened_engine
from setwise.errors import InvalidFen, QueryError, did_you_mean
from setwise.features.mate_names import NAMES
from setwise.position.move import NULL_TEXT
from setwise.position.position import Position
from setwise.position.positions import Positions
from setwise.rules.search import MATE, MOST, bounded_value
from setwise.view.diagram import in_pawns
from setwise.view.svg import COLORS, PLAYED

if TYPE_CHECKING:
    import chess

    from setwise.corpus.query.finding import Engine


# ------------------------------------------------ exercise: a position with a solution, and the game that it comes from


#: The address of a game in the exports of Lichess.
_LICHESS = re.compile(r"https://lichess\.org/\w{8}(?=\w{0,4}\Z)")


class Exercise(NamedTuple):
    """A position with a solution."""

    fen: str
    #: The moves of the solution in SAN, and the first one in UCI.
    solution: tuple[str, ...]
    move: str
    #: The move played in the game, in SAN.
    played: str | None
    #: The motifs of the solution, the most particular last; empty if the exercise comes from any other search.
    motifs: tuple[str, ...]
    #: How many pawns more the solution wins, and the loss of the played move by evaluations, in centipawns.
    by: int | None
    loss: int | None
    #: The row of the game: players, place, date, ratings, clock.
    row: Mapping[str, Any]

    @property
    def position(self) -> Position:
        """The position."""
        return position_of(self.fen)

    @property
    def side(self) -> str:
        """The side to move."""
        return "white" if self.row["white_to_move"] else "black"

    @property
    def ahead(self) -> int:
        """How many pawns the side to move is ahead."""
        position = self.position
        own, enemy = (position.feature(f"{side}_material") for side in ("own", "enemy"))
        return int(own) - int(enemy)

    @property
    def motif(self) -> str:
        """The most particular motif, in words."""
        return self.motifs[-1].replace("-", " ") if self.motifs else ""

    @property
    def cost(self) -> int:
        """The cost of the played move in centipawns: by evaluations, or else by the pawns that the solution wins."""
        return self.loss if self.loss is not None else 100 * (self.by or 0)

    @property
    def players(self) -> str:
        """The players of the game."""
        return f"{self.row['white_name'] or '?'} – {self.row['black_name'] or '?'}"

    @property
    def place(self) -> str:
        """The event, the date, and the game in its source."""
        named = [self.row["event"], self.row["date"], f"game {self.row['game']} of {self.source}"]
        return ", ".join(it for it in named if it and not it.startswith("?"))

    @property
    def source(self) -> str:
        """The name of the file without its folders, because sheets and studies are given to other people."""
        named = str(self.row["source"])
        return PurePath(named).name or named

    @property
    def link(self) -> str:
        """The address of the position in its game on Lichess, or on Lichess's analysis board."""
        game = _LICHESS.match(self.row["site"] or "")
        if game is not None:
            return f"{game[0]}{'' if self.side == 'white' else '/black'}#{self.row['ply']}"
        return f"https://lichess.org/analysis/{self.fen.replace(' ', '_')}"

    @property
    def line(self) -> str:
        """The solution with the number of its first move."""
        return numbered(self.position, " ".join(self.solution))

    @property
    def price(self) -> str:
        """The cost of the played move, as the rest of a sentence; empty if the solution was played."""
        if self.played is None or self.played == self.solution[0]:
            return ""
        if self.loss is not None:
            return f"lost {in_pawns(self.loss / 100, MATE)} by the evaluations"
        if not self.by:
            return ""
        return "misses the mate" if self.motifs[0] == "mate" else f"wins {in_pawns(self.by, MATE)} less"

    @property
    def verdict(self) -> str:
        """A sentence about the move that was played instead and its cost; empty if the solution was played."""
        if self.played is None or self.played == self.solution[0]:
            return ""
        which = f", which {self.price}" if self.price else ""
        return f"{numbered(self.position, self.played)} was played{which}."

    @property
    def arrows(self) -> dict[str, str]:
        """The arrows, each with its colour: the solution, and the move that was played instead, if there is one."""
        both = {self.row["move"]: PLAYED} if self.verdict else {}
        return {move: color for move, color in {**both, self.move: COLORS["arrow"]}.items() if move != NULL_TEXT}


def position_of(fen: str) -> Position:
    """Return the position of a FEN; if its castling rights are possible only in Chess960, the position is Chess960.

    Example:
        >>> position_of("bnrkqnrb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQNRB w KQkq - 0 1").chess960
        True
    """
    try:
        return Position(fen)
    except InvalidFen:
        return Position(fen, chess960=True)


def numbered(position: Position, line: str) -> str:
    """Return a line with the number of its first move."""
    return f"{position.fullmove_number}{'.' if position.white_to_move else '...'} {line}"


# ------------------------------------------------------------ the motifs of exercises, and the speeds of games, by name


#: The names of forking pieces, by the letters of the pieces.
_FORKS = {
    "p": "pawn-fork", "n": "knight-fork", "b": "bishop-fork", "r": "rook-fork", "q": "queen-fork", "k": "king-fork",
}  # fmt: skip

#: All motifs: the kinds of chances, forks by piece, mates by pattern.
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

#: The speeds of Lichess, slowest last; for each the seconds below which a game of 40 moves must stay.
SPEEDS = {"ultrabullet": 30, "bullet": 180, "blitz": 480, "rapid": 1500, "classical": 21600}


def checked_motif(name: str) -> str:
    """Return the motif of a name; upper and lower case are equal, and blanks or underscores may replace hyphens.

    Raises:
        QueryError: for an unknown name; the message has the most similar names.

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
        move: the move that uses the chance, in UCI.

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
    """Return the speed of a tag ``TimeControl``, by the rule of Lichess; None if the tag has no time.

    The rule: a game of 40 moves takes the time at the start and 40 increments.

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


# --------------------------------------------------------------------------------- exercises verified by lines of moves


#: The depths in plies of the searches after a solution, one search for each depth, and after every other move.
_DEPTHS, _OTHERS = (6, 7, 8), 5
#: How many pawns more than every other move a solution must win.
_MORE = 2


def holds(exercise: Exercise) -> bool:
    """Return whether the solution of an exercise wins, and no other move wins.

    The solution must win two pawns more than each other move, and its side must not be behind afterwards. The searches
    of all depths must agree, because a line that ends with a capture may hide the recapture. No search here recognizes
    perpetual check, so a solution that moves the king while the enemy has a queen does not hold. Promotions of the same
    pawn to other pieces do not count as other moves.

    Example:
        >>> import setwise
        >>> text = b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"] 1. h3 *'
        >>> [holds(it) for it in setwise.train(text).exercises]
        [True]
    """
    position, best = exercise.position, -MOST
    enemy = position.black_pieces if position.white_to_move else position.white_pieces
    if Bitboard(exercise.move[:2]) & position.kings and position.queens & enemy:
        return False
    sets = np.ascontiguousarray(Positions.from_positions([position]).sets)

    def value(move: int, depth: int, least: int, most: int) -> int:
        """How many pawns a move gains; the number is exact if it lies between ``least`` and ``most``."""
        return int(bounded_value(sets, position.white_to_move, move, depth, least, most))

    for move in position.legal_moves():
        if move.uci()[:4] != exercise.move[:4]:
            best = max(best, value(int(move), _OTHERS, best, MOST))
    least, solution = max(best + _MORE, -exercise.ahead), int(position.parse(exercise.move))
    return all(value(solution, depth, least - 1, least) >= least for depth in _DEPTHS)


# --------------------------------------------------------------- exercises verified by a chess engine, at a fixed depth


#: The least loss, in centipawns, of a move that becomes an exercise; and the most that evaluations and mates count, as
#: on Lichess.
LEAST_LOSS, _CEILING = 100, 1000
#: How many candidates are evaluated, at most, for each exercise that is wanted.
_CANDIDATES = 3


def verified(
    exercises: Sequence[Exercise],
    engine: str,
    depth: int,
    n: int,
    on_progress: Callable[[int, int], Any] = lambda *_: None,
) -> list[Exercise]:
    """Return the exercises that the engine agrees with, the most costly first; ``loss`` is computed by the engine.

    The engine agrees if its best move is a pawn better than the played move, and the solution is nearly as good as the
    best move: it is less than half a pawn worse.

    Args:
        exercises: the candidates, in the order in which they are tried.
        engine: the program, a name or a path.
        depth: the depth of each search.
        n: how many exercises are wanted; at most three times as many are tried.
        on_progress: called with the number of exercises that have been tried, and the number of all to try.

    Raises:
        SetwiseError: the program is missing, is not an engine, or ends; or python-chess is missing.
    """
    tried = exercises[: _CANDIDATES * n]
    kept = []
    with opened_engine(engine, depth) as running:
        for number, exercise in enumerate(tried):
            on_progress(number, len(tried))
            loss = _loss(running, exercise)
            if loss is not None:
                kept.append(exercise._replace(loss=loss))
    return sorted(kept, key=lambda it: -it.cost)[:n]


def _loss(running: Engine, exercise: Exercise) -> int | None:
    """The loss of the played move, in centipawns; None if the engine does not agree with the exercise."""
    import chess

    board = chess.Board(exercise.fen)

    def value(*moves: chess.Move) -> int:
        """The evaluation of the position, or of the position after a move, from the mover's point of view."""
        return max(-_CEILING, min(_CEILING, running.score(board, *moves, mate_score=100 * _CEILING)))

    if exercise.played is None:
        return None
    best = value()
    lost, given = best - value(board.parse_san(exercise.played)), best - value(chess.Move.from_uci(exercise.move))
    return lost if lost >= LEAST_LOSS and given < LEAST_LOSS // 2 else None
