"""What is found by walking the modules: pages of the documentation, tables as source text, compiling ahead."""

from setwise.catalogue.lookup import named, page, several, topic
from setwise.catalogue.pages import Argument, Page, Topic, pages, topics
from setwise.catalogue.questions import Guide, Question, guides, question, questions

__all__ = [
    "Argument", "Guide", "Page", "Question", "Topic", "guides", "named", "page", "pages", "question", "questions",
    "several", "topic", "topics",
]  # fmt: skip
