"""Tables and definitions as source text for other languages, each with a function that tests the text.

Any table of the catalogue can be printed. A pattern of one or two small arguments can be printed as a table, too: its
values for all squares (or filesets, or flags). Any other pattern is printed as a function, which ``translation`` writes
from its definition. A table of magics is too long for a text, so the text has a function that fills it. The test calls
the function with a fixed sequence of arguments, and compares the sum of the results with the pattern's own sum.
"""

from __future__ import annotations

import ast
import importlib
import math
import re
import textwrap
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from setwise import __version__
from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.catalogue import translation
from setwise.catalogue.lookup import page
from setwise.catalogue.pages import Argument, Page, definition_of
from setwise.compiler import PATTERNS, Kind
from setwise.compiler.words import Embedded
from setwise.errors import QueryError, did_you_mean, shortened
from setwise.patterns import TECHNIQUES, compass, sliders
from setwise.patterns.geometry import SQUARES
from setwise.rules.polyglot import NUMBERS

# ------------------------------- sets as 64-bit numbers in any square mapping and any notation of programming languages


class Mapping(NamedTuple):
    """A square mapping: the square of each bit. Its name has the squares of bits 0 and 1, for example ``a1b1``.

    ``symmetry`` converts a set from setwise's mapping (``a1b1``) to this mapping, ``back`` converts it back.
    """

    name: str
    symmetry: Callable[..., Any] | None
    back: Callable[..., Any] | None

    @property
    def squares(self) -> np.ndarray:
        """The square of each bit, as a number: 0 is a1, 1 is b1, 63 is h8."""
        return np.array([next(iter(self.read(1 << bit))) for bit in range(64)])

    @property
    def text(self) -> str:
        """The squares of the bits 0, 7, 8 and 63, in words."""
        names = [SQUARE_NAMES[square] for square in self.squares]
        return f"{names[0]} = bit 0, {names[7]} = bit 7, {names[8]} = bit 8, {names[63]} = bit 63"

    def word(self, squares: int) -> int:
        """Return the number that stands for a set in this mapping."""
        return int(squares if self.symmetry is None else self.symmetry(Bitboard(squares)))

    def read(self, word: int) -> Bitboard:
        """Return the set that a number stands for in this mapping."""
        return Bitboard(word if self.back is None else self.back(Bitboard(word)))


#: The eight mappings by name, setwise's first.
MAPPINGS: dict[str, Mapping] = {
    name: Mapping(name, symmetry, back)
    for name, symmetry, back in (
        ("a1b1", None, None),
        ("a8b8", compass.flip_vertical, compass.flip_vertical),
        ("h1g1", compass.mirror_horizontal, compass.mirror_horizontal),
        ("h8g8", compass.rotate_180, compass.rotate_180),
        ("a1a2", compass.flip_diagonal, compass.flip_diagonal),
        ("h8h7", compass.flip_antidiagonal, compass.flip_antidiagonal),
        ("a8a7", compass.rotate_90_anticlockwise, compass.rotate_90_clockwise),
        ("h1h2", compass.rotate_90_clockwise, compass.rotate_90_anticlockwise),
    )
}


def mapping(name: str) -> Mapping:
    """Return a mapping by name. For an unknown name it raises ``QueryError``, which lists the known names.

    Example:
        >>> from setwise.catalogue.tables import mapping
        >>> mapping("a8b8").text
        'a8 = bit 0, h8 = bit 7, a7 = bit 8, h1 = bit 63'
        >>> hex(mapping("a8b8").word(Bitboard("e8"))), mapping("a8b8").read(0x10)
        ('0x10', Bitboard('e8'))
    """
    if name not in MAPPINGS:
        near = did_you_mean(name, MAPPINGS) or f"; there are {', '.join(MAPPINGS)}"
        raise QueryError(f"there is no square mapping {shortened(name, 20)}{near}")
    return MAPPINGS[name]


