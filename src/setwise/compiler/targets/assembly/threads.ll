; The number of this thread of a graphics card, and the number of all threads.
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
define i64 @setwise_thread() alwaysinline {
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %inside = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %before = mul i32 %size, %block
  %thread = add i32 %before, %inside
  %wide = zext i32 %thread to i64
  ret i64 %wide
}
define i64 @setwise_threads() alwaysinline {
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %threads = mul i32 %size, %blocks
  %wide = zext i32 %threads to i64
  ret i64 %wide
}
