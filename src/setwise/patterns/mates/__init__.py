"""Mates by name: the pictures that mates leave on the board.

Our side has given mate and moves up the board; the king is the mated one. A pattern says which piece checks, which
pieces take the squares next to the king, and what blocks the others. It assumes that the position is mate: test
`is_checkmate`, too, or use the columns `mate_pattern` and `mate_patterns`, which do. Several names may hold at once.
"""

from __future__ import annotations

# The names stand in the order of the field, as the pages of the catalogue do.
# isort: off
from setwise.patterns.mates.rooks import back_rank, corridor, epaulette, blind_swine, ladder, two_rooks
from setwise.patterns.mates.knights import (
    smothered,
    suffocation,
    anastasia,
    arabian,
    hook,
    vukovic,
    corner,
    knight_and_major,
    stamma,
    legal,
    david_and_goliath,
)
from setwise.patterns.mates.bishops import (
    boden,
    double_bishop,
    opera,
    mayet,
    pillsbury,
    morphy,
    greco,
    reti,
    balestra,
    bishop_and_queen,
    blackburne,
)
from setwise.patterns.mates.queens import (
    dovetail,
    swallowtail,
    kill_box,
    triangle,
    damiano,
    lolli,
    damiano_bishop,
    max_lange,
    diagonal,
    queen_and_king,
    support,
)
# isort: on

__all__ = [
    "anastasia",
    "arabian",
    "back_rank",
    "balestra",
    "bishop_and_queen",
    "blackburne",
    "blind_swine",
    "boden",
    "corner",
    "corridor",
    "damiano",
    "damiano_bishop",
    "david_and_goliath",
    "diagonal",
    "double_bishop",
    "dovetail",
    "epaulette",
    "greco",
    "hook",
    "kill_box",
    "knight_and_major",
    "ladder",
    "legal",
    "lolli",
    "max_lange",
    "mayet",
    "morphy",
    "opera",
    "pillsbury",
    "queen_and_king",
    "reti",
    "smothered",
    "stamma",
    "suffocation",
    "support",
    "swallowtail",
    "triangle",
    "two_rooks",
    "vukovic",
]
