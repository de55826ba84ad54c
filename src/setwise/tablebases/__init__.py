"""Exact ends: tables of all endings of up to four pieces.

`solving` computes the value of every position of some pieces backwards from the mates; `files` keeps the tables, a
byte for a position, and looks values up. Positions that are mirror images share an entry. Castling rights are not in
the tables, nor is the rule of fifty moves.
"""
