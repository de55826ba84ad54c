"""Questions: ``find``, ``sql``, ``tree``, ``similar`` and the pipeline that answers them.

``search`` plans a query for each source and runs it: batches are read, evaluated and narrowed by threads, and the
results come in the order of the sources. ``finding`` makes tables, samples and evaluations by an engine of them;
``ordering`` keeps the best matches. ``sql`` answers statements, for which ``streams`` shows positions, games and moves
to DuckDB as tables that are computed while they are read, and ``stored`` lets DuckDB read the files of a scan itself.
``move_tree`` counts moves and measures likeness. ``limits`` answers a question in a process that can be ended.
"""
