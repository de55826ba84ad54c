"""The moves of many games as PGN, in one call: SAN with numbers, and the texts that stand between the moves."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Move, entry, routine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import int32, int64, reads, uint8, uint16, uint64, void, writes
from setwise.notation.characters import DOT, SPACE
from setwise.notation.pgn.replay import start_of
from setwise.notation.san import write_san
from setwise.notation.scanning import TEXT
from setwise.notation.squares import write_number
from setwise.patterns.bits import EMPTY, ONE
from setwise.rules.moves import FIFTY_SIX, LAST_CLOCK, child, turned
from setwise.rules.state import movers_board

__all__ = ["movetexts"]

#: Bytes of a move with its number and a blank, at most: ``65535... exd8=Q+``, with room for what no legal move has.
_LONGEST = 24


@routine
def _write_text(texts: np.ndarray, start: int, stop: int, out: np.ndarray, at: int) -> int:
    """Write one of the texts; return where it ends."""
    for k in range(start, stop):
        out[at] = texts[k]
        at += 1
    return at


@routine
def _write_number(number: np.uint64, dots: int, out: np.ndarray, at: int) -> int:
    """Write the number of a move, its dots and a blank; return where it ends."""
    at = write_number(number, out, at)
    for _ in range(dots):
        out[at] = DOT
        at += 1
    out[at] = SPACE
    return at + 1


@entry(
    void, reads(int64, 2, "A"), reads(int64), reads(uint16), reads(uint64, 2, "A"), reads(int64), TEXT, reads(int32),
    writes(int64), writes(uint8),
)  # fmt: skip
def _write(
    games: np.ndarray,
    offsets: np.ndarray,
    moves: np.ndarray,
    boards: np.ndarray,
    firsts: np.ndarray,
    texts: np.ndarray,
    ends: np.ndarray,
    starts: np.ndarray,
    out: np.ndarray,
) -> None:
    texts, out, at = borrowed(texts), borrowed(out), 0
    for game in range(firsts.size):
        starts[game] = begin = at
        start, is_numbered = start_of(games[game], boards), True
        number = np.uint64(start.fullmove_number)
        board, flip = movers_board(start), FIFTY_SIX * (ONE - start.white_to_move)
        text = firsts[game]
        if text >= 0:
            at = _write_text(texts, ends[text], ends[text + 1], out, at)
        for n in range(offsets[game], offsets[game + 1]):
            if at > begin:
                out[at] = SPACE
                at += 1
            if flip == EMPTY or is_numbered:
                at = _write_number(number, 1 if flip == EMPTY else 3, out, at)
            move: Move = np.uint64(moves[n])
            move = turned(move) if flip != EMPTY else move
            at = write_san(board, move, flip, False, out, at)
            board, flip = child(board, move), flip ^ FIFTY_SIX
            number = min(number + np.uint64(flip == EMPTY), LAST_CLOCK)
            is_numbered = False
            if text >= 0:
                text += 1
                is_numbered = ends[text + 1] > ends[text]
                if is_numbered:
                    out[at] = SPACE
                    at = _write_text(texts, ends[text], ends[text + 1], out, at + 1)
    starts[firsts.size] = at


def movetexts(
    games: np.ndarray, offsets: np.ndarray, moves: np.ndarray, boards: np.ndarray, firsts: np.ndarray,
    texts: np.ndarray, ends: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return the moves of games as PGN without what ends them, concatenated, and where each begins and the last ends.

    A black move has its number at the beginning and behind a text.

    Args:
        games: the table of games.
        offsets: int64, where the moves of each game begin, and the last game's end.
        moves: 16 bits each, as White sees them.
        boards: the starting positions other than the usual one.
        firsts: for each game the number of the text before its first move, which those behind each of its
            moves follow; -1 for a game that has none.
        texts: bytes, uint8, of all texts.
        ends: int32, where the first text begins and each ends.
    """
    out = np.empty(_LONGEST * len(moves) + len(texts) + len(ends), np.uint8)
    starts = np.empty(len(firsts) + 1, np.int64)
    _write(games, offsets, moves, boards, firsts.astype(np.int64), texts, ends, starts, out)
    return out[: starts[-1]], starts
