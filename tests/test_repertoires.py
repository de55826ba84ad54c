"""Repertoires: ``within`` and ``leaves`` against python-chess's trees, over every source, and files of the page."""

from __future__ import annotations

import functools
import io
import json
import os
import random
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess
import chess.pgn
import click
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import setwise
from doors import ways
from doors.oracle import At
from doors.questions import PLACE, Find
from doors.sources import Source
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.depth import NIGHT, depth
from helpers.python_chess import games_of
from setwise.cli.app import run
from setwise.corpus.language import names
from setwise.errors import QueryError, SourceError

EXAMPLE = ROOT / "examples" / "repertoire.pgn"
#: A source of each kind.
ONE_OF_EACH = {"folder", "packed", "index", "scan", "csv with moves", "parquet of positions", "list of FENs"}
#: What makes two positions the same.
Identity = tuple[str, bool, int, int | None]


def identity(board: chess.Board) -> Identity:
    passed = board.ep_square if board.has_pseudo_legal_en_passant() else None
    return board.board_fen(), board.turn, board.clean_castling_rights(), passed


def identities(node: chess.pgn.GameNode, board: chess.Board | None = None) -> set[Identity]:
    """The positions of a game, or of what follows a node of it, and of all variations."""
    board = node.board() if board is None else board
    found = {identity(board)}
    for child in node.variations:
        board.push(child.move)
        found |= identities(child, board)
        board.pop()
    return found


def line(game: chess.pgn.Game) -> Iterator[Identity]:
    """The positions of a game, without variations."""
    board = game.board()
    yield identity(board)
    for move in game.mainline_moves():
        board.push(move)
        yield identity(board)


def lines(games: Iterable[chess.pgn.Game]) -> list[list[Identity]]:
    return [list(line(game)) for game in games]


def leaving(line: list[Identity], inside: set[Identity]) -> list[int]:
    """The first ply that is not inside after one that is."""
    return [ply for ply in range(1, len(line)) if line[ply - 1] in inside and line[ply] not in inside][:1]


def tree_of(games: Iterable[tuple[chess.pgn.Game, int]]) -> chess.pgn.Game:
    """One game whose variations, within each other, are the first plies of games that begin at the start."""
    root = chess.pgn.Game()
    for game, plies in games:
        node: chess.pgn.GameNode = root
        for move in list(game.mainline_moves())[:plies]:
            node = node.variation(move) if node.has_variation(move) else node.add_variation(move)
    return root


def rows(table: object) -> list[tuple[int, int]]:
    return [(it["game"], it["ply"]) for it in table.select(["game", "ply"]).to_pylist()]  # type: ignore[attr-defined]


def written(place: Path, *games: chess.pgn.Game) -> Path:
    place.write_text("\n\n".join(map(str, games)) + "\n", "utf-8")
    return place


