"""Tables and formulas as source text for other languages.

Any table of the catalogue can be printed. A pattern of one or two small arguments can be printed, too: its values for
all squares (or filesets, or flags) make the table. The text compiles unchanged.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise import __version__
from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.catalogue.lookup import page
from setwise.catalogue.pages import Argument, Page
from setwise.compiler import Kind
from setwise.errors import QueryError, did_you_mean, shortened
from setwise.patterns import compass
from setwise.patterns.geometry import SQUARES

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
_WIDTH = 100

#: Compilers assume different encodings of a file, so comments are ASCII.
_ASCII = str.maketrans({"–": "-", "−": "-", "×": "x", "…": "..."})


def _upper(name: str) -> str:
    return name.replace(".", "_").upper()


def _lower(name: str) -> str:
    return name.replace(".", "_").lower()


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"[._]", name))


def _lower_camel(name: str) -> str:
    return re.sub("^[A-Z]", lambda first: first[0].lower(), _camel(name))


class Language(NamedTuple):
    """How a language writes a constant array.

    ``types`` are the language's names of uint64, uint8 and int8; ``text`` has places for the name, the type, the sizes
    and the rows. If the language has a ``separator``, it stands between groups of four hex digits.
    """

    types: tuple[str, str, str]
    spelled: Callable[[str], str]
    separator: str
    suffix: str
    brackets: tuple[str, str]
    sizes: Callable[[tuple[int, ...], str], str]
    comment: str
    text: str
    #: The text of a constant: one set under a name.
    one: str
    indent: str = "    "


def _after_name(shape: tuple[int, ...], item: str) -> str:
    return "".join(f"[{size}]" for size in shape)


def _before_type(shape: tuple[int, ...], item: str) -> str:
    return _after_name(shape, item) + item


def _rust_type(shape: tuple[int, ...], item: str) -> str:
    return item if not shape else f"[{_rust_type(shape[1:], item)}; {shape[0]}]"


def _swift_type(shape: tuple[int, ...], item: str) -> str:
    return "[" * len(shape) + item + "]" * len(shape)


def _java_type(shape: tuple[int, ...], item: str) -> str:
    return item + "[]" * len(shape)


#: The languages by the name that ``--lang`` takes.
LANGUAGES: dict[str, Language] = {
    "c": Language(
        ("uint64_t", "uint8_t", "int8_t"), _upper, "", "ULL", ("{", "}"), _after_name, "//",
        "#include <stdint.h>\n\nstatic const {type} {name}{sizes} = {rows};\n",
        "static const uint64_t {name} = {word};",
    ),
    "cpp": Language(
        ("std::uint64_t", "std::uint8_t", "std::int8_t"), _upper, "'", "ULL", ("{", "}"), _after_name, "//",
        "#include <cstdint>\n\ninline constexpr {type} {name}{sizes} = {rows};\n",
        "inline constexpr std::uint64_t {name} = {word};",
    ),
    "rust": Language(
        ("u64", "u8", "i8"), _upper, "_", "", ("[", "]"), _rust_type, "//", "pub static {name}: {sizes} = {rows};\n",
        "pub const {name}: u64 = {word};",
    ),
    "go": Language(
        ("uint64", "uint8", "int8"), _camel, "_", "", ("{", "}"), _before_type, "//",
        "package tables\n\nvar {name} = {sizes}{rows}\n", "const {name} uint64 = {word}", "\t",
    ),
    "zig": Language(
        ("u64", "u8", "i8"), _lower, "_", "", (".{", "}"), _before_type, "//", "pub const {name}: {sizes} = {rows};\n",
        "pub const {name}: u64 = {word};",
    ),
    "swift": Language(
        ("UInt64", "UInt8", "Int8"), _lower_camel, "_", "", ("[", "]"), _swift_type, "//",
        "public let {name}: {sizes} = {rows}\n", "public let {name}: UInt64 = {word}",
    ),
    "java": Language(  # a byte is signed in Java: int holds all values of uint8
        ("long", "int", "byte"), _camel, "_", "L", ("{", "}"), _java_type, "//",
        "public final class {name} {{\n    public static final {sizes} TABLE = {rows};\n\n"
        "    private {name}() {{}}\n}}\n", "public static final long {name} = {word};",
    ),
    "python": Language(
        ("", "", ""), _upper, "_", "", ("(", ")"), _after_name, "#", "{name} = {rows}\n", "{name} = {word}"
    ),
}  # fmt: skip


def source_text(name: str, language: str = "c", squares: str = "a1b1") -> str:
    """Return a lookup table as source text that compiles.

    Args:
        name: a table (``king.ATTACKS``) or a pattern to tabulate (``knight.distance``), as ``catalogue.page`` takes it.
        language: one of ``LANGUAGES``.
        squares: the square mapping, one of ``words.MAPPINGS``: it orders the entries for squares, and the bits
            of sets.

    Raises:
        QueryError: for a name that is neither a table nor a pattern, a pattern whose arguments have too many values, an
            unknown language or mapping, and a table of square numbers with a mapping other than ``a1b1``.

    Example:
        >>> from setwise.catalogue.tables import source_text
        >>> print(source_text("bits.RANKS", "rust"))
        // bits.RANKS holds the eight ranks, 1 to 8, as sets.
        // Squares: a1 = bit 0, h1 = bit 7, a2 = bit 8, h8 = bit 63. Written by setwise 0.1.0.
        <BLANKLINE>
        pub static BITS_RANKS: [u64; 8] = [
            0x0000_0000_0000_00ff, 0x0000_0000_0000_ff00, 0x0000_0000_00ff_0000, 0x0000_0000_ff00_0000,
            0x0000_00ff_0000_0000, 0x0000_ff00_0000_0000, 0x00ff_0000_0000_0000, 0xff00_0000_0000_0000,
        ];
        <BLANKLINE>
    """
    style, order = _language(language), mapping(squares)
    shown = page(name)
    table, about = (shown.thing, shown.summary) if shown.sort == "table" else tabulated(shown)
    table = _mapped(shown, table, order)
    kind = style.types[("uint64", "uint8", "int8").index(table.dtype.name)]
    text = style.text.format(
        name=style.spelled(shown.name),
        type=kind,
        sizes=style.sizes(table.shape, kind),
        rows=_rows(table, style, style.indent if language != "java" else 2 * style.indent),
    )
    squares_of = f"Squares: {order.text}. " * (table.dtype == np.uint64 or len(SQUARES) in table.shape)
    files_of = "Files: a = bit 0, h = bit 7. " * (_FILESETS in table.shape)
    comment = [_sentence(shown.name, about), f"{squares_of}{files_of}Written by setwise {__version__}."]
    head = (line for part in comment for line in textwrap.wrap(part.translate(_ASCII), _WIDTH))
    return "\n".join(f"{style.comment} {line}" for line in head) + f"\n\n{text}"


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
        QueryError: for a language that is not among ``LANGUAGES``.

    Example:
        >>> from setwise.catalogue.tables import word_text
        >>> word_text(0x8100000000000081, "java", "CORNERS")
        'public static final long CORNERS = 0x8100_0000_0000_0081L;'
    """
    style = _language(language)
    return style.one.format(name=name, word=_number(word, np.dtype(np.uint64), style))


