"""The pages of patterns and features: docstrings taken apart, other forms, helpers, examples.

Nothing is listed by hand here. Topics are the modules of ``setwise.patterns``; features and columns come from their
registries; docstrings are parsed by their fixed sections.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import io
import itertools
import pkgutil
import re
import sys
import textwrap
import tokenize
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from setwise import patterns
from setwise.compiler import PATTERNS, Kind, bitreverse, popcount, trailing_zeros
from setwise.compiler.definitions import ByProcessor, Entry, Pattern, Routine
from setwise.compiler.kinds import of_section
from setwise.compiler.words import Embedded
from setwise.patterns import bits, compass, fills, islands, king, knight, sliders

if TYPE_CHECKING:
    from setwise.features import Feature


# ----------------------------------------------------------------- docstrings and comments, parsed by their fixed forms


_SECTION = re.compile(r"(Args|Returns|Raises|Example|Why|Traps|Slips|Names|Source):(?: (.*))?")


def sections(docstring: str) -> dict[str, str]:
    """Return the sections of a docstring by heading; the text before the first heading is under the empty one.

    Example:
        >>> from setwise.catalogue.pages import sections
        >>> sections(knight.attacks.__doc__)["Args"]
        'knights: squares of the knights, a set.'
    """
    lines_of: dict[str, list[str]] = {"": []}
    heading = ""
    for line in inspect.cleandoc(docstring).splitlines():
        if match := _SECTION.fullmatch(line):
            heading = match[1]
            lines_of[heading] = [match[2] or ""]
            continue
        if not heading and line.startswith(">>>"):
            heading = "Example"
            lines_of[heading] = []
        lines_of[heading].append(line)
    return {heading: textwrap.dedent("\n".join(lines)).strip("\n") for heading, lines in lines_of.items()}


def definition_of(function: Callable[..., object]) -> str:
    """Return the source of a function; an empty text if it is not available."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except OSError:
        return ""


def body(function: Callable[..., object]) -> str:
    """Return the source of a function's body without the docstring; an empty text if the source is not available.

    Example:
        >>> from setwise.catalogue.pages import body
        >>> body(pawns.doubled.function)
        'return pawns & rear_span(pawns)'
    """
    source = definition_of(function)
    definition = next(iter(ast.parse(source).body), None)
    if not isinstance(definition, ast.FunctionDef):
        return ""
    first = definition.body[0]
    start = first.lineno - 1 if ast.get_docstring(definition) is None else first.end_lineno
    return textwrap.dedent("\n".join(source.splitlines()[start:])).strip("\n")


def remarks(source: str) -> dict[int, str]:
    r"""Return the comments at the ends of lines of code, by line, without comments for tools.

    Example:
        >>> from setwise.catalogue.pages import remarks
        >>> remarks("ranks = 8  # as everywhere\n# and files\nfiles = ranks  # noqa: X1")
        {1: 'as everywhere'}
    """
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    return {
        token.start[0]: token.string.lstrip("# ")
        for token in tokens
        if token.type == tokenize.COMMENT
        and token.line[: token.start[1]].strip()
        and not re.match(r"#\s*(noqa|type:|fmt:|isort:)", token.string)
    }


def assignments(source: str) -> Iterator[tuple[list[str], str]]:
    """Yield each ``#:`` comment with the names that are assigned by the statements directly below it."""
    lines = source.splitlines()
    names: list[str] = []
    comment, end = "", -1
    for statement in ast.parse(source).body:
        first = statement.lineno - 1
        while lines[first - 1].startswith("#:"):
            first -= 1
        if first > end or first < statement.lineno - 1:
            yield names, comment
            names, comment = [], " ".join(line[2:].strip() for line in lines[first : statement.lineno - 1])
        end = statement.end_lineno or statement.lineno
        targets = (
            statement.targets if isinstance(statement, ast.Assign)
            else [statement.target] if isinstance(statement, ast.AnnAssign)
            else []
        )  # fmt: skip
        for target in targets:
            items = target.elts if isinstance(target, ast.Tuple) else [target]
            names += [name.id for name in items if isinstance(name, ast.Name)]
    yield names, comment


# ----------------------------------------------------------------- other ways to write patterns, which forms.toml lists


