"""Names of sources: a game is known by its source and its number, so two sources never share a name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping

__all__ = ["OwnNames"]


class OwnNames:
    """Unique names of sources, in order: where a name is taken, the second is ``NAME 2``.

    The parts of one whole, as the files of a scan are, hold games of the same sources: they share names.

    >>> names = OwnNames()
    >>> names.of("a scan", ["x.pgn", "y.pgn"])
    {'x.pgn': 'x.pgn', 'y.pgn': 'y.pgn'}
    >>> names.of("another", ["x.pgn"])
    {'x.pgn': 'x.pgn 2'}
    >>> names.of("a scan", ["x.pgn", "z.pgn"])
    {'x.pgn': 'x.pgn', 'z.pgn': 'z.pgn'}
    """

    def __init__(self) -> None:
        self._taken = Counter[str]()
        self._given = defaultdict[Hashable, dict[str, str]](dict)

    def enter(self, whole: Hashable, names: Mapping[str, str]) -> None:
        """Enter names that were given earlier."""
        self._given[whole].update(names)
        self._taken.update(names.values())

    def of(self, whole: Hashable, sources: Iterable[str]) -> dict[str, str]:
        """Return the unique names of the sources in a part of a whole, by the names that they have."""
        given, sources = self._given[whole], dict.fromkeys(sources)
        for name in sources:
            if name not in given:
                given[name] = self._own(name)
        return {name: given[name] for name in sources}

    def _own(self, name: str) -> str:
        names = self._taken
        names[name] += 1
        while names[name] > 1:
            own = f"{name} {names[name]}"
            if own not in names:
                names[own] = 1
                return own
            names[name] += 1
        return name
