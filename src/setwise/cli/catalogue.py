"""The commands on the catalogue, ``patterns``, ``explain``, ``questions``, ``table`` and ``prove``, and ``doctor``.

They print what the catalogue returns, and decide only how it looks: lines of at most ``_WIDTH`` characters, boards in
colour on a terminal and plain in a pipe, steps three in a row. For a word that is not a name, ``explain`` lists the
questions and the pages of the documentation that have the word. ``doctor`` prints the facts that a bug report needs,
one fact a line, and runs perft and a search; a line that begins with ``!`` reports a problem and makes the exit code 2.
"""

from __future__ import annotations

import platform
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from setwise import __version__, chess_words
from setwise.cli import options
from setwise.cli.command import Command, argument, option
from setwise.cli.options import ready
from setwise.cli.terminal import shows_colors
from setwise.cli.web import example_games
from setwise.errors import FAILED, DefinitionError, QueryError, SetwiseError, shortened
from setwise.system.processes import processors

if TYPE_CHECKING:
    from setwise.catalogue import Page, Question, Topic
    from setwise.catalogue.examples import Drawing, Statement


# -------------------------------------------------------------- the commands on the catalogue: patterns, explain, table


_WIDTH = 100
#: A word that occurs in more questions than this number is not the subject of the questions.
_FEW = 5


class Patterns(Command, name="patterns"):
    """List the catalogue by topic, or one TOPIC alone, each pattern and feature with one sentence."""

    topic: str | None = argument("[TOPIC]")
    load: tuple[str, ...] = options.load

    def run(self) -> None:
        """Print the topics."""
        ready(self.load)
        from setwise import catalogue

        shown = [catalogue.topic(self.topic)] if self.topic else list(catalogue.topics().values())
        print("\n\n".join(map(_listed, shown)))


def _listed(topic: Topic) -> str:
    pages = [page for page in topic.pages if page.sort != "table"]
    width = max(len(page.name) for page in pages)
    return "\n".join([f"{topic.name}: {topic.title}", *(f"  {page.name:<{width}}  {page.sentence}" for page in pages)])


class Explain(Command, name="explain"):
    """Explain a pattern, feature, table, column or topic, by its name or by what others call it.

    What it means, the formula and why it works, other ways to write it, a drawn example, its steps, traps and source.
    """

    name: tuple[str, ...] = argument("NAME")
    load: tuple[str, ...] = options.load
    color: None = options.color

    def run(self) -> None:
        """Print the page."""
        ready(self.load)
        from setwise import catalogue
        from setwise.catalogue.examples import statements_of
        from setwise.catalogue.lookup import together, uses

        name = " ".join(self.name)
        try:
            page = catalogue.named(name)
        except QueryError:
            if not name.strip() or not (elsewhere := _elsewhere(name)):
                raise
            print(elsewhere)
            return
        if isinstance(page, catalogue.Topic):
            print("\n\n".join(text for text in (page.text, _listed(page)) if text))
            return
        example = "\n".join(_drawn(statement) for statement in statements_of(page)).rstrip("\n")
        print(textwrap.fill(page.signature, _WIDTH, subsequent_indent="    "))
        print(f"\n{page.summary}" + (f"\n\n{page.definition}" if page.definition else ""))
        if page.columns:
            print(f"\nIn conditions and scans: {', '.join(page.columns)}")
        if page.names:
            print(f"\nAlso called: {', '.join(page.names)}")
        width = max((len(argument.name) for argument in page.arguments), default=0)
        sections = {
            "Arguments": "\n".join(_hanging(f"{it.name:<{width}}  ", it.meaning) for it in page.arguments),
            "Formula": page.formula,
            "Where": page.helpers,
            "Builds on": textwrap.fill(", ".join(together(uses(page))), _WIDTH),
            "Why it works": textwrap.fill(page.reason, _WIDTH),
            "Proved": textwrap.fill(page.proof, _WIDTH),
            "Other forms": "\n\n".join(f"{form.title}:\n{textwrap.indent(form.source, '    ')}" for form in page.forms),
            "Example": example,
            "Step by step": _steps(page),
            "Traps": page.traps,
            "Slips of the source": page.slips,
            "Source": page.source,
        }
        for heading, text in sections.items():
            if text:
                print(f"\n{heading}:\n{textwrap.indent(text, '    ')}")
        if page.sort == "table":
            print(f"\nAs source text: setwise table {page.name} --lang c")
        if 0 < len(asked := catalogue.questions(name)) <= _FEW:
            print(
                "\nQuestions, which `setwise questions NUMBER games.pgn` asks:\n"
                + "\n".join(f"    {it.number:3}  {it.asks}" for it in asked)
            )


