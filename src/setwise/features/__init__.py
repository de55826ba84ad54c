"""Patterns of whole positions, for both sides; importing this package defines them all."""

from setwise.features import attacks, forks, kings, passers, structure
from setwise.features.registry import FEATURES, Feature, Side, did_you_mean, feature, named, one_sided

__all__ = [
    "FEATURES", "Feature", "Side", "attacks", "did_you_mean", "feature", "forks", "kings", "named", "one_sided", "passers",
    "structure",
]  # fmt: skip
