"""A small extension of Sphinx that draws: the catalogue from the code alone, and the examples of every page.

Each topic becomes a page of names, kinds and docstrings, with every example run and drawn. In hand-written pages, too,
nothing is pasted: ``console`` blocks are run and show what ``setwise`` prints, ``python`` blocks show their answers,
and a board where a value can draw itself. A name in backticks leads to its page.
"""

from __future__ import annotations

import ast
import functools
import json
import re
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

import live
import mapped
import pyarrow as pa
from addresses import board_address, fen_address, set_address
from filesets import files_svg
from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.config import Config
from terminal import session

import setwise
from setwise import Bitboard, Position, catalogue
from setwise.catalogue import Page, Topic
from setwise.catalogue.examples import (
    Drawing,
    Executed,
    drawing_of,
    executed,
    has_steps,
    letter_of,
    names_in,
    squares_of,
    statements_of,
    stepped_form,
    stepwise,
    value_of,
)
from setwise.catalogue.lookup import together, used_by, uses
from setwise.catalogue.questions import PORT, page_address
from setwise.corpus.columns import COLUMNS
from setwise.view import board_svg

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BOARD = 264
SMALL_BOARD = 152

#: Where the pages of the catalogue are, and what stands before addresses until the page that they are on is known.
FOLDER, ROOT_MARK = "patterns", "site:/"

#: The pages of the Python reference, and what is on them.
REFERENCE = {
    "position": ("Position", "VariantPosition", "Move"),
    "positions": ("Positions",),
    "game": ("Game", "Variation"),
    "games": ("Games", "read_pgn", "write_pgn"),
    "bitboard": ("Bitboard",),
    "searching": ("find", "like", "similar", "sql", "connect", "columns", "tree", "limits"),
    "exercises": ("train", "write_exercises"),
    "collections": (
        "scan",
        "index",
        "verify",
        "verify_scan",
        "repair",
        "upgrade",
        "Damage",
        "batches",
        "torch_dataset",
        "build_tablebase",
    ),
    "texts": ("dedupe", "duplicates", "sort", "split", "merge", "pack", "unpack"),
    "own": ("pattern", "feature", "load", "Set", "Square", "Fileset", "Count", "Steps", "Flag"),
    "proofs": ("prove", "Proof", "Counterexample"),
    "view": ("view",),
    "errors": ("errors",),
}

# ----------------------------------------------------------------------------------------------------------- Markdown

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


def rendered(text: str, topic: str = "") -> str:
    """Markdown as HTML; a name in backticks that has a page links to it."""
    return linked(_markdown.render(text), topic)


def linked(html: str, topic: str = "") -> str:
    def link(match: re.Match[str]) -> str:
        target = address(match[1], topic)
        return f'<a href="{ROOT_MARK}{target}">{match[0]}</a>' if target else match[0]

    return re.sub(r"<code>([\w.]+)</code>", link, html)


@functools.cache
def address(name: str, topic: str = "") -> str | None:
    """Where a name is explained, from the root of the site: inside its own topic without the module's name."""
    pages, topics = catalogue.pages(), catalogue.topics()
    short = name.removeprefix("setwise.")
    for candidate in (f"{topic}.{short}", short, re.sub("^(white|black|own|enemy)_", "", short)):
        if page := pages.get(candidate):
            return page_address(page)
    if short in topics:
        return f"{FOLDER}/{short}.html"
    if short in COLUMNS:
        return f"columns.html#{short}"
    return next((f"reference/{page}.html#setwise.{short}" for page, names in REFERENCE.items() if short in names), None)


def notebook(code: str, scope: dict[str, Any]) -> str:
    """Python statements with their answers; ``picture = view.board_svg(…)`` and whatever draws itself are shown.

    A call of a pattern or a feature becomes a board that readers can change.
    """
    lines, figures = [], []
    for done in executed(code, scope):
        lines += [prompted(done.source)] + ([escape(done.answer)] if done.answer else [])
        if done.source.startswith("picture = "):
            figures.append(f"<figure>{scope['picture']}</figure>")
        elif hasattr(done.value, "_repr_svg_"):
            called = drawn_call(done, scope)
            title = f"{called[0].name}: {done.source}" if called else ""
            figures.append(figure(*called, title) if called else drawn_value(done.value))
    return step_html("\n".join(lines), "".join(figures))


