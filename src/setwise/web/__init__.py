"""The workbench in a browser: ``setwise web``. This package has routes, access checks and limits, but no chess.

The server itself computes nothing. Long-lived processes answer questions about one position; each search has a process
of its own, which can be stopped. So the page responds at any time, whatever the user types.
"""
