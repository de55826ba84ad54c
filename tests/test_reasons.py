"""Why a move is not legal, and why a game is drawn: judged by python-chess, on all pairs of squares."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import chess
import pytest

from helpers.boards import random_play, scattered
from helpers.depth import depth
from setwise import Game, Move, Position
from setwise.errors import IllegalMove, InvalidMove
from setwise.position.reasons import KINDS, Reason

HALF = depth(500, 10_000)


def boards() -> Iterator[chess.Board]:
    """Half from random games, half pieces thrown on the board, with many castling rights and passed pawns."""
    chance = random.Random(20)  # noqa: S311
    played = random_play(HALF, seed=21, every=9)
    for _ in range(HALF):
        yield next(played)
        yield scattered(chance)


def spellings(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """The texts of a move in UCI; castling is also written by the king's target, unless that is a king's move."""
    yield board.uci(move, chess960=True)
    yield board.uci(move, chess960=False)
    if board.is_castling(move):
        target = move.from_square & 56 | (6 if move.to_square > move.from_square else 2)
        if abs(target - move.from_square) > 1:
            yield chess.SQUARE_NAMES[move.from_square] + chess.SQUARE_NAMES[target]


def is_true(board: chess.Board, move: chess.Move, reason: Reason) -> bool:
    """Whether a reason is true as python-chess sees the board: its kind, and its pieces or squares."""
    start, end, turn = move.from_square, move.to_square, board.turn
    piece, pieces, squares = board.piece_type_at(start), int(reason.pieces), int(reason.squares)
    way = int(chess.SquareSet.between(start, end))
    forward = 8 if turn else -8
    is_pawn, is_push = piece == chess.PAWN, piece == chess.PAWN and (end - start) % 8 == 0
    side = [
        it
        for it in chess.SquareSet(board.castling_rights)
        if board.color_at(it) == turn and (it > start) == (end > start)
    ]
    match reason.kind:
        case "no_piece":
            return piece is None
        case "not_own_piece":
            return board.color_at(start) == (not turn)
        case "moves_otherwise":
            bare = chess.Board(None)
            bare.set_piece_at(start, chess.Piece(piece or 0, turn))
            steps = {start + forward} | ({start + 2 * forward} if start // 8 == (1 if turn else 6) else set())
            return end not in (steps | set(bare.attacks(start)) if is_pawn else bare.attacks(start))
        case "own_piece":
            return board.color_at(end) == turn and pieces == 1 << end
        case "blocked":
            return pieces == board.occupied & (way | (1 << end) * is_push) != 0 and squares == way | 1 << end
        case "nothing_to_take":
            return is_pawn and not is_push and board.color_at(end) is None and board.ep_square != end
        case "takes_king":
            return end == board.king(not turn) and end in board.attacks(start)
        case "promotion":
            return (is_pawn and bool(move.promotion) != (end // 8 in {0, 7})) or (bool(move.promotion) and not is_pawn)
        case "castling_right":
            return piece == chess.KING and (end not in side if board.color_at(end) == turn else not side)
        case "castling_blocked":
            return len(side) == 1 and pieces == board.occupied & squares & ~(1 << start | 1 << side[0]) != 0
        case "castling_in_check":
            return len(side) == 1 and pieces == int(board.checkers()) != 0
        case "castling_attacked":
            [attacked] = reason.squares
            return (
                len(side) == 1
                and not board.is_check()
                and 0 != pieces & ~board.occupied_co[turn] == pieces
                and attacked // 8 == start // 8
            )
    return is_true_of_check(board, move, reason)


def is_true_of_check(board: chess.Board, move: chess.Move, reason: Reason) -> bool:
    """The same for the checks that a move does not answer or that it causes."""
    after = board.copy(stack=False)
    after.push(move)
    piece, turn, pieces = board.piece_type_at(move.from_square), board.turn, int(reason.pieces)
    attackers, checkers = int(after.attackers(not turn, after.king(turn) or 0)), int(board.checkers())
    match reason.kind:
        case "into_check":
            return piece == chess.KING and pieces == attackers != 0
        case "in_check":
            return piece != chess.KING and pieces == attackers & checkers != 0
        case "pinned":
            return piece != chess.KING and pieces == attackers != 0 and attackers & checkers == 0
    return False


def test_a_move_is_legal_or_has_one_true_reason() -> None:
    """Moves that the pieces can make, and to anywhere, of 1,000 positions; by night of 20,000. Of some, all pairs."""
    chance, seen = random.Random(22), Counter[str]()  # noqa: S311
    for number, board in enumerate(boards()):
        position = Position.from_board(board)
        legal = {text for move in board.legal_moves for text in spellings(board, move)}
        texts = {move.uci() for move in board.pseudo_legal_moves} | legal
        own = [*chess.SquareSet(board.occupied_co[board.turn])]
        starts = chess.SQUARES if number % 100 == 0 else [*chance.choices(own, k=10), chance.randrange(64)]
        for start in starts:
            ends = chess.SQUARES if number % 100 == 0 else chance.choices(chess.SQUARES, k=2)
            texts |= {chess.SQUARE_NAMES[start] + chess.SQUARE_NAMES[end] for end in ends if end != start}
        texts |= {text + "q" for text in chance.choices([*texts], k=2) if len(text) == 4}
        for text in texts:
            reason = position.why_not(text)
            seen[reason.kind if reason else "legal"] += 1
            assert (reason is None) == (text in legal), (position, text, reason)
            assert reason is None or is_true(board, chess.Move.from_uci(text), reason), (position, text, reason)
            assert reason is None or (reason.kind in KINDS and reason.sentence), (position, text, reason)
    assert {*KINDS} - {"null", "form", "ambiguous", "takes_king"} <= {*seen}, seen
    assert sum(seen.values()) > depth(60_000, 1_200_000), seen


def test_numbers_and_texts_of_legal_moves_have_no_reason() -> None:
    for fen in (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    ):
        position = Position(fen)
        legal = {int(move) for move in position.legal_moves}
        for code in range(7 << 12):
            assert (position.why_not(Move(code)) is None) == (code in legal), code
        for move in position.legal_moves:
            assert position.why_not(position.san(move)) is position.why_not(position.lan(move)) is None


SENTENCES = """
4k3/8/8/8/8/8/8/1N2KN2 w | Nd2 | ambiguous | more than one piece can make this move: the knight on b1 and the
4k3/8/8/8/8/8/8/N3K1N1 w | Nf4 | moves_otherwise | none of the knights on a1 and g1 can move to f4
4k3/8/8/8/8/8/8/N3K1N1 w | Ngf4 | moves_otherwise | the knight on g1 cannot move to f4
4k3/8/8/8/8/8/8/N3K1N1 w | N2f4 | no_piece | White has no knight on rank 2
4k3/8/8/8/2p5/3B4/8/4K3 w | bxc4 | no_piece | White has no pawn on the b-file
8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1 | exd3 | pinned | it leaves the king in check: taking en passant opens the line of
4k3/8/8/1b6/8/8/8/R3K2R w KQ | 0-0 | castling_attacked | castling is not possible: the bishop on b5 attacks f1
4k3/8/8/8/8/8/8/RN2K2R w KQ | O-O-O | castling_blocked | castling is not possible: the knight on b1 stands in the way
4k3/8/8/8/1b6/8/8/R3K2R w KQ | O-O+ | castling_in_check | castling is not possible: the bishop on b4 gives check
4k3/8/8/8/1b6/8/8/R3K2R w KQ | Ra2 | in_check | the bishop on b4 gives check, and would still
4k3/8/8/8/8/8/8/K4R2 w F | a1c1 | moves_otherwise | the king on a1 cannot move to c1
4k3/8/8/8/8/8/8/R3K2R w KQ | -- | null | it is a null move, which is never legal
"""


@pytest.mark.parametrize("line", SENTENCES.strip().splitlines())
def test_what_people_read(line: str) -> None:
    fen, text, kind, sentence = line.split(" | ")
    position = Position(fen, chess960=fen.endswith(" F"))
    reason = position.why_not(text)
    assert reason is not None
    assert reason.kind == kind
    assert reason.sentence.startswith(sentence)
    if kind != "null":
        with pytest.raises(IllegalMove, match=sentence):
            position.parse(text)
    with pytest.raises(InvalidMove, match="is not a move in UCI or SAN"):
        position.why_not("O-O-O-O")


def test_why_a_game_is_drawn() -> None:
    assert Position().why_draw() is None
    assert Position("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1").why_draw() is None  # mate
    game = Game.from_pgn("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8 *")
    positions = game.positions()
    for ply, kind in ((4, None), (8, "threefold_repetition"), (16, "fivefold_repetition")):
        reason = positions[ply].why_draw(positions[:ply])
        assert (reason and reason.kind) == kind
    bare = "8/8/4k3/8/8/3BK3/8/8 w - - {} 120"
    for fen, kind in (
        (bare.format(3), "insufficient_material"),
        ("8/8/4k3/8/8/3QK3/8/8 b - - 100 120", "fifty_moves"),
        ("8/8/4k3/8/8/3QK3/8/8 b - - 150 120", "seventyfive_moves"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
    ):
        reason = Position(fen).why_draw()
        assert reason is not None
        assert reason.kind == kind
        board = chess.Board(fen)
        assert board.is_stalemate() == (kind == "stalemate")
        assert board.is_insufficient_material() == (kind == "insufficient_material")
        assert board.can_claim_fifty_moves() == (kind in {"fifty_moves", "seventyfive_moves"})


def test_a_king_is_never_taken() -> None:
    reason = Position("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", strict=False).why_not("Rxe8")
    assert reason is not None
    assert reason.kind == "takes_king"
