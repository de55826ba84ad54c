"""``VariantPosition``: a position of a variant of chess."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, SupportsIndex, cast

from setwise.errors import IllegalMove, InvalidFen, shortened
from setwise.position.move import AnyMove, Move
from setwise.position.position import LegalMoves, Position
from setwise.rules.board import State
from setwise.rules.status import Outcome, Termination
from setwise.rules.variants import Variant, variant_named

if TYPE_CHECKING:
    import chess


_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_NONE_GIVEN = (0, 0)
#: The number of checks that are left, the fifth field of a FEN in python-chess; and the number of checks given, the
#: last field of a FEN on Lichess.
_LEFT, _GIVEN = re.compile(r"([0-3])\+([0-3])"), re.compile(r"\+([0-3])\+([0-3])")


class VariantPosition(Position):
    """A position of King of the Hill or Three-check: moves as in standard chess, but additional ways to win.

    In *King of the Hill* a king on d4, e4, d5 or e5 wins. In *Three-check* the third check wins, and the position
    counts the checks that each side has given. After such a win there are no legal moves. ``Position`` describes all
    other methods. ``is_checkmate`` and ``is_stalemate`` keep their meaning: the third check is mate only if it mates.

    Args:
        variant: ``"King of the Hill"`` or ``"Three-check"``; case does not matter.
        fen: a FEN; the start position when left out. In Three-check it may have the checks that are left before the
            clocks (``w KQkq - 3+3 0 1``) or the checks that were given at its end (``w KQkq - 0 1 +0+0``).
        chess960: as in ``Position``.
        strict: as in ``Position``.

    Raises:
        ValueError: for another variant.
        InvalidFen: for a text that is not a FEN, or an impossible position.

    Example:
        >>> from setwise import VariantPosition
        >>> p = VariantPosition("Three-check").play("e4").play("e5").play("Bc4").play("Nc6").play("Bxf7+")
        >>> p.white_checks_given, p.fen()
        (1, 'r1bqkbnr/pppp1Bpp/2n5/4p3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 2+3 0 3')
        >>> hill = VariantPosition("King of the Hill", "4k3/8/8/8/8/4K3/8/8 w - - 0 1")
        >>> hill.san("e3e4"), hill.play("Ke4").outcome().winner
        ('Ke4#', 'white')
    """

    __slots__ = ("_checks_given", "_variant", "_winner")

    _variant: Variant
    _checks_given: tuple[int, int]
    _winner: str | None

    def __new__(cls, variant: str, fen: str = _START, *, chess960: bool = False, strict: bool = True) -> Self:
        """Create a position of a variant from a FEN."""
        rules = variant_named(variant)
        bare, given = _without_checks(fen, rules) if rules.checks and isinstance(fen, str) else (fen, _NONE_GIVEN)
        return cls._with(Position(bare, chess960=chess960, strict=strict), rules, given)

    @classmethod
    def _with(cls, position: Position, variant: Variant, checks_given: tuple[int, int]) -> Self:
        made = object.__new__(cls)
        made._state, made._moves, made._playable = position._state, position._moves, position._playable
        made._variant, made._checks_given = variant, checks_given
        kings = position.kings
        made._winner = variant.winner(kings & position.white_pieces, kings & position.black_pieces, checks_given)
        return made

    def _plain(self) -> Position:
        """The same position of standard chess."""
        return Position._of(self._state, self.chess960, self._playable)

    @property
    def variant(self) -> str:
        """The name of the variant, as in the tag ``Variant`` of PGN."""
        return self._variant.name

    @property
    def white_checks_given(self) -> int:
        """How many checks White has given; 0 in a variant that does not count them."""
        return self._checks_given[0]

    @property
    def black_checks_given(self) -> int:
        """How many checks Black has given; 0 in a variant that does not count them."""
        return self._checks_given[1]

    # ------------------------------------------------------------------------------------------------------- moves

    @property
    def legal_moves(self) -> LegalMoves:
        """All legal moves, as ``Position.legal_moves``; no moves if the game has ended."""
        view = LegalMoves() if self._winner is None else _NoMoves()
        view._position = self
        return view

    def play(self, move: AnyMove) -> Self:
        """Return the position after a legal move, or a null move, as ``Position.play``."""
        self._refuse_after_the_end()
        child, given = self._plain().play(move), self._checks_given
        if self._variant.checks and child.is_check():
            given = (given[0] + self.white_to_move, given[1] + (not self.white_to_move))
        return self._with(child, self._variant, given)

    def is_legal(self, move: AnyMove) -> bool:
        """Return whether a move is legal, as ``Position.is_legal``; no move is legal after the end of the game."""
        return self._winner is None and super().is_legal(move)

    def see(self, move: AnyMove) -> int:
        """Return the gain of the exchange that begins with a legal move, as ``Position.see``."""
        self._refuse_after_the_end()
        return super().see(move)

    def wdl(self) -> None:
        """Return None: no table holds the positions of variants."""

    def dtm(self) -> None:
        """Return None, as ``wdl``."""

    def perft(self, depth: int, *, gpu: bool = False) -> int:
        """Return how many sequences of ``depth`` legal moves there are, as ``Position.perft``, but in Python code."""
        if gpu:
            raise ValueError("a graphics card counts the moves of chess and Chess960 only, not of other variants")
        if self._winner is not None:
            return int(depth == 0)
        if depth < 2:
            return len(self.legal_moves) if depth == 1 else super().perft(depth)
        return sum(self.play(move).perft(depth - 1) for move in self.legal_moves)

    def parse(self, move: AnyMove) -> Move:
        """Return the move that a number or a text stands for, as ``Position.parse``."""
        if isinstance(move, str):
            self._refuse_after_the_end()
        return super().parse(move)

    def parse_san(self, text: str) -> Move:
        """Return the legal move that a text in SAN or LAN means, as ``Position.parse_san``."""
        self._refuse_after_the_end()
        return super().parse_san(text)

    def parse_uci(self, text: str) -> Move:
        """Return the legal move that a text in UCI means, as ``Position.parse_uci``."""
        self._refuse_after_the_end()
        return super().parse_uci(text)

    def san(self, move: AnyMove) -> str:
        """Return a legal move in SAN, as ``Position.san``; a move that wins the game ends with ``#``."""
        return self._with_sign(super().san(move), move)

    def lan(self, move: AnyMove) -> str:
        """Return a legal move in long algebraic notation, as ``san``."""
        return self._with_sign(super().lan(move), move)

    def _with_sign(self, text: str, move: AnyMove) -> str:
        """A move's text, ending with ``#`` if the move wins; ``play`` refuses moves after the end of the game."""
        child = self.play(move)
        return text.rstrip("+#") + "#" if child._winner is not None else text

    def _refuse_after_the_end(self) -> None:
        if self._winner is not None:
            side = self._winner.capitalize()
            raise IllegalMove(f"no move is legal in {self.fen()!r}: {side} has won by the rules of {self.variant}")

    # --------------------------------------------------------------------------------------------------------- ends

    def is_stalemate(self) -> bool:
        """Return whether the side to move has no legal move and is not in check, unless the variant ended the game."""
        return self._winner is None and super().is_stalemate()

    def outcome(self, history: Iterable[Position] = (), *, claim_draw: bool = False) -> Outcome | None:
        """Return how the game has ended, or None while it goes on, as ``Position.outcome``."""
        if self._winner is not None:
            return Outcome(Termination.VARIANT, self._winner)
        return super().outcome(history, claim_draw=claim_draw)

    def _facts(self) -> tuple[int, int, int, int]:
        checkers, moves, _, _ = super()._facts()
        white, black = (
            not self._variant.can_win(bare_king=pieces & ~self.kings == 0)
            for pieces in (self.white_pieces, self.black_pieces)
        )
        return checkers, moves, int(white), int(black)

    def repetition_key(self) -> bytes:
        """Return the fields that repetitions share, as ``Position.repetition_key``, and the checks given."""
        return super().repetition_key() + bytes(self._checks_given)

    # -------------------------------------------------------------------------------------------------- other shapes

    def fen(self, en_passant: Literal["legal", "fen", "xfen"] = "legal", *, shredder: bool = False) -> str:
        """Return the FEN; in Three-check it has the number of checks left before the clocks, as in python-chess."""
        fen = super().fen(en_passant, shredder=shredder)
        if not self._variant.checks:
            return fen
        pieces, halfmoves, fullmoves = fen.rsplit(" ", 2)
        white, black = (self._variant.checks - given for given in self._checks_given)
        return f"{pieces} {white}+{black} {halfmoves} {fullmoves}"

    def mirror(self) -> Self:
        """Return the same position from the other side, as ``Position.mirror``; the checks given are exchanged, too."""
        white, black = self._checks_given
        return self._with(self._plain().mirror(), self._variant, (black, white))

    @classmethod
    def from_board(cls, board: chess.Board, *, strict: bool = True) -> Self:
        """Return the position on a board of ``chess.variant``, without its history.

        Raises:
            ValueError: for a board of another variant.
            InvalidFen: for an impossible position, unless ``strict`` is False.
        """
        return cls(board.aliases[0], board.fen(en_passant="fen"), chess960=board.chess960, strict=strict)

    def to_board(self) -> chess.Board:
        """Return a board of ``chess.variant`` with this position (which needs the package ``chess``)."""
        import chess.variant

        board: Any = getattr(chess.variant, self._variant.board)
        return cast("chess.Board", board(self.fen("fen"), chess960=self.chess960))

    @classmethod
    def from_words(cls, words: Iterable[SupportsIndex], *, chess960: bool = False, strict: bool = True) -> NoReturn:
        """Raise ``TypeError``: thirteen words do not name the variant."""
        raise TypeError("words do not name a variant; VariantPosition(variant, fen) does")

    @classmethod
    def chess960_start(cls, number: SupportsIndex) -> NoReturn:
        """Raise ``TypeError``: a number does not name the variant."""
        raise TypeError("write VariantPosition(variant, Position.chess960_start(number).fen(), chess960=True)")

    @classmethod
    def from_epd(cls, text: str, *, chess960: bool = False, strict: bool = True) -> NoReturn:
        """Raise ``TypeError``: a record does not name the variant."""
        raise TypeError("records do not name a variant; VariantPosition(variant, fen) does")

    # ------------------------------------------------------------------------------------------- Python's protocols

    def _parts(self) -> tuple[Any, ...]:
        return self._state, self._variant, self._checks_given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VariantPosition) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._with, (self._plain(), self._variant, self._checks_given)

    def __repr__(self) -> str:
        flags = (", chess960=True" if self.chess960 else "") + (", strict=False" if self.status() else "")
        return f"VariantPosition({self.variant!r}, {self.fen('fen')!r}{flags})"


class _NoMoves(LegalMoves):
    """The legal moves after the end of a game."""

    __slots__ = ()

    def __call__(self) -> list[Move]:
        """Return an empty list."""
        return []


def standard_words(position: Position) -> State:
    """Return the words of a position for columns, which follow standard chess; raises ``TypeError`` for a variant."""
    if isinstance(position, VariantPosition):
        raise TypeError("columns of positions follow standard chess, and a VariantPosition does not")
    return position.words


def _without_checks(fen: str, variant: Variant) -> tuple[str, tuple[int, int]]:
    """Return a FEN without the field of checks, and how many checks White and Black have given."""
    fields = fen.split()
    if len(fields) > 6 and (match := _GIVEN.fullmatch(fields[6])):
        del fields[6]
        given = int(match[1]), int(match[2])
    elif len(fields) > 4 and (match := _LEFT.fullmatch(fields[4])):
        del fields[4]
        given = variant.checks - int(match[1]), variant.checks - int(match[2])
    else:
        return fen, _NONE_GIVEN
    if min(given) >= variant.checks:
        raise InvalidFen(f"FEN {shortened(fen, 90)}: both sides have given {variant.checks} checks")
    return " ".join(fields), given
