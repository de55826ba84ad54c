"""PGN: read by compiled code into columns, written from single games."""
