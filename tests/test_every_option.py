"""Every option of every command, in a pipe and on a terminal: the same exit code, the same answer, the same files."""

from __future__ import annotations

import re
import shlex
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import click
import pyarrow.feather
import pyarrow.parquet
import pytest

from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.python_chess import games_of
from helpers.shells import Ran, Shell
from setwise import index
from setwise.cli.app import app
from setwise.corpus.dataset.scan import scan

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals on Windows")

OWN = """
from setwise import feature, pattern
from setwise.compiler import Set
from setwise.features import Side


@pattern
def stays(squares: Set) -> Set:
    \"\"\"Return the squares.\"\"\"
    return squares


def nothing(pawns):
    return pawns == 0


@feature
def royals(side: Side) -> Set:
    \"\"\"Return the king and the queens of this side.\"\"\"
    return side.own & (side.kings | side.queens)
"""
#: A position of Chess960 whose castling rights are written as in standard chess, where they mean nothing.
START960 = "'bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9'"
#: An engine that answers with what it is asked.
ENGINE = """
import sys
for line in sys.stdin:
    words = line.split()
    answer = {"uci": "uciok", "isready": "readyok", "go": "bestmove " + "".join(words[1:])}.get(words[0])
    if words[0] == "quit":
        break
    if answer:
        print(answer, flush=True)
"""
#: The same moves three times and with one more, with everything that can be left out of texts.
FEW = """[Event "x"]
[White "A"]
[Annotator "c"]

1. e4 {best} e5 $1 2. Nf3 (2. f4) 2... Nc6 *

[White "B"]

1. e4 {the longest comment of all} e5 2. Nf3 Nc6 *

[White "A"]

1. e4 {longer than best, and than a variation} e5 2. Nf3 Nc6 *

[White "A"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 *

"""
#: Three games with missed chances: searching more of them takes a second and more.
MISSED = "".join(
    f'[White "{white}"]\n[Date "2024.{month}.01"]\n[TimeControl "{control}"]\n[FEN "{fen}"]\n\n{move} *\n\n'
    for white, month, control, fen, move in (
        ("Anna", "05", "60+0", "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1", "1. h3"),
        ("Anna", "06", "300+5", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "1. h3"),
        ("Carl", "07", "60+0", "6k1/5ppp/8/8/3Q4/2n5/5PPP/6K1 b - - 0 1", "1... h6"),
    )
)
#: The pawns at the end of a famous game, seen in a mirror by the other side; a position of a Sicilian so, too.
MIRRORED = "'5k2/ppp2ppp/8/3p4/1b1P4/3Q4/PPP4P/R1BKr1N1 w - - 0 1'"
ENGLISH = "'rnbqkb1r/pppp1ppp/5n2/4p3/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 0 1'"

