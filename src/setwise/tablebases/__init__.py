"""Exact ends: tables of all endings of up to four pieces.

`solving` computes the value of every position of some pieces, backwards from the mates; `files` stores the tables, one
byte for each position, and looks values up. Positions that are mirror images share an entry. The tables have no
castling rights and ignore the fifty-move rule.
"""
