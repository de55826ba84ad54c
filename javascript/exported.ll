; A function of words around Numba's, which returns its result and an error by pointers; none raises an error.
define i64 @"$name"($parameters) {
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @compiled(ptr %result, ptr %error$arguments)
  %word = load i64, ptr %result
  ret i64 %word
}
