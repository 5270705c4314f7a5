"""Projections and nearest neighbours, computed in chunks."""
