"""SAN, LAN and UCI: read with tolerance, resolved on a board, written exactly.

Reading a text and finding its move are separate steps. A reader takes the piece, the target and the hints from the
text; `resolve` finds the only legal move that fits. It begins at the target: only pieces that attack the target are
candidates. The result is a move, or a number that says why there is no move; `REASONS` has a sentence for each number.
Readers accept the forms that occur in files: ``0-0``, ``e8Q``, ``Ng1f3``, ``e7xd8(Q)``, a missing ``x`` or ``+``.
Writers write only the standard form. Boards are from the mover's view, so the squares of Black's moves are flipped when
they are read and written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from setwise.compiler import Move, Set, Square, routine, subroutine
from setwise.compiler.words import borrowed
from setwise.notation.text import (
    CLOSE_PARENTHESIS,
    DASH,
    DIGIT_0,
    DIGIT_1,
    EQUALS,
    HASH,
    LOWER_A,
    LOWER_O,
    LOWER_X,
    NO_SQUARE,
    OPEN_PARENTHESIS,
    PIECES,
    PLUS,
    UPPER_O,
    null_end,
    read_square,
    write_square,
)
from setwise.patterns import king, knight
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    FILES,
    FOUR,
    ONE,
    RANK_4,
    RANK_8,
    RANKS,
    SEVEN,
    SIXTEEN,
    THREE,
    ZERO,
    bit,
    lowest,
    more_than_one,
    without_lowest,
)
from setwise.patterns.pawns import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import (
    BISHOP,
    CASTLING,
    EN_PASSANT,
    KING,
    KNIGHT,
    NORMAL,
    NULL,
    NULL_MOVE,
    PAWN,
    QUEEN,
    ROOK,
    TO_QUEEN,
    TWELVE,
    Board,
    castling_targets,
    child,
    encoded,
    in_check,
    keeps_king_safe,
    kind_of,
    king_square,
    lanes_of,
    origin_of,
    piece_bits,
    piece_on,
    target_of,
)
from setwise.rules.generate import castling_rooks, count_moves, legality

if TYPE_CHECKING:
    import pyarrow as pa


# --------------------------------------------------------------------------- find the one legal move with a given piece


#: No hint: the notation does not name the file or the rank of the origin.
ANY = np.uint64(8)

#: Codes that are returned instead of a move; each is a reason why there is no move. They differ from all moves, because
#: their target equals their origin; both are the number of the reason.
REASONS = {
    reason << 6 | reason: sentence
    for reason, sentence in enumerate(
        (
            "no piece can make this move",
            "this move leaves the king in check",
            "more than one piece can make this move",
            "a pawn that reaches the last rank must become a queen, rook, bishop or knight, and no other can",
            "castling is not possible here",
            "this is not a move",
        )
    )
}
NO_PIECE, UNSAFE, AMBIGUOUS, NO_PROMOTION, NO_CASTLING, UNREADABLE = map(np.uint64, REASONS)

_FILE_OR_ALL = np.array([*FILES, ALL], np.uint64)
_RANK_OR_ALL = np.array([*RANKS, ALL], np.uint64)


@routine
def is_move(move: Move) -> bool:
    """Whether a result of ``resolve`` is a move, not a reason."""
    return target_of(move) != origin_of(move)


@routine
def _is_safe(board: Board, origin: Square, target: Square, kind: np.uint64) -> bool:
    """Whether the king is safe after a move that is not castling."""
    start, end = bit(origin), bit(target)
    king = target if board.kings & start != EMPTY else king_square(board)
    return keeps_king_safe(lanes_of(board), king, start, end, end >> EIGHT if kind == EN_PASSANT else end)


@routine
def _pawn_origins(board: Board, target: Square, file: np.uint64) -> Set:
    """Return the pawns that can move to the target: by a capture if another file is given, else by a push."""
    target_set = bit(target)
    pawns, occupied = board.own & board.pawns, board.own | board.enemy
    if file != ANY and file != target & SEVEN:
        if target_set & (board.enemy & ~board.kings | board.en_passant) == EMPTY:
            return EMPTY
        return attacks_down(target_set) & pawns
    one, two = target_set >> EIGHT, target_set >> SIXTEEN
    if target_set & occupied != EMPTY:
        return EMPTY
    if target_set & RANK_4 != EMPTY and one & occupied == EMPTY:
        return two & pawns
    return one & pawns


@routine
def resolve(
    board: Board, piece: np.uint64, target: Square, file: np.uint64, rank: np.uint64, promotion: np.uint64
) -> Move:
    """Return the legal move of a piece to a target from a file and a rank (or ``ANY``), or a reason why there is none.

    Board and squares are from the mover's view. ``promotion`` is a kind of move, ``NORMAL`` for no promotion.
    """
    occupied = board.own | board.enemy
    kind = promotion
    if piece == PAWN:
        origins = _pawn_origins(board, target, file)
        if (bit(target) & RANK_8 != EMPTY) != (promotion != NORMAL):
            return NO_PROMOTION
        if bit(target) & board.en_passant != EMPTY and file != ANY and file != target & SEVEN:
            kind = EN_PASSANT
    else:
        if promotion != NORMAL:
            return NO_PROMOTION
        if piece == KNIGHT:
            origins = knight.ATTACKS[target] & board.knights
        elif piece == BISHOP:
            origins = bishop_attacks(target, occupied) & board.bishops
        elif piece == ROOK:
            origins = rook_attacks(target, occupied) & board.rooks
        elif piece == QUEEN:
            origins = (rook_attacks(target, occupied) | bishop_attacks(target, occupied)) & board.queens
        else:
            origins = king.ATTACKS[target] & board.kings
        if bit(target) & (board.own | board.kings) != EMPTY:
            origins = EMPTY
    origins &= board.own & _FILE_OR_ALL[file] & _RANK_OR_ALL[rank]
    if origins == EMPTY:
        return NO_PIECE
    if not more_than_one(origins):
        origin = lowest(origins)
        return encoded(origin, target, kind) if _is_safe(board, origin, target, kind) else UNSAFE
    result: Move = UNSAFE
    while origins != EMPTY:
        origin = lowest(origins)
        if _is_safe(board, origin, target, kind):
            if is_move(result):
                return AMBIGUOUS
            result = encoded(origin, target, kind)
        origins = without_lowest(origins)
    return result


@subroutine
def resolve_castling(board: Board, short: bool | np.bool) -> Move:
    """Return the castling move to one side, or ``NO_CASTLING``."""
    square = king_square(board)
    rooks = castling_rooks(board, legality(board))
    east = ~(bit(square) - ONE)
    rooks &= east if short else ~east
    if rooks == EMPTY:
        return NO_CASTLING
    return encoded(square, lowest(rooks), CASTLING)


# ----------------------------------------------------------------------------------------- UCI, the notation of engines


_NO_KIND, _RANK_BITS = np.uint64(15), np.uint64(56)
_LETTERS = np.frombuffer(b" nbrq", np.uint8).copy()
_KIND_OF = np.full(256, _NO_KIND, np.uint64)
for _kind, _letters in enumerate((b"Nn", b"Bb", b"Rr", b"Qq"), start=1):
    _KIND_OF[list(_letters)] = _kind


@subroutine
def between(board: Board, origin: Square, target: Square, kind: np.uint64) -> Move:
    """Return the legal move from one square of the mover's board to another, or the reason why there is none.

    Castling is accepted in both styles: the king's target (``e1g1``) and king takes rook (``e1h1``).
    """
    if board.own >> origin & ONE == EMPTY:
        return NO_PIECE
    piece = piece_on(piece_bits(board), origin)
    if piece == KING and kind == NORMAL:
        takes_rook = board.own & board.rooks & bit(target) != EMPTY
        if takes_rook or (origin ^ target < EIGHT and max(origin, target) - min(origin, target) > ONE):
            castling = resolve_castling(board, target > origin)
            if is_move(castling):
                expected = target_of(castling) if takes_rook else castling_targets(origin, target_of(castling))[0]
                return castling if target == expected else NO_CASTLING
            return castling
    return resolve(board, piece, target, origin & SEVEN, origin >> THREE, kind)


@routine
def read_uci(text: np.ndarray, start: int, stop: int, board: Board, flip: np.uint64) -> Move:
    """Return the legal or null move in the bytes from ``start`` to ``stop``, or a reason, as ``read_san`` does."""
    if stop - start < 4 or stop - start > 5:
        return UNREADABLE
    if text[start] == DIGIT_0 and null_end(text, start, stop) == stop:
        return NULL_MOVE
    origin, target = read_square(text, start), read_square(text, start + 2)
    kind = NORMAL if stop - start == 4 else _KIND_OF[text[start + 4]]
    if origin == NO_SQUARE or target == NO_SQUARE or kind == _NO_KIND:
        return UNREADABLE
    return between(board, origin ^ flip, target ^ flip, kind)


@routine
def write_uci(move: Move, chess960: bool, out: np.ndarray, at: int) -> int:
    """Write a move from White's view, castling in Chess960 as king takes rook; return where the text ends."""
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == NULL:
        for k in range(4):
            out[at + k] = DIGIT_0
        return at + 4
    if kind == CASTLING and not chess960:
        target = castling_targets(origin, target)[0] | origin & _RANK_BITS
    at = write_square(target, out, write_square(origin, out, at))
    if kind != NORMAL and kind <= TO_QUEEN:
        out[at] = _LETTERS[kind]
        at += 1
    return at


