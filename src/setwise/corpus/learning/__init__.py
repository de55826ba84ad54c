"""Batches of positions for training networks."""
