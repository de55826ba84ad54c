"""Features of captures that win: exchanges are counted, and the best reply is considered.

`en_prise` counts the exchange on one square, as a player does first. `winning_captures` also tries the enemy's forcing
replies, because another capture or a check may win the material back. `trapped` moves a piece to all its squares and
requires that it is lost on each. All three features use the same routine for their candidates, `_may_fall`: it makes no
move and excludes most positions, so most positions take little time. For the enemy's captures the board is mirrored,
and the squares are mirrored back.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Move, Set, Square, byteswap, entry, routine, scratch, subroutine
from setwise.compiler.kinds import named, uint16, uint64
from setwise.features.registry import Side, enemy_attacks, feature, is_ready, mover, other_side, own_attacks
from setwise.patterns import king, knight, pawns, tactics
from setwise.patterns.bits import (
    EIGHT,
    EMPTY,
    ONE,
    RANK_1,
    RANK_7,
    RANK_8,
    THREE,
    TWO,
    bit,
    lowest,
    only_lowest,
    without_lowest,
)
from setwise.patterns.fills import (
    ray_fill_east,
    ray_fill_north,
    ray_fill_north_east,
    ray_fill_north_west,
    ray_fill_south,
    ray_fill_south_east,
    ray_fill_south_west,
    ray_fill_west,
)
from setwise.patterns.sliders import bishops_attacks, queens_attacks, rooks_attacks
from setwise.rules.board import (
    EN_PASSANT,
    NORMAL,
    Board,
    attackers,
    encoded,
    kind_of,
    king_square,
    origin_of,
    target_of,
)
from setwise.rules.exchange import see, value_on
from setwise.rules.generate import MOST_MOVES, moves_to
from setwise.rules.search import FIRST, NOT_KNOWN, falls, gain, is_safe, lead, own_attackers, wins_by_force, wins_most

_move_list = scratch(MOST_MOVES)
#: Half the depth of the other features' search: captures that win are common, and this depth decides most of them.
_PLIES = np.uint64(2)
#: A side that is at most one pawn behind is ahead after it wins two pawns.
_EVEN_BY_TWO = np.int64(-1)


@routine
def _wins(board: Board, origin: Square, target: Square) -> np.bool | bool:
    """Whether an exchange that a piece begins on the square of an enemy piece that it attacks is legal, and wins.

    A piece of less worth wins whatever follows, unless a pawn recaptures and promotes; a pawn that promotes wins, too.
    """
    start, here = bit(origin), bit(target)
    promotes = start & board.pawns & RANK_7 != EMPTY
    is_cheap = (start & board.kings | here & RANK_1) == EMPTY and value_on(board, start) < value_on(board, here)
    return (promotes or is_cheap or falls(board, origin, target)) and is_safe(board, origin, target)


@routine
def _is_won(board: Board, target: Square) -> bool:
    """Whether some piece wins the enemy piece on a square by an exchange."""
    captors = own_attackers(board, target)
    while captors != EMPTY:
        if _wins(board, lowest(captors), target):
            return True
        captors = without_lowest(captors)
    return False


@entry(uint64, named(Side), uint64)
def _exchanged(side: Side, squares: Set) -> Set:
    """The squares, among the given ones, where an exchange that this side begins wins something."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    won_squares, targets = EMPTY, squares & board.enemy
    while targets != EMPTY:
        won_squares |= only_lowest(targets) if _is_won(board, lowest(targets)) else EMPTY
        targets = without_lowest(targets)
    if squares & board.en_passant != EMPTY:
        moves = _move_list(uint16)
        for i in range(moves_to(board, board.en_passant, moves)):
            move = np.uint64(moves[i])
            if kind_of(move) == EN_PASSANT and see(board, move) == ONE:
                won_squares |= board.en_passant
    return won_squares


@routine
def _wins_pieces(board: Board, move: Move) -> np.bool | bool:
    """Whether a capture wins two pawns' worth: on its square, and by force."""
    return TWO <= see(board, move) <= gain(board, move) and wins_by_force(board, move, ONE, _PLIES)


@routine
def _wins_by_some(board: Board, target: Square) -> bool:
    """Whether some capture of the enemy piece on a square wins two pawns' worth; promotions are not examined."""
    captors = own_attackers(board, target)
    while captors != EMPTY:
        origin = lowest(captors)
        captors = without_lowest(captors)
        if is_safe(board, origin, target) and _wins_pieces(board, encoded(origin, target, NORMAL)):
            return True
    return False


