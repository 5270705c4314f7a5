"""Watching the rules: what happens that they are about, and which of it raises an alert."""
