"""Attacks of one rook or bishop, calculated from the lines through its square."""

from __future__ import annotations

from setwise.compiler import Set, Square, bitreverse, pattern, routine
from setwise.patterns.bits import TWO, bit
from setwise.patterns.sliders.board_lines import ANTIDIAGONALS, DIAGONALS, FILE_LINES, RANK_LINES

__all__ = ["bishop_attacks_by_calculation", "rook_attacks_by_calculation"]


@routine
def _both_ways(square: Square, occupied: Set, line: Set) -> Set:
    """Attacks along one line: subtracting a bit runs up to the first blocker; with all bits reversed, the other way."""
    slider = bit(square)
    blockers = occupied & line
    upwards = blockers - TWO * slider
    downwards = bitreverse(bitreverse(blockers) - TWO * bitreverse(slider))
    return (upwards ^ downwards) & line


@pattern
def rook_attacks_by_calculation(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, without a table of attacks.

    Args:
        square: where the rook stands.
        occupied: squares of all pieces, a set; the rook's own square does not matter.

    Example:
        >>> sliders.rook_attacks_by_calculation(27, Bitboard("d4 d6 f4"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        On one line, the blockers minus twice the slider borrow from the first blocker above the slider: all bits after
        the slider's up to that blocker change, and those of them on the line are attacked squares. On reversed bits the
        same happens below. In the `xor` of the two results the bits that neither subtraction changed cancel. Masks
        before and after keep the lines apart.

    Names:
        hyperbola quintessence, o^(o-2r) trick, o-2s.

    Source:
        Chess Programming Wiki, "Subtracting a Rook from a Blocking Piece", "Hyperbola Quintessence".
    """
    return _both_ways(square, occupied, RANK_LINES[square]) | _both_ways(square, occupied, FILE_LINES[square])


@pattern
def bishop_attacks_by_calculation(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, without a table of attacks.

    Args:
        square: where the bishop stands.
        occupied: squares of all pieces, a set; the bishop's own square does not matter.

    Example:
        >>> sliders.bishop_attacks_by_calculation(1, Bitboard("b1 d3"))
        Bitboard('a2 c2 d3')

    Why:
        As for the rook, on the diagonal and the antidiagonal.

    Names:
        hyperbola quintessence for bishops.

    Source:
        Chess Programming Wiki, "Hyperbola Quintessence".
    """
    return _both_ways(square, occupied, DIAGONALS[square]) | _both_ways(square, occupied, ANTIDIAGONALS[square])
