"""The language: SQL over the columns, with the patterns as functions and a look along the game."""

from setwise.corpus.language.condition import Condition, Values

__all__ = ["Condition", "Values"]
