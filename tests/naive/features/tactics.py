"""Tactics by the rules of chess: python-chess plays the moves, and what they win is searched capture by capture.

A twin takes a board and a colour and gives the squares, as those of `naive.features` do. Where the colour is not the
one to move, it is given the move; where somebody has no king or two, or the other side stands in check, there is
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import chess

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0, None: 0}
ORTHOGONAL, DIAGONAL = (chess.ROOK, chess.QUEEN), (chess.BISHOP, chess.QUEEN)
SLIDERS = {chess.BISHOP, chess.ROOK, chess.QUEEN}
LESSER = {chess.KNIGHT, chess.BISHOP, chess.ROOK}


def ready(board: chess.Board, colour: bool) -> chess.Board | None:
    """The board with that side to move, if it can."""
    board = board.copy(stack=False)
    if board.turn != colour:
        board.turn, board.ep_square = colour, None
    one_king_each = all(len(board.pieces(chess.KING, side)) == 1 for side in chess.COLORS)
    return board if one_king_each and not board.was_into_check() else None


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    board = board.copy(stack=False)
    board.push(move)
    return board


def again(board: chess.Board, move: chess.Move) -> chess.Board:
    """The board after a move whose side has the move again."""
    board = after(board, move)
    board.turn, board.ep_square = not board.turn, None
    return board


# ------------------------------------------------------------------------------------------------------------ exchanges


def taken(board: chess.Board, move: chess.Move) -> int:
    """What a move takes, and what its pawn becomes."""
    if board.is_castling(move):
        return 0
    promoted = WORTH[move.promotion] - 1 if move.promotion else 0
    return promoted + (1 if board.is_en_passant(move) else WORTH[board.piece_type_at(move.to_square)])


def see(board: chess.Board, move: chess.Move, old: int = 0) -> int:
    """What a move takes, less the best that captures on its square win then: a search of all of them."""
    won = taken(board, move)
    return won if board.is_castling(move) else won - recaptured(after(board, move), move.to_square, old)


def recaptured(board: chess.Board, square: int, old: int) -> int:
    moves = list(board.generate_pseudo_legal_moves(to_mask=chess.BB_SQUARES[square]))
    return max([0, *(see(board, move, old) for move in moves if is_safe(board, move, old))])


def is_safe(board: chess.Board, move: chess.Move, old: int) -> bool:
    """Whether a move is legal, where some checks are old ones that had to be answered in any case."""
    there = after(board, move)
    king = there.king(board.turn)
    if king is None:  # it has been lifted, to look through it
        return True
    checkers = there.attackers_mask(there.turn, king)
    return not (checkers if king == move.to_square else checkers & ~old)


def captures(board: chess.Board) -> Iterator[chess.Move]:
    """What takes or promotes, to a queen alone."""
    for move in board.legal_moves:
        if (board.is_capture(move) or move.promotion) and move.promotion not in LESSER:
            yield move


def exchanged(board: chess.Board) -> float:
    """What the best exchange wins."""
    return max([0, *(see(board, move) for move in captures(board))])


def mates_next(board: chess.Board) -> bool:
    return any(after(board, move).is_checkmate() for move in list(board.legal_moves))


def threatens(board: chess.Board, more_than: float) -> bool:
    """Whether the other side, if it had the move, would mate or win more than so much by an exchange."""
    other = after(board, chess.Move.null())
    return mates_next(other) or exchanged(other) > more_than


def forcing(board: chess.Board, least: float, plies: int) -> Iterator[chess.Move]:
    """What wins so much at once and does not lose on its square, and checks; late ones only by captures."""
    for move in list(board.legal_moves):
        is_gain, is_check = board.is_capture(move) or move.promotion, board.gives_check(move)
        if move.promotion in LESSER or (is_check and not is_gain and plies <= 2):
            continue
        if is_check or (is_gain and taken(board, move) >= least and see(board, move) >= 0):
            yield move


def reaches(board: chess.Board, least: float, plies: int) -> bool:
    """Whether forcing moves win the mover so much, however the other side defends by forcing moves or by stopping.

    After so many moves the best exchange is counted, in check after any move. The side that moves when the number of
    plies is even stops only if it is not threatened, or answers the threat.
    """
    if not plies and not board.is_check():
        return least <= 0 or exchanged(board) >= least
    is_free = not board.is_check()
    if is_free and least <= 0:
        is_free = plies % 2 == 1 or not threatens(board, -least)
        if is_free:
            return True
    for move in list(forcing(board, least, plies) if is_free else board.legal_moves):
        there, left = after(board, move), taken(board, move) - least
        if left < 0 and not there.is_check() and (plies % 2 == 0 or not plies):  # the other side stops there
            continue
        if (left >= exchanged(there) and left >= 0) if not plies else not reaches(there, left + 1, plies - 1):
            return True
    return False


def forced(board: chess.Board, move: chess.Move, least: float, plies: int = 4) -> bool:
    """Whether a move wins so much whatever the reply, so far as some forcing moves and an exchange tell.

    If it has taken so much, or mates or takes so much next, where the other side passes: in the first case that side
    replies by forcing moves alone, in the second by any.
    """
    there, lack = after(board, move), least - taken(board, move)
    if not any(there.legal_moves):
        return there.is_check()
    replies = list(there.legal_moves)
    if not there.is_check():
        if lack > 0 and not threatens(there, lack - 1):
            return False
        replies = replies if lack > 0 else list(forcing(there, 1 - lack, 4))
    return all(
        reaches(after(there, reply), lack + taken(there, reply), plies)
        for reply in sorted(replies, key=lambda reply: -taken(there, reply))
    )


MATE = 100


def can_gain(board: chess.Board, depth: int, least: int) -> bool:
    """Whether the mover gains so much: by all moves to the depth and in check, then by captures that lose nothing.

    Where it gains enough without moving, the last of all moves may be left out.
    """
    checked = board.is_check()
    everything = depth > 0 or (checked and depth > -12)
    if not everything and (least <= 0 or depth <= -12):
        return least <= 0
    if depth == 1 and not checked and least <= 0 and not can_gain(after(board, chess.Move.null()), 0, 1 - least):
        return True
    moves = list(board.legal_moves)
    if everything and not moves:
        return least <= (-MATE if checked else 0)
    if not everything:
        moves = [it for it in moves if taken(board, it) > 0 and see(board, it) >= 0]
    moves.sort(key=lambda it: -taken(board, it))
    return any(line_gains(board, it, depth - 1, least) for it in moves)


def line_gains(board: chess.Board, move: chess.Move, depth: int, least: int) -> bool:
    """Whether a move gains so much, whatever follows within the depth."""
    return not can_gain(after(board, move), depth, taken(board, move) - least + 1)


def ahead(board: chess.Board) -> int:
    worth = [WORTH[piece.piece_type] * (1 if piece.color == board.turn else -1) for piece in board.piece_map().values()]
    return sum(worth)


def wins_most(board: chess.Board, move: chess.Move, least: int, more: int, first: int = 2) -> bool:
    """Whether a move wins so much whatever the reply, and so much more than other moves, or leaves its side ahead."""
    there = after(board, move)
    if there.is_checkmate():
        return True
    if not there.is_check() and taken(board, move) < least and not threatens(there, least - taken(board, move) - 1):
        return False
    if not (line_gains(board, move, first, least) and line_gains(board, move, 3, least)) or mates_next(board):
        return False
    otherwise = least - more
    for other in list(board.legal_moves):
        while other.from_square != move.from_square and otherwise < MATE and line_gains(board, other, 1, otherwise + 1):
            otherwise += 1
    needed = max(least, min(max(4 - ahead(board), otherwise), otherwise + more))
    for other in list(board.legal_moves):
        is_same = other != move and other.from_square == move.from_square
        while is_same and needed < MATE and line_gains(board, other, 1, needed + 1):
            needed += 1
    return needed <= least or line_gains(board, move, 3, needed)


def falls(board: chess.Board, origin: int, target: int) -> bool:
    """Whether the piece on a square wins what stands on the other; knights' and pawns' checks are answered first."""
    checkers = 0
    for colour in chess.COLORS:
        king = board.king(colour)
        checkers |= 0 if king is None else board.attackers_mask(not colour, king) & (board.knights | board.pawns)
    return see(board, chess.Move(origin, target), checkers & ~chess.BB_SQUARES[origin]) > 0


# ------------------------------------------------------------------------------------------------------------- captures


def exchanges(board: chess.Board, colour: bool) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Captures that win on their square."""
    mover = ready(board, colour)
    for move in list(mover.legal_moves) if mover is not None else ():
        if mover.is_capture(move) and see(mover, move) > 0:
            yield mover, move


