"""The operations of ``compiler.words`` as Numba compiles them: words, lanes, memory, Python's objects.

Each operation is an intrinsic: Numba types the call, and a few lines here write LLVM's instructions. This is needed if
Numba has no function for an instruction of the processor, or only a slower one: octets of eight words in one register,
a bit for each byte that matches, scratch memory on the stack. Large constant arrays become tables, which exist once in
a process and in a wheel, not once in each function. Python's objects are built in place, because calls would take
longer than the work. An operation with constants, such as a permutation, is a function that returns an intrinsic. After
an edit of this code every definition is compiled again.
"""

from __future__ import annotations

import functools
import operator
import sysconfig
from collections.abc import Callable, Iterable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, box, intrinsic, models, overload, register_model, unbox
from numba.np import arrayobj

from setwise.compiler.llvm.tables import LARGE, shared
from setwise.compiler.words import LANES, LINE

# ------------------------------------------------------------- operations on eight words at once, the lanes of an octet


_VECTOR = ir.VectorType(ir.IntType(64), LANES)
_ALL = 0xFFFF_FFFF_FFFF_FFFF


class OctetType(types.Type):
    """Numba's type of eight 64-bit lanes."""

    def __init__(self) -> None:
        super().__init__(name="Octet")


octet = OctetType()


@register_model(OctetType)
class _OctetModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _vector(values: Iterable[Any]) -> ir.Constant:
    return ir.Constant(_VECTOR, [int(value) & _ALL for value in values])


def _call(builder: Any, name: str, returns: Any, *args: Any) -> Any:
    """Call one of LLVM's own functions."""
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(returns, [arg.type for arg in args]), name)
    return builder.call(function, args)


def _operation(build: Callable[..., Any], returns: Any, *arguments: Any) -> Any:
    """An intrinsic, made from a function that writes its instructions, given a builder and the arguments."""
    signature = returns(*arguments)
    codegen = lambda context, builder, signature, args: build(builder, *args)  # noqa: E731
    if len(arguments) == 1:
        return intrinsic(lambda typingctx, a: (signature, codegen))
    return intrinsic(lambda typingctx, a, b: (signature, codegen))


def _shuffled(builder: Any, sets: Any, lanes: Any) -> Any:
    order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), list(lanes))
    return builder.shuffle_vector(sets, ir.Constant(_VECTOR, ir.Undefined), order)


def _broadcast(builder: Any, word: Any) -> Any:
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.IntType(32)(0))
    return _shuffled(builder, first, [0] * LANES)


def _mixed(builder: Any, even: Any, odd: Any) -> Any:
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [k if k % 2 == 0 else LANES + k for k in range(LANES)])
    return builder.shuffle_vector(_broadcast(builder, even), _broadcast(builder, odd), lanes)


def _total(builder: Any, sets: Any) -> Any:
    return _call(
        builder, "llvm.vector.reduce.add.v8i64", ir.IntType(64), _call(builder, "llvm.ctpop.v8i64", _VECTOR, sets)
    )


def _lanes_hit(builder: Any, sets: Any, hits: Any) -> Any:
    return builder.select(builder.icmp_unsigned("!=", hits, _vector([0] * LANES)), sets, _vector([0] * LANES))


def _intersect(builder: Any, a: Any, b: Any) -> Any:
    lanes = builder.icmp_unsigned("!=", builder.and_(a, b), _vector([0] * LANES))
    return builder.icmp_unsigned("!=", builder.bitcast(lanes, ir.IntType(LANES)), ir.IntType(LANES)(0))


# ------------------------------------------------------------------------------ operations with constants for each lane


def permuted(*lanes: int) -> Any:
    """An intrinsic that permutes the lanes of an octet: the k-th of these numbers is the source of its k-th lane."""
    return _operation(lambda builder, sets: _shuffled(builder, sets, lanes), octet, octet)


def rotated(*distances: int) -> Any:
    """An intrinsic that rotates the bits of each lane upwards by a distance for each lane; negative is downwards."""
    by = _vector(distance % 64 for distance in distances)
    return _operation(lambda builder, sets: _call(builder, "llvm.fshl.v8i64", _VECTOR, sets, sets, by), octet, octet)