#: A number as programs write it: 0x…, 0b…, 0o… or decimal, with _ or ' between groups, and with a language's suffix.
_NUMBER = re.compile(
    r"(-?)(0[xX]['_]*[0-9a-fA-F][0-9a-fA-F_']*|0[bB]['_]*[01][01_']*|0[oO]['_]*[0-7][0-7_']*|[0-9][0-9_',]*)"
    r"([uUlL]{0,3}|[uUiI]64)"
)
#: The most decimal digits that are read: one more than a number of 64 bits has.
_DIGITS = 21


def read_word(text: str) -> int | None:
    """Return the 64 bits that a number means as any programming language writes it; None for any other text.

    Raises:
        QueryError: the number has more than 64 bits.

    Example:
        >>> from setwise.catalogue.tables import read_word
        >>> read_word("0x0000_0000_0000_0042ULL"), read_word("0b1000'0010"), read_word("-1") == 2**64 - 1
        (66, 130, True)
        >>> read_word("squares('e4')")
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    digits = re.sub("[_',]", "", match[2])
    number = int(digits, 0) if digits[1:2].isalpha() else int(digits.lstrip("0")[:_DIGITS] or 0)
    number = -number if match[1] else number
    if not -(2**63) <= number < 2**64:
        raise QueryError(f"{shortened(text.strip(), 40)} has more than 64 bits")
    return number % 2**64


# --------------------------------------------------------- lookup tables as source text, for engines in other languages


_MOST_ENTRIES = 1 << 14
_FILESETS = 256
#: How many cases the self-test of a text has, and where its sequence begins.
_CASES, _SEED = 1000, 0x9E37_79B9_7F4A_7C15
#: Short names of what engines ask for.
_SHORT = {
    "sliders.rook": "sliders.rook_attacks", "sliders.bishop": "sliders.bishop_attacks",
    "sliders.queen": "sliders.queen_attacks", "between": "lines.between", "line": "lines.line",
    "distance": "king.distance", "pawn.attacks": "pawns.attacks",
}  # fmt: skip
_ZOBRIST = Page(
    "zobrist", "table", NUMBERS,
    "zobrist[index]: the numbers of Polyglot's keys. 64 * piece + square is the index of a piece: 0 is a black pawn, 1 "
    "a white pawn, then knights, bishops, rooks, queens and kings. From 768 on are White's short and long castling, "
    "Black's, the files of pawns that can be taken in passing, and the turn, if White is to move",
)  # fmt: skip
_BY = "_by_"


def source_text(name: str, language: str = "c", squares: str = "a1b1", method: str | None = None) -> str:
    """Return a lookup table or a definition as source text that compiles, with a function that tests it.

    Args:
        name: a table (``king.ATTACKS``) or a pattern (``knight.distance``), as ``catalogue.page`` takes it.
        language: one of ``languages()``.
        squares: the square mapping, one of ``words.MAPPINGS``: it orders the entries for squares, and the bits
            of sets.
        method: ``table`` for the values as a table, ``formula`` for the definition itself, or, for sliders, the name of
            one of their methods; by default a table where that is possible.

    Raises:
        QueryError: for a name that is neither a table nor a pattern, a pattern whose arguments have too many values, an
            unknown language, mapping or method, and a table of square numbers or a formula with a mapping other than
            ``a1b1``.

    Example:
        >>> from setwise.catalogue.tables import source_text
        >>> print(source_text("bits.RANKS", "rust").partition("pub fn")[0].rstrip())
        // bits.RANKS holds the eight ranks, 1 to 8, as sets.
        // Squares: a1 = bit 0, h1 = bit 7, a2 = bit 8, h8 = bit 63. Written by setwise 0.1.0.
        <BLANKLINE>
        pub static BITS_RANKS: [u64; 8] = [
            0x0000_0000_0000_00ff, 0x0000_0000_0000_ff00, 0x0000_0000_00ff_0000, 0x0000_0000_ff00_0000,
            0x0000_00ff_0000_0000, 0x0000_ff00_0000_0000, 0x00ff_0000_0000_0000, 0xff00_0000_0000_0000,
        ];
    """
    style, order = translation.language(language), mapping(squares)
    shown = _ZOBRIST if name == "zobrist" else page(_SHORT.get(name, name))
    ways = _methods(shown)
    if method is not None and method not in ways:
        raise QueryError(f"{shown.name} has no method {shortened(method)}; there are {', '.join(ways)}")
    method = method or next(iter(ways))
    to = translation.Translator(style)
    if method == "table":
        table, about = (shown.thing, shown.summary) if shown.sort == "table" else tabulated(shown)
        table = _mapped(shown, np.asarray(table), order)
        limits, called, about = _lookup(to, shown.name, table, about)
        thing: Any = lambda *at: table[at]  # noqa: E731
        has_squares = table.dtype == np.uint64 or len(SQUARES) in table.shape
        has_files, fill = _FILESETS in table.shape, None
    else:
        if order.symmetry is not None:
            raise QueryError(f"a formula is written with a1 = 0 alone, not for {squares}")
        thing = shown.thing  # all methods give the same
        limits = {name: min(kind.largest + 1, 1 << 64) for name, kind in thing.kinds.items()}
        written, fill = _with_filled_table(to, ways[method])
        called = to.function(written, ways[method].name.replace(".", "_"), [translation.WORD] * len(limits))
        about = f"{ways[method].name}({', '.join(limits)}) returns {page(ways[method].name).sentence}."
        has_squares, has_files = True, False
    test = _self_test(to, shown.name, called, limits, thing, fill)
    squares_of = f"Squares: {order.text}. " * has_squares
    files_of = "Files: a = bit 0, h = bit 7. " * has_files
    head = [about, f"{squares_of}{files_of}Written by setwise {__version__}."]
    unit = {"unit": "".join(word.capitalize() for word in re.split(r"[._]", shown.name))}
    inner = textwrap.indent(f"{to.text()}\n\n{style['test'].format(name=test)}".rstrip(), style["body"])
    parts = [*(line for part in head for line in style.remark(part)), ""]
    parts += [style["head"].format(**unit), ""] * bool(style["head"])
    return "\n".join([*parts, inner, *[style["tail"].format()] * bool(style["tail"])]) + "\n"


def _methods(shown: Page) -> dict[str, Any]:
    """The ways to write a table or pattern, the usual one first: each with what it writes."""
    if shown.sort == "table":
        return {"table": None}
    if shown.sort != "pattern":
        raise QueryError(f"{shown.name} is neither a table nor a pattern of squares: it cannot be tabulated")
    for topic in TECHNIQUES:
        importlib.import_module(f"setwise.patterns.{topic}")
    name = shown.bare_name.removesuffix("_attacks")
    starts = f"{shown.name}{_BY}", *(f"{topic}.{name}{_BY}" for topic in TECHNIQUES)
    found = {name: it for name, it in PATTERNS.items() if name.startswith(starts)}
    ways: dict[str, Any] = {name.partition(_BY)[2].replace("_", "-"): it for name, it in found.items()}
    if "fancy-magic" in ways:
        ways = {"magic": ways["fancy-magic"]} | ways
    if _entries(shown) <= _MOST_ENTRIES and (not ways or len(shown.thing.kinds) == 1):
        ways = {"table": None} | ways
    return ways | {"formula": shown.thing}


def _with_filled_table(to: translation.Translator, definition: Any) -> tuple[Any, Any]:
    """A definition that returns an item of a large table, with a function for its index, and one that fills the table.

    Any other definition is returned as it is, with None.
    """
    scope = definition.function.__globals__
    tree: Any = ast.parse(definition_of(definition.function)).body[0]
    match tree.body[-1]:
        case ast.Return(ast.Call(ast.Name(table), [index])) if (
            isinstance(scope.get(table), Embedded) and scope[table].table.size > translation.MOST_ITEMS
        ):
            to.filled = scope[table]
        case _:
            return definition, None
    name, inner = tree.name, "ROOK_INNER" if tree.name.startswith("rook") else "BISHOP_INNER"
    slow = f"{name.partition(_BY)[0]}_attacks_by_calculation"
    *steps, _ = definition_of(definition.function).split('"""')[2].strip("\n").splitlines()
    scope = scope | {slow: getattr(sliders, slow), inner: getattr(sliders, inner)}
    body = "\n".join(steps)
    scope["index"] = translation.written(
        f'def {name}_index(square, occupied):\n    """The place of the attacks in the table."""\n{body}\n'
        f"    return {ast.unparse(index)}\n", scope,
    )  # fmt: skip
    look = translation.written(
        f'def {name}(square, occupied):\n    """{(definition.__doc__ or "").partition(chr(10))[0]}"""\n'
        f"    return {table}(index(square, occupied))\n", scope,
    )  # fmt: skip
    fill = translation.written(_FILL.format(name=name, inner=inner, table=table, slow=slow), scope)
    return look, fill


