"""Words of strategy by python-chess, pawn by pawn and piece by piece."""

from __future__ import annotations

from collections.abc import Callable

import chess

Answer = set[int] | int
QUEENSIDE, CENTRE, KINGSIDE = range(3), range(3, 5), range(5, 8)


def those(board: chess.Board, colour: bool, *kinds: int) -> set[int]:
    return {square for kind in kinds for square in board.pieces(kind, colour)}


def file(square: int) -> int:
    return chess.square_file(square)


def rank(colour: bool, square: int) -> int:
    """The rank from the side's own view, 1 to 8."""
    return chess.square_rank(square) + 1 if colour else 8 - chess.square_rank(square)


def place(colour: bool, at_file: int, at_rank: int) -> int:
    return chess.square(at_file, at_rank - 1 if colour else 8 - at_rank)


def pawns(board: chess.Board, colour: bool) -> set[int]:
    return those(board, colour, chess.PAWN)


def officers(board: chess.Board, colour: bool) -> set[int]:
    return those(board, colour, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def attacked_by_pawns(board: chess.Board, colour: bool) -> set[int]:
    return {target for pawn in pawns(board, colour) for target in board.attacks(pawn)}


def is_light(square: int) -> bool:
    return bool(chess.BB_LIGHT_SQUARES >> square & 1)


def backward_pawn(board: chess.Board, colour: bool) -> Answer:
    found = set()
    for pawn in pawns(board, colour):
        here = rank(colour, pawn)
        beside = [rank(colour, it) for it in pawns(board, colour) if abs(file(it) - file(pawn)) == 1]
        barred = any(file(it) == file(pawn) and rank(colour, it) > here for it in pawns(board, not colour))
        stop = place(colour, file(pawn), here + 1) if here < 8 else -1
        if beside and min(beside) > here and not barred and stop in attacked_by_pawns(board, not colour):
            found.add(pawn)
    return found


def is_passed(board: chess.Board, colour: bool, pawn: int) -> bool:
    return not any(
        abs(file(it) - file(pawn)) <= 1 and rank(colour, it) > rank(colour, pawn) for it in pawns(board, not colour)
    )


def hanging_pair(board: chess.Board, colour: bool) -> Answer:
    found = set()
    files = {file(pawn) for pawn in pawns(board, colour)}
    closed = {file(pawn) for pawn in pawns(board, not colour)}
    for pawn in pawns(board, colour):
        other = pawn + 1
        if file(pawn) == 7 or other not in pawns(board, colour) or rank(colour, pawn) == 2:
            continue
        pair = {pawn, other}
        if files & {file(pawn) - 1, file(other) + 1} or {file(pawn), file(other)} <= closed:
            continue
        if not all(is_passed(board, colour, it) for it in pair):
            found |= pair
    return found


def majority(board: chess.Board, colour: bool, files: range, centre: set[int]) -> set[int]:
    counted = {*files} | (centre if not any(file(it) in CENTRE for it in pawns(board, not colour)) else set())
    own, enemy = ({it for it in pawns(board, side) if file(it) in counted} for side in (colour, not colour))
    return own if len(own) > len(enemy) else set()


def queenside_majority(board: chess.Board, colour: bool) -> Answer:
    return majority(board, colour, QUEENSIDE, {3})


def kingside_majority(board: chess.Board, colour: bool) -> Answer:
    return majority(board, colour, KINGSIDE, {4})


def centre_majority(board: chess.Board, colour: bool) -> Answer:
    return majority(board, colour, CENTRE, set())


def exposed_king(board: chess.Board, colour: bool) -> Answer:
    kings, enemy = those(board, colour, chess.KING), not colour
    heavy = board.pieces(chess.QUEEN, enemy) or len(board.pieces(chess.ROOK, enemy)) > 1
    sheltered = any(
        chess.square_distance(king, pawn) == 1 and rank(colour, pawn) >= rank(colour, king) and rank(colour, king) <= 2
        for king in kings
        for pawn in pawns(board, colour)
    )
    return kings if heavy and len(officers(board, enemy)) >= 2 and not sheltered else set()


def batteries(board: chess.Board, colour: bool) -> Answer:
    found: set[int] = set()
    up = 1 if colour else -1
    for step, kinds in (
        (0, (chess.ROOK, chess.QUEEN)),
        (1, (chess.BISHOP, chess.QUEEN)),
        (-1, (chess.BISHOP, chess.QUEEN)),
    ):
        sliders = those(board, colour, *kinds)

        def walk(square: int, ahead: int, step: int = step) -> list[int]:
            """The squares from one on, up the board or down, with the first piece."""
            way = []
            at, on = file(square) + step * ahead, chess.square_rank(square) + up * ahead
            while 0 <= at < 8 and 0 <= on < 8:
                way.append(chess.square(at, on))
                if board.piece_at(way[-1]):
                    break
                at, on = at + step * ahead, on + up * ahead
            return way

        for front in sliders:
            aims = [
                it
                for it in walk(front, 1)
                if board.color_at(it) == (not colour) or (rank(colour, it) >= 6 and not board.piece_at(it))
            ]
            behind = walk(front, -1)[-1:]
            if aims and behind and behind[0] in sliders:
                third = [it for it in walk(behind[0], -1)[-1:] if it in sliders]
                found |= {front, *behind, *third}
    return found


def opposition(board: chess.Board, colour: bool) -> Answer:
    if board.turn == colour or board.knights | board.bishops | board.rooks | board.queens:
        return set()
    own, enemy = board.king(colour), board.king(not colour)
    if own is None or enemy is None or not chess.ray(own, enemy):
        return set()
    way = chess.SquareSet.between(own, enemy)
    free = [
        it for it in board.attacks(enemy) if board.color_at(it) != board.turn and not board.is_attacked_by(colour, it)
    ]
    return {own} if len(way) % 2 and not int(way) & board.occupied and free else set()


def connected_rooks(board: chess.Board, colour: bool) -> Answer:
    rooks = those(board, colour, chess.ROOK)
    return {rook for rook in rooks if rooks & set(board.attacks(rook))}


def undeveloped_minors(board: chess.Board, colour: bool) -> Answer:
    homes = {1: chess.KNIGHT, 2: chess.BISHOP, 5: chess.BISHOP, 6: chess.KNIGHT}
    return {
        it for it in officers(board, colour) if rank(colour, it) == 1 and homes.get(file(it)) == board.piece_type_at(it)
    }


def fianchetto(board: chess.Board, colour: bool) -> Answer:
    return {
        it for it in those(board, colour, chess.BISHOP)
        if rank(colour, it) == 2 and file(it) in {1, 6}
        and any(place(colour, file(it), ahead) in pawns(board, colour) for ahead in (3, 4))
    }  # fmt: skip


def rook_lift(board: chess.Board, colour: bool) -> Answer:
    near = {file(king) + step for king in those(board, not colour, chess.KING) for step in (-1, 0, 1)}
    found = set()
    for rook in those(board, colour, chess.ROOK):
        along = {it for it in board.attacks(rook) if chess.square_rank(it) == chess.square_rank(rook)}
        free = {file(it) for it in along if not board.piece_at(it)} | {file(rook)}
        if rank(colour, rook) in {3, 4} and free & near:
            found.add(rook)
    return found if those(board, colour, chess.QUEEN) else set()


def bad_bishop(board: chess.Board, colour: bool) -> Answer:
    found, own = set(), pawns(board, colour)
    for bishop in those(board, colour, chess.BISHOP):
        same = {it for it in own if is_light(it) == is_light(bishop)}
        blocked = [
            it
            for it in same
            if file(it) in range(2, 6)
            and rank(colour, it) < 8
            and place(colour, file(it), rank(colour, it) + 1) in pawns(board, not colour)
        ]
        if blocked and 2 * len(same) >= len(own) and rank(colour, bishop) <= 3 and is_hemmed(board, colour, bishop):
            found.add(bishop)
    return found


def is_hemmed(board: chess.Board, colour: bool, bishop: int) -> bool:
    """Whether the first pawn on a way forward of a bishop is an own one of files c to f."""
    for step in (-1, 1):
        for distance in range(1, 8):
            there = file(bishop) + step * distance, rank(colour, bishop) + distance
            if not (0 <= there[0] <= 7 and there[1] <= 8):
                break
            square = place(colour, *there)
            if board.piece_type_at(square) == chess.PAWN:
                if board.color_at(square) == colour and there[0] in range(2, 6):
                    return True
                break
    return False


def pawn_storm(board: chess.Board, colour: bool) -> Answer:
    found: set[int] = set()
    for king in those(board, not colour, chess.KING):
        for wing in (QUEENSIDE, KINGSIDE):
            if rank(colour, king) >= 7 and file(king) in wing:
                found |= {it for it in pawns(board, colour) if file(it) in wing and 4 <= rank(colour, it) <= 7}
    return found if those(board, colour, chess.QUEEN) else set()


def space(board: chess.Board, colour: bool) -> Answer:
    squares = {place(colour, at, on) for at in range(2, 6) for on in range(2, 5)}
    return squares - pawns(board, colour) - attacked_by_pawns(board, not colour)


def luft(board: chess.Board, colour: bool) -> Answer:
    found: set[int] = set()
    for king in those(board, colour, chess.KING):
        if rank(colour, king) == 1 and file(king) not in CENTRE:
            around = {it for it in board.attacks(king) if rank(colour, it) == 2 and not board.piece_at(it)}
            lifted = board.copy(stack=False)
            lifted.remove_piece_at(king)
            found |= {it for it in around if not lifted.is_attacked_by(not colour, it)}
    return found


def safe_check_squares(board: chess.Board, colour: bool) -> Answer:
    found, king = set(), board.king(not colour)
    if king is None:
        return set()
    for piece in officers(board, colour):
        for target in board.attacks(piece):
            bare = board.copy(stack=False)
            bare.set_piece_at(target, board.piece_at(piece))
            if (
                board.color_at(target) != colour
                and king in bare.attacks(target)
                and not board.is_attacked_by(not colour, target)
            ):
                found.add(target)
    return found


def wrong_bishop(board: chess.Board, colour: bool) -> Answer:
    bishops, own = those(board, colour, chess.BISHOP), pawns(board, colour)
    files = {file(it) for it in own}
    if files not in ({0}, {7}) or officers(board, colour) != bishops:
        return set()
    corner = place(colour, files.pop(), 8)
    return bishops if all(is_light(it) != is_light(corner) for it in bishops) else set()


def key_squares(board: chess.Board, colour: bool) -> Answer:
    own = pawns(board, colour)
    if len(own) != 1 or officers(board, colour) or officers(board, not colour) or pawns(board, not colour):
        return set()
    [pawn] = own
    at, on = file(pawn), rank(colour, pawn)
    if at in {0, 7}:
        return {place(colour, 1 if at == 0 else 6, ahead) for ahead in (7, 8)}
    ranks = {2: [4], 3: [5], 4: [6], 5: [6, 7], 6: [7, 8], 7: [7, 8]}.get(on, [])
    return {place(colour, beside, it) for beside in (at - 1, at, at + 1) for it in ranks} - own


STRATEGY: dict[str, Callable[[chess.Board, bool], Answer]] = {
    twin.__name__: twin
    for twin in (
        backward_pawn, hanging_pair, queenside_majority, kingside_majority, centre_majority, exposed_king, batteries,
        opposition, connected_rooks, undeveloped_minors, fianchetto, rook_lift, bad_bishop, pawn_storm, space, luft,
        safe_check_squares, wrong_bishop, key_squares,
    )
}  # fmt: skip
