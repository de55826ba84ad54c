"""The catalogue of patterns: sets in, sets out. Each module is a topic.

A pattern is a few lines on words of 64 bits, for the side that plays up the board. `setwise.compiler` makes the rest: a
call with ints, a loop over arrays, code for other compiled functions. A topic imports only topics below it: `bits`,
`compass`, `geometry`, `fills` are the lowest, then come pieces, then relations of pieces. Names in ``__all__`` have a
page, a second version in the tests, and a function in conditions; all other functions are helpers.
"""

#: Topics of published techniques that nothing else in setwise calls: no machine code of them is shipped.
TECHNIQUES = ("bit_tricks", "keys", "slider_ways")
