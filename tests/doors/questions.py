"""The list of questions. Each has its answer by python-chess, told in a line; ``holds`` gets a position of a game.

``of`` says what a source must hold to answer, in words of the format: ``moves`` that are played in the positions, their
``place`` in a game, ``tags`` of the games (players, ratings, dates and results among them), any ``tag`` at all,
``notes`` beside the moves, the ``past``: checks before a position, those of its FEN too, the ``ways`` of the
pieces on them; all that makes ``chances``: ways, and notes if the games have any. What stands on the board every source
holds.
"""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import chess
import chess.polyglot

from doors.oracle import At, Game
from helpers.chances import chances_missed
from helpers.depth import NIGHT
from helpers.python_chess import comes_between, is_quiet
from helpers.unlikeness import unlikeness
from naive.features.tactics import forced, see

MOVES, PLACE, TAGS, TAG, NOTES, PAST = "moves", "place", "tags", "tag", "notes", "past"
WAYS, CHANCES = "ways", "chances"
WHITE, BLACK = chess.WHITE, chess.BLACK
P, N, B, R, Q, K = chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING

#: A set as a number, in the words of python-chess.
Squares = chess.SquareSet


@dataclass(frozen=True)
class Find:
    """A condition: the positions where it holds, and what the columns say of them."""

    where: str
    holds: Callable[[At], Any]
    of: frozenset[str] = frozenset()
    columns: str = ""
    values: Callable[[At], tuple[Any, ...]] = lambda _: ()
    player: str | None = None
    per_game: int | None = None
    limit: int | None = None

    def __str__(self) -> str:
        options = {name: getattr(self, name) for name in ("columns", "player", "per_game", "limit")}
        told = (f" --{name.replace('_', '-')} {value}" for name, value in options.items() if value not in {None, ""})
        return f"find {self.where}{''.join(told)}"

    def matches(self, games: Iterable[Game]) -> list[At]:
        """The positions that match, in order."""
        found: list[At] = []
        for game in games:
            mine = [at for at in game.at if self.holds(at)] if self._is_played(game) else []
            found += mine[: self.per_game]
        return found[: self.limit]

    def _is_played(self, game: Game) -> bool:
        names = (game.tags.get(tag, "") for tag in ("White", "Black"))
        return self.player is None or any(self.player.lower() in name.lower() for name in names)

    def rows(self, games: Iterable[Game]) -> list[tuple[Any, ...]]:
        """The answer: the place of each match, and its values."""
        return [(at.game.source, at.game.number, at.ply, *self.values(at)) for at in self.matches(games)]


@dataclass(frozen=True)
class Sql:
    """A statement, and its rows."""

    statement: str
    answer: Callable[[list[Game]], list[tuple[Any, ...]]]
    of: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"sql {self.statement}"

    def rows(self, games: list[Game]) -> list[tuple[Any, ...]]:
        """The answer."""
        return self.answer(games)


QUESTIONS: list[Find | Sql] = []


def find(
    where: str, holds: Callable[[At], Any], *of: str, columns: str = "", values: Any = None, **options: Any
) -> None:
    """Put a condition on the list."""
    values = values or (lambda _: ())
    QUESTIONS.append(Find(where, holds, frozenset(of), columns, values, **options))


def sql(statement: str, answer: Callable[[list[Game]], Any], *of: str) -> None:
    """Put a statement on the list."""
    QUESTIONS.append(Sql(statement, answer, frozenset(of)))


# ---------------------------------------------------------------------------------------------- words of the questions


def attacked_by(at: At, colour: bool) -> Squares:
    """All squares that a side attacks."""
    return Squares(sum(1 << square for square in range(64) if at.board.is_attacked_by(colour, square)))


def checkers(at: At) -> Squares:
    return at.board.checkers()


def passed(at: At, colour: bool) -> Squares:
    """Pawns before which, on their file and beside it, no enemy pawn stands."""
    found = Squares()
    for square in at.men(colour, P):
        file, rank = chess.square_file(square), chess.square_rank(square)
        if not any(
            abs(chess.square_file(pawn) - file) <= 1
            and (chess.square_rank(pawn) > rank if colour else chess.square_rank(pawn) < rank)
            for pawn in at.men(not colour, P)
        ):
            found.add(square)
    return found


def files_of(squares: Squares) -> set[int]:
    return {chess.square_file(square) for square in squares}


def islands(at: At, colour: bool) -> int:
    files = files_of(at.men(colour, P))
    return sum(file + 1 not in files for file in files)


def isolated(at: At, colour: bool) -> Squares:
    files = files_of(at.men(colour, P))
    return Squares(
        sum(1 << it for it in at.men(colour, P) if not {chess.square_file(it) - 1, chess.square_file(it) + 1} & files)
    )


def hanging(at: At, colour: bool) -> Squares:
    """Pieces but the king that are attacked and not protected."""
    men = at.men(colour) - at.men(colour, K)
    mine, theirs = attacked_by(at, colour), attacked_by(at, not colour)
    return men & theirs - mine


