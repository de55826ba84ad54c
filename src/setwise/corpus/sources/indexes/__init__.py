"""Indexes: packed games, with every position of theirs sorted by its key."""

from setwise.corpus.sources.indexes.source import Index, index_in

__all__ = ["Index", "index_in"]
