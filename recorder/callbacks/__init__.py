"""Callbacks, one a file: what can be added to a training."""