#: A command a line. ``{new}`` is a name that nothing has yet; ``{games}``, ``{few}``, ``{missed}`` and ``{own}`` are
#: files. What draws boards or a table on a terminal and prints lines in a pipe begins with ``~``.
COMMANDS = """
--version
tablebase build KPK --folder {new} --threads 1
~tablebase 8/8/4k3/8/4K3/4P3/8/8 w
find 'ply = 30' {games} --count
find is_check {games} -c --player kasparov
find is_check {games} --count --all
find is_check {games} --count --per-game 1
find is_check {games} --count --limit 30
find is_check {games} --count --sample 30 --seed 3
find is_check {games} --count --threads 1
find 'ply = 0' scanned --count --partial
~find is_check {games}
~find is_check {games} --all
~find is_check {games} --within {games} --limit 3
find "within('games.pgn')" {games} --repertoire {games} --count
~find is_check {games} --limit 3
~find 'line = 0 and ply = 30' {games} --variations
~find is_check {games} -n 30
~find is_check {games} --per-game 1
~find is_check {games} --order-by 'see desc, ply'
find is_check {games} --order-by 'see desc' --limit 5 --format pgn
~find is_check {games} --player kasparov --side black
~find is_check {games} --sample 3 --seed 1 --side mover
~find is_check {games} --columns ply,san,white_king --raw
find is_check {games} --no-boards
find is_check {games} --no-boards --columns ply,san,white_king --raw
find is_check {games} --boards --limit 3 --color never
find is_check {games} --boards --limit 3 --color always --side black
find is_check {games} --output {new}.csv
find is_check {games} -o {new}.parquet --per-game 2
find is_check {games} -o {new}.arrow --columns source,game,ply
find is_check {games} -o {new}.html --limit 2 --side mover
find is_check {games} -o {new}.txt --raw
find is_check {games} --format jsonl
find is_check {games} --format table
find is_check {games} --format fen
find is_check {games} --format epd
find is_check {games} --format markdown
find is_check {games} --format pgn
find is_check {games} --format html --side black --columns ply --limit 2
find is_check {games} --format pgn --pgn positions --without marks --limit 3
find is_check {games} --format pgn --pgn positions --limit 3
find is_check {games} --format pgn --pgn games --without marks,comments
find is_check {games} --exercise -n 3 -o {new}.html
find is_check {games} --engine no_such_engine --depth 3
find --like 8/8/8/8/8/8/5PPP/6K1 {games} --count
find 'ply > 9' {games} --like {mirrored} --likeness pawns --either colour,wing --count
find 'own.stays(white_king) <> 0' {games} --count --load {own}
find 'ply > 9000' {games} --count
find 'key = 5' {games} --explain
sql 'select count(*) n from positions' scanned --partial --format csv
sql "select count(*) n from positions where leaves('games.pgn')" {games} --repertoire {games} --format csv
~sql 'select white_name, white_king from positions where ply = 30' {games}
~sql 'select white_name, white_king from positions where ply = 30' {games} --raw
sql 'select white_name, white_king from positions where ply = 30' {games} -o {new}.jsonl --threads 1
sql 'select game, ply, white_king from positions where ply > 90' {games} --output {new}.parquet
sql 'select source, game, ply from positions where is_checkmate order by ply' {games} --format pgn
sql 'select fen, white_king from positions where is_checkmate' {games} -o {new}.html
sql 'select own.stays(white_king) it from positions where ply = 1' {games} --format tsv --load {own}
~tree '1. e4' {games}
~tree 'd4 e6' {games} --by position --where 'white_points = 1' --color never
tree e4 {games} --player morphy --format csv
~similar 8/8/8/3p4/3P4/8/8/8 {games}
~similar '1. e4 e5' {games} -n 3 --player morphy --where 'ply > 4' --side mover --color never
similar '1. e4 e5' {games} --number 2 --raw --format csv
similar {english} {games} -n 2 --format jsonl --raw --either-colour
similar {english} {games} -n 2 --format boards --side mover --either-color --color always
similar 'e4 e5' {games} --output {new}.csv --threads 1 --load {own}
similar 'e4 e5' {games} -o {new}.parquet --partial
similar 'e4 e5' {games} --repertoire {games} --where "within('games.pgn')" --format csv
tree '' {games} --output {new}.csv --threads 1
tree '' {games} -o {new}.html --load {own}
tree 'e4 e5' {games} --format html --partial
tree '' {games} --player kasparov --as black --format csv
~tree 'e4' {games} --within {few}
~tree 'e4' {games} --repertoire {games} --where "within('games.pgn')"
train {missed} --as black --threads 1 -o {new}.html --title Forks --columns 3
train {missed} --player anna -o {new}.csv
train {missed} -n 3 --output {new}.pgn --motif fork --since 2024-06
train {missed} --number 2 -o {new}.csv --partial
train {missed} -n 1 -o {new}.csv
train {missed} --report {new}.svg
~train {missed}
train {missed} --speed blitz --report {new}.svg
train {missed} --engine no_such_engine --depth 3
scan {games} -o {new} --features pawn_islands --threads 1
scan {games} --output {new}.parquet --features royals --load {own}
scan {games} -o {new} --partition-by result --index
scan {few} -o held --force
sql 'select line, count(*) n from positions group by all' {games} --variations --format csv
scan {games} -o {new} --variations --partial
scan --verify scanned
verify scanned
repair scanned --threads 1
~repair {messy}
repair {messy} --output {new}.pgn
repair {messy} -o {new}.pgn
find ply=1 {messy} --notes --count
sql 'select count(*) n from games' {messy} --notes --format csv
upgrade scanned
names {games} --output {new}.csv --threads 1
names {games} -o {new}.jsonl --partial
names {games} --format csv
names {games} --aliases aliases.tsv --format csv
find "player('spassky') and ply = 0" {games} --aliases aliases.tsv --format csv
sql "select count(*) n from games where player('spassky')" {games} --aliases aliases.tsv --format csv
tree '' {games} --where "player('spassky')" --aliases aliases.tsv --format csv
similar '1. e4' {games} --where "player('spassky')" --aliases aliases.tsv --format csv
index {games} -o {new} --threads 1
index {games} -o {new} --features pinned,is_checkmate
index {games} --output {new} --partial
index {few} -o indexed --force
columns --load {own}
dedupe {games} {games}
dedupe {few} --output {new}.pgn --by moves --keep best-annotated --without comments --threads 1
dedupe {games} {games} -o {new}.csv --list --partial
dedupe {games} {games} --list --format csv
~dedupe {games} {games} --list
sort {games} --by year,white_name
sort {few} --by white_name --output {new}.pgn --without tags --threads 1
sort {games} --by white_name -o {new}.pgn --partial
split {few} --output {new} --every 3 --without nags --threads 1
split {games} -o {new} --by result --partial
merge {games} {games}
merge {few} --output {new}.pgn --without variations --threads 1
merge {games} -o {new}.pgn --partial
pack {few} --output {new}.parquet --without variations --threads 1
pack {games} -o {new}.parquet --partial
unpack {few} --output {new}.pgn --without comments --threads 1
unpack {games} -o {new}.pgn --partial
~show startpos --feature hanging -f attacks --side black
~show startpos
show 0x1234 --color never
~show startpos --why e5
show startpos -f attacks --output {new}.svg --side mover
show startpos -o {new}.svg --load {own}
show {start960} --chess960 --color always
perft 3 --divide
perft 3 --threads 2
perft 3 --gpu
perft 2 {start960} --chess960
patterns
patterns own --load {own}
explain knight.forks --color never
explain IQP
questions
questions knight fork
questions 25
~questions 25 {games}
~explain own.stays --load {own}
generator --lang rust
generator -l rust
perft --suite
perft --suite --json --chess960
divide 2
divide 2 --against {own}
divide 1 --engine no_such_engine
divide {start960} 2 --chess960
positions --random 2 --seed 3 --kind endgame --moves
uci-check {engine} --random 2 --seed 3 --movetime 5
table king.ATTACKS
table king.ATTACKS --lang rust --mapping a8b8
table sliders.rook --method calculation
table king.attacks --method formula
table king.attacks -m formula
table moves.check_mask -m formula
table own.stays -l java --load {own}
prove knight.fork_targets
prove pawns.stop compass.north
prove knight.fork_targets --timeout 0
prove pawns.stop own.stays --where own.nothing --load {own}
prove own.stays compass.north --load {own}
~mcp {games} --seconds 9
doctor
completion bash
man
"""
#: What serves until it is interrupted.
SERVING = (
    "web {games} --host 127.0.0.1 --port {port} --no-open --load {own} --partial",
    "web {games} --open --port {port} --engine python3",
)

