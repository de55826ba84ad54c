"""SAN, the notation of games: read with tolerance, written exactly."""

from __future__ import annotations

import numpy as np

from setwise.compiler import routine, subroutine, trailing_zeros
from setwise.notation.resolve import ANY, UNREADABLE, resolve, resolve_castling
from setwise.notation.squares import PIECES, write_square
from setwise.notation.uci import between
from setwise.patterns import knight
from setwise.patterns.bits import EIGHT, EMPTY, FILES, ONE, RANKS, SEVEN, THREE, ZERO
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import attackers, in_check, king_square
from setwise.rules.generate import count_moves, legality
from setwise.rules.moves import CASTLING, EN_PASSANT, NORMAL, encoded, kind_of, moved, origin_of, played, target_of
from setwise.rules.pieces import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, piece_bits, piece_on

#: What a byte can mean inside a move.
_OTHER, _FILE, _RANK, _PIECE, _LINK, _PROMOTES, _SUFFIX, _LOWER = (np.uint8(kind) for kind in range(8))
_MEANING = np.zeros(256, np.uint8)
for _kind, _bytes in (
    (_FILE, b"abcdefgh"), (_RANK, b"12345678"), (_PIECE, b"NBRQKP"), (_LINK, b"x:-"), (_PROMOTES, b"=(/"),
    (_SUFFIX, b"+#!?)"), (_LOWER, b"nrq"),
):  # fmt: skip
    _MEANING[list(_bytes)] = _kind
_PIECE_OF = np.zeros(256, np.uint64)
for _piece, _letters in enumerate((b"Pp", b"Nn", b"Bb", b"Rr", b"Qq", b"Kk"), start=1):
    _PIECE_OF[list(_letters)] = _piece

_LOWER_A, _DIGIT_1, _O, _ZERO, _DASH, _EQUALS = (np.uint8(byte) for byte in b"a1O0-=")
_OPEN, _CLOSE = (np.uint8(byte) for byte in b"()")
_LOWER_B, _LOWER_O, _X = (np.uint8(byte) for byte in b"box")


@routine
def _castling_length(text, start, stop):
    """How many bytes of castling stand here, 0, 3 or 5: ``O-O``, ``0-0-0`` and the like."""
    circle = text[start]
    if circle != _O and circle != _ZERO and circle != _LOWER_O:
        return 0
    if start + 2 >= stop or text[start + 1] != _DASH or text[start + 2] != circle:
        return 0
    return 5 if start + 4 < stop and text[start + 3] == _DASH and text[start + 4] == circle else 3


@routine
def is_suffix(byte):
    """Whether a byte may follow a move: a check, a mate, an opinion."""
    return _MEANING[byte] == _SUFFIX


@routine
def read_san(text, start, stop, board, flip):
    """The legal move that the text from ``start`` means, or a reason why there is none, and where the text ends.

    The board is the mover's; ``flip`` is 56 when the mover is Black and 0 when White, and turns squares of the text
    into squares of that board. Read are SAN and its common misspellings: too many hints (``Ng1f3``, ``e2e4``,
    ``e2-e4``), missing ``x`` and ``+``, ``0-0``, ``e8Q``, ``e8(Q)``, a ``P`` before pawn moves, any ``!?``.
    """
    # Most moves are a piece or a pawn, perhaps an x, and a square; they need no loop.
    kind = _MEANING[text[start]]
    if stop - start > 5 and (kind == _PIECE or kind == _FILE):
        at = start + (kind == _PIECE)
        hint = ANY
        if text[start + 1] == _X:
            hint = np.uint64(text[start] - _LOWER_A) if kind == _FILE else ANY
            at = start + 2
        end = at + 2
        if _MEANING[text[end]] == _SUFFIX:
            end += 1
        if _MEANING[text[at]] == _FILE and _MEANING[text[at + 1]] == _RANK and _MEANING[text[end]] == _OTHER:
            target = (np.uint64(text[at + 1] - _DIGIT_1) * EIGHT + np.uint64(text[at] - _LOWER_A)) ^ flip
            piece = _PIECE_OF[text[start]] if kind == _PIECE else PAWN
            return resolve(board, piece, target, hint, ANY, ZERO), end
    return read_any_san(text, start, stop, board, flip)


