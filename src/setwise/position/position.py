"""``Position``: a board, whose turn it is, and what may still happen; the door to the rules for one position."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.errors import AmbiguousMove, IllegalMove, ImpossiblePosition, InvalidFen, InvalidMove, shortened
from setwise.features import FEATURES, one_sided
from setwise.notation import fen as fen_notation
from setwise.notation.resolve import AMBIGUOUS, NO_CASTLING, REASONS, UNREADABLE
from setwise.position import chess_boards, compiled, records
from setwise.position.fields import Fields
from setwise.position.move import MOVE_TABLES, Move
from setwise.rules import perft
from setwise.rules.ends import Outcome, Termination
from setwise.rules.state import SETS, WORDS, State
from setwise.rules.status import UNPLAYABLE, Status, sentences
from setwise.view import board_svg, draw

if TYPE_CHECKING:
    from typing import Literal, Self

    import chess

__all__ = ["AnyMove", "Outcome", "Position", "Status", "Termination"]

#: A move as the methods of a Position take it: a Move or its number, a text in UCI or SAN, python-chess's Move.
AnyMove: TypeAlias = "Move | int | str | chess.Move"

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_UCI_TEXT = re.compile(r"[a-h][1-8][a-h][1-8][nbrqNBRQ]?\Z")
_EN_PASSANT_SUFFIX = re.compile(r"\s*\(?e\.?p\.?\)?(?=[+#!?]*\Z)")
_PIECE_NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
_NO_MOVE, _AMBIGUOUS, _NO_CASTLING = map(int, (UNREADABLE, AMBIGUOUS, NO_CASTLING))
_UCI, _SAN, _LAN = map(int, (compiled.UCI, compiled.SAN, compiled.LAN))
_SYNTAX_FAULTS = int(fen_notation.NO_TEXT)
_HOME_RANKS = 0xFF00_0000_0000_00FF
_INTERRUPTIBLE = 5
_new = object.__new__
_LONG = 30  # letters; no move is that long
#: Up to where a state tells what a repetition repeats: the men, and whose rooks may castle.
_MEN_AND_RIGHTS = 8 * SETS.index("en_passant")


class Position(Fields):
    """A chess position: eight sets, whose turn it is, what may still be castled, what has been passed, two clocks.

    Positions do not change: ``play`` gives the next one. They compare and hash by all their fields, so they can be
    counted and used as keys; two positions that differ only in their clocks are different.

    Args:
        fen: a FEN (or X-FEN, Shredder-FEN); the start position when left out. Fields missing at the end are those of a
            game's beginning.
        chess960: allow castling of Chess960, and write castling moves in UCI as king takes rook.
        strict: refuse positions that no game can reach. Otherwise ``status`` lists their faults, and moves can be asked
            for only where they mean something.

    Raises:
        InvalidFen: a text that is no FEN, or a position that is impossible; the message says where and why.

    Example:
        >>> from setwise import Position
        >>> p = Position().play("e4").play("e5").play("Nf3")
        >>> p
        Position('rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2')
        >>> p.knights & p.white_pieces
        Bitboard('b1 f3')
        >>> len(p.legal_moves()), p.san(p.legal_moves()[0]), p.perft(3)
        (29, 'a6', 23193)
        >>> Position("4k3/8/8/8/8/8/8/4K2P w")
        Traceback (most recent call last):
        ...
        setwise.errors.InvalidFen: FEN '4k3/8/8/8/8/8/8/4K2P w': a pawn stands on the first or the last rank (h1)

    Traps:
        ``en_passant`` is the square that a pawn has just passed, whether or not somebody can capture there; ``fen()``
        shows it only where a legal capture exists. For repetitions compare ``repetition_key()``.
    """

    __slots__ = ()

    def __new__(cls, fen: str = _START, *, chess960: bool = False, strict: bool = True) -> Self:
        """Make the position of a FEN."""
        if not isinstance(fen, str):
            raise TypeError(f"a Position is made from the text of a FEN, not {type(fen).__name__}")
        text = fen.encode(errors="replace")
        state, faults, where = compiled.read_position.raw(text, len(text), bool(chess960))
        position = cls._of(state, bool(chess960), faults & UNPLAYABLE == 0)
        if faults and (strict or faults >= _SYNTAX_FAULTS):
            raise fen_notation.explain(fen, faults, where, position.words, chess960=chess960)
        return position

    @classmethod
    def from_words(cls, words: Iterable[SupportsIndex], *, chess960: bool = False, strict: bool = True) -> Self:
        """Return the position of thirteen numbers, as ``words`` gives them and as columns hold them.

        Raises:
            InvalidFen: when they are no position; as the constructor.
        """
        numbers = tuple(map(index, words))
        if len(numbers) != WORDS or any(not 0 <= word < 2**64 for word in numbers):
            raise InvalidFen(f"a position has {WORDS} numbers of 64 bits: {shortened(numbers)}")
        state = State._make(numbers)
        white, black, *sets = numbers[:8]
        overlap, men = white & black, 0
        for squares in sets:
            overlap |= men & squares
            men |= squares
        if overlap or men != white | black or state.white_to_move > 1:
            wrong = Bitboard(overlap or men ^ (white | black))
            where = " ".join(wrong.names()) or "the turn"
            raise InvalidFen(f"every man has one colour and one kind; this does not hold on {where}")
        castling, passed = Bitboard(state.castling_rights), Bitboard(state.en_passant)
        if castling & ~_HOME_RANKS or len(passed) > 1:
            raise InvalidFen(
                f"rooks castle on ranks 1 and 8, and one square at most is passed, not {castling!r} and {passed!r}"
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

        Source:
            Wikipedia, "Fischer random chess numbering scheme", the direct derivation.
        """
        if not 0 <= index(number) < 960:
            raise ValueError(f"the starting positions of Chess960 have the numbers 0 to 959, not {number}")
        rest, light = divmod(index(number), 4)
        rest, dark = divmod(rest, 4)
        knights, queen = divmod(rest, 6)
        men = {2 * light + 1: "b", 2 * dark: "b"}
        free = [file for file in range(8) if file not in men]
        men[free.pop(queen)] = "q"
        first, second = list(combinations(free, 2))[knights]
        men |= {first: "n", second: "n"}
        men |= zip((file for file in free if file not in men), "rkr", strict=True)
        rank = "".join(men[file] for file in range(8))
        return cls(f"{rank}/pppppppp/8/8/8/8/PPPPPPPP/{rank.upper()} w KQkq - 0 1", chess960=True)

    # -------------------------------------------------------------------------------------------------------- text

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

    # ------------------------------------------------------------------------------------------------------- moves

    def legal_moves(self) -> list[Move]:
        """Return all legal moves, in no particular order."""
        if not self._playable:
            raise self._impossible()
        return compiled.moves.raw(self._state, True, MOVE_TABLES[self._chess960].address)

    def pseudo_legal_moves(self) -> list[Move]:
        """Return all moves that the pieces can make, those too that leave the king in check.

        Castling through attacked squares is among them, castling through men is not.
        """
        if not self._playable:
            raise self._impossible()
        return compiled.moves.raw(self._state, False, MOVE_TABLES[self._chess960].address)

    def play(self, move: AnyMove) -> Self:
        """Return the position after a legal move.

        Args:
            move: a Move, its number, or a text in UCI or SAN.

        Raises:
            IllegalMove, AmbiguousMove, InvalidMove: when it is none; the position stays as it is.
        """
        if type(move) is not Move:
            move = self.parse(move)
        if not self._playable:
            raise self._impossible()
        state = compiled.play.raw(self._state, move)
        if not state:
            raise self._illegal(move)
        after = _new(type(self))  # as _of does, a tenth of the time sooner
        after._state, after._chess960, after._playable = state, self._chess960, True
        return after

    def parse(self, move: AnyMove) -> Move:
        """Return the move that a number, a text in UCI or SAN, or python-chess's Move stands for.

        Texts are checked against the rules, numbers are not.
        """
        if isinstance(move, str):
            return self.parse_uci(move) if _UCI_TEXT.match(move) else self.parse_san(move)
        if hasattr(move, "__index__"):
            return MOVE_TABLES[self._chess960].move(index(move))
        if hasattr(move, "uci"):
            return self.parse_uci(move.uci())
        raise TypeError(f"a move is a Move, a number, or a text in UCI or SAN, not {type(move).__name__}")

    def parse_san(self, text: str) -> Move:
        """Return the legal move that a text in SAN or LAN means.

        Common misspellings are read too: too many hints (``Ng1f3``), missing ``x``, ``+`` and ``=``, ``0-0``, ``e.p.``

        Raises:
            InvalidMove: no move can be read.
            IllegalMove: the move is not legal here; the message says why.
            AmbiguousMove: several moves are meant.
        """
        return self._read(text, _SAN)

    def parse_uci(self, text: str) -> Move:
        """Return the legal move that a text in UCI means; castling as ``e1g1`` or as ``e1h1``.

        Raises:
            InvalidMove, IllegalMove: as ``parse_san``.
        """
        return self._read(text, _UCI)

    def _read(self, text: str, notation: int) -> Move:
        if not self._playable:
            raise self._impossible()
        try:
            letters = text.encode()
        except UnicodeEncodeError:  # half a letter is in no move
            letters = b"?"
        found = _NO_MOVE
        if len(letters) < _LONG:
            found = compiled.read_move.raw(self._state, letters, len(letters), notation)
        if found not in REASONS:
            return MOVE_TABLES[self._chess960].moves[found]
        bare = _EN_PASSANT_SUFFIX.sub("", text.strip())
        if bare != text:  # what a few blanks and "e.p." around it cost, the others need not pay
            return self._read(bare, notation)
        if found == _NO_MOVE:
            expected = "UCI, such as e2e4, a7a8q" if notation == _UCI else "SAN, such as e4, Nbd7, exd8=Q+, O-O"
            raise InvalidMove(f"{shortened(text, 30)} is no move in {expected}")
        kind = AmbiguousMove if found == _AMBIGUOUS else IllegalMove
        raise kind(f"{shortened(text, 30)} in {self.fen()!r}: {REASONS[found]}")

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
        return (move if type(move) is Move else self.parse(move)).uci(self._chess960)

    def is_legal(self, move: AnyMove) -> bool:
        """Return whether a move is legal; a text that means no legal move is not."""
        if not self._playable:
            raise self._impossible()
        try:
            return bool(compiled.play.raw(self._state, move if type(move) is Move else self.parse(move)))
        except IllegalMove:
            return False

    def is_capture(self, move: AnyMove) -> bool:
        """Return whether a move takes a man, en passant too."""
        move = move if type(move) is Move else self.parse(move)
        return move.is_en_passant or (move >> 6 & 63) in (
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
        """Return what the exchange that a legal move begins wins, in pawns: static exchange evaluation.

        Men are worth 1 3 3 5 9. On the move's target both sides capture in turn, by legal moves, and each stops when
        it pays. A move that captures nothing can only lose, or give 0.
        """
        move = self.parse(move)
        if not self._playable:
            raise self._impossible()
        legal, won = compiled.exchange.raw(self._state, move)
        if not legal:
            raise self._illegal(move)
        return won

    def perft(self, depth: int) -> int:
        """Return how many sequences of ``depth`` legal moves there are."""
        depth = index(depth)
        if not 0 <= depth <= 60:  # longer ones would not end, nor fit 64 bits
            raise ValueError(f"the depth of perft is a number from 0 to 60, not {depth}")
        if not self._playable:
            raise self._impossible()
        if depth == 0:
            return 1
        if depth > _INTERRUPTIBLE:  # between moves, Ctrl-C is heard
            return sum(self.perft_divide(depth).values())
        board = self if self.white_to_move else self.mirror()
        return perft.nodes.raw(board.words[: len(SETS)], depth)

    def perft_divide(self, depth: int, *, threads: int = 1) -> dict[Move, int]:
        """Return for each legal move how many sequences of ``depth`` moves begin with it, counted by ``threads``."""
        if index(depth) < 1:
            raise ValueError(f"the depth of a divided perft is at least 1, not {depth}")
        after = {move: self.play(move) for move in self.legal_moves()}
        if threads == 1 or depth < 3:
            return {move: position.perft(depth - 1) for move, position in after.items()}
        # The threads share the positions two plies on: parts so small that all threads end together.
        parts = iter([(move, now.play(reply)) for move, now in after.items() for reply in now.legal_moves()])

        def count() -> Counter[Move]:
            counted: Counter[Move] = Counter()
            for move, position in parts:
                counted[move] += position.perft(depth - 2)
            return counted

        with ThreadPoolExecutor(threads) as pool:
            counts = [work.result() for work in [pool.submit(count) for _ in range(threads)]]
        return {move: sum(counted[move] for counted in counts) for move in after}

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
        found, side = one_sided(name)
        white = side == "white" or (side != "black" and (side == "own") == self.white_to_move)
        seen = self if white else self.mirror()
        value = (found if white else found.for_black)(*seen.words[: len(SETS)], self.white_to_move == white)
        if white or not isinstance(value, Bitboard):
            return value
        return Bitboard(int.from_bytes(value.to_bytes(8, "little"), "big"))

    def features(self) -> dict[str, Bitboard | int | bool]:
        """Return every feature of both sides by the names of their columns."""
        return {f"{side}_{name}": self.feature(f"{side}_{name}") for name in FEATURES for side in ("white", "black")}

    # ---------------------------------------------------------------------------------------------- checks and ends

    def checkers(self) -> Bitboard:
        """Return the men that give check to the side to move."""
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

    def is_insufficient_material(self) -> bool:
        """Return whether neither side can ever mate with the men on the board, as far as material tells."""
        return self._facts()[2:] == (1, 1)

    def has_insufficient_material(self, *, white: bool) -> bool:
        """Return whether one side can never mate with the men on the board."""
        return self._facts()[2 if white else 3] == 1

    def _facts(self) -> tuple[int, int, int, int]:
        if not self._playable:
            raise self._impossible()
        return compiled.facts.raw(self._state)

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

    @property
    def key(self) -> int:
        """The Polyglot key: 64 bits by which opening books and the column ``key`` know the position.

        Men, turn and castling rights count, and the file of a passed pawn if an enemy pawn stands beside it, whether
        or not it may capture; the clocks do not. In Chess960 a right is short or long by the side of the king that the
        rook is on.

        Example:
            >>> from setwise import Position
            >>> f"{Position().key:016x}"
            '463b96181691fc9c'
        """
        return compiled.key.raw(self._state)

    def repetition_key(self) -> bytes:
        """Return what must be equal for a repetition: men, turn, castling rights, and a legal en passant capture."""
        passed = self.en_passant and self.fen().split(" ")[3] != "-"
        return self._state[:_MEN_AND_RIGHTS] + bytes([self.white_to_move]) + self.en_passant.to_bytes(8) * passed

    def repetitions(self, history: Iterable[Position]) -> int:
        """Return how often this position has occurred, now and among earlier ones."""
        key = self.repetition_key()
        return 1 + sum(
            earlier.repetition_key() == key
            for earlier in history
            if earlier._state[:_MEN_AND_RIGHTS] == key[:_MEN_AND_RIGHTS]
        )

    def status(self) -> Status:
        """Return the faults of the position, as flags; ``Status.VALID``, which is empty, for a possible one."""
        return Status(compiled.status.raw(self._state, self._chess960))

    def faults(self) -> list[str]:
        """Return a sentence for each fault of the position."""
        return sentences(self.words, self.status(), chess960=self._chess960)

    def _impossible(self) -> ImpossiblePosition:
        return ImpossiblePosition(f"{self.fen()!r} can have no moves: {'; '.join(self.faults())}")

    def _illegal(self, move: Move) -> IllegalMove:
        """The exception that says why a move is not legal."""
        origin = move.from_square
        side = "White" if self.white_to_move else "Black"
        if origin not in (self.white_pieces if self.white_to_move else self.black_pieces):
            reason = f"no man of {side}'s stands on {SQUARE_NAMES[origin]}"
        elif move.is_castling:
            reason = REASONS[_NO_CASTLING]
        elif move in self.pseudo_legal_moves():
            reason = "it leaves the king in check"
        else:
            piece = _PIECE_NAMES[(self.piece_at(origin) or "").lower()]
            reason = f"the {piece} on {SQUARE_NAMES[origin]} cannot go to {SQUARE_NAMES[move.to_square]} like this"
        return IllegalMove(f"{move.uci()} in {self.fen()!r} is not legal: {reason}")

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
        return chess_boards.board_of(self.words, chess960=self._chess960)

    @classmethod
    def from_epd(cls, text: str, *, chess960: bool = False, strict: bool = True) -> tuple[Self, dict[str, Any]]:
        """Return the position of an EPD record, and its operations by their names.

        ``bm`` and ``am`` give lists of moves, ``pv`` a line of moves, ``pm``, ``rm`` and ``sm`` a move; ``hmvc`` and
        ``fmvn`` set the clocks. Everything else is a number, a text or None.

        Raises:
            InvalidEpd, InvalidFen, IllegalMove, InvalidMove: what is wrong, and where.

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
            InvalidEpd: for a name that is none, or a number that is not finite.
            IllegalMove: for a move that is not legal here.
        """
        return records.write_record(self, operations)

    # ------------------------------------------------------------------------------------------- Python's own customs

    def __repr__(self) -> str:
        flags = (", chess960=True" if self._chess960 else "") + ("" if self._playable else ", strict=False")
        return f"Position({self.fen('fen')!r}{flags})"

    def __str__(self) -> str:
        return draw(self.piece_string(), color=False, unicode=False)

    def _repr_svg_(self) -> str:
        return board_svg(self.piece_string())
