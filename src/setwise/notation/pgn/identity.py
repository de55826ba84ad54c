"""Identify equal games: 128 bits of a game's starting position and moves.

Two different games have the same 128 bits once in 3·10³⁸ pairs. Seven billion games form 2·10¹⁹ pairs; the probability
that one of these pairs collides is one in 10¹⁹.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import entry, routine
from setwise.compiler.signatures import int64, reads, uint16, uint64, void, writes
from setwise.notation.pgn.table import BOARD, FIRST_MOVE
from setwise.patterns.bits import ZERO
from setwise.rules.state import USUAL_START, WORDS

__all__ = ["keys_of"]

_SIXTEEN = np.uint64(16)
_27, _30, _31, _33 = (np.uint64(count) for count in (27, 30, 31, 33))
#: Multipliers and shifts of SplitMix64 (Steele, Lea, Flood 2014) and of MurmurHash3 (Appleby): each step is a bijection
#: in which half of the bits change when one does.
_A, _B = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)
_C, _D = np.uint64(0xFF51_AFD7_ED55_8CCD), np.uint64(0xC4CE_B9FE_1A85_EC53)
_FIRST, _SECOND = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0x2545_F491_4F6C_DD1D)

_USUAL = np.empty(WORDS, np.uint64)
_USUAL[:] = USUAL_START


@routine
def _mixed(key: tuple[np.uint64, np.uint64], word: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Mix a word into both halves of a key."""
    first, second = (key[0] ^ word) + _FIRST, (key[1] + word) ^ _SECOND
    first = (first ^ (first >> _30)) * _A
    first = (first ^ (first >> _27)) * _B
    second = (second ^ (second >> _33)) * _C
    second = (second ^ (second >> _33)) * _D
    return first ^ (first >> _31), second ^ (second >> _33)


@entry(void, reads(int64, 2, "A"), reads(uint16), reads(uint64, 2, "A"), reads(uint64), writes(uint64, 2))
def _write_keys(games: np.ndarray, moves: np.ndarray, boards: np.ndarray, usual: np.ndarray, keys: np.ndarray) -> None:
    for game in range(games.shape[0]):
        first = games[game, FIRST_MOVE]
        last = games[game + 1, FIRST_MOVE] if game + 1 < games.shape[0] else moves.size
        custom = games[game, BOARD]
        key = _FIRST, _SECOND
        for k in range(usual.size):
            key = _mixed(key, boards[custom, k] if custom >= 0 else usual[k])
        word = ZERO
        for k in range(last - first):
            word = word << _SIXTEEN | np.uint64(moves[np.uint64(first + k)])
            if k & 3 == 3:
                key, word = _mixed(key, word), ZERO
        key = _mixed(key, word)
        keys[game, 0], keys[game, 1] = key[0], key[1]


def keys_of(games: np.ndarray, moves: np.ndarray, boards: np.ndarray) -> np.ndarray:
    """Return two words for each game of the reader's columns: equal for the same start and moves.

    No move is 0, so games of different lengths differ in a word.
    """
    keys = np.empty((len(games), 2), np.uint64)
    _write_keys(games, moves, boards, _USUAL, keys)
    return keys
