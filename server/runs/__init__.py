"""Runs and what is computed from their series."""