def knight_forks(at: At, colour: bool) -> Squares:
    """Where a knight of the side steps next, attacks king and queen of the enemy, and no pawn or knight guards."""
    found = Squares()
    for square in {square for knight in at.men(colour, N) for square in Squares(chess.BB_KNIGHT_ATTACKS[knight])}:
        seen = Squares(chess.BB_KNIGHT_ATTACKS[square])
        guards = at.board.attackers(not colour, square) & (at.board.pawns | at.board.knights)
        if not guards and square not in at.men(colour) and all(seen & at.men(not colour, it) for it in (K, Q)):
            found.add(square)
    return found


ITALIAN = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R"


def is_near(at: At) -> bool:
    italian = chess.Board(f"{ITALIAN} w - - 0 1")
    return min(unlikeness(at.board, it) for it in (italian, italian.mirror())) <= 15


def differing(at: At) -> int:
    italian = chess.BaseBoard(ITALIAN)
    return sum(1 << square for square in chess.SQUARES if at.board.piece_at(square) != italian.piece_at(square))


WORTH = {P: 1, N: 3, B: 3, R: 5, Q: 9}


def worth(at: At, colour: bool) -> int:
    return sum(value * len(at.men(colour, piece)) for piece, value in WORTH.items())


def material_key(at: At) -> str:
    return "v".join(
        "".join(chess.piece_symbol(piece).upper() * len(at.men(colour, piece)) for piece in (K, Q, R, B, N, P))
        for colour in (WHITE, BLACK)
    )


def moved(at: At) -> str | None:
    """The letter of the piece that moves; castling is the king's, and a null move nobody's."""
    if not at.move:
        return None
    return chess.piece_symbol(at.board.piece_type_at(at.move.from_square) or P).upper()


def taken(at: At) -> str | None:
    if not at.move or not at.board.is_capture(at.move):
        return None
    if at.board.is_en_passant(at.move):
        return "P"
    return chess.piece_symbol(at.board.piece_type_at(at.move.to_square) or P).upper()


def arrives(at: At) -> int | None:
    """The square on which the moving piece ends; of castling the king's."""
    if not at.move:
        return None
    if at.board.is_castling(at.move):
        file = 6 if at.board.is_kingside_castling(at.move) else 2
        return chess.square(file, chess.square_rank(at.move.from_square))
    return at.move.to_square


def tag(name: str) -> Callable[[At], str | None]:
    return lambda at: at.game.tags.get(name)


def own(white: str, black: str) -> Callable[[At], str | None]:
    """A tag of the side to move."""
    return lambda at: at.game.tags.get(white if at.white else black)


def own_elo(at: At) -> int | None:
    return at.game.number_of("WhiteElo" if at.white else "BlackElo")


def enemy_elo(at: At) -> int | None:
    return at.game.number_of("BlackElo" if at.white else "WhiteElo")


def own_points(at: At) -> float | None:
    points = at.game.points()
    return points if points is None or at.white else 1 - points


def score(node: chess.pgn.GameNode | None) -> int | None:
    """An evaluation in centipawns for White; mate in n is 32,000 less n."""
    told = None if node is None else node.eval()
    return None if told is None else told.white().score(mate_score=32_000)


def clock(at: At | None) -> float | None:
    return None if at is None or at.node is None else at.node.clock()


def has(squares: Squares, names: str) -> bool:
    return all(chess.parse_square(name) in squares for name in names.split())


def more(x: Any, y: Any) -> bool:
    """SQL's >: nothing is more than what is missing."""
    return x is not None and y is not None and x > y


def less(x: Any, y: Any) -> bool:
    return more(y, x)


def is_check(at: At | None) -> bool:
    return at is not None and at.board.is_check()


def checks_given(at: At, colour: bool) -> int:
    return sum(it.white != colour and is_check(it) for it in [*at.past, at][1:])


def gives_check(at: At) -> bool:
    return bool(at.move) and at.board.gives_check(at.move)


def castles(at: At) -> bool:
    return bool(at.move) and at.board.is_castling(at.move)


def distance(one: Squares, other: Squares) -> int:
    return min(chess.square_distance(a, b) for a in one for b in other)


def mates(board: chess.Board) -> bool:
    """Whether a legal move mates."""
    for move in list(board.legal_moves):
        board.push(move)
        mate = board.is_checkmate()
        board.pop()
        if mate:
            return True
    return False


def ends(board: chess.Board) -> int | None:
    """What the mover reaches without pawns: a queen wins where she can; two knights win if they mate now."""
    if len(board.piece_map()) > 4 or board.pawns or board.castling_rights:
        return None
    moves = [*board.legal_moves]
    if not moves:
        return -1 if board.is_check() else 0
    if mates(board):
        return 1
    if not board.queens:
        return 0
    return 1 if board.queens & board.occupied_co[board.turn] else -(not any(map(board.is_capture, moves)))


def gives_away(at: At) -> int:
    before, after = ends(at.board), ends(at.after) if at.move else None
    return 0 if before is None or after is None else before + after


def faces(at: At, one: int, other: int) -> bool:
    """Whether two squares are on a line with nothing between them."""
    return bool(chess.SquareSet.ray(one, other)) and not at.board.occupied & chess.between(one, other)


# ------------------------------------------------------------------------------------------------------------ the board

