"""Pawn patterns: where pawns move and attack, and the structures that they form.

Own pawns come first, enemy pawns second; own pawns move up the board. For Black's call the pattern's ``for_black``:
``pawns.passed.for_black(black_pawns, white_pawns)``. Everything is a relation of pawns to pawns: other pieces matter
only where an argument names them. Pawns stand on ranks 2 to 7; on the first and last rank they are not pawns, and
what a pattern says about them means nothing.
"""

from __future__ import annotations

# The names stand in the order of the field, from moves to squares, as the pages of the catalogue do.
# isort: off
from setwise.patterns.pawns.moves import (
    single_pushes,
    double_pushes,
    east_attacks,
    west_attacks,
    attacks,
    east_captures,
    west_captures,
    en_passant,
    promotions,
)
from setwise.patterns.pawns.spans import stop, telestop, front_span, rear_span, front_attack_span
from setwise.patterns.pawns.passers import open_pawns, passed, connected_passers, passed_foremost, passed_free
from setwise.patterns.pawns.against import ram, lever, backward, backward_or_rammed, straggler
from setwise.patterns.pawns.candidates import candidate
from setwise.patterns.pawns.structure import (
    doubled,
    stacked,
    isolated,
    half_isolated,
    phalanx,
    supported,
    connected,
    chain_base,
    chain_head,
    hanging_pair,
)
from setwise.patterns.pawns.open_squares import holes, outposts, open_files, half_open_files
# isort: on

__all__ = [
    "attacks",
    "backward",
    "backward_or_rammed",
    "candidate",
    "chain_base",
    "chain_head",
    "connected",
    "connected_passers",
    "double_pushes",
    "doubled",
    "east_attacks",
    "east_captures",
    "en_passant",
    "front_attack_span",
    "front_span",
    "half_isolated",
    "half_open_files",
    "hanging_pair",
    "holes",
    "isolated",
    "lever",
    "open_files",
    "open_pawns",
    "outposts",
    "passed",
    "passed_foremost",
    "passed_free",
    "phalanx",
    "promotions",
    "ram",
    "rear_span",
    "single_pushes",
    "stacked",
    "stop",
    "straggler",
    "supported",
    "telestop",
    "west_attacks",
    "west_captures",
]
