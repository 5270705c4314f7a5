"""Selects what a request draws: the points of a series, or of several runs at common positions."""
