"""Reads event files into columns: scanning, tags, damage, and the index that caches the result."""
