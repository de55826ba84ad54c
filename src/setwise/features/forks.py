"""Features of forks: squares that attack two targets, forks that win, and the texts that explain them.

A plain fork is a set-wise pattern: a square from which a piece attacks two targets. A fork that wins is a move; it is
worth showing only if the forking piece is not lost and the best reply does not save enough. So both exist, under
different names: `fork_squares`, and for each kind of piece a feature of forks that win. These features differ only by
the piece, so `winning_fork` writes their docstrings from one text and registers them. Candidates are moves to safe
squares from which the piece attacks enough; each candidate is then searched with `rules.search`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, Square, entry, routine, scratch, subroutine
from setwise.compiler.kinds import named, uint16, uint64
from setwise.features.registry import Feature, Side, enemy_attacks, feature, is_ready, mover, own_attacks
from setwise.patterns import king, knight, pawns, tactics
from setwise.patterns.bits import EMPTY, ONE, RANK_8, THREE, TWO, bit, lowest, more_than_one, only_lowest
from setwise.patterns.pawns import attacks_down
from setwise.patterns.sliders import bishop_attacks, bishops_attacks, queens_attacks, rook_attacks, rooks_attacks
from setwise.rules.board import EN_PASSANT, NORMAL, Board, attackers, kind_of, make_move, origin_of, target_of
from setwise.rules.exchange import see
from setwise.rules.generate import MOST_MOVES, moves_to
from setwise.rules.search import FIRST, LINE_PLIES, NOT_KNOWN, falls, gain, list_arrivals, wins_most

# --------------------------------------------------------------------------------------------- features of knight forks


@routine
def _forks(side: Side, targets: Set) -> Set:
    """The squares to which an own knight goes next and attacks two or more targets, safe from pawns and knights."""
    enemy_pawns, enemy_knights = side.enemy & side.pawns, side.enemy & side.knights
    return knight.forks(
        side.own & side.knights, side.own, targets, attacks_down(enemy_pawns), knight.attacks(enemy_knights)
    )


@feature
def fork_squares(side: Side) -> Set:
    """Return the squares from which a knight of this side, moving there next, forks two or more targets.

    Targets are the enemy king, queens and rooks, and every enemy piece that nothing protects, because it hangs when the
    knight attacks it. No enemy pawn and no enemy knight attacks the square.

    Example:
        >>> position = setwise.Position("r3k2r/pp3ppp/8/3N4/8/8/PP3PPP/R3K2R w KQkq - 0 1")
        >>> print(position.feature("white_fork_squares"))
        . . . . . . . .
        . . 1 . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        The targets are king, queens, rooks and unprotected pieces; `setwise.knight.forks` checks the other conditions:
        that a knight reaches the square now, and that it is safe from pawns and knights.

    Traps:
        Pins are ignored, and so is a check that must be answered first. Pieces other than pawns and knights may be able
        to take the knight; a pawn or knight that guards the square may be pinned. Whether a target is protected is
        decided before the knight moves.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks: heavy pieces, hanging pieces, undefended pawns).
    """
    unprotected = side.enemy & ~enemy_attacks(side, side.enemy, side.own | side.enemy)
    return _forks(side, side.enemy & (side.kings | side.queens | side.rooks) | unprotected)


@feature
def royal_fork_squares(side: Side) -> Set:
    """Return the squares from which a knight of this side, moving there next, forks the enemy king and queen.

    No enemy pawn and no enemy knight attacks the square.

    Example:
        >>> position = setwise.Position("4k3/pp6/8/1N3q2/8/8/PPP5/2K5 w - - 0 1")
        >>> position.feature("white_royal_fork_squares")
        Bitboard('d6')

    Why:
        A knight attacks both king and queen from the squares that knights on the king's and on the queen's square would
        both attack. `setwise.knight.forks` adds that an own knight reaches the square, and that pawns and knights do
        not guard it.

    Traps:
        Pins are ignored, and pieces other than pawns and knights may be able to take the knight.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks).
    """
    royal = knight.attacks(side.enemy & side.kings) & knight.attacks(side.enemy & side.queens)
    return royal & _forks(side, side.enemy & (side.kings | side.queens))


# ------------------------------------------------------ the text that the six features of forks that win have in common


_TEXT = """Return the squares to which {the_piece} of this side goes next and forks{worth}.

