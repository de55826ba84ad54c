"""The functions of conditions: patterns, which have their own names, and macros, which stand for longer conditions.

A pattern is called on whole columns. Its arguments follow its kinds, with one addition: a square may be given as a set,
and a pattern that returns a set then returns the union of its results for all squares of that set. A macro is replaced
by an expression over columns before anything is read: ``has(white_king, 'g1')`` by ``(white_king & squares) =
squares``. Macros take literals where a value must be known before reading; the error for another argument shows an
example. ``MACROS`` has the macros. ``vocabulary.toml`` has the texts about every function in help, completion and the
documentation. A connection that users query themselves gets the functions that need only one row; in place of the other
functions it has macros that raise an explanation.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa

from setwise import patterns
from setwise.bitboard import Bitboard
from setwise.compiler import PATTERNS, Kind, Pattern
from setwise.corpus.columns.openings import aliases_of
from setwise.corpus.columns.registry import CAN, COLUMNS, TAG, TARGETS, lowered, plain_type, type_of
from setwise.corpus.language.names import (
    ARGUMENTS,
    EACH,
    EITHER,
    RESEMBLANCES,
    SETS_BY_NAME,
    Repertoires,
    diagram,
    man_name,
    material_name,
    resemblance_name,
    squares,
    squares_of_each,
    within_name,
)
from setwise.corpus.language.sequences import NOW, SEQUENCES
from setwise.corpus.language.symmetry import SYMMETRIES, forms
from setwise.corpus.language.tree import (
    Node,
    all_of,
    any_of,
    arguments_of,
    called,
    cast,
    column_in,
    column_named,
    constant_of,
    cut,
    expression,
    name_of,
    rewritten,
    text_of,
)
from setwise.errors import QueryError, SetwiseError, did_you_mean, shortened
from setwise.patterns.moves import FORMER
from setwise.position.position import Position
from setwise.system.packages import pc

if TYPE_CHECKING:
    import duckdb


# ------------------------------------------------------------------------------------------ patterns applied to columns


_ONE = np.uint64(1)


def answer(pattern: Pattern, columns: Sequence[pa.Array | pa.ChunkedArray]) -> pa.Array:
    """Return the results of a pattern for each row of some columns; null if an argument is null.

    An argument that is a square can be a number, 0 to 63, or a set (uint64). A set of one square stands for that
    square; for the empty set the result is null. For a set of several squares, a pattern that returns a set returns the
    union of its results for each square; other patterns raise an error. If a pattern returns a square, "no square" is
    null.

    Args:
        pattern: the pattern.
        columns: one column per argument, of integers, or of booleans for flags.

    Raises:
        QueryError: a column has another type, or a row has several squares and the pattern needs one.
        ValueError: a number is out of the argument's range.
    """
    missing: np.ndarray | None = None
    values, set_arguments = [], []
    for at, ((name, kind), column) in enumerate(zip(pattern.kinds.items(), columns, strict=True)):
        array, nulls = _array(pattern, name, kind, column)
        if kind.name == "square" and array.dtype == np.uint64:
            set_arguments.append(at)
            empty = array == 0
            nulls = empty if nulls is None else nulls | empty
        missing = nulls if missing is None else missing if nulls is None else missing | nulls
        values.append(array)
    answers = _of_sets_as_squares(pattern, values, set_arguments, missing) if set_arguments else pattern(*values)
    if pattern.returns.name == "square":
        beyond = answers > pattern.returns.largest
        missing = beyond if missing is None else missing | beyond
    return pa.array(answers, mask=missing).cast(type_of(pattern.returns))


def _array(
    pattern: Pattern, name: str, kind: Kind, column: pa.Array | pa.ChunkedArray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return a column as an array with 0 for null, and the mask of the nulls, which is None if there are no nulls."""
    if pa.types.is_decimal(column.type):  # the type that SQL gives to numbers above 2**63
        column = column.cast(pa.uint64())
    elif pa.types.is_null(column.type):
        column = column.cast(pa.from_numpy_dtype(kind.dtype))
    elif not pa.types.is_integer(column.type) and not pa.types.is_boolean(column.type):
        what = "a text" if pa.types.is_string(plain_type(column.type)) else f"of the type {column.type}"
        raise QueryError(f"{name} of {pattern.name} is a {kind.name}, and a value here is {what}")
    nulls = None
    if column.null_count:
        nulls = _numpy(column.is_null())
        column = column.fill_null(pa.scalar(0).cast(column.type))
    return _numpy(column), nulls


