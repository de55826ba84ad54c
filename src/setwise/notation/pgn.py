"""PGN, read by one compiled kernel: bytes in, columns out, every move resolved and checked against the rules.

The kernel tolerates what real files hold; what it does with each thing is written where it does it. Two rules decide
where games begin, and hold everywhere, inside an unclosed comment or variation too, so that one broken game never
swallows the next: a line that starts with ``[Event "``, and a tag line after an empty line.
"""

from __future__ import annotations

import numpy as np
from numba import types

from setwise.bits import EMPTY, ONE, ZERO
from setwise.kernel import entry, subroutine
from setwise.notation.fen import read_fen
from setwise.notation.san import read_san
from setwise.rules.board import Board, mirrored
from setwise.rules.moves import origin_of, played, target_of, turned
from setwise.rules.resolve import is_move

__all__ = ["BOARD_WORDS", "FAULTS", "RESULTS", "parse", "replay"]

# ------------------------------------------------------------------------------------------------------ what comes out

#: Results of games as they are stored.
UNKNOWN, WHITE_WON, BLACK_WON, DRAWN = range(4)
RESULTS = ("*", "1-0", "0-1", "1/2-1/2")

#: Why a game ends before its text does. The first six come from the SAN reader, in the order of its reasons.
FAULTS = (
    "no piece can make this move",
    "this move leaves the king in check",
    "more than one piece can make this move",
    "a pawn that reaches the last rank must become a queen, rook, bishop or knight, and no other can",
    "castling is not possible here",
    "this is not a move",
    "the FEN of this game is not a legal position",
    "the rules of this variant are not known here (standard chess, Chess960 and games from a position are)",
    "a comment is never closed",
    "a variation is never closed",
    "the text breaks off inside a tag",
)
(NO_PIECE, UNSAFE, AMBIGUOUS, NO_PROMOTION, NO_CASTLING, UNREADABLE, BAD_FEN, BAD_VARIANT, OPEN_COMMENT,
 OPEN_VARIATION, OPEN_TAG) = range(len(FAULTS))  # fmt: skip
NO_FAULT = -1

#: Words of a starting position that is not the usual one: eight sets, castling, en passant, White to move, two clocks.
BOARD_WORDS = 13

START = Board(*(np.uint64(word) for word in (
    0xFFFF, 0xFFFF_0000_0000_0000, 0x00FF_0000_0000_FF00, 0x4200_0000_0000_0042, 0x2400_0000_0000_0024,
    0x8100_0000_0000_0081, 0x0800_0000_0000_0008, 0x1000_0000_0000_0010, 0x8100_0000_0000_0081, 0,
)))  # fmt: skip

# ------------------------------------------------------------------------------------------------------- what goes in

_BLANK, _DIGIT, _LETTER, _NOISE = (np.uint8(kind) for kind in (1, 2, 3, 4))
_CLASS = np.full(256, _NOISE, np.uint8)
_CLASS[list(b" \t\r\n\v\f\0")] = _BLANK
_CLASS[list(b"0123456789")] = _DIGIT
_CLASS[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] = _LETTER

(_NEWLINE, _SPACE, _QUOTE, _BACKSLASH, _OPEN, _CLOSE, _LEFT, _RIGHT, _SEMICOLON, _DOLLAR, _STAR, _PERCENT, _BRACKET,
 _END_BRACKET, _DASH, _SLASH, _DOT, _ONE, _TWO, _NIL) = (
    np.uint8(byte) for byte in b'\n "\\{}();$*%[]-/.120'
)  # fmt: skip
_CR, _LOWER_E, _LOWER_P = np.uint8(13), np.uint8(ord("e")), np.uint8(ord("p"))

_EVENT = np.frombuffer(b'[Event "', np.uint8).copy()
_FEN = np.frombuffer(b"FEN", np.uint8).copy()
_VARIANT = np.frombuffer(b"Variant", np.uint8).copy()
_KNOWN_VARIANTS = tuple(
    np.frombuffer(name, np.uint8).copy()
    for name in (
        b"standard",
        b"chess",
        b"normal",
        b"from position",
        b"chess960",
        b"chess 960",
        b"fischer",
        b"freestyle",
        b"?",
    )
)


