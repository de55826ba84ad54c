"""One game and many: from files to columns and objects, and back to PGN.

`batch` cuts a file into blocks and holds the columns of their games, `game` is one game as an object, `games` is the
public batch, with `read_pgn` and `write_pgn`. Objects are built only for the games that a caller picks.
"""
