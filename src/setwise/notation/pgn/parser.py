"""PGN, read by one compiled kernel: bytes in, columns out, every move resolved and checked against the rules.

The kernel tolerates the irregularities of real files; comments beside the code describe how. It has two loops:
``fast_moves.read_moves`` for usual movetext, and the loop here for everything, a token at a time.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Move, entry, routine, subroutine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import int32, int64, tuple_of, uint16, uint64, writes
from setwise.notation.characters import DASH, END_BRACKET
from setwise.notation.fen import read_fen
from setwise.notation.nulls import null_end
from setwise.notation.pgn.fast_moves import read_moves, record
from setwise.notation.pgn.replay import put_board, start_of
from setwise.notation.pgn.table import (
    BAD_FEN,
    BAD_VARIANT,
    BOARD,
    CHECKS,
    CHECKS_NOW,
    FAULT,
    FAULT_AT,
    FIRST_MOVE,
    FIRST_TAG,
    GAME_COLUMNS,
    GAME_OVER,
    NO_FAULT,
    OPEN_COMMENT,
    OPEN_TAG,
    OPEN_VARIATION,
    RESULT,
    START,
    STOP,
    Columns,
)
from setwise.notation.pgn.table import VARIANT as VARIANT_NUMBER
from setwise.notation.pgn.tags import FEN, VARIANT, is_named, same_name, tag_at, variant_number
from setwise.notation.pgn.tokens import (
    COMMENT,
    END,
    MOVE,
    NAG,
    NOISE,
    NUMBER,
    PASS,
    REST_OF_LINE,
    TAG,
    UNKNOWN,
    VARIATION,
    at_line_start,
    blanks_end,
    comment_end,
    digits_end,
    en_passant_end,
    game_begins,
    line_end,
    number_end,
    result_at,
    token_at,
    variation_end,
    word_end,
)
from setwise.notation.pgn.tokens import RESULT as RESULT_TOKEN
from setwise.notation.pgn.variants import count_check, has_ended, read_variant_fen, start_counting
from setwise.notation.resolve import is_move
from setwise.notation.san import read_san
from setwise.notation.scanning import TEXT
from setwise.patterns.bits import ONE, ZERO, as_int
from setwise.rules.board import Board, lanes_of
from setwise.rules.moves import FIFTY_SIX, NULL_MOVE, SQUARE_MASK, child
from setwise.rules.state import SETS, USUAL_START, WORDS, movers_board, put_state
from setwise.rules.variants import STANDARD
from setwise.system.pool import pooled

__all__ = ["parse", "read_games", "room"]

# ---------------------------------------------------------------------------------------------------------- the kernel

#: Where the reader is: between games; after a tag; among the tags but after another token, so that the next tag may
#: begin a new game; in the moves.
_BETWEEN, _TAGS, _BEHIND_TAGS, _MOVES = (np.uint8(place) for place in range(4))


@routine
def _begin(game: np.ndarray, at: int, stop: int, n_moves: int, n_tags: int) -> None:
    """Fill the row of a new game with default values."""
    game[START], game[STOP], game[FIRST_MOVE], game[FIRST_TAG] = at, stop, n_moves, n_tags
    game[RESULT], game[FAULT], game[FAULT_AT], game[BOARD] = UNKNOWN, NO_FAULT, at, -1
    game[VARIANT_NUMBER], game[CHECKS], game[CHECKS_NOW] = STANDARD, -1, 0


@subroutine
def _break_off(game: np.ndarray, fault: int, at: int) -> None:
    """Store the first fault of a game and its place; moves after it are not played."""
    if game[FAULT] == NO_FAULT:
        game[FAULT], game[FAULT_AT] = fault, at


@routine
def _begins_next(text: np.ndarray, at: int, place: np.uint8, tags: np.ndarray, first: int, last: int) -> bool:
    """Whether a tag belongs to the next game.

    It does after moves; if it repeats the name of this game's first tag, which is in row ``first``; or if it follows
    another token and its line begins a game.
    """
    if place == _MOVES or (last > first and same_name(text, at + 1, tags[first, 0], tags[first, 1])):
        return True
    return place == _BEHIND_TAGS and at_line_start(text, at) and game_begins(text, at)


@routine
def _read_tag(
    text: np.ndarray,
    at: int,
    game: np.ndarray,
    tags: np.ndarray,
    n_tags: int,
    boards: np.ndarray,
    n_boards: int,
) -> tuple[int, int, int]:
    """Read a tag, and its position or variant; return where it ends, and the numbers of tags and boards."""
    name, name_stop, value, value_stop, stop = tag_at(text, at)
    if stop < 0:
        _break_off(game, OPEN_TAG, at)
        return text.size, n_tags, n_boards
    tags[n_tags, 0], tags[n_tags, 1], tags[n_tags, 2], tags[n_tags, 3] = name, name_stop, value, value_stop
    if is_named(text, name, name_stop, FEN):
        state, fault, _ = read_fen(text, value, value_stop)
        if fault:
            state, fault, game[CHECKS] = read_variant_fen(text, value, value_stop)
            game[FAULT_AT] = value if game[FAULT] == NO_FAULT else game[FAULT_AT]
        if fault:
            _break_off(game, BAD_FEN, value)
        else:
            put_state(state, boards[n_boards])
            game[BOARD] = n_boards
            n_boards += 1
    elif is_named(text, name, name_stop, VARIANT):
        number = variant_number(text, value, value_stop)
        if number >= STANDARD:
            game[VARIANT_NUMBER] = number
        else:
            _break_off(game, BAD_VARIANT, value)
    return stop, n_tags + 1, n_boards


@routine
def _start(game: np.ndarray, boards: np.ndarray) -> tuple[Board, np.uint64]:
    """Return the mover's board at the start of a game, and 56 if Black moves, else 0."""
    if not start_counting(game):
        _break_off(game, BAD_FEN, game[FAULT_AT])
    state = start_of(game, boards)
    return movers_board(state), FIFTY_SIX * (ONE - state.white_to_move)