@subroutine
def _starts_with(text, at, word):
    if at + word.size > text.size:
        return False
    for k in range(word.size):
        if text[at + k] != word[k]:
            return False
    return True


@subroutine
def _is(text, start, stop, word):
    return stop - start == word.size and _starts_with(text, start, word)


@subroutine
def _lower(byte):
    return byte | np.uint8(32) if _CLASS[byte] == _LETTER else byte


@subroutine
def _begins_ignoring_case(text, start, stop, word):
    if stop - start < word.size:
        return False
    for k in range(word.size):
        if _lower(text[start + k]) != word[k]:
            return False
    return True


@subroutine
def _known_variant(text, start, stop):
    if start == stop:
        return True
    for word in _KNOWN_VARIANTS:
        if _begins_ignoring_case(text, start, stop, word):
            return True
    return False


@subroutine
def _line_end(text, at):
    while at < text.size and text[at] != _NEWLINE:
        at += 1
    return at


@subroutine
def _at_line_start(text, at):
    while at > 0 and (text[at - 1] == _SPACE or text[at - 1] == _CR):
        at -= 1
    return at == 0 or text[at - 1] == _NEWLINE


@subroutine
def _game_begins(text, at):
    """Whether a line that starts here opens a game whatever went before: an Event tag, or a tag after an empty line."""
    if text[at] != _BRACKET or at + 1 >= text.size or _CLASS[text[at + 1]] != _LETTER:
        return False
    if _starts_with(text, at, _EVENT):
        return True
    before = at - 1
    while before >= 0 and text[before] == _CR:
        before -= 1
    if before < 0 or text[before] != _NEWLINE:
        return False
    before -= 1
    while before >= 0 and text[before] == _CR:
        before -= 1
    if before >= 0 and text[before] != _NEWLINE:
        return False
    quote = at + 1
    while quote < text.size and _CLASS[text[quote]] == _LETTER:
        quote += 1
    return quote + 1 < text.size and text[quote] == _SPACE and text[quote + 1] == _QUOTE


@subroutine
def _comment_end(text, at):
    """The place of the ``}`` that ends a comment, or of the game that begins before it, or the end of the text."""
    while at < text.size and text[at] != _CLOSE:
        if text[at] == _NEWLINE and at + 1 < text.size and _game_begins(text, at + 1):
            return at + 1
        at += 1
    return at


@subroutine
def _variation_end(text, at):
    """The place behind the ``)`` that ends a variation opened before ``at``, however deeply others nest in it."""
    depth = 1
    while at < text.size:
        byte = text[at]
        if byte == _OPEN:
            at = _comment_end(text, at + 1)
            if at < text.size and text[at] != _CLOSE:
                return at, False
        elif byte == _SEMICOLON:
            at = _line_end(text, at)
        elif byte == _LEFT:
            depth += 1
        elif byte == _RIGHT:
            depth -= 1
            if depth == 0:
                return at + 1, True
        if at < text.size and text[at] == _NEWLINE and at + 1 < text.size and _game_begins(text, at + 1):
            return at + 1, False
        at += 1
    return text.size, False


@subroutine
def _number_end(text, start):
    """Where the number of a move and its dots end; castling or a result may follow at once (``4.0-0``, ``5.1-0``)."""
    at = start + 1
    while at < text.size and (_CLASS[text[at]] == _DIGIT or text[at] == _DOT):
        at += 1
    glued = at - start > 2 and at < text.size and text[at] == _DASH and text[at - 2] == _DOT
    return at - glued


@subroutine
def _result_at(text, at):
    """The result that stands here and its length; length 0 when there is none."""
    byte, rest = text[at], text.size - at
    if byte == _STAR:
        return UNKNOWN, 1
    if rest >= 3 and text[at + 1] == _DASH:
        if byte == _ONE and text[at + 2] == _NIL:
            return WHITE_WON, 3
        if byte == _NIL and text[at + 2] == _ONE:
            return BLACK_WON, 3
    if rest >= 3 and byte == _ONE and text[at + 1] == _SLASH and text[at + 2] == _TWO:
        long = rest >= 7 and text[at + 3] == _DASH and text[at + 4] == _ONE and text[at + 5] == _SLASH
        return DRAWN, 7 if long and text[at + 6] == _TWO else 3
    return UNKNOWN, 0