class Form(NamedTuple):
    """Another way to write a pattern: how it differs, its arguments, and the body of a function of these arguments."""

    title: str
    arguments: tuple[str, ...]
    source: str

    @property
    def definition(self) -> str:
        """The source of the function."""
        return f"def form({', '.join(self.arguments)}):\n{textwrap.indent(self.source, '    ')}\n"

    @property
    def function(self) -> Callable[..., Any]:
        """The function."""
        return _function(self.definition)


#: The names that forms use besides their arguments.
_NAMES: dict[str, Any] = {
    **vars(bits), **vars(fills), **vars(compass), **vars(compass), **vars(islands), **vars(sliders),
    "np": np, "bitreverse": bitreverse, "popcount": popcount, "trailing_zeros": trailing_zeros,
    "king": king, "knight": knight, "king_attacks": king.attacks, "knight_attacks": knight.attacks,
    "_RANKS_1357": np.uint64(0x00FF_00FF_00FF_00FF), "_RANKS_1256": np.uint64(0x0000_FFFF_0000_FFFF),
    "_FILES_ACEG": np.uint64(0x5555_5555_5555_5555), "_FILES_ABEF": np.uint64(0x3333_3333_3333_3333),
    "_FILES_ABCD": np.uint64(0x0F0F_0F0F_0F0F_0F0F),
}  # fmt: skip


@functools.cache
def _function(definition: str) -> Callable[..., Any]:
    scope = dict(_NAMES)
    exec(definition, scope)  # noqa: S102  (the package's own definitions)
    return scope["form"]


def _forms(name: str, listed: list[dict[str, str]]) -> list[Form]:
    topic, _, pattern = name.rpartition(".")
    thing = getattr(importlib.import_module(f"setwise.patterns.{topic}"), pattern)
    arguments = tuple(inspect.signature(thing).parameters)
    return [Form(form["title"], arguments, form["source"].strip("\n")) for form in listed]


#: The forms of each page by its name.
FORMS: dict[str, list[Form]] = {
    name: _forms(name, listed)
    for name, listed in tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8")).items()
}


@functools.cache
def _proofs() -> dict[str, dict[str, Any]]:
    """What is proved of each pattern, as ``make proofs`` has written it."""
    return tomllib.loads(Path(__file__).with_name("proofs.toml").read_text("utf-8"))


# --------------------------------------------------------------------- what a formula names that has no page of its own


_BYTE = 0xFF
#: The names of constants that are the number in words: ``EIGHT``, ``THIRTY_TWO``.
SPELLED = re.compile(r"ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN|ELEVEN|TWELVE|[A-Z]+TEEN|[A-Z]+TY(_[A-Z]+)?")


def helpers_of(function: Callable[..., Any]) -> str:
    """Return the constants and the helpers that a definition names, as Python; an empty text if it names none.

    Helpers are returned without their docstrings. Names that only the helpers use are not followed.

    Example:
        >>> from setwise.catalogue.pages import helpers_of
        >>> print(helpers_of(pawns.isolated.function))
        def sideways(squares):
            return east(squares) | west(squares)
        >>> print(helpers_of(compass.no_ea_ea.function))
        NOT_FILES_AB = 0xfcfc_fcfc_fcfc_fcfc
    """
    tree = ast.parse(definition_of(function) or "pass")
    used = dict.fromkeys(name for statement in tree.body for name in _names_in(statement))
    scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    things = {name: scope[name] for name in used if name in scope}
    words = {name: int(it) for name, it in things.items() if type(it) is np.uint64 and not SPELLED.fullmatch(name)}
    counts = {name for statement in tree.body for name in _shift_counts(statement)}
    numbers = [f"{name} = {_number(it, is_count=name in counts)}" for name, it in words.items()]
    helpers = [text for name, it in things.items() if (text := _written(it, name))]
    return "\n\n".join(["\n".join(numbers)] * bool(numbers) + helpers)


def _number(value: int, *, is_count: bool) -> str:
    """A constant as text: a count in decimal, a set in hexadecimal, a set of a few low bits also in binary."""
    if value > _BYTE:
        return f"0x{value:019_x}" if value > 0xFFFF else f"0x{value:04x}"
    if value == _BYTE:
        return f"{value:#x}"
    return str(value) if is_count or value == 0 else f"{value}  # {value:#b}"


