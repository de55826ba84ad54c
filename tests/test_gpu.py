"""Patterns of arrays on a graphics card: their kernels run here, where there is none; NVIDIA's assembler reads them."""

from __future__ import annotations

import ctypes
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from helpers.card import CardArray
from helpers.data import ROOT
from helpers.depth import depth
from helpers.features import cases_of
from helpers.patterns import EVERY_PATTERN, numba
from helpers.processes import run
from setwise import Position, VariantPosition
from setwise.compiler.targets import cuda
from setwise.errors import CompilerMissing
from setwise.features import FEATURES
from setwise.patterns import knight, lines, pawns
from setwise.position.card import LEAVES

#: Every pattern by the name of its page, and some features, by night every one.
EVERY = {it.name: it for it in [*EVERY_PATTERN, LEAVES]} | dict([*FEATURES.items()][:: depth(4, 1)])
#: Positions with castling, promotions, checks and captures en passant: their words, the depths of trees, their FENs.
TREES = [
    ((position if position.white_to_move else position.mirror()).words[:10], plies, position.fen())
    for fen in (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
        "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    )
    for position in [Position(fen)]
    for plies in (2, 3)
]
_CASES = 203
_SETS = np.array([0, 1, 1 << 63, 0xFF00, 0x8100_0000_0000_0081], np.uint64)
_UNALIGNED = np.frombuffer(b"x" * 41, np.uint8)[1:].view(np.uint64)


# ------------------------------------------------------------------------------------------------------------- kernels


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the cases of every pattern and feature, the answers of their kernels, and the kernels."""
    numba()
    folder = tmp_path_factory.mktemp("card")
    (folder / "cases.pickle").write_bytes(pickle.dumps(cases()))
    run(sys.executable, ROOT / "tests" / "helpers" / "card.py", folder, seconds=1800, SETWISE_CPU="jit")
    return folder


def cases() -> dict[str, list[Any]]:
    """Columns for each; every third has its first argument as a column with gaps, every fourth its last as a number."""
    given = {}
    for number, (name, it) in enumerate(EVERY.items()):
        if it is LEAVES:
            given[name] = [
                *np.array([words for words, *_ in TREES], np.uint64).T,
                np.array([it[1] for it in TREES], np.int16),
            ]
            continue
        columns: list[Any] = cases_of(it, _CASES)
        if number % 3 == 0:
            columns[0] = np.repeat(columns[0], 3)[::3]
        if number % 4 == 0 and len(columns) > 1:
            columns[-1] = int(columns[-1][7])
        given[name] = columns
    return given


@pytest.mark.slow
def test_the_kernel_of_every_pattern_answers_as_the_processor_does(simulated: Path) -> None:
    answers = pickle.loads((simulated / "answers.pickle").read_bytes())
    assert len(answers) == len(EVERY) > depth(150, 200)
    rare: list[str] = []
    for name, given in cases().items():
        expected = EVERY[name](*given)
        assert answers[name].dtype == expected.dtype, name
        assert np.array_equal(answers[name], expected), name
        rare += [] if expected.any() else [name]
    assert len(rare) < len(EVERY) / 10, "all cases of these have an empty answer"


@pytest.mark.slow
def test_a_card_counts_the_leaves_of_trees_as_the_processor_does(simulated: Path) -> None:
    answers = pickle.loads((simulated / "answers.pickle").read_bytes())
    assert answers[LEAVES.name].tolist() == [Position(fen).perft(plies) for _, plies, fen in TREES]


def test_trees_without_a_card_are_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda", None)
    cuda._driver.cache_clear()
    with pytest.raises(CompilerMissing, match="need NVIDIA's driver for Python"):
        Position().perft(3, gpu=True)
    assert Position().perft(1, gpu=True) == 20
    with pytest.raises(ValueError, match="chess and Chess960 only"):
        VariantPosition("Three-check").perft(2, gpu=True)


@pytest.mark.slow
def test_the_assembler_takes_every_kernel(simulated: Path) -> None:
    assembler = shutil.which("ptxas") or os.environ.get("PTXAS")
    if assembler is None:
        pytest.skip("ptxas, NVIDIA's assembler, is not here; PTXAS names one")
    for kernel in simulated.glob("*.ptx"):
        subprocess.run([assembler, "-arch=sm_90", "-o", os.devnull, kernel], check=True, capture_output=True)


@pytest.mark.slow
def test_a_kernel_is_compiled_in_another_process_once(tmp_path: Path) -> None:
    """The process that asks can still compile for its own processor, and the next one finds the kernel."""
    numba()
    script = """
from setwise import knight
from setwise.compiler.targets import ptx
kernel = ptx.kernel_of(knight.forks)
assert b".entry setwise_kernel" in kernel and int(knight.attacks(1)) == 0x20400
ptx._compiled = None
assert ptx.kernel_of(knight.forks) == kernel
"""
    run(sys.executable, "-c", script, SETWISE_CACHE_DIR=str(tmp_path), SETWISE_CPU="jit")


def test_a_pattern_of_a_script_is_refused_in_a_sentence() -> None:
    numba()
    from setwise.compiler.targets import ptx

    class Own:
        name = "own"
        function = type("Function", (), {"__module__": "__main__"})

    with pytest.raises(CompilerMissing, match="own is defined in a script or a notebook: for a graphics card, put it"):
        ptx.kernel_of(Own())  # type: ignore[arg-type]


@pytest.mark.slow
def test_kernels_that_call_themselves_are_those_that_search(simulated: Path) -> None:
    from setwise.compiler.targets import ptx

    deep = {path.stem for path in simulated.glob("*.ptx") if ptx.calls_itself(path.read_bytes())}
    assert deep <= set(FEATURES)
    assert deep & {"en_prise", "pins", "trapped", "winning_captures", "interferences", "skewers", "underminings"}


def test_a_function_that_calls_itself_is_noticed() -> None:
    numba()
    from setwise.compiler.targets import ptx

    called = b"{ // callseq 1\n call.uni (retval0), again, (param0);\n }"
    text = (
        b".visible .entry setwise_kernel(\n.param .u64 a)\n{%b}\n.func  (.param .b32 r) again(\n.param .b64 x)\n{%b}\n"
    )
    assert ptx.calls_itself(text % (called, called))
    assert not ptx.calls_itself(text % (called, called.replace(b"again", b"other")))


class Limits:
    """NVIDIA's functions for limits, on a card whose memory may be too small."""

    CUlimit = type("CUlimit", (), {"CU_LIMIT_STACK_SIZE": 0})
    CUresult = type("CUresult", (), {"CUDA_SUCCESS": 0})

    def __init__(self, size: int, answer: int) -> None:
        self.size, self.answer = size, answer

    def cuCtxGetLimit(self, _: int) -> tuple[int, int]:  # noqa: N802
        return 0, self.size

    def cuCtxSetLimit(self, _: int, size: int) -> tuple[int]:  # noqa: N802
        self.size = self.size if self.answer else size
        return (self.answer,)


@pytest.mark.parametrize(("size", "after"), [(1024, 1 << 16), (1 << 20, 1 << 20)])
def test_a_search_gets_a_deep_stack(monkeypatch: pytest.MonkeyPatch, size: int, after: int) -> None:
    limits = Limits(size, 0)
    monkeypatch.setitem(sys.modules, "cuda", ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", bindings := ModuleType("cuda.bindings"))
    monkeypatch.setattr(bindings, "driver", limits, raising=False)
    cuda.Driver._deepen(FEATURES["en_prise"])
    assert limits.size == after


def test_a_card_without_room_for_the_stack_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda", ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", bindings := ModuleType("cuda.bindings"))
    monkeypatch.setattr(bindings, "driver", Limits(1024, 2), raising=False)
    with pytest.raises(MemoryError, match="en_prise searches, which takes a stack of 65,536 bytes for each thread"):
        cuda.Driver._deepen(FEATURES["en_prise"])


# --------------------------------------------------------------------------------------------------------- the arrays


class Recorder:
    """A driver that notes what it is asked to launch."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[int], list[int]]] = []

    def launch(self, pattern: Any, words: list[Any], streams: list[int]) -> None:
        self.asked.append((pattern.name, list(map(int, words)), streams))


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder()
    monkeypatch.setattr(cuda, "_driver", lambda: recorder)
    monkeypatch.setitem(cuda._MAKERS, "helpers", lambda: lambda shape, dtype: CardArray(np.zeros(shape, dtype)))
    return recorder


class Memory:
    """NVIDIA's functions for memory, over memory of this computer; a card of 1,000 bytes."""

    CUresult = type("CUresult", (), {"CUDA_SUCCESS": 0})

    def __init__(self) -> None:
        self.held: dict[int, Any] = {}

    def cuMemAlloc(self, size: int) -> tuple[int, int]:  # noqa: N802
        if size + sum(map(len, self.held.values())) > 1000:
            return 2, 0
        place = ctypes.create_string_buffer(size)
        self.held[ctypes.addressof(place)] = place
        return 0, ctypes.addressof(place)

    def cuMemFree(self, address: int) -> None:  # noqa: N802
        del self.held[address]

    def cuMemcpyHtoD(self, target: int, source: int, size: int) -> tuple[int]:  # noqa: N802
        ctypes.memmove(target, source, size)
        return (0,)

    cuMemcpyDtoH = cuMemcpyHtoD  # noqa: N815


class Computing(cuda.Driver):
    """A driver whose kernels are the same patterns on this processor."""

    def __init__(self) -> None:
        device = type("Device", (), {"set_current": lambda _: None})
        self._core = type("Core", (), {"Device": device})

    def launch(self, pattern: Any, words: list[Any], streams: list[int]) -> None:
        count, out, _, *more = map(int, words)
        given = [
            number if not address else np.ctypeslib.as_array((ctypes.c_uint64 * count).from_address(address))
            for address, _, number in zip(more[::3], more[1::3], more[2::3], strict=True)
        ]
        np.ctypeslib.as_array((ctypes.c_uint64 * count).from_address(out))[:] = pattern(*given)


def test_arrays_go_to_the_card_and_the_result_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda", ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", bindings := ModuleType("cuda.bindings"))
    monkeypatch.setattr(bindings, "driver", memory := Memory(), raising=False)
    monkeypatch.setattr(cuda, "_driver", Computing)
    assert np.array_equal(cuda.computed(knight.attacks, [_SETS]), knight.attacks(_SETS))
    assert not memory.held
    with pytest.raises(MemoryError, match="the graphics card has no 800 bytes left"):
        cuda.computed(knight.attacks, [np.zeros(100, np.uint64)])
    assert not memory.held