@subroutine
def _tag_at(text, at):
    """The spans of a tag's name and value, and where the line goes on; the last is -1 when the text breaks off."""
    start = at + 1
    stop = start
    while stop < text.size and text[stop] != _SPACE and text[stop] != _QUOTE and text[stop] != _END_BRACKET:
        if text[stop] == _NEWLINE:
            return start, stop, stop, stop, stop
        stop += 1
    value = stop
    while value < text.size and text[value] != _QUOTE and text[value] != _END_BRACKET and text[value] != _NEWLINE:
        value += 1
    if value >= text.size:
        return start, stop, value, value, -1
    if text[value] != _QUOTE:
        return start, stop, value, value, _line_end(text, value)
    # A quote inside a value that nobody escaped: the value ends at the last quote before the bracket at the end.
    value += 1
    end, quote = value, -1
    while end < text.size and text[end] != _NEWLINE:
        if text[end] == _BACKSLASH and end + 1 < text.size and text[end + 1] != _NEWLINE:
            end += 2
            continue
        if text[end] == _QUOTE:
            quote = end
            after = end + 1
            while after < text.size and (text[after] == _SPACE or text[after] == _CR):
                after += 1
            if after < text.size and text[after] == _END_BRACKET:
                return start, stop, value, end, after + 1
        end += 1
    if quote < 0:
        return start, stop, value, end, -1 if end >= text.size else end
    return start, stop, value, quote, end


# ---------------------------------------------------------------------------------------------------------- the kernel

_BYTES = types.Array(types.uint8, 1, "C", readonly=True)


