"""The weights of checkpoints: flat vectors mapped from their files, and inner products of their displacements."""
