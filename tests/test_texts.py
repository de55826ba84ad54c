"""Texts of games: duplicates left out, sorted, split, merged."""

from __future__ import annotations

import io
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import DATA
from helpers.game_texts import (
    EXAMPLES,
    GAMES,
    collections,
    deduped,
    merged,
    moves_of,
    ordered,
    split_by_tags,
    texts_in,
    written_games,
)
from helpers.programs import needed
from helpers.python_chess import games_of
from setwise.archives import zstd
from setwise.corpus.pgnfiles.duplicates import KEEP, LISTED, Keep
from setwise.corpus.pgnfiles.texts import _file_name
from setwise.errors import OutputError, QueryError, SourceError
from setwise.system import sorted_runs as runs


def compared(game: chess.pgn.Game, by: Iterable[str]) -> tuple[object, ...]:
    """What makes two games equal, as python-chess reads them."""
    names = [re.sub(r"[^\w]|_", "", game.headers.get(tag, "\1").lower()) for tag in ("White", "Black")]
    told = {"moves": None, "players": tuple(names), "date": game.headers.get("Date")}
    return game.board().fen(), [move.uci() for move in game.mainline_moves()], *(told[name] for name in by)


# ----------------------------------------------------------------------------------------------------------- duplicates


def test_a_doubled_file_becomes_itself() -> None:
    for keep in KEEP:
        assert deduped([GAMES, GAMES], keep=keep).rstrip() == GAMES.rstrip()


@EXAMPLES
@given(st.lists(written_games().map(lambda text: text.decode("latin-1").encode("ascii", "ignore")), max_size=8))
def test_python_chess_finds_the_same_duplicates(games: list[bytes]) -> None:
    text = b"".join(games)
    # It would read the variations, too, and mind what is wrong in them.
    read = [next(games_of(re.sub(r"\(.*?\)", "", game.decode()))) for game in games]
    for by in (["players"], ["moves"], ["players", "date"]):
        first: dict[object, bytes] = {}
        for game, own in zip(read, games, strict=True):
            says_too_little = game.errors or not game.variations
            what = own.rstrip().splitlines() if says_too_little else compared(game, by)
            first.setdefault(str(what), own.rstrip())
        assert [it.rstrip() for it in split_by_tags(deduped(text, by=by))] == list(first.values())


@EXAMPLES
@given(collections)
def test_deduping_again_changes_nothing(sources: list[bytes]) -> None:
    for keep in KEEP:
        once = deduped(sources, keep=keep)
        assert deduped(once, keep=keep) == once


@EXAMPLES
@given(collections)
def test_all_duplicates_together_are_one_game(sources: list[bytes]) -> None:
    """What is listed and what is kept are all games; whatever is kept for another is kept."""
    for keep in KEEP:
        found = setwise.duplicates(sources, keep=keep)
        assert found.schema == LISTED
        gone = set(zip(found["source"].to_pylist(), found["game"].to_pylist(), strict=True))
        if len(sources) == 1:
            kept = set(zip(found["kept_source"].to_pylist(), found["kept_game"].to_pylist(), strict=True))
            assert not gone & kept
        done = setwise.dedupe(sources, io.BytesIO(), keep=keep)
        assert done.duplicates == found.num_rows
        assert len(split_by_tags(deduped(sources, keep=keep))) == done.kept


@pytest.mark.parametrize("keep", KEEP)
def test_equal_games_are_found_across_the_tables_in_which_they_are_compared(
    monkeypatch: pytest.MonkeyPatch, keep: Keep
) -> None:
    """The first of equal games is kept, even where each row is a table of its own."""
    asked = [(name, move) for name in ("A", "a.", "B") for move in ("e4", "d4")] * 3
    games = [f'[White "{name}"]\n\n1. {move} e5 *'.encode() for name, move in asked]
    same = [(name.strip(".").lower(), move) for name, move in asked]
    expected = [(row, same.index(it)) for row, it in enumerate(same) if same.index(it) < row]
    for size in (1 << 18, 300, 1):
        monkeypatch.setattr(runs, "_BATCH", size)
        found = setwise.duplicates(games, keep=keep)
        numbers = [
            [int(name.removeprefix("<bytes>") or 1) - 1 for name in found[column].to_pylist()]
            for column in ("source", "kept_source")
        ]
        assert list(zip(*numbers, strict=True)) == expected


