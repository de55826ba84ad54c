"""The commands on the catalogue: patterns, explain, table."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from setwise.cli import options
from setwise.cli.options import ready
from setwise.cli.terminal import shows_colors

if TYPE_CHECKING:
    from setwise.catalogue import Topic
    from setwise.catalogue.examples import Step

_WIDTH = 100


@click.command("patterns")
@click.argument("topic", metavar="[TOPIC]", required=False)
@options.load
def patterns_command(topic: str | None, load: tuple[str, ...]) -> None:
    """List the catalogue by topic, or one TOPIC alone, each pattern and feature with one sentence."""
    ready(load)
    from setwise import catalogue

    shown = [catalogue.topic(topic)] if topic else list(catalogue.topics().values())
    print("\n\n".join(map(_listed, shown)))


def _listed(topic: Topic) -> str:
    pages = [page for page in topic.pages if page.sort != "table"]
    width = max(len(page.name) for page in pages)
    return "\n".join([f"{topic.name}: {topic.title}", *(f"  {page.name:<{width}}  {page.sentence}" for page in pages)])


@click.command("explain")
@click.argument("name", metavar="NAME")
@options.load
@options.color
def explain_command(name: str, load: tuple[str, ...]) -> None:
    """Explain a pattern, feature, table, column or topic: what it means, its traps and source, with a drawn example."""
    ready(load)
    from setwise import catalogue
    from setwise.catalogue.examples import steps_of

    if name in catalogue.topics():
        topic = catalogue.topic(name)
        print("\n\n".join(text for text in (topic.text, _listed(topic)) if text))
        return
    page = catalogue.page(name)
    steps = "\n".join(_drawn(step) for step in steps_of(page)).rstrip("\n")
    print(textwrap.fill(page.signature, _WIDTH, subsequent_indent="    "))
    print(f"\n{page.summary}" + (f"\n\n{page.definition}" if page.definition else ""))
    if page.columns:
        print(f"\nIn conditions and scans: {', '.join(page.columns)}")
    width = max((len(argument.name) for argument in page.arguments), default=0)
    arguments = "\n".join(_hanging(f"{argument.name:<{width}}  ", argument.meaning) for argument in page.arguments)
    told = {"Arguments": arguments, "Formula": page.formula, "Example": steps}
    for heading, text in (told | {"Traps": page.traps, "Source": page.source}).items():
        if text:
            print(f"\n{heading}:\n{textwrap.indent(text, '    ')}")
    if page.sort == "table":
        print(f"\nAs source text: setwise table {page.name} --lang c")


def _hanging(head: str, text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _drawn(step: Step) -> str:
    """A statement, its answer, and a board in the terminal's colours, or without colours in a pipe."""
    from setwise.view import draw

    color = shows_colors()
    remark = f"{step.remark}\n\n" if step.remark else ""
    text = f"{remark}>>> " + step.source.replace("\n", "\n... ")
    if step.answer and not (step.drawing and step.drawing.says_all):
        text += f"\n{step.answer}"
    if step.drawing is not None:
        text += f"\n\n{draw(step.drawing.pieces, step.drawing.marks or None, color=color, unicode=color)}\n"
    return text


@click.command("table")
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--lang", "-l", "language", metavar="LANGUAGE", default="c", help="c, rust, java …; an unknown one lists them."
)
@click.option(
    "--mapping", metavar="SQUARES", default="a1b1", show_default=True,
    help="The squares of the bits 0 and 1: a1b1 a8b8 h1g1 h8g8 a1a2 a8a7 h1h2 h8h7.",
)  # fmt: skip
@options.load
def table_command(name: str | None, language: str, mapping: str, load: tuple[str, ...]) -> None:
    """Print a lookup table, king.ATTACKS or knight.distance, as source text; without a NAME list the tables."""
    ready(load)
    from setwise import catalogue
    from setwise.catalogue import tables

    if name is not None:
        print(tables.source_text(name, language, mapping), end="")
        return
    listed = [page for page in catalogue.pages().values() if page.sort == "table"]
    width = max(len(page.name) for page in listed)
    for page in listed:
        print(_hanging(f"{page.name:<{width}}  ", f"{page.returns}: {page.summary}"))
    print("\nPatterns of one or two arguments are tabulated when named: setwise table knight.distance --lang rust")
