"""Text and boards: FEN, UCI, SAN, EPD and PGN, read and written by compiled code."""