{forks} The move wins {wins} than any move of another piece, and no less than another of its own; or it leaves this
side four pawns ahead and no other move wins more.

Example:
    >>> position = setwise.Position("{fen}")
    >>> position.feature("white_{name}")
    Bitboard('{squares}')

Why:
    Squares that attack two enemy pieces are computed for the whole board at once, outwards from the pieces; few
    positions have one that {the_piece} reaches. There the move is played: {conditions}. All replies are searched, the
    moves after them and the replies to these, and the other pieces' moves are searched for more.

Traps:
    {traps}The feature is computed as if it were this side's turn; it is empty while the enemy stands in check, and
    unless each side has one king.

Source:
    Chess Programming Wiki, "{source}".
"""


def winning_fork(
    the_piece: str, fen: str, squares: str, source: str, *, among: Callable[..., Any], good: str = "",
    wins: str = "a pawn's worth at least whatever the reply, and more", traps: str = "",
) -> Callable[[Callable[..., Any]], Feature]:  # fmt: skip
    """Return a decorator that registers a feature of forks by one kind of piece, and writes its docstring.

    Args:
        the_piece: the piece with its article: ``"a rook"``, ``"the king"``.
        fen: the position of the example.
        squares: the result in the example, for White.
        source: the page of the Chess Programming Wiki.
        among: the candidates, see :func:`feature`.
        good: the share that Stockfish finds good and of how many, from ``docs/tactics.md``; empty if not measured.
        wins: how much such a fork wins, and how much more than a move of another piece.
        traps: traps that concern only this kind of piece.
    """
    piece = the_piece.partition(" ")[2]
    is_exchanged = "; it may be exchanged where it captures" if piece in {"rook", "pawn"} else ""
    forks = (
        f"The {piece} cannot be won there{is_exchanged}, and attacks two pieces (no pawns) that fall "
        "to it, or the king and one such piece."
    )
    conditions = f"a {piece} must not be won, two pieces must fall to it"
    if piece == "king":
        forks, conditions = "The king attacks two pieces that nothing protects.", "two pieces must have no protector"

    def register(definition: Callable[..., Any]) -> Feature:
        text = _TEXT.format(
            the_piece=the_piece, forks=forks, conditions=conditions, wins=wins, fen=fen, squares=squares, source=source,
            name=definition.__name__, traps=f"{traps} " if traps else "",
            worth=f"; {good} good (Stockfish, 11/2026)" if good else "",
        )  # fmt: skip
        definition.__doc__ = _filled(text)
        return feature(among=among)(definition)

    return register


def _filled(text: str) -> str:
    """A docstring with its paragraphs filled anew, because the inserted words differ in length."""
    paragraphs = []
    for paragraph in text.rstrip().split("\n\n"):
        head, *rest = paragraph.split("\n")
        if ">>>" in paragraph:
            paragraphs.append(paragraph)
        elif head.endswith(":"):
            paragraphs.append(head + "\n" + _lines(rest, "    "))
        else:
            paragraphs.append(_lines([head, *rest], ""))
    return "\n\n".join(paragraphs) + "\n"


def _lines(lines: list[str], indent: str) -> str:
    words = " ".join(line.strip() for line in lines)
    return textwrap.fill(words, 116, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


# ------------------------------------------------------------------------------------------- features of forks that win


_move_list = scratch(MOST_MOVES)


# ------------------------------------------------------------------------------------------------- one move at a time


@routine
def _attacked_from(board: Board, square: Square) -> Set:
    """The squares that the piece on a square attacks."""
    here, occupied = bit(square), board.own | board.enemy
    attacked = pawns.attacks(here & board.pawns)
    if here & board.knights != EMPTY:
        attacked = knight.ATTACKS[square]
    if here & board.kings != EMPTY:
        attacked = king.ATTACKS[square]
    if here & (board.bishops | board.queens) != EMPTY:
        attacked = bishop_attacks(square, occupied)
    if here & (board.rooks | board.queens) != EMPTY:
        attacked |= rook_attacks(square, occupied)
    return attacked


@subroutine
def _falling(board: Board, square: Square) -> Set:
    """The king and the pieces that the piece on a square attacks and would win if it could capture at once."""
    attacked = _attacked_from(board, square) & board.enemy & ~board.pawns
    falling = attacked & board.kings
    attacked ^= falling
    by_king, occupied = bit(square) & board.kings != EMPTY, (board.own | board.enemy) & ~bit(square)
    while attacked != EMPTY:
        target = only_lowest(attacked)
        attacked ^= target
        there = lowest(target)
        is_won = attackers(board, there, occupied) == EMPTY if by_king else falls(board, square, there)
        falling |= target if is_won else EMPTY
    return falling


@routine
def _is_lost(board: Board, move: Move) -> np.bool | bool:
    """Whether the piece can be won on its new square; a rook or a pawn may be exchanged if that loses nothing."""
    won, most = see(board, move), gain(board, move)
    return won > most if bit(origin_of(move)) & (board.rooks | board.pawns) != EMPTY else won != most


@entry(uint64, named(Side), uint64, uint64, uint64, uint64)
def _winning_forks(side: Side, squares: Set, movers: Set, least: Count, more: Count) -> Set:
    """The squares, among the given ones, to which a mover goes and forks without being lost; see also `wins_most`."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    moves = _move_list(uint16)
    forks, known = EMPTY, NOT_KNOWN
    by_pawns = movers & board.pawns != EMPTY
    first = LINE_PLIES if by_pawns else FIRST
    number = moves_to(board, squares, moves) if by_pawns else list_arrivals(board, movers, squares, moves)
    for i in range(number):
        move = np.uint64(moves[i])
        kind, target = kind_of(move), target_of(move)
        here = bit(target)
        if here & squares & ~forks == EMPTY or bit(origin_of(move)) & movers == EMPTY:
            continue
        if (kind != NORMAL and kind != EN_PASSANT) or _is_lost(board, move):
            continue
        forked = _falling(make_move(board, move), target)
        if not more_than_one(forked):
            continue
        known, wins = wins_most(board, move, least, more, first, known)
        if wins:
            forks |= here
    return forks


