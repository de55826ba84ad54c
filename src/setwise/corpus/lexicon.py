"""The words that people try first, each with a condition that can be pasted, or with a sentence about it.

``lexicon.toml`` has the words. A word that is not there may be a column or feature in another spelling, or a word of
the table with a letter too many; a phrase is read part by part, by the forms of phrases that the table has. `find` and
`sql` name the condition for an unknown column, `explain`, `columns` and `questions` for a word that they do not know.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from setwise import chess_words
from setwise.errors import shortened

#: Parts of names to ignore: ``(Bitboards)`` in titles of wiki pages, ``2.1`` before headings, the site that a link
#: leads to, and the colour before names in C: ``wPawnAttacks``.
_BESIDES = re.compile(r"\(.*?\)|^\d+(\.\d+)*\s+| from (Wikipedia|Wolfram.*)$|^[wb](?=[A-Z])")
_AMERICAN = {"colour": "color", "neighbour": "neighbor", "centre": "center", "defence": "defense", "grey": "gray"}
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_PLURAL = re.compile(r"(?<=[^\Wsui])s$")


def plain(text: str) -> str:
    """Return a text in small letters, without accents, and with ``CamelCase`` as words."""
    return _CAMEL.sub(" ", unicodedata.normalize("NFKD", text)).replace("\u0301", "").replace("\u0308", "").lower()


def spelled(name: str) -> str:
    """Return a name in one style: ``King Attacks``, ``king_attacks()`` and ``kingAttacks`` are the same.

    >>> spelled("King Attacks"), spelled("king_attacks()")
    ('kingattacks', 'kingattacks')
    """
    return re.sub(r"[\W_]", "", plain(name))


def loosely(name: str) -> str:
    """Return one spelling for singular and plural, British and American words, and names in C for either colour.

    >>> loosely("wSinglePushTargets"), loosely("single-push target"), loosely("Pawn Islands (Bitboards)")
    ('singlepushtarget', 'singlepushtarget', 'pawnisland')
    """
    singular = [_PLURAL.sub("", word) for word in re.findall(r"[^\W_]+", plain(_BESIDES.sub("", name)))]
    return "".join(_AMERICAN.get(word, word) for word in singular)


@functools.cache
def written() -> dict[str, Any]:
    """Return the tables of ``lexicon.toml``, as written there."""
    return tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text("utf-8"))


def inverted(table: dict[str, list[str]]) -> dict[str, str]:
    """Return the meaning of each word of a table of lists of words."""
    return {word: meaning for meaning, words in table.items() for word in words}


@functools.cache
def entries() -> dict[str, str]:
    """Return the words of the lexicon as written there, each with its condition or sentence."""
    return inverted({meaning: words for meaning, words in written().items() if isinstance(words, list)})


@functools.cache
def pages() -> dict[str, str]:
    """Return the words of ``[pages]`` as written there, each with the name of the page or topic that it means.

    For a word that means several pages, the value has the names of these pages with spaces between them.
    """
    return inverted(written()["pages"])


@functools.cache
def _by_spelling() -> dict[str, str]:
    forms = ((form(word), meaning) for form in (_stems, loosely, spelled) for word, meaning in entries().items())
    return {word: meaning for word, meaning in forms if word}  # signs such as !! have no letters


@functools.cache
def _stem(word: str) -> str:
    word = written()["same"].get(word, _AMERICAN.get(word, word))
    bare = re.sub(r"(?:ies|y)$", "i", word) if len(word) > 4 else word
    bare = re.sub(r"(?<=\w{3})(?:ings?|ed|es|s|e)$", "", bare)
    bare = re.sub(r"(?<=\w{3})e$", "", bare)
    return written()["same"].get(bare, re.sub(r"(?<=\w{2})([^aeiouy])\1$", r"\1", bare))


def _stems(name: str) -> str:
    """Return the stems of the words that say something, in the order of the alphabet.

    >>> _stems("majorities of pawns"), _stems("pawn majority")
    ('+majoriti+pawn', '+majoriti+pawn')
    """
    words = re.findall(r"[^\W_]+", re.sub(r"\b(?:(a)-|([b-h])[- ])(?=pawn|file)", r"\1\2", plain(name)))
    stems = sorted(_stem(word) for word in words if word not in _SMALL)
    return "".join(f"+{it}" for it in stems)


#: Words that are left out where phrases are compared word by word; that say nothing beside a word of the lexicon,
#: as in ``event name``; that say too little of a phrase to lead anywhere; after which a phrase goes on.
_SMALL, _FILLERS, _GENERAL, _ENDS = (frozenset(it.split()) for it in written()["lists"].values())
_LONG = 5
_ALIKE = 0.84
#: The ending of a side that has something: ``black's bad bishop``.
_OWNER = re.compile(r"\A(white|black|opponent)['\u2019]s\Z", re.IGNORECASE)
_PREFIX = re.compile(r"\b(white|black|own|enemy)_")


def meaning_of(word: str, *, misspelt: bool = True) -> str | None:
    """Return the condition that asks for a word, or the sentence about it; None for a word that is not known.

    >>> meaning_of("Zwischenzug"), meaning_of("passedPawns"), meaning_of("pased pawn"), meaning_of("white_rating")
    ('intermezzo', 'own_passed_pawns <> 0', 'own_passed_pawns <> 0', 'white_elo >= 2500')
    >>> meaning_of("white_royal_forks"), meaning_of("knight on e5")
    ('white_safe_royal_fork_squares <> 0', "(white_knights | black_knights) & squares('e5') <> 0")
    """
    text = word.strip()
    if _CALL.fullmatch(text) and not _known(text):
        text = text.removesuffix("()").rpartition(".")[2]
    return _meaning(text, misspelt=misspelt)


@functools.cache
def _meaning(text: str, *, misspelt: bool) -> str | None:
    words = [_OWNER.sub(r"\1", it) for it in re.findall(r"[^\W_]+(?:['\u2019+/-][^\W_]+)*\+*", _CAMEL.sub(" ", text))]
    phrase = plain(" ".join(words))
    if found := _by_spelling().get(spelled(text)) or of_text(text) or _of_line(text) or _exactly(text):
        return found
    if way := chess_words.way_of_any(text):
        return f"no column, but in Python {way}"
    if found := _known(text) or of_phrase(phrase, _inner) or _of_side(words) or _named_mate(phrase):
        return found
    bare = " ".join(it for it in words if it.lower() not in _FILLERS)
    if bare != text and (found := _known(bare) or of_phrase(plain(bare), _inner) or _of_side(bare.split())):
        return found
    if found := _of_opening(text):
        return found
    if (bare := re.sub(r"['\u2019]s\b", "", text)) != text:  # the player's age
        return _meaning(bare, misspelt=misspelt)
    corrected = _corrected(phrase) if misspelt else ()
    return next((found for it in corrected if (found := _meaning(it, misspelt=False))), None)


@functools.cache
def _vocabulary() -> frozenset[str]:
    from setwise.game.openings import names

    return frozenset(
        it for word in (*entries(), *names()) for it in re.findall(r"[^\W_]+", plain(word)) if len(it) >= _LONG
    )


def _corrected(phrase: str) -> Iterator[str]:
    """Return phrases with each word that is not known replaced by a word that is like it, the nearest words first."""
    words, near = re.split(r"[\s-]+", phrase), dict[str, list[str]]()
    for word in words:
        if len(word) >= _LONG and not {word, _PLURAL.sub("", word)} & _vocabulary():
            near[word] = difflib.get_close_matches(word[:30], _vocabulary(), n=3, cutoff=0.8)
    for at in range(max(map(len, near.values()), default=0)):
        yield " ".join(near[it][min(at, len(near[it]) - 1)] if near.get(it) else it for it in words)


def _inner(phrase: str) -> str | None:
    """Return the condition for a part of a phrase, which has no meaning that is a sentence."""
    meaning = _meaning(phrase, misspelt=False)
    return meaning.partition(" -- ")[0] if meaning and is_condition(meaning) else None


_CALL = re.compile(r"[\w.]+\(\)|[A-Za-z_]\w*\.[\w.]+")


def _exactly(text: str) -> str | None:
    """Return the meaning of a word that the lexicon has, or that is a column, in any spelling."""
    return _by_spelling().get(spelled(text)) or _by_spelling().get(loosely(text)) or _of_column(text)


def _known(text: str) -> str | None:
    """Return the meaning of a word, also if the lexicon has its words in another form or order."""
    return _exactly(text) or _by_spelling().get(_stems(text))


def _of_side(words: list[str]) -> str | None:
    """Return the condition for a side, ``white_royal_forks``, made of that for any side."""
    named = [it for it in words if it.lower() in SIDES]
    if len(words) < 2 or len(named) != 1 or (named[0].lower() == "opponent" and words[0] != named[0]):
        return None
    side = SIDES[named[0].lower()]
    rest = re.sub(
        rf" (?:for|by|of|as|from|with) {named[0]}\b|\b{named[0]}\b(?: (?:has|is|can|to)\b)? ?", "", " ".join(words)
    ).strip()
    meaning = _inner(rest) if rest else None
    if meaning is None:
        return None
    if inner := re.fullmatch(r"either_colour\((.*)\)", meaning):
        meaning = inner[1]
    first = next(iter(_PREFIX.findall(meaning)), None)
    if first is None:
        return _of_mover(meaning, side)
    if first == "white" and side != "white" and re.search("ranks|squares|sub_fen|has", meaning):
        if "sub_fen" in meaning or side != "black":
            return None
        meaning = re.sub(
            r"(ranks|squares|has)(\([^']*'[^']*'\))",
            lambda it: it[1] + re.sub(r"(?<=[a-h' -])[1-8]", lambda at: str(9 - int(at[0])), it[2]),
            meaning,
        )
        meaning = meaning.replace("compass.north", "compass.south")
    if not {*_PREFIX.findall(meaning)} <= {first, OTHER[first]}:
        return None
    to = {first: side, OTHER[first]: OTHER[side]}
    moves = " and white_to_move" if re.search(r"\bpiece =|\bsan\b|to_square", meaning) and side == "white" else ""
    return _PREFIX.sub(lambda prefix: f"{to[prefix[1]]}_", meaning) + moves


def _of_mover(meaning: str, side: str) -> str | None:
    """Return a condition without sides for one of them: the moves of White, the material of White."""
    from setwise.corpus.columns.registry import COLUMNS

    if "material('" in meaning and side in {"white", "black"}:
        return re.sub(r"material\(('[^']*')\)", rf"material(\1, '{side}')", meaning)
    column = COLUMNS.get(re.match(r"\w*", meaning)[0])  # type: ignore[index]
    if side not in {"white", "black"} or column is None or " or " in meaning:
        return None
    return meaning if column.of_games is not None else f"{meaning} and {'' if side == 'white' else 'not '}white_to_move"


def _of_line(text: str) -> str | None:
    """Return the condition for a move, or for a game that begins with these moves: ``1.e4 c5``."""
    moves = re.sub(r"\d+\.+ ?", "", text).split()
    if not moves or not all(re.fullmatch(_SAN, it) for it in moves):
        return None
    if len(moves) == 1 and text == moves[0]:
        return f"san = '{text}'"
    line = (f"{'san' if at == 0 else f'next(san, {at})'} = '{it}'" for at, it in enumerate(moves))
    return " and ".join(["ply = 0", *line])


def _named_mate(phrase: str) -> str | None:
    from setwise.features.mate_names import NAMES

    named = re.fullmatch(r"(.*?)(?:['\u2019]?s)? (?:check)?mates?(?: pattern)?", phrase)
    name = re.sub(r"\W+", "_", named[1].strip()) if named else ""
    return next((f"mate_pattern = '{it}'" for it in (name, name.removesuffix("s"), f"{name}s") if it in NAMES), None)


_SAN = r"(?:[KQRBN][a-h]?[1-8]?x?|[a-h]x)?[a-h][1-8](?:=?[QRBN])?[+#]?|O-O(?:-O)?[+#]?"


@functools.cache
def _openings() -> list[dict[str, str]]:
    """Return the words of the names of openings, the shortest name first: each in small letters, with its spelling."""
    from setwise.game.openings import names

    return [{_stem(plain(it)): it for it in re.findall(r"[^\W\d_]{2,}", name)} for name in names()]


def _of_opening(text: str) -> str | None:
    """Return the condition that asks for an opening by words of its name, in their order there."""
    wanted = {
        _stem(it) for it in re.findall(r"[^\W\d_]{2,}", plain(text)) if it not in _SMALL | {"opening", "line", "play"}
    }
    if re.search(r"\d", text) or len("".join(wanted)) < _LONG - 1 or wanted <= {*map(_stem, _FILLERS | _GENERAL)}:
        return None
    for parts in _openings():
        if wanted <= {*parts}:
            condition = f"opening_by_position like '%{'%'.join(it for bare, it in parts.items() if bare in wanted)}%'"
            is_name = text.istitle() and text.isalpha() and text != next(iter(parts.values()))
            return f"{condition} -- or a player: player('{text}')" if is_name else condition
    return None


def _of_column(word: str) -> str | None:
    """Return a condition on the column that a word names in another spelling, perhaps without side or ``is_``."""
    import pyarrow as pa  # most words need neither Arrow nor the columns

    from setwise.corpus.columns.registry import COLUMNS

    for before in ("", "is_", "own_", "white_"):
        for name in COLUMNS:
            if name.startswith(before) and loosely(name.removeprefix(before)) == loosely(word):
                column = COLUMNS[name]
                if column.is_set:
                    return f"{name} <> 0"
                is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
                return (
                    f"{name} > 0" if is_number else name if pa.types.is_boolean(column.type) else f"{name} is not null"
                )
    return None


def _longest_part(phrase: str) -> tuple[str, str, str] | None:
    """Return the longest part of a phrase that has a meaning of its own, this meaning, and the rest; None for none.

    A single word counts only where it ends the phrase, or stands before ``of`` and the like: other words describe it.
    """
    words = re.findall(r"[^\W_]+(?:['\u2019+/-][^\W_]+)*", _CAMEL.sub(" ", phrase))
    ends = {len(words), *(at for at, it in enumerate(words) if it.lower() in _ENDS)}
    sides = {"white", "black"} & {it.lower() for it in words}
    for size in range(len(words) - 1, 0, -1):
        for at in range(len(words) - size, -1, -1):
            part = words[at : at + size]
            if len(sides) > 1 and sides & {it.lower() for it in part}:
                continue
            says = [it for it in part if len(it) > 3 and not {it.lower(), loosely(it)} & (_GENERAL | _FILLERS)]
            if says and (size > 1 or at + size in ends) and (meaning := _meaning(" ".join(part), misspelt=False)):
                return " ".join(part), meaning, " ".join(words[:at] + words[at + size :])
    return None


def has_word(text: str) -> bool:
    """Return whether the lexicon has a text as a word of its own."""
    return spelled(text) in _by_spelling()


def is_like(word: str, known: Iterable[str], alike: float = _ALIKE) -> bool:
    """Return whether a word is one of the known names with a letter too many or too few."""
    return bool(difflib.get_close_matches(word, known, n=1, cutoff=alike))


def is_condition(meaning: str) -> bool:
    """Return whether a meaning of the lexicon is a condition, and not a sentence."""
    return not meaning.startswith(("no column", "sql ", "--", "variants have", "notation is", "conditions are"))


#: The end of a message about words that nothing here is like.
NOTHING = (
    "; no column and no word of the lexicon says this: `setwise columns WORD` looks for a word in the columns, and "
    "what pieces and squares show can be asked, as white_knights & squares('e5') <> 0"
)


def way_of(word: str, *, misspelt: bool = True) -> str:
    """Return the end of a message about a word that no column has: the condition that asks for it, or the sentence.

    >>> way_of("fork")[:61], way_of("resigned")[:30], way_of("qwertz")
    ('; the condition that asks for it: own_safe_fork_squares <> 0 ', '; no column says who resigned:', '')
    """
    meaning, part, rest = meaning_of(word, misspelt=misspelt), "it", ""
    if meaning is None:
        if (longest := _longest_part(word)) is None:
            return ""
        part, meaning, rest = longest
        rest = f"; nothing here asks for the rest, {shortened(rest)}"
    return f"; the condition that asks for {part}: {meaning}{rest}" if is_condition(meaning) else f"; {meaning}"


# ------------------------------------------------------------------------------------------ phrases, read part by part


Known = Callable[[str], str | None]
_COUNTS = "no one two three four five six seven eight".split()
NUMBERS = {it: str(at) for at, it in enumerate(_COUNTS)} | {"a": "1", "single": "1", "both": "2", "double": "2"}
LETTERS = {"king": "K", "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "pawn": "P"}
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
SIDES = inverted(written()["sides"])
OTHER = {"white": "black", "black": "white", "own": "enemy", "enemy": "own"}
_ARTICLE = re.compile(r"^(?:a|an|the|some|any|has|have|having|with|there is|there are) ")
_PLURALS = re.compile(rf"\b({'|'.join(LETTERS)}|piece|minor|major|unit|passer|outpost|hole|slider)s\b")
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
    phrase = _ARTICLE.sub("", _PLURALS.sub(r"\1", text))
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
