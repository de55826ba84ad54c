"""PGN: read by compiled code into columns, written from single games.

`tokens` recognizes the tokens, `reader` replays the moves of a text into a table of games, `lines` reads the
variations, `annotations` reads the comments, and `writing` writes games as text. The reader returns columns and spans
of the text, never an object for a game or a move.
"""
