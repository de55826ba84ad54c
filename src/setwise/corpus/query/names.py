"""Suggestions for player names that a query mentions and no game has: the nearest names of the games read."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from setwise.system.arrow import pc

__all__ = ["PlayerNames", "similarity"]

#: How many different names are kept at most, and how many are suggested.
_MOST, _SHOWN = 1 << 15, 3
#: The similarity, from 0 to 1, from which two names count as near.
_NEAR = 0.66
_WORD = re.compile(r"\w{3,}")


class PlayerNames:
    """Count the player names in the games that are read, until every name in the query has occurred.

    The object is false if no name is missing, as in a query that mentions no player; then ``read`` costs nothing.

    >>> import setwise
    >>> names = PlayerNames(["carlsen, magnus"])
    >>> for games in setwise.read_pgn(b'[White "Carlsen, Magnus"] 1. e4 * [Black "Carlsen, Magnus"] 1. e4 *'):
    ...     names.read(games)
    >>> names.missing()
    ["no game of 'carlsen, magnus'; did you mean 'Carlsen, Magnus' (2)?"]

    Args:
        names: names that the query compares with those of White or Black.
        part: a text that a player's name must contain, ignoring case (``--player``).
    """

    def __init__(self, names: Iterable[str] = (), part: str | None = None) -> None:
        self._wanted, self._part = dict.fromkeys(names), part
        self._games: Counter[str] = Counter()

    #: Whether the games that are read are all games: an index passes over games that have the player, too.
    are_all_read = True

    def add(self, names: Iterable[str]) -> None:
        """Add names that the query mentions, before any game is read."""
        self._wanted.update(dict.fromkeys(names))

    def __bool__(self) -> bool:
        return bool(self._wanted) or self._part is not None

    def read(self, games: Any) -> None:
        """Count the names in a batch of games. Call this in the order of reading, from one thread at a time."""
        if not self:
            return
        for tag in ("White", "Black"):
            counted = games.tag(tag).value_counts()
            names, counts = counted.field("values"), counted.field("counts")
            if self._part is not None and pc.any(pc.match_substring(names, self._part, ignore_case=True)).as_py():
                self._part = None
            for name, count in zip(names.to_pylist(), counts.to_pylist(), strict=True):
                self._wanted.pop(name, None)
                if name:
                    self._games[name] += count
        if not self:
            self._games.clear()
        elif len(self._games) > _MOST:
            ratios = {name: max(similarity(wanted, name) for wanted in self._missing()) for name in self._games}
            nearest = heapq.nlargest(_MOST // 2, self._games, key=ratios.__getitem__)
            self._games = Counter({name: self._games[name] for name in nearest if ratios[name]})

    def missing(self) -> list[str]:
        """Return a sentence for each name that no game has; an empty list if the games have no names at all."""
        return (
            [f"no game of {wanted!r:.60}{self._suggestion(wanted)}" for wanted in self._missing()]
            if self._games and self.are_all_read
            else []
        )

    def _missing(self) -> list[str]:
        return [*self._wanted, *([] if self._part is None else [self._part])]

    def _suggestion(self, wanted: str) -> str:
        near = ((ratio, self._games[name], name) for name in self._games if (ratio := similarity(wanted, name)))
        shown = [f"{name!r:.60} ({count:,})" for _, count, name in heapq.nlargest(_SHOWN, near)]
        return f"; did you mean {' or '.join(shown)}?" if shown else ""


def similarity(wanted: str, name: str) -> float:
    """Return how similar two names are, ignoring case: the best of the whole and each of its words; 0 if not near."""
    wanted, name = wanted.casefold(), name.casefold()
    if wanted == name or (len(wanted) > 2 and wanted in name):
        return 3.0 if wanted == name else 2.0
    from difflib import SequenceMatcher

    matcher, best = SequenceMatcher(None, "", wanted, autojunk=False), 0.0
    for part in (name, *_WORD.findall(name)):
        matcher.set_seq1(part)
        if matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR:
            best = max(best, matcher.ratio())
    return best if best >= _NEAR else 0.0
