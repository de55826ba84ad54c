"""Memory between two pages that may not be read: a read of one byte beyond its end ends the process.

``python -m helpers.fences`` (with ``tests`` on the path) sends texts through every kernel that reads texts, each text
directly before such a page and directly behind one, and prints how many texts each kernel has read. Results are written
to arrays of the same kind.
"""

from __future__ import annotations

import ctypes
import faulthandler
import functools
import itertools
import math
import mmap
import os
import random
import signal
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from setwise import Position, Positions
from setwise.compiler import Entry, entry
from setwise.compiler.kinds import intp, reads, uint8, uint64
from setwise.compiler.words import LINE, MEMORY, letters_of, places_at, word_at
from setwise.notation.fen import MOST_BYTES, read_fens, write_fens
from setwise.notation.pgn import annotations, lines, tokens, writing
from setwise.notation.pgn import reader as parser
from setwise.notation.pgn.tokens import FIRST_MOVE, FIRST_TAG, GAME_COLUMNS, START, STOP, ParsedGames
from setwise.position import compiled
from setwise.position import move as move_texts
from setwise.rules.board import SETS, WORDS

PAGE = mmap.PAGESIZE
_NO_ACCESS = 0  # PROT_NONE


class Fence:
    """Some pages of memory between two that nothing may read or write."""

    def __init__(self, room: int = 32 * PAGE) -> None:
        self.room = -(-room // PAGE) * PAGE
        self.memory = mmap.mmap(-1, self.room + 2 * PAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.bytes = np.frombuffer(self.memory, np.uint8)[PAGE : PAGE + self.room]
        for page in (self.address, self.address + PAGE + self.room):
            if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), _NO_ACCESS):
                raise OSError(ctypes.get_errno(), "mprotect")

    def before_the_end(self, size: int) -> np.ndarray:
        """The last bytes."""
        return self.bytes[self.room - size :]

    def behind_the_start(self, size: int) -> np.ndarray:
        """The first bytes."""
        return self.bytes[:size]


class _Fences:
    """Arrays that end at a fence, out of a ring: by the time that memory comes round again its array is done with."""

    @functools.cached_property
    def ring(self) -> Iterator[Fence]:
        """The memory that is handed out, over and over."""
        return itertools.cycle([Fence() for _ in range(48)])

    def empty(self, shape: int | tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
        """As ``np.empty``."""
        size = math.prod(shape if isinstance(shape, tuple) else (shape,)) * np.dtype(dtype).itemsize
        fence = next(self.ring)
        place = fence.before_the_end(size) if size <= fence.room else Fence(size).before_the_end(size)
        place[:] = 0xAA
        return place.view(dtype).reshape(shape)

    def copy(self, array: np.ndarray) -> np.ndarray:
        """The same numbers, before a fence."""
        made = self.empty(array.shape, array.dtype)
        made[...] = array
        return made

    def texts(self, data: bytes) -> Iterator[np.ndarray]:
        """The text before a fence, and behind one."""
        for place in (Fence.before_the_end, Fence.behind_the_start):
            text = place(next(self.ring), len(data))
            text[:] = np.frombuffer(data, np.uint8)
            text.flags.writeable = False
            yield text

    def objects(self, data: bytes) -> Iterator[bytes]:
        """The text as an object of Python's whose letters end at a fence: what the kernels take that get no array.

        An object of ``bytes`` is a header and its letters; a copy of both is one as well, as long as it lives. The zero
        that ends letters in C would stand in the page that may not be read.
        """
        header = bytes.__basicsize__ - 1
        place = next(self.ring).before_the_end(header + len(data))
        place[:] = np.frombuffer(ctypes.string_at(id(data), header + len(data)), np.uint8)
        ctypes.c_ssize_t.from_address(place.ctypes.data).value = 1 << 20  # holders: nobody lets go of the last one
        yield ctypes.cast(place.ctypes.data, ctypes.py_object).value


fences = _Fences()


# -------------------------------------------------------------------------------------------------- the fence itself


@entry(uint64, reads(uint8), intp)
def word_from(text, at):
    """Eight bytes of a text, as the kernels read them."""
    return word_at(text, at)


@entry(uint64, reads(uint8), intp)
def line_from(text, at):
    """Where zeros are in sixty-four bytes of a text, as the kernels read them."""
    return places_at(text, at, np.uint8(0))


@entry(uint64, MEMORY, intp)
def letter_of(text, at):
    """A byte of an object of Python's."""
    return np.uint64(letters_of(text)[at])


def ends_by_a_signal(read: Callable[[], Any]) -> bool:
    """Whether a process of its own is ended by the system when it reads something."""
    child = os.fork()
    if child == 0:
        import resource  # Windows has none

        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        read()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGSEGV, signal.SIGBUS}


