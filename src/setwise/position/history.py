"""The course of games: the moves played, which piece moves, and the phases of a game.

All functions take columns of positions in the order of their games, and return columns of the same length.
A kernel walks once over the rows and carries from one row to the next only a small state, such as the square where
each piece started. `played_moves` describes each move by its piece, its squares and its effect; `exchanges`,
`quiet_moves` and `in_between_moves` judge the move. `identities` follows each piece from its first square. `phases_of`
divides a game into opening, middlegame and endgame as Lichess does, and never goes back to an earlier phase. The
values of rows without a move mean nothing, unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, Square, byteswap, entry, popcount, routine, scratch
from setwise.compiler.kinds import boolean, int8, int16, reads, uint8, uint16, uint64, void, writes
from setwise.features.registry import own_attacks
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_1, RANK_8, ZERO, bit, lowest, without_lowest
from setwise.rules.board import (
    C1,
    CASTLING,
    EN_PASSANT,
    FIFTY_SIX,
    G1,
    NORMAL,
    NULL,
    NULL_MOVE,
    PAWN,
    TO_KNIGHT,
    TO_QUEEN,
    Board,
    board_at,
    castling_targets,
    child,
    in_check,
    kind_of,
    make_move,
    mirrored,
    origin_of,
    piece_bits,
    piece_on,
    target_of,
    turned,
)
from setwise.rules.exchange import see
from setwise.rules.generate import MOST_MOVES, moves_to

# ------------------------------------------------------------------------ effects of the moves played in many positions


_move_list = scratch(MOST_MOVES)


class Played(NamedTuple):
    """Columns with a value per move. Values of positions without a move mean nothing; a null move has no piece."""

    #: Numbers of pieces, pawn 1 to king 6; 0 for none.
    piece: np.ndarray
    captured: np.ndarray
    promotion: np.ndarray
    #: Sets of one square; for castling, the king's square.
    from_square: np.ndarray
    to_square: np.ndarray
    is_castling: np.ndarray
    is_en_passant: np.ndarray


@entry(void, *(reads(uint64),) * 6, reads(uint16), writes(uint8, 2), writes(uint64, 2), writes(boolean, 2))
def _describe(
    pawns: np.ndarray, knights: np.ndarray, bishops: np.ndarray, rooks: np.ndarray, queens: np.ndarray,
    kings: np.ndarray, moves: np.ndarray, pieces: np.ndarray, squares: np.ndarray, flags: np.ndarray,
) -> None:  # fmt: skip
    """Describe each move, without a branch: write three rows of pieces, two rows of squares, two rows of flags."""
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        bits = (
            pawns[k] | bishops[k] | queens[k], knights[k] | bishops[k] | kings[k], rooks[k] | queens[k] | kings[k]
        )  # fmt: skip
        origin, target, kind = origin_of(move), target_of(move), kind_of(move)
        castles, passes = kind == CASTLING, kind == EN_PASSANT
        moved = np.uint64((move != ZERO) & (move < NULL_MOVE))
        landed = origin & FIFTY_SIX | (G1 if target > origin else C1) if castles else target
        promoted = (kind >= TO_KNIGHT) & (kind <= TO_QUEEN)
        pieces[0, k] = np.uint8(moved * piece_on(bits, origin))
        pieces[1, k] = np.uint8(PAWN if passes else ZERO if castles else moved * piece_on(bits, target))
        pieces[2, k] = np.uint8(kind + ONE if promoted else ZERO)
        squares[0, k], squares[1, k] = moved << origin, moved << landed
        flags[0, k], flags[1, k] = castles, passes


def played_moves(sets: np.ndarray, moves: np.ndarray) -> Played:
    """Return the effects of the move of each position, from the columns of ``Positions``."""
    count = len(moves)
    pieces, squares = np.empty((3, count), np.uint8), np.empty((2, count), np.uint64)
    flags = np.empty((2, count), np.bool_)
    _describe(*map(np.ascontiguousarray, sets[2:8]), moves, pieces, squares, flags)
    return Played(*pieces, *squares, *flags)


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(boolean))
def _check(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, out: np.ndarray) -> None:
    """Write whether each move gives check."""
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        board = board_at(sets, k)
        if not white_to_move[k]:
            board, move = mirrored(board), turned(move)
        out[k] = moves[k] != 0 and in_check(child(board, move))


def checks_given(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return whether each position's move gives check; False where there is no move."""
    out = np.empty(len(moves), np.bool_)
    _check(sets, white_to_move, moves, out)
    return out


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(int8))
def _exchange(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, won: np.ndarray) -> None:
    """Write the gain of the exchange that begins with each move."""
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        board = board_at(sets, k)
        if not white_to_move[k]:
            board, move = mirrored(board), turned(move)
        moves_piece = moves[k] != 0 and moves[k] != NULL_MOVE
        won[k] = np.int8(np.int64(see(board, move))) if moves_piece else 0


