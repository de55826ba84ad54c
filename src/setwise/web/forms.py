"""The chips of the search: the condition that they stand for, and the chips that a typed text stands for.

A chip is a text such as ``player:Carlsen``: its kind, a colon, and a text. All chips of a search must hold.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from setwise import catalogue
from setwise.catalogue.questions import Question
from setwise.corpus import lexicon
from setwise.corpus.language import condition_of
from setwise.errors import QueryError, SetwiseError, shortened
from setwise.position.position import Position

#: The kinds of chips, each with its name on the page.
KINDS = {
    "player": "Player", "side": "Side", "result": "Result", "opening": "Opening", "year": "Year", "rating": "Rating",
    "motif": "Motif", "structure": "Pawn structure", "ending": "Ending", "phase": "Phase", "material": "Material",
    "word": "Word", "where": "Condition",
}  # fmt: skip
#: The kinds whose texts do not say the kind.
_UNSAID = ("player", "opening", "year", "rating", "material")
#: Chips of the kinds that have few, each with what it says.
CHOICES = {
    "side:white": "As White", "side:black": "As Black", "result:won": "The player won",
    "result:lost": "The player lost", "result:1-0": "White won", "result:0-1": "Black won", "result:1/2-1/2": "Draw",
    "phase:opening": "Opening phase", "phase:middlegame": "Middlegame", "phase:endgame": "Endgame",
}  # fmt: skip
#: The topics of questions that have kinds of their own; questions of all others are motifs.
_TOPICS = {"structure": "Pawn structures", "ending": "Endings"}
#: The topic of the motifs that are listed first.
_COMMON = "On the board"
#: The topic of motifs that a player missed; the name of a motif alone means that it was played.
_MISSED = "Missed chances"

_ECO = re.compile(r"([A-E])([0-9]{0,2})(?:\s*[-–]\s*([A-E][0-9]{2}))?", re.IGNORECASE)
_SQUARE = re.compile(r"[a-h][1-8]")
_MOVE = re.compile(r"(?:[Oo0](?:-[Oo0]){1,2}|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?)[+#]?")
_SPAN = re.compile(r"([0-9]{4})?(\s*[-–+]\s*)?([0-9]{4})?")
_MATERIAL = re.compile(r"K[QRBNP]*\s*(?:v|vs\.?|-)\s*K[QRBNP]*", re.IGNORECASE)
_LICHESS = re.compile(r"(?:https?://)?(?:www\.)?lichess\.org/\S+")
_FEN = re.compile(r"(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}(?:\s.*)?", re.DOTALL)
#: Ranks as a FEN has them, perhaps too few or too many.
_RANKS = re.compile(r"[pnbrqkPNBRQK1-8]+(?:/[pnbrqkPNBRQK1-8]*){2,}(?:\s.*)?", re.DOTALL)
_NOT_MOVES = re.compile(r"\{[^}]*\}|\d+\.+|\$\d+|[!?]+|1-0|0-1|1/2-1/2|\*")
_STATEMENT = re.compile(r"\s*(?:select|with|from)\b", re.IGNORECASE)
#: A text with one of these characters or words is taken as a condition.
_OF_CONDITIONS = re.compile(r"[<>=()_]|\b(?:and|or|not)\b")
#: Conditions of the lexicon that need a file of the user's, which a word does not name.
_OF_FILES = re.compile(r"(?:within|leaves)\(")
_A_YEAR = r"(?:1[4-9]|20)\d\d"
#: Texts that are chips of few, and spans of numbers: a year, from 1400 to 2099, or a rating.
_WORDS = {
    r"(?:as|with) (white|black)": "side:{}", r"(1-0|0-1|1/2-1/2|won|lost)": "result:{}",
    r"white (?:won|wins)": "result:1-0", r"black (?:won|wins)": "result:0-1",
    r"draws?|drawn|½(?:-½)?": "result:1/2-1/2",
    r"(opening|middlegame|endgame)s?": "phase:{}",
    rf"({_A_YEAR}(?:\s*[-–]\s*(?:{_A_YEAR})?)?)": "year:{}", rf"(?:since|after|from) ({_A_YEAR})": "year:{}-",
    rf"(?:before|until) ({_A_YEAR})": "year:-{}", r"(2[1-9]\d\d)": "rating:{}+",
    r"(?:(?:elo|rating|rated) )?(\d{4}\s*(?:\+|[-–]\s*\d{4}))": "rating:{}",
    r"(?:elo|rating|rated) (\d{4})": "rating:{}+",
}  # fmt: skip

#: The kinds that are lists of questions.
LISTED = ("motif", *_TOPICS)


# ------------------------------------------------------------------------------------------------------- the condition


@functools.cache
def motifs(kind: str) -> tuple[Question, ...]:
    """Return the questions that are chips of a kind: those that are conditions, the common ones first."""
    asked = [it for it in catalogue.questions() if not (it.is_statement or it.variations) and _kind_of(it) == kind]
    return tuple(sorted(asked, key=lambda it: it.topic != _COMMON))


def _kind_of(question: Question) -> str:
    return next((kind for kind, topic in _TOPICS.items() if topic == question.topic), "motif")


def chip_of(question: Question) -> str:
    """Return the chip of a question of the catalogue."""
    return f"where:{question.text}" if question.is_statement else f"{_kind_of(question)}:{question.asks}"


def labels() -> dict[str, str]:
    """Return what chips say where it is not their text; for a kind alone, what stands before its texts."""
    asked = {f"where:{it.text}": it.asks for it in catalogue.questions()}
    return {kind: KINDS[kind] for kind in _UNSAID} | CHOICES | asked


def condition(chips: Sequence[str]) -> str:
    """Return the condition that chips stand for; empty for no chips.

    Raises:
        QueryError: a chip has an invalid text; the message names the kind by its name on the page.

    Example:
        >>> condition(["player:Carlsen", "side:white", "result:won", "year:2013-"])
        "contains(lower(white_name), 'carlsen') and white_points = 1 and year >= 2013"
        >>> condition(["opening:b9", "phase:endgame"])
        "eco between 'B90' and 'B99' and phase = 'endgame'"
    """
    texts: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for chip in dict.fromkeys(chips):
        kind, _, text = chip.partition(":")
        if kind not in KINDS:
            raise QueryError(f"there are no chips of the kind {shortened(kind)}")
        if kind in {it.partition(":")[0] for it in CHOICES} and chip not in CHOICES:
            known = [it.partition(":")[2] for it in CHOICES if it.startswith(f"{kind}:")]
            raise QueryError(f"{KINDS[kind]} is one of {', '.join(known)}, not {shortened(text)}")
        texts[kind].append(text.strip())
    players, sides, results = (texts[kind] or [""] for kind in ("player", "side", "result"))
    parts = [it for side in sides for result in results for it in _of_player(players[0], side, result)]
    for name in players[1:]:
        parts += _of_player(name, "", "")
    parts = [*dict.fromkeys(parts)]
    if any(it.topic == _MISSED and it.asks in texts["motif"] for it in motifs("motif")):
        parts += [f"contains(lower(own_name), {_literal(word.lower())})" for word in _words_of(players[0])]
    parts += [part for kind, of in _PARTS.items() for part in map(of, texts[kind])]
    return " and ".join(parts)


def _of_player(name: str, side: str, result: str) -> list[str]:
    """The conditions on a player, the colour, and the result from the player's point of view."""
    personal = {"won": 1, "lost": 0}.get(result)
    if personal is not None and not (name or side):
        raise QueryError("whose win or loss? Add a player or a side, or take White won or Black won")
    plain = [] if personal is not None or not result else [f"result = '{result}'"]
    if side and not name and personal is None:
        raise QueryError("whose side? Add a player, or that the player won or lost")
    if not name and personal is None:
        return plain
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