def masked(*masks: Any) -> Any:
    """An intrinsic that intersects each lane with its own mask."""
    return _operation(lambda builder, sets: builder.and_(sets, _vector(masks)), octet, octet)


def outermost(*upwards: bool) -> Any:
    """An intrinsic that keeps one bit of each lane: the lowest if ``upwards`` is true for it, else the highest."""

    def build(builder: Any, sets: Any) -> Any:
        lowest = builder.and_(sets, builder.sub(_vector([0] * LANES), sets))
        above = _call(builder, "llvm.ctlz.v8i64", _VECTOR, builder.or_(sets, _vector([1] * LANES)), ir.IntType(1)(0))
        highest = builder.and_(sets, builder.lshr(_vector([1 << 63] * LANES), above))
        flags = ir.Constant(ir.VectorType(ir.IntType(1), LANES), [int(flag) for flag in upwards])
        return builder.select(flags, lowest, highest)

    return _operation(build, octet, octet)


# ---------------------------------------------------------------------------------------------------- other operations

_word = types.uint64
#: An octet with the same word in all lanes; an octet with one word in the even lanes and another in the odd lanes.
broadcast = _operation(_broadcast, octet, _word)
mixed = _operation(_mixed, octet, _word, _word)
#: The union of all lanes, as one word; the number of bits in all lanes.
union = _operation(
    lambda builder, sets: _call(builder, "llvm.vector.reduce.or.v8i64", ir.IntType(64), sets), _word, octet
)
total = _operation(_total, _word, octet)
#: An octet with only those lanes in which another octet is not empty; whether two octets share a bit in any lane.
lanes_hit = _operation(_lanes_hit, octet, octet, octet)
intersect = _operation(_intersect, types.boolean, octet, octet)
#: Every lane with its bytes reversed.
mirrored_lanes = _operation(lambda builder, sets: _call(builder, "llvm.bswap.v8i64", _VECTOR, sets), octet, octet)
_and = _operation(lambda builder, a, b: builder.and_(a, b), octet, octet, octet)
_or = _operation(lambda builder, a, b: builder.or_(a, b), octet, octet, octet)
_xor = _operation(lambda builder, a, b: builder.xor(a, b), octet, octet, octet)


