"""The page's scripts without a browser: what they compute, run by Node on a document that only keeps its elements."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

import setwise.web
from helpers.data import ROOT
from helpers.programs import needed
from setwise import Bitboard, Position
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import resolved
from setwise.web.searching import game_line

STATIC = Path(setwise.web.__file__).parent / "static"
#: A document of elements with attributes and children, as far as the scripts build any.
DOCUMENT = """
class Element {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [], classList: { toggle() {} }, style: {}, dataset: {} });
  }
  setAttribute(name, value) { this.attributes[name] = value; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  replaceWith() {}
  addEventListener(name, call) { this[name] = call; }
  querySelectorAll() { return []; }
  focus() { document.activeElement = this; }
  contains() { return true; }
  closest(chosen) { return this.dataset.square ? this : null; }
}
globalThis.document = {
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
  getElementById: () => new Element("it"),
};
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the scripts that Node takes for modules."""
    folder = tmp_path_factory.mktemp("scripts")
    for script in STATIC.glob("*.js"):
        shutil.copy(script, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def told(scripts: Path, names: str, module: str, expression: str) -> Any:
    """The value of an expression with some names of a module, through JSON."""
    program = f"{DOCUMENT}\nconst {{ {names} }} = await import('./{module}.js');\n"
    program += f"console.log(JSON.stringify(await (async () => {{ {expression} }})()));"
    ran = subprocess.run(
        [needed("node"), "--input-type=module", "-"], input=program, cwd=scripts, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.slow
def test_the_scripts_have_the_types_that_they_say() -> None:
    """The checker of TypeScript reads the types in comments, and the shapes of the server's answers."""
    checked = subprocess.run(
        [needed("tsc"), "-p", str(ROOT / "jsconfig.json")], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout) == (0, "")


def test_the_ids_that_have_types_are_those_of_the_page() -> None:
    page, shapes = ((STATIC / name).read_text("utf-8") for name in ("index.html", "types.d.ts"))
    kinds = {
        "HTMLInputElement": "input", "HTMLTextAreaElement": "textarea", "HTMLSelectElement": "select",
        "HTMLButtonElement": "button", "HTMLDetailsElement": "details", "HTMLFormElement": "form",
        "HTMLProgressElement": "progress", "HTMLDialogElement": "dialog",
    }  # fmt: skip
    listed = [
        *(
            (name, kind)
            for names, kind in re.findall(r'Record<("[^>]*"), (\w+)>', shapes)
            for name in re.findall(r'"([\w-]+)"', names)
        ),
        *re.findall(r"^  (\w+): (HTML\w+Element);", shapes, re.MULTILINE),
    ]  # fmt: skip
    assert len(listed) > 35
    assert [it for it in listed if not re.search(rf'<{kinds[it[1]]}\b[^>]*\bid="{it[0]}"', page)] == []


SETS = [0, 1, 1 << 63, 0x8100000000000081, 0x00FF00000000FF00, 2**64 - 1, int(Bitboard("a1 b3 e4 h8"))]


def test_sets_are_those_of_bitboards(scripts: Path) -> None:
    words = json.dumps([f"{word:016x}" for word in SETS])
    squares, back = told(
        scripts, "squaresOf, wordOf", "draw",
        f"const sets = {words}.map(squaresOf); return [sets, sets.map((it) => wordOf(new Set(it)))];",
    )  # fmt: skip
    assert squares == [list(Bitboard(word)) for word in SETS]
    assert back == json.loads(words)


def test_a_turned_board_has_each_square_at_the_opposite_corner(scripts: Path) -> None:
    corners = told(
        scripts, "SQUARES, corner, squareOf", "draw",
        "return SQUARES.map((name) => [name, corner(squareOf(name), false), corner(squareOf(name), true)]);",
    )  # fmt: skip
    for name, (x, y), (turned_x, turned_y) in corners:
        assert (x, y) == (100 * "abcdefgh".index(name[0]), 100 * (8 - int(name[1])))
        assert (turned_x, turned_y) == (700 - x, 700 - y)


def test_arrow_keys_walk_as_the_board_is_seen(scripts: Path) -> None:
    walk = """
      const at = (turned, key) => {
        const host = document.createElement("div"), board = new Board(host, { label: "" });
        board.draw({ turned });
        board.focus(28);
        board.grid.keydown({ target: board.cells.get(28), key, preventDefault() {} });
        return board.at;
      };
      const keys = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
      return [false, true].map((turned) => keys.map((key) => at(turned, key)));
    """
    assert told(scripts, "Board", "board", walk) == [[36, 20, 27, 29], [20, 36, 29, 27]]


