"""How positions of few pieces end with best play, from tables: methods of ``Position`` and ``Positions``.

Tables of up to four pieces are setwise's own, see ``build_tablebase``. For more pieces those of Syzygy say who wins, if
``SETWISE_SYZYGY`` names their folders.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from setwise.errors import SourceError
from setwise.patterns.bits import PAWN_RANKS
from setwise.patterns.compass import flip_vertical
from setwise.patterns.pawns import attacks
from setwise.position.chess_boards import board_of
from setwise.rules.children import legal_move_counts
from setwise.rules.moves import NULL_MOVE
from setwise.rules.state import SETS, State

if TYPE_CHECKING:
    import pyarrow as pa

    from setwise.position.move import AnyMove
    from setwise.position.position import Position
    from setwise.position.positions import Positions

__all__ = ["are_tables_named", "dtm", "dtm_of", "tablebase_loss", "tablebase_loss_of", "wdl", "wdl_of"]

_WHITE, _BLACK, _PAWNS, _QUEENS, _KINGS, _CASTLING, _PASSED = (
    SETS.index(name)
    for name in ("white_pieces", "black_pieces", "pawns", "queens", "kings", "castling_rights", "en_passant")
)
#: The most pieces of Syzygy's tables, and what they give a win that the fifty moves do not spoil.
_MOST_OF_SYZYGY, _SYZYGY_WIN = 7, 2
#: The value of positions that no table holds; no mate takes as many plies.
_UNKNOWN = 254
#: Stands for no result.
_NO_RESULT = -2


# ------------------------------------------------------------------------------------------------------------ positions


def wdl(positions: Positions) -> pa.Int8Array:
    """Return what the mover reaches with best play: 1 a win, 0 a draw, -1 a loss; null where no table says it.

    Raises:
        SourceError: if there is no tablebase, or a table is damaged.
    """
    return _masked(_results(positions.sets, positions.white_to_move))


def dtm(positions: Positions) -> pa.Int16Array:
    """Return the moves to mate with best play, as ``Position.dtm`` does; null for draws, and where no table says it.

    Raises:
        SourceError: if there is no tablebase, or a table is damaged.
    """
    import pyarrow as pa

    from setwise.tablebases.solving import DRAWN

    values = _values(positions.sets, positions.white_to_move)
    moves = (values >> 1).astype(np.int16)
    return pa.array(np.where(values & 1, -moves, moves), mask=(values == _UNKNOWN) | (values == DRAWN))


def tablebase_loss(positions: Positions) -> pa.Int8Array:
    """Return what the moves played give away: 1 a win for a draw or a draw for a loss, 2 a win for a loss, else 0.

    Null where no table says it, for null moves, and where no move was played.

    Raises:
        ValueError: for positions that do not come from games.
        SourceError: if there is no tablebase, or a table is damaged.
    """
    before = _results(positions.sets, positions.white_to_move)
    moves = positions._moves_played()
    rows = np.flatnonzero((before != _NO_RESULT) & (moves != 0) & (moves != NULL_MOVE))
    known: Any = positions[rows]
    after, parents, made = known.children()
    played = np.flatnonzero(made == known.moves[parents])
    reached = _results(after.sets[:, played], after.white_to_move[played])
    losses, is_known = np.full(len(positions), _NO_RESULT, np.int8), reached != _NO_RESULT
    rows = rows[parents[played[is_known]]]
    losses[rows] = before[rows] + reached[is_known]
    return _masked(losses)


# --------------------------------------------------------------------------------------------------------- one position


def wdl_of(position: Position) -> int | None:
    """Return what the mover reaches with best play: 1 a win, 0 a draw, -1 a loss; None where no table says it.

    Tables hold the positions of up to four pieces without castling rights, those of Syzygy more. They do not know the
    fifty moves: a win takes 43 moves at most.

    Raises:
        SourceError: if there is no tablebase, or a table is damaged.

    Example:
        A king on the sixth rank ahead of his pawn wins in any case; on the fourth, here, if he has the opposition, so
        that Black must move.

        >>> from setwise import Position
        >>> [Position(f"4k3/8/4K3/4P3/8/8/8/8 {side}").wdl() for side in "wb"]
        [1, -1]
        >>> [Position(f"8/8/4k3/8/4K3/4P3/8/8 {side}").wdl() for side in "wb"]
        [0, -1]
    """
    [result] = _results(*_columns(position)).tolist()
    return None if result == _NO_RESULT else result


def dtm_of(position: Position) -> int | None:
    """Return the moves to mate with best play: in how many the mover mates, below 0 in how many he is mated.

    It is 0 where he is mated, None for a draw, and where no table says it: those of Syzygy have no such numbers.

    Raises:
        SourceError: if there is no tablebase, or a table is damaged.

    Example:
        >>> from setwise import Position
        >>> Position("7k/8/8/8/8/8/8/KQ6 w").dtm(), Position("k7/1Q6/1K6/8/8/8/8/8 b").dtm()
        (7, 0)
    """
    from setwise.tablebases.solving import DRAWN

    [value] = _values(*_columns(position)).tolist()
    return None if value in {_UNKNOWN, DRAWN} else -(value // 2) if value % 2 else value // 2


def tablebase_loss_of(position: Position, move: AnyMove) -> int | None:
    """Return what a move gives away: 1 a win for a draw or a draw for a loss, 2 a win for a loss, else 0.

    None where no table says it, and for a null move.

    Args:
        move: a ``Move``, or a text in UCI or SAN.

    Raises:
        InvalidMove, IllegalMove: as ``parse``.
        SourceError: if there is no tablebase, or a table is damaged.

    Example:
        >>> from setwise import Position
        >>> position = Position("8/8/2k5/8/4K3/4P3/8/8 w")
        >>> position.tablebase_loss("Ke5"), position.tablebase_loss("Kd4")
        (0, 1)
    """
    move = position.parse(move)
    after, before = position.play(move).wdl(), position.wdl()
    return None if before is None or after is None or move == NULL_MOVE else before + after


def _columns(position: Position) -> tuple[np.ndarray, np.ndarray]:
    return np.array(position.words[: len(SETS)], np.uint64).reshape(-1, 1), np.array([position.white_to_move])


# --------------------------------------------------------------------------------------------------------------- values


def are_tables_named() -> bool:
    """Return whether there is a folder of tables, or one of Syzygy's is named."""
    from setwise.tablebases.files import default_folder

    return default_folder().is_dir() or bool(os.environ.get("SETWISE_SYZYGY"))


