"""The package for JavaScript: every pattern answers and refuses in Node and in a browser as in Python."""

from __future__ import annotations

import gzip
import json
import re
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helpers.data import ROOT
from helpers.patterns import SHIPPED_PATTERNS, random_arguments
from helpers.processes import run
from helpers.programs import needed
from setwise import __version__

pytestmark = pytest.mark.slow

_CASES = 200
_ASK = """
const { load } = await import(PACKAGE);
const setwise = await load();
const given = { bigint: BigInt, number: Number, boolean: (word) => word !== "0" };
const answers = {};
for (const [pattern, { types, cases }] of Object.entries(QUESTIONS)) {
  const [topic, name] = pattern.split(".");
  answers[pattern] = cases.map((words) => String(setwise[topic][name](...words.map((it, k) => given[types[k]](it)))));
}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("ziglang", reason="ziglang, which links WebAssembly, is not installed")
    folder = tmp_path_factory.mktemp("package") / "setwise"
    run(sys.executable, ROOT / "javascript" / "webassembly.py", folder, SETWISE_CPU="jit")
    return folder


def questions() -> dict[str, Any]:
    types = {"set of squares": "bigint", "flag": "boolean"}
    asked = {}
    for it in SHIPPED_PATTERNS:
        columns = random_arguments(it, _CASES)
        rows = [[str(int(word)) for word in row] for row in zip(*columns, strict=True)]
        asked[it.name] = {"types": [types.get(kind.name, "number") for kind in it.kinds.values()], "cases": rows}
    return asked


def check(answers: dict[str, list[str]]) -> None:
    """Compare with Python's answers."""
    assert answers.keys() == {it.name for it in SHIPPED_PATTERNS}
    for it in SHIPPED_PATTERNS:
        rows = zip(*(column.tolist() for column in random_arguments(it, _CASES)), strict=True)
        expected = [it(*map(int, row)) for row in rows]
        said = [str(value).lower() if isinstance(value, bool) else str(int(value)) for value in expected]
        assert answers[it.name] == said, it.name


def node(package: Path, script: str, folder: Path) -> str:
    (folder / "script.mjs").write_text(script.replace("PACKAGE", json.dumps((package / "index.js").as_uri())), "utf-8")
    return run(needed("node"), folder / "script.mjs").stdout


def test_every_pattern_answers_in_node_as_in_python(package: Path, tmp_path: Path) -> None:
    (tmp_path / "questions.json").write_text(json.dumps(questions()), "utf-8")
    file = json.dumps(str(tmp_path / "questions.json"))
    read = f'import fs from "node:fs";\nconst QUESTIONS = JSON.parse(fs.readFileSync({file}));\n'
    check(json.loads(node(package, read + _ASK + "console.log(JSON.stringify(answers));", tmp_path)))


@pytest.fixture
def address(package: Path) -> Iterator[str]:
    """Where a server has the package."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    (package / "page.html").write_text("<!doctype html><title>setwise</title>", "utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(package))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_every_pattern_answers_in_a_browser_as_in_python(package: Path, address: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    chromium = needed("chromium")
    script = f"async (QUESTIONS) => {{{_ASK.replace('PACKAGE', json.dumps(f'{address}/index.js'))} return answers; }}"
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{address}/page.html")
        check(page.evaluate(script, questions()))
        browser.close()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("knight.attacks(1)", "TypeError: knights of knight.attacks is a set of squares: a bigint, not a number"),
        ("knight.attacks(-1n)", "RangeError: knights of knight.attacks is a set of squares, 0 to 2n ** 64n - 1n, not"),
        ("knight.attacks(2n ** 64n)", "RangeError: knights of knight.attacks is a set of squares, 0 to 2n ** 64n - 1n"),
        ("knight.attacks()", "TypeError: knight.attacks takes 1 (knights), not 0 arguments"),
        ("lines.between(64, 3)", "RangeError: "),
        ("lines.between(1.5, 3)", "RangeError: "),
        ("lines.between('e4', 3)", "TypeError: "),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_in_a_sentence(package: Path, tmp_path: Path, call: str, error: str) -> None:
    script = f"const {{ knight, lines }} = await (await import(PACKAGE)).load();\ntry {{ console.log({call}); }} "
    assert node(package, script + "catch (error) { console.log(String(error)); }", tmp_path).startswith(error)


def test_the_module_is_small_and_imports_nothing(package: Path, tmp_path: Path) -> None:
    module = package / "setwise.wasm"
    assert len(gzip.compress(module.read_bytes())) < 300_000
    script = f'import fs from "node:fs";\nconst module = new WebAssembly.Module(fs.readFileSync({str(module)!r}));\n'
    script += "console.log(JSON.stringify([WebAssembly.Module.imports(module), WebAssembly.Module.exports(module)]));"
    imports, exports = json.loads(node(package, script, tmp_path))
    assert imports == []
    assert {it.name for it in SHIPPED_PATTERNS} <= {it["name"] for it in exports if it["kind"] == "function"}


def test_the_package_holds_what_it_names(package: Path) -> None:
    told = json.loads((package / "package.json").read_text("utf-8"))
    assert told["version"] == __version__
    assert all((package / name).is_file() for name in [*told["files"], told["main"], told["types"], "README.md"])
    types = (package / "index.d.ts").read_text("utf-8")
    for it in SHIPPED_PATTERNS:
        arguments = ", ".join(rf"{name}: \w+" for name in it.kinds)
        assert re.search(rf"^    {it.name.partition('.')[2]}\({arguments}\): \w+;$", types, re.MULTILINE)


@pytest.mark.parametrize("page", ["docs/webassembly.md", "javascript/README.md"])
def test_the_examples_of_pages_run(package: Path, tmp_path: Path, page: str) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "setwise").symlink_to(package)
    examples = re.findall(r"```js\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    assert examples
    for example in examples:
        said = node(package, example, tmp_path).splitlines()
        assert said == re.findall(r"console\.log\(.*\); // (.*)", example)
