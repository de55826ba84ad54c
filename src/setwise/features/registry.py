"""The registry of features: a pattern applied to a whole position, for one side.

A feature is written once, for the side that plays up the board, and becomes the columns ``white_NAME``,
``black_NAME``, ``own_NAME`` (the mover's) and ``enemy_NAME``, the argument of ``Position.feature`` and of the command
``show``, and an entry of the catalogue. Defining it with ``@feature`` registers it everywhere.
"""

from __future__ import annotations

import functools
import importlib
from collections import UserDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints, overload

from setwise.compiler import Flag, Pattern, Set, byteswap, popcount, routine
from setwise.compiler.kinds import Word_co
from setwise.errors import QueryError, did_you_mean
from setwise.patterns import king, knight, lines, pawns, sliders
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_6
from setwise.patterns.pawns import attacks_down
from setwise.rules.board import Board, attackers, king_square, mirrored

if TYPE_CHECKING:
    import numpy as np


# --------------------------------------------------- A position as one side sees it, and the attacks that features need


class Side(NamedTuple):
    """A position from one side's view, playing up the board: the ten words of a Board, and whether the side is to move.

    The words are the own pieces, the enemy pieces, all pawns, all knights and so on; the rooks of both sides that may
    still castle; and the square that a pawn of either side has just passed.
    """

    own: Set
    enemy: Set
    pawns: Set
    knights: Set
    bishops: Set
    rooks: Set
    queens: Set
    kings: Set
    castling: Set
    en_passant: Set
    to_move: Flag


@routine
def pieces_attacks(side: Side | Board, pieces: Set, occupied: Set) -> Set:
    """All squares that these pieces of either side attack; pawns are left out."""
    return (
        knight.attacks(pieces & side.knights)
        | king.attacks(pieces & side.kings)
        | sliders.bishops_attacks(pieces & (side.bishops | side.queens), occupied)
        | sliders.rooks_attacks(pieces & (side.rooks | side.queens), occupied)
    )


@routine
def own_attacks(side: Side | Board, pieces: Set, occupied: Set) -> Set:
    """All squares that these own pieces attack."""
    return pawns.attacks(pieces & side.pawns) | pieces_attacks(side, pieces, occupied)


@routine
def enemy_attacks(side: Side | Board, pieces: Set, occupied: Set) -> Set:
    """All squares that these enemy pieces attack."""
    return attacks_down(pieces & side.pawns) | pieces_attacks(side, pieces, occupied)


@routine
def other_side(side: Side) -> Side:
    """The same position from the other side's view."""
    return Side(
        byteswap(side.enemy), byteswap(side.own), byteswap(side.pawns), byteswap(side.knights), byteswap(side.bishops),
        byteswap(side.rooks), byteswap(side.queens), byteswap(side.kings), byteswap(side.castling),
        byteswap(side.en_passant), side.to_move ^ ONE,
    )  # fmt: skip


@routine
def mover(side: Side) -> Board:
    """The board with this side to move, even if it is the other's turn; en passant only if it is this side's turn."""
    pushed = side.enemy & side.pawns & ~((side.own | side.enemy) >> EIGHT)
    passed = side.en_passant & RANK_6 & pushed << EIGHT if side.to_move != EMPTY else EMPTY
    return Board(
        side.own, side.enemy, side.pawns, side.knights, side.bishops, side.rooks, side.queens, side.kings,
        side.castling, passed,
    )  # fmt: skip


@routine
def is_ready(board: Board) -> bool:
    """Whether the mover can move: each side has one king, and the enemy king is not in check."""
    if popcount(board.own & board.kings) != ONE or popcount(board.enemy & board.kings) != ONE:
        return False
    other = mirrored(board)
    return attackers(other, king_square(other), other.own | other.enemy) == EMPTY


@routine
def between(side: Side, fronts: Set, behind: Set) -> Set:
    """The pieces of ``fronts`` that are the only piece between an own slider and a piece of ``behind``."""
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    return lines.pinned(behind, fronts, side.own & orthogonal, side.own & diagonal, side.own | side.enemy)


# --------------------------------------------------------------------------------------------- the registry of features


#: The sides that a column can be about, with their names in meanings: the colours, the mover, the other side.
SIDES = {"white": "White", "black": "Black", "own": "the side to move", "enemy": "the side not to move"}
COLOURS = ("white", "black")

