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

from setwise import compass, fills, islands, king, knight, lines, pawns, race, sliders, view
from setwise.bitboard import Bitboard

if TYPE_CHECKING:
    from setwise.corpus.game import write_pgn
    from setwise.corpus.games import Games, read_pgn
    from setwise.corpus.positions import Positions
    from setwise.corpus.scan import scan
    from setwise.corpus.search import find
    from setwise.game import Game
    from setwise.move import Move
    from setwise.position import Position

__version__ = "0.1.0"

__all__ = [
    "Bitboard", "Game", "Games", "Move", "Position", "Positions", "compass", "fills", "find", "islands", "king",
    "knight", "lines", "pawns", "race", "read_pgn", "scan", "sliders", "view", "write_pgn",
]  # fmt: skip

#: Names that bring Arrow and DuckDB with them; they are imported when somebody asks for them.
_LATE = {
    "Games": "corpus.games", "read_pgn": "corpus.games", "Positions": "corpus.positions", "find": "corpus.search",
    "scan": "corpus.scan", "write_pgn": "corpus.game", "Game": "game", "Position": "position", "Move": "move",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LATE:
        value = globals()[name] = getattr(importlib.import_module(f"setwise.{_LATE[name]}"), name)
        return value
    raise AttributeError(f"setwise has no name {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LATE]
