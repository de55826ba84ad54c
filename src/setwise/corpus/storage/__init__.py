"""The form of scans and indexes on the disk: names of files, the manifest, checksums, encodings of columns.

No other package knows this form. ``layout`` has the folders, the manifest and its checks; ``encodings`` has the
settings of Parquet, the two bytes of a packed move, the rows of sorted runs, and bitmaps.
"""
