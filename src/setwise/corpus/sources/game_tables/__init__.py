"""Tables of games, a row for each game: tags as columns, the moves as two bytes each or as text."""

from setwise.corpus.sources.game_tables.source import RowsOfGames, part_of, recognised

__all__ = ["RowsOfGames", "part_of", "recognised"]
