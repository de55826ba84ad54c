"""Move generation in two stages: how pieces move, and which of these moves the safety of the king allows.

Both stages are the same generator with different ``Limits``; ``patterns.moves`` explains how checks, pins and attacked
squares become sets. With ``no_limits()`` it lists the pseudo-legal moves: tables for knights and kings, shifts for
pawns, lines for sliders. ``legality(board)`` computes the limits once per position, and with these the same generator
lists exactly the legal moves: no move is made and undone. ``patterns.moves.king_safety`` computes the limits. For one
board it follows eight lines at once; for many boards it follows one line after the other, of eight boards at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, Square, entry, plain, popcount, routine, scratch, subroutine
from setwise.compiler.kinds import boolean, int16, int64, named, reads, uint8, uint16, uint64, void, writes
from setwise.compiler.words import LANES, broadcast, columns, packed
from setwise.compiler.words import total as count_all
from setwise.patterns import king, knight
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    NINE,
    ONE,
    RANK_2,
    RANK_3,
    RANK_7,
    RANK_8,
    SEVEN,
    SIXTEEN,
    THREE,
    TWO,
    ZERO,
    as_int,
    bit,
    lowest,
    without_lowest,
)
from setwise.patterns.compass import north, north_east, north_west
from setwise.patterns.geometry import LINE, SQUARES
from setwise.patterns.moves import Limits, checkers, king_safety, legal_move_count, lines_of_words, may_castle, movers
from setwise.patterns.moves import en_passant_captors as captors_of
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    NULL_MOVE,
    TO_KNIGHT,
    TO_QUEEN,
    TO_ROOK,
    Board,
    board_at,
    child,
    clocks_after,
    encoded,
    in_check,
    king_square,
    knight_attacks,
    lines_of_lanes,
    make_move,
    mirrored,
    put_board,
    rays,
    turned,
)
from setwise.rules.status import BY_NULL_MOVES, castling_is_standard, faults

# ---------------------------------------------------------------------------------------- move generation in two stages


#: Room for the moves of any position with 16 pieces a side: 15 pieces have at most 27 moves each, the king has 8 moves
#: and two castlings. The number is a little larger, because moves are written four at a time and read eight at a time.
MOST_MOVES = 424
_move_list = scratch(MOST_MOVES)


@routine
def no_limits() -> Limits:
    return Limits(ALL, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY)


@routine
def legality(board: Board) -> Limits:
    """The limits of the legal moves."""
    return king_safety(*board[:8], board.en_passant, lines_of_lanes)[0]


# ------------------------------------------------------------------------------------------ the targets of each piece


@routine
def landing(board: Board, limits: Limits) -> Set:
    """Where pieces other than the king may land. No move takes a king, even if the other side passed while in check."""
    return limits.check_mask & ~board.kings


@routine
def king_targets(board: Board, limits: Limits) -> Set:
    return king.ATTACKS[king_square(board)] & ~(board.own | board.kings | limits.attacked)


@routine
def officer_targets(board: Board, limits: Limits, square: Square) -> Set:
    """Targets of a knight, bishop, rook or queen; a pinned piece stays on the line of the pin."""
    here, occupied = bit(square), board.own | board.enemy
    orthogonal, diagonal = board.rooks | board.queens, board.bishops | board.queens
    on_line = limits.on_file | limits.on_rank | limits.on_diagonal | limits.on_antidiagonal
    targets = knight.ATTACKS[square] if board.knights & here != EMPTY else EMPTY
    targets |= rook_attacks(square, occupied) if orthogonal & here != EMPTY else EMPTY
    targets |= bishop_attacks(square, occupied) if diagonal & here != EMPTY else EMPTY
    targets &= LINE[king_square(board), square] if on_line & here != EMPTY else ALL
    return targets & ~board.own & landing(board, limits)


@routine
def pawn_targets(board: Board, limits: Limits) -> tuple[Set, Set, Set, Set]:
    """Targets of all pawns at once: single steps, double steps, captures to the east, captures to the west.

    Captures en passant are in ``en_passant_captors`` instead: their target may be outside of the check mask, although
    they end a check.
    """
    on_files, _, on_diagonals, on_antidiagonals, _ = movers(board.own & board.pawns, limits)
    empty = ~(board.own | board.enemy)
    steps = north(on_files) & empty
    doubles = north(steps & RANK_3) & empty
    east, west = north_east(on_diagonals) & board.enemy, north_west(on_antidiagonals) & board.enemy
    mask = landing(board, limits)
    return steps & mask, doubles & mask, east & mask, west & mask


@routine
def en_passant_captors(board: Board, limits: Limits) -> Set:
    """The pawns that may capture en passant."""
    return captors_of(board.own, board.pawns, board.en_passant, limits)


@routine
def castling_rooks(board: Board, limits: Limits) -> Set:
    """The rooks with which the king may castle now."""
    return may_castle(board.own, board.enemy, board.kings, board.castling, limits)


# ----------------------------------------------------------------------------------------------------- lists and counts


@routine
def _list(moves: Any, n: int, start: Square, step: np.uint64, targets: Set) -> int:
    """List a move to each target; its origin is ``start + step * target``.

    Four moves are written at a time, even if fewer are left: the next moves overwrite the surplus. This takes two
    thirds of the time of a loop with a branch at every move, because processors cannot predict such a branch.
    """
    end = n + as_int(popcount(targets))
    at = n
    while True:
        for _ in range(4):
            target = lowest(targets)
            moves[at] = encoded(start + step * target, target, NORMAL)
            targets = without_lowest(targets)
            at += 1
        if at >= end:
            return end


@routine
def _list_pawns(moves: Any, n: int, targets: Set, step: np.uint64) -> int:
    """List pawn moves by their targets; a promotion is listed four times, with the queen first."""
    n = _list(moves, n, EMPTY - step, ONE, targets & ~RANK_8)
    targets &= RANK_8
    while targets != EMPTY:
        target = lowest(targets)
        kind = TO_QUEEN
        while kind >= TO_KNIGHT:
            moves[n] = encoded(target - step, target, kind)
            n += 1
            kind -= ONE
        targets = without_lowest(targets)
    return n


@routine
def generate(board: Board, limits: Limits, moves: Any, n: int) -> int:
    """Write the moves that the limits allow, from the mover's view, from ``moves[n]`` on; return the new n.

    Up to three items after the last move may be overwritten.
    """
    return generate_to(board, limits, ALL, moves, n)


@routine
def generate_to(board: Board, limits: Limits, squares: Set, moves: Any, n: int) -> int:
    """Write only the moves whose target, as encoded in the move, is one of some squares.

    The target of castling is the rook's square; the target of a capture en passant is the passed square. The limits,
    not ``squares``, decide whether a move ends a check: a capture en passant may take the checking pawn, which is not
    on the target.
    """
    steps, doubles, east, west = pawn_targets(board, limits)
    n = _list_pawns(moves, n, east & squares, NINE)
    n = _list_pawns(moves, n, west & squares, SEVEN)
    n = _list_pawns(moves, n, steps & squares, EIGHT)
    n = _list(moves, n, EMPTY - SIXTEEN, ONE, doubles & squares)
    captors = en_passant_captors(board, limits) if board.en_passant & squares != EMPTY else EMPTY
    while captors != EMPTY:
        moves[n] = encoded(lowest(captors), lowest(board.en_passant), EN_PASSANT)
        n += 1
        captors = without_lowest(captors)

    officers = board.own & ~(board.pawns | board.kings)
    while officers != EMPTY:
        square = lowest(officers)
        n = _list(moves, n, square, EMPTY, officer_targets(board, limits, square) & squares)
        officers = without_lowest(officers)

    square = king_square(board)
    n = _list(moves, n, square, EMPTY, king_targets(board, limits) & squares)
    rooks = castling_rooks(board, limits) & squares
    while rooks != EMPTY:
        moves[n] = encoded(square, lowest(rooks), CASTLING)
        n += 1
        rooks = without_lowest(rooks)
    return n


@routine
def count_moves(board: Board, limits: Limits) -> Count:
    """How many moves ``generate`` would list; the same targets are counted, not listed."""
    total = popcount(king_targets(board, limits))
    if limits.check_mask == EMPTY:
        return total
    steps, doubles, east, west = pawn_targets(board, limits)
    total += popcount(steps) + popcount(doubles) + popcount(east) + popcount(west)
    last = (steps | east | west) & RANK_8
    if last != EMPTY:
        total += THREE * (popcount(steps & RANK_8) + popcount(east & RANK_8) + popcount(west & RANK_8))
    if board.en_passant != EMPTY:
        total += popcount(en_passant_captors(board, limits))
    on_files, on_ranks, on_diagonals, on_antidiagonals, free = movers(board.own, limits)
    orthogonal, diagonal = board.rooks | board.queens, board.bishops | board.queens
    on_files, on_ranks = orthogonal & on_files, orthogonal & on_ranks
    on_diagonals, on_antidiagonals = diagonal & on_diagonals, diagonal & on_antidiagonals
    sliders = packed(
        on_files, on_diagonals, on_ranks, on_antidiagonals, on_files, on_diagonals, on_ranks, on_antidiagonals
    )
    allowed = broadcast(~board.own & landing(board, limits))
    total += count_all(knight_attacks(broadcast(board.knights & free)) & allowed)
    total += count_all(rays(sliders, ~(board.own | board.enemy)) & allowed)
    if board.castling != EMPTY:
        total += popcount(castling_rooks(board, limits))
    return total


@subroutine
def is_legal(board: Board, move: Move) -> bool:
    """Whether a move is one of the legal moves."""
    moves = _move_list(uint16)
    for i in range(generate(board, legality(board), moves, 0)):
        if moves[i] == move:
            return True
    return False


# --------------------------------------------------------------------------- checks of columns that others have written


_REFUSED = ~np.uint64(BY_NULL_MOVES)


@routine
def ambiguous(
    own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set
) -> Set:  # fmt: skip
    """The squares where a piece has two colours or two kinds, or has no colour or no kind."""
    overlap, pieces = own & enemy, pawns
    for squares in (knights, bishops, rooks, queens, kings):
        overlap |= pieces & squares
        pieces |= squares
    return overlap | pieces ^ (own | enemy)


@entry(
    int64,
    reads(uint64, 2), reads(boolean),
    reads(uint16), boolean,
)  # fmt: skip
def first_unsound(words: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, chess960: bool) -> int:
    """The first row that is no position of a game or whose move is illegal (0: no move); else the number of rows.

    Rows may have null moves, because games may have them. ``moves`` may be empty.
    """
    for k in range(white_to_move.size):
        board = board_at(words, k)
        white = white_to_move[k]
        passed = without_lowest(board.en_passant)
        if ambiguous(*board[:8]) | passed | faults(board, white) & _REFUSED != EMPTY:
            return k
        if not (chess960 or castling_is_standard(board)):
            return k
        if moves.size > 0 and moves[k] != 0 and moves[k] != NULL_MOVE:
            move = moves[k]
            if not is_legal(board if white else mirrored(board), move if white else turned(move)):
                return k
    return white_to_move.size


@entry(void, reads(uint64, 2), writes(boolean))
def standard(words: np.ndarray, out: np.ndarray) -> None:
    """Write for each position whether all its castling rights are possible in standard chess."""
    for k in range(out.size):
        out[k] = castling_is_standard(board_at(words, k))


@entry(void, reads(uint64, 2), reads(boolean), writes(uint64, 2))
def turn_boards(words: np.ndarray, upright: np.ndarray, out: np.ndarray) -> None:
    """Write every board unchanged if ``upright`` is true, else from the other side."""
    for k in range(upright.size):
        board = board_at(words, k)
        put_board(board if upright[k] else mirrored(board), out, k)


# ------------------------------------------------------------------------------------- children of positions in columns


@routine
def padded(number: int) -> int:
    """A number of rows rounded up to full registers; otherwise the last rows would be computed one by one."""
    return (number + LANES - 1) // LANES * LANES


# ---------------------------------------------------------------------------------------------------------- many moves

#: The number of parents that are expanded together: the children of one position always fit.
MOST_PARENTS = MOST_MOVES
#: Children are made until there are this many, and all children of the last parent are made. They stay in the cache.
_MANY = np.int64(256)
_ROOM = int(_MANY) + MOST_MOVES

_parents, parent_of, put_parent = columns(Board, MOST_PARENTS)
_limits, limits_of, _put_limits = columns(Limits, MOST_PARENTS)
_children, child_of, _put_child = columns(Board, _ROOM)
_moves, _ends = scratch(_ROOM), scratch(MOST_PARENTS)

#: The generator as a function that is called, because it would take too long to compile it into every caller.
list_moves = subroutine(generate)


class Family(NamedTuple):
    """Columns of parents, from the movers' sides, and of the children of some parents, from the sides that move next.

    ``moves`` holds the moves of these parents one after the other, ``ends`` says where the moves of each parent end,
    ``children`` holds the boards after the moves.
    """

    parents: Any
    limits: Any
    moves: Any
    ends: Any
    children: Any


@routine
def family() -> Family:
    """An uninitialised family on the stack."""
    return Family(_parents(), _limits(), _moves(uint16), _ends(int64), _children())


@routine
def find_limits(family: Family, number: int) -> None:
    """Compute the limits of the legal moves of the first parents, as ``rules.generate.legality`` does."""
    for k in range(padded(number)):
        board: Board = parent_of(family.parents, k)
        limits, _ = king_safety(*board[:8], board.en_passant, lines_of_words)
        _put_limits(family.limits, k, limits)


@routine
def expand(family: Family, first: int, number: int) -> tuple[int, int]:
    """Make the children of parents from ``first`` on; return the next parent, and the number of children."""
    listed, last = 0, first
    while last < number and listed < _MANY:
        board, limits = parent_of(family.parents, last), limits_of(family.limits, last)
        listed = list_moves(board, limits, family.moves, listed)
        family.ends[last] = listed
        last += 1
    # All moves are written first, then the children: a processor stalls if it has just written some bytes in parts and
    # then reads them with one wide instruction.
    end = 0
    for k in range(first, last):
        board, start = parent_of(family.parents, k), end
        end = family.ends[k]
        for m in range(start, start + padded(end - start)):
            _put_child(family.children, m, mirrored(make_move(board, np.uint64(family.moves[m]))))
    return last, listed


# -------------------------------------------------------------------------------------------------------------- columns


@routine
def _from_either_side(board: Board, upright: bool) -> Board:
    """The board itself, or the board from the other side."""
    return board if upright else mirrored(board)


@entry(void, reads(uint64, 2), reads(boolean), writes(int16), writes(boolean))
def legal_move_counts(sets: np.ndarray, white_to_move: np.ndarray, counts: np.ndarray, checks: np.ndarray) -> None:
    """Write how many legal moves each position has, and whether the mover is in check."""
    for k in range(counts.size):
        board = _from_either_side(board_at(sets, k), white_to_move[k])
        counts[k] = legal_move_count(*board)
        checks[k] = checkers(*board[:8]) != EMPTY


@entry(void, reads(uint64, 2), reads(boolean), writes(boolean))
def find_checks(sets: np.ndarray, white_to_move: np.ndarray, checks: np.ndarray) -> None:
    """Write for each position whether the mover is in check; this takes a third of the time of counting its moves."""
    for k in range(checks.size):
        board = _from_either_side(board_at(sets, k), white_to_move[k])
        checks[k] = checkers(*board[:8]) != EMPTY


@entry(
    void,
    reads(uint64, 2), reads(boolean), reads(uint16), reads(uint16),
    reads(boolean), writes(uint64, 2), writes(uint16), writes(uint16), writes(uint16),
)  # fmt: skip
def children(
    sets: np.ndarray, white_to_move: np.ndarray, halfmoves: np.ndarray, fullmoves: np.ndarray,
    child_white: np.ndarray, child_sets: np.ndarray, child_halfmoves: np.ndarray, child_fullmoves: np.ndarray,
    moves: np.ndarray,
) -> None:  # fmt: skip
    """Write the children of all positions one after the other, the moves to them from White's view, and the clocks.

    The rows of ``sets`` and of ``child_sets`` are a Board from White's view. There is room for exactly as many children
    as there are legal moves; ``child_white`` says for each child whether White moves next.
    """
    room = family()
    at = 0
    for start in range(0, white_to_move.size, MOST_PARENTS):
        number = min(MOST_PARENTS, white_to_move.size - start)
        for k in range(number):
            put_parent(room.parents, k, _from_either_side(board_at(sets, start + k), white_to_move[start + k]))
        find_limits(room, number)
        first = 0
        while first < number:
            last, count = expand(room, first, number)
            listed = 0
            for k in range(first, last):
                parent, black = parent_of(room.parents, k), np.uint64(not white_to_move[start + k])
                halfmove, fullmove = np.uint64(halfmoves[start + k]), np.uint64(fullmoves[start + k])
                for m in range(listed, room.ends[k]):
                    move = np.uint64(room.moves[m])
                    clocks = clocks_after(parent.pawns, parent.enemy, move, halfmove, fullmove, black)
                    child_halfmoves[at + m], child_fullmoves[at + m] = clocks
                    moves[at + m] = turned(move) if black != ZERO else move
                listed = room.ends[k]
            for m in range(count):
                board = _from_either_side(child_of(room.children, m), child_white[at + m])
                for row in range(10):
                    child_sets[row, at + m] = board[row]
            at += count
            first = last


# --------------------------------------------------------- whether a side is mated, and its legal moves to some squares


@subroutine
def moves_to(board: Board, squares: Set, moves: Any) -> int:
    """Write the legal moves whose target is one of some squares into a uint16 array, and return how many.

    Castling goes to the rook's square, a capture en passant goes to the square that was passed.
    """
    return generate_to(board, legality(board), squares, moves, 0)


@routine
def is_mated(board: Board) -> bool:
    """Whether the mover is mated."""
    return in_check(board) and count_moves(board, legality(board)) == EMPTY


# ---------------------------------------------------------------------------------------------------------------- perft


BOARD = named(Board)
_perft_moves = scratch(MOST_MOVES)


@subroutine
def _list_legal(board: Board, moves: Any) -> int:
    return list_moves(board, legality(board), moves, 0)


@routine
def _leaves(children: Any, number: int, most: Set) -> np.uint64:
    """The sum of the numbers of legal moves of the first children.

    ``most`` is ALL, or EMPTY if no child has a bishop, a queen or a castling right: then half of the rays are empty,
    and the compiler leaves them out.
    """
    total = EMPTY
    for k in range(padded(number)):
        board: Board = child_of(children, k)
        count = legal_move_count(
            board.own, board.enemy, board.pawns, board.knights, board.bishops & most, board.rooks, board.queens & most,
            board.kings, board.castling & most, board.en_passant,
        )  # fmt: skip
        total += count if k < number else EMPTY
    return total


@entry(uint64, BOARD, uint64)
def last_plies(board: Board, depth: np.uint64) -> np.uint64:
    """The leaves two or three plies deep: the parents are the board itself, or all its children."""
    room, number = family(), 1
    put_parent(room.parents, 0, board)
    if depth == THREE:
        number = _list_legal(board, room.moves)
        for k in range(padded(number)):
            put_parent(room.parents, k, mirrored(make_move(board, np.uint64(room.moves[k]))))
    find_limits(room, number)
    promoting = board.pawns & (board.own & RANK_7 | board.enemy & RANK_2)
    special = board.bishops | board.queens | board.castling | promoting
    total, first = EMPTY, 0
    while first < number:
        first, count = expand(room, first, number)
        total += _leaves(room.children, count, ALL) if special != EMPTY else _leaves(room.children, count, EMPTY)
    return total


@entry(uint64, BOARD, uint64)
def nodes(board: Board, depth: np.uint64) -> np.uint64:
    """The leaves of the tree of legal moves, ``depth`` plies deep, seen from the mover's side."""
    if depth == TWO or depth == THREE:
        return last_plies(board, depth)
    moves = _perft_moves(uint16)
    number = _list_legal(board, moves)
    if depth == ONE:
        return np.uint64(number)
    total = EMPTY
    for k in range(number):
        total += nodes(child(board, np.uint64(moves[k])), depth - ONE)
    return total


