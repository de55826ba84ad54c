"""The map of the catalogue: which topics build on which, drawn from the definitions."""

from __future__ import annotations

import functools
from collections import Counter
from html import escape

from setwise import catalogue
from setwise.catalogue import Page
from setwise.catalogue.lookup import used_by, uses

#: Width and height of a box, and the steps from box to box and from row to row.
WIDTH, HEIGHT, ACROSS, DOWN = 108, 44, 128, 104
#: The names most built on that are listed.
LISTED = 12
#: Squares from which every step stays on the board, and the files and ranks of a rose.
_MIDDLE, _AWAY = (27, 28, 35, 36), range(-2, 3)


@functools.cache
def below() -> dict[str, dict[str, int]]:
    """For each topic the topics that its definitions name, and how many of its entries do."""
    found: dict[str, Counter[str]] = {}
    for page in catalogue.pages().values():
        topics = {catalogue.page(name).topic for name in uses(page)} - {page.topic}
        found.setdefault(page.topic, Counter()).update(topics)
    return {topic: dict(counts) for topic, counts in found.items() if topic in catalogue.topics()}


@functools.cache
def row_of(topic: str) -> int:
    """How many steps a topic is above those that build on nothing."""
    return max((1 + row_of(it) for it in below()[topic] if it in below()), default=0)


@functools.cache
def reached(topic: str) -> frozenset[str]:
    """All topics below one."""
    direct = [it for it in below()[topic] if it in below()]
    return frozenset(direct).union(*map(reached, direct))


def map_of_topics(root: str) -> str:
    """The topics in rows, each with lines down to what it builds on; a line that others imply is left out.

    Args:
        root: what addresses begin with.
    """
    rows: dict[int, list[str]] = {}
    for topic in below():
        rows.setdefault(row_of(topic), []).append(topic)
    widest, highest = max(map(len, rows.values())), max(rows)
    place: dict[str, tuple[float, float]] = {}
    for row in sorted(rows):  # each as near as may be to what it builds on
        inward = {it: [place[to][0] for to in below()[it] if to in place] for it in rows[row]}
        rows[row].sort(key=lambda it: sum(inward[it]) / len(inward[it]) if inward[it] else 0)
        start = (widest - len(rows[row])) * ACROSS / 2
        for number, topic in enumerate(rows[row]):
            place[topic] = start + number * ACROSS + WIDTH / 2 + 10, (highest - row) * DOWN + 10
    lines, boxes = [], []
    for topic, (x, y) in place.items():
        direct = [it for it in below()[topic] if it in place]
        for to in direct:
            if not any(to in reached(it) for it in direct if it != to):
                end = place[to]
                middle = (y + HEIGHT + end[1]) / 2
                lines.append(f'<path d="M{x} {y + HEIGHT}C{x} {middle} {end[0]} {middle} {end[0]} {end[1]}"/>')
        count = len([page for page in catalogue.topics()[topic].pages if page.sort != "table"])
        boxes.append(
            f'<a href="{root}patterns/{topic}.html"><rect x="{x - WIDTH / 2}" y="{y}" width="{WIDTH}" '
            f'height="{HEIGHT}" rx="8"/><text x="{x}" y="{y + 19}">{escape(topic)}</text>'
            f'<text class="count" x="{x}" y="{y + 35}">{count} entries</text></a>'
        )
    size = f"0 0 {widest * ACROSS} {(highest + 1) * DOWN - DOWN + HEIGHT + 20}"
    title = "The topics of the catalogue, each above those that it builds on"
    return (
        f'<div class="map"><svg viewBox="{size}" role="group" aria-label="{title}" xmlns="http://www.w3.org/2000/svg">'
        f'<title>{title}</title><g class="lines">{"".join(lines)}</g>{"".join(boxes)}</svg></div>'
    )


def most_used() -> str:
    """The names that most others build on, as a list in Markdown."""
    counted = {page.name: len(used_by(page)) for page in catalogue.pages().values()}
    most = sorted(counted, key=lambda name: -counted[name])[:LISTED]
    return "\n".join(f"- `{name}`: {counted[name]} others build on it" for name in most)


def rose() -> str:
    """The steps of ``compass`` where they lead to, each with what it adds to the number of a square."""
    steps = {}
    for page in catalogue.topics()["compass"].pages:
        if page.sort == "pattern" and len(page.arguments) == 1:
            added = {page.thing(1 << square).bit_length() - 1 - square for square in _MIDDLE}
            if len(added) == 1:  # a flip moves each square by another number
                steps[added.pop()] = page
    rows = "".join(
        f"<tr>{''.join(_cell(steps.get(8 * rank + file), 8 * rank + file) for file in _AWAY)}</tr>"
        for rank in reversed(_AWAY)
    )
    title = "The compass rose, with what each step adds to the number of a square"
    return f'<table class="rose"><caption>{title}</caption>{rows}</table>'


def _cell(page: Page | None, added: int) -> str:
    if page is None:
        return f"<td>{'' if added else '●'}</td>"
    link = f'<a href="compass/{page.bare_name}.html"><code>{page.bare_name}</code></a>'
    return f"<td>{link}<br><small>{added:+}</small></td>"
