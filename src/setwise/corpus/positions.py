"""``Positions``: the columns of many positions, as arrays."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from setwise import features
from setwise.notation import fen
from setwise.notation.texts import LONGEST_MOVE, write_moves

if TYPE_CHECKING:
    from setwise.corpus.games import Games

__all__ = ["SET_NAMES", "Positions"]

#: The rows of ``Positions.sets``.
SET_NAMES = (
    "white_pieces", "black_pieces", "pawns", "knights", "bishops", "rooks", "queens", "kings", "castling_rights", "en_passant",
)  # fmt: skip


class Positions:
    """Many positions: every name of ``Position`` as a column, an array with an item a position.

    The sets are uint64 (rows of ``sets``, whose names are attributes: ``white_pieces``, ``pawns`` …, ``castling_rights``,
    ``en_passant``), ``white_to_move`` is bool, ``halfmove_clock`` and ``fullmove_number`` are uint16. Positions that come from
    games also have ``moves`` (the move played next, 16 bits, 0 where there is none), ``game`` (the row in ``games``) and
    ``ply``. Slices and arrays of indices or flags give Positions again.
    """

    def __init__(
        self,
        sets: np.ndarray,
        white_to_move: np.ndarray,
        halfmove_clock: np.ndarray,
        fullmove_number: np.ndarray,
        *,
        moves: np.ndarray | None = None,
        game: np.ndarray | None = None,
        ply: np.ndarray | None = None,
        games: Games | None = None,
    ) -> None:
        self.sets = sets
        self.white_to_move = white_to_move
        self.halfmove_clock = halfmove_clock
        self.fullmove_number = fullmove_number
        self.moves = moves
        self.game = game
        self.ply = ply
        self.games = games

    def __len__(self) -> int:
        return self.sets.shape[1]

    def __getattr__(self, name: str) -> np.ndarray:
        if name in SET_NAMES:
            return self.sets[SET_NAMES.index(name)]
        raise AttributeError(f"Positions has no column {name!r}{features.did_you_mean(name, SET_NAMES)}")

    def __getitem__(self, which: Any) -> Positions:
        if isinstance(which, int | np.integer):
            which = slice(int(which), int(which) + 1 or None)
        pick = lambda column: None if column is None else column[which]  # noqa: E731
        return Positions(
            np.ascontiguousarray(self.sets[:, which]),
            self.white_to_move[which],
            self.halfmove_clock[which],
            self.fullmove_number[which],
            moves=pick(self.moves),
            game=pick(self.game),
            ply=pick(self.ply),
            games=self.games,
        )

    # ------------------------------------------------------------------------------------------------------------ text

    @classmethod
    def from_fens(cls, fens: Iterable[str], *, chess960: bool = False) -> Positions:
        """Return the positions of FENs.

        Args:
            fens: texts, strictly read: a position that no game can reach is refused.
            chess960: whether castling rights may be Chess960's.

        Raises:
            InvalidFen: for the first text that is no FEN of a legal position, with its number and the reason.

        Example:
            >>> Positions.from_fens(["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"]).pawns
            array([4096], dtype=uint64)
        """
        texts = pa.array(fens, pa.large_string())
        offsets = np.frombuffer(texts.buffers()[1], np.int64)[: len(texts) + 1]
        data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
        sets, white_to_move = np.empty((10, len(texts)), np.uint64), np.empty(len(texts), np.bool_)
        clocks = np.empty((2, len(texts)), np.uint16)
        read, faults, where = fen.read_fens(data, offsets, chess960, sets, white_to_move, clocks[0], clocks[1])
        if read < len(texts):
            text = texts[read].as_py()
            error = fen.explain(text, faults, where - int(offsets[read]), chess960=chess960)
            raise type(error)(f"FEN number {read + 1}: {error}")
        return cls(sets, white_to_move, clocks[0], clocks[1])

    def fens(self, en_passant: str = "legal") -> pa.StringArray:
        """Return the FENs as Arrow strings; ``en_passant`` is "legal", "fen" or "xfen" as in ``Position.fen``."""
        mode = np.uint64(fen.CONVENTIONS[en_passant])
        out, offsets = np.empty(len(self) * fen.MOST_BYTES, np.uint8), np.empty(len(self) + 1, np.int64)
        fen.write_fens(self.sets, self.white_to_move, self.halfmove_clock, self.fullmove_number, mode, out, offsets)
        return _strings(out, offsets)

    def _move_texts(self, san: bool) -> pa.StringArray:
        if self.moves is None:
            raise ValueError("these positions do not come from games; no moves were played in them")
        out, offsets = np.empty(len(self) * LONGEST_MOVE, np.uint8), np.empty(len(self) + 1, np.int64)
        write_moves(self.sets, self.white_to_move, self.moves, san, out, offsets)
        return _strings(out, offsets, present=self.moves != 0)

    def san(self) -> pa.StringArray:
        """Return the move played next in SAN as Arrow strings, null where there is none."""
        return self._move_texts(san=True)

    def uci(self) -> pa.StringArray:
        """Return the move played next in UCI as Arrow strings, null where there is none."""
        return self._move_texts(san=False)

    def piece_strings(self) -> list[str]:
        """Return every position as 64 characters from a1 to h8: ``PNBRQK`` White, ``pnbrqk`` Black, ``.`` empty."""
        letters = np.full((len(self), 64), ord("."), np.uint8)
        for row, (white, black) in enumerate(("Pp", "Nn", "Bb", "Rr", "Qq", "Kk"), start=2):
            for men, letter in ((self.sets[0], white), (self.sets[1], black)):
                there = (self.sets[row] & men).astype("<u8").view(np.uint8).reshape(-1, 8)
                letters[np.unpackbits(there, axis=1, bitorder="little").astype(bool)] = ord(letter)
        return [row.tobytes().decode() for row in letters]

    # -------------------------------------------------------------------------------------------------------- features

    @functools.cached_property
    def _white_side(self) -> tuple[np.ndarray, ...]:
        return (*self.sets[:8], self.white_to_move)

    @functools.cached_property
    def _black_side(self) -> tuple[np.ndarray, ...]:
        mirrored = self.sets[:8].byteswap()
        return (mirrored[1], mirrored[0], *mirrored[2:], ~self.white_to_move)

    def feature(self, name: str) -> np.ndarray:
        """Return a feature's column, ``white_NAME`` or ``black_NAME``: sets as uint64, counts and filesets as uint8.

        Raises ``ValueError`` with the nearest names for an unknown one.
        """
        found, for_white = features.one_sided(name)
        if for_white:
            return found.ufunc(*self._white_side)
        values = found.ufunc(*self._black_side)
        return values.byteswap(inplace=True) if found.returns.dtype == np.uint64 else values


def _strings(data: np.ndarray, offsets: np.ndarray, present: np.ndarray | None = None) -> pa.StringArray:
    """Texts that stand one after the other, as Arrow strings without a copy."""
    validity = None if present is None else pa.py_buffer(np.packbits(present, bitorder="little"))
    texts = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data), validity)
    return texts.cast(pa.string())
