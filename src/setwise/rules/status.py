"""Whether a position can occur, what is wrong with it, and whether the game is over."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import numpy as np

from setwise.bitboard import Bitboard
from setwise.compiler import Flag, Set, popcount, routine, subroutine
from setwise.patterns.bits import (
    CORNERS,
    DARK_SQUARES,
    EIGHT,
    EMPTY,
    LIGHT_SQUARES,
    ONE,
    RANK_1,
    RANK_6,
    RANK_8,
    SIXTEEN,
    TWO,
    bit,
    lowest,
    without_lowest,
)
from setwise.patterns.geometry import LINE
from setwise.rules.board import Board, attackers, in_check, king_square, mirrored

# ---------------------------------------------------------- faults of a position, because of which no game can reach it


class Status(enum.IntFlag):
    """Faults of a position, with the names and numbers of python-chess; empty for a valid position."""

    VALID = 0
    NO_WHITE_KING = 1 << 0
    NO_BLACK_KING = 1 << 1
    TOO_MANY_KINGS = 1 << 2
    TOO_MANY_WHITE_PAWNS = 1 << 3
    TOO_MANY_BLACK_PAWNS = 1 << 4
    PAWNS_ON_BACKRANK = 1 << 5
    TOO_MANY_WHITE_PIECES = 1 << 6
    TOO_MANY_BLACK_PIECES = 1 << 7
    BAD_CASTLING_RIGHTS = 1 << 8
    INVALID_EP_SQUARE = 1 << 9
    OPPOSITE_CHECK = 1 << 10
    EMPTY = 1 << 11
    TOO_MANY_CHECKERS = 1 << 15
    IMPOSSIBLE_CHECK = 1 << 16


#: The sentence of every fault.
SENTENCES: dict[Status, str] = {
    Status.EMPTY: "the board is empty",
    Status.NO_WHITE_KING: "White has no king",
    Status.NO_BLACK_KING: "Black has no king",
    Status.TOO_MANY_KINGS: "there are {kings} kings ({king_squares}); each side has one",
    Status.TOO_MANY_WHITE_PAWNS: "White has {white_pawns} pawns; 8 are the most",
    Status.TOO_MANY_BLACK_PAWNS: "Black has {black_pawns} pawns; 8 are the most",
    Status.PAWNS_ON_BACKRANK: "a pawn stands on the first or the last rank ({last_pawns})",
    Status.TOO_MANY_WHITE_PIECES: "White has {white_pieces} pieces; 16 are the most",
    Status.TOO_MANY_BLACK_PIECES: "Black has {black_pieces} pieces; 16 are the most",
    Status.BAD_CASTLING_RIGHTS: "the castling rights ask for rooks on {rooks}, where rook and king do not stand so "
    "that they can still castle{hint}",
    Status.INVALID_EP_SQUARE: "no pawn can just have passed {en_passant} (the side not to move needs a pawn right "
    "beyond it, and the squares behind that pawn are empty)",
    Status.OPPOSITE_CHECK: "the king of the side not to move is in check and could be taken",
    Status.TOO_MANY_CHECKERS: "the king is attacked by more than two pieces at once",
    Status.IMPOSSIBLE_CHECK: "no last move can have given the check that the king is in",
}

#: Faults that leave moves undefined: no king, or more pieces than a game can have. With other faults (too many pawns, a
#: check that no move can give, a side that passed while in check) a game can go on; no move takes a king.
UNPLAYABLE = int(
    Status.NO_WHITE_KING | Status.NO_BLACK_KING | Status.TOO_MANY_KINGS | Status.TOO_MANY_WHITE_PIECES
    | Status.TOO_MANY_BLACK_PIECES | Status.PAWNS_ON_BACKRANK | Status.BAD_CASTLING_RIGHTS | Status.INVALID_EP_SQUARE
    | Status.EMPTY
)  # fmt: skip

#: Faults that null moves can cause: the side not to move is in check, or a check existed before the last move.
BY_NULL_MOVES = int(Status.OPPOSITE_CHECK | Status.TOO_MANY_CHECKERS | Status.IMPOSSIBLE_CHECK)

_NO_KING, _MANY_KINGS, _MANY_PAWNS, _MANY_PIECES = (
    np.uint64(Status[name])
    for name in ("NO_WHITE_KING", "TOO_MANY_KINGS", "TOO_MANY_WHITE_PAWNS", "TOO_MANY_WHITE_PIECES")
)
_BACK_RANK, _CASTLING, _EN_PASSANT, _OPPOSITE, _NO_PIECES, _MANY_CHECKERS, _IMPOSSIBLE = (
    np.uint64(status)
    for status in (
        Status.PAWNS_ON_BACKRANK, Status.BAD_CASTLING_RIGHTS, Status.INVALID_EP_SQUARE, Status.OPPOSITE_CHECK,
        Status.EMPTY, Status.TOO_MANY_CHECKERS, Status.IMPOSSIBLE_CHECK,
    )
)  # fmt: skip
_E1, _E8 = ONE << np.uint64(4), ONE << np.uint64(60)


@routine
def _numbers(board: Board, pieces: Set) -> np.uint64:
    """Faults in the numbers of one side's pieces, as White's."""
    kings, pawns = pieces & board.kings, pieces & board.pawns
    status = _NO_KING * np.uint64(kings == EMPTY)
    status |= _MANY_PAWNS * np.uint64(popcount(pawns) > EIGHT)
    return status | _MANY_PIECES * np.uint64(popcount(pieces) > SIXTEEN)


@routine
def _castling_is_sound(board: Board) -> bool:
    """Whether the mover's castling rights are own rooks on the first rank, at most one on each side of the king."""
    rights, king = board.castling & RANK_1, board.own & board.kings & RANK_1
    west, east = rights & (king - ONE), rights & ~(king - ONE)
    sound = (
        king != EMPTY and (without_lowest(west) | without_lowest(east) | rights & ~(board.own & board.rooks)) == EMPTY
    )
    return sound or rights == EMPTY


