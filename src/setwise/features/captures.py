"""Features of captures that win: exchanges are counted."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, byteswap, entry, routine, scratch
from setwise.compiler.signatures import named, uint16, uint64
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks, is_ready, mover, other_side, own_attacks
from setwise.patterns.bits import EIGHT, EMPTY, bit
from setwise.rules.board import attackers, king_square
from setwise.rules.exchange import see
from setwise.rules.gains import gain
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import moves_to
from setwise.rules.moves import EN_PASSANT, kind_of, origin_of, target_of

__all__ = ["en_prise", "trapped", "winning_captures"]

_move_list = scratch(MOST_MOVES)


@entry(uint64, named(Side), uint64)
def _winning(side: Side, squares: Set) -> Set:
    """Those of the squares where a capture by this side wins."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    moves = _move_list(uint16)
    won_squares = EMPTY
    for i in range(moves_to(board, squares, moves)):
        move = np.uint64(moves[i])
        here = bit(target_of(move))
        if here & squares & ~won_squares != EMPTY and (here & board.enemy != EMPTY or kind_of(move) == EN_PASSANT):
            won = see(board, move)
            if won != EMPTY and won <= gain(board, move):
                won_squares |= here
    return won_squares


@routine
def _capturable(side: Side) -> Set:
    """The squares where a capture may win."""
    passed = side.en_passant if side.to_move != EMPTY else EMPTY
    return own_attacks(side, side.own, side.own | side.enemy) & (side.enemy | passed)


@feature(among=_capturable)
def winning_captures(side: Side, squares: Set) -> Set:
    """Return the squares where a capture by this side wins material, when both sides go on as long as it pays.

    `Position.see` says how much is won. A capture en passant has the square that the pawn goes to.

    Example:
        >>> position = setwise.Position("r1bqkbnr/ppp2ppp/2np4/4N3/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 0 4")
        >>> position.feature("black_winning_captures")
        Bitboard('e5')

    Why:
        Only squares with an enemy piece that we attack can be captured on; most positions have none. There each capture
        is exchanged to its end, least worth first, and both sides stop when going on would cost them.

    Traps:
        Only what happens on that square is counted: another piece may be lost meanwhile. It is read as if it were this
        side's turn; there is nothing while the enemy stands in check, nor where not each side has one king.

    Source:
        Chess Programming Wiki, "Static Exchange Evaluation".
    """
    return _winning(side, squares)


@routine
def _threatened(side: Side) -> Set:
    return byteswap(_capturable(other_side(side)))


@feature(among=_threatened)
def en_prise(side: Side, squares: Set) -> Set:
    """Return this side's pieces that fall if the enemy captures them, when both sides go on as long as it pays.

    They are attacked by a piece of less worth, or more often than they are protected: the enemy's `winning_captures`
    take them. `Position.see` says how much that loses.

    Example:
        >>> position = setwise.Position("r1bqkbnr/ppp2ppp/2np4/4N3/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 0 4")
        >>> position.feature("white_en_prise")
        Bitboard('e5')

    Why:
        These are the pieces that the enemy's winning captures take: the board is mirrored, and the result mirrored
        back.

    Traps:
        `hanging` pieces are attacked and not protected at all. It is read as if it were the enemy's turn; there is
        nothing while this side stands in check, nor where not each side has one king.

    Source:
        Chess Programming Wiki, "En prise", "Static Exchange Evaluation".
    """
    taken = byteswap(_winning(other_side(side), byteswap(squares)))
    return taken & side.own | taken << EIGHT & ~(side.own | side.enemy) << EIGHT & side.own & side.pawns


@entry(uint64, named(Side), uint64)
def _lost(side: Side, pieces: Set) -> Set:
    """Those of the pieces that fall where they are, and wherever they go."""
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
    return pieces


@routine
def _attacked_pieces(side: Side) -> Set:
    return side.own & ~(side.pawns | side.kings) & enemy_attacks(side, side.enemy, side.own | side.enemy)


@feature(among=_attacked_pieces)
def trapped(side: Side, pieces: Set) -> Set:
    """Return this side's pieces that are attacked and fall, wherever they go.

    The piece is a knight, a bishop, a rook or a queen; each of its legal moves loses it, too, or there is none.

    Example:
        >>> position = setwise.Position("6k1/8/p7/1p6/2p5/1B6/PPP3PP/6K1 w - - 0 1")
        >>> position.feature("white_trapped")
        Bitboard('b3')

    Why:
        Pieces that the enemy does not attack cannot be trapped. Of the others, each that falls where it stands is moved
        everywhere it may go; it is trapped if it falls on every square.

    Traps:
        Whether another piece could protect it, or capture the attacker, is not examined. There is nothing while either
        side stands in check.

    Source:
        Chess Programming Wiki, "Trapped Pieces".
    """
    return _lost(side, pieces)