def _language(name: str) -> Language:
    if name not in LANGUAGES:
        near = did_you_mean(name.lower(), LANGUAGES) or f"; there are {', '.join(LANGUAGES)}"
        raise QueryError(f"tables are not written in {shortened(name)}{near}")
    return LANGUAGES[name]


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


def _rows(table: np.ndarray, style: Language, indent: str) -> str:
    """Return the entries in nested brackets, with a readable number per line."""
    opening, closing = style.brackets
    if table.ndim > 1:
        inner = (f"{indent}{_rows(part, style, indent + style.indent)},\n" for part in table)
    else:
        a_line = 4 if table.dtype == np.uint64 else 16
        entries = [_number(entry, table.dtype, style) for entry in table.tolist()]
        inner = (f"{indent}{', '.join(entries[at : at + a_line])},\n" for at in range(0, len(entries), a_line))
    return f"{opening}\n{''.join(inner)}{indent.removesuffix(style.indent)}{closing}"


def _number(entry: int, dtype: np.dtype[Any], style: Language) -> str:
    if dtype == np.int8:
        return str(entry)
    if dtype == np.uint8:
        return f"0x{entry:02x}"
    digits = f"{entry:016x}"
    return "0x" + style.separator.join(digits[at : at + 4] for at in range(0, 16, 4)) + style.suffix


# ---------------------------------------------------------------------------------------------------------- tabulation


def tabulated(pattern: Page) -> tuple[np.ndarray, str]:
    """Return all values of a pattern, as an array with an axis for each argument, and a description of the values.

    The axis of a square has the 64 squares, of a set the 64 sets of one square, of a fileset all 256, of a flag both.

    Raises:
        QueryError: for a page that is not a pattern, or a pattern whose arguments have too many values.
    """
    if pattern.sort != "pattern":
        raise QueryError(f"{pattern.name} is neither a table nor a pattern of squares: it cannot be tabulated")
    values = [_values(kind) for kind in pattern.thing.kinds.values()]
    if np.prod([len(axis) for axis in values]) > _MOST_ENTRIES:
        raise QueryError(f"{pattern.name} takes {len(values)} arguments, too many for a table")
    grid = np.ix_(*values)
    table = pattern.thing(*grid)
    axes = (f"[{argument.name}]" for argument in pattern.arguments)
    of_sets = any(kind.python is Bitboard for kind in pattern.thing.kinds.values())
    about = f"{''.join(axes)}: {pattern.sentence}{' (for one square each)' if of_sets else ''}."
    small = table.dtype.name not in {"uint64", "uint8", "int8"}  # flags and counts, as the arrays of patterns hold them
    return table.astype(np.uint8) if small else table, about


def _values(kind: Kind) -> np.ndarray:
    if kind.python is Bitboard:
        return SQUARES
    return np.arange(kind.largest + 1, dtype=kind.dtype)


# --------------------------------------------------------------------------------------- patterns applied to a position


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
#: The expression for each argument, by the argument's name; {own} and {enemy} stand for the colours.
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
#: The eight arguments of `bits.twice`: the squares that each kind of piece attacks, pawns in two directions.
_TWICE = (
    "pawns.east_attacks({own}_pawns)", "pawns.west_attacks({own}_pawns)", "knight.attacks({own}_knights)",
    f"sliders.bishops_attacks({{own}}_bishops, {_ALL})", f"sliders.rooks_attacks({{own}}_rooks, {_ALL})",
    f"sliders.queens_attacks({{own}}_queens, {_ALL})", "king.attacks({own}_king)", "squares('')",
)  # fmt: skip


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
    """Return a text without the pair of parentheses that encloses the whole text, if it has one."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else text
