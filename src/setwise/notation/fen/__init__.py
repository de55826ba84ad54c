"""FEN: the text of a position, read and written by the same compiled lines for one position and for millions.

A FEN has six fields: the pieces rank by rank from the eighth, the side to move, castling rights, the en passant square,
the number of half moves since the last capture or pawn move, the number of the full move. Fields missing at the end
take the values of a game's beginning (``w - - 0 1``), as in python-chess.

Castling rights are read in all three dialects at once: ``KQkq``; X-FEN, where ``K`` means the outermost rook on the
king's side and a file's letter means any other; Shredder-FEN, all letters of files. They are kept as the squares of
the rooks. X-FEN is written, which for standard chess is ``KQkq``, or Shredder-FEN on demand.

The en passant square is kept as the standard has it: the square that a pawn has just passed, capture or no capture.
It is written in three conventions: ``legal`` (when a legal capture exists), ``xfen`` (when a pawn stands beside the one
that passed), ``fen`` (always).

Deliberate differences from python-chess: castling letters may stand in any order, but none twice; numbers are digits
only, up to 65,535; two checks by pawns or knights are impossible, as one of two checks comes along a line; a queenside
right without any rook is a fault, as a kingside right is there too. As in
python-chess, the full move 0 is read as 1, and the numbers of promoted pieces are not checked. Operations of EPD after
the position are for ``Position.from_epd``.
"""

from setwise.notation.fen.reading import read_fen, read_fens
from setwise.notation.fen.syntax import NO_TEXT, Syntax, explain
from setwise.notation.fen.writing import MOST_BYTES, mode_of, write_fen, write_fens, write_letters

__all__ = [
    "MOST_BYTES", "NO_TEXT", "Syntax", "explain", "mode_of", "read_fen", "read_fens", "write_fen", "write_fens",
    "write_letters",
]  # fmt: skip