def drawn_call(done: Executed, scope: dict[str, Any]) -> tuple[Page, Drawing] | None:
    """Return the page of the pattern or feature that a statement calls, and its drawing; None for other statements.

    The statement must be only the call, or ``Bitboard(…)`` around it: a set computed from the answer is another set.
    """
    call = done.expression
    if isinstance(call, ast.Call) and ast.unparse(call.func) == "Bitboard" and len(call.args) == 1:
        [call] = call.args
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr == "feature":
        name = str(value_of(call.args[0], scope))
        page = catalogue.pages().get(re.sub("^(?:white|black)_", "", name))
    else:
        page = catalogue.pages().get(getattr(value_of(call.func, scope), "name", ""))
    drawing = drawing_of(page, call, done.value, scope) if page and page.sort in {"pattern", "feature"} else None
    if not page or not drawing or not (drawing.arguments or drawing.position):
        return None
    return (page, drawing) if _shows_its_arguments(page, drawing) else None


def _shows_its_arguments(page: Page, drawing: Drawing) -> bool:
    """Whether the drawing shows the pieces that the arguments name; own pieces are drawn black if Black is to move."""
    pieces = drawing.pieces or {}
    return not any(
        pieces.get(square, letter) != letter
        for argument, value in zip(page.arguments, drawing.arguments, strict=False)
        if (letter := letter_of(argument))
        for square in squares_of(page.thing.kinds[argument.name], value) or ()
    )


def prompted(source: str) -> str:
    first, *others = source.rstrip("\n").split("\n")
    return "\n".join([f"<b>&gt;&gt;&gt; {escape(first)}</b>", *(f"<b>... {escape(line)}</b>" for line in others)])


def step_html(code: str, figures: str = "") -> str:
    return f'<div class="step{" drawn" if figures else ""}"><pre>{code}</pre>{figures}</div>' if code else ""


# -------------------------------------------------------------------------------------------------------- the catalogue


def picture(drawing: Drawing, title: str, size: int = BOARD, *, coordinates: bool = True) -> str:
    """The board of a drawing, and its filesets below."""
    marks = drawing.marks or None
    board = board_svg(drawing.pieces, marks, size=size, title=title, coordinates=coordinates) * drawing.has_board
    return board + (files_svg(drawing.files, size=size, title=title) if drawing.files else "")


def figure(page: Page, drawing: Drawing, title: str, place: str = "", steps: str = "") -> str:
    """The picture of a statement; with what it shows as data, by which a script lets readers change it.

    Args:
        place: the class that says where it stands.
        steps: the id of the element with the steps of this call.
    """
    data = live.data_of(page, drawing)
    given = {"class": place, "data-board": json.dumps(data) if data else "", "data-steps": steps}
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in given.items() if value)
    return f"<figure{attributes}>{picture(drawing, title)}{in_workbench(board_address(page, drawing))}</figure>"


def in_workbench(address: str | None) -> str:
    """The link by which a board opens in the workbench, at its usual address on the reader's machine."""
    hint = f"Start `setwise web` first: the link leads to port {PORT} of this machine"
    return f'<a class="workbench" href="{escape(address)}" title="{hint}">Open in setwise web</a>' if address else ""


def drawn_value(value: Any) -> str:
    """The picture of a position or a set that is the answer of a statement."""
    address = fen_address(value.fen()) if hasattr(value, "fen") else None
    if isinstance(value, Bitboard):
        address = set_address(value)
    return f"<figure>{value._repr_svg_()}{in_workbench(address)}</figure>"


def example(page: Page) -> tuple[str, str]:
    """The example of a page, and its picture if there is one alone: that one stands beside the whole text."""
    statements = statements_of(page)
    alone = sum(statement.drawing is not None for statement in statements) == 1
    html, beside, code = "", "", ""
    steps = steps_id(page) if page.sort == "pattern" and has_steps(page.name) else ""
    for statement in statements:
        if statement.remark:
            html, code = html + step_html(code) + rendered(statement.remark, page.topic), ""
        code += f"{prompted(statement.source)}\n"
        if statement.answer and not (statement.drawing and statement.drawing.says_all):
            code += f"{escape(statement.answer)}\n"
        if statement.drawing is not None:
            title = f"{page.name}: {statement.source}"
            drawn = figure(page, statement.drawing, title, "beside" * alone, steps * bool(statement.drawing.arguments))
            steps = steps * (not statement.drawing.arguments)  # those of the first call
            if alone:
                beside = drawn
            else:
                html, code = html + step_html(code, drawn), ""
    return f'<div class="steps">{html}{step_html(code)}</div>' if statements else "", beside


def steps_id(page: Page) -> str:
    """The id of the element with the steps of a pattern."""
    return f"steps-{re.sub('[._]', '-', page.name)}"