@routine
def _end(
    game: np.ndarray,
    at: int,
    place: np.uint8,
    board: Board,
    flip: np.uint64,
    boards: np.ndarray,
    sets: np.ndarray,
    row: int,
) -> None:
    """End a game, and write the board after its last move to a row of ``sets``."""
    game[STOP] = at
    if place != _MOVES:
        board, flip = _start(game, boards)
    put_board(sets, row, lanes_of(board), board.castling, board.en_passant, flip)


@routine
def _extend_note(notes: np.ndarray, n_moves: int, game: np.ndarray, at: int) -> None:
    """Extend the span of the last move's annotations to here, if annotations are requested and there is a move."""
    if notes.shape[0] > 0 and n_moves > game[FIRST_MOVE]:
        notes[n_moves - 1, 1] = at


@routine
def _kind_of(text: np.ndarray, at: int, place: np.uint8) -> np.uint8:
    """Return the kind of the token here; tags inside a line of moves and dashes between games mean nothing."""
    kind = token_at(text, at)
    if kind == TAG and place == _MOVES and not at_line_start(text, at):
        return NOISE
    if place == _BETWEEN and kind >= MOVE and text[at] == DASH:
        return NOISE
    return kind


@routine
def _read_move(
    text: np.ndarray,
    start: int,
    kind: np.uint8,
    game: np.ndarray,
    board: Board,
    flip: np.uint64,
    moves: np.ndarray,
    n_moves: int,
    notes: np.ndarray,
    sets: np.ndarray,
    row: int,
) -> tuple[int, int, Board, np.uint64]:
    """Read a move or a null move; return where it ends, the number of moves, and the board after it."""
    if game[FAULT] != NO_FAULT:
        return word_end(text, start), n_moves, board, flip
    at = en_passant_end(text, start)
    if at > start:
        return at, n_moves, board, flip
    if game[VARIANT_NUMBER] != STANDARD and has_ended(game, board, flip):
        _break_off(game, GAME_OVER, start)
        return start, n_moves, board, flip
    move: Move
    move, at, turns = NULL_MOVE, null_end(text, start, text.size), ZERO
    if kind == MOVE:
        (move, at), turns = read_san(text, start, text.size, board, flip), flip
    if not is_move(move) and kind == MOVE:
        _break_off(game, as_int(move & SQUARE_MASK), start)
        return start, n_moves, board, flip
    put_board(sets, row, lanes_of(board), board.castling, board.en_passant, flip)
    record(moves, notes, n_moves, move, turns, start, at)
    after = child(board, move)
    if game[VARIANT_NUMBER] != STANDARD:
        count_check(game, after, flip)
    return at, n_moves + 1, after, flip ^ FIFTY_SIX


