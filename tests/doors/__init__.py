"""One list of questions, asked through every way in: what it answers once, it answers everywhere.

``questions.py`` is the list, with answers by python-chess; ``oracle.py`` reads the games for them, without setwise;
``sources.py`` makes every kind of source of the same games, and says what each can hold; ``ways.py`` asks.
"""
