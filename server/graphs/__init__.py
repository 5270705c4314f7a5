"""Graphs of runs: read from every dialect into one plain model, folded into scopes, opened a scope at a time."""