def _shift_counts(statement: ast.AST) -> Iterator[str]:
    """The names of the numbers by which a definition shifts."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift | ast.RShift):
            yield from (it.id for it in ast.walk(node.right) if isinstance(it, ast.Name))


def _names_in(statement: ast.AST) -> Iterator[str]:
    """The names in a definition's body, in the order of their lines."""
    lines = statement.body if isinstance(statement, ast.FunctionDef) else [statement]
    named = [it for line in lines for it in ast.walk(line) if isinstance(it, ast.Name)]
    return (it.id for it in sorted(named, key=lambda it: (it.lineno, it.col_offset)))


def _written(thing: Any, name: str) -> str:
    """The source of a helper without its docstring; empty for a helper that has a page, and for anything else."""
    if isinstance(thing, ByProcessor):
        return f"# on processors with {thing.feature}\n{_written(thing.routine, name)}"
    if isinstance(thing, Embedded):
        return f"def {name}(index):\n    return {thing.parameters[0]}[index]"
    if isinstance(thing, Pattern) or not isinstance(thing, Routine | Entry):
        return ""
    arguments = ", ".join(inspect.signature(thing.function).parameters)
    lines = body(thing.function)
    return f"def {thing.function.__name__}({arguments}):\n{textwrap.indent(lines, '    ')}" if lines else ""


# -------------------------------------------------------------------------------------------------------- the catalogue


class Argument(NamedTuple):
    """An argument: its name, its kind in words, its meaning."""

    name: str
    kind: str
    meaning: str


class Page(NamedTuple):
    """The description of one thing: a pattern, a feature, a function, a table, a column, a word of conditions.

    ``name`` is the name of the thing in Python (``knight.fork_targets``); for a feature or a column it has no module.
    The texts come from the docstring; ``arguments`` and ``returns`` are in words. ``slips`` describes errors of the
    source, ``names`` are other names of the thing.
    """

    name: str
    sort: str
    thing: Any
    summary: str
    definition: str = ""
    arguments: tuple[Argument, ...] = ()
    returns: str = ""
    raises: str = ""
    example: str = ""
    why: str = ""
    traps: str = ""
    slips: str = ""
    names: tuple[str, ...] = ()
    source: str = ""

    @property
    def topic(self) -> str:
        """The topic of the page."""
        return "features" if self.sort == "feature" else self.name.rpartition(".")[0]

    @property
    def bare_name(self) -> str:
        """The name without the module."""
        return self.name.rpartition(".")[2]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of conditions and scans that a feature fills."""
        if self.sort == "feature":
            return f"white_{self.name}", f"black_{self.name}"
        return (self.name,) if self.sort == "column" else ()

    @property
    def function(self) -> FunctionType | None:
        """The function that defines a pattern or a feature; None for anything else."""
        defines = self.sort in {"pattern", "feature"}
        return getattr(self.thing, "definition", None) or getattr(self.thing, "function", None) if defines else None

    @property
    def formula(self) -> str:
        """The source of the definition of a pattern or a feature."""
        return body(self.function) if self.function else ""

    @property
    def helpers(self) -> str:
        """The things without a page that the formula names: other definitions, and constants as numbers."""
        return helpers_of(self.function) if self.function else ""

    @property
    def reason(self) -> str:
        """Why the formula is right: the reason of the page, of the pattern that a feature applies, or of the module."""
        if self.why:
            return self.why
        if self.sort == "feature":
            return f"It is `{self.applies.name}`, applied to this side. {self.applies.reason}" if self.applies else ""
        return _of_section(self.sort, self.thing, "Why")

    @property
    def proof(self) -> str:
        """What is proved of a pattern, or of the pattern that a feature applies: for which boards and how."""
        known = _proofs().get((self.applies.name if self.applies else "") if self.sort == "feature" else self.name)
        if self.function is None or not known or not self.function.__module__.startswith("setwise."):
            return ""
        if known["how"] == "random":
            return f"It is not proved, but compared in random cases: {known['why']}."
        took = f"in under {known['seconds']} s"
        if known["how"] == "tried":
            return f"All {known['cases']:,} cases are tried."
        if known["how"] == "rounds":
            return f"Proved for all boards, round by round of its loop, by a solver {took}."
        many = f" in {known['cases']} cases" if known["cases"] > 1 else ""
        where = f", where {known['where']}" if "where" in known else ""
        return f"Proved for all boards by a solver{many}, {took}{where}."

    @property
    def applies(self) -> Page | None:
        """The pattern that a feature applies to one side; None if the feature does anything else."""
        return _applied(self.thing.definition) if self.sort == "feature" else None

    @property
    def forms(self) -> tuple[Form, ...]:
        """Other ways to write the pattern."""
        return tuple(FORMS.get(self.name, ()))

    @property
    def signature(self) -> str:
        """The arguments and the result, in words."""
        if self.sort == "function":
            return f"{self.name}{inspect.signature(self.thing)}".replace("'", "")
        if self.sort in {"column", "word"}:
            what = (
                "function of conditions" if self.sort == "word" else f"column of conditions and scans, {self.returns}"
            )
            return f"{self.name}: a {what}"
        parameters = ", ".join(f"{argument.name}: {argument.kind}" for argument in self.arguments)
        arguments = f"({parameters})" if self.sort == "pattern" else " of one side" if self.sort == "feature" else ""
        return f"{self.name}{arguments} -> {self.returns}"

    @property
    def sentence(self) -> str:
        """The summary as a noun phrase that names the result."""
        return self.summary.removeprefix("Return ").rstrip(".")


class Topic(NamedTuple):
    """A module of the catalogue, or all features: its name, title, text, and the pages in the order of definition."""

    name: str
    title: str
    text: str
    pages: list[Page]


def topics() -> dict[str, Topic]:
    """Return the topics by name: each module of patterns, including the user's own, and the features."""
    return _topics(_defined())


