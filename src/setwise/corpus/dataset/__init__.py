"""Scans and indexes as folders of Parquet files: written in parts, resumed, extended, verified and repaired.

``folder`` has the code for both: it divides sources into parts, writes the parts in threads, and records each finished
part in the manifest. ``scan`` writes the columns of every position. ``index`` writes packed games and the sorted runs
in which a position is found by its key.
"""
