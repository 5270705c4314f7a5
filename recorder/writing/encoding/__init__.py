"""Encodes recorded events as records of either dialect."""
