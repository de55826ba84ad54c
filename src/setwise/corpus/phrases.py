"""Phrases of chess, read part by part: ``white knight on an outpost``, ``queen attacked by a pawn``, ``two rooks``.

``lexicon.toml`` has the forms of phrases: pieces with a place, attacks, counts, endings, moves, and numbers of moves,
years and ratings. A function returns a condition, or None for a phrase of another form. ``known`` returns the condition
for a word of the lexicon, or None.
"""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

Known = Callable[[str], str | None]


@functools.cache
def written() -> dict[str, Any]:
    """Return the tables of ``lexicon.toml``, as written there."""
    return tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text("utf-8"))


def inverted(table: dict[str, list[str]]) -> dict[str, str]:
    """Return the meaning of each word of a table of lists of words."""
    return {word: meaning for meaning, words in table.items() for word in words}


_COUNTS = "no one two three four five six seven eight".split()
NUMBERS = {it: str(at) for at, it in enumerate(_COUNTS)} | {"a": "1", "single": "1", "both": "2", "double": "2"}
LETTERS = {"king": "K", "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "pawn": "P"}
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
SIDES = inverted(written()["sides"])
OTHER = {"white": "black", "black": "white", "own": "enemy", "enemy": "own"}
_ARTICLE = re.compile(r"^(?:a|an|the|some|any|has|have|having|with|there is|there are) ")
_PLURAL = re.compile(rf"\b({'|'.join(LETTERS)}|piece|minor|major|unit|passer|outpost|hole|slider)s\b")
_NOUNS, _ADJECTIVES, _PLACES, _SIGNS = (inverted(written()[it]) for it in ("nouns", "adjectives", "places", "signs"))
#: What names in braces stand for in the forms of phrases.
_PARTS = {
    "kind": f"(?:{'|'.join(LETTERS)})", "number": rf"(?:\d+|{'|'.join(NUMBERS)})", "square": "[a-h][1-8]",
    "sign": "|".join(sorted(filter(None, _SIGNS), key=len, reverse=True)),
}  # fmt: skip

#: The beginnings of conditions about the move that is played.
_OF_MOVES = re.compile("sacrifice|sound_sac|see |captured|promotion|piece =|gives_check|is_en_p|intermezzo|quiet_move")


def _form(text: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{([a-z]+)\}", lambda it: _PARTS[it[1]], text))


@functools.cache
def _forms() -> dict[re.Pattern[str], str]:
    return {_form(form): way for form, way in written()["forms"].items()}


def of_text(text: str) -> str | None:
    """Return the condition for a text with capitals or signs that has a form of its own, as ``B97``, ``KRP v KR``."""
    matches = ((re.fullmatch(form, text), condition) for form, condition in written()["texts"].items())
    return next((found.expand(condition) for found, condition in matches if found), None)


def of_phrase(text: str, known: Known) -> str | None:
    """Return the condition for a phrase in small letters; None for a phrase of no form that is known here.

    >>> of_phrase("white knight on e5", lambda word: None), of_phrase("queen attacked by a pawn", lambda word: None)
    ("white_knights & squares('e5') <> 0", 'own_queens & enemy_pawn_attacks <> 0')
    """
    text = re.sub(r"\b([1-8])(?:st|nd|rd|th)\b", lambda it: _ORDINALS[int(it[1]) - 1], text)
    phrase = _ARTICLE.sub("", _PLURAL.sub(r"\1", text))
    for form, way in _forms().items():
        found = form.fullmatch(text if way == "against" else phrase)  # where pawns are not one pawn
        if found and (meaning := _WAYS[way](found, known) if way in _WAYS else _filled(way, found, known)):
            return meaning
    squares = _set(phrase, lambda part: None if part == phrase else known(part))
    return squares and _asked(f"{squares} <> 0")


def _filled(template: str, found: re.Match[str], known: Known) -> str | None:
    """Return the condition of a form, with what the groups have found; None if the condition of a part is not known."""

    def part(name: re.Match[str]) -> str:
        word = found[int(name[2] or 1)] or ""
        if name[1] in {"sign", "least"}:
            return _SIGNS[word.strip()] if word or name[1] == "sign" else ">="
        if name[1] == "letter":
            return next(LETTERS[it] for it in found.groups()[int(name[2]) - 1 :] if it)
        meaning = known(word) if word not in SIDES else None
        if meaning is None or (name[1] == "move" and not _OF_MOVES.match(meaning)):
            raise LookupError(word)
        return f"({meaning})" if " or " in meaning else _of("enemy", meaning) if name[1] == "enemy" else meaning

    try:
        return re.sub(r"\{([a-z]+)(\d?)\}", part, found.expand(template))
    except LookupError:
        return None


def _of(side: str, text: str) -> str:
    """Return a condition of the side to move as one of another side."""
    return text.replace("own_", f"{side}_").replace("enemy_", f"{OTHER[side]}_")


def _asked(condition: str) -> str:
    """Return a condition in which ranks as a side sees them, such as the seventh, are those of the board."""
    flips = "black_" in condition and "white_" not in condition
    ranks = {it: str(8 - at if flips else at + 1) for at, it in enumerate(_ORDINALS)}
    found = re.sub(rf"(?<=ranks\(')({'|'.join(_ORDINALS)})(?=')", lambda it: ranks[it[1]], condition)
    return found if found == condition or "own_" not in found else f"either_colour({_of('white', found)})"


def _set(phrase: str, known: Known, side: str = "") -> str | None:
    """Return the set of pieces that a phrase names; without a side the own ones, or both sides' on squares alone."""
    named = [SIDES[it] for it in phrase.split() if it in SIDES]
    rest, parts = " ".join(it for it in phrase.split() if it not in SIDES), list[str]()
    while not parts or parts[0] != "":
        rest = _ARTICLE.sub("", rest)
        meaning = known(rest) if rest not in _NOUNS and " on " not in rest else None
        if rest in _NOUNS or (meaning and re.fullmatch(r"own_[\w &~|()]+ <> 0", meaning)):
            noun = _NOUNS.get(rest) or f"{meaning}".removesuffix(" <> 0").replace("own_", "{s}_").replace(
                "enemy_", "{o}_"
            )
            break
        place = next(((it, to) for form, to in _PLACES.items() if (it := _form(f"(.+?) {form}").fullmatch(rest))), None)
        by = re.fullmatch(r"(.+?) (attacked|hit|defended|protected|guarded|supported) by (?:an? |the )?(\w+)", rest)
        word = next((it for it in _ADJECTIVES if rest.startswith(f"{it} ") or rest.endswith(f" {it}")), None)
        file = re.fullmatch(r"([a-h])(?: |-)?(pawn|rook|knight|bishop)", rest)
        if place:
            names = [re.sub(r"\W+(?:(?:or|and)\W+)?", " ", it) for it in place[0].groups()[1:]]
            rest, part = place[0][1], place[1].format(*names, s="{s}", o="{o}")
        elif by and by[3] in {*LETTERS, "piece"}:
            whose, kind = "{o}" if by[2] in {"attacked", "hit"} else "{s}", f"_{by[3]}" if by[3] in LETTERS else ""
            rest, part = by[1], f"{whose}{kind}_attacks"
        elif word:
            rest, part = re.sub(rf"^{word} | (?:is |are )?{word}$", "", rest), _ADJECTIVES[word]
        elif file:
            rest, part = file[2], f"files('{file[1]}')"
        else:
            return None
        parts.append(part)
    if len(named) > 1 or (named and side):
        return None
    if any(re.search(r"_pawns?$|_ram$", it) for it in parts) and noun == "{s}_pawns":
        noun = parts.pop(next(at for at, it in enumerate(parts) if re.search(r"_pawns?$|_ram$", it)))
    side = named[0] if named else side
    if not side and parts and all(re.match(r"squares|\(?files|light_|dark_", it) for it in parts):
        both = " | ".join(noun.strip("()").replace("{s}", it) for it in ("white", "black"))
        noun = "occupied" if noun == "{s}_pieces" else f"({both})"
    side = side or "own"
    return " & ".join(dict.fromkeys([noun, *parts])).replace("{s}", side).replace("{o}", OTHER[side])


# ------------------------------------------------------------------------------------------------ forms of phrases


def _attacks(found: re.Match[str], known: Known) -> str | None:
    """Return the condition for pieces that attack others, ``bishop attacks the queen``, or defend own ones."""
    *sides, kind = found[1].split()
    side = SIDES[sides[0]] if sides else "own"
    whose = side if found[2].startswith(("defend", "protect", "guard")) else OTHER[side]
    target = _set(found[3], known, whose)
    return target and f"{side}_{f'{kind}_' if kind in LETTERS else ''}attacks & {target} <> 0"


def _count(found: re.Match[str], known: Known) -> str | None:
    """Return the condition for a number of pieces: ``two rooks``, ``at least three white pawns``, ``no queens``."""
    squares, number = _set(found[3], known), NUMBERS.get(found[2], found[2])
    if squares is None or found[3] == "king":
        return None
    if number == "0" and not found[1]:
        sides = ["white", "black"] if "own_" in squares else ["own"]
        return _asked(" and ".join(f"{_of(it, squares)} = 0" for it in sides))
    asked = _asked(f"bit_count({squares}) {_SIGNS[found[1] or '']} {number}")
    return f"either_colour({_of('white', asked)})" if "own_" in asked else asked


def _more(found: re.Match[str], known: Known) -> str | None:
    """Return the condition for more pieces of a kind than the enemy has, or than of another kind."""
    one, other = _set(found[2], known), _set(found[3] or found[2], known)
    if one is None or other is None:
        return None
    sign = {"more": ">", "extra": ">", "fewer": "<", "less": "<"}.get(found[1], "=")
    if one == other:
        other = re.sub("own|enemy|white|black", lambda it: OTHER[it[0]], one)
    return f"bit_count({one}) {sign} bit_count({other})"


def _against(found: re.Match[str], known: Known) -> str | None:
    """Return the condition for pieces against pieces, exactly these: ``rook and pawn against rook``."""
    kind = re.sub(r".* ", " ", found[1]) if found[2] in NUMBERS or found[2].isdigit() else ""
    pairs = [*itertools.product(_side(found[1]), _side(found[2] + kind))]
    if re.search(r"ending|endgame", found[0]) and not any("P" in it for pair in pairs for it in pair):
        pairs = [(f"{one}P*", f"{other}P*") for one, other in pairs]
    colour = next((f", '{it}'" for it in ("white", "black") if found[1].startswith(it)), "")
    return " or ".join(dict.fromkeys(f"material('{one} v {other}'{colour})" for one, other in pairs)) or None


def _side(text: str) -> list[str]:
    """Return what ``material`` may have for one side, for a minor piece both: ``rook and pawn`` is ``KRP``."""
    text = re.sub(r"^(?:white|black|the|an?|lone|bare|only) |\b(?:ending|endgame|game|mate)\b", "", text).strip()
    if re.fullmatch(r"k?[qrbn]*p*", text):
        return [f"K{text.upper().removeprefix('K')}"]
    options = [""]
    for part in filter(None, re.split(r" and | with | plus | ?[+,] ?", text)):
        word = _form("(?:({number}) )?(?:an? |the )?({kind}|minor(?: piece)?|[kqrbnp])(s?)").fullmatch(part.strip())
        if word is None:
            return []
        kind, number = word[2], int(NUMBERS.get(word[1], word[1] or "1"))
        letters = "BN" if kind.startswith("minor") else LETTERS.get(kind, kind.upper()).replace("K", "")
        several = itertools.combinations_with_replacement(letters, min(number, 8) if letters else 0)
        many = "+" if word[3] and not word[1] else ""
        options = [f"{it}{''.join(mix)}{many}" for it, mix in itertools.product(options, [*several])]
    return [
        f"K{''.join(sorted(re.findall('[QRBNP][+]?', it), key=lambda one: 'QRBNP'.index(one[0])))}" for it in options
    ]


_WAYS = {it.__name__.lstrip("_"): it for it in (_attacks, _count, _more, _against)}
