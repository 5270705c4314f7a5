"""What is collected of a training from its beginning to its end."""