# ------------------------------------------------------------------------------------------------------- candidates
#
# Most positions have no fork, so many positions are examined together, with sets and without branches. No fork may be
# left out here, so only enemy pieces that cannot be pinned to their king count as protectors.


class _View(NamedTuple):
    """The sets that forks by one kind of piece need; ``falling`` are the enemy pieces that may fall.

    ``free`` are enemy pieces that cannot be pinned; ``lost`` are squares where they, or the enemy king, take an
    unprotected piece. ``openers`` are own pieces that may give check by leaving a line; their squares are never left
    out.
    """

    pieces: Set
    falling: Set
    free: Set
    lost: Set
    openers: Set


@routine
def _view(side: Side, movers: Set) -> _View:
    enemy_king, occupied = side.enemy & side.kings, side.own | side.enemy
    in_line = queens_attacks(enemy_king, side.enemy)
    free = side.enemy & ~(in_line | enemy_king)
    others = side.own if more_than_one(movers) else side.own ^ movers
    own_attacked = own_attacks(side, others, side.enemy)
    guarded = enemy_attacks(side, free, occupied) | king.attacks(enemy_king) & ~own_attacked
    pieces = side.enemy & ~side.pawns
    return _View(pieces, pieces & (~guarded | own_attacked), free, guarded & ~own_attacked, in_line & movers)


