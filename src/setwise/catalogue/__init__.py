"""What is derived from the definitions: pages of the documentation, examples, tables as source text, compiling ahead.

Nothing about a pattern is written twice. ``pages`` takes docstrings and sources apart, ``lookup`` locates a page by any
name that people use, ``examples`` runs and draws the examples and the steps of a formula, ``tables`` prints tables for
other languages, ``warmup`` and ``webassembly`` compile everything. The command line, the site and the workbench show
what this package returns, so a new pattern appears in all of them. What cannot be derived is data beside the code:
other names, other forms, questions and guides are TOML files.
"""

from setwise.catalogue.lookup import named, page, several, topic
from setwise.catalogue.pages import Argument, Page, Topic, pages, topics
from setwise.catalogue.questions import Guide, Question, guides, question, questions

__all__ = [
    "Argument", "Guide", "Page", "Question", "Topic", "guides", "named", "page", "pages", "question", "questions",
    "several", "topic", "topics",
]  # fmt: skip
