"""Code that machine code needs when it runs: parts of Numba's runtime, Python's objects, shared tables."""

from __future__ import annotations

#: The beginning of the name of a variable that holds the address of a Python object.
OBJECT = "setwise_object_"

#: The names, in machine code, of the class of sets, and of the C function that makes ints and objects of int's
#: subclasses.
BITBOARD, NEW_INT = "setwise_Bitboard", "setwise_new_int"

#: The functions of Numba's own runtime that machine code needs. Arrays are borrowed from the caller, and compiled code
#: raises no errors of its own: the code for errors is never reached.
OWN = """
@says = private constant [39 x i8] c"compiled code of setwise failed; a bug\\00"

define void @numba_gil_ensure(ptr %state) {
  %taken = call i32 @PyGILState_Ensure()
  store i32 %taken, ptr %state
  ret void
}

define void @numba_gil_release(ptr %state) {
  %taken = load i32, ptr %state
  call void @PyGILState_Release(i32 %taken)
  ret void
}

define void @fails() {
  %kind = load ptr, ptr @setwise_object_PyExc_SystemError
  call void @PyErr_SetString(ptr %kind, ptr @says)
  ret void
}

define i32 @numba_do_raise(ptr %0) {
  call void @fails()
  ret i32 0
}

define ptr @numba_unpickle(ptr %0, i32 %1, ptr %2) {
  call void @fails()
  ret ptr null
}

define ptr @numba_runtime_build_excinfo_struct(ptr %0, ptr %1) {
  call void @fails()
  ret ptr null
}

define void @NRT_Free(ptr %0) {
  ret void
}

define void @NRT_MemInfo_call_dtor(ptr %0) {
  ret void
}

define i32 @NRT_adapt_ndarray_from_python(ptr %array, ptr %view) {
  %type.at = getelementptr i8, ptr %array, i64 8
  %type = load ptr, ptr %type.at
  %ndarray = load ptr, ptr @setwise_object_ndarray
  %same = icmp eq ptr %type, %ndarray
  br i1 %same, label %is_array, label %ask
ask:
  %subtype = call i32 @PyType_IsSubtype(ptr %type, ptr %ndarray)
  %derived = icmp ne i32 %subtype, 0
  br i1 %derived, label %is_array, label %is_other
is_other:
  ret i32 -1
is_array:
  %data.at = getelementptr i8, ptr %array, i64 16
  %data = load ptr, ptr %data.at
  %nd.at = getelementptr i8, ptr %array, i64 24
  %nd.32 = load i32, ptr %nd.at
  %nd = zext i32 %nd.32 to i64
  %shape.at = getelementptr i8, ptr %array, i64 32
  %shape = load ptr, ptr %shape.at
  %strides.at = getelementptr i8, ptr %array, i64 40
  %strides = load ptr, ptr %strides.at
  %dtype.at = getelementptr i8, ptr %array, i64 56
  %dtype = load ptr, ptr %dtype.at
  %size.at = getelementptr i8, ptr %dtype, i64 40
  %size = load i64, ptr %size.at
  %rest = getelementptr i8, ptr %view, i64 40
  %rest.2 = getelementptr i64, ptr %rest, i64 %nd
  br label %next
next:
  %k = phi i64 [ 0, %is_array ], [ %k.1, %copy ]
  %items = phi i64 [ 1, %is_array ], [ %items.1, %copy ]
  %more = icmp ult i64 %k, %nd
  br i1 %more, label %copy, label %done
copy:
  %length.from = getelementptr i64, ptr %shape, i64 %k
  %length = load i64, ptr %length.from
  %length.to = getelementptr i64, ptr %rest, i64 %k
  store i64 %length, ptr %length.to
  %stride.from = getelementptr i64, ptr %strides, i64 %k
  %stride = load i64, ptr %stride.from
  %stride.to = getelementptr i64, ptr %rest.2, i64 %k
  store i64 %stride, ptr %stride.to
  %items.1 = mul i64 %items, %length
  %k.1 = add i64 %k, 1
  br label %next
done:
  store ptr null, ptr %view
  %parent.to = getelementptr i8, ptr %view, i64 8
  store ptr %array, ptr %parent.to
  %items.to = getelementptr i8, ptr %view, i64 16
  store i64 %items, ptr %items.to
  %size.to = getelementptr i8, ptr %view, i64 24
  store i64 %size, ptr %size.to
  %data.to = getelementptr i8, ptr %view, i64 32
  store ptr %data, ptr %data.to
  ret i32 0
}
"""

#: Declarations of Python's functions that the text above calls.
CALLED = """
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare void @PyErr_SetString(ptr, ptr)
declare i32 @PyType_IsSubtype(ptr, ptr)
"""
