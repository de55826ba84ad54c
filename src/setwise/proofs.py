"""Proofs that two patterns, or a pattern and a rule about single squares, are equal for all boards.

A definition runs unchanged on symbolic words: its operators build a formula of 64-bit words instead of a number. Where
it branches, both ways are followed and their results are joined. The solver z3 then looks for arguments on which two
formulas differ. If it proves that there are none, the definitions are equal for all 2**64 sets, or for all pairs of
sets; otherwise the arguments that it finds become a `Counterexample`, which prints as boards. Arguments with few values
(squares, filesets, flags) are taken one value after the other, each as a constant. A proof is about definitions: the
machine code that is compiled from them is compared elsewhere.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import itertools
import math
import operator
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import CellType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from setwise.bitboard import Bitboard, parse_square
from setwise.compiler import PATTERNS, Pattern
from setwise.compiler.definitions import ByProcessor, Entry, Routine
from setwise.compiler.words import (
    Embedded,
    InCompiledCode,
    bitreverse,
    byteswap,
    leading_zeros,
    popcount,
    trailing_zeros,
)
from setwise.errors import DefinitionError, SetwiseError, did_you_mean
from setwise.system.packages import Later

if TYPE_CHECKING:
    import z3
else:
    z3 = Later("z3")

__all__ = ["Counterexample", "Proof", "prove"]

_ALL = 2**64 - 1
#: The most values that arguments which are not sets are tried with, and the most cases without any set.
_MOST_CASES, _MOST_TRIED = 4096, 2**20
#: The most ways through a definition that are followed, and the most decisions on one way.
_MOST_WAYS, _MOST_DECISIONS = 1000, 80
#: Seconds for the search for the smallest counterexample.
_SHRINKING = 3.0


# ------------------------------------------------------------------------------- words and truth values as formulas


class Truth:
    """A truth value as a formula; where Python needs to know it, both cases are followed."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, term: Any) -> None:
        self.term = term

    def __bool__(self) -> bool:
        return _decided(self.term)

    def __invert__(self) -> Truth:
        return Truth(z3.Not(self.term))


