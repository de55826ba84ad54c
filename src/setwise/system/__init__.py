"""What the operating system gives: files that are whole or absent, processes, memory that is used again."""
