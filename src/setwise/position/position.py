"""``Position``: one position as an object, with its rules.

It is immutable: eight sets, the side to move, castling rights, the en passant square, two clocks. What its methods
compute is compiled (``position.compiled``) or follows from the rules. This file first defines the fields that the
properties return, the readers of moves and records, conversions, and the values of tablebases; then the class.
"""

from __future__ import annotations

import functools
import os
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from operator import index, itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, SupportsIndex, TypeVar, overload

import numpy as np

from setwise.bitboard import Bitboard, parse_square, square_name
from setwise.chess_words import with_hints
from setwise.compiler import plain
from setwise.errors import (
    AmbiguousMove,
    IllegalMove,
    ImpossiblePosition,
    InvalidFen,
    InvalidMove,
    SourceError,
    shortened,
)
from setwise.features import COLOURS, FEATURES, one_sided
from setwise.notation import fen as fen_notation
from setwise.notation.epd import MOVE_LISTS, SINGLE_MOVES, VARIATION, parse_epd, write_operations
from setwise.notation.moves import AMBIGUOUS, REASONS, UNREADABLE
from setwise.patterns.bits import PAWN_RANKS
from setwise.patterns.compass import flip_vertical
from setwise.patterns.pawns import attacks as pawn_attacks
from setwise.position import compiled
from setwise.position.compiled import moves, packed, unpacked
from setwise.position.move import MOVE_TABLES, UCI_TEXT, AnyMove, Move, MoveAsWritten, MoveTable
from setwise.rules import generate as rules_perft
from setwise.rules.board import NULL_MOVE, SETS, WORDS, State
from setwise.rules.generate import ambiguous, legal_move_counts
from setwise.rules.status import UNPLAYABLE, Outcome, Status, Termination, sentences
from setwise.view import board_svg

if TYPE_CHECKING:
    import chess

    from setwise.position.reasons import Reason


# -------------------------------------------------------------- the fields of a position: words of 64 bits in its state


T = TypeVar("T")
_from_bytes = int.from_bytes
#: The byte of a state that says whose turn it is.
TURN = 8 * State._fields.index("white_to_move")
_HOME_RANKS = 0xFF00_0000_0000_00FF
_ambiguous = plain(ambiguous)
#: The ten sets of a state, and the same sets with their ranks reversed: each byte of a word is a rank.
sets_of, _reversed = struct.Struct(f"<{len(SETS)}Q").unpack_from, struct.Struct(f">{len(SETS)}Q").unpack_from
_black_first = itemgetter(1, 0, *range(2, len(SETS)))


class Field(Generic[T]):
    """A descriptor for one word of a position's state, converted to a Python type."""

    def __init__(self, name: str, python: Callable[[int], T], meaning: str) -> None:
        place = 8 * State._fields.index(name)
        self.place, self.python, self.__doc__ = slice(place, place + 8), python, meaning

    @overload
    def __get__(self, position: None, owner: type) -> Self: ...

    @overload
    def __get__(self, position: Position, owner: type) -> T: ...

    def __get__(self, position: Position | None, owner: type) -> Self | T:
        if position is None:
            return self
        return self.python(_from_bytes(position._state[self.place], "little"))


def squares_of(word: int) -> Bitboard:
    """Return a word as a set, without checks."""
    return int.__new__(Bitboard, word)


def flipped_sets(state: bytes) -> tuple[int, ...]:
    """Return the ten sets of a state as Black sees them, Black's pieces first."""
    sets: tuple[int, ...] = _black_first(_reversed(state))
    return sets


def as_square(square: SupportsIndex | str) -> int:
    """Return the number of a square from its number or name; raise ``ValueError`` or ``TypeError`` for other things."""
    return parse_square(square if isinstance(square, str) else square_name(square))


def checked_state(words: Iterable[SupportsIndex]) -> State:
    """Return thirteen numbers as words of a position; raises ``InvalidFen`` if they describe no board."""
    numbers = tuple(map(index, words))
    if len(numbers) != WORDS or any(not 0 <= word < 2**64 for word in numbers):
        raise InvalidFen(f"a position has {WORDS} numbers of 64 bits: {shortened(numbers)}")
    state = State._make(numbers)
    wrong = Bitboard(_ambiguous(*numbers[:8]))
    if wrong or state.white_to_move > 1:
        where = " ".join(wrong.names()) or "the turn"
        raise InvalidFen(f"every piece has one colour and one kind; this does not hold on {where}")
    castling, passed = Bitboard(state.castling_rights), Bitboard(state.en_passant)
    if castling & ~_HOME_RANKS or len(passed) > 1:
        raise InvalidFen(
            f"castling rooks stand on ranks 1 and 8, and at most one square is passed, not {castling!r} and {passed!r}"
        )
    return state


# ------------------------------------------------------------------------------------- what repetitions and errors need


#: The bytes of a state before this index hold the pieces and castling rights, which are the same in a repetition.
_PIECES_AND_RIGHTS = 8 * SETS.index("en_passant")


def impossible(position: Position) -> ImpossiblePosition:
    """Return the exception that says why a position can have no moves."""
    return ImpossiblePosition(f"{position.fen()!r} can have no moves: {'; '.join(position.faults())}")


# -------------------------------------------------------------------------- moves as texts, and why a move is not legal


_EN_PASSANT_SUFFIX = re.compile(r"\s*\(?e\.?p\.?\)?(?=[+#!?]*\Z)")
_NO_MOVE, _AMBIGUOUS = int(UNREADABLE), int(AMBIGUOUS)
_UCI, _SAN, _LAN = map(int, (compiled.UCI, compiled.SAN, compiled.LAN))
_LONG = 30  # letters; no move is that long
_NOT_LEGAL = REASONS.keys() | {int(NULL_MOVE)}
_FORMS = {_UCI: "UCI, such as e2e4, a7a8q", _SAN: "SAN, such as e4, Nbd7, exd8=Q+, O-O"}
_ANY_FORM = "UCI or SAN, such as e2e4, Nbd7, exd8=Q+, O-O"


def _read(position: Position, text: str, notation: int) -> Move:
    move = _meaning(position, text, notation, _FORMS[notation])
    if move not in REASONS:
        return position._moves.moves[move]
    kind = AmbiguousMove if move == _AMBIGUOUS else IllegalMove
    from setwise.position.reasons import Reasons

    reason = Reasons(position._state).of_text(_bare(text))
    raise kind(f"{shortened(text, 30)} in {position.fen()!r}: {reason.sentence}")


def _bare(text: str) -> str:
    return _EN_PASSANT_SUFFIX.sub("", text.strip())