class Word:
    """A word of 64 bits as a formula."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, term: Any) -> None:
        self.term = term

    def __bool__(self) -> bool:
        return _decided(truth_of(self))

    def __invert__(self) -> Word:
        return Word(~self.term)

    def __neg__(self) -> Word:
        return Word(-self.term)

    def __truediv__(self, other: object) -> None:
        raise DefinitionError("it divides by /, which makes a float; // makes a word")

    __rtruediv__ = __truediv__

    def __index__(self) -> int:
        if not _is_known(self.term):
            raise DefinitionError("it uses a word that depends on the arguments as a number of rounds or as an index")
        number: int = self.term.as_long()
        return number

    def byteswap(self) -> Word:
        """The word with its bytes reversed."""
        return Word(z3.Concat(*(z3.Extract(8 * k + 7, 8 * k, self.term) for k in range(8))))


def term_of(value: Any) -> Any:
    """Return a number, a truth value or a symbolic word as a formula of 64 bits."""
    if isinstance(value, Word):
        return value.term
    if isinstance(value, Truth):
        return z3.If(value.term, z3.BitVecVal(1, 64), z3.BitVecVal(0, 64))
    if isinstance(value, bool | int | np.bool_ | np.integer):
        return z3.BitVecVal(int(value) & _ALL, 64)
    raise DefinitionError(f"it computes with {type(value).__name__}, and proofs are about words of 64 bits")


def truth_of(value: Any) -> Any:
    """Return a truth value, or whether a word is not zero, as a formula."""
    return value.term if isinstance(value, Truth) else _folded(term_of(value) != 0, term_of(value))


def _is_known(term: Any) -> bool:
    """Whether a formula is a constant."""
    return z3.is_bv_value(term) or z3.is_true(term) or z3.is_false(term)


def _folded(formula: Any, *parts: Any) -> Any:
    """A formula, as a constant if all its parts are; to simplify every formula would take most of the time."""
    return z3.simplify(formula) if all(map(_is_known, parts)) else formula


def _operator(build: Any, kind: type, of: Callable[[Any], Any] = term_of, *, reflected: bool = False) -> Any:
    """A method for an operator: ``build`` makes the formula, a function or the name of one of z3."""

    def operation(self: Any, other: Any) -> Any:
        a, b = (of(other), of(self)) if reflected else (of(self), of(other))
        return kind(_folded((getattr(z3, build) if isinstance(build, str) else build)(a, b), a, b))

    return operation


def _connective(build: str, name: str) -> Any:
    """A method for an operator of truth values, which are numbers beside numbers."""
    truths, words = _operator(build, Truth, truth_of), getattr(Word, name)
    return lambda self, other: (truths if isinstance(other, Truth | bool | np.bool_) else words)(self, other)


def _define_operators() -> None:
    arithmetic = {
        "and": operator.and_, "or": operator.or_, "xor": operator.xor, "add": operator.add, "sub": operator.sub,
        "mul": operator.mul, "lshift": operator.lshift, "rshift": "LShR", "floordiv": "UDiv", "mod": "URem",
    }  # fmt: skip
    comparisons = {"eq": operator.eq, "ne": operator.ne, "lt": "ULT", "le": "ULE", "gt": "UGT", "ge": "UGE"}
    for kind in (Word, Truth):
        for name, build in arithmetic.items():
            setattr(kind, f"__{name}__", _operator(build, Word))
            setattr(kind, f"__r{name}__", _operator(build, Word, reflected=True))
        for name, build in comparisons.items():
            setattr(kind, f"__{name}__", _operator(build, Truth))
    for name, of_truths in {"and": "And", "or": "Or", "xor": "Xor"}.items():
        for method in (f"__{name}__", f"__r{name}__"):
            setattr(Truth, method, _connective(of_truths, method))


_define_operators()


class Squares:
    """A set in a rule about squares: ``(file, rank) in pawns``, ``"e4" in pawns``, ``pawns[file, rank]``.

    Files and ranks are 0 to 7; a place off the board is never in a set.
    """

    def __init__(self, term: Any) -> None:
        self.term = term

    def __getitem__(self, place: Any) -> Truth:
        square = parse_square(place) if isinstance(place, str) else place
        if isinstance(square, tuple):
            file, rank = square
            square = 8 * rank + file if 0 <= file < 8 and 0 <= rank < 8 else None
        if square is None:
            return Truth(z3.BoolVal(val=False))
        return Truth(_folded(z3.Extract(square, square, self.term) == 1, self.term))

    def __contains__(self, place: Any) -> bool:
        return bool(self[place])

    def __iter__(self) -> Any:
        raise TypeError("a rule asks whether a square is in a set, as in `(file - 1, rank) in pawns`")


# ------------------------------------------------------------------------------- definitions that run on formulas


@dataclass
class _Way:
    """One way through a definition: how its branches are decided, and the ways that are left for later."""

    decisions: list[bool]
    conditions: list[Any] = field(default_factory=list)
    known: dict[int, bool] = field(default_factory=dict)
    left: list[list[bool]] = field(default_factory=list)


_ways: list[_Way] = []
#: When the present proof is given up.
_ends = [math.inf]


class _TooLong(Exception):
    """There is no time left."""


def _left() -> float:
    """The seconds that are left."""
    left = _ends[-1] - time.perf_counter()
    if left <= 0:
        raise _TooLong
    return left


def _decided(term: Any) -> bool:
    """The value of a condition on the present way."""
    if z3.is_not(term):
        return not _decided(term.arg(0))
    if _is_known(term):
        return bool(z3.is_true(term))
    way = _ways[-1]
    key = term.get_id()
    if key not in way.known and _left():
        place = len(way.conditions)
        if place >= _MOST_DECISIONS:
            raise DefinitionError("it has a loop, or many branches, whose number depends on the arguments")
        if place == len(way.decisions):
            way.left.append([*way.decisions, False])
            way.decisions.append(True)
        way.known[key] = way.decisions[place]
        way.conditions.append(term if way.known[key] else z3.Not(term))
    return way.known[key]


def joined(function: Callable[[], Any], of: Callable[[Any], Any] = term_of) -> Any:
    """Return the result of a function as one formula, for all ways through its branches."""
    left: list[list[bool]] = [[]]
    found: list[tuple[list[Any], Any]] = []
    while left:
        _ways.append(_Way(left.pop()))
        try:
            value = of(function())
        finally:
            way = _ways.pop()
        left += way.left
        found.append((way.conditions, value))
        if len(found) > _MOST_WAYS:
            raise DefinitionError("it has a loop, or many branches, whose number depends on the arguments")
    *others, (_, result) = found
    return functools.reduce(lambda rest, it: z3.If(z3.And(*it[0]), it[1], rest), others, result)


class _Table:
    """A table whose index may be symbolic: a tree of choices between its items."""

    def __init__(self, items: np.ndarray) -> None:
        self.items = items

    def __getattr__(self, name: str) -> Any:
        return getattr(self.items, name)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        where = index if isinstance(index, tuple) else (index,)
        if all(not isinstance(it, Word | Truth) or _is_known(it.term) for it in where):
            return self.items[index]
        terms = [z3.simplify(term_of(it)) for it in where]
        beyond = [z3.UGE(term, size) for term, size in zip(terms, self.items.shape, strict=False)]
        if solved([z3.Or(*beyond), *_ways[-1].conditions], min(_left(), 1)) is not True:
            raise DefinitionError(f"it may read a table of {' × '.join(map(str, self.items.shape))} beyond its end")
        return Word(_looked_up(self.items, terms))


def _looked_up(items: np.ndarray, index: list[Any]) -> Any:
    if not index:
        return term_of(items[()])
    first, rest = index[0], index[1:]
    if z3.is_bv_value(first):
        return _looked_up(items[first.as_long()], rest)
    bits = max(1, (len(items) - 1).bit_length())
    digits = [z3.simplify(z3.Extract(bit, bit, first)) for bit in range(bits)]
    conditions = [(z3.simplify(digit == 1), z3.simplify(digit == 0)) for digit in digits]

    def among(low: int, bit: int) -> Any:
        if bit < 0:
            return _looked_up(items[min(low, len(items) - 1)], rest)
        is_one = conditions[bit]
        ways = [among(low + (value << bit), bit - 1) for value in (1, 0) if not z3.is_false(is_one[1 - value])]
        return ways[0] if len(ways) == 1 else z3.If(is_one[0], *ways)

    return among(0, bits - 1)


class _Module:
    """A module that a definition names, as in ``pawns.isolated(squares)``."""

    def __init__(self, module: ModuleType, function: Any) -> None:
        self.module, self.function = module, function

    def __getattr__(self, name: str) -> Any:
        return _lifted_thing(getattr(self.module, name), self.function)


class _Uint64(np.uint64):
    """``np.uint64`` in a definition, which also takes symbolic words."""

    def __new__(cls, value: Any) -> Any:
        return Word(term_of(value)) if isinstance(value, Word | Truth) else np.uint64(value)


class _Numpy:
    """NumPy in a definition: conversions take symbolic words, too."""

    uint64 = _Uint64

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def bool_(value: Any) -> Any:
        return Truth(truth_of(value)) if isinstance(value, Word | Truth) else np.bool_(value)


def _popcount(word: Any) -> Word:
    term = term_of(word)
    return Word(z3.ZeroExt(57, z3.Sum([z3.ZeroExt(6, z3.Extract(bit, bit, term)) for bit in range(64)])))


def _bitreverse(word: Any) -> Word:
    return Word(z3.Concat(*(z3.Extract(bit, bit, term_of(word)) for bit in range(64))))


def _trailing_zeros(word: Any) -> Word:
    term = term_of(word)
    return _popcount(Word(~term & (term - 1)))


#: The operations of the processor as formulas.
_OPERATIONS: tuple[tuple[Any, Any], ...] = (
    (popcount, _popcount),
    (trailing_zeros, _trailing_zeros),
    (leading_zeros, lambda word: _trailing_zeros(_bitreverse(word))),
    (byteswap, lambda word: Word(term_of(word)).byteswap()),
    (bitreverse, _bitreverse),
)


_lifted: dict[Any, FunctionType] = {}


def lifted(function: Any) -> Any:
    """Return a definition as a function of symbolic words, with everything that it names."""
    if isinstance(function, ByProcessor):
        return lifted(function.otherwise)
    if isinstance(function, Routine | Entry):
        return lifted(function.function)
    if function not in _lifted:
        scope = dict(function.__globals__)
        cells = tuple(CellType() for _ in function.__closure__ or ())
        copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells or None)
        _lifted[function] = copy  # before what it names, which may name it
        scope.update(
            {name: _lifted_thing(scope[name], function) for name in _names(function.__code__) if name in scope}
        )
        for cell, old in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = _lifted_thing(old.cell_contents, function)
    return _lifted[function]


def _names(code: Any) -> Iterable[str]:
    inner = (it for it in code.co_consts if inspect.iscode(it))
    return itertools.chain(code.co_names, *map(_names, inner))


def _lifted_thing(thing: Any, function: Any) -> Any:
    """What a definition names, for symbolic words."""
    if isinstance(thing, ModuleType):
        return _Numpy() if thing is np else _Module(thing, function)
    if isinstance(thing, np.ndarray):
        return _Table(thing)
    if isinstance(thing, Embedded):
        return _Table(thing.table).__getitem__
    if found := next((formula for word, formula in _OPERATIONS if thing is word), None):
        return found
    if isinstance(thing, Routine | Entry | ByProcessor) or (
        isinstance(thing, FunctionType) and thing.__globals__ is function.__globals__
    ):
        return lifted(thing)
    if isinstance(thing, InCompiledCode):
        return functools.partial(_refused, thing.name.rpartition(".")[2])
    return thing


def _refused(operation: str, *_: Any) -> None:
    raise DefinitionError(f"it uses {operation}, which is an operation on memory, or on several words at once")


# ------------------------------------------------------------------------------------------------------ proofs


@dataclass(frozen=True)
class Proof:
    """The answer of ``prove``: whether two definitions are equal, in how many seconds it was found, and how.

    ``holds`` is True, or None if the time was not enough to decide; a refuted claim raises `Counterexample`. ``how`` is
    "by z3", "by z3, in 64 cases" or "all 256 cases tried". As a truth value a proof is what it holds.
    """

    claim: str
    holds: bool | None
    seconds: float
    how: str

    def __bool__(self) -> bool:
        return self.holds is True

    def __str__(self) -> str:
        if self.holds is None:
            return f"not decided in {self.seconds:.0f} seconds: {self.claim}"
        return f"proved for all boards: {self.claim} ({self.how}, {self.seconds:.2f} s)"


class Counterexample(SetwiseError):
    """Arguments for which a pattern and its specification have different answers; it prints them as boards.

    Attributes:
        arguments: the arguments by name, sets as Bitboards.
        answer: what the pattern returns for them.
        expected: what the specification returns for them.
    """

    def __init__(self, claim: str, arguments: Mapping[str, Any], answer: Any, expected: Any) -> None:
        super().__init__(claim, arguments, answer, expected)
        self.claim, self.arguments, self.answer, self.expected = claim, dict(arguments), answer, expected

    def __str__(self) -> str:
        values = {**self.arguments, "answer": self.answer, "expected": self.expected}
        numbers = [f"{name}: {value}" for name, value in values.items() if not isinstance(value, Bitboard)]
        boards = [[f"{name:.15}", *str(it).splitlines()] for name, it in values.items() if isinstance(it, Bitboard)]
        rows = [zip(*boards[first : first + 4], strict=True) for first in range(0, len(boards), 4)]
        drawn = ["\n".join("   ".join(f"{part:<15}" for part in line).rstrip() for line in row) for row in rows]
        return "\n\n".join([f"it is not true that {self.claim}", *["\n".join(numbers)] * bool(numbers), *drawn])


def prove(
    pattern: Pattern | str, specification: Any, *, where: Callable[..., Any] | None = None, timeout: float = 60
) -> Proof:
    """Prove that a pattern and its specification return the same for all boards, or find a board where they differ.

    Args:
        pattern: a pattern, or its name.
        specification: another pattern, or its name; a function of the same words; or a rule about one square, a
            function whose last parameters are ``file`` and ``rank`` (0 to 7) and which tells whether that square is in
            the result. In a rule, sets are asked with ``(file, rank) in pawns`` or ``pawns[file, rank]``; places off
            the board are in no set. Parameters before these are arguments of the pattern by name, or all in order.
        where: what is assumed of the arguments, a function of them (by name, or all in order) as words; for example
            ``lambda pawns: pawns & 0xFF00_0000_0000_00FF == 0``.
        timeout: seconds after which the proof is given up; the ``holds`` of the proof is then None.

    Raises:
        Counterexample: the two differ; it has the arguments, and prints them and both answers as boards.
        DefinitionError: one of the two cannot become a formula: it has a loop whose length depends on the arguments, it
            computes with floats, it reads memory, or its arguments are not those of the pattern.
        SetwiseError: z3 is not installed: ``pip install 'setwise[prove]'``.

    Example:
        >>> JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
        >>> def attacked(knights, file, rank):
        ...     return any((file + east, rank + north) in knights for east, north in JUMPS)
        >>> proof = setwise.prove("knight.attacks", attacked)
        >>> proof.holds, proof.how
        (True, 'by z3')
        >>> setwise.prove("pawns.stacked", "pawns.doubled")
        Traceback (most recent call last):
        setwise.proofs.Counterexample: it is not true that pawns.stacked is pawns.doubled
        <BLANKLINE>
        pawns             answer            expected
        . . . . . . . .   . . . . . . . .   . . . . . . . .
        . . . . . . . .   . . . . . . . .   . . . . . . . .
        . . . . . . . .   . . . . . . . .   . . . . . . . .
        . . . . . . . .   . . . . . . . .   . . . . . . . .
        . . . . . . . .   . . . . . . . .   . . . . . . . .
        . . . . . . . .   . . . . . . . .   . . . . . . . .
        1 . . . . . . .   1 . . . . . . .   . . . . . . . .
        1 . . . . . . .   1 . . . . . . .   1 . . . . . . .
    """
    if importlib.util.find_spec("z3") is None:
        raise SetwiseError("proofs need z3: pip install 'setwise[prove]'")
    first, second = named(pattern), named(specification)
    if not isinstance(first, Pattern):
        raise DefinitionError(f"the first argument of prove is a pattern or its name, not {_called(first)}")
    return Claim(first, second, where).decided(timeout)


def named(thing: Any) -> Any:
    """Return the pattern, or the function of a loaded file, with a name; anything else is returned unchanged."""
    if not isinstance(thing, str):
        return thing
    from setwise import patterns

    topic, _, name = thing.partition(".")
    inner = f"{patterns.__name__}.{topic}"
    is_topic = topic.isidentifier() and importlib.util.find_spec(inner) is not None
    module = importlib.import_module(inner) if is_topic else sys.modules.get(topic)  # a file that was loaded
    found = PATTERNS.get(thing, getattr(module, name, None))
    if not isinstance(found, Pattern | FunctionType):
        raise DefinitionError(f"there is no pattern {thing}{did_you_mean(thing, PATTERNS)}")
    return found


def _called(thing: Any) -> str:
    name = getattr(thing, "name", None) or getattr(thing, "__name__", None) or type(thing).__name__
    return str(name).replace("<lambda>", "the rule")


class Claim:
    """A pattern, what it is compared with, and what is assumed."""

    def __init__(self, pattern: Pattern, specification: Any, where: Any = None) -> None:
        _lifted.clear()  # what a definition names may have been defined anew, as in a notebook
        self.pattern, self.specification, self.where = pattern, specification, where
        self.text = f"{pattern.name} is {_called(specification)}"
        if isinstance(specification, Pattern):
            if len(specification.kinds) != len(pattern.kinds):
                count = f"{len(pattern.kinds)} and {len(specification.kinds)}"
                raise DefinitionError(
                    f"{pattern.name} and {specification.name} have {count} arguments: a proof needs the same arguments"
                )
            different = [
                f"{name} is a {kind.name} and {other_name} a {other.name}"
                for (name, kind), (other_name, other) in zip(
                    {**pattern.kinds, "the result": pattern.returns}.items(),
                    {**specification.kinds, "the result": specification.returns}.items(),
                    strict=True,
                )
                if kind.name != other.name
            ]
            if different:
                raise DefinitionError(f"{pattern.name} and {specification.name} differ in kind: {different[0]}")
            self.passed, self.is_rule = list(pattern.kinds), False
            return
        self.passed, self.is_rule = self._arguments_of(specification, {"file", "rank"})
        if self.is_rule and not pattern.returns.is_set:
            raise DefinitionError(
                f"a rule about squares describes a set, and {pattern.name} returns a {pattern.returns.name}: "
                f"describe it by a function of its arguments, without file and rank"
            )

    def _arguments_of(self, function: Any, places: set[str]) -> tuple[list[str], bool]:
        """The arguments of the pattern that a function takes, and whether it is a rule about squares."""
        try:
            names = list(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            raise DefinitionError(
                f"{self.pattern.name} is compared with a pattern or a function, not with {_called(function)}"
            ) from None
        is_rule = set(names[-2:]) == places
        given = names[:-2] if is_rule else names
        if unknown := [name for name in given if name not in self.pattern.kinds]:
            if len(given) != len(self.pattern.kinds):
                raise DefinitionError(
                    f"{self.pattern.name} has no argument {unknown[0]}: a function of words takes "
                    f"{', '.join(self.pattern.kinds)}, a rule about squares also file and rank"
                )
            given = list(self.pattern.kinds)
        return given, is_rule

    # ------------------------------------------------------------------------------------------- as formulas

    def answers(self, values: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """What the pattern and the specification answer, and whether the assumption holds, as formulas."""
        answer = self._result(self.pattern, lambda: lifted(self.pattern)(*values.values()))
        passed = [values[name] for name in self.passed]
        if self.is_rule:
            passed = [
                Squares(it.term) if self.pattern.kinds[n].is_set else it
                for n, it in zip(self.passed, passed, strict=True)
            ]
            bits = [
                self._result(self.specification, functools.partial(self.specification, *passed, f, r), truth_of)
                for r in range(8)
                for f in range(8)
            ]
            one, zero = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)
            expected = z3.Concat(*(z3.If(bit, one, zero) for bit in reversed(bits)))
        else:
            expected = self._result(self.specification, lambda: lifted(self.specification)(*passed))
        assumed = z3.BoolVal(val=True)
        if self.where is not None:
            names, _ = self._arguments_of(self.where, set())
            assumed = self._result(self.where, lambda: lifted(self.where)(*(values[name] for name in names)), truth_of)
        return answer, expected, assumed

    def _result(self, whose: Any, function: Callable[[], Any], of: Callable[[Any], Any] = term_of) -> Any:
        name = _called(whose)
        try:
            return joined(function, of)
        except DefinitionError as error:
            raise DefinitionError(f"{name} cannot become a formula: {error}") from None
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            raise DefinitionError(f"{name} cannot become a formula: {error}") from None
        except IndexError:
            raise DefinitionError(
                f"{name} cannot become a formula: it reads a table at a place that is not known"
            ) from None

    # --------------------------------------------------------------------------------------------- decided

    def decided(self, timeout: float) -> Proof:
        """Return the proof, or raise the counterexample."""
        started, kinds = time.perf_counter(), self.pattern.kinds
        few = {name: kind for name, kind in kinds.items() if kind.largest < 256 and not kind.is_set}
        cases = math.prod(kind.largest + 1 for kind in few.values())
        if cases > (_MOST_CASES if len(few) < len(kinds) else _MOST_TRIED):
            few, cases = {}, 1
        how = (
            f"all {cases:,} cases tried" if len(few) == len(kinds) else "by z3" + f", in {cases:,} cases" * (cases > 1)
        )
        _ends.append(started + timeout)
        try:
            for chosen in itertools.product(*(range(kind.largest + 1) for kind in few.values())):
                self._decide_case(dict(zip(few, chosen, strict=True)))
        except _TooLong:
            return Proof(self.text, None, time.perf_counter() - started, how)
        finally:
            _ends.pop()
        return Proof(self.text, True, time.perf_counter() - started, how)

    def _decide_case(self, constants: dict[str, int]) -> None:
        """Prove the claim where some arguments have these values; raise the counterexample if it is wrong."""
        kinds, returns = self.pattern.kinds, self.pattern.returns
        terms = {n: z3.BitVecVal(constants[n], 64) if n in constants else z3.BitVec(n, 64) for n in kinds}
        ranges = [
            z3.ULE(terms[n], kind.largest) for n, kind in kinds.items() if n not in constants and kind.largest < _ALL
        ]
        answer, expected, assumed = self.answers({name: Word(term) for name, term in terms.items()})
        claim = [answer != expected, assumed, *ranges]
        model = solved(claim, _left())
        if model is None:
            raise _TooLong
        if model is not True:
            found = _smallest(claim, terms, model)
            values = [(terms[name], z3.BitVecVal(value, 64)) for name, value in found.items()]
            answers = [returns.python(z3.simplify(z3.substitute(it, *values)).as_long()) for it in (answer, expected)]
            raise Counterexample(self.text, {n: kinds[n].python(it) for n, it in found.items()}, *answers)


def solved(claim: list[Any], seconds: float) -> Any:
    """Return True if the conditions contradict each other, a model if they do not, None if it is not decided."""
    solver = z3.SolverFor("QF_BV")
    solver.set("timeout", max(1, int(seconds * 1000)))
    solver.add(*claim)
    result = solver.check()
    return True if result == z3.unsat else solver.model() if result == z3.sat else None


def _smallest(claim: list[Any], terms: Mapping[str, Any], model: Any) -> dict[str, int]:
    """The counterexample with the smallest arguments, so the same in every run; found bit by bit, the highest first."""
    solver, ends = z3.SolverFor("QF_BV"), time.perf_counter() + _SHRINKING
    solver.set("timeout", int(1000 * _SHRINKING))
    solver.add(*claim)
    for term, bit in itertools.product(terms.values(), reversed(range(64))):
        is_set = z3.Extract(bit, bit, term) == 1
        if z3.is_true(model.eval(is_set, model_completion=True)) and time.perf_counter() < ends:
            if solver.check(z3.Not(is_set)) != z3.sat:
                solver.add(is_set)
                continue
            model = solver.model()
        solver.add(z3.Not(is_set))
    return {name: model.eval(term, model_completion=True).as_long() for name, term in terms.items()}
