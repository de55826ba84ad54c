"""All patterns by topic, found as the package lies in its folder; their arguments at random; the types inside them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from naive import random_sets
from setwise import patterns
from setwise.compiler import Kind, Pattern

TOPICS: dict[str, ModuleType] = {
    topic.name: importlib.import_module(f"setwise.patterns.{topic.name}")
    for topic in pkgutil.iter_modules(patterns.__path__)
}


def patterns_of(topic: str) -> list[Pattern]:
    """The patterns that a topic defines, not those that it imports."""
    found = vars(TOPICS[topic]).values()
    return [p for p in found if isinstance(p, Pattern) and p.name.startswith(f"{topic}.")]


PATTERNS = {topic: found for topic in TOPICS if (found := patterns_of(topic))}
EVERY_PATTERN = [p for found in PATTERNS.values() for p in found]
#: Those of which a wheel has machine code, and the package for JavaScript a function.
SHIPPED_PATTERNS = [p for topic, found in PATTERNS.items() if topic not in patterns.TECHNIQUES for p in found]


def random_values(kind: Kind, cases: int, seed: int) -> np.ndarray:
    """Random values of a kind, its least and its largest among them."""
    random = np.random.default_rng(seed)
    if kind.dtype == np.uint64:
        values = random_sets(cases, seed)
    else:
        values = random.integers(0, kind.largest, cases, endpoint=True)
    values[:2] = 0, kind.largest
    return random.permutation(values).astype(kind.dtype)


def random_arguments(p: Pattern, cases: int) -> list[np.ndarray]:
    return [random_values(kind, cases, seed) for seed, kind in enumerate(p.kinds.values())]


# ---------------------------------------------------------------------------------------------------- the type census


def numba() -> Any:
    """The compiler; a test that needs it is skipped where it is not installed."""
    return pytest.importorskip("numba", reason="Numba is not installed (the extra jit)")


def typed(function: Any, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """The Numba type of every variable of a function: type inference alone, compiled afresh and from no cache."""
    from numba.core import compiler, registry, typed_passes

    typing, target = registry.cpu_target.typing_context, registry.cpu_target.target_context
    typing.refresh()
    target.refresh()
    inferred = typed_passes.type_inference_stage(typing, target, compiler.run_frontend(function), arguments, None)
    return inferred.typemap


def mistakes(pattern: Pattern) -> list[str]:
    """Every variable of a pattern, and of the routines it calls, that is a float or a signed number, with its type."""
    types = numba().types
    return list(_census(pattern.function, (types.uint64,) * len(pattern.kinds), set()))


def _census(function: Any, arguments: tuple[Any, ...], seen: set[Any]) -> Iterator[str]:
    if (function, arguments) in seen:
        return
    seen.add((function, arguments))
    types = numba().types
    for variable, kind in typed(function, arguments).items():
        if isinstance(kind, types.Float | types.Complex) or (
            isinstance(kind, types.Integer) and kind.signed and not isinstance(kind, types.IntegerLiteral)
        ):
            yield f"{function.__name__}: {variable} is {kind}"
        if isinstance(kind, types.Dispatcher) and not kind.dispatcher.py_func.__module__.startswith("numba"):
            for signature in list(kind.dispatcher.overloads):
                yield from _census(kind.dispatcher.py_func, signature, seen)
