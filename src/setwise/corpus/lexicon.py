"""The words that people try first, each with a condition that can be pasted, or with a sentence about it.

``lexicon.toml`` has the words. A word that is not there may be a column or feature in another spelling, or a word of
the table with a letter too many. `find` and `sql` name the condition for an unknown column, `explain`, `columns` and
`questions` for a word that they do not know.
"""

from __future__ import annotations

import difflib
import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator

from setwise import chess_words
from setwise.corpus.phrases import OTHER, SIDES, inverted, of_phrase, of_text, written
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
