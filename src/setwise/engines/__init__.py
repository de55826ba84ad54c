"""Tests for chess engines: suites of counted positions, random positions, the first wrong move, a check of UCI.

An engine is any program that speaks UCI, and is driven through its pipes (``uci``). ``divide`` goes down to the move
that an engine generates wrongly, ``positions`` makes positions and broken FENs from a seed. Every answer is compared
with the moves of ``Position``, whose counts two other programs confirm.
"""
