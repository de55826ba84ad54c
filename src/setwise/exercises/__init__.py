"""Exercises from games: chances that were missed, as sheets to print, studies for Lichess, cards for Anki."""