def _words_of(name: str) -> list[str]:
    """The words of a name: "Garry Kasparov" is "Kasparov, Garry" in most files."""
    return [word for word in re.split(r"[\s,]+", name) if word]


def _span(kind: str, *columns: str) -> Callable[[str], str]:
    """A condition on numbers: ``1985``, ``1980-1990``, ``1980-``, ``2400+`` or ``-1990``."""

    def part(text: str) -> str:
        found = _SPAN.fullmatch(text)
        if found is None or not (found[1] or found[3]):
            raise QueryError(f"{kind} is a number of four digits, or two with a dash between, not {shortened(text)}")
        first, last = found[1], found[3] if found[2] else found[1]
        ends = [(">=", first)] * bool(first) + [("<=", last)] * bool(last)
        return " and ".join(f"{column} {sign} {int(end)}" for column in columns for sign, end in ends)

    return part


def _opening(text: str) -> str:
    """A condition on ECO codes, or on the tag Opening or the moves that the catalogue knows for a name."""
    if code := _ECO.fullmatch(text):
        letter, digits, last = code[1].upper(), code[2], code[3]
        first, end = f"{letter}{digits:0<2}", f"{letter}{digits:9<2}" if last is None else last.upper()
        return f"eco = '{first}'" if first == end else f"eco between '{first}' and '{end}'"
    named = f"coalesce(contains(lower(opening), {_literal(text.lower())}), false)"
    known = [it for it in catalogue.questions(text) if it.topic == "Openings" and not it.is_statement]
    return f"({named} or {known[0].text})" if known else named


