"""Mutants of formulas: a term dropped, an operator exchanged, a shift or a mask off by one."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from helpers.symbolic import tree_of
from setwise.compiler import Pattern
from setwise.proofs import lifted

#: What a mutant has in place of an operator.
SWAPPED = {
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip


def places(tree: ast.FunctionDef) -> list[ast.AST]:
    return [node for statement in tree.body for node in ast.walk(statement)]


def changes(node: ast.AST, scope: dict[str, Any]) -> Iterator[tuple[str, ast.AST]]:
    """What a node may become: the change in words, and the new node."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SWAPPED:
            yield "operator", ast.BinOp(left, SWAPPED[type(op)](), right)
            if not isinstance(op, ast.LShift | ast.RShift):
                yield "left term alone", left
                yield "right term alone", right
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            yield "not inverted", operand
        case ast.Name(id=name, ctx=ast.Load()) if type(scope.get(name)) is np.uint64:
            value = int(scope[name])
            other = value + 1 if value < 64 else (value << 1 | value >> 63) & (2**64 - 1)
            yield f"{name} off by one", ast.Constant(other)


def mutants(p: Pattern) -> Iterator[tuple[str, Any]]:
    """All mutants of a pattern's formula, each with what is changed, as functions of symbolic words."""
    scope = lifted(p).__globals__
    tree = tree_of(p.function)
    plain = copy.deepcopy(tree)
    plain.decorator_list, plain.returns = [], None
    for argument in plain.args.args:
        argument.annotation = None
    for number, node in enumerate(places(plain)):
        for change, new in changes(node, scope):
            mutant = copy.deepcopy(plain)
            old = places(mutant)[number]
            replaced = _Replacing(old, copy.deepcopy(new)).visit(mutant)
            yield f"{p.name}: {change}: {ast.unparse(node)}", _function(ast.fix_missing_locations(replaced), scope)


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _function(tree: ast.AST, scope: dict[str, Any]) -> FunctionType:
    names = dict(scope)
    exec(compile(ast.Module([tree], []), "mutant", "exec"), names)  # noqa: S102  (a definition with one change)
    return names[tree.name]
