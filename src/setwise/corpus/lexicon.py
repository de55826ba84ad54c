"""The words that people try first, each with a condition that can be pasted, or with a sentence about it.

``lexicon.toml`` has the words. A word that is not there may be a column or feature in another spelling, or a word of
the table with a letter too many. `find` and `sql` name the condition for an unknown column, `explain`, `columns` and
`questions` for a word that they do not know.
"""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from setwise import chess_words

#: Parts of names to ignore: ``(Bitboards)`` in titles of wiki pages, ``2.1`` before headings, the site that a link
#: leads to, and the colour before names in C: ``wPawnAttacks``.
_BESIDES = re.compile(r"\(.*?\)|^\d+(\.\d+)*\s+| from (Wikipedia|Wolfram.*)$|^[wb](?=[A-Z])")
_AMERICAN = {"colour": "color", "neighbour": "neighbor", "centre": "center", "defence": "defense", "grey": "gray"}
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
#: Endings of words of doing, as in ``forking``.
_ENDING = re.compile(r"(ing|ed|s)$")
_PLURAL = re.compile(r"(?<=[^\Wsui])s$")


def spelled(name: str) -> str:
    """Return a name in one style: ``King Attacks``, ``king_attacks()`` and ``kingAttacks`` are the same.

    >>> spelled("King Attacks"), spelled("king_attacks()")
    ('kingattacks', 'kingattacks')
    """
    return re.sub(r"[\W_]", "", name).lower()


def loosely(name: str) -> str:
    """Return one spelling for singular and plural, British and American words, and names in C for either colour.

    >>> loosely("wSinglePushTargets"), loosely("single-push target"), loosely("Pawn Islands (Bitboards)")
    ('singlepushtarget', 'singlepushtarget', 'pawnisland')
    """
    apart = _CAMEL.sub(" ", _BESIDES.sub("", name))
    singular = [_PLURAL.sub("", word) for word in re.findall(r"[^\W_]+", apart.lower())]
    return "".join(_AMERICAN.get(word, word) for word in singular)


@functools.cache
def _written() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text("utf-8"))


@functools.cache
def entries() -> dict[str, str]:
    """Return the words of the lexicon as written there, each with its condition or sentence."""
    return {word: meaning for meaning, words in _written().items() if meaning != "pages" for word in words}


@functools.cache
def pages() -> dict[str, str]:
    """Return the words of ``[pages]`` as written there, each with the name of the page or topic that it means.

    For a word that means several pages, the value has the names of these pages with spaces between them.
    """
    return {word: name for name, words in _written()["pages"].items() for word in words}


@functools.cache
def _by_spelling() -> dict[str, str]:
    forms = ((form(word), meaning) for form in (loosely, spelled) for word, meaning in entries().items())
    return {word: meaning for word, meaning in forms if word}  # signs such as !! have no letters


#: Words that say nothing beside a word of the lexicon, as in ``is_capture``, ``event name``.
_FILLERS = frozenset(
    """is has have can the a an with in there find all white black own enemy game games name names tag tags piece pieces
    side sides position positions graph by of square squares column field value values type vs versus chess get nb num
    any some by for search include only pattern theme theory basic tactic tactics skill""".split()
)
#: Words that say too little of a phrase to lead anywhere.
_GENERAL = frozenset(
    """pawn knight bishop rook queen king file line last game attack time move position point piece square board
first length depth count like score opening variation number legal advantage sequence from black white own enemy
rank center exchange double doubled opponent back open closed weak strong good bad big long short side minor
major player strength average without won lost moves seconds elo rating with under over""".split()
)
_LONG = 5
_ALIKE = 0.84
#: The ending of a side that has something: ``black's bad bishop``.
_OWNER = re.compile(r"\A(white|black|opponent)['\u2019]s\Z", re.IGNORECASE)
#: Words for sides, with the prefix of columns, and the other side.
_SIDES = {
    "white": "white", "black": "black", "own": "own", "my": "own", "our": "own", "enemy": "enemy", "opponent": "enemy",
    "opponents": "enemy", "their": "enemy", "whites": "white", "blacks": "black",
}  # fmt: skip
_OTHER = {"white": "black", "black": "white", "own": "enemy", "enemy": "own"}
_PREFIX = re.compile(r"\b(white|black|own|enemy)_")