def check_fences() -> None:
    """Show that fences hold: what ends at one can be read, and not one byte more."""
    before, behind = fences.texts(bytes(LINE))
    [letters] = fences.objects(bytes(LINE))
    reads: list[tuple[Entry, Any, int, int]] = [
        (word_from, before, LINE - 8, 1), (word_from, behind, 0, -1),
        (line_from, before, 0, 1), (line_from, behind, 0, -1),
        (letter_of, letters, LINE - 1, 1),
    ]  # fmt: skip
    for read, text, at, further in reads:
        read.raw(text, at)
        beyond = functools.partial(read.raw, text, at + further)
        assert ends_by_a_signal(beyond), f"{read.name} reads {at + further} of {LINE} bytes"


# ------------------------------------------------------------------------------------------------------------- texts

_PGN = rb"""[Event "a \"b\" \\ c"]
[Site "?"] [Round "1"]
[Variant "Chess960"]
[FEN "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1"]

1. g3 g6 2. O-O {[%clk 1:00:59.5] [%eval -0.35,20]} 2... O-O {[%clk 1:00:58.1] [%eval #-3]} 1-0

[Event "next"]
[White "M\xfcller"]
[Black "\xc5\x81"]
[SetUp "1"]
[FEN "4k3/P6p/8/8/8/8/p6P/4K3 b - - 5 40"]

40... a1=Q+ 41. Kd2 Qa5 $1 42. a8(Q)+ Ke7 ; a comment
% for other programs
43. Q8xa5 $255 {a } {b} *

[Event "Crazy"]
[Variant "Crazyhouse"]

1. e4 P@e5 1/2-1/2

[Event "third"]
[Result "0-1"]

1.e4 c5 2.e5 d5 3.exd6ep Nc6 4.dxe7 e.p. Nf6 5.exd8N+ Kxd8 6.Ng1f3 (6. Nc3 {in a (comment} (6. d4 d5) 6... a6) 6... Nb4
7. Bb5!? Rb8 8. 0-0 Nbd3?? 9. cxd3 -- Z0 10.Re1+- 0-1

[White "no event"]

1. d4 d5 {never closed [%emt 0:00:01] {

[Event "after it"]
1. f3 e5 2. g4 Qh4# 0-1 1. Nc3 (1. b3 d5 {x} 1... e5 """

_FENS = (
    b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 65535 65535",
    b"  bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR   w HEhe -  0 1 ",
    b"r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq e3 99999 1234567890",
    b"4k3/8/8/8/8/8/8/4K3 b - - 0 1 and more",
    b"QQQQQQQQ/QQQQQQQQ/8/8/8/8/k7/7K w - - 0 1",
)
_MOVES = (
    b"e4", b"Nf3", b"Ngf3", b"N1f3", b"Ng1f3+!?", b"Ng1-f3#", b"e2xe4=(Q)", b"O-O", b"O-O-O#!?", b"0-0-0+", b"e8=Q",
    b"e8(Q)", b"exd6 e.p.", b"exd6ep+", b"P@e4", b"--", b"Z0", b"e2e4", b"e7e8q", b"a7a8Q", b"axb8b", b"R:a3!", b"e8=",
    b"e8(", b"e8(Q", b"Pe2-e4",
)  # fmt: skip


def windows(text: bytes, longest: int, step: int) -> Iterator[bytes]:
    """All beginnings of a text, all its ends, and what is in it in every length up to so many bytes."""
    for at in range(len(text) + 1):
        yield text[:at]
        yield text[at:]
    for at in range(0, len(text), step):
        for size in range(longest + 1):
            yield text[at : at + size]


def monotonous(before: bytes, sizes: Iterable[int]) -> Iterator[bytes]:
    """A text and behind it one byte so many times: each byte that means something, and some that mean nothing."""
    for byte, size in itertools.product(b' \n\r\t."\\{}()[];$%*#+-/=!?@1028aehlpxNBOoZ~\x00\xc3\xff', sizes):
        yield before + bytes([byte]) * size


def pgns() -> Iterator[bytes]:
    """Texts of games, whole, cut and broken."""
    yield from windows(_PGN, 200, 97)
    yield from windows(_PGN.replace(b"\n", b"\r\n"), 0, 1 << 20)
    yield from monotonous(b"", (*range(1, 74), *range(122, 132)))
    yield from monotonous(b"1. e4 e5 2. Nf3 {x}", (*range(1, 20), *range(43, 50)))
    moves = b" ".join(
        b"%d. Nf3 {[%%clk 0:0%d]} Nf6 {[%%clk 0:0%d]} %d. Ng1 Ng8" % (k, k % 9, k % 9, k) for k in range(9)
    )
    yield from windows(moves, 0, 1 << 20)
    chance = random.Random(18)  # noqa: S311
    letters = bytes(range(0, 256, 7)) + b'1. e4 e5 {}()[]"\n\n$;*O-'
    for _ in range(1000):
        yield bytes(chance.choices(letters, k=chance.randrange(201)))
        at = chance.randrange(len(_PGN))
        cut = bytearray(_PGN[at : at + chance.randrange(400)])
        for _ in range(3 * bool(cut)):
            cut[chance.randrange(len(cut))] = chance.choice(letters)
        yield bytes(cut)


# ----------------------------------------------------------------------------------------------------------- readers


_turns = itertools.count()