def entry(page: Page) -> str:
    shown, beside = example(page)
    parts = [f'<section class="entry">{beside}']
    taken = ", ".join(argument.name for argument in page.arguments)
    signature = f"{page.name}({taken}) -> {page.returns}" if page.sort == "pattern" else page.signature
    parts.append(f'<p class="signature"><code>{escape(signature)}</code></p>')
    parts.append(f'<div class="summary">{rendered(page.summary, page.topic)}</div>')
    parts.append(rendered(page.definition, page.topic))
    if page.sort == "feature":
        columns = " and ".join(f"<code>{column}</code>" for column in page.columns)
        parts.append(f"<p>In conditions and scans it is {columns}.</p>")
    if page.arguments:
        rows = "".join(
            f"<tr><td><code>{argument.name}</code></td><td>{argument.kind}</td>"
            f"<td>{rendered(argument.meaning, page.topic)}</td></tr>"
            for argument in page.arguments
        )
        parts.append(f'<table class="arguments">{rows}</table>')
    if page.raises:
        parts.append(f"<h3>Errors</h3>{rendered(page.raises, page.topic)}")
    if shown:
        parts.append(f"<h3>Example</h3>{shown}")
    parts += explained(page)
    if page.traps:
        parts.append(f'<aside class="traps"><h3>Traps</h3>{rendered(page.traps, page.topic)}</aside>')
    if page.slips:
        parts.append(f'<aside class="slips"><h3>Slips of the source</h3>{rendered(page.slips, page.topic)}</aside>')
    if page.source:
        parts.append(f'<div class="source">{rendered("Source: " + page.source)}</div>')
    parts += related(page)
    if page.names:
        parts.append(f'<p class="called">Also called: {escape(", ".join(page.names))}.</p>')
    return "\n".join([*parts, "</section>"])


def related(page: Page) -> list[str]:
    """What the page builds on and what builds on it, each with its link."""
    lines = {"Builds on": uses(page), "Used in": used_by(page)}
    listed = {title: ", ".join(f"`{name}`" for name in together(names)) for title, names in lines.items() if names}
    return [f'<div class="called">{rendered(f"{title} {names}.")}</div>' for title, names in listed.items()]


def explained(page: Page) -> list[str]:
    """The formula, why it works, other ways to write it, and what happens step by step."""
    parts = []
    if page.formula:
        parts.append(f"<h3>Formula</h3>{code_html(page.formula)}")
    if page.helpers:
        parts.append(f'<details class="forms"><summary>Where</summary>{code_html(page.helpers)}</details>')
    if page.reason:
        parts.append(f'<h3>Why it works</h3><div class="why">{rendered(page.reason, page.topic)}</div>')
    if page.proof:
        parts.append(f'<h3>Proved</h3><div class="why">{rendered(page.proof, page.topic)}</div>')
    if page.forms:
        forms = "".join(f"<p>{escape(form.title)}:</p>{code_html(form.source)}" for form in page.forms)
        parts.append(f'<details class="forms" open><summary>Other forms</summary>{forms}</details>')
    figures = "".join(
        f"<figure>{picture(drawing, f'{page.name}, step {number}: {step.caption}', SMALL_BOARD, coordinates=False)}"
        f"<figcaption>{number}. {escape(step.caption)}</figcaption></figure>"
        for number, (step, drawing) in enumerate(stepwise(page), 1)
    )
    form = stepped_form(page)
    whose = f"<p>{escape(form.title)}:</p>" if form else ""
    boards = f'<div class="stepwise" id="{steps_id(page)}">{figures}</div>'
    return [*parts, f"<h3>Step by step</h3>{whose}{boards}"] if figures else parts


def code_html(text: str) -> str:
    return f'<pre class="formula" tabindex="0"><code>{escape(text)}</code></pre>'


def topic_head(topic: Topic, shown: list[Page]) -> str:
    tables = [
        f'<a href="{ROOT_MARK}tables.html#{page.name}"><code>{page.name}</code></a>'
        for page in topic.pages
        if page.sort == "table"
    ]
    rows = "".join(
        f'<tr><td><a href="{ROOT_MARK}{page_address(page)}"><code>{page.bare_name}</code></a></td>'
        f"<td>{sentence(page)}</td></tr>"
        for page in shown
    )
    parts = [rendered(topic.text, topic.name), *([mapped.rose()] if topic.name == "compass" else [])]
    parts.append(f'<table class="names">{rows}</table>')
    return "\n".join(parts + ([f"<p>Tables: {', '.join(tables)}</p>"] if tables else []))


def sentence(page: Page) -> str:
    return _markdown.renderInline(page.sentence)


