"""Names of python-chess that setwise does not have, each with a sentence that says what to use instead.

``with_hints`` adds the names of a table to a class, each as an attribute that raises ``AttributeError`` with its
sentence. A class with a ``__getattr__`` that reads the table would be slower at every other attribute, even if that
method is never called: 10,000 moves would be played in 7.4 ms instead of 5.5 ms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn, TypeAlias, TypeVar

#: Pairs of a text and a sentence: the text has names, separated by blanks, and the sentence is for all these names.
Hints: TypeAlias = tuple[tuple[str, str], ...]
T = TypeVar("T", bound=type)


class _Hint:
    """A name of python-chess; reading it raises an error that says what to use instead."""

    def __init__(self, name: str, way: str) -> None:
        self.name, self.way = name, way

    def __get__(self, thing: object, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}: {self.way}")


def with_hints(hints: Hints) -> Callable[[T], T]:
    """Return a class decorator that adds hints; ``hasattr`` and ``dir`` do not show them."""
    ways = _by_name(hints)

    def names_without_hints(thing: object) -> list[str]:
        return [name for name in object.__dir__(thing) if name not in ways]

    def decorate(cls: T) -> T:
        for name, way in ways.items():
            setattr(cls, name, _Hint(name, way))
        setattr(cls, "__dir__", names_without_hints)  # noqa: B010  (mypy refuses to assign to a method)
        return cls

    return decorate


def _by_name(hints: Hints) -> dict[str, str]:
    return {name: way for names, way in hints for name in names.split()}


#: Names of ``chess.Board``.
BOARD_HINTS: Hints = (
    (
        "push push_san push_uci push_xboard",
        "positions do not change; position.play(move) returns the next one, for a Move or a text in SAN or UCI",
    ),
    ("san_and_push", "position.san(move) writes the move, position.play(move) returns the next position"),
    (
        "pop peek move_stack root clear_stack",
        "a position has no history; keep the one before, or a Game, which has all moves and positions()",
    ),
    ("copy", "positions do not change, so there is nothing to copy"),
    ("board", "this is the board; position.to_board() gives python-chess's"),
    ("turn", "position.white_to_move says whose turn it is, True for White"),
    ("ply", "2 * (position.fullmove_number - 1) + (not position.white_to_move) counts the half moves"),
    ("piece_type_at", "position.piece_at(square) returns the letter of the piece, such as 'N' or 'n', or None"),
    ("color_at", "square in position.white_pieces is True for White, and position.piece_at(square) is a capital"),
    ("pieces pieces_mask", "position.knights & position.white_pieces is the set of White's knights, and so on"),
    ("occupied_co", "position.white_pieces and position.black_pieces are the pieces of each side"),
    ("promoted", "a position does not know which pieces were pawns"),
    (
        (
            "set_fen reset clear reset_board clear_board set_board_fen set_castling_fen set_piece_at"
            " remove_piece_at set_piece_map empty"
        ),
        "positions do not change; Position(fen) makes another one",
    ),
    ("set_epd", "positions do not change; Position.from_epd(text) makes another one"),
    ("from_chess960_pos set_chess960_pos", "Position.chess960_start(number) makes that position"),
    ("chess960_pos", "Position.chess960_start(number) goes the other way, from the number to the position"),
    ("board_fen", "position.fen().split()[0] is the placement of the pieces"),
    ("shredder_fen", "position.fen(shredder=True) writes it"),
    ("castling_xfen", "position.fen().split()[2] writes the castling rights"),
    ("castling_shredder_fen", "position.fen(shredder=True).split()[2] writes the castling rights"),
    ("starting_fen", "Position().fen() is the one of the usual start"),
    ("ep_square", "position.en_passant is the set with the square that a pawn has just passed, or the empty set"),
    ("has_legal_en_passant", "any(map(position.is_en_passant, position.legal_moves)) returns it"),
    ("has_pseudo_legal_en_passant", "any(map(position.is_en_passant, position.pseudo_legal_moves)) returns it"),
    ("generate_legal_moves", "position.legal_moves can be looped over, and position.legal_moves() is a list"),
    (
        "generate_pseudo_legal_moves",
        "position.pseudo_legal_moves can be looped over, and position.pseudo_legal_moves() is a list",
    ),
    ("generate_legal_captures", "filter(position.is_capture, position.legal_moves) gives them"),
    ("generate_pseudo_legal_captures", "filter(position.is_capture, position.pseudo_legal_moves) gives them"),
    ("generate_legal_ep", "filter(position.is_en_passant, position.legal_moves) gives them"),
    ("generate_pseudo_legal_ep", "filter(position.is_en_passant, position.pseudo_legal_moves) gives them"),
    ("generate_castling_moves", "filter(position.is_castling, position.legal_moves) gives them"),
    ("find_move", "position.parse(text) returns the legal move of a text such as 'e2e4' or 'e4'"),
    ("parse_xboard", "position.parse(text) reads SAN and UCI"),
    ("xboard", "position.uci(move) and position.san(move) write a move"),
    ("variation_san", "Game(position=position, moves=moves).sans() writes a line"),
    (
        "has_castling_rights clean_castling_rights",
        "position.castling_rights & position.white_pieces are White's rooks that may still castle",
    ),
    (
        "has_kingside_castling_rights has_queenside_castling_rights",
        "position.castling_rights is the set of rooks that may castle, as in 'h1' in position.castling_rights",
    ),
    ("has_chess960_castling_rights", "position.chess960 says whether castling is that of Chess960"),
    (
        "is_kingside_castling",
        "move.is_castling and move.to_square % 8 == 6: the king goes to the g-file",
    ),
    (
        "is_queenside_castling",
        "move.is_castling and move.to_square % 8 == 2: the king goes to the c-file",
    ),
    ("attackers_mask", "position.attackers(square, white=True) returns a Bitboard, which is an int"),
    ("attacks_mask", "position.attacks(square) returns a Bitboard, which is an int"),
    ("checkers_mask", "position.checkers() returns a Bitboard, which is an int"),
    (
        "pin pin_mask is_pinned",
        "setwise.lines.pinned(king, own, enemy_orthogonal, enemy_diagonal, occupied) returns all pinned pieces",
    ),
    (
        "is_pseudo_legal",
        "move in position.pseudo_legal_moves is this test",
    ),
    ("is_into_check", "move in position.pseudo_legal_moves and move not in position.legal_moves is this test"),
    ("was_into_check", "Status.OPPOSITE_CHECK in position.status() is this test"),
    ("is_zeroing", "position.play(move).halfmove_clock == 0 is this test"),
    (
        "is_irreversible",
        "position.play(move) has a halfmove_clock of 0 then, or other castling_rights",
    ),
    (
        (
            "can_claim_draw can_claim_fifty_moves can_claim_threefold_repetition is_repetition"
            " is_fivefold_repetition is_fifty_moves is_seventyfive_moves"
        ),
        "a position has no history, but a Game has, and a method of this name",
    ),
    ("result", "position.outcome() returns how it ended, with a result, or None while it goes on"),
    (
        "is_valid",
        "Position(fen) takes valid positions only; position.status() returns the faults of one with strict=False",
    ),
    ("unicode", "print(setwise.view.draw(position.piece_string(), color=False, unicode=True)) draws it so"),
    ("transform apply_transform", "position.mirror() turns it around; setwise.compass has symmetries of sets"),
    ("apply_mirror", "positions do not change; position.mirror() returns the mirrored one"),
    (
        (
            "aliases captures_compulsory connected_kings is_variant_draw is_variant_end is_variant_loss"
            " is_variant_win one_king uci_variant xboard_variant"
        ),
        "setwise.VariantPosition plays King of the Hill and Three-check, and its outcome() tells how a game has ended",
    ),
    (
        (
            "tbw_magic tbw_suffix tbz_magic tbz_suffix pawnless_tbw_magic pawnless_tbw_suffix pawnless_tbz_magic"
            " pawnless_tbz_suffix"
        ),
        "position.wdl() asks tables, those of Syzygy in the folders that SETWISE_SYZYGY names",
    ),
)

#: Names of ``chess.Move``.
MOVE_HINTS: Hints = (
    ("drop", "no variant that is known here drops pieces"),
    ("xboard", "move.uci() writes the move"),
)

#: Names of ``chess.SquareSet``.
SET_HINTS: Hints = (
    ("add", "sets do not change; squares | Bitboard('e4') returns the larger one"),
    ("remove discard", "sets do not change; squares - Bitboard('e4') returns the smaller one"),
    ("update", "sets do not change; squares | others returns the larger one"),
    ("pop", "sets do not change; min(squares) is the lowest square, max(squares) the highest"),
    ("clear", "sets do not change; Bitboard() is the empty one"),
    ("copy", "sets do not change, so there is nothing to copy"),
    ("union", "squares | others returns it"),
    ("intersection intersection_update", "squares & others returns it"),
    ("difference difference_update", "squares - others returns it"),
    ("symmetric_difference symmetric_difference_update", "squares ^ others returns it"),
    ("mask", "a Bitboard is the number, int(squares) a plain one"),
    ("tolist", "[square in squares for square in range(64)] is that list"),
    ("mirror", "setwise.compass.flip_vertical(squares) returns it"),
    ("carry_rippler", "setwise.bits.subsets(squares) returns all subsets"),
    ("from_square", "Bitboard([square]) is the set of one square"),
    ("ray", "setwise.lines.line(a, b) returns the whole line through two squares"),
    ("between", "setwise.lines.between(a, b) returns the squares between two squares"),
)

#: Names of ``chess.pgn.Game`` and its nodes.
GAME_HINTS: Hints = (
    ("headers", "game.tags has the tags by their names"),
    ("time_control", "game.tags['TimeControl'] has the text of the tag"),
    ("mainline mainline_moves variations", "game.moves are the moves; of a game its main line is kept"),
    (
        "board",
        "game.position is where it starts, game.end() where it ends, game.positions()[ply] the one after a ply",
    ),
    (
        "move next parent root game variation",
        "a game is not a tree; game.moves and game.positions() have all, by ply",
    ),
    ("is_end ply", "a game is not a tree; len(game.moves) is its length, and plies count the moves from 1"),
    ("turn", "game.end().white_to_move says whose turn it is at its end"),
    ("add_variation add_main_variation", "games do not change; game.play(move) returns a longer one"),
    ("add_line", "games do not change; game.replace(moves=[*game.moves, *others]) returns a longer one"),
    (
        (
            "has_variation is_mainline is_main_variation starts_variation remove_variation promote"
            " promote_to_main demote"
        ),
        "a game is its main line, game.moves; variations are not kept",
    ),
    ("comment starting_comment", "game.comments has the comments by ply, 0 for the one before the first move"),
    ("clock", "game.clocks has the seconds left after each move"),
    ("emt", "game.elapsed has the seconds spent on each move"),
    ("eval eval_depth", "game.evaluations has the evaluations after each move, in centipawns"),
    ("arrows", "game.comments has the comments by ply, with their [%csl] and [%cal]"),
    (
        "set_clock set_emt set_eval set_arrows",
        "games do not change; game.replace(comments={**game.comments, ply: text}) returns one with another comment",
    ),
    ("setup", "games do not change; Game(position=position) starts from another position"),
    ("without_tag_roster", "Game(tags) fills the Seven Tag Roster in with question marks"),
    ("errors", "Game.from_pgn(text) raises the errors of one game, Games.faults() returns those of many"),
    (
        "accept accept_subgame builder",
        "game.pgn() writes the game, Game.from_pgn(text) and read_pgn(source) read games",
    ),
)

#: Names of the modules ``chess`` and ``chess.…``: what to use in ``setwise``.
_MODULE_HINTS: Hints = (
    ("Board BaseBoard", "a board is a Position, as in Position(fen)"),
    ("Piece", "pieces are letters, such as 'N' for a white and 'n' for a black knight; see position.piece_at(square)"),
    ("PAWN KNIGHT BISHOP ROOK QUEEN KING PIECE_TYPES", "pieces are letters, and their sets position.knights and so on"),
    ("PIECE_NAMES PIECE_SYMBOLS UNICODE_PIECE_SYMBOLS piece_name piece_symbol", "pieces are letters, 'N' or 'n'"),
    (
        "WHITE BLACK COLORS COLOR_NAMES",
        "position.white_to_move is True for White, and an argument white=True means White",
    ),
    ("SquareSet", "a set of squares is a Bitboard"),
    ("SQUARES", "range(64) has the squares, from setwise.squares import E4 one by its name"),
    (
        "SQUARE_NAMES FILE_NAMES RANK_NAMES square_name parse_square",
        "they are in setwise.bitboard; names can be passed wherever a square is expected",
    ),
    ("square square_file square_rank", "a square is 8 * rank + file, a1 is 0 and h8 is 63"),
    ("square_mirror SQUARES_180", "square ^ 56 is the square mirrored, and setwise.compass mirrors sets"),
    ("square_distance", "setwise.king.distance(a, b) counts king steps between sets"),
    ("square_knight_distance", "setwise.knight.distance(a, b) counts knight moves between sets"),
    ("square_manhattan_distance", "it is the difference of the files and that of the ranks, added up"),
    ("STARTING_FEN STARTING_BOARD_FEN", "Position() is the usual start, and Position().fen() its FEN"),
    ("Status Outcome Termination", "they are in setwise.position.position"),
    ("LegalMoveGenerator PseudoLegalMoveGenerator", "position.legal_moves and position.pseudo_legal_moves are these"),
    (
        "InvalidMoveError IllegalMoveError AmbiguousMoveError",
        "setwise.errors has InvalidMove, IllegalMove, AmbiguousMove",
    ),
    ("ray", "setwise.lines.line(a, b) returns the whole line through two squares"),
    ("between", "setwise.lines.between(a, b) returns the squares between two squares"),
    ("flip_vertical flip_horizontal flip_diagonal flip_anti_diagonal", "setwise.compass has the symmetries of sets"),
    (
        (
            "shift_up shift_down shift_left shift_right shift_up_left shift_up_right shift_down_left shift_down_right"
            " shift_2_up shift_2_down shift_2_left shift_2_right"
        ),
        "setwise.compass has the steps of sets, such as setwise.compass.north(squares)",
    ),
    ("popcount", "setwise.bits.count(squares) counts, and so does len(Bitboard(squares))"),
    (
        "lsb msb scan_forward scan_reversed",
        "a Bitboard gives its squares upwards, min(squares) and max(squares) the ends",
    ),
    ("pgn", "setwise.read_pgn(source) reads games, Game.from_pgn(text) one, and game.pgn() writes it"),
    ("read_game read_headers", "setwise.read_pgn(source) reads games, Game.from_pgn(text) one"),
    ("svg", "setwise.view.board_svg(pieces, marks) draws boards"),
    ("polyglot", "position.key is the key that opening books have; setwise reads no books"),
    ("syzygy gaviota", "position.wdl() and position.dtm() ask tables, which setwise.build_tablebase() makes"),
    ("engine variant", "that stays with python-chess, for position.to_board()"),
)
_MODULE = _by_name(_MODULE_HINTS)
_SQUARE, _SET, _FAULT = (re.compile(rf"{name}\Z") for name in (r"[A-H][1-8]", r"BB_\w+", r"STATUS_\w+"))


def way_of(name: str) -> str | None:
    """Return what to use instead of a name of python-chess's modules; None if these modules lack the name, too."""
    if _SQUARE.match(name):
        return f"from setwise.squares import {name}"
    if _SET.match(name):
        return "a set of squares is a Bitboard, as in Bitboard('a1 h8'); setwise.bits has FILES and RANKS"
    if _FAULT.match(name):
        return "position.status() returns the faults of a position, flags of setwise.position.position.Status"
    return _MODULE.get(name)


def way_of_any(name: str) -> str | None:
    """Return what to use instead of a name of python-chess's modules or classes; None if these lack the name, too."""
    classes = _by_name(GAME_HINTS) | _by_name(SET_HINTS) | _by_name(MOVE_HINTS) | _by_name(BOARD_HINTS)
    return classes.get(name) or way_of(name)
