"""King of the Hill and Three-check, judged by python-chess and by published perft."""

from __future__ import annotations

import io
import pickle
import random
import re
from pathlib import Path

import chess
import chess.pgn
import chess.variant
import pytest

import setwise
from helpers.processes import python
from setwise import Game, Position, VariantPosition
from setwise.errors import IllegalMove, InvalidFen, InvalidGame, QueryError
from setwise.game.games import Games
from setwise.rules.status import Termination
from setwise.rules.variants import VARIANTS, variant_of_tag

BOARDS = {variant.name: getattr(chess.variant, variant.board) for variant in VARIANTS}
#: From python-chess's and shakmaty's test suites: the numbers of moves by depth.
PERFT = {
    ("Three-check", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 1+1 0 1"): (48, 2039, 97848),
    ("Three-check", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 1+1 0 1"): (26, 562, 13410),
    ("King of the Hill", "8/5k2/1pp2p2/8/3P1PP1/P3K3/1P6/8 b - - 0 1"): (10, 120, 1000, 12460, 104314),
}


def playout(name: str, seed: int, plies: int = 160) -> chess.Board:
    """A random game that prefers checks and steps of the king, so that the variant's own ends come."""
    chance, board = random.Random(seed), BOARDS[name]()  # noqa: S311
    while len(board.move_stack) < plies and (legal := list(board.legal_moves)):
        wanted = [
            move for move in legal if board.gives_check(move) or board.piece_type_at(move.from_square) == chess.KING
        ]
        board.push(chance.choice(wanted if wanted and chance.random() < 0.4 else legal))
        if board.is_insufficient_material():
            break
    return board


def agree(position: VariantPosition, board: chess.Board, chance: random.Random) -> None:
    assert position.fen() == board.fen()
    assert {move.uci() for move in position.legal_moves} == {move.uci() for move in board.legal_moves}
    some = list(board.legal_moves)
    for move in chance.sample(some, min(len(some), 5)):
        assert position.san(move.uci()) == board.san(move)
        assert position.parse(board.san(move)).uci() == move.uci()
        assert position.is_legal(move.uci())
    assert position.is_check() == board.is_check()
    assert position.is_stalemate() == board.is_stalemate()
    assert position.is_insufficient_material() == board.is_insufficient_material()
    for white in (True, False):
        assert position.has_insufficient_material(white=white) == board.has_insufficient_material(white)
    ours, theirs = position.outcome(), board.outcome()
    if theirs and theirs.termination in {chess.Termination.FIVEFOLD_REPETITION, chess.Termination.SEVENTYFIVE_MOVES}:
        return
    assert (ours is None) == (theirs is None)
    if ours and theirs:
        assert ours.result == theirs.result()
        by_variant = theirs.termination in {chess.Termination.VARIANT_WIN, chess.Termination.VARIANT_LOSS}
        assert (ours.termination is Termination.VARIANT) == by_variant
    assert VariantPosition(position.variant, position.fen("fen")) == position
    assert VariantPosition.from_board(board) == position
    assert position.to_board().fen() == board.fen()


@pytest.mark.parametrize("name", BOARDS)
def test_random_games_are_those_of_python_chess(name: str) -> None:
    ends, chance = 0, random.Random(1)  # noqa: S311
    for seed in range(25):
        played = playout(name, seed)
        board, position = BOARDS[name](), VariantPosition(name)
        for move in played.move_stack:
            agree(position, board, chance)
            board.push(move)
            position = position.play(move.uci())
        agree(position, board, chance)
        ends += board.is_variant_end()
    assert ends >= 5


@pytest.mark.parametrize(("start", "counts"), PERFT.items(), ids=lambda value: str(value)[:40])
def test_the_numbers_of_moves_are_those_published(start: tuple[str, str], counts: tuple[int, ...]) -> None:
    position = VariantPosition(*start)
    for depth, count in enumerate(counts, start=1):
        if count < 20_000:
            assert position.perft(depth) == count
    assert sum(position.perft_divide(3).values()) == counts[2]


@pytest.mark.parametrize("name", BOARDS)
def test_games_go_into_pgn_and_come_back(name: str) -> None:
    for seed in range(12):
        board = playout(name, seed)
        game = chess.pgn.Game.from_board(board)
        game.headers["Result"] = "*"
        text = str(game)
        assert f'[Variant "{name}"]' in text
        ours = Game.from_pgn(text)
        assert [move.uci() for move in ours.moves] == [move.uci() for move in board.move_stack]
        assert ours.end().fen() == board.fen()
        assert ours.end().variant == name
        again = Game.from_pgn(ours.pgn())
        assert again == ours
        rebuilt = Game(tags={"Variant": name}, moves=ours.moves)
        outcome = board.outcome()
        if outcome and outcome.termination.name.startswith("VARIANT"):
            assert rebuilt.result == outcome.result()
        assert Game.from_board(board).moves == ours.moves
        assert ours.to_board().fen() == board.fen()
        their = chess.pgn.read_game(io.StringIO(ours.pgn()))
        assert their is not None
        assert not their.errors
        assert their.end().board().fen() == board.fen()


CHECKS = "1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 4. Qf3+ Ke8 5. Qf7#"


def batch(text: str) -> Games:
    [games] = setwise.read_pgn(text.encode())
    return games


def test_no_move_is_read_after_the_end() -> None:
    hill = "1. e4 a6 2. Ke2 a5 3. Kd3 a4 4. Kd4 a3 5. Nf3"
    for variant, moves, plies, token in (
        ("King of the Hill", hill, 7, "a3"),
        ("Three-check", f"{CHECKS} Kxf7", 9, "Kxf7"),
    ):
        games = batch(f'[Variant "{variant}"]\n\n{moves} *\n')
        assert len(games.moves) == plies
        [fault] = games.faults()
        assert fault.token == token
        assert "ended" in fault.reason
        with pytest.raises(InvalidGame, match="ended"):
            Game.from_pgn(f'[Variant "{variant}"]\n\n{moves} *\n')
        with pytest.raises(IllegalMove, match="has won by the rules of"):
            games[0].end().play(token)


def test_games_of_variants_are_read_and_those_with_other_moves_are_faults() -> None:
    games = batch('[Variant "Three-check"]\n\n1. e4 *\n\n[Variant "Atomic"]\n\n1. e4 *\n\n[White "A"]\n\n1. e4 e5 *\n')
    assert [len(game.moves) for game in games] == [1, 0, 2]
    assert [fault.token for fault in games.faults()] == ["Atomic"]
    assert [type(game.position) for game in games] == [VariantPosition, Position, Position]
    assert len(games.positions()) == 6


def games_by_python_chess(name: str, count: int) -> list[tuple[str, list[tuple[int, int]]]]:
    """Random games as PGN, with the checks that White and Black have given before each position."""
    boards = [playout(name, seed) for seed in range(count)]
    if name == "Three-check":  # one whose FEN says that checks have been given
        boards.append(chess.variant.ThreeCheckBoard("4k3/8/8/8/8/8/8/R3K2R w KQ - 2+1 0 1"))
        for move in ("a1a8", "e8d7", "h1h7"):
            boards[-1].push_uci(move)
    games = []
    for board in boards:
        replayed = chess.variant.ThreeCheckBoard(board.root().fen().replace("w KQkq - 0", "w KQkq - 3+3 0"))
        counts = [
            (0, 0) if name != "Three-check" else (3 - replayed.remaining_checks[1], 3 - replayed.remaining_checks[0])
        ]
        for move in board.move_stack:
            replayed.push(move)
            white, black = counts[-1]
            counts.append(
                (white + (replayed.is_check() and not replayed.turn), black + (replayed.is_check() and replayed.turn))
            )
        game = chess.pgn.Game.from_board(board)
        game.headers["Result"] = "*"
        games.append((str(game), counts))
    return games


def test_columns_of_checks_given_are_those_of_python_chess(tmp_path: Path) -> None:
    """In games of variants and of standard chess, in conditions, SQL, windows and scans of the column."""
    games = [game for name in BOARDS for game in games_by_python_chess(name, 8)]
    standard = '[Variant "King of the Hill"]\n'
    games += [(text.replace(standard, ""), counts) for text, counts in games if standard in text]
    path = tmp_path / "variants.pgn"
    path.write_text("\n\n".join(text for text, _ in games) + "\n", "utf-8")
    counts = [(*given, ply % 2 == 0) for _, of_game in games for ply, given in enumerate(of_game)]
    columns = "white_checks_given, black_checks_given, own_checks_given, enemy_checks_given"
    rows = setwise.sql(f"select {columns} from positions order by game, ply", path)  # noqa: S608
    assert list(zip(*rows.to_pydict().values(), strict=True)) == [
        (white, black, *((white, black) if whites else (black, white))) for white, black, whites in counts
    ]
    two = sum(white == 2 for white, _, _ in counts)
    assert setwise.find("white_checks_given = 2", path).num_rows == two > 0
    given = setwise.find("next(white_checks_given) > white_checks_given", path)
    assert given.num_rows == setwise.find("gives_check and white_to_move", path).num_rows > 0
    setwise.scan(path, tmp_path / "scan", features=["white_checks_given"])
    assert setwise.find("white_checks_given = 2", tmp_path / "scan").num_rows == two
    with pytest.raises(QueryError, match="black_checks_given"):
        setwise.find("black_checks_given = 2", tmp_path / "scan")


def test_matches_as_pgn_keep_the_checks_given(tmp_path: Path) -> None:
    """From PGN, and from a scan of games with the usual start."""
    path, written = tmp_path / "games.pgn", tmp_path / "matches.pgn"
    games = [text for text, _ in games_by_python_chess("Three-check", 6)]
    path.write_text("\n\n".join(games[:-1]) + "\n", "utf-8")
    setwise.scan(path, tmp_path / "scan")
    expected = [
        before.board().fen()
        for text in games[:-1]
        for before in chess.pgn.read_game(io.StringIO(text)).mainline()  # type: ignore[union-attr]
        if before.parent.board().gives_check(before.move)
    ]
    for source in (path, tmp_path / "scan"):
        python("-m", "setwise", "find", "gives_check", source, "--pgn", "positions", "-o", written)
        read = []
        with written.open() as file:
            while (game := chess.pgn.read_game(file)) is not None:
                assert not game.errors
                read.append(game.next().board().fen())
        assert read == expected


def test_games_of_all_variants_come_out_of_a_scan(tmp_path: Path) -> None:
    path, written = tmp_path / "games.pgn", tmp_path / "matches.pgn"
    path.write_text(
        '[White "A"]\n[Variant "Atomic"]\n\n1. e4 e5 *\n\n'
        '[White "B"]\n[Variant "koth"]\n[FEN "4k3/8/8/8/8/4K3/8/8 w - - 0 1"]\n\n1. Ke4 *\n\n'
        '[White "C"]\n[Variant "3check"]\n[FEN "4k3/8/8/8/8/8/8/R3K3 w - - 0 1 +2+0"]\n\n1. Ra8# *\n\n'
        '[White "D"]\n\n1. e4 e5 *\n'
    )
    setwise.scan(path, tmp_path / "scan")
    python("-m", "setwise", "find", "ply = 0", tmp_path / "scan", "--pgn", "positions", "-o", written)
    [games] = setwise.read_pgn(written)
    assert [(game.tags["White"], game.tags.get("Variant"), len(game.moves)) for game in games] == [
        ("A", "Atomic", 0), ("B", "koth", 1), ("C", None, 1), ("D", None, 2)
    ]  # fmt: skip


def test_positions_without_games_have_no_checks_given() -> None:
    with pytest.raises(QueryError, match="checks_given"):
        setwise.find("white_checks_given = 0", Position("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"))


@pytest.mark.parametrize("checks", ["- 2+1 4 9", "- 4 9 +1+2"])
@pytest.mark.parametrize("tags", ['[FEN "{}"]\n[Variant "{}"]', '[Variant "{1}"]\n[FEN "{0}"]'])
def test_checks_are_read_from_both_forms_of_a_fen(checks: str, tags: str) -> None:
    fen = f"4k3/8/8/8/8/8/8/R3K3 w Q {checks}"
    position = VariantPosition("three check", fen)
    assert (position.white_checks_given, position.black_checks_given) == (1, 2)
    assert position.fen() == "4k3/8/8/8/8/8/8/R3K3 w Q - 2+1 4 9"
    game = Game.from_pgn(tags.format(fen, "Three-check") + "\n\n9. Ra8+ Kd7 10. Rd8+ *\n")
    assert game.position == position
    assert game.end().outcome() == (Termination.VARIANT, "white")
    assert game.sans() == ["Ra8+", "Kd7", "Rd8#"]
    assert Game.from_pgn(game.pgn()) == game
    for variant in ("King of the Hill", "Standard"):
        with pytest.raises(InvalidGame, match="FEN"):
            Game.from_pgn(tags.format(fen, variant) + "\n\n9. Ra8+ *\n")


@pytest.mark.parametrize(
    "checks", ["- 4+1 0 1", "- 0+0 0 1", "- 0 1 +3+3", "- 0 1 3+3", "3+3 - 0 1", "- + 0 1", "- 0 1 +a+0", "- 2+14 9"]
)
def test_other_forms_of_checks_are_refused(checks: str) -> None:
    fen = f"4k3/8/8/8/8/8/8/R3K3 w Q {checks}"
    with pytest.raises(InvalidFen):
        VariantPosition("Three-check", fen)
    with pytest.raises(InvalidGame, match="FEN"):
        Game.from_pgn(f'[Variant "Three-check"]\n[FEN "{fen}"]\n\n1. Ra2 *\n')


def test_a_variant_position_is_another_position_than_that_of_chess() -> None:
    hill, check, plain = VariantPosition("KotH"), VariantPosition("3check"), Position()
    assert len({hill, check, plain}) == 3
    assert hill != plain != check
    given = VariantPosition("Three-check", "4k3/8/8/8/8/8/8/4K2R w K - 2+3 0 1")
    assert given != VariantPosition("Three-check", "4k3/8/8/8/8/8/8/4K2R w K - 3+3 0 1")
    assert given.mirror().black_checks_given == 1
    assert given.mirror().mirror() == given
    for position in (hill, check, given):
        assert pickle.loads(pickle.dumps(position)) == position
        assert eval(repr(position), {"VariantPosition": VariantPosition}) == position  # noqa: S307
    with pytest.raises(TypeError, match="follow standard chess"):
        setwise.Positions.from_positions([plain, hill])
    with pytest.raises(ValueError, match="there are King of the Hill, Three-check"):
        VariantPosition("Atomic")
    for build in (VariantPosition.from_words, VariantPosition.chess960_start, VariantPosition.from_epd):
        with pytest.raises(TypeError, match="VariantPosition"):
            build(())  # type: ignore[arg-type]


def test_a_repetition_repeats_the_checks_given() -> None:
    game = Game({"Variant": "Three-check"}, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8".split())
    assert game.is_threefold_repetition()
    start = VariantPosition("Three-check", "4k3/8/8/8/8/8/8/R3K3 w - - 3+3 0 1")
    shown = Game(moves="Ra8+ Kd7 Ra1 Ke8".split(), position=start)
    assert shown.tags["Variant"] == "Three-check"
    assert shown.repetitions() == 1


def test_the_tag_and_the_position_agree() -> None:
    with pytest.raises(InvalidGame, match="the position is of standard chess"):
        Game({"Variant": "Three-check"}, position=Position("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"))
    game = Game({"Variant": "Three-check"}, ["e4"]).replace(
        position=Position("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), moves=()
    )
    assert "Variant" not in game.tags


def test_every_variant_has_its_own_spellings_and_stands_on_the_page() -> None:
    page = (Path(__file__).parents[1] / "docs" / "variants.md").read_text("utf-8")
    for variant in VARIANTS:
        assert all(variant_of_tag(spelling.upper()) is variant for spelling in (variant.name, *variant.spellings))
        assert all(variant_of_tag(alias) is variant for alias in BOARDS[variant.name].aliases)
        assert re.search(rf"\b{variant.name}\b", page)
    assert variant_of_tag("Chess960") is variant_of_tag("Atomic") is variant_of_tag("") is None