def _meaning(position: Position, text: str, notation: int, forms: str = _ANY_FORM) -> int:
    """Return the number of the legal move that a text means, or the number of a reason why there is none.

    Raises ``InvalidMove``, which says what ``forms`` moves have, for a text that is not a move.
    """
    if not position._playable:
        raise impossible(position)
    move = _NO_MOVE
    # Blanks and "e.p." are removed only if the text cannot be read without that, which saves time for all other texts.
    for form in (str, _bare):
        letters = form(text).encode(errors="replace")  # a lone surrogate is not part of any move
        if len(letters) < _LONG:
            move = compiled.read_move.raw(position._state, letters, len(letters), notation)
        if move not in REASONS:
            return move
    if move == _NO_MOVE:
        raise InvalidMove(f"{shortened(text, 30)} is not a move in {forms}")
    return move


def _write(position: Position, move: AnyMove, notation: int) -> str:
    if type(move) is not Move:
        move = position.parse(move)
    if not position._playable:
        raise impossible(position)
    text: str = compiled.write_move.raw(position._state, move, notation)
    if not text:
        raise illegal(position, move)
    return text


def illegal(position: Position, move: Move) -> IllegalMove:
    """Return the exception that says why a move is not legal."""
    from setwise.position.reasons import Reasons

    reason = Reasons(position._state).of_move(move)
    return IllegalMove(f"{move.uci()} in {position.fen()!r} is not legal: {reason.sentence}")


def _text(move: AnyMove) -> str | None:
    """Return the text of a move that must be parsed; None for a number."""
    if isinstance(move, str):
        return move
    if hasattr(move, "__index__") and type(move) is not MoveAsWritten:
        return None
    if hasattr(move, "uci"):
        return move.uci()
    raise TypeError(f"a move is a Move, a number, or a text in UCI or SAN, not {type(move).__name__}")


def _notation(text: str) -> int:
    return _UCI if UCI_TEXT.match(text) else _SAN


# ----------------------------------------------------- EPD records: operations whose operands are moves of the position


_WORD = re.compile(r"\S+")
_Position = TypeVar("_Position", bound="Position")


def read_record(text: str, position_of: Callable[[str], _Position]) -> tuple[_Position, dict[str, Any]]:
    """Return the position of a record, created from its FEN by ``position_of``, and the operations."""
    fields, parsed = parse_epd(text)
    position: Any = position_of(f"{fields} {parsed.get('hmvc', 0)} {parsed.get('fmvn', 1)}")
    operations: dict[str, Any] = dict(parsed)
    for name, operand in parsed.items():
        words = (word[0] for word in _WORD.finditer(str(operand or "")))  # one at a time: a text may be long
        if name in MOVE_LISTS:
            operations[name] = [position.parse(word) for word in words]
        elif name in SINGLE_MOVES:
            operations[name] = position.parse(str(operand))
        elif name == VARIATION:
            operations[name], current = [], position
            for word in words:
                operations[name].append(current.parse(word))
                current = current.play(operations[name][-1])
    return position, operations


# ---------------------------------------------------------- lazy views of a position's moves, for iteration, len and in


class LegalMoves:
    """The legal moves of a position: call it for a list, loop over it, or use ``len`` and ``in``.

    The operand of ``in`` is a move as all methods of a position take it: a ``Move``, a number, a text in UCI or SAN.

    Raises:
        ImpossiblePosition: in a position that cannot have moves.
        InvalidMove: for a text that is not a move.

    Example:
        >>> from setwise import Position
        >>> legal = Position().legal_moves
        >>> len(legal), "Nf3" in legal, "e2e5" in legal
        (20, True, False)
        >>> [move.uci() for move in legal if move.from_square == 1]
        ['b1a3', 'b1c3']
    """

    __slots__ = ("_position",)

    _position: Position
    _sort = "legal"

    def __call__(self) -> list[Move]:
        """Return the moves as a list, in no particular order."""
        position = self._position
        if not position._playable:
            raise impossible(position)
        return moves.raw(position._state, position._moves.legal)

    def __iter__(self) -> Iterator[Move]:
        return iter(self())

    def __len__(self) -> int:
        return len(self())

    def __contains__(self, move: AnyMove) -> bool:
        return self._position.is_legal(move)

    def count(self) -> int:
        """Return how many moves there are, as ``len`` does."""
        return len(self)

    def __repr__(self) -> str:
        if not self._position._playable:
            return f"<no moves: {impossible(self._position)}>"
        return f"<{len(self)} {self._sort} moves: {' '.join(map(str, self))}>"


class PseudoLegalMoves(LegalMoves):
    """All moves that the pieces can make, also those that leave the king in check; used like ``LegalMoves``."""

    __slots__ = ()

    _sort = "pseudo-legal"

    def __call__(self) -> list[Move]:
        """Return the moves as a list, in no particular order."""
        position = self._position
        if not position._playable:
            raise impossible(position)
        return moves.raw(position._state, position._moves.pseudo_legal)

    def __contains__(self, move: AnyMove) -> bool:
        from setwise.position.reasons import CHECKS

        reason = self._position.why_not(move)
        return reason is None or reason.kind in CHECKS


# -------------------------------------------------------------------------- the numbered starting positions of Chess960


#: Castling letters that are files of rooks, not sides.
_FILES_OF_ROOKS = re.compile(r"\S+\s+[wb]\s+[KQkq]*[A-HJa-hj]")


def names_rooks(fen: str) -> bool:
    """Return whether a FEN names the rooks that may castle by their files, as Shredder-FEN does.

    Example:
        >>> names_rooks("rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1"), names_rooks("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        (True, False)
    """
    return _FILES_OF_ROOKS.match(fen) is not None


def typed_position(text: str, *, chess960: bool, strict: bool) -> Position:
    """Return the position of a typed FEN, and the starting position for no text and for ``startpos``.

    Rooks that are named by their files imply Chess960.
    """
    text = text.strip()
    if text in {"", "startpos"}:
        return Position(chess960=chess960)
    return Position(text, chess960=chess960 or names_rooks(text), strict=strict)


def first_rank(number: int) -> str:
    """Return Black's pieces of a starting position from the a-file to the h-file, as a FEN writes them.

    Args:
        number: the number of the position, 0 to 959.

    Example:
        >>> first_rank(518)
        'rnbqkbnr'

    Source:
        Wikipedia, "Fischer random chess numbering scheme", the direct derivation.
    """
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    pieces = {2 * light + 1: "b", 2 * dark: "b"}
    free = [file for file in range(8) if file not in pieces]
    pieces[free.pop(queen)] = "q"
    first, second = list(combinations(free, 2))[knights]
    pieces |= {first: "n", second: "n"}
    pieces |= zip((file for file in free if file not in pieces), "rkr", strict=True)
    return "".join(pieces[file] for file in range(8))


