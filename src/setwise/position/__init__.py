"""Positions: one as an object, many as columns."""
