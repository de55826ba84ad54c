"""Patterns applied to a position: expressions of the language, with a side's pieces as arguments."""

from __future__ import annotations

from typing import NamedTuple

from setwise.catalogue.pages import Argument, Page
from setwise.compiler import Kind

__all__ = ["Filled", "applied", "arguments"]

#: Topics and single patterns in which the own side moves up the board: for Black they are applied to the mirrored
#: board.
_UPWARDS = frozenset(
    {
        "pawns",
        "race",
        "moves",
        "tactics",
        "lines.attackers",
        "knight.catches",
        "king.zone",
        "king.shield_mask",
        "king.shield_index",
    }
)

_ALL = "(white_pieces | black_pieces)"
_PIECES = {
    "pawn": "pawns", "knight": "knights", "bishop": "bishops", "rook": "rooks", "queen": "queens", "king": "king",
    "own_knight": "knights", "own_king": "king", "enemy_king": "king", "enemy_pawn": "pawns", "own_pawn": "pawns",
    "passer": "passed_pawns",
}  # fmt: skip
#: The expression for an argument by its name; {own} and {enemy} are the colours.
_BY_NAME = {
    "own": "{own}_pieces", "enemy": "{enemy}_pieces", "targets": "{enemy}_pieces", "fronts": "{enemy}_pieces",
    "behind": "{enemy}_pieces", "occupied": _ALL, "blockers": _ALL, "empty": f"~{_ALL}", "path": f"~{_ALL}",
    "start": f"~{_ALL} & king.attacks({{own}}_king)",
    "a": "king.attacks({own}_king)", "b": "king.attacks({enemy}_king)",
    "enemy_attacks": "{enemy}_attacks", "defended": "{enemy}_attacks", "protected": "{own}_attacks",
    "enemy_pawn_attacks": "{enemy}_pawn_attacks", "enemy_knight_attacks": "knight.attacks({enemy}_knights)",
    "avoid": "{enemy}_pawn_attacks", "taboo": "({own}_pieces | {enemy}_attacks)", "target": "{enemy}_king",
    "queen_moves": f"sliders.queens_attacks({{own}}_queens, {_ALL}) & ~{{own}}_pieces",
    "castling": "castling_rights", "ep_square": "en_passant", "en_passant": "en_passant", "moves": "2", "width": "2",
}  # fmt: skip
#: The eight sets of `bits.twice`: what each kind of piece attacks.
_TWICE = (
    "pawns.east_attacks({own}_pawns)", "pawns.west_attacks({own}_pawns)", "knight.attacks({own}_knights)",
    f"sliders.bishops_attacks({{own}}_bishops, {_ALL})", f"sliders.rooks_attacks({{own}}_rooks, {_ALL})",
    f"sliders.queens_attacks({{own}}_queens, {_ALL})", "king.attacks({own}_king)", "squares('')",
)  # fmt: skip


def applied(page: Page, side: str) -> str:
    """Return the expression that applies a pattern or a feature to a position, as a side sees it.

    Args:
        page: the page of a pattern or feature.
        side: ``white`` or ``black``.

    Example:
        >>> from setwise import catalogue
        >>> from setwise.catalogue.expressions import applied
        >>> applied(catalogue.page("knight.attacks"), "white"), applied(catalogue.page("passed_pawns"), "black")
        ('knight.attacks(white_knights)', 'black_passed_pawns')
        >>> applied(catalogue.page("pawns.isolated"), "black")
        'compass.flip_vertical(pawns.isolated(compass.flip_vertical(black_pawns)))'
    """
    if page.sort == "feature":
        return f"{side}_{page.name}"
    filled = arguments(page, side)
    flipped = (
        f"compass.flip_vertical({text})" if filled.turned and page.thing.kinds[name].is_set else text
        for name, text in filled.texts.items()
    )
    call = f"{page.name}({', '.join(flipped)})"
    return f"compass.flip_vertical({call})" if filled.turned and page.thing.returns.is_set else call


class Filled(NamedTuple):
    """The expressions of a pattern's arguments; ``turned``: their sets, and the result, are flipped."""

    texts: dict[str, str]
    turned: bool


def arguments(page: Page, side: str) -> Filled:
    """Return the expressions that fill the arguments of a pattern with a side's pieces.

    Example:
        >>> from setwise import catalogue
        >>> from setwise.catalogue.expressions import arguments
        >>> arguments(catalogue.page("pawns.passed"), "black")
        Filled(texts={'pawns': 'black_pawns', 'enemy_pawns': 'white_pawns'}, turned=True)
    """
    kinds: dict[str, Kind] = page.thing.kinds
    texts = {}
    for at, argument in enumerate(page.arguments):
        text = _TWICE[at] if page.name == "bits.twice" else _argument(page, argument, kinds[argument.name])
        text = text.format(own=side, enemy="black" if side == "white" else "white")
        if kinds[argument.name].name == "flag":
            enemys = "enemy" in argument.meaning or page.topic == "race"
            text = "white_to_move" if enemys == (side == "black") else "not white_to_move"
        texts[argument.name] = _bare(text)
    return Filled(texts, side == "black" and not _UPWARDS.isdisjoint({page.topic, page.name}))


def _argument(page: Page, argument: Argument, kind: Kind) -> str:
    """Return the expression for an argument: by its name, by its meaning, or else by its kind."""
    name, meaning = argument.name, argument.meaning
    if kind.name == "square":
        stands = next((piece for piece in ("bishop", "queen") if piece in page.name), "rook")
        stands = {"a": "{own}_king", "b": "{enemy}_king"}.get(name, f"{{own}}_{stands}s")
        return f"nullif(bits.lowest({stands}), 64)"
    if kind.name == "fileset":
        return "islands.fileset({own}_pawns)"
    lines = {
        "orthogonal": ("rooks", "queens"),
        "diagonal": ("bishops", "queens"),
        "sliders": ("bishops", "rooks", "queens"),
    }
    pieces = lines.get(name.removeprefix("enemy_"))
    single = _PIECES.get(name if name in _PIECES else name.removesuffix("s"))
    if pieces is None and single is None:
        return _BY_NAME.get(name, "{own}_pieces" if kind.is_set else "1")
    if "both" in meaning:
        sides = ["white", "black"]
    else:
        sides = ["{enemy}" if "enemy" in name or "of the enemy" in meaning else "{own}"]
    return "(" + " | ".join(f"{whose}_{piece}" for whose in sides for piece in pieces or (single,)) + ")"


def _bare(text: str) -> str:
    """Return a text without parentheses around all of it."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else text
