"""The rules as compiled code: boards, moves, generation in two stages, what a position may be and how games end."""
