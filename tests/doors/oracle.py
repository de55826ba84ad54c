"""The games as python-chess reads them: every position with its board, its move and its game, nothing of setwise."""

from __future__ import annotations

import functools
import io
from dataclasses import dataclass, field, replace
from pathlib import Path

import chess
import chess.pgn

#: The files of games, in the order of their names.
FILES = sorted(Path(__file__).parent.joinpath("games").glob("*.pgn"))


@dataclass(eq=False)
class At:
    """A position of a game: the board, and the move that is played in it."""

    game: Game
    ply: int
    board: chess.Board
    #: What follows the position: the move, and what is noted beside it; None at the end of the game.
    node: chess.pgn.ChildNode | None

    @property
    def move(self) -> chess.Move | None:
        return None if self.node is None else self.node.move

    @property
    def white(self) -> bool:
        return self.board.turn

    def next(self, plies: int = 1) -> At | None:
        return self.game.at[self.ply + plies] if self.ply + plies < len(self.game.at) else None

    def previous(self, plies: int = 1) -> At | None:
        return self.game.at[self.ply - plies] if self.ply >= plies else None

    @property
    def rest(self) -> list[At]:
        return self.game.at[self.ply + 1 :]

    @property
    def past(self) -> list[At]:
        return self.game.at[: self.ply]

    def men(self, colour: bool, piece: int | None = None) -> chess.SquareSet:
        """The pieces of a side, all of them or those of a kind."""
        found = self.board.occupied_co[colour] if piece is None else self.board.pieces_mask(piece, colour)
        return chess.SquareSet(found)

    @property
    def san(self) -> str | None:
        return None if self.move is None else self.board.san(self.move)

    @property
    def after(self) -> chess.Board:
        """The board after the move."""
        board = self.board.copy(stack=False)
        assert self.move is not None
        board.push(self.move)
        return board


@dataclass(eq=False)
class Game:
    """A game: its tags as they are written, its positions, and whether it breaks off."""

    source: str
    number: int
    tags: dict[str, str]
    result: str
    breaks_off: bool
    has_notes: bool = True
    at: list[At] = field(default_factory=list)

    @property
    def plies(self) -> int:
        return len(self.at) - 1

    def number_of(self, tag: str) -> int | None:
        """A tag as a number below ten thousand."""
        text = self.tags.get(tag, "")
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= 4 else None

    def year(self) -> int | None:
        years = (self.tags.get(tag, "")[:4] for tag in ("Date", "UTCDate"))
        return next((int(text) for text in years if text.isascii() and text.isdecimal()), None)

    def points(self) -> float | None:
        return {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(self.result)

    def alone(self) -> list[Game]:
        """The same positions as games of one position each, as a list of FENs has them: no tags, no moves."""
        found = []
        for at in self.at:
            lone = Game(self.source, len(found) + 1, {}, "*", breaks_off=False)
            lone.at.append(At(lone, 0, at.board, None))
            found.append(lone)
        return found


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Keeps tags as they are written: a tag that a game lacks is not '?'."""

    def begin_game(self) -> None:
        super().begin_game()
        self.game = chess.pgn.Game.without_tag_roster()
        self.variation_stack = [self.game]

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def _read(text: str, name: str) -> list[Game]:
    file, games = io.StringIO(text), []
    while (read := chess.pgn.read_game(file, Visitor=lambda: _Builder(Game=chess.pgn.Game))) is not None:
        headers = dict(read.headers)
        result = headers.get("Result", "*")
        game = Game(name, len(games) + 1, headers, result, bool(read.errors))
        node: chess.pgn.GameNode = read
        while True:
            following = node.next()
            game.at.append(At(game, len(game.at), node.board(), following))
            if following is None:
                break
            node = following
        games.append(game)
    return games


@functools.cache
def games_in_files() -> dict[str, list[Game]]:
    """The games of each file, numbered from 1 in it."""
    return {path.name: _read(path.read_text("utf-8"), path.name) for path in FILES}


@functools.cache
def all_games() -> list[Game]:
    """The games of all files as those of one, numbered through."""
    return _read(one_text(), "all")


def one_text() -> str:
    """The text of all files."""
    return "\n".join(path.read_text("utf-8") for path in FILES)


@functools.cache
def lone_positions() -> list[Game]:
    """Every position of all games, alone."""
    lone = [found for game in all_games() for found in game.alone()]
    return [_numbered(game, number) for number, game in enumerate(lone, start=1)]


def _numbered(game: Game, number: int) -> Game:
    found = replace(game, number=number, at=[])
    found.at.extend(At(found, at.ply, at.board, at.node) for at in game.at)
    return found
