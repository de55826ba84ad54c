"""One game of a batch as an object, and batches cut out of batches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, cast

import numpy as np

from setwise.game.game import Game, is_chess960, usual_start
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.annotations import read_notes
from setwise.notation.pgn.comments import clean_comment
from setwise.notation.pgn.export import unescaped
from setwise.position.move import MOVE_TABLES
from setwise.position.position import Position

if TYPE_CHECKING:
    from setwise.game.games import Games

__all__ = ["begun_at", "game_of", "games_of", "text_of"]

#: The text of a move, with ``!`` and ``?`` behind it; the number before a move; the result behind the last one.
_MOVE = re.compile(rb"[^\s{}()\[\];$]+")
_NUMBER = re.compile(rb"(?:\d+\s*\.[\s.]*)?\Z")
#: What parts a comment from the letter before or after it: tags end with a line that is empty.
_BLANKS = {b" ": b"", b"\n": b"", b"\r": b"", b"\t": b"", b"]": b"\n\n"}
_RESULT = re.compile(rb"(?:(?:1-0|0-1|1/2-1/2|\*)\s*|\s*)\Z")


def game_of(games: Games, number: SupportsIndex) -> Game:
    """Return one game of a batch, counted from 0, or from the end if negative.

    Raises:
        IndexError: when the batch has no such game.
    """
    row = index(number)
    if not -len(games) <= row < len(games):
        raise IndexError(f"this batch has {len(games)} games, and none with the number {row}")
    row %= len(games)
    tags = _tags(games, row)
    first, last = games.move_offsets[row : row + 2].tolist()
    comments, nags = ({}, {}) if games.notes is None else _notes(games, games.notes[first:last], row)
    start = _start(games, row, tags)
    moves = tuple(MOVE_TABLES[start.chess960].array[games.moves[first:last]].tolist())
    return Game._of(tags, moves, start, games.results[row], comments, nags)


def games_of(games: Games, which: slice) -> Games:
    """Return the games of a range as a batch of their own, which shares the columns.

    Raises:
        ValueError: for a step other than 1.
    """
    start, stop, step = which.indices(len(games))
    if step != 1:
        raise ValueError(f"a batch is cut into ranges of games, not with the step {step}")
    stop = max(start, stop)
    moves, tags = games.move_offsets[[start, stop]], games._tag_offsets[[start, stop]]
    table = games.table[start:stop].copy()
    table[:, pgn.FIRST_MOVE] -= moves[0]
    table[:, pgn.FIRST_TAG] -= tags[0]
    columns = pgn.Columns(
        table,
        games.moves[slice(*moves)],
        games.tags[slice(*tags)],
        games.boards,
        None if games.notes is None else games.notes[slice(*moves)],
    )
    return type(games)(games.block, columns, games.first + start)


def begun_at(game: Game, ply: int, position: Position, comment: str) -> Game:
    """Return a game that begins with what stood at a ply, without what is noted in it but for a comment of its own.

    Args:
        game: the game.
        ply: how many of its moves are left out.
        position: the position then.
        comment: what stands before the first move.
    """
    tags = dict(game.tags) | {"SetUp": "1", "FEN": position.fen("fen")}
    tags |= {"Variant": "Chess960"} if position.chess960 and not is_chess960(tags) else {}
    return Game._of(tags, game.moves[ply:], position, game.result, {0: clean_comment(comment)}, {})


def text_of(games: Games, row: int, comments: Mapping[int, str]) -> str:
    """Return one game's own text, as the source has it, with comments put in by ply; those of 0 before the moves.

    Games that were read without their notes do not know where their moves stand: they are written anew.
    """
    if comments and games.notes is None:
        game = game_of(games, row)
        return game.replace(comments={**game.comments, **comments}).pgn()
    start, stop = games.table[row, [pgn.START, pgn.STOP]].tolist()
    text, pieces, at = games.block.text, list[bytes](), start
    for place, ply in sorted((_place(games, row, ply), ply) for ply in comments):
        before, after = (_BLANKS.get(text[edge : edge + 1], b" ") for edge in (place - 1, place))
        pieces += [text[at:place], before, f"{{ {clean_comment(comments[ply])} }}".encode(), after]
        at = place
    return _decoded(b"".join([*pieces, text[at:stop]])).strip()


def _place(games: Games, row: int, ply: int) -> int:
    """Where a comment of a ply belongs in the text: behind its move, or before the number of the first."""
    text = games.block.text
    first, last = games.move_offsets[row : row + 2].tolist()
    spans = cast("np.ndarray", games.notes)[first:last]
    if ply:
        move = _MOVE.match(text, int(spans[ply - 1, 0]))
        return move.end() if move else int(spans[ply - 1, 1])
    begin, stop, fault, where = games.table[row, [pgn.START, pgn.STOP, pgn.FAULT, pgn.FAULT_AT]].tolist()
    if last > first or fault != pgn.NO_FAULT:
        end = int(spans[0, 0]) if last > first else where
        return begin + len(_NUMBER.sub(b"", text[begin:end], count=1))
    return begin + len(_RESULT.sub(b"", text[begin:stop], count=1))


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _tags(games: Games, row: int) -> dict[str, str]:
    """The tags of a game; of those that occur twice the first, as in ``Games.tag``."""
    text = games.block.text
    tags: dict[str, str] = {}
    spans = games.tags[slice(*games._tag_offsets[row : row + 2])]
    for name, name_stop, value, value_stop in spans.tolist():
        tags.setdefault(_decoded(text[name:name_stop]), unescaped(_decoded(text[value:value_stop])))
    return tags


def _start(games: Games, row: int, tags: dict[str, str]) -> Position:
    """The position a game starts from; Chess960 too where castling asks for it and no tag says so."""
    board = int(games.table[row, pgn.BOARD])
    chess960 = is_chess960(tags)
    if board < 0:
        return usual_start(chess960=chess960)
    words = games.boards[board].tolist()
    start = Position.from_words(words, chess960=chess960, strict=False)
    return start if chess960 or not start.status() else Position.from_words(words, chess960=True, strict=False)


def _notes(games: Games, moves: np.ndarray, row: int) -> tuple[dict[int, str], dict[int, tuple[int, ...]]]:
    """The comments and NAGs of a game by ply; those of ply 0 stand between the tags and the first move."""
    begin, end, fault, where = games.table[row, [pgn.START, pgn.STOP, pgn.FAULT, pgn.FAULT_AT]].tolist()
    tags = games.tags[slice(*games._tag_offsets[row : row + 2])]
    begin = int(tags[-1, 3]) if len(tags) else begin
    if len(moves):
        end = int(moves[0, 0])
    elif fault != pgn.NO_FAULT:
        end = where
    spans = np.vstack([np.array([[begin, max(begin, end)]], np.int32), moves])
    # Nobody asks here who made a move.
    notes = read_notes(games.text, spans, np.array([0, len(spans)]), np.array([True]))
    texts, offsets = notes.comments.tobytes(), notes.comment_offsets.tolist()
    comments = {ply: texts[start:stop].decode() for ply, (start, stop) in enumerate(pairwise(offsets)) if start < stop}
    glyphs, offsets = notes.nags.tolist(), notes.nag_offsets.tolist()
    nags = {ply: tuple(glyphs[start:stop]) for ply, (start, stop) in enumerate(pairwise(offsets)) if start < stop}
    nags.pop(0, None)  # no move, no glyph
    return comments, nags