def exchanges(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return the gain of the exchange that begins with each position's move: int8, in pawns; 0 without a move."""
    won = np.empty(len(moves), np.int8)
    _exchange(sets, white_to_move, moves, won)
    return won


@routine
def _captures(board: Board, move: Move) -> bool:
    return kind_of(move) == EN_PASSANT or (kind_of(move) != CASTLING and bit(target_of(move)) & board.enemy != EMPTY)


@routine
def _attacked_by_moved(board: Board, move: Move) -> Set:
    """The enemy pieces that the moved piece attacks from its new square; for castling, those that the king attacks."""
    after = make_move(board, move)
    landed = after.own & ~board.own if kind_of(move) != CASTLING else after.own & after.kings
    return own_attacks(after, landed, after.own | after.enemy) & after.enemy


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(boolean))
def _quiet(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, out: np.ndarray) -> None:
    """Write whether each move is quiet."""
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        out[k] = False
        if moves[k] == 0 or moves[k] == NULL_MOVE:
            continue
        board = board_at(sets, k)
        if not white_to_move[k]:
            board, move = mirrored(board), turned(move)
        kind = kind_of(move)
        if _captures(board, move) or (kind != NORMAL and kind != CASTLING) or in_check(board):
            continue
        out[k] = not in_check(child(board, move)) and _attacked_by_moved(board, move) == EMPTY


