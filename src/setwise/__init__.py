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
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setwise.version import __version__ as __version__

# The only list of public names: ``from A import B as B``, which type checkers read. ``_WHERE`` is built from the same
# lines, and each name is imported on first use.
if TYPE_CHECKING:
    from setwise import errors as errors
    from setwise import squares as squares
    from setwise import view as view
    from setwise.bitboard import Bitboard as Bitboard
    from setwise.compiler import Count as Count
    from setwise.compiler import Fileset as Fileset
    from setwise.compiler import Flag as Flag
    from setwise.compiler import Set as Set
    from setwise.compiler import Square as Square
    from setwise.compiler import Steps as Steps
    from setwise.compiler import pattern as pattern
    from setwise.corpus.columns import columns as columns
    from setwise.corpus.dataset.damage import Damage as Damage
    from setwise.corpus.dataset.damage import verify as verify
    from setwise.corpus.dataset.damage import verify_scan as verify_scan
    from setwise.corpus.dataset.index import index as index
    from setwise.corpus.dataset.repair import repair as repair
    from setwise.corpus.dataset.repair import upgrade as upgrade
    from setwise.corpus.dataset.scan import scan as scan
    from setwise.corpus.language.names import like as like
    from setwise.corpus.learning import batches as batches
    from setwise.corpus.learning import torch_dataset as torch_dataset
    from setwise.corpus.pgnfiles.duplicates import dedupe as dedupe
    from setwise.corpus.pgnfiles.duplicates import duplicates as duplicates
    from setwise.corpus.pgnfiles.packing import pack as pack
    from setwise.corpus.pgnfiles.packing import unpack as unpack
    from setwise.corpus.pgnfiles.texts import merge as merge
    from setwise.corpus.pgnfiles.texts import sort as sort
    from setwise.corpus.pgnfiles.texts import split as split
    from setwise.corpus.query.finding import find as find
    from setwise.corpus.query.limits import limits as limits
    from setwise.corpus.query.move_tree import similar as similar
    from setwise.corpus.query.move_tree import tree as tree
    from setwise.corpus.query.sql import connect as connect
    from setwise.corpus.query.sql import sql as sql
    from setwise.exercises.training import train as train
    from setwise.exercises.writing import write_exercises as write_exercises
    from setwise.features import feature as feature
    from setwise.features.own import load as load
    from setwise.game.game import Game as Game
    from setwise.game.game import Variation as Variation
    from setwise.game.games import Games as Games
    from setwise.game.games import read_pgn as read_pgn
    from setwise.game.games import write_pgn as write_pgn
    from setwise.patterns import bit_tricks as bit_tricks
    from setwise.patterns import bits as bits
    from setwise.patterns import compass as compass
    from setwise.patterns import fills as fills
    from setwise.patterns import geometry as geometry
    from setwise.patterns import islands as islands
    from setwise.patterns import keys as keys
    from setwise.patterns import king as king
    from setwise.patterns import knight as knight
    from setwise.patterns import lines as lines
    from setwise.patterns import mates as mates
    from setwise.patterns import moves as moves
    from setwise.patterns import pawns as pawns
    from setwise.patterns import race as race
    from setwise.patterns import slider_ways as slider_ways
    from setwise.patterns import sliders as sliders
    from setwise.patterns import tactics as tactics
    from setwise.position.move import Move as Move
    from setwise.position.position import Position as Position
    from setwise.position.positions import Positions as Positions
    from setwise.position.variant_position import VariantPosition as VariantPosition
    from setwise.proofs import Counterexample as Counterexample
    from setwise.proofs import Proof as Proof
    from setwise.proofs import prove as prove
    from setwise.tablebases.files import build_tablebase as build_tablebase

_LINES = re.compile(r"^ +from (\S+) import (\w+) as \2$", re.MULTILINE)
#: The module of each public name, read from the import lines above.
_WHERE = {name: module for module, name in _LINES.findall(Path(__file__).read_text("utf-8"))}


def _import_name(name: str) -> Any:
    """Return ``setwise.NAME``, which is imported on first use."""
    if name == "spark":  # not in __all__: PySpark may be missing
        return importlib.import_module("setwise.spark")
    if name not in _WHERE:
        way = importlib.import_module("setwise.chess_words").way_of(name)
        raise AttributeError(f"module 'setwise' has no attribute {name!r}{f': {way}' if way else ''}")
    where = _WHERE[name]
    value = (
        importlib.import_module(f"{where}.{name}") if where == __name__  # a module of this package
        else getattr(__import__(where, fromlist=[name]), name)  # like ``from where import name``
    )  # fmt: skip
    globals()[name] = value
    if name in {"find", "sql"} and "IPython" in sys.modules:
        importlib.import_module("setwise.notebooks").load()
    return value


if not TYPE_CHECKING:  # type checkers know all names, and report those that do not exist
    __all__ = sorted(_WHERE)  # noqa: PLE0605  (a list, as sorted returns)
    __getattr__ = _import_name


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