def expected(games: list[list[Identity]], inside: set[Identity]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The places of the positions within the repertoire, and of those with which games leave it."""
    within = [(n, ply) for n, line in enumerate(games, 1) for ply, it in enumerate(line) if it in inside]
    return within, [(n, ply) for n, line in enumerate(games, 1) for ply in leaving(line, inside)]


def answers(repertoire: Path | str, source: object) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    asked = [f"{function}('{repertoire}')" for function in ("within", "leaves")]
    within, leaves = (
        rows(setwise.find(it, source, columns=["game", "ply"], files=repertoire))  # type: ignore[arg-type]
        for it in asked
    )
    return within, leaves


@functools.cache
def famous() -> list[chess.pgn.Game]:
    return list(games_of(FAMOUS_GAMES.read_text("utf-8")))


@functools.cache
def famous_lines() -> list[list[Identity]]:
    return lines(famous())


# ------------------------------------------------------------------------------------------------ the same as the twin


def test_a_tree_of_other_games_is_that_of_python_chess(shared_data: Path, tmp_path: Path) -> None:
    text = (shared_data / "pgn" / "twic1599.pgn").read_text("utf-8")
    source = io.StringIO(text)
    games = [game for _ in range(240) if (game := chess.pgn.read_game(source)) is not None]
    whole = [it for it in games if not it.errors]
    choice = random.Random(22)  # noqa: S311  (a sample)
    trees = [tree_of((it, choice.randrange(4, 24)) for it in whole[::3]), *whole[1:40:13]]
    repertoire = written(tmp_path / "repertoire.pgn", *trees)
    assert len(trees[0].variations) > 3
    assert str(trees[0]).count("(") > 40
    inside = set[Identity]().union(*map(identities, trees))
    played = written(tmp_path / "games.pgn", *whole)
    within, leaves = expected(lines(whole), inside)
    assert answers(repertoire, played) == (within, leaves)
    assert 100 < len(leaves) < len(whole)
    assert len(within) > 1500


def test_every_source_answers_like_python_chess(sources_of_doors: dict[str, Source], tmp_path: Path) -> None:
    """Also as packed games, an index and a scan; a list of FENs has no moves, so it can only say what is within."""
    made = {name: it for name, it in sources_of_doors.items() if NIGHT or name in ONE_OF_EACH}
    read = [chess.pgn.read_game(io.StringIO(path.read_text("utf-8"))) for path in sorted(_door_games())]
    tree = tree_of((game, 9 + number) for number, game in enumerate(read) if game is not None)
    repertoire = written(tmp_path / "repertoire.pgn", tree)
    inside = identities(tree)

    def leaves(at: At) -> bool:
        return at.ply in leaving([identity(it.board) for it in at.game.at], inside)

    questions = [
        Find(f"within('{repertoire}')", lambda at: identity(at.board) in inside),
        Find(f"leaves('{repertoire}')", leaves, frozenset({PLACE})),
        Find(f"within('{repertoire}') and white_to_move", lambda at: identity(at.board) in inside and at.white),
    ]
    assert len(made) >= len(ONE_OF_EACH)
    for source in made.values():
        with names.Repertoires(repertoire).named():  # as the page has it
            ways.check(((it, ways.by_find(it, source)) for it in questions), source)
        ways.check(ways.by_statements(questions, source, functools.partial(_sql, source.given, repertoire)), source)


def _sql(given: object, repertoire: Path, statement: str) -> object:
    return setwise.sql(statement, given, files=[repertoire])  # type: ignore[arg-type]


def _door_games() -> Iterator[Path]:
    yield from (ROOT / "tests" / "doors" / "games").glob("*.pgn")


def test_a_repertoire_may_be_any_source(tmp_path: Path) -> None:
    right = answers(EXAMPLE, FAMOUS_GAMES)
    assert right == expected(famous_lines(), identities(next(games_of(EXAMPLE.read_text("utf-8")))))
    packed, index = tmp_path / "packed.parquet", tmp_path / "games.index"
    setwise.pack(EXAMPLE, packed)
    setwise.index(EXAMPLE, index)
    fens = tmp_path / "positions.epd"
    every = setwise.find("true", EXAMPLE, columns="fen", variations=True)["fen"].to_pylist()
    fens.write_text("\n".join(every) + "\n")
    assert len(set(every)) > 50
    for repertoire in (packed, index, fens):
        assert answers(repertoire, FAMOUS_GAMES) == right, repertoire
    setwise.pack(FAMOUS_GAMES, tmp_path / "famous.parquet")
    setwise.index(FAMOUS_GAMES, tmp_path / "famous.index")
    setwise.scan(FAMOUS_GAMES, tmp_path / "famous")
    for source in ("famous.parquet", "famous.index", "famous"):
        assert answers(EXAMPLE, tmp_path / source) == right, source


# --------------------------------------------------------------------------------------------------------------- laws

some_lines = st.lists(st.tuples(st.integers(0, 28), st.integers(0, 20)), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("repertoires")


@settings(max_examples=depth(6, 500))
@given(some_lines, some_lines)
def test_a_game_leaves_at_most_once_and_a_larger_repertoire_holds_more(
    folder: Path, few: list[tuple[int, int]], more: list[tuple[int, int]]
) -> None:
    def of(chosen: list[tuple[int, int]], name: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        tree = tree_of((famous()[number], plies) for number, plies in chosen)
        found = answers(written(folder / name, tree), FAMOUS_GAMES)
        assert found == expected(famous_lines(), identities(tree))
        return found

    (within, leaves), (wider, _) = of(few, "few.pgn"), of([*few, *more], "more.pgn")
    assert {*within} <= {*wider}
    assert len({game for game, _ in leaves}) == len(leaves)
    assert {(game, ply - 1) for game, ply in leaves} <= {*within}
    assert not {*leaves} & {*within}


def test_a_game_of_the_repertoire_never_leaves(folder: Path) -> None:
    within, leaves = answers(FAMOUS_GAMES, FAMOUS_GAMES)
    assert len(within) == sum(map(len, famous_lines()))
    assert leaves == []
    line = chess.pgn.Game()
    line.add_line(list(famous()[0].mainline_moves())[:6])
    shorter = written(folder / "line.pgn", line)
    assert answers(shorter, b"1. e4 e5 2. Nf3 d6 *")[1] == []
    assert answers(shorter, FAMOUS_GAMES)[1][0] == (1, 7)


def test_other_moves_to_the_same_position_and_variations_of_the_games_count(folder: Path) -> None:
    french = folder / "french.pgn"
    french.write_text("1. e4 e6 2. d4 d5 3. Nc3 *\n")
    games = b"1. d4 e6 2. e4 d5 3. Nc3 Nf6 *\n\n1. e4 e6 (1... d5 2. exd5) 2. d4 d5 3. Nd2 *\n"
    within, leaves = answers(french, games)
    assert within == [(1, 0), (1, 3), (1, 4), (1, 5), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4)]
    assert leaves == [(1, 1), (2, 5)]
    for_good = "within('french.pgn') and not later(within('french.pgn'))"
    assert rows(setwise.find(for_good, games, files=french)) == [(1, 5), (2, 4)]
    columns = ["game", "ply", "line"]
    lines = setwise.find("leaves('french.pgn')", games, files=[french], columns=columns, variations=True).to_pylist()
    assert [(it["game"], it["ply"], it["line"]) for it in lines] == [(1, 1, 0), (2, 5, 0), (2, 2, 1)]


def test_the_move_that_left_and_whether_there_was_another(folder: Path) -> None:
    book = folder / "book.pgn"
    book.write_text("1. e4 e5 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 *\n")
    games = b"1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n\n1. e4 e5 2. Nf3 d6 3. d4 exd4 *\n\n1. e4 c5 *\n"
    left = "next(leaves('book.pgn'))"
    columns = ["game", "san", "white_to_move"]
    assert [tuple(it.values()) for it in setwise.find(left, games, columns=columns, files=[book]).to_pylist()] == [
        (1, "Bc4", True), (2, "exd4", False), (3, "c5", False)
    ]  # fmt: skip
    another = setwise.find(f"{left} and can(within('book.pgn'))", games, columns="game", files=[book])
    assert another["game"].to_pylist() == [1, 3]
    counted = f"select count(*) n from positions where {left} and not can(within('book.pgn'))"
    assert setwise.sql(counted, games, files=[book])["n"].to_pylist() == [1]
    leaving = "select ply, leaves('book.pgn') out from positions where game = 1"
    values = setwise.sql(leaving, games, files=[book]).to_pylist()
    assert [it["out"] for it in values] == [False] * 5 + [True]


# -------------------------------------------------------------------------------------------------- options, the shell


def test_the_options_keep_what_the_repertoire_has(capsys: pytest.CaptureFixture[str]) -> None:
    games, book = str(FAMOUS_GAMES), str(EXAMPLE)
    where = f"within('{book}') and ply >= 6"
    assert run(["find", where, games, "--count", "--repertoire", book]) == 0
    right = capsys.readouterr().out
    assert int(right) > 10
    for arguments in (["ply >= 6", games], [games, "--player", "a"], [games]):
        assert run(["find", *arguments, "--within", book, "--count"]) == 0
        assert (capsys.readouterr().out == right) == (arguments == ["ply >= 6", games])
    assert run(["find", games, "--within", book, "--like", "8/8/8/8/8/5N2/8/8", "--count"]) == 0
    both = int(capsys.readouterr().out)
    alike = "within('repertoire.pgn') and sub_fen('8/8/8/8/8/5N2/8/8')"
    assert both == setwise.find(alike, FAMOUS_GAMES, files=[book]).num_rows


@pytest.mark.parametrize("by", ["move", "position"])
def test_a_tree_has_the_moves_that_the_repertoire_has(by: str, tmp_path: Path) -> None:
    setwise.index(FAMOUS_GAMES, tmp_path / "games.index")
    fewer = 0
    for moves in ("", "1. e4", "1. e4 e5 2. Nf3", "1. d4 e6"):
        board = chess.Board()
        for san in moves.replace("1. ", "").replace("2. ", "").split():
            board.push_san(san)
        inside = identities(next(games_of(EXAMPLE.read_text("utf-8"))))
        kept = set()
        for move in board.legal_moves:
            board.push(move)
            if identity(board) in inside:
                kept.add(move.uci())
            board.pop()
        whole = setwise.tree(moves, FAMOUS_GAMES, by=by).to_pylist()  # type: ignore[arg-type]
        right = [it for it in whole if it["move"] in kept]
        fewer += len(right) < len(whole)
        for source in (FAMOUS_GAMES, tmp_path / "games.index"):
            for where in (None, "ply >= 0"):
                tree = setwise.tree(moves, source, by=by, within=EXAMPLE, where=where)  # type: ignore[arg-type]
                assert tree.to_pylist() == right, (moves, source)
    assert fewer >= 2
    assert setwise.tree("1. h4", tmp_path / "games.index", within=EXAMPLE).num_rows == 0


def test_conditions_complete_functions_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from setwise.cli.options import conditions

    monkeypatch.chdir(tmp_path)
    (tmp_path / "white.pgn").touch()
    (tmp_path / "whites").mkdir()
    offered = functools.partial(conditions, None, None)  # type: ignore[arg-type]
    assert offered("ply > 3 and lea") == ["ply > 3 and leaves("]
    assert "within(" in offered("with")
    assert offered("leaves('wh") == ["leaves('white.pgn')", "leaves('whites/"]
    assert offered("is_check and within('none") == []
    context = click.Context(click.Command("find"))
    context.params["repertoire"] = ("lines/white.pgn", "black.pgn")
    assert conditions(context, None, "leaves('li") == ["leaves('lines/white.pgn')"]  # type: ignore[arg-type]
    assert conditions(context, None, "leaves('wh") == ["leaves('white.pgn')"]  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------------- wrong input


def test_what_is_no_repertoire_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.pgn").write_text("")
    for name in ("white.pgn", "old/white.pgn", "new/white.pgn", "old/black.pgn", "new/black.pgn"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(EXAMPLE.read_bytes())
    files = ["empty.pgn", "white.pgn", "old/white.pgn", "old/black.pgn", "new/black.pgn"]
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    wrong: dict[str, str] = {
        "within('new/white.pgn')": "'new/white.pgn' is not among the repertoires: write --repertoire 'new/white.pgn'",
        "leaves('black.pgn')": "black.pgn may be old/black.pgn or new/black.pgn: write its path",
        "leaves('empty.pgn')": "empty.pgn",
        f"within('{fen}')": "a FEN is no file: key = position_key",
        "leaves('-')": "within and leaves take the name of a file of games",
        "leaves('')": "within and leaves take the name of a file of games",
        "leaves(fen)": "leaves takes the name of a file of games as a literal, as leaves\\('repertoire.pgn'\\)",
        "within('a.pgn', 'b.pgn')": "within takes the name of a file of games as a literal",
        "within(3)": "within takes the name of a file of games as a literal",
        '"within(x)"': "there is no column",
        "\"within('white.pgn')\"": "there is no column",
        "either_colour(within('white.pgn'))": "either_colour cannot turn a repertoire",
        "either_wing(leaves('white.pgn'))": "either_wing cannot turn a repertoire",
        "can(leaves('white.pgn'))": "can asks of the position that a legal move leads to",
        "within('white.pgn') = 3": "never matches: it is true or false",
    }
    for where, message in wrong.items():
        with pytest.raises((QueryError, SourceError), match=message) as raised:
            setwise.find(where, FAMOUS_GAMES, files=files)
        assert "\n" not in str(raised.value)
    for name in ("white.pgn", "old/white.pgn"):
        assert setwise.find(f"leaves('{name}')", FAMOUS_GAMES, files=files).num_rows == 41
    fens = b"4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/8/3K4 w - -\n"
    with pytest.raises(QueryError, match=r"leaves is for setwise.sql and setwise.find|looks along games"):
        setwise.find("leaves('white.pgn')", fens, files=files)
    with pytest.raises(SourceError, match=r"the repertoire '.*none.pgn' is not there"):
        setwise.tree("1. e4", FAMOUS_GAMES, within=tmp_path / "none.pgn")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes and no /dev")
def test_a_repertoire_is_a_regular_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.pgn")
    wrong = {
        "/dev/zero": "a device or a pipe", str(tmp_path / "pipe.pgn"): "a device or a pipe", str(tmp_path): "a folder",
        "s3://bucket/white.pgn": "an address", "https://example.com/white.pgn": "an address", "none.pgn": "not there",
        "-": "not there", "a\0b": "not there",
    }  # fmt: skip
    for name, reason in wrong.items():
        for ask in (setwise.find, setwise.sql, setwise.similar, setwise.tree):
            with pytest.raises(SourceError, match=f"the repertoire '.*' is {reason}"):
                ask("", FAMOUS_GAMES, files=[EXAMPLE, name])
        with pytest.raises(SourceError, match=reason):
            setwise.connect(FAMOUS_GAMES, files=name)
        with pytest.raises(SourceError, match=reason):
            next(setwise.batches(FAMOUS_GAMES, files=name))
        with pytest.raises(SourceError, match=reason):
            setwise.tree("", FAMOUS_GAMES, within=name)
    assert run(["find", "ply = 0", str(FAMOUS_GAMES), "--repertoire", "/dev/zero"]) != 0
    assert capsys.readouterr().err == "setwise: the repertoire '/dev/zero' is a device or a pipe, not a file\n"
    assert run(["find", "within('/etc/passwd')", str(FAMOUS_GAMES), "-c"]) != 0
    assert "write --repertoire '/etc/passwd'" in capsys.readouterr().err


def test_a_repertoire_is_named_through_every_door() -> None:
    """By the name of its file, or by its path as given; each question has its own."""
    where, files = "within('repertoire.pgn') and ply > 4", [EXAMPLE]
    matches = setwise.find(where, FAMOUS_GAMES, files=files, columns=["game", "ply", "within('repertoire.pgn')"])
    assert matches.schema.names[-1] == f"within('{EXAMPLE}')"
    assert matches[-1].unique().to_pylist() == [True]
    assert setwise.find("ply = 0", FAMOUS_GAMES, files=EXAMPLE, order_by="within('repertoire.pgn'), ply").num_rows
    with setwise.connect(FAMOUS_GAMES, files=files) as database:
        counted = "select count(*) from positions where ply > 4 and within('repertoire.pgn', key)"
        assert database.sql(counted).fetchall() == [(matches.num_rows,)]
        for call in ("within('other.pgn', key)", "within('repertoire.pgn')"):
            with pytest.raises(duckdb.Error, match=r"not among the repertoires|write within\('white.pgn', key\)"):
                database.sql(f"select {call} from positions").fetchall()
    assert sum(len(it["ply"]) for it in setwise.batches(FAMOUS_GAMES, "ply", where=where, files=files)) == len(matches)
    near = setwise.similar("1. e4", FAMOUS_GAMES, where=where, files=files, n=1000)
    assert len(near) == len(matches["game"].unique())
    assert setwise.tree("1. e4", FAMOUS_GAMES, where="within('repertoire.pgn')", files=files).num_rows > 4
    with pytest.raises(QueryError, match="not among the repertoires"):
        setwise.find(where, FAMOUS_GAMES)
    named = f"\"within('{EXAMPLE}')\""  # the column that an earlier question has
    assert setwise.find("can(within('repertoire.pgn'))", FAMOUS_GAMES, files=files).num_rows > 100
    for again in (named, f"can({named})", f"not can({named})"):
        with pytest.raises(QueryError, match="there is no column"):
            setwise.find(again, FAMOUS_GAMES)
    with pytest.raises(QueryError, match="not among the repertoires"):
        setwise.find("true", FAMOUS_GAMES, columns=["ply", f"within('{EXAMPLE}')"])


def test_a_file_whose_columns_are_named_like_calls_reaches_no_file(tmp_path: Path) -> None:
    path = tmp_path / "of a stranger.parquet"
    columns = ["within('/etc/passwd')", "leaves('/etc/passwd')", "tag('x')"]
    pq.write_table(pa.table({"fen": [chess.STARTING_FEN], **{name: [7] for name in columns}}), path)
    row = setwise.find("true", path).to_pylist()[0]
    assert [row[name] for name in columns] == [7, 7, 7]


def test_a_line_that_breaks_off_is_reported_and_holds_up_to_there(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pgn"
    broken.write_text("1. e4 e5 2. Ke3 *\n\n1. d4 *\n")
    with pytest.warns(UserWarning, match="a line of the repertoire breaks off: .*broken.pgn, line 1, game 1: 'Ke3'"):
        within, leaves = answers(broken, b"1. e4 e5 2. Ke2 *")
    assert (within, leaves) == ([(1, 0), (1, 1), (1, 2)], [(1, 3)])


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    book = tmp_path / "it's mine.pgn"
    book.write_text("1. e4 *\n")
    where, files = names.condition_within(book), [book, EXAMPLE]
    assert setwise.find(where, b"1. e4 e5 *", files=files).num_rows == 2
    book.write_text("1. e4 e5 2. Nf3 *\n")
    assert setwise.find(where, b"1. e4 e5 *", files=files).num_rows == 3
    assert setwise.find(f"{where} and not leaves('{EXAMPLE}')", b"1. e4 e5 *", files=files).num_rows == 3
    named = setwise.find("ply = 2", b"1. e4 e5 *", columns=["ply", where], files=files)
    assert named.to_pylist() == [{"ply": 2, where: True}]


def test_a_question_keeps_its_repertoires_while_it_is_answered(tmp_path: Path) -> None:
    """Those of other questions do not push them out, and files of one name in two folders are two."""
    books = [tmp_path / f"{number}" / "book.pgn" for number in range(12)]
    moves = ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5")
    for number, book in enumerate(books):
        book.parent.mkdir()
        book.write_text(" ".join(moves[:number]) + " *\n")
    game = " ".join(moves).encode() + b" *"
    count = "select count(*) from positions where within('book.pgn', key)"
    with setwise.connect(game, files=books[3]) as database:
        assert database.sql(count).fetchall() == [(4,)]
        answers = [setwise.find("within('book.pgn')", game, files=book).num_rows for book in books]
        assert answers == list(range(1, 13))
        assert database.sql(count).fetchall() == [(4,)]
    counts = ", ".join(f"count_if(within('{book}'))" for book in books)
    assert [*setwise.sql(f"select {counts} from positions", game, files=books).to_pylist()[0].values()] == answers


# ---------------------------------------------------------------------------------------------------------- the page


def test_questions_inside_a_workbench_name_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its processes allow the files of the workbench once, for all questions."""
    other = tmp_path / "other.pgn"
    other.write_bytes(EXAMPLE.read_bytes())
    right = answers(EXAMPLE, FAMOUS_GAMES)
    with names.Repertoires([FAMOUS_GAMES, EXAMPLE], "start this workbench with it, too").named():
        for name in (str(EXAMPLE), "repertoire.pgn"):
            found = (rows(setwise.find(f"{it}('{name}')", FAMOUS_GAMES)) for it in ("within", "leaves"))
            assert tuple(found) == right
        monkeypatch.chdir(EXAMPLE.parent)
        for name in (str(other), "other.pgn", "/etc/passwd", f"{EXAMPLE}/../repertoire.pgn", "*.pgn", "."):
            for where in (f"within('{name}')", f"not leaves('{name}')", f"can(within('{name}'))"):
                with pytest.raises(QueryError, match="start this workbench with it, too"):
                    setwise.find(where, FAMOUS_GAMES)
        with pytest.raises(QueryError, match="start this workbench with it, too"):
            setwise.find("ply = 0", FAMOUS_GAMES, columns=[f"within('{other}')"])


@pytest.mark.slow
def test_the_page_refuses_other_files(tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="the workbench needs the extra web")
    pytest.importorskip("httpx2", reason="Starlette's test client needs httpx2")
    from starlette.testclient import TestClient

    from setwise.web.limits import ServerLimits
    from setwise.web.server import application

    other = tmp_path / "other.pgn"
    other.write_bytes(EXAMPLE.read_bytes())
    app = application([str(FAMOUS_GAMES), str(EXAMPLE)], limits=ServerLimits(answer_processes=1))
    refusal = "start this workbench with it, too"
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:

        def last(task: str, **arguments: object) -> dict[str, object]:
            lines = client.post(f"/api/search/{task}", json=arguments).text.splitlines()
            told: dict[str, object] = json.loads(lines[-1])
            return told

        done = last("find", where="leaves('repertoire.pgn')", source=0)
        assert done["matches"] == setwise.find("leaves('repertoire.pgn')", FAMOUS_GAMES, files=EXAMPLE).num_rows
        for task, name in (("find", "where"), ("sql", "statement"), ("games", "where"), ("tree", "where")):
            condition = f"within('{other}')"
            text = f"select 1 from positions where {condition}" if task == "sql" else condition
            fields = {"fen": chess.STARTING_FEN} if task == "tree" else {}
            told = last(task, **{name: text}, **fields)
            assert told["type"] == "error", task
        assert refusal in str(last("find", where=f"leaves('{other}')")["error"])
        assert refusal in str(last("sql", statement=f"select leaves('{other}') from positions")["error"])
        answer = client.post("/api/ask/understand", json={"text": f"leaves('{other}')"})
        assert str(other) in answer.text or refusal in answer.text


def test_the_example_has_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert setwise.find("leaves('repertoire.pgn')", FAMOUS_GAMES, files=EXAMPLE).num_rows > 10
