"""Exact ends solved backwards: materials, symmetries, and moves into positions, with 64 positions in a word.

Positions are sets (see ``reach``), two for each material: one for each side to move, from the mover's view. At each ply
a pass finds either the positions that have a move to a position that is lost for the other side, or, at the next ply,
the positions that have only moves to positions that the other side has won.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Set, Square, entry, routine
from setwise.compiler.kinds import boolean, reads, uint8, uint64, void, writes
from setwise.patterns import king, knight, pawns
from setwise.patterns.bits import ALL, EIGHT, EMPTY, ONE, PAWN_RANKS, RANK_2, SIXTEEN, bit, lowest, without_lowest
from setwise.patterns.compass import east, west
from setwise.patterns.geometry import BETWEEN
from setwise.patterns.pawns import attacks_down
from setwise.patterns.sliders import (
    bishop_attacks,
    bishops_attacks,
    queen_attacks,
    queens_attacks,
    rook_attacks,
    rooks_attacks,
)

# --------------------------------------------------------------------------------------- materials of up to four pieces


#: The letters of pieces, by the numbers of their kinds; 0 is no piece.
LETTERS = "-PNBRQ"
PAWN = LETTERS.index("P")
#: The most pieces of a material, kings included.
MOST_PIECES = 4


class Piece(NamedTuple):
    """A piece that is not a king: its kind, and its side, 0 for the side that is named first."""

    kind: int
    side: int


class Material(NamedTuple):
    """Two kings and up to two pieces; the stronger side is named first: ``KQKR``."""

    pieces: tuple[Piece, ...]

    @property
    def name(self) -> str:
        """The name, such as ``KQKR``."""
        sides = ("".join(LETTERS[piece.kind] for piece in self.pieces if piece.side == side) for side in (0, 1))
        return "".join(f"K{side}" for side in sides)

    @property
    def has_pawns(self) -> bool:
        """Whether a pawn is among the pieces: then the board can only be mirrored from side to side."""
        return any(piece.kind == PAWN for piece in self.pieces)

    def without(self, at: int) -> tuple[Piece, ...]:
        """Return the pieces that are left after the capture of one."""
        return (*self.pieces[:at], *self.pieces[at + 1 :])

    def needed(self) -> set[Material]:
        """Return the other materials that a capture or a promotion leads to, except kings alone."""
        found = set()
        for at in range(len(self.pieces)):
            for left in (self.pieces, self.without(at)):
                for kinds in itertools.product(*(kinds_after(piece) for piece in left)):
                    found.add(sorted_material(Piece(k, piece.side) for k, piece in zip(kinds, left, strict=True))[0])
        return {material for material in found if material.pieces and material != self}


def kinds_after(piece: Piece) -> tuple[int, ...]:
    """Return the kinds that a piece can have after moves of its own; the first is its kind now."""
    return tuple(range(PAWN, len(LETTERS))) if piece.kind == PAWN else (piece.kind,)


def sorted_material(pieces: Iterable[Piece]) -> tuple[Material, tuple[int, ...], bool]:
    """Return the material of pieces in any order, where each of its pieces was, and whether the sides are exchanged."""
    given = tuple(pieces)
    orders = []
    for exchanged in (False, True):
        seen = [Piece(piece.kind, piece.side ^ exchanged) for piece in given]
        order = tuple(sorted(range(len(seen)), key=lambda k: (seen[k].side, -seen[k].kind)))
        material = Material(tuple(seen[k] for k in order))
        kinds = tuple([-piece.kind for piece in material.pieces if piece.side == side] for side in (0, 1))
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
MATERIALS = {material.name: material for material in _all()}


# --------------------------------------------------------------- what one move reaches, for all positions of a material


#: The kinds of pieces besides the kings, and the kind that means no piece.
NOTHING, PAWN_KIND, KNIGHT, BISHOP, ROOK, QUEEN = (np.uint64(kind) for kind in range(6))

_SQUARES = 64


class _Squares(NamedTuple):
    """The squares of both kings and of the first piece; they are the same for all 64 positions of a word."""

    own_king: Square
    enemy_king: Square
    first: Square


@routine
def _attacks(kind: Any, square: Square, occupied: Set) -> Set:
    """The squares that a piece attacks; it is not a pawn."""
    if kind == KNIGHT:
        return knight.attacks(bit(square))
    if kind == BISHOP:
        return bishop_attacks(square, occupied)
    if kind == ROOK:
        return rook_attacks(square, occupied)
    return queen_attacks(square, occupied)


@routine
def _attacks_of_set(kind: Any, pieces: Set, occupied: Set) -> Set:
    """The squares that the pieces of a set attack; they are not pawns, and do not block each other."""
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
    """Write which positions are possible, and in which positions the mover attacks the enemy king.

    In a possible position no two pieces share a square, the kings are not adjacent, and no pawn is on a last rank.

    Args:
        kind1: the kind of the first piece, 0 for none.
        own1: whether the first piece is the mover's.
        kind2: the kind of the second piece.
        own2: whether the second piece is the mover's.
        placed: takes the sets of positions.
        attacking: takes the positions where the enemy king is attacked.
    """
    for own_king in range(_SQUARES):
        for enemy_king in range(_SQUARES):
            kings, enemy = bit(np.uint64(own_king)) | bit(np.uint64(enemy_king)), bit(np.uint64(enemy_king))
            are_apart = (bit(np.uint64(own_king)) | king.attacks(bit(np.uint64(own_king)))) & enemy == EMPTY
            for square in range(placed.shape[2]):
                first = bit(np.uint64(square)) if kind1 != NOTHING else EMPTY
                occupied = kings | first
                fits = are_apart and first & kings == EMPTY and (kind1 != PAWN_KIND or first & PAWN_RANKS != EMPTY)
                free = ~occupied & (PAWN_RANKS if kind2 == PAWN_KIND else ALL)
                placed[own_king, enemy_king, square] = free if fits else EMPTY
                attacks = EMPTY
                if own1:
                    if kind1 == PAWN_KIND:
                        attacks = ALL if pawns.attacks(first) & enemy != EMPTY else EMPTY
                    elif _attacks(kind1, np.uint64(square), kings) & enemy != EMPTY:
                        attacks = ~BETWEEN[square, enemy_king]
                if own2:
                    if kind2 == PAWN_KIND:
                        attacks |= attacks_down(enemy)
                    else:
                        attacks |= _attacks(kind2, np.uint64(enemy_king), occupied)
                attacking[own_king, enemy_king, square] = attacks


@routine
def _by_king(
    around: Set, at: _Squares, first: Set, own1: Any, own2: Any, same: Any, without1: Any, without2: Any
) -> Set:
    """The squares of the second piece for which some move of the king is good; the king may capture enemy pieces."""
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
    """The squares of the second piece for which a step of the first piece, a pawn, is good."""
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
    """The squares of the second piece for which a move of the first is good; it is not in the way, or is captured."""
    if kind1 == PAWN_KIND:
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
    """The squares of the second piece for which a move of its own is good, found backwards from all good squares."""
    occupied, aims = kings | first, same[at.own_king, at.enemy_king, at.first]
    takes = not own1 and without1[at.own_king, at.enemy_king] & first != EMPTY
    if kind2 == PAWN_KIND:
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
    kind1: Any, own1: Any, kind2: Any, own2: Any, asked: np.ndarray, same: np.ndarray, without1: np.ndarray,
    without2: np.ndarray, refuted: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Write which of the requested positions have a good move: a move into one of the given sets of positions.

    Args:
        kind1: the kind of the first piece, 0 for none.
        own1: whether the first piece is the mover's.
        kind2: the kind of the second piece.
        own2: whether the second piece is the mover's.
        asked: the requested positions.
        same: good positions after a move that captures nothing, from the mover's view.
        without1: good positions after a capture of the first piece: squares of the second, by
            ``[own king, enemy king]``.
        without2: good positions after a capture of the second piece: squares of the first, by
            ``[own king, enemy king]``.
        refuted: squares of an enemy pawn after it has captured en passant, by ``[own king, enemy king]``, where this
            capture makes a double step a bad move.
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


# -------------------------------------------------------------------------------- how every position of a material ends


#: A table holds 1 + plies to mate, which is odd where the mover is mated and even where he mates, or one of these.
DRAWN, ILLEGAL = 0, 255
#: A number that is larger than every number of plies.
_NEVER = 255
_LAST_RANK = slice(56, 64)
_word = np.uint64

#: A function that returns a material's values, ``[view, own king, enemy king, piece …]``; in view 0 the side that is
#: named first is to move.
Tables = Callable[[Material], np.ndarray]


def solved(material: Material, tables: Tables, on_ply: Callable[[], object] = lambda: None) -> np.ndarray:
    """Return the values of all positions of a material.

    Args:
        material: the material.
        tables: returns the values of the materials that captures and promotions lead to.
        on_ply: called before each ply; an error that it raises ends the work.

    Returns:
        Bytes, ``[view, own king, enemy king, piece …]``: in view 0 the side that is named first is to move, in view 1
        the other side; squares are from the mover's view. A byte is 1 + the plies to mate, ``DRAWN`` or ``ILLEGAL``.
    """
    solver = _Solver(material, tables)
    last, ply, idle = solver.last(), 0, 0
    while idle < 2 or ply <= last:
        on_ply()
        ply += 1
        idle = 0 if solver.advance(ply) else idle + 1
    return solver.values.reshape(2, *[64] * (2 + len(material.pieces)))


class _After(NamedTuple):
    """Positions after a move, from the view of the side that made it.

    A number is 1 + plies to mate: from which number on the other side has lost, and up to which number it has not won;
    the latter is 0 for positions that are not legal.
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
        """The better of two results, position by position, for the side that chooses."""
        return _After(np.minimum(self.lost_since, other.lost_since), np.maximum(self.safe_until, other.safe_until))

    def good(self, ply: int) -> np.ndarray:
        """The good positions: at odd plies those that the other side has lost, at even plies those it has not won."""
        return self.lost_since <= ply if ply % 2 else self.safe_until > ply


