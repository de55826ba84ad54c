"""Features of whole positions by the rules of chess: python-chess answers, piece by piece and square by square.

A twin takes a board and a colour and gives the squares (numbers from 0), or a number. The twins of pawn structure are
those of `naive.pawns`, on all boards at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import chess
import numpy as np

from naive import Board, words
from naive import king as naive_king
from naive import pawns as naive_pawns
from naive import race as naive_race
from naive.features.strategy import STRATEGY

Answer = set[int] | int
ORTHOGONAL, DIAGONAL = {chess.ROOK, chess.QUEEN}, {chess.BISHOP, chess.QUEEN}


def men(board: chess.Board, colour: bool, *kinds: int) -> Iterator[int]:
    """The squares of one side's pieces, or of those of some kinds."""
    for square, piece in board.piece_map().items():
        if piece.color == colour and (piece.piece_type in kinds or not kinds):
            yield square


def officers(board: chess.Board, colour: bool) -> Iterator[int]:
    """All pieces but the king."""
    return men(board, colour, chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def to_move(board: chess.Board, colour: bool) -> chess.Board:
    """The board with that side to move, without castling and en passant."""
    board = board.copy(stack=False)
    board.turn, board.ep_square, board.castling_rights = colour, None, chess.BB_EMPTY
    return board


# ------------------------------------------------------------------------------------------------- attack and defence


def attacks(board: chess.Board, colour: bool) -> Answer:
    return {target for man in men(board, colour) for target in board.attacks(man)}


def pawn_attacks(board: chess.Board, colour: bool) -> Answer:
    return {target for pawn in men(board, colour, chess.PAWN) for target in board.attacks(pawn)}


def undefended(board: chess.Board, colour: bool) -> Answer:
    return {man for man in officers(board, colour) if not board.attackers(colour, man)}


def hanging(board: chess.Board, colour: bool) -> Answer:
    return {
        man for man in officers(board, colour) if board.attackers(not colour, man) and not board.attackers(colour, man)
    }


def guarding_alone(board: chess.Board, colour: bool) -> list[int]:
    """For each attacked piece with one protector, that protector."""
    guards = [board.attackers(colour, man) for man in officers(board, colour) if board.attackers(not colour, man)]
    return [next(iter(those)) for those in guards if len(those) == 1]


def sole_defenders(board: chess.Board, colour: bool) -> Answer:
    return set(guarding_alone(board, colour))


def defenders_overloaded(board: chess.Board, colour: bool) -> Answer:
    alone = guarding_alone(board, colour)
    return {guard for guard in alone if alone.count(guard) > 1}


def mobility(board: chess.Board, colour: bool) -> Answer:
    return len({(move.from_square, move.to_square) for move in to_move(board, colour).pseudo_legal_moves})


# -------------------------------------------------------------------------------------------------------------- forks


def forks(board: chess.Board, colour: bool, targets: set[int]) -> set[int]:
    found = set()
    for knight in men(board, colour, chess.KNIGHT):
        for square in chess.SquareSet(chess.BB_KNIGHT_ATTACKS[knight]):
            guards = {board.piece_type_at(man) for man in board.attackers(not colour, square)}
            forked = targets & set(chess.SquareSet(chess.BB_KNIGHT_ATTACKS[square]))
            if board.color_at(square) != colour and not guards & {chess.PAWN, chess.KNIGHT} and len(forked) >= 2:
                found.add(square)
    return found


def fork_squares(board: chess.Board, colour: bool) -> Answer:
    heavy = set(men(board, not colour, chess.KING, chess.QUEEN, chess.ROOK))
    return forks(board, colour, heavy | undefended(board, not colour))


def royal_fork_squares(board: chess.Board, colour: bool) -> Answer:
    [king] = men(board, not colour, chess.KING)
    queens = men(board, not colour, chess.QUEEN)
    return {square for queen in queens for square in forks(board, colour, {king, queen})}


# -------------------------------------------------------------------------------------------------------------- kings


def checkers(board: chess.Board, colour: bool) -> Answer:
    return set(board.attackers(colour, board.king(not colour)))


def pinned(board: chess.Board, colour: bool) -> Answer:
    return {man for man in officers(board, colour) if board.is_pinned(colour, man)}


def king_escapes(board: chess.Board, colour: bool) -> Answer:
    king = chess.BB_SQUARES[board.king(colour)]
    return {move.to_square for move in to_move(board, colour).generate_legal_moves(king)}


def distant_checks(board: chess.Board, colour: bool) -> Answer:
    return naive_king.distant_checks(board.king(colour), set(chess.SQUARES) - king_escapes(board, colour))


def shield_index(board: chess.Board, colour: bool) -> Answer:
    turned = 0 if colour else 56
    own_pawns = {pawn ^ turned for pawn in men(board, colour, chess.PAWN)}
    return naive_king.shield_index(board.king(colour) ^ turned, own_pawns)


def mate_at_a_glance(board: chess.Board, colour: bool) -> Answer:
    """Queen moves next to the king are played, and python-chess says whether it is mate."""
    found, enemy_king = set(), board.king(not colour)
    if board.attackers(colour, enemy_king):
        return found
    near = chess.BB_KING_ATTACKS[enemy_king]
    board = to_move(board, colour)
    for move in list(board.generate_legal_moves(board.queens, near)):
        board.push(move)
        alone = set(board.attackers(not colour, move.to_square)) <= {enemy_king}
        if alone and board.attackers(colour, move.to_square) and board.is_checkmate():
            found.add(move.to_square)
        board.pop()
    return found


def king_open_files(board: chess.Board, colour: bool) -> Answer:
    return naive_king.open_files(board.king(colour), set(chess.SquareSet(board.pawns)))


def king_half_open_files(board: chess.Board, colour: bool) -> Answer:
    return naive_king.open_files(board.king(colour), set(men(board, colour, chess.PAWN)))


def discovered_check_candidates(board: chess.Board, colour: bool) -> Answer:
    """Pieces without whom a slider attacks the king that did not before."""
    enemy_king, found = board.king(not colour), set()
    for man in men(board, colour):
        lifted = board.copy(stack=False)
        lifted.remove_piece_at(man)
        if set(lifted.attackers(colour, enemy_king)) - set(board.attackers(colour, enemy_king)):
            found.add(man)
    return found


# ------------------------------------------------------------------------------------------------------------- passers


def free_passers(board: chess.Board, colour: bool) -> set[int]:
    """Passed pawns on whose way no own piece stands."""
    turned = 0 if colour else 56
    found = set()
    for pawn in men(board, colour, chess.PAWN):
        ahead = [square for square in range(64) if (square ^ turned) // 8 > (pawn ^ turned) // 8]
        near = [square for square in ahead if abs(square % 8 - pawn % 8) <= 1]
        guarded = any(board.piece_at(square) == chess.Piece(chess.PAWN, not colour) for square in near)
        blocked = any(board.color_at(square) == colour for square in ahead if square % 8 == pawn % 8)
        if not (guarded or blocked):
            found.add(pawn)
    return found


def runners(board: chess.Board, colour: bool, *, king_runs: bool) -> set[int]:
    """Those that the enemy king does not catch."""
    turned = 0 if colour else 56
    king = board.king(not colour) ^ turned
    return {pawn for pawn in free_passers(board, colour) if (king, pawn ^ turned, king_runs) not in naive_race.caught()}


def beside(pawn: int, colour: bool) -> set[int]:
    """The squares ahead of a pawn on the files beside its own."""
    ranks = range(pawn // 8 + 1, 8) if colour else range(pawn // 8)
    return {8 * rank + file for rank in ranks for file in (pawn % 8 - 1, pawn % 8 + 1) if 0 <= file < 8}


def is_loose(board: chess.Board, pawn: int, colour: bool) -> bool:
    """Whether a pawn of the enemy of this colour has a free way, or a pawn to take."""
    way = range(pawn - 8, -1, -8) if colour else range(pawn + 8, 64, 8)
    taken = set(men(board, colour, chess.PAWN)) & beside(pawn, not colour)
    return bool(taken) or not any(board.color_at(square) == colour for square in way)


def pairs(board: chess.Board, colour: bool, *, king_runs: bool) -> set[int]:
    """Those of two that the enemy king does not catch both."""
    turned = 0 if colour else 56
    passers = {pawn ^ turned for pawn in free_passers(board, colour)}
    return {pawn ^ turned for pawn in naive_race.two(passers, board.king(not colour) ^ turned, king_runs)}


def pushes(pawn: int, colour: bool) -> int:
    """How many moves a pawn needs to promote, two steps at once being one."""
    return min(7 - pawn // 8 if colour else pawn // 8, 5)


def unstoppable_passers(board: chess.Board, colour: bool) -> Answer:
    """Runners that no pawn of the enemy outruns; among kings and one side's pawns, those escorted too, or pairs."""
    pieces = chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN
    if set(men(board, not colour, *pieces)):
        return set()
    waits = board.turn != colour or bool(board.attackers(not colour, board.king(colour)))
    enemy_pawns, king = list(men(board, not colour, chess.PAWN)), board.king(colour)
    theirs = [pushes(pawn, not colour) for pawn in enemy_pawns if is_loose(board, pawn, colour)]
    checks = any(king in beside(pawn, not colour) for pawn in enemy_pawns)
    ours = runners(board, colour, king_runs=waits)
    if board.turn != colour:
        ours -= {
            move.to_square + (8 if colour else -8) for move in board.pseudo_legal_moves if board.is_en_passant(move)
        }
    found = {pawn for pawn in ours if all(pushes(pawn, colour) + waits + checks <= their for their in theirs)}
    if not set(men(board, not colour, chess.PAWN)) and not set(men(board, colour, *pieces)):
        if board.turn != colour and not any(board.legal_moves):
            return set()
        found |= escorted(board, colour, waits)
        return found or pairs(board, colour, king_runs=waits)
    return found


def escorted(board: chess.Board, colour: bool, waits: bool) -> set[int]:
    """Pawns without own pawns ahead, all of whose way the own king attacks where it stands or goes next."""
    turned, king, enemy = 0 if colour else 56, board.king(colour), board.king(not colour)
    own = set(men(board, colour, chess.PAWN))
    there = {enemy, *(chess.SquareSet(chess.BB_KING_ATTACKS[enemy]) if waits else ())}
    found = set()
    for pawn in own:
        forwards = range(pawn + 8, 64, 8) if colour else range(pawn - 8, -1, -8)
        way = list(forwards)
        corner = {chess.B6: chess.A8, chess.G6: chess.H8}.get(pawn ^ turned)
        taken = waits and chess.square_distance(enemy, pawn) == 1 and chess.square_distance(king, pawn) > 1
        if own & set(way) or (enemy ^ turned) == corner or taken:
            continue
        for step in {king, *chess.SquareSet(chess.BB_KING_ATTACKS[king])}:
            controls = all(chess.square_distance(step, square) == 1 for square in way)
            far = all(chess.square_distance(step, square) > 1 for square in there)
            held = chess.square_distance(step, pawn) == 1
            safe = held or all(chess.square_distance(square, pawn) > 1 for square in there)
            if controls and (enemy not in way if step == king else far and safe and step not in own):
                found.add(pawn)
    return found


def material(board: chess.Board, colour: bool) -> int:
    worth = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}
    men = board.piece_map().values()
    return sum(worth[man.symbol().lower()] for man in men if man.color == colour)


# ------------------------------------------------------------------------------------------------- words of strategy


def colour_of_square(square: int) -> bool:
    return bool(chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES)


def bishop_pair(board: chess.Board, colour: bool) -> Answer:
    bishops = set(men(board, colour, chess.BISHOP))
    return bishops if len({colour_of_square(square) for square in bishops}) == 2 else set()


def opposite_bishops(board: chess.Board, colour: bool) -> Answer:
    own, enemy = ([*men(board, side, chess.BISHOP)] for side in (colour, not colour))
    return {*own} if len(own) == len(enemy) == 1 and colour_of_square(own[0]) != colour_of_square(enemy[0]) else set()


def rank_seen_by(colour: bool, square: int) -> int:
    """The rank, 1 to 8, as the side counts it."""
    return chess.square_rank(square) + 1 if colour else 8 - chess.square_rank(square)


def rook_on_seventh(board: chess.Board, colour: bool) -> Answer:
    held = any(rank_seen_by(colour, king) == 8 for king in men(board, not colour, chess.KING))
    attacked = any(rank_seen_by(colour, pawn) == 7 for pawn in men(board, not colour, chess.PAWN))
    rooks = men(board, colour, chess.ROOK)
    return {rook for rook in rooks if rank_seen_by(colour, rook) == 7} if held or attacked else set()


def advanced_pawns(board: chess.Board, colour: bool) -> Answer:
    return {pawn for pawn in men(board, colour, chess.PAWN) if rank_seen_by(colour, pawn) in {6, 7}}


def passers(board: chess.Board, colour: bool) -> set[int]:
    """The pawns with no enemy pawn on their file or beside it that is nearer to where they promote."""
    return {
        pawn for pawn in men(board, colour, chess.PAWN)
        if not any(abs(chess.square_file(pawn) - chess.square_file(it)) <= 1
                   and rank_seen_by(colour, it) > rank_seen_by(colour, pawn)
                   for it in men(board, not colour, chess.PAWN))
    }  # fmt: skip


def connected_passers(board: chess.Board, colour: bool) -> Answer:
    found = passers(board, colour)
    return {
        pawn for pawn in found if any(abs(chess.square_file(pawn) - chess.square_file(other)) == 1 for other in found)
    }


def pawn_majority(board: chess.Board, colour: bool) -> Answer:
    majority = set()
    for wing in (range(4), range(4, 8)):
        own, enemy = (
            {pawn for pawn in men(board, side, chess.PAWN) if chess.square_file(pawn) in wing}
            for side in (colour, not colour)
        )
        if len(own) > len(enemy):
            majority |= own
    return majority


def rook_behind_passer(board: chess.Board, colour: bool) -> Answer:
    found = set()
    for rook in men(board, colour, chess.ROOK):
        for side in chess.COLORS:
            for pawn in passers(board, side) & set(board.attacks(rook)):
                same_file = chess.square_file(pawn) == chess.square_file(rook)
                if same_file and rank_seen_by(side, rook) < rank_seen_by(side, pawn):
                    found.add(rook)
    return found


def king_ring_attackers(board: chess.Board, colour: bool) -> Answer:
    ring = {square for king in men(board, not colour, chess.KING) for square in (king, *board.attacks(king))}
    return {man for man in officers(board, colour) if ring & set(board.attacks(man))}


def xray_attacks(board: chess.Board, colour: bool) -> Answer:
    found: set[int] = set()
    for slider in men(board, colour, chess.BISHOP, chess.ROOK, chess.QUEEN):
        for front in set(board.attacks(slider)) & {*men(board, not colour)}:
            lifted = board.copy(stack=False)
            lifted.remove_piece_at(front)
            found |= {*lifted.attacks(slider)} - {*board.attacks(slider)}
    return found


def attacks_f7(board: chess.Board, colour: bool) -> Answer:
    target, home = (chess.F7, chess.E8) if colour else (chess.F2, chess.E1)
    at_home = home in men(board, not colour, chess.KING)
    return {man for man in officers(board, colour) if target in board.attacks(man)} if at_home else set()


#: The twin of each feature that is one of a board and a colour.
TWINS: dict[str, Callable[[chess.Board, bool], Answer]] = {
    twin.__name__: twin
    for twin in (
        attacks, pawn_attacks, undefended, hanging, sole_defenders, defenders_overloaded, mobility,
        fork_squares, royal_fork_squares, checkers, pinned, king_escapes, distant_checks, shield_index,
        mate_at_a_glance, unstoppable_passers, material,
        king_open_files, king_half_open_files, discovered_check_candidates, bishop_pair, opposite_bishops,
        rook_on_seventh, advanced_pawns, connected_passers, pawn_majority, rook_behind_passer, king_ring_attackers,
        xray_attacks, attacks_f7,
    )
} | STRATEGY  # fmt: skip


# ----------------------------------------------------------------------------------------------------- pawn structure


def pawn_islands(pawns: Board) -> np.ndarray:
    """Files with pawns whose western neighbour has none."""
    files = pawns.any(axis=1)
    return (files[0].astype(np.uint8) + (files[1:] & ~files[:-1]).sum(axis=0)).astype(np.uint8)


def island_files(pawns: Board, *, west: bool) -> np.ndarray:
    """All squares of files with pawns whose western or eastern neighbour has none."""
    files = pawns.any(axis=1)
    beside = np.zeros_like(files)
    if west:
        beside[1:] = files[:-1]
    else:
        beside[:-1] = files[1:]
    return words(np.repeat((files & ~beside)[:, None], 8, axis=1))


def widest_island(pawns: Board) -> np.ndarray:
    """The longest run of files with pawns."""
    files, run = pawns.any(axis=1), np.zeros(pawns.shape[2], np.uint8)
    widest = run
    for file in files:
        run = (run + 1) * file
        widest = np.maximum(widest, run)
    return widest


#: The twins on boards of the own pawns and of the enemy's.
STRUCTURE: dict[str, Callable[[Board, Board], np.ndarray]] = {
    "pawn_islands": lambda own, enemy: pawn_islands(own),
    "isolated_pawns": lambda own, enemy: words(naive_pawns.isolated(own)),
    "half_isolated_pawns": lambda own, enemy: words(naive_pawns.half_isolated(own)),
    "doubled_pawns": lambda own, enemy: words(naive_pawns.doubled(own)),
    "connected_pawns": lambda own, enemy: words(naive_pawns.connected(own)),
    "holes": lambda own, enemy: words(naive_pawns.holes(own)),
    "backward_pawns": lambda own, enemy: words(naive_pawns.backward(own, enemy)),
    "stragglers": lambda own, enemy: words(naive_pawns.straggler(own, enemy)),
    "passed_pawns": lambda own, enemy: words(naive_pawns.passed(own, enemy)),
    "candidate_pawns": lambda own, enemy: words(naive_pawns.candidate(own, enemy)),
    "outposts": lambda own, enemy: words(naive_pawns.outposts(own, enemy)),
    "open_files": lambda own, enemy: words(naive_pawns.open_files(own, enemy)),
    "stacked": lambda own, enemy: words(naive_pawns.stacked(own)),
    "phalanx": lambda own, enemy: words(naive_pawns.phalanx(own)),
    "chain": lambda own, enemy: words(naive_pawns.supported(own) | naive_pawns.defending(own)),
    "ram": lambda own, enemy: words(naive_pawns.ram(own, enemy)),
    "lever": lambda own, enemy: words(naive_pawns.lever(own, enemy)),
    "island_west_files": lambda own, enemy: island_files(own, west=True),
    "island_east_files": lambda own, enemy: island_files(own, west=False),
    "widest_island": lambda own, enemy: widest_island(own),
    "half_open_files": lambda own, enemy: words(naive_pawns.half_open_files(own, enemy)),
}
