"""Moves as texts, and why a move is not legal: methods of ``Position``."""

from __future__ import annotations

import re
from operator import attrgetter, index
from typing import TYPE_CHECKING

from setwise.bitboard import SQUARE_NAMES
from setwise.errors import AmbiguousMove, IllegalMove, InvalidMove, shortened
from setwise.notation.resolve import AMBIGUOUS, NO_CASTLING, REASONS, UNREADABLE, UNSAFE
from setwise.position import compiled
from setwise.position.endings import impossible
from setwise.position.move import UCI_TEXT, AnyMove, Move, MoveAsWritten

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = ["illegal", "is_legal", "is_pseudo_legal", "lan", "parse", "parse_san", "parse_uci", "san", "uci"]

_SQUARE = re.compile(r"[a-h][1-8]")
_EN_PASSANT_SUFFIX = re.compile(r"\s*\(?e\.?p\.?\)?(?=[+#!?]*\Z)")
_PIECE_NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
_NO_MOVE, _AMBIGUOUS, _NO_CASTLING, _UNSAFE = map(int, (UNREADABLE, AMBIGUOUS, NO_CASTLING, UNSAFE))
_UCI, _SAN, _LAN = map(int, (compiled.UCI, compiled.SAN, compiled.LAN))
_LONG = 30  # letters; no move is that long


def parse(position: Position, move: AnyMove) -> Move:
    """Return the move that a number, a text in UCI or SAN, or python-chess's Move stands for.

    Texts are checked against the rules, numbers are not.
    """
    text = _text(move)
    if text is None:
        return position._moves.move(index(move))  # type: ignore[arg-type]
    return _read(position, text, _notation(text))


def parse_san(position: Position, text: str) -> Move:
    """Return the legal move that a text in SAN or LAN means.

    Common misspellings are read too: too many hints (``Ng1f3``), missing ``x``, ``+`` and ``=``, ``0-0``, ``e.p.``

    Raises:
        InvalidMove: the text is not a move.
        IllegalMove: the move is not legal here; the message says why.
        AmbiguousMove: the text fits several legal moves.
    """
    return _read(position, text, _SAN)


def parse_uci(position: Position, text: str) -> Move:
    """Return the legal move that a text in UCI means; castling as ``e1g1`` or as ``e1h1``.

    Raises:
        InvalidMove, IllegalMove: as ``parse_san``.
    """
    return _read(position, text, _UCI)


def _read(position: Position, text: str, notation: int) -> Move:
    move = _meaning(position, text, notation)
    if move not in REASONS:
        return position._moves.moves[move]
    if move == _NO_MOVE:
        expected = "UCI, such as e2e4, a7a8q" if notation == _UCI else "SAN, such as e4, Nbd7, exd8=Q+, O-O"
        raise InvalidMove(f"{shortened(text, 30)} is not a move in {expected}")
    kind = AmbiguousMove if move == _AMBIGUOUS else IllegalMove
    raise kind(f"{shortened(text, 30)} in {position.fen()!r}: {REASONS[move]}")


def _meaning(position: Position, text: str, notation: int) -> int:
    """Return the number of the legal move that a text means, or the number of a reason why there is none."""
    if not position._playable:
        raise impossible(position)
    try:
        letters = text.encode()
    except UnicodeEncodeError:  # a lone surrogate is not part of any move
        letters = b"?"
    move = _NO_MOVE
    if len(letters) < _LONG:
        move = compiled.read_move.raw(position._state, letters, len(letters), notation)
    if move not in REASONS:
        return move
    bare = _EN_PASSANT_SUFFIX.sub("", text.strip())
    # Only texts that cannot be read as they are pay for removing blanks and "e.p.".
    return move if bare == text else _meaning(position, bare, notation)


def san(position: Position, move: AnyMove) -> str:
    """Return a legal move in SAN, with just the hints it needs and ``+`` or ``#``."""
    return _write(position, move, _SAN)


def lan(position: Position, move: AnyMove) -> str:
    """Return a legal move in long algebraic notation, ``Ng1-f3``."""
    return _write(position, move, _LAN)


def _write(position: Position, move: AnyMove, notation: int) -> str:
    if type(move) is not Move:
        move = position.parse(move)
    if not position._playable:
        raise impossible(position)
    text: str = compiled.write_move.raw(position._state, move, notation)
    if not text:
        raise illegal(position, move)
    return text


def uci(position: Position, move: AnyMove) -> str:
    """Return a move in UCI; castling is ``e1g1``, in Chess960 king takes rook."""
    return (move if type(move) is Move else position.parse(move)).uci(position.chess960)


def is_legal(position: Position, move: AnyMove) -> bool:
    """Return whether a move is legal; a null move is not, nor a text that means no legal move."""
    if not position._playable:
        raise impossible(position)
    try:
        parsed = move if type(move) is Move else position.parse(move)
        return not parsed.is_null and bool(compiled.play.raw(position._state, parsed))
    except IllegalMove:
        return False


def is_pseudo_legal(position: Position, move: AnyMove) -> bool:
    """Return whether the pieces can make a move; for an illegal text, the reason why it is illegal decides."""
    moves, text = position.pseudo_legal_moves(), _text(move)
    if text is None:
        return move in moves
    meaning = _meaning(position, text, _notation(text))
    if meaning == _NO_MOVE:
        raise InvalidMove(f"{shortened(text, 30)} is not a move in UCI or SAN, such as e2e4, Nbd7, exd8=Q+, O-O")
    if meaning != _NO_CASTLING:
        return (meaning not in REASONS and meaning != Move.null()) or meaning == _UNSAFE
    written, long = "".join(_SQUARE.findall(text)), text.count("-") > 1
    return any(
        written in {castling.uci(False), castling.uci(True)} if written else (castling.to_square & 7 == 2) == long
        for castling in filter(attrgetter("is_castling"), moves)
    )


def illegal(position: Position, move: Move) -> IllegalMove:
    """Return the exception that says why a move is not legal."""
    origin = move.from_square
    if move.is_null:
        return IllegalMove(f"{move.uci()} in {position.fen()!r} is a null move, which is never legal")
    side = "White" if position.white_to_move else "Black"
    if origin not in (position.white_pieces if position.white_to_move else position.black_pieces):
        reason = f"no piece of {side}'s stands on {SQUARE_NAMES[origin]}"
    elif move.is_castling:
        reason = REASONS[_NO_CASTLING]
    elif move in position.pseudo_legal_moves():
        reason = "it leaves the king in check"
    else:
        piece = _PIECE_NAMES[(position.piece_at(origin) or "").lower()]
        reason = f"the {piece} on {SQUARE_NAMES[origin]} cannot move to {SQUARE_NAMES[move.to_square]}"
    return IllegalMove(f"{move.uci()} in {position.fen()!r} is not legal: {reason}")


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