def numbers_of(texts: pa.StringArray) -> np.ndarray | None:
    """Return the squares and the promotion of each text in UCI, as 16 bits; None if one of the texts is not UCI.

    Castling and captures en passant look like other moves: their kind depends on the board.

    Example:
        >>> import pyarrow as pa
        >>> [f"{number:x}" for number in numbers_of(pa.array(["a1b1", "a7a8q", "0000"])).tolist()]
        ['40', '4e30', '7000']
    """
    offsets = np.frombuffer(texts.buffers()[1] or bytes(4), np.int32)[texts.offset :][: len(texts) + 1]
    sizes = np.diff(offsets)
    if texts.null_count or not np.isin(sizes, (4, 5)).all():
        return None
    letters = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    starts = offsets[:-1]
    files, ranks = letters[starts + np.array([[0], [2]])] - ord("a"), letters[starts + np.array([[1], [3]])] - ord("1")
    origin, target = (ranks << 3 | files).astype(np.uint16)
    promotes = sizes == 5
    kinds = np.zeros(len(texts), np.uint16)
    kinds[promotes] = _KIND_OF[letters[starts[promotes] + 4]]
    is_null = (letters[starts + np.arange(4)[:, None]] == ord("0")).all(axis=0)
    if not (((files < 8) & (ranks < 8)).all(axis=0) & (kinds < _NO_KIND) | is_null).all():
        return None
    return np.where(is_null, np.uint16(NULL_MOVE), origin | target << np.uint16(6) | kinds << np.uint16(12))


