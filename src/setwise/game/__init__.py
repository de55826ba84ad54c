"""One game and many: from files to columns and objects, and back to PGN."""
