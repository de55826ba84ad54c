; An argument of a kernel is a column of items; if it has no column, a number that is the same for all items.
  br label %argument$number
argument$number:
  %alone$number = icmp eq ptr %column$number, null
  br i1 %alone$number, label %given$number, label %load$number
load$number:
  %far$number = mul i64 %at, %step$number
  %at$number = getelementptr i8, ptr %column$number, i64 %far$number
  %item$number = load $kind, ptr %at$number, align $bytes
  %wide$number = $widened
  br label %given$number
given$number:
  %word$number = phi i64 [ %number$number, %argument$number ], [ %wide$number, %load$number ]