@entry(
    types.UniTuple(types.int64, 5),
    _BYTES, types.Array(types.uint16, 1, "C"), types.Array(types.int64, 2, "C"), types.Array(types.int32, 2, "C"),
    types.Array(types.uint64, 2, "C"), types.Array(types.int32, 2, "C"),
)  # fmt: skip
def parse(text, moves, games, tags, boards, notes):
    """Read whole games from a text; return how many games, moves, tags and boards of their own came out, and its end.

    The end is that of the text, or the start of the first game for which ``games`` has no row.

    ``games`` gets a row a game: where its text starts and ends, the number of moves and of tags before it, its result,
    its fault and where, and the row of its starting position in ``boards`` (-1 for the usual one). ``tags`` gets the
    spans of names and values; ``notes``, when it has rows, a row a move: the span of the comments after it and its NAG.
    """
    n_games = n_moves = n_tags = n_boards = 0
    at, size = 0, text.size
    if size >= 3 and text[0] == 0xEF and text[1] == 0xBB and text[2] == 0xBF:
        at = 3
    noted = notes.shape[0] > 0
    active, in_tags, broken, finished = False, False, False, False
    loose = False  # whether something else stands between the last tag and here
    board, flip = START, ZERO
    while True:
        # The usual case, moves and their numbers; anything else is left to the rest of the loop.
        while active and not (in_tags or broken or finished):
            while at < size and _CLASS[text[at]] == _BLANK:
                at += 1
            if at >= size:
                break
            byte = text[at]
            kind = _CLASS[byte]
            if kind == _DIGIT and byte != _NIL and at + 1 < size and text[at + 1] != _DASH and text[at + 1] != _SLASH:
                at = _number_end(text, at)
                continue
            if kind == _LETTER:
                if byte == _LOWER_E and at + 1 < size and (text[at + 1] == _DOT or text[at + 1] == _LOWER_P):
                    at += 2
                    while at < size and (text[at] == _LOWER_P or text[at] == _DOT):
                        at += 1
                    continue
            elif byte != _NIL or at + 2 >= size or text[at + 1] != _DASH or text[at + 2] != _NIL:
                break
            move, after = read_san(text, at, size, board, flip)
            if not is_move(move):
                games[n_games, 5], games[n_games, 6] = np.int64(move & np.uint64(63)), at
                broken = True
                break
            moves[n_moves] = turned(move) if flip else move
            if noted:
                notes[n_moves, 0], notes[n_moves, 1], notes[n_moves, 2] = 0, 0, 0
            n_moves += 1
            board, flip = played(board, move), flip ^ np.uint64(56)
            at = after

        while at < size and _CLASS[text[at]] == _BLANK:
            at += 1
        byte = text[at] if at < size else _NIL
        kind = _CLASS[byte]

        # A tag: at the start of a line, or on the line of a game that has ended or not begun.
        is_tag = at + 1 < size and byte == _BRACKET and _CLASS[text[at + 1]] == _LETTER
        if is_tag and active and not in_tags and not _at_line_start(text, at):
            is_tag = False
        repeats = False
        if is_tag and active and in_tags:
            first = games[n_games, 3]
            if n_tags > first:
                name_stop = at + 1
                while name_stop < size and _CLASS[text[name_stop]] == _LETTER:
                    name_stop += 1
                length = tags[first, 1] - tags[first, 0]
                repeats = length == name_stop - at - 1
                for k in range(length if repeats else 0):
                    repeats = repeats and text[tags[first, 0] + k] == text[at + 1 + k]

        # The end of a game: a result, the tags of the next one, or the end of the text.
        if is_tag and active and in_tags and loose:
            repeats = repeats or (_at_line_start(text, at) and _game_begins(text, at))
        if active and (finished or at >= size or (is_tag and (not in_tags or repeats))):
            games[n_games, 1] = at
            n_games += 1
            active = False
        if at >= size or (not active and n_games == games.shape[0]):
            break

        if finished and kind == _NOISE and byte != _BRACKET and byte != _STAR:
            pass  # comments behind the result belong to nobody
        elif not active and (is_tag or byte == _STAR or kind != _NOISE or byte == _OPEN):
            active, in_tags, broken, finished = True, True, False, False
            games[n_games, 0], games[n_games, 1], games[n_games, 2], games[n_games, 3] = at, size, n_moves, n_tags
            games[n_games, 4], games[n_games, 5], games[n_games, 6], games[n_games, 7] = UNKNOWN, NO_FAULT, at, -1
            board, flip = START, ZERO

        if is_tag:
            name, name_stop, value, value_stop, after = _tag_at(text, at)
            if after < 0:
                games[n_games, 5], games[n_games, 6] = OPEN_TAG, at
                broken, at = True, size
                continue
            tags[n_tags, 0], tags[n_tags, 1], tags[n_tags, 2], tags[n_tags, 3] = name, name_stop, value, value_stop
            n_tags += 1
            if _is(text, name, name_stop, _FEN):
                found, white_to_move, halfmoves, fullmoves, fault, _ = read_fen(text, value, value_stop)
                if fault:
                    if not broken:
                        games[n_games, 5], games[n_games, 6] = BAD_FEN, value
                    broken = True
                else:
                    for k in range(10):
                        boards[n_boards, k] = found[k]
                    boards[n_boards, 10] = np.uint64(white_to_move)
                    boards[n_boards, 11], boards[n_boards, 12] = np.uint64(halfmoves), np.uint64(fullmoves)
                    games[n_games, 7] = n_boards
                    n_boards += 1
                    board, flip = found, ZERO
                    if not white_to_move:
                        board, flip = mirrored(found), np.uint64(56)
            elif _is(text, name, name_stop, _VARIANT) and not _known_variant(text, value, value_stop):
                games[n_games, 5], games[n_games, 6] = BAD_VARIANT, value
                broken = True
            at = after
            loose = text[at - 1] != _END_BRACKET
            continue
        loose = True
        if byte == _OPEN:
            start = at + 1
            at = _comment_end(text, start)
            closed = at < size and text[at] == _CLOSE
            if not closed and active and games[n_games, 5] == NO_FAULT:
                games[n_games, 5], games[n_games, 6] = OPEN_COMMENT, start - 1
                broken = True
            if noted and active and n_moves > games[n_games, 2]:
                if notes[n_moves - 1, 1] == 0:
                    notes[n_moves - 1, 0] = start
                notes[n_moves - 1, 1] = at
            in_tags = False
            at += closed
            continue
        if byte == _SEMICOLON or (byte == _PERCENT and _at_line_start(text, at)):
            at = _line_end(text, at)
            continue
        if byte == _LEFT:
            start = at
            at, closed = _variation_end(text, at + 1)
            if not closed and active and games[n_games, 5] == NO_FAULT:
                games[n_games, 5], games[n_games, 6] = OPEN_VARIATION, start
                broken = True
            continue
        if byte == _DOLLAR:
            at += 1
            number = 0
            while at < size and _CLASS[text[at]] == _DIGIT:
                number = min(10 * number + text[at] - _NIL, 255)
                at += 1
            if noted and active and n_moves > games[n_games, 2]:
                notes[n_moves - 1, 2] = number
            continue
        if kind == _DIGIT or byte == _STAR:
            result, length = _result_at(text, at)
            if length:
                games[n_games, 4] = result
                finished, in_tags = True, False
                at += length
                continue
            castling = byte == _NIL and at + 2 < size and text[at + 1] == _DASH and text[at + 2] == _NIL
            if not castling:
                at = _number_end(text, at)
                in_tags = False
                continue
        elif kind != _LETTER:
            if byte == _DASH and at + 1 < size and text[at + 1] == _DASH and not broken and active:
                games[n_games, 5], games[n_games, 6] = UNREADABLE, at
                broken = True
            at += 1
            continue

        # A move: read by the loop above, or passed over in a game that has come to an end.
        in_tags = False
        while broken and at < size and _CLASS[text[at]] != _BLANK and text[at] != _OPEN and text[at] != _LEFT:
            at += 1
    return n_games, n_moves, n_tags, n_boards, at


