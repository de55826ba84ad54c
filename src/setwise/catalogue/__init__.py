"""What is found by walking the modules: pages of the documentation, tables as source text, compiling ahead."""

from setwise.catalogue.pages import Argument, Page, Topic, named, page, pages, topic, topics

__all__ = ["Argument", "Page", "Topic", "named", "page", "pages", "topic", "topics"]
