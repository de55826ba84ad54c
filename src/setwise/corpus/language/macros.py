"""Functions of the language that are replaced by other expressions before anything is read."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import pyarrow as pa

from setwise.corpus.columns.registry import COLUMNS, TAG, lowered
from setwise.corpus.language.alternatives import CAN
from setwise.corpus.language.diagrams import diagram
from setwise.corpus.language.each import EACH
from setwise.corpus.language.materials import material_name
from setwise.corpus.language.repertoires import within_name
from setwise.corpus.language.resemblances import ARGUMENTS, EITHER, RESEMBLANCES, resemblance_name
from setwise.corpus.language.set_names import SETS_BY_NAME, squares
from setwise.corpus.language.symmetry import SYMMETRIES, forms
from setwise.corpus.language.targets import TARGETS
from setwise.corpus.language.tree import (
    Node,
    all_of,
    any_of,
    arguments_of,
    cast,
    column_named,
    constant_of,
    cut,
    expression,
    name_of,
    rewritten,
    text_of,
)
from setwise.errors import QueryError, SetwiseError, shortened
from setwise.position.position import Position

__all__ = ["MACROS", "deferred"]


def _refused(call: Node, expected: str, example: str) -> NoReturn:
    """Raise an error that says what a call takes and, if an argument depends on the row, how to write that."""
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
    if node.get("class") == "COLUMN_REF":
        column = COLUMNS.get(lowered(node["column_names"][-1]))
        return column is not None and pa.types.is_string(getattr(column.type, "value_type", column.type))
    return node.get("class") == "FUNCTION" and name_of(node) in {"||", "concat", "lower", "upper", "replace", "substr"}


def _text(call: Node, expected: str, example: str) -> str:
    """The literal that is the only argument of a call."""
    arguments = arguments_of(call)
    text = constant_of(arguments[0]) if len(arguments) == 1 else None
    if not isinstance(text, str):
        _refused(call, expected, example)
    return text


# --------------------------------------------------------------------------------------------------- sets and diagrams

#: An example of a call of each.
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
        inner = (
            arguments_of(argument)
            if argument.get("class") == "FUNCTION" and name_of(argument) == "list_value"
            else [argument]
        )
        texts += map(constant_of, inner)
    if not texts or not all(isinstance(text, str) for text in texts):
        expected = "one literal or several, each the first field of a FEN"
        _refused(call, expected, "sub_fen('8/8/8/8/8/8/6PP/6K1')")
    return any_of([_has_pieces(text) for text in texts])


def _has_pieces(text: str) -> Node:
    """The condition that what the first field of a FEN says is on the board."""
    conditions = [
        _holds(_union(map(column_named, sorted(columns))), cast(wanted)) for columns, wanted in diagram(text).items()
    ]
    return all_of(conditions) if conditions else expression("true")


def _union(sets: Iterable[Node]) -> Node:
    return functools.reduce(lambda one, other: expression("one | other", one=one, other=other), sets)


#: From a piece to the next one, in each of the eight directions: the way back.
_DIRECTIONS = ("north", "south", "east", "west", "north_east", "north_west", "south_east", "south_west")


def _ray(call: Node) -> Node:
    first, *rest = arguments_of(call) or [expression("0")]
    if not rest:
        _refused(
            call, "two sets or more, each of the next piece on a line", "ray(white_rooks, black_knights, black_king)"
        )
    return _union(_along(direction, [first, *rest]) for direction in _DIRECTIONS)


def _along(direction: str, sets: list[Node]) -> Node:
    """The squares of the first set from which the next piece in a direction is of the second, and so on."""
    *nearer, seen = sets
    for those in reversed(nearer):
        back = expression(f"fills.ray_fill_{direction}(seen, occupied)", seen=seen)
        seen = expression("those & back", those=those, back=back)
    return seen


# ------------------------------------------------------------------------------------------------------ material, names


def _material(call: Node) -> Node:
    texts = list(map(constant_of, arguments_of(call)))
    if not (texts and isinstance(texts[0], str) and texts[1:] in ([], ["white"], ["black"])):
        _refused(
            call,
            "one literal, and 'white' or 'black' where the first side is of that colour",
            "material('KR*P+ v KRP*')",
        )
    return column_named(material_name(*texts))


def _player(call: Node) -> Node:
    part = _text(call, "a part of a name as a literal", "player('carlsen')").lower()
    if not part.strip():
        _refused(call, "a part of a name as a literal", "player('carlsen')")
    wanted = expression("'" + part.replace("'", "''") + "'")
    return expression(
        "coalesce(contains(lower(white_name), part), false) or coalesce(contains(lower(black_name), part), false)",
        part=wanted,
    )


def _position_key(call: Node) -> Node:
    fen = _text(call, "a FEN as a literal", "position_key('4k3/8/8/8/8/8/8/4K2R w K - 0 1')")
    try:
        return expression(str(Position(fen, strict=False).key))
    except SetwiseError as error:
        raise QueryError(f"position_key: {error}") from None


def _resemblance(call: Node) -> Node:
    texts = list(map(constant_of, arguments_of(call)))
    if not (texts and isinstance(texts[0], str) and texts[1:] in ([], [EITHER])):
        _refused(call, ARGUMENTS, f"{name_of(call)}('8/8/8/3p4/3P4/8/8/8')")
    name = resemblance_name(name_of(call), *texts)
    COLUMNS[name]  # which raises the error of a text that is no FEN
    return column_named(name)


#: Whether a position is not in a repertoire and the one before it is; ``inside`` is the column of the repertoire.
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
    found = forms(name_of(call).removeprefix(_LATER), arguments[0])
    return any_of(rewritten(found, _no_longer_deferred))


#: The beginning of the names of symmetries inside ``anywhere``, which no text can have.
_LATER = "inside anywhere "


def deferred(tree: Any, inside: bool = False) -> Any:
    """Return a tree whose symmetries inside ``anywhere`` wait for it: it shifts their squares as they are written."""
    if isinstance(tree, list):
        return [deferred(part, inside) for part in tree]
    if not isinstance(tree, dict):
        return tree
    name = name_of(tree) if tree.get("class") == "FUNCTION" else ""
    parts = {key: deferred(part, (inside or name == "anywhere") and name != "can") for key, part in tree.items()}
    waits = inside and name in SYMMETRIES and name != "anywhere"
    return {**parts, "qualified_name": {"path": [f"{_LATER}{name}"]}} if waits else parts


def _no_longer_deferred(node: Node) -> Node:
    is_deferred = node.get("class") == "FUNCTION" and name_of(node).startswith(_LATER)
    return _either(node) if is_deferred else node


def _is_value(node: Node, *, parameters: bool = False) -> bool:
    """Whether an expression is certainly no condition: a set, a number, a text; or a name that is no column."""
    if node.get("class") == "COLUMN_REF":
        column = COLUMNS.get(lowered(node["column_names"][-1]))
        return parameters if column is None else not pa.types.is_boolean(column.type)
    if node.get("class") == "CONSTANT":
        return node["literal"]["kind"] not in {"BOOLEAN", "NULL_LITERAL"}
    return node.get("class") == "CAST" or (node.get("class") == "FUNCTION" and name_of(node) in {"&", "|", "bit_count"})


# --------------------------------------------------------------------------------------------------- what could happen


def _can(call: Node) -> Node:
    arguments = arguments_of(call)
    if len(arguments) != 1 or _is_value(arguments[0]):
        _refused(call, "one condition of the position that a legal move leads to", "can(is_checkmate)")
    name = f"{CAN}{text_of(arguments[0])})"
    COLUMNS[name]  # which raises the error of a condition that cannot be asked
    return column_named(name)


def _targets(call: Node) -> Node:
    arguments = arguments_of(call)
    if len(arguments) != 1 or arguments[0].get("class") == "LAMBDA":
        _refused(call, "one set", f"{name_of(call)}(own_knights)")
    return expression(_OF_MOVERS, movers=column_named(f"{TARGETS}{name_of(call)}"), those=arguments[0])


#: The union of the targets of the movers on these squares, each the set of its square and that of its targets.
_OF_MOVERS = (
    "coalesce(list_bit_or(list_transform("
    "list_filter(movers, lambda _its: _its[1] & those <> 0), lambda _its: _its[2])), 0::ubigint)"
)


#: The functions that are replaced by other expressions before anything is read.
MACROS: dict[str, Callable[[Node], Node]] = {
    **dict.fromkeys(SETS_BY_NAME, _set_of),
    "has": _has,
    "sub_fen": _sub_fen,
    "ray": _ray,
    "material": _material,
    "player": _player,
    "position_key": _position_key,
    "tag": _tag,
    **dict.fromkeys(RESEMBLANCES, _resemblance),
    "within": _repertoire,
    "leaves": _repertoire,
    **dict.fromkeys(_ONE_BY_ONE, _of_each),
    **dict.fromkeys(SYMMETRIES, _either),
    "can": _can,
    "legal_targets": _targets,
    "pseudo_legal_targets": _targets,
}
