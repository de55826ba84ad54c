"""PGN: read by compiled code into columns, written from single games.

`tokens` knows the bytes, `reader` replays the moves of a text into a table of games, `lines` reads the variations,
`annotations` the comments, `writing` goes back to text. The reader returns columns and spans of the text, never an
object for a game or a move.
"""