# ------------------------------------------------------------------------------------------------------------- reading

#: The meaning of a byte inside a move: a file or a rank, marked with ``_PLACE``; nothing, for signs that are not needed
#: to find the move (a capture sign, a suffix); the letter of a piece; a promotion sign; or the end of the move.
_PLACE, _NOTHING, _LETTER, _SIGN, _END = 0x40, 0, np.uint8(0x80), np.uint8(0x81), np.uint8(0x82)
_MEANING = np.full(256, _END, np.uint8)
_MEANING[list(b"abcdefgh")] = np.arange(8) + _PLACE
_MEANING[list(b"12345678")] = np.arange(8, 16) + _PLACE
_MEANING[list(b"x:-+#!?)")] = _NOTHING
_MEANING[list(b"NBRQKPnrq")], _MEANING[list(b"=/(")] = _LETTER, _SIGN

#: The files and ranks of a move, four bits each, after a leading mark: 0 to 7 for files, 8 to 15 for ranks.
_NO_PLACE, _PLACE_BITS, _RANK = np.uint64(0x80), np.uint64(0xF), np.uint64(0x8)
#: The bits that mark ranks, and the bit that a sixth entry sets, which is one too many. The valid sequences are: a
#: square; an origin's file or rank, then a square; two squares.
_RANK_MARKS, _TOO_MANY = np.uint64(0x8888_8888), np.uint64(0x8000_0000)
_SQUARE, _FILE_SQUARE, _RANK_SQUARE, _TWO_SQUARES = (
    np.uint64(shape) for shape in (0x80_08, 0x80_008, 0x80_808, 0x80_0808)
)
#: A lower-case b after a rank, at the end, is a promotion to a bishop.
_RANK_AND_B, _TWO_PLACES = np.uint64(0x81), np.uint64(0x8F)