def pages() -> dict[str, Page]:
    """Return all pages by name: the pages of the topics, and the tables of other modules of patterns."""
    return _pages(_defined())


def is_topic(name: str) -> bool:
    """Return whether a topic has this name; no other topic's module is imported."""
    return name == "features" or bool(name in _module_names() and _topic_of(name)) or name in _own()


def _features() -> Mapping[str, Feature]:
    """All features; this imports their modules, which most pages do not need."""
    from setwise.features import FEATURES

    return FEATURES


def _defined() -> tuple[int, ...]:
    """Return the identities of all definitions: pages are rebuilt when they change."""
    return tuple(map(id, (*PATTERNS.values(), *_features().values())))


@functools.lru_cache(1)
def _topics(defined: tuple[int, ...]) -> dict[str, Topic]:
    from setwise import features

    built = [topic for topic in map(_topic_of, _module_names()) if topic]
    built += [Topic(name, title, "", pages) for name, (title, pages) in _own().items()]
    built.append(_topic("features", features, [_of_callable(name, "feature", it) for name, it in _features().items()]))
    return {topic.name: topic for topic in built}


@functools.lru_cache(1)
def _pages(defined: tuple[int, ...]) -> dict[str, Page]:
    topic_pages = [page for topic in topics().values() for page in topic.pages]
    tables = [table for name in _module_names() if name not in topics() for table in _tables(name, _module(name))]
    return {page.name: page for page in [*topic_pages, *tables]}


def _own() -> dict[str, tuple[str, list[Page]]]:
    """Return the patterns defined outside the package, by the module that defines them."""
    own: dict[str, tuple[str, list[Page]]] = {}
    for name, it in PATTERNS.items():
        if not it.__module__.startswith("setwise."):
            module = name.rpartition(".")[0] or "__main__"
            title = (getattr(sys.modules.get(it.__module__), "__doc__", None) or "Patterns of one's own").partition(
                "\n"
            )[0]
            own.setdefault(module, (title.rstrip("."), []))[1].append(_of_callable(name, "pattern", it))
    return own


def _module_names() -> list[str]:
    """The names of the modules of patterns: topics, and modules that only have tables."""
    return [it.name for it in pkgutil.iter_modules(patterns.__path__)]


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{patterns.__name__}.{name}")


def _files_of(package: ModuleType) -> list[ModuleType]:
    """The modules inside a package."""
    files = pkgutil.iter_modules(getattr(package, "__path__", ()))
    return [importlib.import_module(f"{package.__name__}.{it.name}") for it in files]


@functools.cache
def _topic_of(name: str) -> Topic | None:
    """The topic of a module of patterns; None for a module that only has tables."""
    its_pages = list(_pages_of(name, _module(name)))
    return _topic(name, _module(name), its_pages) if any(page.sort == "pattern" for page in its_pages) else None


def _topic(name: str, module: ModuleType, its_pages: list[Page]) -> Topic:
    title, _, text = inspect.cleandoc(module.__doc__ or "").partition("\n")
    return Topic(name, title.partition(";")[0].rstrip("."), text.strip("\n"), its_pages)


