"""Names that a question asks for and no game has: the nearest names of the games that were read."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

import pyarrow.compute as pc

__all__ = ["Names"]

#: How many different names are kept at most, and how many are shown.
_MOST, _SHOWN = 1 << 15, 3
#: How alike two names are at least to be called near, from 0 to 1.
_NEAR = 0.66
_WORD = re.compile(r"\w{3,}")


class Names:
    """Count the names in the games that are read, as long as a name of the question has not occurred.

    The object is false where the question names no player; then ``read`` costs nothing.

    >>> import setwise
    >>> names = Names(["carlsen, magnus"])
    >>> for games in setwise.read_pgn(b'[White "Carlsen, Magnus"] 1. e4 * [Black "Carlsen, Magnus"] 1. e4 *'):
    ...     names.read(games)
    >>> names.missing()
    ["no game of 'carlsen, magnus'; did you mean 'Carlsen, Magnus' (2)?"]

    Args:
        names: names that White's or Black's is compared with.
        part: what a player's name must contain, in capitals or not (``--player``).
    """

    def __init__(self, names: Iterable[str] = (), part: str | None = None) -> None:
        self._wanted, self._part = dict.fromkeys(names), part
        self._games: Counter[str] = Counter()

    def ask(self, names: Iterable[str]) -> None:
        """Add names of the question, before anything is read."""
        self._wanted.update(dict.fromkeys(names))

    def __bool__(self) -> bool:
        return bool(self._wanted) or self._part is not None

    def read(self, games: Any) -> None:
        """Take note of the names in a batch of games, in the order of reading and from one thread at a time."""
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
            likeness = {name: max(_likeness(asked, name) for asked in self._missing()) for name in self._games}
            likest = heapq.nlargest(_MOST // 2, self._games, key=likeness.__getitem__)
            self._games = Counter({name: self._games[name] for name in likest if likeness[name]})

    def missing(self) -> list[str]:
        """Return a sentence for each name that no game has; none where the games have no names at all."""
        return [f"no game of {asked!r:.60}{self._near(asked)}" for asked in self._missing()] if self._games else []

    def _missing(self) -> list[str]:
        return [*self._wanted, *([] if self._part is None else [self._part])]

    def _near(self, asked: str) -> str:
        near = ((likeness, self._games[name], name) for name in self._games if (likeness := _likeness(asked, name)))
        shown = [f"{name!r:.60} ({count:,})" for _, count, name in heapq.nlargest(_SHOWN, near)]
        return f"; did you mean {' or '.join(shown)}?" if shown else ""


def _likeness(asked: str, name: str) -> float:
    """How alike two names are, capitals aside: of all of one, or of one of its words; 0 for names that are not near."""
    asked, name = asked.casefold(), name.casefold()
    if asked == name or (len(asked) > 2 and asked in name):
        return 3.0 if asked == name else 2.0
    matcher, best = SequenceMatcher(None, "", asked, autojunk=False), 0.0
    for part in (name, *_WORD.findall(name)):
        matcher.set_seq1(part)
        if matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR:
            best = max(best, matcher.ratio())
    return best if best >= _NEAR else 0.0