# ---------------------------------------------------------------------------------------------------------- the replay


@entry(
    types.void,
    types.Array(types.int64, 2, "A", readonly=True), types.Array(types.uint16, 1, "C", readonly=True),
    types.Array(types.uint64, 2, "A", readonly=True), types.Array(types.uint64, 2, "C"),
    types.Array(types.boolean, 1, "C"),
    types.Array(types.uint16, 2, "C"), types.Array(types.int32, 2, "C"),
)  # fmt: skip
def replay(games, moves, boards, sets, white_to_move, clocks, places):
    """Write every position of the games, the first and the last ones too, each game's in a row.

    ``sets`` gets ten rows (eight sets, castling, en passant) from White's side; ``clocks`` the halfmove clock, the
    number of the full move and the move played next (0 when there is none); ``places`` the game's row and the ply.
    """
    n = 0
    for game in range(games.shape[0]):
        first = games[game, 2]
        last = games[game + 1, 2] if game + 1 < games.shape[0] else np.int64(moves.size)
        custom = games[game, 7]
        board, white, halfmoves, fullmoves = START, True, np.uint64(0), np.uint64(1)
        if custom >= 0:
            words = boards[custom]
            board = Board(
                words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8], words[9]
            )
            white, halfmoves, fullmoves = words[10] != EMPTY, words[11], words[12]
            if not white:
                board = mirrored(board)
        for ply in range(last - first + 1):
            shown = board if white else mirrored(board)
            sets[0, n], sets[1, n], sets[2, n], sets[3, n] = shown.own, shown.enemy, shown.pawns, shown.knights
            sets[4, n], sets[5, n], sets[6, n], sets[7, n] = shown.bishops, shown.rooks, shown.queens, shown.kings
            sets[8, n], sets[9, n] = shown.castling, shown.en_passant
            white_to_move[n] = white
            clocks[0, n], clocks[1, n] = np.uint16(halfmoves), np.uint16(fullmoves)
            places[0, n], places[1, n] = np.int32(game), np.int32(ply)
            move = EMPTY
            if first + ply < last:
                move = np.uint64(moves[first + ply])
                clocks[2, n] = np.uint16(move)
                seen = move if white else turned(move)
                irreversible = board.pawns >> origin_of(seen) & ONE | board.enemy >> target_of(seen) & ONE
                halfmoves = EMPTY if irreversible != EMPTY else halfmoves + ONE
                board = played(board, seen)
                if not white:
                    fullmoves += ONE
                white = not white
            else:
                clocks[2, n] = np.uint16(0)
            n += 1