def _elsewhere(words: str) -> str:
    """A list for words that are not one name: the pages they may mean, or questions and guides that have the words.

    For a technique that has no page it is a sentence.
    """
    from setwise import catalogue
    from setwise.catalogue.lookup import instead
    from setwise.corpus.lexicon import way_of

    pages = catalogue.several(words)
    if len(pages) > 1:
        width = max(len(page.name) for page in pages)
        lines = "\n".join(f"  {page.name:<{width}}  {page.sentence}" for page in pages)
        return f"{words} may be:\n\n{lines}"
    if sentence := instead(words):
        return sentence
    parts = []
    if questions := catalogue.questions(words):
        parts.append(f"No pattern is called {words}. Questions about games that say it:\n\n{_asked(questions)}")
    if guides := catalogue.guides(words):
        titles = "\n".join(f"  {guide.title}: {guide.address}" for guide in guides)
        parts.append(f"In the documentation:\n\n{titles}")
    if condition := way_of(words, misspelt=False):
        parts.append(f"{condition[2].upper()}{condition[3:]}")
    if parts and (way := chess_words.way_of_any(words)):
        parts.insert(0, f"For {words} of python-chess: {way}")
    return "\n\n".join(parts)


def _beside(words: str) -> str:
    """Where to find words that no question has: in a page or in the documentation; empty if in neither."""
    from setwise import catalogue

    try:
        page = catalogue.named(words)
    except QueryError:
        return _elsewhere(words)
    return f"`setwise explain {page.name}` explains it."


def _asked(questions: Sequence[Question]) -> str:
    """Questions with their numbers and lines, under their topics."""
    topics: dict[str, list[str]] = {}
    for it in questions:
        topics.setdefault(it.topic, []).append(f"{it.number:3}  {it.asks}\n     {it.line}")
    listed = ((topic, "\n".join(those)) for topic, those in topics.items())
    return "\n\n".join(f"{topic}\n\n{lines}" for topic, lines in listed)


class Questions(Command, name="questions"):
    """List questions about games with the lines that answer them, all or with some words; ask one by its number.

    `setwise questions` lists all questions, `setwise questions knight fork` lists the questions that have both words,
    and `setwise questions 12 games.pgn` asks question 12 about a source, as its line does.
    """

    words: tuple[str, ...] = argument("[WORDS | NUMBER [SOURCE]...]")

    def run(self) -> int:
        """Print the questions, or ask one of them and print its answer."""
        from setwise import catalogue
        from setwise.corpus.lexicon import has_word, way_of

        if not self.words or not self.words[0].isdecimal():
            words = " ".join(self.words)
            questions = catalogue.questions(words)
            if not questions and not (elsewhere := _beside(words)):
                raise QueryError(f"no question has {shortened(words)}; `setwise questions` lists all")
            print(_asked(questions) if questions else f"No question has {words}.\n\n{elsewhere}")
            if questions and has_word(words):
                print(f"\n{words}{way_of(words)}")
            return 0
        asked = catalogue.question(int(self.words[0]))
        if len(self.words) == 1:
            print(f"{_asked([asked])}\n\nIt holds in\n\n{asked.match.strip()}")
            return 0
        given = {"statement" if asked.is_statement else "where": asked.text, "sources": self.words[1:]}
        commands = cast(click.Group, self.context.find_root().command).commands
        code: int = self.context.invoke(commands[asked.command], **given, variations=asked.variations)
        return code