@routine
def _skip(
    text: np.ndarray, start: int, kind: np.uint8, place: np.uint8, game: np.ndarray, notes: np.ndarray, n_moves: int
) -> int:
    """Return the end of a token that is not a tag, move or result; unclosed comments and variations are faults."""
    if kind == NUMBER:
        return number_end(text, start)
    if kind == NAG:
        return digits_end(text, start + 1)
    if kind == REST_OF_LINE:
        return line_end(text, start)
    if kind == COMMENT:
        at, closed = comment_end(text, start + 1)
        if not closed and place == _MOVES:
            if game[FAULT] == NO_FAULT:
                _extend_note(notes, n_moves, game, at)
            _break_off(game, OPEN_COMMENT, start)
        return at
    if kind == VARIATION:
        at, closed = variation_end(text, start + 1)
        if not closed and place != _BETWEEN:
            _break_off(game, OPEN_VARIATION, start)
        return at
    return start + 1


@entry(
    tuple_of(*[int64] * 5),
    TEXT, writes(int64, 2), writes(uint16), writes(int32, 2), writes(uint64, 2), writes(int32, 2),
    writes(uint64, 2),
)  # fmt: skip
def parse(
    text: np.ndarray,
    games: np.ndarray,
    moves: np.ndarray,
    tags: np.ndarray,
    boards: np.ndarray,
    notes: np.ndarray,
    sets: np.ndarray,
) -> tuple[int, int, int, int, int]:
    """Read whole games from a text; return how many games, moves, tags and boards of their own came out, and its end.

    The end is the end of the text, or the start of the first game for which ``games`` has no row. The arrays are those
    of ``Columns``. The other arrays need as many rows as ``room`` returns; this is not checked here. ``notes`` has no
    rows if annotations are not requested. ``sets`` may have fewer columns than there are positions; the rest is not
    written.
    """
    text, games, moves = borrowed(text), borrowed(games), borrowed(moves)
    tags, boards, notes, sets = borrowed(tags), borrowed(boards), borrowed(notes), borrowed(sets)
    n_games = n_moves = n_tags = n_boards = 0
    at = 3 if text.size >= 3 and text[0] == 0xEF and text[1] == 0xBB and text[2] == 0xBF else 0  # a byte order mark
    place, game = _BETWEEN, games[0]
    board, flip = movers_board(USUAL_START), ZERO
    while True:
        if place == _MOVES and game[FAULT] == NO_FAULT:
            _extend_note(notes, n_moves, game, at)
            first = game[FIRST_MOVE]
            if game[VARIANT_NUMBER] == STANDARD:
                at, n_moves, board, flip = read_moves(
                    text, at, board, flip, moves, n_moves, notes, first, sets, n_games
                )
        at = blanks_end(text, at)
        kind = _kind_of(text, at, place)

        # A game ends at the tags of the next one and at the end of the text; at its result, see below.
        if place != _BETWEEN and (
            kind == END or (kind == TAG and _begins_next(text, at, place, tags, game[FIRST_TAG], n_tags))
        ):
            _end(game, at, place, board, flip, boards, sets, n_moves + n_games)
            n_games, place = n_games + 1, _BETWEEN
        if kind == END or (place == _BETWEEN and n_games == games.shape[0]):
            return n_games, n_moves, n_tags, n_boards, at
        # Comments after a result do not belong to a game.
        if place == _BETWEEN and kind >= TAG and not (kind == COMMENT and n_games > 0):
            game, place = games[n_games], _TAGS
            _begin(game, at, text.size, n_moves, n_tags)
        if kind >= COMMENT and (place == _TAGS or place == _BEHIND_TAGS):
            place = _MOVES
            board, flip = _start(game, boards)

        row = n_moves + n_games
        if kind == TAG:
            at, n_tags, n_boards = _read_tag(text, at, game, tags, n_tags, boards, n_boards)
            place = _TAGS if text[at - 1] == END_BRACKET else _BEHIND_TAGS
        elif kind == RESULT_TOKEN:
            game[RESULT], length = result_at(text, at)
            at = blanks_end(text, at + length)
            _end(game, at, place, board, flip, boards, sets, row)
            n_games, place = n_games + 1, _BETWEEN
        elif kind == MOVE or kind == PASS:
            at, n_moves, board, flip = _read_move(text, at, kind, game, board, flip, moves, n_moves, notes, sets, row)
        else:
            at = _skip(text, at, kind, place, game, notes, n_moves)
        if place == _TAGS and kind < TAG:
            place = _BEHIND_TAGS


