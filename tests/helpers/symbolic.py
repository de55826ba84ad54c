"""Naive twins on all boards at once: their Python is followed as it stands, with sets whose squares are formulas.

Patterns are straight formulas, so ``setwise.proofs`` runs them on symbolic words. Twins are not: they walk along rays,
collect squares in sets, leave loops early. Here every statement of a twin is carried out under a guard, the condition
under which it is reached, and whatever it changes is changed only there. So one pass says what the twin answers for all
boards. The twins themselves are not touched.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import itertools
import operator
import textwrap
from collections.abc import Iterable
from types import FunctionType
from typing import Any

import numpy as np
import z3

from setwise.proofs import Truth, Word, term_of

YES, NO = z3.BoolVal(True), z3.BoolVal(False)


#: z3's own functions for connectives take most of the time in checks of their arguments.
_CONTEXT = z3.main_ctx()


def _connected(make: Any, terms: list[Any]) -> Any:
    items = (z3.Ast * len(terms))(*(it.ast for it in terms))
    return z3.BoolRef(make(_CONTEXT.ref(), len(terms), items), _CONTEXT)


def both(*conditions: Any) -> Any:
    left = [it for it in conditions if it is not YES]
    if any(it is NO for it in left):
        return NO
    return YES if not left else left[0] if len(left) == 1 else _connected(z3.Z3_mk_and, left)


def either(*conditions: Any) -> Any:
    left = list({it.ast.value: it for it in conditions if it is not NO}.values())
    if any(it is YES for it in left):
        return YES
    return NO if not left else left[0] if len(left) == 1 else _connected(z3.Z3_mk_or, left)


def negated(condition: Any) -> Any:
    if condition is YES or condition is NO:
        return NO if condition is YES else YES
    opposite = getattr(condition, "opposite", None)
    if opposite is None:
        opposite = condition.opposite = z3.BoolRef(z3.Z3_mk_not(_CONTEXT.ref(), condition.ast), _CONTEXT)
        opposite.opposite = condition
    return opposite


class Members:
    """A set, each of whose possible members is in it under a condition."""

    def __init__(self, pairs: Iterable[tuple[Any, Any]] = ()) -> None:
        self.of: dict[Any, Any] = {}
        for condition, member in pairs:
            self.of[member] = either(self.of.get(member, NO), condition)

    def has(self, member: Any) -> Any:
        return self.of.get(member, NO)


class Several(list):
    """A list of (condition, item): those that are there, in order."""


class Choice(list):
    """One of several values: (condition, value), exactly one of which holds."""


class Closure:
    """A function that is defined inside a twin."""

    def __init__(self, code: Any, scope: dict[str, Any]) -> None:
        self.code, self.scope = code, scope

    def __call__(self, *arguments: Any) -> Any:
        return call_of(self.code, self.scope, arguments, {})


SYMBOLIC = (Truth, Word, Members, Several, Choice, Closure)


def is_symbolic(value: Any) -> bool:
    if isinstance(value, SYMBOLIC):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype == object
    if isinstance(value, tuple | list | set | frozenset):
        return any(map(is_symbolic, value))
    return isinstance(value, dict) and is_symbolic(list(value.values()))


def pairs_of(value: Any) -> list[tuple[Any, Any]]:
    """What a loop over a value goes through, each item under its condition."""
    if isinstance(value, Members):
        return [(condition, member) for member, condition in value.of.items()]
    return list(value) if isinstance(value, Several) else [(YES, item) for item in value]


def members(value: Any) -> Members:
    if isinstance(value, Members):
        return value
    return Members((both(condition, g), m) for condition, item in pairs_of(value) for g, m in spread(item))


def spread(item: Any) -> list[tuple[Any, Any]]:
    """The values that an item may have."""
    if isinstance(item, Choice):
        return list(item)
    if isinstance(item, tuple) and any(isinstance(it, Choice) for it in item):
        ways = itertools.product(*map(spread, item))
        return [(both(*(g for g, _ in way)), tuple(v for _, v in way)) for way in ways]
    return [(YES, item)]


def truth(value: Any) -> Any:
    """Whether a value is true, as a condition."""
    if isinstance(value, Truth):
        return value.term
    if isinstance(value, Word):
        return value.term != 0
    if isinstance(value, Members | Several):
        return either(*(condition for condition, _ in pairs_of(value)))
    if isinstance(value, np.ndarray) and value.dtype == object:
        return truth(value.item())
    return YES if value else NO


def wrapped(condition: Any) -> Any:
    """A condition as a value: a plain bool where it is known."""
    if (condition is YES) or (condition is NO):
        return bool(condition is YES)
    return Truth(condition)


def merged(condition: Any, yes: Any, no: Any) -> Any:
    """One value where a condition holds, and another where it does not."""
    if (condition is YES) or (condition is NO) or yes is no:
        return no if (condition is NO) else yes
    if isinstance(yes, Members | set | frozenset) and isinstance(no, Members | set | frozenset):
        a, b = members(yes), members(no)
        here, there = (
            ((both(condition, a.has(m)), m) for m in a.of),
            ((both(negated(condition), b.has(m)), m) for m in b.of),
        )
        return Members([*here, *there])
    if isinstance(yes, np.ndarray) and isinstance(no, np.ndarray):
        return np.frompyfunc(lambda a, b: merged(condition, a, b), 2, 1)(yes, no)
    if isinstance(yes, bool | np.bool_ | Truth) and isinstance(no, bool | np.bool_ | Truth):
        return wrapped(either(both(condition, truth(yes)), both(negated(condition), truth(no))))
    if isinstance(yes, bool | int | np.integer | Truth | Word) and isinstance(
        no, bool | int | np.integer | Truth | Word
    ):
        return yes if type(yes) is type(no) is int and yes == no else Word(z3.If(condition, term_of(yes), term_of(no)))
    if isinstance(yes, list) and isinstance(no, list):
        return Several(
            [(both(condition, g), v) for g, v in pairs_of(yes)]
            + [(both(negated(condition), g), v) for g, v in pairs_of(no)]
        )
    if type(yes) is type(no) and not is_symbolic(yes) and yes == no:
        return yes
    raise NotImplementedError(f"either {type(yes).__name__} or {type(no).__name__}")


def total(pairs: list[tuple[Any, Any]], start: Any = 0) -> Any:
    result = start
    for condition, item in pairs:
        result = result + (item if (condition is YES) else Word(z3.If(condition, term_of(item), term_of(0))))
    return result


def least(pairs: list[tuple[Any, Any]], default: Any) -> Any:
    """The least of the numbers that are there."""
    at: dict[int, list[Any]] = {}
    for condition, item in pairs:
        at.setdefault(int(item), []).append(condition)
    result = default
    for number in sorted(at, reverse=True):
        result = merged(either(*at[number]), number, result)
    return result


def contains(container: Any, item: Any) -> Any:
    choices = spread(item)
    if isinstance(container, Members):
        return either(*(both(condition, container.has(value)) for condition, value in choices))
    if isinstance(container, Several):
        return either(*(both(g, condition) for g, it in container for condition, value in choices if it == value))
    return either(*(condition for condition, value in choices if value in container))


def compared(operation: ast.cmpop, left: Any, right: Any) -> Any:
    if isinstance(operation, ast.In | ast.NotIn):
        found = contains(right, left) if is_symbolic(right) or is_symbolic(left) else left in right
        found = found if isinstance(found, bool) else wrapped(found)
        return found if isinstance(operation, ast.In) else wrapped(negated(truth(found)))
    name = {
        ast.Eq: "eq",
        ast.NotEq: "ne",
        ast.Lt: "lt",
        ast.LtE: "le",
        ast.Gt: "gt",
        ast.GtE: "ge",
        ast.Is: "is_",
        ast.IsNot: "is_not",
    }[type(operation)]
    sets = (Members, set, frozenset)
    if isinstance(left, sets) and isinstance(right, sets) and is_symbolic((left, right)):
        a, b = members(left), members(right)
        below = both(*(either(negated(a.has(m)), b.has(m)) for m in a.of))
        above = both(*(either(negated(b.has(m)), a.has(m)) for m in b.of))
        return wrapped({"le": below, "ge": above, "eq": both(below, above), "ne": negated(both(below, above))}[name])
    if any(isinstance(it, np.ndarray) and it.dtype == object for it in (left, right)):
        return np.frompyfunc(getattr(operator, name), 2, 1)(left, right)
    return getattr(operator, name)(left, right)


def combined(operation: ast.operator, left: Any, right: Any) -> Any:
    sets = (Members, set, frozenset)
    if isinstance(left, sets) and isinstance(right, sets) and is_symbolic((left, right)):
        a, b = members(left), members(right)
        match operation:
            case ast.BitAnd():
                return Members((both(a.has(m), b.has(m)), m) for m in a.of if m in b.of)
            case ast.BitOr():
                return Members([*pairs_of(a), *pairs_of(b)])
            case ast.Sub():
                return Members((both(a.has(m), negated(b.has(m))), m) for m in a.of)
    if isinstance(left, list) and isinstance(right, list) and is_symbolic((left, right)):
        return Several([*pairs_of(left), *pairs_of(right)])
    name = {
        ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor", ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul",
        ast.Mod: "mod", ast.FloorDiv: "floordiv", ast.LShift: "lshift", ast.RShift: "rshift", ast.Pow: "pow",
    }[type(operation)]  # fmt: skip
    return getattr(operator, name)(left, right)


def joined_arrays(arrays: Any, join: Any) -> Any:
    """Arrays of truth values, element by element."""
    together = np.frompyfunc(lambda a, b: wrapped(join(truth(a), truth(b))), 2, 1)
    return functools.reduce(together, arrays)


def _array_any(value: Any, axis: Any = None) -> Any:
    return joined_arrays(list(value), either)


#: What a twin calls, for symbolic arguments.
CALLS: dict[Any, Any] = {
    bool: lambda value=False: wrapped(truth(value)),
    len: lambda value: total([(condition, 1) for condition, _ in pairs_of(value)]),
    any: lambda value: wrapped(either(*(both(g, truth(it)) for g, it in pairs_of(value)))),
    all: lambda value: wrapped(both(*(either(negated(g), truth(it)) for g, it in pairs_of(value)))),
    sum: lambda value, start=0: total(pairs_of(value), start),
    set: lambda value=(): members(value),
    frozenset: lambda value=(): members(value),
    list: lambda value=(): Several(pairs_of(value)),
    min: lambda value, default=None: least(pairs_of(value), default),
    map: lambda function, value: Several((g, apply(function, [it], {})) for g, it in pairs_of(value)),
    itertools.product: lambda *values, repeat=1: Several(
        (both(*(g for g, _ in way)), tuple(v for _, v in way))
        for way in itertools.product(*map(pairs_of, values), repeat=repeat)
    ),
    functools.reduce: lambda function, values, start: functools.reduce(
        lambda a, b: apply(function, [a, b], {}), [it for _, it in pairs_of(values)], start
    ),
    np.any: _array_any,
    np.all: lambda value, axis=None: joined_arrays(list(value), both),
    np.sum: lambda value, axis=None: functools.reduce(operator.add, list(value)),
    np.logical_or: lambda a, b: joined_arrays([a, b], either),
    np.array: lambda value: np.array([it for _, it in pairs_of(value)], object),
    np.zeros_like: lambda value: np.full(value.shape, False, object),
}  # fmt: skip


@functools.cache
def names_in(target: Any) -> frozenset[str]:
    return frozenset(it.id for it in ast.walk(target) if isinstance(it, ast.Name))


@functools.cache
def tree_of(function: FunctionType) -> Any:
    return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]


def scope_of(function: FunctionType) -> dict[str, Any]:
    inner = inspect.getclosurevars(function).nonlocals
    return {**vars(builtins), **function.__globals__, **inner}


_known: dict[Any, tuple[Any, Any]] = {}


def apply(function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
    """Call a function; one of the twins is followed if its arguments are symbolic."""
    if isinstance(function, Closure):
        return call_of(function.code, function.scope, arguments, named)
    if not is_symbolic(arguments) and not is_symbolic(list(named.values())):
        return function(*arguments, **named)
    try:
        if function in CALLS:
            return CALLS[function](*arguments, **named)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
    owner = getattr(function, "__self__", None)
    if isinstance(owner, set) and function.__name__ == "union":
        return functools.reduce(lambda a, b: combined(ast.BitOr(), a, b), arguments, Members(pairs_of(owner)))
    if isinstance(function, FunctionType) and function.__module__.startswith("naive"):
        key = (function, *(id(it) if is_symbolic(it) else it for it in arguments), *named.items())
        try:
            if key not in _known:
                _known[key] = (call_of(tree_of(function), scope_of(function), arguments, named, function), arguments)
            return _known[key][0]
        except TypeError as error:
            if "unhashable" not in str(error):
                raise
            return call_of(tree_of(function), scope_of(function), arguments, named, function)
    return function(*arguments, **named)


def call_of(code: Any, scope: dict[str, Any], arguments: Any, named: Any, function: Any = None) -> Any:
    names = [it.arg for it in code.args.args]
    local = dict(zip(names, arguments, strict=False)) | named
    if function is not None and function.__defaults__:
        local = dict(zip(names[-len(function.__defaults__) :], function.__defaults__, strict=True)) | local
    run = Run(scope | local)
    if isinstance(code, ast.Lambda):
        return run.value(code.body)
    left = run.block(code.body, YES)
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(code)):
        return run.yielded
    if left is not NO:
        run.returned.append((left, None))
    *others, (_, result) = run.returned
    for condition, value in reversed(others):
        result = merged(condition, value, result)
    return result


class Run:
    """One call of a function."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.returned: list[tuple[Any, Any]] = []
        self.yielded = Several()
        self.left_loop: list[Any] = []
        self.next_round: list[Any] = []

    def block(self, statements: list[ast.stmt], guard: Any) -> Any:
        """Carry out statements under a guard; return the condition under which the last one is passed."""
        for statement in statements:
            if guard is NO:
                return guard
            guard = getattr(self, f"do_{type(statement).__name__.lower()}")(statement, guard)
        return guard

    def do_expr(self, it: ast.Expr, guard: Any) -> Any:
        match it.value:
            case ast.Yield():
                self.yielded.append((guard, self.value(it.value.value)))
            case ast.YieldFrom():
                self.yielded += [(both(guard, g), v) for g, v in pairs_of(self.value(it.value.value))]
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add" as verb), args=[argument]):
                old, new = self.names[name], self.value(argument)
                if verb == "append":
                    plain = (guard is YES) and not isinstance(old, Several)
                    self.names[name] = [*old, new] if plain else Several([*pairs_of(old), (guard, new)])
                else:
                    self.names[name] = Members(
                        [*pairs_of(members(old)), *((both(guard, g), v) for g, v in spread(new))]
                    )
            case ast.Constant():
                pass
            case _:
                self.value(it.value)
        return guard

    def do_assign(self, it: ast.Assign, guard: Any) -> Any:
        value = self.value(it.value)
        for target in it.targets:
            self.assign(target, value, guard)
        return guard

    def do_annassign(self, it: ast.AnnAssign, guard: Any) -> Any:
        self.assign(it.target, self.value(it.value), guard)
        return guard

    def do_augassign(self, it: ast.AugAssign, guard: Any) -> Any:
        target = it.target
        reading = ast.Name(target.id) if isinstance(target, ast.Name) else ast.Subscript(target.value, target.slice)
        self.assign(target, combined(it.op, self.value(reading), self.value(it.value)), guard)
        return guard

    def assign(self, target: Any, value: Any, guard: Any = YES) -> None:
        match target:
            case ast.Name():
                old = self.names.get(target.id)
                self.names[target.id] = value if old is None else merged(guard, value, old)
            case ast.Tuple():
                for one, item in zip(target.elts, value, strict=True):
                    self.assign(one, item, guard)
            case ast.Subscript():
                owner, place = self.value(target.value), self.value(target.slice)
                owner[place] = merged(guard, value, owner[place])

    def do_return(self, it: ast.Return, guard: Any) -> Any:
        self.returned.append((guard, self.value(it.value)))
        return NO

    def do_if(self, it: ast.If, guard: Any) -> Any:
        condition = truth(self.value(it.test))
        yes = self.block(it.body, both(guard, condition))
        return either(yes, self.block(it.orelse, both(guard, negated(condition))))

    def do_for(self, it: ast.For, guard: Any) -> Any:
        outer = self.left_loop, self.next_round
        self.left_loop = []
        before, targets = set(self.names), names_in(it.target)
        for there, item in pairs_of(self.value(it.iter)):
            self.next_round = []
            for name in (set(self.names) - before) | targets:
                self.names.pop(name, None)  # what a round defines belongs to it
            self.assign(it.target, item)
            out = self.block(it.body, both(guard, there))
            guard = either(both(guard, negated(there)), out, *self.next_round)
        guard = either(guard, *self.left_loop)
        self.left_loop, self.next_round = outer
        return guard

    def do_while(self, it: ast.While, guard: Any) -> Any:
        outer = self.left_loop, self.next_round
        self.left_loop = []
        while (condition := truth(self.value(it.test))) is not NO:
            if condition is not YES:
                raise NotImplementedError("a loop that depends on the board")
            self.next_round = []
            guard = either(self.block(it.body, guard), *self.next_round)
            if guard is NO:
                break
        guard = either(guard, *self.left_loop)
        self.left_loop, self.next_round = outer
        return guard

    def do_break(self, it: ast.Break, guard: Any) -> Any:
        self.left_loop.append(guard)
        return NO

    def do_continue(self, it: ast.Continue, guard: Any) -> Any:
        self.next_round.append(guard)
        return NO

    def do_functiondef(self, it: ast.FunctionDef, guard: Any) -> Any:
        self.names[it.name] = Closure(it, self.names)
        return guard

    # -------------------------------------------------------------------------------------------------- expressions

    def value(self, node: Any) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self.names[node.id]
            case ast.Attribute():
                owner = self.value(node.value)
                if isinstance(owner, np.ndarray) and owner.dtype == object and node.attr in {"any", "all"}:
                    join = either if node.attr == "any" else both
                    return lambda axis=None: joined_arrays(list(owner), join)
                if isinstance(owner, np.ndarray | Truth | Word) and node.attr == "astype" and is_symbolic(owner):
                    return lambda _: owner
                if isinstance(owner, Members):
                    return functools.partial(getattr(self, f"set_{node.attr}"), owner)
                return getattr(owner, node.attr)
            case ast.Tuple() | ast.List() | ast.Set():
                items = self.items(node.elts)
                if isinstance(node, ast.Set):
                    return (
                        members(items)
                        if is_symbolic(items) or any(isinstance(it, Several) for it in items)
                        else set(items)
                    )
                return tuple(items) if isinstance(node, ast.Tuple) else items
            case ast.Dict():
                return {self.value(k): self.value(v) for k, v in zip(node.keys, node.values, strict=True)}
            case ast.UnaryOp(op=ast.Not()):
                found = negated(truth(value := self.value(node.operand)))
                return wrapped(found) if is_symbolic(value) else not value
            case ast.UnaryOp():
                return {ast.Invert: operator.invert, ast.USub: operator.neg}[type(node.op)](self.value(node.operand))
            case ast.BinOp():
                return combined(node.op, self.value(node.left), self.value(node.right))
        return self.compound(node)

    def compound(self, node: Any) -> Any:
        match node:
            case ast.BoolOp():
                return self.connected(node)
            case ast.Compare():
                values = [self.value(it) for it in (node.left, *node.comparators)]
                found = [compared(op, a, b) for op, a, b in zip(node.ops, values, values[1:], strict=False)]
                return found[0] if len(found) == 1 else wrapped(both(*map(truth, found)))
            case ast.IfExp():
                condition = truth(self.value(node.test))
                if (condition is YES) or (condition is NO):
                    return self.value(node.body if (condition is YES) else node.orelse)
                return merged(condition, self.value(node.body), self.value(node.orelse))
            case ast.Subscript():
                return self.item(self.value(node.value), self.value(node.slice))
            case ast.Slice():
                return slice(*(None if it is None else self.value(it) for it in (node.lower, node.upper, node.step)))
            case ast.Lambda():
                return Closure(node, self.names)
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
                found = self.comprehended(node.elt, node.generators, YES, self.names)
                plain = all((g is YES) for g, _ in found)
                if isinstance(node, ast.SetComp):
                    items = [it for _, it in found]
                    return (
                        set(items)
                        if plain and not is_symbolic(items)
                        else Members((both(g, h), v) for g, it in found for h, v in spread(it))
                    )
                return [it for _, it in found] if plain else Several(found)
            case ast.Call():
                arguments = self.items(node.args)
                return apply(self.value(node.func), arguments, {it.arg: self.value(it.value) for it in node.keywords})
        raise NotImplementedError(ast.dump(node))

    def items(self, nodes: list[Any]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                spread_out = self.value(node.value)
                # Only sets whose union is taken: one that is not there is empty.
                found += [merged(condition, item, Members()) for condition, item in pairs_of(spread_out)]
            else:
                found.append(self.value(node))
        return found

    def connected(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        conditions, value = [], None
        for it in node.values:
            value = self.value(it)
            condition = truth(value)
            conditions.append(condition)
            if (condition is NO) if is_and else (condition is YES):
                break
        if all((it is YES) or (it is NO) for it in conditions) and not is_symbolic(value):
            return value
        return wrapped(both(*conditions) if is_and else either(*conditions))

    def item(self, owner: Any, index: Any) -> Any:
        if not isinstance(owner, Several):
            return owner[index]
        if isinstance(index, slice):
            raise NotImplementedError("a part of a list that depends on the board")
        # The condition that exactly so many of the items so far are there.
        counts, choice = [YES] + [NO] * index, Choice()
        for there, item in owner:
            choice += [(both(there, counts[index], g), v) for g, v in spread(item)]
            counts = [
                either(both(counts[k], negated(there)), both(counts[k - 1], there) if k else NO)
                for k in range(index + 1)
            ]
        return choice

    def comprehended(
        self, element: Any, generators: list[Any], guard: Any, names: dict[str, Any]
    ) -> list[tuple[Any, Any]]:
        run = Run(dict(names))
        if not generators:
            return [(guard, run.value(element))]
        first, *rest = generators
        found = []
        for there, item in pairs_of(run.value(first.iter)):
            for name in names_in(first.target):
                run.names.pop(name, None)
            run.assign(first.target, item)
            condition = both(guard, there)
            for test in first.ifs:
                if condition is not NO:
                    condition = both(condition, truth(run.value(test)))
            if condition is not NO:
                found += run.comprehended(element, rest, condition, run.names)
        return found

    @staticmethod
    def set_isdisjoint(own: Members, other: Any) -> Any:
        return wrapped(negated(truth(combined(ast.BitAnd(), own, members(other)))))

    @staticmethod
    def set_copy(own: Members) -> Members:
        return own
