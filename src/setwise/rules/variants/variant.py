"""What a variant of chess adds to the rules: other ways to win."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Variant"]


class Variant(NamedTuple):
    """A variant with the moves of standard chess, whose games also end in other ways."""

    #: The name, as the tag ``Variant`` of PGN files has it.
    name: str
    #: Beginnings of other spellings in that tag, in lower case; the name itself is one.
    spellings: tuple[str, ...]
    #: The class of python-chess's boards, in ``chess.variant``.
    board: str
    #: The squares on which a king wins.
    hill: int = 0
    #: How many checks win; 0 where checks do not count.
    checks: int = 0

    def winner(self, white_king: int, black_king: int, checks_given: tuple[int, int]) -> str | None:
        """Return the side that has won by the rules of the variant, ``"white"`` or ``"black"``.

        Args:
            white_king: the square of White's king, a set.
            black_king: the square of Black's king, a set.
            checks_given: how many checks White and Black have given.
        """
        for side, king, given in zip(("white", "black"), (white_king, black_king), checks_given, strict=True):
            if king & self.hill or 0 < self.checks <= given:
                return side
        return None

    def can_win(self, *, bare_king: bool) -> bool:
        """Return whether a side has enough material to win; any piece can give check, and a bare king can walk."""
        return self.hill != 0 or not bare_king