find("is_check", is_check)
find("is_checkmate", lambda at: at.board.is_checkmate())
find("is_stalemate", lambda at: at.board.is_stalemate())
find("legal_moves <= 3", lambda at: at.board.legal_moves.count() <= 3,
     columns="legal_moves", values=lambda at: (at.board.legal_moves.count(),))  # fmt: skip
find("white_to_move and has(white_king, 'e1')", lambda at: at.white and has(at.men(WHITE, K), "e1"))
find("white_rooks & ranks('7 8') <> 0", lambda at: at.men(WHITE, R) & (chess.BB_RANK_7 | chess.BB_RANK_8),
     columns="white_rooks,black_rooks",
     values=lambda at: (int(at.men(WHITE, R)), int(at.men(BLACK, R))))  # fmt: skip
find("black_queens & files('a h') <> 0", lambda at: at.men(BLACK, Q) & (chess.BB_FILE_A | chess.BB_FILE_H))
find("bit_count(own_pieces) < bit_count(enemy_pieces)", lambda at: len(at.men(at.white)) < len(at.men(not at.white)))
find("bit_count(white_pieces | black_pieces) <= 7", lambda at: len(at.board.piece_map()) <= 7)
find("xor(white_pawns & squares('d4 e4 d5 e5'), squares('e4')) = 0",
     lambda at: at.men(WHITE, P) & chess.BB_CENTER == chess.BB_E4)  # fmt: skip
find("~black_pieces & squares('a8 h8') <> 0 and black_king <> 0",
     lambda at: not has(at.men(BLACK), "a8 h8"))  # fmt: skip
find("sub_fen('8/8/8/4p3/4P3/8/8/8')", lambda at: has(at.men(WHITE, P), "e4") and has(at.men(BLACK, P), "e5"))
find(f"distance_to('{ITALIAN}', 'either colour') <= 15", is_near, columns=f"differing_squares('{ITALIAN}')",
     values=lambda at: (differing(at),))  # fmt: skip
find("white_material - black_material >= 5", lambda at: worth(at, WHITE) - worth(at, BLACK) >= 5,
     columns="white_material,enemy_material",
     values=lambda at: (worth(at, WHITE), worth(at, not at.white)))  # fmt: skip
find("own_material < enemy_material", lambda at: worth(at, at.white) < worth(at, not at.white))
find("material_key = 'KPvKP'", lambda at: material_key(at) == "KPvKP")
find("material_key like 'KNN%'", lambda at: material_key(at).startswith("KNN"),
     columns="material_key", values=lambda at: (material_key(at),))  # fmt: skip
find("imbalance = 'v' and ply > 10", lambda at: worth(at, WHITE) == worth(at, BLACK) and at.ply > 10 and all(
    len(at.men(WHITE, piece)) == len(at.men(BLACK, piece)) for piece in WORTH), PLACE)  # fmt: skip
find("castling_rights & squares('a1 h1') = 0 and castling_rights <> 0",
     lambda at: (rooks := at.board.clean_castling_rights()) and not rooks & (chess.BB_A1 | chess.BB_H1))  # fmt: skip
if NIGHT:  # by day there are no tables of four pieces, which these games need
    find("wdl is not null and (white_pawns | black_pawns) = 0", lambda at: ends(at.board) is not None,
         columns="wdl", values=lambda at: (ends(at.board),))  # fmt: skip
    find("dtm = 1", lambda at: len(at.board.piece_map()) <= 4 and mates(at.board), columns="dtm", values=lambda _: (1,))
    find("tablebase_loss > 0", gives_away, MOVES,
         columns="tablebase_loss", values=lambda at: (gives_away(at),))  # fmt: skip
find("halfmove_clock >= 8", lambda at: at.board.halfmove_clock >= 8,
     columns="halfmove_clock,fullmove_number",
     values=lambda at: (at.board.halfmove_clock, at.board.fullmove_number))  # fmt: skip
find("en_passant <> 0", lambda at: at.board.ep_square is not None,
     columns="en_passant", values=lambda at: (1 << at.board.ep_square,))  # fmt: skip
find("fen like '%/8/% b %'", lambda at: "/8/" in at.board.fen() and not at.white,
     columns="fen", values=lambda at: (at.board.fen(),))  # fmt: skip
find("key % 5 = 0", lambda at: chess.polyglot.zobrist_hash(at.board) % 5 == 0,
     columns="key", values=lambda at: (chess.polyglot.zobrist_hash(at.board),))  # fmt: skip
find("pawn_structure like 'pppppppp/%' or pawn_structure like '8/pppppppp/8/8/%'",
     lambda at: at.men(BLACK, P) == chess.BB_RANK_7
     and not at.men(WHITE, P) & (chess.BB_RANK_5 | chess.BB_RANK_6))  # fmt: skip

# --------------------------------------------------------------------------------------------------- features, patterns

find("own_passed_pawns <> 0", lambda at: passed(at, at.white),
     columns="white_passed_pawns,black_passed_pawns",
     values=lambda at: (int(passed(at, WHITE)), int(passed(at, BLACK))))  # fmt: skip
find("enemy_passed_pawns <> 0 and own_passed_pawns = 0",
     lambda at: passed(at, not at.white) and not passed(at, at.white))  # fmt: skip
