"""The names of mates: the pictures of ``setwise.patterns.mates`` that a mate shows, the most particular first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import entry, subroutine
from setwise.compiler.signatures import boolean, int64, reads, uint64, void, writes
from setwise.features.side import Side, own_attacks
from setwise.patterns import mates
from setwise.patterns.bits import EMPTY, ONE
from setwise.patterns.king import attacks as king_attacks
from setwise.rules.board import Board, board_at, mirrored

__all__ = ["NAMES", "write_names"]


class Names(NamedTuple):
    """Whether a mate shows each picture, the most particular first: the first picture that it shows names the mate.

    First come those that say where each piece stands, then those that say which piece takes which squares, last those
    that every tenth mate shows.
    """

    legal: Any
    stamma: Any
    blackburne: Any
    reti: Any
    boden: Any
    double_bishop: Any
    suffocation: Any
    smothered: Any
    hook: Any
    vukovic: Any
    arabian: Any
    anastasia: Any
    greco: Any
    mayet: Any
    dovetail: Any
    swallowtail: Any
    damiano: Any
    lolli: Any
    max_lange: Any
    damiano_bishop: Any
    kill_box: Any
    triangle: Any
    balestra: Any
    blind_swine: Any
    epaulette: Any
    opera: Any
    morphy: Any
    corner: Any
    back_rank: Any
    pillsbury: Any
    two_rooks: Any
    ladder: Any
    queen_and_king: Any
    support: Any
    bishop_and_queen: Any
    knight_and_major: Any
    david_and_goliath: Any
    corridor: Any
    diagonal: Any


#: The names of mates, the most particular first.
NAMES = Names._fields


@subroutine
def _names(side: Side | Board) -> Names:
    """The pictures on a board whose own side has mated."""
    king, blockers = side.enemy & side.kings, side.enemy & ~side.kings
    occupied = side.own | side.enemy
    pawns, knights, bishops = side.own & side.pawns, side.own & side.knights, side.own & side.bishops
    rooks, queens, kings = side.own & side.rooks, side.own & side.queens, side.own & side.kings
    orthogonal = rooks | queens
    attacked = own_attacks(side, side.own, occupied & ~king)
    others = own_attacks(side, side.own & ~(queens & king_attacks(king)), occupied & ~king)
    return Names(
        legal=mates.legal(king, blockers, knights, bishops, occupied),
        stamma=mates.stamma(king, blockers, knights, kings),
        blackburne=mates.blackburne(king, blockers, knights, bishops, occupied),
        reti=mates.reti(king, blockers, bishops, orthogonal, occupied),
        boden=mates.boden(king, blockers, bishops, occupied),
        double_bishop=mates.double_bishop(king, blockers, bishops, occupied),
        suffocation=mates.suffocation(king, blockers, knights, bishops, occupied),
        smothered=mates.smothered(king, blockers, knights),
        hook=mates.hook(king, pawns, knights, rooks),
        vukovic=mates.vukovic(king, knights, rooks),
        arabian=mates.arabian(king, knights, rooks),
        anastasia=mates.anastasia(king, blockers, knights, orthogonal, occupied),
        greco=mates.greco(king, blockers, bishops, orthogonal, occupied),
        mayet=mates.mayet(king, bishops, rooks, occupied),
        dovetail=mates.dovetail(king, blockers, queens, occupied, others),
        swallowtail=mates.swallowtail(king, blockers, queens),
        damiano=mates.damiano(king, pawns, queens),
        lolli=mates.lolli(king, pawns, queens),
        max_lange=mates.max_lange(king, bishops, queens, occupied),
        damiano_bishop=mates.damiano_bishop(king, bishops, queens, occupied),
        kill_box=mates.kill_box(king, rooks, queens, occupied),
        triangle=mates.triangle(king, rooks, queens, occupied),
        balestra=mates.balestra(king, blockers, bishops, queens, occupied),
        blind_swine=mates.blind_swine(king, rooks),
        epaulette=mates.epaulette(king, orthogonal, occupied),
        opera=mates.opera(king, bishops, rooks, occupied),
        morphy=mates.morphy(king, blockers, bishops, rooks, occupied),
        corner=mates.corner(king, blockers, knights, orthogonal, occupied),
        back_rank=mates.back_rank(king, blockers, orthogonal, occupied, attacked),
        pillsbury=mates.pillsbury(king, blockers, bishops, rooks, occupied),
        two_rooks=mates.two_rooks(king, blockers, rooks, occupied),
        ladder=mates.ladder(king, orthogonal, occupied),
        queen_and_king=mates.queen_and_king(king, blockers, queens, kings, occupied),
        support=mates.support(king, queens, attacked),
        bishop_and_queen=mates.bishop_and_queen(king, blockers, bishops, queens, occupied),
        knight_and_major=mates.knight_and_major(king, blockers, knights, rooks, queens, occupied),
        david_and_goliath=mates.david_and_goliath(king, pawns),
        corridor=mates.corridor(king, orthogonal, occupied),
        diagonal=mates.diagonal(king, bishops, queens, occupied),
    )


@entry(void, reads(uint64, 2), reads(boolean), reads(int64), writes(uint64))
def write_names(sets: np.ndarray, white_to_move: np.ndarray, rows: np.ndarray, out: np.ndarray) -> None:
    """Write the names of the mates in some rows: a bit for each of ``NAMES``, the first one the lowest."""
    for i in range(rows.size):
        board = board_at(sets, rows[i])
        pictures = _names(mirrored(board) if white_to_move[rows[i]] else board)
        word, bit = EMPTY, ONE
        for k in range(len(pictures)):
            word |= bit * pictures[k]
            bit <<= ONE
        out[i] = word
