"""An analysis with Polars: do winners have more mobile pieces, and from which move on?"""

from pathlib import Path

import polars as pl

from setwise import find

GAMES = Path(__file__).with_name("famous_games.pgn")

positions = find(
    "result in ('1-0', '0-1')",
    GAMES,
    columns=["game", "ply", "result", "white_mobility", "black_mobility", "white_pawn_islands", "black_pawn_islands"],
)


def winners_lead(feature: str) -> pl.Expr:
    """How much more the winner has of something than the loser."""
    lead = pl.col(f"white_{feature}").cast(pl.Int16) - pl.col(f"black_{feature}").cast(pl.Int16)
    return pl.when(pl.col("result") == "1-0").then(lead).otherwise(-lead)


stages = (
    pl.DataFrame(positions)
    .group_by(move=pl.col("ply") // 20 * 10 + 1)
    .agg(
        games=pl.col("game").n_unique(),
        mobility_lead=winners_lead("mobility").mean().round(1),
        island_lead=winners_lead("pawn_islands").mean().round(2),
    )
    .filter(pl.col("games") >= 5)
    .sort("move")
)
print("The winner's lead, in stages of ten moves:")
print(stages)