def read_games(data: bytes) -> None:
    """Games with all that stands beside them: tags, what is noted, texts without some parts; these by turns."""
    for text, notes in zip(fences.texts(data), (True, False), strict=True):
        most_moves, most_tags, most_boards = parser.room(len(data))
        games, moves = fences.empty((len(data) // 8 + 1, GAME_COLUMNS), np.int64), fences.empty(most_moves, np.uint16)
        named, boards = fences.empty((most_tags, 4), np.int32), fences.empty((most_boards, WORDS), np.uint64)
        spans = fences.empty((most_moves * notes, 2), np.int32)
        sets = fences.empty((len(SETS), len(data) // 4), np.uint64)
        n_games, n_moves, n_tags, n_boards, end = parser.parse(text, games, moves, named, boards, spans, sets)
        assert end == len(data) or n_games == len(games)
        games, turn = games[:n_games], next(_turns)
        tokens.values_of(
            ("White", "Event", "FEN")[turn % 3], text, fences.copy(named[:n_tags]),
            fences.copy(np.append(games[:, FIRST_TAG], n_tags)),
        )  # fmt: skip
        starts, stops = games[:, START], (games[:, STOP], np.append(games[:, START], len(data))[1:])[turn // 2 % 2]
        parts = (("comments", "nags"), ("variations", "tags"), writing.PARTS)[turn % 3]
        writing.stripped(text, fences.copy(starts), fences.copy(stops), parts)
        if notes:
            first_moves, white = np.append(games[:, FIRST_MOVE], n_moves), np.ones(n_games, np.bool_)
            annotations.read_notes(text, fences.copy(spans[:n_moves]), fences.copy(first_moves), fences.copy(white))
            columns = ParsedGames(
                games, moves[:n_moves], named[:n_tags], boards[:n_boards], fences.copy(spans[:n_moves])
            )
            lines.positions_of_lines(columns, lines.read_lines(text, columns))


def read_positions(data: bytes) -> None:
    """One FEN, as an array and as an object; and the same text as several."""
    cuts = [0, len(data) // 3, len(data) // 2, len(data)]
    for text, offsets in itertools.product(fences.texts(data), ([0, len(data)], cuts)):
        count = len(offsets) - 1
        sets, clocks = fences.empty((10, count), np.uint64), [fences.empty(count, np.uint16) for _ in range(2)]
        white, faults = fences.empty(count, np.bool_), fences.empty(count, np.uint64)
        places = fences.empty(count, np.int64)
        sound = read_fens(text, fences.copy(np.array(offsets)), True, sets, white, *clocks, faults, places)
        out = fences.empty(sound * MOST_BYTES, np.uint8)
        words = fences.copy(np.ascontiguousarray(sets[:, :sound]))
        write_fens(words, white, *clocks, np.uint64(0), out, fences.empty(sound + 1, np.int64))
    for letters in fences.objects(data):
        compiled.read_position.raw(letters, len(data), True)


_PLACES = [
    Position(),
    Position("r3k2r/P5P1/8/3pP3/8/8/p5p1/R3K2R w KQkq d6 0 1"),
    Position("4k3/8/8/8/8/8/p7/4K3 b - - 0 1"),
]


def read_moves(data: bytes) -> None:
    """One move, as an object in every notation; and in UCI out of an array."""
    for letters, place, notation in itertools.product(fences.objects(data), _PLACES, range(3)):
        compiled.read_move.raw(place._state, letters, len(data), notation)
    many = Positions.from_positions(_PLACES)
    for text in fences.texts(data):
        offsets = fences.copy(np.array([0, 0, len(data) // 2, len(data)]))
        moves = fences.empty(len(many), np.uint16)
        move_texts.read_moves(fences.copy(many._rows), fences.copy(many.white_to_move), text, offsets, moves)


def _with_fences(*modules: types.ModuleType) -> None:
    """Let the modules put what they return into arrays that end at a fence; what they compile is compiled before."""
    read_games(_PGN)
    for module in modules:
        module.np = types.SimpleNamespace(**vars(np) | {"empty": fences.empty})  # type: ignore[attr-defined]


READERS: dict[str, tuple[Callable[[bytes], None], Callable[[], Iterable[bytes]]]] = {
    "games": (read_games, pgns),
    "positions": (
        read_positions,
        lambda: itertools.chain(
            *(windows(fen, 90, 11) for fen in _FENS),
            monotonous(b"", range(1, 74)),
            monotonous(_FENS[0][:52], range(1, 20)),
        ),
    ),
    "moves": (
        read_moves,
        lambda: itertools.chain(
            *(windows(move, 12, 1) for move in _MOVES), monotonous(b"", range(1, 12)), monotonous(b"e8", range(1, 9))
        ),
    ),
}


def main(names: list[str]) -> None:
    """Check the fences, and send all texts through the readers."""
    check_fences()
    _with_fences(annotations, lines, writing, tokens)
    counts: Counter[str] = Counter()
    for name in names or READERS:
        reader, texts = READERS[name]
        for text in dict.fromkeys(texts()):
            reader(text)
            counts[name] += 1
    print(dict(counts))


if __name__ == "__main__":
    main(sys.argv[1:])