# ------------------------------------------------------------------------- what the hand-written pages get at their end


def topic_cards() -> str:
    cards = []
    for topic in catalogue.topics().values():
        about = escape(topic.title.partition(":")[2].strip() or topic.title)
        count = sum(page.sort != "table" for page in topic.pages)
        cards.append(
            f'<a class="card" href="{ROOT_MARK}{FOLDER}/{topic.name}.html">{emblem(topic)}<strong>{topic.name}</strong>'
            f"<span>{about}</span><small>{count} entries</small></a>"
        )
    return f'<h2 id="the-catalogue">The catalogue</h2><div class="cards">{"".join(cards)}</div>'


def emblem(topic: Topic) -> str:
    """The board of the topic's first example that marks an answer on a few squares."""
    for page in topic.pages:
        answer = page.bare_name if page.sort == "pattern" else page.columns[0] if page.columns else ""
        for statement in statements_of(page) if answer else ():
            marks = statement.drawing.marks if statement.drawing else {}
            if 1 < len(marks.get(answer, ())) <= 16:
                return board_svg(statement.drawing.pieces, marks[answer], size=150, coordinates=False, title=topic.name)
    return ""


def columns_table() -> str:
    rows = []
    for column in map(COLUMNS.__getitem__, setwise.columns()):
        twin = column.name.replace("white_", "black_", 1) if column.name.startswith("white_") else ""
        if column.name.startswith("black_") and column.name.replace("black_", "white_", 1) in COLUMNS:
            continue
        names = [name for name in (column.name, twin) if name in COLUMNS]
        cells = "<br>".join(f'<code id="{name}">{name}</code>' for name in names)
        feature = address(column.name)
        meaning = _markdown.renderInline(column.meaning)
        if feature and not feature.startswith("columns"):
            meaning += f' (<a href="{ROOT_MARK}{feature}">more</a>)'
        kind = getattr(column.type, "value_type", column.type)  # of texts stored once and pointed to, and of lists
        shown = f"list of {kind}" if pa.types.is_list(column.type) else kind
        rows.append(f"<tr><td>{cells}</td><td>{shown}</td><td>{meaning}</td></tr>")
    head = "<tr><th>Column</th><th>Arrow type</th><th>Meaning</th></tr>"
    return f'<table class="columns"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def all_tables() -> str:
    parts = ['<h2 id="all">All tables</h2>']
    for page in catalogue.pages().values():
        if page.sort == "table":
            shown, beside = example(page)
            parts.append(
                f'<section class="entry" id="{page.name}"><h3><a href="#{page.name}">{page.name}</a></h3>{beside}'
                f"<p>{escape(page.summary)}</p><p>{escape(page.returns)}</p>{shown}</section>"
            )
    return "".join(parts)


def questions() -> str:
    """Every question under its topic: its line, the first answer's board."""
    parts, topic = [], ""
    for question in catalogue.questions():
        if question.topic != topic:
            topic = question.topic
            parts.append(f"<h2>{escape(topic)}</h2>")
        games, variations = question.match.encode(), question.variations
        if question.is_statement:
            found = setwise.sql(question.text, games, variations=variations)
        else:
            found = setwise.find(question.text, games, columns=["fen", "san"], limit=1, variations=variations)
        answer = found.slice(0, 1).to_pylist()[0]
        board = board_svg(Position(answer["fen"]).piece_string(), size=BOARD, title=question.asks)
        move = f"<figcaption>{escape(answer['san'])} is played</figcaption>" if answer.get("san") else ""
        anchor = f"question-{question.number}"
        parts.append(
            f'<section class="entry" id="{anchor}"><h3><a href="#{anchor}">{escape(question.asks)}</a></h3>'
            f'<pre class="console" tabindex="0"><b>$ {escape(question.line)}</b></pre>'
            f"<figure>{board}{in_workbench(fen_address(answer['fen']))}{move}</figure></section>"
        )
    return "".join(parts)


def map_of_the_catalogue() -> str:
    return mapped.map_of_topics(ROOT_MARK) + rendered(f"What most others build on:\n\n{mapped.most_used()}")


