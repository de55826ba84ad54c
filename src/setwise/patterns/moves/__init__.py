"""Legal moves as sets: checks, pins, the squares that a king must shun, and how many moves a side has.

Two looks go along every line: one from our king outwards, one from the enemy's rooks, bishops and queens. Each ends at
the first piece. What the two have in common tells all that a king's safety asks of the pieces around it::

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

No piece is asked for by itself and nothing branches, so that in arrays eight positions at a time go through one 512-bit
register, a position in each lane. For one position alone it is quicker to go from piece to piece (``rules.generate``).
"""

from __future__ import annotations

from setwise.patterns.moves.legal import castling_rooks, checkers, danger, legal_move_count, targets

__all__ = ["castling_rooks", "checkers", "danger", "legal_move_count", "targets"]
