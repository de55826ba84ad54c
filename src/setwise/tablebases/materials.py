"""Materials of up to four pieces: their names, and which ones captures and promotions lead to."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["LETTERS", "MATERIALS", "MOST_PIECES", "PAWN", "Material", "Piece", "kinds_after", "sorted_material"]

#: The letters of pieces, by the numbers of their kinds; 0 is no piece.
LETTERS = "-PNBRQ"
PAWN = LETTERS.index("P")
#: The most pieces of a material, kings included.
MOST_PIECES = 4


class Piece(NamedTuple):
    """A piece that is no king: its kind, and its side, 0 for the side that is named first."""

    kind: int
    side: int


class Material(NamedTuple):
    """Two kings and up to two pieces, the stronger side's first: ``KQKR``."""

    pieces: tuple[Piece, ...]

    @property
    def name(self) -> str:
        """The name, such as ``KQKR``."""
        sides = ("".join(LETTERS[it.kind] for it in self.pieces if it.side == side) for side in (0, 1))
        return "".join(f"K{side}" for side in sides)

    @property
    def has_pawns(self) -> bool:
        """Whether a pawn is among the pieces: then the board can only be mirrored from side to side."""
        return any(it.kind == PAWN for it in self.pieces)

    def without(self, at: int) -> tuple[Piece, ...]:
        """Return the pieces that a capture of one leaves."""
        return (*self.pieces[:at], *self.pieces[at + 1 :])

    def needed(self) -> set[Material]:
        """Return the other materials that a capture or a promotion leads to, except kings alone."""
        found = set()
        for at in range(len(self.pieces)):
            for left in (self.pieces, self.without(at)):
                for kinds in itertools.product(*(kinds_after(it) for it in left)):
                    found.add(sorted_material(Piece(k, it.side) for k, it in zip(kinds, left, strict=True))[0])
        return {it for it in found if it.pieces and it != self}


def kinds_after(piece: Piece) -> tuple[int, ...]:
    """Return the kinds that a piece can have after moves of its own, first the one it has."""
    return tuple(range(PAWN, len(LETTERS))) if piece.kind == PAWN else (piece.kind,)


def sorted_material(pieces: Iterable[Piece]) -> tuple[Material, tuple[int, ...], bool]:
    """Return the material of pieces in any order, where each of its pieces was, and whether the sides are exchanged."""
    given = tuple(pieces)
    orders = []
    for exchanged in (False, True):
        seen = [Piece(it.kind, it.side ^ exchanged) for it in given]
        order = tuple(sorted(range(len(seen)), key=lambda k: (seen[k].side, -seen[k].kind)))
        material = Material(tuple(seen[k] for k in order))
        kinds = tuple([-it.kind for it in material.pieces if it.side == side] for side in (0, 1))
        orders.append(((-len(kinds[0]), kinds), material, order, exchanged))
    _, material, order, exchanged = min(orders, key=lambda it: it[0])
    return material, order, exchanged


def _all() -> Iterator[Material]:
    kinds = range(len(LETTERS) - 1, 0, -1)
    for kind in kinds:
        yield Material((Piece(kind, 0),))
    for first, second in itertools.combinations_with_replacement(kinds, 2):
        for side in (0, 1):
            yield Material((Piece(first, 0), Piece(second, side)))


#: All materials by name.
MATERIALS = {it.name: it for it in _all()}
