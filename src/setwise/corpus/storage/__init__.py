"""How a scan is stored: its files' names, manifest, checksums and encodings."""
