"""The command line: ``setwise find``, ``scan``, ``show``, ``perft`` and what belongs to them. No chess in here."""

from setwise.cli.app import main

__all__ = ["main"]
