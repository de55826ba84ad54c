"""A sample of what a search finds, every match as likely as any other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from setwise.corpus.query.search import Found

__all__ = ["Sample"]


class Sample:
    """Draws matches by lot while they stream by.

    Every match gets a random number, in order; those with the smallest ones are kept. So the sample is uniform, the
    same for the same seed, whatever the blocks and threads, and memory is bounded by the sample.

    Args:
        count: how many matches to draw.
        seed: what the random numbers come from.
    """

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self._random = np.random.default_rng(seed)
        self._kept: list[tuple[np.ndarray, Found]] = []
        self._limit = 1.0

    def add(self, found: Found) -> None:
        """Let the matches of a batch take part."""
        numbers = self._random.random(found.matched)
        self._keep(numbers, found)
        if sum(len(numbers) for numbers, _ in self._kept) > 2 * self.count:
            self._cut()

    def drawn(self) -> Iterator[Found]:
        """Yield what has been drawn, in the order of the sources."""
        self._cut()
        for _, found in self._kept:
            yield found

    def _keep(self, numbers: np.ndarray, found: Found) -> None:
        rows = np.arange(found.searched) if found.rows is None else found.rows
        small = numbers < self._limit
        if small.any():
            self._kept.append((numbers[small], found._replace(rows=rows[small])))
            found.batch.forget()

    def _cut(self) -> None:
        """Keep no more than are wanted."""
        kept, self._kept = self._kept, []
        numbers = np.concatenate([numbers for numbers, _ in kept]) if kept else np.empty(0)
        if len(numbers) > self.count:
            self._limit = float(np.partition(numbers, self.count)[self.count])
        for few, found in kept:
            self._keep(few, found)