_FILL = '''
def {name}_fill():
    """Fill the table of attacks: call this once, before the first lookup."""
    for square in range(64):
        squares = {inner}[square]
        pieces = np.uint64(0)
        while True:
            {table}[index(np.uint64(square), pieces)] = {slow}(np.uint64(square), pieces)
            pieces = (pieces - squares) & squares
            if pieces == np.uint64(0):
                break
'''


def _lookup(
    to: translation.Translator, name: str, table: np.ndarray, about: str
) -> tuple[dict[str, int], translation.Function, str]:
    """Write a table with a function that looks up an entry: the sizes of its axes by name, the function, a sentence."""
    indices = _INDICES.match(about)
    axes = [re.sub(r"\W+", "_", axis.strip()) for axis in re.findall(r"[^\[\],]+", indices[1])] if indices else []
    axes = axes if len(axes) == table.ndim else ["index", *(f"index_{n}" for n in range(2, table.ndim + 1))]
    axes = axes[: table.ndim]
    scope = {name.replace(".", "_"): table}
    lookup = translation.written(
        f"def {name.replace('.', '_').lower()}_at({', '.join(axes)}):\n"
        f"    return {name.replace('.', '_')}[{', '.join(axes)}]\n",
        scope,
    )
    function = to.function(lookup, lookup.__name__, [translation.WORD] * table.ndim)
    return dict(zip(axes, table.shape, strict=True)), function, _sentence(name, about)