#: The module of each feature, in the order of definition. Each line of the file has a module and its features;
#: ``tests/test_project.py`` writes it.
MODULES = {
    name: module
    for module, *names in map(str.split, Path(__file__).with_name("modules.tsv").read_text("utf-8").splitlines())
    for name in names
}


class Feature(Pattern[[Set, Set, Set, Set, Set, Set, Set, Set, Set, Set, Flag], Word_co]):
    """A pattern on the words of a :class:`Side`; see :func:`feature`."""

    def __init__(self, definition: Callable[..., Any], body: Any) -> None:
        def columns(
            own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set,
            castling: Set, en_passant: Set, to_move: Flag,
        ) -> Any:  # fmt: skip
            return body(Side(own, enemy, pawns, knights, bishops, rooks, queens, kings, castling, en_passant, to_move))

        columns.__module__, columns.__doc__ = definition.__module__, definition.__doc__
        columns.__name__ = columns.__qualname__ = definition.__name__
        columns.__annotations__["return"] = get_type_hints(definition, include_extras=True)["return"]
        super().__init__(columns)
        self.definition = definition


class _Features(UserDict[str, Feature]):
    """All features by name, in the order of their definition; this package's are imported when they are looked up."""

    def __missing__(self, name: str) -> Feature:
        if name not in MODULES:
            raise KeyError(name)
        importlib.import_module(f"{__package__}.{MODULES[name]}")
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        return name in self.data or name in MODULES

    def __iter__(self) -> Iterator[str]:
        return iter({**MODULES, **self.data})

    def __len__(self) -> int:
        return len({**MODULES, **self.data})

    def clear(self) -> None:
        """Forget the features that were imported, and users' features."""
        self.data.clear()

    def enter(self, name: str, feature: Feature) -> None:
        """Enter a definition; a user's feature replaces this package's, even if this package's is imported later."""
        if feature.definition.__module__.startswith("setwise."):
            self.data.setdefault(name, feature)
        else:
            self.data[name] = feature


FEATURES = _Features()


@overload
def feature(definition: Callable[[Side], np.uint64 | Word_co]) -> Feature[Word_co]: ...


@overload
def feature(
    *, among: Callable[..., Any]
) -> Callable[[Callable[[Side, Set], np.uint64 | Word_co]], Feature[Word_co]]: ...


def feature(definition: Callable[..., Any] | None = None, *, among: Callable[..., Any] | None = None) -> Any:
    """Register a definition that takes a :class:`Side` and returns a set, a count, a fileset or a flag.

    A definition that must make moves names its candidates: ``among`` is a routine without branches that computes, for
    many positions at a time, all squares that can be in the result. The definition is called only for positions with
    candidates, with the side and these squares.
    """
    if definition is None:
        return functools.partial(feature, among=among)
    body = routine(definition)
    registered: Feature = Feature(definition, _two_stages(among, body) if among else body)
    FEATURES.enter(definition.__name__, registered)
    if among:
        registered.stages = _columns_of(among), _columns_of(body)
    return registered


def _two_stages(among: Any, body: Any) -> Any:
    """Both stages of a definition as one routine."""

    @routine
    def in_two_stages(side: Side) -> Set:
        squares = among(side)
        return body(side, squares) if squares != EMPTY else EMPTY

    return in_two_stages


def _columns_of(body: Any) -> Any:
    """A stage of a definition as a routine whose arguments are the words of a side, and further arguments."""

    @routine
    def columns(
        own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set,
        castling: Set, en_passant: Set, to_move: Flag, *more: Any,
    ) -> Any:  # fmt: skip
        return body(
            Side(own, enemy, pawns, knights, bishops, rooks, queens, kings, castling, en_passant, to_move), *more
        )

    return columns


def named(name: str) -> Feature:
    """Return a feature by name. Raises ``QueryError`` for an unknown name; the message has the most similar names."""
    try:
        return FEATURES[name]
    except KeyError:
        raise QueryError(f"there is no feature {name!r:.40}{did_you_mean(name, FEATURES)}") from None


def one_sided(column: str) -> tuple[Feature, str]:
    """Return the feature of a column such as ``white_NAME``, and its side, one of ``SIDES``.

    Raises ``QueryError`` for an unknown name; the message has the most similar names.
    """
    side, _, name = column.partition("_")
    if side not in SIDES:
        near = did_you_mean(column, _columns())
        raise QueryError(f"a feature's column is {', '.join(f'{it}_…' for it in SIDES)}, not {column!r:.40}{near}")
    return named(name), side


def _columns() -> list[str]:
    return [f"{side}_{name}" for name in FEATURES for side in SIDES]
