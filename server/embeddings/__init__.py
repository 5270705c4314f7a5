"""Embeddings: their vectors, metadata and images, projections and nearest neighbours, and their routes."""