def _flipped(board: np.ndarray, axis: int) -> np.ndarray:
    """A board with its ranks reversed, along an axis of squares."""
    split = board.reshape(*board.shape[:axis], 8, 8, *board.shape[axis + 1 :])
    return np.flip(split, axis).reshape(board.shape)


def _sets(flags: np.ndarray) -> np.ndarray:
    """Sets of the squares that are flagged along the last axis."""
    return np.packbits(flags, axis=-1, bitorder="little").view(_word)[..., 0]


def _arguments(material: Material, view: int) -> list[Any]:
    """Kind and owner of the first and the second piece, for compiled code; a single piece is the second."""
    pieces = (Piece(0, -1), *material.pieces)[-2:]
    return [argument for piece in pieces for argument in (_word(piece.kind), piece.side == view)]


class _Moves:
    """The moves of one side, and the values of the positions that captures and promotions lead to."""

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
        """The values of other pieces, in the given order, from this side's view."""
        material, order, are_exchanged = sorted_material(pieces)
        values = self.tables(material)[to_move ^ are_exchanged]
        values = values.transpose(0, 1, *(2 + order.index(k) for k in range(len(order))))
        if to_move != self.view:
            values = values.swapaxes(0, 1)
            for axis in range(values.ndim):
                values = _flipped(values, axis)
        return values

    def _promoted(self, pieces: tuple[Piece, ...], at: int) -> _After:
        """The positions after a promotion of one of the pieces, for the squares of its last rank."""
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
        """The positions after a capture that leaves one piece."""
        after = _After.of(self._values(left, 1 - self.view))
        if left == (Piece(PAWN, self.view),):
            for whole, last_rank in zip(after, self._promoted(left, 0), strict=True):
                whole[..., _LAST_RANK] = last_rank
        return after

    def last(self) -> int:
        """The largest number at which a capture or a promotion can decide a position."""
        afters = [it for _, it in self.promotions] + self.captures
        return max(int(np.where(array == _NEVER, 0, array).max()) for it in afters for array in it)

    def reach(self, asked: np.ndarray, same: np.ndarray, ply: int) -> np.ndarray:
        """The requested positions with a good move; ``same`` has this material's good positions, and is changed."""
        for at, after in self.promotions:
            good = after.good(ply)
            if at + 1 < len(self.pieces):
                same[:, :, _LAST_RANK] = _sets(good)
            else:
                same |= np.packbits(good, axis=-1, bitorder="little").reshape(same.shape).astype(_word) << _word(56)
        refuted = np.zeros((64, 64), _word)
        if self.en_passant is not None:  # after a capture en passant, the only pawn belongs to the side that captured
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
        #: Positions that are not decided yet. Mates and stalemates are removed at once.
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
        """Enter the positions that are decided in this number of plies; return whether there are any."""
        reached = [self._reached(view, ply) for view in (0, 1)]
        new = reached if ply % 2 else [open_ & ~safe for open_, safe in zip(self.open, reached, strict=True)]
        for view in (0, 1):
            self._enter(self.won if ply % 2 else self.lost, view, new[view], ply)
        return any(it.any() for it in new)

    def _nothing(self) -> np.ndarray:
        return np.zeros(self.sizes, _word)

    def _reached(self, view: int, ply: int) -> np.ndarray:
        """The open positions with a good move: at odd plies a move that wins, at even plies one that does not lose."""
        other = 1 - view
        good = self.lost[other] if ply % 2 else self.legal[other] & ~self.won[other]
        return self.moves[view].reach(self.open[view], self._seen(good), ply)

    def _seen(self, positions: np.ndarray) -> np.ndarray:
        """The same positions from the other side's view."""
        seen = positions.swapaxes(0, 1)
        for axis in range(1 + self.size):
            seen = _flipped(seen, axis)
        return np.ascontiguousarray(seen.byteswap())

    def _enter(self, decided: list[np.ndarray], view: int, new: np.ndarray, ply: int) -> None:
        decided[view] |= new
        self.open[view] &= ~new
        mark(new, _word(ply + 1), self.values[view])