def _numpy(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column.to_numpy()


def _of_sets_as_squares(
    pattern: Pattern, values: list[np.ndarray], set_arguments: list[int], missing: np.ndarray | None
) -> np.ndarray:
    """Return the results if the arguments at the indices ``set_arguments`` are sets passed as squares."""
    several = functools.reduce(np.logical_or, (_are_several(values[at]) for at in set_arguments))
    if missing is not None:
        several &= ~missing
    rows = np.flatnonzero(several)
    if len(rows) and not pattern.returns.is_set:
        at = next(at for at in set_arguments if _are_several(values[at][rows[:1]])[0])
        names = " ".join(Bitboard(int(values[at][rows[0]])).names())
        raise QueryError(
            f"{list(pattern.kinds)[at]} of {pattern.name} is one square, and a row has the set {names!r}: "
            "bits.lowest(set) is its first square"
        )
    answers = pattern(*(_lowest(value) if at in set_arguments else value for at, value in enumerate(values)))
    if len(rows):
        answers[rows] = _union(pattern, [value[rows] for value in values], set_arguments)
    return answers


def _are_several(sets: np.ndarray) -> np.ndarray:
    return (sets & (sets - _ONE)) != 0


def _lowest(sets: np.ndarray) -> np.ndarray:
    """Return the number of each set's lowest square; 0 for the empty set."""
    return np.bitwise_count((sets & -sets) - _ONE) & np.uint8(63)


def _union(pattern: Pattern, values: list[np.ndarray], set_arguments: list[int]) -> np.ndarray:
    """Return the union of the results for each square of the sets; each step takes one square of each row."""
    if not set_arguments:
        return pattern(*values)
    [at, *others] = set_arguments
    union, left = np.zeros(len(values[at]), np.uint64), values[at]
    rows = np.arange(len(left))
    while len(rows):
        arguments = [value[rows] for value in values]
        arguments[at] = _lowest(left[rows])
        union[rows] |= _union(pattern, arguments, others)
        left = left & (left - _ONE)
        rows = np.flatnonzero(left)
    return union


# ----------------------------- functions of the language that are replaced by other expressions before anything is read


def _refused(call: Node, expected: str, example: str) -> NoReturn:
    """Raise an error that says what arguments a call takes and, if an argument depends on the row, what to write."""
    around = ""
    if any(map(_is_computed_text, arguments_of(call))):
        condition = f"case when white_to_move then {example} else … end"
        around = f"; if the text depends on the row, write the case around the call: {condition}"
    raise QueryError(f"{name_of(call)} takes {expected}, as {example}{around}")


def _is_computed_text(node: Node) -> bool:
    """Whether an expression is a text that differs from row to row."""
    if node.get("class") == "CASE":
        results = [node["else_expr"], *(check["then_expr"] for check in node["case_checks"])]
        return any(isinstance(constant_of(result), str) or _is_computed_text(result) for result in results)
    if name := column_in(node):
        column = COLUMNS.get(lowered(name))
        return column is not None and pa.types.is_string(plain_type(column.type))
    return called(node) in {"||", "concat", "lower", "upper", "replace", "substr"}


def _text(call: Node, expected: str, example: str) -> str:
    """Return the literal that is the only argument of a call."""
    return _texts(call, (), expected, example)[0]


def _texts(call: Node, second: Sequence[str], expected: str, example: str) -> list[str]:
    """Return the arguments of a call: a literal, and perhaps one of some texts after it."""
    texts = list(map(constant_of, arguments_of(call)))
    if not (texts and isinstance(texts[0], str) and texts[1:] in [[], *([it] for it in second)]):
        _refused(call, expected, example)
    return texts


# --------------------------------------------------------------------------------------------------- sets and diagrams

#: An example of a call of each function in ``SETS_BY_NAME``.
_EXAMPLES = {"squares": "squares('e4 d5')", "files": "files('a h')", "ranks": "ranks('7 8')"}


def _set_of(call: Node) -> Node:
    name = name_of(call)
    return cast(_set_by_name(call, SETS_BY_NAME[name], _text(call, "names in one literal", _EXAMPLES[name])))


def _set_by_name(call: Node, function: Callable[[str], int], names: str) -> int:
    try:
        return function(names)
    except ValueError as error:
        raise QueryError(f"{name_of(call)}({shortened(names, 30)}): {error}") from None


def _has(call: Node) -> Node:
    arguments = arguments_of(call)
    if len(arguments) != 2 or _is_computed_text(arguments[1]):
        _refused(call, "a set and the squares to be in it as a literal", "has(white_king, 'g1')")
    names = constant_of(arguments[1])
    wanted = cast(_set_by_name(call, squares, names)) if isinstance(names, str) else arguments[1]
    return _holds(arguments[0], wanted)


def _holds(those: Node, wanted: Node) -> Node:
    return expression("(those & wanted) = wanted", those=those, wanted=wanted)


def _sub_fen(call: Node) -> Node:
    texts: list[Any] = []
    for argument in arguments_of(call):
        texts += map(constant_of, arguments_of(argument) if called(argument) == "list_value" else [argument])
    if not texts or not all(isinstance(text, str) for text in texts):
        expected = "one literal or several, each the first field of a FEN"
        _refused(call, expected, "sub_fen('8/8/8/8/8/8/6PP/6K1')")
    return any_of([_has_pieces(text) for text in texts])


def _has_pieces(text: str) -> Node:
    """Return the condition that the board has the pieces and empty squares of the first field of a FEN."""
    conditions = [
        _holds(_union_node(map(column_named, sorted(columns))), cast(wanted))
        for columns, wanted in diagram(text).items()
    ]
    return all_of(conditions) if conditions else expression("true")


def _union_node(sets: Iterable[Node]) -> Node:
    return functools.reduce(lambda one, other: expression("one | other", one=one, other=other), sets)


#: The eight directions of rays, from the last piece of a ray back to its first piece.
_DIRECTIONS = ("north", "south", "east", "west", "north_east", "north_west", "south_east", "south_west")


def _ray(call: Node) -> Node:
    first, *rest = arguments_of(call) or [expression("0")]
    if not rest:
        expected = "two sets or more, each of the next piece on a line"
        _refused(call, expected, "ray(white_rooks, black_knights, black_king)")
    return _union_node(_along(direction, [first, *rest]) for direction in _DIRECTIONS)


def _along(direction: str, sets: list[Node]) -> Node:
    """Return the squares of the first set from which the next piece on the ray is in the second set, and so on.

    ``direction`` points back, from the last set to the first.
    """
    *nearer, seen = sets
    for those in reversed(nearer):
        back = expression(f"fills.ray_fill_{direction}(seen, occupied)", seen=seen)
        seen = expression("those & back", those=those, back=back)
    return seen


# ------------------------------------------------------------------------------------------------------ material, names


def _material(call: Node) -> Node:
    expected = "one literal, and 'white' or 'black' where the first side is of that colour"
    return column_named(material_name(*_texts(call, ("white", "black"), expected, "material('KR*P+ v KRP*')")))


def _man(call: Node) -> Node:
    names = _text(call, "the square on which a piece began, as a literal", "man('b1')")
    try:
        return column_named(man_name(names))
    except ValueError as error:
        raise QueryError(f"man({shortened(names, 30)}): {error}: write the square on which a piece began") from None


def _player(call: Node) -> Node:
    part = _text(call, "a part of a name as a literal", "player('carlsen')")
    part = "".join(letter.lower()[0] for letter in part)  # as DuckDB does, which makes one letter of each
    if not part.strip():
        _refused(call, "a part of a name as a literal", "player('carlsen')")
    literals = ["'" + name.replace("'", "''") + "'" for name in (part, *aliases_of(part))]
    ways = [f"contains(lower({{}}), {literals[0]})", f"lower({{}}) in ({', '.join(literals[1:])})"][: len(literals)]
    names = ("white_name", "black_name")
    return expression(" or ".join(f"coalesce({way.format(name)}, false)" for way in ways for name in names))


def _position_key(call: Node) -> Node:
    fen = _text(call, "a FEN as a literal", "position_key('4k3/8/8/8/8/8/8/4K2R w K - 0 1')")
    try:
        return expression(str(Position(fen, strict=False).key))
    except SetwiseError as error:
        raise QueryError(f"position_key: {error}") from None


def _resemblance(call: Node) -> Node:
    texts = _texts(call, [EITHER], ARGUMENTS, f"{name_of(call)}('8/8/8/3p4/3P4/8/8/8')")
    name = resemblance_name(name_of(call), *texts)
    COLUMNS[name]  # raises an error if the text is not a FEN
    return column_named(name)


#: Whether a position is outside a repertoire and the position before it is inside; ``inside`` is the column.
_LEAVING = "(not inside and coalesce(previous(inside), false))"


def _repertoire(call: Node) -> Node:
    name = name_of(call)
    file = _text(call, "the name of a file of games as a literal", f"{name}('repertoire.pgn')")
    inside = column_named(within_name(file))
    return inside if name == "within" else expression(f"({_LEAVING} and not earlier({_LEAVING}))", inside=inside)


def _tag(call: Node) -> Node:
    return column_named(TAG + _text(call, "the name of a tag as a literal", "tag('WhiteRatingDiff')"))


# ---------------------------------------------------------------------------------------------------------- each piece

_ONE_BY_ONE = {
    "any_of": "len(list_filter(squares, ask)) > 0",
    "all_of": "len(list_filter(squares, ask)) = bit_count(those)",
    "count_of": "len(list_filter(squares, ask))::integer",
}


def _of_each(call: Node) -> Node:
    arguments = arguments_of(call)
    is_asked = len(arguments) == 2 and arguments[1].get("class") == "LAMBDA"
    if not is_asked or _is_value(arguments[1]["expr"], parameters=True):
        name = name_of(call)
        _refused(
            call, "a set and a condition of one of its squares",
            f"{name}(own_knights, lambda s: bit_count(knight.attacks(s) & ~own_pieces) <= 1)",
        )  # fmt: skip
    those, ask = arguments
    parts = {"those": those, "ask": ask, "squares": expression(f"{EACH}(those)", those=those)}
    return expression(_ONE_BY_ONE[name_of(call)], **parts)


# ------------------------------------------------------------------------------------------------------------- symmetry


def _either(call: Node) -> Node:
    arguments = arguments_of(call)
    if len(arguments) != 1 or _is_value(arguments[0]):
        what = f", and {cut(text_of(arguments[0]))} is a value" if len(arguments) == 1 else ""
        _refused(call, "one condition", f"{name_of(call)}(has(white_king, 'g1')){what}")
    images = forms(name_of(call).removeprefix(_LATER), arguments[0])
    return any_of(rewritten(images, _no_longer_deferred))


#: The beginning of the names of symmetries inside ``anywhere``; no function in a condition can have such a name.
_LATER = "inside anywhere "


def deferred(tree: Any, inside: bool = False) -> Any:
    """Return a tree in which symmetries inside ``anywhere`` are expanded after it: it shifts the squares as written."""
    if isinstance(tree, list):
        return [deferred(part, inside) for part in tree]
    if not isinstance(tree, dict):
        return tree
    name = called(tree)
    parts = {key: deferred(part, (inside or name == "anywhere") and name != "can") for key, part in tree.items()}
    waits = inside and name in SYMMETRIES and name != "anywhere"
    return {**parts, "qualified_name": {"path": [f"{_LATER}{name}"]}} if waits else parts


def _no_longer_deferred(node: Node) -> Node:
    return _either(node) if called(node).startswith(_LATER) else node


def _is_value(node: Node, *, parameters: bool = False) -> bool:
    """Whether an expression cannot be a condition: a set, a number, a text; with ``parameters``, also unknown names."""
    if name := column_in(node):
        column = COLUMNS.get(lowered(name))
        return parameters if column is None else not pa.types.is_boolean(column.type)
    if node.get("class") == "CONSTANT":
        return node["literal"]["kind"] not in {"BOOLEAN", "NULL_LITERAL"}
    return node.get("class") == "CAST" or called(node) in {"&", "|", "bit_count"}


# --------------------------------------------------------------------------------------------------- what could happen


def _can(call: Node) -> Node:
    arguments = arguments_of(call)
    if len(arguments) != 1 or _is_value(arguments[0]):
        _refused(call, "one condition of the position that a legal move leads to", "can(is_checkmate)")
    name = f"{CAN}{text_of(arguments[0])})"
    COLUMNS[name]  # raises an error for an invalid condition
    return column_named(name)


def _targets(call: Node) -> Node:
    arguments = arguments_of(call)
    if len(arguments) != 1 or arguments[0].get("class") == "LAMBDA":
        _refused(call, "one set", f"{name_of(call)}(own_knights)")
    return expression(_OF_MOVERS, movers=column_named(f"{TARGETS}{name_of(call)}"), those=arguments[0])


#: The union of the targets of the movers on the squares ``those``; a mover is the set of its square, then its targets.
_OF_MOVERS = (
    "coalesce(list_bit_or(list_transform("
    "list_filter(movers, lambda _its: _its[1] & those <> 0), lambda _its: _its[2])), 0::ubigint)"
)


#: The functions that are replaced by other expressions before anything is read.
MACROS: dict[str, Callable[[Node], Node]] = {
    **dict.fromkeys(SETS_BY_NAME, _set_of),
    "has": _has, "sub_fen": _sub_fen, "ray": _ray, "man": _man, "material": _material, "player": _player,
    "position_key": _position_key, "tag": _tag,
    **dict.fromkeys(RESEMBLANCES, _resemblance), **dict.fromkeys(("within", "leaves"), _repertoire),
    **dict.fromkeys(_ONE_BY_ONE, _of_each), **dict.fromkeys(SYMMETRIES, _either),
    "can": _can, **dict.fromkeys(("legal_targets", "pseudo_legal_targets"), _targets),
}  # fmt: skip


# ---------------------------------------------------------------------------------------- the functions of the language


_TYPES = {
    pa.uint64(): "UBIGINT", pa.uint8(): "UTINYINT", pa.int32(): "INTEGER", pa.int16(): "SMALLINT", pa.bool_(): "BOOLEAN"
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- patterns


def known_patterns() -> dict[str, Pattern]:
    """Return all patterns by name: the patterns of the catalogue and the patterns that the user has defined."""
    return {
        name: pattern
        for name, pattern in (_catalogue_patterns() | PATTERNS).items()
        if not name.rpartition(".")[2].startswith("_")
    }


@functools.cache
def _catalogue_patterns() -> dict[str, Pattern]:
    """The patterns of the catalogue, of every kind."""
    import pkgutil

    names = (f"{patterns.__name__}.{it.name}" for it in pkgutil.iter_modules(patterns.__path__))
    modules = map(importlib.import_module, names)
    values = (value for module in modules for value in vars(module).values())
    return {value.name: value for value in values if isinstance(value, Pattern)}


def pattern_named(name: str) -> Pattern | None:
    """Return the pattern that has or had this name, or None."""
    if "." not in name:  # only patterns of a script have no topic: the catalogue need not be imported
        return PATTERNS.get(name)
    return known_patterns().get(name) or FORMER.get(name)


def function_names() -> list[str]:
    """Return the names of all functions of the language, without the functions of SQL."""
    return [*MACROS, EACH, *SEQUENCES, *known_patterns()]


#: Functions of SQL that people look for under other names.
_OF_SQL = """bit_count regexp_matches starts_with ends_with contains lower upper substr length coalesce greatest least
abs round""".split()


def way_of_function(name: str) -> str:
    """Return the end of a message about an unknown function: the column that it may mean, or similar functions."""
    from setwise.corpus.lexicon import is_like, way_of

    known = [*function_names(), *_OF_SQL]
    meaning = "" if is_like(name, known) else way_of(name.rpartition(".")[2], misspelt=False)
    return meaning or did_you_mean(name, known)


def register(database: duckdb.DuckDBPyConnection, pattern: Pattern) -> None:
    """Define a pattern as a function of a database, under its Python name."""

    def call(*columns: pa.ChunkedArray) -> pa.Array:
        return answer(pattern, columns)

    # DuckDB reads the number of arguments from the signature. They have no types, as a square is a number or a set.
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in pattern.kinds]
    )
    returns = _TYPES[type_of(pattern.returns)]
    database.create_function(pattern.name, call, None, returns, type="arrow", null_handling="special")  # type: ignore[call-overload]


