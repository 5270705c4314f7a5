"""Batches, data loaders, and the position of a training in its data."""
