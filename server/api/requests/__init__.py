"""What the requests of several routes have in common: the snapshot that answers them, limits and cost."""