def expanded(call: Node, named: dict[str, Pattern]) -> Node:
    """Return the expression that a call stands for; if it calls a pattern, the pattern is added to ``named``."""
    name = name_of(call)
    if name in MACROS:

        def with_patterns(node: Node) -> Node:  # macros call patterns by their full names
            return expanded(node, named) if "." in called(node) else node

        replaced: Node = rewritten(MACROS[name](call), with_patterns)
        return replaced
    pattern = pattern_named(name)
    if pattern is None:
        if "." in name:
            _refuse_methods(call)
            raise QueryError(f"there is no function {cut(name)}{way_of_function(name)}")
        return call
    if name != pattern.name:
        warnings.warn(f"{name} is now called {pattern.name}", DeprecationWarning, stacklevel=2)
        name = pattern.name
    count = len(arguments_of(call))
    if count != len(pattern.kinds):
        arguments = "1 argument" if len(pattern.kinds) == 1 else f"{len(pattern.kinds)} arguments"
        raise QueryError(f"{name} takes {arguments} ({', '.join(pattern.kinds)}), not {count}")
    named[name] = pattern
    return {**call, "function_name": name, "schema": "", "catalog": "", "qualified_name": {"path": [name]}}


def _refuse_methods(call: Node) -> None:
    """Raise an error for a call that is written as a method of a column: ``own_pawns.count()``."""
    *_, written, method = call["qualified_name"]["path"]
    column = COLUMNS.get(lowered(written))
    if column is None:
        return
    name = method.lower().removesuffix("_star")
    arguments = "".join(f", {text_of(argument)}" for argument in arguments_of(call))
    instead = f"{name}({written}{arguments})"
    if column.is_set:
        counts = name in {"count", "len", "length", "size", "bit_count", "popcount"}
        instead = f"bit_count({written})" if counts else f"has({written}, 'e4')" if name == "contains" else instead
    raise QueryError(f"{written}.{name}(…) is not SQL: a function stands before what it takes, as in {cut(instead)}")


