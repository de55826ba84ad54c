"""Operations on whole files of games: merge, sort, split, pack, and remove duplicates; texts are copied unchanged.

``texts`` reads the text of each game with columns beside it, and writes texts to files. ``duplicates`` compares games
by their moves and chosen columns. ``packing`` writes games to the columns of a Parquet file, and reads them back.
"""