#: The piece that a letter means anywhere in a move, and the piece that it means at the beginning of a move.
_PIECE_OF, _NAMED = np.zeros((2, 256), np.uint64)
for _piece, _letters in enumerate((b"Pp", b"Nn", b"Bb", b"Rr", b"Qq", b"Kk"), start=1):
    _PIECE_OF[list(_letters)], _NAMED[_letters[0]] = _piece, _piece

_SUFFIX = np.zeros(256, np.bool_)
_SUFFIX[list(b"+#!?)")] = True


@routine
def is_suffix(byte: np.uint8) -> np.bool:
    """Whether a byte may follow a move: a sign of check or mate, or an annotation sign."""
    return _SUFFIX[byte]


@routine
def _castling_length(text: np.ndarray, start: int, stop: int) -> int:
    """Return the length of castling at this place: 3 or 5, as in ``O-O`` and ``0-0-0``; 0 if there is none."""
    circle = text[start]
    if circle != UPPER_O and circle != DIGIT_0 and circle != LOWER_O:
        return 0
    if start + 2 >= stop or text[start + 1] != DASH or text[start + 2] != circle:
        return 0
    return 5 if start + 4 < stop and text[start + 3] == DASH and text[start + 4] == circle else 3


@routine
def _promotion(text: np.ndarray, at: int, stop: int, meaning: np.uint8, behind_rank: bool) -> tuple[np.uint64, int]:
    """Return the promotion piece at this place and the length of its text; length 0 if the move ends here.

    A letter alone is a promotion only after a rank (``e8Q``); a sign with a letter always is (``e8=Q``, ``e8(Q)``).
    """
    if meaning == _LETTER and behind_rank:
        return _PIECE_OF[text[at]], 1
    if meaning != _SIGN:
        return ZERO, 0
    sign, piece = text[at], _PIECE_OF[text[at + 1]] if at + 1 < stop else ZERO
    if sign == OPEN_PARENTHESIS:  # may open a variation
        return piece, 3 if piece != ZERO and at + 2 < stop and text[at + 2] == CLOSE_PARENTHESIS else 0
    if piece != ZERO:
        return piece, 2
    return ZERO, 1 if sign == EQUALS else 0  # a draw offer


@subroutine
def read_san(text: np.ndarray, start: int, stop: int, board: Board, flip: np.uint64) -> tuple[Move, int]:
    """Return the legal move in the text from ``start``, or a reason why there is none, and where its text ends.

    The board is from the mover's view; ``flip`` is 56 when Black moves and 0 when White moves, and converts squares of
    the text to squares of that board. SAN and its common misspellings are accepted: too many hints (``Ng1f3``,
    ``e2e4``, ``e2-e4``), missing ``x`` and ``+``, ``0-0``, ``e8Q``, ``e8(Q)``, a ``P`` before pawn moves, any ``!?``.

    After the letter of the piece, files and ranks are collected in order; capture signs and suffixes between them are
    skipped. Which of the entries are ranks then determines the meaning::

        text        files, ranks    ranks among them
        e4          80 4B           80 08       a square
        Nbxd7+      80 13E          80 008      a file and a square
        R1:a3!?     80 80A          80 808      a rank and a square
        g1-f3       80 685A         80 0808     two squares; without a piece letter, of the piece on the first
        axb8b       80 01F1         80 0080     as above: a final b after a rank promotes to a bishop
        e           80 4            80 0        nothing
    """
    text = borrowed(text)
    castling = _castling_length(text, start, stop)
    if castling:
        return resolve_castling(board, castling == 3), start + castling
    named = _NAMED[text[start]]
    piece = named if named != ZERO else PAWN
    at = start + 1 if named != ZERO else start
    places, promotion = _NO_PLACE, ZERO
    while places < _TOO_MANY:
        meaning = _MEANING[text[at]] if at < stop else _END
        if meaning < _LETTER:
            if text[at] == DASH and at + 1 < stop and text[at + 1] == DASH:
                break  # a null move behind this one
            places = places << (meaning >> FOUR) | meaning & _PLACE_BITS
            at += 1
            continue
        promoted, length = _promotion(text, at, stop, meaning, piece == PAWN and places & _RANK != ZERO)
        if length == 0:
            break
        promotion = promoted if promoted != ZERO else promotion
        at += length
    if piece == PAWN and places & _TWO_PLACES == _RANK_AND_B:
        places, promotion = places >> FOUR, BISHOP
    if promotion == PAWN or promotion == KING:
        return UNREADABLE, at
    kind = promotion - ONE if promotion != ZERO else NORMAL
    target = ((places & SEVEN) << THREE | places >> FOUR & SEVEN) ^ flip
    ranks, before, first = places & _RANK_MARKS, places >> EIGHT & SEVEN, places >> TWELVE & SEVEN
    file = rank = ANY
    if ranks == _FILE_SQUARE:
        file = before
    elif ranks == _RANK_SQUARE:
        rank = before ^ flip >> THREE
    elif ranks == _TWO_SQUARES:
        file, rank = first, before ^ flip >> THREE
        if named == ZERO:
            return between(board, rank << THREE | file, target, kind), at
    elif ranks != _SQUARE:
        return UNREADABLE, at
    return resolve(board, piece, target, file, rank, kind), at


