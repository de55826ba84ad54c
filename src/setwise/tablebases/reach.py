"""What one move reaches, for all positions of a material: 64 of them in each word.

A position of up to four pieces is the kings' squares, the square of a first piece, and a bit in a word, the square of a
second one. An array of words indexed ``[own king, enemy king, first piece]`` is a set of positions, as the mover sees
them: he moves up the board. Where the material is three pieces, the index of the first one is 0.

A pawn is never on the last rank. There such an array holds the positions after the promotion, whatever it was to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Set, Square, entry, routine
from setwise.compiler.signatures import boolean, reads, uint8, uint64, void, writes
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import ALL, EIGHT, EMPTY, ONE, PAWN_RANKS, RANK_2, SIXTEEN, bit, lowest, without_lowest
from setwise.patterns.compass import east, west
from setwise.patterns.geometry import BETWEEN
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import (
    bishop_attacks,
    bishops_attacks,
    queen_attacks,
    queens_attacks,
    rook_attacks,
    rooks_attacks,
)

__all__ = ["BISHOP", "KNIGHT", "NOTHING", "PAWN", "QUEEN", "ROOK", "mark", "place", "reach"]

#: The kinds of pieces beside the kings, and that of no piece.
NOTHING, PAWN, KNIGHT, BISHOP, ROOK, QUEEN = (np.uint64(kind) for kind in range(6))

_SQUARES = 64


class _Squares(NamedTuple):
    """The squares of a word: of both kings and of the first piece."""

    own_king: Square
    enemy_king: Square
    first: Square


@routine
def _attacks(kind: Any, square: Square, occupied: Set) -> Set:
    """What a piece attacks; no pawn."""
    if kind == KNIGHT:
        return knight.attacks(bit(square))
    if kind == BISHOP:
        return bishop_attacks(square, occupied)
    if kind == ROOK:
        return rook_attacks(square, occupied)
    return queen_attacks(square, occupied)


@routine
def _attacks_of_set(kind: Any, pieces: Set, occupied: Set) -> Set:
    """What the pieces of a set attack; no pawns. No piece of the set stands in the way."""
    if kind == KNIGHT:
        return knight.attacks(pieces)
    if kind == BISHOP:
        return bishops_attacks(pieces, occupied)
    if kind == ROOK:
        return rooks_attacks(pieces, occupied)
    return queens_attacks(pieces, occupied)


_MATERIAL = (uint64, boolean, uint64, boolean)


@entry(void, *_MATERIAL, writes(uint64, 3), writes(uint64, 3))
def place(kind1: Any, own1: Any, kind2: Any, own2: Any, placed: np.ndarray, attacking: np.ndarray) -> None:
    """Write where the pieces can stand, kings apart, and where the mover attacks the enemy king.

    Args:
        kind1: the kind of the first piece, 0 for none.
        own1: whether it is the mover's.
        kind2: the kind of the second piece.
        own2: whether it is the mover's.
        placed: takes the sets of positions.
        attacking: takes those where the enemy king is attacked.
    """
    for own_king in range(_SQUARES):
        for enemy_king in range(_SQUARES):
            kings, enemy = bit(np.uint64(own_king)) | bit(np.uint64(enemy_king)), bit(np.uint64(enemy_king))
            are_apart = (bit(np.uint64(own_king)) | king.attacks(bit(np.uint64(own_king)))) & enemy == EMPTY
            for square in range(placed.shape[2]):
                first = bit(np.uint64(square)) if kind1 != NOTHING else EMPTY
                occupied = kings | first
                fits = are_apart and first & kings == EMPTY and (kind1 != PAWN or first & PAWN_RANKS != EMPTY)
                free = ~occupied & (PAWN_RANKS if kind2 == PAWN else ALL)
                placed[own_king, enemy_king, square] = free if fits else EMPTY
                attacks = EMPTY
                if own1:
                    if kind1 == PAWN:
                        attacks = ALL if pawns.attacks(first) & enemy != EMPTY else EMPTY
                    elif _attacks(kind1, np.uint64(square), kings) & enemy != EMPTY:
                        attacks = ~BETWEEN[square, enemy_king]
                if own2:
                    if kind2 == PAWN:
                        attacks |= attacks_down(enemy)
                    else:
                        attacks |= _attacks(kind2, np.uint64(enemy_king), occupied)
                attacking[own_king, enemy_king, square] = attacks


@routine
def _by_king(
    around: Set, at: _Squares, first: Set, own1: Any, own2: Any, same: Any, without1: Any, without2: Any
) -> Set:
    """Where the second piece stands if a move of the king is good; he takes what is not his."""
    found = EMPTY
    targets = around & ~first
    while targets != EMPTY:
        target = lowest(targets)
        found |= same[target, at.enemy_king, at.first]
        if not own2 and without2[target, at.enemy_king] >> at.first & ONE != EMPTY:
            found |= bit(target)
        targets = without_lowest(targets)
    if not own1 and around & first != EMPTY:
        found |= without1[at.first, at.enemy_king]
    return found


@routine
def _by_first_pawn(at: _Squares, occupied: Set, same: Any, refuted: Any) -> Set:
    """Where the second piece stands if a step of the first one is good, which is a pawn."""
    found, step = EMPTY, at.first + EIGHT
    if bit(step) & occupied == EMPTY:
        found = same[at.own_king, at.enemy_king, step]
        double = step + EIGHT
        if bit(at.first) & RANK_2 != EMPTY and bit(double) & occupied == EMPTY:
            good = same[at.own_king, at.enemy_king, double] & ~bit(step)
            if refuted[at.own_king, at.enemy_king] >> step & ONE != EMPTY:
                good &= ~(east(bit(double)) | west(bit(double)))
            found |= good
    return found


@routine
def _by_first(kind1: Any, at: _Squares, kings: Set, own2: Any, same: Any, without2: Any, refuted: Any) -> Set:
    """Where the second piece stands if a move of the first one is good: not between, or on a square where it falls."""
    if kind1 == PAWN:
        targets = pawns.attacks(bit(at.first))
        found = _by_first_pawn(at, kings | bit(at.first), same, refuted)
    else:
        targets = _attacks(kind1, at.first, kings) & ~kings
        left, found = targets, EMPTY
        while left != EMPTY:
            target = lowest(left)
            found |= same[at.own_king, at.enemy_king, target] & ~BETWEEN[at.first, target]
            left = without_lowest(left)
    return found if own2 else found | targets & without2[at.own_king, at.enemy_king]


@routine
def _by_second(
    kind2: Any, at: _Squares, kings: Set, first: Set, own1: Any, same: Any, without1: Any, refuted: Any
) -> Set:
    """Where the second piece stands if a move of its own is good: backwards from all good squares at once."""
    occupied, aims = kings | first, same[at.own_king, at.enemy_king, at.first]
    takes = not own1 and without1[at.own_king, at.enemy_king] & first != EMPTY
    if kind2 == PAWN:
        beside = east(first) | west(first)
        doubles = aims & ~(beside & refuted[at.own_king, at.enemy_king] << EIGHT)
        found = aims >> EIGHT | doubles >> SIXTEEN & RANK_2 & ~(occupied >> EIGHT)
        return found | attacks_down(first) if takes else found
    found = _attacks_of_set(kind2, aims, occupied)
    return found | _attacks(kind2, at.first, kings) if takes else found


@entry(
    void, *_MATERIAL, reads(uint64, 3), reads(uint64, 3), reads(uint64, 2), reads(uint64, 2), reads(uint64, 2),
    writes(uint64, 3),
)  # fmt: skip
def reach(
    kind1: Any,
    own1: Any,
    kind2: Any,
    own2: Any,
    asked: np.ndarray,
    same: np.ndarray,
    without1: np.ndarray,
    without2: np.ndarray,
    refuted: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write which of the positions asked for have a move into the sets of positions given.

    Args:
        kind1: the kind of the first piece, 0 for none.
        own1: whether it is the mover's.
        kind2: the kind of the second piece.
        own2: whether it is the mover's.
        asked: the positions that are asked for.
        same: positions after a move that captures nothing, as the mover sees them.
        without1: those after a capture of the first piece, ``[own king, enemy king]``, the second one's squares.
        without2: those after a capture of the second piece, ``[own king, enemy king]``, the first one's squares.
        refuted: ``[own king, enemy king]``, a pawn's squares: where an enemy pawn that has come there by taking en
            passant makes the double step no good move.
        out: takes the positions that have such a move.
    """
    for k in range(_SQUARES):
        for m in range(_SQUARES):
            own_king, enemy_king = np.uint64(k), np.uint64(m)
            kings = bit(own_king) | bit(enemy_king)
            around = king.attacks(bit(own_king)) & ~bit(enemy_king)
            for n in range(asked.shape[2]):
                found: Any = EMPTY
                if asked[k, m, n] != EMPTY:
                    at = _Squares(own_king, enemy_king, np.uint64(n))
                    first = bit(at.first) if kind1 != NOTHING else EMPTY
                    found = _by_king(around, at, first, own1, own2, same, without1, without2)
                    if own1:
                        found |= _by_first(kind1, at, kings, own2, same, without2, refuted)
                    if own2:
                        found |= _by_second(kind2, at, kings, first, own1, same, without1, refuted)
                out[k, m, n] = found & asked[k, m, n]


@entry(void, reads(uint64, 3), uint64, writes(uint8, 4))
def mark(positions: np.ndarray, value: Any, out: np.ndarray) -> None:
    """Write a value for each position of a set."""
    for k in range(_SQUARES):
        for m in range(_SQUARES):
            for n in range(positions.shape[2]):
                left = positions[k, m, n]
                while left != EMPTY:
                    out[k, m, n, lowest(left)] = value
                    left = without_lowest(left)