# -------------------------------------------------------------------- conversion to and from the boards of python-chess


def state_of(board: chess.Board) -> State:
    """Return the state of a board; raises ``ValueError`` for variants other than standard chess and Chess960."""
    if board.uci_variant != "chess":
        raise ValueError(f"a board of {board.uci_variant} has other rules than standard chess and Chess960")
    return State(
        board.occupied_co[True], board.occupied_co[False], board.pawns, board.knights, board.bishops, board.rooks,
        board.queens, board.kings, board.castling_rights, 0 if board.ep_square is None else 1 << board.ep_square,
        board.turn, board.halfmove_clock, board.fullmove_number,
    )  # fmt: skip


def states_of(boards: Iterable[chess.Board]) -> tuple[list[State], np.ndarray]:
    """Return the states of boards, and whether each is of Chess960; errors name the number of the board."""
    states, chess960 = list[State](), list[bool]()
    for board in boards:
        try:
            states.append(state_of(board))
        except ValueError as error:
            raise ValueError(f"board number {len(states) + 1}: {error}") from None
        chess960.append(board.chess960)
    return states, np.array(chess960, np.bool_)


def board_of(state: State, *, chess960: bool) -> chess.Board:
    """Return a board with this state, without a history."""
    import chess

    board = chess.Board(None, chess960=chess960)
    white, black, *sets, castling, passed, turn, halfmoves, fullmoves = map(int, state)
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK], board.occupied = white, black, white | black
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = sets
    board.turn, board.castling_rights = turn == 1, castling
    board.halfmove_clock, board.fullmove_number = halfmoves, fullmoves
    board.ep_square = passed.bit_length() - 1 if passed else None
    return board


# ---------------------------------------------------------- how positions of few pieces end with best play, from tables


_WHITE, _BLACK, _PAWNS, _QUEENS, _KINGS, _CASTLING, _PASSED = (
    SETS.index(name)
    for name in ("white_pieces", "black_pieces", "pawns", "queens", "kings", "castling_rights", "en_passant")
)
#: The largest number of pieces in Syzygy's tables, and their value of a win that the fifty-move rule does not spoil.
_MOST_OF_SYZYGY, _SYZYGY_WIN = 7, 2
#: The value of positions that no table holds; no mate takes as many plies.
UNKNOWN = 254
#: Stands for no result.
NO_RESULT = -2


def _tablebase_columns(position: Position) -> tuple[np.ndarray, np.ndarray]:
    return np.array(position.words[: len(SETS)], np.uint64).reshape(-1, 1), np.array([position.white_to_move])


def are_tables_named() -> bool:
    """Return whether there is a folder of tables, or ``SETWISE_SYZYGY`` names folders of Syzygy's tables."""
    from setwise.tablebases.files import default_folder

    return default_folder().is_dir() or bool(os.environ.get("SETWISE_SYZYGY"))


def tablebase_values(sets: np.ndarray, white_to_move: np.ndarray) -> np.ndarray:
    """The values of positions, as ``tablebases.solving`` explains them; ``UNKNOWN`` where no table has them."""
    from setwise.tablebases.files import default_folder, values_of
    from setwise.tablebases.solving import ILLEGAL, MOST_PIECES

    folder = default_folder()
    if not are_tables_named():
        raise SourceError(
            f"there is no tablebase in {folder}: setwise tablebase build makes it in a minute or two, and "
            "SETWISE_TABLEBASE names another folder"
        )
    rows = np.flatnonzero(_are_of(sets, MOST_PIECES) & folder.is_dir())  # the others are for Syzygy's tables
    held, values = sets[:, rows], np.full(len(white_to_move), UNKNOWN, np.uint8)
    kinds = [*held[_PAWNS : _QUEENS + 1]]
    values[rows] = values_of(folder, held[_WHITE], held[_BLACK], held[_KINGS], kinds, white_to_move[rows])
    values[values == ILLEGAL] = UNKNOWN
    passed = np.flatnonzero((sets[_PASSED] != 0) & (values != UNKNOWN))
    if len(passed):
        values[passed] = _with_en_passant(sets[:, passed], white_to_move[passed], values[passed])
    return values


def _are_of(sets: np.ndarray, most_pieces: int) -> np.ndarray:
    """Whether tables of so many pieces can hold positions: one king a side, no castling, no pawn on a last rank."""
    are_few = np.bitwise_count(sets[_WHITE] | sets[_BLACK]) <= most_pieces
    kings = [np.bitwise_count(sets[_KINGS] & sets[side]) == 1 for side in (_WHITE, _BLACK)]
    return are_few & kings[0] & kings[1] & (sets[_CASTLING] == 0) & (sets[_PAWNS] & ~PAWN_RANKS == 0)


