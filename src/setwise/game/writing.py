"""Write games as PGN."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO, Any, TypeAlias

from setwise.game.game import Game
from setwise.game.games import Games
from setwise.system.files import written

__all__ = ["write_pgn"]

#: Where PGN goes: a path, or a file open for text or for bytes.
Target: TypeAlias = str | os.PathLike[str] | IO[Any]


def write_pgn(games: Game | Iterable[Game | Games], target: Target) -> int:
    """Write games as PGN, an empty line after each, and return how many.

    Args:
        games: a game, or an iterable of games or of batches as ``read_pgn`` yields them; its ``notes=True`` keeps
            their comments and NAGs.
        target: a path, which is replaced by a file in UTF-8 (it may be the one that the games are read from), or a file
            open for text or bytes.

    Raises:
        OutputError: when the path cannot be written. After an error, what was written remains as ``NAME.part``.

    Example:
        >>> import io
        >>> from setwise import write_pgn
        >>> from setwise import Game
        >>> file = io.StringIO()
        >>> write_pgn([Game(moves=["e4"]), Game(moves=["d4"])], file)
        2
        >>> file.getvalue().split()[-3:]
        ['1.', 'd4', '*']
    """
    if isinstance(target, str | os.PathLike):
        with written(target) as file:
            file.is_worth_keeping = True
            return write_pgn(games, file)
    takes_text = hasattr(target, "encoding")
    count = 0
    for game in _each(games):
        text = game.pgn() + "\n\n"
        target.write(text if takes_text else text.encode())
        count += 1
    return count


def _each(games: Game | Iterable[Game | Games]) -> Iterator[Game]:
    if isinstance(games, Game):
        yield games
        return
    for item in games:
        yield from [item] if isinstance(item, Game) else item
