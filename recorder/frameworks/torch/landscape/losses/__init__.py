"""Losses of single samples, of each kind of module."""