def _hanging(head: str, text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _drawn(statement: Statement) -> str:
    """A statement, its answer, and its board, coloured on a terminal and plain in a pipe."""
    remark = f"{statement.remark}\n\n" if statement.remark else ""
    text = f"{remark}>>> " + statement.source.replace("\n", "\n... ")
    if statement.answer and not (statement.drawing and statement.drawing.says_all):
        text += f"\n{statement.answer}"
    if statement.drawing is not None:
        text += f"\n\n{_board(statement.drawing)}\n"
    return text


def _board(drawing: Drawing) -> str:
    from setwise.view import draw
    from setwise.view.text import draw_files

    color = shows_colors()
    board = [draw(drawing.pieces, drawing.marks or None, color=color, unicode=color)] if drawing.has_board else []
    rows = [draw_files(drawing.files, color=color, unicode=color)] if drawing.files else []
    return "\n\n".join(board + rows)


_STEP_WIDTH = 30


def _steps(page: Page) -> str:
    """The steps of the example, three boards in a row, each under its caption."""
    from setwise.catalogue.examples import stepped_form, stepwise

    form = stepped_form(page)
    cells = []
    for number, (step, drawing) in enumerate(stepwise(page), 1):
        caption = textwrap.wrap(f"{number}. {step.caption}", _STEP_WIDTH)
        cells.append((caption, _board(drawing).splitlines()))
    rows = [cells[first : first + 3] for first in range(0, len(cells), 3)]
    whose = [f"{form.title}:"] if form and rows else []
    return "\n\n".join([*whose, *map(_side_by_side, rows)])


def _side_by_side(cells: list[tuple[list[str], list[str]]]) -> str:
    """Captions and boards in columns, with the boards of a row aligned."""
    height = max(len(caption) for caption, _ in cells)
    columns = [[*caption, *[""] * (height - len(caption)), *board] for caption, board in cells]
    return "\n".join("".join(map(_padded, line)).rstrip() for line in zip_longest(*columns, fillvalue=""))


def _padded(text: str) -> str:
    """A text padded with blanks to the width of a column; colour codes add no width."""
    return text + " " * (_STEP_WIDTH + 3 - len(click.unstyle(text)))


class Table(Command, name="table"):
    """Print a table or a definition as source text that compiles, with a self-test; without a NAME list the tables.

    A NAME is a table (king.ATTACKS), a pattern (king.attacks, lines.pinned), or in short sliders.rook, sliders.bishop,
    between, line, distance or zobrist.
    """

    name: str | None = argument("[NAME]")
    language: str = option("--lang -l LANGUAGE", "c, rust, java …; an unknown one lists them.", default="c")
    method: str | None = option("--method -m METHOD", "table, formula, or a way in which sliders move: calculation, …")
    mapping: str = option(
        "--mapping SQUARES", "The squares of the bits 0 and 1: a1b1 a8b8 h1g1 h8g8 a1a2 a8a7 h1h2 h8h7.", default="a1b1"
    )
    load: tuple[str, ...] = options.load

    def run(self) -> None:
        """Print the source text, or the tables."""
        ready(self.load)
        from setwise import catalogue
        from setwise.catalogue import tables

        if self.name is not None:
            print(tables.source_text(self.name, self.language, self.mapping, self.method), end="")
            return
        listed = [page for page in catalogue.pages().values() if page.sort == "table"]
        width = max(len(page.name) for page in listed)
        for page in listed:
            print(_hanging(f"{page.name:<{width}}  ", f"{page.returns}: {page.summary}"))
        print("\nPatterns of one or two arguments are tabulated when named: setwise table knight.distance --lang rust")


class Prove(Command, name="prove"):
    """Prove that a pattern equals another pattern, or a rule about squares, for all boards; or draw where they differ.

    `setwise prove --load mine.py mine.my_attacks king.attacks` compares a pattern of your own. Instead of a second
    pattern, name a function of the file: of the same words, or of the sets, a file and a rank. Without a second name,
    the other forms of the pattern's page are proved. The exit code is 1 if the two differ, or if it was not decided.
    """

    pattern: str = argument("PATTERN")
    specification: str | None = argument("[SPECIFICATION]")
    where: str | None = option("--where NAME", "A pattern or function that says what is assumed.")
    timeout: float = option(
        "--timeout SECONDS", "The time after which a proof is given up.", type=click.FloatRange(min=0), default=60
    )
    load: tuple[str, ...] = options.load

    def run(self) -> int:
        """Print each proof or counterexample; return 0 if everything is proved, else 1."""
        ready(self.load)
        from setwise import catalogue
        from setwise.proofs import Counterexample, named, prove

        where = named(self.where) if self.where else None
        claims: dict[str, object] = {self.specification or "": self.specification}
        if self.specification is None:
            claims = {form.title: form.function for form in catalogue.page(self.pattern).forms}
            known = catalogue.page(self.pattern).proof
            if not claims and not known:
                raise QueryError(f"{self.pattern} has no other form; name what it should equal")
            print(known)
        failed = False
        for title, specification in claims.items():
            if self.specification is None:
                print(f"{title}:")
            try:
                proof = prove(self.pattern, specification, where=where, timeout=self.timeout)
                failed |= not proof
                print(proof)
            except Counterexample as found:
                failed = True
                print(found)
            except DefinitionError as error:
                if self.specification is not None:
                    raise
                print(error)
        return 1 if failed else 0


class Bench(Command, name="bench"):
    """Time the published ways to compute the attacks of sliders side by side: `setwise bench sliders`.

    In turn: nanoseconds of a call whose square depends on the answer of the call before. Array: nanoseconds of an item,
    as NumPy calls a rook's way. Then the lines of a rook's definition with all that it calls, and the bytes of the
    tables for both pieces.
    """

    what: str = argument("sliders", type=click.Choice(["sliders"]))

    def run(self) -> None:
        """Print the processor and the table."""
        ready()
        from setwise.catalogue import benches

        print(f"{benches.processor()}\n\n{'':26}   rook  bishop    rook  lines    bytes of")
        print(f"{'':26}    in turn, ns   array          tables")
        for it in benches.slider_ways():
            print(f"{it.way:26} {it.rook:6.2f}  {it.bishop:6.2f}  {it.array:6.2f}  {it.lines:5}  {it.size:10,}")


# ---------------------------------------------- the command doctor: versions, machine and a short test, for bug reports


_NEEDED = ("numpy", "pyarrow", "duckdb")
_EXTRAS = {
    "jit": ("numba", "llvmlite"), "chess": ("chess",), "polars": ("polars",), "ml": ("torch",), "png": ("resvg-py",),
    "prove": ("z3-solver",), "spark": ("pyspark",), "web": ("starlette", "uvicorn"),
    "cuda": ("cuda-core", "cuda-bindings"),
}  # fmt: skip
_PERFT_5 = 4_865_609


class Doctor(Command, name="doctor"):
    """Print what is installed and where, and whether it works: please begin a bug report with this.

    The exit code is 0 if everything works, 2 if something does not.
    """

    def run(self) -> int:
        """Print the versions, the machine and the tests; return 0 if all is well, else 2."""
        ready()
        problems = 0
        for rows in (_versions, _machine, _tests):
            for name, text, is_well in rows():
                problems += not is_well
                click.echo(f"{'' if is_well else '! '}{name}: {text}")
        return FAILED if problems else 0


def _versions() -> Iterator[tuple[str, str, bool]]:
    yield "setwise", f"{__version__} in {Path(__file__).parents[1]}", True
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()})", True
    for name in _NEEDED:
        version = _version(name)
        yield name, version or "not installed; pip install --upgrade setwise installs it", version is not None
    for extra, packages in _EXTRAS.items():
        versions = " ".join(f"{name} {_version(name)}" for name in packages if _version(name))
        yield f"extra {extra}", versions or f"not installed; pip install 'setwise[{extra}]' installs it", True


