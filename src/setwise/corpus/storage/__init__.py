"""How scans and indexes lie on the disk: names of files, the manifest, checksums, encodings of columns.

No other package knows these. ``layout`` has the folders, the manifest and its checks; ``encodings`` the settings of
Parquet, the two bytes of a packed move, the rows of sorted runs and bitmaps.
"""
