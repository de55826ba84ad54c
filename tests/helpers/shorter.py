"""A search for shorter formulas: all terms up to a size, compared on some words, proved by the solver.

``python tests/helpers/shorter.py`` searches for twenty patterns of up to ten operations; names may be given instead.
A term is an argument, a mask of the definition, or an operation on terms: and, or, xor, plus, minus, not, a shift by a
distance of the definition. All terms with up to ``STORED`` operations are listed; a formula is found if it is one of
them, a shift or the complement of one, or two of them joined. So the search misses no formula of ``STORED`` + 1
operations, and some of up to twice as many.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import z3

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])

from helpers.patterns import EVERY_PATTERN
from helpers.proving import assumed, listed
from naive import random_sets
from setwise.compiler import Pattern
from setwise.proofs import Word, joined, lifted, solved, term_of

STORED, MOST_TERMS, MOST_PAIRS, WORDS = 4, 1_000_000, 20_000_000, 24
BINARY = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor, "+": np.add, "-": np.subtract}


def parts(p: Pattern) -> tuple[Any, int, set[int], set[int]]:
    """The formula of a pattern, the number of its operations, its masks and its shifts."""
    formula = joined(lambda: lifted(p)(*(Word(z3.BitVec(name, 64)) for name in p.kinds)))
    seen: dict[int, Any] = {}
    masks, shifts, todo = set(), set(), [formula]
    while todo:
        term = todo.pop()
        if term.get_id() not in seen:
            seen[term.get_id()] = term
            kinds = (z3.Z3_OP_BSHL, z3.Z3_OP_BLSHR)
            for place, part in enumerate(term.children()):
                if z3.is_bv_value(part):
                    (shifts if term.decl().kind() in kinds and place else masks).add(part.as_long())
                else:
                    todo.append(part)
    count = sum(bool(term.children()) for term in seen.values())
    return formula, count, masks, shifts


class Terms:
    """Terms by the number of their operations; of terms with the same values the first is kept."""

    def __init__(self, leaves: dict[str, np.ndarray], shifts: set[int], target: np.ndarray) -> None:
        self.shifts, self.target = [np.uint64(it) for it in sorted(shifts)], target
        self.known: dict[bytes, str] = {}
        self.levels: list[tuple[list[str], np.ndarray]] = []
        self.found: list[str] = []
        self.add(list(leaves), np.array(list(leaves.values())))

    def add(self, names: list[str], values: np.ndarray) -> None:
        new_names, new_values = [], []
        for name, row in zip(names, values, strict=True):
            if self.known.setdefault(row.tobytes(), name) is name:
                new_names.append(name)
                new_values.append(row)
        self.levels.append((new_names, np.array(new_values, np.uint64).reshape(-1, self.target.size)))

    def grow(self) -> bool:
        """List the terms with one more operation; False if there would be too many."""
        names, values = self.levels[-1]
        found_names = [f"~{name}" for name in names]
        found = [~values]
        for shift in self.shifts:
            found_names += [f"({name} << {shift})" for name in names] + [f"({name} >> {shift})" for name in names]
            found += [values << shift, values >> shift]
        size = len(self.levels)
        for left in range(size):
            right = size - 1 - left
            (a_names, a), (b_names, b) = self.levels[left], self.levels[right]
            if len(a) * len(b) * 5 > MOST_TERMS:
                return False
            for sign, build in BINARY.items():
                if left <= right or sign == "-":
                    found.append(build(a[:, None], b[None, :]).reshape(-1, self.target.size))
                    found_names += [f"({x} {sign} {y})" for x in a_names for y in b_names]
        self.add(found_names, np.concatenate(found))
        return True

    def candidates(self, size: int) -> list[str]:
        """The terms with so many operations that have the values of the target."""
        if size < len(self.levels):
            name = self.known.get(self.target.tobytes())
            return [name] if name in self.levels[size][0] else []
        found = []
        if size == len(self.levels):
            names, values = self.levels[-1]
            unary = {"~{}": ~values}
            for shift in self.shifts:
                unary |= {f"({{}} << {shift})": values << shift, f"({{}} >> {shift})": values >> shift}
            for text, results in unary.items():
                found += [text.format(names[hit]) for hit in np.flatnonzero((results == self.target).all(axis=1))]
        for left in range(max(0, size - len(self.levels)), min(len(self.levels), size)):
            right = size - 1 - left
            if right >= len(self.levels):
                continue
            (a_names, a), (b_names, b) = self.levels[left], self.levels[right]
            above, below = (lambda it: it & self.target == self.target), (lambda it: it | self.target == self.target)
            for sign, fits in (("&", above), ("|", below)):
                ours, others = (np.flatnonzero(fits(it).all(axis=1)) for it in (a, b))
                if ours.size * others.size > MOST_PAIRS:
                    continue  # only where both sides are large: beyond what is searched in full
                for one in ours:
                    hits = others[(BINARY[sign](a[one], b[others]) == self.target).all(axis=1)]
                    found += [f"({a_names[one]} {sign} {b_names[other]})" for other in hits[:3]]
            in_b = {row.tobytes(): name for name, row in zip(b_names, b, strict=True)}
            for sign, wanted in (("^", a ^ self.target), ("+", self.target - a), ("-", a - self.target)):
                found += [
                    f"({name} {sign} {in_b[key]})"
                    for name, row in zip(a_names, wanted, strict=True)
                    if (key := row.tobytes()) in in_b
                ]
        return found


def shorter(p: Pattern) -> tuple[int, str | None, int]:
    """How many operations a pattern has, a shorter formula or None, and up to how many all terms were searched."""
    formula, count, masks, shifts = parts(p)
    largest = [np.uint64(kind.largest) for kind in p.kinds.values()]  # 2**n - 1 for sets and filesets
    words = [random_sets(WORDS, seed) & most for seed, most in enumerate(largest, 1)]
    variables = {name: z3.BitVec(name, 64) for name in p.kinds}
    leaves = dict(zip(p.kinds, words, strict=True)) | {
        f"{mask:#x}": np.full(WORDS, mask, np.uint64) for mask in sorted(masks)
    }
    within = [z3.ULE(variables[name], kind.largest) for name, kind in p.kinds.items()]
    answers = p(*(column.astype(kind.dtype) for column, kind in zip(words, p.kinds.values(), strict=True)))
    terms = Terms(leaves, shifts, answers.astype(np.uint64))
    while len(terms.levels) <= STORED and terms.grow():
        pass
    for size in range(1, count):
        for text in terms.candidates(size)[:20]:
            value = eval(text, {name: Word(it) for name, it in variables.items()})  # noqa: S307  (a term of this search)
            if solved([term_of(value) != formula, *within, *assumed(p, variables)], 20) is True:
                return count, text, len(terms.levels)
    return count, None, len(terms.levels)


def main() -> None:
    """Search, and print what is found."""
    chosen = [p for p in EVERY_PATTERN if p.name in sys.argv[1:]]
    plain = [p for p in EVERY_PATTERN if listed()[p.name]["how"] == "z3" and listed()[p.name]["cases"] == 1]
    for p in chosen or [p for p in plain if 3 < parts(p)[1] <= 10][:20]:
        started = time.process_time()
        count, found, full = shorter(p)
        seconds = time.process_time() - started
        result = found or f"none shorter, of all with up to {min(full, count - 1)} operations"
        print(f"{p.name}: {count} operations; {result} [{seconds:.0f} s]", flush=True)


if __name__ == "__main__":
    main()
