"""Definitions as functions of other languages: one translator of Python's syntax trees, and a table of each syntax.

A definition computes with words of 64 bits, so few kinds of statements and operators are enough, and every language
has them. ``languages.toml`` says how each language writes them. The translator follows the names in a definition: it
writes the constants, the tables and the other definitions that are used, each once and before its use. It infers the
kind of every value, because most languages declare variables with a type. The docstring and the comments of a
definition become comments of the function.
"""

from __future__ import annotations

import ast
import functools
import inspect
import io
import re
import textwrap
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, cast

import numpy as np

from setwise.catalogue.pages import SPELLED, definition_of, sections
from setwise.compiler.definitions import ByProcessor, Entry, Routine
from setwise.compiler.words import Embedded, Operation
from setwise.errors import QueryError, did_you_mean, shortened
from setwise.patterns.bit_tricks import count_by_swar
from setwise.patterns.bits import as_int

# ----------------------------------------------------------------------------------------------------------- languages

_WIDTH, _LONGEST = 100, 116
#: Compilers assume different encodings of a file, so comments are ASCII.
_ASCII = str.maketrans({"–": "-", "−": "-", "×": "x", "…": "..."})
#: Words that some language reserves; a name that is one of them gets an underscore at its end.
_RESERVED = frozenset(
    "auto base bool box byte case char class const default double else enum event extern final fixed float fn for func "
    "go goto if impl import in int interface is let lock long loop match mod move mut native new object operator out "
    "package params pub range ref register return self short signed static string struct super switch this type union "
    "unsafe unsigned use var void volatile where while".split()
)


#: Where a line may be broken.
_BREAK = re.compile(r"[,|&^+*?:] ")


@dataclass(frozen=True)
class Language:
    """How a language writes what a definition needs: an entry of ``languages.toml``."""

    name: str
    syntax: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.syntax[key]

    def spelled(self, name: str, sort: str) -> str:
        """Return a name as the language writes names of a sort: ``names``, ``constants`` or ``tables``."""
        name = re.sub(r"\W", "_", name).strip("_")
        case = self[sort]
        if case in {"upper", "lower", "snake"}:
            name = name.upper() if case == "upper" else name.lower() if case == "lower" else name
        else:
            name = "".join(word[:1].upper() + word[1:].lower() for word in name.split("_"))
            name = name[:1].lower() + name[1:] if case == "camel" else name
        return f"{name}_" if name in _RESERVED else name

    def counter(self, name: str) -> str:
        """Return the name of a counter of a loop; one that is not used may need a name."""
        return self.local("k" if name == "_" and self["counted"] else name)

    def local(self, name: str) -> str:
        """Return the name of a variable."""
        name = re.sub(r"\W", "_", name)
        return f"{name}_" if name in _RESERVED else name

    def number(self, value: int, dtype: np.dtype[Any] | None = None) -> str:
        """Return an item of a table of some type, or a word."""
        if dtype == np.int8:
            return str(value)
        if dtype == np.uint8:
            return f"0x{value:02x}"
        digits = f"{value:016x}"
        return "0x" + self["separator"].join(digits[at : at + 4] for at in range(0, 16, 4)) + self["digits"]

    def rows(self, table: np.ndarray, indent: str) -> str:
        """Return the items of a table in nested brackets, a readable number of them on each line."""
        opening, closing = self["brackets"]
        inner = indent + self["indent"]
        if table.ndim > 1:
            lines = (f"{inner}{self.rows(part, inner)},\n" for part in table)
        else:
            a_line = 4 if table.dtype == np.uint64 else 16
            items = [self.number(item, table.dtype) for item in table.tolist()]
            lines = (f"{inner}{', '.join(items[at : at + a_line])},\n" for at in range(0, len(items), a_line))
        return f"{opening}\n{''.join(lines)}{indent}{closing}"

    def table(self, name: str, table: np.ndarray, form: str = "table") -> str:
        """Return the declaration of a table, or by another ``form`` the announcement of one that follows."""
        item = whole = self["types"].get(table.dtype.name, "")
        for size in reversed(table.shape):
            whole = self["array"].format(inner=whole, size=size)
        sizes = "".join(self["size"].format(size=size) for size in table.shape)
        sizes = sizes[1:] if self["size"] == "," else sizes
        rows = self.rows(table, "") if form == "table" else ""
        return str(self[form].format(name=name, item=item, type=whole, sizes=sizes, rows=rows))

    def broken(self, line: str, indent: str = "", depth: int = 0) -> list[str]:
        """Return a line of code as lines that are not too long, broken behind commas and operators."""
        if len(line) <= _LONGEST or line.lstrip().startswith(self["comment"]):
            return [line]
        indent, places = indent or line[: len(line) - len(line.lstrip())] + 2 * self["indent"], []
        for at, letter in enumerate(line[:_LONGEST]):
            depth += (letter in "([{") - (letter in ")]}")
            if at > len(indent) and _BREAK.match(line, at) and (depth or self["lines"]):
                places.append((-depth, at + 1))
        if not places:
            return [line]
        lost, at = max(places)
        return [line[:at], *self.broken(indent + line[at:].lstrip(), indent, -lost)]

    def remark(self, text: str, width: int = _WIDTH) -> list[str]:
        """Return a text as lines of comments, of which drawings and lists keep their lines."""
        lines: list[str] = []
        for part in text.translate(_ASCII).encode("ascii", "replace").decode().split("\n\n"):
            lines += [""] * bool(lines)
            lines += part.splitlines() if re.search(r"(?m)^  ", part) else textwrap.wrap(part, width)
        return [f"{self['comment']} {line}".rstrip() for line in lines]