# -------------------------------------- tables without the positions that a symmetry of the board makes equal to others


_ALL_SQUARES = np.arange(64)
_PAWN_SQUARES = slice(8, 56)


def _symmetries() -> np.ndarray:
    """The eight symmetries of the board, a row of squares each: the first mirrors nothing, the second files a to h."""
    mirrored = np.stack([_ALL_SQUARES, _ALL_SQUARES ^ 7])
    flipped = np.concatenate([mirrored, mirrored ^ 56])
    return np.concatenate([flipped, flipped >> 3 | (flipped & 7) << 3])


_SYMMETRIES = _symmetries()


def _for_kings(kings: np.ndarray, count: int) -> np.ndarray:
    """For each square of a king, the first of some symmetries that moves the king to one of these squares."""
    return np.isin(_SYMMETRIES[:count], kings).argmax(axis=0)


#: The squares that the mover's king can have in a reduced table, without pawns and with pawns.
_KINGS = (
    np.array([rank * 8 + file for rank in range(4) for file in range(rank, 4)]),
    np.flatnonzero(_ALL_SQUARES & 7 < 4),
)
_SYMMETRY = (_for_kings(_KINGS[0], 8), _for_kings(_KINGS[1], 2))


def shape_of(material: Material) -> tuple[int, ...]:
    """Return the shape of a reduced table."""
    sizes = (48 if it.kind == PAWN else 64 for it in material.pieces)
    return 2, len(_KINGS[material.has_pawns]), 64, *sizes


