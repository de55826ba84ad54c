"""Scans: folders of Parquet files that are resumed, extended, verified and repaired."""
