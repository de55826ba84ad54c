"""PGN, read by one compiled kernel: bytes in, columns out, every move resolved and checked against the rules.

The kernel tolerates what real files hold; what it does with each thing is written where it does it. It has two loops:
that of ``plain.read_moves`` for movetext as it mostly is, and one here for everything, a token at a time.
"""

from __future__ import annotations

import numpy as np
from numba import types

from setwise.bits import EMPTY, ONE, ZERO, byteswap
from setwise.kernel import entry
from setwise.notation.fen import read_fen
from setwise.notation.plain import read_moves
from setwise.notation.san import read_any_san
from setwise.notation.scanning import borrowed
from setwise.notation.tokens import (
    BLANK,
    BRACKET,
    CLASS,
    CLOSE_BRACE,
    DASH,
    DIGIT,
    DIGIT_0,
    DOLLAR,
    DOT,
    END_BRACKET,
    FEN,
    LETTER,
    LOWER_E,
    LOWER_P,
    NOISE,
    OPEN_BRACE,
    OPEN_PARENTHESIS,
    PERCENT,
    SEMICOLON,
    STAR,
    UNKNOWN,
    VARIANT,
    at_line_start,
    comment_end,
    game_begins,
    is_word,
    known_variant,
    line_end,
    number_end,
    result_at,
    same_name,
    tag_at,
    variation_end,
)  # fmt: skip
from setwise.octet import lane, unpacked
from setwise.rules.board import ENEMY, PAWNS, Board, lanes_of, mirrored, other_side
from setwise.rules.moves import after, origin_of, played, target_of, turned
from setwise.rules.resolve import is_move

__all__ = ["BOARD_WORDS", "FAULTS", "NO_FAULT", "parse", "replay"]

# ------------------------------------------------------------------------------------------------------ what comes out

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
_MOVE_FAULTS = tuple(range(BAD_FEN))

#: Words of a starting position that is not the usual one: eight sets, castling, en passant, White to move, two clocks.
BOARD_WORDS = 13

START = Board(*(np.uint64(word) for word in (
    0xFFFF, 0xFFFF_0000_0000_0000, 0x00FF_0000_0000_FF00, 0x4200_0000_0000_0042, 0x2400_0000_0000_0024,
    0x8100_0000_0000_0081, 0x0800_0000_0000_0008, 0x1000_0000_0000_0010, 0x8100_0000_0000_0081, 0,
)))  # fmt: skip

# ---------------------------------------------------------------------------------------------------------- the kernel

