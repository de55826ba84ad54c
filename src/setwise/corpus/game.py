"""Between the columns and single games: ``Games`` give a ``Game``, and games are written as PGN."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator
from operator import index
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from setwise.corpus.outputs import writes_to
from setwise.game import Game, is_chess960, result_of
from setwise.move import Move
from setwise.notation.movetext import clean_comment, unescaped
from setwise.position import Position

if TYPE_CHECKING:
    from setwise.corpus.games import Games

__all__ = ["game_of", "write_pgn"]