@entry(uint64, named(Side), uint64)
def _winning(side: Side, squares: Set) -> Set:
    """The squares, among the given ones, where a capture wins two pawns' worth: on the square, and by force."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    promoting = RANK_8 & pawns.attacks(board.own & board.pawns)
    won_squares, targets = EMPTY, squares & ~promoting
    while targets != EMPTY:
        won_squares |= only_lowest(targets) if _wins_by_some(board, lowest(targets)) else EMPTY
        targets = without_lowest(targets)
    if squares & promoting != EMPTY:
        moves = _move_list(uint16)
        for i in range(moves_to(board, squares & promoting, moves)):
            move = np.uint64(moves[i])
            here = bit(target_of(move))
            if here & squares & ~won_squares != EMPTY and _wins_pieces(board, move):
                won_squares |= here
    return won_squares


@routine
def _beyond(movers: tuple[Set, Set], occupied: Set) -> Set:
    """What own sliders, those on files and ranks and those on diagonals, attack through the first piece on a line."""
    orthogonal, diagonal = movers
    return (
        ray_fill_north(ray_fill_north(orthogonal, occupied) & occupied, occupied)
        | ray_fill_east(ray_fill_east(orthogonal, occupied) & occupied, occupied)
        | ray_fill_south(ray_fill_south(orthogonal, occupied) & occupied, occupied)
        | ray_fill_west(ray_fill_west(orthogonal, occupied) & occupied, occupied)
        | ray_fill_north_east(ray_fill_north_east(diagonal, occupied) & occupied, occupied)
        | ray_fill_south_east(ray_fill_south_east(diagonal, occupied) & occupied, occupied)
        | ray_fill_south_west(ray_fill_south_west(diagonal, occupied) & occupied, occupied)
        | ray_fill_north_west(ray_fill_north_west(diagonal, occupied) & occupied, occupied)
    )


@routine
def _may_fall(side: Side) -> Set:
    """The squares where a capture of this side wins something, and perhaps others; no move is made.

    A protected piece that one piece attacks, of no less worth, does not fall. Its protectors are counted if no line may
    pin them; and no check may be uncovered, nor another attacker, nor may a pawn promote.
    """
    own, occupied, enemy_king = side.own, side.own | side.enemy, side.enemy & side.kings
    orthogonal, diagonal = own & (side.rooks | side.queens), own & (side.bishops | side.queens)
    by_pawns, by_knights = pawns.attacks(own & side.pawns), knight.attacks(own & side.knights)
    along, across = rooks_attacks(orthogonal, occupied), bishops_attacks(diagonal, occupied)
    cheaply = by_pawns & (side.knights | side.bishops | side.rooks | side.queens | RANK_8)
    cheaply |= (by_knights | across) & (side.rooks | side.queens) | along & side.queens
    more = _beyond((orthogonal, diagonal), occupied) | tactics.attacked_twice(
        own & side.pawns, own & side.knights, orthogonal, diagonal, own & side.kings, occupied
    )
    uncovering = own_attacks(side, own & queens_attacks(enemy_king, occupied), occupied)
    protected = enemy_attacks(side, side.enemy & ~queens_attacks(enemy_king, side.enemy), occupied)
    attacked = by_pawns | by_knights | along | across | king.attacks(own & side.kings)
    passed = side.en_passant if side.to_move != EMPTY else EMPTY
    return attacked & side.enemy & (~protected | cheaply | more | uncovering) | by_pawns & passed


@routine
def _capturable(side: Side) -> Set:
    """Enemy pieces, other than pawns, that this side may win by a capture."""
    return _may_fall(side) & side.enemy & ~side.pawns


@feature(among=_capturable)
def winning_captures(side: Side, squares: Set) -> Set:
    """Return the squares of enemy pieces that this side wins by a capture; 94 % of 600 good (Stockfish, 11/2026).

    The exchange on the square wins at least two pawns' worth (`Position.see` says how much), and at least a pawn's
    worth of it is left after every capture, check or promotion of the enemy. Captures of pawns are left out.

    Example:
        >>> position = setwise.Position("r1bqkbnr/ppp2ppp/2np4/4N3/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 0 4")
        >>> position.feature("black_winning_captures")
        Bitboard('e5')

    Why:
        Candidates are squares with an enemy piece that this side attacks. For each capture the exchange is counted to
        its end, where both sides stop when it is best to stop. If the exchange wins, each forcing reply is tried,
        because captures elsewhere, checks and mates may win the material back.

    Traps:
        If another piece of this side falls at the same time, nothing is won, although the exchange on the square wins;
        `en_prise` of the other side counts only that exchange, and also has pawns: of exchanges that win only a pawn,
        two of three are good. The feature is computed as if it were this side's turn; it is empty while the enemy
        stands in check, and unless each side has one king.

    Source:
        Chess Programming Wiki, "Static Exchange Evaluation".
    """
    return _winning(side, squares)


@routine
def _threatened(side: Side) -> Set:
    return byteswap(_may_fall(other_side(side)))


@feature(among=_threatened)
def en_prise(side: Side, squares: Set) -> Set:
    """Return this side's pieces, pawns too, that fall to an exchange there; 68 % of 600 good (Stockfish, 11/2026).

    The enemy captures, and both sides recapture while that is good for them: the attacker is worth less, or there are
    more attackers than protectors. `Position.see` says how much that loses. Stockfish found 68 % of 600 good to take in
    November 2026: 83 % of 600 where pieces are, 64 % of 600 where only pawns are.

    Example:
        >>> position = setwise.Position("r1bqkbnr/ppp2ppp/2np4/4N3/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 0 4")
        >>> position.feature("white_en_prise")
        Bitboard('e5')

    Why:
        The board is mirrored, the exchange after each capture of the other side is counted to its end, and the result
        is mirrored back.

    Traps:
        This side may have a better answer elsewhere, which `winning_captures` of the other side examines. `hanging`
        pieces are attacked and not protected at all. The feature is computed as if it were the enemy's turn; it is
        empty while this side stands in check, and unless each side has one king.

    Source:
        Chess Programming Wiki, "En prise", "Static Exchange Evaluation".
    """
    taken = byteswap(_exchanged(other_side(side), byteswap(squares)))
    return taken & side.own | taken << EIGHT & ~(side.own | side.enemy) << EIGHT & side.own & side.pawns


@subroutine
def _taken_best(side: Side, squares: Set) -> Set:
    """The squares where a capture wins a piece, or two pawns and the lead, and no other move wins more."""
    board = mover(side)
    moves = _move_list(uint16)
    least = THREE if lead(board) < _EVEN_BY_TWO else TWO
    taken, known = EMPTY, NOT_KNOWN
    for i in range(moves_to(board, squares, moves)):
        move = np.uint64(moves[i])
        here = bit(target_of(move))
        if here & squares & ~taken != EMPTY:
            known, wins = wins_most(board, move, least, EMPTY, FIRST, known)
            taken |= here if wins else EMPTY
    return taken


@entry(uint64, named(Side), uint64)
def _lost(side: Side, pieces: Set) -> Set:
    """The pieces that fall where they are, and on every square that they go to; capturing them is the best move."""
    board = mover(side)
    if not is_ready(board) or attackers(board, king_square(board), board.own | board.enemy) != EMPTY:
        return EMPTY
    pieces &= byteswap(_winning(other_side(side), byteswap(pieces)))
    if pieces == EMPTY:
        return EMPTY
    moves = _move_list(uint16)
    for i in range(moves_to(board, ~EMPTY, moves)):
        move = np.uint64(moves[i])
        piece = bit(origin_of(move))
        if piece & pieces != EMPTY and see(board, move) <= gain(board, move):
            pieces ^= piece
    return byteswap(_taken_best(other_side(side), byteswap(pieces))) if pieces != EMPTY else EMPTY


@routine
def _in_danger(side: Side) -> Set:
    return byteswap(_capturable(other_side(side))) & ~side.kings


@feature(among=_in_danger)
def trapped(side: Side, pieces: Set) -> Set:
    """Return this side's pieces that are attacked and fall, wherever they go; 87 % of 300 good (Stockfish, 11/2026).

    The piece is a knight, a bishop, a rook or a queen, and one of the enemy's `winning_captures` takes it. Each of its
    legal moves also loses it, or it has no legal move. The capture wins two pawns' worth after every reply, and no
    other move of the enemy wins more.

    Example:
        >>> position = setwise.Position("4b1k1/5ppp/p7/1p6/2p5/1B6/PPP3PP/6K1 w - - 0 1")
        >>> position.feature("white_trapped")
        Bitboard('b3')

    Why:
        A piece that the enemy does not attack cannot be trapped. Each other piece that falls on its square is moved to
        all squares that it can reach; it is trapped if it falls on each of them. Then all lines after its capture are
        searched.

    Traps:
        Whether another piece could protect it, or capture the attacker, is not examined. The feature is empty while
        either side stands in check.

    Source:
        Chess Programming Wiki, "Trapped Pieces".
    """
    return _lost(side, pieces)
