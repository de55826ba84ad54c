"""How every position of a material ends, by working backwards from the mates, a ply at a time.

Positions are sets (see ``reach``), two for a material: one for each side to move, as the mover sees the board. At each
ply one pass asks which positions have a move to a position that is lost for the other side; at the next one, which have
no move to a position that the other side has not won.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise.tablebases.materials import PAWN, Material, Piece, kinds_after, sorted_material
from setwise.tablebases.reach import mark, place, reach

__all__ = ["DRAWN", "ILLEGAL", "Tables", "solved"]

#: What a table holds besides 1 + plies to mate, which is odd where the mover is mated and even where he mates.
DRAWN, ILLEGAL = 0, 255
#: No number of plies is as large.
_NEVER = 255
_LAST_RANK = slice(56, 64)
_word = np.uint64

#: Returns a material's values, ``[view, own king, enemy king, piece …]``; in view 0 the side named first is to move.
Tables = Callable[[Material], np.ndarray]


def solved(material: Material, tables: Tables, on_ply: Callable[[], object] = lambda: None) -> np.ndarray:
    """Return the values of all positions of a material.

    Args:
        material: the material.
        tables: returns the values of the materials that captures and promotions lead to.
        on_ply: called before each ply; an error that it raises ends the work.

    Returns:
        Bytes, ``[view, own king, enemy king, piece …]``: in view 0 the side that is named first is to move, in view 1
        the other one; squares are as the mover sees them. A byte is 1 + the plies to mate, ``DRAWN`` or ``ILLEGAL``.
    """
    solver = _Solver(material, tables)
    last, ply, idle = solver.last(), 0, 0
    while idle < 2 or ply <= last:
        on_ply()
        ply += 1
        idle = 0 if solver.advance(ply) else idle + 1
    return solver.values.reshape(2, *[64] * (2 + len(material.pieces)))


class _After(NamedTuple):
    """Positions after a move, as the one who made it sees them.

    A number is 1 + plies to mate: where the other side is lost since then, and until where it has not won, 0 for
    positions that are not legal.
    """

    lost_since: np.ndarray
    safe_until: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> _After:
        is_lost, is_legal = values & 1 == 1, values != ILLEGAL
        is_won = (values != DRAWN) & ~is_lost
        return cls(
            np.where(is_lost & is_legal, values, np.uint8(_NEVER)),
            np.where(is_legal, np.where(is_won, values, np.uint8(_NEVER)), np.uint8(0)),
        )

    def or_else(self, other: _After) -> _After:
        """The better one for the side that chooses."""
        return _After(np.minimum(self.lost_since, other.lost_since), np.maximum(self.safe_until, other.safe_until))

    def good(self, ply: int) -> np.ndarray:
        """What the mover reaches: at odd plies what is lost for the other side, at even ones what it has not won."""
        return self.lost_since <= ply if ply % 2 else self.safe_until > ply


def _flipped(board: np.ndarray, axis: int) -> np.ndarray:
    """The ranks in the other order, along an axis of squares."""
    split = board.reshape(*board.shape[:axis], 8, 8, *board.shape[axis + 1 :])
    return np.flip(split, axis).reshape(board.shape)


def _sets(flags: np.ndarray) -> np.ndarray:
    """Sets of the squares that are flagged along the last axis."""
    return np.packbits(flags, axis=-1, bitorder="little").view(_word)[..., 0]


def _arguments(material: Material, view: int) -> list[Any]:
    """The pieces as compiled code takes them: kind and owner of the first, none if there is one, and of the second."""
    pieces = (Piece(0, -1), *material.pieces)[-2:]
    return [argument for it in pieces for argument in (_word(it.kind), it.side == view)]


class _Moves:
    """The moves of one side, and where those lead that capture or promote."""

    def __init__(self, material: Material, view: int, tables: Tables, kings: np.ndarray) -> None:
        self.pieces, self.view, self.tables = material.pieces, view, tables
        self.arguments = _arguments(material, view)
        self.promotions = [
            (at, self._promoted(self.pieces, at)) for at, it in enumerate(self.pieces) if it == Piece(PAWN, view)
        ]
        if len(self.pieces) == 2:
            self.captures = [self._taken(material.without(at)) for at in (0, 1)]
        else:
            lone_kings = np.where(kings[..., None], np.uint8(DRAWN), np.uint8(ILLEGAL))
            self.captures = [_After.of(np.repeat(lone_kings, 64, axis=2))] * 2
        self.en_passant = None
        if {*self.pieces} == {Piece(PAWN, 0), Piece(PAWN, 1)}:
            self.en_passant = _After.of(self._values((Piece(PAWN, 1 - view),), view))

    def _values(self, pieces: tuple[Piece, ...], to_move: int) -> np.ndarray:
        """The values of other pieces in their order, as this side sees the board."""
        material, order, are_exchanged = sorted_material(pieces)
        values = self.tables(material)[to_move ^ are_exchanged]
        values = values.transpose(0, 1, *(2 + order.index(k) for k in range(len(order))))
        if to_move != self.view:
            values = values.swapaxes(0, 1)
            for axis in range(values.ndim):
                values = _flipped(values, axis)
        return values

    def _promoted(self, pieces: tuple[Piece, ...], at: int) -> _After:
        """After a promotion of one of the pieces, on the last rank of its axis."""
        afters = []
        for kind in kinds_after(pieces[at])[1:]:
            now = (*pieces[:at], Piece(kind, self.view), *pieces[at + 1 :])
            values = self._values(now, 1 - self.view)
            afters.append(_After.of(values[(*[slice(None)] * (2 + at), _LAST_RANK)]))
        best = afters[0]
        for it in afters[1:]:
            best = best.or_else(it)
        return best

    def _taken(self, left: tuple[Piece, ...]) -> _After:
        """After a capture that leaves one piece."""
        after = _After.of(self._values(left, 1 - self.view))
        if left == (Piece(PAWN, self.view),):
            for whole, last_rank in zip(after, self._promoted(left, 0), strict=True):
                whole[..., _LAST_RANK] = last_rank
        return after

    def last(self) -> int:
        """The largest number that decides about a capture or a promotion."""
        afters = [it for _, it in self.promotions] + self.captures
        return max(int(np.where(array == _NEVER, 0, array).max()) for it in afters for array in it)

    def reach(self, asked: np.ndarray, same: np.ndarray, ply: int) -> np.ndarray:
        """Those asked for that have a good move; ``same`` are the good positions of this material, and is changed."""
        for at, after in self.promotions:
            good = after.good(ply)
            if at + 1 < len(self.pieces):
                same[:, :, _LAST_RANK] = _sets(good)
            else:
                same |= np.packbits(good, axis=-1, bitorder="little").reshape(same.shape).astype(_word) << _word(56)
        refuted = np.zeros((64, 64), _word)
        if self.en_passant is not None:  # the side that takes en passant is left with the only pawn
            is_legal = self.en_passant.safe_until > 0
            refuted = _sets(is_legal if ply % 2 else self.en_passant.lost_since < ply)
        out = np.empty_like(asked)
        reach(*self.arguments, asked, same, *(_sets(it.good(ply)) for it in self.captures), refuted, out)
        return out


class _Solver:
    """The sets of positions that are decided, grown a ply at a time."""

    def __init__(self, material: Material, tables: Tables) -> None:
        self.size = len(material.pieces)
        self.sizes = (64, 64, 64 if self.size == 2 else 1)
        self.values = np.zeros((2, *self.sizes, 64), np.uint8)
        placed, attacking = ([self._nothing(), self._nothing()] for _ in range(2))
        for view in (0, 1):
            place(*_arguments(material, view), placed[view], attacking[view])
        self.legal = [one & ~other for one, other in zip(placed, attacking, strict=True)]
        kings = placed[0].max(axis=2) != 0
        self.moves = [_Moves(material, view, tables, kings) for view in (0, 1)]
        self.won, self.lost = ([self._nothing(), self._nothing()] for _ in range(2))
        #: Positions that may still be decided. Mate and stalemate leave them at once.
        self.open = [it.copy() for it in self.legal]
        stuck = [self.legal[view] & ~self._reached(view, 0) for view in (0, 1)]
        for view in (0, 1):
            mark(~self.legal[view], _word(ILLEGAL), self.values[view])
            self._enter(self.lost, view, stuck[view] & self._seen(attacking[1 - view]), 0)
            self.open[view] &= ~stuck[view]

    def last(self) -> int:
        """The last ply at which another material can decide a position."""
        return max(it.last() for it in self.moves)

    def advance(self, ply: int) -> bool:
        """Enter what is decided in this number of plies; return whether anything is."""
        reached = [self._reached(view, ply) for view in (0, 1)]
        new = reached if ply % 2 else [open_ & ~safe for open_, safe in zip(self.open, reached, strict=True)]
        for view in (0, 1):
            self._enter(self.won if ply % 2 else self.lost, view, new[view], ply)
        return any(it.any() for it in new)

    def _nothing(self) -> np.ndarray:
        return np.zeros(self.sizes, _word)

    def _reached(self, view: int, ply: int) -> np.ndarray:
        """The open positions with a good move: at odd plies one that wins, at even ones one that does not lose."""
        other = 1 - view
        good = self.lost[other] if ply % 2 else self.legal[other] & ~self.won[other]
        return self.moves[view].reach(self.open[view], self._seen(good), ply)

    def _seen(self, positions: np.ndarray) -> np.ndarray:
        """The same positions as the other side sees them."""
        seen = positions.swapaxes(0, 1)
        for axis in range(1 + self.size):
            seen = _flipped(seen, axis)
        return np.ascontiguousarray(seen.byteswap())

    def _enter(self, decided: list[np.ndarray], view: int, new: np.ndarray, ply: int) -> None:
        decided[view] |= new
        self.open[view] &= ~new
        mark(new, _word(ply + 1), self.values[view])
