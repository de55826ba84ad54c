"""A uniform random sample of the matches of a search."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from setwise.corpus.query.search import BatchResult

__all__ = ["Sample"]


class Sample:
    """A uniform sample of matches, drawn in one pass over them.

    Every match gets a random number, in order; the matches with the smallest numbers are kept. So the sample is
    uniform, depends on the seed but not on blocks or threads, and needs memory for the sample only.

    Args:
        count: how many matches to draw.
        seed: the seed of the random numbers.
    """

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self._random = np.random.default_rng(seed)
        self._kept: list[tuple[np.ndarray, BatchResult]] = []
        self._limit = 1.0

    def add(self, result: BatchResult) -> None:
        """Add the matches of a batch to those that are drawn from."""
        numbers = self._random.random(result.matched)
        self._keep(numbers, result)
        if sum(len(numbers) for numbers, _ in self._kept) > 2 * self.count:
            self._cut()

    def drawn(self) -> Iterator[BatchResult]:
        """Yield the sample, in the order of the sources."""
        self._cut()
        for _, result in self._kept:
            yield result

    def _keep(self, numbers: np.ndarray, result: BatchResult) -> None:
        small = numbers < self._limit
        if small.any():
            self._kept.append((numbers[small], result.narrowed(np.flatnonzero(small))))
            result.batch.forget()

    def _cut(self) -> None:
        """Drop the matches with the largest numbers, down to the size of the sample."""
        kept, self._kept = self._kept, []
        numbers = np.concatenate([numbers for numbers, _ in kept]) if kept else np.empty(0)
        if len(numbers) > self.count:
            self._limit = float(np.partition(numbers, self.count)[self.count])
        for some, result in kept:
            self._keep(some, result)
