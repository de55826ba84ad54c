"""The query language: SQL over the columns, with the patterns as functions and sequence functions such as ``next``."""

from setwise.corpus.language.condition import Condition, Values

__all__ = ["Condition", "Values"]
