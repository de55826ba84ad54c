"""The commands on the catalogue: patterns, explain, table."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from setwise.cli.terminal import shows_colors

if TYPE_CHECKING:
    from setwise.catalogue import Topic
    from setwise.catalogue.examples import Step

_WIDTH = 100


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("patterns")(patterns_command)
    app.command("explain")(explain_command)
    app.command("table")(table_command)


def patterns_command(
    topic: Annotated[
        str | None, typer.Argument(metavar="[TOPIC]", help="One topic alone: king, features …", show_default=False)
    ] = None,
) -> None:
    """List the catalogue by topic, each pattern and feature with one sentence."""
    from setwise import catalogue

    shown = [catalogue.topic(topic)] if topic else list(catalogue.topics().values())
    print("\n\n".join(map(_listed, shown)))


def _listed(topic: Topic) -> str:
    pages = [page for page in topic.pages if page.sort != "table"]
    width = max(len(page.name) for page in pages)
    return "\n".join([f"{topic.name}: {topic.title}", *(f"  {page.name:<{width}}  {page.sentence}" for page in pages)])


def explain_command(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="knight.fork_targets, fork_squares, white_fork_squares, king.ATTACKS …"),
    ],
) -> None:
    """Explain a pattern, feature, table, column or topic: what it means, its traps and source, with a drawn example."""
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
    for heading, text in (("Arguments", arguments), ("Example", steps), ("Traps", page.traps), ("Source", page.source)):
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


def table_command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="king.ATTACKS, knight.distance …; none lists the tables.", show_default=False
        ),
    ] = None,
    language: Annotated[
        str, typer.Option("--lang", "-l", metavar="LANGUAGE", help="c, rust, java …; an unknown one lists them.")
    ] = "c",
) -> None:
    """Print a lookup table as source text for an engine."""
    from setwise import catalogue
    from setwise.catalogue import tables

    if name is not None:
        print(tables.source_text(name, language), end="")
        return
    listed = [page for page in catalogue.pages().values() if page.sort == "table"]
    width = max(len(page.name) for page in listed)
    for page in listed:
        print(_hanging(f"{page.name:<{width}}  ", f"{page.returns}: {page.summary}"))
    print("\nPatterns of one or two arguments are tabulated when named: setwise table knight.distance --lang rust")