APPENDED = {
    "index": topic_cards, "columns": columns_table, "tables": all_tables, "questions": questions,
    "map": map_of_the_catalogue,
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ the site


def raw(html: str) -> str:
    """HTML as a part of a page of Markdown."""
    return f"\n\n``````{{raw}} html\n{html}\n``````\n\n" if html else "\n"


def write_pages(app: Sphinx, _: Config) -> None:
    """Write the pages that come from the code: the catalogue, and frames for the reference."""
    pages = {f"{FOLDER}/{name}": topic_markdown(topic) for name, topic in catalogue.topics().items()}
    pages |= {
        page_address(page).removesuffix(".html"): entry_markdown(page)
        for topic in catalogue.topics().values()
        for page in shown_on(topic)
    }
    pages |= {f"reference/{name}": reference_markdown(things) for name, things in REFERENCE.items()}
    pages["changelog"] = (ROOT / "CHANGELOG.md").read_text("utf-8")
    for name, text in pages.items():
        path = Path(app.srcdir) / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    for path in Path(app.srcdir, FOLDER).rglob("*.md"):  # of names that are no more
        if path.relative_to(app.srcdir).with_suffix("").as_posix() not in pages:
            path.unlink()
    forks = setwise.knight.fork_targets(Bitboard("e8 a8 h8 d5"))
    (Path(app.srcdir) / "icon.svg").write_text(board_svg(marks=forks, size=64, coordinates=False), "utf-8")


def write_boards(_: Sphinx, __: Config) -> None:
    """Write the scripts of the boards that can be changed, where Sphinx's configuration looks for them."""
    folder = ROOT / "build" / "scripts"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "boards.js").write_text(live.script(), "utf-8")
    (folder / "module.js").write_text(live.packed(live.module_in()), "utf-8")


def run_examples(_: Sphinx, name: str, source: list[str]) -> None:
    """Run the examples of a hand-written page, and add what it has at its end."""
    if "/" in name:
        return
    scope = names_in(source[0])

    def run(match: re.Match[str]) -> str:
        return raw(session(match[2]) if match[1] == "console" else notebook(match[2], scope))

    blocks = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    source[0] = blocks.sub(run, source[0]) + (raw(APPENDED[name]()) if name in APPENDED else "")


_PLAIN_NAME = re.compile(
    r'<code class="docutils literal notranslate"><span class="pre">([\w.]+)</span></code>(?!(</span>)?</a>)'
)
#: What scrolls sideways where the page is narrow; the keyboard must reach it.
_SCROLLS = re.compile(r'<(pre|div class="table-wrapper[^"]*")>')


def link_names(app: Sphinx, name: str, _: str, context: dict[str, Any], __: object) -> None:
    """Let names in backticks lead to their pages, addresses begin where the page is, and the keyboard reach all."""
    if "body" not in context:
        return
    body = context["body"]
    if "/" not in name:
        body = _PLAIN_NAME.sub(lambda match: linked(f"<code>{match[1]}</code>"), body)
    context["body"] = _SCROLLS.sub(r'<\1 tabindex="0">', body.replace(ROOT_MARK, "../" * name.count("/")))


def topic_markdown(topic: Topic) -> str:
    """A topic of the catalogue: what it is about, and its entries with a sentence each."""
    lead = f'<div class="lead"><p>{escape(topic.title)}</p></div>{topic_head(topic, shown_on(topic))}'
    return f"# {topic.name}\n\n{raw(lead)}"


def shown_on(topic: Topic) -> list[Page]:
    """The entries of a topic that have a page each; tables are on a page together."""
    return [page for page in topic.pages if page.sort != "table"]


def entry_markdown(page: Page) -> str:
    """A page of one entry; the pages of topics list them, so the table of contents of the site need not."""
    topic = f'<p class="called">From the topic <a href="{ROOT_MARK}{FOLDER}/{page.topic}.html">{page.topic}</a>.</p>'
    text = re.sub("(</?)h3>", r"\1h2>", entry(page))  # there is no heading between them and the title
    return f"---\norphan: true\n---\n\n# {page.name}\n\n{raw(topic + text)}"


def reference_markdown(things: tuple[str, ...]) -> str:
    """A page of the reference, which autodoc fills."""
    return "\n\n".join([f"# {', '.join(things[:3])}", *map(_directive, things)])


def _directive(thing: str) -> str:
    """What has autodoc tell of one public name."""
    value = getattr(setwise, thing)
    if isinstance(value, ModuleType):
        lines = [f".. automodule:: {value.__name__}", "   :members:"]
    elif isinstance(value, type):
        lines = [f".. autoclass:: setwise.{thing}", "   :members:", "   :inherited-members: int"]
    else:
        lines = [f".. autofunction:: setwise.{thing}" if callable(value) else f".. autodata:: setwise.{thing}"]
    return "\n".join(["```{eval-rst}", *lines, "```"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is done when."""
    app.connect("config-inited", write_pages)  # before Sphinx looks whether its files are there
    app.connect("config-inited", write_boards)
    app.connect("source-read", run_examples)
    app.connect("html-page-context", link_names)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
