"""Other ways to write the same: the forms in which the sources give a pattern, and those that show why it works.

The package does not call them: they are shown on the pages of the catalogue, and a test compares each with its
pattern. NumPy evaluates them on ``np.uint64``. A comment at the end of a line is the
caption of a step (see `setwise.catalogue.steps`).
"""

from __future__ import annotations

from setwise.catalogue.forms import boards, filesets, pieces
from setwise.catalogue.forms.form import FORMS, Form

__all__ = ["FORMS", "Form", "boards", "filesets", "pieces"]
