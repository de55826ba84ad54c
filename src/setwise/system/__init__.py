"""Layer over the operating system: files that are complete or absent, processes, pooled memory."""
