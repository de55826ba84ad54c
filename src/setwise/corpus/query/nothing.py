"""What is said of a query without matches: columns that were null in every row, and texts that no row has.

The beginning of the sources is read a second time for that, once it is clear that nothing matches: a query with matches
costs nothing, one without a bounded time.
"""

from __future__ import annotations

import heapq
import re
import time
from collections.abc import Iterable, Iterator

import pyarrow as pa

from setwise.corpus.columns import COLUMNS, OF_TABLES, need_notes, values_of
from setwise.corpus.columns.registry import TAG
from setwise.corpus.language.hints import Comparison
from setwise.corpus.query.names import similarity
from setwise.corpus.query.search import Plan, Query
from setwise.corpus.sources.jobs import Opened
from setwise.errors import SetwiseError, shortened
from setwise.game.provenance import GamePositions
from setwise.system.arrow import pc

__all__ = ["hints", "hints_of"]

#: How many positions are read again at most, for how many seconds, how many different texts of a column are kept, and
#: how many are suggested.
_MOST, _SECONDS, _TEXTS, _SHOWN = 1 << 18, 2.0, 1 << 15, 3


def hints(plans: Iterable[tuple[Opened, Plan]], query: Query) -> list[str]:
    """Return sentences about a query that nothing matched: players, columns and texts that the sources do not have."""
    columns, comparisons, sources = dict[str, None](), dict[Comparison, None](), list[Opened]()
    for source, plan in plans:
        sources.append(source)
        if plan.condition is not None:
            columns |= dict.fromkeys(plan.condition.columns)
        if plan.order is not None:
            columns |= dict.fromkeys(plan.order.columns)
        if plan.condition is not None:
            comparisons |= dict.fromkeys(plan.condition.comparisons)
    return [*query.names.missing(), *hints_of(sources, columns, comparisons)]


def hints_of(sources: Iterable[Opened], columns: Iterable[str], comparisons: Iterable[Comparison]) -> list[str]:
    """Return a sentence about columns that are null in every row of sources, and one for each text that no row has.

    Args:
        sources: the sources; those that can be read only once are passed over.
        columns: the names of columns.
        comparisons: comparisons of columns with texts.
    """
    beginning, began = _Beginning(columns, comparisons), time.monotonic()
    try:
        for positions in _positions(sources, beginning.names):
            beginning.read(positions)
            if beginning.is_known or beginning.count >= _MOST or time.monotonic() - began > _SECONDS:
                break
        else:
            beginning.is_whole = True
    except SetwiseError:  # a stream, which has been read
        return []
    return list(beginning.sentences())


def _positions(sources: Iterable[Opened], names: list[str]) -> Iterator[GamePositions]:
    for source in sources if names else ():
        for job in source.jobs(notes=need_notes(names)):
            yield job.run().positions


class _Beginning:
    """What the first positions of the sources have in some columns."""

    def __init__(self, columns: Iterable[str], comparisons: Iterable[Comparison]) -> None:
        #: The columns that were null so far, and the comparisons that were false, with the texts of their columns.
        self.null = [name for name in columns if not _is_never_null(name)]
        self.false = list(dict.fromkeys(comparisons))
        self.texts: dict[str, dict[str, None]] = {name: {} for it in self.false for name in it.columns}
        self.count, self.is_whole = 0, False

    @property
    def names(self) -> list[str]:
        """The columns that are still of interest."""
        return [*dict.fromkeys([*self.null, *(name for it in self.false for name in it.columns)])]

    @property
    def is_known(self) -> bool:
        """Whether there is nothing to say."""
        return not self.null and not self.false

    def read(self, positions: GamePositions) -> None:
        """Read the columns of a batch."""
        self.count += len(positions)
        columns = {name: values_of(positions, name) for name in self.names}
        self.null = [name for name in self.null if columns[name].null_count == len(positions)]
        texts = {name: _different(columns[name]) for name in self.texts if name in columns}
        self.false = [it for it in self.false if not any(len(it.among(texts[name])) for name in it.columns)]
        for name, different in texts.items():
            if len(self.texts[name]) < _TEXTS:
                self.texts[name] |= dict.fromkeys(different.to_pylist())

    def sentences(self) -> Iterator[str]:
        """Yield what is to be said."""
        if not self.count:
            return
        read = f"{'' if self.is_whole else 'the first '}{self.count:,} position{'' if self.count == 1 else 's'}"
        if self.null:
            are = f"{' and '.join(map(_written, self.null))} {'is' if len(self.null) == 1 else 'are'} null"
            yield f"{are} in all of {read}, and null matches no comparison"
        for it in self.false:
            what = "the name of a player" if it.is_of_players else " or ".join(map(_written, it.columns))
            if texts := list(dict.fromkeys(text for name in it.columns for text in self.texts[name] if text)):
                yield f"{what} {it.sign} {shortened(it.text)} in none of {read}{_suggestion(it, texts)}"


def _written(name: str) -> str:
    """The name of a column as conditions write it."""
    return f"tag('{name.removeprefix(TAG)}')" if name.startswith(TAG) else name


def _is_never_null(name: str) -> bool:
    """Whether a column has a value for every position, as what stands on the board does, or is made of its name."""
    return "(" in name or (name in COLUMNS and COLUMNS[name].of_boards and name not in OF_TABLES)


def _different(column: pa.Array) -> pa.Array:
    """The different texts of a column."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary
    return pc.unique(column.cast(pa.string())).drop_null()


def _suggestion(wanted: Comparison, texts: list[str]) -> str:
    """The texts that differ only in case, else the nearest ones."""
    alike = wanted._replace(ignores_case=True).among(pa.array(texts, pa.string())).to_pylist()
    if alike and not wanted.ignores_case:
        differ = "differ" if len(alike) > 1 else "differs"
        return f"; {' and '.join(map(shortened, alike[:_SHOWN]))} {differ} only in upper and lower case"
    parts = re.split(r"[%_]+", wanted.text) if wanted.sign == "is like" else [wanted.text]
    core = max(parts, key=len)
    near = ((ratio, text) for text in dict.fromkeys(texts) if (ratio := similarity(core, text)))
    shown = [shortened(text) for _, text in heapq.nlargest(_SHOWN, near)]
    return f"; did you mean {' or '.join(shown)}?" if shown else ""
