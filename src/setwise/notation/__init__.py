"""Text and boards: FEN, UCI, SAN, EPD and PGN, read and written by compiled code.

Readers take bytes and a place, and return a value and where its text ends, so that one text is never copied into
pieces. They accept more than the standard and say with numbers what is wrong; Python turns numbers into sentences with
the place. Writers write the standard form into a buffer and return where it ends.
"""
