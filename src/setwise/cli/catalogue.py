"""The commands on the catalogue of patterns."""

from __future__ import annotations

import typer


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
