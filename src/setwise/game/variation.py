"""``Variation``: a line of moves in parentheses, with its annotations and the variations inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from setwise.game.branches import Branch
from setwise.game.line import Line
from setwise.notation.pgn.export import movetext
from setwise.position.position import Position

__all__ = ["Variation", "tokens_of", "variations_of"]


class Variation(Line):
    """A line of moves that replaces moves of a game, or of another variation.

    ``read_pgn(..., variations=True)`` and ``Game.from_pgn(..., variations=True)`` read them, and ``Game.variations()``
    gives those of a game. A variation has the methods of a game for moves, positions and ends. Its plies are counted
    from 1 at its own first move.

    Example:
        >>> from setwise import Game
        >>> game = Game.from_pgn("1. e4 e5 (1... c5 $5 2. Nf3 (2. c3 { quiet }) 2... d6) 2. Nf3 *", variations=True)
        >>> [sicilian] = game.variations()
        >>> sicilian.parent_ply, sicilian.sans(), sicilian.nags
        (1, ['c5', 'Nf3', 'd6'], mappingproxy({1: (5,)}))
        >>> sicilian.variations()
        (<Variation 2. c3>,)
        >>> print(sicilian.end())
        8 r n b q k b n r
        7 p p . . p p p p
        6 . . . p . . . .
        5 . . p . . . . .
        4 . . . . P . . .
        3 . . . . . N . .
        2 P P P P . P P P
        1 R N B Q K B . R
          a b c d e f g h
    """

    __slots__ = ("_branch",)

    _branch: Branch

    @classmethod
    def _of(cls, branch: Branch, position: Position) -> Variation:
        variation = object.__new__(cls)
        variation._branch, variation._moves, variation._position = branch, branch.moves, position
        variation._positions = None
        return variation

    @property
    def parent_ply(self) -> int:
        """How many plies of the game precede this variation: its first move replaces the one of the next ply."""
        return self._branch.ply

    @property
    def comments(self) -> Mapping[int, str]:
        """The comments by the ply of the variation that they follow; ply 0 is before its first move."""
        return MappingProxyType(self._branch.comments)

    @property
    def nags(self) -> Mapping[int, tuple[int, ...]]:
        """The Numeric Annotation Glyphs by ply of the variation."""
        return MappingProxyType(self._branch.nags)

    def variations(self) -> tuple[Variation, ...]:
        """Return the variations inside this one, in the order of the text."""
        return variations_of(self, self._branch.branches, self._branch.ply)

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Variation) else NotImplemented

    def __hash__(self) -> int:
        return hash((self._position, self._moves))

    def _parts(self) -> tuple[Any, ...]:
        return self._branch, self._position

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, self._parts()

    def __repr__(self) -> str:
        start = self._position
        tokens = movetext(self.sans(), start.fullmove_number, white=start.white_to_move, comments={}, nags={})
        return f"<Variation {' '.join(tokens)}>"


def variations_of(line: Line, branches: tuple[Branch, ...], ply: int) -> tuple[Variation, ...]:
    """Return the variations that leave a line, before whose moves so many plies were played."""
    positions = line.positions() if branches else ()
    return tuple(Variation._of(branch, positions[branch.ply - ply]) for branch in branches)


def tokens_of(
    line: Line,
    comments: Mapping[int, str],
    nags: Mapping[int, tuple[int, ...]],
    branches: tuple[Branch, ...],
    ply: int = 0,
) -> Iterator[str]:
    """Yield the tokens of a line in PGN, each variation behind the move that it replaces."""
    inside: dict[int, list[str]] = {}
    for variation in variations_of(line, branches, ply):
        branch = variation._branch
        behind = min(branch.ply - ply + 1, len(line.moves))
        tokens = tokens_of(variation, branch.comments, branch.nags, branch.branches, branch.ply)
        inside.setdefault(behind, []).extend(["(", *tokens, ")"])
    start = line.position
    yield from movetext(
        line.sans(), start.fullmove_number, white=start.white_to_move, comments=comments, nags=nags, inside=inside
    )
