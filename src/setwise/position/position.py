"""``Position``: one position as an object, with its rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter, index
from typing import TYPE_CHECKING, Any, SupportsIndex

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.errors import AmbiguousMove, IllegalMove, InvalidFen, InvalidMove, shortened
from setwise.features import FEATURES, one_sided
from setwise.notation import fen as fen_notation
from setwise.notation.resolve import AMBIGUOUS, NO_CASTLING, REASONS, UNREADABLE, UNSAFE
from setwise.position import chess_boards, compiled, records
from setwise.position.chess960 import first_rank
from setwise.position.effects import Effects
from setwise.position.fields import as_square
from setwise.position.move import UCI_TEXT, AnyMove, Move, MoveAsWritten
from setwise.position.move_views import LegalMoves, PseudoLegalMoves
from setwise.position.standing import Standing
from setwise.rules import perft
from setwise.rules.ends import Outcome, Termination
from setwise.rules.state import SETS, WORDS, State
from setwise.rules.status import UNPLAYABLE, Status
from setwise.view import board_svg, draw

if TYPE_CHECKING:
    from typing import Self

    import chess

__all__ = ["AnyMove", "Outcome", "Position", "Status", "Termination"]

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_SQUARE = re.compile(r"[a-h][1-8]")
_EN_PASSANT_SUFFIX = re.compile(r"\s*\(?e\.?p\.?\)?(?=[+#!?]*\Z)")
_PIECE_NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
_NO_MOVE, _AMBIGUOUS, _NO_CASTLING, _UNSAFE = map(int, (UNREADABLE, AMBIGUOUS, NO_CASTLING, UNSAFE))
_UCI, _SAN, _LAN = map(int, (compiled.UCI, compiled.SAN, compiled.LAN))
_SYNTAX_FAULTS = int(fen_notation.NO_TEXT)
_HOME_RANKS = 0xFF00_0000_0000_00FF
_INTERRUPTIBLE = 5
_new = object.__new__
_AS_IT_IS = "strict=False accepts it, and status() lists its faults"
_LONG = 30  # letters; no move is that long


class Position(Effects, Standing):
    """A chess position: eight sets of pieces, the side to move, castling rights, the en passant square, two clocks.

    Positions do not change: ``play`` gives the next one. They compare and hash by all their fields, so they can be
    counted and used as keys; two positions that differ only in their clocks are different.

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

    __slots__ = ()

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
    def from_words(cls, words: Iterable[SupportsIndex], *, chess960: bool = False, strict: bool = True) -> Self:
        """Return the position of thirteen numbers, as ``words`` gives them and as columns hold them.

        Raises:
            InvalidFen: when they are not a position; as the constructor.
        """
        numbers = tuple(map(index, words))
        if len(numbers) != WORDS or any(not 0 <= word < 2**64 for word in numbers):
            raise InvalidFen(f"a position has {WORDS} numbers of 64 bits: {shortened(numbers)}")
        state = State._make(numbers)
        white, black, *sets = numbers[:8]
        overlap, pieces = white & black, 0
        for squares in sets:
            overlap |= pieces & squares
            pieces |= squares
        if overlap or pieces != white | black or state.white_to_move > 1:
            wrong = Bitboard(overlap or pieces ^ (white | black))
            where = " ".join(wrong.names()) or "the turn"
            raise InvalidFen(f"every piece has one colour and one kind; this does not hold on {where}")
        castling, passed = Bitboard(state.castling_rights), Bitboard(state.en_passant)
        if castling & ~_HOME_RANKS or len(passed) > 1:
            raise InvalidFen(
                f"castling rooks stand on ranks 1 and 8, and at most one square is passed, not {castling!r} and "
                f"{passed!r}"
            )
        packed = cls._packed(state)
        position = cls._of(packed, bool(chess960))
        faults = position.status()
        if faults and strict:
            raise InvalidFen(f"{shortened(position.fen('fen'), 90)}: {'; '.join(position.faults())}")
        return cls._of(packed, position.chess960, faults & UNPLAYABLE == 0)

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

    def targets(
        self, square: SupportsIndex | str, *, pseudo_legal: bool = False, captures_only: bool = False
    ) -> Bitboard:
        """Return the squares that the piece on a square can move to; castling counts by where the king arrives.

        Pseudo-legal targets of all pieces except pawns are the attacked squares without own pieces; captures only those
        with enemy pieces.

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
            raise self._impossible()
        state = compiled.play.raw(self._state, move)
        if not state:
            raise self._illegal(move)
        child = _new(type(self))  # what _of does, inlined: 10 % faster
        child._state, child._moves, child._playable = state, self._moves, True
        return child

    def parse(self, move: AnyMove) -> Move:
        """Return the move that a number, a text in UCI or SAN, or python-chess's Move stands for.

        Texts are checked against the rules, numbers are not.
        """
        text = _text(move)
        if text is None:
            return self._moves.move(index(move))  # type: ignore[arg-type]
        return self._read(text, _notation(text))

    def parse_san(self, text: str) -> Move:
        """Return the legal move that a text in SAN or LAN means.

        Common misspellings are read too: too many hints (``Ng1f3``), missing ``x``, ``+`` and ``=``, ``0-0``, ``e.p.``

        Raises:
            InvalidMove: the text is not a move.
            IllegalMove: the move is not legal here; the message says why.
            AmbiguousMove: the text fits several legal moves.
        """
        return self._read(text, _SAN)

    def parse_uci(self, text: str) -> Move:
        """Return the legal move that a text in UCI means; castling as ``e1g1`` or as ``e1h1``.

        Raises:
            InvalidMove, IllegalMove: as ``parse_san``.
        """
        return self._read(text, _UCI)

    def _read(self, text: str, notation: int) -> Move:
        move = self._meaning(text, notation)
        if move not in REASONS:
            return self._moves.moves[move]
        if move == _NO_MOVE:
            expected = "UCI, such as e2e4, a7a8q" if notation == _UCI else "SAN, such as e4, Nbd7, exd8=Q+, O-O"
            raise InvalidMove(f"{shortened(text, 30)} is not a move in {expected}")
        kind = AmbiguousMove if move == _AMBIGUOUS else IllegalMove
        raise kind(f"{shortened(text, 30)} in {self.fen()!r}: {REASONS[move]}")

    def _meaning(self, text: str, notation: int) -> int:
        """Return the number of the legal move that a text means, or the number of a reason why there is none."""
        if not self._playable:
            raise self._impossible()
        try:
            letters = text.encode()
        except UnicodeEncodeError:  # a lone surrogate is not part of any move
            letters = b"?"
        move = _NO_MOVE
        if len(letters) < _LONG:
            move = compiled.read_move.raw(self._state, letters, len(letters), notation)
        if move not in REASONS:
            return move
        bare = _EN_PASSANT_SUFFIX.sub("", text.strip())
        # Only texts that cannot be read as they are pay for removing blanks and "e.p.".
        return move if bare == text else self._meaning(bare, notation)

    def san(self, move: AnyMove) -> str:
        """Return a legal move in SAN, with just the hints it needs and ``+`` or ``#``."""
        return self._write(move, _SAN)

    def lan(self, move: AnyMove) -> str:
        """Return a legal move in long algebraic notation, ``Ng1-f3``."""
        return self._write(move, _LAN)

    def _write(self, move: AnyMove, notation: int) -> str:
        if type(move) is not Move:
            move = self.parse(move)
        if not self._playable:
            raise self._impossible()
        text: str = compiled.write_move.raw(self._state, move, notation)
        if not text:
            raise self._illegal(move)
        return text

    def uci(self, move: AnyMove) -> str:
        """Return a move in UCI; castling is ``e1g1``, in Chess960 king takes rook."""
        return (move if type(move) is Move else self.parse(move)).uci(self.chess960)

    def is_legal(self, move: AnyMove) -> bool:
        """Return whether a move is legal; a null move is not, nor a text that means no legal move."""
        if not self._playable:
            raise self._impossible()
        try:
            parsed = move if type(move) is Move else self.parse(move)
            return not parsed.is_null and bool(compiled.play.raw(self._state, parsed))
        except IllegalMove:
            return False

    def _is_pseudo_legal(self, move: AnyMove) -> bool:
        """Whether the pieces can make a move; for an illegal text, the reason why it is illegal decides."""
        moves, text = self.pseudo_legal_moves(), _text(move)
        if text is None:
            return move in moves
        meaning = self._meaning(text, _notation(text))
        if meaning == _NO_MOVE:
            raise InvalidMove(f"{shortened(text, 30)} is not a move in UCI or SAN, such as e2e4, Nbd7, exd8=Q+, O-O")
        if meaning != _NO_CASTLING:
            return (meaning not in REASONS and meaning != Move.null()) or meaning == _UNSAFE
        written, long = "".join(_SQUARE.findall(text)), text.count("-") > 1
        return any(
            written in {castling.uci(False), castling.uci(True)} if written else (castling.to_square & 7 == 2) == long
            for castling in filter(attrgetter("is_castling"), moves)
        )

    def perft(self, depth: int) -> int:
        """Return how many sequences of ``depth`` legal moves there are."""
        depth = index(depth)
        if not 0 <= depth <= 60:  # greater depths would not finish, nor fit 64 bits
            raise ValueError(f"the depth of perft is a number from 0 to 60, not {depth}")
        if not self._playable:
            raise self._impossible()
        if depth == 0:
            return 1
        if depth > _INTERRUPTIBLE:  # Ctrl-C interrupts between moves
            return sum(self.perft_divide(depth).values())
        board = self if self.white_to_move else self.mirror()
        return perft.nodes.raw(board.words[: len(SETS)], depth)

    def perft_divide(self, depth: int, *, threads: int = 1) -> dict[Move, int]:
        """Return for each legal move how many sequences of ``depth`` moves begin with it, counted by ``threads``."""
        if index(depth) < 1:
            raise ValueError(f"the depth of a divided perft is at least 1, not {depth}")
        children = {move: self.play(move) for move in self.legal_moves()}
        if threads == 1 or depth < 3:
            return {move: position.perft(depth - 1) for move, position in children.items()}
        # The threads share the positions two plies ahead: parts small enough that all threads finish together.
        parts = iter([(move, child.play(reply)) for move, child in children.items() for reply in child.legal_moves()])

        def count() -> Counter[Move]:
            counted: Counter[Move] = Counter()
            for move, position in parts:
                counted[move] += position.perft(depth - 2)
            return counted

        with ThreadPoolExecutor(threads) as pool:
            counts = [work.result() for work in [pool.submit(count) for _ in range(threads)]]
        return {move: sum(counted[move] for counted in counts) for move in children}

    def _illegal(self, move: Move) -> IllegalMove:
        """The exception that says why a move is not legal."""
        origin = move.from_square
        if move.is_null:
            return IllegalMove(f"{move.uci()} in {self.fen()!r} is a null move, which is never legal")
        side = "White" if self.white_to_move else "Black"
        if origin not in (self.white_pieces if self.white_to_move else self.black_pieces):
            reason = f"no piece of {side}'s stands on {SQUARE_NAMES[origin]}"
        elif move.is_castling:
            reason = REASONS[_NO_CASTLING]
        elif move in self.pseudo_legal_moves():
            reason = "it leaves the king in check"
        else:
            piece = _PIECE_NAMES[(self.piece_at(origin) or "").lower()]
            reason = f"the {piece} on {SQUARE_NAMES[origin]} cannot move to {SQUARE_NAMES[move.to_square]}"
        return IllegalMove(f"{move.uci()} in {self.fen()!r} is not legal: {reason}")

    # ---------------------------------------------------------------------------------------------------- features

    def feature(self, name: str) -> Bitboard | int | bool:
        """Return a feature of one side; a set is a ``Bitboard``.

        Args:
            name: ``white_NAME``, ``black_NAME``, ``own_NAME`` (of the side to move) or ``enemy_NAME``.

        Raises:
            QueryError: for an unknown name, with the nearest ones.

        Example:
            >>> from setwise import Position
            >>> Position("r3k2q/8/8/3N4/8/8/8/4K3 w - - 0 1").feature("white_fork_squares")
            Bitboard('c7')
        """
        definition, side = one_sided(name)
        white = side == "white" or (side != "black" and (side == "own") == self.white_to_move)
        board = self if white else self.mirror()
        value = (definition if white else definition.on_mirrored)(
            *board.words[: len(SETS)], self.white_to_move == white
        )
        if white or not isinstance(value, Bitboard):
            return value
        return Bitboard(int.from_bytes(value.to_bytes(8, "little"), "big"))

    def features(self) -> dict[str, Bitboard | int | bool]:
        """Return every feature of both sides by the names of their columns."""
        return {f"{side}_{name}": self.feature(f"{side}_{name}") for name in FEATURES for side in ("white", "black")}

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
        return records.read_record(text, lambda fen: cls(fen, chess960=chess960, strict=strict))

    def epd(self, /, **operations: Any) -> str:
        """Return the EPD record of the position with operations; moves are written in SAN.

        Raises:
            InvalidEpd: for a malformed name, or a number that is not finite.
            IllegalMove: for a move that is not legal here.
        """
        return records.write_record(self, operations)

    # ------------------------------------------------------------------------------------------- Python's protocols

    def __repr__(self) -> str:
        flags = (", chess960=True" if self.chess960 else "") + (", strict=False" if self.status() else "")
        return f"Position({self.fen('fen')!r}{flags})"

    def __str__(self) -> str:
        return draw(self, color=False, unicode=False)

    def _repr_svg_(self) -> str:
        return board_svg(self)


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
