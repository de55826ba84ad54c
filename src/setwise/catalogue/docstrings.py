"""Docstrings and comments, parsed by their fixed forms."""

from __future__ import annotations

import ast
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterator

__all__ = ["assignments", "body", "definition_of", "remarks", "sections"]

_SECTION = re.compile(r"(Args|Returns|Raises|Example|Why|Traps|Slips|Names|Source):(?: (.*))?")


def sections(docstring: str) -> dict[str, str]:
    """Return the sections of a docstring by heading; the text before the first heading is under the empty one.

    Example:
        >>> from setwise.catalogue.docstrings import sections
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
        >>> from setwise.catalogue.docstrings import body
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
    r"""Return the comments at the ends of lines of code by line, except those for tools.

    Example:
        >>> from setwise.catalogue.docstrings import remarks
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
    """Yield the names assigned under each ``#:`` comment: in the statement below it, and in those that follow."""
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
