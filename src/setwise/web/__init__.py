"""The workbench in a browser: ``setwise web``. Thin: pages, doors and limits; no chess in here.

The server itself computes nothing. Questions about one position are answered by a process that stays; each search has
one of its own, which can be stopped. So whatever somebody types, the page goes on answering.
"""
