"""Kinds of sources: each is recognised once, and then read batch by batch."""
