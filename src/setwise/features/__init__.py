"""Patterns of whole positions, for both sides; ``FEATURES`` imports the module of each when it is looked up.

A feature is about one side: ``white_NAME`` about White, ``black_NAME`` about Black. Pieces in a set are always the
side's own: ``white_pinned`` are White's pieces that are pinned, ``white_hanging`` White's pieces that hang,
``white_checkers`` White's pieces that give check. Squares are those where the side can do something
(``white_fork_squares``, ``white_outposts``), or cannot (``white_holes``). A king is the side's own where it is not said
to be the enemy's.
"""

from setwise.features.registry import COLOURS, FEATURES, SIDES, Feature, Side, feature, named, one_sided

__all__ = ["COLOURS", "FEATURES", "SIDES", "Feature", "Side", "feature", "named", "one_sided"]
