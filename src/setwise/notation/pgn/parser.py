"""PGN, read by one compiled kernel: bytes in, columns out, every move resolved and checked against the rules.

The kernel tolerates what real files hold; what it does with each thing is written where it does it. It has two loops:
that of ``plain.read_moves`` for movetext as it mostly is, and one here for everything, a token at a time.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import byteswap, entry, subroutine
from setwise.compiler.lanes import lane, unpacked
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import boolean, int32, int64, reads, tuple_of, uint16, uint64, void, writes
from setwise.notation.fen import read_fen
from setwise.notation.pgn.fast_moves import read_moves
from setwise.notation.pgn.tokens import (
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
)
from setwise.notation.resolve import REASONS, is_move
from setwise.notation.san import read_san
from setwise.notation.scanning import TEXT
from setwise.patterns.bits import EMPTY, ONE, ZERO
from setwise.rules.board import ENEMY, PAWNS, lanes_of, other_side
from setwise.rules.moves import FIFTY_SIX, SQUARE_MASK, after, clocks_after, played, turned
from setwise.rules.state import USUAL_START, movers_board, put_state, state_in, whites_board

__all__ = [
    "BOARD", "FAULT", "FAULTS", "FAULT_AT", "FIRST_MOVE", "FIRST_TAG", "GAME_COLUMNS",
    "NO_FAULT", "RESULT", "START", "STOP", "parse", "replay",
]  # fmt: skip

# ------------------------------------------------------------------------------------------------------ what comes out

#: Why a game ends before its text does. The reasons why a text is no legal move come first, in their order.
FAULTS = (
    *REASONS.values(),
    "the FEN of this game is not a legal position",
    "the rules of this variant are not known here (standard chess, Chess960 and games from a position are)",
    "a comment is never closed",
    "a variation is never closed",
    "the text breaks off inside a tag",
)
(*_, UNREADABLE, BAD_FEN, BAD_VARIANT, OPEN_COMMENT,
 OPEN_VARIATION, OPEN_TAG) = range(len(FAULTS))  # fmt: skip
NO_FAULT = -1

#: The columns of the table of games: where a game's text starts and ends, the numbers of its first move and first tag,
#: its result, its fault and where that is, the row of its starting position in ``boards`` (-1 for the usual one).
START, STOP, FIRST_MOVE, FIRST_TAG, RESULT, FAULT, FAULT_AT, BOARD = range(8)
GAME_COLUMNS = 8

_USUAL_BOARD = whites_board.py_func(USUAL_START)

# ---------------------------------------------------------------------------------------------------------- the kernel


@subroutine
def _break_off(game, fault, at):
    """Note the first fault of a game, and where it is; true, for the game is broken."""
    if game[FAULT] == NO_FAULT:
        game[FAULT], game[FAULT_AT] = fault, at
    return True


@subroutine
def _begins_anew(text, at, tags, first, n_tags, loose):
    """Whether a tag behind tags is the next game's: the first one's name comes again, or, where something else stands
    between (``loose``), a line begins a game in any case.
    """
    if n_tags > first and same_name(text, at + 1, tags[first, 0], tags[first, 1]):
        return True
    return loose and at_line_start(text, at) and game_begins(text, at)


@entry(
    tuple_of(*[int64] * 5),
    TEXT, writes(uint16), writes(int64, 2), writes(int32, 2),
    writes(uint64, 2), writes(int32, 2),
)  # fmt: skip
def parse(text, moves, games, tags, boards, notes):
    """Read whole games from a text; return how many games, moves, tags and boards of their own came out, and its end.

    The end is that of the text, or the start of the first game for which ``games`` has no row.

    ``games`` gets a row a game, ``boards`` one for each that does not start as usual, ``tags`` the spans of names and
    values, ``notes``, when it has rows, a row a move: the span of the move and all that is noted behind it, glyphs,
    NAGs, comments and variations.
    """
    text, moves, games = borrowed(text), borrowed(moves), borrowed(games)
    tags, boards, notes = borrowed(tags), borrowed(boards), borrowed(notes)
    n_games = n_moves = n_tags = n_boards = 0
    size, game = text.size, games[0]
    at = 3 if size >= 3 and text[0] == 0xEF and text[1] == 0xBB and text[2] == 0xBF else 0  # a mark of the byte order
    active, in_tags, broken, finished = False, False, False, False
    loose = False  # whether something else stands between the last tag and here
    board, flip = _USUAL_BOARD, ZERO
    while True:
        if active and not (in_tags or broken or finished):
            if notes.shape[0] > 0 and n_moves > game[FIRST_MOVE]:
                notes[n_moves - 1, 1] = at
            at, n_moves, board, flip = read_moves(text, at, board, flip, moves, n_moves, notes, game[FIRST_MOVE])
        while at < size and CLASS[text[at]] == BLANK:
            at += 1
        byte = text[at] if at < size else DIGIT_0
        kind = CLASS[byte]

        # A tag: at the start of a line, or on the line of a game that has ended or not begun.
        is_tag = at + 1 < size and byte == BRACKET and CLASS[text[at + 1]] == LETTER
        is_tag = is_tag and (in_tags or not active or at_line_start(text, at))
        # The end of a game: behind its result, at the tags of the next one, at the end of the text.
        if active and (
            finished
            or at >= size
            or (is_tag and (not in_tags or _begins_anew(text, at, tags, game[FIRST_TAG], n_tags, loose)))
        ):
            game[STOP] = at
            n_games += 1
            active = False
        if at >= size or (not active and n_games == games.shape[0]):
            break
        # The beginning of one. Comments behind a result belong to nobody.
        begins = is_tag or byte == STAR or kind != NOISE or (byte == OPEN_BRACE and not finished)
        if begins and not active:
            active, in_tags, broken, finished = True, True, False, False
            game = games[n_games]
            game[START], game[STOP], game[FIRST_MOVE], game[FIRST_TAG] = at, size, n_moves, n_tags
            game[RESULT], game[FAULT], game[FAULT_AT], game[BOARD] = UNKNOWN, NO_FAULT, at, -1
            board, flip = _USUAL_BOARD, ZERO

        if is_tag:
            name, name_stop, value, value_stop, stop = tag_at(text, at)
            if stop < 0:
                broken, at = _break_off(game, OPEN_TAG, at), size
                continue
            tags[n_tags, 0], tags[n_tags, 1], tags[n_tags, 2], tags[n_tags, 3] = name, name_stop, value, value_stop
            n_tags += 1
            if is_word(text, name, name_stop, FEN):
                found, fault, _ = read_fen(text, value, value_stop)
                if fault:
                    broken = _break_off(game, BAD_FEN, value)
                else:
                    put_state(found, boards[n_boards])
                    game[BOARD] = n_boards
                    n_boards += 1
                    board, flip = movers_board(found), FIFTY_SIX * (ONE - found.white_to_move)
            elif is_word(text, name, name_stop, VARIANT) and not known_variant(text, value, value_stop):
                broken = _break_off(game, BAD_VARIANT, value)
            at = stop
            loose = text[at - 1] != END_BRACKET
            continue
        loose = True
        if byte == OPEN_BRACE:
            start, at = at, comment_end(text, at + 1)
            in_tags = False
            if at < size and text[at] == CLOSE_BRACE:
                at += 1
            elif active:
                if notes.shape[0] > 0 and n_moves > game[FIRST_MOVE] and not (broken or finished):
                    notes[n_moves - 1, 1] = at
                broken = _break_off(game, OPEN_COMMENT, start)
            continue
        if byte == SEMICOLON or (byte == PERCENT and at_line_start(text, at)):
            at = line_end(text, at)
            continue
        if byte == OPEN_PARENTHESIS:
            start = at
            at, closed = variation_end(text, at + 1)
            if active and not closed:
                broken = _break_off(game, OPEN_VARIATION, start)
            continue
        if byte == DOLLAR:
            at += 1
            while at < size and CLASS[text[at]] == DIGIT:
                at += 1
            continue
        if kind == DIGIT or byte == STAR:
            result, length = result_at(text, at)
            if length:
                game[RESULT] = result
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
                broken = _break_off(game, UNREADABLE, at)
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
        move, stop = read_san(text, at, size, board, flip)
        if not is_move(move):
            broken = _break_off(game, np.int64(move & SQUARE_MASK), at)
            continue
        moves[n_moves] = turned(move) if flip != EMPTY else move
        if notes.shape[0] > 0:
            notes[n_moves, 0], notes[n_moves, 1] = at, stop
        n_moves += 1
        at, board, flip = stop, played(board, move), flip ^ FIFTY_SIX
    return n_games, n_moves, n_tags, n_boards, at


# ---------------------------------------------------------------------------------------------------------- the replay


@entry(
    void,
    reads(int64, 2, "A"), reads(uint16),
    reads(uint64, 2, "A"), writes(uint64, 2),
    writes(boolean),
    writes(uint16, 2), writes(int32, 2),
)  # fmt: skip
def replay(games, moves, boards, sets, white_to_move, clocks, places):
    """Write every position of the games, the first and the last ones too, each game's in a row.

    ``sets`` gets ten rows (eight sets, castling, en passant) from White's side; ``clocks`` the halfmove clock, the
    number of the full move and the move played next (0 when there is none); ``places`` the game's row and the ply.
    """
    n = 0
    for game in range(games.shape[0]):
        first = games[game, FIRST_MOVE]
        last = games[game + 1, FIRST_MOVE] if game + 1 < games.shape[0] else np.int64(moves.size)
        custom = games[game, BOARD]
        start = state_in(boards[custom]) if custom >= 0 else USUAL_START
        white, halfmoves, fullmoves = start.white_to_move != EMPTY, start.halfmove_clock, start.fullmove_number
        board = movers_board(start)
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
            pawns, enemy = lane(lanes, PAWNS), lane(lanes, ENEMY)
            halfmoves, fullmoves = clocks_after(pawns, enemy, move, halfmoves, fullmoves, np.uint64(not white))
            lanes, castling, passed = after(lanes, castling, move)
            lanes, castling, passed = other_side(lanes), byteswap(castling), byteswap(passed)
            white = not white