def _values(sets: np.ndarray, white_to_move: np.ndarray) -> np.ndarray:
    """The values of positions, as ``tablebases.solving`` explains them; ``_UNKNOWN`` where no table has them."""
    from setwise.tablebases.files import default_folder
    from setwise.tablebases.lookup import values_of
    from setwise.tablebases.materials import MOST_PIECES
    from setwise.tablebases.solving import ILLEGAL

    folder = default_folder()
    if not are_tables_named():
        raise SourceError(
            f"there is no tablebase in {folder}: setwise tablebase build makes it in a minute or two, and "
            "SETWISE_TABLEBASE names another folder"
        )
    rows = np.flatnonzero(_are_of(sets, MOST_PIECES) & folder.is_dir())  # else all are Syzygy's to answer
    held, values = sets[:, rows], np.full(len(white_to_move), _UNKNOWN, np.uint8)
    kinds = [*held[_PAWNS : _QUEENS + 1]]
    values[rows] = values_of(folder, held[_WHITE], held[_BLACK], held[_KINGS], kinds, white_to_move[rows])
    values[values == ILLEGAL] = _UNKNOWN
    passed = np.flatnonzero((sets[_PASSED] != 0) & (values != _UNKNOWN))
    if len(passed):
        values[passed] = _with_en_passant(sets[:, passed], white_to_move[passed], values[passed])
    return values


def _are_of(sets: np.ndarray, most_pieces: int) -> np.ndarray:
    """Whether tables of so many pieces can hold positions: a king each, no castling, no pawn on a last rank."""
    are_few = np.bitwise_count(sets[_WHITE] | sets[_BLACK]) <= most_pieces
    kings = [np.bitwise_count(sets[_KINGS] & sets[side]) == 1 for side in (_WHITE, _BLACK)]
    return are_few & kings[0] & kings[1] & (sets[_CASTLING] == 0) & (sets[_PAWNS] & ~PAWN_RANKS == 0)


