"""The catalogue of patterns: sets in, sets out. Each module is a topic."""
