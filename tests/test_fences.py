"""No kernel reads a byte beyond a text, or writes beyond an array, where no check of Numba's looks.

Words and lines of a text are loaded as they lie in memory, which ``NUMBA_BOUNDSCHECK`` does not see. A kernel reads the
bytes of its text and none beyond them: there is no padding. ``helpers.fences`` puts texts between pages that may not be
read.
"""

from __future__ import annotations

import ast
import os
import sys

import pytest

from helpers.patterns import numba
from helpers.processes import python

pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="pages that may not be read are made as Linux makes them")
@pytest.mark.skipif(sys.implementation.name != "cpython", reason="objects of bytes are made as CPython has them")
def test_no_reader_goes_beyond_a_text_that_ends_at_a_page_that_may_not_be_read() -> None:
    numba()
    path = os.pathsep.join(filter(None, ["tests", os.environ.get("PYTHONPATH")]))
    told = ast.literal_eval(python("-m", "helpers.fences", PYTHONPATH=path, PYTHONFAULTHANDLER="1"))
    assert told["games"] > 8000
    assert told["positions"] > 4000
    assert told["moves"] > 1000
