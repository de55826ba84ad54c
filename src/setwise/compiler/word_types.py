"""The kinds of values as a type checker sees them: ``word_types.pyi`` has them, and ``kinds`` those of running code."""