find("white_pawn_islands > black_pawn_islands + 1", lambda at: islands(at, WHITE) > islands(at, BLACK) + 1,
     columns="own_pawn_islands", values=lambda at: (islands(at, at.white),))  # fmt: skip
find("bit_count(pawns.isolated(black_pawns)) >= 2", lambda at: len(isolated(at, BLACK)) >= 2)
find("bit_count(enemy_checkers) = 2", lambda at: len(checkers(at)) == 2)
find("own_pinned <> 0", lambda at: any(at.board.is_pinned(at.white, square) for square in at.men(at.white)))
find("own_hanging & own_queens <> 0", lambda at: hanging(at, at.white) & at.men(at.white, Q))
find("bit_count(white_attacks) > 40", lambda at: len(attacked_by(at, WHITE)) > 40)
find("own_royal_fork_squares <> 0", lambda at: knight_forks(at, at.white),
     columns="own_royal_fork_squares", values=lambda at: (int(knight_forks(at, at.white)),))  # fmt: skip
find("knight.attacks(enemy_knights) & own_king <> 0", lambda at: any(
    chess.BB_KNIGHT_ATTACKS[square] & int(at.men(at.white, K)) for square in at.men(not at.white, N)))  # fmt: skip
find("king.distance(white_king, black_king) = 2",
     lambda at: distance(at.men(WHITE, K), at.men(BLACK, K)) == 2)  # fmt: skip
find("white_open_files & white_rooks <> 0",
     lambda at: files_of(at.men(WHITE, R)) - files_of(at.men(WHITE, P) | at.men(BLACK, P)))  # fmt: skip
find("case when white_to_move then bit_count(white_queens) else bit_count(black_queens) end = 0 and is_check",
     lambda at: not at.men(at.white, Q) and is_check(at))  # fmt: skip

find("white_rook_attacks & black_king <> 0",
     lambda at: any(at.board.attacks(rook) & at.men(BLACK, K) for rook in at.men(WHITE, R)))  # fmt: skip
find("bit_count(empty & squares('c3-f6')) >= 14", lambda at: sum(
    at.board.piece_at(chess.square(file, rank)) is None
    for file in range(2, 6) for rank in range(2, 6)) >= 14)  # fmt: skip
find("sub_fen('8/8/8/8/8/8/5P[P_]P/6[KR]1')", lambda at: has(at.men(WHITE, P), "f2 h2")
     and not at.men(BLACK) & chess.BB_G2 and not (at.men(WHITE) - at.men(WHITE, P)) & chess.BB_G2
     and (at.men(WHITE, K) | at.men(WHITE, R)) & chess.BB_G1)  # fmt: skip
find("either_colour(has(white_king, 'g1') and white_knights & files('f') <> 0)", lambda at: any(
    has(at.men(colour, K), square) and at.men(colour, N) & chess.BB_FILE_F
    for colour, square in ((WHITE, "g1"), (BLACK, "g8"))))  # fmt: skip
find("any_of(own_knights, lambda n: bit_count(knight.attacks(n)) <= 3)", lambda at: any(
    len(Squares(chess.BB_KNIGHT_ATTACKS[square])) <= 3 for square in at.men(at.white, N)))  # fmt: skip
find("can(is_checkmate)", lambda at: mates(at.board))
find("ray(white_king, black_king) <> 0", lambda at: faces(at, *at.men(WHITE, K), *at.men(BLACK, K)))
find("material('KQRRB*N*P* v KQRRB*N*P+')", lambda at: all(
    len(at.men(colour, piece)) == wanted for colour in (WHITE, BLACK) for piece, wanted in ((Q, 1), (R, 2)))
    and bool(at.men(WHITE, P) | at.men(BLACK, P)))  # fmt: skip

# ------------------------------------------------------------------------------------------------------------- the move

find("san = 'O-O' or san = 'O-O-O'", castles, MOVES, columns="san,move,own_king",
     values=lambda at: (at.san, at.board.uci(at.move), int(at.men(at.white, K))))  # fmt: skip
find("san like 'Nx%' and white_to_move", lambda at: at.white and (at.san or "").startswith("Nx"), MOVES)
find("is_castling and own_name is not null", lambda at: castles(at) and own("White", "Black")(at) is not None,
     MOVES, TAGS)  # fmt: skip
find("is_en_passant", lambda at: bool(at.move) and at.board.is_en_passant(at.move), MOVES,
     columns="captured,to_square", values=lambda at: (taken(at), 1 << arrives(at)))  # fmt: skip
find("piece = 'Q' and captured in ('P', 'N')", lambda at: moved(at) == "Q" and taken(at) in {"P", "N"}, MOVES)
find("captured = 'Q'", lambda at: taken(at) == "Q", MOVES, columns="piece,captured,san",
     values=lambda at: (moved(at), taken(at), at.san))  # fmt: skip
find("promotion is not null", lambda at: bool(at.move) and bool(at.move.promotion), MOVES,
     columns="promotion,move",
     values=lambda at: (chess.piece_symbol(at.move.promotion).upper(), at.move.uci()))  # fmt: skip