@routine
def castling_is_standard(board: Board) -> bool:
    """Whether all castling rights of a board, from White's view, are possible in standard chess."""
    white, black = board.castling & RANK_1, board.castling & RANK_8
    standard = board.castling & ~CORNERS == EMPTY
    standard = standard and (white == EMPTY or board.own & board.kings & _E1 != EMPTY)
    return standard and (black == EMPTY or board.enemy & board.kings & _E8 != EMPTY)


@routine
def _en_passant_is_sound(board: Board) -> bool:
    """Whether an enemy pawn can just have passed the square."""
    square = board.en_passant
    occupied = board.own | board.enemy
    way = square | square << EIGHT
    return square == EMPTY or (
        square & RANK_6 != EMPTY and (square >> EIGHT) & board.enemy & board.pawns != EMPTY and way & occupied == EMPTY
    )


@routine
def _checks(board: Board, passed: Set) -> np.uint64:
    """Faults of the checks that the mover is in; ``passed`` is a sound en passant square or nothing."""
    king, occupied = king_square(board), board.own | board.enemy
    checkers = attackers(board, king, occupied)
    number = popcount(checkers)
    sliders = board.bishops | board.rooks | board.queens
    possible: np.bool | bool = True
    if passed != EMPTY and checkers != EMPTY:
        # The last move was a pawn's double step: the pawn itself gives the check, or its step has opened a line.
        pushed = passed >> EIGHT
        before = occupied & ~pushed | passed << EIGHT
        possible = number < TWO and (checkers == pushed or attackers(board, king, before) == EMPTY)
    elif number == TWO:
        # One of two checks is uncovered, so it comes along a line, and the other check comes along another line.
        first = lowest(checkers)
        second = lowest(without_lowest(checkers))
        possible = LINE[first, second] & bit(king) == EMPTY and checkers & sliders != EMPTY
    elif number > TWO:
        possible = False
    return _MANY_CHECKERS * np.uint64(number > TWO) | _IMPOSSIBLE * np.uint64(not possible)