def reduced(material: Material, values: np.ndarray) -> np.ndarray:
    """Return a table of all positions without the positions that a symmetry makes equal to others."""
    pawns = (_PAWN_SQUARES if it.kind == PAWN else slice(None) for it in material.pieces)
    return np.ascontiguousarray(values[(slice(None), _KINGS[material.has_pawns], slice(None), *pawns)])


def whole(material: Material, values: np.ndarray) -> np.ndarray:
    """Return the table of all positions from a reduced table."""
    out = np.full((2, *[64] * (2 + len(material.pieces))), ILLEGAL, np.uint8)
    pawns = tuple(_PAWN_SQUARES if it.kind == PAWN else slice(None) for it in material.pieces)
    for square, symmetry in enumerate(_SYMMETRY[material.has_pawns]):
        squares = _SYMMETRIES[symmetry]
        [slot] = np.flatnonzero(_KINGS[material.has_pawns] == squares[square])
        axes = (squares, *(squares[8:56] - 8 if it.kind == PAWN else squares for it in material.pieces))
        out[(slice(None), square, slice(None), *pawns)] = values[:, slot][(slice(None), *np.ix_(*axes))]
    return out


def places(
    material: Material, views: np.ndarray, own_kings: np.ndarray, others: list[np.ndarray]
) -> tuple[np.ndarray, ...]:
    """Return where positions are in a reduced table.

    Args:
        material: the material.
        views: 0 where the side that is named first is to move, else 1.
        own_kings: the squares of the movers' kings, from the movers' views.
        others: the squares of the other kings, and of each piece.
    """
    symmetries = _SYMMETRY[material.has_pawns][own_kings]
    kings = np.searchsorted(_KINGS[material.has_pawns], _SYMMETRIES[symmetries, own_kings])
    enemy_kings, *squares = (_SYMMETRIES[symmetries, it] for it in others)
    starts = (8 if it.kind == PAWN else 0 for it in material.pieces)
    return views, kings, enemy_kings, *(it - start for it, start in zip(squares, starts, strict=True))
