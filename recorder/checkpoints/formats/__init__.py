"""Formats of checkpoint files, one a file."""
