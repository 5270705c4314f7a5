"""Scalar series as columns in memory."""
