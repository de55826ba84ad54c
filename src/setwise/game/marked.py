"""Insert comments into a game's own text, cut off the beginning of a game, build a game from stored columns."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import cast

import numpy as np

from setwise.game.batch import GameColumns
from setwise.game.game import Game
from setwise.game.parts import usual_start, variant_tag
from setwise.game.single import decoded
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.comments import clean_comment
from setwise.notation.pgn.export import ROSTER
from setwise.position.move import Move
from setwise.position.position import Position
from setwise.position.variant_position import VariantPosition
from setwise.rules.variants import variant_of_tag

__all__ = ["begun_at", "stored_game", "text_of"]

#: The text of a move, with ``!`` and ``?`` behind it; the number before a move; the result behind the last one.
_MOVE = re.compile(rb"[^\s{}()\[\];$]+")
_NUMBER = re.compile(rb"(?:\d+\s*\.[\s.]*)?\Z")
#: The separator between a comment and the character before or after it: an empty line after tags, else a blank.
_BLANKS = {b" ": b"", b"\n": b"", b"\r": b"", b"\t": b"", b"]": b"\n\n"}
_RESULT = re.compile(rb"(?:(?:1-0|0-1|1/2-1/2|\*)\s*|\s*)\Z")


def begun_at(game: Game, ply: int, position: Position, comment: str = "", *, roster: bool = False) -> Game:
    """Return the rest of a game from a ply on, without its annotations, with a comment at its beginning.

    Args:
        game: the game.
        ply: how many of its moves are left out.
        position: the position after these moves; in games of a variant it is found by playing them.
        comment: the comment before the first move.
        roster: whether to keep only the Seven Tag Roster and the tags of the starting position.
    """
    if isinstance(game.position, VariantPosition):  # knows the checks given before
        position = game.positions()[ply]
    tags = {name: value for name, value in game.tags.items() if not roster or name in ROSTER}
    tags |= {"SetUp": "1", "FEN": position.fen("fen")}
    tags |= variant_tag(tags, position)
    return Game._of(tags, game.moves[ply:], position, game.result, {0: clean_comment(comment)} if comment else {}, {})


def stored_game(tags: Mapping[str, str], moves: Iterable[Move], start: Position, result: str) -> Game:
    """Return a game whose columns were stored: its boards follow standard chess, its tag may name other rules.

    A game of a variant that counts checks loses the tag if it begins in the middle, because its checks are not known.
    """
    tags = dict(tags)
    rules = tags.pop("Variant", "")
    if (variant := variant_of_tag(rules)) is not None:
        if variant.checks and start != usual_start():
            rules = ""
        else:
            start = VariantPosition(variant.name, start.fen("fen"), chess960=start.chess960)
    game = Game(tags, moves, start, result)
    named = {"Variant": rules} if rules else {}  # also that of a game whose moves were not read
    return Game._of({**game.tags, **named}, game.moves, start, game.result, {}, {})


def text_of(
    games: GameColumns, row: int, comments: Mapping[int, str], of_variations: Mapping[int, str] = MappingProxyType({})
) -> str:
    """Return the text of one game from its source with comments inserted by ply; ply 0 is before the moves.

    ``of_variations`` has comments by the row of their position in the tree of the games.

    The games must have been read with ``notes=True``, which keeps the places of the moves.
    """
    start, stop = games.table[row, [pgn.START, pgn.STOP]].tolist()
    text, pieces, at = games.block.text, list[bytes](), start
    places = [(_place(games, row, ply), comment) for ply, comment in sorted(comments.items())]
    places += [(_move_end(text, *games.tree.notes[node].tolist()), comment) for node, comment in of_variations.items()]
    for place, comment in sorted(places, key=operator.itemgetter(0)):
        before, after = (_BLANKS.get(text[edge : edge + 1], b" ") for edge in (place - 1, place))
        pieces += [text[at:place], before, f"{{ {clean_comment(comment)} }}".encode(), after]
        at = place
    return decoded(b"".join([*pieces, text[at:stop]])).strip()


def _move_end(text: bytes, start: int, stop: int) -> int:
    """Return where a move ends whose span, with its annotations, is known."""
    move = _MOVE.match(text, start)
    return move.end() if move else stop


def _place(games: GameColumns, row: int, ply: int) -> int:
    """Return where a comment of a ply belongs in the text: after its move, or before the number of the first move."""
    text = games.block.text
    first, last = games.move_offsets[row : row + 2].tolist()
    spans = cast("np.ndarray", games.notes)[first:last]
    if ply:
        return _move_end(text, *spans[ply - 1].tolist())
    begin, stop, fault, where = games.table[row, [pgn.START, pgn.STOP, pgn.FAULT, pgn.FAULT_AT]].tolist()
    if last > first or fault != pgn.NO_FAULT:
        end = int(spans[0, 0]) if last > first else where
        return begin + len(_NUMBER.sub(b"", text[begin:end], count=1))
    return begin + len(_RESULT.sub(b"", text[begin:stop], count=1))
