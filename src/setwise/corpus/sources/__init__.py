"""What can be searched: PGN, lists of FENs, tables, scans, indexes, positions in memory.

``places`` finds the files, streams and objects that a user names; ``kinds`` recognises each by its beginning. Every
kind is a subclass of ``Source`` in ``jobs``: it says which columns it can answer (``holdings``), which columns are its
own (``source_columns``), and yields jobs, each of which returns one batch of positions. Other packages do not test for
classes of sources: they read these attributes.
"""
