"""What LLVM makes of a pattern for a level of processors, translated back to a formula.

``python tests/helpers/llvm_formulas.py LEVEL NAME…`` prints the optimised code of each pattern as JSON; that a process
compiles for one level only is why it is a script.
"""

from __future__ import annotations

import importlib
import json
import operator
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import z3

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])

from setwise.proofs import Word, _bitreverse, _popcount, _trailing_zeros

WRAPPER = """define i64 @formula({words}) {{
  %result = alloca i64
  %error = alloca ptr
  store i64 0, ptr %result
  %code = call i32 @compiled(ptr %result, ptr %error, {words})
  %answer = load i64, ptr %result
  ret i64 %answer
}}"""


def optimised(level: str, names: list[str]) -> dict[str, str]:
    """The code of patterns as it goes into the library of a level."""
    from setwise.compiler import cache
    from setwise.compiler.llvm.private_names import Optimizer, compile_for
    from setwise.compiler.targets.ahead import Units, machine_for, wrapped
    from setwise.compiler.targets.levels import LEVELS, SYSTEMS

    triple, (processor, features, *_) = SYSTEMS["linux-x86_64"].triple, LEVELS[level]
    cache.keeps = False
    compile_for(machine_for(triple, "", features), features)
    units = Units(Optimizer(machine_for(triple, processor, features), features))
    found = {}
    for name in names:
        topic, _, function = name.partition(".")
        pattern = getattr(importlib.import_module(f"setwise.patterns.{topic}"), function)
        words = ", ".join(f"i64 %a{number}" for number in range(len(pattern.kinds)))
        found[name] = str(wrapped(units, [(pattern, WRAPPER.format(words=words))], {"formula"}))
    return found


# ------------------------------------------------------------------------------------------------------- as a formula


class NoFormula(Exception):
    """The code has a loop, reads a table, or has an instruction that is not known here."""


NAME = r'%(?:"[^"]+"|[\w.$-]+)'
VALUE = rf"{NAME}|-?\d+|true|false|poison|undef"
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "add": operator.add, "sub": operator.sub,
    "mul": operator.mul, "shl": operator.lshift, "lshr": z3.LShR, "ashr": operator.rshift,
}  # fmt: skip
COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "ult": z3.ULT, "ule": z3.ULE, "ugt": z3.UGT, "uge": z3.UGE,
    "slt": operator.lt, "sle": operator.le, "sgt": operator.gt, "sge": operator.ge,
}  # fmt: skip
CALLED: dict[str, Callable[..., Any]] = {
    "ctpop": lambda word: _popcount(Word(word)).term,
    "cttz": lambda word, _: _trailing_zeros(Word(word)).term,
    "ctlz": lambda word, _: _trailing_zeros(_bitreverse(Word(word))).term,
    "bswap": lambda word: Word(word).byteswap().term,
    "bitreverse": lambda word: _bitreverse(Word(word)).term,
    "fshl": lambda a, b, by: z3.RotateLeft(a, by) if a.eq(b) else a << by % 64 | z3.LShR(z3.LShR(b, 1), 63 - by % 64),
    "umin": lambda a, b: z3.If(z3.ULT(a, b), a, b),
    "umax": lambda a, b: z3.If(z3.ULT(a, b), b, a),
}