def _self_test(
    to: translation.Translator, name: str, called: translation.Function, limits: dict[str, int], thing: Any, fill: Any
) -> str:
    """Write a function that tests another one with a fixed sequence of arguments; return its name."""
    states, state = [], _SEED
    for _ in range(_CASES):
        for shift in (13, -7, 17):
            state ^= (state << shift if shift > 0 else state >> -shift) % 2**64
        states.append(state)
    sequence = np.array(states, np.uint64)
    # The more sets are intersected, the fewer squares an argument has; most different results are tested best.
    drawn = [_draws(sequence, limits, sets) for sets in range(2, 5)]
    results = [np.asarray(thing(*arguments)).tolist() for _, arguments in drawn]
    best = max(range(len(drawn)), key=lambda at: len(set(results[at])))
    given, total = drawn[best][0], 0
    for value in results[best]:
        total = (total * 31 + int(value)) % 2**64
    source = (
        f"def {name.replace('.', '_').lower()}_self_test():\n"
        f'    """Whether {_CASES:,} values, each with its place, have the right sum."""\n'
        f"{'    fill()' * bool(fill)}\n    state = np.uint64({_SEED})\n    total = np.uint64(0)\n"
        f"    for _ in range({_CASES}):\n"
        "        state ^= state << np.uint64(13)\n        state ^= state >> np.uint64(7)\n"
        f"        state ^= state << np.uint64(17)\n{given}"
        f"        total = total * np.uint64(31) + np.uint64(called({', '.join(limits)}))\n"
        f"    return total == np.uint64({total})\n"
    )
    scope = {"called": called, "np": np, "fill": fill}
    return to.function(translation.written(source, scope), source[4 : source.index("(")], []).name