#: The codes of the commands that do not end with 0: nothing is found, or something is wrong.
ENDS_WITH = {
    "find 'ply > 9000' {games} --count": 1,
    "train {missed} --speed blitz --report {new}.svg": 1,
    "prove own.stays compass.north --load {own}": 1,
    "prove knight.fork_targets --timeout 0": 1,
    "train {missed} --engine no_such_engine --depth 3": 2,
    "find is_check {games} --engine no_such_engine --depth 3": 2,
    "perft 3 --gpu": 2,
    "divide 2 --against {own}": 2,
    "divide 1 --engine no_such_engine": 2,
    "uci-check {engine} --random 2 --seed 3 --movetime 5": 1,
}
#: What differs from run to run: times, and how much machine code there is.
TIMES = re.compile(r"\b[\d.,]+ (?:million a second|s\b)|\d+ ms|\S+ million a second|machine code: [^\n]+")


@pytest.fixture(scope="module")
def shells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shell, Shell]]:
    folders = [tmp_path_factory.mktemp(name) for name in ("pipe", "terminal")]
    for folder in folders:
        (folder / "own.py").write_text(OWN)
        (folder / "engine.py").write_text(ENGINE)
        (folder / "games.pgn").write_bytes(FAMOUS_GAMES.read_bytes())
        (folder / "few.pgn").write_text(FEW)
        (folder / "aliases.tsv").write_text("Reti, Richard\tSpassky, Boris\n")
        (folder / "messy.pgn").write_text("1. ♘f3 {a} 1... ♞f6 {b} 2. ♘c3 {c} 2... ♞c6 {d} 3. ♘b1 *", "utf-8")
        (folder / "missed.pgn").write_text(MISSED)
        index(b"1. e4 *", folder / "indexed")
        scan(b"1. e4 *", folder / "scanned")
        scan(b"1. e4 *", folder / "held", partition_by="result")
    with Shell(folders[0], terminal=False) as pipe, Shell(folders[1], terminal=True) as terminal:
        pipe.folder, terminal.folder = folders
        yield pipe, terminal