# ------------------------------------------------------------------------------------------------------------ the door

#: The shortest move, the shortest tag and the shortest tag of a position.
_MOVE_BYTES, _TAG_BYTES, _BOARD_BYTES = len("e4"), len("[A"), len('[FEN"8/8/8/8/8/8/8/8')
#: Most games are longer than this.
_GAME_BYTES = 64


def room(size: int) -> tuple[int, int, int]:
    """Return how many moves, tags and boards a text of ``size`` bytes can hold at most.

    The kernel never reads a byte for two rows of the same kind. A move takes at least the two bytes of a square, a tag
    at least a bracket and a letter. A board takes a tag with a legal position: name, quote and eight ranks of at least
    one byte each, with seven slashes between them, take 20 bytes.
    """
    return size // _MOVE_BYTES, size // _TAG_BYTES, size // _BOARD_BYTES


def read_games(text: np.ndarray, *, notes: bool = False, positions: int = 0) -> Columns:
    """Return the games of a text, bytes as uint8.

    Args:
        text: the text.
        notes: whether to keep the places of annotations.
        positions: the number of boards to reserve room for; if the text has more, or none, no boards are returned.
    """
    most_moves, most_tags, most_boards = room(text.size)
    moves, tags = pooled((most_moves,), np.uint16), pooled((most_tags, 4), np.int32)
    boards, spans = pooled((most_boards, WORDS), np.uint64), pooled((most_moves * notes, 2), np.int32)
    sets = pooled((len(SETS), positions), np.uint64)
    rows, end = text.size // _GAME_BYTES + 1, -1
    while end < text.size:
        # A result alone is a game, too; but room for a game per byte would be 64 times the text.
        rows *= 4 if end >= 0 else 1
        games = np.empty((rows, GAME_COLUMNS), np.int64)
        n_games, n_moves, n_tags, n_boards, end = parse(text, games, moves, tags, boards, spans, sets)
    games.resize((n_games, GAME_COLUMNS), refcheck=False)  # in place: results without games make it the largest
    count = n_moves + n_games
    return Columns(
        games, moves[:n_moves].copy(), tags[:n_tags].copy(), boards[:n_boards].copy(),
        spans[:n_moves].copy() if notes else None, sets[:, :count] if 0 < count <= positions else None,
    )  # fmt: skip