_REASON, _FLIP = np.uint64(63), np.uint64(56)
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
    spans of names and values; ``notes``, when it has rows, a row a move: the span of the move and all that is noted
    behind it, glyphs, NAGs, comments and variations.
    """
    text, moves, games = borrowed(text), borrowed(moves), borrowed(games)
    tags, boards, notes = borrowed(tags), borrowed(boards), borrowed(notes)
    n_games = n_moves = n_tags = n_boards = 0
    at, size = 0, text.size
    if size >= 3 and text[0] == 0xEF and text[1] == 0xBB and text[2] == 0xBF:
        at = 3
    noted = notes.shape[0] > 0
    active, in_tags, broken, finished = False, False, False, False
    loose = False  # whether something else stands between the last tag and here
    board, flip = START, ZERO
    while True:
        if noted and active and not finished and games[n_games, 5] not in _MOVE_FAULTS and n_moves > games[n_games, 2]:
            notes[n_moves - 1, 1] = at
        if active and not (in_tags or broken or finished):
            at, n_moves, board, flip = read_moves(text, at, board, flip, moves, n_moves, notes, games[n_games, 2])
        while at < size and CLASS[text[at]] == BLANK:
            at += 1
        byte = text[at] if at < size else DIGIT_0
        kind = CLASS[byte]

        # A tag: at the start of a line, or on the line of a game that has ended or not begun.
        is_tag = at + 1 < size and byte == BRACKET and CLASS[text[at + 1]] == LETTER
        if is_tag and active and not in_tags and not at_line_start(text, at):
            is_tag = False
        first = games[n_games, 3] if active else n_tags
        repeats = is_tag and in_tags and n_tags > first and same_name(text, at + 1, tags[first, 0], tags[first, 1])

        # The end of a game: a result, the tags of the next one, or the end of the text.
        if is_tag and active and in_tags and loose:
            repeats = repeats or (at_line_start(text, at) and game_begins(text, at))
        if active and (finished or at >= size or (is_tag and (not in_tags or repeats))):
            games[n_games, 1] = at
            n_games += 1
            active = False
        if at >= size or (not active and n_games == games.shape[0]):
            break

        if finished and kind == NOISE and byte != BRACKET and byte != STAR:
            pass  # comments behind the result belong to nobody
        elif not active and (is_tag or byte == STAR or kind != NOISE or byte == OPEN_BRACE):
            active, in_tags, broken, finished = True, True, False, False
            games[n_games, 0], games[n_games, 1], games[n_games, 2], games[n_games, 3] = at, size, n_moves, n_tags
            games[n_games, 4], games[n_games, 5], games[n_games, 6], games[n_games, 7] = UNKNOWN, NO_FAULT, at, -1
            board, flip = START, ZERO

        if is_tag:
            name, name_stop, value, value_stop, stop = tag_at(text, at)
            if stop < 0:
                games[n_games, 5], games[n_games, 6] = OPEN_TAG, at
                broken, at = True, size
                continue
            tags[n_tags, 0], tags[n_tags, 1], tags[n_tags, 2], tags[n_tags, 3] = name, name_stop, value, value_stop
            n_tags += 1
            if is_word(text, name, name_stop, FEN):
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
                        board, flip = mirrored(found), _FLIP
            elif is_word(text, name, name_stop, VARIANT) and not known_variant(text, value, value_stop):
                games[n_games, 5], games[n_games, 6] = BAD_VARIANT, value
                broken = True
            at = stop
            loose = text[at - 1] != END_BRACKET
            continue
        loose = True
        if byte == OPEN_BRACE:
            start = at + 1
            at = comment_end(text, start)
            closed = at < size and text[at] == CLOSE_BRACE
            if not closed and active and games[n_games, 5] == NO_FAULT:
                games[n_games, 5], games[n_games, 6] = OPEN_COMMENT, start - 1
                broken = True
            in_tags = False
            at += closed
            continue
        if byte == SEMICOLON or (byte == PERCENT and at_line_start(text, at)):
            at = line_end(text, at)
            continue
        if byte == OPEN_PARENTHESIS:
            start = at
            at, closed = variation_end(text, at + 1)
            if not closed and active and games[n_games, 5] == NO_FAULT:
                games[n_games, 5], games[n_games, 6] = OPEN_VARIATION, start
                broken = True
            continue
        if byte == DOLLAR:
            at += 1
            while at < size and CLASS[text[at]] == DIGIT:
                at += 1
            continue
        if kind == DIGIT or byte == STAR:
            result, length = result_at(text, at)
            if length:
                games[n_games, 4] = result
                finished, in_tags = True, False
                at += length
                continue
            castling = byte == DIGIT_0 and at + 2 < size and text[at + 1] == DASH and text[at + 2] == DIGIT_0
            if not castling:
                at = number_end(text, at)
                in_tags = False
                continue
        elif kind != LETTER:
            if byte == DASH and at + 1 < size and text[at + 1] == DASH and not broken and active:
                games[n_games, 5], games[n_games, 6] = UNREADABLE, at
                broken = True
            at += 1
            continue

        # A move, or what stands in the place of one.
        in_tags = False
        if broken:
            while at < size and CLASS[text[at]] != BLANK and text[at] != OPEN_BRACE and text[at] != OPEN_PARENTHESIS:
                at += 1
            continue
        if byte == LOWER_E and at + 1 < size and (text[at + 1] == DOT or text[at + 1] == LOWER_P):  # e.p.
            at += 2
            while at < size and (text[at] == LOWER_P or text[at] == DOT):
                at += 1
            continue
        move, stop = read_any_san(text, at, size, board, flip)
        if not is_move(move):
            games[n_games, 5], games[n_games, 6] = np.int64(move & _REASON), at
            broken = True
            continue
        moves[n_moves] = turned(move) if flip else move
        if noted:
            notes[n_moves, 0], notes[n_moves, 1] = at, stop
        n_moves += 1
        at, board, flip = stop, played(board, move), flip ^ _FLIP
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
        lanes, castling, passed = lanes_of(board), board.castling, board.en_passant
        for ply in range(last - first + 1):
            row = np.uint64(n)
            shown = unpacked(lanes if white else other_side(lanes))
            sets[0, row], sets[1, row], sets[2, row], sets[3, row] = shown[0], shown[1], shown[2], shown[3]
            sets[4, row], sets[5, row], sets[6, row], sets[7, row] = shown[4], shown[5], shown[6], shown[7]
            sets[8, row], sets[9, row] = (castling, passed) if white else (byteswap(castling), byteswap(passed))
            white_to_move[row] = white
            clocks[0, row], clocks[1, row], clocks[2, row] = np.uint16(halfmoves), np.uint16(fullmoves), np.uint16(0)
            places[0, row], places[1, row] = np.int32(game), np.int32(ply)
            n += 1
            if first + ply == last:
                break
            move = np.uint64(moves[np.uint64(first + ply)])
            clocks[2, row] = np.uint16(move)
            if not white:
                move = turned(move)
            irreversible = lane(lanes, PAWNS) >> origin_of(move) & ONE | lane(lanes, ENEMY) >> target_of(move) & ONE
            halfmoves = (halfmoves + ONE) * (irreversible ^ ONE)
            fullmoves += np.uint64(not white)
            lanes, castling, passed = after(lanes, castling, move)
            lanes, castling, passed = other_side(lanes), byteswap(castling), byteswap(passed)
            white = not white