@subroutine
def faults(board: Board, white_to_move: Flag | bool) -> np.uint64:
    """The faults of a board from White's view, as bits of :class:`Status`; the castling of Chess960 is allowed."""
    other = mirrored(board)
    mover, opponent = (board, other) if white_to_move else (other, board)
    status = _numbers(board, board.own) | _numbers(board, board.enemy) << ONE
    white, black = popcount(board.own & board.kings), popcount(board.enemy & board.kings)
    status |= _MANY_KINGS * np.uint64(white > ONE or black > ONE)
    status |= _NO_PIECES * np.uint64(board.own | board.enemy == EMPTY)
    status |= _BACK_RANK * np.uint64(board.pawns & (RANK_1 | RANK_8) != EMPTY)
    inside = board.castling & ~(RANK_1 | RANK_8) == EMPTY
    status |= _CASTLING * np.uint64(not (inside and _castling_is_sound(board) and _castling_is_sound(other)))
    sound = _en_passant_is_sound(mover)
    status |= _EN_PASSANT * np.uint64(not sound)
    if white == ONE and black == ONE:
        status |= _OPPOSITE * np.uint64(in_check(opponent))
        status |= _checks(mover, mover.en_passant if sound else EMPTY)
    return status


def _fields(words: Any) -> dict[str, Any]:
    """The values of the fields in the sentences: numbers and squares of a position, given by its ten sets."""
    white, black, pawns, _, _, _, _, kings, castling, en_passant = (Bitboard(int(word)) for word in words[:10])
    return {
        "kings": len(kings), "king_squares": " ".join(kings.names()),
        "white_pawns": len(white & pawns), "black_pawns": len(black & pawns),
        "white_pieces": len(white), "black_pieces": len(black),
        "last_pawns": " ".join((pawns & int(RANK_1 | RANK_8)).names()),
        "rooks": " ".join(castling.names()), "en_passant": " ".join(en_passant.names()),
    }  # fmt: skip


def sentences(words: Any, faults: int, *, chess960: bool = True) -> list[str]:
    """Return one sentence for each fault of a position, given by its ten sets."""
    fields = _fields(words) | {"hint": "" if chess960 else " (standard chess: king on e1 or e8, rook in a corner)"}
    return [SENTENCES[fault].format(**fields) for fault in Status if faults & fault]


# ------------------------------------------------------------------------------------------- how games end on the board


class Termination(enum.Enum):
    """How a game ends."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient material"
    SEVENTYFIVE_MOVES = "seventy-five moves without progress"
    FIVEFOLD_REPETITION = "fivefold repetition"
    FIFTY_MOVES = "fifty moves without progress, claimed"
    THREEFOLD_REPETITION = "threefold repetition, claimed"
    VARIANT = "by the rules of the variant"


class Outcome(NamedTuple):
    """The end of a game: how it ended, and the winner, ``"white"``, ``"black"`` or, in a draw, None."""

    termination: Termination
    winner: str | None

    @property
    def result(self) -> str:
        """``1-0``, ``0-1`` or ``1/2-1/2``."""
        return {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[self.winner]


@routine
def cannot_win(board: Board) -> np.bool | bool:
    """Whether the mover's material cannot mate, even with the help of the opponent.

    A lone knight can mate only if an enemy piece blocks its own king's flight (any piece but a queen can do that);
    bishops on one colour can mate only if there is a bishop on the other colour, a knight or a pawn.
    """
    if board.own & (board.pawns | board.rooks | board.queens) != EMPTY:
        return False
    if board.own & board.knights != EMPTY:
        return popcount(board.own) <= TWO and board.enemy & ~(board.kings | board.queens) == EMPTY
    if board.own & board.bishops != EMPTY:
        on_one_colour = board.bishops & DARK_SQUARES == EMPTY or board.bishops & LIGHT_SQUARES == EMPTY
        return on_one_colour and board.pawns | board.knights == EMPTY
    return True
