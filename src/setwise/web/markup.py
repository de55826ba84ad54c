"""Parts of the page as HTML: the lists of patterns and questions, and the page that explains a pattern.

The answers of the workbench are JSON, except these parts, which are the same for everybody. All texts are escaped here.
This module also has the names of patterns, features and columns as people say them.
"""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Iterable, Sequence

from setwise.catalogue import Page
from setwise.catalogue.lookup import uses
from setwise.catalogue.questions import SITE, page_address
from setwise.corpus.columns import COLUMNS
from setwise.corpus.lexicon import entries
from setwise.features import FEATURES

# ------------------------------------------------------------------------------------------------------- human names


#: Columns whose words say too little, or something else.
_TITLES = {
    "white_name": "White", "black_name": "Black", "white_elo": "White's rating", "black_elo": "Black's rating",
    "eco": "ECO", "fen": "FEN", "san": "Move", "results": "Results", "name": "Player", "elo": "Best rating",
    "last": "Last year", "last_year": "Last", "missed_by": "Pawns missed",
}  # fmt: skip
_SIDED = re.compile(r"(white|black|own|enemy)_(\w+)")
#: The names of languages, except those that begin with a capital and are otherwise the same.
LANGUAGES = {"cpp": "C++", "csharp": "C#", "javascript": "JavaScript"}
_MOVERS = {"own": "side to move", "enemy": "side that waits"}


@functools.cache
def title_of(name: str) -> str:
    """Return the name of a pattern, feature or column as people say it.

    It has the words of the lexicon that are most like it; the name of a feature of a side also has the side.

    >>> title_of("defenders_overloaded"), title_of("own_pawn_islands"), title_of("knight.fork_targets")
    ('Overloaded defender', 'Pawn islands, side to move', 'Fork targets')
    >>> title_of("white_elo"), title_of("move_count"), title_of("avg(ply)")
    ("White's rating", 'Move count', 'avg(ply)')
    """
    if not re.fullmatch(r"[\w.]+", name):
        return name
    if (sided := _SIDED.fullmatch(name)) and sided[2] in FEATURES:
        return f"{title_of(sided[2])}, {_MOVERS.get(sided[1], sided[1].title())}"
    words = name.rpartition(".")[2].replace("_", " ")
    meanings, stems = {f"own_{name} <> 0", f"enemy_{name} <> 0"}, {word[:4] for word in words.split()}
    said = [it for it, meaning in entries().items() if meaning in meanings and not it.startswith(("is ", "can "))]

    def likeness(phrase: str) -> tuple[int, int]:
        parts = {word.replace("-", "")[:4] for word in phrase.split()}
        return len(stems & parts), -len(parts - stems)

    words = _TITLES.get(name) or max(said, key=likeness, default=words)
    return words[:1].upper() + words[1:]


def head(name: str, *, number: bool) -> dict[str, str | bool]:
    """Return the head of a column of a table: its name, its title, and whether its values are numbers."""
    return {"name": name, "title": title_of(name), "number": number}


# ---------------------------------------------------------------------------------------------------------- elements


def element(tag: str, *content: str, **attributes: str) -> str:
    """Return an element; ``content`` is HTML already, a ``_`` in the name of an attribute stands for a dash.

    >>> element("a", text("<b>"), href="/?a=1&b=2", data_on="x")
    '<a href="/?a=1&amp;b=2" data-on="x">&lt;b&gt;</a>'
    """
    named = "".join(f' {name.rstrip("_").replace("_", "-")}="{html.escape(it)}"' for name, it in attributes.items())
    return f"<{tag}{named}>{''.join(content)}</{tag}>"


text = html.escape


def _button(label: str, **attributes: str) -> str:
    return element("button", text(label), type="button", **attributes)


def options(choices: Iterable[tuple[str, str]]) -> str:
    """Return the options of a list: values and labels."""
    return "".join(element("option", text(label), value=value) for value, label in choices)


def topic(title: str, about: str, rows: Iterable[str], **attributes: str) -> str:
    """Return a list under a title that opens it."""
    summary = element("summary", text(title), element("span", text(about), class_="quiet"))
    return element("details", summary, element("ul", *rows), **attributes)


def switch_row(page: Page, switches: Sequence[str]) -> str:
    """Return the row of a pattern or feature in the list of patterns: its name, and a switch for each side."""
    title = title_of(page.name)
    buttons = [
        _button(
            side[0], class_=f"side {side.lower()}", aria_pressed="false", aria_label=f"{title} for {side}", data_on=on
        )
        for side, on in zip(("White", "Black"), switches, strict=True)
    ]  # fmt: skip
    chosen = _button(title, class_="link", data_state=json.dumps({"about": page.name, "step": ""}))
    words = f"{page.name} {title} {page.sentence}".lower().replace("_", " ")
    return element("li", chosen, *buttons, title=page.sentence, data_words=words)


def chip_row(title: str, chip: str) -> str:
    """Return the row of a question, whose button adds a chip to the search."""
    return element("li", _button(title, class_="link", data_chip=chip))


# ------------------------------------------------------------------------------------------------------- explanations


def _prose(paragraphs: str) -> str:
    """Paragraphs, with ``code`` in backticks."""
    marked = re.sub(r"`+([^`]+)`+", r"<code>\1</code>", text(paragraphs, quote=False))
    return "".join(element("p", paragraph) for paragraph in re.split(r"\n\s*\n", marked))


def _code(source: str, label: str) -> str:
    return element("pre", element("code", text(source)), tabindex="0", role="region", aria_label=label)


def explanation(page: Page) -> str:
    """Return the explanation of a pattern, a feature or a column."""
    title = title_of(page.name)
    links = (_button(it, class_="link", data_state=json.dumps({"about": it, "step": ""})) for it in uses(page))
    terms = "".join(element("dt", text(it.name)) + element("dd", text(it.meaning)) for it in page.arguments)
    columns = (element("code", text(it)) for it in page.columns if it in COLUMNS)
    parts = {
        "Formula": _code(page.formula, "Formula") if page.formula else "",
        "Where": _code(page.helpers, "What the formula names") if page.helpers else "",
        "Builds on": " ".join(links),
        "Why it works": _prose(page.reason or ""),
        "Proved": _prose(page.proof or ""),
        **{form.title: _code(form.source, form.title) for form in page.forms},
        "Arguments": terms and element("dl", terms),
        "In conditions": " ".join(columns),
        "Traps": _prose(page.traps or ""),
        "Where the source errs": _prose(page.slips or ""),
        "Others call it": text(", ".join(page.names)),
        "Source": _prose(page.source or ""),
    }  # fmt: skip
    address, more = f"{SITE}/{page_address(page)}", text(f"{title} in the documentation")
    link = element("a", more, href=address, target="_blank", rel="noreferrer")
    summary = element("h2", text(title)) + element("p", text(page.summary), class_="summary")
    rest = (element("h3", text(name)) + part for name, part in parts.items() if re.sub(r"</?p>", "", part))
    return summary + _prose(page.definition or "") + "".join(rest) + element("p", link)
