"""The storage of scans: names of files, manifest, checksums and encodings."""
