"""What is found by walking the modules: pages of the documentation, tables as source text, compiling ahead."""

from setwise.catalogue.pages import Argument, Page, Topic, named, page, pages, topic, topics
from setwise.catalogue.questions import Guide, Question, guides, question, questions

__all__ = [
    "Argument", "Guide", "Page", "Question", "Topic", "guides", "named", "page", "pages", "question", "questions",
    "topic", "topics",
]  # fmt: skip
