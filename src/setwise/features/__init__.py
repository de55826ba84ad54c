"""Patterns of whole positions, for both sides; ``FEATURES`` imports the module of each when it is looked up.

A feature is about one side: ``white_NAME`` is about White, ``black_NAME`` about Black. Pieces in a set are the side's
own: ``white_pinned`` are White's pieces that are pinned, ``white_hanging`` are White's pieces that hang,
``white_checkers`` are White's pieces that give check. Squares in a set are squares where the side can do something
(``white_fork_squares``, ``white_outposts``), or cannot (``white_holes``). "The king" means the side's own king, unless
the text says "enemy king".
"""

from setwise.features.registry import COLOURS, FEATURES, SIDES, Feature, Side, feature, named, one_sided

__all__ = ["COLOURS", "FEATURES", "SIDES", "Feature", "Side", "feature", "named", "one_sided"]