@subroutine
def read_any_san(text, start, stop, board, flip):
    """What ``read_san`` reads, with everything that may stand in a move.

    A small letter behind a square is what a pawn becomes, as a capital is (``e8q``); ``b`` is, unless a rank makes it a
    file (``e7b8``). Two squares and no piece (``g1f3``) are the move of whoever stands on the first.
    """
    castling = _castling_length(text, start, stop)
    if castling:
        return resolve_castling(board, castling == 3), start + castling
    named = _MEANING[text[start]] == _PIECE
    piece = _PIECE_OF[text[start]] if named else PAWN
    at = start + 1 if named else start
    file = rank = from_file = from_rank = ANY
    promotion = ZERO
    while at < stop:
        meaning = _MEANING[text[at]]
        if meaning == _FILE and not (
            rank != ANY and text[at] == _LOWER_B and piece == PAWN
            and (at + 1 >= stop or _MEANING[text[at + 1]] != _RANK)
        ):  # fmt: skip
            if from_file != ANY or from_rank != ANY:
                return UNREADABLE, at
            if file != ANY:
                from_file, from_rank = file, rank
            elif rank != ANY:
                from_rank = rank
            file, rank = np.uint64(text[at] - _LOWER_A), ANY
        elif meaning == _RANK:
            if rank != ANY:
                return UNREADABLE, at
            rank = np.uint64(text[at] - _DIGIT_1)
        elif meaning == _PROMOTES and at + 1 < stop and _PIECE_OF[text[at + 1]] != ZERO:
            if text[at] == _OPEN and (at + 2 >= stop or text[at + 2] != _CLOSE):
                break  # a variation, not a promotion
            promotion = _PIECE_OF[text[at + 1]]
            at += 1
        elif (meaning == _PIECE or meaning >= _LOWER or meaning == _FILE) and rank != ANY and piece == PAWN:
            promotion = _PIECE_OF[text[at]]
        elif meaning == _SUFFIX or text[at] == _EQUALS:
            pass
        elif meaning != _LINK:
            break
        at += 1
    if file == ANY or rank == ANY:
        return UNREADABLE, at
    if promotion == PAWN or promotion == KING:
        return UNREADABLE, at
    kind = promotion - ONE if promotion != ZERO else NORMAL
    if flip and from_rank != ANY:
        from_rank ^= SEVEN
    target = (rank * EIGHT + file) ^ flip
    if from_rank != ANY and from_file != ANY and not named:
        return between(board, from_rank * EIGHT + from_file, target, kind), at
    return resolve(board, piece, target, from_file, from_rank, kind), at


# ------------------------------------------------------------------------------------------------------------- writing

_PLUS, _HASH = (np.uint8(byte) for byte in b"+#")
_PROMOTION_LETTERS = np.frombuffer(b" NBRQ", np.uint8).copy()


@subroutine
def _rivals(board, piece, origin, target):
    """Other men of the same kind that could legally go to the target."""
    occupied = board.own | board.enemy
    rivals = EMPTY
    if piece == KNIGHT:
        rivals = knight.ATTACKS[target] & board.knights
    elif piece == BISHOP:
        rivals = bishop_attacks(target, occupied) & board.bishops
    elif piece == ROOK:
        rivals = rook_attacks(target, occupied) & board.rooks
    elif piece == QUEEN:
        rivals = (rook_attacks(target, occupied) | bishop_attacks(target, occupied)) & board.queens
    rivals &= board.own & ~(ONE << origin)
    found = EMPTY
    while rivals != EMPTY:
        rival = trailing_zeros(rivals)
        after = moved(board, encoded(rival, target, NORMAL))
        if attackers(after, king_square(after), after.own | after.enemy) == EMPTY:
            found |= ONE << rival
        rivals &= rivals - ONE
    return found


@routine
def _hints(board, piece, origin, target, captures):
    """Whether the file, and the rank, of the origin must be written."""
    if piece == PAWN:
        return captures, False
    rivals = _rivals(board, piece, origin, target)
    if rivals == EMPTY:
        return False, False
    on_file = rivals & FILES[origin & SEVEN] != EMPTY
    on_rank = rivals & RANKS[origin >> THREE] != EMPTY
    return on_rank or not on_file, on_file


@subroutine
def write_san(board, move, flip, long, out, at):
    """Write a legal move of the mover's board exactly as SAN has it; where it ends.

    ``flip`` is as in ``read_san``. ``long`` writes long algebraic notation instead: ``Ng1-f3``, ``e7xd8=Q+``.
    """
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == CASTLING:
        out[at], out[at + 1], out[at + 2] = _O, _DASH, _O
        at += 3
        if target < origin:
            out[at], out[at + 1] = _DASH, _O
            at += 2
    else:
        piece = piece_on(piece_bits(board), origin)
        captures = board.enemy >> target & ONE != EMPTY or kind == EN_PASSANT
        with_file, with_rank = True, True
        if not long:
            with_file, with_rank = _hints(board, piece, origin, target, captures)
        if piece != PAWN:
            out[at] = PIECES[piece]
            at += 1
        if with_file:
            out[at] = _LOWER_A + np.uint8(origin & SEVEN)
            at += 1
        if with_rank:
            out[at] = _DIGIT_1 + np.uint8((origin ^ flip) >> THREE)
            at += 1
        if captures or long:
            out[at] = _X if captures else _DASH
            at += 1
        at = write_square(target ^ flip, out, at)
        if kind != NORMAL and kind != EN_PASSANT:
            out[at], out[at + 1] = _EQUALS, _PROMOTION_LETTERS[kind]
            at += 2
    after = played(board, move)
    if in_check(after):
        out[at] = _PLUS if count_moves(after, legality(after)) != EMPTY else _HASH
        at += 1
    return at