def _with_en_passant(sets: np.ndarray, white_to_move: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values of positions where a pawn has just passed a square, given their values without en passant captures.

    Besides the kings there are the pawn that passed and at most one more piece, perhaps a pawn that can capture it.
    """
    from setwise.tablebases.solving import DRAWN

    target = sets[_PASSED]
    own = np.where(white_to_move, sets[_WHITE], sets[_BLACK])
    ahead = np.where(white_to_move, sets[_PAWNS] & own, flip_vertical(sets[_PAWNS] & own))
    squares = np.where(white_to_move, target, flip_vertical(target))
    takes = np.flatnonzero(pawn_attacks(ahead) & squares)
    after = sets[:, takes].copy()
    # After the capture the capturing pawn is on the passed square, and only the kings are left besides it.
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
    reached = tablebase_values(after, ~white_to_move[takes])
    taken = np.where((reached == UNKNOWN) | (reached == DRAWN), reached, reached + 1)
    out = values.copy()
    is_better = (counts == 0) | (_worth(taken) > _worth(values[takes]))
    out[takes] = np.where(taken == UNKNOWN, UNKNOWN, np.where(is_better, taken, values[takes]))
    return out


def _worth(values: np.ndarray) -> np.ndarray:
    """A number for each value that is larger where it is better for the mover."""
    from setwise.tablebases.solving import DRAWN

    plies = values.astype(np.int16)
    return np.where(values == DRAWN, 0, np.where(plies % 2, plies - UNKNOWN, UNKNOWN - plies))


def tablebase_results(sets: np.ndarray, white_to_move: np.ndarray) -> np.ndarray:
    """1, 0, -1 for the mover; ``NO_RESULT`` where no table says it."""
    from setwise.tablebases.solving import DRAWN

    values = tablebase_values(sets, white_to_move)
    results = np.where(values == DRAWN, 0, np.where(values & 1, -1, 1)).astype(np.int8)
    results[values == UNKNOWN] = NO_RESULT
    if os.environ.get("SETWISE_SYZYGY"):
        for row in np.flatnonzero((values == UNKNOWN) & _are_of(sets, _MOST_OF_SYZYGY)):
            results[row] = _of_syzygy(State._make([*sets[:, row].tolist(), int(white_to_move[row]), 0, 1]))
    return results


def _of_syzygy(state: State) -> int:
    """The result by Syzygy's tables: a win that the fifty moves spoil is a draw."""
    board = board_of(state, chess960=False)
    result = _syzygy(os.environ["SETWISE_SYZYGY"]).get_wdl(board) if board.is_valid() else None
    if result is None:
        return NO_RESULT
    return (result >= _SYZYGY_WIN) - (result <= -_SYZYGY_WIN)


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
            added = tables.add_directory(folder)
        except OSError as error:
            raise SourceError(f"SETWISE_SYZYGY names {folder}, which cannot be read: {error.strerror}") from None
        if not added:
            raise SourceError(f"SETWISE_SYZYGY names {folder}, which has no tables of Syzygy")
    return tables


# ------------------------------------------------------------------ Position: one position as an object, with its rules


_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_DRAWING = int(compiled.DRAWING)
_SYNTAX_FAULTS = int(fen_notation.NO_TEXT)
_new = object.__new__
#: Deeper counts of moves are split by moves, between which Ctrl-C interrupts.
_INTERRUPTIBLE = 5
_AS_IT_IS = "strict=False accepts it, and status() lists its faults"


@with_hints("Board")
class Position:
    """A chess position: eight sets of pieces, the side to move, castling rights, the en passant square, two clocks.

    Positions do not change: ``play`` gives the next one. They compare and hash by all their fields, so they can be
    counted and used as keys; two positions that differ only in their clocks are different. ``chess960``, which says how
    castling is written, is not compared.

    Args:
        fen: a FEN (or X-FEN, Shredder-FEN); the start position when left out. Fields missing at the end take
            the values of a game's beginning.
        chess960: allow castling of Chess960, and write castling moves in UCI as king takes rook.
        strict: refuse positions that no game can reach. Otherwise ``status`` lists their faults, and methods for moves
            raise ``ImpossiblePosition`` where moves mean nothing.

    Raises:
        InvalidFen: for a text that is not a FEN, or an impossible position; the message says where and why.

    Example:
        >>> from setwise import Position
        >>> p = Position().play("e4").play("e5").play("Nf3")
        >>> p
        Position('rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2')
        >>> p.knights & p.white_pieces
        Bitboard('b1 f3')
        >>> len(p.legal_moves()), p.san(p.legal_moves()[0]), p.perft(3)
        (29, 'a6', 23193)
        >>> Position("4k3/8/8/8/8/8/8/4K2P w")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        setwise.errors.InvalidFen: FEN ... w': a pawn stands on the first or the last rank (h1); strict=False ...

    Traps:
        ``en_passant`` is the square that a pawn has just passed, even if no capture there is possible; ``fen()``
        shows it only if a legal capture exists. For repetitions compare ``repetition_key()``.
    """

    __slots__ = ("_moves", "_playable", "_state")

    _state: bytes
    _moves: MoveTable
    _playable: bool

    def __new__(cls, fen: str = _START, *, chess960: bool = False, strict: bool = True) -> Self:
        """Create a position from a FEN."""
        if not isinstance(fen, str):
            raise TypeError(f"a Position is made from the text of a FEN, not {type(fen).__name__}")
        text = fen.encode(errors="replace")
        state, faults, where = compiled.read_position.raw(text, len(text), bool(chess960))
        position = cls._of(state, bool(chess960), faults & UNPLAYABLE == 0)
        if faults and (strict or faults >= _SYNTAX_FAULTS):
            explained = (fen, faults, where, position.words)
            # The error is not assigned to a variable: its frame, and the text in it, would live until a garbage
            # collection.
            if faults >= _SYNTAX_FAULTS:
                raise fen_notation.explain(*explained, chess960=chess960)
            raise InvalidFen(f"{fen_notation.explain(*explained, chess960=chess960)}; {_AS_IT_IS}")
        return position

    @classmethod
    def _of(cls, state: bytes, chess960: bool, playable: bool = True) -> Self:
        """Return a position from the bytes of its words, without checks."""
        position = _new(cls)
        position._state, position._moves, position._playable = state, MOVE_TABLES[chess960], playable
        return position

    @classmethod
    def from_words(cls, words: Iterable[SupportsIndex], *, chess960: bool = False, strict: bool = True) -> Self:
        """Return the position of thirteen numbers, as ``words`` gives them and as columns hold them.

        Raises:
            InvalidFen: when they are not a position, as for the constructor.
        """
        state = packed(checked_state(words))
        position = cls._of(state, bool(chess960))
        faults = position.status()
        if faults and strict:
            raise InvalidFen(f"{shortened(position.fen('fen'), 90)}: {'; '.join(position.faults())}")
        return cls._of(state, position.chess960, faults & UNPLAYABLE == 0)

    @classmethod
    def chess960_start(cls, number: SupportsIndex) -> Self:
        """Return the starting position of Chess960 with a number from 0 to 959; 518 is the usual one.

        Example:
            >>> from setwise import Position
            >>> Position.chess960_start(0).fen()
            'bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1'
        """
        if not 0 <= index(number) < 960:
            raise ValueError(f"the starting positions of Chess960 have the numbers 0 to 959, not {number}")
        rank = first_rank(index(number))
        return cls(f"{rank}/pppppppp/8/8/8/8/PPPPPPPP/{rank.upper()} w KQkq - 0 1", chess960=True)

    # ------------------------------------------------------------------------------------------------------- fields

    white_pieces = Field("white_pieces", squares_of, "Squares of all white pieces.")
    black_pieces = Field("black_pieces", squares_of, "Squares of all black pieces.")
    pawns = Field("pawns", squares_of, "Squares of the pawns of both sides.")
    knights = Field("knights", squares_of, "Squares of the knights of both sides.")
    bishops = Field("bishops", squares_of, "Squares of the bishops of both sides.")
    rooks = Field("rooks", squares_of, "Squares of the rooks of both sides.")
    queens = Field("queens", squares_of, "Squares of the queens of both sides.")
    kings = Field("kings", squares_of, "Squares of both kings.")
    castling_rights = Field("castling_rights", squares_of, "Squares of the rooks that may still castle.")
    en_passant = Field(
        "en_passant", squares_of, "The square that a pawn has just passed with a double step, or the empty set."
    )
    halfmove_clock = Field("halfmove_clock", int, "Half moves since the last capture or pawn move.")
    fullmove_number = Field("fullmove_number", int, "Number of the full move, which Black's move ends.")

    @property
    def white_to_move(self) -> bool:
        """Whether it is White's turn."""
        return self._state[TURN] == 1

    @property
    def chess960(self) -> bool:
        """Whether castling follows the rules of Chess960."""
        return self._moves.chess960

    @property
    def occupied(self) -> Bitboard:
        """Squares of all pieces."""
        return self.white_pieces | self.black_pieces

    @property
    def words(self) -> State:
        """The thirteen numbers of a position, by name: the ten sets, whether White moves, half moves, full moves."""
        return unpacked(self._state)

    @property
    def key(self) -> int:
        """The Polyglot key: 64 bits that identify the position in opening books and in the column ``key``.

        Pieces, turn and castling rights count; the clocks do not. The file of a pawn that has just passed a square
        counts if an enemy pawn stands beside it, even if that one may not capture. In Chess960 a right is short or long
        depending on which side of the king the rook is on.

        Example:
            >>> from setwise import Position
            >>> f"{Position().key:016x}"
            '463b96181691fc9c'
        """
        return compiled.key.raw(self._state)

    def fen(self, en_passant: Literal["legal", "fen", "xfen"] = "legal", *, shredder: bool = False) -> str:
        """Return the FEN.

        Args:
            en_passant: when to show the square that a pawn has passed: ``"legal"`` if it can legally be captured there,
                ``"xfen"`` if an enemy pawn stands beside it, ``"fen"`` always, as the standard says.
            shredder: write all castling rights by the files of the rooks (``HAha``), not only where ``KQkq`` is not
                clear.
        """
        if not self._playable and en_passant == "legal":  # nothing is legal here
            en_passant = "xfen"
        return compiled.write_position.raw(self._state, fen_notation.mode_of(en_passant, shredder=shredder))

    def piece_string(self) -> str:
        """Return 64 letters from a1, b1 to h8, ``.`` for an empty square, as ``setwise.view`` draws them."""
        return compiled.write_position.raw(self._state, _DRAWING)

    # -------------------------------------------------------------------------------------------- pieces and features

    def piece_at(self, square: SupportsIndex | str) -> str | None:
        """Return the letter of the piece on a square, ``PNBRQK`` white, ``pnbrqk`` black; None for an empty one."""
        letter = self.piece_string()[as_square(square)]
        return None if letter == "." else letter

    def piece_map(self) -> dict[int, str]:
        """Return the letters of all pieces by their squares, upwards from a1.

        Example:
            >>> from setwise import Position
            >>> Position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").piece_map()
            {4: 'K', 12: 'P', 60: 'k'}
        """
        return {square: letter for square, letter in enumerate(self.piece_string()) if letter != "."}

    def king(self, *, white: bool) -> int | None:
        """Return the square of White's, or Black's, king, 0 (a1) to 63 (h8).

        A position made with ``strict=False`` may have no king, which gives None, or several, which gives the highest
        of their squares.

        Example:
            >>> from setwise import Position
            >>> from setwise.squares import E1
            >>> Position().king(white=True) == E1
            True
        """
        kings = self.kings & (self.white_pieces if white else self.black_pieces)
        return kings.bit_length() - 1 if kings else None

    def attacks(self, square: SupportsIndex | str) -> Bitboard:
        """Return the squares that the piece on a square attacks, own pieces' too; none if the square is empty.

        Example:
            >>> from setwise import Position
            >>> p = Position("4k3/8/8/4q3/3P4/8/8/4K2R w K - 0 1")
            >>> p.attacks("d4"), p.attacks("h1") & p.white_pieces, p.attacks("a1")
            (Bitboard('c5 e5'), Bitboard('e1'), Bitboard(''))

        Traps:
            A piece may attack squares that it cannot move to: pinned pieces attack, and pawns attack diagonally.
            ``targets`` returns the squares that a piece can move to.
        """
        return squares_of(compiled.attacks_of.raw(self._state, as_square(square)))

    def attackers(self, square: SupportsIndex | str, *, white: bool) -> Bitboard:
        """Return the squares of White's, or Black's, pieces that attack a square, pinned ones too.

        Example:
            >>> from setwise import Position
            >>> Position("4k3/8/3n4/8/4P3/8/4Q3/4K3 w - - 0 1").attackers("e4", white=False)
            Bitboard('d6')
        """
        return squares_of(compiled.attackers_of.raw(self._state, as_square(square), bool(white)))

    def is_attacked_by(self, square: SupportsIndex | str, *, white: bool) -> bool:
        """Return whether one of White's, or Black's, pieces attacks a square; pinned pieces attack, too."""
        return compiled.attackers_of.raw(self._state, as_square(square), bool(white)) != 0

    def targets(
        self, square: SupportsIndex | str, *, pseudo_legal: bool = False, captures_only: bool = False
    ) -> Bitboard:
        """Return the squares that the piece on a square can move to; castling counts as the square the king arrives on.

        Pseudo-legal targets of all pieces except pawns are the attacked squares without own pieces; their captures are
        the attacked squares with enemy pieces.

        Args:
            square: the square of the piece. An empty square, or a piece of the side not to move, has no targets.
            pseudo_legal: include moves that leave the king in check.
            captures_only: include only captures, en passant too.

        Raises:
            ImpossiblePosition: in a position that cannot have moves.

        Example:
            >>> from setwise import Position
            >>> p = Position("4k3/8/8/3p4/1b6/2N5/8/4K2R w K - 0 1")
            >>> p.targets("c3"), p.targets("c3", pseudo_legal=True, captures_only=True), p.targets("h1")
            (Bitboard(''), Bitboard('d5'), Bitboard('f1 g1 h2 h3 h4 h5 h6 h7 h8'))
            >>> p.targets("e1")
            Bitboard('d1 f1 g1 d2 e2 f2')
        """
        origin, squares = as_square(square), 0
        for move in self.pseudo_legal_moves() if pseudo_legal else self.legal_moves():
            if move.from_square == origin and not (captures_only and not self.is_capture(move)):
                squares |= 1 << move.to_square
        return Bitboard(squares)

    def feature(self, name: str) -> Bitboard | int | bool:
        """Return a feature of one side; a set is a ``Bitboard``.

        Args:
            name: ``white_NAME``, ``black_NAME``, ``own_NAME`` (of the side to move) or ``enemy_NAME``.

        Raises:
            QueryError: for an unknown name; the message has the most similar names.

        Example:
            >>> from setwise import Position
            >>> Position("r3k2q/8/8/3N4/8/8/8/4K3 w - - 0 1").feature("white_fork_squares")
            Bitboard('c7')
        """
        definition, side = one_sided(name)
        state = self._state
        white_to_move = state[TURN] == 1
        if side == "white" or (side != "black" and (side == "own") == white_to_move):
            return definition.raw(*sets_of(state), white_to_move)
        return definition.returns.turned(definition.raw(*flipped_sets(state), not white_to_move))

    def features(self) -> dict[str, Bitboard | int | bool]:
        """Return every feature of both sides by the names of their columns."""
        return {f"{side}_{name}": self.feature(f"{side}_{name}") for name in FEATURES for side in COLOURS}

    # ------------------------------------------------------------------------------------------------------- moves

    @property
    def legal_moves(self) -> LegalMoves:
        """All legal moves: ``p.legal_moves()`` is the list; they can be iterated, counted, and tested with ``in``.

        Example:
            >>> from setwise import Position
            >>> p = Position()
            >>> len(p.legal_moves), "e4" in p.legal_moves, p.legal_moves()[:2]
            (20, True, [<Move a2a3>, <Move b2b3>])
        """
        view = LegalMoves()
        view._position = self
        return view

    @property
    def pseudo_legal_moves(self) -> PseudoLegalMoves:
        """All moves that the pieces can make, including those that leave the king in check; used like ``legal_moves``.

        Castling through attacked squares is among them, castling through pieces is not.
        """
        view = PseudoLegalMoves()
        view._position = self
        return view

    def play(self, move: AnyMove) -> Self:
        """Return the position after a legal move, or a null move, which passes the turn.

        Args:
            move: a Move, its number, or a text in UCI or SAN; ``--`` and ``0000`` are null moves.

        Raises:
            IllegalMove, AmbiguousMove, InvalidMove: when the move is neither legal nor a null move.
        """
        if type(move) is not Move:
            move = self.parse(move)
        if not self._playable:
            raise impossible(self)
        state = compiled.play.raw(self._state, move)
        if not state:
            raise illegal(self, move)
        child = _new(type(self))  # what _of does, inlined: 10 % faster
        child._state, child._moves, child._playable = state, self._moves, True
        return child

    def mirror(self) -> Self:
        """Return the same position from the other side: ranks reversed, colours exchanged."""
        *_, white_to_move, halfmoves, fullmoves = self.words
        state = packed((*flipped_sets(self._state), 1 - white_to_move, halfmoves, fullmoves))
        return self._of(state, self.chess960, self._playable)

    def parse(self, move: AnyMove) -> Move:
        """Return the move that a number, a text in UCI or SAN, or python-chess's Move stands for.

        Texts are checked against the rules, numbers are not.
        """
        text = _text(move)
        if text is None:
            return self._moves.move(index(move))  # type: ignore[arg-type]
        return _read(self, text, _notation(text))

    def parse_san(self, text: str) -> Move:
        """Return the legal move that a text in SAN or LAN means.

        Common misspellings are read too: too many hints (``Ng1f3``), missing ``x``, ``+`` and ``=``, ``0-0``, ``e.p.``

        Raises:
            InvalidMove: the text is not a move.
            IllegalMove: the move is not legal here; the message says why.
            AmbiguousMove: the text fits several legal moves.
        """
        return _read(self, text, _SAN)

    def parse_uci(self, text: str) -> Move:
        """Return the legal move that a text in UCI means; castling as ``e1g1`` or as ``e1h1``.

        Raises:
            InvalidMove, IllegalMove: as ``parse_san``.
        """
        return _read(self, text, _UCI)

    def san(self, move: AnyMove) -> str:
        """Return a legal move in SAN, with just the hints it needs and ``+`` or ``#``."""
        return _write(self, move, _SAN)

    def lan(self, move: AnyMove) -> str:
        """Return a legal move in long algebraic notation, ``Ng1-f3``."""
        return _write(self, move, _LAN)

    def uci(self, move: AnyMove) -> str:
        """Return a move in UCI; castling is ``e1g1``, in Chess960 king takes rook."""
        return (move if type(move) is Move else self.parse(move)).uci(self.chess960)

    def is_legal(self, move: AnyMove) -> bool:
        """Return whether a move is legal; False for a null move, and for a text that means no legal move."""
        if not self._playable:
            raise impossible(self)
        if type(move) is not Move:
            if (text := _text(move)) is not None:
                return _meaning(self, text, _notation(text)) not in _NOT_LEGAL
            move = self.parse(move)
        return not move.is_null and bool(compiled.play.raw(self._state, move))

    def why_not(self, move: AnyMove) -> Reason | None:
        """Return why a move is not legal, with the pieces and squares that a board can show; None if it is legal.

        Args:
            move: a ``Move``, or a text in UCI or SAN; a text in SAN is explained by the piece that comes closest.

        Raises:
            InvalidMove: for a text that is not a move.

        Example:
            >>> from setwise import Position
            >>> position = Position("4k3/4r3/8/8/8/2p5/4N3/R3K3 w Q - 0 1")
            >>> position.why_not("Nxc3").sentence
            'the knight on e2 is pinned to the king by the rook on e7'
            >>> position.why_not("Nxc3").squares
            Bitboard('e1 e2 e3 e4 e5 e6')
            >>> position.why_not("Ra7"), position.why_not("Rh1").kind, position.why_not("a1b2").kind
            (None, 'blocked', 'moves_otherwise')
        """
        from setwise.position.reasons import Reasons

        if not self._playable:
            raise impossible(self)
        if (text := _text(move)) is None:
            number = self._moves.move(index(move))  # type: ignore[arg-type]
            return None if self.is_legal(number) else Reasons(self._state).of_move(number)
        meaning = _meaning(self, text, _notation(text))
        if meaning == NULL_MOVE:
            return Reasons(self._state).of_move(Move.null())
        return Reasons(self._state).of_text(_bare(text)) if meaning in REASONS else None

    def is_capture(self, move: AnyMove) -> bool:
        """Return whether a move takes a piece, en passant too."""
        move = move if type(move) is Move else self.parse(move)
        return move.is_en_passant or (not move.is_null and move >> 6 & 63) in (
            self.black_pieces if self.white_to_move else self.white_pieces
        )

    def is_castling(self, move: AnyMove) -> bool:
        """Return whether a move castles."""
        return (move if type(move) is Move else self.parse(move)).is_castling

    def is_en_passant(self, move: AnyMove) -> bool:
        """Return whether a move captures en passant."""
        return (move if type(move) is Move else self.parse(move)).is_en_passant

    def gives_check(self, move: AnyMove) -> bool:
        """Return whether a legal move gives check."""
        return self.play(move).is_check()

    def see(self, move: AnyMove) -> int:
        """Return the gain of the exchange that a legal move begins, in pawns: static exchange evaluation.

        Pieces are worth 1 3 3 5 9. On the move's target both sides capture in turn, by legal moves, and each stops when
        it pays: pinned pieces take no part while they are pinned, sliders behind the first ones join in, a king takes
        nothing that is protected, and pawns that reach the last rank become queens. A move that captures nothing can
        only lose, or give 0; castling gives 0.

        Args:
            move: a ``Move``, or a text in UCI or SAN.

        Raises:
            InvalidMove, IllegalMove: as ``parse``.

        Example:
            >>> from setwise import Position
            >>> position = Position("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1")
            >>> position.see("Nxe5")
            -2

        Traps:
            Only captures on that square are counted: neither mate, nor another piece that is lost meanwhile.

        Source:
            Chess Programming Wiki, "Static Exchange Evaluation".
        """
        move = self.parse(move)
        if not self._playable:
            raise impossible(self)
        legal, won = compiled.exchange.raw(self._state, move)
        if not legal:
            raise illegal(self, move)
        return won

    def perft(self, depth: int, *, gpu: bool = False) -> int:
        """Return how many sequences of ``depth`` legal moves there are; with ``gpu``, a graphics card counts them."""
        depth = index(depth)
        if not 0 <= depth <= 60:  # greater depths would not finish, nor fit 64 bits
            raise ValueError(f"the depth of perft is a number from 0 to 60, not {depth}")
        if not self._playable:
            raise impossible(self)
        if depth == 0:
            return 1
        if gpu and depth > 1:
            from setwise.position import card

            sets = np.array(self.words[: len(SETS)], np.uint64)[:, None]
            return card.perft(sets, depth, white_to_move=self.white_to_move)
        if depth > _INTERRUPTIBLE:
            return sum(self.perft_divide(depth).values())
        board = self if self.white_to_move else self.mirror()
        return rules_perft.nodes.raw(board.words[: len(SETS)], depth)

    def perft_divide(self, depth: int, *, threads: int = 1) -> dict[Move, int]:
        """Return for each legal move how many sequences of ``depth`` moves begin with it, counted by ``threads``."""
        if index(depth) < 1:
            raise ValueError(f"the depth of a divided perft is at least 1, not {depth}")
        children = {move: self.play(move) for move in self.legal_moves()}
        if threads == 1 or depth < 3:
            return {move: child.perft(depth - 1) for move, child in children.items()}
        # The threads share the positions two plies ahead: parts small enough that all threads finish together.
        parts = iter([(move, child.play(reply)) for move, child in children.items() for reply in child.legal_moves()])

        def count() -> Counter[Move]:
            counted: Counter[Move] = Counter()
            for move, descendant in parts:
                counted[move] += descendant.perft(depth - 2)
            return counted

        with ThreadPoolExecutor(threads) as pool:
            counts = [work.result() for work in [pool.submit(count) for _ in range(threads)]]
        return {move: sum(counted[move] for counted in counts) for move in children}

    # -------------------------------------------------------------------------------- checks, ends, repetitions, faults

    def _facts(self) -> tuple[int, int, int, int]:
        """Return the pieces that give check, the number of legal moves, whether White and whether Black cannot win."""
        if not self._playable:
            raise impossible(self)
        return compiled.facts.raw(self._state)

    def checkers(self) -> Bitboard:
        """Return the pieces that give check to the side to move."""
        return Bitboard(self._facts()[0])

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""
        return self._facts()[0] != 0

    def is_checkmate(self) -> bool:
        """Return whether the side to move is mated."""
        checkers, moves, _, _ = self._facts()
        return checkers != 0 and moves == 0

    def is_stalemate(self) -> bool:
        """Return whether the side to move has no legal move and is not in check."""
        checkers, moves, _, _ = self._facts()
        return checkers == 0 and moves == 0

    def mate_pattern(self) -> str | None:
        """Return the name of the mate, such as ``"smothered"``; None where it is not mate, or a mate without a name.

        A mate may bear several names. This is the most particular one, the first of ``mate_patterns``.

        Example:
            >>> from setwise import Position
            >>> Position("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1").mate_pattern()
            'smothered'
        """
        return next(iter(self.mate_patterns()), None)

    def mate_patterns(self) -> tuple[str, ...]:
        """Return all names of the mate, the most particular first; each is a pattern of ``setwise.mates``.

        Example:
            >>> from setwise import Position
            >>> Position("1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17").mate_patterns()
            ('opera', 'pillsbury', 'corridor')
        """
        if not self.is_checkmate():
            return ()
        from setwise.features import mate_names  # it imports all features, which a position needs for nothing else

        sets = np.array(self.words[: len(SETS)], np.uint64).reshape(-1, 1)
        return mate_names.names_of(sets, np.array([self.white_to_move]))

    def is_insufficient_material(self) -> bool:
        """Return whether neither side can ever mate with the pieces on the board, judged by material alone."""
        return self._facts()[2:] == (1, 1)

    def has_insufficient_material(self, *, white: bool) -> bool:
        """Return whether one side can never mate with the pieces on the board."""
        return self._facts()[2 if white else 3] == 1

    def outcome(self, history: Iterable[Position] = (), *, claim_draw: bool = False) -> Outcome | None:
        """Return how the game has ended, or None while it goes on.

        Args:
            history: the earlier positions of the game, in any order, for repetitions.
            claim_draw: count the draws that a player must claim, by fifty moves and threefold repetition.
        """
        checkers, moves, *cannot_win = self._facts()
        if moves == 0:
            if checkers:
                return Outcome(Termination.CHECKMATE, "black" if self.white_to_move else "white")
            return Outcome(Termination.INSUFFICIENT_MATERIAL if all(cannot_win) else Termination.STALEMATE, None)
        earlier = list(history)
        times = self.repetitions(earlier) if earlier else 1
        for holds, ending in (
            (all(cannot_win), Termination.INSUFFICIENT_MATERIAL),
            (self.halfmove_clock >= 150, Termination.SEVENTYFIVE_MOVES),
            (times >= 5, Termination.FIVEFOLD_REPETITION),
            (claim_draw and self.halfmove_clock >= 100, Termination.FIFTY_MOVES),
            (claim_draw and times >= 3, Termination.THREEFOLD_REPETITION),
        ):
            if holds:
                return Outcome(ending, None)
        return None

    def why_draw(self, history: Iterable[Position] = ()) -> Reason | None:
        """Return why the game is drawn, or may be claimed as a draw; None if it is neither.

        Args:
            history: the earlier positions of the game, in any order, for repetitions.

        Example:
            >>> from setwise import Position
            >>> reason = Position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").why_draw()
            >>> reason.kind, reason.sentence, reason.squares
            ('stalemate', 'Black is not in check and has no legal move', Bitboard('g7 h7 g8'))
        """
        from setwise.position.reasons import of_draw

        outcome = self.outcome(history, claim_draw=True)
        return None if outcome is None or outcome.winner else of_draw(self._state, outcome.termination)

    def wdl(self) -> int | None:
        """Return what the mover reaches with best play: 1 a win, 0 a draw, -1 a loss; None where no table says it.

        Tables hold the positions of up to four pieces without castling rights; Syzygy's tables hold more pieces. They
        ignore the fifty-move rule: with four pieces a win takes 43 moves at most.

        Raises:
            SourceError: if there is no tablebase, or a table is damaged.

        Example:
            A king on the sixth rank ahead of his pawn always wins. On the fourth rank, as here, he wins only with the
            opposition, which means that Black must move.

            >>> from setwise import Position
            >>> [Position(f"4k3/8/4K3/4P3/8/8/8/8 {side}").wdl() for side in "wb"]
            [1, -1]
            >>> [Position(f"8/8/4k3/8/4K3/4P3/8/8 {side}").wdl() for side in "wb"]
            [0, -1]
        """
        [result] = tablebase_results(*_tablebase_columns(self)).tolist()
        return None if result == NO_RESULT else result

    def dtm(self) -> int | None:
        """Return the moves to mate with best play: positive if the mover mates, negative if the mover will be mated.

        It is 0 if the mover is mated already; None for a draw, and where no table says it. Syzygy's tables never do.

        Raises:
            SourceError: if there is no tablebase, or a table is damaged.

        Example:
            >>> from setwise import Position
            >>> Position("7k/8/8/8/8/8/8/KQ6 w").dtm(), Position("k7/1Q6/1K6/8/8/8/8/8 b").dtm()
            (7, 0)
        """
        from setwise.tablebases.solving import DRAWN

        [value] = tablebase_values(*_tablebase_columns(self)).tolist()
        return None if value in {UNKNOWN, DRAWN} else -(value // 2) if value % 2 else value // 2

    def tablebase_loss(self, move: AnyMove) -> int | None:
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
        move = self.parse(move)
        after, before = self.play(move).wdl(), self.wdl()
        return None if before is None or after is None or move == NULL_MOVE else before + after

    def is_game_over(self, history: Iterable[Position] = (), *, claim_draw: bool = False) -> bool:
        """Return whether the game has ended; the arguments are those of ``outcome``.

        Example:
            >>> from setwise import Position
            >>> Position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").is_game_over(), Position().is_game_over()
            (True, False)
        """
        return self.outcome(history, claim_draw=claim_draw) is not None

    def repetition_key(self) -> bytes:
        """Return the fields that repetitions share: pieces, turn, castling rights, and a legal en passant capture."""
        passed = self.en_passant and self.fen().split(" ")[3] != "-"
        return self._state[:_PIECES_AND_RIGHTS] + bytes([self.white_to_move]) + self.en_passant.to_bytes(8) * passed

    def repetitions(self, history: Iterable[Position]) -> int:
        """Return how often this position has occurred, now and among earlier ones."""
        key = self.repetition_key()
        return 1 + sum(
            earlier.repetition_key() == key
            for earlier in history
            if earlier._state[:_PIECES_AND_RIGHTS] == key[:_PIECES_AND_RIGHTS]
        )

    def status(self) -> Status:
        """Return the faults of the position, as flags; ``Status.VALID``, which is empty, for a possible one."""
        return Status(compiled.status.raw(self._state, self.chess960))

    def faults(self) -> list[str]:
        """Return a sentence for each fault of the position."""
        return sentences(self.words, self.status(), chess960=self.chess960)

    # ------------------------------------------------------------------------------------------------- other shapes

    @classmethod
    def from_board(cls, board: chess.Board, *, strict: bool = True) -> Self:
        """Return the position on a board of python-chess, without its history.

        Raises:
            ValueError: for variants other than standard chess and Chess960.
            InvalidFen: for an impossible position, unless ``strict`` is False.
        """
        return cls.from_words(state_of(board), chess960=board.chess960, strict=strict)

    def to_board(self) -> chess.Board:
        """Return a board of python-chess with this position (which needs the package ``chess``)."""
        return board_of(self.words, chess960=self.chess960)

    @classmethod
    def from_epd(cls, text: str, *, chess960: bool = False, strict: bool = True) -> tuple[Self, dict[str, Any]]:
        """Return the position of an EPD record, and its operations by their names.

        ``bm`` and ``am`` give lists of moves, ``pv`` a line of moves, ``pm``, ``rm`` and ``sm`` a move; ``hmvc`` and
        ``fmvn`` set the clocks. Everything else is a number, a text or None.

        Raises:
            InvalidEpd, InvalidFen, IllegalMove, InvalidMove: for a faulty record; the message says what and where.

        Example:
            >>> from setwise import Position
            >>> p, operations = Position.from_epd('4k3/8/4K3/8/8/8/8/7R w - - bm Rh8#; id "ladder 1";')
            >>> operations
            {'bm': [<Move h1h8>], 'id': 'ladder 1'}
            >>> p.epd(**operations)
            '4k3/8/4K3/8/8/8/8/7R w - - bm Rh8#; id "ladder 1";'
        """
        return read_record(text, lambda fen: cls(fen, chess960=chess960, strict=strict))

    def epd(self, /, **operations: Any) -> str:
        """Return the EPD record of the position with operations; moves are written in SAN.

        Raises:
            InvalidEpd: for a malformed name, or a number that is not finite.
            IllegalMove: for a move that is not legal here.
        """
        written: dict[str, str | int | float | None] = {}
        bare = set()
        for name, operand in operations.items():
            if isinstance(operand, Move):
                written[name] = self.san(operand)
                bare.add(name)
            elif isinstance(operand, list | tuple):
                words, current = [], self
                for move in operand:
                    words.append(current.san(move))
                    current = current.play(move) if name == VARIATION else self
                written[name] = " ".join(words if name == VARIATION else sorted(words))
                bare.add(name)
            else:
                written[name] = operand if operand is None or isinstance(operand, int | float) else str(operand)
        fields = self.fen().rsplit(" ", 2)[0]
        return f"{fields} {write_operations(written.items(), bare)}".rstrip()

    # ------------------------------------------------------------------------------------------- Python's protocols

    def __eq__(self, other: object) -> bool:
        return self._state == other._state if isinstance(other, Position) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._state)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self._state, self.chess960, self._playable)

    def __repr__(self) -> str:
        flags = (", chess960=True" if self.chess960 else "") + (", strict=False" if self.status() else "")
        return f"Position({self.fen('fen')!r}{flags})"

    def __str__(self) -> str:
        from setwise.view import draw

        return draw(self, color=False, unicode=False)

    def _repr_svg_(self) -> str:
        return board_svg(self)
