"""Matches in the notations of chess: FEN, EPD, PGN with marks that chess programs draw."""

from __future__ import annotations

import io
import json
from itertools import groupby
from typing import IO, Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import table_of
from setwise.corpus.outputs.output import Asked, Output
from setwise.corpus.outputs.told import Told, told
from setwise.corpus.scanned import ScannedGames
from setwise.corpus.search import Found
from setwise.errors import QueryError
from setwise.game.game import Game
from setwise.game.games import Games
from setwise.game.marked import begun_at
from setwise.game.texts import TextFile, texts_of

__all__ = ["Epd", "Fen", "Pgn"]


class Fen(Output):
    """A FEN for each match."""

    def text(self, found: Found) -> bytes:
        """The FENs of a batch."""
        return "".join(f"{fen}\n" for fen in found.matches().fens().to_pylist()).encode()


class Epd(Output):
    """A record for each match: the move that was played as ``sm``, players and place as the comment ``c0``."""

    def text(self, found: Found) -> bytes:
        """The records of a batch."""
        names = ["fen", "san", "white_name", "black_name", "source", "game", "ply"]
        return "".join(map(self._record, table_of(found.matches(), names).to_pylist())).encode()

    @staticmethod
    def _record(row: dict[str, Any]) -> str:
        played = f"sm {row['san']}; " if row["san"] else ""
        named = row["white_name"] or row["black_name"]
        players = f"{row['white_name'] or '?'} - {row['black_name'] or '?'}, " if named else ""
        comment = f"{players}{row['source']} game {row['game']} ply {row['ply']}".replace('"', "'").replace("\\", "/")
        return f"{' '.join(row['fen'].split()[:4])} {played}c0 {json.dumps(comment, ensure_ascii=False)};\n"


class Pgn(Output):
    """The games that hold a match, each once, as they stand in their source; or a game from each match on.

    A comment tells what was found, and marks it: ``[%csl …]`` squares, ``[%cal …]`` the move that was played. Without
    marks games are written byte for byte.
    """

    needs_notes = True

    def __init__(self, file: IO[bytes], asked: Asked) -> None:
        self._texts = TextFile(file)
        super().__init__(file, asked)

    def text(self, found: Found) -> bytes:
        """The games of a batch."""
        games = found.games
        if self.asked.without is not None and isinstance(games, Games):
            return self._as_they_are(found, games, self.asked.without)
        if not isinstance(games, Games) and games.is_of_games and not self.asked.positions_alone:
            raise QueryError(
                f"the text of games is not in the scan of {games.source}: --pgn positions writes the moves from each "
                "match on, or ask the PGN"
            )
        if self.asked.positions_alone or not isinstance(games, Games):
            return "".join(_from_match(found, match) for match in told(found)).encode()
        return "".join(
            games.pgn_text(game, {match.ply: _comment(match) for match in matches}) + "\n\n"
            for game, matches in groupby(told(found), lambda match: match.game)
        ).encode()

    def _as_they_are(self, found: Found, games: Games, without: tuple[str, ...]) -> bytes:
        rows = pa.array(np.unique(found.positions.game if found.rows is None else found.positions.game[found.rows]))
        texts, closed = texts_of(games, without)
        self._texts.file = file = io.BytesIO()
        self._texts.write(texts.take(rows), closed.take(rows))
        return file.getvalue()


#: The colours that PGN has for marks, one set after the other: green, red, yellow, blue.
_COLOURS = "GRYB"


def _comment(match: Told) -> str:
    """What was found, in words and as marks."""
    squares = [
        f"{_COLOURS[number % len(_COLOURS)]}{square}"
        for number, found in enumerate(match.marks.values())
        for square in found.names()
    ]
    marks = f"[%csl {','.join(squares)}]" if squares else ""
    arrows = f"[%cal G{match.move[:4]}]" if match.move else ""
    return " ".join(part for part in (match.in_words(), marks + arrows) if part)


def _from_match(found: Found, match: Told) -> str:
    """A game that begins with the position of a match, the moves that were played behind it."""
    played = found.games[match.game] if isinstance(found.games, Games | ScannedGames) else Game()
    return begun_at(played, match.ply, found.positions[match.row], _comment(match)).pgn() + "\n\n"
