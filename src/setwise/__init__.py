"""Chess bitboard patterns for Python, from one position to every game ever played.

    >>> import setwise
    >>> from setwise import Bitboard, knight
    >>> knight.fork_targets(Bitboard("d8 h8"))
    Bitboard('f7')

Topics are modules (``setwise.king``, ``setwise.knight``, ``setwise.islands`` …), positions are ``Position`` and
``Positions``, games come from ``read_pgn``, and ``find`` and ``scan`` search them.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from setwise import chess_words, errors, squares, view
from setwise.bitboard import Bitboard

if TYPE_CHECKING:
    from setwise.compiler import Count, Fileset, Flag, Set, Square, Steps, pattern
    from setwise.corpus.arranged import merge, sort, split
    from setwise.corpus.columns import columns
    from setwise.corpus.duplicates import dedupe, duplicates
    from setwise.corpus.scan import scan
    from setwise.corpus.search import find
    from setwise.corpus.sql import connect, sql
    from setwise.corpus.tensors import torch_dataset
    from setwise.corpus.training import batches
    from setwise.features import feature
    from setwise.features.own import load
    from setwise.game.game import Game
    from setwise.game.games import Games, read_pgn
    from setwise.game.writing import write_pgn
    from setwise.patterns import (
        bits,
        compass,
        fills,
        geometry,
        islands,
        king,
        knight,
        lines,
        mates,
        pawns,
        race,
        sliders,
        tactics,
    )
    from setwise.position.move import Move
    from setwise.position.position import Position
    from setwise.position.positions import Positions

__version__ = "0.1.0"

__all__ = [
    "Bitboard", "Count", "Fileset", "Flag", "Game", "Games", "Move", "Position", "Positions", "Set", "Square", "Steps",
    "batches", "bits", "columns", "compass", "connect", "dedupe", "duplicates", "errors", "feature", "fills", "find",
    "geometry", "islands", "king", "knight", "lines", "load", "mates", "merge", "moves", "pattern", "pawns", "race",
    "read_pgn", "scan", "sliders", "sort", "split", "sql", "squares", "tactics", "torch_dataset", "view",
    "write_pgn",
]  # fmt: skip

#: Where the names are that bring Numba, Arrow or DuckDB with them: imported when somebody asks for them.
_LATE = {
    **dict.fromkeys(("Count", "Fileset", "Flag", "Set", "Square", "Steps", "pattern"), "compiler"),
    "feature": "features", "load": "features.own",
    "batches": "corpus.training", "torch_dataset": "corpus.tensors",
    "columns": "corpus.columns", "connect": "corpus.sql", "find": "corpus.search", "scan": "corpus.scan",
    "sql": "corpus.sql",
    **dict.fromkeys(("dedupe", "duplicates"), "corpus.duplicates"),
    **dict.fromkeys(("merge", "sort", "split"), "corpus.arranged"),
    "Games": "game.games", "read_pgn": "game.games", "Game": "game.game", "write_pgn": "game.writing",
    "Positions": "position.positions", "Position": "position.position", "Move": "position.move",
}  # fmt: skip


def _late(name: str) -> Any:
    """What ``setwise.NAME`` is when it is asked for the first time."""
    if name == "spark":  # not among __all__: PySpark need not be there
        return importlib.import_module("setwise.spark")
    if name not in __all__:
        way = chess_words.way_of(name)
        raise AttributeError(f"module 'setwise' has no attribute {name!r}{f': {way}' if way else ''}")
    if name in _LATE:
        value = getattr(importlib.import_module(f"setwise.{_LATE[name]}"), name)
    else:
        value = importlib.import_module(f"setwise.patterns.{name}")
    globals()[name] = value
    if name in {"find", "sql"} and "IPython" in sys.modules:
        importlib.import_module("setwise.notebooks").load()
    return value


if not TYPE_CHECKING:  # whose reader knows all names already, and should tell which ones there are not
    __getattr__ = _late


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
