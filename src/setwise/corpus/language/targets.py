"""``legal_targets`` and ``pseudo_legal_targets``: where pieces may go, by a list of the movers of each position."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import Column
from setwise.corpus.language.each import squares_of_each
from setwise.patterns import compass, king, knight, pawns, sliders
from setwise.position.positions import Positions
from setwise.rules.moves import CASTLING

__all__ = ["TARGETS", "targets_column"]

#: The beginning of the names of these columns, which are those of the functions that read them.
TARGETS = "targets of "

_ONE, _SIX_BITS = np.uint64(1), np.uint16(63)
#: The king's squares after castling to the right and to the left.
_CASTLED = np.array([6, 2])


def targets_column(name: str) -> Column:
    """Return the column of the pieces that may move: for each the set of its square, and the set of where it may go."""
    targets = _TARGETS[name.removeprefix(TARGETS)]
    return Column(
        name, pa.list_(pa.list_(pa.uint64())), "the pieces that may move, and where they may go",
        lambda positions: _listed(*targets(positions), len(positions)), of_boards=True,
    )  # fmt: skip


_Movers = tuple[np.ndarray, np.ndarray, np.ndarray]


def _listed(rows: np.ndarray, origins: np.ndarray, targets: np.ndarray, count: int) -> pa.Array:
    """A list of pairs for each of so many positions, the pairs in the order of the positions."""
    pairs = pa.ListArray.from_arrays(
        pa.array(np.arange(0, 2 * len(rows) + 1, 2, dtype=np.int32)), pa.array(np.stack([origins, targets], -1).ravel())
    )
    ends = np.searchsorted(rows, np.arange(count + 1)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), pairs)


def _legal_moves(positions: Positions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each legal move the place (64 for each row, and the square), the set of its end, whether it is castling."""
    parents, moves, _ = positions.legal_moves()
    origins, ends = (moves & _SIX_BITS).astype(np.int64), (moves >> np.uint16(6) & _SIX_BITS).astype(np.int64)
    castles = moves >> np.uint16(12) == CASTLING
    ends = np.where(castles, ends // 8 * 8 + _CASTLED[(ends < origins).astype(int)], ends)
    return parents * 64 + origins, _ONE << ends.astype(np.uint64), castles


def _legal(positions: Positions) -> _Movers:
    """The row of each piece that has a legal move, the set of its square, and the set of where it may go."""
    places, ends, _ = _legal_moves(positions)
    order = np.argsort(places, kind="stable")
    found, first = np.unique(places[order], return_index=True)
    targets = np.bitwise_or.reduceat(ends[order], first) if len(first) else ends
    return found // 64, _ONE << (found % 64).astype(np.uint64), targets


def _pseudo_legal(positions: Positions) -> _Movers:
    """The same of each of the mover's pieces, as if its king could be left in check; castling is legal castling."""
    white = positions.white_to_move
    own = np.where(white, positions.white_pieces, positions.black_pieces)
    squares = squares_of_each(pa.array(own))
    origins = squares.flatten().to_numpy()
    rows = np.repeat(np.arange(len(positions)), np.diff(squares.offsets.to_numpy()))
    occupied = (positions.white_pieces | positions.black_pieces)[rows]
    targets = np.zeros(len(rows), np.uint64)
    for name, reached in _REACHED.items():
        targets |= reached(getattr(positions, name)[rows] & origins, occupied)
    targets |= _of_pawns(positions.pawns[rows] & origins, occupied, positions.en_passant[rows], white[rows])
    targets &= ~own[rows]
    places, ends, castles = _legal_moves(positions)
    kings = np.searchsorted(rows * 64 + np.bitwise_count(origins - _ONE), places[castles])
    np.bitwise_or.at(targets, kings, ends[castles])
    return rows, origins, targets


def _of_pawns(those: np.ndarray, occupied: np.ndarray, passed: np.ndarray, white: np.ndarray) -> np.ndarray:
    """Where pawns may go, which Black's do on the mirrored board."""
    those, occupied, passed = (np.where(white, sets, compass.flip_vertical(sets)) for sets in (those, occupied, passed))
    pushes = pawns.single_pushes(those, ~occupied) | pawns.double_pushes(those, ~occupied)
    targets = pushes | pawns.attacks(those) & (occupied | passed)
    return np.where(white, targets, compass.flip_vertical(targets))


_REACHED: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "knights": lambda pieces, _: knight.attacks(pieces),
    "kings": lambda pieces, _: king.attacks(pieces),
    "bishops": sliders.bishops_attacks,
    "rooks": sliders.rooks_attacks,
    "queens": sliders.queens_attacks,
}
_TARGETS: dict[str, Callable[[Positions], _Movers]] = {"legal_targets": _legal, "pseudo_legal_targets": _pseudo_legal}
