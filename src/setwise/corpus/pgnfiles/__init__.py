"""Files of games from files of games: merged, sorted, split, without duplicates."""
