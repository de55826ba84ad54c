"""Games and positions by the million: sources, columns, conditions, queries and outputs.

A query passes through these packages. ``query`` reads it and plans it for each source; ``language`` turns a condition
into a function of positions; ``columns`` computes only the values that the condition names; ``sources`` yields batches
of positions from PGN, tables, scans and indexes. ``outputs`` writes the rows that match. ``dataset`` writes scans and
indexes, ``pgnfiles`` writes the texts of games, and ``learning`` makes batches for networks. Only ``storage`` knows the
layout of files on the disk. Data passes in batches: memory does not grow with the size of the sources, and threads work
on several batches at once.
"""
