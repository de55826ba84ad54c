"""The form of the search: the condition that a filled form stands for, and the form that a typed text stands for."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from setwise import catalogue
from setwise.corpus import lexicon
from setwise.corpus.language import condition_of
from setwise.corpus.language.names import like
from setwise.errors import QueryError, SetwiseError, shortened
from setwise.position.position import Position

#: The fields of the form, each with its label on the page.
FIELDS = {
    "player": "Player",
    "color": "Player's colour",
    "result": "Result",
    "opening": "Opening or ECO",
    "year_from": "Years from",
    "year_to": "to",
    "elo_from": "Ratings from",
    "elo_to": "to",
    "motif": "Motif",
    "structure": "Pawn structure",
    "ending": "Ending",
    "phase": "Phase",
    "material": "Material",
}
#: The values of the fields that have a list, each with its label.
CHOICES = {
    "color": {"white": "White", "black": "Black"},
    "result": {
        "won": "The player won", "lost": "The player lost", "1-0": "White won", "0-1": "Black won", "1/2-1/2": "Draw",
    },
    "phase": {"opening": "Opening", "middlegame": "Middlegame", "endgame": "Endgame"},
}  # fmt: skip
#: The topics of questions that have fields of their own; questions of all others are motifs.
_TOPICS = {"structure": "Pawn structures", "ending": "Endings"}
#: The topic of the motifs that are listed first.
_COMMON = "On the board"
#: The topic of motifs that a player missed; the name of a motif alone means that it was played.
_MISSED = "Missed chances"

_ECO = re.compile(r"([A-E])([0-9]{0,2})(?:\s*[-–]\s*([A-E][0-9]{2}))?", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,4}")
_MATERIAL = re.compile(r"K[QRBNP]*\s*(?:v|vs\.?|-)\s*K[QRBNP]*", re.IGNORECASE)
_LICHESS = re.compile(r"(?:https?://)?(?:www\.)?lichess\.org/\S+")
_FEN = re.compile(r"(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}(?:\s.*)?", re.DOTALL)
#: Ranks as a FEN has them, perhaps too few or too many.
_RANKS = re.compile(r"[pnbrqkPNBRQK1-8]+(?:/[pnbrqkPNBRQK1-8]*){2,}(?:\s.*)?", re.DOTALL)
_NOT_MOVES = re.compile(r"\{[^}]*\}|\d+\.+|\$\d+|[!?]+|1-0|0-1|1/2-1/2|\*")
_YEAR = re.compile(r"(1[5-9]|20)[0-9]{2}")
#: A text with one of these characters or words is taken as a condition.
_OF_CONDITIONS = re.compile(r"[<>=()_]|\b(?:and|or|not)\b")
#: Conditions of the lexicon that need a file of the user's, which a word does not name.
_OF_FILES = re.compile(r"(?:within|leaves)\(")


#: The fields that list motifs.
LISTED = ("motif", *_TOPICS)


# ------------------------------------------------------------------------------------------------------------ the form


class Motif(NamedTuple):
    """An entry of a list of the form: its heading, its label, its condition, and its other names."""

    topic: str
    title: str
    where: str
    words: str = ""


@functools.cache
def motifs(field: str) -> tuple[Motif, ...]:
    """Return the entries that a field of the form lists: the questions that are conditions, the common ones first."""
    questions = [
        Motif(it.topic, it.asks, it.text, " ".join(it.words))
        for it in catalogue.questions()
        if not (it.is_statement or it.variations)
    ]
    if field in _TOPICS:
        return tuple(it for it in questions if it.topic == _TOPICS[field])
    general = [it for it in questions if it.topic not in _TOPICS.values()]
    return tuple(sorted(general, key=lambda it: it.topic != _COMMON))


def condition(form: dict[str, str]) -> str:
    """Return the condition that a form stands for; empty if nothing is filled in.

    Args:
        form: texts by the names of ``FIELDS``; empty ones, and missing ones, say nothing.

    Raises:
        QueryError: a field has an invalid value; the message names the field by its label on the page.

    Example:
        >>> condition({"player": "Carlsen", "color": "white", "result": "won", "year_from": "2013"})
        "contains(lower(white_name), 'carlsen') and white_points = 1 and year >= 2013"
        >>> condition({"opening": "b9", "phase": "endgame"})
        "eco between 'B90' and 'B99' and phase = 'endgame'"
    """
    filled = {name: text.strip() for name, text in form.items() if text.strip()}
    if unknown := filled.keys() - FIELDS.keys():
        raise QueryError(f"the form has no field {shortened(min(unknown))}")
    for name, values in CHOICES.items():
        if filled.get(name, next(iter(values))) not in values:
            raise QueryError(f"{FIELDS[name]} is one of {', '.join(values)}, not {shortened(filled[name])}")
    parts = [*_of_player(filled), *_of_mover(filled), *_ranges(filled)]
    for name, part in _PARTS.items():
        if name in filled:
            parts.append(part(filled[name]))
    return " and ".join(parts)


def _of_player(form: dict[str, str]) -> list[str]:
    """The conditions on a player, the colour, and the result from the player's point of view."""
    name, side, result = form.get("player", ""), form.get("color", ""), form.get("result", "")
    personal = {"won": 1, "lost": 0}.get(result)
    if personal is not None and not (name or side):
        raise QueryError("whose win or loss? Fill in the player or a colour, or choose White won or Black won")
    plain = [] if personal is not None or not result else [f"result = '{result}'"]
    if not name and personal is None:
        return plain  # a colour alone says nothing
    words = _words_of(name)
    if len(words) == 1 and not side and personal is None:
        return [f"player({_literal(name)})", *plain]
    sides = [side] if side else ["white", "black"]
    ways = [
        [f"contains(lower({it}_name), {_literal(word.lower())})" for word in words]
        + [f"{it}_points = {personal}"] * (personal is not None)
        for it in sides
    ]
    if len(ways) == 1:
        return [*ways[0], *plain]
    return ["(" + " or ".join(" and ".join(way) for way in ways) + ")", *plain]


