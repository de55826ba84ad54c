"""Why a move is not legal, and why a game is drawn: values with the pieces and squares that a board can show.

A move has one reason, the first that a teacher would name: there is no such piece; the piece does not move so; the way
is blocked; the king would be in check. `of_squares` tries them in this order. A text in SAN names a piece by its kind,
so `of_text` explains each piece of that kind and returns the reason of the piece that comes closest to the move.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from setwise.bitboard import SQUARE_NAMES, Bitboard, parse_square
from setwise.notation.moves import NO_PROMOTION, REASONS
from setwise.patterns import king, knight
from setwise.patterns.geometry import BETWEEN, LINE
from setwise.position import compiled
from setwise.position.compiled import packed, unpacked
from setwise.position.move import Move
from setwise.rules.board import CASTLING, PROMOTIONS
from setwise.rules.status import Termination

#: The kinds of reasons why a move is not legal. Of the reasons of several pieces, the last in this order counts. From
#: ``castling_in_check`` on, the pieces can make the move, but the king is attacked before, during or after it.
KINDS = (
    "null", "form", "no_piece", "not_own_piece", "moves_otherwise", "own_piece", "blocked", "nothing_to_take",
    "takes_king", "promotion", "ambiguous", "castling_right", "castling_blocked", "castling_in_check",
    "castling_attacked", "into_check", "in_check", "pinned",
)  # fmt: skip
CHECKS = frozenset(KINDS[KINDS.index("castling_in_check") :])


class Reason(NamedTuple):
    """Why a move is not legal, or why a game is drawn.

    ``kind`` is a word for programs, ``sentence`` a sentence for people. ``pieces`` are the pieces because of which it
    is so, ``squares`` the squares to look at: where a move ends, the way of a piece, the line of a pin.
    """

    kind: str
    sentence: str
    pieces: Bitboard = Bitboard()
    squares: Bitboard = Bitboard()


_PIECES = dict(zip("PNBRQK", ("pawn", "knight", "bishop", "rook", "queen", "king"), strict=True))
_CASTLING = int(CASTLING)
#: The signs of a move's text; the text without them: two squares, or a piece, its file and rank, the target.
_SIGNS = re.compile(r"[x:\-+#!?)]")
_UCI = re.compile(r"([a-h][1-8])([a-h][1-8])[=/(]*([NBRQnbrq]?).*")
_SAN = re.compile(r"([NBRQKP]?)([a-h]?)([1-8]?)([a-h][1-8])[=/(]*([NBRQnbrq]?).*")


def _reason(kind: str, sentence: str, pieces: int = 0, squares: int = 0) -> Reason:
    return Reason(kind, sentence, Bitboard(pieces), Bitboard(squares))


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _way(start: int, end: int) -> int:
    """The squares from one square of a line to another, without the first and with the last."""
    return (int(BETWEEN[start, end]) | 1 << end) & ~(1 << start)


_FORM = _reason("form", "the number of this move is that of another kind of move")
_PROMOTION = REASONS[int(NO_PROMOTION)]


class Reasons:
    """The reasons of one position, which is given by the bytes of its state."""

    def __init__(self, state: bytes) -> None:
        self.words = words = unpacked(state)
        self.white = words.white_to_move == 1
        self.own, self.enemy = words[:2] if self.white else words[1::-1]
        self.mover, self.other = ("White", "Black") if self.white else ("Black", "White")
        self.kinds = dict(zip(_PIECES, words[2:8], strict=True))
        self.king = (self.own & words.kings).bit_length() - 1

    def _letter(self, square: int) -> str:
        return next(letter for letter, squares in self.kinds.items() if squares >> square & 1)

    def _named(self, pieces: int, verb: str = "") -> str:
        """Return pieces in words, and a verb, which gets its s after one piece."""
        words = [f"the {_PIECES[self._letter(it)]} on {SQUARE_NAMES[it]}" for it in Bitboard(pieces)]
        return f"{_and(words)} {verb}{'s' if len(words) == 1 else ''}" if verb else _and(words)

    def _attackers(self, square: int, own: int, gone: int = 0) -> int:
        """Return the enemy pieces that attack a square, for other own pieces and without the pieces on ``gone``."""
        sides = (own, self.enemy & ~gone) if self.white else (self.enemy & ~gone, own)
        state = packed((*sides, *(squares & ~gone for squares in self.words[2:8]), *self.words[8:]))
        return compiled.attackers_of.raw(state, square, not self.white)

    # ----------------------------------------------------------------------------------------------- texts and numbers

    def of_text(self, text: str) -> Reason:
        """Return the reason for a text in UCI or SAN that means no legal move."""
        bare = _SIGNS.sub("", text)
        if squares := _UCI.fullmatch(bare):
            start, end, promotion = squares.groups()
            return self.of_squares(parse_square(start), parse_square(end), promotion) or _FORM
        if (parts := _SAN.fullmatch(bare)) is None:
            return self._castling(self.king & 56 | (2 if text.count("-") > 1 else 6)) or _FORM
        letter, file, rank, name, promotion = parts.groups()
        what, target = _PIECES[letter or "P"], parse_square(name)
        file = file or ("" if letter in _PIECES and letter != "P" else name[0])
        kind = Bitboard(self.kinds[letter or "P"] & self.own)
        pieces = Bitboard([it for it in kind if file in SQUARE_NAMES[it] and rank in SQUARE_NAMES[it]])
        if not pieces:
            where = f" on {file}{rank}" if file and rank else f" on the {file}-file" if file else f" on rank {rank}"
            sentence = f"{self.mover} has no {what}{where if file or rank else ''}"
            return _reason("no_piece", sentence, 0, 1 << target)
        reasons = [(it, self.of_squares(it, target, promotion)) for it in pieces]
        if can := Bitboard([it for it, reason in reasons if reason is None]):
            return _reason("ambiguous", f"more than one piece can make this move: {self._named(can)}", can, 1 << target)
        last = max((it for _, it in reasons if it is not None), key=lambda it: KINDS.index(it.kind))
        if last.kind == "moves_otherwise" and len(pieces) > 1:
            sentence = f"none of the {what}s on {_and(pieces.names())} can move to {name}"
            return last._replace(sentence=sentence, pieces=pieces)
        return last

    def of_move(self, move: Move) -> Reason:
        """Return the reason for the number of a move that is not legal."""
        if move.is_null:
            return _reason("null", "it is a null move, which is never legal")
        kind = move >> 12
        promotion = PROMOTIONS[kind].strip() if kind < len(PROMOTIONS) else ""
        return self.of_squares(move & 63, move >> 6 & 63, promotion, castles=kind == _CASTLING) or _FORM

    # ----------------------------------------------------------------------------------------- one piece, two squares

    def of_squares(self, start: int, end: int, promotion: str, *, castles: bool = False) -> Reason | None:
        """Return the reason why the piece on a square cannot go to another; None if it can."""
        here, there, where = 1 << start, 1 << end, SQUARE_NAMES[end]
        if self.enemy & here:
            sentence = f"{self._named(here)} is {self.other}'s, and it is {self.mover}'s turn"
            return _reason("not_own_piece", sentence, here)
        if not self.own & here:
            return _reason("no_piece", f"{self.mover} has no piece on {SQUARE_NAMES[start]}", 0, here)
        letter, piece, takes_rook = self._letter(start), self._named(here), self.own & there & self.words.rooks
        same_rank = start >> 3 == end >> 3
        is_castling = same_rank and (takes_rook or (end & 7 == (6 if end > start else 2) and abs(start - end) > 1))
        if letter == "K" and not promotion and (castles or is_castling):
            return self._castling(end, takes_rook or there * castles)
        line = int(LINE[start, end])
        straight, sideways = same_rank or start & 7 == end & 7, start & 7 != end & 7
        ahead, pushes = (1 if self.white else -1), {1, 2} if start >> 3 == (1 if self.white else 6) else {1}
        steps = ahead * ((end >> 3) - (start >> 3))
        is_move = {
            "P": abs((start & 7) - (end & 7)) == 1 == steps if sideways else steps in pushes,
            "N": int(knight.ATTACKS[start]) & there,
            "B": line and not straight, "R": line and straight, "Q": line,
            "K": int(king.ATTACKS[start]) & there,
        }[letter]  # fmt: skip
        if not is_move:
            return _reason("moves_otherwise", f"{piece} cannot move to {where}", here, there)
        if self.own & there:
            return _reason("own_piece", f"{self._named(there)} is in the way, an own piece", there, there)
        way = _way(start, end) if letter == "P" and not sideways else int(BETWEEN[start, end])
        if blockers := way & (self.own | self.enemy):
            return _reason("blocked", f"{self._named(blockers, 'block')} the way of {piece}", blockers, way | there)
        passed = letter == "P" and sideways and there == self.words.en_passant
        if letter == "P" and sideways and not passed and not self.enemy & there:
            return _reason("nothing_to_take", f"{piece} has nothing to take on {where}", here, there)
        if self.enemy & there & self.words.kings:
            return _reason("takes_king", "a king is never taken", there, there)
        if bool(promotion) != (letter == "P" and end >> 3 in {0, 7}):
            return _reason("promotion", _PROMOTION, here, there)
        return self._check(start, end, 1 << (end ^ 8) if passed else there & self.enemy)

    def _check(self, start: int, end: int, captured: int) -> Reason | None:
        """Return the reason if a move that the piece can make leaves the king in check."""
        own, moves_king = self.own & ~(1 << start) | 1 << end, start == self.king
        square = end if moves_king else self.king
        attackers = self._attackers(square, own, captured)
        if not attackers:
            return None
        lines = 0
        for it in Bitboard(attackers):
            lines |= int(BETWEEN[it, square]) | 1 << square
        if moves_king:
            sentence = f"{self._named(attackers, 'attack')} {SQUARE_NAMES[end]}"
            return _reason("into_check", sentence, attackers, lines)
        if checkers := attackers & self._attackers(square, self.own):
            return _reason("in_check", f"{self._named(checkers, 'give')} check, and would still", checkers, lines)
        named = self._named(attackers)
        pinned = f"{self._named(1 << start)} is pinned to the king by {named}"
        opens = f"it leaves the king in check: taking en passant opens the line of {named}"
        return _reason("pinned", opens if captured & ~(1 << end) else pinned, attackers, lines)

    def _castling(self, end: int, rook: int = 0) -> Reason | None:
        """Return why the king cannot castle towards a square, with a rook if one is named; None if it can."""
        king, rank = self.king, self.king & 56
        side = "kingside" if end > king else "queenside"
        east = 255 << rank & -(2 << king)
        rights = self.words.castling_rights & self.own & (east if end > king else 255 << rank & ~east & ~(1 << king))
        if not rights or (rook and rook != rights):
            sentence = f"castling is not possible: {self.mover} has no right to castle {side}"
            return _reason("castling_right", sentence, 1 << king, rook)
        start = rights.bit_length() - 1
        target, beside = (rank | 6, rank | 5) if end > king else (rank | 2, rank | 3)
        own, way = self.own & ~(1 << king | rights), _way(king, target) | _way(start, beside)
        if blockers := way & (own | self.enemy):
            sentence = f"castling is not possible: {self._named(blockers, 'stand')} in the way"
            return _reason("castling_blocked", sentence, blockers, way)
        if checkers := self._attackers(king, self.own):
            sentence = f"castling is not possible: {self._named(checkers, 'give')} check"
            return _reason("castling_in_check", sentence, checkers, 1 << king)
        steps = [*Bitboard(_way(king, target))]
        for square in steps if end > king else reversed(steps):
            if attackers := self._attackers(square, own | rights | 1 << king):
                sentence = f"castling is not possible: {self._named(attackers, 'attack')} {SQUARE_NAMES[square]}"
                return _reason("castling_attacked", sentence, attackers, 1 << square)
        if attackers := self._attackers(target, own | 1 << target | 1 << beside):
            sentence = f"castling is not possible: {self._named(attackers, 'attack')} {SQUARE_NAMES[target]} then"
            return _reason("castling_attacked", sentence, attackers, 1 << target)
        return None


# ------------------------------------------------------------------------------------------------------------- draws


_DRAWS = {
    Termination.INSUFFICIENT_MATERIAL: "neither side can mate with the pieces that are left",
    Termination.SEVENTYFIVE_MOVES: "for 75 moves no pawn has moved and no piece was taken, which ends the game",
    Termination.FIVEFOLD_REPETITION: "the position has occurred five times, which ends the game",
    Termination.FIFTY_MOVES: "for 50 moves no pawn has moved and no piece was taken, so a player may claim a draw",
    Termination.THREEFOLD_REPETITION: "the position has occurred three times, so a player may claim a draw",
}


def of_draw(state: bytes, ending: Termination) -> Reason:
    """Return the reason why a game is drawn, or may be claimed as a draw."""
    its = Reasons(state)
    kind = ending.name.lower()
    if ending == Termination.STALEMATE:
        around = int(king.ATTACKS[its.king]) & ~its.own
        return _reason(kind, f"{its.mover} is not in check and has no legal move", 1 << its.king, around)
    occupied = its.own | its.enemy
    return _reason(kind, _DRAWS[ending], occupied if ending == Termination.INSUFFICIENT_MATERIAL else 0)
