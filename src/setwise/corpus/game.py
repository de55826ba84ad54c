"""Between the columns and single games: ``Games`` give a ``Game``, and games are written as PGN."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import index
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, SupportsIndex, TypeAlias

import numpy as np

from setwise.corpus.outputs import writes_to
from setwise.game import Game, is_chess960, result_of, usual_start
from setwise.move import all_moves
from setwise.notation import pgn
from setwise.notation.annotations import read_notes
from setwise.notation.movetext import unescaped
from setwise.position import Position

if TYPE_CHECKING:
    from setwise.corpus.games import Games

__all__ = ["game_of", "games_of", "write_pgn"]

#: Where PGN goes: a path, or a file open for text or for bytes.
Target: TypeAlias = str | os.PathLike[str] | IO[Any]


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
    moves = tuple(all_moves()[0][games.moves[first:last]].tolist())
    return Game._of(tags, moves, _start(games, row, tags), result_of(tags, games.results[row]), comments, nags)  # noqa: SLF001


def games_of(games: Games, which: slice) -> Games:
    """Return the games of a range as a batch of their own, which shares the columns.

    Raises:
        ValueError: for a step other than 1.
    """
    start, stop, step = which.indices(len(games))
    if step != 1:
        raise ValueError(f"a batch is cut into ranges of games, not with the step {step}")
    stop = max(start, stop)
    moves, tags = games.move_offsets[[start, stop]], games._tag_offsets[[start, stop]]  # noqa: SLF001
    table = games.table[start:stop].copy()
    table[:, pgn.FIRST_MOVE] -= moves[0]
    table[:, pgn.FIRST_TAG] -= tags[0]
    return type(games)(
        games.block,
        table,
        games.moves[slice(*moves)],
        games.tags[slice(*tags)],
        games.boards,
        None if games.notes is None else games.notes[slice(*moves)],
        games.first + start,
    )


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _tags(games: Games, row: int) -> dict[str, str]:
    """The tags of a game; of those that occur twice the first, as in ``Games.tag``."""
    text = games.block.text
    tags: dict[str, str] = {}
    spans = games.tags[slice(*games._tag_offsets[row : row + 2])]  # noqa: SLF001
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
    tags = games.tags[slice(*games._tag_offsets[row : row + 2])]  # noqa: SLF001
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


def write_pgn(games: Game | Iterable[Game | Games], target: Target) -> int:
    """Write games as PGN, an empty line after each, and return how many.

    Args:
        games: a game, or an iterable of games or of batches as ``read_pgn`` yields them; its ``notes=True`` keeps
            their comments and NAGs.
        target: a path, which is written anew in UTF-8 (it may be the one that the games are read from), or a file
            open for text or bytes.

    Raises:
        OutputError: when the path cannot be written. What was written when an error came up stays, beside an older file
            of this name as ``NAME.part``.

    Example:
        >>> import io
        >>> from setwise.corpus.game import write_pgn
        >>> from setwise.game import Game
        >>> file = io.StringIO()
        >>> write_pgn([Game(moves=["e4"]), Game(moves=["d4"])], file)
        2
        >>> file.getvalue().split()[-3:]
        ['1.', 'd4', '*']
    """
    if isinstance(target, str | os.PathLike):
        path = Path(target)
        final = path.resolve()
        # Under another name until all is written: the games may still be on their way out of the very same file.
        part = final.with_name(f"{final.name}.part") if final.is_file() else final
        with writes_to(path):
            with part.open("w", encoding="utf-8", newline="\n") as file:
                written = write_pgn(games, file)
            if part != final:
                part.replace(final)
        return written
    takes_text = hasattr(target, "encoding")
    written = 0
    for game in _each(games):
        text = game.pgn() + "\n\n"
        target.write(text if takes_text else text.encode())
        written += 1
    return written


def _each(games: Game | Iterable[Game | Games]) -> Iterator[Game]:
    if isinstance(games, Game):
        yield games
        return
    for item in games:
        yield from [item] if isinstance(item, Game) else item