def _asked(kind: str) -> Callable[[str], str]:
    def part(text: str) -> str:
        for it in motifs(kind):
            if it.asks == text:
                return _alone(it.text)
        raise QueryError(f"{KINDS[kind]} has no {shortened(text)}: choose from the list")

    return part


def _word(text: str) -> str:
    """The condition of a word of the lexicon; raises the sentence of a word that no column can answer."""
    meaning = lexicon.meaning_of(text, misspelt=False)
    if meaning is None or _OF_FILES.match(meaning) or not lexicon.is_condition(meaning):
        raise QueryError(meaning or f"no condition is known for {shortened(text)}")
    return _alone(meaning.partition(" -- ")[0])


def _alone(where: str) -> str:
    """A condition that can stand beside others."""
    if _STATEMENT.match(where):
        raise QueryError("a SELECT stands alone: take the other chips away")
    end = "\n" if "--" in where else ""  # the end of a comment
    return f"({where}{end})" if end or re.search(r"\bor\b", where, re.IGNORECASE) else where


_PARTS: dict[str, Callable[[str], str]] = {
    "year": _span("Year", "year"),
    "rating": _span("Rating", "white_elo", "black_elo"),
    "opening": _opening,
    **{kind: _asked(kind) for kind in LISTED},
    "phase": "phase = '{}'".format,
    "material": lambda text: f"material({_literal(re.sub(r'VS?[.]?|-', 'v', text.upper()))})",
    "word": _word,
    "where": _alone,
}


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# -------------------------------------------------------------------------------------------------------------- a text


def understood(text: str, is_player: Callable[[str], bool] = lambda name: False) -> dict[str, Any]:
    """Return what a text typed into the field means.

    Args:
        text: a condition or a SELECT; a FEN; moves from the start; a year, a rating, an ECO code, material as
            ``KRP v KR``; a result, a side; a motif by any of its names; a word of the lexicon; a player; or several.
        is_player: tells whether a text is part of a player's name; such a text is not a motif.

    Returns:
        ``chips``; or ``fen``, the position, if the text is a FEN or moves, and ``line``, these moves in UCI.

    Raises:
        QueryError: for an address of Lichess, for moves that are not legal, for an invalid FEN, and for a word that no
            column can answer; the message is the sentence of the lexicon.

    Example:
        >>> understood("Carlsen")["chips"], understood("royal fork")["chips"]
        (['player:Carlsen'], ['motif:A safe fork of king and queen is on'])
        >>> understood("Sicilian 1990-2000 drawn")["chips"]
        ['opening:Sicilian', 'year:1990-2000', 'result:1/2-1/2']
    """
    text = text.strip()
    if _LICHESS.fullmatch(text):
        raise QueryError(
            "setwise sends no request to other servers: open this address in the browser, download the PGN there, and "
            "drop the file here"
        )
    if _FEN.fullmatch(text) or _RANKS.fullmatch(text):
        return {"fen": Position(text, strict=False).fen()}
    if (reached := _after_moves(text)) is not None:
        position, moves = reached
        return {"fen": position.fen(), "line": ".".join(moves)}
    if _said(text) is None and (_STATEMENT.match(text) or _is_condition(text)):
        return {"chips": [f"where:{text}"]}
    found = _chip(text, is_player)
    return {"chips": [found] if found else _chips(text.split(), is_player) or [f"player:{text}"]}


