"""What can be searched: PGN, lists of FENs, tables, scans, indexes, positions in memory.

``places`` expands what a user names into files, streams and objects; ``kinds`` recognises each by its beginning. Every
kind is a subclass of ``Source`` in ``jobs``: it says what it can answer (``holdings``), which columns it has of its own
(``source_columns``), and yields jobs, each of which returns one batch of positions. The code above tests for no class
of source: it asks these attributes.
"""
