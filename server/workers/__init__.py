"""Processes that answer requests from the memory of the one that loads; see publisher.py and replica.py."""
