"""The rules as compiled code: boards, moves, generation in two stages, what a position may be and how games end.

Boards are the mover's, so that no rule is written for each colour. `generate` lists legal moves without making them:
check masks and pins say where each piece may go. `exchange` and `search` judge moves; `status` says how a game stands
and what is wrong with a position; `polyglot` computes keys of positions; `variants` has rules that end a game in other
ways.
"""
