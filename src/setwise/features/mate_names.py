"""The names of mates: the patterns of ``setwise.patterns.mates`` that fit a mate, the most particular first."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from setwise.compiler import entry, subroutine
from setwise.compiler.kinds import boolean, int64, reads, uint64, void, writes
from setwise.features.registry import Side, own_attacks
from setwise.patterns import mates
from setwise.patterns.bits import EMPTY, ONE
from setwise.patterns.king import attacks as king_attacks
from setwise.rules.board import Board, board_at, mirrored

if TYPE_CHECKING:
    import pyarrow as pa


# --------------------------------------------------------------------------------------------------- the names of mates


#: Whether each pattern fits a mate, the most particular first: the first pattern that fits names the mate. First come
#: patterns that say where each piece is, then patterns that say which piece takes which squares, and last patterns that
#: fit every tenth mate.
Names = namedtuple(  # noqa: PYI024  (all fields are words)
    "Names",
    "legal stamma blackburne reti boden double_bishop suffocation smothered hook vukovic arabian anastasia greco "
    "mayet dovetail swallowtail damiano lolli max_lange damiano_bishop kill_box triangle balestra blind_swine "
    "epaulette opera morphy corner back_rank pillsbury two_rooks ladder queen_and_king support bishop_and_queen "
    "knight_and_major david_and_goliath corridor diagonal",
)
#: The names of mates, the most particular first.
NAMES = Names._fields


@subroutine
def _names(side: Side | Board) -> Names:
    """The patterns that fit a board whose own side has mated."""
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
    """Write the names of the mates in some rows: a bit for each of ``NAMES``, the lowest bit for the first name."""
    for i in range(rows.size):
        board = board_at(sets, rows[i])
        pictures = _names(mirrored(board) if white_to_move[rows[i]] else board)
        word, bit = EMPTY, ONE
        for k in range(len(pictures)):
            word |= bit * pictures[k]
            bit <<= ONE
        out[i] = word


# ------------------------------------------ the names of mates in many positions, computed only for those that are mate


def _sets_of_rows(sets: np.ndarray, white_to_move: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The names of the mates in some rows, a bit for each."""
    words = np.empty(len(rows), np.uint64)
    if len(rows):
        write_names(sets, white_to_move, rows, words)
    return words


def names_of(sets: np.ndarray, white_to_move: np.ndarray) -> tuple[str, ...]:
    """Return the names of one mate, the most particular first."""
    [word] = _sets_of_rows(sets, white_to_move, np.zeros(1, np.int64)).tolist()
    return tuple(name for k, name in enumerate(NAMES) if word >> k & 1)


def first_names(sets: np.ndarray, white_to_move: np.ndarray, is_mate: np.ndarray) -> pa.DictionaryArray:
    """Return the most particular name of each mate; null without a mate or a name."""
    import pyarrow as pa

    rows = np.flatnonzero(is_mate)
    words = _sets_of_rows(sets, white_to_move, rows)
    first, named = np.zeros(len(is_mate), np.int32), np.zeros(len(is_mate), np.bool_)
    named[rows] = words != 0
    # The number of bits below the lowest one is the index of the first name.
    first[rows] = np.bitwise_count((words & -words) - np.uint64(1))
    return pa.DictionaryArray.from_arrays(pa.array(first, mask=~named), pa.array(NAMES))


def all_names(sets: np.ndarray, white_to_move: np.ndarray, is_mate: np.ndarray) -> pa.ListArray:
    """Return all names of each mate, the most particular first; null where there is no mate."""
    import pyarrow as pa

    rows = np.flatnonzero(is_mate)
    words = _sets_of_rows(sets, white_to_move, rows)
    bits = words[:, None] >> np.arange(len(NAMES), dtype=np.uint64) & np.uint64(1)
    counts = np.zeros(len(is_mate) + 1, np.int32)
    counts[rows + 1] = np.bitwise_count(words)
    offsets = pa.array(np.cumsum(counts, dtype=np.int32))
    names = pa.array(NAMES).take(pa.array(np.nonzero(bits)[1]))
    return pa.ListArray.from_arrays(offsets, names, mask=pa.array(~is_mate))