@intrinsic
def packed(typingctx: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> Any:
    """Eight words as the lanes of an octet."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sets = ir.Constant(_VECTOR, ir.Undefined)
        for lane, word in enumerate(args):
            sets = builder.insert_element(sets, word, ir.IntType(32)(lane))
        return sets

    return octet(*[_word] * LANES), codegen


@intrinsic
def unpacked(typingctx: Any, sets: Any) -> Any:
    """The lanes of an octet as a tuple of eight words."""
    result = types.UniTuple(_word, LANES)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = [builder.extract_element(args[0], ir.IntType(32)(lane)) for lane in range(LANES)]
        return context.make_tuple(builder, result, lanes)

    return result(octet), codegen


@intrinsic
def lane(typingctx: Any, sets: Any, number: Any) -> Any:
    """One lane of an octet, by its number, which need not be a constant."""
    return _word(sets, _word), lambda context, builder, signature, args: builder.extract_element(*args)


@intrinsic
def row_of(typingctx: Any, table: Any, index: Any) -> Any:
    """A row, as an octet, of a table that has eight words in each row."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(builder.bitcast(words, _VECTOR.as_pointer()), [args[1]]), align=8)

    return octet(table, _word), codegen


def _between_octets(operation: Any) -> Any:
    """The function that Numba compiles for an operator: the operation, if both operands are octets."""
    return lambda a, b: (lambda a, b: operation(a, b)) if a == octet and b == octet else None


overload(operator.and_)(_between_octets(_and))
overload(operator.or_)(_between_octets(_or))
overload(operator.xor)(_between_octets(_xor))


# ----------------------------------------------------------------------------------------------- operations on one word


def _unary(instruction: str) -> Any:
    """An intrinsic on one word, by LLVM's name for the instruction."""

    @intrinsic
    def operation(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = context.cast(builder, args[0], signature.args[0], types.uint64)
            defined_for_zero = [ir.IntType(1)(0)] if instruction in ("cttz", "ctlz") else []
            return getattr(builder, instruction)(value, *defined_for_zero)

        return types.uint64(types.uint64), codegen

    return operation


def _binary(name: str) -> Any:
    """An intrinsic on a word and a mask, by the full name of LLVM's function."""

    @intrinsic
    def operation(typingctx: Any, word: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            i64 = ir.IntType(64)
            function = builder.module.globals.get(name) or ir.Function(
                builder.module, ir.FunctionType(i64, [i64, i64]), name
            )
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), codegen

    return operation


popcount, trailing_zeros, leading_zeros = _unary("ctpop"), _unary("cttz"), _unary("ctlz")
byteswap, bitreverse = _unary("bswap"), _unary("bitreverse")
pext, pdep = _binary("llvm.x86.bmi.pext.64"), _binary("llvm.x86.bmi.pdep.64")


# -------------------------------------------------------- LLVM's attribute of a function that allows the widest vectors


WIDEST = f'"prefer-vector-width"="{64 * LANES}"'


def use_widest_vectors(function: Any) -> None:
    """Let LLVM use the widest registers in a function."""
    set.add(function.attributes, WIDEST)  # llvmlite's own ``add`` would refuse this attribute


# ---------------------------------------------------------------- operations on memory: scratch, columns, bytes, tables


_BYTES = ir.VectorType(ir.IntType(8), LINE)


def _on_the_stack(builder: Any, item: ir.Type, size: int) -> Any:
    """A pointer to uninitialised items on the stack, aligned to a cache line."""
    with builder.goto_entry_block():
        memory = builder.alloca(item, ir.Constant(ir.IntType(32), size))
        memory.align = LINE
    use_widest_vectors(builder.function)
    return memory


def scratch(size: int) -> Any:
    """An intrinsic that returns a pointer to ``size`` items of a Numba type on the stack, aligned to a cache line."""

    @intrinsic
    def items(typingctx: Any, like: Any) -> Any:
        result = types.CPointer(like.dtype)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            memory = _on_the_stack(builder, context.get_data_type(like.dtype), size)
            return builder.bitcast(memory, context.get_value_type(result))

        return result(like), codegen

    return items


_COLUMN = types.CPointer(types.uint64)


def _tuple_type(words: Any) -> Any:
    return types.NamedUniTuple(types.uint64, len(words._fields), words)


def _places(builder: Any, first: Any, k: Any, fields: int, room: int) -> list[Any]:
    """The pointers to the fields of the k-th tuple."""
    word = ir.IntType(64)
    starts = [builder.gep(first, [word(field * room)], inbounds=True) for field in range(fields)]
    return [builder.gep(start, [k], inbounds=True) for start in starts]


def make_columns(words: Any, room: int) -> Any:
    """An intrinsic that returns a pointer to columns for ``room`` named tuples of words."""
    size = len(words._fields) * room

    @intrinsic
    def make(typingctx: Any) -> Any:
        return _COLUMN(), lambda context, builder, signature, args: _on_the_stack(builder, ir.IntType(64), size)

    return make


def get_columns(words: Any, room: int) -> Any:
    """An intrinsic that returns the k-th tuple."""
    kind = _tuple_type(words)

    @intrinsic
    def get(typingctx: Any, first: Any, k: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first, k = args
            places = _places(builder, first, k, len(kind), room)
            return context.make_tuple(builder, kind, [builder.load(place) for place in places])

        return kind(_COLUMN, types.int64), codegen

    return get


def put_columns(words: Any, room: int) -> Any:
    """An intrinsic that writes the k-th tuple."""
    kind = _tuple_type(words)

    @intrinsic
    def put(typingctx: Any, first: Any, k: Any, values: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
            first, k, values = args
            for field, place in enumerate(_places(builder, first, k, len(kind), room)):
                builder.store(builder.extract_value(values, field), place)

        return types.void(_COLUMN, types.int64, kind), codegen

    return put


@intrinsic
def borrowed(typingctx: Any, array: Any) -> Any:
    """The same array without its owner, so that calls do not count references to it, which can double their time.

    A pointer is returned as it is.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(array, types.CPointer):
            return args[0]
        view = context.make_array(array)(context, builder, args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()  # noqa: SLF001  (as Numba documents it)

    return array(array), codegen


# --------------------------------------------------------------------------------------------------------------- bytes


def _read(context: Any, builder: Any, kind: Any, text: Any, at: Any, item: ir.Type) -> Any:
    """The item at an offset of an array of bytes, read as a larger type."""
    place = builder.gep(context.make_array(kind)(context, builder, text).data, [at])
    return builder.load(builder.bitcast(place, item.as_pointer()), align=1)


def _matches(builder: Any, line: Any, byte: Any) -> Any:
    """Where a byte occurs among 64 bytes, a bit for each."""
    undefined = ir.Constant(_BYTES, ir.Undefined)
    first = builder.insert_element(undefined, byte, ir.IntType(32)(0))
    everywhere = builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LINE), [0] * LINE))
    return builder.bitcast(builder.icmp_unsigned("==", line, everywhere), ir.IntType(64))


@intrinsic
def word_at(typingctx: Any, text: Any, at: Any) -> Any:
    """Eight bytes of a text as a 64-bit word, with the first byte lowest."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        text, at = args
        return _read(context, builder, signature.args[0], text, at, ir.IntType(64))

    return types.uint64(text, types.int64), codegen


@intrinsic
def places_at(typingctx: Any, text: Any, at: Any, byte: Any) -> Any:
    """Where a byte occurs in the 64 bytes of a text that begin at an offset: a bit for each."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        text, at, byte = args
        return _matches(builder, _read(context, builder, signature.args[0], text, at, _BYTES), byte)

    return types.uint64(text, types.int64, types.uint8), codegen


@intrinsic
def places_in(typingctx: Any, line: Any, byte: Any) -> Any:
    """Where a byte occurs in a line of scratch memory, given by its pointer: a bit for each."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, byte = args
        return _matches(builder, builder.load(builder.bitcast(pointer, _BYTES.as_pointer()), align=LINE), byte)

    return types.uint64(types.CPointer(types.uint8), types.uint8), codegen


@intrinsic
def clear_line(typingctx: Any, line: Any) -> Any:
    """Fill a line of scratch memory with zeros."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        builder.store(ir.Constant(_BYTES, [0] * LINE), builder.bitcast(args[0], _BYTES.as_pointer()), align=LINE)

    return types.void(types.CPointer(types.uint8)), codegen


# -------------------------------------------------------------------------------------------------------------- tables


def _table(module: Any, contents: bytes) -> Any:
    """The declaration of a table."""
    name = shared(contents)
    table = module.globals.get(name)
    if table is None:
        table = ir.GlobalVariable(module, ir.ArrayType(ir.IntType(8), len(contents)), name)
        table.global_constant, table.align = True, LINE
    return table


def constant_array(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """A global array in compiled code; a large array is a table."""
    if array.nbytes < LARGE or kind.layout != "C":
        return type(context).make_constant_array(context, builder, kind, array)
    made, number = context.make_array(kind)(context, builder), context.get_value_type(types.intp)
    lengths = (
        cgutils.create_constant_array(number, [context.get_constant(types.intp, length) for length in items])
        for items in (array.shape, array.strides)
    )
    arrayobj.populate_array(
        made,
        data=builder.bitcast(_table(builder.module, array.tobytes()), made.data.type),
        shape=next(lengths),
        strides=next(lengths),
        itemsize=context.get_constant(types.intp, array.dtype.itemsize),
        meminfo=None,
    )
    return made._getvalue()  # noqa: SLF001  (as Numba documents it)


def embedded(name: str, contents: Callable[[], bytes], bits: int) -> Any:
    """An intrinsic that returns an item of a table of numbers, built when a function that uses it is lowered."""
    made = functools.cache(contents)

    @intrinsic
    def item(typingctx: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            words = builder.bitcast(_table(builder.module, bytes(made())), ir.IntType(bits).as_pointer())
            return builder.zext(builder.load(builder.gep(words, [args[0]]), align=bits // 8), ir.IntType(64))

        return types.uint64(types.uint64), codegen

    return item


# ------------------------------------------------------------------------------- types and operations of Python objects


class Memory(types.Type):
    """Numba's type of the contents of a bytes object, which the caller keeps alive: a pointer, no copy, no length."""

    def __init__(self) -> None:
        super().__init__(name="Memory")


class PythonObject(types.Type):
    """Numba's type of a Python object that compiled code has built: it can only be returned."""

    def __init__(self) -> None:
        super().__init__(name="PythonObject")


MEMORY, PYTHON_OBJECT = Memory(), PythonObject()
register_model(Memory)(models.OpaqueModel)
register_model(PythonObject)(models.OpaqueModel)


@unbox(Memory)
def _unbox_memory(kind: Any, value: Any, c: Any) -> Any:
    start = c.pyapi.bytes_as_string(value)
    return NativeValue(start, is_error=cgutils.is_null(c.builder, start))


@box(PythonObject)
def _box_object(kind: Any, value: Any, c: Any) -> Any:
    return value


def _pointer_to(item: Any) -> Any:
    """An intrinsic that returns a pointer to the items of a memory."""

    @intrinsic
    def pointer(typingctx: Any, memory: Any) -> Any:
        result = types.CPointer(item)
        codegen = lambda context, builder, _, args: builder.bitcast(args[0], context.get_value_type(result))  # noqa: E731
        return result(MEMORY), codegen

    return pointer


#: The contents of a memory as 64-bit words, and as bytes.
words_of, letters_of = _pointer_to(types.uint64), _pointer_to(types.uint8)


def _finished(make: Callable[..., Any]) -> Any:
    """An intrinsic that builds an object from ``size`` bytes at a pointer."""

    @intrinsic
    def made(typingctx: Any, pointer: Any, size: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            python = context.get_python_api(builder)
            return make(python, builder.bitcast(args[0], python.cstring), args[1])

        return PYTHON_OBJECT(pointer, types.intp), codegen

    return made


#: The str of the ASCII letters (one byte each) at a pointer, and the bytes object of the bytes at a pointer.
text_of = _finished(lambda python, start, size: python.string_from_kind_and_data(ir.IntType(32)(1), start, size))
bytes_of = _finished(lambda python, start, size: python.bytes_from_string_and_size(start, size))


#: The offset of the address of its items in a list object. Items are stored directly, because the checks of
#: PyList_SetItem for each item would take a fifth of the time of listing the moves of a position.
_HEADER = tuple.__basicsize__

#: Whether this is a free-threaded Python: its reference counts are per thread, and must be changed by its own function.
_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def _add_reference(python: Any, item: Any) -> None:
    """Add a reference to an object that is not immortal, without a call, which would take a tenth of the time."""
    if _FREE_THREADED:
        python.incref(item)
        return
    builder, number = python.builder, ir.IntType(64)
    count = builder.bitcast(item, number.as_pointer())
    builder.store(builder.add(builder.load(count), number(1)), count)


@intrinsic
def list_of(typingctx: Any, numbers: Any, count: Any, table: Any) -> Any:
    """The list of ``table[number]`` for the numbers at a pointer; the table is the address of an object array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        items, size, address = args
        python = context.get_python_api(builder)
        objects = builder.inttoptr(address, python.pyobj.as_pointer())
        made = python.list_new(size)
        with builder.if_then(cgutils.is_not_null(builder, made)):
            room = builder.load(cgutils.pointer_add(builder, made, _HEADER, objects.type.as_pointer()))
            with cgutils.for_range(builder, size) as loop:
                number = builder.zext(builder.load(builder.gep(items, [loop.index])), ir.IntType(64))
                item = builder.load(builder.gep(objects, [number]))
                _add_reference(python, item)
                builder.store(item, builder.gep(room, [loop.index]))
        return made

    return PYTHON_OBJECT(numbers, types.intp, types.uint64), codegen
