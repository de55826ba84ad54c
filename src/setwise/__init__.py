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
from typing import TYPE_CHECKING, Any

from setwise import errors, view
from setwise.bitboard import Bitboard
from setwise.patterns import bits, compass, fills, geometry, islands, king, knight, lines, pawns, race, sliders, tactics

if TYPE_CHECKING:
    from setwise.corpus.scan import scan
    from setwise.corpus.search import find
    from setwise.game.game import Game
    from setwise.game.games import Games, read_pgn
    from setwise.game.writing import write_pgn
    from setwise.position.move import Move
    from setwise.position.position import Position
    from setwise.position.positions import Positions

__version__ = "0.1.0"

__all__ = [
    "Bitboard", "Game", "Games", "Move", "Position", "Positions", "bits", "compass", "errors", "fills", "find",
    "geometry", "islands", "king", "knight", "lines", "pawns", "race", "read_pgn", "scan", "sliders", "tactics", "view",
    "write_pgn",
]  # fmt: skip

#: Names that bring Arrow and DuckDB with them; they are imported when somebody asks for them.
_LATE = {
    "Games": "game.games", "read_pgn": "game.games", "Game": "game.game", "write_pgn": "game.writing",
    "Positions": "position.positions", "Position": "position.position", "Move": "position.move",
    "find": "corpus.search", "scan": "corpus.scan",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LATE:
        value = globals()[name] = getattr(importlib.import_module(f"setwise.{_LATE[name]}"), name)
        return value
    raise AttributeError(f"setwise has no name {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LATE]
