"""Games and positions by the million: sources, columns, conditions, queries, and what is written from them.

A question passes through these packages from the top down. ``query`` reads the question and plans it for each source;
``language`` turns a condition into a function of positions; ``columns`` computes the values that it names, and no
others; ``sources`` yields batches of positions from PGN, tables, scans and indexes. ``outputs`` writes the rows that
match. ``dataset`` writes scans and indexes, ``pgnfiles`` the texts of games, and ``learning`` makes batches for
networks. ``storage`` alone knows how files lie on the disk. Everything passes in batches: memory does not grow with the
size of the sources, and threads work on several batches at once.
"""
