"""The weights of checkpoints: flat vectors, mapped from their files, and the products of their displacements."""
