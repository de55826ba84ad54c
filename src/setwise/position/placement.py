"""Where pieces stand, what they attack and where they can move: methods of ``Position``."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

from setwise.bitboard import Bitboard
from setwise.position import compiled
from setwise.position.fields import as_square, squares_of

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = ["attackers", "attacks", "is_attacked_by", "king", "piece_at", "piece_map", "targets"]


def piece_at(position: Position, square: SupportsIndex | str) -> str | None:
    """Return the letter of the piece on a square, ``PNBRQK`` white, ``pnbrqk`` black; None for an empty one."""
    letter = position.piece_string()[as_square(square)]
    return None if letter == "." else letter


def piece_map(position: Position) -> dict[int, str]:
    """Return the letters of all pieces by their squares, upwards from a1.

    Example:
        >>> from setwise import Position
        >>> Position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").piece_map()
        {4: 'K', 12: 'P', 60: 'k'}
    """
    return {square: letter for square, letter in enumerate(position.piece_string()) if letter != "."}


def king(position: Position, *, white: bool) -> int | None:
    """Return the square of White's, or Black's, king, 0 (a1) to 63 (h8).

    A position that was taken with its faults may have none, which is None, or several, of which it is the highest.

    Example:
        >>> from setwise import Position
        >>> from setwise.squares import E1
        >>> Position().king(white=True) == E1
        True
    """
    kings = position.kings & (position.white_pieces if white else position.black_pieces)
    return kings.bit_length() - 1 if kings else None


def attacks(position: Position, square: SupportsIndex | str) -> Bitboard:
    """Return the squares that the piece on a square attacks, own pieces' too; none if the square is empty.

    Example:
        >>> from setwise import Position
        >>> p = Position("4k3/8/8/4q3/3P4/8/8/4K2R w K - 0 1")
        >>> p.attacks("d4"), p.attacks("h1") & p.white_pieces, p.attacks("a1")
        (Bitboard('c5 e5'), Bitboard('e1'), Bitboard(''))

    Traps:
        A piece may attack squares that it cannot move to: pinned pieces attack, and pawns attack diagonally.
        ``targets`` returns the squares that a piece can move to.
    """
    return squares_of(compiled.attacks_of.raw(position._state, as_square(square)))


def is_attacked_by(position: Position, square: SupportsIndex | str, *, white: bool) -> bool:
    """Return whether one of White's, or Black's, pieces attacks a square; pinned pieces attack, too."""
    return compiled.attackers_of.raw(position._state, as_square(square), bool(white)) != 0


def attackers(position: Position, square: SupportsIndex | str, *, white: bool) -> Bitboard:
    """Return the squares of White's, or Black's, pieces that attack a square, pinned ones too.

    Example:
        >>> from setwise import Position
        >>> Position("4k3/8/3n4/8/4P3/8/4Q3/4K3 w - - 0 1").attackers("e4", white=False)
        Bitboard('d6')
    """
    return squares_of(compiled.attackers_of.raw(position._state, as_square(square), bool(white)))


def targets(
    position: Position, square: SupportsIndex | str, *, pseudo_legal: bool = False, captures_only: bool = False
) -> Bitboard:
    """Return the squares that the piece on a square can move to; castling counts by where the king arrives.

    Pseudo-legal targets of all pieces except pawns are the attacked squares without own pieces; captures only those
    with enemy pieces.

    Args:
        square: the square of the piece. An empty square, or a piece of the side not to move, has no targets.
        pseudo_legal: include moves that leave the king in check.
        captures_only: include only captures, en passant too.

    Raises:
        ImpossiblePosition: in a position that cannot have moves.

    Example:
        >>> from setwise import Position
        >>> p = Position("4k3/8/8/3p4/1b6/2N5/8/4K2R w K - 0 1")
        >>> p.targets("c3"), p.targets("c3", pseudo_legal=True, captures_only=True), p.targets("h1")
        (Bitboard(''), Bitboard('d5'), Bitboard('f1 g1 h2 h3 h4 h5 h6 h7 h8'))
        >>> p.targets("e1")
        Bitboard('d1 f1 g1 d2 e2 f2')
    """
    origin, squares = as_square(square), 0
    for move in position.pseudo_legal_moves() if pseudo_legal else position.legal_moves():
        if move.from_square == origin and not (captures_only and not position.is_capture(move)):
            squares |= 1 << move.to_square
    return Bitboard(squares)
