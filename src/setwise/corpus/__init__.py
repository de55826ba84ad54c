"""Games and positions by the million: read, scan, find, write."""
