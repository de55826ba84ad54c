"""The catalogue of patterns: sets in, sets out. Each module is a topic.

A pattern is a few lines on words of 64 bits, for the side that plays up the board, and `setwise.compiler` makes the
rest of it: a call with ints, a loop over arrays, code for other compiled functions. Topics import only topics below
them: `bits`, `compass`, `geometry`, `fills` first, then pieces, then relations of pieces. Names in ``__all__`` have a
page, a twin in the tests and a function in conditions; all other functions are helpers.
"""