@routine
def _landings(side: Side, quiet: Set, coarse: Set, safely: Set, opening: Set) -> Set:
    """Candidates: quiet moves to safe squares that attack enough; captures, and openers, that attack two pieces."""
    return ((quiet & ~side.enemy | coarse & side.enemy) & safely | coarse & opening) & ~side.own


@routine
def _knight_squares(side: Side) -> Set:
    movers, heavy = side.own & side.knights, side.kings | side.queens | side.rooks
    view = _view(side, movers)
    quiet, coarse = knight.fork_targets(view.pieces & (heavy | view.falling)), knight.fork_targets(view.pieces)
    lost = view.lost | attacks_down(view.free & side.pawns)
    return _landings(side, quiet, coarse, knight.attacks(movers) & ~lost, knight.attacks(view.openers))


@winning_fork(
    "a knight",
    "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1",
    "c7",
    "Knight Pattern",
    among=_knight_squares,
    good="88 % of 719",
    wins="two pawns' worth at least whatever the reply, and two more",
    traps="The search ends after three plies and the captures that follow: a knight that takes a rook in the corner "
    "may be caught there. Pawns are not forked.",
)
def safe_fork_squares(side: Side, squares: Set) -> Set:
    return _winning_forks(side, squares, side.own & side.knights, TWO, TWO)


@routine
def _royal_squares(side: Side) -> Set:
    royal = knight.attacks(side.enemy & side.kings) & knight.attacks(side.enemy & side.queens)
    return royal & knight.attacks(side.own & side.knights) & ~side.own


@feature(among=_royal_squares)
def safe_royal_fork_squares(side: Side, squares: Set) -> Set:
    """Return the squares where a knight of this side forks king and queen next; 98 % of 84 good (Stockfish, 11/2026).

    The knight is not lost there, and the queen falls: the move wins at least three pawns' worth after every reply, more
    than any move of another piece, and no less than any other move of the knight. If it leaves this side four pawns
    ahead, it is enough that no other move wins more.

    Example:
        >>> position = setwise.Position("6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1")
        >>> position.feature("white_safe_royal_fork_squares")
        Bitboard('e7')

    Why:
        A knight attacks king and queen from the intersection of the knight's attacks of both; in few positions a knight
        reaches such a square. There the move is played: the knight must not be lost, the queen must fall, and enough
        must be won after the best reply.

    Traps:
        `royal_fork_squares` is the plain pattern, which checks neither legality nor whether the knight can be taken.
        `safe_royal_fork_squares` is computed as if it were this side's turn; it is empty while the enemy stands in
        check, and unless each side has one king.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks).
    """
    return _winning_forks(side, squares, side.own & side.knights, THREE, ONE)


@routine
def _pawn_moves(side: Side, movers: Set) -> Set:
    occupied = side.own | side.enemy
    passed = side.en_passant if side.to_move != EMPTY else EMPTY
    pushes = pawns.single_pushes(movers, ~occupied) | pawns.double_pushes(movers, ~occupied)
    return pushes | pawns.attacks(movers) & (side.enemy | passed)


@routine
def _pawn_steps(side: Side) -> Set:
    movers = side.own & side.pawns
    return tactics.pawn_fork_targets(side.enemy & ~side.pawns) & _pawn_moves(side, movers)


@winning_fork(
    "a pawn",
    "4k3/pp3ppp/2n1n3/8/3P4/8/PP3PPP/3RK3 w - - 0 1",
    "d5",
    "Pawn Fork",
    among=_pawn_steps,
    good="85 % of 331",
    traps="A promotion is not a fork here.",
)
def fork_squares_by_pawn(side: Side, squares: Set) -> Set:
    return _winning_forks(side, squares, side.own & side.pawns, ONE, ONE)