find("move is null", lambda at: at.move is None, MOVES)
find("gives_check and piece <> 'Q'", lambda at: gives_check(at) and moved(at) != "Q", MOVES,
     columns="from_square,to_square",
     values=lambda at: (1 << at.move.from_square, 1 << arrives(at)))  # fmt: skip
find("sacrifice and piece = 'Q'", lambda at: moved(at) == "Q" and see(at.board, at.move) <= -2, MOVES)
find("sound_sacrifice and piece <> 'P'",
     lambda at: moved(at) not in {None, "P"} and see(at.board, at.move) <= -2 and forced(at.board, at.move, 2),
     MOVES)  # fmt: skip
find("quiet_move and piece = 'Q'", lambda at: moved(at) == "Q" and is_quiet(at.board, at.move), MOVES)
find("has(to_square, 'd4')", lambda at: arrives(at) == chess.D4, MOVES)
find("to_square & ranks('8 1') <> 0 and piece = 'P'",
     lambda at: moved(at) == "P" and chess.square_rank(arrives(at) or 0) in {0, 7}, MOVES)  # fmt: skip

# ----------------------------------------------------------------------------------------------- the place, along games

find("ply = 0", lambda at: at.ply == 0, PLACE)
find("ply between 20 and 22 and game % 2 = 0", lambda at: 20 <= at.ply <= 22 and at.game.number % 2 == 0, PLACE)
find("game in (2, 4) and ply < 3", lambda at: at.game.number in {2, 4} and at.ply < 3, PLACE)
find("next(is_checkmate)", lambda at: at.next() is not None and at.next().board.is_checkmate(), PLACE)
find("next(is_check, 2) and not is_check", lambda at: is_check(at.next(2)) and not is_check(at), PLACE)
find("previous(captured) is not null and captured is not null",
     lambda at: at.previous() is not None and taken(at.previous()) and taken(at), MOVES, PLACE)  # fmt: skip
find("san = previous(san, 4)", lambda at: at.previous(4) is not None and at.san == at.previous(4).san is not None,
     MOVES, PLACE)  # fmt: skip
find("ply = 0 and later(promotion is not null)",
     lambda at: at.ply == 0 and any(it.move and it.move.promotion for it in at.rest), MOVES, PLACE)  # fmt: skip
find("earlier(is_castling) and is_castling", lambda at: castles(at) and any(map(castles, at.past)), MOVES, PLACE)
find("is_check and later(is_check and later(is_checkmate))",
     lambda at: is_check(at) and any(
         is_check(it) and any(end.board.is_checkmate() for end in it.rest) for it in at.rest),
     PLACE)  # fmt: skip
find("streak(is_check, every_other) = 2",
     lambda at: is_check(at) and is_check(at.previous(2)) and not is_check(at.previous(4)), PLACE)  # fmt: skip
find("streak(captured is not null) >= 3",
     lambda at: all(it is not None and taken(it) for it in (at, at.previous(), at.previous(2))),
     MOVES, PLACE)  # fmt: skip
find("lasts(captured is null, 12) and ply % 4 = 0",
     lambda at: at.ply % 4 == 0 and len([at, *at.rest]) >= 12 and not any(map(taken, [at, *at.rest][:12])),
     MOVES, PLACE)  # fmt: skip
find("lasts(is_check, 2, every_other)", lambda at: is_check(at) and is_check(at.next(2)), PLACE)
find("until(captured is null, is_check)",
     lambda at: any(is_check(it) and not any(map(taken, [at, *at.rest[:plies]])) for plies, it in enumerate(at.rest)),
     MOVES, PLACE)  # fmt: skip
find("later(key = now(key))",
     lambda at: any(chess.polyglot.zobrist_hash(it.board) == chess.polyglot.zobrist_hash(at.board) for it in at.rest),
     PLACE)  # fmt: skip
find("earlier(to_square = now(from_square) and piece = now(piece) and ply = now(ply) - 2)",
     lambda at: at.move and at.previous(2) is not None and moved(at.previous(2)) == moved(at)
     and arrives(at.previous(2)) == at.move.from_square, MOVES, PLACE)  # fmt: skip
find("ply = 0 and count_if(is_check) over game >= 4",
     lambda at: at.ply == 0 and sum(map(is_check, at.game.at)) >= 4, PLACE)  # fmt: skip
find("bool_or(is_castling) over so_far and is_check",
     lambda at: is_check(at) and any(map(castles, [*at.past, at])), MOVES, PLACE)  # fmt: skip
find("count(*) over (partition by source, game, key order by ply) = 2",
     lambda at: sum(chess.polyglot.zobrist_hash(it.board) == chess.polyglot.zobrist_hash(at.board)
                    for it in [*at.past, at]) == 2, PLACE)  # fmt: skip
find("max(white_material) over game - white_material >= 15",
     lambda at: max(worth(it, WHITE) for it in at.game.at) - worth(at, WHITE) >= 15, PLACE)  # fmt: skip
find("white_checks_given >= 3", lambda at: checks_given(at, WHITE) >= 3, PAST,
     columns="own_checks_given,enemy_checks_given",
     values=lambda at: (checks_given(at, at.white), checks_given(at, not at.white)))  # fmt: skip