def words_of(line: str, number: int | str = 0, port: int = 0) -> list[str]:
    filled = line.lstrip("~").format(
        new=f"new{number}", games="games.pgn", few="few.pgn", messy="messy.pgn", missed="missed.pgn", own="own.py",
        start960=START960,
        mirrored=MIRRORED, english=ENGLISH, port=port, engine=shlex.quote(f"{sys.executable} engine.py"),
    )  # fmt: skip
    return shlex.split(filled)


LINES = COMMANDS.strip().splitlines()


def options() -> Iterator[tuple[str, str]]:
    """Every name of every option, with its command."""
    context = click.Context(app)
    for name, command in app.commands.items():
        for option in command.get_params(context):
            if isinstance(option, click.Option):
                yield from ((name, it) for it in (*option.opts, *option.secondary_opts))


def test_every_option_of_every_command_has_a_case() -> None:
    cases = [words_of(line) for line in (*LINES, *SERVING)]
    helped = {(name, it) for name in app.commands for it in ("--help", "-h")}
    tried = {(words[0], word.partition("=")[0]) for words in cases for word in words[1:]} | helped
    assert set(options()) - tried == set()
    assert {words[0] for words in cases} >= set(app.commands) - {"warmup", "demo", "bench"}  # which have no option


def plain(text: str) -> str:
    """A text without colours, and without what is said for the moment."""
    text = re.sub(r"\r\x1b\[K(setwise: [^\n]*(?=\r\x1b\[K))?", "", text)
    return TIMES.sub("…", re.sub(r"\x1b\[[\d;]*m", "", text))


def files_in(folder: Path, name: str) -> dict[str, object]:
    """What was written under a name."""
    found = {}
    for path in sorted(folder.rglob(f"{name}*")) + sorted(folder.glob(f"{name}/**/*")):
        if path.is_file() and path.suffix != ".jsonl":
            readers = {".parquet": pyarrow.parquet.read_table, ".arrow": pyarrow.feather.read_table}
            reader = readers.get(path.suffix, Path.read_bytes)
            found[str(path.relative_to(folder))] = reader(path)
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.name
    return found


@pytest.mark.parametrize("number", range(len(LINES)), ids=LINES)
def test_a_terminal_and_a_pipe_get_the_same_answer(shells: tuple[Shell, Shell], number: int) -> None:
    line = LINES[number]
    piped, shown = (shell.run(*words_of(line, number)) for shell in shells)
    assert piped.code == shown.code == ENDS_WITH.get(line, 0), piped.err + shown.err
    assert ("\x1b" in piped.out) == ("--color always" in line)
    assert not re.search(r"(?<!\x1b)\[\d[\d;]*m", shown.out), "a colour code without its first letter"
    if not line.startswith("~"):
        assert plain(piped.out) == plain(shown.out)
        assert said(piped) == said(shown)
    elif line.startswith("~find"):
        assert min(len(piped.out.splitlines()) - 1, 20 if is_bounded(line) else 10**6) == shown.out.count("\nnext: ")
    before, after = (files_in(shell.folder, f"new{number}") for shell in shells)
    assert before == after
    assert bool(before) == ("{new}" in line)


def is_bounded(line: str) -> bool:
    """Whether a terminal draws the first boards alone."""
    return {"--all", "--limit", "-n", "--sample"}.isdisjoint(line.split())