@functools.cache
def languages() -> dict[str, Language]:
    """Return the languages by the names that ``--lang`` takes."""
    found: dict[str, Language] = {}
    for name, own in tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8")).items():
        base = found[own["like"]].syntax if "like" in own else {}
        joined = {key: base.get(key, {}) | own.get(key, {}) for key in ("types", "operators")}
        found[name] = Language(name, base | own | joined)
    return found


def language(name: str, among: tuple[str, ...] = (), what: str = "tables") -> Language:
    """Return a language by its name.

    Raises:
        QueryError: for an unknown language, or one in which ``what`` is not written.
    """
    known = among or tuple(languages())
    if name not in known:
        near = did_you_mean(name.lower(), known) or f"; there are {', '.join(known)}"
        raise QueryError(f"{what} are not written in {shortened(name)}{near}")
    return languages()[name]


# ------------------------------------------------------------------ operations that a language lacks, as definitions


_FIFTHS, _THIRDS = np.uint64(0x5555_5555_5555_5555), np.uint64(0x3333_3333_3333_3333)
_NIBBLES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_BYTES, _PAIRS = np.uint64(0x00FF_00FF_00FF_00FF), np.uint64(0x0000_FFFF_0000_FFFF)
_ONE, _TWO, _FOUR, _EIGHT, _SIXTEEN, _THIRTY_TWO = map(np.uint64, (1, 2, 4, 8, 16, 32))


def trailing_zeros(word: np.uint64) -> np.uint64:
    """The number of zeros below the lowest bit, 64 for no bit."""
    return np.uint64(count_by_swar(~word & word - _ONE))


def leading_zeros(word: np.uint64) -> np.uint64:
    """The number of zeros above the highest bit, 64 for no bit."""
    return trailing_zeros(bitreverse(word))


def byteswap(word: np.uint64) -> np.uint64:
    """The bytes in reverse order."""
    pairs = word >> _EIGHT & _BYTES | (word & _BYTES) << _EIGHT
    halves = pairs >> _SIXTEEN & _PAIRS | (pairs & _PAIRS) << _SIXTEEN
    return halves >> _THIRTY_TWO | halves << _THIRTY_TWO


def bitreverse(word: np.uint64) -> np.uint64:
    """The bits in reverse order."""
    ones = word >> _ONE & _FIFTHS | (word & _FIFTHS) << _ONE
    pairs = ones >> _TWO & _THIRDS | (ones & _THIRDS) << _TWO
    return byteswap(pairs >> _FOUR & _NIBBLES | (pairs & _NIBBLES) << _FOUR)


def pick(condition: bool, one: np.uint64, other: np.uint64) -> np.uint64:
    """One of two words."""
    if condition:
        return one
    return other


_WRITTEN: dict[str, Any] = {it.__name__: it for it in (trailing_zeros, leading_zeros, byteswap, bitreverse, pick)}
_WRITTEN["popcount"] = count_by_swar


# ---------------------------------------------------------------------------------------------------------- expressions

WORD, BOOL, INT = "uint64", "bool", "int"