#: The beginning of a description of a table: its indices and their meaning.
_INDICES = re.compile(r"\w*((?:\[[^\]]*\])+[^:]*): ")


def _sentence(name: str, about: str) -> str:
    """A description of a table, as a sentence that begins with the table's name and indices.

    >>> _sentence("king.ATTACKS", "ATTACKS[square]: the squares that a king attacks from there.")
    'king.ATTACKS[square] holds the squares that a king attacks from there.'
    """
    indices = _INDICES.match(about)
    axes, text = (indices[1], about[indices.end() :]) if indices else ("", about)
    return f"{name}{axes}{',' * (',' in axes)} holds {text[0].lower()}{text[1:].rstrip('.')}."


def word_text(word: int, language: str, name: str = "SQUARES") -> str:
    """Return a set as a constant of a language, under a name.

    Raises:
        QueryError: for a language that is not among ``languages()``.

    Example:
        >>> from setwise.catalogue.tables import word_text
        >>> word_text(0x8100000000000081, "java", "CORNERS")
        'public static final long CORNERS = 0x8100_0000_0000_0081L;'
    """
    style = translation.language(language)
    return str(style["constant"].format(name=name, word=style.number(word)))


def _draws(sequence: np.ndarray, limits: dict[str, int], sets: int) -> tuple[str, list[np.ndarray]]:
    """How each state of a sequence gives a value to each argument: as Python, and the values."""
    lines, arguments = "", []
    for at, (argument, limit) in enumerate(limits.items()):
        if limit == 1 << 64:
            text = " & ".join(["state", *(f"state * np.uint64({2 * at + 3 + 22 * k})" for k in range(sets - 1))])
        else:
            text = f"(state >> np.uint64({8 + 6 * (at % 8)})) % np.uint64({limit})"
        lines += f"        {argument} = {text}\n"
        arguments.append(eval(text, {"np": np, "state": sequence}))  # noqa: S307  (our own text)
    return lines, arguments


def _mapped(shown: Page, table: np.ndarray, order: Mapping) -> np.ndarray:
    """Return a table in a square mapping: axes of squares have the order, and sets the numbers, of the mapping."""
    if order.symmetry is None:
        return table
    if shown.sort == "pattern" and shown.thing.returns.name == "square":
        raise QueryError(f"{shown.name} gives numbers of squares, which are written with a1 = 0 alone")
    for axis, size in enumerate(table.shape):
        if size == len(SQUARES):
            table = np.take(table, order.squares, axis)
    if table.dtype != np.uint64:
        return table
    mapped: np.ndarray = order.symmetry(np.ascontiguousarray(table))
    return mapped


# ---------------------------------------------------------------------------------------------------------- tabulation


def tabulated(pattern: Page) -> tuple[np.ndarray, str]:
    """Return all values of a pattern, as an array with an axis for each argument, and a description of the values.

    The axis of a square has the 64 squares, of a set the 64 sets of one square, of a fileset all 256, of a flag both.

    Raises:
        QueryError: for a page that is not a pattern, or a pattern whose arguments have too many values.
    """
    if pattern.sort != "pattern":
        raise QueryError(f"{pattern.name} is neither a table nor a pattern of squares: it cannot be tabulated")
    if _entries(pattern) > _MOST_ENTRIES:
        raise QueryError(f"{pattern.name} takes {len(pattern.thing.kinds)} arguments, too many for a table")
    grid = np.ix_(*(_values(kind) for kind in pattern.thing.kinds.values()))
    table = pattern.thing(*grid)
    axes = (f"[{argument.name}]" for argument in pattern.arguments)
    of_sets = any(kind.python is Bitboard for kind in pattern.thing.kinds.values())
    about = f"{''.join(axes)}: {pattern.sentence}{' (for one square each)' if of_sets else ''}."
    small = table.dtype.name not in {"uint64", "uint8", "int8"}  # flags and counts, as the arrays of patterns hold them
    return table.astype(np.uint8) if small else table, about


