"""What a game must have so that one of its positions can match a condition, as far as an index knows it of games."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AllOf", "AnyOf", "Keys", "Need", "Values", "all_of", "any_of", "columns_in", "keys_in"]


class Keys(NamedTuple):
    """The game reaches a position with one of some keys."""

    keys: frozenset[int]

    def __str__(self) -> str:
        return "the key" if len(self.keys) == 1 else f"one of {len(self.keys):,} keys"


class Values(NamedTuple):
    """In one of its positions one of some columns has a value other than 0 and false."""

    columns: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(self.columns)


class AllOf(NamedTuple):
    """The game has all of these."""

    parts: tuple[Need, ...]

    def __str__(self) -> str:
        return " and ".join(f"({it})" if " or " in str(it) else str(it) for it in self.parts)


class AnyOf(NamedTuple):
    """The game has one of these."""

    parts: tuple[Need, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


Need = Keys | Values | AllOf | AnyOf


def all_of(*parts: Need | None) -> Need | None:
    """Return what a game needs that needs all of these; a part that says nothing, None, is left out.

    >>> str(all_of(Keys(frozenset([3])), None, Values(("white_pinned", "black_pinned"))))
    'the key and (white_pinned or black_pinned)'
    """
    said = tuple(dict.fromkeys(it for it in parts if it is not None))
    return AllOf(said) if len(said) > 1 else next(iter(said), None)


def any_of(*parts: Need | None) -> Need | None:
    """Return what a game needs that needs one of these; None, which says nothing, if one of them says nothing.

    >>> str(any_of(Keys(frozenset([3])), Keys(frozenset([4])))), any_of(Keys(frozenset([3])), None)
    ('one of 2 keys', None)
    """
    said = [it for it in parts if it is not None]
    if len(said) < len(parts) or not said:
        return None
    keys = [it.keys for it in said if isinstance(it, Keys)]
    joined = [Keys(frozenset().union(*keys))] if keys else []
    distinct = tuple(dict.fromkeys([*joined, *(it for it in said if not isinstance(it, Keys))]))
    return AnyOf(distinct) if len(distinct) > 1 else distinct[0]


def columns_in(need: Need) -> list[str]:
    """Return the columns whose values a need is about."""
    if isinstance(need, Keys):
        return []
    names = need.columns if isinstance(need, Values) else (name for part in need.parts for name in columns_in(part))
    return list(dict.fromkeys(names))


def keys_in(need: Need) -> set[frozenset[int]]:
    """Return the sets of keys that a need is about."""
    match need:
        case Keys(keys):
            return {keys}
        case AllOf(parts) | AnyOf(parts):
            return {keys for part in parts for keys in keys_in(part)}
    return set()