# ------------------------------------------------- moves as indices for networks, and the legal moves of many positions


#: The item of the table for numbers that are not moves.
_NONE = 0xFFFF


def _table() -> tuple[np.ndarray, int]:
    """The index of every move in 16 bits from the mover's view, and how many indices there are."""
    by_knight = knight.ATTACKS[:, None] & SQUARES != 0
    possible = (LINE != 0) | by_knight
    pairs = np.where(possible, np.cumsum(possible).reshape(64, 64) - 1, _NONE)  # [origin, target]
    count = int(possible.sum())
    last = np.zeros((64, 64), np.bool_)
    last[48:56, 56:] = np.abs(np.subtract.outer(np.arange(8), np.arange(8))) <= 1
    of_pawns = np.where(last, np.cumsum(last).reshape(64, 64) - 1, 0)
    table = np.full((8, 64, 64), _NONE, np.uint16)  # [kind, target, origin], the order of the bits of a move
    table[[int(NORMAL), int(CASTLING), int(EN_PASSANT)]] = pairs.T
    table[int(TO_QUEEN)] = np.where(last, pairs, _NONE).T
    for kind in range(int(TO_KNIGHT), int(TO_ROOK) + 1):
        table[kind] = np.where(last, count + 3 * of_pawns + kind - int(TO_KNIGHT), _NONE).T
    return table.ravel(), count + 3 * int(last.sum())