def said(ran: Ran) -> list[str]:
    """What is said on standard error, but for what the first run alone says."""
    return [it for it in plain(ran.err).splitlines() if it and "compiling" not in it]


#: Options without which a command does the same here.
CHANGES_NOTHING = {
    "--threads": "the answer is the same on each number of threads",
    "--partial": "no source here is unfinished",
    "--load": "patterns of one's own stay known in a process",
    "--depth": "there is no engine; tests/test_engines.py has one",
}


def left_out(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """A command without each of its options, with the name of the option."""
    parameters = app.commands[words[0]].params if words[0] in app.commands else []
    known = {it: option for option in parameters for it in (*option.opts, *option.secondary_opts)}
    for at, word in enumerate(words):
        if word not in CHANGES_NOTHING and isinstance(option := known.get(word), click.Option):
            yield f"{words[0]} {word}", words[:at] + words[at + 1 + (not option.is_flag) :]


def done(shell: Shell, words: list[str], name: str) -> tuple[object, ...]:
    """The exit code of a command, what it says, and what is in its files; ``new?`` in its words becomes a name."""
    ran = shell.run(*(it.replace("new?", name) for it in words))
    files = {path.replace(name, "new"): it for path, it in files_in(shell.folder, name).items()}
    return ran.code, TIMES.sub("…", ran.out).replace(name, "new"), [it.replace(name, "new") for it in said(ran)], files


def test_no_option_is_ignored(shells: tuple[Shell, Shell]) -> None:
    """Without it its command does something else: in a pipe or on a terminal, in one of its lines at least."""
    changes: dict[str, bool] = {}
    for number, line in enumerate(LINES):
        words, whole = words_of(line, "?"), dict[bool, tuple[object, ...]]()
        for option, others in left_out(words):
            if depth(crc32(option.encode()) % 3 > 0, night=False):
                continue  # by day a third of the options: it runs each of their lines again
            for shell in shells:
                if changes.get(option):
                    break
                if shell.terminal not in whole:
                    whole[shell.terminal] = done(shell, words, f"whole-{number}-{shell.terminal}")
                changes[option] = done(shell, others, f"less-{number}-{len(changes)}") != whole[shell.terminal]
    assert len(changes) > depth(30, 100)
    assert [option for option, is_another in changes.items() if not is_another] == []


def test_a_count_on_a_terminal_is_the_count_in_a_pipe(shells: tuple[Shell, Shell]) -> None:
    checks = sum(
        node.board().is_check() for game in games_of(FAMOUS_GAMES.read_text()) for node in [game, *game.mainline()]
    )
    for shell in shells:
        ran = shell.run("find", "is_check", "games.pgn", "--count")
        assert ran.out == f"{checks}\n"
        assert f"setwise: {checks} matches in" in ran.err


def test_a_terminal_says_that_there_is_more_where_there_is_more(shells: tuple[Shell, Shell]) -> None:
    _, terminal = shells
    more = "are drawn, and there are more: --all draws them, --count counts them"
    assert "setwise: the first 20 matches in 20 games are drawn" in terminal.run("find", "ply = 0", "games.pgn").err
    twenty, others = "ply = 0 and game <= 20", ("ply = 0 and game <= 21", "true")
    assert "setwise: 20 matches in 20 games; " in (err := terminal.run("find", twenty, "games.pgn").err)
    assert more not in err
    for where in others:
        for order in ((), ("--order-by", "see desc")):
            assert more in terminal.run("find", where, "games.pgn", *order).err
    for bound in (("--all",), ("--limit", "20"), ("--sample", "20")):
        assert more not in terminal.run("find", "ply < 2", "games.pgn", *bound).err
        assert more not in terminal.run("find", "ply < 2", "games.pgn", "--order-by", "ply", *bound).err


@pytest.mark.slow
@pytest.mark.parametrize("line", SERVING)
def test_the_workbench_serves_until_it_is_interrupted(shells: tuple[Shell, Shell], line: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    for shell in shells:
        ran = shell.run(*words_of(line, port=port), interrupt_at="http://")
        assert ran.code == 0, ran.err
        assert f"http://127.0.0.1:{port}/" in ran.err
