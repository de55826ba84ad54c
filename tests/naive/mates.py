"""The named pictures of mate, square by square: who checks, who takes each flight, who stands in the king's way."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import chess
import numpy as np

from naive import Place, places, word
from naive.sliders import ALL_WAYS, DIAGONAL, ORTHOGONAL, attacks, slide

Places = set[Place]
BOARD = set(product(range(8), repeat=2))
JUMPS = [(x, y) for x, y in product((-2, -1, 1, 2), repeat=2) if abs(x) != abs(y)]
CORNERS = {(0, 0), (0, 7), (7, 0), (7, 7)}
SIDES = {(file, rank) for file, rank in BOARD if file in {0, 7}}
EDGES = {(file, rank) for file, rank in BOARD if file in {0, 7} or rank in {0, 7}}


def off(place: Place, *ways: Place) -> Places:
    """The squares that lie so from a square."""
    return {(place[0] + x, place[1] + y) for x, y in ways} & BOARD


def around(king: Places) -> Places:
    return {square for place in king for square in off(place, *ALL_WAYS)}


def beside(king: Places) -> Places:
    return {square for place in king for square in off(place, *ORTHOGONAL)}


def aslant(king: Places) -> Places:
    return {square for place in king for square in off(place, *DIAGONAL)}


def jumps(knights: Places) -> Places:
    return {square for place in knights for square in off(place, *JUMPS)}


def hits(pawns: Places) -> Places:
    return {square for place in pawns for square in off(place, (-1, 1), (1, 1))}


def reach(sliders: Places, ways: tuple[Place, ...], occupied: Places) -> Places:
    return {square for place in sliders for square in attacks(place, ways, occupied)}


# ---------------------------------------------------------------------------------------- by pieces in the king's way


def smothered(king: Places, blockers: Places, knights: Places) -> bool:
    return bool(king & jumps(knights)) and around(king) <= blockers


def back_rank(king: Places, blockers: Places, orthogonal: Places, occupied: Places, attacked: Places) -> bool:
    ahead = {square for file, rank in king for square in off((file, rank), (-1, -1), (0, -1), (1, -1))}
    checked = any(set(slide(place, way, occupied)) & orthogonal for place in king for way in ((-1, 0), (1, 0)))
    return bool(king) and all(rank == 7 for _, rank in king) and ahead <= blockers - attacked and checked


def corridor(king: Places, orthogonal: Places, occupied: Places) -> bool:
    for file, rank in king:
        ways = [*([(1, 0), (-1, 0)] if rank in {0, 7} else []), *([(0, 1), (0, -1)] if file in {0, 7} else [])]
        if any(set(slide((file, rank), way, occupied)) & orthogonal for way in ways):
            return True
    return False


def david_and_goliath(king: Places, pawns: Places) -> bool:
    return bool(king & hits(pawns))


def bishop_and_queen(king: Places, blockers: Places, bishops: Places, queens: Places, occupied: Places) -> bool:
    taken = reach(queens, ALL_WAYS, occupied - king) & around(king) - blockers
    return bool(king & reach(bishops, DIAGONAL, occupied)) and bool(taken)


def knight_and_major(
    king: Places, blockers: Places, knights: Places, rooks: Places, queens: Places, occupied: Places
) -> bool:
    taken = reach(rooks, ORTHOGONAL, occupied - king) | reach(queens, ALL_WAYS, occupied - king)
    return bool(king & jumps(knights)) and bool(taken & around(king) - blockers)


def stamma(king: Places, blockers: Places, knights: Places, kings: Places) -> bool:
    flights = around(king) - blockers
    return bool(king & CORNERS & jumps(knights)) and bool(flights) and flights <= around(kings)


def blackburne(king: Places, blockers: Places, knights: Places, bishops: Places, occupied: Places) -> bool:
    checkers = aslant(king) & bishops & jumps(knights)
    return bool(checkers) and bool(reach(bishops - checkers, DIAGONAL, occupied - king) & around(king) - blockers)


def damiano_bishop(king: Places, bishops: Places, queens: Places, occupied: Places) -> bool:
    before = beside(king & EDGES) & queens - EDGES
    return bool(before & reach(bishops, DIAGONAL, occupied))


def diagonal(king: Places, bishops: Places, queens: Places, occupied: Places) -> bool:
    return bool(king & reach((bishops | queens) - around(king), DIAGONAL, occupied))


def max_lange(king: Places, bishops: Places, queens: Places, occupied: Places) -> bool:
    behind = {(x, y) for x, y in hits(king) & queens if y == 7}
    return bool(behind & reach(bishops, DIAGONAL, occupied))


def epaulette(king: Places, orthogonal: Places, occupied: Places) -> bool:
    for (x, y), place in product(((1, 0), (0, 1)), king):
        shoulders = {(place[0] + x, place[1] + y), (place[0] - x, place[1] - y)}
        if shoulders <= occupied and any(set(slide(place, way, occupied)) & orthogonal for way in ((y, x), (-y, -x))):
            return True
    return False


def swallowtail(king: Places, blockers: Places, queens: Places) -> bool:
    for (file, rank), (x, y) in product(king, ORTHOGONAL):
        tails = {(file - x + y, rank - y + x), (file - x - y, rank - y - x)}
        if (file + x, rank + y) in queens and tails <= blockers:
            return True
    return False


def dovetail(king: Places, blockers: Places, queens: Places, occupied: Places, others: Places) -> bool:
    for (file, rank), (x, y) in product(king - EDGES, DIAGONAL):
        tails = {(file - x, rank), (file, rank - y)}
        seen = {(file + x, rank), (file, rank + y), (file + x, rank - y), (file - x, rank + y)}
        alone = not (seen | tails | {(file - x, rank - y)}) - queens & others
        if (file + x, rank + y) in queens and tails <= blockers and not seen & occupied and alone:
            return True
    return False


# -------------------------------------------------------------------------------------------------- rook and knight


def anastasia(king: Places, blockers: Places, knights: Places, orthogonal: Places, occupied: Places) -> bool:
    for file, rank in (king & SIDES) - CORNERS:
        inwards = 1 if file == 0 else -1
        checked = any(set(slide((file, rank), way, occupied)) & orthogonal for way in ((0, 1), (0, -1)))
        if (file + inwards, rank) in blockers and (file + 3 * inwards, rank) in knights and checked:
            return True
    return False


def arabian(king: Places, knights: Places, rooks: Places) -> bool:
    return any(
        (2 if file == 0 else 5, 2 if rank == 0 else 5) in knights and beside({(file, rank)}) & rooks
        for file, rank in king & CORNERS
    )


def hook(king: Places, pawns: Places, knights: Places, rooks: Places) -> bool:
    return any(
        knight in around(king) and knight in hits(pawns) and rook in beside(king) and rook in jumps({knight})
        for knight, rook in product(knights, rooks)
    )


def vukovic(king: Places, knights: Places, rooks: Places) -> bool:
    for (file, rank), (x, y) in product(king & EDGES, ORTHOGONAL):
        ahead, beyond = (file + x, rank + y), (file + 2 * x, rank + 2 * y)
        if (file - x, rank - y) not in BOARD and ahead in rooks and beyond in knights:
            return True
    return False


def corner(king: Places, blockers: Places, knights: Places, orthogonal: Places, occupied: Places) -> bool:
    flights = around(king) - blockers
    confined = flights & reach(orthogonal, ORTHOGONAL, occupied - king)
    return bool(king & EDGES and king & jumps(knights) and confined)


# --------------------------------------------------------------------------------------------------- rook and bishop


def opera(king: Places, bishops: Places, rooks: Places, occupied: Places) -> bool:
    return bool(beside(king) & rooks & reach(bishops, DIAGONAL, occupied))


def mayet(king: Places, bishops: Places, rooks: Places, occupied: Places) -> bool:
    return any(
        rook in reach({bishop}, DIAGONAL, occupied) and max(abs(rook[0] - bishop[0]), abs(rook[1] - bishop[1])) > 1
        for bishop in bishops
        for rook in beside(king) & rooks & CORNERS
    )


def pillsbury(king: Places, blockers: Places, bishops: Places, rooks: Places, occupied: Places) -> bool:
    flights, lifted = around(king) - blockers, occupied - king
    confined = flights & reach(bishops, DIAGONAL, lifted) - reach(rooks, ORTHOGONAL, lifted)
    return bool(king & reach(rooks, ORTHOGONAL, occupied) and confined | king & reach(bishops, DIAGONAL, occupied))


def morphy(king: Places, blockers: Places, bishops: Places, rooks: Places, occupied: Places) -> bool:
    flights, lifted = around(king) - blockers, occupied - king
    confined = flights & reach(rooks, ORTHOGONAL, lifted) - reach(bishops, DIAGONAL, lifted)
    return bool(king & reach(bishops, DIAGONAL, occupied) and confined)


def greco(king: Places, blockers: Places, bishops: Places, orthogonal: Places, occupied: Places) -> bool:
    for file, rank in king & CORNERS:
        x, y = 1 if file == 0 else -1, 1 if rank == 0 else -1
        checked = set(slide((file, rank), (0, y), occupied)) & orthogonal
        covered = (file + x, rank) in reach(bishops, DIAGONAL, occupied)
        if checked and covered and (file + x, rank + y) in blockers and (file + x, rank) not in blockers:
            return True
    return False


def reti(king: Places, blockers: Places, bishops: Places, orthogonal: Places, occupied: Places) -> bool:
    protected = aslant(king) & bishops & reach(orthogonal, ORTHOGONAL, occupied)
    return bool(protected) and len(around(king) & blockers) >= 4


# ------------------------------------------------------------------------------------------------------------ bishops


def boden(king: Places, blockers: Places, bishops: Places, occupied: Places) -> bool:
    return pair(king, blockers, bishops, occupied, crossing=True)


def double_bishop(king: Places, blockers: Places, bishops: Places, occupied: Places) -> bool:
    return pair(king, blockers, bishops, occupied, crossing=False)


def pair(king: Places, blockers: Places, bishops: Places, occupied: Places, *, crossing: bool) -> bool:
    """One bishop checks along a line, another takes along such a line, or across it, what is left; no others do."""
    flights, lifted = around(king) - blockers, occupied - king
    checkers = {bishop for bishop in bishops if king & reach({bishop}, DIAGONAL, occupied)}
    left = flights - reach(checkers, DIAGONAL, lifted)
    slants = (((1, 1), (-1, -1)), ((1, -1), (-1, 1)))
    return flights <= reach(bishops, DIAGONAL, lifted) and any(
        king & reach(checkers, line, occupied) and left & reach(bishops - checkers, other, lifted)
        for line, other in product(slants, repeat=2)
        if (line != other) == crossing
    )


def balestra(king: Places, blockers: Places, bishops: Places, queens: Places, occupied: Places) -> bool:
    flights = around(king) - blockers
    checkers = {bishop for bishop in bishops if king & reach({bishop}, DIAGONAL, occupied)}
    by_queen = reach(queens, ALL_WAYS, occupied - king)
    by_checker = reach(checkers, DIAGONAL, occupied - king)
    return bool(checkers and flights & by_queen) and flights <= by_queen | by_checker


# ------------------------------------------------------------------------------------------------------------ knights


def suffocation(king: Places, blockers: Places, knights: Places, bishops: Places, occupied: Places) -> bool:
    flights = around(king) - blockers
    return bool(king & jumps(knights) and flights) and flights <= reach(bishops, DIAGONAL, occupied - king)


def legal(king: Places, blockers: Places, knights: Places, bishops: Places, occupied: Places) -> bool:
    flights = around(king) - blockers
    guarded = off_sides(king) & bishops & jumps(knights)
    return bool(king & jumps(knights) and guarded) and flights <= jumps(knights) | reach(
        bishops, DIAGONAL, occupied - king
    )


def off_sides(king: Places) -> Places:
    return {square for place in king for square in off(place, (1, 0), (-1, 0))}


# --------------------------------------------------------------------------------------------------- queen and others


def kill_box(king: Places, rooks: Places, queens: Places, occupied: Places) -> bool:
    return any(
        (file + x, rank + y) in queens and (file - x, rank - y) in rooks and king & off((file, rank), *ALL_WAYS, (0, 0))
        for (file, rank), (x, y) in product(BOARD - (occupied - king), DIAGONAL)
    )


def triangle(king: Places, rooks: Places, queens: Places, occupied: Places) -> bool:
    return any(
        (file + x, rank + y) in queens and (file - x, rank - y) in rooks and king & off((file, rank), (y, x), (-y, -x))
        for (file, rank), (x, y) in product(BOARD - occupied, ORTHOGONAL)
    )


def damiano(king: Places, pawns: Places, queens: Places) -> bool:
    return any(
        rank == 7 and (file, 5) in pawns and off((file, rank), (-1, -1), (1, -1)) & queens for file, rank in king
    )


def lolli(king: Places, pawns: Places, queens: Places) -> bool:
    return any(
        rank == 7 and (file, 6) in queens and off((file, rank), (-1, -2), (1, -2)) & pawns for file, rank in king
    )


def support(king: Places, queens: Places, attacked: Places) -> bool:
    return bool(around(king) & queens & attacked)


def queen_and_king(king: Places, blockers: Places, queens: Places, kings: Places, occupied: Places) -> bool:
    lifted, by_king = occupied - king, around(kings)
    by_queen = reach(queens, ALL_WAYS, lifted)
    checked = king & reach(queens, ALL_WAYS, occupied)
    return (
        bool(checked and by_king & around(king))
        and not around(king) & blockers
        and around(king) <= (by_queen | by_king)
    )


# -------------------------------------------------------------------------------------------------------------- rooks


def blind_swine(king: Places, rooks: Places) -> bool:
    for (file, rank), (x, y) in product(king, ORTHOGONAL):
        first = (file + x, rank + y)
        if first in rooks and off(first, (y, x), (-y, -x)) & rooks:
            return True
    return False


def ladder(king: Places, orthogonal: Places, occupied: Places) -> bool:
    for (file, rank), (x, y) in product(king & EDGES, ORTHOGONAL):
        if (file - x, rank - y) in BOARD:
            continue
        sides = ((y, x), (-y, -x))
        checked = any(set(slide((file, rank), way, occupied)) & orthogonal for way in sides)
        ahead = off((file, rank), (x, y), (x + y, y + x), (x - y, y - x))
        line = {square for square in orthogonal if (square[0] * x + square[1] * y) == (file + x) * x + (rank + y) * y}
        if checked and ahead <= reach(line, sides, occupied):
            return True
    return False


def two_rooks(king: Places, blockers: Places, rooks: Places, occupied: Places) -> bool:
    flights = around(king)
    return (
        bool(king & reach(rooks, ORTHOGONAL, occupied))
        and not flights & blockers
        and flights <= reach(rooks, ORTHOGONAL, occupied - king)
    )


# ------------------------------------------------------------------------------------------------------------- boards

EXAMPLES = Path(__file__).parents[1] / "data" / "mates.csv"


def examples() -> Iterator[tuple[str, chess.Board, chess.Board]]:
    """Each name, a mate that bears it, and another mate that looks like it and does not."""
    with EXAMPLES.open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            yield row["name"], chess.Board(row["mate"]), chess.Board(row["near"])


def arguments(board: chess.Board) -> dict[str, int]:
    """What the patterns are given of a board on which Black is mated, or White, who is then looked at as Black."""
    board = board if board.turn == chess.BLACK else board.mirror()
    kings = board.pieces(chess.KING, chess.BLACK)
    lifted = board.copy(stack=False)
    for square in kings:
        lifted.remove_piece_at(square)

    def attacked(squares: chess.SquareSet) -> int:
        return word({(t % 8, t // 8) for s in squares for t in lifted.attacks(s)})

    ours = chess.SquareSet(board.occupied_co[chess.WHITE])
    near_queens = {
        s for s in board.pieces(chess.QUEEN, chess.WHITE) if any(chess.square_distance(s, k) == 1 for k in kings)
    }
    names = dict(zip(("pawns", "knights", "bishops", "rooks", "queens", "kings"), chess.PIECE_TYPES, strict=True))
    found = {name: int(board.pieces(kind, chess.WHITE)) for name, kind in names.items()}
    return found | {
        "king": int(kings), "blockers": board.occupied_co[chess.BLACK] & ~int(kings),
        "orthogonal": found["rooks"] | found["queens"], "occupied": board.occupied,
        "attacked": attacked(ours), "others": attacked(ours - near_queens),
    }  # fmt: skip


def names(board: chess.Board, known: tuple[str, ...]) -> tuple[str, ...]:
    """The names of a mate, of those given and in their order."""
    found = {name: places(squares) for name, squares in arguments(board).items()}
    rules = {name: globals()[name] for name in known}
    return tuple(
        name for name, rule in rules.items() if rule(*(found[it] for it in inspect.signature(rule).parameters))
    )


def changed(board: chess.Board, random: np.random.Generator) -> chess.Board:
    """A board with up to three pieces less, more or elsewhere; its king may be gone, and nobody asks if it is mate."""
    board = board.copy(stack=False)
    for _ in range(random.integers(4)):
        square, other = random.integers(64, size=2).tolist()
        piece = board.remove_piece_at(square)
        piece = piece or chess.Piece(int(random.integers(1, 6)), bool(random.integers(2)))
        if random.integers(2) and not board.piece_at(other):
            board.set_piece_at(other, piece)
    return board if not random.integers(2) else board.transform(chess.flip_horizontal)


def columns() -> dict[str, np.ndarray]:
    random = np.random.default_rng(41)
    boards = [changed(mate, random) for _, mate, _ in examples() for _ in range(90)]
    boards += [changed(near, random) for _, _, near in examples() for _ in range(30)]
    rows = [arguments(board) for board in boards]
    return {name: np.array([row[name] for row in rows], np.uint64) for name in rows[0]}


COLUMNS = columns()
