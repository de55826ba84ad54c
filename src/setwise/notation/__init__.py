"""Text and boards: FEN, UCI, SAN, EPD and PGN, read and written by compiled code.

Readers take bytes and a place, and return a value and where its text ends, so that a text is never copied in parts.
They accept more than the standard and report faults as numbers; Python turns each number into a sentence that names
the place. Writers write the standard form into a buffer and return where the written text ends.
"""