#: The function that ``within`` calls on a connection; its second argument is the key of a position.
_WITHIN = "_within"
#: The functions that become expressions over more columns or rows than their arguments, or that take lambdas.
_REWRITTEN = (*(name for name in MACROS if name not in {*SETS_BY_NAME, "has"}), *SEQUENCES)


def define_each(database: duckdb.DuckDBPyConnection) -> None:
    """Define ``each`` as a function of a database."""
    database.create_function(EACH, squares_of_each, ["UBIGINT"], "UBIGINT[]", type="arrow", null_handling="special")  # type: ignore[call-overload]


def define_macros(database: duckdb.DuckDBPyConnection, repertoires: Repertoires) -> None:
    """Define the functions that need only one row as functions of a database that users query themselves.

    Args:
        database: the database.
        repertoires: the repertoires that ``within('…', key)`` may name; they are read now.
    """
    loaded = {file: repertoires.load(file).repertoire for file in repertoires.files}

    def within(names: pa.ChunkedArray, keys: pa.ChunkedArray) -> pa.Array:
        keys, flags = keys.to_numpy(), np.zeros(len(keys), np.bool_)
        for name in pc.unique(names).to_pylist():
            rows = pc.equal(names, name).to_numpy()
            flags[rows] = loaded[repertoires.path_of(name)].has(keys[rows])
        return pa.array(flags)

    database.create_function(_WITHIN, within, ["VARCHAR", "UBIGINT"], "BOOLEAN", type="arrow")  # type: ignore[call-overload]
    for name, function in SETS_BY_NAME.items():
        database.create_function(name, function, ["VARCHAR"], "UBIGINT")
    database.execute("create macro has(those, names) as (those & squares(names)) = squares(names)").fetchall()
    for name in _REWRITTEN:
        why = f"{name} is for setwise.sql and setwise.find, which rewrite it; a connection has the functions of one row"
        forms = [f"({', '.join(f'_{at}' for at in range(count))}) as error('{why}')" for count in (1, 2, 3)]
        clock = ["() as system.main.now()"] if name == NOW else []
        if name == "within":
            why = "a connection reads rows alone: write within(''white.pgn'', key)"
            forms = [f"(file) as error('{why}')", f"(file, key) as {_WITHIN}(file, key)"]
        database.execute(f"create macro {name}{', '.join([*clock, *forms])}").fetchall()
    for name, pattern in (FORMER | known_patterns()).items():
        topic, _, bare = name.rpartition(".")
        if topic:
            parameters = ", ".join(f"_{number}" for number in range(len(pattern.kinds)))
            database.execute(f'create schema if not exists "{topic}"').fetchall()
            macro = f'create macro "{topic}"."{bare}"({parameters}) as "{pattern.name}"({parameters})'
            database.execute(macro).fetchall()


# ---------------------------------------------- the functions of the language besides patterns and the functions of SQL


class Usage(NamedTuple):
    """A function: an example call, its meaning, a condition with it, its names in other programs, options it needs."""

    call: str
    meaning: str
    example: str
    names: Sequence[str] = ()
    options: str = ""


@functools.cache
def vocabulary() -> dict[str, Usage]:
    """Return the functions by name, as ``vocabulary.toml`` lists them."""
    import tomllib

    listed = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text("utf-8"))
    return {name: Usage(**it) for name, it in listed.items()}


def word_of(name: str) -> Usage | None:
    """Return the function with a name or a call, or with a name from other programs; None for any other text.

    >>> word_of("streak(c)").call, word_of("flipcolor").call, word_of("castle")
    ('streak(c)', 'either_colour(c)', None)
    """
    bare = name.partition("(")[0].strip().lower()
    return vocabulary().get(bare) or next((word for word in vocabulary().values() if bare in word.names), None)
