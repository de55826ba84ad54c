"""Functions of 64-bit words as a module of WebAssembly, which imports nothing; they can record their steps."""

from __future__ import annotations

from collections.abc import Mapping

from numba import types
from numba.core.compiler_lock import global_compiler_lock

from setwise.compiler import cache
from setwise.compiler.definitions import Entry
from setwise.compiler.llvm.private_names.without_engine import Optimizer, compile_for
from setwise.compiler.targets.ahead import Units, machine_for, wrapped

__all__ = ["RECORD", "object_of"]

_TRIPLE = "wasm32-unknown-unknown"

#: In compiled code: note a word under a number, and return the word.
RECORD = types.ExternalFunction("setwise_record", types.uint64(types.int64, types.uint64))

#: What notes words, the first 255 and the last, and what reads the notes: forget all, how many there were, one's number
#: and word.
_NOTES = """
@numbers = internal global [256 x i64] zeroinitializer
@words = internal global [256 x i64] zeroinitializer
@noted = internal global i32 0

define i64 @setwise_record(i64 %number, i64 %word) {
  %count = load i32, ptr @noted
  %at = call i32 @llvm.umin.i32(i32 %count, i32 255)
  %to_number = getelementptr [256 x i64], ptr @numbers, i32 0, i32 %at
  store i64 %number, ptr %to_number
  %to_word = getelementptr [256 x i64], ptr @words, i32 0, i32 %at
  store i64 %word, ptr %to_word
  %next = add i32 %count, 1
  store i32 %next, ptr @noted
  ret i64 %word
}
declare i32 @llvm.umin.i32(i32, i32)
define void @"notes.forget"() {
  store i32 0, ptr @noted
  ret void
}
define i32 @"notes.count"() {
  %count = load i32, ptr @noted
  ret i32 %count
}
define i64 @"notes.number"(i32 %at) {
  %from = getelementptr [256 x i64], ptr @numbers, i32 0, i32 %at
  %number = load i64, ptr %from
  ret i64 %number
}
define i64 @"notes.word"(i32 %at) {
  %from = getelementptr [256 x i64], ptr @words, i32 0, i32 %at
  %word = load i64, ptr %from
  ret i64 %word
}
"""
_READERS = ("notes.forget", "notes.count", "notes.number", "notes.word")

#: A function of words around Numba's, which returns its result and an error by pointers; none raises an error.
_EXPORTED = """
define i64 @"{name}"({parameters}) {{
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @compiled(ptr %result, ptr %error{arguments})
  %word = load i64, ptr %result
  ret i64 %word
}}
"""


def object_of(functions: Mapping[str, Entry], *, notes: bool = False) -> bytes:
    """Return a relocatable object with functions of words under these names, and with notes if they take some.

    It can be called once in a process: what Numba has compiled before is for another processor.
    """
    cache.keeps = False
    machine = machine_for(_TRIPLE)
    compile_for(machine, "")
    exported = ((function, _exported(name, len(function.signature.arguments))) for name, function in functions.items())
    with global_compiler_lock:
        module = wrapped(Units(Optimizer(machine, "")), exported, {*functions, *_READERS}, _NOTES * notes)
        code: bytes = machine.emit_object(module)
        return code


def _exported(name: str, count: int) -> str:
    words = [f"i64 %word{number}" for number in range(count)]
    arguments = "".join(f", {word}" for word in words)
    return _EXPORTED.format(name=name, parameters=", ".join(words), arguments=arguments)
