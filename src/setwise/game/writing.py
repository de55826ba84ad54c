"""Games are written as PGN; and what a path answers to whoever writes there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

from setwise.errors import OutputError
from setwise.game.game import Game
from setwise.game.games import Games

__all__ = ["write_pgn", "writes_to"]

#: Where PGN goes: a path, or a file open for text or for bytes.
Target: TypeAlias = str | os.PathLike[str] | IO[Any]


@contextmanager
def writes_to(path: Path) -> Iterator[None]:
    """Turn what the system says about a path into one sentence."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(f"{path} cannot be written: {reason}") from None


def write_pgn(games: Game | Iterable[Game | Games], target: Target) -> int:
    """Write games as PGN, an empty line after each, and return how many.

    Args:
        games: a game, or an iterable of games or of batches as ``read_pgn`` yields them; its ``notes=True`` keeps
            their comments and NAGs.
        target: a path, which is written anew in UTF-8 (it may be the one that the games are read from), or a file
            open for text or bytes.

    Raises:
        OutputError: when the path cannot be written. What was written when an error came up stays, beside an older file
            of this name as ``NAME.part``.

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
        path = Path(target)
        final = path.resolve()
        # Under another name until all is written: the games may still be on their way out of the very same file.
        part = final.with_name(f"{final.name}.part") if final.is_file() else final
        with writes_to(path):
            with part.open("w", encoding="utf-8", newline="\n") as file:
                written = write_pgn(games, file)
            if part != final:
                part.replace(final)
        return written
    takes_text = hasattr(target, "encoding")
    written = 0
    for game in _each(games):
        text = game.pgn() + "\n\n"
        target.write(text if takes_text else text.encode())
        written += 1
    return written


def _each(games: Game | Iterable[Game | Games]) -> Iterator[Game]:
    if isinstance(games, Game):
        yield games
        return
    for item in games:
        yield from [item] if isinstance(item, Game) else item