def _of_mover(form: dict[str, str]) -> list[str]:
    """For a chance that was missed: the player is the one who missed it."""
    missed = {it.title for it in motifs("motif") if it.topic == _MISSED}
    if form.get("motif") not in missed or not form.get("player"):
        return []
    return [f"contains(lower(own_name), {_literal(word.lower())})" for word in _words_of(form["player"])]


def _words_of(name: str) -> list[str]:
    """The words of a name: "Garry Kasparov" is "Kasparov, Garry" in most files."""
    return [word for word in re.split(r"[\s,]+", name) if word]


def _ranges(form: dict[str, str]) -> list[str]:
    parts = []
    for field, columns in (("year", ["year"]), ("elo", ["white_elo", "black_elo"])):
        for end, sign in (("from", ">="), ("to", "<=")):
            if text := form.get(f"{field}_{end}"):
                if not _NUMBER.fullmatch(text):
                    raise QueryError(f"{FIELDS[f'{field}_from']} … to are numbers, not {shortened(text)}")
                parts += [f"{column} {sign} {int(text)}" for column in columns]
    return parts


def _opening(text: str) -> str:
    """A condition on ECO codes, or on the tag Opening or the moves that the catalogue knows for a name."""
    if code := _ECO.fullmatch(text):
        letter, digits, last = code[1].upper(), code[2], code[3]
        first, end = f"{letter}{digits:0<2}", f"{letter}{digits:9<2}" if last is None else last.upper()
        return f"eco = '{first}'" if first == end else f"eco between '{first}' and '{end}'"
    named = f"coalesce(contains(lower(opening), {_literal(text.lower())}), false)"
    known = [it for it in catalogue.questions(text) if it.topic == "Openings" and not it.is_statement]
    return f"({named} or {known[0].text})" if known else named


def _material(text: str) -> str:
    return f"material({_literal(re.sub(r'vs[.]?|-', 'v', text.strip()))})"


def _asked(field: str) -> Callable[[str], str]:
    def part(text: str) -> str:
        for it in motifs(field):
            if it.title == text:
                return f"({it.where})" if " or " in it.where else it.where
        raise QueryError(f"{FIELDS[field]} has no {shortened(text)}: choose from the list")

    return part


_PARTS: dict[str, Callable[[str], str]] = {
    "opening": _opening,
    **{field: _asked(field) for field in LISTED},
    "phase": "phase = '{}'".format,
    "material": _material,
}


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# -------------------------------------------------------------------------------------------------------------- a text


