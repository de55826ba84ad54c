"""Which games of a batch are plain: their text has nothing but tags in the order of columns, and moves.

Of a plain game nothing can be lost in packing except what the columns show. Most games of large collections are plain,
and reading their text again takes longer than everything else.
"""

from __future__ import annotations

import numpy as np

from setwise.game.games import Games
from setwise.game.texts import spans
from setwise.notation.pgn import table as pgn

__all__ = ["are_in_order", "are_plain"]

#: Letters that moves, their numbers and results consist of, and what is between them.
_OF_MOVES = b"abcdefghKQRBNO0123456789x+#=-/*. \n\r\t"
_BLANKS = b" \n\r\t"
#: For each byte: whether it is unusual among moves, whether it is unusual in a tag's value, whether it is no blank.
_CLASSES = np.ones((3, 256), np.bool_)
_CLASSES[0, list(_OF_MOVES)] = False
_CLASSES[1, 32:] = False
_CLASSES[1, [*b'\\"', 127]] = True
_CLASSES[2, list(_BLANKS)] = False
#: Letters of a tag besides its name and its value: ``[``, two quotes and ``]``.
_AROUND = 4
#: Letters that are compared as two words.
_WORD = 8


def are_in_order(games: Games, names: list[str]) -> np.ndarray:
    """Return whether the tags of each game are those of columns in their order, each once."""
    text = games.block.text  # read first: a table of games builds its text now, and the tags with it
    at = _numbers(games, text, [name.encode() for name in names])
    game = np.repeat(np.arange(len(games)), np.diff(games.tag_offsets))
    wrong = at < 0
    wrong[1:] |= (at[1:] <= at[:-1]) & (game[1:] == game[:-1])
    in_order = np.ones(len(games), np.bool_)
    in_order[game[wrong]] = False
    return in_order


def _numbers(games: Games, text: bytes, names: list[bytes]) -> np.ndarray:
    """For each tag the number of its name among the names; -1 for others."""
    starts, stops = games.tags[:, 0].astype(np.int64), games.tags[:, 1].astype(np.int64)
    words, lengths = _words(text, starts, stops - starts), stops - starts
    at = np.full(len(starts), -1, np.int64)
    for number, name in enumerate(names):
        if len(name) <= 2 * _WORD:
            wanted = _words(name, np.zeros(1, np.int64), np.array([len(name)]))
            at[(lengths == len(name)) & (words == wanted).all(axis=1)] = number
    number_of = {name: number for number, name in enumerate(names)}
    for row in np.flatnonzero(lengths > 2 * _WORD).tolist():
        at[row] = number_of.get(text[starts[row] : stops[row]], -1)
    return at


def _words(text: bytes, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The first 16 letters of names as two numbers each: (n, 2) uint64."""
    letters = np.frombuffer(text + bytes(2 * _WORD), np.uint8)
    columns = np.arange(2 * _WORD)
    found = letters[starts[:, None] + columns] * (columns < lengths[:, None])
    return np.ascontiguousarray(found.astype(np.uint8)).view(np.uint64)


def are_plain(games: Games, in_order: np.ndarray) -> np.ndarray:
    """Return which games are plain, given whether their tags are in order."""
    starts, stops = spans(games)
    letters = np.frombuffer(games.block.text, np.uint8)
    of_moves, of_values, solid = (_sums(kind, letters) for kind in _CLASSES)
    names, names_end, values, values_end = games.tags.astype(np.int64).T
    first, last = games.tag_offsets[:-1], games.tag_offsets[1:]
    has_tags = last > first
    ends = np.where(has_tags, np.append(values_end, 0)[last - 1] + 2, starts)  # behind the quote and the bracket
    ends = np.minimum(ends, stops)
    tags = (solid[names_end] - solid[names]) + (solid[values_end] - solid[values]) + _AROUND
    in_tags = _by_game(tags, first, last)
    is_usual = _by_game(of_values[values_end] - of_values[values], first, last) == 0
    is_usual &= of_moves[stops] == of_moves[ends]
    is_usual &= solid[ends] - solid[starts] == in_tags
    return in_order & is_usual & (games.table[:, pgn.FAULT] == pgn.NO_FAULT)


def _sums(kind: np.ndarray, letters: np.ndarray) -> np.ndarray:
    """How many letters of a kind stand before each place."""
    return np.concatenate([np.zeros(1, np.int32), np.cumsum(kind[letters], dtype=np.int32)])


def _by_game(counts: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The sum of the counts of the tags of each game."""
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    return sums[last] - sums[first]