find("own_checks_given > enemy_checks_given",
     lambda at: checks_given(at, at.white) > checks_given(at, not at.white), PAST)  # fmt: skip
find("intermezzo and captured is not null",
     lambda at: at.previous() is not None and taken(at)
     and comes_between(at.previous().board, at.previous().move, at.board, at.move), MOVES, WAYS, TAGS,
     columns="own_name,san", values=lambda at: (own("White", "Black")(at), at.san))  # fmt: skip


def steps(at: At) -> list[tuple[int, int]]:
    """The squares between which pieces go with a move; with castling two go."""
    if not at.move:
        return []
    first = (at.move.from_square, arrives(at) or 0)
    if not at.board.is_castling(at.move):
        return [first]
    rank, to_right = first[0] & 56, at.board.is_kingside_castling(at.move)
    rooks = at.men(at.white, R) & at.board.castling_rights
    [rook] = [it for it in rooks if it & 56 == rank and (it > first[0]) == to_right]
    return [first, (rook, rank + (5 if to_right else 3))]


def way(at: At) -> tuple[int, int] | None:
    """How often the piece that moves has moved before, and where it stood first."""
    if not at.move:
        return None
    square, count = at.move.from_square, 0
    for before in reversed(at.past):
        begun = [start for start, end in steps(before) if end == square]
        square, count = (begun[0], count + 1) if begun else (square, count)
    return count, square


find("piece_moves >= 3 and captured is not null", lambda at: taken(at) and (way(at) or (0, 0))[0] >= 3, MOVES, WAYS,
     columns="piece_moves,origin", values=lambda at: ((way(at) or (0, 0))[0], 1 << (way(at) or (0, 0))[1]))  # fmt: skip

# ----------------------------------------------------------------------------------------------- tags, players, results

find("result = '1-0' and ply = 0", lambda at: at.ply == 0 and at.game.result == "1-0", TAGS, PLACE,
     columns="result,white_name,black_name",
     values=lambda at: (at.game.result, at.game.tags.get("White"), at.game.tags.get("Black")))  # fmt: skip
find("points = 0.5 and is_check", lambda at: at.game.points() == 0.5 and is_check(at), TAGS)
find("points is null and ply = 0", lambda at: at.game.points() is None and at.ply == 0, TAGS, PLACE,
     columns="result", values=lambda at: (at.game.result,))  # fmt: skip
find("own_points = 0 and legal_moves < 4", lambda at: own_points(at) == 0 and at.board.legal_moves.count() < 4, TAGS,
     columns="own_points,enemy_points,white_points",
     values=lambda at: (own_points(at), 1 - own_points(at), at.game.points()))  # fmt: skip
find("year = 1999", lambda at: at.game.year() == 1999, TAGS)
find("year between 2001 and 2011 and ply = 1", lambda at: at.ply == 1 and 2001 <= (at.game.year() or 0) <= 2011,
     TAGS, PLACE, columns="year,date",
     values=lambda at: (at.game.year(), at.game.tags.get("Date")))  # fmt: skip
find("eco like 'C%' and ply = 2", lambda at: at.ply == 2 and at.game.tags.get("ECO", "").startswith("C"), TAGS, PLACE,
     columns="eco", values=lambda at: (at.game.tags.get("ECO"),))  # fmt: skip
find("eco is null and ply = 0", lambda at: at.ply == 0 and "ECO" not in at.game.tags, TAGS, PLACE)
find("own_elo > enemy_elo + 100", lambda at: more(own_elo(at), None if enemy_elo(at) is None else enemy_elo(at) + 100),
     TAGS, columns="own_elo,enemy_elo,white_elo",
     values=lambda at: (own_elo(at), enemy_elo(at), at.game.number_of("WhiteElo")))  # fmt: skip
find("white_elo is null and black_elo is not null",
     lambda at: at.game.number_of("WhiteElo") is None and at.game.number_of("BlackElo") is not None, TAGS)  # fmt: skip
find("own_name = 'Alm, Anna' and white_to_move", lambda at: own("White", "Black")(at) == "Alm, Anna" and at.white, TAGS)
find("enemy_name like 'D%' and gives_check",
     lambda at: gives_check(at) and (own("Black", "White")(at) or "").startswith("D"),
     TAGS, MOVES)  # fmt: skip
find("white_title = 'GM' or black_title = 'WFM'",
     lambda at: tag("WhiteTitle")(at) == "GM" or tag("BlackTitle")(at) == "WFM", TAGS)  # fmt: skip
find("event = 'Match' and site = 'There' and round = '2'",
     lambda at: (tag("Event")(at), tag("Site")(at), tag("Round")(at)) == ("Match", "There", "2"), TAGS)  # fmt: skip
find("variant = 'Chess960'", lambda at: tag("Variant")(at) == "Chess960", TAGS)
find(
    "time_control = '180+2' and not white_to_move", lambda at: tag("TimeControl")(at) == "180+2" and not at.white, TAGS
)
find(
    "tag('WhiteRatingDiff') = '-3' and ply < 2",
    lambda at: tag("WhiteRatingDiff")(at) == "-3" and at.ply < 2,
    TAG,
    PLACE,
)
find("not (result = '1-0') and ply = 0", lambda at: at.game.result != "1-0" and at.ply == 0, TAGS, PLACE)
find("coalesce(white_name, '-') in ('-', '?') and ply = 0",
     lambda at: at.game.tags.get("White", "-") in {"-", "?"} and at.ply == 0, TAGS, PLACE)  # fmt: skip