def _version(name: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _machine() -> Iterator[tuple[str, str, bool]]:
    from setwise.catalogue.warmup import entries
    from setwise.compiler.targets import has_compiler, shipped

    yield "system", platform.platform(), True
    yield "processor", f"{platform.machine()}, {processors()} at once", True
    library = shipped.library()
    if library.code is None:
        yield "shipped code", f"none: {library.why}", has_compiler()
    else:
        every = entries().values()
        count = sum(shipped.has(it) for it in every)
        changed = "" if count == len(every) else "; the others were changed since"
        yield "shipped code", f"for {library.level}, {count} of {len(every)} functions{changed}", bool(count)
    yield "tablebase", _tablebase(), True
    if not has_compiler():
        yield "compiler", "none: patterns of one's own are evaluated by NumPy", True
        return
    from setwise.compiler import cache_directory
    from setwise.compiler.targets.jit import processor

    yield "compiler", f"Numba for {processor()}", True
    folder = cache_directory()
    if folder is None:
        yield "machine code", "not kept: every run compiles again; name a folder in SETWISE_CACHE_DIR", False
        return
    files = list(folder.glob("*.nbc"))
    size = sum(file.stat().st_size for file in files)
    yield "machine code", f"{len(files)} functions, {size / 1e6:.0f} MB in {folder}", True


def _tablebase() -> str:
    """Return a line about the tables of endings that are installed."""
    from setwise.tablebases.files import default_folder
    from setwise.tablebases.solving import MATERIALS

    folder = default_folder()
    count = sum((folder / f"{name}.npy").is_file() for name in MATERIALS)
    return f"{count} of {len(MATERIALS)} endings in {folder}" if count else "none: setwise tablebase build makes it"


def _tests() -> Iterator[tuple[str, str, bool]]:
    for name, test in {"perft 5": _perft, "find": _find}.items():
        try:
            yield name, *test()
        except (SetwiseError, OSError) as error:
            yield name, str(error), False


def _perft() -> tuple[str, bool]:
    from setwise import Position

    count, seconds = _timed(lambda: Position().perft(5))
    return f"{count:,} in {seconds * 1000:.0f} ms ({count / seconds / 1e6:.0f} million a second)", count == _PERFT_5


def _find() -> tuple[str, bool]:
    from setwise import find

    games = example_games()
    mates, seconds = _timed(lambda: find("is_checkmate", str(games), columns=["ply"]).num_rows)
    return f"{mates} checkmates in the example games in {seconds * 1000:.0f} ms", mates > 0


def _timed(work: Callable[[], int]) -> tuple[int, float]:
    """Return the result of some work, and how many seconds it takes when everything is compiled."""
    work()
    started = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - started
