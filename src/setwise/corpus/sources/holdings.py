"""What a source holds besides boards: a question that it cannot answer is refused by name, before anything is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from setwise.corpus.columns import COLUMNS, GAME_TAGS, GAMES, SIDED_TAGS
from setwise.corpus.columns.registry import TAG
from setwise.errors import QueryError, shortened
from setwise.features import COLOURS

__all__ = ["EVERYTHING", "GAMES_TABLE", "LOOKS", "WITHOUT_VARIATIONS", "Holdings", "of_games", "of_table"]

#: What is neither a column nor computed from one: the table of games, and looks along a game.
GAMES_TABLE, LOOKS = "the table games", "looks along games"

#: The tags that the table of games holds as they are written; Elo is a number there.
_WRITTEN = {
    **{name: f"{TAG}{tag}" for name, tag in GAME_TAGS.items()},
    **{
        f"{side}_{stem}": f"{TAG}{side.title()}{behind}"
        for stem, (behind, is_number) in SIDED_TAGS.items()
        for side in COLOURS
        if not is_number
    },
}


@dataclass(frozen=True)
class Holdings:
    """What a source holds.

    Args:
        what: what messages call it, before its name.
        advice: what to do about a column that it cannot answer, ``{name}``.
        own: the columns that it has itself: they answer under their names, and nothing is computed from them.
        basis: the columns that others are computed from; None for all.
        without: what is missing from the basis.
    """

    what: str = "the games"
    advice: str = ""
    own: frozenset[str] = frozenset()
    basis: frozenset[str] | None = None
    without: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Return whether the source answers a column, or has the table of games, or games to look along."""
        if name in self.own or self._is_basis(name):
            return True
        column = COLUMNS.get(name)
        return column is not None and all(map(self._is_basis, column.needs))

    def _is_basis(self, name: str) -> bool:
        return (self.basis is None or name in self.basis) and name not in self.without

    def known(self, names: Iterable[str]) -> Iterator[str]:
        """Yield those of some columns that the source answers."""
        return filter(self.has, names)

    def check(self, names: Iterable[str], source: str, needed_by: str = "") -> None:
        """Refuse what the source cannot answer; ``needed_by`` is the option that asks for it, if none of its names do.

        Raises:
            QueryError: for the first such name, with the source and what to do.
        """
        for name in names:
            if not self.has(name):
                shown = f"tag({shortened(name.removeprefix(TAG))})" if name.startswith(TAG) else name
                quoted = name if name in {GAMES_TABLE, LOOKS} else f"`{shown}`"
                quoted += f", which `{needed_by}` needs," if needed_by else ""
                verb = "are" if name == LOOKS else "is"
                raise QueryError(f"{quoted} {verb} not in {self.what} {source}: {self.advice.format(name=shown)}")


#: A source that answers every question, as PGN does whose variations are read.
EVERYTHING = Holdings()
#: The same for PGN whose variations are skipped.
WITHOUT_VARIATIONS = Holdings(
    advice="their variations are skipped; --variations, or variations=True, reads them", without=frozenset({"line"})
)


def of_games(names: Iterable[str]) -> frozenset[str]:
    """Return what a table of games with these columns is a basis for."""
    held = frozenset(names)
    return held & frozenset(GAMES.names) | {tag for name, tag in _WRITTEN.items() if name in held} | {GAMES_TABLE}


def of_table(own: Iterable[str], basis: Iterable[str]) -> Holdings:
    """Return what a list or a table of positions holds: its own columns, and what is read from them."""
    return Holdings(
        "the positions of",
        "they come without it; PGN, and a scan with its games, have the games",
        frozenset(own),
        frozenset(["source", "game", *basis]),
    )