def winning_captures(board: chess.Board, colour: bool) -> set[int]:
    return {
        move.to_square
        for mover, move in exchanges(board, colour)
        if mover.piece_type_at(move.to_square) not in {chess.PAWN, None} and see(mover, move) >= 2
        if forced(mover, move, 1, 2)
    }


def captured_pieces(board: chess.Board, colour: bool, squares: set[int]) -> set[int]:
    """The pieces of one side that are captured on some squares, the pawn captured en passant among them."""
    towards = -8 if colour else 8
    return {square if board.piece_at(square) else square - towards for square in squares}


def en_prise(board: chess.Board, colour: bool) -> set[int]:
    return captured_pieces(board, colour, {move.to_square for _, move in exchanges(board, not colour)})


def trapped(board: chess.Board, colour: bool) -> set[int]:
    mover = ready(board, colour)
    if mover is None or mover.is_check():
        return set()
    pieces = {square for square in en_prise(board, colour) if board.piece_type_at(square) != chess.PAWN}
    lost = {
        square
        for square in pieces
        if all(see(mover, move) < 0 for move in mover.generate_legal_moves(chess.BB_SQUARES[square]))
    }
    lost = lost and lost & captured_pieces(board, colour, winning_captures(board, not colour))
    return {square for square in lost if is_best_taken(board, not colour, square)}


