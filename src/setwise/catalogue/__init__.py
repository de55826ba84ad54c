"""Everything that is derived from the definitions: pages, examples, tables as source text, code compiled ahead.

No fact about a pattern is written twice. ``pages`` takes docstrings and sources apart, ``lookup`` finds a page by any
name that people use, ``examples`` runs and draws the examples and the steps of a formula, ``tables`` prints tables for
other languages, ``warmup`` compiles everything. The command line, the site and the workbench show
the results of this package, so a new pattern appears in all of them. Facts that cannot be derived are in TOML files
beside the code: other names, other forms, questions and guides.
"""

from setwise.catalogue.lookup import named, page, several, topic
from setwise.catalogue.pages import Argument, Page, Topic, pages, topics
from setwise.catalogue.questions import Guide, Question, guides, question, questions

__all__ = [
    "Argument", "Guide", "Page", "Question", "Topic", "guides", "named", "page", "pages", "question", "questions",
    "several", "topic", "topics",
]  # fmt: skip