def offers(text: str, players: Iterable[str]) -> list[dict[str, str]]:
    """Return chips to suggest for the beginning of a text: what it means, players, motifs, words of the lexicon."""
    known = [chip for chip in [_said(text)] if chip]
    named = sorted((it for it in _entries() if _is_named(text, it[1])), key=lambda it: _rank(it[1]))
    begun = ((word, it) for word, it in lexicon.entries().items() if word.lower().startswith(text.lower()))
    words: dict[str, str] = {}  # one for each meaning
    for word, meaning in begun:
        if lexicon.is_condition(meaning) and not _OF_FILES.match(meaning):
            words.setdefault(meaning, f"word:{word}")
    asked = [f"{kind}:{it.asks}" for kind, it in named]
    chips = [*known, *(f"player:{it}" for it in players), *asked[:6], *[*words.values()][:4]]
    return [
        {"chip": chip, "name": CHOICES.get(chip, chip.partition(":")[2]), "about": KINDS[chip.partition(":")[0]]}
        for chip in chips
    ]  # fmt: skip


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


def _said(text: str) -> str | None:
    """The chip of a number, a code, a side, a result, a phase or material; None for any other text."""
    for pattern, chip in _WORDS.items():
        if found := re.fullmatch(pattern, text, re.IGNORECASE):
            return chip.format(*(re.sub(r"\s", "", it).lower() for it in found.groups()))
    if _ECO.fullmatch(text) and any(it.isdigit() for it in text) and not _SQUARE.fullmatch(text):
        return f"opening:{text.upper()}"
    return f"material:{text}" if _MATERIAL.fullmatch(text) else None


def _chip(text: str, is_player: Callable[[str], bool]) -> str | None:
    """The chip of a text that means one thing; None if nothing is known of it."""
    if chip := _said(text):
        return chip
    if is_player(text):
        return f"player:{text}"
    if any(it[-1].isdigit() and _said(it) for it in text.split()) and text.lower() not in lexicon.entries():
        return None  # a number beside a word is a chip of its own
    named = [] if _MOVE.fullmatch(text) or len(text) < 2 else [it for it in _entries() if _is_named(text, it[1])]
    if named:
        kind, best = min(named, key=lambda it: (it[1].topic == _MISSED and "miss" not in text.lower(), _rank(it[1])))
        return f"opening:{text}" if best.topic == "Openings" else f"{kind}:{best.asks}"
    words = text.split()
    if text.lower() not in lexicon.entries() and any(is_player(" ".join(words[:end])) for end in range(1, len(words))):
        return None  # the player is a chip, and the rest another
    meaning = lexicon.meaning_of(text, misspelt=False)
    # A part of an opening's name that is no word of the lexicon, such as Kasparov, is rather a player.
    is_part = meaning not in lexicon.entries().values() and (meaning or "").startswith("opening_by_position")
    if meaning is None or is_part or _OF_FILES.match(meaning):
        return None
    if not lexicon.is_condition(meaning):
        raise QueryError(meaning)
    return f"word:{text}"


def _chips(words: list[str], is_player: Callable[[str], bool]) -> list[str] | None:
    """The chips of several words, each as long as possible; None if something is not known."""
    for end in range(len(words) - 1, 0, -1):
        try:
            first = _chip(" ".join(words[:end]), is_player)
            rest = _chip(" ".join(words[end:]), is_player)
        except QueryError:
            continue
        others = [rest] if rest else _chips(words[end:], is_player)
        if first and others:
            return [first, *others]
    return None


def _entries() -> list[tuple[str, Question]]:
    """The questions that are chips, each with its kind."""
    return [(kind, it) for kind in LISTED for it in motifs(kind)]


def _rank(motif: Question) -> tuple[bool, int]:
    """The order of motifs: common ones first, then shorter titles, which add less to the words."""
    return motif.topic != _COMMON, len(motif.asks)


def _is_named(text: str, motif: Question) -> bool:
    """Whether each word of a text begins a word of the title or the other names; a plural counts as its singular."""
    words = re.findall(r"\w+", text.lower())
    return bool(words) and all(any(it.startswith(word.removesuffix("s")) for it in _names(motif)) for word in words)


@functools.cache
def _names(motif: Question) -> list[str]:
    return re.findall(r"\w+", " ".join([motif.asks, *motif.words]).lower())
