"""Files of games as files: merged, sorted, split, packed, and cleared of duplicates, text for text.

``texts`` reads the text of each game with columns beside it, and writes texts to files. ``duplicates`` compares games
by their moves and chosen columns. ``packing`` puts games into the columns of a Parquet file and back.
"""
