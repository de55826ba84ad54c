"""What several test files use: data, random boards, python-chess's side of things, processes, costs, differences drawn.

The naive twins of patterns and features have a room of their own, ``naive``. Tests import no tests.
"""
