"""Legal moves as sets: checks, pins, the squares that a king must not enter, and how many moves a side has.

Two rays go along every line: one from our king outwards, one from an enemy rook, bishop or queen. Each ends at the
first piece. Where the two meet says which pieces are pinned and how a check can be answered::

    8 . . . r . . . .      8 . . . r . . . .      8 . . . r . . . .
    7 . . . ↓ . . . .      7 . . . * . . . .      7 . . . ↓ . . . .
    6 . . . ↓ . . . .      6 . . . * . . . .      6 . . . p . . . .
    5 . . . N . . . .      5 . . . * . . . .      5 . . . N . . . .
    4 . . . ↑ . . . .      4 . . . * . . . .      4 . . . ↑ . . . .
    3 . . . K . . . .      3 . . . K . . . .      3 . . . K . . . .
      they meet on a         they meet on           they do not meet:
      piece of ours: it        empty squares:         two pieces or more
      is pinned, and         it is check, and       stand between
      may move along         can be blocked
      this line only         on these squares

No move is made to see whether it is legal, and so none is unmade and no set is updated incrementally: legality follows
from the sets of the position alone. There is no loop over pieces and no branch, so that in arrays eight positions at a
time go through one 512-bit register, a position in each lane. For one position alone it is quicker to go from piece to
piece (``rules.generate``).
"""

from __future__ import annotations

import warnings
from typing import Any

from setwise.patterns.moves.legal import attacked, castling_rooks, check_mask, checkers, legal_move_count

__all__ = ["attacked", "castling_rooks", "check_mask", "checkers", "legal_move_count"]

#: Patterns by the names that they had before; these go with the next release.
FORMER = {"moves.danger": attacked, "moves.targets": check_mask}


def __getattr__(name: str) -> Any:
    """Return a pattern by its former name, with a warning."""
    pattern = FORMER.get(f"moves.{name}")
    if pattern is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"moves.{name} is now called {pattern.name}", DeprecationWarning, stacklevel=2)
    return pattern
