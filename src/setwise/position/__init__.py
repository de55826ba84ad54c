"""One position and many: as objects, as columns."""