def quiet_moves(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return whether each position's move is quiet; False where there is no move.

    A quiet move is no capture, no promotion, no check and no answer to a check, and from its new square the moved
    piece attacks no enemy piece.
    """
    out = np.empty(len(moves), np.bool_)
    _quiet(sets, white_to_move, moves, out)
    return out


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), reads(uint64), writes(boolean))
def _in_between(
    sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, captors: np.ndarray, out: np.ndarray
) -> None:
    """Write whether each move is an in-between move; ``captors`` is empty where there is nothing to recapture."""
    list_of_moves = _move_list(uint16)
    for k in range(moves.size):
        move: Move = np.uint64(moves[k])
        captor = captors[k]
        out[k] = False
        if captor == EMPTY or moves[k] == 0 or moves[k] == NULL_MOVE:
            continue
        board = board_at(sets, k)
        if not white_to_move[k]:
            board, move, captor = mirrored(board), turned(move), byteswap(captor)
        if bit(target_of(move)) == captor or moves_to(board, captor, list_of_moves) == 0:
            continue
        threatened = _attacked_by_moved(board, move) & board.queens
        out[k] = _captures(board, move) or threatened != EMPTY or in_check(child(board, move))


def in_between_moves(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, captors: np.ndarray) -> np.ndarray:
    """Return whether each position's move is played instead of a recapture, and forces the other side to answer.

    Args:
        sets: the sets of the positions, as in ``Positions``.
        white_to_move: whether White moves.
        moves: the moves.
        captors: the square of the piece that has just captured, as a set; empty if the last move was no capture.
    """
    out = np.empty(len(moves), np.bool_)
    _in_between(sets, white_to_move, moves, captors, out)
    return out


# ---------------------------------------------------------------------------------------------------- which piece moves


class Identities(NamedTuple):
    """For each position's move: the first squares of the moving and the captured piece, the former's earlier moves.

    The squares are sets, empty where there is no such piece.
    """

    origin: np.ndarray
    captured_origin: np.ndarray
    piece_moves: np.ndarray


@routine
def _carry(came: np.ndarray, moved: np.ndarray, start: Square, end: Square) -> None:
    """Move a piece from one square to another: its first square and the number of its moves go with it."""
    came[end], moved[end] = came[start], np.int16(moved[start] + 1)


@routine
def _play(came: np.ndarray, moved: np.ndarray, move: Move, flip: np.uint64) -> None:
    """Play a move in the mover's view; ``flip`` converts its squares to squares of the board."""
    start, end, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == NULL:
        return
    if kind == CASTLING:
        king, rook = castling_targets(start, end)
        rook_came, rook_moved = came[end ^ flip], moved[end ^ flip]
        _carry(came, moved, start ^ flip, king ^ flip)
        came[rook ^ flip], moved[rook ^ flip] = rook_came, np.int16(rook_moved + 1)
        return
    _carry(came, moved, start ^ flip, end ^ flip)


@routine
def _arrive(came: np.ndarray, moved: np.ndarray, led: Any, begins: Any, white: bool) -> None:
    """Carry the first squares of all pieces along the move that led to a position; a game begins with its squares."""
    if begins:
        for square in range(64):
            came[square], moved[square] = square, 0
    else:
        last = np.uint64(led)
        _play(came, moved, turned(last) if white else last, FIFTY_SIX if white else ZERO)


@entry(
    void,
    reads(uint64, 2, "A"), reads(boolean), reads(uint16), reads(uint16), reads(boolean),
    writes(uint8), writes(int16), writes(uint64, 2), writes(int16),
)  # fmt: skip
def _identify(
    sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, led: np.ndarray, begins: np.ndarray,
    came: np.ndarray, moved: np.ndarray, origins: np.ndarray, counts: np.ndarray,
) -> None:  # fmt: skip
    """Write for each position's move the first squares of its piece and of the captured piece, and the piece's moves.

    ``led`` has the move that led to each position from the one before it, ``begins`` whether a game begins there.
    ``came`` and ``moved`` are scratch of 64 squares.
    """
    for k in range(moves.size):
        white = white_to_move[k]
        _arrive(came, moved, led[k], begins[k], white)
        origins[0, k] = origins[1, k] = EMPTY
        counts[k] = 0
        move: Move = np.uint64(moves[k])
        if move == ZERO:
            continue
        board, flip = board_at(sets, k), ZERO
        if not white:
            board, move, flip = mirrored(board), turned(move), FIFTY_SIX
        start, end, kind = origin_of(move), target_of(move), kind_of(move)
        if kind == NULL:
            continue
        origins[0, k], counts[k] = bit(np.uint64(came[start ^ flip])), moved[start ^ flip]
        if kind == EN_PASSANT:
            origins[1, k] = bit(np.uint64(came[(end - EIGHT) ^ flip]))
        elif kind != CASTLING and piece_on(piece_bits(board), end) != ZERO:
            origins[1, k] = bit(np.uint64(came[end ^ flip]))


def identities(
    sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, led: np.ndarray, begins: np.ndarray
) -> Identities:
    """Return the first squares of the pieces that move and of the captured pieces, a value for each position.

    Args:
        sets: the sets of positions, in the order of their games.
        white_to_move: whether White moves next.
        moves: the move played in each position.
        led: the move that led to each position from the one before it.
        begins: whether a game begins with the position.
    """
    count = len(moves)
    origins, counts = np.empty((2, count), np.uint64), np.empty(count, np.int16)
    _identify(sets, white_to_move, moves, led, begins, np.empty(64, np.uint8), np.empty(64, np.int16), origins, counts)
    return Identities(origins[0], origins[1], counts)


@entry(
    void,
    reads(uint64, 2, "A"), reads(boolean), reads(uint16), reads(boolean), reads(uint64), writes(uint8), writes(int16),
    writes(uint64),
)  # fmt: skip
def _follow(
    sets: np.ndarray, white_to_move: np.ndarray, led: np.ndarray, begins: np.ndarray, wanted: np.ndarray,
    came: np.ndarray, moved: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Write for each position the squares of the pieces that began on the squares ``wanted[0]``."""
    for k in range(led.size):
        _arrive(came, moved, led[k], begins[k], white_to_move[k])
        board = board_at(sets, k)
        left, out[k] = board.own | board.enemy, EMPTY
        while left != EMPTY:
            square = lowest(left)
            left = without_lowest(left)
            if wanted[0] & bit(np.uint64(came[square])) != EMPTY:
                out[k] |= bit(square)


def followed(
    sets: np.ndarray, white_to_move: np.ndarray, led: np.ndarray, begins: np.ndarray, wanted: int
) -> np.ndarray:
    """Return where the pieces that began on some squares stand in each position, and where such pieces are known.

    The first row has sets, empty once the pieces are taken; the second is 0 in games that began without such pieces.

    Args:
        sets: the sets of positions, in the order of their games.
        white_to_move: whether White moves next.
        led: the move that led to each position from the one before it.
        begins: whether a game begins with the position.
        wanted: the first squares, a set.
    """
    out = np.empty((2, len(led)), np.uint64)
    came, moved = np.empty(64, np.uint8), np.empty(64, np.int16)
    _follow(sets, white_to_move, led, begins, np.array([wanted], np.uint64), came, moved, out[0])
    first = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    out[1] = (sets[0] | sets[1])[first] & np.uint64(wanted)
    return out


# ----------------------------------------------------------------------------------------------------------------------

"""The phases of a game, as Lichess divides it: opening, middlegame, endgame.

The middlegame begins at the first position with ten pieces or fewer (without kings and pawns), or with fewer than four
pieces on a side's first rank, or where the pieces of both sides are mixed enough; the endgame at the first with six
pieces or fewer. Once begun, a phase does not go back.

Source: lichess-org/scalachess, ``Divider``.
"""


_MIDDLEGAME_PIECES, _ENDGAME_PIECES, _DEVELOPED, _MIXED = (np.uint64(number) for number in (10, 6, 4, 150))
_SQUARES_OF_FOUR, _SEVEN_FILES, _SEVEN_RANKS = np.uint64(0x0303), 7, 7


def _score(rank: int, white: int, black: int) -> int:
    """Return the score of a 2 × 2 block with its lower edge on a rank (1 to 7), by the pieces of each side in it."""
    up, down = rank, 8 - rank  # how far from each side's first rank
    scores = {
        (0, 1): 1 + up, (0, 2): 2 + (6 - up) if up < 6 else 0, (0, 3): 3 + (7 - up) if up < 7 else 0,
        (0, 4): 3 + (7 - up) if up < 7 else 0, (1, 0): 1 + down, (1, 1): 5 + abs(4 - up), (1, 2): 4 + (7 - up),
        (1, 3): 5 + (7 - up), (2, 0): 2 + (up - 2) if up > 2 else 0, (2, 1): 4 + (up - 1), (2, 2): 7,
        (3, 0): 3 + (up - 1) if up > 1 else 0, (3, 1): 5 + (up - 1), (4, 0): 3 + (up - 1) if up > 1 else 0,
    }  # fmt: skip
    return scores.get((white, black), 0)


_SCORES = np.array([[_score(rank, pair // 8, pair % 8) for pair in range(64)] for rank in range(1, 8)], np.uint64)


@routine
def _mixture(board: Board) -> Any:
    """Return how much the pieces of both sides are mixed: a sum over all 2 × 2 blocks."""
    total = np.uint64(0)
    for rank in range(_SEVEN_RANKS):
        for file in range(_SEVEN_FILES):
            four = _SQUARES_OF_FOUR << np.uint64(8 * rank + file)
            total += _SCORES[rank, popcount(board.own & four) * EIGHT + popcount(board.enemy & four)]
    return total


@routine
def _is_middlegame(board: Board, pieces: Count) -> bool:
    if pieces <= _MIDDLEGAME_PIECES:
        return True
    if popcount(board.own & RANK_1) < _DEVELOPED or popcount(board.enemy & RANK_8) < _DEVELOPED:
        return True
    return _mixture(board) > _MIXED


@entry(void, reads(uint64, 2, "A"), reads(boolean), writes(int8))
def _divide(sets: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
    """Write the phase of each position; ``starts`` marks the first one of each game."""
    phase = 0
    for k in range(starts.size):
        board = board_at(sets, k)
        if starts[k]:
            phase = 0
        pieces = popcount((board.own | board.enemy) & ~(board.kings | board.pawns))
        if phase == 0 and _is_middlegame(board, pieces):
            phase = 1
        if phase == 1 and pieces <= _ENDGAME_PIECES:
            phase = 2
        out[k] = phase


def phases_of(sets: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the phase of each position: 0 opening, 1 middlegame, 2 endgame.

    Args:
        sets: the ten rows of ``Positions.sets``.
        starts: whether each position is the first of its game; a position without a game must be marked, too.
    """
    out = np.empty(len(starts), np.int8)
    _divide(sets, starts, out)
    return out