def meaning_of(word: str, *, misspelt: bool = True) -> str | None:
    """Return the condition that asks for a word, or the sentence about it; None for a word that is not known.

    >>> meaning_of("Zwischenzug"), meaning_of("passedPawns"), meaning_of("pased pawn"), meaning_of("white_rating")
    ('intermezzo', 'own_passed_pawns <> 0', 'own_passed_pawns <> 0', 'white_elo >= 2500')
    >>> meaning_of("white_royal_forks"), meaning_of("isolated e-pawn")
    ('white_safe_royal_fork_squares <> 0', "own_isolated_pawns & files('e') <> 0")
    """
    text = word.strip().removesuffix("()").rpartition(".")[2] if _CALL.fullmatch(word.strip()) else word.strip()
    words = [_OWNER.sub(r"\1", it) for it in re.findall(r"[^\W_]+(?:['\u2019-][^\W_]+)*", _CAMEL.sub(" ", text))]
    bare = " ".join(it for it in words if it.lower() not in _FILLERS)
    if found := _known(text) or _of_side(words) or _of_form(text, " ".join(words).lower()):
        return found
    if way := chess_words.way_of_any(text):
        return f"no column, but in Python {way}"
    for form in dict.fromkeys((bare, *(f"{_ENDING.sub('', bare)}{end}" for end in ("", "e")))):
        if found := form and (_known(form) or _of_form(form, form.lower())):
            return found
    if found := _of_opening(text):
        return found
    if not misspelt or len(bare) < _LONG:
        return None
    known = [it for it in _by_spelling() if len(it) >= _LONG]
    near = difflib.get_close_matches(loosely(bare)[:60], known, n=1, cutoff=_ALIKE)
    return _by_spelling()[near[0]] if near and _digits(near[0]) == _digits(bare) else None


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


_CALL = re.compile(r"[\w.]+\(\)|\w+\.[\w.]+")


def _known(text: str) -> str | None:
    """Return the meaning of a word that the lexicon has, or that is a column, in any spelling."""
    return _by_spelling().get(spelled(text)) or _by_spelling().get(loosely(text)) or _of_column(text)


def _of_side(words: list[str]) -> str | None:
    """Return the condition for a side, ``white_royal_forks``, made of that for any side."""
    named = [it for it in words if it.lower() in {"white", "black"}] or words[:1]
    side = _SIDES.get(named[0].lower()) if len(words) > 1 and len(named) == 1 else None
    rest = meaning_of(" ".join(it for it in words if it != named[0]), misspelt=False) if side else None
    if side is None or rest is None or not is_condition(rest):
        return None
    first = next(iter(_PREFIX.findall(rest)), None)
    if first is None:  # such as is_check, of the side to move, but not what is true of the whole game
        from setwise.corpus.columns.registry import COLUMNS

        column = COLUMNS.get(re.match(r"\w*", rest)[0])  # type: ignore[index]
        if side not in {"white", "black"} or column is None or column.of_games is not None:
            return None
        return f"{rest} and {'' if side == 'white' else 'not '}white_to_move"
    if not {*_PREFIX.findall(rest)} <= {first, _OTHER[first]}:
        return None
    to = {first: side, _OTHER[first]: _OTHER[side]}
    return _PREFIX.sub(lambda prefix: f"{to[prefix[1]]}_", rest)