def _pages_of(topic: str, module: ModuleType) -> Iterator[Page]:
    """The tables of a module, and the names in ``__all__`` that are defined in the module or in a file of it."""
    yield from _tables(topic, module)
    for name, value in vars(module).items():
        if name in getattr(module, "__all__", ()) and getattr(value, "__module__", "").startswith(module.__name__):
            if isinstance(value, Pattern):
                yield _of_callable(value.name, "pattern", value)
            elif isinstance(value, FunctionType):
                yield _of_callable(f"{topic}.{name}", "function", value)


def _applied(definition: FunctionType) -> Page | None:
    """Return the page of the pattern whose answer a definition returns unchanged."""
    written = body(definition)
    last = ast.parse(written).body[-1] if written else None  # the source may be missing, as in a notebook
    called = last.value.func if isinstance(last, ast.Return) and isinstance(last.value, ast.Call) else None
    if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
        return None
    thing = getattr(definition.__globals__.get(called.value.id), called.attr, None)
    return at(thing.name) if isinstance(thing, Pattern) else None


_ARGUMENT = re.compile(r"^(\w+): ", re.MULTILINE)


def _of_callable(name: str, sort: str, thing: Any) -> Page:
    parts = sections(thing.__doc__ or "")
    summary, _, definition = parts[""].partition("\n")
    meanings = _ARGUMENT.split(parts.get("Args", ""))
    explained = {name: " ".join(text.split()) for name, text in zip(meanings[1::2], meanings[2::2], strict=True)}
    kinds: Mapping[str, Kind] = thing.kinds if sort == "pattern" else {}
    return Page(
        name,
        sort,
        thing,
        summary,
        definition.strip("\n"),
        tuple(Argument(arg, kinds[arg].name if kinds else "", explained.get(arg, "")) for arg in kinds or explained),
        thing.returns.name if isinstance(thing, Pattern) else parts.get("Returns", ""),
        raises=parts.get("Raises", ""),
        example=parts.get("Example", ""),
        why=parts.get("Why", ""),
        traps=parts.get("Traps", "") or _of_section(sort, thing, "Traps"),
        slips=parts.get("Slips", ""),
        names=tuple(" ".join(parts["Names"].rstrip(".").split()).split(", ")) if "Names" in parts else (),
        source=parts.get("Source", ""),
    )


def _of_section(sort: str, thing: Any, heading: str) -> str:
    """The text under a heading that the patterns of one section of a file have in common."""
    return sections(of_section(thing.function)).get(heading, "") if sort == "pattern" else ""


def _tables(topic: str, module: ModuleType) -> Iterator[Page]:
    """The tables of a module: arrays of words and small numbers with public names, with their ``#:`` comments.

    The tables may be defined in the module or in a file of it.
    """
    assigned = [assignments(inspect.getsource(file)) for file in (module, *_files_of(module))]
    for names, comment in itertools.chain.from_iterable(assigned):
        for name in names:
            table = _as_table(getattr(module, name, None))
            if table is not None and not name.startswith("_"):
                shape = " × ".join(map(str, table.shape))
                yield Page(
                    f"{topic}.{name}",
                    "table",
                    table,
                    _about(name, names, comment),
                    returns=f"table of {shape} numbers, {table.dtype}",
                )


def _about(name: str, names: list[str], comment: str) -> str:
    """Return the part of a comment about one name: from ````NAME[…]`` up to the next name, or all of it."""
    own = comment.partition(f"``{name}[")[2]
    if own:
        others = "|".join(other for other in names if other != name) or "$"
        comment = f"{name}[" + re.split(rf"``(?:{others})\[", own)[0]
    return re.sub(r"`|[,;]?( and)? *$", "", comment)


def _as_table(value: Any) -> np.ndarray | None:
    if isinstance(value, tuple) and value and all(type(item) is np.uint64 for item in value):
        value = np.array(value)
    wanted = isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.name in {"uint64", "uint8", "int8"}
    return value if wanted else None


def at(name: str) -> Page | None:
    """Return the page of a full name, as ``knight.fork_targets`` or a user's pattern; no other topic is imported."""
    module, own = name.rpartition(".")[0] or "__main__", _own()
    topic = _topic_of(module) if module in _module_names() and module not in own else None
    its_pages = topic.pages if topic else own.get(module, ("", []))[1]
    return next((page for page in its_pages if page.name == name), None)