def _with_en_passant(sets: np.ndarray, white_to_move: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values of positions where a pawn has just passed a square, given those of the same without this right.

    Beside the kings there are two pawns: the one that passed, and perhaps one that takes it.
    """
    from setwise.tablebases.solving import DRAWN

    target = sets[_PASSED]
    own = np.where(white_to_move, sets[_WHITE], sets[_BLACK])
    ahead = np.where(white_to_move, sets[_PAWNS] & own, flip_vertical(sets[_PAWNS] & own))
    squares = np.where(white_to_move, target, flip_vertical(target))
    takes = np.flatnonzero(attacks(ahead) & squares)
    after = sets[:, takes].copy()
    # The pawn that takes is on the passed square then, alone with the kings.
    after[_PAWNS] = target[takes]
    after[_PASSED] = 0
    own_king = own[takes] & sets[_KINGS, takes]
    for row, is_movers in ((_WHITE, white_to_move[takes]), (_BLACK, ~white_to_move[takes])):
        other_king = after[_KINGS] & ~own_king
        after[row] = np.where(is_movers, own_king | target[takes], other_king)
    before = sets[:, takes].copy()
    before[_PASSED] = 0
    counts, _ = np.empty(len(takes), np.int16), np.empty(len(takes), np.bool_)
    legal_move_counts(before, white_to_move[takes], counts, _)
    reached = _values(after, ~white_to_move[takes])
    taken = np.where((reached == _UNKNOWN) | (reached == DRAWN), reached, reached + 1)
    out = values.copy()
    is_better = (counts == 0) | (_worth(taken) > _worth(values[takes]))
    out[takes] = np.where(taken == _UNKNOWN, _UNKNOWN, np.where(is_better, taken, values[takes]))
    return out


def _worth(values: np.ndarray) -> np.ndarray:
    """A number for each value that is larger where it is better for the mover."""
    from setwise.tablebases.solving import DRAWN

    plies = values.astype(np.int16)
    return np.where(values == DRAWN, 0, np.where(plies % 2, plies - _UNKNOWN, _UNKNOWN - plies))


def _results(sets: np.ndarray, white_to_move: np.ndarray) -> np.ndarray:
    """1, 0, -1 for the mover; ``_NO_RESULT`` where no table says it."""
    from setwise.tablebases.solving import DRAWN

    values = _values(sets, white_to_move)
    results = np.where(values == DRAWN, 0, np.where(values & 1, -1, 1)).astype(np.int8)
    results[values == _UNKNOWN] = _NO_RESULT
    if os.environ.get("SETWISE_SYZYGY"):
        for row in np.flatnonzero((values == _UNKNOWN) & _are_of(sets, _MOST_OF_SYZYGY)):
            results[row] = _of_syzygy(State._make([*sets[:, row].tolist(), int(white_to_move[row]), 0, 1]))
    return results


def _of_syzygy(state: State) -> int:
    """The result by Syzygy's tables: a win that the fifty moves spoil is a draw."""
    board = board_of(state, chess960=False)
    found = _syzygy(os.environ["SETWISE_SYZYGY"]).get_wdl(board) if board.is_valid() else None
    if found is None:
        return _NO_RESULT
    return (found >= _SYZYGY_WIN) - (found <= -_SYZYGY_WIN)


@functools.cache
def _syzygy(folders: str) -> Any:
    """The tables of some folders, by python-chess."""
    try:
        from chess import syzygy
    except ImportError:
        raise SourceError("SETWISE_SYZYGY needs python-chess: pip install 'setwise[chess]' installs it") from None
    tables = syzygy.Tablebase()
    for folder in folders.split(os.pathsep):
        try:
            found = tables.add_directory(folder)
        except OSError as error:
            raise SourceError(f"SETWISE_SYZYGY names {folder}, which cannot be read: {error.strerror}") from None
        if not found:
            raise SourceError(f"SETWISE_SYZYGY names {folder}, where no tables of Syzygy are")
    return tables


def _masked(results: np.ndarray) -> pa.Int8Array:
    import pyarrow as pa

    return pa.array(results, mask=results == _NO_RESULT)