# ------------------------------------------------------------------------------------------------ beside the moves

find("clock < 170", lambda at: less(clock(at), 170), NOTES, columns="clock", values=lambda at: (clock(at),))
find("clock_before is not null and clock_before - clock > 100",
     lambda at: None not in (clock(at.previous(2)), clock(at)) and clock(at.previous(2)) - clock(at) > 100,
     NOTES)  # fmt: skip
find("evaluation < -50", lambda at: less(score(at.node), -50), NOTES, MOVES,
     columns="evaluation,san", values=lambda at: (score(at.node), at.san))  # fmt: skip
find("evaluation_before >= 25", lambda at: at.previous() is not None and more(score(at.previous().node), 24), NOTES)
find("own_evaluation > 0", lambda at: at.previous() is not None and score(at.previous().node) is not None
     and (score(at.previous().node) > 0) == at.white, NOTES)  # fmt: skip
find("list_contains(nags, 4)", lambda at: at.node is not None and 4 in at.node.nags, NOTES)
find("comment like '%blunder%'", lambda at: at.node is not None and "blunder" in at.node.comment, NOTES)

# -------------------------------------------------------------------------------------------------------------- missed


def child(board: chess.Board, move: chess.Move) -> chess.Board:
    board = board.copy(stack=False)
    board.push(move)
    return board


def is_mated_soon(board: chess.Board, moves: int) -> bool:
    """Whether the side to move is mated, whatever it plays, in so many moves of the other side."""
    if board.is_checkmate() or moves == 0 or not any(board.legal_moves):
        return board.is_checkmate()
    replies = (child(board, move) for move in board.legal_moves)
    return all(any(is_mated_soon(child(it, move), moves - 1) for move in it.legal_moves) for it in replies)


def misses_a_mate(at: At | None) -> bool:
    """Whether a move mates, and one is played that does not mate by force soon."""
    if at is None or at.move is None or not any(is_mated_soon(child(at.board, it), 0) for it in at.board.legal_moves):
        return False
    return not is_mated_soon(at.after, 2)


find("missed_mate", lambda at: misses_a_mate(at) and not misses_a_mate(at.previous(2)), CHANCES,
     columns="missed,missed_by", values=lambda _: ("mate", 10))  # fmt: skip
find("missed = 'mate' and not missed_fork", lambda at: misses_a_mate(at) and not misses_a_mate(at.previous(2)), CHANCES)
find("missed_by = 10 and missed_mate", lambda at: misses_a_mate(at) and not misses_a_mate(at.previous(2)), CHANCES)


def chance(white: int | None, colour: bool) -> float | None:
    """A side's chance to win by Lichess's curve, of an evaluation for White in centipawns."""
    if white is None:
        return None
    share = 1 / (1 + math.exp(-0.00368208 * max(-1000, min(1000, white))))
    return share if colour else 1 - share


@functools.cache
def missed_in(fen: str, chess960: bool, move: str, lost: float | None) -> dict[str, int]:
    """By how much each kind of chance is missed, whatever was missed before: asked by every source, counted once."""
    return chances_missed(chess.Board(fen, chess960=chess960), chess.Move.from_uci(move), lost)


def all_missed(at: At | None) -> dict[str, int]:
    if at is None or not at.move:
        return {}
    before = chance(score(at.previous().node) if at.previous() else None, at.white)
    now = chance(score(at.node), at.white)
    lost = None if before is None or now is None or not at.game.has_notes else before - now
    return missed_in(at.board.fen(en_passant="fen"), at.board.chess960, at.move.uci(), lost)


def missed(at: At) -> dict[str, int]:
    """By how much each kind of chance is missed; one that was missed on the move before, too, counts there."""
    return {kind: more for kind, more in all_missed(at).items() if kind not in all_missed(at.previous(2))}


find("missed_fork", lambda at: "fork" in missed(at), CHANCES)
find("missed_capture", lambda at: "capture" in missed(at), CHANCES)
find("missed_skewer", lambda at: "skewer" in missed(at), CHANCES)
find("missed_discovery", lambda at: "discovery" in missed(at), CHANCES)
find("missed_move is not null and missed_by >= 5", lambda at: max(missed(at).values(), default=0) >= 5, CHANCES,
     columns="missed_by", values=lambda at: (max(missed(at).values()),))  # fmt: skip

# ------------------------------------------------------------------------------------------------- whose, and how many

find("is_check", is_check, TAGS, player="alm")
find("captured is not null", taken, TAGS, MOVES, player="José")
find("true", lambda _: True, TAGS, player="DAHL", per_game=2)
find("captured is not null", taken, MOVES, per_game=1)
find("is_check", is_check, limit=5)
find("captured is not null", taken, MOVES, per_game=2, limit=7)
find("is_check", is_check, limit=0)
find("true", lambda _: True)
find("false", lambda _: False)


# -------------------------------------------------------------------------------------------------------------- tables