def is_best_taken(board: chess.Board, colour: bool, square: int) -> bool:
    """Whether a capture there wins a piece, or two pawns and the lead, and no other move wins more."""
    mover = ready(board, colour)
    assert mover is not None
    least = 3 if ahead(mover) < -1 else 2
    captors = [move for move in mover.legal_moves if move.to_square == square]
    return any(wins_most(mover, move, least, 0) for move in captors)


# ---------------------------------------------------------------------------------------------------------------- mates


def mates(board: chess.Board, colour: bool) -> Iterator[tuple[chess.Board, chess.Move]]:
    mover = ready(board, colour)
    for move in list(mover.legal_moves) if mover is not None else ():
        if after(mover, move).is_checkmate():
            yield mover, move


def mates_in_one(board: chess.Board, colour: bool) -> set[int]:
    return {move.to_square for _, move in mates(board, colour)}


def distant_mates(board: chess.Board, colour: bool) -> set[int]:
    found = set()
    for mover, move in mates(board, colour):
        king, there = board.king(not colour), after(mover, move)
        if move.promotion or mover.piece_type_at(move.from_square) not in SLIDERS or mover.is_castling(move):
            continue
        if chess.square_distance(king, move.to_square) > 1 and move.to_square in there.attackers(colour, king):
            found.add(move.to_square)
    return found


# ---------------------------------------------------------------------------------------------------------------- lines


def attacked_twice(board: chess.Board, colour: bool) -> set[int]:
    return {square for square in chess.SQUARES if len(board.attackers(colour, square)) >= 2}


def behind(board: chess.Board, slider: int, front: int) -> int | None:
    """The first piece behind another one, seen from a slider that attacks that one."""
    for square in sorted(chess.SquareSet(board.occupied), key=lambda square: chess.square_distance(square, front)):
        if chess.between(slider, square) >> front & 1:
            return square
    return None


def without(board: chess.Board, square: int) -> chess.Board:
    board = board.copy(stack=False)
    board.remove_piece_at(square)
    return board


def on_line(board: chess.Board, slider: int, square: int) -> bool:
    """Whether a piece of the slider's kind may move along the line between two squares."""
    orthogonal = chess.square_file(slider) == chess.square_file(square) or slider // 8 == square // 8
    return board.piece_type_at(square) in (ORTHOGONAL if orthogonal else DIAGONAL)


def pins(board: chess.Board, colour: bool) -> set[int]:
    found, mover = set(), ready(board, colour)
    for slider in chess.scan_forward(board.occupied_co[colour] & (board.bishops | board.rooks | board.queens)):
        for front in board.attacks(slider) & board.occupied_co[not colour]:
            back = behind(board, slider, front)
            if back is None or board.color_at(back) == colour or board.piece_type_at(front) == chess.KING:
                continue
            if board.piece_type_at(back) == chess.KING:
                found.add(front)
            elif mover is None or on_line(board, slider, front) or back not in board.pin(colour, slider):
                continue
            elif WORTH[board.piece_type_at(back)] > WORTH[board.piece_type_at(front)]:
                found |= {front} if falls(without(mover, front), slider, back) else set()
    return found


