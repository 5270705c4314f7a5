"""The files of an embedding: vectors, metadata and sprite."""
