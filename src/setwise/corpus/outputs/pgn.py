"""PGN with marks that chess programs draw."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import groupby
from typing import IO, TYPE_CHECKING, Any, cast

from setwise.corpus.outputs.output import Matches, Request
from setwise.errors import QueryError
from setwise.view.svg import PLAYED

if TYPE_CHECKING:
    from setwise.corpus.outputs.summary import MatchSummary
    from setwise.corpus.query.search import BatchResult
    from setwise.game.games import Games


class PgnOutput(Matches):
    """The games with matches, each game once, as in the source; or the rest of the game for each match.

    A comment names the values of the match and marks its sets: ``[%csl …]`` for squares, ``[%cal …]`` for the move that
    was played. Without marks, whole games are written byte for byte, and the rest of a game has only its moves.
    """

    name, suffix, title, media_type = "pgn", ".pgn", "PGN with marks", "application/vnd.chess-pgn"
    options = frozenset({"columns", "pgn", "without"})
    needs_notes = True

    def __init__(self, file: IO[bytes], request: Request) -> None:
        from setwise.game.games import TextFile

        self._texts = TextFile(file)
        super().__init__(file, request)

    @property
    def gathers(self) -> bool:
        """Whether each game is written once."""
        return not self.request.positions_alone

    def text(self, result: BatchResult) -> bytes:
        """The games of a batch."""
        without = self.request.without
        if without is not None and self._copies(result):
            return self._as_in_source(result, without)
        return super().text(result)

    def _copies(self, result: BatchResult) -> bool:
        return self.request.without is not None and not self.request.positions_alone and result.games.has_texts

    def pieces(self, result: BatchResult) -> list[bytes]:
        """The games of a batch, each in the place of its first match; or the rest of the game for each match."""
        without = self.request.without
        if without is None or not self._copies(result):
            return super().pieces(result)
        import numpy as np

        texts: list[bytes] = []
        for _, rows in groupby(range(result.matched), lambda at: result.positions.game[result.rows][at]):
            which = list(rows)
            self._texts.closed = False  # the text before does not matter
            texts += [self._as_in_source(result.narrowed(np.array(which)), without), *[b""] * (len(which) - 1)]
        return texts

    def texts(self, result: BatchResult) -> Iterator[str]:
        """The games of a batch, with marks; or the rest of the game for each match."""
        from setwise.corpus.outputs.summary import summaries

        games: Any = result.games
        if games.are_games and not games.has_texts and not self.request.positions_alone:
            option = self.request.option
            instead = f"{option} writes the moves from each match on, or " if option else ""
            raise QueryError(f"the text of games is not in the scan of {games.source}: {instead}ask the PGN")
        if self.request.positions_alone or not games.has_texts:
            yield from (self._from_match(result, match) for match in summaries(result))
            return
        for game, matches in groupby(summaries(result), lambda match: match.game):
            of_game = list(matches)
            in_lines = {match.row for match in of_game if result.positions.node is not None and _line_of(result, match)}
            comments = {match.ply: _comment(match) for match in of_game if match.row not in in_lines}
            of_lines = {match.row: _comment(match) for match in of_game if match.row in in_lines}
            yield games.pgn_text(game, comments, of_lines) + "\n\n"
            yield from [""] * (len(of_game) - 1)

    def _as_in_source(self, result: BatchResult, without: tuple[str, ...]) -> bytes:
        import numpy as np
        import pyarrow as pa

        from setwise.game.games import texts_of

        game = result.positions.game
        rows = pa.array(np.unique(game if result.rows is None else game[result.rows]))
        texts, closed = texts_of(cast("Games", result.games), without)
        self._texts.file = file = io.BytesIO()
        self._texts.write(texts.take(rows), closed.take(rows))
        return file.getvalue()

    def _from_match(self, result: BatchResult, match: MatchSummary) -> str:
        """Return a game that begins with the position of a match and has the moves that were played after it."""
        from setwise.game.games import begun_at

        without = self.request.without
        comment = _comment(match) if without is None else ""
        roster = without is not None and "tags" in without
        position = result.positions[match.row]
        if result.positions.node is None:
            game = result.games[match.game]
        else:
            from setwise.game.games import played_through

            game = played_through(cast("Games", result.games), match.row)
        return begun_at(game, match.ply, position, comment, roster=roster).pgn() + "\n\n"


def _line_of(result: BatchResult, match: MatchSummary) -> int:
    """Return the line of a match in a game with variations; 0 for the game's own moves."""
    return int(cast("Games", result.games).tree.line[match.row])


#: The colours of marks in PGN, for the sets in their order: green, red, yellow, blue.
_COLOURS = "GRYB"


def _comment(match: MatchSummary) -> str:
    """Return the values of a match in words, and its sets as marks."""
    squares = [
        f"{_COLOURS[number % len(_COLOURS)]}{square}"
        for number, marked in enumerate(match.marks.values())
        for square in marked.names()
    ]
    marks = f"[%csl {','.join(squares)}]" if squares else ""
    drawn = [f"{'R' if color == PLAYED else 'G'}{move[:4]}" for move, color in match.arrows.items()]
    arrows = f"[%cal {','.join(drawn)}]" if drawn else ""
    return " ".join(part for part in (match.missed and match.caption, match.in_words(), marks + arrows) if part)
