"""Graphs of runs: all dialects are read into one model, which is grouped into scopes that are read one at a time."""
