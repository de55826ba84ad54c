"""Texts that the fuzzer starts from, made of the examples and of every construct that a notation has."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from targets import PLACES

from setwise.corpus.dataset.scan import scan

__all__ = ["DICTIONARY", "SEEDS"]

_ROOT = Path(__file__).resolve().parents[1]


def _fens() -> Iterator[bytes]:
    for place in PLACES:
        for shredder in (False, True):
            yield bytes([place.chess960]) + place.fen("fen", shredder=shredder).encode()
    for text in (
        "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/4P3/8/8/4K3 b - e3",
        "k7/PPPPPPPP/8/8/8/8/8/K7 w - -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 65535 65535", "4k2r/8/8/8/8/8/8/4K2R w Hh - 0 1",
        "kKkK4/8/8/8/8/8/8/8 b - - 99999 0", "QQQQQQQQ/QQQQQQQQ/8/8/8/8/k6K/8 w - - 0 1",
    ):  # fmt: skip
        yield from (bytes([options]) + text.encode() for options in range(4))


def _moves() -> Iterator[bytes]:
    for number, place in enumerate(PLACES):
        for move in place.legal_moves()[:: 1 + number // 8]:
            yield from (bytes([number]) + text.encode() for text in (place.san(move), place.uci(move), place.lan(move)))
    for text in (
        "0-0",
        "0-0-0+",
        "O-O-O#!?",
        "e8Q",
        "exd6 e.p.",
        "exd6ep+",
        "P@e4",
        "--",
        "<>",
        "@@@@",
        "Z0",
        "0000",
        "Ng1-f3",
        "e2xe4=(Q)",
    ):
        yield from (bytes([number]) + text.encode() for number in range(0, len(PLACES), 9))


def _epds() -> Iterator[bytes]:
    operations = (
        ["bm"], ["am", "bm"], ["pv"], ["pm"], ["sm"],
    )  # fmt: skip
    for number, place in enumerate(PLACES):
        legal = place.legal_moves()
        if place.chess960 or not legal:
            continue
        named = {name: [legal[0]] if name != "pm" else legal[0] for name in operations[number % len(operations)]}
        if "sm" in named:
            named["sm"] = legal[-1]
        yield place.epd(**named, id=f'"{number}"\n', acd=number, ce=-1.5, hmvc=3, draw_accept=None).encode()
    start = PLACES[0].epd()
    for rest in (
        ' id "a;b";; c0 "\\"";',
        " hmvc 4; fmvn 9;",
        " 3 7 bm e4;",
        " acn 1e3; ce .5; -;",
        " noop;",
        ' "x" y;',
    ):
        yield (start + rest).encode()


_CONSTRUCTS = (
    "1. e4 e5 2. Nf3 {best} (2. f4 exf4 (2... d5 3. exd5) 3. Nf3) 2... Nc6 $1 3. Bb5! a6?! 4. O-O *",
    "1. e4 { [%clk 1:00:59.5] [%eval -0.35,20] [%emt 0:00:01] } 1... e5 {[%eval #-3]} 2. Qh5 ; a comment\nNc6 1-0",
    (
        '[Event "a \\"b\\" \\\\"]\r\n[Site "?"]\r\n[Result "0-1"]\r\n\r\n'
        '1. f3 e5 2. g4 Qh4# 0-1\r\n\r\n[Event "c"]\r\n\r\n1. d4 1/2-1/2\r\n'
    ),
    '[Variant "Chess960"]\n[FEN "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1"]\n\n1. g3 g6 2. O-O O-O 1-0',
    '[SetUp "1"]\n[FEN "4k3/P6p/8/8/8/8/p6P/4K3 b - - 5 40"]\n\n40... a1=Q+ 41. Kd2 Qa5 42. a8Q+ *',
    '[Variant "Crazyhouse"]\n\n1. e4 e5 2. P@e5 *',
    "% a line for other programs\n1.e4 c5 2.e5 d5 3.exd6ep Nc6 4.dxe7 Nf6 5.exd8N +- *",
    '\ufeff[Event "BOM"]\n\n1. Nc3 Nc6 2. -- Z0 *',
    '1. e4 e5 {never closed\n\n[Event "next"]\n\n1. d4 (1. c4 (1. b3 d5 *',
    "<reserved> 1. e4 e5 2. Bc4 Bc5 3. Qh5 Nf6?? 4. Qxf7# 1-0 1. d4 d5 0-1 1. c4 ½-½",
    '1. e4 {x\n\n[%clk 0:01:00]} e5 *\n\n[White "\xc4"]\n[Black "Å"]\n\n*',
    '[Event "tag [with] ] brackets"] [Site "two on a line"]\n[Broken "\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4',
)


def _pgns() -> Iterator[bytes]:
    games = (_ROOT / "examples" / "famous_games.pgn").read_bytes().split(b"\n\n[Event ")
    for number, game in enumerate(games):
        text = game if number == 0 else b"[Event " + game
        yield bytes([number % 256]) + text[:2000]
        yield bytes([number * 7 % 256]) + text[:300] + b"\n\n" + text[-300:]
    for number, construct in enumerate(_CONSTRUCTS):
        for coding in ("utf-8", "latin-1"):
            yield bytes([number * 16 % 256 + 1]) + construct.encode(coding, "replace")


_SOURCES = (
    "{0}\n{1}\n{2}\n",
    '# a list\n\n{0} bm Ra1; id "x";\n{1}\nnone\n{2} ; more\n{0}',
    'fen,score\n{0},1\n{1},2\n"{2}",-3\n',
    "PuzzleId;FEN;Moves;Rating\n1;{3};e2e4 e7e5;1500\n2;{3};e2e5;x\n3;;;\n",
    "a\tFen\tb\n1\t{0}\t\n2\tnone\tx\n",
    '{{"fen": "{0}", "a": 1}}\n{{"fen": "{1}", "a": 2.5}}\n{{"fen": null}}\n\n{{"a": 3}}\n',
    '{{"FEN": "{3}", "moves": "e2e4 c7c5", "deep": {{"x": [1, 2]}}}}\n{{"FEN": "{3}", "moves": ""}}\n',
    "\ufefffen\r\n{0}\r\n{1}\r\n",
    "white_to_move,white_pawns\n1,2\n",
    "fen\n",
)


def _kinds_of_sources() -> Iterator[bytes]:
    start = PLACES[0].fen()
    for number, text in enumerate(_SOURCES):
        for packer in range(5):
            fens = [place.fen() for place in PLACES[number * 3 : number * 3 + 3]]
            yield bytes([packer, 0, 0]) + text.format(*fens, start).encode()
            yield bytes([packer, 50 * packer, 1 << number % 8]) + text.format(*fens, start).encode("utf-16")
    for number, game in enumerate(_pgns()):
        if number % 4 == 0:
            yield bytes([number % 5, number % 256, number % 16]) + game[1:]


def _conditions() -> Iterator[bytes]:
    with (_ROOT / "src" / "setwise" / "catalogue" / "questions.toml").open("rb") as file:
        questions = tomllib.load(file)
    for number, text in enumerate(_texts_in(questions)):
        if number < 300:
            yield text.encode()
    for text in (
        "ply = 3",
        "white_pawns & squares('e4') <> 0",
        "next(is_check) and not later(is_checkmate)",
        "tag('White') = 'A'",
        "sub_fen('8/8/8/8/8/8/8/4K3')",
        "count_if(is_check) over game > 1",
        "own_clock < 30 or evaluation is null",
        "has(white_king, 'g1')",
        "list_filter([1, 2], lambda x: x > ply) <> []",
        "case when white_to_move then ply else 0 end = 2",
        "knight.attacks(white_knights) & black_king <> 0",
        "san in ('e5', 'Qh4#')",
        "ply between 1 and 2 -- a comment",
        "(select 1) = 1",
        "ply = 1) or (true",
        '"ply" = 1',
        "row_number() over game = 1",
        "earlier(previous(ply, 2) = 1)",
        "white_name like 'A%'",
        "result = '0-1' and points = 0",
        "piece = 'P' /* x */",
        "ply::text = '3'",
        "null",
        "1",
        "''",
    ):
        yield text.encode()


def _texts_in(tree: object) -> Iterator[str]:
    if isinstance(tree, str) and not tree.startswith("["):
        yield tree
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _texts_in(part)


def _statements() -> Iterator[bytes]:
    for text in (
        "select count(*) from positions",
        "select * from positions limit 2",
        "select ply, san from positions order by ply desc",
        "select g.game, max(p.ply) from positions p join games g using (source, game) group by all",
        "with t as (select game, next(san) n from positions) select n, count(*) from t group by n",
        "select white_name, sum(points) from games group by white_name having sum(points) > 0",
        "select sum(ply) over game from positions qualify row_number() over so_far = 1",
        "select distinct phase from positions union all select 'x'",
        "from positions select ply",
        "select unnest([1, 2])",
        "values (1)",
        "select 1;",
        "select bit_count(knight.attacks(squares('e4')))",
        "pivot positions on ply using count(*)",
        "select (select max(ply) from positions)",
        "select a.ply from positions a, positions b where a.ply = b.ply + 1",
        "select * from read_csv('/etc/passwd')",
        "copy positions to 'x'",
        "attach 'y'",
        "select columns('ply') from positions",
    ):
        yield text.encode()


def _tables() -> Iterator[bytes]:
    fens = [place.fen("fen") for place in PLACES[:3]]
    columns = {"fen": fens, "moves": ["", "e2e4 e7e5", ""], "x": [1, None, 3], "t": ["a", "b,\n", None]}
    for names in (["fen"], ["fen", "x"], ["x", "fen", "moves"], list(columns)):
        held = pa.table({name: columns[name] for name in names})
        for options in (
            {},
            {"compression": "none", "use_dictionary": False},
            {"row_group_size": 1, "compression": "zstd"},
        ):
            file = pa.BufferOutputStream()
            pq.write_table(held, file, write_page_checksum=bool(options), **options)
            yield file.getvalue().to_pybytes()
        text = pa.BufferOutputStream()
        pyarrow.csv.write_csv(held, text)
        yield text.getvalue().to_pybytes()
        yield text.getvalue().to_pybytes().replace(b",", b"\t")
        yield "".join(json.dumps(row) + "\n" for row in held.to_pylist()).encode()
    with tempfile.TemporaryDirectory() as folder:
        scan(b"1. e4 e5 2. Nf3 *", f"{folder}/x.parquet")
        yield from (path.read_bytes() for path in sorted(Path(folder).iterdir()))
    yield "".join(f"{fen} ; c0 x;\n" for fen in fens).encode()


def _manifests() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        scan([b"1. e4 *", b'[ECO "A00"] 1. g4 *'], folder, partition_by=["eco"])
        text = Path(folder, "manifest.jsonl").read_bytes()
    yield text
    yield text[: len(text) // 2]
    for field in (b"null", b"[]", b"{}", b"-1", b"1e400", b"true", b'""', b"9" * 5000, b"[" * 2000):
        yield text.replace(b": 1,", b": " + field + b",", 1)
        yield field + b"\n" + text


SEEDS = {
    "fen": _fens, "moves": _moves, "epd": _epds, "pgn": _pgns, "study": _pgns, "sources": _kinds_of_sources,
    "condition": _conditions, "statement": _statements, "table": _tables, "manifest": _manifests,
}  # fmt: skip

_FEN_WORDS = "KQkq HAha - w b e3 d6 a3 h6 8/8 /pppppppp/ rnbqkbnr RNBQKBNR 0 1 50 100 150 65535 4k3 4K2R".split()
_MOVE_WORDS = "O-O O-O-O 0-0-0 e4 exd5 Nf3 Nbd7 R1a3 Qh4e1 e8=Q =N + # ! ? x e.p. ep a7a8q e1g1 e1h1 --".split()
_PGN_WORDS = (
    '1. 1... { } ( ) ; $1 $255 % 1-0 0-1 1/2-1/2 * \\" \\\\ [%clk [%eval 0:01:02] ] '
    "\\x0a\\x0a[ \\x0d\\x0a \\x0a[Event\\x20\\x22 "
    "[FEN\\x20\\x22 [Variant\\x20\\x22 Chess960\\x22] [Result\\x20\\x22 \\x22]\\x0a\\x0a \\xef\\xbb\\xbf \\xff \\x00"
).split()
_SQL_WORDS = (
    "and or not null true false is in between like case when then else end over game so_far next( previous( later( "
    "earlier( squares( files( has( sub_fen( tag( bit_count( count_if( sum( white_ black_ own_ enemy_ ply san fen pawns "
    "king is_check is_checkmate ( ) [ ] , ' <> = >= < & | ~ << >> + - * / :: -> -- /* */ 0 1 2 0x1F 1e9 e4 a1"
).split()
DICTIONARY = {
    "fen": _FEN_WORDS,
    "moves": _MOVE_WORDS,
    "epd": [
        *_FEN_WORDS[:8],
        *_MOVE_WORDS[:8],
        *'bm am pv pm sm rm id acd ce hmvc fmvn c0 ; \\" \\\\ -1.5 1e9 noop'.split(),
    ],
    "pgn": [*_PGN_WORDS, *_MOVE_WORDS],
    "study": [*_PGN_WORDS, *_MOVE_WORDS],
    "sources": [*_FEN_WORDS, *_PGN_WORDS, "fen", "FEN", "moves", ",", ";", "\\x09", '{\\"fen\\":', "null", "\\x0a"],
    "condition": _SQL_WORDS,
    "statement": [
        *_SQL_WORDS,
        "select",
        "from",
        "positions",
        "games",
        "where",
        "with",
        "as",
        "join",
        "limit",
        "*",
        "order by",
    ],
    "table": [
        *_FEN_WORDS[:8],
        *'PAR1 , ; \\x09 \\x0a \\x0d\\x0a fen moves {\\"fen\\": null \\x15 \\x19 \\x1c'.split(),
    ],
    "manifest": [
        *'{ } [ ] : , null true -1 1e9 \\x0a \\"source\\" \\"part\\"'.split(),
        *'\\"files\\" \\"path\\" \\"size\\" \\"parts\\"'.split(),
    ],
}
