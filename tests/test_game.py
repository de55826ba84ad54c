"""Games as objects: how they are made, how they end, what they hold; judged by python-chess."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import chess
import chess.pgn
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise import Game, Games, Move, Position, read_pgn
from setwise.errors import AmbiguousMove, IllegalMove, InvalidFen, InvalidGame, InvalidMove
from setwise.notation.pgn.annotations import MATE

#: Where games end soon, or must not: few pieces, much repetition, clocks near their limits.
STARTS = [
    chess.STARTING_FEN,
    "8/8/8/4k3/8/8/8/KR6 w - - 94 80",
    "8/8/8/4k3/8/8/8/KR6 b - - 145 80",
    "7k/5Q2/8/8/8/8/8/K7 w - - 98 80",
    "8/8/3k4/8/8/8/p7/K1B5 b - - 148 90",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 10",
    "4k3/8/8/8/1p6/8/P7/4K3 w - - 12 40",
    "8/8/8/8/8/k7/p7/K7 w - - 0 1",
    "8/8/8/8/8/1k6/1n6/K7 w - - 99 1",
]

THREEFOLD = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8"


def one(text: str, *, notes: bool = False) -> Game:
    """The only game of a text."""
    [games] = read_pgn(text.encode(), notes=notes)
    [game] = games
    return game


def wandering(fen: str, seed: int, plies: int, *, back: float) -> chess.Board:
    """A random game in which pieces often go back to where they came from."""
    board, chance = chess.Board(fen), random.Random(seed)  # noqa: S311
    while len(board.move_stack) < plies and (moves := list(board.legal_moves)):
        move = chance.choice(moves)
        if len(board.move_stack) > 1 and chance.random() < back:
            last = board.move_stack[-2]
            undone = chess.Move(last.to_square, last.from_square)
            move = undone if undone in board.legal_moves else move
        board.push(move)
    return board


# ---------------------------------------------------------------------------------------------------------------- ends


@pytest.mark.parametrize("fen", STARTS)
@pytest.mark.parametrize("seed", range(2))
def test_games_end_where_python_chess_ends_them(fen: str, seed: int) -> None:
    played = wandering(fen, seed, 24, back=0.9)
    game, board = Game.from_board(played), chess.Board(fen)
    for ply, move in enumerate([*played.move_stack, None]):
        for claim_draw in (False, True):
            ours, theirs = game.outcome(ply, claim_draw=claim_draw), board.outcome(claim_draw=claim_draw)
            if theirs is None:
                assert ours is None
                continue
            winner = theirs.winner if theirs.winner is None else chess.COLOR_NAMES[theirs.winner]
            assert ours is not None
            assert (ours.termination.name, ours.winner) == (theirs.termination.name, winner)
            assert ours.result == theirs.result()
        for count in (2, 3, 5):
            assert game.is_repetition(count, ply) == board.is_repetition(count)
        assert game.is_threefold_repetition(ply) == board.is_repetition(3)
        assert game.is_fivefold_repetition(ply) == board.is_fivefold_repetition()
        assert game.is_fifty_moves(ply) == board.is_fifty_moves()
        assert game.is_seventyfive_moves(ply) == board.is_seventyfive_moves()
        assert game.can_claim_fifty_moves(ply) == board.can_claim_fifty_moves()
        assert game.can_claim_threefold_repetition(ply) == board.can_claim_threefold_repetition()
        assert game.can_claim_draw(ply) == board.can_claim_draw()
        if move:
            board.push(move)
    assert game.outcome() == game.outcome(len(game.moves))


def test_the_fifth_repetition_ends_a_game() -> None:
    game = Game(moves=THREEFOLD.split() * 2)
    assert [game.repetitions(ply) for ply in range(0, 17, 4)] == [1, 2, 3, 4, 5]
    assert (game.result, game.outcome(15), game.is_fivefold_repetition()) == ("1/2-1/2", None, True)
    assert Game(moves=THREEFOLD.split()).result == "*"


def test_lost_rights_and_captures_make_another_position() -> None:
    rooks = "Ra2 Ra7 Ra1 Ra8".split()
    game = Game(moves=rooks, position=Position("r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1"))
    assert not game.is_repetition(2)
    assert Game(moves=rooks, position=Position("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1")).is_repetition(2)
    kings = "Kd1 Kd8 Ke1 Ke8".split()
    capturable = Position("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1").play("e4")
    pinned = Position("4k3/8/8/8/3p4/8/4P3/3RK3 w - - 0 1")
    assert Game(moves=["Kd8", "Kd1", "Ke8", "Ke1"], position=capturable).repetitions() == 1
    assert Game(moves=["e4", *kings[1:2], "Rc1", "Ke8", "Rd1"], position=pinned).repetitions() == 1


def test_plies_outside_the_game_are_refused() -> None:
    for ply in (-1, 2):
        with pytest.raises(IndexError, match="plies of this game are 0 to 1"):
            Game(moves=["e4"]).outcome(ply)


# ------------------------------------------------------------------------------------------------------------- by hand


def test_moves_may_come_in_any_form() -> None:
    start = Position()
    forms = [start.parse("e4"), int(start.parse("e4")), "e4", "e2e4", chess.Move.from_uci("e2e4")]
    assert {Game(moves=[form]) for form in forms} == {Game(moves=["e4"])}
    assert all(isinstance(move, Move) for form in forms for move in Game(moves=[form]).moves)


@pytest.mark.parametrize(
    ("moves", "kind", "message"),
    [
        (["e4", "e5", "Ke3"], IllegalMove, r"ply 3 \(2\.\): 'Ke3' in 'rnbqkbnr/.* the king on e1 cannot move to e3"),
        (["e4", "Ke6"], IllegalMove, r"ply 2 \(1\.\.\.\): 'Ke6'"),
        (["d4", "d5", "Nf3", "a6", "Nd2"], AmbiguousMove, r"ply 5 \(3\.\): 'Nd2' .* more than one piece"),
        (["e4", "castle"], InvalidMove, r"ply 2 \(1\.\.\.\): 'castle' is not a move"),
        (["e2e4", "e2e4"], IllegalMove, r"ply 2 \(1\.\.\.\): 'e2e4'"),
        ([Move(0)], IllegalMove, r"ply 1 \(1\.\): a1a1 .* is not legal"),
    ],
)
def test_a_refused_move_is_named_with_its_ply(moves: list, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        Game(moves=moves)
    with pytest.raises(kind, match=message):
        Game(moves=moves[:-1]).play(moves[-1])


def test_a_game_knows_how_it_ended_on_the_board() -> None:
    mate = Game(moves="f3 e5 g4 Qh4".split())
    assert (mate.result, mate.tags["Result"], mate.end().is_checkmate()) == ("0-1", "0-1", True)
    assert Game({"Result": "1-0"}, ["e4"]).result == "1-0"
    assert Game({"Result": "1-0"}, ["e4"], result="1/2-1/2").tags["Result"] == "1/2-1/2"
    assert Game({"Result": "*"}, "f3 e5 g4 Qh4".split()).result == "0-1"
    assert Game(moves="f3 e5 g4 Qh4".split(), result="*").result == "*"


def test_games_do_not_change_but_grow_into_others() -> None:
    game = Game({"White": "A"}, ["e4"], result="1-0")
    longer = game.play("e5", "symmetry", nags=[10, 3])
    assert (len(game.moves), game.result, dict(game.comments)) == (1, "1-0", {})
    assert (len(longer.moves), longer.result, dict(longer.comments)) == (2, "*", {2: "symmetry"})
    assert dict(longer.nags) == {2: (3, 10)}
    assert longer.tags["White"] == "A"
    assert longer.positions()[:2] == game.positions()
    for change in ("tags", "comments", "nags"):
        with pytest.raises(TypeError):
            getattr(longer, change)[0] = "x"
    with pytest.raises(AttributeError):
        game.moves = ()
    shuffled = Game()
    for move in THREEFOLD.split() * 2:
        assert shuffled.result == "*"
        shuffled = shuffled.play(move)
    assert shuffled == Game(moves=THREEFOLD.split() * 2)


def test_replacing_keeps_everything_else() -> None:
    game = Game({"Site": "Paris"}, "f3 e5 g4 Qh4".split(), comments={1: "odd", 4: "mate"}, nags={4: 3})
    assert game.replace() == game
    assert game.replace(tags={**game.tags, "Site": "Rome"}).tags["Site"] == "Rome"
    assert game.replace(tags={"Result": "1-0"}).result == "1-0"
    assert game.replace(tags={}).result == "0-1"
    shorter = game.replace(moves=game.moves[:2])
    assert (shorter.result, dict(shorter.comments), dict(shorter.nags)) == ("*", {1: "odd"}, {})
    assert shorter.replace(result="1/2-1/2", comments={}).comments == {}
    other = Position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    moved = game.replace(position=other, moves=["O-O"])
    assert (moved.tags["FEN"], moved.sans()) == (other.fen(), ["O-O"])
    assert "FEN" not in moved.replace(position=Position(), moves=[]).tags


def test_tags_stand_in_the_standard_s_order() -> None:
    tags = Game({"White": "A", "ECO": "C20", "Annotator": "B", "Event": "E", "WhiteElo": 2800}).tags
    assert list(tags) == "Event Site Date Round White Black Result Annotator ECO WhiteElo".split()
    assert (tags["Date"], tags["Black"], tags["WhiteElo"]) == ("????.??.??", "?", "2800")


def test_the_starting_position_and_its_tags_tell_the_same() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"
    by_position, by_tag = Game(position=Position(fen)), Game({"FEN": fen, "SetUp": "1"})
    assert by_position == by_tag
    assert by_position.tags["SetUp"] == "1"
    assert "FEN" not in Game(position=Position()).tags
    with pytest.raises(InvalidGame, match="not the position that was passed"):
        Game({"FEN": fen}, position=Position())
    with pytest.raises(InvalidFen):
        Game({"FEN": "8/8 w"})
    passed = Position().play("e4")
    assert Game({"FEN": passed.fen()}, position=passed) == Game(position=passed)
    with pytest.raises(InvalidFen):
        Game(position=Position("8/8/8/8/8/8/8/K7 w - - 0 1", strict=False), result="*")


def test_chess960_games_say_so() -> None:
    fen = "nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBhb - 0 1"
    game = Game(moves=["Ng3", "Ng6", "O-O"], position=Position(fen, chess960=True))
    assert (game.tags["Variant"], game.tags["SetUp"]) == ("Chess960", "1")
    assert game.to_board().fen() == game.end().fen()
    assert Game({"Variant": "Chess960"}).position.chess960
    assert one(game.pgn()) == game
    untold = one(f'[FEN "{fen}"]\n\n1. Ng3 Ng6 2. O-O *')
    assert untold.position.chess960
    assert untold.end() == game.end()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tags": {"": "x"}}, "is not a name of a tag"),
        ({"tags": {"two words": "x"}}, "is not a name of a tag"),
        ({"tags": {"9x": "x"}}, "is not a name of a tag"),
        ({"tags": {"Event": "a\nb"}}, "line break"),
        ({"tags": {"Event": "\ud800"}}, "half of a letter"),
        ({"tags": {"Event": "\0"}}, "a NUL or half of a letter"),
        ({"comments": {1: "\0"}}, "a NUL or half of a letter"),
        ({"tags": {"Variant": "Atomic"}}, "'Atomic' has other rules"),
        ({"tags": {"Result": "2-0"}}, "a result is one of"),
        ({"result": "draw"}, "a result is one of"),
        ({"comments": {2: "x"}}, "comments stand behind the plies 0 to 1, not '2'"),
        ({"comments": {1: "\udfff"}}, "half of a letter"),
        ({"nags": {0: 1}}, "NAGs stand behind the plies 1 to 1"),
        ({"nags": {1: 256}}, "NAGs are numbers from 1 to 255"),
        ({"nags": {1: [0, 3]}}, "NAGs are numbers from 1 to 255"),
    ],
)
def test_what_no_pgn_can_hold_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidGame, match=message):
        Game(**{"moves": ["e4"]} | arguments)


@pytest.mark.parametrize("nags", [True, [True], [1.0], 1.0, None, "1", "", ["1"], [None], [[1]]])
def test_nags_of_a_wrong_type_are_refused(nags: Any) -> None:
    with pytest.raises(TypeError, match="NAGs are numbers from 1 to 255, not "):
        Game(moves=["e4"], nags={1: nags})
    with pytest.raises(TypeError, match="NAGs are numbers from 1 to 255, not "):
        Game().play("e4", nags=nags)


@pytest.mark.parametrize("comment", [5, None, b"x", ["x"]])
def test_comments_of_a_wrong_type_are_refused(comment: Any) -> None:
    with pytest.raises(TypeError, match="a comment is a text, not "):
        Game(moves=["e4"], comments={1: comment})
    with pytest.raises(TypeError, match="a comment is a text, not "):
        Game().play("e4", comment)


def test_nags_may_be_any_whole_numbers() -> None:
    for nags in (np.uint8(3), [np.int64(3)], np.array([3, 3], np.uint8), 3, iter([3])):
        game = Game(moves=["e4"], nags={1: nags})
        assert game.nags == {1: (3,)}
        assert type(game.nags[1][0]) is int
        assert game.pgn().endswith("1. e4 $3 *")


def test_games_compare_hash_copy_and_pickle() -> None:
    game = Game({"White": "A"}, ["e4"], comments={1: "x"}, nags={1: 1})
    assert copy.copy(game) is copy.deepcopy(game) is game
    assert pickle.loads(pickle.dumps(game)) == game
    assert hash(pickle.loads(pickle.dumps(game))) == hash(game)
    assert len({game, Game({"White": "A"}, ["e4"], comments={1: "x"}, nags={1: 1}), Game(moves=["e4"])}) == 2
    assert game != "game"
    assert repr(game) == "<Game A - ?, *, 1 plies>"


# ---------------------------------------------------------------------------------------------------- from the columns


def test_games_of_a_batch_are_those_of_python_chess() -> None:
    others = games_of(FAMOUS_GAMES.read_text())
    for games in read_pgn(FAMOUS_GAMES, notes=True):
        assert len(list(games)) == len(games)
        for game in games:
            theirs = next(others)
            assert game.tags == dict(theirs.headers)
            assert game.result == theirs.headers["Result"]
            nodes = list(theirs.mainline())
            assert [move.uci() for move in game.moves] == [node.move.uci() for node in nodes]
            assert game.sans() == [node.san() for node in nodes]
            assert [position.fen() for position in game.positions()[1:]] == [node.board().fen() for node in nodes]
            assert dict(game.nags) == {ply: tuple(sorted(node.nags)) for ply, node in enumerate(nodes, 1) if node.nags}
            comments = enumerate([theirs.comment, *(node.comment for node in nodes)])
            assert dict(game.comments) == {ply: text for ply, text in comments if text}
            assert game.to_board() == theirs.end().board()
    assert next(others, None) is None


def test_batches_are_indexed_and_sliced_like_lists() -> None:
    games = next(read_pgn(FAMOUS_GAMES, notes=True))
    everything = list(games)
    assert games[-1] == everything[-1]
    for number in (len(games), -len(games) - 1):
        with pytest.raises(IndexError, match=f"has {len(games)} games"):
            games[number]
    for cut in (slice(3), slice(5, 9), slice(-4, None), slice(7, 2)):
        part = games[cut]
        assert isinstance(part, Games)
        assert list(part) == everything[cut]
        assert part.tag("White").to_pylist() == games.tag("White").to_pylist()[cut]
        assert len(part.positions()) == sum(len(game.moves) + 1 for game in everything[cut])
    assert games[5:9].first == 6
    assert list(games[5:9][1:3]) == everything[6:8]
    with pytest.raises(ValueError, match="step 2"):
        games[::2]


def test_the_tag_tells_the_result_unless_it_says_nothing() -> None:
    for tag, ending, result in [
        ("1-0", "1-0", "1-0"),
        ("*", "0-1", "0-1"),
        ("0-1", "*", "0-1"),
        ("1-0", "0-1", "1-0"),
        ("1/2", "1/2-1/2", "1/2-1/2"),
    ]:
        assert one(f'[Result "{tag}"]\n\n1. e4 {ending}').result == result
    assert one("1. e4 1-0").tags["Result"] == "1-0"


def test_a_broken_game_ends_where_the_reader_stopped() -> None:
    assert one("1. e4 e5 2. Ke3 Nc6 1-0").sans() == ["e4", "e5"]
    assert one('[Variant "Atomic"]\n\n1. e4 e5 *').moves == ()
    assert one('[FEN "nonsense"]\n\n1. e4 e5 *').tags["FEN"] == "nonsense"


def test_comments_are_kept_only_when_asked_for() -> None:
    text = '[Event "x"]\n\n{ before } 1. e4 $1 {a} (1. d4 {no} d5) { b } e5 ; not this\n {c\nd} {} 2. Nf3 {}\n*'
    assert dict(one(text, notes=True).comments) == {0: "before", 1: "a b", 2: "c\nd"}
    assert dict(one(text, notes=True).nags) == {1: (1,)}
    assert not one(text).comments
    assert dict(one('[A "b"] {only this} *', notes=True).comments) == {0: "only this"}
    assert dict(one("; this {not} 1. d4\n{x}{y} 1. e4 {z", notes=True).comments)[0] == "x y"
    assert dict(one("1. e4 {caf\u00e9} *", notes=True).comments) == {1: "caf\u00e9"}
    [latin] = read_pgn("1. e4 {caf\u00e9} *".encode("latin-1"), notes=True)
    assert dict(latin[0].comments) == {1: "caf\u00e9"}


def test_all_glyphs_are_kept_and_written_as_numbers() -> None:
    game = one("1. e4!? $14 {x} $1 e5 $14 $14 ?? (1... c5!) 2. Nf3 $0 $300 *", notes=True)
    assert dict(game.nags) == {1: (1, 5, 14), 2: (4, 14)}
    assert game.pgn().endswith("\n\n1. e4 $1 $5 $14 { x } 1... e5 $4 $14 2. Nf3 *")
    assert one(game.pgn(), notes=True) == game == game.replace()
    assert not one(game.pgn()).nags


numbers = st.integers(0, 99).map(str)
annotations = st.one_of(
    st.builds("[%clk {}:{}:{}]".format, numbers, numbers, st.sampled_from("0 07 59 3.5 12.".split())),
    st.builds("[%emt {}:{}:{}]".format, numbers, numbers, numbers),
    st.builds("[%eval {}]".format, st.sampled_from("0.17 -3 +.5 12.34,20 #3 #-12 #0 #-0 1.234 x -0.005 00.7".split())),
    st.text(max_size=8),
)


@given(st.lists(annotations, max_size=4).map(" ".join))
def test_clocks_and_evaluations_are_python_chess_s(text: str) -> None:
    game = Game(moves=["e4", "e5"], comments={1: text})
    node = chess.pgn.Game().add_variation(chess.Move.from_uci("e2e4"), comment=game.comments.get(1, ""))
    score = node.eval()
    assert game.clocks == [node.clock(), None]
    assert game.elapsed == [node.emt(), None]
    assert game.evaluations == [score and score.white().score(mate_score=MATE), None]


def test_columns_of_notes_are_null_where_nothing_is_said() -> None:
    text = b"1. e4 { [%eval 0.00] [%clk 0:00:00] } e5 { [%eval -0.5] } 2. d4 { [%emt 0:0:7] } *"
    [games] = read_pgn(text, notes=True)
    assert games.evaluations().to_pylist() == [0, -50, None]
    assert games.clocks().to_pylist() == [0, None, None]
    assert games.elapsed().to_pylist() == [None, None, 7]


def test_numbers_too_long_for_a_clock_are_none() -> None:
    game = Game(moves=["e4"], comments={1: f"[%clk {'9' * 5000}:00:00] [%eval #{'9' * 5000}]"})
    assert (game.clocks, game.evaluations) == ([None], [None])