@EXAMPLES
@given(collections)
def test_the_longest_game_begins_with_all_that_go_for_it(sources: list[bytes]) -> None:
    text = b"".join(sources)
    games = [game for batch in setwise.read_pgn(text) for game in batch]
    faults = {fault.game for batch in setwise.read_pgn(text) for fault in batch.faults()}
    found = setwise.duplicates(text, keep="longest").to_pylist()
    gone = {row["game"]: row["kept_game"] for row in found}
    lines = [[move.uci() for move in game.moves] for game in games]
    names = [re.sub("[^a-zé]", "", game.tags["White"].lower()) for game in games]
    whole = [bool(line) and number not in faults for number, line in enumerate(lines, start=1)]
    for number, kept in gone.items():
        assert lines[kept - 1][: len(lines[number - 1])] == lines[number - 1]
        assert names[kept - 1] == names[number - 1]
    stay = [number for number in range(1, len(games) + 1) if number not in gone and whole[number - 1]]
    for number in stay:
        assert not any(
            other != number
            and names[other - 1] == names[number - 1]
            and lines[other - 1][: len(lines[number - 1])] == lines[number - 1]
            for other in stay
        )


def test_the_best_annotated_game_stays() -> None:
    plain, nag, long = (f'[White "A"] 1. e4 {note} e5 *'.encode() for note in ("", "$1", "{ long and good }"))
    for order in ([plain, nag, long], [long, plain, nag], [nag, long, plain]):
        assert deduped(order, keep="best-annotated").strip() == long
        assert deduped(order).strip() == order[0]


def test_a_start_is_compared_and_its_name_is_not() -> None:
    usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    other = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w Qkq - 0 1"
    games = [b"1. e4 *", *(f'[FEN "{fen}"]\n\n1. e4 *'.encode() for fen in (usual, other))]
    for keep in KEEP:
        found = setwise.duplicates(games, keep=keep).to_pylist()
        assert [row["kept_game"] for row in found] == [1]
        assert deduped(games, keep=keep).count(b"1. e4 *") == 2


def test_games_without_moves_and_broken_ones_are_compared_whole() -> None:
    forfeits = [f'[White "A"]\n[Date "{year}.01.01"]\n\n1-0'.encode() for year in (2001, 2002, 2001)]
    broken = [b'[White "A"]\n\n1. e4 e5 2. Ke3 *', b'[White "A"]\n\n1. e4 e5 2. Kf6 *', b'[White "A"]\n\n1. e4 e5 *']
    for keep in KEEP:
        assert len(texts_in(deduped(forfeits, keep=keep))) == 2
        assert len(texts_in(deduped(broken, keep=keep))) == 3
        assert len(texts_in(deduped([*broken, *broken], keep=keep))) == 3


def pgn_extract(*arguments: str | Path) -> bytes:
    return subprocess.run([needed("pgn-extract"), "-s", *arguments], capture_output=True, check=True).stdout


def test_pgn_extract_leaves_the_same_games(tmp_path: Path) -> None:
    source = tmp_path / "x.pgn"
    short = re.sub(rb" \S+ (\S+)\n\n", rb" \1\n\n", GAMES)  # without its last move
    source.write_bytes(GAMES + short + GAMES[: GAMES.rindex(b"[Event")] + short)
    # It takes all games without moves for one.
    ours = [line for line in moves_of(deduped(source, by="moves")) if line]
    theirs = [line for line in moves_of(pgn_extract("-D", source)) if line]
    assert ours == theirs
    assert len(ours) > 60


# ------------------------------------------------------------------------------------------------ sort, split and merge


@EXAMPLES
@given(collections)
def test_merging_keeps_every_text(sources: list[bytes]) -> None:
    expected = [game.rstrip() for source in sources for game in split_by_tags(source)]
    found = merged(sources)
    assert [game.rstrip() for game in split_by_tags(found)] == expected
    assert merged(found) == found


