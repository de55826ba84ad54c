"""Compilation in a second process, so that the first search of a new installation starts sooner."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Sequence

import numpy as np

from setwise.compiler import Entry, cache_directory
from setwise.corpus.query.finding import find
from setwise.features.own import load
from setwise.game.blocks import Block
from setwise.game.games import Games
from setwise.notation.pgn import parser, table, tags
from setwise.rules.state import WORDS
from setwise.system.processes import processors, without_interrupts

__all__ = ["compile_in_background", "compile_search"]


@contextlib.contextmanager
def compile_in_background(
    where: str, columns: Sequence[str] | None, own: Sequence[str], files: Sequence[str] = ()
) -> Iterator[None]:
    """Compile in another process what a search of PGN needs besides the PGN parser, while this process compiles that.

    Does nothing if the parser is already compiled, or if there is only one processor.

    Args:
        where: the condition.
        columns: the columns of the result; the usual ones if None.
        own: the files and modules of the user's own patterns.
        files: the repertoires that the condition may name.
    """
    if parser.parse.cached() or cache_directory() is None or processors() < 2:
        yield
        return
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    other = context.Process(target=compile_search, args=(where, columns, own, files), daemon=True)
    with without_interrupts():
        other.start()
    try:
        yield
    finally:
        other.terminate()


def compile_search(where: str, columns: Sequence[str] | None, own: Sequence[str], files: Sequence[str] = ()) -> None:
    """Compile what a search needs by searching a game in memory. Errors are left for the search itself to raise."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles interrupts
    with contextlib.suppress(Exception):
        for name in own:
            load(name)
        usual = ["san", "fen"] if columns is None else columns
        find(where, _game().positions(), columns=usual, files=files, threads=1)
        for entry in (value for value in vars(tags).values() if isinstance(value, Entry)):
            entry.warmup()


def _game() -> Games:
    """A game without moves, built without the PGN parser; every column can be computed for it."""
    rows = np.zeros((1, table.GAME_COLUMNS), np.int64)
    rows[0, table.BOARD], rows[0, table.FAULT] = -1, table.NO_FAULT
    spans, boards = np.empty((0, 4), np.int32), np.empty((0, WORDS), np.uint64)
    columns = table.Columns(rows, np.empty(0, np.uint16), spans, boards, np.empty((0, 2), np.int32))
    return Games(Block(b"", "<nothing>", 0, 1), columns, first=1)
