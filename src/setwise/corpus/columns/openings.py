"""Columns of a game that are computed rather than tags: opening by position, time control, players, repairs."""

from __future__ import annotations

import functools
import itertools
import os
import re
import unicodedata
from pathlib import Path

import pyarrow as pa

from setwise.corpus.columns.registry import Domain, column, one_of
from setwise.errors import SourceError
from setwise.game.batch import Origin
from setwise.notation.text import decoded
from setwise.system.packages import pc

# ------------------------------------------------------------------------------------------------ openings by position


def _opening(name: str, kind: pa.DataType, number: int) -> None:
    @column(name)
    def values(games: Origin) -> pa.Array:
        if not hasattr(games, "positions"):
            return pa.nulls(len(games), kind)
        from setwise.game import openings

        rows, plies = openings.of_games(games)
        return openings.named(rows)[number] if number < 2 else pa.array(plies, kind, mask=plies < 0)


_opening("eco_by_position", pa.string(), 0)
_opening("opening_by_position", pa.string(), 1)
_opening("opening_plies", pa.int16(), 2)

# -------------------------------------------------------------------------------------------------------- time controls


#: A period of the tag TimeControl: moves, seconds, and the seconds that each move adds.
_PERIOD = re.compile(r"(?:(\d+)/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")
_DAY, _USUAL_MOVES = 86_400, 40
#: The classes with the seconds, for 40 moves, below which a game belongs to them; Lichess's rule.
_SPEEDS = {"bullet": 180, "blitz": 480, "rapid": 1500, "classical": _DAY}
_CORRESPONDENCE = "correspondence"


@functools.lru_cache(1 << 12)
def time_control(text: str) -> tuple[float | None, float | None, str | None]:
    """Return seconds, seconds that each move adds, and the class of a tag ``TimeControl``; None for unknown ones.

    Of several periods the first counts. A game takes what its player has for 40 moves.

    >>> time_control("180+2"), time_control("40/7200:3600"), time_control("1/259200")
    ((180.0, 2.0, 'blitz'), (7200.0, 0.0, 'classical'), (259200.0, 0.0, 'correspondence'))
    """
    if text == "-":
        return None, None, _CORRESPONDENCE
    period = _PERIOD.fullmatch(text.split(":", maxsplit=1)[0].removeprefix("*").strip())
    if period is None:
        return None, None, None
    base, added = float(period[2]), float(period[3] or 0)
    times = max(1.0, _USUAL_MOVES / max(int(period[1] or _USUAL_MOVES), 1))
    whole = base * times + _USUAL_MOVES * added
    return base, added, next((name for name, below in _SPEEDS.items() if whole < below), _CORRESPONDENCE)


def _of_time(name: str, kind: pa.DataType, number: int, domain: Domain | None = None) -> None:
    @column(name, domain=domain)
    def values(games: Origin) -> pa.Array:
        texts = games.tag("TimeControl").to_pylist()
        return pa.array([None if text is None else time_control(text)[number] for text in texts], kind)


_of_time("time_base", pa.float64(), 0)
_of_time("time_increment", pa.float64(), 1)
_of_time("speed", pa.string(), 2, one_of("speeds are", *_SPEEDS, _CORRESPONDENCE))

# -------------------------------------------------------------------------------------------------------------- players


_TITLES = re.compile(r"^(gm|im|fm|cm|wgm|wim|wfm|wcm|dr|prof)\.? |\([^)]*\)", re.IGNORECASE)
_NO_LETTER = re.compile(r"[^\w,]+|_")
#: Groups of names of one player each, the first name being the one that counts; and the group of each small name.
_of_name: dict[str, list[str]] = {}
_BETWEEN_NAMES = re.compile(r"[ ]*[\t;=][\t ]*")


def use_aliases(file: str | os.PathLike[str] | None) -> None:
    """Let the names in each line of a file count as those of one player, in this process; the file before is forgotten.

    Args:
        file: a text with two or more names a line, apart by tabs, semicolons or equals signs; None for no aliases.

    Raises:
        SourceError: the file cannot be read, or a line has one name.
    """
    _of_name.clear()
    player_of.cache_clear()
    if file is None:
        return
    try:
        lines = decoded(Path(file).read_bytes()).removeprefix("\ufeff").splitlines()
    except OSError as error:
        raise SourceError(f"the aliases {os.fspath(file)} cannot be read: {error.strerror or error}") from None
    for number, line in enumerate(lines, start=1):
        names = [it for it in _BETWEEN_NAMES.split(line.strip()) if it]
        if len(names) == 1:
            raise SourceError(
                f"{os.fspath(file)}, line {number}: a line has two names or more, with a tab between them"
            )
        known = [_of_name[it.lower()] for it in names if it.lower() in _of_name]
        group = [*itertools.chain(*known, names)]
        _of_name.update((name.lower(), group) for name in group)


def aliases_of(part: str) -> list[str]:
    """Return the names, in small letters, of the players of whom one name has a part."""
    found = {id(group): group for name, group in _of_name.items() if part in name}
    return sorted({name.lower() for group in found.values() for name in group})


@functools.lru_cache(1 << 16)
def player_of(name: str) -> str:
    """Return a player's name in one spelling: family name and initial in small letters, without accents and titles.

    A name of one word, such as a name on a server, stays a word. Different people can have the same spelling.

    >>> [player_of(it) for it in ("Carlsen, Magnus", "Magnus Carlsen", "CARLSEN,M.", "GM Carlsen, M (NOR)", "DrNyk")]
    ['carlsen m', 'carlsen m', 'carlsen m', 'carlsen m', 'drnyk']
    """
    name = _of_name.get(name.lower(), [name])[0]
    letters = unicodedata.normalize("NFKD", _TITLES.sub("", name.replace("ø", "o").replace("ß", "ss")))
    plain = "".join(it for it in letters if not unicodedata.combining(it)).casefold()
    family, comma, first = (_NO_LETTER.sub(" ", part).strip() for part in plain.partition(","))
    if not comma and " " in family and family[-1].isalpha():
        first, _, family = family.rpartition(" ")
        first, family = (family, first) if len(family) == 1 else (first, family)
    return f"{family} {first[:1]}".strip()


@column("{side}_player")
def _player(games: Origin, side: str) -> pa.Array:
    names = games.tag(side.title()).dictionary_encode()
    spelled = pa.array([player_of(name) or None for name in names.dictionary.to_pylist()], pa.string())
    return spelled.take(pc.cast(names.indices, pa.int64()))


column("{side}_fide_id")(lambda games, side: games.tag(f"{side.title()}FideId"))


@column("repairs")
def _repairs(games: Origin) -> pa.Array:
    texts: dict[int, list[str]] = {}
    for it in getattr(games, "repairs", tuple)():
        texts.setdefault(it.game, []).append(f"{it.token} {it.reason}")
    return pa.array(["; ".join(texts.get(number, ())) or None for number in games.numbers.tolist()], pa.string())