def test_no_card_is_a_sentence() -> None:
    driver = Computing()
    driver._core = type("Core", (), {"Device": lambda: 1 // 0})
    with pytest.raises(CompilerMissing, match=r"there is no graphics card that NVIDIA's driver can use: .*by zero"):
        driver.put(_SETS)


def test_an_answer_is_a_new_array_of_the_same_package(driver: Recorder) -> None:
    answer = knight.attacks(CardArray(_SETS))
    assert type(answer) is CardArray
    assert answer.held.dtype == np.uint64
    assert answer.held.shape == _SETS.shape
    [(name, words, streams)] = driver.asked
    assert (name, streams) == ("knight.attacks", [])
    assert words == [5, answer.held.ctypes.data, 8, _SETS.ctypes.data, 8, 0]


def test_out_takes_the_answer(driver: Recorder) -> None:
    out = CardArray(np.zeros(5, np.uint64))
    assert knight.attacks(CardArray(_SETS), out=out) is out
    assert driver.asked[0][1][1] == out.held.ctypes.data


def test_numbers_and_arrays_of_several_shapes_broadcast(driver: Recorder) -> None:
    grid = np.arange(12, dtype=np.uint64).reshape(3, 4)
    for given, step in [(grid, 8), (grid[:1], None), (grid[0], None), (grid[:, :1], None), (grid[0, 0], 0), (7, 0)]:
        array = CardArray(np.asarray(given)) if isinstance(given, np.ndarray | np.generic) else given
        if step is None:
            with pytest.raises(ValueError, match=r"^targets of .* does not lie in a row on the graphics card: make it"):
                two_arguments(CardArray(grid), array)
        else:
            answer = two_arguments(CardArray(grid), array)
            assert answer.held.shape == (3, 4)
            assert driver.asked[-1][1][-2] == step
    assert driver.asked[-1][1][-3:] == [0, 0, 7]


def two_arguments(first: Any, second: Any) -> Any:
    pattern = next(it for it in EVERY_PATTERN if [kind.name for kind in it.kinds.values()] == ["set of squares"] * 2)
    try:
        return pattern(first, second)
    except ValueError as error:
        raise ValueError(str(error).replace(f"{[*pattern.kinds][1]} of", "targets of", 1)) from None


def test_streams_are_waited_for(driver: Recorder) -> None:
    flags = CardArray(np.ones(5, np.uint64), stream=99)
    two_arguments(CardArray(_SETS, stream=7), flags)
    assert driver.asked[0][2] == [7, 99]


def test_nothing_is_launched_for_no_items(driver: Recorder) -> None:
    assert knight.attacks(CardArray(_SETS[:0])).held.shape == (0,)
    assert not driver.asked


def test_arrays_of_this_computer_stay_here(driver: Recorder) -> None:
    assert isinstance(knight.attacks(_SETS), np.ndarray)
    assert not driver.asked


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: knight.attacks(CardArray(_SETS.astype(np.int32))), TypeError, "of uint64 on the card, not of int32"),
        (lambda: two_arguments(CardArray(_SETS), _SETS), TypeError, "lies in the computer's memory and other"),
        (lambda: two_arguments(CardArray(_SETS), -1), ValueError, "out of range"),
        (lambda: two_arguments(CardArray(_SETS), CardArray(_SETS[:2])), ValueError, "do not broadcast"),
        (lambda: knight.attacks(CardArray(_SETS), out=_SETS), TypeError, "out= of knight.attacks lies on the"),
        (lambda: knight.attacks(CardArray(_SETS), out=CardArray(np.zeros(4, np.uint64))), ValueError, "has the shape"),
        (lambda: knight.attacks(CardArray(_SETS), out=CardArray(np.zeros(5, np.uint8))), TypeError, "not of uint8"),
        (lambda: knight.attacks(CardArray(_SETS, mask=CardArray(_SETS))), TypeError, "has a mask"),
        (lambda: lines.between(CardArray(np.array([64], np.uint8)), 3), ValueError, "0 to 0x3f; the array goes beyond"),
        (lambda: pawns.attacks.for_black(CardArray(_SETS)), TypeError, "for_black takes no arrays on a card"),
        (lambda: knight.attacks(CardArray(_UNALIGNED)), ValueError, "do not begin at multiples of their size"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_said(driver: Recorder, call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()
    assert not driver.asked


def test_a_package_that_makes_no_arrays_needs_out(driver: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(cuda._MAKERS, "helpers")
    with pytest.raises(TypeError, match=r"pawns\.attacks cannot make an array of helpers: give out=, one of uint64"):
        pawns.attacks(CardArray(_SETS))


def test_without_the_driver_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda", None)
    with pytest.raises(CompilerMissing, match=r"need NVIDIA's driver for Python: pip install 'setwise\[cuda\]'"):
        cuda.Driver()


def test_the_driver_is_asked_as_its_packages_are_written() -> None:
    """Of NVIDIA's own package: the names that are used are there, and a kernel is taken before there is a card."""
    core = pytest.importorskip("cuda.core", reason="cuda-core is not installed (the extra cuda)")
    assert {"Device", "LaunchConfig", "ObjectCode", "Stream", "launch"} <= set(dir(core))
    assert core.LaunchConfig(grid=3, block=256).block == (256, 1, 1)
    made = cuda.Driver()
    assert made._stream(1) is core.LEGACY_DEFAULT_STREAM
    assert made._stream(2) is core.PER_THREAD_DEFAULT_STREAM