#: The index of a move from the mover's view, by its 16 bits; and how many indices there are (1858).
INDEX_OF, MOVE_INDICES = _table()
_TURNED = np.uint16(plain(turned)(np.uint64(0)))


def indices_of(moves: np.ndarray, white_to_move: np.ndarray) -> np.ndarray:
    """Return the indices of moves from White's view, int64; -1 where there is no move (0), and for null moves."""
    own = np.where(white_to_move, moves, moves ^ _TURNED)
    indices = INDEX_OF[own].astype(np.int64)
    return np.where((moves == 0) | (indices == _NONE), -1, indices)


# --------------------------------------------------------------------------------------------------------- legal moves

_some_moves = scratch(MOST_MOVES)


@routine
def _read_parents(room: Any, sets: np.ndarray, white_to_move: np.ndarray, start: int) -> int:
    """Read positions from ``start`` on as the parents of a family, and compute their limits; return how many."""
    number = min(MOST_PARENTS, white_to_move.size - start)
    for k in range(number):
        board = board_at(sets, start + k)
        put_parent(room.parents, k, board if white_to_move[start + k] else mirrored(board))
    find_limits(room, number)
    return number


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(uint16), writes(int64))
def list_legal(
    sets: np.ndarray, white_to_move: np.ndarray, index_of: np.ndarray, moves: np.ndarray, indices: np.ndarray
) -> None:
    """Write the legal moves of all positions one after the other, from White's view, and their indices.

    There is room for exactly as many moves as there are legal moves.
    """
    room, listed = family(), _some_moves(uint16)
    at = 0
    for start in range(0, white_to_move.size, MOST_PARENTS):
        for k in range(_read_parents(room, sets, white_to_move, start)):
            white = white_to_move[start + k]
            for m in range(list_moves(parent_of(room.parents, k), limits_of(room.limits, k), listed, 0)):
                move = np.uint64(listed[m])
                moves[at] = move if white else turned(move)
                indices[at] = index_of[move]
                at += 1


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(uint8, 2))
def mask_legal(sets: np.ndarray, white_to_move: np.ndarray, index_of: np.ndarray, masks: np.ndarray) -> None:
    """Write a 1 into a row of zeros at the index of every legal move."""
    room, listed = family(), _some_moves(uint16)
    for start in range(0, white_to_move.size, MOST_PARENTS):
        for k in range(_read_parents(room, sets, white_to_move, start)):
            for m in range(list_moves(parent_of(room.parents, k), limits_of(room.limits, k), listed, 0)):
                masks[start + k, index_of[np.uint64(listed[m])]] = ONE