@routine
def _bishop_moves(side: Side) -> Set:
    movers, heavy = side.own & side.bishops, side.kings | side.queens | side.rooks
    occupied = (side.own | side.enemy) & ~movers
    view = _view(side, movers)
    quiet = tactics.bishop_fork_targets(view.pieces & (heavy | view.falling), occupied)
    coarse = tactics.bishop_fork_targets(view.pieces, occupied)
    lost = view.lost | attacks_down(view.free & side.pawns)
    safely = bishops_attacks(movers, side.own | side.enemy) & ~lost
    return _landings(side, quiet, coarse, safely, bishops_attacks(view.openers, side.own | side.enemy))


@winning_fork(
    "a bishop",
    "6k1/6pp/8/8/8/8/r5PP/3B2K1 w - - 0 1",
    "b3",
    "Double Attack",
    among=_bishop_moves,
    good="90 % of 251",
    wins="two pawns' worth at least whatever the reply, and more",
)
def fork_squares_by_bishop(side: Side, squares: Set) -> Set:
    return _winning_forks(side, squares, side.own & side.bishops, TWO, ONE)


@routine
def _avenged(side: Side) -> Set:
    """Squares where an own pawn can recapture and promote, and so win more than was lost."""
    return RANK_8 & pawns.attacks(side.own & side.pawns)


@routine
def _rook_moves(side: Side) -> Set:
    movers, heavy = side.own & side.rooks, side.kings | side.queens
    occupied = (side.own | side.enemy) & ~movers
    view = _view(side, movers)
    quiet = tactics.rook_fork_targets(view.pieces & (heavy | view.falling), occupied)
    coarse = tactics.rook_fork_targets(view.pieces, occupied)
    lost = view.lost | enemy_attacks(
        side, view.free & (side.pawns | side.knights | side.bishops), side.own | side.enemy
    )
    reached = rooks_attacks(movers, side.own | side.enemy)
    safely = reached & (side.enemy | ~(lost & ~_avenged(side)))
    return _landings(side, quiet, coarse, safely, rooks_attacks(view.openers, side.own | side.enemy))


@winning_fork("a rook", "1R6/8/8/n5k1/8/7K/8/8 w - - 0 1", "b5", "Double Attack", among=_rook_moves, good="86 % of 300")
def fork_squares_by_rook(side: Side, squares: Set) -> Set:
    return _winning_forks(side, squares, side.own & side.rooks, ONE, ONE)


@routine
def _queen_moves(side: Side) -> Set:
    movers = side.own & side.queens
    occupied = (side.own | side.enemy) & ~movers
    view = _view(side, movers)
    quiet = tactics.queen_fork_targets(view.pieces & (side.kings | view.falling), occupied)
    coarse = tactics.queen_fork_targets(view.pieces, occupied)
    lost = view.lost | enemy_attacks(side, view.free & ~side.queens, side.own | side.enemy)
    safely = queens_attacks(movers, side.own | side.enemy) & ~(lost & ~_avenged(side))
    return _landings(side, quiet, coarse, safely, queens_attacks(view.openers, side.own | side.enemy))


@winning_fork(
    "a queen", "4Q3/8/5k2/8/8/3b4/1K6/8 w - - 0 1", "d8", "Double Attack", among=_queen_moves, good="84 % of 300"
)
def fork_squares_by_queen(side: Side, squares: Set) -> Set:
    return _winning_forks(side, squares, side.own & side.queens, ONE, ONE)


@routine
def _king_steps(side: Side) -> Set:
    movers = side.own & side.kings
    return tactics.king_fork_targets(side.enemy & ~(side.pawns | side.kings)) & king.attacks(movers) & ~side.own


@winning_fork("the king", "8/1b6/1n1K4/8/8/8/7P/3k4 w - - 0 1", "c7", "Double Attack", among=_king_steps)
def fork_squares_by_king(side: Side, squares: Set) -> Set:
    return _winning_forks(side, squares, side.own & side.kings, ONE, ONE)
