"""Patterns of whole positions, for both sides; importing this package defines them all."""

from setwise.features import attacks, structure
from setwise.features.registry import FEATURES, Feature, Side, did_you_mean, feature, named

__all__ = ["FEATURES", "Feature", "Side", "attacks", "did_you_mean", "feature", "named", "structure"]
