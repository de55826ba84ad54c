; A kernel: each thread computes the items whose indices are its own number plus a multiple of the number of threads.
declare i64 @setwise_thread()
declare i64 @setwise_threads()
define ptx_kernel void @setwise_kernel(i64 %count, ptr %out, i64 %out_step$parameters) {
start:
  %result = alloca i64
  %error = alloca ptr
  %thread = call i64 @setwise_thread()
  %threads = call i64 @setwise_threads()
  br label %next
next:
  %at = phi i64 [ %thread, %start ], [ %after, %call ]
  %more = icmp ult i64 %at, %count
  br i1 %more, label %answer, label %done
answer:
$loads
  br label %call
call:
  %status = call i32 @compiled(ptr %result, ptr %error$words)
  %word = load i64, ptr %result
  %item = $narrowed
  %distance = mul i64 %at, %out_step
  %place = getelementptr i8, ptr %out, i64 %distance
  store $kind %item, ptr %place, align $bytes
  %after = add i64 %at, %threads
  br label %next
done:
  ret void
}
