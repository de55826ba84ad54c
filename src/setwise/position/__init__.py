"""Positions: one as an object, many as columns.

`Position` holds its state as bytes and calls compiled code for each method; `Positions` holds arrays and calls one
loop for all rows. Both have the same names for the same things, and both use the same definition of each feature, in
`setwise.features`. `history` needs the order of a game, and `likeness` compares positions with each other.
"""
