"""FENs, moves and boards of many positions as texts, read and written: methods of ``Positions``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from setwise.errors import IllegalMove, InvalidFen, shortened
from setwise.notation import fen
from setwise.position import compiled, move_texts
from setwise.position.fields import unpacked
from setwise.rules.state import SETS

if TYPE_CHECKING:
    from setwise.position.positions import Positions

__all__ = ["fens", "piece_strings", "read_fens", "read_moves", "san", "uci"]


def read_fens(
    fens: Iterable[str], *, chess960: bool
) -> tuple[tuple[np.ndarray, ...], np.ndarray, dict[int, InvalidFen]]:
    """Return the columns of the valid FENs among texts, their numbers, and the faults of the others by number."""
    texts = _texts(fens)
    count = len(texts)
    offsets = np.frombuffer(texts.buffers()[1] or bytes(8), np.int64)[texts.offset :][: count + 1]
    data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    sets, white_to_move = np.empty((len(SETS), count), np.uint64), np.empty(count, np.bool_)
    clocks = np.empty((2, count), np.uint16)
    faults, places = np.empty(count, np.uint64), np.empty(count, np.int64)
    sound = fen.read_fens(data, offsets, chess960, sets, white_to_move, clocks[0], clocks[1], faults, places)
    wrong = {row: _explained(texts[row].as_py() or "", chess960) for row in np.flatnonzero(faults).tolist()}
    if sound < count:
        sets, white_to_move, clocks = np.ascontiguousarray(sets[:, :sound]), white_to_move[:sound], clocks[:, :sound]
    return (sets, white_to_move, *clocks), np.flatnonzero(faults == 0).astype(np.int32), wrong


def _explained(text: str, chess960: bool) -> InvalidFen:
    """The exception that describes the faults of a FEN, which is read again, alone, for its sets."""
    data = text.encode(errors="replace")
    state, faults, where = compiled.read_position.raw(data, len(data), chess960)
    return fen.explain(text, faults, where, unpacked(state), chess960=chess960)


def fens(
    positions: Positions, en_passant: Literal["legal", "fen", "xfen"] = "legal", *, shredder: bool = False
) -> pa.StringArray:
    """Return the FENs as Arrow strings, in the conventions of ``Position.fen``."""
    mode = np.uint64(fen.mode_of(en_passant, shredder=shredder))
    out, offsets = np.empty(len(positions) * fen.MOST_BYTES, np.uint8), np.empty(len(positions) + 1, np.int64)
    fen.write_fens(
        positions._rows,
        positions.white_to_move,
        positions.halfmove_clock,
        positions.fullmove_number,
        mode,
        out,
        offsets,
    )
    return _strings(out, offsets)


def _move_texts(positions: Positions, san: bool) -> pa.StringArray:
    moves = positions._moves_played()
    out, offsets = np.empty(len(positions) * move_texts.LONGEST_MOVE, np.uint8), np.empty(len(positions) + 1, np.int64)
    move_texts.write_moves(positions._rows, positions.white_to_move, moves, positions.chess960, san, out, offsets)
    return _strings(out, offsets, present=moves != 0)


def san(positions: Positions) -> pa.StringArray:
    """Return the move played next in SAN as Arrow strings, null where there is none."""
    return _move_texts(positions, san=True)


def uci(positions: Positions) -> pa.StringArray:
    """Return the move played next in UCI as Arrow strings, null where there is none."""
    return _move_texts(positions, san=False)


def piece_strings(positions: Positions) -> list[str]:
    """Return every position as 64 characters from a1 to h8: ``PNBRQK`` White, ``pnbrqk`` Black, ``.`` empty."""
    letters = np.full((len(positions), 64), ord("."), np.uint8)
    for row, (white, black) in enumerate(zip("PNBRQK", "pnbrqk", strict=True), start=2):
        for pieces, letter in ((positions.sets[0], white), (positions.sets[1], black)):
            occupied = (positions.sets[row] & pieces).astype("<u8").view(np.uint8).reshape(-1, 8)
            letters[np.unpackbits(occupied, axis=1, bitorder="little").astype(bool)] = ord(letter)
    return [row.tobytes().decode() for row in letters]


def read_moves(positions: Positions, column: pa.ChunkedArray) -> np.ndarray:
    """Return the moves of texts in UCI, 0 where there is none.

    Raises:
        IllegalMove: for the first text that is not a legal move.
    """
    chunks = column.cast(pa.large_string()).fill_null("").chunks
    texts = pa.concat_arrays(chunks or [pa.array([], pa.large_string())])
    moves, offsets = np.empty(len(positions), np.uint16), np.frombuffer(texts.buffers()[1] or bytes(8), np.int64)
    text = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    move_texts.read_moves(positions.sets, positions.white_to_move, text, offsets[texts.offset :], moves)
    wrong = np.flatnonzero((moves == 0) & (np.diff(offsets[texts.offset :][: len(positions) + 1]) > 0))
    if len(wrong):
        row = int(wrong[0])
        raise IllegalMove(f"position number {row + 1}: {shortened(texts[row].as_py())} is not a legal move in UCI")
    return moves


def _texts(fens: Iterable[str]) -> pa.LargeStringArray:
    """Texts in a row, whatever they come in; a missing one is empty."""
    try:
        if isinstance(fens, str):
            raise pa.ArrowTypeError("one text is made a position by Position(fen)")
        if isinstance(fens, pa.ChunkedArray):
            fens = pa.concat_arrays(fens.cast(pa.large_string()).chunks) if fens.num_chunks else ()
        return pa.array(fens, pa.large_string())
    except pa.ArrowException as error:
        raise TypeError(f"FENs are texts, several of them: {error}") from None


def _strings(data: np.ndarray, offsets: np.ndarray, present: np.ndarray | None = None) -> pa.StringArray:
    """Texts that stand one after the other, as Arrow strings without a copy."""
    validity = None if present is None else pa.py_buffer(np.packbits(present, bitorder="little"))
    texts = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data), validity)
    return texts.cast(pa.string())
