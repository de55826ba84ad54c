"""The rules as compiled code: boards, moves, generation in two stages, sound positions and ends of games.

Boards are from the mover's view, so that no rule is written twice, once for each colour. `generate` lists legal moves
without making them: check masks and pins say where each piece may go. `exchange` and `search` judge moves; `status`
finds faults of a position and ends of games; `polyglot` computes keys of positions; `variants` has rules that end a
game in other ways.
"""
