"""What the source texts call things: their headings, links, keywords, functions, tables, masks and constants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["names_in_sources"]

#: What ends the name in a link: its author, its place, a note.
_BESIDE = re.compile(r" (compiled by|from|- from|-) .*| by [A-Z]\w+[ ,].*| \(\**$|:? *\[\d+\]$")
_LINK = re.compile(r'\[([^\]\[]+)\]\(([^ )]+)(?: "([^"]*)")?\)')
_C_WORDS = {"if", "for", "while", "return"}


def names_in_sources(folder: Path) -> dict[str, str]:
    """The names in the five source texts, each with its kind: heading, link, keyword, function, table, constant."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text("utf-8")
        for kind, name in _named(text):
            found.setdefault(_BESIDE.sub("", " ".join(name.split()).strip('*" ')), kind)
    return {name: kind for name, kind in found.items() if name}


def _named(text: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines()
    yield from (("heading", name) for name in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
        if not before.strip() and not after.strip() and re.fullmatch(r"[A-Z][A-Za-z0-9 -]{2,40}|by [A-Z][a-z]+", line):
            yield "heading", line  # plain text has headings between empty lines
    for shown, target, title in _LINK.findall(text):
        yield "link", shown.replace("\\", "")
        if not target.startswith("#"):
            yield "link", title
    yield from (("link", name) for name in re.findall(r"^- ([A-Z].*)$", text, re.MULTILINE))  # lists of links
    yield from (("link", name) for line in lines if line.startswith("Home *") for name in line.split("*"))
    for listed in re.findall(r"^Keywords: (.*?)\. ", text, re.MULTILINE):
        yield from (("keyword", name) for name in listed.split(","))
    for line in lines:
        if _is_code(line):
            yield from _in_code(line)


def _is_code(line: str) -> bool:
    """Whether a line is code, or as the knight's text has it, all lines of a listing one after the other."""
    return (
        bool(re.search(r"U64|BYTE|_mm|[=;{]\s*(//.*)?$|&|\|=|: UInt64|^(if|let|   !?board)\b", line))
        and not line.startswith("For ")
        and "](" not in line
    )


def _in_code(line: str) -> Iterator[tuple[str, str]]:
    yield from (("function", name) for name in re.findall(r"\b([A-Za-z_]\w*) *\(", line) if name not in _C_WORDS)
    yield from (("table", name) for name in re.findall(r"\b([A-Za-z_]\w*)\[", line))
    yield from (("mask", name) for name in re.findall(r"\b(\w+Mask|not[A-H]+File|\w+Bits|XMM_ALIGN)\b", line))
    yield from (("constant", name) for name in re.findall(r"\b0x[0-9a-fA-F]+\b", line))
