"""Matches in the notations of chess: FEN, EPD, PGN with marks that chess programs draw."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import IO, Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import table_of
from setwise.corpus.formats import FORMATS
from setwise.corpus.outputs.output import Asked, Matches
from setwise.corpus.outputs.summary import Told, told
from setwise.corpus.query.search import Found
from setwise.corpus.sources.scans import ScannedGames
from setwise.errors import QueryError
from setwise.game.game import Game
from setwise.game.games import Games
from setwise.game.marked import begun_at
from setwise.game.texts import TextFile, texts_of
from setwise.view.diagram import one_line

__all__ = ["Epd", "Fen", "Pgn"]


class Fen(Matches):
    """A FEN for each match."""

    format = FORMATS["fen"]

    def texts(self, found: Found) -> Iterable[str]:
        """The FENs of a batch."""
        return (f"{fen}\n" for fen in found.matches().fens().to_pylist())


class Epd(Matches):
    """A record for each match: the move that was played as ``sm``, players and place as the comment ``c0``."""

    format = FORMATS["epd"]

    def texts(self, found: Found) -> Iterable[str]:
        """The records of a batch."""
        names = ["fen", "san", "white_name", "black_name", "source", "game", "ply"]
        return map(self._record, table_of(found.matches(), names).to_pylist())

    @staticmethod
    def _record(row: dict[str, Any]) -> str:
        played = f"sm {row['san']}; " if row["san"] else ""
        named = row["white_name"] or row["black_name"]
        players = f"{row['white_name'] or '?'} - {row['black_name'] or '?'}, " if named else ""
        comment = f"{players}{row['source']} game {row['game']} ply {row['ply']}".replace('"', "'").replace("\\", "/")
        comment = one_line(comment)
        return f"{' '.join(row['fen'].split()[:4])} {played}c0 {json.dumps(comment, ensure_ascii=False)};\n"


class Pgn(Matches):
    """The games that hold a match, each once, as they stand in their source; or a game from each match on.

    A comment tells what was found, and marks it: ``[%csl …]`` squares, ``[%cal …]`` the move that was played. Without
    marks whole games are written byte for byte, and a game from a match on has its moves alone.
    """

    format = FORMATS["pgn"]
    needs_notes = True

    def __init__(self, file: IO[bytes], asked: Asked) -> None:
        self._texts = TextFile(file)
        super().__init__(file, asked)

    @property
    def gathers(self) -> bool:
        """Whether each game is written once."""
        return not self.asked.positions_alone

    def text(self, found: Found) -> bytes:
        """The games of a batch."""
        without = self.asked.without
        if without is not None and not self.asked.positions_alone and isinstance(found.games, Games):
            return self._as_they_are(found, found.games, without)
        return super().text(found)

    def texts(self, found: Found) -> Iterator[str]:
        """The games of a batch, with marks; or each from its match on."""
        games = found.games
        if not isinstance(games, Games) and games.is_of_games and not self.asked.positions_alone:
            option = self.asked.option
            instead = f"{option} writes the moves from each match on, or " if option else ""
            raise QueryError(f"the text of games is not in the scan of {games.source}: {instead}ask the PGN")
        if self.asked.positions_alone or not isinstance(games, Games):
            yield from (self._from_match(found, match) for match in told(found))
            return
        for game, matches in groupby(told(found), lambda match: match.game):
            comments = [(match.ply, _comment(match)) for match in matches]
            yield games.pgn_text(game, dict(comments)) + "\n\n"
            yield from [""] * (len(comments) - 1)

    def _as_they_are(self, found: Found, games: Games, without: tuple[str, ...]) -> bytes:
        rows = pa.array(np.unique(found.positions.game if found.rows is None else found.positions.game[found.rows]))
        texts, closed = texts_of(games, without)
        self._texts.file = file = io.BytesIO()
        self._texts.write(texts.take(rows), closed.take(rows))
        return file.getvalue()

    def _from_match(self, found: Found, match: Told) -> str:
        """A game that begins with the position of a match, the moves that were played behind it."""
        played = found.games[match.game] if isinstance(found.games, Games | ScannedGames) else Game()
        without = self.asked.without
        comment = _comment(match) if without is None else ""
        roster = without is not None and "tags" in without
        return begun_at(played, match.ply, found.positions[match.row], comment, roster=roster).pgn() + "\n\n"


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