def _entries(pattern: Page) -> int:
    """How many entries a table of a pattern has."""
    return math.prod(len(SQUARES) if kind.is_set else kind.largest + 1 for kind in pattern.thing.kinds.values())


def _values(kind: Kind) -> np.ndarray:
    if kind.python is Bitboard:
        return SQUARES
    return np.arange(kind.largest + 1, dtype=kind.dtype)


# --------------------------------------------------------------------------------------- patterns applied to a position


#: The expressions for arguments, and what else is not in the definitions.
_APPLIED: dict[str, Any] = tomllib.loads(Path(__file__).with_name("applied.toml").read_text("ascii"))
_ALL = "(white_pieces | black_pieces)"


def applied(page: Page, side: str) -> str:
    """Return the expression that applies a pattern or a feature to a position, from the point of view of one side.

    Args:
        page: the page of a pattern or feature.
        side: ``white`` or ``black``.

    Example:
        >>> from setwise import catalogue
        >>> from setwise.catalogue.tables import applied
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
    """The expressions of a pattern's arguments; ``turned``: whether the sets and the result must be flipped."""

    texts: dict[str, str]
    turned: bool


def arguments(page: Page, side: str) -> Filled:
    """Return the expressions that fill the arguments of a pattern with a side's pieces.

    Example:
        >>> from setwise import catalogue
        >>> from setwise.catalogue.tables import arguments
        >>> arguments(catalogue.page("pawns.passed"), "black")
        Filled(texts={'pawns': 'black_pawns', 'enemy_pawns': 'white_pawns'}, turned=True)
    """
    kinds: dict[str, Kind] = page.thing.kinds
    texts = {}
    for at, argument in enumerate(page.arguments):
        text = _APPLIED["twice"][at] if page.name == "bits.twice" else _argument(page, argument, kinds[argument.name])
        text = text.format(own=side, enemy="black" if side == "white" else "white", all=_ALL)
        if kinds[argument.name].name == "flag":
            enemys = "enemy" in argument.meaning or page.topic == "race"
            text = "white_to_move" if enemys == (side == "black") else "not white_to_move"
        texts[argument.name] = _bare(text)
    return Filled(texts, side == "black" and not {page.topic, page.name}.isdisjoint(_APPLIED["upwards"]))


def _argument(page: Page, argument: Argument, kind: Kind) -> str:
    """Return the expression for an argument: by its name, by its meaning, or else by its kind."""
    name, meaning = argument.name, argument.meaning
    if kind.name == "square":
        stands = next((piece for piece in ("bishop", "queen") if piece in page.name), "rook")
        stands = {"a": "{own}_king", "b": "{enemy}_king"}.get(name, f"{{own}}_{stands}s")
        return f"nullif(bits.lowest({stands}), 64)"
    if kind.name == "fileset":
        return "islands.fileset({own}_pawns)"
    known = _APPLIED["pieces"]
    pieces = next(
        (known[it] for it in (name.removeprefix("enemy_"), name, name.removesuffix("s")) if it in known), None
    )
    if pieces is None:
        text: str = _APPLIED["by_name"].get(name, "{own}_pieces" if kind.is_set else "1")
        return text
    if "both" in meaning:
        sides = ["white", "black"]
    else:
        sides = ["{enemy}" if "enemy" in name or "of the enemy" in meaning else "{own}"]
    return "(" + " | ".join(f"{whose}_{piece}" for whose in sides for piece in pieces) + ")"


def _bare(text: str) -> str:
    """Return a text without the pair of parentheses that encloses the whole text, if it has one."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else text
