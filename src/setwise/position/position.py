"""``Position``: one position as an object, with its rules.

The class has the fields and what makes and copies positions; its other methods are functions of the modules beside it,
one for each subject.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from setwise.bitboard import Bitboard
from setwise.chess_words import BOARD_HINTS, with_hints
from setwise.errors import InvalidFen, shortened
from setwise.notation import fen as fen_notation
from setwise.position import (
    chess_boards,
    compiled,
    effects,
    endings,
    epd_records,
    exact_ends,
    move_notation,
    node_counts,
    placement,
    side_features,
)
from setwise.position.chess960 import first_rank
from setwise.position.fields import TURN, Field, checked_state, flipped_sets, packed, squares_of, unpacked
from setwise.position.move import MOVE_TABLES, AnyMove, Move, MoveTable
from setwise.position.move_views import LegalMoves, PseudoLegalMoves
from setwise.rules.ends import Outcome, Termination
from setwise.rules.state import State
from setwise.rules.status import UNPLAYABLE, Status
from setwise.view import board_svg, draw

if TYPE_CHECKING:
    from typing import Self

    import chess

__all__ = ["AnyMove", "Outcome", "Position", "Status", "Termination"]

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_DRAWING = int(compiled.DRAWING)
_SYNTAX_FAULTS = int(fen_notation.NO_TEXT)
_new = object.__new__
_AS_IT_IS = "strict=False accepts it, and status() lists its faults"


@with_hints(BOARD_HINTS)
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
            InvalidFen: when they are not a position; as the constructor.
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
        """Whether castling is that of Chess960."""
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

        Pieces, turn and castling rights count, and the file of a passed pawn if an enemy pawn stands beside it, whether
        or not it may capture; the clocks do not. In Chess960 a right is short or long by the side of the king that the
        rook is on.

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

    piece_at = placement.piece_at
    piece_map = placement.piece_map
    king = placement.king
    attacks = placement.attacks
    attackers = placement.attackers
    is_attacked_by = placement.is_attacked_by
    targets = placement.targets
    feature = side_features.feature
    features = side_features.features

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
            IllegalMove, AmbiguousMove, InvalidMove: when it is not such a move.
        """
        if type(move) is not Move:
            move = self.parse(move)
        if not self._playable:
            raise endings.impossible(self)
        state = compiled.play.raw(self._state, move)
        if not state:
            raise move_notation.illegal(self, move)
        child = _new(type(self))  # what _of does, inlined: 10 % faster
        child._state, child._moves, child._playable = state, self._moves, True
        return child

    def mirror(self) -> Self:
        """Return the same position from the other side: ranks reversed, colours exchanged."""
        *_, white_to_move, halfmoves, fullmoves = self.words
        state = packed((*flipped_sets(self._state), 1 - white_to_move, halfmoves, fullmoves))
        return self._of(state, self.chess960, self._playable)

    parse = move_notation.parse
    parse_san = move_notation.parse_san
    parse_uci = move_notation.parse_uci
    san = move_notation.san
    lan = move_notation.lan
    uci = move_notation.uci
    is_legal = move_notation.is_legal
    is_capture = effects.is_capture
    is_castling = effects.is_castling
    is_en_passant = effects.is_en_passant
    gives_check = effects.gives_check
    see = effects.see
    perft = node_counts.perft
    perft_divide = node_counts.perft_divide

    # -------------------------------------------------------------------------------- checks, ends, repetitions, faults

    _facts = endings.facts
    checkers = endings.checkers
    is_check = endings.is_check
    is_checkmate = endings.is_checkmate
    is_stalemate = endings.is_stalemate
    mate_pattern = endings.mate_pattern
    mate_patterns = endings.mate_patterns
    is_insufficient_material = endings.is_insufficient_material
    has_insufficient_material = endings.has_insufficient_material
    outcome = endings.outcome
    wdl = exact_ends.wdl_of
    dtm = exact_ends.dtm_of
    tablebase_loss = exact_ends.tablebase_loss_of
    is_game_over = endings.is_game_over
    repetition_key = endings.repetition_key
    repetitions = endings.repetitions
    status = endings.status
    faults = endings.faults

    # ------------------------------------------------------------------------------------------------- other shapes

    @classmethod
    def from_board(cls, board: chess.Board, *, strict: bool = True) -> Self:
        """Return the position on a board of python-chess, without its history.

        Raises:
            ValueError: for variants other than standard chess and Chess960.
            InvalidFen: for an impossible position, unless ``strict`` is False.
        """
        return cls.from_words(chess_boards.state_of(board), chess960=board.chess960, strict=strict)

    def to_board(self) -> chess.Board:
        """Return a board of python-chess with this position (which needs the package ``chess``)."""
        return chess_boards.board_of(self.words, chess960=self.chess960)

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
        return epd_records.read_record(text, lambda fen: cls(fen, chess960=chess960, strict=strict))

    epd = epd_records.epd

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
        return draw(self, color=False, unicode=False)

    def _repr_svg_(self) -> str:
        return board_svg(self)