class Value(NamedTuple):
    """The text of an expression, its kind, and its outermost operator; a number also has its value.

    A kind is a name of ``types`` of languages, a class of named tuples, or a tuple of kinds.
    """

    text: str
    kind: Any
    operator: str = ""
    number: int | None = None


class Function(NamedTuple):
    """A function that is written: its name, and the kind of its result."""

    name: str
    returns: Any

    def __call__(self, *_: Any) -> Any:
        """Stand for the function in definitions that are only translated."""


_BINARY: dict[type[ast.operator], str] = {
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul",
    ast.LShift: "shl", ast.RShift: "shr", ast.Mod: "mod",
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_UPDATES = {"and": "&", "or": "|", "xor": "^"}
#: A table of the machine code with more items is filled when a program starts.
MOST_ITEMS = 1 << 12
#: Larger numbers are written with all digits of a set.
_DECIMAL = 1 << 16
#: Operators whose operands of the same operator need no brackets.
_CHAINS = frozenset({"and", "or", "xor", "both", "either"})


def written(source: str, scope: dict[str, Any]) -> FunctionType:
    """Return a function with some source, whose names are those of a scope."""
    scope = dict(scope)
    exec(source, scope)  # noqa: S102  (our own text)
    function: Any = scope[source.partition("def ")[2].partition("(")[0]]
    function.source = source
    return function


class Translator:
    """Functions of one language, with everything that they use, in the order in which it must be declared."""

    def __init__(self, style: Language, instead: dict[Any, Any] | None = None, *, large: int = 1 << 30) -> None:
        self.style = style
        #: Definitions that are replaced: those of eight words at once by those of one word.
        self.instead = instead or {}
        #: Tables with more items are announced in ``declarations``, and are in ``tables``.
        self.large = large
        #: A table of the machine code that a function fills, so that its items need not be written.
        self.filled: Embedded | None = None
        self.declarations: list[str] = []
        self.tables: list[str] = []
        self.texts: list[str] = []
        self._names: dict[str, Any] = {}
        self._functions: dict[Any, Function] = {}
        self._declared: dict[int, tuple[str, Any]] = {}
        self._structs: dict[Any, str] = {}

    def text(self) -> str:
        """Return everything that is written so far."""
        return "\n\n".join([self.declared()] * bool(self.declarations) + self.texts)

    def declared(self) -> str:
        """Return the constants, tables and structures; those of several lines have an empty line around them."""
        lines = (f"\n{it}\n" if "\n" in it else it for it in self.declarations)
        return re.sub("\n{3,}", "\n\n", "\n".join(lines)).strip("\n")

    def name(self, thing: Any, suggested: str, sort: str) -> str:
        """Return the name of a thing; another thing of that name gets the next one."""
        name = self.style.spelled(suggested, sort)
        while self._names.setdefault(name, thing) is not thing:
            name += "_"
        return name

    def constant(self, name: str, word: np.uint64) -> Value:
        """Return a constant; it is declared unless it is a small number."""
        if int(word) == 0 or SPELLED.fullmatch(name.strip("_")):
            return Value(str(int(word)), WORD, number=int(word))
        spelled = self.style.spelled(name, "constants")
        if self._names.setdefault(spelled, int(word)) != int(word):
            return self.constant(f"{name}_", word)
        line = self.style["constant"].format(name=spelled, word=self.style.number(int(word)))
        if line not in self.declarations:
            self.declarations.append(line)
        return Value(spelled, WORD)

    def table(self, name: str, table: np.ndarray) -> tuple[str, np.ndarray]:
        """Return a table with its name; it is declared when it is first used."""
        if id(table) not in self._declared:
            spelled = self.name(table, name, "tables")
            text = self.style.table(spelled, table)
            if table.size > self.large:
                self.tables.append(text)
                text = self.style.table(spelled, table, "forward")
            self.declarations += [text] * bool(text)
            self._declared[id(table)] = spelled, table
        return self._declared[id(table)]

    def embedded(self, embedded: Embedded, name: str) -> str:
        """Return the name of a table of the machine code; a large one is declared without its items."""
        if embedded.table.size <= MOST_ITEMS:
            return self.table(name, embedded.table)[0]
        if embedded is not self.filled:
            raise QueryError(f"a table of {embedded.table.size:,} numbers is not written")
        if id(embedded) not in self._declared:
            spelled = self.name(embedded, name, "tables")
            self.declarations.append(self.style["filled"].format(name=spelled, size=embedded.table.size))
            self._declared[id(embedded)] = spelled, embedded.table
        return self._declared[id(embedded)][0]

    def struct(self, kind: Any) -> str:
        """Return the type of values of a kind."""
        style = self.style
        if isinstance(kind, str):
            return str(style["types"].get(kind, ""))
        if kind not in self._structs:
            if not style["struct"]:
                raise QueryError(f"a definition with several results is not written in {style['title']}")
            if isinstance(kind, tuple):
                if "tuple" in style.syntax:
                    return style["tuple"].format(values=", ".join(map(self.struct, kind)))
                fields = {f"w{n}": it for n, it in enumerate(kind)}
                name = "".join("Word" if it == WORD else it.__name__ if isinstance(it, type) else "Flag" for it in kind)
                name = f"{len(kind)}Words" if set(kind) == {WORD} else name
                name = name if name[0].isalpha() else f"Some{name}"
            else:
                fields, name = dict(fields_of(kind)), kind.__name__
            lines = "\n".join(style["field"].format(type=self.struct(it), name=style.local(field))
                              for field, it in fields.items())  # fmt: skip
            self.declarations.append(style["struct"].format(name=name, fields=lines))
            self._structs[kind] = name
        return self._structs[kind]

    def function(self, definition: Any, suggested: str, kinds: list[Any]) -> Function:
        """Translate a definition for arguments of some kinds; a kind may be a definition that is passed."""
        if isinstance(definition, ByProcessor):
            definition, suggested = definition.otherwise, definition.otherwise.__name__
        definition = definition.function if isinstance(definition, Routine | Entry) else definition
        definition = self.instead.get(definition, definition)
        key = definition, *kinds
        if key not in self._functions:
            name = self.name(definition, suggested, "names")
            body = _Body(self, definition, kinds)
            lines = body.lines()
            body.returns = body.returns or "none"
            self._functions[key] = Function(name, body.returns)
            text = [*self._head(definition, name, body), *lines, *[self.style["end"]] * bool(self.style["end"])]
            self.texts.append("\n".join(broken for line in text for broken in self.style.broken(line)))
        return self._functions[key]

    def _head(self, definition: Any, name: str, body: _Body) -> list[str]:
        style = self.style
        about = sections(definition.__doc__ or "")[""].removeprefix("Return ")
        about = re.sub(r"``?([^`]+)``?", r"\1", re.sub(r"(?m)^::\n\n|:(?=:$)", "", about))
        parameters = ", ".join(
            style["parameter"].format(type=self.struct(kind), name=style["mutable"] * changes + given)
            for given, kind, changes in body.parameters
        )
        head = style["function"].format(returns=self.struct(body.returns), name=name,
                                        parameters=parameters or style["nothing"])  # fmt: skip
        return [*style.remark(about[:1].upper() + about[1:]), re.sub(r" \* (\w)", r" *\1", head)]


def fields_of(kind: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a class of named tuples, each with its kind."""
    scope = vars(inspect.getmodule(kind))
    for name, annotation in inspect.get_annotations(kind).items():
        yield name, kind_of(annotation, scope) or WORD


def kind_of(annotation: Any, scope: dict[str, Any]) -> Any:
    """Return the kind of values that an annotation means; None if it says nothing."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__forward_arg__", "")
    named = scope.get(text)
    if isinstance(named, type) and hasattr(named, "_fields"):
        return named
    if text in {"bool", "int"}:
        return text
    return None if text in {"Any", ""} or "Callable" in text or "[" in text else WORD


class _Body:
    """The body of one definition: its variables, and its statements as lines."""

    def __init__(self, translator: Translator, definition: Any, kinds: list[Any]) -> None:
        self.to, self.style = translator, translator.style
        source = getattr(definition, "source", None) or definition_of(definition)
        [self.tree] = cast("list[ast.FunctionDef]", ast.parse(source).body)
        self.scope = definition.__globals__
        self.returns: Any = None
        self.kinds: dict[str, Any] = {}
        self.passed: dict[str, Any] = {}
        calls = (it.func for it in ast.walk(self.tree) if isinstance(it, ast.Call))
        self.called = {ast.unparse(it).replace(".", "_").strip("_") for it in calls}
        #: The rest of the current block, from the current statement on.
        self.block: list[ast.stmt] = self.tree.body
        self.parameters: list[tuple[str, Any, bool]] = []
        self.copies: list[str] = []
        for argument, kind in zip(self.tree.args.args, kinds, strict=True):
            if callable(kind) and not isinstance(kind, type):
                self.passed[argument.arg] = kind
                continue
            self.kinds[argument.arg] = kind
            changes, name = self._changes(argument.arg, 0), self.local(argument.arg)
            if changes and self.style["fixed"]:
                name, changes = f"given_{name}", False
                self.copies.append(
                    self.style["var"].format(name=argument.arg, type=translator.struct(kind), value=name)
                )
            self.parameters.append((name, kind, changes))
        self.comments: dict[int, str] = {}
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT and not re.match(r"#\s*(noqa|type:|fmt:)", token.string):
                self.comments[token.start[0]] = token.string.lstrip("# ")

    def lines(self) -> list[str]:
        """Return the statements."""
        return [self.style["indent"] + line for line in self.copies] + self._indented(self.tree.body)

    def local(self, name: str) -> str:
        """The name of a variable; it differs from the names of the functions that are called."""
        return self.style.local(f"{name}_" if name in self.called else name)

    def _changes(self, name: str, least: int = 1) -> bool:
        """Whether a variable has more than some assignments in the rest of the current block."""
        nodes = (node for statement in self.block for node in ast.walk(statement))
        return sum(isinstance(it, ast.Name) and isinstance(it.ctx, ast.Store) and it.id == name for it in nodes) > least

    def _indented(self, body: list[ast.stmt]) -> list[str]:
        lines: list[str] = []
        outside, known = self.block, dict(self.kinds)
        for at, statement in enumerate(body):
            self.block = body[at:]
            inner = getattr(statement, "body", None)
            last = inner[0].lineno - 1 if inner else statement.end_lineno or statement.lineno
            above = [self.comments.pop(line) for line in sorted(self.comments) if line < statement.lineno]
            beside = [self.comments.pop(line) for line in sorted(self.comments) if line <= last]
            written = self._statement(statement)
            if len(written) == 1 and len(written[0]) + len("".join(beside)) < _WIDTH:
                written = [f"{written[0]}  {remark}" for remark in self.style.remark(" ".join(beside))] or written
            else:
                above += beside
            lines += self.style.remark(" ".join(above)) + written
        self.block, self.kinds = outside, known  # what a block declares is not known outside
        return [self.style["indent"] + line for line in lines]

    def _braced(self, head: str, body: list[ast.stmt]) -> list[str]:
        return [head, *self._indented(body), *[self.style["end"]] * bool(self.style["end"])]

    def _statement(self, statement: ast.stmt) -> list[str]:
        style = self.style
        match statement:
            case ast.Expr(ast.Constant()):
                return []
            case ast.Expr(value):
                return [style["do"].format(value=self.value(value).text)]
            case ast.Return(value) if value is not None:
                result = self.value(value)
                self.returns = self.returns or result.kind
                return [style["return"].format(value=result.text)]
            case ast.Assign([target], value):
                return self._assigned(target, value)
            case ast.AnnAssign(target, _, value) if value is not None:
                return self._assigned(target, value)
            case ast.AugAssign(ast.Name() as name, operator, changing):
                given, symbol = self.value(changing), _UPDATES.get(_BINARY[type(operator)])
                if symbol and self.kinds.get(name.id) == WORD:
                    text = self._operand(given, given.operator) if given.number is not None else given.text
                    return [style["update"].format(name=self.local(name.id), operator=symbol, value=text)]
                changed = self._binary(_BINARY[type(operator)], self.value(ast.Name(name.id, ast.Load())), given)
                return [style["set"].format(name=self.local(name.id), value=changed.text)]
            case ast.If(test, body, otherwise):
                lines = self._braced(style["if"].format(test=self.value(test).text), body)
                if otherwise:
                    return [*lines[: len(lines) - bool(style["end"])], *self._braced(style["else"].format(), otherwise)]
                return lines
            case ast.While(ast.Constant(), body):
                return self._braced(style["loop"].format(), body)
            case ast.While(test, body):
                return self._braced(style["while"].format(test=self.value(test).text), body)
            case ast.For(ast.Name() as name, ast.Call(ast.Name("range"), [stop]), body):
                self.kinds[name.id] = INT
                head = style["for"].format(name=style.counter(name.id), stop=self.value(stop).text)
                return self._braced(head, body)
            case ast.Break():
                return [style["break"]]
        raise QueryError(f"`{ast.unparse(statement)}` cannot be written in {style['title']}")

    def _assigned(self, target: ast.expr, value: ast.expr) -> list[str]:
        match target, value:
            case ast.Tuple(targets), ast.Tuple(values):
                return self._several(targets, values)
            case ast.Tuple(targets), _:
                return self._unpacked([ast.unparse(it) for it in targets], self.value(value))
            case ast.Subscript(array, at), _ if isinstance(table := self._static(array), Embedded):
                name, index = self.to.embedded(table, ast.unparse(array)), self._form("index", self.value(at)).text
                return [self.style["store"].format(name=name, index=index, value=self.value(value).text)]
            case ast.Subscript(array, at), _:
                item = self._cast(self.value(value), "uint16")
                place = f"{self.value(array).text}[{self.value(at).text}]"
                return [self.style["set"].format(name=place, value=item.text)]
        return [self._stored(ast.unparse(target), self.value(value))]

    def _stored(self, name: str, value: Value) -> str:
        form = "set" if name in self.kinds else "var" if self._changes(name) else "let"
        kind = self.kinds.setdefault(name, value.kind)
        value = self._cast(value, kind)
        return str(self.style[form].format(name=self.local(name), type=self.to.struct(kind), value=value.text))

    def _several(self, targets: list[ast.expr], values: list[ast.expr]) -> list[str]:
        names = [ast.unparse(it) for it in targets]
        for at, value in enumerate(values):
            if {it.id for it in ast.walk(value) if isinstance(it, ast.Name)} & set(names[:at]):
                raise QueryError(f"`{', '.join(names)} = ...` is written one after the other, and depends on the order")
        return [self._stored(name, self.value(value)) for name, value in zip(names, values, strict=True)]

    def _unpacked(self, names: list[str], value: Value) -> list[str]:
        kinds = list(value.kind) if isinstance(value.kind, tuple) else [kind for _, kind in fields_of(value.kind)]
        spelled = [name if name == "_" else self.local(name) for name in names]
        if "unpack" in self.style.syntax and isinstance(value.kind, tuple):
            self.kinds.update({name: kind for name, kind in zip(names, kinds, strict=True) if name != "_"})
            return [self.style["unpack"].format(names=", ".join(spelled), value=value.text)]
        whole = f"of_{spelled[0].replace('_', '') or 'them'}"
        lines = [self.style["let"].format(name=whole, type=self.to.struct(value.kind), value=value.text)]
        for at, (name, kind) in enumerate(zip(names, kinds, strict=True)):
            if name != "_":
                lines.append(self._stored(name, Value(self.style["item"].format(a=whole, n=at), kind)))
        return lines

    # -------------------------------------------------------------------------------------------------- expressions

    def _static(self, node: ast.expr) -> Any:
        """The thing that a name or an attribute of a module means; None for anything else."""
        match node:
            case ast.Name(name) if name not in self.kinds:
                return self.passed.get(name, self.scope.get(name))
            case ast.Attribute(inner, name):
                module = self._static(inner)
                return getattr(module, name, None) if isinstance(module, ModuleType) else None
        return None

    def _operand(self, value: Value, operator: str, *, typed: bool = False) -> str:
        if value.number is not None:
            if value.number > _DECIMAL:
                return self.style.number(value.number)
            return str(self.style["literal" if typed else "number"].format(n=value.number))
        chained = value.operator == operator and operator in _CHAINS
        compared = operator in {"both", "either"} and value.operator in _COMPARED.values()
        return value.text if not value.operator or chained or compared else f"({value.text})"

    def _form(self, operator: str, *operands: Value) -> Value:
        """An operator of the language applied to operands; its kind is the first operand's."""
        form = self.style["operators"].get(operator, "")
        if not form:
            kinds = [BOOL if operator == "pick" and at == 0 else WORD for at in range(len(operands))]
            function = self.to.function(_WRITTEN[operator], _WRITTEN[operator].__name__, kinds)
            return Value(self._called(function.name, operands), WORD)
        texts = {key: self._operand(value, operator) for key, value in zip("abc", operands, strict=False)}
        raw = {key.upper(): self._operand(value, value.operator if value.operator != "pick" else "")
               if value.operator in _CHAINS or not value.operator else f"({value.text})" if value.operator == "pick"
               else value.text for key, value in zip("abc", operands, strict=False)}  # fmt: skip
        text = form.format(**texts, **raw, t=self._operand(operands[0], operator, typed=True))
        outside = re.sub(r"\([^()]*(\([^()]*(\([^()]*\)[^()]*)*\)[^()]*)*\)|\[[^]]*\]", "", text)
        return Value(text, operands[0].kind, operator if re.search(r"[ ~!^]|^-", outside) else "")

    def _called(self, name: str, operands: tuple[Value, ...] | list[Value]) -> str:
        arguments = ", ".join(self._operand(it, it.operator) if it.number is not None else it.text for it in operands)
        return str(self.style["call"].format(name=name, arguments=arguments))

    def _cast(self, value: Value, kind: Any) -> Value:
        """The value as one of another kind, if the kinds are words, flags or numbers."""
        if value.kind == kind or not (isinstance(kind, str) and isinstance(value.kind, str)):
            return value
        if value.number is not None:
            return value._replace(kind=kind, text=self._operand(value, ""))
        if kind == WORD and value.kind == BOOL and not self.style["operators"]["from_bool"]:
            return self._form("pick", value, Value("1", WORD, number=1), Value("0", WORD, number=0))._replace(kind=WORD)
        return self._form(f"from_{value.kind}" if kind == WORD else f"as_{kind}", value)._replace(kind=kind)

    def _binary(self, operator: str, left: Value, right: Value) -> Value:
        if left.kind == BOOL:
            return self._form({"and": "both", "or": "either", "xor": "ne"}[operator], left, right)
        if left.kind == INT and right.kind in {INT, WORD} and left.number is None:
            plain = languages()["c"]["operators"][operator]
            return Value(plain.format(a=self._operand(left, operator), b=self._operand(right, operator), t=left.text),
                         INT, operator)  # fmt: skip
        left, right = self._cast(left, WORD), self._cast(right, WORD)
        if left.number is not None and right.number is not None and operator == "sub":
            return Value("", WORD, number=(left.number - right.number) % 2**64)
        shift = f"shift_{operator}"
        if right.number is None and shift in self.style["operators"]:
            operator = shift
        return self._form(operator, left, right)

    def _unary(self, inner: Value, is_not: bool) -> Value:
        if is_not:
            return self._form("not", inner)
        if inner.number is not None:
            return Value("", WORD, number=2**64 - 1 - inner.number)
        return self._form("invert", self._cast(inner, WORD))

    def value(self, node: ast.expr) -> Value:
        """Translate an expression."""
        static = self._static(node)
        match node:
            case ast.Name(name) if name in self.kinds:
                return Value(self.local(name), self.kinds[name])
            case _ if isinstance(static, np.uint64):
                return self.to.constant(ast.unparse(node).replace(".", "_"), static)
            case ast.Constant(int() as number):
                is_flag = isinstance(number, bool)
                return Value(self.style["flags"][number], BOOL) if is_flag else Value(str(number), INT, number=number)
            case ast.BinOp(left, operator, right):
                return self._binary(_BINARY[type(operator)], self.value(left), self.value(right))
            case ast.UnaryOp(operator, inner):
                return self._unary(self.value(inner), isinstance(operator, ast.Not))
            case ast.Compare(left, [operator], [right]):
                one, other = self.value(left), self.value(right)
                if one.kind != INT or other.kind != INT:
                    one, other = self._cast(one, WORD), self._cast(other, WORD)
                return self._form(_COMPARED[type(operator)], one, other)._replace(kind=BOOL)
            case ast.BoolOp(operator, values):
                sort = "both" if isinstance(operator, ast.And) else "either"
                return functools.reduce(lambda a, b: self._form(sort, a, b), map(self.value, values))
            case ast.IfExp(test, body, otherwise):
                one, other = self.value(body), self.value(otherwise)
                kind = one.kind if one.number is None else other.kind
                return self._form("pick", self.value(test), self._cast(one, kind), self._cast(other, kind))._replace(
                    kind=kind
                )
            case ast.Attribute(inner, name):
                whole = self.value(inner)
                return Value(f"{whole.text}.{self.style.local(name)}", dict(fields_of(whole.kind))[name])
            case ast.Subscript(inner, at):
                return self._item(inner, at)
            case ast.Tuple(items):
                return self._tuple([self._cast(it, WORD) if it.kind == INT else it for it in map(self.value, items)])
            case ast.Call(function, arguments):
                return self._call(function, arguments)
        raise QueryError(f"`{ast.unparse(node)}` cannot be written in {self.style['title']}")

    def _tuple(self, items: list[Value]) -> Value:
        kind = tuple(it.kind for it in items)
        texts = [self._operand(it, it.operator) if it.number is not None else it.text for it in items]
        if "tuple" in self.style.syntax:
            return Value(self.style["tuple"].format(values=", ".join(texts)), kind)
        return Value(self.style["make"].format(name=self.to.struct(kind), values=", ".join(texts)), kind)

    def _item(self, inner: ast.expr, at: ast.expr) -> Value:
        static = self._static(inner)
        if isinstance(static, tuple) and all(isinstance(it, np.uint64) for it in static):
            static = self.scope.setdefault(f"_{ast.unparse(inner)}_as_array", np.array(static))
        if isinstance(static, np.ndarray):
            name, table = self.to.table(ast.unparse(inner).replace(".", "_"), static)
            indices = [self.value(it) for it in (at.elts if isinstance(at, ast.Tuple) else [at])]
            texts = (it.text if it.kind == INT else self._form("index", it).text for it in indices)
            return Value(f"{name}[{self.style['join'].join(texts)}]", table.dtype.name)
        whole = self.value(inner)
        if isinstance(whole.kind, tuple) and isinstance(at, ast.Constant):
            return Value(self.style["item"].format(a=whole.text, n=at.value), whole.kind[int(str(at.value))])
        if whole.kind == "moves":
            return Value(f"{whole.text}[{self.value(at).text}]", "uint16")
        raise QueryError(f"`{ast.unparse(inner)}[...]` cannot be written in {self.style['title']}")

    def _arguments(self, nodes: list[ast.expr]) -> Iterator[Any]:
        """The arguments of a call: values, and definitions that are passed; ``*board[:8]`` passes eight fields."""
        for node in nodes:
            static = self._static(node)
            if isinstance(node, ast.Starred):
                inner, last = node.value, None
                if isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Slice):
                    last = ast.literal_eval(inner.slice.upper) if inner.slice.upper else None
                    inner = inner.value
                whole = self.value(inner)
                for name, kind in list(fields_of(whole.kind))[:last]:
                    yield Value(f"{whole.text}.{self.style.local(name)}", kind)
            elif isinstance(static, Routine | Entry | FunctionType):
                function = getattr(static, "function", static)
                yield self.to.instead.get(function, function)
            else:
                yield self.value(node)

    def _call(self, called: ast.expr, nodes: list[ast.expr]) -> Value:
        static = self._static(called)
        if ast.unparse(called) in {"np.uint64", "np.int64"} or static is as_int:
            [inner] = map(self.value, nodes)
            return self._cast(inner, WORD if ast.unparse(called) == "np.uint64" else INT)
        arguments = list(self._arguments(nodes))
        if isinstance(static, Function):
            return Value(self._called(static.name, arguments), static.returns)
        if isinstance(static, Embedded):
            index = self._form("index", arguments[0]).text
            name = self.to.embedded(static, ast.unparse(called))
            if static.table.size <= MOST_ITEMS:
                return Value(f"{name}[{index}]", WORD)
            text = self.style["load"].format(name=name, index=index)
            return Value(text, WORD, "pick" if " " in text.partition("[")[0] else "")
        if isinstance(static, Operation):
            return self._form(static.name.partition(".")[2], *arguments)._replace(kind=WORD)
        if isinstance(static, type) and hasattr(static, "_fields"):
            kinds, name = dict(fields_of(static)), self.to.struct(static)
            fields = (
                self.style["given"].format(name=self.style.local(field), value=self._operand(it, it.operator))
                for field, it in zip(kinds, arguments, strict=True)
            )
            return Value(self.style["make"].format(name=name, values=", ".join(fields)), static)
        if static is None:
            raise QueryError(f"`{ast.unparse(called)}` cannot be written in {self.style['title']}")
        kinds_ = [it.kind if isinstance(it, Value) else it for it in arguments]
        parameters = inspect.signature(getattr(static, "otherwise", static)).parameters.values()
        kinds_ = [kind_of(it.annotation, getattr(static, "__globals__", {})) or kind if kind == INT else kind
                  for it, kind in zip(parameters, kinds_, strict=True)]  # fmt: skip
        passed = isinstance(called, ast.Name) and called.id in self.passed
        name = static.__name__ if passed or hasattr(static, "source") else ast.unparse(called).replace(".", "_")
        function = self.to.function(static, name, kinds_)
        values = [self._cast(it, kind) for it, kind in zip(arguments, kinds_, strict=True) if isinstance(it, Value)]
        return Value(self._called(function.name, values), function.returns)
