"""The numbered starting positions of Chess960."""

from __future__ import annotations

import re
from itertools import combinations

__all__ = ["first_rank", "names_rooks"]

#: Castling letters that are files of rooks, not sides.
_FILES_OF_ROOKS = re.compile(r"\S+\s+[wb]\s+[KQkq]*[A-HJa-hj]")


def names_rooks(fen: str) -> bool:
    """Return whether a FEN names the rooks that may castle by their files, as Shredder-FEN does.

    Example:
        >>> names_rooks("rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1"), names_rooks("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        (True, False)
    """
    return _FILES_OF_ROOKS.match(fen) is not None


def first_rank(number: int) -> str:
    """Return Black's pieces of a starting position from the a-file to the h-file, as a FEN writes them.

    Args:
        number: which, 0 to 959.

    Example:
        >>> first_rank(518)
        'rnbqkbnr'

    Source:
        Wikipedia, "Fischer random chess numbering scheme", the direct derivation.
    """
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    pieces = {2 * light + 1: "b", 2 * dark: "b"}
    free = [file for file in range(8) if file not in pieces]
    pieces[free.pop(queen)] = "q"
    first, second = list(combinations(free, 2))[knights]
    pieces |= {first: "n", second: "n"}
    pieces |= zip((file for file in free if file not in pieces), "rkr", strict=True)
    return "".join(pieces[file] for file in range(8))
