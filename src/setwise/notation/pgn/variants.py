"""Games of variants in the PGN reader: the checks in a FEN, and the ends by the rules of the variant."""

from __future__ import annotations

import numpy as np

from setwise.compiler import byteswap, routine, scratch, subroutine
from setwise.compiler.signatures import uint8
from setwise.notation.characters import DIGIT_0, PLUS, SPACE
from setwise.notation.fen import read_fen
from setwise.notation.pgn.table import BLACKS, CHECKS, CHECKS_NOW, VARIANT
from setwise.patterns.bits import EMPTY, as_int
from setwise.rules.board import Board, in_check
from setwise.rules.state import State
from setwise.rules.variants import THREE_CHECK, counts_checks, has_won

__all__ = ["count_check", "has_ended", "read_variant_fen", "start_counting"]

_MOST_CHECKS = THREE_CHECK.checks
#: No FEN that is read here is longer.
_ROOM = 256
_bare = scratch(_ROOM)


@routine
def _number(text: np.ndarray, at: int, stop: int) -> int:
    """The digit here, as a number of checks; -1 for anything else."""
    number = as_int(text[at]) - as_int(DIGIT_0) if at < stop else -1
    return number if 0 <= number <= _MOST_CHECKS else -1


@subroutine
def read_variant_fen(text: np.ndarray, start: int, stop: int) -> tuple[State, np.uint64, int]:
    """Read a FEN that has a field of checks; return its state, its faults, and the checks given.

    ``3+3`` before the clocks has the checks that are left, as python-chess writes it; ``+0+0`` at the end those that
    were given, as Lichess does. The state has faults if there is no such field.
    """
    bare, n, fields, checks = _bare(uint8), 0, 0, -1
    at = start
    while at < stop and n < _ROOM:
        begins = text[at] != SPACE and (at == start or text[at - 1] == SPACE)
        fields += begins
        length = 0
        if begins and fields == 5 and at + 1 < stop and text[at + 1] == PLUS:
            white, black, length = _MOST_CHECKS - _number(text, at, stop), _MOST_CHECKS - _number(text, at + 2, stop), 3
        elif begins and fields == 7 and text[at] == PLUS and at + 2 < stop and text[at + 2] == PLUS:
            white, black, length = _number(text, at + 1, stop), _number(text, at + 3, stop), 4
        ends = at + length == stop or (at + length < stop and text[at + length] == SPACE)
        if length and ends and 0 <= min(white, black) < _MOST_CHECKS and max(white, black) <= _MOST_CHECKS:
            checks = white + black * BLACKS
            at += length
            continue
        bare[n] = text[at]
        n, at = n + 1, at + 1
    state, fault, _ = read_fen(bare, 0, n)
    return state, fault, checks


@routine
def has_ended(game: np.ndarray, board: Board, flip: np.uint64) -> bool:
    """Whether the game has ended by the rules of its variant; the board is the mover's."""
    variant, checks = game[VARIANT], game[CHECKS_NOW]
    white, black = board.own & board.kings, board.enemy & board.kings
    if flip != EMPTY:
        white, black = byteswap(black), byteswap(white)
    return has_won(variant, white, checks % BLACKS) or has_won(variant, black, checks // BLACKS)


@routine
def count_check(game: np.ndarray, child: Board, flip: np.uint64) -> None:
    """Count the check that a move has given, if it did; ``flip`` is empty if White made the move."""
    if in_check(child):
        game[CHECKS_NOW] += 1 if flip == EMPTY else BLACKS


@routine
def start_counting(game: np.ndarray) -> bool | np.bool:
    """Set the count of checks at the start of a game; return whether its FEN and its variant agree on checks."""
    game[CHECKS_NOW] = max(game[CHECKS], 0)
    return game[CHECKS] < 0 or counts_checks(game[VARIANT])