def test_hidden_characters_of_games_become_visible(scripts: Path) -> None:
    """Orders to a terminal, characters without a width, and those that turn the direction of a text."""
    hidden = "\x00\x1b\x7f\x9b\u061c\u200b\u200e\u202e\u2066\ufeff"
    answer = json.dumps({"error": f"{hidden}Ćirić\n\t–"})
    error = told(
        scripts, "post", "dom",
        "globalThis.fetch = async () => ({ ok: false, headers: new Map([['content-type', 'application/json']]), "
        f"text: async () => {json.dumps(answer)} }});"
        "try { await post('/', ''); } catch (error) { return error.message; }",
    )  # fmt: skip
    assert error == "\ufffd" * len(hidden) + "Ćirić\n\t–"


def test_lines_of_a_search_come_whole_however_they_arrive(scripts: Path) -> None:
    said = [{"type": "match", "ply": 1, "players": "Müller – Ćirić"}, {"type": "done"}]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in said)
    for size in (1, 7, 1000):
        found = told(
            scripts, "lines", "dom",
            f"const bytes = new TextEncoder().encode({json.dumps(text)});"
            "const body = () => new ReadableStream({ start(it) { for (let at = 0; at < bytes.length; at += SIZE) "
            "it.enqueue(bytes.slice(at, at + SIZE)); it.close(); } });".replace("SIZE", str(size))
            + "globalThis.fetch = async () => ({ ok: true, body: body(), text: async () => '{}' });"
            "const got = []; for await (const line of lines('find', {})) got.push(line); return got;",
        )  # fmt: skip
        assert found == said


def test_a_game_leaves_the_page_as_the_pgn_that_it_came_from(scripts: Path) -> None:
    """Moves, comments, signs and variations within variations; python-chess reads both."""
    text = (
        '[White "A \\"B\\""]\n[Black "C"]\n[Result "1-0"]\n\n{ before } 1. e4 { [%clk 0:01:00] best } e5 '
        "( 1... c5 $5 2. Nf3 ( { quiet } 2. c3 d5 ( 2... e6 ) ) "
        "2... d6 { open } ( 2... e6 ) ) ( 1... e6 2. d4 ) 2. Nf3 $1 Nc6 3. Bb5 1-0\n"
    )
    [batch] = [job.run() for opened in resolved(text.encode()) for job in opened.scan(Question())]
    game = json.dumps(game_line(batch, 0, None))
    written, main, way = told(
        scripts, "Line", "line",
        f"const line = Line.of({game}), end = line.root.children[0].children[1].children[0].children[0];"
        "return [line.pgn(), line.main().length, [line.wayTo(end), line.openingAt(end), line.clocksAt(end)]];",
    )  # fmt: skip
    first, second = (chess.pgn.read_game(io.StringIO(it)) for it in (text, written))
    assert first is not None
    assert second is not None
    assert second.headers["White"] == first.headers["White"]
    exporter = {"headers": False, "comments": True, "variations": True}
    assert second.accept(chess.pgn.StringExporter(**exporter)) == first.accept(chess.pgn.StringExporter(**exporter))
    assert main == 6
    assert way == [{"ply": 1, "moves": ["c7c5", "g1f3", "d7d6"]}, "Sicilian Defense: Modern Variations", [60, None]]


def test_moves_that_are_played_become_variations_once(scripts: Path) -> None:
    start, first, second = Position(), Position().play("e4"), Position().play("d4")
    nodes = [
        {"uci": uci, "san": san, "fen": it.fen()} for uci, san, it in (("e2e4", "e4", first), ("d2d4", "d4", second))
    ]
    written = told(
        scripts, "Line", "line",
        f"const line = new Line({json.dumps(start.fen())});"
        f"const nodes = {json.dumps(nodes)}.map((it) => line.add(line.root, it));"
        f"if (line.add(line.root, {json.dumps(nodes[1])}) !== nodes[1]) return null;"
        "const before = line.pgn(); line.remove(nodes[0]);"
        "return [before, line.pgn()].map((it) => it.split('\\n\\n')[1].trim());",
    )  # fmt: skip
    assert written == ["1. e4 (1. d4) *", "1. d4 *"]