def is_skewer(board: chess.Board, slider: int) -> bool:
    """Whether a slider attacks a king, or a piece that falls and is worth no less, and one behind it then falls."""
    enemy, minor = not board.turn, {chess.PAWN, chess.KING}
    for front in board.attacks(slider) & board.occupied_co[enemy] & ~board.pawns:
        back = behind(board, slider, front)
        if back is None or board.color_at(back) != enemy or board.piece_type_at(back) in minor:
            continue
        is_less = WORTH[board.piece_type_at(back)] <= WORTH[board.piece_type_at(front)]
        must_go = board.piece_type_at(front) == chess.KING or (is_less and falls(board, slider, front))
        if must_go and falls(without(board, front), slider, back):
            return True
    return False


def quiet(board: chess.Board, colour: bool, *kinds: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Moves of some pieces, neither castling nor promotions, after which nothing falls on their square."""
    mover = ready(board, colour)
    for move in list(mover.legal_moves) if mover is not None else ():
        is_plain = not move.promotion and not mover.is_castling(move)
        if mover.piece_type_at(move.from_square) in kinds and is_plain and see(mover, move) == taken(mover, move):
            yield mover, move


def skewers(board: chess.Board, colour: bool) -> set[int]:
    return {
        move.to_square
        for mover, move in quiet(board, colour, *SLIDERS)
        if is_skewer(again(mover, move), move.to_square) and wins_most(mover, move, 2, 2)
    }


def discovers(board: chess.Board, move: chess.Move) -> bool:
    """Whether a slider then attacks, for the first time, the king, a piece of no less worth, or one that falls.

    It saw the piece that moves, or the pawn that is taken en passant.
    """
    there = again(board, move)
    gone = chess.SquareSet(board.occupied & ~there.occupied)
    for slider in chess.scan_forward(board.occupied_co[board.turn] & (board.bishops | board.rooks | board.queens)):
        for square in gone & board.attacks(slider) if slider != move.from_square else ():
            new = there.attacks(slider) & ~board.attacks(slider) & there.occupied_co[not board.turn] & ~there.pawns
            for target in new & chess.SquareSet(chess.ray(slider, square)):
                worth = WORTH[there.piece_type_at(target)] >= WORTH[there.piece_type_at(slider)]
                if there.piece_type_at(target) == chess.KING or worth or falls(there, slider, target):
                    return True
    return False


def discovered_attacks(board: chess.Board, colour: bool) -> set[int]:
    mover = ready(board, colour)
    return {
        move.to_square
        for move in (list(mover.legal_moves) if mover is not None else ())
        if not mover.is_castling(move) and discovers(mover, move)
        if wins_most(mover, move, *((1, 1) if mover.gives_check(move) else (2, 2)))
    }


def double_check_moves(board: chess.Board, colour: bool) -> set[int]:
    mover = ready(board, colour)
    moves = list(mover.legal_moves) if mover is not None else ()
    return {move.to_square for move in moves if len(after(mover, move).checkers()) > 1}


# ----------------------------------------------------------------------------------------------------------- protection


def endangered(board: chess.Board) -> set[int]:
    """Pieces of the other side, no pawns or kings, that a piece other than the king attacks and no pawn protects."""
    return {
        square
        for square in chess.SquareSet(board.occupied_co[not board.turn] & ~(board.pawns | board.kings))
        if board.attackers_mask(board.turn, square) & ~board.kings
        and not board.attackers_mask(not board.turn, square) & board.pawns
    }


def falls_to_any(board: chess.Board, square: int) -> bool:
    takers = chess.scan_forward(board.attackers_mask(board.turn, square) & ~board.kings)
    return any(falls(board, taker, square) for taker in takers)


def parted(board: chess.Board, move: chess.Move, pieces: set[int]) -> bool:
    """Whether one of some pieces falls after a move, if the other side passes, and does not fall before."""
    there = again(board, move)
    return any(falls_to_any(there, square) and not falls_to_any(board, square) for square in pieces)


def plain(board: chess.Board, colour: bool) -> Iterator[tuple[chess.Board, chess.Move]]:
    """The moves that are neither castling nor promotions nor en passant."""
    mover = ready(board, colour)
    for move in list(mover.legal_moves) if mover is not None else ():
        if not (move.promotion or mover.is_castling(move) or mover.is_en_passant(move)):
            yield mover, move


def interferences(board: chess.Board, colour: bool) -> set[int]:
    found = set()
    for mover, move in plain(board, colour):
        if mover.is_capture(move) or mover.piece_type_at(move.from_square) == chess.KING:
            continue
        cut = {
            square
            for square in endangered(mover)
            for slider in mover.attackers(not colour, square)
            if chess.between(slider, square) >> move.to_square & 1
        }
        if parted(mover, move, cut) and wins_most(mover, move, 2, 1):
            found.add(move.to_square)
    return found


def underminings(board: chess.Board, colour: bool) -> set[int]:
    found = set()
    for mover, move in plain(board, colour):
        if not mover.is_capture(move) or see(mover, move) >= 2:
            continue
        protected = endangered(mover) & set(mover.attacks(move.to_square))
        if parted(mover, move, protected) and wins_most(mover, move, 2, 1):
            found.add(move.to_square)
    return found


# ---------------------------------------------------------------------------------------------------------------- forks


def forks(board: chess.Board, colour: bool, kind: int, least: int, more: int) -> set[int]:
    """Squares to which a piece goes and attacks two or more of: the king, and pieces that fall to it.

    It cannot be won there; a rook or a pawn that captures may be taken if that loses nothing.
    """
    found, mover = set(), ready(board, colour)
    for move in list(mover.legal_moves) if mover is not None else ():
        if mover.piece_type_at(move.from_square) != kind or move.promotion or mover.is_castling(move):
            continue
        there = again(mover, move)
        forked = there.attacks(move.to_square) & there.occupied_co[not colour] & ~there.pawns
        falling = [square for square in forked if square == there.king(not colour) or taken_by(there, move, square)]
        won = see(mover, move)
        is_safe_there = won >= 0 if kind in {chess.ROOK, chess.PAWN} else won == taken(mover, move)
        first = 3 if kind == chess.PAWN else 2
        if len(falling) >= 2 and is_safe_there and wins_most(mover, move, least, more, first):
            found.add(move.to_square)
    return found


def taken_by(board: chess.Board, move: chess.Move, square: int) -> bool:
    """Whether the piece that has just moved wins what stands on a square."""
    if board.piece_type_at(move.to_square) == chess.KING:
        return not after(board, chess.Move(move.to_square, square)).was_into_check()
    return falls(board, move.to_square, square)


def safe_fork_squares(board: chess.Board, colour: bool) -> set[int]:
    return forks(board, colour, chess.KNIGHT, 2, 2)


def safe_royal_fork_squares(board: chess.Board, colour: bool) -> set[int]:
    kings, queens = ({square for man in board.pieces(kind, not colour)
                      for square in chess.SquareSet(chess.BB_KNIGHT_ATTACKS[man])}
                     for kind in (chess.KING, chess.QUEEN))  # fmt: skip
    squares = kings & queens
    return squares and squares & forks(board, colour, chess.KNIGHT, 3, 1)


def by(kind: int) -> Callable[[chess.Board, bool], set[int]]:
    return lambda board, colour: forks(board, colour, kind, 2 if kind == chess.BISHOP else 1, 1)


#: The twin of each feature of tactics.
TACTICS: dict[str, Callable[[chess.Board, bool], set[int]]] = {
    twin.__name__: twin
    for twin in (
        attacked_twice, winning_captures, en_prise, trapped, mates_in_one, distant_mates, pins, skewers,
        discovered_attacks, double_check_moves, interferences, underminings, safe_fork_squares,
        safe_royal_fork_squares,
    )
} | {
    "fork_squares_by_pawn": by(chess.PAWN),
    "fork_squares_by_bishop": by(chess.BISHOP), "fork_squares_by_rook": by(chess.ROOK),
    "fork_squares_by_queen": by(chess.QUEEN), "fork_squares_by_king": by(chess.KING),
}  # fmt: skip