_KINDS = {"queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "pawn": "P"}
_NUMBERS = {"no": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_PIECE = "(?:king|queen|rook|bishop|knight|pawn)s?"
_PIECES = f"{_PIECE}(?: (?:and )?{_PIECE})*"
_GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}


def _of_form(text: str, words: str) -> str | None:
    """Return the condition for a text of a form of its own: a move, a code, a year, the names of pieces, of a mate."""
    for form, condition in _TEXTS.items():
        if found := re.fullmatch(form, text):
            return condition(found)
    for form, condition in _PHRASES.items():
        if (found := re.fullmatch(form, words)) and (meaning := condition(found)):
            return meaning
    return None


def _of_key(key: re.Match[str]) -> str:
    """Return the condition for the pieces of both sides, as ``KRPvKR`` or ``KRPKR``."""
    return f"material('{key[1]} v {key[2]}')"


def _ending(pieces: re.Match[str]) -> str:
    return f"material('{_side_of(pieces[1])} v {_side_of(pieces[pieces.re.groups])}')"


def _pawns_of_file(words: re.Match[str]) -> str | None:
    kind = words[1].strip()
    base = _by_spelling().get(loosely(f"{kind} pawn")) if kind else "own_pawns <> 0"
    return base.replace(" <>", f" & files('{words[2]}') <>") if base and base.endswith(" <> 0") else None


def _named_mate(words: re.Match[str]) -> str | None:
    from setwise.features.mate_names import NAMES

    name = re.sub(r"\W+", "_", words[1].strip())
    return next((f"mate_pattern = '{it}'" for it in (name, name.removesuffix("s"), f"{name}s") if it in NAMES), None)


def _counted(words: re.Match[str]) -> str:
    return f"bit_count(white_{words[2]}s) = {_NUMBERS.get(words[1], words[1])}"


#: Forms of texts, and of phrases in small letters, each with the function that returns their condition.
_TEXTS: dict[str, Callable[[re.Match[str]], str | None]] = {
    r"[A-Ea-e]\d\d": lambda it: f"eco = '{it[0].upper()}'",
    r"1[5-9]\d\d|20\d\d": lambda it: f"year = {it[0]}",
    r"[a-h][1-8]": lambda it: f"occupied & squares('{it[0]}') <> 0",
    r"(?:[KQRBN][a-h]?[1-8]?x?|[a-h]x)[a-h][1-8](?:=[QRBN])?[+#]?|O-O(?:-O)?[+#]?": lambda it: f"san = '{it[0]}'",
    r"(\S+(?:/\S+){7})(?: .*)?": lambda it: f"sub_fen('{it[1]}')",
    r"[!?]{1,2}": lambda it: f"list_contains(nags, {_GLYPHS[it[0]]})",
    "[GIFC]M|W[GIFC]M|NM": lambda it: f"white_title = '{it[0]}'",
    "(K[QRBNP]*)(K[QRBNP]*)": _of_key,
    r"K?([QRBNP]+|(?<=K))(?: |\+)*(?:vs?\.?|versus) ?K?([QRBNP]+|(?<=K))": lambda it: (
        f"material('K{it[1]} v K{it[2]}')"
    ),
}
_PHRASES: dict[str, Callable[[re.Match[str]], str | None]] = {
    r"mates? in ?(\d+).*": lambda it: _mate_in(int(it[1])),
    rf"(\d|{'|'.join(_NUMBERS)}) ({'|'.join(_KINDS)})s?": _counted,
    rf"({_PIECES})(?: ending| endgame)? (?:v|vs|versus|against) (?:a )?({_PIECES}).*": _ending,
    rf"({_PIECES}) end(?:ing|game|-game)s?": _ending,
    r"(.*?)\b([a-h])[- ]?pawns?": _pawns_of_file,
    r"(.*?)(?:['\u2019]?s)? (?:check)?mates?": _named_mate,
}


def _side_of(pieces: str) -> str:
    """Return one side of ``material``: ``rook and pawns`` is ``KRP*``."""
    kinds = [_KINDS[it] for it in re.findall("|".join(_KINDS), pieces)]
    letters = "".join(dict.fromkeys(it for it in "QRBN" if it in kinds))
    return f"K{letters}P{'+' if 'P' in kinds else '*'}"


def _mate_in(moves: int) -> str:
    """Return the condition for a mate in some moves; a longer one than two moves is known only to tables."""
    if moves == 1:
        return "own_mates_in_one <> 0"
    if moves == 2:
        return "can(legal_moves > 0 and not can(own_mates_in_one = 0))"
    return f"no column says that of positions with many pieces: dtm = {2 * moves - 1} asks the tables of few pieces"


def _of_opening(text: str) -> str | None:
    """Return the condition that asks for an opening by words of its name, in their order there."""
    from setwise.game.openings import names

    wanted = {_PLURAL.sub("", _AMERICAN.get(it, it)) for it in re.findall(r"[^\W\d_]{2,}", text.lower())}
    if len("".join(wanted)) < _LONG - 1 or wanted <= _FILLERS | _GENERAL:
        return None
    for name in names():
        parts = {it: _PLURAL.sub("", it.lower()) for it in re.findall(r"[^\W\d_]{2,}", name)}
        if wanted <= {*parts.values()}:
            return f"opening_by_position like '%{'%'.join(it for it, bare in parts.items() if bare in wanted)}%'"
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


def _longest_part(phrase: str) -> tuple[str, str | None]:
    """Return the longest part of a phrase that has a meaning of its own, with this meaning."""
    words = re.findall(r"[^\W_]+", _CAMEL.sub(" ", phrase))
    for size in range(len(words) - 1, 0, -1):
        for part in (words[at : at + size] for at in range(len(words) - size + 1)):
            says = [it for it in part if len(it) > 3 and not {it.lower(), loosely(it)} & (_GENERAL | _FILLERS)]
            if says and (meaning := _known(" ".join(part))):
                return " ".join(part), meaning
    return "", None


def is_like(word: str, known: Iterable[str]) -> bool:
    """Return whether a word is one of the known names with a letter too many or too few."""
    return bool(difflib.get_close_matches(word, known, n=1, cutoff=_ALIKE))


def is_condition(meaning: str) -> bool:
    """Return whether a meaning of the lexicon is a condition, and not a sentence."""
    return not meaning.startswith(("no column", "sql ", "--", "variants have", "notation is", "conditions are"))


def way_of(word: str, *, misspelt: bool = True) -> str:
    """Return the end of a message about a word that no column has: the condition that asks for it, or the sentence.

    >>> way_of("fork"), way_of("resigned")[:30], way_of("qwertz")
    ('; the condition that asks for it: own_safe_fork_squares <> 0', '; no column says who resigned:', '')
    """
    meaning, part = meaning_of(word, misspelt=misspelt), "it"
    if meaning is None:
        part, meaning = _longest_part(word)
    if meaning is None:
        return ""
    return f"; the condition that asks for {part}: {meaning}" if is_condition(meaning) else f"; {meaning}"