# ------------------------------------------------------------------------------------------------------------- writing

_PROMOTION_LETTERS = np.frombuffer(b" NBRQ", np.uint8).copy()


@subroutine
def _rivals(board: Board, piece: np.uint64, origin: Square, target: Square) -> Set:
    """Return the other pieces of the same kind that could legally move to the target."""
    occupied = board.own | board.enemy
    rivals: Set = EMPTY
    if piece == KNIGHT:
        rivals = knight.ATTACKS[target] & board.knights
    elif piece == BISHOP:
        rivals = bishop_attacks(target, occupied) & board.bishops
    elif piece == ROOK:
        rivals = rook_attacks(target, occupied) & board.rooks
    elif piece == QUEEN:
        rivals = (rook_attacks(target, occupied) | bishop_attacks(target, occupied)) & board.queens
    rivals &= board.own & ~bit(origin)
    end, legal_rivals = bit(target), EMPTY
    while rivals != EMPTY:
        rival = lowest(rivals)
        if keeps_king_safe(lanes_of(board), king_square(board), bit(rival), end, end):
            legal_rivals |= bit(rival)
        rivals = without_lowest(rivals)
    return legal_rivals


@routine
def _hints(board: Board, piece: np.uint64, origin: Square, target: Square, captures: bool) -> tuple[bool, bool]:
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
def write_san(board: Board, move: Move, flip: np.uint64, long: bool, out: np.ndarray, at: int) -> int:
    """Write a legal or null move of the mover's board in exact SAN; return where the text ends.

    ``flip`` is as in ``read_san``. ``long`` writes long algebraic notation instead: ``Ng1-f3``, ``e7xd8=Q+``.
    """
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == NULL:
        out[at], out[at + 1] = DASH, DASH
        return at + 2
    if kind == CASTLING:
        out[at], out[at + 1], out[at + 2] = UPPER_O, DASH, UPPER_O
        at += 3
        if target < origin:
            out[at], out[at + 1] = DASH, UPPER_O
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
            out[at] = LOWER_A + np.uint8(origin & SEVEN)
            at += 1
        if with_rank:
            out[at] = DIGIT_1 + np.uint8((origin ^ flip) >> THREE)
            at += 1
        if captures or long:
            out[at] = LOWER_X if captures else DASH
            at += 1
        at = write_square(target ^ flip, out, at)
        if kind != NORMAL and kind != EN_PASSANT:
            out[at], out[at + 1] = EQUALS, _PROMOTION_LETTERS[kind]
            at += 2
    after = child(board, move)
    if in_check(after):
        out[at] = PLUS if count_moves(after, legality(after)) != EMPTY else HASH
        at += 1
    return at