def every(games: Iterable[Game]) -> Iterator[At]:
    return (at for game in games for at in game.at)


def counted(keys: Iterable[Any]) -> list[tuple[Any, int]]:
    """Keys with how many there are, in order."""
    return sorted(Counter(keys).items())


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def runs_of_checks(games: list[Game]) -> list[tuple[Any, ...]]:
    return [(sum(is_check(at) and is_check(at.next()) for at in every(games)),)]


def by_player(games: list[Game]) -> list[tuple[Any, ...]]:
    scores: dict[str, list[float]] = defaultdict(list)
    for game in games:
        if (points := game.points()) is not None and "White" in game.tags:
            scores[game.tags["White"]].append(points)
    return sorted((name, len(points), sum(points)) for name, points in scores.items())


def best_ratings(games: list[Game]) -> list[tuple[Any, ...]]:
    best: dict[Any, int] = {}
    for at in every(games):
        name, rating = own("White", "Black")(at), own_elo(at)
        if rating is not None and rating > 2000:
            best[name] = max(best.get(name, 0), rating)
    return sorted(best.items())


sql("select count(*) from positions", lambda games: [(len(list(every(games))),)])
sql("select count(*) from games", lambda games: [(len(games),)], PLACE)
sql("select result, count(*) from games group by all order by all",
    lambda games: counted(game.result for game in games), TAGS)  # fmt: skip
sql("select source, game, plies, white_name, white_elo, year, points from games order by source, game",
    lambda games: [
        (it.source, it.number, it.plies, it.tags.get("White"), it.number_of("WhiteElo"), it.year(), it.points())
        for it in sorted(games, key=lambda it: (it.source, it.number))], TAGS)  # fmt: skip
sql("select count(*) from games where fault is not null", lambda games: [(sum(it.breaks_off for it in games),)], PLACE)
sql("select white_name, count(*), sum(points) from games where white_name is not null and points is not null "
    "group by all order by all", by_player, TAGS)  # fmt: skip
sql("select p.result, count(*) from positions p join games g using (source, game) where p.is_check and g.plies > 10 "
    "group by all order by all",
    lambda games: counted(at.game.result for at in every(games) if is_check(at) and at.game.plies > 10),
    TAGS)  # fmt: skip
sql("select g.eco, count(*) from games g join positions p on p.source = g.source and p.game = g.game and p.ply = 4 "
    "where g.eco is not null group by all order by all",
    lambda games: counted(it.tags["ECO"] for it in games if it.plies >= 4 and "ECO" in it.tags), TAGS)  # fmt: skip
sql("select white_to_move, count(*) from positions where is_check group by all order by all",
    lambda games: counted(at.white for at in every(games) if is_check(at)))  # fmt: skip
sql("select bit_count(white_pieces) n, count(*) from positions group by all order by n",
    lambda games: counted(len(at.men(WHITE)) for at in every(games)))  # fmt: skip
sql("select piece, count(*) from positions where piece is not null group by all order by all",
    lambda games: counted(moved(at) for at in every(games) if moved(at)), MOVES)  # fmt: skip
sql("select year, count(*) from positions where is_check and year is not null group by all order by all",
    lambda games: counted(at.game.year() for at in every(games) if is_check(at) and at.game.year()), TAGS)  # fmt: skip
sql("select max(ply), min(white_material), sum(bit_count(black_pawns)) from positions",
    lambda games: [(max(it.plies for it in games), min(worth(at, WHITE) for at in every(games)),
                    sum(len(at.men(BLACK, P)) for at in every(games)))], PLACE)  # fmt: skip
sql("select avg(white_material) from positions where phase is not null",
    lambda games: [(mean([worth(at, WHITE) for at in every(games)]),)])  # fmt: skip
sql("select count(*) from (select is_check and lead(is_check) over (partition by source, game order by ply) doubled "
    "from positions) where doubled", runs_of_checks, PLACE)  # fmt: skip
sql("select count(*) from positions where is_check and next(is_check)", runs_of_checks, PLACE)
sql("with mates as (select source, game from positions where is_checkmate) select count(*) from games "
    "where (source, game) in (select (source, game) from mates)",
    lambda games: [(sum(any(at.board.is_checkmate() for at in it.at) for it in games),)], PLACE)  # fmt: skip
sql("select count(distinct key), count(distinct material_key) from positions",
    lambda games: [(len({chess.polyglot.zobrist_hash(at.board) for at in every(games)}),
                    len({material_key(at) for at in every(games)}))])  # fmt: skip
sql("select own_name, max(own_elo) from positions where own_elo > 2000 group by all order by all",
    best_ratings, TAGS)  # fmt: skip
sql("select san, count(*) n from positions where san like '%#' group by all order by n desc, san limit 3",
    lambda games: sorted(counted(at.san for at in every(games) if (at.san or "").endswith("#")),
                         key=lambda it: (-it[1], it[0]))[:3], MOVES)  # fmt: skip
sql("select round(avg(clock), 3), count(evaluation) from positions",
    lambda games: [(round(mean([clock(at) for at in every(games) if clock(at) is not None]), 3),
                    sum(score(at.node) is not None for at in every(games)))], NOTES)  # fmt: skip
