"""Exact ends: tables of all endings of up to four pieces."""
