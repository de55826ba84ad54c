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
from setwise.corpus.outputs.output import Matches, Request
from setwise.corpus.outputs.summary import MatchSummary, summaries
from setwise.corpus.query.search import BatchResult
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

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The FENs of a batch."""
        return (f"{fen}\n" for fen in result.matches().fens().to_pylist())


class Epd(Matches):
    """An EPD record for each match: the move that was played as ``sm``, players and place as the comment ``c0``."""

    format = FORMATS["epd"]

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The records of a batch."""
        names = ["fen", "san", "white_name", "black_name", "source", "game", "ply"]
        return map(self._record, table_of(result.matches(), names).to_pylist())

    @staticmethod
    def _record(row: dict[str, Any]) -> str:
        played = f"sm {row['san']}; " if row["san"] else ""
        named = row["white_name"] or row["black_name"]
        players = f"{row['white_name'] or '?'} - {row['black_name'] or '?'}, " if named else ""
        comment = f"{players}{row['source']} game {row['game']} ply {row['ply']}".replace('"', "'").replace("\\", "/")
        comment = one_line(comment)
        return f"{' '.join(row['fen'].split()[:4])} {played}c0 {json.dumps(comment, ensure_ascii=False)};\n"


class Pgn(Matches):
    """The games with matches, each once, as in their source; or for each match the rest of its game.

    A comment names the values of the match and marks its sets: ``[%csl …]`` for squares, ``[%cal …]`` for the move that
    was played. Without marks, whole games are written byte for byte, and the rest of a game has only its moves.
    """

    format = FORMATS["pgn"]
    needs_notes = True

    def __init__(self, file: IO[bytes], request: Request) -> None:
        self._texts = TextFile(file)
        super().__init__(file, request)

    @property
    def gathers(self) -> bool:
        """Whether each game is written once."""
        return not self.request.positions_alone

    def text(self, result: BatchResult) -> bytes:
        """The games of a batch."""
        without = self.request.without
        if without is not None and not self.request.positions_alone and isinstance(result.games, Games):
            return self._as_in_source(result, result.games, without)
        return super().text(result)

    def texts(self, result: BatchResult) -> Iterator[str]:
        """The games of a batch, with marks; or for each match the rest of its game."""
        games = result.games
        if not isinstance(games, Games) and games.is_of_games and not self.request.positions_alone:
            option = self.request.option
            instead = f"{option} writes the moves from each match on, or " if option else ""
            raise QueryError(f"the text of games is not in the scan of {games.source}: {instead}ask the PGN")
        if self.request.positions_alone or not isinstance(games, Games):
            yield from (self._from_match(result, match) for match in summaries(result))
            return
        for game, matches in groupby(summaries(result), lambda match: match.game):
            comments = [(match.ply, _comment(match)) for match in matches]
            yield games.pgn_text(game, dict(comments)) + "\n\n"
            yield from [""] * (len(comments) - 1)

    def _as_in_source(self, result: BatchResult, games: Games, without: tuple[str, ...]) -> bytes:
        game = result.positions.game
        rows = pa.array(np.unique(game if result.rows is None else game[result.rows]))
        texts, closed = texts_of(games, without)
        self._texts.file = file = io.BytesIO()
        self._texts.write(texts.take(rows), closed.take(rows))
        return file.getvalue()

    def _from_match(self, result: BatchResult, match: MatchSummary) -> str:
        """A game that begins with the position of a match and has the moves that were played after it."""
        played = result.games[match.game] if isinstance(result.games, Games | ScannedGames) else Game()
        without = self.request.without
        comment = _comment(match) if without is None else ""
        roster = without is not None and "tags" in without
        return begun_at(played, match.ply, result.positions[match.row], comment, roster=roster).pgn() + "\n\n"


#: The colours of marks in PGN, for one set after the other: green, red, yellow, blue.
_COLOURS = "GRYB"


def _comment(match: MatchSummary) -> str:
    """The values of a match in words, and its sets as marks."""
    squares = [
        f"{_COLOURS[number % len(_COLOURS)]}{square}"
        for number, marked in enumerate(match.marks.values())
        for square in marked.names()
    ]
    marks = f"[%csl {','.join(squares)}]" if squares else ""
    arrows = f"[%cal G{match.move[:4]}]" if match.move else ""
    return " ".join(part for part in (match.in_words(), marks + arrows) if part)