def understood(text: str, is_player: Callable[[str], bool] = lambda name: False) -> dict[str, Any]:
    """Return what a text typed into the search means.

    Args:
        text: a condition or a SELECT; a FEN; moves from the start; a year, an ECO code, material as ``KRP v KR``;
            a motif by any of its names; a word of the lexicon; a player.
        is_player: tells whether a text is part of a player's name; such a text is not a motif.

    Returns:
        ``where``, the condition; ``form``, the fields of the form with the same meaning, if the text is words; ``fen``,
        the position, if the text is a FEN or moves; ``line``, these moves in UCI.

    Raises:
        QueryError: for an address of Lichess, for moves that are not legal, for an invalid FEN, and for a word that no
            column can answer; the message is the sentence of the lexicon.

    Example:
        >>> understood("Carlsen")["form"], understood("royal fork")["form"]
        ({'player': 'Carlsen'}, {'motif': 'A safe fork of king and queen is on'})
    """
    text = text.strip()
    if _LICHESS.fullmatch(text):
        raise QueryError(
            "setwise sends no request to other servers: open this address in the browser, download the PGN there, and "
            "drop the file here"
        )
    if _FEN.fullmatch(text) or _RANKS.fullmatch(text):
        return {"where": like(text), "fen": Position(text, strict=False).fen()}
    if (reached := _after_moves(text)) is not None:
        position, moves = reached
        return {"where": like(position.fen()), "fen": position.fen(), "line": ".".join(moves)}
    is_year = _YEAR.fullmatch(text) is not None
    if re.match(r"(?:select|with|from)\b", text, re.IGNORECASE) or (not is_year and _is_condition(text)):
        return {"where": text}
    form = _form_of(text, is_player)
    meaning = None if is_player(text) or form != {"player": text} else lexicon.meaning_of(text, misspelt=False)
    # A part of an opening's name that is no word of the lexicon, such as Kasparov, is rather a player.
    is_part = meaning not in lexicon.entries().values() and (meaning or "").startswith("opening_by_position")
    if meaning is None or is_part or _OF_FILES.match(meaning):
        return {"where": condition(form), "form": form}
    if not lexicon.is_condition(meaning):
        raise QueryError(meaning)
    return {"where": meaning}


def _is_condition(text: str) -> bool:
    """Whether a text is meant as a condition: it is one, or it looks like one and is wrong."""
    if _OF_CONDITIONS.search(text):
        return True
    try:
        condition_of(text, {})
    except SetwiseError:
        return False
    return True


def _after_moves(text: str) -> tuple[Position, list[str]] | None:
    """The position after moves from the start, and the moves; None for a text that does not begin with a legal move."""
    moves = _NOT_MOVES.sub(" ", text).split()
    position, played = Position(), list[str]()
    for number, move in enumerate(moves):
        try:
            played.append(position.uci(position.parse(move)))
            position = position.play(move)
        except ValueError as error:
            if number == 0:
                return None
            raise QueryError(f"after {number} moves: {error}") from None
    return (position, played) if moves else None


def _form_of(text: str, is_player: Callable[[str], bool]) -> dict[str, str]:
    """The fields of the form that words stand for."""
    if _YEAR.fullmatch(text):
        return {"year_from": text, "year_to": text}
    if _ECO.fullmatch(text) and any(it.isdigit() for it in text):
        return {"opening": text.upper()}
    if _MATERIAL.fullmatch(text):
        return {"material": text}
    if (phase := text.lower().removesuffix("s")) in CHOICES["phase"]:
        return {"phase": phase}
    named = [] if is_player(text) else [it for it in _entries() if _is_named(text, it[1])]
    if not named:
        return {"player": text}
    field, best = min(named, key=lambda it: (it[1].topic == _MISSED and "miss" not in text.lower(), _rank(it[1])))
    return {"opening": text} if best.topic == "Openings" else {field: best.title}


def _entries() -> list[tuple[str, Motif]]:
    """The entries of all lists of the form, each with its field."""
    return [(field, it) for field in LISTED for it in motifs(field)]


def _rank(motif: Motif) -> tuple[bool, int]:
    """The order of motifs: common ones first, then shorter titles, which add less to the words."""
    return motif.topic != "Common", len(motif.title)


def _is_named(text: str, motif: Motif) -> bool:
    """Whether each word of a text begins a word of the title or the other names; a plural counts as its singular."""
    there = re.findall(r"\w+", f"{motif.title} {motif.words}".lower())
    words = re.findall(r"\w+", text.lower())
    return bool(words) and all(any(it.startswith(word.removesuffix("s")) for it in there) for word in words)
