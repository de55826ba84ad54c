"""Layer over the operating system: files that are whole or absent, processes, pooled memory."""
