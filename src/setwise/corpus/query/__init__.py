"""Searches: conditions, SQL and samples over sources, on all processors."""