@EXAMPLES
@given(collections, st.sampled_from(["date", "white_elo desc", "white_name, plies desc", "tag('Event')", "result"]))
def test_sorting_is_a_stable_permutation(sources: list[bytes], by: str) -> None:
    found = ordered(sources, by)
    games = split_by_tags(merged(sources))
    assert Counter(split_by_tags(found)) == Counter(games)
    assert ordered(found, by) == found
    if by == "date":
        dates = [re.search(rb'Date "(.*?)"', game)[1] for game in games]
        assert split_by_tags(found) == [
            game for _, game in sorted(zip(dates, games, strict=True), key=lambda it: it[0])
        ]
    if by == "white_elo desc":
        elos = [int(elo[1]) if (elo := re.search(rb'WhiteElo "(\d+)"', game)) else -1 for game in games]
        assert split_by_tags(found) == [
            game for _, game in sorted(zip(elos, games, strict=True), key=lambda it: -it[0])
        ]


@EXAMPLES
@given(collections, st.integers(1, 4))
def test_what_is_split_every_so_many_merges_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, sources: list[bytes], every: int
) -> None:
    folder = tmp_path_factory.mktemp("split") / "parts"
    done = setwise.split(sources, folder, every=every)
    files = sorted(folder.iterdir())
    assert len(files) == done.files == -(-done.games // every)
    assert merged(map(str, files)) == merged(sources)
    assert all(len(split_by_tags(file.read_bytes())) == every for file in files[:-1])


@EXAMPLES
@given(collections, st.sampled_from(["white_name", "year", "tag('Event')", "white_elo"]))
def test_what_is_split_by_a_column_merges_to_what_is_sorted_by_it(
    tmp_path_factory: pytest.TempPathFactory, sources: list[bytes], by: str
) -> None:
    folder = tmp_path_factory.mktemp("split") / "parts"
    setwise.split(sources, folder, by=by)
    files = list(folder.iterdir())
    together = merged(map(str, files)) if files else b""
    assert Counter(split_by_tags(together)) == Counter(split_by_tags(merged(sources)))
    for file in files:
        values = setwise.sql("select distinct white_name n, year y, white_elo e from games", file.read_bytes())
        if by in {"white_name", "year", "white_elo"}:
            assert len(set(values[{"white_name": "n", "year": "y", "white_elo": "e"}[by]].to_pylist())) == 1


def test_files_are_named_by_values() -> None:
    values = ["B90", "1/2-1/2", "Carlsen, Magnus", None, "", "..", "con", "Ćirić", "a" * 500, "C:\\x?"]
    names = [_file_name(value) for value in values]
    assert names[:4] == ["B90", "1%2F2-1%2F2", "Carlsen, Magnus", "unknown"]
    assert all(re.fullmatch(r"[^/\\:*?\"<>|\0]{1,200}", name) and name.strip(".") for name in names)
    assert len(set(names)) == len(names)


def test_names_that_differ_in_capitals_have_files_of_their_own(tmp_path: Path) -> None:
    done = setwise.split(
        b'[White "tal"] 1. e4 * [White "Tal"] 1. d4 * [White "TAL"] 1. c4 *', tmp_path / "x", by="white_name"
    )
    names = [file.name for file in (tmp_path / "x").iterdir()]
    assert done.files == 3 == len({name.casefold() for name in names})


def test_games_without_tags_stay_apart() -> None:
    assert moves_of(merged([b"1. e4 e5", b"1. d4", b"1. c4 *", b"1. f4 *"])) == [
        ("e2e4", "e7e5"),
        ("d2d4",),
        ("c2c4",),
        ("f2f4",),
    ]
    assert moves_of(merged([b"1. e4 {open", b"1. d4 *"]))[-1] == ("d2d4",)
    assert merged([b"1. e4 *", b"1. d4 1/2"]) == b"1. e4 *\n\n1. d4 1/2\n\n"


@pytest.mark.parametrize("name", ["latin1.pgn", "windows.pgn"])
def test_bytes_are_kept(name: str) -> None:
    text = (DATA / name).read_bytes().removeprefix(b"\xef\xbb\xbf")
    assert merged(text).rstrip() == deduped(text, by="moves").rstrip() == text.rstrip()


def test_all_kinds_of_sources_are_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    packed = zstd.compress(GAMES)
    (tmp_path / "in" / "a.pgn.zst").write_bytes(packed)
    (tmp_path / "in" / "b.pgn").write_bytes(GAMES)
    for source in (
        tmp_path / "in",
        str(tmp_path / "in" / "*"),
        [io.BytesIO(packed), GAMES],
        [io.BytesIO(GAMES), packed],
    ):
        assert deduped(source).rstrip() == GAMES.rstrip()
    done = setwise.dedupe(tmp_path / "in", tmp_path / "out.pgn.zst")
    assert (done.games, done.duplicates) == (82, 41)
    assert deduped(tmp_path / "out.pgn.zst").rstrip() == GAMES.rstrip()


def test_nothing_comes_of_nothing(tmp_path: Path) -> None:
    for text in (b"", b"\n\n"):
        assert deduped(text) == merged(text) == ordered(text, "date") == b""
        assert setwise.duplicates(text).num_rows == 0
    assert setwise.split(b"", tmp_path / "x", by="eco") == (0, 0)
    assert list((tmp_path / "x").iterdir()) == []


def test_a_file_may_be_written_over_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_bytes(GAMES * 2)
    setwise.dedupe(path, path)
    assert path.read_bytes().rstrip() == GAMES.rstrip()


@pytest.mark.parametrize("write", [setwise.merge, lambda *given: setwise.sort(*given, "date")])
def test_an_output_is_not_among_the_files_of_a_folder(write, tmp_path: Path) -> None:
    for name in ("a.pgn", "b.pgn"):
        (tmp_path / name).write_bytes(GAMES)
    out = tmp_path / "m.pgn"
    assert write(tmp_path, out) == 82
    held = out.read_bytes()
    for sources in (tmp_path, str(tmp_path / "*.pgn"), [GAMES, tmp_path], iter([out, tmp_path])):
        with pytest.raises(OutputError, match=r"m\.pgn is a source, and would be written at the same time"):
            write(sources, out)
    assert out.read_bytes() == held
    assert write(out, out) == 82
    assert write([out, tmp_path / "a.pgn"], out) == 123  # who names it appends
    assert setwise.dedupe(tmp_path, out).kept == 41  # nothing is there twice after that


def test_what_others_have_left_beside_is_theirs(tmp_path: Path) -> None:
    (tmp_path / "m.pgn.part").write_bytes(b"mine")
    assert setwise.merge(GAMES, tmp_path / "m.pgn") == 41
    (tmp_path / "by.part").mkdir()
    (tmp_path / "by.part" / "mine").write_bytes(b"mine")
    assert setwise.split(GAMES, tmp_path / "by", every=41).files == 1
    with pytest.raises(SourceError):
        setwise.split([GAMES, b"no games"], tmp_path / "other", every=41)
    assert (tmp_path / "m.pgn.part").read_bytes() == (tmp_path / "by.part" / "mine").read_bytes() == b"mine"
    assert {path.name for path in tmp_path.iterdir()} == {"m.pgn", "m.pgn.part", "by", "by.part"}


@pytest.mark.parametrize("folder", [".", "", "../here", "link"])
def test_games_are_split_into_an_empty_folder_that_is_there(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    if folder == "link":
        folder = str(tmp_path / "link")
        Path(folder).symlink_to(here)
    with pytest.raises(SourceError):
        setwise.split([GAMES, b"no games"], folder, by="result")
    assert list(here.iterdir()) == []
    assert setwise.split(GAMES, folder, by="result") == (41, 3)
    assert {path.suffix for path in Path().iterdir()} == {".pgn"}
    with pytest.raises(OutputError, match="is there already"):
        setwise.split(GAMES, folder, by="result")


class Bits(io.RawIOBase):
    """A file that takes a few bytes at once, as raw ones may."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        self.taken += bytes(data[:1000])
        return min(len(data), 1000)


def test_a_raw_file_gets_all_of_it() -> None:
    file = Bits()
    setwise.merge([GAMES, b"1. e4", b"1. d4 *"], file)
    assert bytes(file.taken) == merged([GAMES, b"1. e4", b"1. d4 *"])


def test_a_file_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_bytes(GAMES)

    def grow(*_: int) -> None:
        with path.open("ab") as file:
            file.write(b'\n[Event "x"]\n\n1. e4 *\n')

    with pytest.raises(SourceError, match="changed while"):
        setwise.dedupe(path, tmp_path / "out.pgn", on_batch=grow)
    assert [file.name for file in tmp_path.iterdir()] == ["x.pgn"]


def test_what_cannot_be_read_to_its_end_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn.zst"
    path.write_bytes(zstd.compress(GAMES)[:-40])
    for done in (
        lambda: setwise.dedupe(path, tmp_path / "out.pgn"),
        lambda: setwise.merge([GAMES, str(path)], tmp_path / "out.pgn"),
        lambda: setwise.sort(path, tmp_path / "out.pgn", "date"),
        lambda: setwise.split(path, tmp_path / "out", by="date"),
    ):
        with pytest.raises(SourceError, match="cannot be read beyond"):
            done()
        assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_more_than_the_memory_holds_is_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_RUN", 1 << 21)
    monkeypatch.setattr(runs, "_BATCH", 1 << 16)
    games = b"".join(b'[Round "%d"]\n\n1. e4 {%s} *\n\n' % (k * 7919 % 10007, b"x" * (k % 5000)) for k in range(10007))
    found = ordered(games, "round", threads=1)
    rounds = re.findall(rb'Round "(\d+)"', found)
    assert len(found) == len(games)
    assert rounds == sorted(rounds)


def test_equal_games_keep_their_order_however_many_runs_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_RUN", 1 << 14)
    monkeypatch.setattr(runs, "_BATCH", 1 << 10)
    games = [b'[White "%s"]\n[Round "%d"]\n\n1. e4 *\n\n' % (b"ab"[k % 2 :][:1], k) for k in range(3000)]
    sources = [b"".join(games[first : first + 100]) for first in range(0, len(games), 100)]
    assert ordered(sources, "white_name", threads=1) == b"".join(games[0::2] + games[1::2])


# -------------------------------------------------------------------------------------------------- what makes no sense


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda: deduped(GAMES, by="elo"), QueryError, "no column 'elo' of games; did you mean"),
        (lambda: deduped(GAMES, by="ply"), QueryError, "ply differs from position to position"),
        (lambda: deduped(GAMES, by=[]), QueryError, "say what is equal besides the moves"),
        (lambda: deduped(GAMES, by=""), QueryError, "say what is equal besides the moves"),
        (lambda: setwise.duplicates(GAMES, by=()), QueryError, "say what is equal besides the moves"),
        (lambda: deduped(GAMES, keep="last"), QueryError, "'last' is not a way to choose"),
        (lambda: deduped(GAMES, without="moves"), QueryError, "cannot do without 'moves'"),
        (lambda: ordered(GAMES, []), QueryError, "name the columns to sort by"),
        (lambda: ordered(GAMES, "date; drop table games"), QueryError, "no column"),
        (lambda: setwise.split(GAMES, "x"), QueryError, "either every so many, or by a column"),
        (lambda: setwise.split(GAMES, "x", every=2, by="eco"), QueryError, "either every so many, or by a column"),
        (lambda: setwise.split(GAMES, "x", every=0), QueryError, "1 game or more, not 0"),
        (lambda: setwise.split(GAMES, DATA, every=2), OutputError, "is there already"),
        (lambda: setwise.merge(GAMES, "x.csv"), OutputError, "should end in .pgn or .pgn.zst"),
        (lambda: setwise.merge(GAMES, DATA), OutputError, "is a directory"),
        (lambda: merged("nothing.pgn"), SourceError, "there is no file"),
        (lambda: merged(b"fen,x\n8/8/8/8/8/4k3/8/4K3 w - - 0 1,2\n"), SourceError, "is not PGN"),
        (lambda: merged(b"\1\2junk"), SourceError, "is not PGN"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(wrong, error, said) -> None:
    with pytest.raises(error, match=re.escape(said)) as caught:
        wrong()
    assert "\n" not in str(caught.value)
    assert not Path("x").exists()