class Code:
    """The function of an optimised module: its blocks, which come in an order without loops."""

    def __init__(self, text: str) -> None:
        body = re.search(r"^define [^{]*@formula\((.*?)\)[^{]*\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
        assert body
        self.values: dict[str, Any] = {}
        self.blocks: dict[str, list[str]] = {}
        block = self.blocks.setdefault("%0", [])
        for line in body[2].splitlines():
            if label := re.match(r'^(?:"([^"]+)"|([\w.$-]+)):', line):
                name = label[1] or label[2]
                block = self.blocks.setdefault(f"%{name}" if re.fullmatch(r"[\w.$-]+", name) else f'%"{name}"', [])
            elif line.strip():
                block.append(re.sub(r",? !\w+.*$", "", line.strip()))
        self.blocks = {name: lines for name, lines in self.blocks.items() if lines}

    def formula(self, words: list[Any]) -> Any:
        """The result as a formula of words."""
        self.values = {f"%a{number}": word for number, word in enumerate(words)}
        first = next(iter(self.blocks))
        self.reached: dict[str, Any] = {first: z3.BoolVal(True)}
        self.edges: dict[tuple[str, str], Any] = {}
        todo = dict(self.blocks)
        while todo:
            ready = [name for name in todo if name == first or not self.waits_for(name, todo)]
            if not ready:
                raise NoFormula("a loop")
            name = ready[0]
            into = [condition for (_, to), condition in self.edges.items() if to == name]
            if name != first:
                self.reached[name] = z3.Or(*into) if into else z3.BoolVal(False)
            self.block = name
            for line in todo.pop(name):
                if result := self.line(name, line):
                    return result[0]
        raise NoFormula("no result")

    def waits_for(self, name: str, todo: dict[str, list[str]]) -> bool:
        """Whether a block that is still to do, or this one itself, leads here."""
        here = re.compile(rf"label {re.escape(name)}(?![\w.$-])")
        return any(here.search(line) for lines in todo.values() for line in lines)

    def value(self, text: str, bits: int) -> Any:
        if text in self.values:
            return self.values[text]
        number = {"true": 1, "false": 0, "poison": 0, "undef": 0}.get(text)
        return z3.BitVecVal(int(text) if number is None else number, bits)

    def line(self, block: str, line: str) -> list[Any] | None:
        if found := re.fullmatch(rf"ret i64 ({VALUE})", line):
            return [self.value(found[1], 64)]
        if found := re.fullmatch(rf"br label ({NAME})", line):
            self.edges[block, found[1]] = self.reached[block]
        elif found := re.fullmatch(rf"br i1 ({VALUE}), label ({NAME}), label ({NAME})", line):
            condition = self.value(found[1], 1) == 1
            self.edges[block, found[2]] = z3.And(self.reached[block], condition)
            self.edges[block, found[3]] = z3.And(self.reached[block], z3.Not(condition))
        elif found := re.fullmatch(rf"({NAME}) = (.*)", line):
            self.values[found[1]] = self.operation(found[2])
        else:
            raise NoFormula(line)
        return None

    def operation(self, text: str) -> Any:
        flags = "(?: nuw| nsw| exact| disjoint| nneg| samesign)*"
        if found := re.fullmatch(rf"(\w+){flags} i(\d+) ({VALUE}), ({VALUE})", text):
            bits = int(found[2])
            return ARITHMETIC[found[1]](self.value(found[3], bits), self.value(found[4], bits))
        if found := re.fullmatch(rf"icmp{flags} (\w+) i(\d+) ({VALUE}), ({VALUE})", text):
            bits = int(found[2])
            holds = COMPARED[found[1]](self.value(found[3], bits), self.value(found[4], bits))
            return z3.If(holds, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
        if found := re.fullmatch(rf"select i1 ({VALUE}), i(\d+) ({VALUE}), i\d+ ({VALUE})", text):
            bits = int(found[2])
            return z3.If(self.value(found[1], 1) == 1, self.value(found[3], bits), self.value(found[4], bits))
        if found := re.fullmatch(rf"(zext|sext|trunc){flags} i(\d+) ({VALUE}) to i(\d+)", text):
            old, new = int(found[2]), int(found[4])
            value = self.value(found[3], old)
            if found[1] == "trunc":
                return z3.Extract(new - 1, 0, value)
            return (z3.ZeroExt if found[1] == "zext" else z3.SignExt)(new - old, value)
        if found := re.fullmatch(rf"freeze i(\d+) ({VALUE})", text):
            return self.value(found[2], int(found[1]))
        if found := re.fullmatch(r"(?:tail )?call .*?i64 @llvm\.(\w+)\.i64\((.*)\)(?: #\d+)?", text):
            if found[1] not in CALLED:
                raise NoFormula(found[1])
            arguments = re.findall(rf"i(\d+) (?:noundef )?({VALUE})", found[2])
            return CALLED[found[1]](*(self.value(value, int(bits)) for bits, value in arguments))
        if found := re.fullmatch(r"phi i(\d+) (.*)", text):
            ways = re.findall(rf"\[ ({VALUE}), ({NAME}) \]", found[2])
            values = [(self.edges[source, self.block], self.value(value, int(found[1]))) for value, source in ways]
            result = values[-1][1]
            for condition, value in values[:-1]:
                result = z3.If(condition, value, result)
            return result
        raise NoFormula("a table" if text.startswith(("getelementptr", "load")) else text)


if __name__ == "__main__":
    json.dump(optimised(sys.argv[1], sys.argv[2:]), sys.stdout)
